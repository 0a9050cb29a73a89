# What the R scripts share: claims about packages, each a function that fails when the claim is no longer so, and golden data.
# Every script ends with report(), which prints a line of JSON for each claim.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))
ROOT <- normalizePath(file.path(dirname(script), "../../.."))
CLAIMS <- list()

claim <- function(package, version, checked, text, check) {
  CLAIMS[[length(CLAIMS) + 1]] <<- list(package = package, version = version, checked = checked, claim = text, check = check)
}

# What a golden file says.
golden <- function(name) jsonlite::read_json(file.path(ROOT, "tests/golden", paste0(name, ".json")))

# The case of a golden file with this identifier.
case <- function(file, id) Filter(function(one) one$id == id, file$cases)[[1]]

# The data of a golden file: a blank field repeats the value of the row above.
golden_data <- function(name) {
  if (name == "mpdta") return(utils::read.csv(file.path(ROOT, "src/data/mpdta.csv")))
  data <- utils::read.csv(file.path(ROOT, "tests/golden", paste0(name, ".csv")))
  as.data.frame(lapply(data, function(column) column[cummax(seq_along(column) * !is.na(column))]))
}

# The numbers of a list with null for what is missing.
numbers <- function(values) vapply(values, function(v) if (is.null(v)) NA_real_ else as.numeric(v), 0)

# Stops unless both are equal up to a tolerance, relative to the larger of the second and `unit`; returns the largest distance.
near <- function(a, b, tolerance, unit = 0) {
  known <- !is.na(b)
  off <- max(abs(a[known] - b[known]) / pmax(abs(b[known]), unit))
  if (is.na(off) || off > tolerance) stop(sprintf("off by %.1e", off), call. = FALSE)
  sprintf("%.0e", off)
}

quiet <- function(expression) {
  utils::capture.output(value <- suppressWarnings(suppressMessages(expression)))
  value
}

report <- function() {
  for (one in CLAIMS) {
    found <- tryCatch(as.character(utils::packageVersion(one$package)), error = function(e) NULL)
    result <- if (is.null(found)) {
      list("not checked", "not installed")
    } else if (found != one$version) {
      list("other version", paste(found, "is installed"))
    } else {
      tryCatch({
        said <- quiet(one$check())
        list("holds", if (is.character(said)) said[1] else "")
      }, error = function(e) list("no longer so", conditionMessage(e)))
    }
    one$check <- NULL
    cat(jsonlite::toJSON(c(one, list(verdict = result[[1]], measured = result[[2]])), auto_unbox = TRUE), "\n", sep = "")
  }
}
