# R's own pictures of results; those of the program go to `file` of ggdid.

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
  # Bands are thin strokes behind the pointwise intervals.
  if (any(uniform_rows(rows))) {
    segments(at, rows$point.conf.low, at, rows$point.conf.high, col = colours, lwd = 3)
    mtext(paste0(level_said(x), " intervals: uniform (thin), pointwise (thick)"), line = 0.3, cex = 0.8 * par("cex"))
  }
  invisible(x)
}
