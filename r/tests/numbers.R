# The numbers are those of the command line, and those of R's own packages. Skipped without the program.
source("setup.R")

csv <- tempfile(fileext = ".csv")
invisible(run("data", "mpdta", "--out", csv))
quiet <- function(call) suppressWarnings(call, classes = "burndid_warning")
data <- read.csv(csv, check.names = FALSE)
stopifnot(identical(names(data), c("year", "countyreal", "lpop", "lemp", "first.treat", "treat")))

# att_gt: the cells of the command line, bit by bit, of the same file; R reads some numbers of a file with another last bit.
fit <- att_gt("lemp", "year", "countyreal", "first.treat", ~ lpop, csv, bstrap = FALSE, cband = FALSE)
of_frame <- att_gt("lemp", "year", "countyreal", "first.treat", ~ lpop, data, bstrap = FALSE, cband = FALSE)
stopifnot(all.equal(fit$att, of_frame$att, tolerance = 1e-12), all.equal(fit$se, of_frame$se, tolerance = 1e-12))
at_home <- run_json("att-gt", csv, "--yname", "lemp", "--tname", "year", "--idname", "countyreal", "--gname", "first.treat", "--xformla",
                    "~ lpop", "--no-cband", "--vcov", "--format", "json")
stopifnot(identical(fit$att, at_home$cells$estimate), identical(fit$se, at_home$cells$se), identical(fit$group, at_home$cells$group))
stopifnot(identical(unname(vcov(fit)), at_home$vcov))
stopifnot(all.equal(sqrt(diag(vcov(fit))), setNames(fit$se, names(coef(fit)))))
# R did 2.5.1: att_gt(..., xformla = ~ lpop, est_method = "dr"), of which these are the first cells.
stopifnot(all.equal(fit$att[1:3], c(-0.0145297, -0.0764219, -0.1404483), tolerance = 1e-5))

study <- aggte(fit, "dynamic")
at_home <- run_json("aggregate", saved_json(fit, tempfile(fileext = ".json")), "--aggregate", "dynamic", "--format", "json")
stopifnot(identical(study$att.egt, at_home$rows$estimate), identical(study$se.egt, at_home$rows$se), identical(study$egt, at_home$rows$event_time))
stopifnot(identical(study$overall.att, at_home$overall$estimate), identical(study$overall.se, at_home$overall$se))
stopifnot(all.equal(sqrt(diag(vcov(study))), setNames(study$se.egt, rownames(vcov(study)))))
few <- aggte(fit, "dynamic", min_e = -1, max_e = 2)
stopifnot(identical(few$egt, -1:2))
for (type in c("simple", "group", "calendar")) stopifnot(is.finite(aggte(fit, type)$overall.att), dim(vcov(aggte(fit, type)))[1] > 0)

# A bootstrap has the seed of the call.
drawn <- function(seed) att_gt("lemp", "year", "countyreal", "first.treat", NULL, data, seed = seed)$se
stopifnot(identical(drawn(1), drawn(1)), !identical(drawn(1), drawn(2)))

# Sensitivity.
robust <- honest_did(study, type = "relative_magnitude", Mbarvec = c(0, 0.5, 1))
stopifnot(nrow(robust$robust_ci) == 3, all(diff(robust$robust_ci$conf.low) < 0))
smooth <- honest_did(study, e = 1, type = "smoothness", Mvec = c(0, 0.01))
stopifnot(all(is.finite(smooth$robust_ci$conf.low)))

# Two periods.
two <- data[data$year %in% 2003:2004 & data$first.treat %in% c(0, 2004), ]
two$d <- as.integer(two$first.treat == 2004)
effect <- drdid("lemp", "year", "countyreal", "d", ~ lpop, two)
stopifnot(all.equal(effect$ATT, -0.014532924270596406, tolerance = 1e-12))
stopifnot(drdid("lemp", "year", "countyreal", "d", ~ lpop, two, estMethod = "trad")$ATT != effect$ATT)

# Regressions, beside R's fixest where it is installed.
ours <- feols(lemp ~ lpop + i(year, treat, ref = 2003) | countyreal + year, data, cluster = ~ countyreal)
event <- sunab("lemp", "year", "countyreal", "first.treat", data)
poisson <- fepois(exp(lemp) ~ treat + lpop | year, data, vcov = "hetero")
if (requireNamespace("fixest", quietly = TRUE)) {
  fixest::setFixest_notes(FALSE)
  theirs <- fixest::feols(lemp ~ lpop + i(year, treat, ref = 2003) | countyreal + year, data, cluster = ~ countyreal)
  stopifnot(all.equal(coef(ours), coef(theirs), tolerance = 1e-9), all.equal(unname(ours$se), as.numeric(fixest::se(theirs)), tolerance = 1e-7))
  stopifnot(all.equal(as.numeric(vcov(ours)), as.numeric(vcov(theirs)), tolerance = 1e-6))
  stopifnot(all.equal(unname(confint(ours)), unname(as.matrix(confint(theirs))), tolerance = 1e-6))
  stopifnot(all.equal(unname(confint(ours, level = 0.9)), unname(as.matrix(confint(theirs, level = 0.9))), tolerance = 1e-6))
  data$cohort <- ifelse(data$first.treat == 0, 10000, data$first.treat)
  theirs <- fixest::feols(lemp ~ sunab(cohort, year) | countyreal + year, data, cluster = ~ countyreal)
  stopifnot(all.equal(unname(coef(event)), unname(coef(theirs)), tolerance = 1e-8))
  theirs <- fixest::fepois(exp(lemp) ~ treat + lpop | year, data, vcov = "hetero")
  stopifnot(all.equal(coef(poisson), coef(theirs), tolerance = 1e-7))
}
stopifnot(nobs(ours) == 2500L, all.equal(sqrt(diag(vcov(event))), setNames(as.data.frame(event)$std.error, names(coef(event)))))

parts <- bacon("lemp", "year", "countyreal", "first.treat", data)
stopifnot(all.equal(sum(parts$two_by_twos$weight * parts$two_by_twos$estimate), unname(coef(parts))))

# With controls the comparisons leave differences within cohorts; names are those of bacondecomp.
data$z <- sin(seq_len(nrow(data)))
controlled <- bacon("lemp", "year", "countyreal", "first.treat", data, xname = ~ z)
stopifnot(is.null(parts$Omega) || is.na(parts$Omega) || parts$Omega == 0, controlled$Omega > 0,
          all.equal(sum(controlled$two_by_twos$weight * controlled$two_by_twos$estimate) + controlled$Omega * controlled$beta_hat_w,
                    unname(coef(controlled)), tolerance = 1e-6),
          identical(coef(bacon("lemp", "year", "countyreal", "first.treat", data, xname = "z")), coef(controlled)))

# Weights, with the names of TwoWayFEWeights.
weights <- twowayfeweights("lemp", "year", "countyreal", "first.treat", csv)
at_home <- run_json("twfe-weights", csv, "--yname", "lemp", "--tname", "year", "--idname", "countyreal", "--gname", "first.treat", "--format", "json")
stopifnot(identical(weights$weights$weight, at_home$weights$weight), weights$nr_minus == sum(weights$weights$weight < 0), weights$beta == coef(weights),
          all.equal(weights$sum_plus + weights$sum_minus, 1), all.equal(weights$beta, unname(coef(parts)), tolerance = 1e-9))

# The numbers of R bacondecomp 0.1.3 and TwoWayFEWeights 2.0.4, where the sources are at hand.
golden <- Filter(file.exists, file.path(getwd(), c("../../tests/golden", "../../../tests/golden")))
if (length(golden)) {
  known <- jsonlite::fromJSON(file.path(golden[1L], "twfe.json"), simplifyVector = FALSE)
  # A value that is left out there is the one above it.
  carried <- function(column) column[which(!is.na(column))[cumsum(!is.na(column))]]
  data_of <- function(dataset) {
    if (dataset == "mpdta") return(csv)
    as.data.frame(lapply(read.csv(file.path(golden[1L], paste0(dataset, ".csv"))), carried))
  }
  words <- function(values) vapply(values, function(value) if (is.null(value)) "never" else as.character(value), "")
  for (case in known$bacon) {
    columns <- unlist(case$columns)
    ours <- quiet(bacon(columns[1L], columns[3L], columns[2L], columns[4L], data_of(case$dataset), unlist(case$covariates)))
    at <- match(paste(words(case$treated), words(case$untreated)), paste(ours$two_by_twos$treated, ours$two_by_twos$untreated))
    stopifnot(!anyNA(at), all.equal(ours$two_by_twos$estimate[at], unlist(case$estimates), tolerance = 1e-7),
              all.equal(ours$two_by_twos$weight[at], unlist(case$weights), tolerance = 1e-7), all.equal(unname(coef(ours)), case$twfe, tolerance = 1e-8))
    if (!is.null(case$Omega)) stopifnot(all.equal(c(ours$Omega, ours$beta_hat_w), c(case$Omega, case$beta_hat_w), tolerance = 1e-7))
  }
  for (case in known$weights) {
    columns <- unlist(case$columns)
    # R's weights of stable effects have a word of their own.
    type <- if (case$type == "feS") "fe_s_of_r" else case$type
    ours <- quiet(twowayfeweights(columns[1L], columns[3L], columns[2L], columns[4L], data_of(case$dataset), type, unlist(case$covariates),
                                  case$weights, cells = case$cells))
    stopifnot(all.equal(ours$beta, case$beta, tolerance = 1e-8))
    for (name in c("nr_plus", "nr_minus", "sum_plus", "sum_minus", "sensibility")) stopifnot(all.equal(ours[[name]], case[[name]], tolerance = 1e-7))
    if (!is.null(case$sensibility2)) stopifnot(all.equal(ours$sensibility2, case$sensibility2, tolerance = 1e-7))
  }
}

# DRDID's other two, by the program's estimators of R's names.
two_file <- tempfile(fileext = ".csv")
write.csv(two, two_file, row.names = FALSE)
of_r <- function(name, ...) {
  run_json("drdid", two_file, "--yname", "lemp", "--tname", "year", "--idname", "countyreal", "--treatname", "d", "--xformla", "~ lpop",
           "--estimator", name, "--format", "json", ...)$effect
}
pair <- function(f, ...) quiet(f("lemp", "year", "countyreal", "d", ~ lpop, two_file, ...))
agrees <- function(fit, effect) stopifnot(identical(fit$ATT, effect$estimate), identical(fit$se, effect$se))
agrees(pair(drdid, estMethod = "trad"), of_r("drdid_panel"))
agrees(pair(drdid, estimator = "twfe_did_panel"), of_r("twfe_did_panel"))
agrees(pair(ordid), of_r("reg_did_panel"))
agrees(pair(ipwdid), of_r("std_ipw_did_panel"))
agrees(pair(ipwdid, normalized = FALSE), of_r("ipw_did_panel"))
agrees(pair(ordid, panel = FALSE), of_r("reg_did_rc", "--repeated-cross-sections"))

# HonestDiD's own calls are those of honest_did, of coefficients and covariances.
table <- as.data.frame(event)
numbers_of <- function(f, ...) f(table$estimate, vcov(event), sum(table$event.time < 0), sum(table$event.time >= 0), ...)
relative <- numbers_of(createSensitivityResults_relativeMagnitudes, Mbarvec = c(0.5, 1), grid.lb = NA, grid.ub = NA)
stopifnot(identical(names(relative), c("lb", "ub", "method", "Delta", "Mbar")), identical(unique(relative$method), "C-LF"),
          identical(unique(relative$Delta), "DeltaRM"))
by_fit <- honest_did(event, type = "relative_magnitude", Mbarvec = c(0.5, 1))$robust_ci
stopifnot(all.equal(relative$lb, by_fit$conf.low, tolerance = 1e-9), all.equal(relative$ub, by_fit$conf.high, tolerance = 1e-9))
smoothed <- numbers_of(createSensitivityResults, Mvec = c(0, 0.01), l_vec = c(0.5, 0.5, 0, 0))
by_fit <- honest_did(event, type = "smoothness", Mvec = c(0, 0.01), l_vec = c(0.5, 0.5, 0, 0))$robust_ci
stopifnot(all.equal(smoothed$lb, by_fit$conf.low, tolerance = 1e-9), identical(smoothed$M, c(0, 0.01)), identical(unique(smoothed$method), "FLCI"))
stopifnot(inherits(tryCatch(createSensitivityResults(1:3, diag(3), 1, 1), burndid_error = identity), "burndid_usage"))

# Power of the test of pre-trends: the slope for a power has that power.
power <- pretrends(event, targetPower = 0.5)
again <- pretrends(event, slope = power$df_power$slope, targetPower = 0.8)
at_slope <- again$df_power$slope == power$df_power$slope
stopifnot(all.equal(power$df_power$Power, 0.5, tolerance = 1e-6), all.equal(again$df_power$Power[at_slope], 0.5, tolerance = 1e-6))
at_home <- run_json("pretrends", saved_json(event, tempfile(fileext = ".json")), "--power", "0.5", "--format", "json")
stopifnot(identical(power$df_power$Bayes.Factor, at_home$power$bayes_factor),
          identical(power$df_eventplot$meanAfterPretesting, at_home$periods$after_passing))
wrong <- tryCatch(pretrends(event, deltatrue = 1:2), burndid_error = identity)
stopifnot(wrong$code == "config", grepl("deltatrue", conditionMessage(wrong)))

# Triple differences find what was simulated.
simulated <- tempfile(fileext = ".csv")
invisible(run("simulate", "ddd", "--out", simulated, "--units", "4000"))
triple <- ddd("y", "period", "id", "group", "eligible", ~ x1 + x2 + x3 + x4, read.csv(simulated))
stopifnot(abs(aggte(triple, "dynamic")$overall.att - 2.5) < 4 * aggte(triple, "dynamic")$overall.se)
# A path is as good as a data frame.
stopifnot(all.equal(ddd("y", "period", "id", "group", "eligible", ~ x1 + x2 + x3 + x4, simulated)$att, triple$att, tolerance = 1e-12))

# What other packages read.
rows <- tidy.burndid(study)
stopifnot(c("term", "estimate", "std.error", "statistic", "p.value", "conf.low", "conf.high", "event.time") %in% names(rows))
stopifnot(glance.burndid(ours)$nobs == 2500L, is.data.frame(as.data.frame(fit)))
if (requireNamespace("generics", quietly = TRUE)) {
  stopifnot(identical(generics::tidy(study), rows), generics::glance(fit)$n.units == 500L)
}
if (requireNamespace("broom", quietly = TRUE)) stopifnot(identical(broom::tidy(ours, conf.int = TRUE, conf.level = 0.95), tidy.burndid(ours)))

# Below the table is how it was estimated, as did says it.
shown <- capture.output(print(att_gt("lemp", "year", "countyreal", "first.treat", ~ lpop, data, control_group = "notyettreated", est_method = "ipw")))
has <- function(lines, texts) for (text in texts) if (!any(grepl(text, lines, fixed = TRUE))) stop("not printed: ", text, "\nin: ", paste(lines, collapse = "\n"))
has(shown, c("Control Group: Not Yet Treated, Anticipation Periods: 0, Base Period: Varying", "Covariates: ~ lpop", "Method: Inverse", "Units: 500, Rows: 2500 (balanced panel)",
             "multiplier bootstrap (Rademacher, 1000 draws, seed 0)"))
has(capture.output(print(fit)), c("P-value for pre-test of parallel trends assumption:"))
has(capture.output(print(study)), "Control Group: Never Treated")
for (result in list(fit, study, effect, ours, event, parts, robust, controlled, weights, power)) {
  shown <- capture.output(print(result), print(summary(result)))
  stopifnot(length(shown) > 5L, !any(grepl("NULL", shown)))
}
picture <- tempfile(fileext = ".pdf")
ggdid(study, picture, title = "Employment")
stopifnot(file.size(picture) > 1000)
pdf(NULL)
for (result in list(fit, study, ours, event, robust)) ggdid(result)
invisible(dev.off())
