# First looks, tools for panels, demeaning, functions by splines and tables: what the command line says, in R's types. Skipped without the program.
source("setup.R")

caught <- function(call) tryCatch({ call; NULL }, burndid_error = function(e) e)
says <- function(condition, text) stopifnot(!is.null(condition), grepl(text, conditionMessage(condition), fixed = TRUE))
silent <- function(call) suppressMessages(call)
data <- example_data("mpdta")
csv <- tempfile(fileext = ".csv")
invisible(run("data", "mpdta", "--out", csv))
stopifnot(identical(data, read.csv(csv)), "mpdta" %in% example_data()$name)
columns <- c("--yname", "lemp", "--tname", "year", "--idname", "countyreal", "--gname", "first.treat")

# Looks are the command line's rows.
printed <- function(...) read.csv(text = run(..., "--format", "csv", "--quiet"), na.strings = "")
pdf(NULL)
for (command in c("describe", "means", "balance")) {
  found <- get(command)(data, yname = "lemp", tname = "year", idname = "countyreal", gname = "first.treat")
  stopifnot(identical(as.data.frame(found)$estimate, as.numeric(printed(command, csv, columns)$estimate)), length(capture.output(print(found))) > 5L,
            !anyDuplicated(names(coef(found))) || command == "describe", nrow(tidy.burndid(found)) > 0L)
  if (command == "describe") says(caught(plot(found)), "`file`") else plot(found, main = "Own title")
}
data$treated <- as.integer(data$first.treat > 0 & data$year >= data$first.treat)
patterns <- panelview(data, lemp ~ treated, index = c("countyreal", "year"), main = "Rollout")
plot(patterns)
stopifnot(identical(patterns$tables[[1L]]$pattern, c("oxxxx", "oooxx", "oooox", "nnnnn")), identical(patterns$tables[[1L]]$units, c(20L, 40L, 131L, 309L)))
picture <- tempfile(fileext = ".svg")
invisible(panelview(data, gname = "first.treat", index = c("countyreal", "year"), file = picture, main = "Rollout of wages"))
stopifnot(any(grepl("Rollout of wages", readLines(picture))))
says(caught(panelview(data, lemp ~ treated)), "`index` is missing")
says(caught(panelview(data, lemp ~ treated, index = c("countyreal", "year"), ignore.treat = TRUE)), "`ignore.treat`")
says(caught(panelview(data, lemp ~ treated, index = c("countyreal", "year"), type = "outcome")), "`type`")
says(caught(means(data, "lemp", "year", "countyreal", "first.treat", fequency = "year")), "did you mean `frequency`?")
fit <- att_gt("lemp", "year", "countyreal", "first.treat", ~ lpop, data, bstrap = FALSE, weighting = TRUE)
both <- weighting(fit, group = 2004)
plot(both)
stopifnot(nrow(both$tables$balance) == 4L, max(abs(both$tables$balance$weighted_difference)) < 1e-6, nrow(overlap(fit)$tables[[1L]]) == 12L)
says(caught(weighting(att_gt("lemp", "year", "countyreal", "first.treat", ~ lpop, data, bstrap = FALSE))), "weighting = TRUE")

# Tools keep types and values of all columns.
panel <- data.frame(id = rep(c("01", "02", "NA"), each = 3), t = rep(1:3, 3), y = c(1:8, NA) / 3, n = 1:9,
                    f = factor(rep(c("2", "10", "x,\"q"), 3), c("x,\"q", "10", "2")), day = as.Date("2020-01-31") + 0:8,
                    at = as.POSIXct("2020-04-29 01:30:00", tz = "Europe/Berlin") + 3600 * 24 * (0:8), b = c(TRUE, FALSE, NA),
                    g = rep(c(2, 0, Inf), each = 3), word = c("", "a", NA))
panel$d <- as.integer(panel$g == 2 & panel$t >= 2)
lagged <- silent(panel_lag(panel, "id", "t", c("y", "n", "f", "day", "at", "b", "word")))
stopifnot(isTRUE(all.equal(panel, lagged[names(panel)], tolerance = 0, check.attributes = FALSE)), identical(lapply(panel, class), lapply(lagged[names(panel)], class)))
for (name in c("y", "n", "f", "day", "at", "b", "word")) {
  before <- panel[[name]][c(NA, 1:2, NA, 4:5, NA, 7:8)]
  stopifnot(isTRUE(all.equal(before, lagged[[paste0(name, "_lag1")]], check.attributes = FALSE)), identical(class(before), class(lagged[[paste0(name, "_lag1")]])))
}
shuffled <- silent(panel_lag(panel[c(5, 1, 9, 3, 2, 8, 4, 7, 6), ], "id", "t", "y"))
stopifnot(identical(shuffled$y_lag1, lagged$y_lag1))
stopifnot(identical(silent(panel_first_treated(panel, "id", "t", "d"))$first_treated, rep(c(2L, NA, NA), each = 3L)))
stopifnot(identical(silent(panel_balance(panel[-2, ], "id", "t"))$id, rep(c("02", "NA"), each = 3L)))
filled <- silent(panel_fill_gaps(panel[-2, c("id", "t", "y", "g")], "id", "t", carry_constant = TRUE))
stopifnot(identical(filled$t, panel$t), identical(filled$g, panel$g), is.na(filled$y[2L]))
twice <- rbind(panel[1:3], transform(panel[1L, 1:3], y = 9))
says(caught(panel_deduplicate(twice, "id", "t")), "rows that differ")
stopifnot(identical(silent(panel_deduplicate(twice, "id", "t", keep = "last"))$y[1L], 9), identical(silent(panel_deduplicate(rbind(panel, panel), "id", "t"))$y, panel$y))
stopifnot(isTRUE(all.equal(silent(panel_difference(panel, "id", "t", "y"))$y_diff1, panel$y - lagged$y_lag1)),
          isTRUE(all.equal(silent(panel_long_difference(panel, "id", "t", "y", gname = "g"))$y_long_diff[1:3], c(0, 1, 2) / 3)))
wide <- silent(panel_to_wide(panel[c("id", "t", "y", "f", "day")], "id", "t"))
long <- silent(panel_to_long(wide, c("y", "f", "day"), "t"))
stopifnot(isTRUE(all.equal(panel[c("id", "t", "y", "f", "day")], long[c("id", "t", "y", "f", "day")], check.attributes = FALSE)), is.factor(long$f))
told <- tryCatch(panel_balance(panel[-2, ], "id", "t"), message = conditionMessage)
stopifnot(grepl("Units dropped that lack a period: 1", told), !grepl("Read as missing", told))
says(caught(panel_lag(panel, "id", "t", "y", keep = 1)), "`keep`")
says(caught(panel_lag(panel, "id", "t", "f", periods = "a")), "periods")
says(caught(panel_difference(panel, "id", "t", "f")), "expected numbers")
stopifnot(nrow(silent(panel_lag(csv, "countyreal", "year", "lemp", rows = "year > 2004"))) == 1500L)

# demean: residuals of a regression on the factors; with the calls of fixest.
within <- demean(lemp + lpop ~ year, data)
stopifnot(isTRUE(all.equal(within$lemp, unname(resid(lm(lemp ~ factor(year), data))))),
          identical(as.matrix(demean(data[c("lemp", "lpop")], data$year)), as.matrix(within)), is.matrix(demean(data$lemp, data$year)),
          isTRUE(all.equal(demean(lemp ~ year, data, weights = ~ lpop)$lemp, unname(resid(lm(lemp ~ factor(year), data, weights = lpop))))))
two <- demean(lemp + treated ~ countyreal + year, data)
stopifnot(isTRUE(all.equal(unname(coef(lm(lemp ~ 0 + treated, two))), unname(coef(feols(lemp ~ treated | countyreal + year, data))), tolerance = 1e-8)))
missing <- transform(data, lemp = replace(lemp, 3, NA))
stopifnot(nrow(suppressWarnings(demean(lemp ~ year, missing))) == 2499L, is.na(demean(lemp ~ year, missing, na.rm = FALSE)$lemp[3L]))
says(caught(demean(lemp ~ nobody, data)), "`nobody`")
says(caught(demean(data$lemp, data$year, slope.vars = data$lpop)), "`slope.vars`")

# npiv: the document's numbers in the names of R's npiv; vectors, names and formulas are the same.
curves <- simulate_data("npiv", units = 300)
stopifnot("value" %in% names(attr(curves, "truth")))
at <- seq(0.1, 0.9, 0.2)
curve <- npiv(curves$y, curves$x, curves$w, X.eval = at, boot.num = 99, alpha = 0.1)
file <- tempfile(fileext = ".csv")
write.csv(curves, file, row.names = FALSE)
home <- run_json("npiv", file, "--yname=y", "--xname=x", "--wname=w", paste0("--x-eval=", paste(sprintf("%.17g", at), collapse = ",")), "--biters=99", "--alp=0.1",
                 "--format=json")
stopifnot(isTRUE(all.equal(curve$h, home[["function"]]$estimate, tolerance = 1e-9)), isTRUE(all.equal(curve$deriv.asy.se, home$derivative$se, tolerance = 1e-9)),
          identical(curve$h, npiv(y ~ x | w, curves, X.eval = at, boot.num = 99)$h), identical(curve$h, npiv("y", "x", "w", X.eval = at, data = curves, boot.num = 99)$h))
plot(curve)
plot(curve, kind = "derivative")
stopifnot(identical(npiv(curves$y, curves$x, X.eval = at, boot.num = 99)$h, npiv(y ~ x, curves, X.eval = at, boot.num = 99)$h))
says(caught(npiv(curves$y, curves$x, curves$w, basis = "glp")), "`basis`")
says(caught(npiv(curves$y, curves$x, curves$w, X.min = 0)), "`X.min`")

# Tables.
first <- feols(lemp ~ treated | countyreal + year, data)
second <- feols(lemp ~ treated + lpop | year, data)
table <- etable(first, second)
stopifnot(any(grepl("first +second", capture.output(print(table)))), identical(as.data.frame(table)$estimate, unname(c(coef(first), coef(second)))))
kept <- capture.output(print(etable(first, second, keep = "^tre", headers = c("A", "B"), dict = c(treated = "Wages"), signif.code = TRUE)))
stopifnot(any(grepl("Wages", kept)), !any(grepl("lpop", kept)), any(grepl("***", kept, fixed = TRUE)))
# Stars by default, as in fixest.
starred <- capture.output(print(etable(fit, aggregate = "dynamic")))
stopifnot(any(grepl("[0-9][*]{3}", starred)), !any(grepl("[0-9][*]", capture.output(print(etable(fit, aggregate = "dynamic", signif.code = NA))))),
          identical(starred, capture.output(print(etable(fit, aggregate = "dynamic", signif.code = c("***" = 0.01, "**" = 0.05, "*" = 0.1))))))
says(caught(etable(fit, signif.code = c("***" = 0.001, "**" = 0.01))), "`signif.code`")
etable(fit, aggregate = "dynamic", tex = TRUE, file = tex <- tempfile())
stopifnot(any(grepl("toprule", readLines(tex))))
says(caught(etable(first, vcov = "iid")), "`vcov`")
says(caught(etable(first, keep = "nothing")), "no row is left")
folder <- tempfile("report-")
page <- silent(report(list(title = "Wages", data = data, yname = "lemp", tname = "year", idname = "countyreal", gname = "first.treat", xformla = ~ lpop,
                           estimate = list(list(name = "Doubly robust", est_method = "dr"))), folder))
stopifnot(file.size(page) > 10000)
says(caught(report(list(ynam = "lemp", data = csv), folder)), "did you mean `yname`?")
invisible(dev.off())
