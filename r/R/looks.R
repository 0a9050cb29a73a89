# First looks at data and at what a fit makes of them: tables, and pictures of the program or of R.

describe <- function(data, tname, idname = NULL, gname, yname = NULL, xname = NULL, weightsname = NULL, clustervars = NULL,
                     anticipation = 0, file = NULL, ...) {
  arguments <- options_of(tname = tname, idname = idname, gname = gname, yname = yname, xname = xname, weightsname = weightsname,
                          clustervars = clustervars, anticipation = anticipation)
  columns <- c(tname, idname, gname, yname, columns_of(xname), weightsname, clustervars)
  look("describe", arguments, data, columns, file, "What the Data Are", match.call(), more_options(..., command = "describe"))
}

means <- function(data, yname, tname, idname = NULL, gname, weightsname = NULL, anticipation = 0, base_period = NULL, alp = 0.05,
                  file = NULL, ...) {
  arguments <- options_of(yname = yname, tname = tname, idname = idname, gname = gname, weightsname = weightsname,
                          anticipation = anticipation, `base-period` = base_period, alp = alp)
  look("means", arguments, data, c(yname, tname, idname, gname, weightsname), file, "Mean Outcomes of Cohorts", match.call(),
       more_options(..., command = "means"))
}

balance <- function(data, tname, idname = NULL, gname, yname = NULL, xname = NULL, weightsname = NULL,
                    control_group = c("nevertreated", "notyettreated"), anticipation = 0, file = NULL, ...) {
  arguments <- options_of(tname = tname, idname = idname, gname = gname, yname = yname, xname = xname, weightsname = weightsname,
                          `control-group` = one_of(control_group), anticipation = anticipation)
  columns <- c(tname, idname, gname, yname, columns_of(xname), weightsname)
  look("balance", arguments, data, columns, file, "Cohorts and Their Comparison Units before Treatment", match.call(),
       more_options(..., command = "balance"))
}

# As panelView's function: `index` is the unit and the period, and a formula names outcome, treatment and covariates.
panelview <- function(data, formula = NULL, Y = NULL, D = NULL, X = NULL, index = NULL, type = "treat", gname = NULL, tname = NULL,
                      idname = NULL, weightsname = NULL, file = NULL, main = NULL, xlab = NULL, ylab = NULL, ...) {
  if (!identical(type, "treat")) {
    stop_burndid("usage", "`type` must be \"treat\"", if (identical(type, "outcome")) "means(data, yname, tname, idname, gname) has outcomes of cohorts")
  }
  if (!is.null(formula)) {
    if (!is.null(c(Y, D, X))) stop_burndid("usage", "`formula` and one of `Y`, `D` and `X` are both given", "leave one out")
    named <- all.vars(formula)
    if (!inherits(formula, "formula") || length(formula) != 3L || (length(named) < 2L && is.null(gname))) {
      stop_burndid("usage", "`formula` must name the outcome and the treatment, as outcome ~ treatment")
    }
    Y <- named[1L]
    # With the first treated period there is no treatment to name.
    D <- if (is.null(gname)) named[2L]
    X <- setdiff(named, c(Y, D))
  }
  if (!is.null(index)) {
    if (!is.character(index) || length(index) != 2L) stop_burndid("usage", "`index` must name the unit and the period, as c(\"id\", \"year\")")
    if (!is.null(c(idname, tname))) stop_burndid("usage", "`index` and `idname` or `tname` are both given", "leave one out")
    idname <- index[1L]
    tname <- index[2L]
  }
  if (is.null(tname) || is.null(idname)) stop_burndid("usage", "`index` is missing", "index = c(\"id\", \"year\") names the unit and the period")
  if (is.null(c(D, gname))) stop_burndid("usage", "neither `D` nor `gname` is given", "name the treatment, or the first treated period")
  arguments <- options_of(tname = tname, idname = idname, gname = gname, treatment = D, yname = Y, xname = if (length(X)) X, weightsname = weightsname)
  # Rows are by cohort in any case.
  more <- more_options(..., command = "panelview", without = c("by.timing", "theme.bw", "cex.main", "cex.axis", "cex.lab", "cex.legend", "legendOff",
                                                             "gridOff", "axis.lab", "axis.lab.gap", "axis.lab.angle", "legend.labs", "background", "shade.post",
                                                             "color", "collapse.history"),
                       absent = c(ignore.treat = "", pre.post = "", by.group = by_condition, leave.gap = "", treat.type = "", outcome.type = "",
                                  id = "choose the rows of the data", show.id = "choose the rows of the data", display.all = "", show.missing = ""))
  words <- if (!is.null(file)) options_of(title = main, `x-label` = xlab, `y-label` = ylab)
  found <- look("panelview", arguments, data, c(tname, idname, gname, D, Y, X, weightsname), file, "Who Is Observed and Treated When", match.call(),
                c(more, words))
  found$labels <- list(main = main, xlab = xlab, ylab = ylab)[lengths(list(main, xlab, ylab)) > 0L]
  found
}

# How a fit weighs its comparison units.
overlap <- function(object, file = NULL, ...) {
  check_class(object, c("burndid_att_gt", "burndid_drdid"), "att_gt, ddd or drdid")
  arguments <- more_options(..., command = "overlap")
  look_at(object, "overlap", c(arguments, picture_to(file)), "Overlap of Treated and Comparison Units", match.call())
}

weighting <- function(object, group = NULL, time = NULL, file = NULL, ...) {
  check_class(object, c("burndid_att_gt", "burndid_drdid"), "att_gt, ddd or drdid")
  if (!"weighting" %in% names(object$document$result) && !grepl("\"weighting\"", object$json, fixed = TRUE)) {
    stop_burndid("usage", "the fit does not have what its weighting does", "fit again with weighting = TRUE")
  }
  arguments <- c(options_of(group = group, time = time), more_options(..., command = "weighting"))
  look_at(object, "weighting", c(arguments, picture_to(file)), "Covariates before and after Weighting", match.call())
}

picture_to <- function(file) {
  if (is.null(file)) return(NULL)
  if (!is.character(file) || length(file) != 1L) stop_burndid("usage", "`file` must be the path of a picture", "as in file = \"picture.pdf\"")
  options_of(plot = file)
}

look <- function(command, arguments, data, columns, file, title, call, more) {
  object <- estimate(command, c(arguments, picture_to(file), more), data, columns, class = "look", call = call)
  # What designs need of att_gt, as its arguments.
  given <- !is.na(object$rows$options)
  if (any(given)) {
    said <- in_r(object$rows$options[given], "att-gt", list(att_gt))
    object$rows$options[given] <- gsub("`", "", gsub("` `", ", ", said, fixed = TRUE), fixed = TRUE)
  }
  with_tables(object, title)
}

look_at <- function(object, command, arguments, title, call) {
  check_once(arguments, command)
  with_tables(with_saved(object, function(file) read_result(c(command, file, arguments), "look", call)), title)
}

# Rows of the kinds that the program prints, each without columns that are empty in it.
with_tables <- function(object, title) {
  rows <- object$rows
  kinds <- if (is.null(rows$table)) rep(object$document$kind, nrow(rows)) else rows$table
  object$tables <- lapply(split(rows, factor(kinds, unique(kinds))), function(part) {
    part <- part[setdiff(names(part)[vapply(part, function(column) !all(is.na(column)), NA)], c("table", if (!is_tested(part)) "statistic"))]
    names(part)[names(part) == "estimate"] <- estimate_name(object$document$kind, kinds[1L])
    rownames(part) <- NULL
    part
  })
  with_terms(object, intersect(c("table", "group", "time", "variable", "change", "pattern", "options"), names(rows)), title)
}

# A statistic without a p-value says nothing of interest.
is_tested <- function(rows) !is.null(rows$p_value) && any(!is.na(rows$p_value))

# What the estimate of a row is.
estimate_name <- function(kind, table) {
  switch(kind, description = "share", panel_view = "share", balance = "normalized_difference", overlap = "effective_share",
         weighting = "weighted_difference", cohort_means = "mean", "estimate")
}

table_of.burndid_look <- function(object) {
  rows <- object$rows
  about <- rows[setdiff(names(rows), c("estimate", "se", "ci_lower", "ci_upper", "p_value", "statistic"))]
  about <- about[vapply(about, function(column) !all(is.na(column)), NA)]
  names(about) <- gsub("_", ".", sub("^table$", "kind", names(about)), fixed = TRUE)
  do.call(frame_of, c(list(rows, object$terms), about))
}

print.burndid_look <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  cat("\n", title_of(x), "\n", sep = "")
  for (kind in names(x$tables)) {
    if (length(x$tables) > 1L) cat("\n", paste0(toupper(substr(kind, 1L, 1L)), gsub("_", " ", substring(kind, 2L))), ":\n", sep = "") else cat("\n")
    print(x$tables[[kind]], digits = digits, row.names = FALSE, ...)
  }
  if (identical(x$document$kind, "panel_view")) cat("\nPeriods of the patterns: ", x$document$about$periods, "\n", sep = "")
  # How the command line goes on is no help here.
  notes <- grep("^To estimate: ", x$document$notes, value = TRUE, invert = TRUE)
  if (length(notes)) cat("\n", paste0(notes, "\n"), sep = "")
  for (text in x$document$warnings) cat("Warning:", text, "\n")
  invisible(x)
}

# R's own pictures of looks; those of the program go to `file`.
plot.burndid_look <- function(x, ...) {
  draw <- switch(x$document$kind, cohort_means = draw_means, panel_view = draw_patterns, balance = , weighting = draw_differences, NULL)
  if (is.null(draw)) stop_burndid("usage", "this table has no picture in R", "`file` of the call draws the program's, as in file = \"picture.pdf\"")
  draw(x, utils::modifyList(as.list(x$labels), list(...)))
  invisible(x)
}

draw_means <- function(x, given) {
  rows <- x$tables$means
  cohorts <- unique(rows$group)
  times <- unique(rows$time)
  at <- if (is.numeric(times)) sort(times) else seq_along(times)
  values <- vapply(cohorts, function(cohort) {
    of <- rows[rows$group == cohort, ]
    of$mean[match(if (is.numeric(times)) at else times, of$time)]
  }, numeric(length(at)))
  colours <- hcl.colors(length(cohorts), "Dark 3")
  own <- list(type = "b", pch = 19, lty = 1, col = colours, xlab = "", ylab = "Mean", main = title_of(x), xaxt = "n")
  do.call(graphics::matplot, c(list(at, values), given, own[setdiff(names(own), names(given))]))
  axis(1, at, if (is.numeric(times)) at else times)
  legend("topleft", cohorts, col = colours, lty = 1, pch = 19, bty = "n")
}

draw_patterns <- function(x, given) {
  rows <- x$tables[[1L]]
  statuses <- c(".", "n", "o", "x")
  cells <- do.call(rbind, lapply(strsplit(rows$pattern, ""), function(marks) match(marks, statuses)))
  # A pattern is as high as it has units.
  heights <- c(0, cumsum(rev(rows$units)))
  periods <- strsplit(x$document$about$periods, " ", fixed = TRUE)[[1L]]
  own <- list(xlab = "", ylab = "Units", main = title_of(x), xaxt = "n", col = c("white", "#b8d5ea", "#7fb3d9", "#1f5f99"), breaks = seq(0.5, 4.5))
  do.call(graphics::image, c(list(seq_len(ncol(cells) + 1L) - 0.5, heights, t(cells[rev(seq_len(nrow(cells))), , drop = FALSE])), given,
                             own[setdiff(names(own), names(given))]))
  axis(1, seq_along(periods), periods)
  legend("bottomleft", c("no row", "never treated", "not yet treated", "treated"), fill = own$col, bg = "white")
}

draw_differences <- function(x, given) {
  rows <- x$rows
  if (!is.null(rows$table)) rows <- rows[rows$table == "balance", ]
  before <- if (is.null(rows$normalized_difference)) rows$estimate else rows$normalized_difference
  after <- if (!is.null(rows$normalized_difference)) rows$estimate
  at <- rev(seq_along(before))
  change <- if (!is.null(rows$change)) as.logical(rows$change) else FALSE
  labels <- paste0(rows$group, if (!is.null(after)) paste0(", ", rows$time), ": ", rows$variable, ifelse(change, " (change)", ""))
  own <- list(xlim = range(c(0, before, after), na.rm = TRUE, finite = TRUE), xlab = "Normalised difference", ylab = "", yaxt = "n", pch = 19,
              main = title_of(x))
  do.call(plot, c(list(before, at), given, own[setdiff(names(own), names(given))]))
  if (!is.null(after)) {
    points(after, at, pch = 1)
    legend("bottomright", c("before", "after weighting"), pch = c(19, 1), bty = "n")
  }
  axis(2, at, labels, las = 1, cex.axis = 0.7)
  abline(v = 0, lty = 2)
}
