# R fixest 0.14.2.
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))), "claims.R"))

says <- function(text, check) claim("fixest", "0.14.2", "2026-11-25", text, check)

fit <- function(formula, data, ...) fixest::feols(stats::as.formula(formula), data, nthreads = 1, notes = FALSE, ...)

says("the golden cases of the easy network are its numbers", function() {
  file <- golden("feols_fe_easy_a")
  data <- golden_data("fe_easy_a")
  off <- vapply(Filter(function(one) one$vcov %in% c("iid", "hetero"), file$cases), function(one) {
    weights <- if (is.null(one$weights)) NULL else data[[one$weights]]
    removed <- if (isTRUE(one$keep_singletons)) "none" else "singletons"
    found <- fit(one$formula, data, weights = weights, vcov = one$vcov, fixef.rm = removed, fixef.tol = 1e-11)
    near(stats::coef(found), numbers(one$coef), 1e-8)
    as.numeric(near(fixest::se(found), numbers(one$se), 1e-7))
  }, 0)
  sprintf("%d regressions, standard errors %.0e", length(off), max(off))
})

says("collinearity is judged at 1e-9 in the unit of the regressor", function() {
  set.seed(1)
  data <- data.frame(y = stats::rnorm(200), x = stats::rnorm(200), f = rep(1:20, 10))
  data$z <- stats::rnorm(200)
  kept <- "small" %in% names(stats::coef(fit("y ~ z + small | f", transform(data, small = 1e-6 * x))))
  scaled <- "small" %in% names(stats::coef(fit("y ~ z + small | f", transform(data, small = x))))
  stopifnot(scaled, !kept)
  "a regressor of size 1e-6 is left out, the same of size 1 is not"
})

says("Sun and Abraham: cohorts before the first period are taken as never treated", function() {
  data <- golden_data("stag_a")
  data$g[data$g == 0] <- 10000
  early <- data
  early$g[early$g == 3] <- -5
  never <- data
  never$g[never$g == 3] <- 10000
  study <- function(data) stats::coef(fixest::feols(y ~ sunab(g, t) | id + t, data, notes = FALSE, nthreads = 1))
  near(study(early), study(never), 1e-8, 1e-3)
})

report()
