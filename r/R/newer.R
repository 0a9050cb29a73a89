# Estimators whose results are a table of effects: continuous and switching treatments, imputation, two stages, local projections, stacks,
# extended two-way fixed effects, and all of them side by side.

cont_did <- function(yname, dname, gname, tname, idname, xformla = NULL, data, target_parameter = c("level", "slope"),
                     aggregation = c("dose", "eventstudy"), dose_est_method = c("parametric", "cck"), dvals = NULL, degree = 3,
                     num_knots = 0, control_group = c("notyettreated", "nevertreated"), anticipation = 0, weightsname = NULL,
                     clustervars = NULL, base_period = "varying", alp = 0.05, bstrap = FALSE, cband = TRUE, biters = 1000, seed = 0,
                     treatment_type = "continuous", xformula = xformla, cl = 1, ...) {
  # Draws without the word for them are R's way of asking for a bootstrap, which is contdid's default.
  if (missing(bstrap) && !missing(biters)) bstrap <- TRUE
  check_bootstrap("bstrap", bstrap, c(biters = !missing(biters), seed = !missing(seed)))
  if (!identical(treatment_type[1L], "continuous")) stop_burndid("usage", "`treatment_type` must be \"continuous\"")
  if (length(variables(xformula))) {
    stop_burndid("usage", "`xformla` has covariates, and cont_did takes none, as R's contdid", "leave `xformla` out")
  }
  arguments <- c(options_of(yname = yname, tname = tname, idname = idname, gname = gname, dname = dname, target = one_of(target_parameter),
                            aggregation = if (one_of(aggregation) == "dose") "dose" else "event_study",
                            `dose-method` = one_of(dose_est_method), dvals = dvals, degree = degree, `num-knots` = num_knots,
                            `control-group` = one_of(control_group), anticipation = anticipation, weightsname = weightsname,
                            clustervars = clustervars, `base-period` = base_period, alp = alp),
                 if (flag(bstrap)) options_of(boot = TRUE, biters = biters, seed = seed), band_option(cband),
                 more_options(..., command = "cont-did", without = "print_details"))
  columns <- c(yname, tname, idname, gname, dname, weightsname, clustervars)
  with_terms(estimate("cont-did", arguments, data, columns, class = "effects", call = match.call()), c("table", "parameter", "dose", "group", "time", "event_time"),
             "Effects by Dose")
}

did_multiplegt_dyn <- function(df, outcome, group, time, treatment, effects = 1, normalized = FALSE, placebo = 0, controls = NULL,
                               weight = NULL, cluster = NULL, switchers = NULL, trends_nonparam = NULL, trends_lin = FALSE,
                               continuous = NULL, same_switchers = FALSE, same_switchers_pl = FALSE, only_never_switchers = FALSE,
                               dont_drop_larger_lower = FALSE, drop_if_d_miss_before_first_switch = FALSE, less_conservative_se = FALSE,
                               effects_equal = FALSE, ci_level = 95, predict_het = NULL, bootstrap = NULL, ...) {
  # R's lists: columns and effects; draws and a seed.
  if (is.list(predict_het)) predict_het <- paste(vapply(predict_het, paste, "", collapse = ","), collapse = ":")
  bootstrap <- as.list(bootstrap)
  covariates <- vapply(controls, function(name) deparse(as.name(name), backtick = TRUE), "")
  arguments <- c(options_of(yname = outcome, tname = time, idname = group, dname = treatment, effects = effects, normalized = normalized,
                            placebo = placebo, weightsname = weight, clustervars = if (!identical(cluster, group)) cluster,
                            switchers = if (!identical(switchers, "")) switchers,
                            xformla = if (length(controls)) paste("~", paste(covariates, collapse = " + ")),
                            `trends-nonparam` = trends_nonparam, `trends-lin` = trends_lin, continuous = continuous,
                            `same-switchers` = same_switchers, `same-switchers-pl` = same_switchers_pl,
                            `only-never-switchers` = only_never_switchers, `dont-drop-larger-lower` = dont_drop_larger_lower,
                            `drop-if-d-miss-before-first-switch` = drop_if_d_miss_before_first_switch,
                            `less-conservative-se` = less_conservative_se,
                            `effects-equal` = if (identical(effects_equal, "all")) TRUE else effects_equal,
                            `predict-het` = predict_het, boot = length(bootstrap) > 0L, biters = if (length(bootstrap)) bootstrap[[1L]],
                            seed = if (length(bootstrap) > 1L) bootstrap[[2L]], alp = 1 - ci_level / 100),
                 more_options(..., command = "did-multiplegt", without = c("graph_off", "ggplot_args"),
                              absent = c(save_results = "as.data.frame(fit) is the table", save_sample = "", normalized_weights = "",
                                         by = by_condition, by_path = "", design = "", date_first_switch = "")))
  columns <- c(outcome, time, group, treatment, controls, weight, cluster, trends_nonparam,
               if (!is.null(predict_het)) strsplit(sub(":.*", "", predict_het), ",", fixed = TRUE)[[1L]])
  with_terms(estimate("did-multiplegt", arguments, df, columns, controls, "effects", match.call()), c("table", "covariate", "horizon", "effect"),
             "Effects of Switching Treatments")
}

by_condition <- "call once for each part, with rows = \"column == value\""

did_imputation <- function(data, yname, gname, tname, idname, first_stage = NULL, wname = NULL, wtr = NULL, horizon = NULL,
                           pretrends = NULL, cluster_var = NULL, alp = 0.05, ...) {
  arguments <- c(first_stage_options(yname, tname, idname, gname, first_stage, wname, cluster_var, alp),
                 options_of(wtr = wtr, horizon = if (!is.logical(horizon)) horizon, pretrends = window_of(pretrends)), more_options(..., command = "imputation"))
  columns <- c(yname, tname, idname, gname, wname, cluster_var, wtr, variables(first_stage))
  with_terms(estimate("imputation", arguments, data, columns, regressors_of(first_stage), "effects", match.call()), c("kind", "term"),
             "Effects by Imputation")
}

did2s <- function(data, yname, gname = NULL, tname = NULL, idname = NULL, first_stage = NULL, second_stage = NULL, cluster_var = NULL,
                  weights = NULL, alp = 0.05, treatment = NULL, ...) {
  # R's own call has no unit and period: they are the fixed effects of its first stage.
  if (is.null(gname) && is.null(treatment)) stop_burndid("usage", "neither `gname` nor `treatment` is given")
  if (!is.null(treatment)) {
    if (!is.null(gname)) stop_burndid("usage", "`gname` and `treatment` are both given", "treatment is read from `gname` and `tname`: leave it out")
    sides <- sides_of(data, first_stage, idname, tname, treatment)
    idname <- sides[1L]
    tname <- sides[2L]
    data <- with_first(data, idname, tname, treatment, "name the period of first treatment: `gname`, with `idname` and `tname`")
    gname <- "first_treated_period"
  }
  if (is.null(tname) || is.null(idname)) stop_burndid("usage", "`idname` and `tname` must name the unit and the period")
  parts <- plain_references(second_stage, data)
  second_stage <- parts$formula
  data <- parts$data
  arguments <- c(first_stage_options(yname, tname, idname, gname, first_stage, weights, cluster_var, alp),
                 options_of(`second-stage` = formula_text(second_stage)),
                 more_options(..., command = "two-stage", without = "verbose",
                              absent = c(bootstrap = "standard errors are analytic",
                                         n_bootstraps = "standard errors are analytic", return_bootstrap = "standard errors are analytic")))
  columns <- c(yname, tname, idname, gname, weights, cluster_var, variables(first_stage), variables(second_stage))
  regressors <- c(regressors_of(first_stage), variables(second_stage))
  with_terms(estimate("two-stage", arguments, data, columns, regressors, "effects", match.call()), c("kind", "term"),
             "Two-Stage Difference-in-Differences")
}

# The unit and the period among two fixed effects: the one of which treatment begins once by the other.
sides_of <- function(data, first_stage, idname, tname, treatment) {
  if (!is.null(idname) && !is.null(tname)) return(c(idname, tname))
  if (!is.data.frame(data)) stop_burndid("usage", "`treatment` needs a data frame", "name `gname`, `tname` and `idname`")
  bar <- if (inherits(first_stage, "formula")) first_stage[[length(first_stage)]]
  factors <- if (is.call(bar) && identical(bar[[1L]], quote(`|`))) all.vars(bar[[3L]])
  found <- if (length(factors) == 2L) {
    check_columns(c(factors, treatment), data)
    Filter(function(sides) !is.null(first_of_treatment(as.data.frame(data), sides[1L], sides[2L], treatment)), list(factors, rev(factors)))
  }
  if (length(found) != 1L) stop_burndid("usage", "the unit and the period are not told by `first_stage` and `treatment`", "name `idname` and `tname`")
  found[[1L]]
}

# Before the bar of a first stage are covariates, after it fixed effects.
first_stage_options <- function(yname, tname, idname, gname, first_stage, weights, cluster, alp) {
  parts <- trimws(strsplit(formula_text(if (is.null(first_stage)) "~ 0" else first_stage), "|", fixed = TRUE)[[1L]])
  covariates <- trimws(sub("^~", "", parts[1L]))
  factors <- if (length(parts) > 1L) gsub("\\s*\\+\\s*", ",", parts[2L])
  options_of(yname = yname, tname = tname, idname = idname, gname = gname, weightsname = weights, clustervars = cluster, alp = alp,
             absorb = factors, xformla = if (!covariates %in% c("0", "1", "")) paste("~", covariates))
}

regressors_of <- function(first_stage) {
  if (is.null(first_stage)) return(character())
  variables(sub("\\|.*$", "", formula_text(first_stage)))
}

# Columns of covariates, which are names or a formula.
columns_of <- function(xname) if (inherits(xname, "formula")) all.vars(xname) else xname

# TRUE is all event times before treatment, FALSE none.
window_of <- function(pretrends) {
  if (isTRUE(pretrends)) "all" else if (identical(pretrends, FALSE)) "none" else pretrends
}

lpdid <- function(data, yname, tname, idname, gname = NULL, dname = NULL, window, xname = NULL, weightsname = NULL, clustervars = NULL,
                  method = c("variance", "reweighted", "adjusted"), control_group = c("notyettreated", "nevertreated"), pmd = NULL,
                  alp = 0.05, ...) {
  arguments <- c(options_of(yname = yname, tname = tname, idname = idname, gname = gname, treat = dname, window = window, xname = xname,
                            weightsname = weightsname, clustervars = clustervars, method = one_of(method),
                            `control-group` = one_of(control_group), pmd = pmd, alp = alp), more_options(..., command = "lpdid"))
  columns <- c(yname, tname, idname, gname, dname, columns_of(xname), weightsname, clustervars)
  with_terms(estimate("lpdid", arguments, data, columns, columns_of(xname), "effects", match.call()), c("table", "event_time", "term"),
             "Local Projections Difference-in-Differences")
}

stacked <- function(data, yname, tname, idname, gname, kappa_pre, kappa_post, xname = NULL, weightsname = NULL, clustervars = NULL,
                    control_group = c("notyettreated", "nevertreated"), alp = 0.05, ...) {
  arguments <- c(options_of(yname = yname, tname = tname, idname = idname, gname = gname, `kappa-pre` = kappa_pre, `kappa-post` = kappa_post,
                            xname = xname, weightsname = weightsname, clustervars = clustervars, `control-group` = one_of(control_group),
                            alp = alp), more_options(..., command = "stacked"))
  columns <- c(yname, tname, idname, gname, columns_of(xname), weightsname, clustervars)
  object <- estimate("stacked", arguments, data, columns, columns_of(xname), "effects", match.call())
  is_weight <- object$rows$table == "control_weights"
  weights <- object$rows[is_weight, c("cohort", "event_time", "weight")]
  object$rows <- object$rows[!is_weight, ]
  with_fields(with_terms(object, c("table", "event_time", "cohort"), "Stacked Difference-in-Differences"), control_weights = weights)
}

joint_study <- function(data, yname, tname, idname, gname, xformla = NULL, weightsname = NULL, clustervars = NULL, estimators = NULL,
                        control_group = c("notyettreated", "nevertreated"), min_e = NULL, max_e = NULL, cband = TRUE, alp = 0.05, ...) {
  arguments <- c(options_of(yname = yname, tname = tname, idname = idname, gname = gname, xformla = formula_text(xformla),
                            weightsname = weightsname, clustervars = clustervars, estimators = estimators,
                            `control-group` = one_of(control_group), `min-e` = min_e, `max-e` = max_e, alp = alp), band_option(cband),
                 more_options(..., command = "study"))
  columns <- c(yname, tname, idname, gname, weightsname, clustervars, variables(xformla))
  object <- estimate("study", arguments, data, columns, variables(xformla), "effects", match.call())
  if ("specification" %in% names(object$rows)) {
    choices <- c("estimator", "control_group", "base_period", "est_method", "anticipation", "covariates", "sample")
    return(with_terms(object, choices, "Specification Curve"))
  }
  agreement <- object$rows[object$rows$table == "agreement", c("first", "second", "estimate", "se", "wald_stat", "wald_df", "wald_p_value")]
  names(agreement)[3:4] <- c("difference", "std.error")
  object$rows <- object$rows[object$rows$table != "agreement", ]
  with_fields(with_terms(object, c("table", "estimator", "event_time"), "Several Estimators of One Sample"), agreement = agreement)
}

# A result whose table is that of the program, with terms from these of its columns; a column that says the same in all rows is left out.
with_terms <- function(object, by, title) {
  rows <- object$rows
  by <- by[vapply(by, function(name) length(unique(rows[[name]])) > 1L, NA)]
  words <- lapply(rows[by], function(column) {
    text <- if (is.double(column)) format(signif(column, 5L), trim = TRUE) else as.character(column)
    replace(text, is.na(column), NA)
  })
  object$terms <- vapply(seq_len(nrow(rows)), function(i) {
    said <- vapply(words, function(column) column[i], "")
    said <- said[!is.na(said)]
    # "overall" alone is not said twice.
    paste(if (length(said) == 2L) unique(said) else said, collapse = " ")
  }, "")
  object$title <- title
  object
}
