# The contestant R did: `att_gt`, from a data frame.

suppressPackageStartupMessages(library(did))

source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "contestant.R"))

case <- read_case()
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

cells <- function(result) data.frame(group = result$group, time = result$t, att = result$att, se = result$se)

run(case, "did", "faster_mode, Rademacher draws", as.data.frame(nanoparquet::read_parquet(case$path)), fit, cells)
