# Data frames as files. `arrow` writes parquet, which keeps all types. Without it the file is CSV, and a column that would come back as
# something else is an error.

# The columns of the data that are named, in a file; a path is taken as it is.
with_data <- function(data, columns, regressors, run) {
  if (is.character(data) && length(data) == 1L) return(run(data))
  if (!is.data.frame(data)) {
    stop_burndid("data", paste0("`data` must be a data frame or a path, got ", class(data)[1L]), "as.data.frame(data) makes a data frame")
  }
  data <- as.data.frame(data)
  columns <- unique(columns)
  missing <- setdiff(columns, names(data))
  # Names that are wrong are told by the program, with those that are nearly right.
  kept <- if (length(missing)) unique(names(data)) else columns
  double <- intersect(kept, names(data)[duplicated(names(data))])
  if (length(double)) {
    stop_burndid("data", paste0("the data have several columns `", double[1L], "`"), "names(data) <- make.unique(names(data)) tells them apart")
  }
  data <- data[kept]
  for (name in kept) data[[name]] <- plain_column(data[[name]], name)
  for (name in intersect(regressors, kept)) if (is.factor(data[[name]])) check_order(data[[name]], name)
  folder <- tempfile("burndid-")
  dir.create(folder, mode = "0700")
  on.exit(unlink(folder, recursive = TRUE))
  if (requireNamespace("arrow", quietly = TRUE) && !isTRUE(getOption("burndid.csv"))) {
    path <- file.path(folder, "data.parquet")
    arrow::write_parquet(data, path)
  } else {
    path <- file.path(folder, "data.csv")
    write_csv(data, intersect(regressors, kept), path)
  }
  sent[[path]] <- data
  on.exit(rm(list = path, envir = sent), add = TRUE)
  run(path)
}

# A column as a type that a file has.
plain_column <- function(column, name) {
  if (inherits(column, "integer64") && is.double(column)) return(if (isNamespaceLoaded("bit64")) column else whole_number(column, name))
  if (inherits(column, "difftime")) return(as.numeric(column))
  if (inherits(column, c("POSIXlt", "POSIXct"))) return(clock_time(column))
  if (is.factor(column) || inherits(column, "Date")) return(column)
  if (inherits(column, "haven_labelled")) return(plain_column(unclass(column), name))
  # scale(x) is a matrix.
  if (is.atomic(column) && (length(dim(column)) == 1L || identical(ncol(column), 1L))) return(plain_column(as.vector(column), name))
  if (is.numeric(column) && is.null(dim(column))) return(as.vector(column))
  if ((is.character(column) || is.logical(column)) && is.null(dim(column))) return(as.vector(column))
  stop_burndid("column_type", paste0("column `", name, "` is a ", class(column)[1L], ", which a file of data does not have"),
               "make it a vector of numbers, text, dates or a factor")
}

# Times as the clock of their own time zone shows them: the day in which they are is the one that R prints.
clock_time <- function(column) {
  times <- as.POSIXct(column)
  known <- unique(times)
  fields <- as.POSIXlt(known)
  clock <- ISOdatetime(fields$year + 1900, fields$mon + 1, fields$mday, fields$hour, fields$min, fields$sec, tz = "UTC")
  clock[match(times, known)]
}

# Integers of 64 bits without the package bit64, which writes them otherwise.
whole_number <- function(column, name) {
  bytes <- writeBin(as.vector(unclass(column)), raw(), endian = "little")
  halves <- matrix(readBin(bytes, "integer", 2L * length(column), endian = "little"), 2L)
  low <- as.numeric(halves[1L, ])
  low[is.na(low)] <- -2^31
  values <- halves[2L, ] * 2^32 + ifelse(low < 0, low + 2^32, low)
  if (any(abs(values) > 2^53, na.rm = TRUE)) {
    stop_burndid("column_type", paste0("column `", name, "` has integers beyond 2^53"), "load the package bit64")
  }
  values
}

write_csv <- function(data, regressors, path) {
  text <- vapply(data, function(column) is.character(column) || is.factor(column), NA)
  for (name in names(data)[text]) check_text(as.character(data[[name]]), name, name %in% regressors)
  fields <- lapply(data, csv_field)
  quoted <- which(text)
  file <- file(path, "w", encoding = "UTF-8")
  on.exit(close(file))
  writeLines(paste0("\"", gsub("\"", "\"\"", enc2utf8(names(data)), fixed = TRUE), "\"", collapse = ","), file, useBytes = TRUE)
  write.table(as.data.frame(fields, stringsAsFactors = FALSE), file, sep = ",", na = "", quote = quoted, qmethod = "double",
              row.names = FALSE, col.names = FALSE)
}

csv_field <- function(column) {
  if (is.factor(column) || is.character(column)) return(enc2utf8(as.character(column)))
  if (is.logical(column)) return(c("false", "true")[column + 1L])
  if (inherits(column, "Date")) return(format(column, "%Y-%m-%d"))
  if (inherits(column, "POSIXct")) return(format(column, "%Y-%m-%dT%H:%M:%OS6", tz = "UTC"))
  if (inherits(column, "integer64")) return(as.character(column))
  if (is.integer(column)) return(column)
  # 17 digits have every bit.
  field <- sprintf("%.17g", column)
  # As in a parquet file, NaN is not NA: a group that is NaN is unknown, and not never treated.
  field[is.na(column) & !is.nan(column)] <- NA
  field[is.infinite(column)] <- ifelse(column[is.infinite(column)] > 0, "inf", "-inf")
  field
}

# Categories are in the order of their text, and the first one is the base.
check_order <- function(column, name) {
  used <- levels(column)[levels(column) %in% column]
  sorted <- sort(used, method = "radix")
  if (length(used) && sorted[1L] != used[1L]) {
    warn_burndid(paste0("categories of `", name, "` are ordered by their text: the base is \"", sorted[1L], "\", and not \"", used[1L],
                        "\", the factor's first level; i(", name, ", ref = \"", used[1L], "\") in a formula of feols names another"))
  }
}

# Text that a CSV file would make something else.
check_text <- function(values, name, regressor) {
  values <- unique(values[!is.na(values)])
  keeps <- "; install the package arrow, with which data are passed as parquet, or recode it"
  if (any(values %in% c("", "NA"))) {
    lost <- if ("NA" %in% values) "the word NA" else "empty text"
    stop_burndid("csv_type", paste0("column `", name, "` has ", lost, ", which in a CSV file is a missing value", keeps))
  }
  numbers <- suppressWarnings(as.numeric(values))
  if (!length(values) || anyNA(numbers)) return(invisible())
  if (regressor) {
    stop_burndid("csv_type", paste0("column `", name, "` is text or a factor whose values are numbers, and a CSV file would make it one number",
                                    keeps), paste0("write C(", name, ") in the formula and as.numeric(as.character(", name, ")) in the data, or letters in the levels"))
  }
  if (anyDuplicated(numbers)) {
    stop_burndid("csv_type", paste0("column `", name, "` has text such as \"", values[duplicated(numbers)][1L],
                                    "\" and another that is the same number, and a CSV file would make them one", keeps))
  }
}

# Variables of a formula; NULL if R cannot read it, so that all columns are passed.
variables <- function(...) {
  unlist(lapply(list(...), function(formula) {
    if (is.null(formula)) return(character())
    if (is.character(formula)) {
      formula <- paste(formula, collapse = " ")
      formula <- tryCatch(stats::as.formula(formula), error = function(e) {
        tryCatch(stats::as.formula(paste("~", formula)), error = function(e) NULL)
      })
    }
    all.vars(formula)
  }))
}
