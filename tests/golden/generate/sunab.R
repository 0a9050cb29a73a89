# Sun and Abraham's event studies by R fixest's `sunab`; writes sunab.json beside this folder. Run with fixest in the library:
# Rscript tests/golden/generate/sunab.R

suppressMessages(library(fixest))
number <- function(v) paste0("[", paste(ifelse(is.finite(v), sprintf("%.17g", v), "null"), collapse = ","), "]")
word <- function(v) if (is.null(v)) "null" else paste0("\"", v, "\"")

# An empty field is what stands above it.
filled <- function(v) v[!is.na(v)][cumsum(!is.na(v))]

case <- function(dataset, y, id, t, g, weights = NULL, covariates = NULL, reference = -1) {
  path <- if (dataset == "mpdta") "src/data/mpdta.csv" else paste0("tests/golden/", dataset, ".csv")
  data <- as.data.frame(lapply(read.csv(path), filled))
  data$g_ <- ifelse(data[[g]] == 0, 10000, data[[g]])
  study <- sprintf("sunab(g_, %s, ref.p = c(%s))", t, paste(reference, collapse = ","))
  right <- paste(c(study, covariates), collapse = " + ")
  formula <- as.formula(sprintf("%s ~ %s | %s + %s", y, right, id, t))
  fit <- feols(formula, data, weights = if (is.null(weights)) rep(1, nrow(data)) else data[[weights]],
    cluster = data[[id]], fixef.tol = 3e-12, fixef.iter = 1e6, notes = FALSE)
  table <- coeftable(fit)
  at <- grepl("::", rownames(table))
  times <- as.numeric(sub(".*::", "", rownames(table)[at]))
  overall <- coeftable(summary(fit, agg = "att"))["ATT", ]
  sprintf(
    '{"dataset":%s,"outcome":%s,"unit":%s,"time":%s,"group":%s,"weights":%s,"covariates":%s,"reference":%s,"n":%d,"times":%s,"estimates":%s,"errors":%s,"overall":%s}',
    word(dataset), word(y), word(id), word(t), word(g), word(weights), word(covariates),
    number(reference), fit$nobs, number(times), number(table[at, 1]),
    number(table[at, 2]), number(overall[1:2]))
}

cases <- c(
  case("mpdta", "lemp", "countyreal", "year", "first.treat"),
  case("mpdta", "lemp", "countyreal", "year", "first.treat", reference = c(-1, -2)),
  case("stag_a", "y", "id", "t", "g"),
  case("stag_a", "y", "id", "t", "g", weights = "w", covariates = "x3"),
  case("unbal_a", "y", "id", "t", "g", weights = "w", covariates = "x1")
)
writeLines(c(sprintf('{"reference":"R fixest %s","cases":[', packageVersion("fixest")),
  paste(cases, collapse = ",\n"), "]}"), "tests/golden/sunab.json")
