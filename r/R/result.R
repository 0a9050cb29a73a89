# Results: the document that the program writes, as an object of R.

# Runs an estimating command on data, and reads the result that it saves.
estimate <- function(command, arguments, data, columns, regressors = character(), class, call) {
  check_once(arguments, command)
  # Columns may be named by a formula.
  columns <- unlist(lapply(columns, function(named) if (is.language(named)) all.vars(named) else named))
  if (is.data.frame(data)) {
    # Options of `...` name columns, too, as do conditions on rows.
    columns <- c(columns, columns_in(arguments, names(data)))
    regressors <- c(regressors, columns_in(grep("^--(xformla|xname|second-stage|vary)=", arguments, value = TRUE), names(data)))
  }
  with_data(data, columns, regressors, function(path) read_result(c(command, path, arguments), class, call))
}

# The columns of the data that options name, alone or within conditions and formulas.
columns_in <- function(arguments, columns) {
  values <- sub("^--[A-Za-z-]+=", "", grep("^--[A-Za-z-]+=", arguments, value = TRUE))
  names <- setdiff(unique(columns), "")
  names[vapply(names, function(name) {
    word <- paste0("(?<![[:alnum:]_.])\\Q", name, "\\E(?![[:alnum:]_.])")
    any(grepl(word, values, perl = TRUE))
  }, NA)]
}

read_result <- function(args, class, call) {
  file <- tempfile("burndid-", fileext = ".json")
  on.exit(unlink(file))
  printed <- run_program(c(args, paste0("--save=", file), "--format=csv"))
  text <- paste(readLines(file, warn = FALSE, encoding = "UTF-8"), collapse = "\n")
  document <- jsonlite::fromJSON(text)
  for (said in c("notes", "warnings")) if (length(document[[said]])) document[[said]] <- in_r(document[[said]], args)
  structure(list(call = call, document = document, json = text, rows = read_rows(printed)),
            class = c(paste0("burndid_", class), "burndid"))
}

# Words stay words: a level that is called true, 01 or NA is no other value.
read_rows <- function(printed) {
  rows <- function(...) utils::read.csv(text = printed, na.strings = "", encoding = "UTF-8", stringsAsFactors = FALSE, ...)
  words <- intersect(c("level", "less_level", "term", "estimator", "first", "second", "covariate", "covariates", "sample"), names(rows(nrows = 1L)))
  rows(colClasses = setNames(rep("character", length(words)), words))
}

saved_json <- function(object, file = NULL) {
  stopifnot(inherits(object, "burndid"))
  if (is.null(file)) return(object$json)
  writeLines(object$json, file, useBytes = TRUE)
  invisible(file)
}

# Gives a command the file of a result.
with_saved <- function(object, run) {
  file <- tempfile("burndid-", fileext = ".json")
  on.exit(unlink(file))
  saved_json(object, file)
  run(file)
}

number <- function(x) if (is.null(x)) NA_real_ else suppressWarnings(as.numeric(x))

# The fields that R's own results have, from the document.
with_fields <- function(object, ...) {
  fields <- list(...)
  object[names(fields)] <- fields
  object
}

# The table of estimates with names of terms.
table_of <- function(object) UseMethod("table_of")

# As in did, `conf.low` and `conf.high` are the uniform band where there is one, and `point.conf.low` and `point.conf.high` the pointwise
# interval. Kinds of results that never have a band have no `point.conf` columns.
frame_of <- function(table, term, ..., bands = !is.null(table[["band_lower"]])) {
  column <- function(name) if (is.null(table[[name]])) rep(NA_real_, nrow(table)) else number(table[[name]])
  frame <- data.frame(term = term, ..., estimate = column("estimate"), std.error = column("se"), statistic = column("statistic"),
                      p.value = column("p_value"), conf.low = column("ci_lower"), conf.high = column("ci_upper"), stringsAsFactors = FALSE)
  if (bands) with_band(frame, column("band_lower"), column("band_upper")) else frame
}

table_of.burndid_att_gt <- function(object) {
  cells <- object$document$cells
  frame_of(cells, paste0("ATT(", cells$group, ",", cells$time, ")"), group = cells$group, time = cells$time, bands = TRUE)
}

table_of.burndid_aggte <- function(object) {
  document <- object$document
  overall <- frame_of(as.data.frame(lapply(document$overall[c("estimate", "se", "statistic", "p_value", "ci_lower", "ci_upper")], number)),
                      "ATT(simple average)", at = NA, bands = TRUE)
  type <- document$about$type
  if (type == "simple") return(overall[setdiff(names(overall), "at")])
  rows <- document$rows
  at <- rows[[switch(type, dynamic = "event_time", group = "group", calendar = "time")]]
  frame <- frame_of(rows, paste0("ATT(", at, ")"), at = at, bands = TRUE)
  overall$term <- "ATT(Average)"
  if (type == "group") frame <- rbind(overall, frame)
  names(frame)[2L] <- switch(type, dynamic = "event.time", group = "group", calendar = "time")
  cbind(type = type, frame)
}

table_of.burndid_drdid <- function(object) {
  frame_of(as.data.frame(lapply(object$document$effect[c("estimate", "se", "statistic", "p_value", "ci_lower", "ci_upper")], number)), "ATT")
}

table_of.burndid_feols <- function(object) {
  rows <- object$document$coefficients
  # With fixed effects alone there is no coefficient.
  if (!is.data.frame(rows)) rows <- data.frame(term = character())
  frame_of(rows, rows$term)
}

table_of.burndid_sunab <- function(object) {
  rows <- object$document$rows
  rows <- rows[rows$status != "reference", ]
  frame_of(rows, paste0(object$period, "::", rows$event_time), event.time = rows$event_time)
}

table_of.burndid_bacon <- function(object) {
  frame_of(as.data.frame(lapply(object$document$coefficient[c("estimate", "se", "statistic", "p_value", "ci_lower", "ci_upper")], number)),
           object$document$coefficient$term)
}

table_of.burndid_twfe_weights <- table_of.burndid_bacon

table_of.burndid_pretrends <- function(object) {
  power <- object$document$power
  frame_of(power, power$alternative, slope = number(power$slope), bayes.factor = number(power$bayes_factor),
           likelihood.ratio = number(power$likelihood_ratio))
}

table_of.burndid_effects <- function(object) {
  rows <- object$rows
  # Columns that say which effect a row is, where they say anything, in the words of the other results.
  known <- c("table", "kind", "estimator", "parameter", "event_time", "horizon", "group", "time", "cohort", "dose", "level", "less_level",
             "covariate", "effect", "control_group", "base_period", "est_method", "anticipation", "covariates", "sample", "status", "reason")
  known <- known[vapply(known, function(name) !is.null(rows[[name]]) && !all(is.na(rows[[name]])), NA)]
  about <- rows[known]
  names(about) <- sub("_", ".", sub("^table$", "kind", names(about)))
  bands <- object$document$kind %in% c("cont_did", "joint_study", "specification_curve")
  do.call(frame_of, c(list(rows, object$terms), about, bands = bands))
}

table_of.burndid_honest <- function(object) {
  document <- object$document
  rows <- document$intervals
  data.frame(term = paste0(document$about$delta, " M=", signif(rows$m, 6L)), M = rows$m, estimate = NA_real_, std.error = NA_real_,
             statistic = NA_real_, p.value = NA_real_, conf.low = number(rows$ci_lower), conf.high = number(rows$ci_upper),
             open = rows$open, stringsAsFactors = FALSE)
}

# Covariances as a matrix, with NA for what has none.
matrix_of <- function(values, terms) {
  if (is.null(values)) return(NULL)
  if (is.list(values)) values <- do.call(rbind, lapply(values, number))
  storage.mode(values) <- "double"
  if (nrow(values) != length(terms)) return(NULL)
  dimnames(values) <- list(terms, terms)
  values
}
