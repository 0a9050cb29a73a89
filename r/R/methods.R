# What R asks of a fitted model.

titles <- c(
  burndid_att_gt = "Group-Time Average Treatment Effects", burndid_aggte = "Average of Group-Time Average Treatment Effects",
  burndid_drdid = "Average Effect of Treatment on the Treated in Two Periods", burndid_feols = "Regression with Fixed Effects",
  burndid_sunab = "Event Study by Sun and Abraham (2021)", burndid_bacon = "Goodman-Bacon (2021) Decomposition",
  burndid_twfe_weights = "Weights of the Two-Way Coefficient on Effects", burndid_pretrends = "Power of the Test of Pre-Trends",
  burndid_honest = "Robust Confidence Intervals by Rambachan and Roth (2023)")

title_of <- function(x) if (is.null(x$title)) titles[[class(x)[1L]]] else x$title

print.burndid <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  given <- list(...)
  if (asks_covariance(given)) {
    print(do.call(with_covariance, c(list(x, parent.frame()), given)), digits = digits)
    return(invisible(x))
  }
  cat("\n", title_of(x), "\n\n", sep = "")
  simple <- inherits(x, "burndid_aggte") && x$document$about$type == "simple"
  if (inherits(x, "burndid_aggte")) {
    overall <- x$document$overall
    cat(sprintf("Overall: %s (standard error %s), %s pointwise interval from %s to %s\n\n", format(number(overall$estimate), digits = digits),
                format(number(overall$se), digits = digits), level_said(x), format(number(overall$ci_lower), digits = digits),
                format(number(overall$ci_upper), digits = digits)))
  }
  rows <- table_of(x)
  if (!simple) {
    shown <- shown_of(x, rows)
    # Of two intervals the one that is said below the table is shown.
    print(shown[setdiff(names(shown), c("type", "point.conf.low", "point.conf.high"))], digits = digits, row.names = FALSE, ...)
    reasons <- reasons_of(rows)
    if (length(reasons)) cat(paste0(marks(reasons), " ", reasons, "\n"), sep = "")
  }
  if (!is.null(x$agreement)) {
    cat("\n")
    print(x$agreement, digits = digits, row.names = FALSE)
  }
  for (table in list(x$two_by_twos, x$weights, x$df_eventplot)) if (!is.null(table)) {
    cat("\n")
    print(table, digits = digits, row.names = FALSE)
  }
  if (isTRUE(x$Omega > 0)) {
    cat("\nDifferences within cohorts: ", format(x$beta_hat_w, digits = digits), " with weight ", format(x$Omega, digits = digits), "\n", sep = "")
  }
  # How it was estimated, in the words of the program.
  foot <- c(if (!simple) intervals_said(x, rows), x$document$notes)
  if (length(foot)) cat(if (!simple) "\n", paste0(foot, "\n"), sep = "")
  for (text in x$document$warnings) cat("Warning:", text, "\n")
  invisible(x)
}

summary.burndid <- function(object, ...) {
  object <- with_covariance(object, parent.frame(), ...)
  structure(list(object = object, coefficients = table_of(object), about = glance_of(object)), class = "summary.burndid")
}

print.summary.burndid <- function(x, ...) {
  print(x$object, ...)
  cat("\n")
  facts <- x$object$document$about
  facts <- facts[vapply(facts, function(fact) length(fact) == 1L && !is.na(fact), NA)]
  cat(paste0(format(names(facts)), "  ", vapply(facts, function(fact) if (is.numeric(fact)) format(fact, digits = 6L) else as.character(fact), "")), sep = "\n")
  invisible(x)
}

# The columns that print shows. Robust intervals stand below that of the study itself, and reasons below the table.
shown_of <- function(x, rows) {
  if (inherits(x, "burndid_honest")) {
    original <- x$document$original
    first <- replace(rows[1L, ], c("M", "conf.low", "conf.high"), list(NA_real_, number(original$ci_lower), number(original$ci_upper)))
    rows <- rbind(replace(first, c("term", "open"), list("Original", FALSE)), rows)
  }
  shown <- rows[vapply(rows, function(column) !all(is.na(column)), NA)]
  if (!is.null(shown$reason)) shown$reason <- ifelse(is.na(shown$reason), "", marks(reasons_of(rows))[match(shown$reason, reasons_of(rows))])
  shown
}

reasons_of <- function(rows) unique(rows$reason[!is.na(rows$reason)])

marks <- function(reasons) paste0("(", seq_along(reasons), ")")

coef.burndid <- function(object, ...) {
  if (length(list(...))) stop_burndid("usage", "coef takes a result and nothing else", "coef(fit)[\"name\"] chooses coefficients")
  rows <- table_of(object)
  setNames(rows$estimate, rows$term)
}

vcov.burndid <- function(object, ...) {
  object <- with_covariance(object, parent.frame(), ...)
  document <- object$document
  terms <- table_of(object)$term
  values <- switch(class(object)[1L],
    burndid_att_gt = cell_covariance(document), burndid_aggte = document$result$vcov, burndid_feols = document$result$vcov,
    burndid_sunab = sunab_covariance(document), burndid_drdid = matrix(number(document$effect$se)^2),
    burndid_bacon = matrix(number(document$coefficient$se)^2), burndid_emfx = emfx_covariance(object), NULL)
  if (inherits(object, "burndid_aggte")) terms <- terms[terms != "ATT(Average)"]
  if (inherits(object, "burndid_aggte") && document$about$type == "simple") values <- matrix(number(document$overall$se)^2)
  found <- matrix_of(values, terms)
  if (is.null(found)) stop_burndid("no_vcov", "this result has no covariances", "a bootstrap of curves, robust intervals and tables of several kinds of effects have none; saved_json(fit) has what the program kept")
  found
}

# A saved fit has the covariances of its cells and, after them, of the groups' shares.
cell_covariance <- function(document) {
  values <- number(document$result$estimates$covariance)
  size <- sqrt(length(values))
  estimated <- which(document$cells$status == "ok" & !is.na(number(document$cells$se)))
  all <- matrix(NA_real_, nrow(document$cells), nrow(document$cells))
  if (length(values) && size == round(size) && size >= length(estimated)) {
    all[estimated, estimated] <- matrix(values, size)[seq_along(estimated), seq_along(estimated)]
  }
  all
}

sunab_covariance <- function(document) {
  study <- document$result$event_study
  estimated <- !study$rows$reference
  values <- matrix_of(study$vcov, seq_len(nrow(study$rows)))
  values[estimated, estimated, drop = FALSE]
}

# What the program does not keep.
residuals.burndid <- function(object, ...) stop_kept("residuals")
fitted.burndid <- function(object, ...) stop_kept("fitted values")
predict.burndid <- function(object, ...) stop_kept("predictions")

deviance.burndid <- function(object, ...) {
  if (identical(object$document$about$family, "gaussian")) return(number(object$document$about$rss))
  stop_kept("deviance")
}

stop_kept <- function(what) stop_burndid("usage", paste0("results have no ", what, ", which the program does not keep"))

df.residual.burndid <- function(object, ...) number(object$document$about$df_t)

logLik.burndid <- function(object, ...) {
  about <- object$document$about
  value <- number(about$log_likelihood)
  # Of normal errors, as in R's lm.
  if (identical(about$family, "gaussian") && is.null(about$weights)) value <- -about$n_rows / 2 * (log(2 * pi * about$rss / about$n_rows) + 1)
  if (is.na(value)) stop_burndid("usage", "this result has no likelihood", "regressions without weights by feols, and those by fepois and feglm have one")
  structure(value, df = number(about$df_k), nobs = nobs(object), class = "logLik")
}

# A change of the regressors leaves the fixed effects as they are.
update.burndid <- function(object, formula. = NULL, ...) {
  call <- object$call
  if (!is.null(formula.)) {
    fml <- formula(object)
    right <- fml[[3L]]
    has_bar <- is.call(right) && identical(right[[1L]], quote(`|`))
    if (has_bar) fml[[3L]] <- right[[2L]]
    changed <- stats::update.formula(fml, formula.)
    if (has_bar && !"|" %in% all.names(formula.)) changed[[3L]] <- call("|", changed[[3L]], right[[3L]])
    else if (has_bar) stop_burndid("usage", "a formula with a bar changes regressors only", "call the regression with the whole formula")
    call$fml <- changed
  }
  for (name in names(list(...))) call[[name]] <- list(...)[[name]]
  eval(call, parent.frame())
}

formula.burndid <- function(x, ...) {
  if (is.null(x$call$fml)) stop_burndid("usage", "only regressions by feols, fepois and feglm have a formula")
  stats::as.formula(eval(x$call$fml))
}

nobs.burndid <- function(object, ...) {
  rows <- object$document$about$n_rows
  if (is.null(rows)) NA_integer_ else rows
}

as.data.frame.burndid <- function(x, row.names = NULL, optional = FALSE, ...) table_of(x)

tidy.burndid <- function(x, conf.int = TRUE, conf.level = NULL, ...) {
  given <- list(...)
  if (asks_covariance(given)) x <- do.call(with_covariance, c(list(x, parent.frame()), given))
  rows <- intervals_of(x, conf.level)
  if (!conf.int) rows <- rows[setdiff(names(rows), c("conf.low", "conf.high", "point.conf.low", "point.conf.high"))]
  rows
}

glance.burndid <- function(x, ...) {
  given <- list(...)
  if (asks_covariance(given)) x <- do.call(with_covariance, c(list(x, parent.frame()), given))
  glance_of(x)
}

# Tables of other packages pass on what is theirs.
asks_covariance <- function(given) any(names(given) %in% c("vcov", "cluster", "se", "ssc"))

glance_of <- function(x) {
  about <- x$document$about
  facts <- list(nobs = about$n_rows, n.units = about$n_units, n.clusters = about$n_clusters, r.squared = about$r2,
                adj.r.squared = about$r2_adjusted, within.r.squared = about$r2_within, sigma = about$sigma, logLik = about$log_likelihood,
                statistic = about$f_stat, wald = about$wald_stat, wald.p.value = about$wald_p_value, control.group = about$control_group,
                est.method = about$method, base.period = about$base_period, vcov.type = about$vcov, alpha = about$alpha,
                breakdown = about$breakdown)
  facts <- facts[vapply(facts, function(fact) length(fact) == 1L && !is.na(fact), NA)]
  as.data.frame(facts, stringsAsFactors = FALSE)
}

.onLoad <- function(libname, pkgname) {
  register <- function(...) {
    for (generic in c("tidy", "glance")) {
      registerS3method(generic, "burndid", get(paste0(generic, ".burndid")), envir = asNamespace("generics"))
    }
  }
  # The generics may be loaded before this package or after it, or never.
  if (isNamespaceLoaded("generics")) register() else setHook(packageEvent("generics", "onLoad"), register)
}
