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
  if (inherits(x, "burndid_aggte")) {
    overall <- x$document$overall
    cat(sprintf("Overall: %s (standard error %s), %s%% interval from %s to %s\n\n", format(number(overall$estimate), digits = digits),
                format(number(overall$se), digits = digits), format(100 * (1 - x$document$about$alpha)),
                format(number(overall$ci_lower), digits = digits), format(number(overall$ci_upper), digits = digits)))
  }
  rows <- table_of(x)
  if (!(inherits(x, "burndid_aggte") && x$document$about$type == "simple")) {
    rows <- rows[vapply(rows, function(column) !all(is.na(column)), NA)]
    print(rows[setdiff(names(rows), "type")], digits = digits, row.names = FALSE, ...)
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
  band <- x$document$about$band
  if (!is.null(band)) cat("\nIntervals:", if (band == "pointwise") "pointwise" else "uniform", "\n")
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

confint.burndid <- function(object, parm, level = NULL, ...) {
  object <- with_covariance(object, parent.frame(), ...)
  rows <- intervals_of(object, level)
  found <- cbind(rows$conf.low, rows$conf.high)
  level <- if (is.null(level)) 1 - number(object$document$about$alpha) else level
  dimnames(found) <- list(rows$term, paste0(format(100 * c((1 - level) / 2, (1 + level) / 2), trim = TRUE), " %"))
  if (missing(parm)) found else found[parm, , drop = FALSE]
}

# Intervals at the level of the fit are those of the program, uniform where it made them so; at other levels they are pointwise.
intervals_of <- function(object, level = NULL) {
  rows <- table_of(object)
  about <- object$document$about
  if (is.null(level) || isTRUE(all.equal(level, 1 - number(about$alpha)))) return(rows)
  if (inherits(object, "burndid_honest")) {
    stop_burndid("usage", "robust intervals have the level of their call", "call honest_did with another alpha")
  }
  freedom <- number(about$df_t)
  quantile <- if (is.na(freedom)) qnorm((1 + level) / 2) else qt((1 + level) / 2, freedom)
  rows$conf.low <- rows$estimate - quantile * rows$std.error
  rows$conf.high <- rows$estimate + quantile * rows$std.error
  rows
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
  if (!conf.int) rows <- rows[setdiff(names(rows), c("conf.low", "conf.high"))]
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

plot.burndid <- function(x, ..., group = NULL, legend = TRUE, xgap = 1, ref_line = 0) {
  given <- list(...)
  rows <- table_of(x)
  rows <- rows[!(rows$term %in% c("ATT(Average)", "ATT(simple average)")), ]
  if (!nrow(rows)) rows <- table_of(x)
  if (length(setdiff(group, rows$group))) {
    warn_burndid("some of these groups do not occur; all are drawn")
  } else if (!is.null(group)) {
    rows <- rows[rows$group %in% group, ]
  }
  by <- intersect(c("event.time", "horizon", "dose", "time", "group", "M"), names(rows))
  if (inherits(x, "burndid_effects") && length(by)) {
    # The first table that has effects by time or dose.
    rows <- rows[!is.na(rows[[by[1L]]]), ]
    rows <- rows[rows$kind %in% c(rows$kind[1L], "placebos"), ]
  }
  place <- if (length(by)) rows[[by[1L]]]
  at <- if (inherits(x, "burndid_att_gt") || !length(by)) seq_len(nrow(rows)) else if (is.numeric(place)) place else match(place, unique(place))
  ticks <- unique(at)
  # Several estimators, or levels of a moderator, stand side by side.
  side <- if (!length(by)) NULL else if (inherits(x, "burndid_emfx")) rows$level else rows$estimator
  estimators <- unique(side)
  if (length(estimators)) at <- at + 0.7 * ((match(side, estimators) - 0.5) / length(estimators) - 0.5)
  before <- if (by[1L] %in% c("event.time", "horizon")) at < 0 else if (inherits(x, "burndid_att_gt")) rows$time < rows$group else rep(FALSE, length(at))
  colours <- ifelse(before, "#d55e00", "#0072b2")
  if (length(estimators)) {
    shades <- if (length(estimators) > 9L) hcl.colors(length(estimators), "Dark 3") else palette.colors(length(estimators))
    colours <- shades[match(side, estimators)]
  }
  if (!is.null(given$col)) colours <- rep_len(given$col, length(at))
  cells <- inherits(x, "burndid_att_gt")
  # The caller's arguments are before those of this picture.
  own <- list(ylim = range(c(0, rows$conf.low, rows$conf.high, rows$estimate), na.rm = TRUE, finite = TRUE),
              xlab = if (cells) "group, time" else if (length(by)) by[1L] else "", ylab = "Estimate", xaxt = "n", pch = 19, col = colours,
              main = title_of(x))
  do.call(plot, c(list(at, rows$estimate), given, own[setdiff(names(own), names(given))]))
  if (length(estimators) && legend) graphics::legend("bottomleft", estimators, col = colours[match(estimators, side)], pch = 19, bty = "n")
  labels <- if (cells) paste0(rows$group, ", ", rows$time) else if (!length(by)) rows$term else if (is.numeric(place)) signif(place, 5L) else place
  if (length(estimators)) labels <- unique(if (is.numeric(place)) signif(place, 5L) else place)
  if (!length(estimators)) ticks <- at
  shown <- seq(1L, length(ticks), by = xgap)
  if (is.null(given$xaxt)) axis(1, ticks[shown], labels[shown], las = if (cells) 2L else 0L)
  if (!is.null(ref_line)) abline(h = ref_line, lty = 2)
  segments(at, rows$conf.low, at, rows$conf.high, col = colours)
  invisible(x)
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
