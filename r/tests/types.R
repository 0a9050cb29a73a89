# Types survive the way to the program, or are refused; messages are the program's own, with their codes.
source("setup.R")

set.seed(1)
n <- 400
data <- data.frame(id = rep(seq_len(n), each = 2), period = rep(1:2, n))
data$d <- as.integer(data$id > n / 2)
data$x <- rnorm(2 * n)
data$kind <- factor(c("b, \"quoted\"", "ä", "c")[data$id %% 3 + 1], c("ä", "b, \"quoted\"", "c"))
data$y <- data$x + 0.5 * data$d * (data$period == 2) + as.integer(data$kind) / 3 + rnorm(2 * n)
whole <- data

# Factors are factors; a base that is not the factor's own is told.
options(warn = 1)
warned <- tryCatch(feols(y ~ x + kind | period, data), warning = function(w) w)
stopifnot(inherits(warned, "burndid_warning"), grepl("i(kind, ref = \"ä\")", conditionMessage(warned), fixed = TRUE))
fit <- feols(y ~ x + i(kind, ref = "c") | period, data)
stopifnot(length(coef(fit)) == 3L, any(grepl("ä", names(coef(fit)))), any(grepl("b, \"quoted\"", names(coef(fit)), fixed = TRUE)))
data$kind <- factor(data$kind, sort(levels(data$kind), method = "radix"))
stopifnot(all.equal(unname(coef(fit))[1], unname(coef(lm(y ~ x + kind + factor(period), data))["x"])))

# Missing values are left out, of whatever type.
data$y[3] <- NA
data$x[5] <- NaN
data$kind[7] <- NA
fit <- feols(y ~ x + kind | period, data)
stopifnot(nobs(fit) == nrow(data) - 3L)
stopifnot(all.equal(unname(coef(fit))[1], unname(coef(lm(y ~ x + kind + factor(period), data))["x"])))

# Every bit of a number arrives; so do infinite groups.
tenths <- whole
tenths$y <- tenths$y * pi
stopifnot(identical(coef(feols(y ~ x, tenths)), coef(feols(y ~ x, local({ file <- tempfile(fileext = ".csv"); write.csv(format(tenths[c("y", "x")], digits = 17), file, row.names = FALSE, quote = FALSE); file })))))
tenths$g <- ifelse(tenths$d == 1, 2, Inf)
tenths$g0 <- ifelse(tenths$d == 1, 2, 0)
group <- function(g) att_gt("y", "period", "id", g, NULL, tenths, bstrap = FALSE, cband = FALSE)$att
stopifnot(identical(group("g"), group("g0")))

# Dates are dates.
dated <- tenths
dated$month <- as.Date(c("2020-01-15", "2020-02-15"))[dated$period]
dated$first <- as.Date(ifelse(dated$d == 1, "2020-02-01", NA))
months <- att_gt("y", "month", "id", "first", NULL, dated, bstrap = FALSE, cband = FALSE, frequency = "month")
stopifnot(identical(months$att, group("g0")))
dated$month <- as.POSIXct(dated$month)
stopifnot(identical(att_gt("y", "month", "id", "first", NULL, dated, bstrap = FALSE, cband = FALSE, frequency = "month")$att, months$att))

# A time is in the day that the clock of its zone shows: midnight in Tokyo is the day before in UTC.
dated$month <- as.POSIXct(c("2020-01-01", "2020-02-01"), tz = "Asia/Tokyo")[dated$period]
stopifnot(identical(att_gt("y", "month", "id", "first", NULL, dated, bstrap = FALSE, cband = FALSE, frequency = "month")$att, months$att))

# Integers of 64 bits come without the package bit64, too; columns of a matrix are vectors.
bits <- tenths
bits$period <- structure(bits$period * 2^-1074, class = "integer64")
stopifnot(identical(burndid:::plain_column(structure(c(3 * 2^-1074, -0), class = "integer64"), "x"), c(3, NA)))
bits$y <- matrix(bits$y)
stopifnot(identical(att_gt("y", "period", "id", "g0", NULL, bits, bstrap = FALSE, cband = FALSE)$att, group("g0")))

# A missing group is never treated, which is told where others have 0; one that is no number is left out.
unknown <- tenths
unknown$g0[unknown$id == 1] <- NA
warned <- tryCatch(att_gt("y", "period", "id", "g0", NULL, unknown), burndid_warning = function(w) w)
stopifnot(grepl("`g0` (group) is missing for 1 unit (2 rows)", conditionMessage(warned), fixed = TRUE))
unknown$g0[unknown$id == 1] <- NaN
stopifnot(suppressWarnings(att_gt("y", "period", "id", "g0", NULL, unknown, bstrap = FALSE))$n == n - 1L)

# Logical columns are indicators.
dated$flag <- dated$d == 1
stopifnot(all.equal(drdid("y", "period", "id", "flag", NULL, dated)$ATT, drdid("y", "period", "id", "d", NULL, dated)$ATT))

# What a CSV file would change is refused; units of text that are numbers are not changed by it.
caught <- function(call) tryCatch({ call; NULL }, burndid_error = function(e) e)
options(burndid.csv = TRUE)
coded <- whole
coded$kind <- factor(coded$id %% 3)
error <- caught(feols(y ~ x + kind, coded))
stopifnot(error$code == "csv_type", inherits(error, "burndid_csv_type"), grepl("`kind`", conditionMessage(error)), grepl("arrow", conditionMessage(error)))
stopifnot(is.null(caught(feols(y ~ x | kind, coded))))
coded$id <- sprintf("%05d", coded$id)
stopifnot(is.null(caught(drdid("y", "period", "id", "d", NULL, coded))))
coded$id[1:2] <- "2"
stopifnot(caught(drdid("y", "period", "id", "d", NULL, coded))$code == "csv_type")
coded$word <- c("NA", "b")[coded$d + 1]
stopifnot(grepl("missing value", conditionMessage(caught(feols(y ~ word, coded)))))
coded$list <- as.list(coded$x)
stopifnot(caught(feols(y ~ list, coded))$code == "column_type")
twice <- whole[c("y", "x", "x")]
names(twice) <- c("y", "x", "x")
stopifnot(grepl("several columns `x`", conditionMessage(caught(feols(y ~ x, twice)))))

# Mistakes: the program's words, its code and its hint.
error <- caught(att_gt("y", "perod", "id", "d", NULL, whole))
stopifnot(error$code == "column_not_found", grepl("did you mean `period`?", conditionMessage(error), fixed = TRUE))
error <- caught(att_gt("y", "period", NULL, "d", NULL, whole))
stopifnot(error$code == "config", grepl("idname", error$hint))
stopifnot(caught(feols(y ~ x, whole, vcov = "robust"))$code == "usage")
stopifnot(caught(feols(y ~ x, whole, frequncy = "month"))$code == "usage")
stopifnot(caught(feols(y ~ x, 1:3))$code == "data", caught(aggte(1))$code == "usage")
stopifnot(caught(feols(y ~ x, "no/such/file.csv"))$code == "io")
warned <- tryCatch(att_gt("y", "period", "id", "g0", NULL, tenths, print_details = TRUE), warning = function(w) w)
stopifnot(inherits(warned, "burndid_warning"), grepl("print_details", conditionMessage(warned)))
warned <- tryCatch(feols(y ~ x + I(2 * x), whole), warning = function(w) w)
stopifnot(inherits(warned, "burndid_warning"), grepl("collinear", conditionMessage(warned)))

options(burndid.program = "/no/such/program")
stopifnot(caught(feols(y ~ x, whole))$code == "no_program")
