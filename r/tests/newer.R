# Estimators whose results are a table: the numbers are those of the command line, bit by bit. Skipped without the program.
source("setup.R")

csv <- tempfile(fileext = ".csv")
invisible(run("data", "mpdta", "--out", csv))
columns <- c("--yname", "lemp", "--tname", "year", "--idname", "countyreal", "--gname", "first.treat")
printed <- function(...) read.csv(text = run(..., "--format", "csv", "--quiet"), na.strings = "")
same <- function(result, rows) {
  rows <- rows[is.na(match(rows[[1L]], c("agreement", "control_weights"))), ]
  found <- as.data.frame(result)
  stopifnot(identical(found$estimate, as.numeric(rows$estimate)), identical(found$std.error, as.numeric(rows$se)),
            identical(found$conf.low, as.numeric(rows$ci_lower)), !anyDuplicated(found$term), all(nzchar(found$term)))
}
quiet <- function(call) suppressWarnings(call, classes = "burndid_warning")

imputed <- quiet(did_imputation(csv, "lemp", "first.treat", "year", "countyreal"))
same(imputed, printed("imputation", csv, columns))
# R didimputation 0.5.0: did_imputation(mpdta, "lemp", "first.treat", "year", "countyreal"), whose estimate is this.
stopifnot(all.equal(unname(coef(imputed)["overall"]), -0.0477099182784534, tolerance = 1e-9))
few <- quiet(did_imputation(csv, "lemp", "first.treat", "year", "countyreal", ~ 0 | countyreal + year, horizon = 0:1, pretrends = FALSE))
stopifnot(identical(few$rows$event_time[-1L], 0:1), identical(coef(few)[["event_time 0"]], coef(imputed)[["event_time 0"]]))

stages <- quiet(did2s(csv, "lemp", "first.treat", "year", "countyreal"))
same(stages, printed("two-stage", csv, columns))
stopifnot(all.equal(coef(stages)[["overall"]], coef(imputed)[["overall"]], tolerance = 1e-12))

projections <- lpdid(csv, "lemp", "year", "countyreal", "first.treat", window = c(-2, 2))
same(projections, printed("lpdid", csv, columns, "--window=-2,2"))
stack <- quiet(stacked(csv, "lemp", "year", "countyreal", "first.treat", 2, 1))
same(stack, printed("stacked", csv, columns, "--kappa-pre", "2", "--kappa-post", "1"))
stopifnot(nrow(stack$control_weights) > 0L)
extended <- etwfe(csv, "lemp", "year", "first.treat", "countyreal")
same(extended, printed("etwfe", csv, columns))
study <- quiet(joint_study(csv, "lemp", "year", "countyreal", "first.treat"))
same(study, printed("study", csv, columns))
stopifnot(nrow(study$agreement) == 28L, all(c("first", "second", "difference", "wald_p_value") %in% names(study$agreement)))

simulated <- tempfile(fileext = ".csv")
invisible(run("simulate", "cont-did", "--out", simulated, "--units", "1000"))
doses <- quiet(cont_did("y", "dose", "group", "period", "id", data = simulated))
same(doses, printed("cont-did", simulated, "--yname", "y", "--tname", "period", "--idname", "id", "--gname", "group", "--dname", "dose", "--cband"))
error <- tryCatch(cont_did("y", "dose", "group", "period", "id", ~ x, simulated), burndid_error = identity)
stopifnot(error$code == "usage", grepl("xformla", conditionMessage(error)))

switching <- tempfile(fileext = ".csv")
invisible(run("simulate", "did-multiplegt", "--out", switching, "--units", "500"))
switches <- did_multiplegt_dyn(read.csv(switching), "y", "id", "period", "d", effects = 2, placebo = 2, controls = "x")
at_home <- printed("did-multiplegt", switching, "--yname", "y", "--tname", "period", "--idname", "id", "--dname", "d", "--effects", "2",
                   "--placebo", "2", "--xformla", "~ x")
stopifnot(all.equal(unname(coef(switches)), at_home$estimate, tolerance = 1e-10))

# All of them print, draw and go on to sensitivity analysis.
pdf(NULL)
for (result in list(imputed, stages, projections, stack, extended, study, doses, switches)) {
  shown <- capture.output(print(result), print(summary(result)))
  stopifnot(length(shown) > 5L, !any(grepl("NULL", shown)), nchar(shown[2L]) > 5L)
  plot(result)
}
invisible(dev.off())
stopifnot(nrow(quiet(honest_did(projections, type = "relative_magnitude", Mbarvec = 1))$robust_ci) == 1L)
