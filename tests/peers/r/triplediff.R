# R triplediff 0.2.4.
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))), "claims.R"))

says <- function(text, check) claim("triplediff", "0.2.4", "2026-11-25", text, check)

fit <- function(data, ...) {
  triplediff::ddd(yname = "y", tname = "time", idname = "id", gname = "group", pname = "partition", xformla = ~1, data = data, ...)
}

staggered <- function(...) fit(golden_data("dddmp_a"), control_group = "nevertreated", base_period = "varying", est_method = "reg", ...)

says("averages weigh cohorts by all their units", function() {
  data <- golden_data("dddmp_a")
  found <- staggered()
  simple <- triplediff::agg_ddd(found, type = "simple")$aggte_ddd$overall.att
  units <- data[!duplicated(data$id), ]
  cells <- which(found$periods >= found$groups)
  mean_by <- function(counted) {
    weights <- vapply(found$groups[cells], function(g) sum(counted$group == g), 0)
    sum(weights * found$ATT[cells]) / sum(weights)
  }
  near(simple, mean_by(units), 1e-9)
  eligible <- mean_by(units[units$partition == 1, ])
  stopifnot(abs(eligible - simple) > 0.1)
  sprintf("%.4f; by eligible units %.4f", simple, eligible)
})

says("the overall standard error of `group` is not the golden one, which has the influence of shares at their cohorts", function() {
  one <- case(golden("ddd_dddmp_a"), "dddmp_a__ddd_reg_nev_var_x0_p_w0")
  wanted <- Filter(function(a) a$type == "group", one$aggregates)[[1]]
  found <- triplediff::agg_ddd(staggered(), type = "group")$aggte_ddd
  near(found$overall.att, wanted$att, 1e-9)
  near(found$overall.se, wanted$se_triplediff, 1e-6)
  off <- abs(found$overall.se / wanted$se - 1)
  stopifnot(off > 1e-4)
  sprintf("%.1e away", off)
})

says("clusters in two periods are bootstrapped: the standard error changes from call to call", function() {
  data <- golden_data("ddd2p_a")
  once <- function() triplediff::ddd(yname = "y", tname = "time", idname = "id", gname = "state", pname = "partition",
                                     xformla = ~1, data = data, est_method = "reg", cluster = "cluster")$se
  stopifnot(once() != once())
  ""
})

says("has neither anticipation nor `fix_weights`", function() {
  stopifnot(!any(c("anticipation", "fix_weights") %in% names(formals(triplediff::ddd))))
  ""
})

report()
