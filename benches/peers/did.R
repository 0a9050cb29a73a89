# The contestant R did: `att_gt`, from a data frame.
#
# The one argument is the case as JSON, see `case.rs`; the reply is one line of JSON.

suppressPackageStartupMessages({
  library(did)
  library(arrow)
  library(jsonlite)
})

memory <- function(field) {
  line <- grep(paste0("^", field, ":"), readLines("/proc/self/status"), value = TRUE)
  as.numeric(gsub("[^0-9]", "", line)) * 1024
}

case <- fromJSON(commandArgs(trailingOnly = TRUE)[1])
frame <- as.data.frame(read_parquet(case$path))
formula <- reformulate(if (case$covariates > 0) paste0("x", seq_len(case$covariates)) else "1")

# Fastest setting: `faster_mode`.
fit <- function(data, draws) {
  suppressWarnings(att_gt(
    yname = "y", tname = "period", idname = if (case$panel) "id" else NULL, gname = "group",
    xformla = formula, data = data, panel = case$panel, est_method = "dr",
    control_group = gsub("_", "", case$control_group), base_period = "varying",
    bstrap = draws > 0, cband = draws > 0, biters = max(draws, 1),
    print_details = FALSE, faster_mode = TRUE
  ))
}

set.seed(case$seed)
invisible(fit(frame[frame$id <= case$small, ], min(case$draws, 100)))
invisible(gc())
loaded <- memory("VmRSS")
before <- memory("VmHWM")
cat("5", file = "/proc/self/clear_refs")
seconds <- system.time(for (i in seq_len(case$repeats)) result <- fit(frame, case$draws))[["elapsed"]] / case$repeats
peak <- memory("VmHWM")

cat(toJSON(list(
  contestant = "did", version = as.character(packageVersion("did")),
  settings = "faster_mode, Rademacher draws", seconds = seconds,
  memory = list(loaded = loaded, peak_fit = peak, peak = max(before, peak)),
  cells = data.frame(group = result$group, time = result$t, att = result$att, se = result$se)
), auto_unbox = TRUE, digits = NA, na = "null"), "\n", sep = "")
