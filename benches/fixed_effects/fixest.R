# One regression by R fixest, from the columns that the bench wrote as doubles one after the other: a line of JSON.
#
# Arguments: the file, its rows, its columns separated by commas, the formula, the tolerance of the demeaning, and the function. A small regression is run
# before a clock starts; the peak of memory is that of the regression, as Linux counts it, with the frame in it.

suppressPackageStartupMessages({
  library(fixest)
  library(jsonlite)
})

words <- commandArgs(trailingOnly = TRUE)
rows <- as.integer(words[2])
names <- strsplit(words[3], ",")[[1]]
formula <- as.formula(words[4])
tolerance <- as.numeric(words[5])
regression <- match.fun(words[6])

file <- file(words[1], "rb")
frame <- as.data.frame(setNames(lapply(names, function(name) readBin(file, "double", rows)), names))
close(file)
factors <- intersect(names, c("worker", "firm", "year"))
frame[factors] <- lapply(frame[factors], as.integer)

# Its leanest settings, and all processors.
setFixest_nthreads(parallel::detectCores())
fit <- function(data) {
  regression(formula, data, vcov = "iid", fixef.tol = tolerance, fixef.iter = 100000, lean = TRUE, notes = FALSE)
}

status <- function(field) {
  line <- grep(paste0("^", field, ":"), readLines("/proc/self/status"), value = TRUE)
  as.numeric(gsub("[^0-9]", "", line)) * 1024
}

few <- frame[1:1000, ]
few$firm <- seq_len(1000) %% 23
invisible(fit(few))
invisible(gc())
loaded <- status("VmRSS")
cat("5", file = "/proc/self/clear_refs")
seconds <- system.time(fitted <- fit(frame))[["elapsed"]]
cat(toJSON(list(
  seconds = seconds, loaded = loaded, peak = status("VmHWM"),
  coef = I(unname(coef(fitted))), se = I(unname(se(fitted)))
), auto_unbox = TRUE, digits = NA), "\n", sep = "")
