# Extended two-way fixed effects, and the averages of R's emfx.

etwfe <- function(data, yname, tvar, gvar, ivar = NULL, xname = NULL, xvar = NULL, cgroup = c("notyet", "never"),
                  family = c("gaussian", "poisson", "logit", "probit"), weightsname = NULL, vcov = NULL, cluster = NULL, alp = 0.05,
                  fe = NULL, tref = NULL, gref = NULL, ...) {
  # The names of columns that R's own call has without quotes are not looked up.
  said <- sys.call()
  if (names_formula(said) || inherits(data, "formula")) return(etwfe_of_formula(said, parent.frame()))
  if (!is.null(tref)) stop_absent("tref", "the first period is the reference")
  if (!is.null(gref)) stop_absent("gref", "the never treated are the reference, or the last cohort where there are none")
  family <- family_name(family)
  clusters <- clusters_of(vcov, cluster)
  arguments <- c(options_of(yname = yname, tname = tvar, gname = gvar, idname = ivar, xname = xname, xvar = xvar,
                            cgroup = paste0(one_of(cgroup), "treated"), family = one_of(family), absorb = absorbed_by(fe),
                            weightsname = weightsname, vcov = covariance(clusters), alp = alp),
                 more_options(..., command = "etwfe", without = c("nthreads", "lean", "mem.clean", "notes", "warn", "verbose"),
                              absent = c(absent_of_fixest, split = by_condition, fsplit = by_condition, fixef = "`fe` and `ivar` say which")))
  columns <- c(yname, tvar, gvar, ivar, columns_of(xname), xvar, weightsname, unlist(lapply(clusters$terms, all.vars)))
  if (is.data.frame(data) && length(xvar) == 1L && is.factor(data[[xvar]])) data[[xvar]] <- levels_as_text(data[[xvar]], xvar)
  object <- estimate("etwfe", arguments, data, columns, c(columns_of(xname), xvar), "effects", match.call())
  rows <- object$rows
  object$rows$contrast <- if (!is.null(rows$level)) ifelse(is.na(rows$less_level), rows$level, paste(rows$level, "-", rows$less_level))
  with_terms(object, c("table", "event_time", "group", "time", "contrast"), "Extended Two-Way Fixed Effects")
}

names_formula <- function(said) {
  parts <- as.list(said)[-1L]
  words <- if (is.null(names(parts))) rep("", length(parts)) else names(parts)
  any(words == "fml" | !nzchar(words) & vapply(parts, function(part) is.call(part) && identical(part[[1L]], quote(`~`)), NA))
}

# As R's function: outcome ~ covariates, and columns without quotes.
etwfe_of_formula <- function(said, place) {
  matched <- as.list(match.call(function(fml, tvar, gvar, data, ivar = NULL, xvar = NULL, tref = NULL, gref = NULL, cgroup = NULL, fe = NULL, family = NULL, ...) NULL, said))[-1L]
  for (name in c("fml", "tvar", "gvar", "data")) if (is.null(matched[[name]])) stop_burndid("usage", paste0("`", name, "` is missing"))
  fml <- eval(matched$fml, place)
  if (!inherits(fml, "formula") || length(fml) != 3L || !is.name(fml[[2L]]) || !all(calls_in(fml[[3L]]) %in% c("+", "("))) {
    stop_burndid("usage", "`fml` must be outcome ~ covariates, which are columns", "put what is computed into columns of the data")
  }
  for (name in intersect(c("tvar", "gvar", "ivar", "xvar"), names(matched))) {
    if (is.name(matched[[name]])) matched[[name]] <- as.character(matched[[name]])
  }
  matched$yname <- as.character(fml[[2L]])
  if (length(all.vars(fml[[3L]]))) matched$xname <- all.vars(fml[[3L]])
  matched$fml <- NULL
  fit <- do.call(etwfe, lapply(matched, function(part) eval(part, place)))
  fit$call <- said
  fit
}

# Fixed effects in the words of R's etwfe.
absorbed_by <- function(fe) {
  if (is.null(fe)) return(NULL)
  words <- c(vs = "unit", feo = "unit", none = "cohort")
  if (!is.character(fe) || length(fe) != 1L || !fe %in% names(words)) {
    stop_burndid("usage", "`fe` must be one of \"vs\", \"feo\", \"none\"")
  }
  words[[fe]]
}

# Levels are in the order of their text, and differences are from the first of them.
levels_as_text <- function(column, name) {
  used <- levels(column)[levels(column) %in% column]
  first <- sort(used, method = "radix")[1L]
  if (length(used) && first != used[1L]) {
    warn_burndid(paste0("levels of `", name, "` are ordered by their text: differences are from \"", first, "\", and not from \"", used[1L],
                        "\", the factor's first level"))
  }
  as.character(column)
}

# Tables of averages over all levels and by level of the moderator.
averages <- list(simple = c("overall", "levels"), group = c("groups", "level_groups"), calendar = c("periods", "level_periods"),
                 event = c("event_times", "level_event_times"))

emfx <- function(object, type = c("simple", "group", "calendar", "event"), by_xvar = "auto", compress = "auto", collapse = compress,
                 predict = c("response", "link"), post_only = TRUE, window = NULL, lean = FALSE, ...) {
  if (!inherits(object, "burndid_effects") || !identical(object$document$about$estimator, "etwfe")) {
    stop_burndid("usage", paste0("`object` must be a result of etwfe, got ", paste(class(object), collapse = "/")))
  }
  type <- one_of(type)
  about <- object$document$about
  # R's way to leave standard errors out for speed.
  given <- list(...)
  if (isFALSE(given$vcov)) {
    warn_unused(list(vcov = "FALSE"))
    given$vcov <- NULL
  }
  do.call(refuse_unknown, given)
  warn_unused(list(compress = if (!identical(compress, "auto")) compress, collapse = if (!identical(collapse, compress)) collapse, lean = lean))
  by_level <- has_levels(object, by_xvar)
  if (!missing(predict)) check_scale(about, one_of(predict))
  if (!missing(post_only)) check_post_only(about, type, flag(post_only))
  rows <- object$rows[object$rows$table == averages[[type]][1L + by_level], ]
  if (!is.null(window)) {
    ends <- ends_of(window, type)
    rows <- rows[rows$event_time >= -ends[1L] & rows$event_time <= ends[2L], ]
    if (!nrow(rows)) stop_burndid("usage", "`window` has no event time of the fit")
  }
  by <- switch(type, simple = NULL, group = rows$group, calendar = rows$time, event = rows$event_time)
  place <- list(level = if (by_level) rows$level, by = by)
  names(place)[2L] <- switch(type, simple = "by", group = "group", calendar = "time", event = "event.time")
  if (!all(is.na(rows$status) | rows$status == "ok")) place$status <- rows$status
  said <- if (is.null(by)) rep("", nrow(rows)) else as.character(by)
  if (by_level) said <- paste0(said, if (!is.null(by)) ", ", rows$level)
  term <- if (any(nzchar(said))) paste0("ATT(", said, ")") else "ATT"
  table <- do.call(frame_of, c(list(rows, term), place[lengths(place) > 0L]))
  sides <- c(switch(type, simple = NULL, group = "Cohort", calendar = "Period", event = "Time since Treatment"), if (by_level) about$moderator)
  object$call <- match.call()
  object$rows <- rows
  object$title <- paste0("Extended Two-Way Fixed Effects", if (length(sides)) " by ", paste(sides, collapse = " and "))
  class(object) <- c("burndid_emfx", "burndid")
  overall <- object$document$overall
  do.call(with_fields, c(list(object, type = type, table = table, overall.att = number(overall$estimate), overall.se = number(overall$se)), table[-1L]))
}

refuse_unknown <- function(...) {
  given <- list(...)
  if (!length(given)) return(invisible())
  if (is.null(names(given)) || !nzchar(names(given)[1L])) stop_burndid("usage", "an argument has no name", "write it as name = value")
  name <- names(given)[1L]
  hint <- switch(name, vcov = , cluster = , ssc = , alp = "give it to etwfe",
                 hypothesis = "as.data.frame of the fit has differences between levels, in its rows of the kind level_differences",
                 conf_level = , level = "confint(object, level = 0.9) has other intervals")
  stop_burndid("usage", paste0("emfx has no `", name, "`"), hint)
}

# Whether averages are by level of the moderator; by default where the fit has them, as in R.
has_levels <- function(object, by_xvar) {
  if (!identical(by_xvar, "auto") && !isTRUE(by_xvar) && !isFALSE(by_xvar)) stop_burndid("usage", "`by_xvar` must be \"auto\", TRUE or FALSE")
  moderator <- object$document$about$moderator
  has <- "levels" %in% object$rows$table
  if (isTRUE(by_xvar) && !has) {
    stop_burndid("usage", if (is.null(moderator)) "`by_xvar` is TRUE, and the fit has no `xvar`"
                 else paste0("`by_xvar` is TRUE, and `", moderator, "` has more than 20 levels, by which there are no averages"),
                 "call etwfe with `xvar`, a column of at most 20 levels")
  }
  if (identical(by_xvar, "auto") && !has && !is.null(moderator)) {
    warn_burndid(paste0("`", moderator, "` has more than 20 levels, by which there are no averages: these are over all of them; ",
                        "by_xvar = FALSE says so"))
  }
  has && !isFALSE(by_xvar)
}

# Effects of the linear index and of means are those of two fits; of a linear regression they are the same.
check_scale <- function(about, predict) {
  if (about$family == "gaussian" || about$scale == predict) return(invisible())
  stop_burndid("usage", paste0("`predict` is \"", predict, "\", and the fit has effects of the ", about$scale), paste0("call etwfe with scale = \"", predict, "\""))
}

# R looks at `post_only` where comparison units are the not yet treated, of which event times before treatment have no estimates.
check_post_only <- function(about, type, post_only) {
  never <- about$control_group == "never_treated"
  if (type != "event" && !post_only) {
    stop_burndid("usage", paste0("`post_only` is FALSE, and averages of the type \"", type, "\" are over treated rows"), "leave it out")
  }
  if (type == "event" && !never && !post_only) {
    stop_burndid("usage", "`post_only` is FALSE, and effects before treatment are not estimated with cgroup = \"notyet\"",
                 "call etwfe with cgroup = \"never\"")
  }
  if (type == "event" && never && post_only) {
    stop_burndid("usage", "`post_only` does not apply with cgroup = \"never\", where effects before treatment are estimates",
                 "window = c(0, Inf) leaves them out")
  }
}

# Periods before and after treatment, as R counts them.
ends_of <- function(window, type) {
  if (type != "event") {
    stop_burndid("usage", paste0("`window` is for averages by event time; those of the type \"", type, "\" are over all treated rows"),
                 "leave it out, or give type = \"event\"")
  }
  if (!is.numeric(window) || !length(window) %in% 1:2 || anyNA(window)) {
    stop_burndid("usage", "`window` must be one number or two: periods before and after treatment, as in c(2, 3)")
  }
  if (any(window < 0)) {
    stop_burndid("usage", "`window` counts periods before and after treatment, and has a negative number", "c(2, 3) is for event times from -2 to 3")
  }
  rep_len(window, 2L)
}

table_of.burndid_emfx <- function(object) object$table

# Covariances of averages by event time; those between levels are not kept.
emfx_covariance <- function(object) {
  if (object$type != "event") return(NULL)
  result <- object$document$result
  terms <- object$table$term
  all <- matrix(NA_real_, length(terms), length(terms))
  fill <- function(study, vcov, here) {
    values <- matrix_of(vcov, study$event_time)
    if (is.null(values)) return(invisible())
    kept <- match(object$rows$event_time[here], study$event_time)
    all[here, here] <<- values[kept, kept]
  }
  if (is.null(object$level)) {
    fill(result$by_event_time, result$vcov, seq_along(terms))
  } else {
    # As lists, since covariances of the same size would become one array.
    for (own in jsonlite::fromJSON(object$json, simplifyDataFrame = FALSE)$result$by_level) {
      study <- data.frame(event_time = vapply(own$by_event_time, function(of) number(of$event_time), 0))
      fill(study, own$vcov, which(object$level == own$level))
    }
  }
  all
}
