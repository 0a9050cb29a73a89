# R did 2.5.1.
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))), "claims.R"))

says <- function(text, check) claim("did", "2.5.1", "2026-11-25", text, check)

fit <- function(data, ..., formula = NULL) {
  did::att_gt(yname = "y", tname = "t", idname = "id", gname = "g", data = data, xformla = formula, bstrap = FALSE, cband = FALSE, ...)
}

says("the golden cases of stag_a are its numbers", function() {
  file <- golden("stag_a")
  one <- file$cases[[1]]
  found <- fit(golden_data("stag_a"), est_method = one$method)
  near(found$att, numbers(one$att), 1e-9)
  near(found$se, numbers(one$se), 1e-9)
})

says("overlap is judged by a logit without weights: heavy treated units refuse no cell", function() {
  set.seed(3)
  n <- 400
  d <- rep(c(0, 1), n / 2)
  x <- stats::rnorm(n) + d
  w <- ifelse(d == 1, exp(8), 1)
  data <- data.frame(id = rep(1:n, each = 2), t = rep(1:2, n), g = rep(2 * d, each = 2), x = rep(x, each = 2), w = rep(w, each = 2))
  data$y <- stats::rnorm(2 * n) + data$x * data$t
  weighted <- max(stats::fitted(stats::glm(d ~ x, family = stats::quasibinomial, weights = w)))
  stopifnot(weighted > 0.999)
  found <- fit(data, formula = ~x, weightsname = "w", est_method = "ipw")
  stopifnot(!is.na(found$att))
  sprintf("largest weighted score %.5f, att %.3f", weighted, found$att)
})

says("rows with a missing group are dropped", function() {
  data <- golden_data("stag_a")
  without <- fit(data[data$g != 0, ], control_group = "notyettreated", est_method = "reg")
  data$g[data$g == 0] <- NA
  missing <- fit(data, control_group = "notyettreated", est_method = "reg")
  near(missing$att, without$att, 1e-12)
})

says("a band without a bootstrap is pointwise", function() {
  found <- did::att_gt("y", "t", "id", "g", data = golden_data("stag_a"), bstrap = FALSE, cband = TRUE)
  near(found$c, stats::qnorm(0.975), 1e-9)
})

says("event times of months as decimals of a year are split by rounding", function() {
  data <- golden_data("stag_a")
  count <- function(data) length(did::aggte(fit(data, est_method = "reg"), type = "dynamic", bstrap = FALSE, cband = FALSE)$egt)
  months <- transform(data, t = 2000 + t / 12, g = ifelse(g > 0, 2000 + g / 12, 0))
  counts <- c(count(data), count(months))
  stopifnot(counts[2] > counts[1])
  sprintf("%d event times, %d of the same data in months", counts[1], counts[2])
})

says("units must be numbers", function() {
  data <- transform(golden_data("stag_a"), id = as.character(id))
  error <- tryCatch({ fit(data); NULL }, error = function(e) conditionMessage(e))
  stopifnot(!is.null(error))
  substr(gsub("\\s+", " ", error), 1, 80)
})

says("repeated cross sections clustered by the unit column are as without clusters", function() {
  data <- golden_data("stag_a")
  own <- fit(data, panel = FALSE, clustervars = "id", est_method = "reg")
  alone <- fit(data, panel = FALSE, est_method = "reg")
  near(own$se, alone$se, 1e-9)
})

says("multipliers are Rademacher's: the draws of one unit have one size", function() {
  set.seed(1)
  draws <- BMisc::multiplier_bootstrap(matrix(1), 200)
  stopifnot(length(unique(round(abs(c(draws)), 12))) == 1)
  ""
})

report()
