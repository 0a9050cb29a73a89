# Intervals: which a result has, in its table, and in words.

with_band <- function(frame, lower, upper) {
  frame$point.conf.low <- frame$conf.low
  frame$point.conf.high <- frame$conf.high
  has_band <- !is.na(lower) & !is.na(upper)
  frame$conf.low[has_band] <- lower[has_band]
  frame$conf.high[has_band] <- upper[has_band]
  frame
}

# The rows of a table whose interval is a uniform band, and not the pointwise one.
uniform_rows <- function(rows) {
  if (is.null(rows$point.conf.low)) return(rep(FALSE, nrow(rows)))
  !is.na(rows$conf.low) & (rows$conf.low != rows$point.conf.low | rows$conf.high != rows$point.conf.high)
}

confint.burndid <- function(object, parm, level = NULL, ...) {
  object <- with_covariance(object, parent.frame(), ...)
  rows <- intervals_of(object, level)
  found <- cbind(rows$conf.low, rows$conf.high)
  level <- if (is.null(level)) 1 - number(object$document$about$alpha) else level
  dimnames(found) <- list(rows$term, paste0(format(100 * c((1 - level) / 2, (1 + level) / 2), trim = TRUE), " %"))
  if (missing(parm)) found else found[parm, , drop = FALSE]
}

# At the level of the fit `conf.low` and `conf.high` are the uniform band where the result has one. A band of another level has another critical
# value, which is not known: intervals at other levels are pointwise, and a warning says so where the result has a band.
intervals_of <- function(object, level = NULL) {
  rows <- table_of(object)
  about <- object$document$about
  if (is.null(level) || isTRUE(all.equal(level, 1 - number(about$alpha)))) return(rows)
  if (!is.numeric(level) || length(level) != 1L || is.na(level) || level <= 0 || level >= 1) stop_burndid("usage", "the level must be a number between 0 and 1")
  if (inherits(object, "burndid_honest")) {
    stop_burndid("usage", "robust intervals have the level of their call", "call honest_did with another alpha")
  }
  if (any(uniform_rows(rows))) {
    warn_burndid(paste0("intervals at ", percent(level), " are pointwise: the uniform band of this result is at ", level_said(object),
                        ", and estimating with another level gives another"))
  }
  freedom <- number(about$df_t)
  quantile <- if (is.na(freedom)) qnorm((1 + level) / 2) else qt((1 + level) / 2, freedom)
  rows$conf.low <- rows$estimate - quantile * rows$std.error
  rows$conf.high <- rows$estimate + quantile * rows$std.error
  if (!is.null(rows$point.conf.low)) rows[c("point.conf.low", "point.conf.high")] <- rows[c("conf.low", "conf.high")]
  rows
}

percent <- function(level) paste0(format(100 * level, digits = 6L), "%")

level_said <- function(object) percent(1 - number(object$document$about$alpha))

# What the intervals of a table are, from the table itself: which are uniform, with the critical values that they have, and which pointwise.
intervals_said <- function(object, rows) {
  known <- !is.na(rows$conf.low) & !is.na(rows$conf.high)
  if (!any(known) || is.null(object$document$about$alpha) || inherits(object, c("burndid_honest", "burndid_pretrends"))) return(NULL)
  said <- paste("Intervals:", level_said(object))
  uniform <- uniform_rows(rows)
  if (!any(uniform)) return(paste(said, "pointwise"))
  parts <- if (length(unique(rows$kind)) > 1L) rows$kind else ifelse(uniform, "", rows$term)
  values <- vapply(unique(parts[uniform]), function(part) {
    these <- rows[uniform & parts == part, ]
    values <- unique(sprintf("%#.4g", (these$conf.high - these$estimate) / these$std.error))
    paste0(paste(values, collapse = ", "), if (nzchar(part)) paste0(" (", part, ")"))
  }, "")
  rest <- unique(parts[known & !uniform])
  pointwise <- paste0(ifelse(rest %in% parts[uniform], "some of ", ""), rest)
  paste0(said, " uniform, critical value", if (length(values) > 1L) "s" else "", " ", paste(values, collapse = ", "),
         if (length(pointwise)) paste0("; pointwise: ", paste(pointwise, collapse = ", ")))
}
