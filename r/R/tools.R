# Tools that bring data into the shape that estimators read, and data to try them on. Frames come back, with the types that they had.

panel_first_treated <- function(data, idname, tname, dname, name = "first_treated", never_as_zero = FALSE, keep_first = FALSE,
                                missing_as_unknown = FALSE, first_observed = FALSE, frequency = NULL, ...) {
  made_by("first-treated", data, list(idname = idname, tname = tname, dname = dname, name = name, `never-as-zero` = flag(never_as_zero),
                                      `keep-first` = flag(keep_first), `missing-as-unknown` = flag(missing_as_unknown),
                                      `first-observed` = flag(first_observed), frequency = frequency), ...)
}

panel_balance <- function(data, idname, tname, rule = c("units", "periods", "largest", "fill"), gname = NULL, frequency = NULL, ...) {
  made_by("balance", data, list(idname = idname, tname = tname, rule = one_of(rule), gname = gname, frequency = frequency), ...)
}

panel_fill_gaps <- function(data, idname, tname, all_periods = FALSE, carry_constant = FALSE, frequency = NULL, ...) {
  made_by("fill-gaps", data, list(idname = idname, tname = tname, `all-periods` = flag(all_periods), `carry-constant` = flag(carry_constant),
                                  frequency = frequency), ...)
}

panel_deduplicate <- function(data, idname, tname, keep = c("equal", "first", "last", "mean"), frequency = NULL, ...) {
  made_by("deduplicate", data, list(idname = idname, tname = tname, keep = one_of(keep), frequency = frequency), ...)
}

panel_lag <- function(data, idname, tname, columns, periods = 1, frequency = NULL, ...) {
  made_by("lag", data, list(idname = idname, tname = tname, columns = columns, periods = periods, frequency = frequency), ...)
}

panel_difference <- function(data, idname, tname, columns, periods = 1, frequency = NULL, ...) {
  made_by("difference", data, list(idname = idname, tname = tname, columns = columns, periods = periods, frequency = frequency), ...)
}

panel_long_difference <- function(data, idname, tname, columns, gname = NULL, base = NULL, frequency = NULL, ...) {
  made_by("long-difference", data, list(idname = idname, tname = tname, columns = columns, gname = gname, base = base, frequency = frequency), ...)
}

panel_to_wide <- function(data, idname, tname, columns = NULL, names = "{column}_{period}", frequency = NULL, ...) {
  made_by("to-wide", data, list(idname = idname, tname = tname, columns = columns, names = names, frequency = frequency), ...)
}

panel_to_long <- function(data, columns, tname = "time", names = "{column}_{period}", keep_empty = FALSE, frequency = NULL, ...) {
  made_by("to-long", data, list(columns = columns, tname = tname, names = names, `keep-empty` = flag(keep_empty), frequency = frequency), ...)
}

# What a tool says of its work is a message.
made_by <- function(tool, data, given, ...) {
  command <- paste("panel", tool)
  given$columns <- columns_of(given$columns)
  arguments <- c(do.call(options_of, given), more_options(..., command = command))
  check_once(arguments, command)
  if (any(grepl("^--(out|format)=", arguments))) stop_burndid("usage", "`out` and `format` are what this package gives itself", "write.csv writes what a tool returns")
  out <- tempfile("burndid-", fileext = ".csv")
  on.exit(unlink(out))
  said <- with_whole_data(data, arguments, c(given$tname, given$gname, given$dname), function(path) {
    run_program(c("panel", tool, path, arguments, paste0("--out=", out)))
  })
  lines <- strsplit(said, "\n", fixed = TRUE)[[1L]]
  # That a missing value of R is an empty field of the file is no news.
  if (is.data.frame(data)) lines <- lines[!grepl("^Read as missing in .*: empty", lines)]
  if (length(lines)) message(paste(in_r(lines, c("panel", tool)), collapse = "\n"))
  if (!is.data.frame(data)) return(utils::read.csv(out, check.names = FALSE, encoding = "UTF-8", stringsAsFactors = FALSE, na.strings = ""))
  found <- utils::read.csv(out, check.names = FALSE, encoding = "UTF-8", colClasses = "character", na.strings = "")
  marked <- marked_columns(data, arguments, c(given$tname, given$gname, given$dname))
  for (name in names(found)) {
    source <- source_of(name, data, given, tool)
    like <- if (!is.na(source)) data[[source]]
    found[[name]] <- as_before(found[[name]], like, source %in% marked, tool)
  }
  found
}

# The column whose values a column of the result has: its own, or that of which it is the lag or the value in one period.
source_of <- function(name, data, given, tool) {
  if (name %in% names(data)) return(name)
  if (identical(name, given$name)) return(given$tname)
  known <- if (is.null(given$columns)) names(data) else given$columns
  # A wide frame has no column of this name, but those of its periods.
  if (tool == "to-long") {
    wide <- names(data)[startsWith(names(data), paste0(name, "_"))]
    return(if (name %in% known && length(wide)) wide[1L] else NA_character_)
  }
  if (tool %in% c("difference", "long-difference")) return(NA_character_)
  from <- known[startsWith(name, paste0(known, "_"))]
  if (length(from)) from[which.max(nchar(from))] else NA_character_
}

# In a CSV file text that looks like a number would become one: a mark before it keeps it. Conditions on rows see their columns as they are.
marked_columns <- function(data, arguments, plain) {
  if (any(startsWith(arguments, "--na="))) return(character())
  text <- names(data)[vapply(data, function(column) is.character(column) || is.factor(column), NA)]
  setdiff(text, c(plain, columns_in(grep("^--rows=", arguments, value = TRUE), names(data))))
}

with_whole_data <- function(data, arguments, plain, run) {
  if (is.character(data) && length(data) == 1L) return(run(data))
  if (!is.data.frame(data)) {
    stop_burndid("data", paste0("`data` must be a data frame or a path, got ", class(data)[1L]), "as.data.frame(data) makes a data frame")
  }
  data <- as.data.frame(data)
  if (anyDuplicated(names(data))) {
    stop_burndid("data", paste0("the data have several columns `", names(data)[anyDuplicated(names(data))], "`"), "names(data) <- make.unique(names(data)) tells them apart")
  }
  for (name in names(data)) data[[name]] <- plain_column(data[[name]], name)
  for (name in marked_columns(data, arguments, plain)) data[[name]] <- ifelse(is.na(data[[name]]), NA, paste0("'", data[[name]]))
  folder <- tempfile("burndid-")
  dir.create(folder, mode = "0700")
  on.exit(unlink(folder, recursive = TRUE))
  path <- file.path(folder, "data.csv")
  # Periods that are text are what the program makes of them.
  write_csv(data, character(), path)
  sent[[path]] <- data
  on.exit(rm(list = path, envir = sent), add = TRUE)
  run(path)
}

# Text of a file as the type that the column had.
as_before <- function(text, like, marked, tool) {
  if (is.null(like)) return(utils::type.convert(text, as.is = TRUE, na.strings = ""))
  if (marked) text <- substring(text, 2L)
  if (is.factor(like)) return(factor(text, levels(like), ordered = is.ordered(like)))
  if (is.character(like)) return(text)
  if (is.logical(like)) return(if (all(is.na(text) | text %in% c("true", "false"))) text == "true" else as.numeric(text))
  if (inherits(like, "Date")) return(as.Date(text))
  if (inherits(like, c("POSIXct", "POSIXlt"))) {
    zone <- attr(as.POSIXct(like), "tzone")
    return(as.POSIXct(strptime(sub(" ", "T", ifelse(nchar(text) == 10L, paste0(text, "T00:00:00"), text), fixed = TRUE), "%Y-%m-%dT%H:%M:%OS",
                               tz = if (is.null(zone)) "" else zone[1L])))
  }
  values <- as.numeric(text)
  if (inherits(like, "difftime")) return(as.difftime(values, units = attr(like, "units")))
  if (is.integer(like) && all(is.na(values) | values == round(values) & abs(values) < 2^31)) return(as.integer(values))
  values
}

# As fixest's function: a formula of columns and factors with data, or columns and factors themselves.
demean <- function(X, f = NULL, data = NULL, weights = NULL, tol = NULL, iter = NULL, na.rm = TRUE, as.matrix = is.atomic(X), solver = NULL, ...) {
  more <- more_options(..., command = "demean", without = c("nthreads", "notes", "fixef.reorder", "fixef.algo", "im_confident"),
                       absent = c(slope.vars = "", slope.flag = "", sparse = ""))
  if (inherits(X, "formula")) {
    if (is.data.frame(f) && is.null(data)) {
      data <- f
      f <- NULL
    }
    if (!is.data.frame(data)) stop_burndid("usage", "`data` must be a data frame, from which a formula names columns")
    if (!is.null(f)) stop_burndid("usage", "`f` is given, and a formula names the fixed effects, too", "leave it out")
    parts <- formula_of_factors(X)
    values <- as.data.frame(data)[check_columns(parts$columns, data)]
    factors <- as.data.frame(data)[check_columns(all.vars(parts$factors), data)]
    absorb <- paste(vapply(cluster_terms(parts$factors), deparse, "", backtick = FALSE), collapse = ",")
    absorb <- gsub(" ", "", absorb, fixed = TRUE)
    if (is.character(weights) || inherits(weights, "formula")) weights <- data[[check_columns(weights_name(weights), data)]]
  } else {
    values <- as.data.frame(X)
    factors <- if (is.null(f)) NULL else if (is.list(f)) as.data.frame(f) else as.data.frame(list(f))
    if (is.null(factors) || nrow(factors) != nrow(values)) stop_burndid("usage", "`f` must be the fixed effects: a vector or a list of them, with a value for each row of `X`")
    absorb <- NULL
  }
  named <- names(values)
  numbers <- vapply(values, is.numeric, NA)
  if (!all(numbers)) stop_burndid("column_type", paste0("column `", named[!numbers][1L], "` is no column of numbers"))
  if (is.null(absorb)) {
    names(factors) <- paste0("factor_", seq_along(factors))
    absorb <- paste(names(factors), collapse = ",")
  }
  names(values) <- paste0("demeaned_", seq_along(values))
  frame <- cbind(values, factors)
  if (!is.null(weights)) {
    if (!is.numeric(weights) || length(weights) != nrow(frame)) stop_burndid("usage", "`weights` must be a column, or a number for each row")
    frame$weight_of_row <- weights
  }
  arguments <- c(options_of(columns = names(values), absorb = absorb, weightsname = if (!is.null(weights)) "weight_of_row", `fixef-tol` = tol,
                            `fixef-maxiter` = iter, solver = solver), more)
  check_once(arguments, "demean")
  found <- with_data(frame, names(frame), character(), function(path) {
    out <- tempfile("burndid-", fileext = ".parquet")
    rows <- tempfile("burndid-", fileext = ".csv")
    on.exit(unlink(c(out, rows)))
    run_program(c("demean", path, arguments, paste0("--out=", out)))
    # R reads no parquet by itself: the program writes each row's columns below each other.
    run_program(c("panel", "to-long", out, "--columns=demeaned", "--keep-empty", paste0("--out=", rows)))
    long <- utils::read.csv(rows, colClasses = "numeric", na.strings = "")
    matrix(long$demeaned, ncol = length(named), byrow = TRUE, dimnames = list(NULL, named))
  })
  if (flag(na.rm)) {
    lost <- rowSums(is.na(found)) > 0L
    if (any(lost)) warn_burndid(paste(sum(lost), "rows with a missing value are left out; na.rm = FALSE keeps them"))
    found <- found[!lost, , drop = FALSE]
  }
  if (as.matrix) found else as.data.frame(found)
}

# y + x ~ firm + year, or y + x | firm + year as in the formulas of regressions.
formula_of_factors <- function(formula) {
  if (length(formula) == 3L) return(list(columns = all.vars(formula[[2L]]), factors = stats::as.formula(call("~", formula[[3L]]))))
  bar <- formula[[2L]]
  if (!is.call(bar) || !identical(bar[[1L]], quote(`|`))) stop_burndid("usage", "`X` must have columns and fixed effects, as y + x ~ firm + year")
  list(columns = all.vars(bar[[2L]]), factors = stats::as.formula(call("~", bar[[3L]])))
}

check_columns <- function(columns, data) {
  missing <- setdiff(columns, names(data))
  if (length(missing)) stop_burndid("column_not_found", paste0("column `", missing[1L], "` is not in the data"))
  columns
}

# The field's teaching data, and data whose true effects are known.
example_data <- function(name = NULL) {
  if (is.null(name)) {
    listed <- strsplit(run_program("data"), "\n", fixed = TRUE)[[1L]]
    return(data.frame(name = sub(" .*", "", listed), about = trimws(sub("^[^ ]+", "", listed))))
  }
  out <- tempfile("burndid-", fileext = ".csv")
  on.exit(unlink(out))
  run_program(c("data", as_argument(name), "--out", out))
  utils::read.csv(out, na.strings = "", encoding = "UTF-8", check.names = FALSE)
}

simulate_data <- function(estimator = "att-gt", units = 1000, seed = 0, ...) {
  estimator <- gsub("_", "-", estimator, fixed = TRUE)
  known <- c("att-gt", "pretrends", "honest", "drdid", "ddd", "cont-did", "did-multiplegt", "feols", "npiv")
  if (length(estimator) != 1L || !estimator %in% known) {
    stop_burndid("usage", paste0("`estimator` must be one of ", paste0("\"", known, "\"", collapse = ", ")))
  }
  arguments <- c(options_of(units = units, seed = seed), more_options(..., command = paste("simulate", estimator)))
  out <- tempfile("burndid-", fileext = ".csv")
  truth <- tempfile("burndid-", fileext = ".csv")
  on.exit(unlink(c(out, truth)))
  run_program(c("simulate", estimator, arguments, paste0("--out=", out), paste0("--truth=", truth)))
  data <- utils::read.csv(out, na.strings = "", encoding = "UTF-8")
  attr(data, "truth") <- utils::read.csv(truth, na.strings = "", encoding = "UTF-8")
  data
}

# A whole study as a page: of a specification in a file, or of a list with its keys.
report <- function(spec, out, date = NULL, ...) {
  arguments <- c(options_of(out = out, date = date), more_options(..., command = "report", absent = c(example = "`burn-did report --example` writes one")))
  check_once(arguments, "report")
  if (is.list(spec)) {
    folder <- tempfile("burndid-")
    dir.create(folder, mode = "0700")
    on.exit(unlink(folder, recursive = TRUE))
    if (is.data.frame(spec$data)) {
      columns <- spec$data
      for (name in names(columns)) columns[[name]] <- plain_column(columns[[name]], name)
      path <- file.path(folder, "data.csv")
      write_csv(columns, character(), path)
      sent[[path]] <- columns
      on.exit(rm(list = path, envir = sent), add = TRUE)
      spec$data <- path
    }
    file <- file.path(folder, "study.toml")
    writeLines(enc2utf8(toml_of(spec)), file, useBytes = TRUE)
    spec <- file
  }
  if (!is.character(spec) || length(spec) != 1L) stop_burndid("usage", "`spec` must be the path of a specification, or a list with its keys")
  said <- run_program(c("report", spec, arguments))
  if (nzchar(said)) message(said)
  invisible(file.path(out, "report.html"))
}

# Plain values first: after a table's head they would be its own.
toml_of <- function(given) {
  names(given) <- gsub("[_.]", "-", names(given))
  nested <- vapply(given, is.list, NA)
  value <- function(x) {
    if (inherits(x, "formula")) x <- formula_text(x)
    text <- if (is.logical(x)) tolower(as.character(x)) else if (is.numeric(x)) vapply(x, as_argument, "") else vapply(as.character(x), jsonlite::toJSON, "", auto_unbox = TRUE)
    if (length(x) == 1L) text else paste0("[", paste(text, collapse = ", "), "]")
  }
  lines <- function(part) {
    names(part) <- gsub("[_.]", "-", names(part))
    vapply(names(part), function(name) paste(name, "=", value(part[[name]])), "")
  }
  tables <- unlist(lapply(names(given)[nested], function(name) {
    part <- given[[name]]
    if (is.null(names(part))) unlist(lapply(part, function(one) c(paste0("[[", name, "]]"), lines(one)))) else c(paste0("[", name, "]"), lines(part))
  }))
  c(lines(given[!nested & lengths(given) > 0L]), tables)
}
