# R DRDID 1.2.3. Version 1.4.0 has corrected the sign.
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))), "claims.R"))

says <- function(text, check) claim("DRDID", "1.2.3", "2026-11-25", text, check)

sections <- function() {
  data <- golden_data("two_a_rc")
  list(y = data$y, post = as.numeric(data$t == max(data$t)), d = data$d, x = cbind(1, data$x1, data$x2))
}

says("drdid_rc has the wrong sign: its standard error is not the golden one, its estimate is", function() {
  one <- case(golden("drdid_two_a_rc"), "two_a_rc__drdid_rc_xx1-x2_w0")
  rows <- sections()
  found <- DRDID::drdid_rc(rows$y, rows$post, rows$d, rows$x)
  near(found$ATT, one$att, 1e-6)
  off <- abs(found$se / one$se - 1)
  stopifnot(off > 1e-3)
  sprintf("its standard error %.6f, the golden one %.6f", found$se, one$se)
})

# The largest distance of influence values from the derivatives of the estimate in the weights of rows, a sample of which is
# moved, relative to the largest derivative.
distance <- function(estimator) {
  rows <- sections()
  n <- length(rows$y)
  fit <- function(w, ...) estimator(rows$y, rows$post, rows$d, rows$x, i.weights = w, ...)
  chosen <- seq(1, n, by = 8)
  moved <- function(i, step) fit(replace(rep(1, n), i, 1 + step))$ATT
  step <- 1e-3
  slope <- vapply(chosen, function(i) (moved(i, step) - moved(i, -step)) / (2 * step), 0)
  influence <- fit(rep(1, n), inffunc = TRUE)$att.inf.func / n
  max(abs(slope - influence[chosen])) / max(abs(slope))
}

says("influence values of drdid_rc are not the derivatives of its estimate, those of reg_did_rc are", function() {
  off <- c(distance(DRDID::drdid_rc), distance(DRDID::reg_did_rc))
  stopifnot(off[1] > 0.1, off[2] < 1e-4)
  sprintf("%.2f and %.0e of the largest derivative away", off[1], off[2])
})

says("has no clusters", function() {
  stopifnot(!any(grepl("cluster", names(formals(DRDID::drdid)))))
  ""
})

report()
