# Installs the versions that the scripts beside this file speak of: Rscript tests/peers/r/install.R
versions <- c(DRDID = "1.2.3", triplediff = "0.2.4", contdid = "0.1.0", fixest = "0.14.2", did = "2.5.1")
if (!requireNamespace("remotes", quietly = TRUE)) install.packages("remotes")
for (needed in c("jsonlite", "BMisc", "ptetools")) {
  if (!requireNamespace(needed, quietly = TRUE)) install.packages(needed)
}
for (name in names(versions)) remotes::install_version(name, versions[[name]], upgrade = "never", dependencies = NA)
# did 2.5.1 asks for DRDID 1.3.0 or later, which may have replaced 1.2.3; the claims about DRDID are of 1.2.3, which did also runs with.
if (utils::packageVersion("DRDID") != versions[["DRDID"]]) {
  remotes::install_version("DRDID", versions[["DRDID"]], upgrade = "never", dependencies = FALSE)
}
