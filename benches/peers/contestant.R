# What every R contestant does around its fit: warm up, measure, report one line of JSON.
#
# The one argument is the case as JSON, see `case.rs`. Times are wall seconds of the fit alone; memory is in bytes.

suppressPackageStartupMessages(library(jsonlite))

memory <- function(field) {
  line <- grep(paste0("^", field, ":"), readLines("/proc/self/status"), value = TRUE)
  as.numeric(gsub("[^0-9]", "", line)) * 1024
}

read_case <- function() fromJSON(commandArgs(trailingOnly = TRUE)[1])

# Times `fit(frame, draws)` after a fit of a few units; `cells` makes the data frame of group, time, att and se.
run <- function(case, package, settings, frame, fit, cells) {
  set.seed(case$seed)
  invisible(fit(frame[frame$id <= case$small, ], min(case$draws, 100)))
  invisible(gc())
  loaded <- memory("VmRSS")
  before <- memory("VmHWM")
  cat("5", file = "/proc/self/clear_refs")
  seconds <- system.time(for (i in seq_len(case$repeats)) result <- fit(frame, case$draws))[["elapsed"]] / case$repeats
  peak <- memory("VmHWM")
  cat(toJSON(list(
    contestant = package, version = as.character(packageVersion(package)),
    settings = paste0(settings, "; ", R.version.string), seconds = seconds,
    memory = list(loaded = loaded, peak_fit = peak, peak = max(before, peak)),
    cells = cells(result)
  ), auto_unbox = TRUE, digits = NA, na = "null"), "\n", sep = "")
}
