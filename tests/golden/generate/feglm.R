# Logit and probit regressions by R fixest's `feglm`; writes feglm.json beside this folder. Run with fixest in the library:
# Rscript tests/golden/generate/feglm.R

suppressMessages(library(fixest))
number <- function(v) paste0("[", paste(sprintf("%.17g", v), collapse = ","), "]")
word <- function(v) if (is.null(v)) "null" else paste0("\"", v, "\"")

# An empty field is what stands above it.
filled <- function(v) v[!is.na(v)][cumsum(!is.na(v))]

data <- as.data.frame(lapply(read.csv("tests/golden/fepois.csv"), filled))
data$any <- as.integer(data$y > 1)
data$share <- data$y / (data$y + 3)
# Twelve levels of one outcome.
data$cell <- data$firm * 10 + data$year %% 4

case <- function(id, family, formula, vcov = "iid", weights = NULL) {
  kind <- if (startsWith(vcov, "cluster:")) as.formula(paste("~", gsub(",", " + ", substring(vcov, 9)))) else vcov
  w <- if (is.null(weights)) rep(1, nrow(data)) else data[[weights]]
  # The family warns of fractions.
  fitted_from <- function(start) suppressWarnings(feglm(as.formula(formula), data, family = binomial(family), vcov = kind,
    weights = w, etastart = start, fixef.tol = 3e-12, fixef.iter = 1e6, glm.tol = 3e-13, glm.iter = 200, notes = FALSE))
  fit <- fitted_from(0)
  # The least tolerance leaves Fisher's scoring of a probit at five digits.
  for (again in 1:8) fit <- fitted_from(fit$linear.predictors)
  table <- coeftable(fit)
  # R's likelihood of weighted or fractional outcomes rounds both.
  plain <- is.null(weights) && startsWith(formula, "any")
  quality <- if (plain) c(logLik(fit), fitstat(fit, "pr2", simplify = TRUE)[[1]], BIC(fit), fit$sq.cor) else NA
  predicted <- predict(fit, newdata = data[1:40, ])
  sprintf(
    '{"id":"%s","family":"%s","formula":"%s","vcov":"%s","weights":%s,"n":%d,"names":[%s],"coef":%s,"se":%s,"deviance":%.17g,"quality":%s,"predicted":%s}',
    id, family, formula, vcov, word(weights), fit$nobs, paste0("\"", rownames(table), "\"", collapse = ","),
    number(table[, 1]), number(table[, 2]), fit$deviance, if (plain) number(quality) else "null",
    gsub("NA|NaN", "null", number(predicted)))
}

designs <- list(
  c("any ~ x1 + x2", "iid"),
  c("any ~ x1 + x2 | year", "hetero"),
  c("any ~ x1 + x2 | firm + year", "iid"),
  c("any ~ x1 + x2 | firm + year", "cluster:firm"),
  c("any ~ x1 + x2 | firm + year", "cluster:firm,year"),
  c("any ~ x1 + x2 | firm + year", "hetero", "w"),
  c("any ~ x1 + x2 + x1:x2 | sector + year", "cluster:firm", "w"),
  c("share ~ x1 + x2", "hetero"),
  c("share ~ x1 + x2 | firm + year", "cluster:firm", "w"),
  c("any ~ x1 + x2 | cell", "iid")
)
cases <- unlist(lapply(c("logit", "probit"), function(family) {
  mapply(function(design, index) {
    case(sprintf("%s_%d", family, index), family, design[1], design[2], if (length(design) > 2) design[3])
  }, designs, seq_along(designs))
}))
writeLines(c(sprintf('{"reference":"R fixest %s","dataset":"fepois","cases":[', packageVersion("fixest")),
  paste(cases, collapse = ",\n"), "]}"), "tests/golden/feglm.json")
