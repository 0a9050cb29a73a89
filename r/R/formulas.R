# What fixest's formulas have beside those of the program: several outcomes and sets of regressors, functions that R evaluates, and sunab.

# Functions that the program knows, and those of which R's value would be another thing.
known_to_program <- c("+", "-", ":", "*", "^", "(", "I", "C", "factor", "i", "log", "log2", "log10", "log1p", "exp", "sqrt", "abs", "/", "|")
never_evaluated <- c("offset", "lag", "lead", "l", "f", "d", "sunab", "s", "sw", "sw0", "csw", "csw0", "mvsw", "c", "[", "..", ".", "~", "%in%", "bin", "ref", "[[")

steps <- c("sw", "sw0", "csw", "csw0", "mvsw")

# Several formulas of one, in the order of outcomes, fixed effects and regressors.
formulas_of <- function(formula) {
  if (!inherits(formula, "formula") || length(formula) != 3L) return(list(formula))
  outcomes <- formula[[2L]]
  outcomes <- if (is.call(outcomes) && identical(outcomes[[1L]], quote(c))) as.list(outcomes)[-1L] else list(outcomes)
  right <- formula[[3L]]
  has_bar <- is.call(right) && identical(right[[1L]], quote(`|`))
  # After a second bar are instruments, which the program refuses.
  lefts <- expanded(if (has_bar) right[[2L]] else right)
  rights <- if (has_bar) expanded(right[[3L]]) else list(NULL)
  if (length(outcomes) * length(lefts) * length(rights) == 1L) return(list(formula))
  made <- list()
  for (outcome in outcomes) for (fixed in rights) for (left in lefts) {
    side <- if (is.null(left)) 1 else left
    if (!is.null(fixed)) side <- call("|", side, fixed)
    made <- c(made, list(stats::as.formula(call("~", outcome, side), environment(formula))))
  }
  made
}

# The sums that stepwise functions stand for; NULL is none.
expanded <- function(expression) {
  if (!is.call(expression)) return(list(expression))
  name <- if (is.name(expression[[1L]])) as.character(expression[[1L]]) else ""
  if (name %in% steps) {
    terms <- as.list(expression)[-1L]
    together <- function(several) Reduce(function(a, b) call("+", a, b), several)
    cumulated <- lapply(seq_along(terms), function(n) together(terms[seq_len(n)]))
    return(switch(name, sw = terms, sw0 = c(list(NULL), terms), csw = cumulated, csw0 = c(list(NULL), cumulated),
                  mvsw = c(list(NULL), unlist(lapply(seq_along(terms), function(n) utils::combn(terms, n, together, simplify = FALSE))))))
  }
  if (name != "+" || length(expression) != 3L) return(list(expression))
  made <- list()
  for (b in expanded(expression[[3L]])) for (a in expanded(expression[[2L]])) {
    made <- c(made, list(if (is.null(a)) b else if (is.null(b)) a else call("+", a, b)))
  }
  made
}

# Terms that only R can evaluate become columns of the data, with the terms' names.
evaluated <- function(formula, data) {
  if (!inherits(formula, "formula") || length(formula) != 3L || !is.data.frame(data)) return(list(formula = formula, data = data))
  place <- environment(formula)
  fresh <- list()
  has_constant <- !any(grepl("(^|[~+(]) *0 *($|[+|)])|- *1", formula_text(formula[-2L])))
  as_column <- function(expression, alone) {
    value <- tryCatch(eval(expression, data, place), error = function(e) NULL)
    label <- paste(deparse(expression, width.cutoff = 500L), collapse = "")
    if (is.null(value) || !is.atomic(value) || NROW(value) != nrow(data) || length(dim(value)) > 2L) return(expression)
    if (is.matrix(value) && ncol(value) > 1L) {
      if (!alone) return(expression)
      labels <- paste0(label, if (is.null(colnames(value))) seq_len(ncol(value)) else colnames(value))
      for (j in seq_along(labels)) fresh[[labels[j]]] <<- as.vector(value[, j])
      return(Reduce(function(a, b) call("+", a, b), lapply(labels, as.name)))
    }
    if (is.matrix(value)) value <- as.vector(value)
    # R's first level is the base, which is not the first by its text.
    if (is.factor(value) && alone && has_constant) {
      used <- levels(value)[levels(value) %in% value]
      if (length(used) < 2L) return(expression)
      labels <- paste0(label, used[-1L])
      for (j in seq_along(labels)) fresh[[labels[j]]] <<- as.integer(value == used[j + 1L])
      return(Reduce(function(a, b) call("+", a, b), lapply(labels, as.name)))
    }
    fresh[[label]] <<- if (is.logical(value)) as.integer(value) else value
    as.name(label)
  }
  walk <- function(expression, alone) {
    if (!is.call(expression)) return(expression)
    if (is.call(expression[[1L]]) && identical(expression[[1L]][[1L]], quote(`::`))) return(as_column(expression, alone))
    if (!is.name(expression[[1L]])) return(expression)
    name <- as.character(expression[[1L]])
    if (name %in% never_evaluated) return(expression)
    if (!name %in% known_to_program) return(as_column(expression, alone))
    if (name %in% c("+", "-")) for (j in seq_along(expression)[-1L]) expression[[j]] <- walk(expression[[j]], alone)
    if (name %in% c(":", "*", "(")) for (j in seq_along(expression)[-1L]) expression[[j]] <- walk(expression[[j]], FALSE)
    # Arithmetic and functions of arithmetic are the program's where it knows all of them.
    if (name %in% c("I", "log", "log2", "log10", "log1p", "exp", "sqrt", "abs") && !all(calls_in(expression) %in% known_to_program)) {
      if (!any(calls_in(expression) %in% never_evaluated)) return(as_column(expression, alone))
    }
    expression
  }
  outcome <- formula[[2L]]
  if (is.call(outcome) && !all(calls_in(outcome) %in% known_to_program) && !any(calls_in(outcome) %in% never_evaluated)) outcome <- as_column(outcome, FALSE)
  right <- formula[[3L]]
  if (is.call(right) && identical(right[[1L]], quote(`|`))) right[[2L]] <- walk(right[[2L]], TRUE) else right <- walk(right, TRUE)
  if (!length(fresh)) return(list(formula = formula, data = data))
  data <- as.data.frame(data)
  for (name in names(fresh)) data[[name]] <- fresh[[name]]
  list(formula = stats::as.formula(call("~", outcome, right), place), data = data)
}

# References of i() that are no numbers: Inf stands for units without event time, FALSE for 0.
plain_references <- function(formula, data) {
  if (!inherits(formula, "formula") || !is.data.frame(data)) return(list(formula = formula, data = data))
  walk <- function(expression) {
    if (!is.call(expression)) return(expression)
    if (!identical(expression[[1L]], quote(i)) || !is.name(expression[[2L]]) || !as.character(expression[[2L]]) %in% names(data)) {
      for (j in seq_along(expression)[-1L]) if (!is.null(expression[[j]])) expression[[j]] <- walk(expression[[j]])
      return(expression)
    }
    name <- as.character(expression[[2L]])
    for (word in intersect(c("ref", "keep"), names(expression))) {
      wanted <- tryCatch(eval(expression[[word]], environment(formula)), error = function(e) NULL)
      if (is.logical(wanted) && !anyNA(wanted) && (is.logical(data[[name]]) || is.numeric(data[[name]]))) {
        data[[name]] <<- as.numeric(data[[name]])
        expression[[word]] <- as.numeric(wanted)
      }
      if (is.numeric(wanted) && is.numeric(data[[name]]) && any(is.infinite(wanted))) {
        values <- data[[name]]
        far <- ceiling(max(abs(values[is.finite(values)]), 0)) + 1000
        data[[name]][is.infinite(values)] <<- sign(values[is.infinite(values)]) * far
        wanted[is.infinite(wanted)] <- sign(wanted[is.infinite(wanted)]) * far
        expression[[word]] <- if (length(wanted) == 1L) wanted else as.call(c(list(quote(c)), as.list(wanted)))
      }
    }
    expression
  }
  data <- as.data.frame(data)
  formula[[length(formula)]] <- walk(formula[[length(formula)]])
  list(formula = formula, data = data)
}

# The period of first treatment, from a treatment of zeros and ones that does not end; NULL for another.
first_of_treatment <- function(data, idname, tname, treatment) {
  given <- data[[treatment]]
  time <- data[[tname]]
  if (!is.numeric(time) || !(is.numeric(given) || is.logical(given)) || !all(is.na(given) | given %in% 0:1)) return(NULL)
  treated <- !is.na(given) & given == 1
  units <- match(data[[idname]], unique(data[[idname]]))
  first <- rep(Inf, max(units))
  lowest <- tapply(time[treated], units[treated], min)
  first[as.integer(names(lowest))] <- lowest
  first <- first[units]
  if (any(!is.na(given) & !is.na(time) & treated != (time >= first))) return(NULL)
  first
}

# Data with that period as a column, which takes the place of another of its name.
with_first <- function(data, idname, tname, treatment, hint, name = "first_treated_period") {
  if (!is.data.frame(data)) stop_burndid("usage", "a treatment in place of `gname` needs a data frame", hint)
  check_columns(c(idname, tname, treatment), data)
  first <- first_of_treatment(as.data.frame(data), idname, tname, treatment)
  if (is.null(first)) stop_burndid("usage", paste0("`", treatment, "` is no treatment of zeros and ones that begins once and does not end, by numbers of periods `", tname, "`"), hint)
  data <- as.data.frame(data)
  data[[name]] <- first
  data
}

calls_in <- function(expression) {
  if (!is.call(expression)) return(character())
  c(if (is.name(expression[[1L]])) as.character(expression[[1L]]) else "", unlist(lapply(as.list(expression)[-1L], calls_in)))
}

# y ~ x + sunab(cohort, period) | unit + period + others, as a call of sunab; NULL without it.
sunab_of <- function(formula, data, vcov, weights, cluster, call, ...) {
  if (!inherits(formula, "formula") || !"sunab" %in% all.names(formula)) return(NULL)
  right <- formula[[3L]]
  if (!is.call(right) || !identical(right[[1L]], quote(`|`))) stop_burndid("usage", "sunab() in a formula needs the unit and the period after a bar", "as in y ~ sunab(cohort, period) | unit + period")
  terms <- cluster_terms(stats::as.formula(base::call("~", right[[2L]])))
  is_study <- vapply(terms, function(term) is.call(term) && identical(term[[1L]], quote(sunab)), NA)
  if (sum(is_study) != 1L) stop_burndid("usage", "sunab() must stand alone in the formula, as y ~ x + sunab(cohort, period) | unit + period")
  study <- as.list(match.call(function(cohort, period, ref.c = NULL, ref.p = -1, bin, bin.rel, bin.c, bin.p, att = FALSE, no_agg = FALSE) NULL, terms[is_study][[1L]]))[-1L]
  wrong <- setdiff(names(study), c("cohort", "period", "ref.p", "att"))
  if (length(wrong)) stop_burndid("usage", paste0("sunab() takes no `", wrong[1L], "` here"), if (wrong[1L] == "no_agg") "as.data.frame of the fit has event times only")
  fixed <- vapply(cluster_terms(stats::as.formula(base::call("~", right[[3L]]))), deparse, "", backtick = FALSE)
  time <- deparse(study$period, backtick = FALSE)
  units <- setdiff(fixed, time)
  if (!time %in% fixed || !length(units)) stop_burndid("usage", "sunab() in a formula needs the unit and the period after a bar", "as in y ~ sunab(cohort, period) | unit + period")
  others <- terms[!is_study]
  covariates <- if (length(others)) stats::as.formula(base::call("~", Reduce(function(a, b) base::call("+", a, b), others)))
  cohort <- deparse(study$cohort, backtick = FALSE)
  reference <- if (is.null(study$ref.p)) -1 else eval(study$ref.p, environment(formula))
  if (!is.null(reference) && any(reference %in% c(".F", ".L"))) stop_burndid("usage", "`ref.p` must be event times")
  fit <- sunab(deparse(formula[[2L]], backtick = FALSE), time, units[1L], cohort, data, xformla = covariates, ref.p = reference,
               absorb = if (length(units) > 1L) gsub(" ", "", units[-1L], fixed = TRUE), vcov = vcov, cluster = cluster, weightsname = weights, ...)
  fit$call <- call
  fit
}

# Several fits of one call.
several <- function(fits, names) structure(list(fits = setNames(fits, names)), class = "burndid_several")

print.burndid_several <- function(x, ...) {
  print(do.call(etable, c(list(x$fits), list(...))))
  invisible(x)
}

# The table with another covariance.
summary.burndid_several <- function(object, ...) {
  place <- parent.frame()
  object <- unclass(object)
  several(lapply(object$fits, with_covariance, place, ...), names(object$fits))
}

`[[.burndid_several` <- function(x, i) unclass(x)$fits[[i]]

length.burndid_several <- function(x) length(unclass(x)$fits)

coef.burndid_several <- function(object, ...) {
  estimates <- lapply(object$fits, coef)
  terms <- unique(unlist(lapply(estimates, names)))
  data.frame(id = seq_along(estimates), model = names(estimates), do.call(rbind, lapply(estimates, function(of) of[terms])), row.names = NULL) |>
    setNames(c("id", "model", terms))
}

as.data.frame.burndid_several <- function(x, row.names = NULL, optional = FALSE, ...) {
  tables <- lapply(names(x$fits), function(name) cbind(model = name, table_of(x$fits[[name]])))
  do.call(rbind, tables)
}

# fixest's words for parts of a table of coefficients.
coeftable <- function(object, ...) {
  object <- with_covariance(object, parent.frame(), ...)
  rows <- table_of(object)
  matrix(c(rows$estimate, rows$std.error, rows$statistic, rows$p.value), ncol = 4L,
         dimnames = list(rows$term, c("Estimate", "Std. Error", if (is.na(number(object$document$about$df_t))) "z value" else "t value", "Pr(>|t|)")))
}

se <- function(object, ...) coef_of(with_covariance(object, parent.frame(), ...), "std.error")
tstat <- function(object, ...) coef_of(with_covariance(object, parent.frame(), ...), "statistic")
pvalue <- function(object, ...) coef_of(with_covariance(object, parent.frame(), ...), "p.value")

coef_of <- function(object, column) {
  check_class(object, "burndid", "this package")
  rows <- table_of(object)
  setNames(rows[[column]], rows$term)
}

coefplot <- function(object, ...) {
  check_class(object, "burndid", "this package")
  invisible(plot(object, ...))
}

# The coefficients of the first i() of a regression.
iplot <- function(object, ...) {
  check_class(object, "burndid_feols", "feols, fepois or feglm")
  terms <- table_of(object)$term
  first <- sub("::.*$", "", grep("::", terms, value = TRUE, fixed = TRUE)[1L])
  if (is.na(first)) stop_burndid("usage", "the regression has no i()", "coefplot draws all coefficients")
  rows <- object$document$coefficients
  object$document$coefficients <- rows[startsWith(rows$term, paste0(first, "::")), ]
  object$title <- first
  invisible(plot(object, ...))
}

# Another covariance of a regression is another fit of the same call.
with_covariance <- function(object, place, ...) {
  given <- list(...)
  if (!length(given)) return(object)
  if (is.null(names(given)) || any(!nzchar(names(given)))) {
    # fixest takes the covariance by its place, too.
    if (length(given) == 1L && inherits(object, c("burndid_feols", "burndid_sunab"))) names(given) <- "vcov"
    else stop_burndid("usage", "an argument has no name", "write it as name = value")
  }
  wrong <- setdiff(names(given), c("vcov", "cluster", "se", "ssc"))
  if (length(wrong)) {
    stop_burndid("usage", paste0("`", wrong[1L], "` is no argument of a result of ", sub("^burndid_", "", class(object)[1L])),
                 if (wrong[1L] == "agg") "sunab has averages by event time, and overall.att")
  }
  if (!inherits(object, c("burndid_feols", "burndid_sunab"))) {
    stop_burndid("usage", paste0("`", names(given)[1L], "` is for regressions"), "give clusters to the call that estimates")
  }
  call <- object$call
  call[intersect(names(call), c("vcov", "cluster", "se"))] <- NULL
  for (name in names(given)) call[[name]] <- given[[name]]
  eval(call, place)
}
