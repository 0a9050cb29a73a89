# The estimators, in the words of the packages that R users know.

att_gt <- function(yname, tname, idname = NULL, gname, xformla = NULL, data, panel = TRUE, allow_unbalanced_panel = FALSE,
                   control_group = c("nevertreated", "notyettreated"), anticipation = 0, weightsname = NULL, fix_weights = NULL,
                   alp = 0.05, bstrap = TRUE, cband = TRUE, biters = 1000, clustervars = NULL, est_method = "dr",
                   base_period = "varying", seed = 0, ...) {
  arguments <- c(group_time_options(yname, tname, idname, gname, xformla, panel, match.arg(control_group), weightsname, alp, bstrap,
                                    cband, biters, clustervars, est_method, base_period, seed),
                 options_of(anticipation = anticipation, `fix-weights` = fix_weights, `allow-unbalanced-panel` = allow_unbalanced_panel),
                 more_options(..., without = c("print_details", "pl", "cores", "faster_mode", "compute_inffunc")))
  columns <- c(yname, tname, idname, gname, weightsname, clustervars, variables(xformla))
  group_time(estimate("att-gt", arguments, data, columns, variables(xformla), "att_gt", match.call()))
}

ddd <- function(yname, tname, idname = NULL, gname, pname, xformla = NULL, data,
                control_group = c("nevertreated", "notyettreated"), base_period = "varying", est_method = "dr", weightsname = NULL,
                boot = FALSE, nboot = 1000, cluster = NULL, cband = FALSE, alpha = 0.05, panel = TRUE, allow_unbalanced_panel = FALSE,
                seed = 0, ...) {
  arguments <- c(group_time_options(yname, tname, idname, gname, xformla, panel, match.arg(control_group), weightsname, alpha, boot,
                                    cband, nboot, cluster, est_method, base_period, seed),
                 options_of(pname = pname, `allow-unbalanced-panel` = allow_unbalanced_panel),
                 more_options(..., without = c("inffunc", "skip_data_checks", "cores", "use_parallel")))
  columns <- c(yname, tname, idname, gname, pname, weightsname, cluster, variables(xformla))
  group_time(estimate("ddd", arguments, data, columns, variables(xformla), "att_gt", match.call()))
}

group_time_options <- function(yname, tname, idname, gname, xformla, panel, control_group, weightsname, alp, bstrap, cband, biters,
                               clustervars, est_method, base_period, seed) {
  clustervars <- setdiff(clustervars, idname)
  if (length(clustervars) > 1L) {
    stop_burndid("usage", "`clustervars` names several columns besides the unit", "name one: the unit is a cluster already")
  }
  c(options_of(yname = yname, tname = tname, idname = idname, gname = gname, xformla = formula_text(xformla),
               weightsname = weightsname, clustervars = if (length(clustervars)) clustervars, `control-group` = control_group,
               `est-method` = est_method, `base-period` = base_period, alp = alp, `repeated-cross-sections` = !panel),
    if (bstrap) options_of(boot = TRUE, biters = biters, seed = seed), band_option(cband))
}

band_option <- function(cband) if (is.null(cband)) NULL else if (cband) "--cband" else "--no-cband"

group_time <- function(object) {
  cells <- object$document$cells
  about <- object$document$about
  with_fields(object, group = cells$group, t = cells$time, att = number(cells$estimate), se = number(cells$se),
              c = number(about$critical_value), n = about$n_units, W = number(about$wald_stat), Wpval = number(about$wald_p_value),
              alp = about$alpha)
}

aggte <- function(MP, type = "group", balance_e = NULL, min_e = -Inf, max_e = Inf, na.rm = FALSE, cband = NULL, alp = NULL) {
  check_class(MP, "burndid_att_gt", "att_gt or ddd")
  windows <- c(if (is.finite(min_e)) paste0("min_e=", min_e), if (is.finite(max_e)) paste0("max_e=", max_e),
               if (!is.null(balance_e)) paste0("balance_e=", balance_e), if (na.rm) "na_rm=true")
  spec <- paste0(type, if (length(windows)) paste0(":", paste(windows, collapse = ",")))
  arguments <- c(options_of(aggregate = spec, alp = alp), band_option(cband))
  object <- with_saved(MP, function(file) read_result(c("aggregate", file, arguments), "aggte", match.call()))
  document <- object$document
  rows <- table_of(object)
  rows <- rows[rows$term != "ATT(Average)", ]
  by <- intersect(c("event.time", "group", "time"), names(rows))
  with_fields(object, type = document$about$type, overall.att = number(document$overall$estimate), overall.se = number(document$overall$se),
              egt = if (length(by)) rows[[by]], att.egt = if (length(by)) rows$estimate, se.egt = if (length(by)) rows$std.error,
              crit.val.egt = number(document$about$critical_value))
}

drdid <- function(yname, tname, idname = NULL, dname, xformla = NULL, data, panel = TRUE, estMethod = c("imp", "trad"),
                  weightsname = NULL, boot = FALSE, boot.type = c("weighted", "multiplier"), nboot = 999, alp = 0.05, seed = 0, ...) {
  method <- match.arg(estMethod)
  function_of <- if (panel) c(imp = "drdid_imp_panel", trad = "drdid_panel") else c(imp = "drdid_imp_rc", trad = "drdid_rc")
  arguments <- c(options_of(yname = yname, tname = tname, idname = idname, treatname = dname, xformla = formula_text(xformla),
                            weightsname = weightsname, `repeated-cross-sections` = !panel, estimator = function_of[[method]], alp = alp),
                 if (boot) options_of(boot = TRUE, biters = nboot, `boot-type` = match.arg(boot.type), seed = seed),
                 more_options(..., without = c("inffunc")))
  columns <- c(yname, tname, idname, dname, weightsname, list(...)$clustervars, variables(xformla))
  object <- estimate("drdid", arguments, data, columns, variables(xformla), "drdid", match.call())
  effect <- object$document$effect
  with_fields(object, ATT = number(effect$estimate), se = number(effect$se), lci = number(effect$ci_lower), uci = number(effect$ci_upper))
}

feols <- function(fml, data, vcov = NULL, weights = NULL, cluster = NULL, ...) {
  regression("gaussian", fml, data, vcov, weights, cluster, match.call(), ...)
}

fepois <- function(fml, data, vcov = NULL, weights = NULL, cluster = NULL, ...) {
  regression("poisson", fml, data, vcov, weights, cluster, match.call(), ...)
}

feglm <- function(fml, data, family = c("gaussian", "poisson", "logit", "probit"), vcov = NULL, weights = NULL, cluster = NULL, ...) {
  regression(match.arg(family), fml, data, vcov, weights, cluster, match.call(), ...)
}

regression <- function(family, fml, data, vcov, weights, cluster, call, ...) {
  text <- formula_text(fml)
  weights <- if (inherits(weights, "formula")) all.vars(weights) else weights
  arguments <- c(text, options_of(weightsname = weights, family = if (family != "gaussian") family, vcov = covariance(vcov, cluster)),
                 more_options(..., without = c("nthreads", "lean", "mem.clean", "notes", "warn", "verbose", "data.save")))
  named <- variables(fml, if (inherits(vcov, "formula")) vcov, if (inherits(cluster, "formula")) cluster)
  columns <- c(named, weights, if (is.character(cluster)) cluster)
  # Before the bar are regressors, after it factors.
  regressors <- variables(sub("\\|.*$", "", text))
  if (is.null(variables(fml))) columns <- names(data)
  object <- estimate("feols", arguments, data, columns, regressors, "feols", call)
  rows <- object$document$coefficients
  with_fields(object, coefficients = setNames(number(rows$estimate), rows$term), se = setNames(number(rows$se), rows$term))
}

# Covariances as R's fixest names them: iid, hetero, HC1, ~firm + year, cluster = ~firm or "firm".
covariance <- function(vcov, cluster) {
  if (!is.null(cluster)) {
    if (!is.null(vcov)) stop_burndid("usage", "`vcov` and `cluster` are both given", "leave one out")
    vcov <- if (inherits(cluster, "formula")) cluster else stats::reformulate(cluster)
  }
  if (is.null(vcov)) return(NULL)
  if (inherits(vcov, "formula")) return(paste0("cluster:", paste(all.vars(vcov), collapse = ",")))
  switch(vcov, HC1 = , hc1 = "hetero", HC2 = "hc2", HC3 = "hc3", vcov)
}

sunab <- function(yname, tname, idname, gname, data, xformla = NULL, ref.p = -1, absorb = NULL, vcov = NULL, cluster = NULL,
                  weightsname = NULL, alp = 0.05, ...) {
  arguments <- c(options_of(yname = yname, tname = tname, idname = idname, gname = gname, xformla = formula_text(xformla), `ref-p` = ref.p,
                            absorb = absorb, vcov = covariance(vcov, cluster), weightsname = weightsname, alp = alp), more_options(...))
  clusters <- variables(if (inherits(vcov, "formula")) vcov, if (inherits(cluster, "formula")) cluster)
  factors <- unlist(strsplit(if (is.null(absorb)) character() else absorb, "[,^ ]+"))
  columns <- c(yname, tname, idname, gname, weightsname, clusters, if (is.character(cluster)) cluster, factors, variables(xformla))
  object <- estimate("sunab", arguments, data, columns, variables(xformla), "sunab", match.call())
  with_fields(object, period = tname, overall.att = number(object$document$overall$estimate), overall.se = number(object$document$overall$se))
}

bacon <- function(yname, tname, idname, gname, data, clustervars = NULL, alp = 0.05, ...) {
  arguments <- c(options_of(yname = yname, tname = tname, idname = idname, gname = gname, clustervars = clustervars, alp = alp), more_options(...))
  object <- estimate("bacon", arguments, data, c(yname, tname, idname, gname, clustervars), class = "bacon", call = match.call())
  two <- object$document$comparisons
  with_fields(object, two_by_twos = data.frame(treated = two$treated, untreated = two$control, estimate = number(two$estimate),
                                               weight = number(two$weight), type = two$kind))
}

honest_did <- function(object, e = 0, type = c("smoothness", "relative_magnitude"), method = NULL, Mvec = NULL, Mbarvec = NULL,
                       monotonicityDirection = NULL, biasDirection = NULL, alpha = NULL, gridPoints = NULL, grid.lb = NULL, grid.ub = NULL,
                       ...) {
  if (!inherits(object, c("burndid_att_gt", "burndid_aggte", "burndid_sunab", "burndid_feols", "burndid_effects"))) {
    stop_burndid("usage", "`object` must be a result of aggte(type = \"dynamic\") or of an estimator")
  }
  type <- match.arg(type)
  arguments <- c(options_of(delta = if (type == "smoothness") "sd" else "rm", m = Mvec, mbar = Mbarvec, `event-time` = e,
                            method = if (!is.null(method)) tolower(gsub("-", "_", method)), monotonicity = monotonicityDirection,
                            bias = biasDirection, alp = alpha, `grid-points` = gridPoints, `grid-lb` = grid.lb, `grid-ub` = grid.ub),
                 more_options(...))
  result <- with_saved(object, function(file) read_result(c("honest", file, arguments), "honest", match.call()))
  with_fields(result, robust_ci = table_of(result)[c("M", "conf.low", "conf.high", "open")],
              breakdown = number(result$document$about$breakdown))
}

ggdid <- function(object, file = NULL, ...) {
  stopifnot(inherits(object, "burndid"))
  if (is.null(file)) return(invisible(plot(object, ...)))
  with_saved(object, function(saved) run_program(c("plot", saved, paste0("--out=", file), more_options(...))))
  invisible(file)
}

check_class <- function(object, class, made_by) {
  if (!inherits(object, class)) {
    stop_burndid("usage", paste0("this needs a result of ", made_by, ", got ", paste(class(object), collapse = "/")))
  }
}
