# The functions of DRDID that take vectors: outcomes after and before treatment and the treatment, or outcomes, periods and treatment of
# cross sections.

panel_of_vectors <- function(estimator) {
  name <- estimator
  function(y1, y0, D, covariates = NULL, i.weights = NULL, boot = FALSE, boot.type = c("weighted", "multiplier"), nboot = 999,
           inffunc = FALSE, alp = 0.05, seed = 0, ...) {
    check_bootstrap("boot", boot, c(boot.type = !missing(boot.type), nboot = !missing(nboot), seed = !missing(seed)))
    n <- length(y1)
    check_lengths(n, list(y0 = y0, D = D, i.weights = i.weights))
    part <- covariates_of(covariates, n)
    data <- data.frame(id = rep(seq_len(n), 2L), period = rep(0:1, each = n), y = c(y0, y1), D = rep(D, 2L))
    of_vectors(name, "id", rbind(part$columns, part$columns), part$formula, rep(i.weights, 2L), data, boot, one_of(boot.type), nboot, inffunc, alp,
               seed, match.call(), ...)
  }
}

sections_of_vectors <- function(estimator) {
  name <- estimator
  function(y, post, D, covariates = NULL, i.weights = NULL, boot = FALSE, boot.type = c("weighted", "multiplier"), nboot = 999,
           inffunc = FALSE, alp = 0.05, seed = 0, ...) {
    check_bootstrap("boot", boot, c(boot.type = !missing(boot.type), nboot = !missing(nboot), seed = !missing(seed)))
    check_lengths(length(y), list(post = post, D = D, i.weights = i.weights))
    part <- covariates_of(covariates, length(y))
    data <- data.frame(period = post, y = y, D = D)
    of_vectors(name, NULL, part$columns, part$formula, i.weights, data, boot, one_of(boot.type), nboot, inffunc, alp, seed, match.call(), ...)
  }
}

of_vectors <- function(estimator, idname, columns, formula, weights, data, boot, boot.type, nboot, inffunc, alp, seed, call, ...) {
  if (flag(inffunc)) stop_absent("inffunc", "drdid(..., influence = \"folder\") writes influence values to files in that folder")
  if (!is.null(columns)) data <- cbind(data, columns)
  if (!is.null(weights)) data$i.weights <- weights
  arguments <- c(options_of(yname = "y", tname = "period", idname = idname, treatname = "D", xformla = formula,
                            weightsname = if (!is.null(weights)) "i.weights", `repeated-cross-sections` = is.null(idname), estimator = estimator, alp = alp),
                 if (flag(boot)) options_of(boot = TRUE, biters = nboot, `boot-type` = boot.type, seed = seed), more_of_two_periods(...))
  object <- estimate("drdid", arguments, data, names(data), class = "drdid", call = call)
  effect <- object$document$effect
  with_fields(object, ATT = number(effect$estimate), se = number(effect$se), lci = number(effect$ci_lower), uci = number(effect$ci_upper))
}

check_lengths <- function(n, given) {
  for (name in names(given)) {
    if (!is.null(given[[name]]) && length(given[[name]]) != n) stop_burndid("usage", paste0("`", name, "` has ", length(given[[name]]), " values, and the outcome ", n))
  }
}

# DRDID's matrices have the constant as a column of their own.
covariates_of <- function(covariates, n) {
  if (is.null(covariates)) return(list(columns = NULL, formula = NULL))
  covariates <- as.matrix(covariates)
  if (!is.numeric(covariates) || nrow(covariates) != n) stop_burndid("usage", "`covariates` must be a matrix of numbers with a row for each unit")
  constant <- apply(covariates, 2L, function(column) all(!is.na(column)) && all(column == 1))
  if (!any(constant)) {
    stop_burndid("usage", "`covariates` has no column of ones, and burn-did has an intercept in any case", "cbind(1, covariates) adds it")
  }
  columns <- as.data.frame(covariates[, !constant, drop = FALSE])
  if (!length(columns)) return(list(columns = NULL, formula = NULL))
  names(columns) <- paste0("covariate_", seq_along(columns))
  list(columns = columns, formula = paste("~", paste(names(columns), collapse = " + ")))
}

drdid_imp_panel <- panel_of_vectors("drdid_imp_panel")
drdid_panel <- panel_of_vectors("drdid_panel")
reg_did_panel <- panel_of_vectors("reg_did_panel")
ipw_did_panel <- panel_of_vectors("ipw_did_panel")
std_ipw_did_panel <- panel_of_vectors("std_ipw_did_panel")
twfe_did_panel <- panel_of_vectors("twfe_did_panel")
drdid_imp_rc <- sections_of_vectors("drdid_imp_rc")
drdid_imp_rc1 <- sections_of_vectors("drdid_imp_rc1")
drdid_rc <- sections_of_vectors("drdid_rc")
drdid_rc1 <- sections_of_vectors("drdid_rc1")
reg_did_rc <- sections_of_vectors("reg_did_rc")
ipw_did_rc <- sections_of_vectors("ipw_did_rc")
std_ipw_did_rc <- sections_of_vectors("std_ipw_did_rc")
twfe_did_rc <- sections_of_vectors("twfe_did_rc")
