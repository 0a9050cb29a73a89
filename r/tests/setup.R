# For the tests: the package, and the program's own words. Without the program there is nothing to test.
library(burndid)
tidy.burndid <- burndid:::tidy.burndid
glance.burndid <- burndid:::glance.burndid

program <- tryCatch(burn_did_program(), burndid_no_program = function(e) NULL)
if (is.null(program)) {
  cat("skipped: the program burn-did is not installed\n")
  quit("no", 0)
}

run <- function(...) system2(program, shQuote(c(...)), stdout = TRUE, stderr = FALSE)
run_json <- function(...) jsonlite::fromJSON(paste(run(...), collapse = "\n"))
