# R contdid 0.1.0.
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))), "claims.R"))

says <- function(text, check) claim("contdid", "0.1.0", "2026-11-25", text, check)

fit <- function(data, ...) {
  set.seed(1)
  contdid::cont_did(yname = "Y", tname = "time_period", idname = "id", gname = "G", dname = "D", data = data,
                    treatment_type = "continuous", biters = 400, cband = FALSE, ...)
}

# Two periods, so that least squares by hand are the curve.
two <- function() golden_data("cont2_a")

says("curves are on splines whose boundary is the range of `dvals`, and change with it", function() {
  ends <- lapply(list(c(0.1, 0.5, 0.6), c(0.3, 0.5, 0.9)), function(dvals) {
    found <- fit(two(), target_parameter = "level", aggregation = "dose", control_group = "notyettreated",
                 base_period = "varying", degree = 1, num_knots = 0, dvals = dvals)
    found$att.d[2]
  })
  stopifnot(abs(ends[[1]] - ends[[2]]) > 1e-3)
  sprintf("ATT(0.5) is %.4f or %.4f", ends[[1]], ends[[2]])
})

says("overall averages are those of ModernDiD and of this crate", function() {
  one <- case(golden("cont_did_cont2_a"), "cont2_a__cont_level_dose_1_0")
  found <- fit(two(), target_parameter = "level", aggregation = "dose", control_group = "notyettreated",
                 base_period = "varying", degree = 1, num_knots = 0)
  near(found$overall_att, one$overall_att, 1e-9)
})

says("the standard error of the overall slope is too small by the share of treated units", function() {
  data <- two()
  found <- fit(data, target_parameter = "level", aggregation = "dose", control_group = "notyettreated",
               base_period = "varying", degree = 1, num_knots = 0)
  wide <- stats::reshape(data, idvar = c("id", "G", "D"), timevar = "time_period", direction = "wide")
  treated <- wide[wide$D > 0, ]
  # With a straight line the slope is a coefficient of least squares among treated units.
  line <- stats::lm(I(Y.2 - Y.1) ~ D, treated)
  exact <- sqrt(sandwich::vcovHC(line, "HC0")[2, 2])
  share <- nrow(treated) / nrow(wide)
  stopifnot(abs(found$overall_acrt_se / (share * exact) - 1) < 0.25)
  sprintf("%.3f, in place of %.3f; treated share %.2f", found$overall_acrt_se, exact, share)
})

says("event studies do not depend on the base period", function() {
  study <- function(base) {
    fit(golden_data("cont_a"), target_parameter = "slope", aggregation = "eventstudy", degree = 1, num_knots = 0,
        control_group = "nevertreated", base_period = base)$event_study
  }
  near(study("universal")$att.egt, study("varying")$att.egt, 1e-12, 1e-6)
})

report()
