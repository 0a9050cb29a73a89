# A function of regressors by splines, as R's npiv has it: of vectors, or of columns that a formula names.

npiv <- function(Y, X, W = X, X.eval = NULL, data = NULL, alpha = 0.05, basis = c("tensor", "additive"), boot.num = 9999, deriv.index = 1,
                 deriv.order = 1, J.x.degree = 3, J.x.segments = NULL, K.w.degree = 4, K.w.segments = NULL, K.w.smooth = 2,
                 knots = c("uniform", "quantiles"), random.seed = 0, weightsname = NULL, ...) {
  if (length(basis) == 1L && identical(basis[1L], "glp")) stop_burndid("usage", "`basis` must be \"tensor\" or \"additive\"", "burn-did has no generalised polynomials")
  more <- more_options(..., command = "npiv", without = c("progress", "check.is.fullrank", "chol.pivot", "lambda"),
                       absent = c(X.grid = "", grid.num = "", X.min = "", X.max = "", W.min = "", W.max = "", ucb.h = "", ucb.deriv = "",
                                  newdata = "`X.eval` has the points", na.action = "rows with a missing value are left out"))
  # Where both segments are given there is nothing to choose.
  columns <- regression_columns(Y, X, if (missing(W)) NULL else W, data, missing(X))
  arguments <- c(options_of(yname = columns$y, xname = columns$x, wname = if (length(columns$w)) columns$w, weightsname = weightsname,
                            basis = one_of(basis), knots = one_of(knots), `j-x-degree` = J.x.degree, `j-x-segments` = J.x.segments,
                            `k-w-degree` = K.w.degree, `k-w-segments` = K.w.segments, `k-w-smooth` = K.w.smooth,
                            `x-eval` = points_of(X.eval), `deriv-index` = deriv.index, `deriv-order` = deriv.order, biters = boot.num, seed = random.seed,
                            alp = alpha), more)
  object <- estimate("npiv", arguments, columns$data, c(columns$y, columns$x, columns$w, weightsname), class = "npiv", call = match.call())
  object$title <- "A Function by Splines"
  document <- object$document
  about <- document$about
  part <- function(table, name) number(document[[table]][[name]])
  # Names of R's npiv.
  with_fields(object, h = part("function", "estimate"), fitted = part("function", "estimate"), asy.se = part("function", "se"),
              h.lower = part("function", "band_lower"), h.upper = part("function", "band_upper"), deriv = part("derivative", "estimate"),
              deriv.asy.se = part("derivative", "se"), h.lower.deriv = part("derivative", "band_lower"),
              h.upper.deriv = part("derivative", "band_upper"), cv = number(about$critical_value), cv.deriv = number(about$critical_value_derivative),
              beta = number(document$result$coefficients), J.x.segments = about$x_segments, K.w.segments = about$w_segments,
              J.x.degree = J.x.degree, K.w.degree = K.w.degree, deriv.index = deriv.index, deriv.order = deriv.order)
}

# Names of columns and the data that have them.
regression_columns <- function(Y, X, W, data, by_formula) {
  if (inherits(Y, "formula")) {
    if (!by_formula && is.data.frame(X) && is.null(data)) data <- X
    if (is.null(data)) stop_burndid("usage", "`data` is missing, whose columns the formula names")
    text <- strsplit(formula_text(Y[[3L]]), "|", fixed = TRUE)[[1L]]
    return(list(y = all.vars(Y[[2L]]), x = variables(text[1L]), w = if (length(text) > 1L) variables(text[2L]), data = data))
  }
  if (by_formula) stop_burndid("usage", "`X` is missing", "name columns, give vectors, or a formula y ~ x | w")
  if (is.character(Y) && !is.null(data)) return(list(y = Y, x = columns_of(X), w = columns_of(W), data = data))
  if (is.character(Y)) stop_burndid("usage", "`data` is missing, whose columns `Y` and `X` name")
  many <- function(values, letter) {
    values <- as.data.frame(values)
    setNames(values, paste0(letter, seq_along(values)))
  }
  x <- many(X, "x")
  w <- if (!is.null(W)) many(W, "w")
  frame <- data.frame(y = as.vector(Y), x)
  if (!is.null(w)) frame <- cbind(frame, w)
  list(y = "y", x = names(x), w = names(w), data = frame)
}

points_of <- function(points) {
  if (is.null(points)) return(NULL)
  if (NCOL(points) > 1L) stop_burndid("usage", "`X.eval` has points of several regressors, and must have those of one", "leave it out: the function is evaluated at the observations")
  if (is.character(points)) points else as.vector(as.matrix(points))
}

table_of.burndid_npiv <- function(object) {
  rows <- object$rows
  at <- intersect(names(rows), object$document$about$regressors)
  places <- rows[setdiff(names(rows), c("table", "estimate", "se", "ci_lower", "ci_upper", "band_lower", "band_upper", "p_value", "statistic"))]
  said <- do.call(paste, c(lapply(places, signif, 6L), sep = ", "))
  do.call(frame_of, c(list(rows, paste0(rows$table, "(", said, ")"), kind = rows$table), as.list(places), bands = TRUE))
}

plot.burndid_npiv <- function(x, ..., kind = c("function", "derivative")) {
  rows <- x$rows[x$rows$table == one_of(kind), ]
  places <- setdiff(names(rows), c("table", "estimate", "se", "ci_lower", "ci_upper", "band_lower", "band_upper", "p_value", "statistic"))
  if (length(places) > 1L) stop_burndid("usage", "a picture needs one regressor", "as.data.frame(fit) has the table")
  given <- list(...)
  rows <- rows[order(rows[[places]]), ]
  at <- rows[[places]]
  own <- list(type = "l", ylim = range(c(rows$band_lower, rows$band_upper), na.rm = TRUE, finite = TRUE), xlab = places, ylab = "Estimate", main = title_of(x))
  do.call(plot, c(list(at, rows$estimate), given, own[setdiff(names(own), names(given))]))
  for (side in c("ci_lower", "ci_upper")) graphics::lines(at, rows[[side]], lty = 2)
  for (side in c("band_lower", "band_upper")) graphics::lines(at, rows[[side]], lty = 3)
  mtext(paste0(level_said(x), " intervals: uniform (dotted), pointwise (dashed)"), line = 0.3, cex = 0.8 * par("cex"))
  invisible(x)
}
