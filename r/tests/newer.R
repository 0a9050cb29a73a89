# Estimators whose results are a table: the numbers are those of the command line, bit by bit. Skipped without the program.
source("setup.R")

csv <- tempfile(fileext = ".csv")
invisible(run("data", "mpdta", "--out", csv))
columns <- c("--yname", "lemp", "--tname", "year", "--idname", "countyreal", "--gname", "first.treat")
printed <- function(...) read.csv(text = run(..., "--format", "csv", "--quiet"), na.strings = "")
same <- function(result, rows) {
  rows <- rows[is.na(match(rows[[1L]], c("agreement", "control_weights"))), ]
  found <- as.data.frame(result)
  pointwise <- if (is.null(found$point.conf.low)) found$conf.low else found$point.conf.low
  stopifnot(identical(found$estimate, as.numeric(rows$estimate)), identical(found$std.error, as.numeric(rows$se)),
            identical(pointwise, as.numeric(rows$ci_lower)), !anyDuplicated(found$term), all(nzchar(found$term)))
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

# emfx: averages by level of the moderator, which are those of the command line's document.
data <- read.csv(csv)
data$kind <- c("true", "01", "c")[data$countyreal %% 3 + 1]
levelled <- tempfile(fileext = ".csv")
write.csv(data, levelled, row.names = FALSE)
for (group in c("notyet", "never")) {
  by_kind <- etwfe(levelled, "lemp", "year", "first.treat", "countyreal", xvar = "kind", cgroup = group)
  same(by_kind, printed("etwfe", levelled, columns, "--xvar=kind", paste0("--cgroup=", group)))
  at_home <- run_json("etwfe", levelled, columns, "--xvar=kind", paste0("--cgroup=", group), "--format", "json")
  for (type in list(c("simple", "levels", "overall", "level"), c("group", "level_groups", "groups", "group"),
                    c("calendar", "level_periods", "periods", "time"), c("event", "level_event_times", "event_times", "event.time"))) {
    of_levels <- as.data.frame(emfx(by_kind, type[1L]))
    rows <- at_home[[type[2L]]]
    stopifnot(identical(of_levels$level, rows$level), identical(of_levels[[type[4L]]], rows[[sub(".", "_", type[4L], fixed = TRUE)]]),
              !anyDuplicated(of_levels$term))
    of_all <- as.data.frame(emfx(by_kind, type[1L], by_xvar = FALSE))
    all_rows <- if (type[1L] == "simple") as.data.frame(at_home$overall) else at_home[[type[3L]]]
    stopifnot(is.null(of_all$level), nrow(of_all) == nrow(all_rows))
    for (name in list(c("estimate", "estimate"), c("std.error", "se"), c("conf.low", "ci_lower"), c("conf.high", "ci_upper"), c("p.value", "p_value"))) {
      stopifnot(isTRUE(all.equal(of_levels[[name[1L]]], rows[[name[2L]]], tolerance = 1e-12)),
                isTRUE(all.equal(of_all[[name[1L]]], all_rows[[name[2L]]], tolerance = 1e-12)))
    }
  }
  differences <- as.data.frame(by_kind)
  differences <- differences[differences$kind == "level_differences", ]
  levels <- emfx(by_kind)$estimate
  stopifnot(identical(differences$level, c("c", "true")), identical(differences$less.level, c("01", "01")),
            isTRUE(all.equal(differences$estimate, levels[-1L] - levels[1L], tolerance = 1e-9)))
  windowed <- emfx(by_kind, "event", window = c(2, 1))
  first <- if (group == "never") c(-2L, -1L) else c(0L, 0L)
  stopifnot(identical(unique(windowed$event.time), first[1L]:1L), identical(unique(emfx(by_kind, "event", window = 1)$event.time), first[2L]:1L),
            isTRUE(all.equal(unname(sqrt(diag(vcov(windowed)))), ifelse(is.na(windowed$std.error), 0, windowed$std.error), tolerance = 1e-9)),
            is.na(vcov(windowed)[1L, nrow(vcov(windowed))]), all(is.finite(vcov(emfx(by_kind, "event", by_xvar = FALSE)))))
}
stopifnot(identical(unique(emfx(by_kind, "event", window = c(0, Inf))$event.time), 0:3), emfx(by_kind)$overall.att == emfx(by_kind, by_xvar = FALSE)$estimate)
stopifnot(inherits(tryCatch(vcov(emfx(by_kind)), burndid_no_vcov = identity), "burndid_no_vcov"))
# A level's event study goes on to sensitivity analysis by its name.
of_level <- quiet(honest_did(by_kind, type = "relative_magnitude", Mbarvec = 1, term = "01"))
stopifnot(of_level$robust_ci$conf.low != quiet(honest_did(by_kind, type = "relative_magnitude", Mbarvec = 1))$robust_ci$conf.low)
# The numbers of R etwfe 0.6.2 in its own tests: counties at the Great Lakes, and others.
data$gls <- data$countyreal %/% 1000 %in% c(17, 18, 26, 27, 36, 39, 42, 55)
lakes <- emfx(etwfe(data, "lemp", "year", "first.treat", xname = "lpop", xvar = "gls", cluster = ~ countyreal))
stopifnot(identical(lakes$level, c("false", "true")), isTRUE(all.equal(lakes$estimate, c(-0.0600010426077679, -0.0449165785109597), tolerance = 1e-9)),
          isTRUE(all.equal(lakes$std.error, c(0.0343946845417874, 0.0281086484211582), tolerance = 1e-6)),
          isTRUE(all.equal(lakes$p.value[1L], 0.0810743959800703, tolerance = 1e-3)))
# Effects of means and of the index are two fits.
counts <- transform(data, y = floor(exp(lemp)))
of_means <- etwfe(counts, "y", "year", "first.treat", xvar = "gls", family = "poisson", cluster = ~ countyreal)
of_index <- etwfe(counts, "y", "year", "first.treat", xvar = "gls", family = "poisson", cluster = ~ countyreal, scale = "link")
stopifnot(tryCatch(emfx(of_means, predict = "link"), burndid_error = function(e) e$code) == "usage",
          emfx(of_index, predict = "link")$estimate[1L] != emfx(of_means, predict = "response")$estimate[1L])
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

# Every row has a name of its own, also of regressions of effects on a covariate.
changes <- transform(data, d = as.integer(first.treat > 0 & year >= first.treat))
by_size <- quiet(did_multiplegt_dyn(changes, "lemp", "countyreal", "year", "d", effects = 2, predict_het = list("lpop", 1:2)))
stopifnot(!anyDuplicated(names(coef(by_size))), sum(grepl("lpop", names(coef(by_size)))) == 2L)

# With `vary` a joint study is a specification curve.
curve <- quiet(joint_study(data, "lemp", "year", "countyreal", "first.treat", estimators = c("cs", "bjs"), vary = "control-group,covariates=~1,~lpop"))
stopifnot(nrow(as.data.frame(curve)) == 6L, !anyDuplicated(names(coef(curve))), "control.group" %in% names(as.data.frame(curve)),
          is.finite(curve$document$about$median_p_value))

# All of them print, draw and go on to sensitivity analysis.
pdf(NULL)
for (result in list(imputed, stages, projections, stack, extended, study, doses, switches, by_kind, emfx(by_kind), emfx(by_kind, "group"),
                    emfx(by_kind, "calendar"), emfx(by_kind, "event"), emfx(extended), emfx(extended, "event"), by_size, curve)) {
  shown <- capture.output(print(result), print(summary(result)))
  stopifnot(length(shown) > 5L, !any(grepl("NULL", shown)), nchar(shown[2L]) > 5L)
  plot(result)
}
invisible(dev.off())
stopifnot(nrow(quiet(honest_did(projections, type = "relative_magnitude", Mbarvec = 1))$robust_ci) == 1L)

# conf.low and conf.high are the uniform band where the result has one, as in did, and point.conf.low and point.conf.high the pointwise interval. What
# print says of intervals is what tables and pictures have; critical values are those of the program.
mpdta <- read.csv(csv)
triple <- simulate_data("ddd", units = 400)
smooth <- simulate_data("npiv", units = 300)
dosed <- read.csv(simulated)
at <- function(...) att_gt("lemp", "year", "countyreal", "first.treat", NULL, mpdta, ...)
of_doses <- function(...) quiet(cont_did("y", "dose", "group", "period", "id", data = dosed, ...))
drawn <- at()
threefold <- function(...) ddd("y", "period", "id", "group", "eligible", data = triple, ...)
banded <- list(drawn, at(bstrap = FALSE, cband = TRUE), aggte(drawn, "dynamic"), aggte(drawn, "group"), aggte(drawn, "calendar"),
               threefold(boot = TRUE, nboot = 200, cband = TRUE), agg_ddd(threefold(cband = TRUE), "eventstudy"), study, curve, doses,
               of_doses(bstrap = TRUE, biters = 200), of_doses(aggregation = "eventstudy"), npiv(smooth$y, smooth$x, smooth$w, boot.num = 99))
numbers_in <- function(text) as.numeric(regmatches(text, gregexpr("[0-9]+[.][0-9]+", text))[[1L]])
near <- function(values, others, by) all(vapply(values, function(value) any(abs(others - value) < by, na.rm = TRUE), NA))
pdf(NULL)
for (result in banded) {
  rows <- tidy.burndid(result)
  about <- result$document$about
  known <- unlist(about[grepl("^critical_value", names(about))])
  values <- (rows$conf.high - rows$estimate) / rows$std.error
  uniform <- !is.na(values) & rows$conf.high != rows$point.conf.high
  # Critical values are those of the program, and pointwise intervals its own.
  stopifnot(any(uniform), all(values[uniform] > qnorm(0.975)), near(known, values[uniform], 1e-9), abs(values[uniform][1L] - known[[1L]]) < 1e-9,
            isTRUE(all.equal(rows$conf.high - rows$estimate, rows$estimate - rows$conf.low, tolerance = 1e-9)),
            near(rows$point.conf.high[!is.na(values)], result$rows$ci_upper, 1e-12))
  # The line below the table has these critical values, and names the rows that have no band.
  shown <- capture.output(print(result, digits = 7L))
  line <- grep("^Intervals: ", shown, value = TRUE)
  told <- numbers_in(sub("^.*critical values?", "", sub(";.*$", "", line)))
  stopifnot(length(line) == 1L, grepl("95% uniform, critical value", line, fixed = TRUE), near(told, values[uniform], 1e-3), near(values[uniform], told, 1e-3))
  rest <- !is.na(values) & !uniform
  named <- if (length(unique(rows$kind)) > 1L) unique(rows$kind[rest]) else rows$term[rest]
  stopifnot(any(rest) == grepl("; pointwise: ", line, fixed = TRUE), all(vapply(named, grepl, NA, line, fixed = TRUE)))
  # What print shows is what it says.
  stopifnot(any(grepl(trimws(format(rows$conf.high, digits = 7L)[which(uniform)[1L]]), shown, fixed = TRUE)), !any(grepl("point.conf", shown, fixed = TRUE)))
  stopifnot(identical(unname(confint(result)), unname(cbind(rows$conf.low, rows$conf.high))), identical(as.data.frame(result), rows))
  # At another level nothing is uniform, and a warning says so.
  other <- tryCatch(confint(result, level = 0.9), burndid_warning = conditionMessage)
  wide <- quiet(tidy.burndid(result, conf.level = 0.9))
  stopifnot(grepl("intervals at 90% are pointwise", other, fixed = TRUE), identical(wide$conf.high, wide$point.conf.high),
            isTRUE(all.equal((wide$conf.high - wide$estimate)[uniform], qnorm(0.95) * wide$std.error[uniform])))
  # A picture has room for the bands.
  plot(result)
  whole <- !inherits(result, c("burndid_effects", "burndid_npiv"))
  if (whole) stopifnot(par("usr")[3L] <= min(rows$conf.low, na.rm = TRUE), par("usr")[4L] >= max(rows$conf.high, na.rm = TRUE))
}
study_of_fit <- aggte(drawn, "dynamic")
alone <- as.data.frame(study_of_fit)
stopifnot(all.equal((alone$conf.high - study_of_fit$att.egt) / study_of_fit$se.egt, rep(study_of_fit$crit.val.egt, length(study_of_fit$egt))),
          all.equal((as.data.frame(drawn)$conf.high - drawn$att) / drawn$se, rep(drawn$c, length(drawn$att))))
# Beside each other as alone.
beside <- as.data.frame(etable(event = study_of_fit))
matched <- beside[match(paste("Event time", study_of_fit$egt), beside$term), ]
stopifnot(identical(matched$conf.low, alone$conf.low), identical(matched$point.conf.low, alone$point.conf.low))
# Without bands all is pointwise, and said to be.
said_pointwise <- function(result) any(capture.output(print(result)) == "Intervals: 95% pointwise")
for (result in list(at(cband = FALSE), aggte(at(cband = FALSE), "dynamic"), aggte(drawn, "dynamic", cband = FALSE), threefold(), of_doses(cband = FALSE),
                    quiet(joint_study(mpdta, "lemp", "year", "countyreal", "first.treat", cband = FALSE)))) {
  rows <- as.data.frame(result)
  stopifnot(identical(rows$conf.low, rows$point.conf.low), identical(rows$conf.high, rows$point.conf.high), said_pointwise(result))
}
for (result in list(imputed, stages, projections, stack, extended, switches, emfx(by_kind), sunab("lemp", "year", "countyreal", "first.treat", mpdta),
                    feols(lemp ~ treat | year, mpdta))) {
  stopifnot(is.null(as.data.frame(result)$point.conf.low), said_pointwise(result))
}
invisible(dev.off())
