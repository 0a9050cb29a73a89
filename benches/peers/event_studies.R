# The contestants of R that estimate effects by event time: didimputation, did2s, etwfe, and fixest with its `sunab`.

suppressPackageStartupMessages(library(fixest))

source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "contestant.R"))

case <- read_case()
package <- c(imputation = "didimputation", two_stage = "did2s", etwfe = "etwfe", sun_abraham = "fixest")[[case$estimator]]
suppressPackageStartupMessages(library(package, character.only = TRUE))
# By default its first stage stops at 1e-6, and its estimates are 1.3e-6 away.
if (package == "did2s") setFixest_estimation(fixef.tol = 1e-8)

# `etwfe` calls it, and R has it from 4.4 on.
if (!exists("%||%")) `%||%` <- function(x, y) if (is.null(x)) y else x

# Fastest settings: all cores; of `etwfe`, cells that are compressed, which needs effects of cohorts in place of those of units.
setFixest_nthreads(parallel::detectCores())
data.table::setDTthreads(0)

frame <- as.data.frame(nanoparquet::read_parquet(case$path))
if (case$estimator == "two_stage") {
  frame$treated <- frame$group > 0 & frame$period >= frame$group
  frame$event_time <- ifelse(frame$group > 0, frame$period - frame$group, Inf)
}
# `emfx` takes away a column of this name.
if (case$estimator == "etwfe") names(frame)[names(frame) == "group"] <- "cohort"

fit <- function(data, draws) {
  suppressMessages(suppressWarnings(switch(case$estimator,
    imputation = did_imputation(
      data = data, yname = "y", gname = "group", tname = "period", idname = "id", horizon = TRUE
    ),
    two_stage = did2s(
      data,
      yname = "y", first_stage = ~ 0 | id + period, second_stage = ~ i(event_time, ref = c(-1, Inf)),
      treatment = "treated", cluster_var = "id", verbose = FALSE
    ),
    etwfe = emfx(
      etwfe(y ~ 1, tvar = period, gvar = cohort, data = data, cgroup = "notyet", vcov = ~id),
      type = "event", compress = TRUE
    ),
    sun_abraham = feols(y ~ sunab(group, period) | id + period, data, cluster = ~id)
  )))
}

# Effects by event time are of group 0.
cells <- function(result) {
  if (inherits(result, "fixest")) {
    table <- as.data.frame(coeftable(result))
    return(data.frame(
      group = 0, time = as.numeric(sub(".*::", "", rownames(table))), att = table[["Estimate"]], se = table[["Std. Error"]]
    ))
  }
  if (case$estimator == "etwfe") {
    return(data.frame(group = 0, time = result$event, att = result$estimate, se = result$std.error))
  }
  data.frame(group = 0, time = as.numeric(result$term), att = result$estimate, se = result$std.error)
}

run(case, package, "all cores", frame, fit, cells)
