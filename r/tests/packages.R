# Calls that the documentation of R's packages has. Skipped without the program.
source("setup.R")

caught <- function(call) tryCatch({ call; NULL }, burndid_error = function(e) e)
says <- function(condition, text) stopifnot(!is.null(condition), grepl(text, conditionMessage(condition), fixed = TRUE))
quiet <- function(call) suppressWarnings(call, classes = "burndid_warning")
same <- function(a, b) stopifnot(isTRUE(all.equal(unname(a), unname(b), tolerance = 1e-9)))
data <- example_data("mpdta")
data$treated <- as.integer(data$first.treat > 0 & data$year >= data$first.treat)
data$event <- ifelse(data$first.treat == 0, Inf, data$year - data$first.treat)
flowers <- setNames(iris, c("y", "x1", "x2", "x3", "species"))
flowers$y2 <- flowers$x3 + seq_len(150) / 100

# fixest: several outcomes, regressors, fixed effects and samples.
many <- feols(c(y, y2) ~ csw0(x1, x2) | sw0(species), flowers)
stopifnot(length(many) == 12L, identical(coef(many[[3L]]), coef(feols(y ~ x1 + x2, flowers))), nrow(coef(many)) == 12L,
          identical(coef(many[["y2 ~ x1 | species"]]), coef(feols(y2 ~ x1 | species, flowers))), any(grepl("y2", capture.output(print(many)))))
parts <- feols(y ~ x1, flowers, fsplit = ~ species)
stopifnot(identical(coef(parts[["setosa"]]), coef(feols(y ~ x1, flowers, subset = ~ species == "setosa"))), length(parts) == 4L)
stopifnot(length(feols(y ~ mvsw(x1, x2), flowers)) == 4L, length(feols(y ~ x3 + sw(x1, x2), flowers)) == 2L)
stopifnot(identical(coef(feols(y ~ x1, flowers, fixef = "species")), coef(feols(y ~ x1 | species, flowers))))

# Functions of R.
same(coef(feols(y ~ poly(x1, 2), flowers)), coef(lm(y ~ poly(x1, 2), flowers)))
same(coef(feols(sign(x2) * y ~ x1 + pmin(x2, 3), flowers)), coef(lm(sign(x2) * y ~ x1 + pmin(x2, 3), flowers)))
same(coef(feols(y ~ x1 + (x2 > 4), flowers)), coef(lm(y ~ x1 + (x2 > 4), flowers)))
same(coef(feglm(y > 5.8 ~ x1, flowers, "logit")), coef(glm(y > 5.8 ~ x1, binomial(), flowers)))
same(coef(feols(y ~ x2 + cut(x1, 3) + relevel(species, ref = "virginica"), flowers)), coef(lm(y ~ x2 + cut(x1, 3) + relevel(species, ref = "virginica"), flowers)))
same(coef(feols(y ~ as.factor(round(x3)) + splines::ns(x1, 2), flowers)), coef(lm(y ~ as.factor(round(x3)) + splines::ns(x1, 2), flowers)))
for (term in c("offset(x2)", "l(x2, 1)", "lag(x2)", "lead(x2)")) stopifnot(!is.null(caught(feols(stats::as.formula(paste("y ~ x1 +", term)), flowers))))

# Another covariance is another fit; what a result does not have is an error.
fit <- feols(y ~ x1 + x2 | species, flowers)
of_hetero <- feols(y ~ x1 + x2 | species, flowers, vcov = "hetero")
stopifnot(identical(se(fit, vcov = "hetero"), se(of_hetero)), identical(vcov(fit, vcov = "hetero"), vcov(of_hetero)), identical(se(summary(fit, "hetero")$object), se(of_hetero)),
          identical(confint(fit, vcov = "hetero"), confint(of_hetero)), identical(coeftable(fit)[, 2L], se(fit)), !identical(se(fit), se(of_hetero)))
stopifnot(identical(tidy.burndid(fit, vcov = "hetero")$std.error, unname(se(of_hetero))), identical(glance.burndid(fit, vcov = "hetero"), glance.burndid(of_hetero)),
          identical(capture.output(print(fit, vcov = "hetero")), capture.output(print(of_hetero))), identical(se(summary(parts, vcov = "hetero")[[2L]]), se(parts[[2L]], vcov = "hetero")))
says(caught(summary(fit, agg = "att")), "`agg`")
says(caught(coef(fit, keep = "x1")), "nothing else")
says(caught(vcov(quiet(did_imputation(data, "lemp", "first.treat", "year", "countyreal")), vcov = "hetero")), "for regressions")
for (of in list(residuals, fitted, predict)) says(caught(of(fit)), "does not keep")
model <- lm(y ~ x1 + x2 + species, flowers)
same(c(logLik(fit)), c(logLik(model)))
same(c(deviance(fit), df.residual(fit), AIC(fit) + 2), c(deviance(model), df.residual(model), AIC(model)))
stopifnot(identical(coef(update(fit, . ~ . - x2)), coef(feols(y ~ x1 | species, flowers))))
same(quiet(se(feols(y ~ x1 | species, flowers, vcov = ~ species + ssc(K.fixef = "none")))),
     quiet(se(feols(y ~ x1 | species, flowers, cluster = ~ species, ssc = ssc(K.fixef = "none")))))
pdf(NULL)
iplot(feols(lemp ~ i(year, treat, ref = 2003) | countyreal + year, data))
says(caught(iplot(fit)), "no i()")
coefplot(fit)

# The effect that is looked at is the first one after the reference, where periods are years, too.
years <- feols(lemp ~ i(year, treat, ref = 2004) | countyreal + year, data, cluster = ~ countyreal)
stopifnot(is.finite(honest_did(years, type = "relative_magnitude", Mbarvec = 1)$robust_ci$conf.low),
          any(grepl("fit.1", capture.output(print(etable(fit, fit))), fixed = TRUE)))

# sunab in a formula.
staggered <- simulate_data("att-gt", units = 200)
staggered$cohort <- ifelse(is.na(staggered$group), 10000, staggered$group)
own <- sunab("y", "period", "id", "group", staggered)
stopifnot(identical(coef(feols(y ~ sunab(group, period) | id + period, staggered)), coef(own)))
same(coef(feols(y ~ sunab(cohort, period) | id + period, staggered)), coef(own))
says(caught(feols(y ~ sunab(group, period), staggered)), "after a bar")
says(caught(feols(y ~ sunab(group, period, bin.rel = "bin::2") | id + period, staggered)), "`bin.rel`")

# DRDID: vectors.
set.seed(2)
x <- rnorm(500)
d <- rbinom(500, 1, plogis(x / 2))
before <- x + rnorm(500)
after <- before + 1 + d + x / 3 + rnorm(500)
rows <- data.frame(id = rep(1:500, 2), t = rep(0:1, each = 500), y = c(before, after), d = rep(d, 2), x = rep(x, 2))
same(reg_did_panel(after, before, d, cbind(1, x))$ATT, ordid("y", "t", "id", "d", ~ x, rows)$ATT)
same(drdid_panel(after, before, d, cbind(1, x))$se, drdid("y", "t", "id", "d", ~ x, rows, estMethod = "trad")$se)
same(drdid_imp_rc(rows$y, rows$t, rows$d, cbind(1, rows$x))$ATT, drdid("y", "t", NULL, "d", ~ x, rows, panel = FALSE)$ATT)
change <- after - before
same(reg_did_panel(after, before, d)$ATT, mean(change[d == 1]) - mean(change[d == 0]))
says(caught(reg_did_panel(after, before, d, cbind(x))), "column of ones")
says(caught(reg_did_panel(after, before[-1], d)), "`y0` has 499 values")

# did2s, etwfe, bacondecomp, TwoWayFEWeights: their own calls.
stages <- quiet(did2s(data, yname = "lemp", first_stage = ~ 0 | countyreal + year, second_stage = ~ i(treated, ref = FALSE), treatment = "treated",
                      cluster_var = "countyreal"))
columns <- quiet(did2s(data, "lemp", "first.treat", "year", "countyreal"))
same(coef(stages)[["coefficient treated::1"]], coef(columns)[["overall"]])
by_event <- coef(quiet(did2s(data, yname = "lemp", first_stage = ~ 0 | year + countyreal, second_stage = ~ i(event, ref = c(-1, Inf)), treatment = "treated",
                             cluster_var = "countyreal")))
stopifnot(identical(sub(".*::", "", grep("event::", names(by_event), value = TRUE)), as.character(c(-4:-2, 0:3))))
says(caught(did2s(data, yname = "lemp", first_stage = ~ 0 | countyreal + year, treatment = "lpop")), "name `idname` and `tname`")
by_formula <- etwfe(lemp ~ lpop, tvar = year, gvar = first.treat, data = data, vcov = ~ countyreal)
by_columns <- etwfe(data, "lemp", "year", "first.treat", xname = "lpop", vcov = ~ countyreal)
stopifnot(identical(coef(by_formula), coef(by_columns)), identical(coef(etwfe(fml = lemp ~ lpop, year, first.treat, data)), coef(by_columns)),
          identical(coef(etwfe(lemp ~ 1, "year", "first.treat", data)), coef(etwfe(data, "lemp", "year", "first.treat"))))
says(caught(etwfe(log(lemp) ~ 1, year, first.treat, data)), "`fml`")
same(coef(bacon(lemp ~ treated, data, id_var = "countyreal", time_var = "year")), coef(bacon("lemp", "year", "countyreal", "first.treat", data)))
# Positions are those of bacondecomp, and the coefficient has the treatment's name.
of_formula <- bacon(lemp ~ treated, data, "countyreal", "year")
same(coef(of_formula), coef(bacon("lemp", "year", "countyreal", "first.treat", data)))
same(coef(bacon(formula = lemp ~ treated, data, time_var = "year", id_var = "countyreal", quietly = FALSE)), coef(of_formula))
stopifnot(identical(names(coef(of_formula)), "treated"), identical(coef(eval(of_formula$call)), coef(of_formula)),
          identical(names(coef(twowayfeweights(data, "lemp", "countyreal", "year", "treated"))), "treated"))
says(caught(bacon(lemp ~ treated)), "`data` is missing")
says(caught(bacon(lemp ~ lpop, data, id_var = "countyreal", time_var = "year")), "begins once")
of_columns <- twowayfeweights("lemp", "year", "countyreal", "first.treat", data)
stopifnot(identical(twowayfeweights(data, "lemp", "countyreal", "year", "treated", type = "feTR", summary_measures = TRUE)$beta, of_columns$beta),
          identical(twowayfeweights(data = data, Y = "lemp", G = "countyreal", T = "year", D = "treated")$nr_plus, of_columns$nr_plus))

# triplediff and HonestDiD.
triple <- simulate_data("ddd", units = 400)
fit <- ddd("y", "period", "id", "group", "eligible", data = triple, base_period = "universal")
stopifnot(identical(agg_ddd(fit, type = "eventstudy")$att.egt, aggte(fit, "dynamic")$att.egt), identical(agg_ddd(fit)$overall.att, aggte(fit, "simple")$overall.att))
beta <- c(-0.01, 0.02, 0.1, 0.2)
original <- constructOriginalCS(beta, diag(4) / 100, 2, 2, l_vec = c(0.5, 0.5))
same(c(original$lb, original$ub), 0.15 + c(-1, 1) * qnorm(0.975) * sqrt(0.005))
robust <- createSensitivityResults_relativeMagnitudes(beta, diag(4) / 100, 2, 2, Mbarvec = c(0.5, 1))
createSensitivityPlot_relativeMagnitudes(robust, original)
says(caught(createSensitivityPlot(robust, original)), "createSensitivityPlot_relativeMagnitudes")
createSensitivityPlot(createSensitivityResults(beta, diag(4) / 100, 2, 2, Mvec = c(0, 0.01)), original, rescaleFactor = 100)
invisible(dev.off())
