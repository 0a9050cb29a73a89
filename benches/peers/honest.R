# R HonestDiD's sensitivity analysis of the mpdta event study, beside `cargo bench --bench honest`:
#
#     Rscript benches/peers/honest.R     # with HonestDiD and jsonlite
#
# Relative magnitudes with its defaults: C-LF, ten Mbar from 0 to 2, 1000 points. Prints seconds and the sets.

library(HonestDiD)

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
golden <- jsonlite::fromJSON(file.path(dirname(script), "../../tests/golden/honest.json"))
study <- golden$mpdta$study
analyse <- function() {
  createSensitivityResults_relativeMagnitudes(
    study$betahat, as.matrix(study$sigma), study$num_pre_periods, study$num_post_periods
  )
}
seconds <- system.time(rows <- analyse())[["elapsed"]]
cat(sprintf("%.3f s\n", seconds))
print(as.data.frame(rows))
