# The numbers are those of the command line, and those of R's own packages. Skipped without the program.
source("setup.R")

csv <- tempfile(fileext = ".csv")
invisible(run("data", "mpdta", "--out", csv))
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

for (result in list(fit, study, effect, ours, event, parts, robust)) {
  shown <- capture.output(print(result), print(summary(result)))
  stopifnot(length(shown) > 5L, !any(grepl("NULL", shown)))
}
picture <- tempfile(fileext = ".pdf")
ggdid(study, picture, title = "Employment")
stopifnot(file.size(picture) > 1000)
pdf(NULL)
for (result in list(fit, study, ours, event, robust)) ggdid(result)
invisible(dev.off())
