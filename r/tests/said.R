# What print says below a table is what the command line says there. Skipped without the program.
source("setup.R")

csv <- tempfile(fileext = ".csv")
invisible(run("data", "mpdta", "--out", csv))
data <- read.csv(csv)
data$post <- as.integer(data$first.treat > 0 & data$year >= data$first.treat)
write.csv(data, csv, row.names = FALSE)
columns <- c("--yname", "lemp", "--tname", "year", "--idname", "countyreal", "--gname", "first.treat")
quiet <- function(call) suppressWarnings(call, classes = "burndid_warning")
printed <- function(result) capture.output(print(result))

# The lines below the table of a command, less those on its marks; warnings are said once.
foot <- function(...) {
  lines <- run(..., "--quiet")
  lines <- lines[seq_along(lines) > match("---", lines)]
  lines[nzchar(lines) & !grepl("^(Signif. codes: |Warning: |\\([0-9]+\\) )", lines)]
}
says <- function(result, ...) {
  found <- printed(result)
  missing <- setdiff(foot(...), found)
  if (length(missing)) stop("not printed: ", missing[1L], "\nin: ", paste(found, collapse = "\n"))
  stopifnot(!any(grepl("Signif. codes", found, fixed = TRUE)))
}

years <- "year <= 2006"
says(att_gt("lemp", "year", "countyreal", "first.treat", NULL, csv, rows = years, bstrap = FALSE), "att-gt", csv, columns, paste0("--rows=", years), "--cband")
says(feols(lemp ~ post | countyreal + year, csv), "feols", csv, "lemp ~ post | countyreal + year")
says(feols(lemp ~ post | countyreal + year, csv, vcov = ~ countyreal), "feols", csv, "lemp ~ post | countyreal + year", "--vcov=cluster:countyreal")
says(sunab("lemp", "year", "countyreal", "first.treat", csv), "sunab", csv, columns)
says(etwfe("lemp", "year", "first.treat", "countyreal", data = csv), "etwfe", csv, columns)
says(quiet(did2s(csv, "lemp", "first.treat", "year", "countyreal")), "two-stage", csv, columns)
says(quiet(did_imputation(csv, "lemp", "first.treat", "year", "countyreal")), "imputation", csv, columns)
says(lpdid(csv, "lemp", "year", "countyreal", "first.treat", window = c(-2, 1)), "lpdid", csv, columns, "--window=-2,1")
says(bacon("lemp", "year", "countyreal", "first.treat", csv), "bacon", csv, columns)
says(twowayfeweights("lemp", "year", "countyreal", "first.treat", csv), "twfe-weights", csv, columns)
says(balance(csv, "year", "countyreal", "first.treat", xname = "lpop"), "balance", csv, columns[-(1:2)], "--xname=lpop")

# Units that are seen once drop out of a regression, and it is said.
once <- data[data$year == 2003 | data$countyreal %% 10 > 0, ]
fit <- feols(lemp ~ post | countyreal + year, once)
n_once <- sum(table(once$countyreal) == 1L)
stopifnot(n_once > 0L, any(grepl(paste0("(", n_once, " singletons dropped)"), printed(fit), fixed = TRUE)))

two <- simulate_data("drdid", units = 300)
shown <- printed(drdid("y", "period", "id", "treated", ~ x1, two))
stopifnot(any(grepl("^Units: 300, Rows: 600", shown)), any(grepl("Estimator: Improved Doubly Robust", shown, fixed = TRUE)))

# A sensitivity analysis says of what it is, and has the interval without violations.
study <- aggte(att_gt("lemp", "year", "countyreal", "first.treat", NULL, data, base_period = "universal", bstrap = FALSE), "dynamic")
robust <- honest_did(study, e = 1, type = "relative_magnitude", Mbarvec = c(0.5, 1))
shown <- printed(robust)
for (text in c("Parameter: effect at event time 1, Estimate: ", "Restriction: changes after treatment are at most Mbar times the largest before",
               "Breakdown Value: significant up to Mbar = ")) stopifnot(any(grepl(text, shown, fixed = TRUE)))
original <- grep("^ *Original", shown, value = TRUE)
ends <- unlist(robust$document$original[c("ci_lower", "ci_upper")])
stopifnot(length(original) == 1L, all(vapply(format(signif(ends, 4L)), grepl, NA, original, fixed = TRUE)), nrow(as.data.frame(robust)) == 2L)

# Reasons stand below the table.
shown <- printed(quiet(joint_study(data, "lemp", "year", "countyreal", "first.treat")))
reason <- grep("^\\(1\\) ", shown, value = TRUE)
table <- shown[seq_len(match(reason, shown) - 1L)]
stopifnot(length(reason) == 1L, any(grepl("no_estimate +\\(1\\)", table)), max(nchar(table)) <= 80L)
