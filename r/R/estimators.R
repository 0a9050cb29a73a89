# The estimators, in the words of the packages that R users know.

att_gt <- function(yname, tname, idname = NULL, gname, xformla = NULL, data, panel = TRUE, allow_unbalanced_panel = FALSE,
                   control_group = c("nevertreated", "notyettreated"), anticipation = 0, weightsname = NULL, fix_weights = NULL,
                   alp = 0.05, bstrap = TRUE, cband = TRUE, biters = 1000, clustervars = NULL, est_method = "dr",
                   base_period = "varying", seed = 0, ...) {
  check_bootstrap("bstrap", bstrap, c(biters = !missing(biters), seed = !missing(seed)))
  arguments <- c(group_time_options(yname, tname, idname, gname, xformla, panel, one_of(control_group), weightsname, alp, bstrap,
                                    cband, biters, clustervars, est_method, base_period, seed),
                 options_of(anticipation = anticipation, `fix-weights` = fix_weights, `allow-unbalanced-panel` = allow_unbalanced_panel),
                 more_options(..., command = "att-gt", without = c("print_details", "pl", "cores", "faster_mode", "compute_inffunc"), absent = apart))
  columns <- c(yname, tname, idname, gname, weightsname, clustervars, variables(xformla))
  group_time(estimate("att-gt", arguments, data, columns, variables(xformla), "att_gt", match.call()), idname)
}

ddd <- function(yname, tname, idname = NULL, gname, pname, xformla = NULL, data,
                control_group = c("nevertreated", "notyettreated"), base_period = "varying", est_method = "dr", weightsname = NULL,
                boot = FALSE, nboot = 1000, cluster = NULL, cband = FALSE, alpha = 0.05, panel = TRUE, allow_unbalanced_panel = FALSE,
                seed = 0, ...) {
  check_bootstrap("boot", boot, c(nboot = !missing(nboot), seed = !missing(seed)))
  arguments <- c(group_time_options(yname, tname, idname, gname, xformla, panel, one_of(control_group), weightsname, alpha, boot,
                                    cband, nboot, cluster, est_method, base_period, seed),
                 options_of(pname = pname, `allow-unbalanced-panel` = allow_unbalanced_panel),
                 more_options(..., command = "ddd", without = c("skip_data_checks", "cores", "use_parallel"), absent = c(apart, inffunc = files_of_influence)))
  columns <- c(yname, tname, idname, gname, pname, weightsname, cluster, variables(xformla))
  group_time(estimate("ddd", arguments, data, columns, variables(xformla), "att_gt", match.call()), idname)
}

# What other commands are for.
apart <- c(aggregate = "aggte averages the effects of a fit")

files_of_influence <- "influence = \"folder\" writes influence values to files in that folder"

group_time_options <- function(yname, tname, idname, gname, xformla, panel, control_group, weightsname, alp, bstrap, cband, biters,
                               clustervars, est_method, base_period, seed) {
  clustervars <- setdiff(columns_of(clustervars), idname)
  if (length(clustervars) > 1L) {
    stop_burndid("usage", "`clustervars` names several columns besides the unit", "name one: the unit is a cluster already")
  }
  c(options_of(yname = yname, tname = tname, idname = idname, gname = gname, xformla = formula_text(xformla),
               weightsname = weightsname, clustervars = if (length(clustervars)) clustervars, `control-group` = control_group,
               `est-method` = est_method, `base-period` = base_period, alp = alp, `repeated-cross-sections` = !flag(panel)),
    if (flag(bstrap)) options_of(boot = TRUE, biters = biters, seed = seed), band_option(cband))
}

band_option <- function(cband) if (is.null(cband)) NULL else if (flag(cband)) "--cband" else "--no-cband"

group_time <- function(object, idname) {
  cells <- object$document$cells
  about <- object$document$about
  with_fields(object, group = cells$group, t = cells$time, att = number(cells$estimate), se = number(cells$se),
              c = number(about$critical_value), n = about$n_units, W = number(about$wald_stat), Wpval = number(about$wald_p_value),
              alp = about$alpha, idname = idname)
}

aggte <- function(MP, type = "group", balance_e = NULL, min_e = -Inf, max_e = Inf, na.rm = FALSE, bstrap = NULL, biters = NULL,
                  cband = NULL, alp = NULL, clustervars = NULL) {
  check_class(MP, "burndid_att_gt", "att_gt or ddd")
  check_inference(MP, bstrap, biters, clustervars)
  for (bound in list(balance_e, min_e, max_e)) {
    if (!is.null(bound) && !(is.numeric(bound) && length(bound) == 1L && !is.na(bound))) {
      stop_burndid("usage", "`balance_e`, `min_e` and `max_e` must be numbers")
    }
  }
  given <- c(balance_e = !is.null(balance_e), min_e = is.finite(min_e), max_e = is.finite(max_e))
  if (any(given) && !identical(type, "dynamic")) {
    stop_burndid("usage", paste0("`", names(given)[given][1L], "` is for averages of the type \"dynamic\""), "leave it out")
  }
  windows <- c(if (is.finite(min_e)) paste0("min_e=", min_e), if (is.finite(max_e)) paste0("max_e=", max_e),
               if (!is.null(balance_e)) paste0("balance_e=", balance_e), if (flag(na.rm)) "na_rm=true")
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

# As triplediff's function.
agg_ddd <- function(ddd_obj, type = "simple", cluster = NULL, balance_e = NULL, min_e = -Inf, max_e = Inf, na.rm = FALSE, boot = NULL,
                    nboot = NULL, cband = NULL, alpha = NULL) {
  check_class(ddd_obj, "burndid_att_gt", "ddd")
  type <- if (identical(type, "eventstudy")) "dynamic" else type
  aggte(ddd_obj, type, balance_e, min_e, max_e, na.rm, boot, nboot, cband, alpha, cluster)
}

# Averages are inferred as the fit was; did may draw and cluster them anew.
check_inference <- function(MP, bstrap, biters, clustervars) {
  about <- MP$document$about
  drawn <- !is.null(about$bootstrap_draws)
  others <- c(if (!is.null(bstrap) && flag(bstrap) != drawn) paste("bstrap =", bstrap),
              if (drawn && !isFALSE(bstrap) && !is.null(biters) && biters != about$bootstrap_draws) paste("biters =", biters))
  if (length(others)) {
    warn_burndid(paste0("averages are inferred as the fit was, and ", paste(others, collapse = ", "), " is not used; give it to att_gt"))
  }
  if (!is.null(clustervars) && !setequal(setdiff(clustervars, MP$idname), about$cluster)) {
    stop_burndid("usage", "`clustervars` are not those of the fit, as which averages are inferred", "give `clustervars` to att_gt")
  }
}

drdid <- function(yname, tname, idname = NULL, dname, xformla = NULL, data, panel = TRUE, estMethod = c("imp", "trad"),
                  weightsname = NULL, boot = FALSE, boot.type = c("weighted", "multiplier"), nboot = 999, alp = 0.05, seed = 0, ...) {
  check_bootstrap("boot", boot, c(boot.type = !missing(boot.type), nboot = !missing(nboot), seed = !missing(seed)))
  estimator <- c(imp = "drdid_imp", trad = "drdid")[[one_of(estMethod)]]
  if ("estimator" %in% names(list(...))) {
    if (!missing(estMethod)) stop_burndid("usage", "`estMethod` and `estimator` are both given", "leave one out")
    estimator <- NULL
  }
  two_periods(estimator, yname, tname, idname, dname, xformla, data, panel, weightsname, boot, one_of(boot.type), nboot, alp, seed,
              match.call(), more_of_two_periods(...))
}

ordid <- function(yname, tname, idname = NULL, dname, xformla = NULL, data, panel = TRUE, weightsname = NULL, boot = FALSE,
                  boot.type = c("weighted", "multiplier"), nboot = 999, alp = 0.05, seed = 0, ...) {
  check_bootstrap("boot", boot, c(boot.type = !missing(boot.type), nboot = !missing(nboot), seed = !missing(seed)))
  two_periods("reg_did", yname, tname, idname, dname, xformla, data, panel, weightsname, boot, one_of(boot.type), nboot, alp, seed,
              match.call(), more_of_two_periods(...))
}

ipwdid <- function(yname, tname, idname = NULL, dname, xformla = NULL, data, panel = TRUE, normalized = TRUE, weightsname = NULL,
                   boot = FALSE, boot.type = c("weighted", "multiplier"), nboot = 999, alp = 0.05, seed = 0, ...) {
  check_bootstrap("boot", boot, c(boot.type = !missing(boot.type), nboot = !missing(nboot), seed = !missing(seed)))
  estimator <- if (flag(normalized)) "std_ipw_did" else "ipw_did"
  two_periods(estimator, yname, tname, idname, dname, xformla, data, panel, weightsname, boot, one_of(boot.type), nboot, alp, seed,
              match.call(), more_of_two_periods(...))
}

more_of_two_periods <- function(...) more_options(..., command = "drdid", absent = c(inffunc = files_of_influence))

two_periods <- function(estimator, yname, tname, idname, dname, xformla, data, panel, weightsname, boot, boot.type, nboot, alp, seed, call, more) {
  if (!is.null(estimator)) estimator <- paste0(estimator, if (flag(panel)) "_panel" else "_rc")
  arguments <- c(options_of(yname = yname, tname = tname, idname = idname, treatname = dname, xformla = formula_text(xformla),
                            weightsname = weightsname, `repeated-cross-sections` = !flag(panel), estimator = estimator, alp = alp),
                 if (flag(boot)) options_of(boot = TRUE, biters = nboot, `boot-type` = boot.type, seed = seed), more)
  columns <- c(yname, tname, idname, dname, weightsname, variables(xformla))
  object <- estimate("drdid", arguments, data, columns, variables(xformla), "drdid", call)
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
  family <- family_name(family)
  regression(one_of(family), fml, data, vcov, weights, cluster, match.call(), ...)
}

# binomial() and its like are R's own names of families.
family_name <- function(family) {
  if (is.function(family)) family <- family()
  if (identical(family, "binomial")) return("logit")
  if (!inherits(family, "family")) return(family)
  switch(paste(family$family, family$link), "gaussian identity" = "gaussian", "poisson log" = "poisson", "binomial logit" = "logit",
         "binomial probit" = "probit", paste(family$family, family$link))
}

# After the dots are arguments of fixest with other names here.
regression <- function(family, fml, data, vcov, weights, cluster, call, ..., se = NULL, subset = NULL, fixef = NULL, split = NULL, fsplit = NULL,
                       fixef.rm = NULL, fixef.iter = NULL, glm.iter = NULL) {
  if (!is.null(fixef)) fml <- with_fixed(fml, fixef)
  weights <- weights_name(weights)
  if (!is.null(subset)) data <- rows_of(data, subset)
  one <- function(fml, data) one_regression(family, fml, data, vcov, weights, cluster, call, ..., se = se, fixef.rm = fixef.rm, fixef.iter = fixef.iter,
                                            glm.iter = glm.iter)
  formulas <- formulas_of(fml)
  parts <- parts_of(data, split, fsplit)
  if (length(formulas) * length(parts) == 1L) return(one(fml, data))
  fits <- list()
  for (part in names(parts)) for (formula in formulas) {
    fit <- one(formula, if (is.null(parts[[part]])) data else rows_of(data, parts[[part]]))
    # Each fit is the call of its own formula.
    fit$call$fml <- formula
    fit$call[c("split", "fsplit")] <- NULL
    if (!is.null(parts[[part]])) fit$call$subset <- parts[[part]]
    fits <- c(fits, list(fit))
  }
  # Commas are not in names of columns of tables.
  words <- gsub(",", ";", vapply(formulas, formula_text, ""), fixed = TRUE)
  several(fits, make.unique(paste0(rep(paste0(names(parts), if (length(parts) > 1L && length(words) > 1L) ": "), each = length(words)), if (length(words) > 1L) words)))
}

# Corrections for small samples, as fixest's function gives them.
ssc <- function(...) {
  given <- list(...)
  corrections(given)
  given
}

# The rows of the parts of a sample; NULL is all of them.
parts_of <- function(data, split, fsplit) {
  by <- if (is.null(fsplit)) split else fsplit
  if (is.null(by)) return(setNames(list(NULL), ""))
  if (!is.null(split) && !is.null(fsplit)) stop_burndid("usage", "`split` and `fsplit` are both given", "leave one out")
  if (!is.data.frame(data)) stop_burndid("usage", "`split` needs a data frame")
  values <- if (inherits(by, "formula")) eval(by[[length(by)]], data, environment(by)) else if (is.character(by) && length(by) == 1L) data[[check_columns(by, data)]] else by
  if (length(values) != nrow(data)) stop_burndid("usage", "`split` must name a column, as ~ region or \"region\"")
  levels <- sort(unique(as.vector(values)))
  c(if (!is.null(fsplit)) list(`Full sample` = NULL), setNames(lapply(levels, function(level) which(as.vector(values) == level)), levels))
}

with_fixed <- function(fml, fixef) {
  if (!is.character(fixef) || !inherits(fml, "formula") || "|" %in% all.names(fml)) {
    stop_burndid("usage", "`fixef` must name columns, and the formula have no bar", "write the fixed effects after a bar: y ~ x | firm + year")
  }
  fixed <- str2lang(paste(ifelse(make.names(fixef) == fixef | grepl("^", fixef, fixed = TRUE), fixef, paste0("`", fixef, "`")), collapse = " + "))
  fml[[3L]] <- call("|", fml[[3L]], fixed)
  fml
}

one_regression <- function(family, fml, data, vcov, weights, cluster, call, ..., se = NULL, fixef.rm = NULL, fixef.iter = NULL, glm.iter = NULL) {
  parts <- evaluated(fml, data)
  parts <- plain_references(parts$formula, parts$data)
  if (inherits(vcov, "formula") && "ssc" %in% all.names(vcov)) {
    # Corrections for small samples may stand beside clusters.
    summands <- cluster_terms(vcov)
    is_correction <- vapply(summands, function(term) is.call(term) && identical(term[[1L]], quote(ssc)), NA)
    given <- eval(summands[is_correction][[1L]], list(ssc = ssc), environment(vcov))
    vcov <- stats::as.formula(base::call("~", Reduce(function(a, b) base::call("+", a, b), summands[!is_correction])))
    return(one_regression(family, fml, data, vcov, weights, cluster, call, ..., ssc = given, se = se, fixef.rm = fixef.rm, fixef.iter = fixef.iter,
                          glm.iter = glm.iter))
  }
  fml <- parts$formula
  data <- parts$data
  study <- if (family == "gaussian") sunab_of(fml, data, if (is.null(vcov)) se else vcov, weights, cluster, call, ...)
  if (!is.null(study)) return(study)
  text <- formula_text(fml)
  clusters <- clusters_of(if (is.null(vcov)) se else vcov, cluster, strsplit(text, "|", fixed = TRUE)[[1L]][2L])
  arguments <- c(text, options_of(weightsname = weights, family = if (family != "gaussian") family, vcov = covariance(clusters),
                                  `keep-singletons` = identical(fixef.rm, "none"), `fixef-maxiter` = fixef.iter, `glm-maxiter` = glm.iter),
                 more_options(..., command = "feols", without = idle_of_fixest,
                              absent = absent_of_fixest))
  columns <- c(variables(fml), unlist(lapply(clusters$terms, all.vars)), weights)
  # Before the bar are regressors, after it factors.
  regressors <- variables(sub("\\|.*$", "", text))
  if (is.null(variables(fml))) columns <- names(data)
  object <- estimate("feols", arguments, data, columns, regressors, "feols", call)
  rows <- table_of(object)
  with_fields(object, coefficients = setNames(rows$estimate, rows$term), se = setNames(rows$std.error, rows$term))
}

idle_of_fixest <- c("nthreads", "lean", "mem.clean", "notes", "warn", "verbose", "data.save", "combine.quick", "fixef.algo", "panel.id")

by_parts <- "call once for each part, with subset = ~ column == \"value\""

absent_of_fixest <- c(split.keep = by_parts, split.drop = by_parts, offset = "", start = "", etastart = "", mustart = "",
                      only.coef = "coef(fit) has the coefficients", demeaned = "", collin.tol = "",
                      fixef.keep_names = "", vcov_fix = "", env = "", only.env = "")

weights_name <- function(weights, argument = "weights") {
  if (inherits(weights, "formula")) weights <- weights[[length(weights)]]
  if (is.name(weights)) return(as.character(weights))
  if (is.null(weights) || (is.character(weights) && length(weights) == 1L)) return(weights)
  stop_burndid("usage", paste0("`", argument, "` must name a column, as ~ w or \"w\""), "put its values into a column of the data")
}

# The rows that a formula, an indicator or numbers of rows name.
rows_of <- function(data, subset) {
  if (!is.data.frame(data)) stop_burndid("usage", "`subset` needs a data frame", "for a file, write rows = \"year > 2004\"")
  data <- as.data.frame(data)
  rows <- if (inherits(subset, "formula")) eval(subset[[length(subset)]], data, environment(subset)) else subset
  if (is.logical(rows) && length(rows) != nrow(data)) stop_burndid("usage", "`subset` has another length than the data have rows")
  if (!is.logical(rows) && !is.numeric(rows)) stop_burndid("usage", "`subset` must be a formula, as ~ year > 2004, or say which rows")
  data[if (is.logical(rows)) which(rows) else rows, , drop = FALSE]
}

# Covariances as R's fixest names them: iid, hetero, HC1, ~ firm + year, cluster = ~ firm or "firm"; "cluster" is the first of the fixed
# effects, and "twoway" the first two. The result has a `type`, or the `terms` of clusters.
clusters_of <- function(vcov, cluster, fixed = NA) {
  if (!is.null(cluster)) {
    if (!is.null(vcov)) stop_burndid("usage", "`vcov` and `cluster` are both given", "leave one out")
    return(list(terms = cluster_terms(cluster)))
  }
  if (inherits(vcov, "formula")) return(list(terms = cluster_terms(vcov)))
  if (!is.null(vcov) && !(is.character(vcov) && length(vcov) == 1L)) {
    stop_burndid("usage", "`vcov` must be a word or a formula", "write \"iid\", \"hetero\", \"hc2\", \"hc3\", or clusters as ~ firm + year")
  }
  ways <- if (is.null(vcov)) NA else match(vcov, c("cluster", "twoway"))
  if (!is.na(ways) && !is.na(fixed)) {
    terms <- cluster_terms(trimws(fixed))
    if (length(terms) >= ways) return(list(terms = terms[seq_len(ways)]))
  }
  list(type = vcov)
}

covariance <- function(clusters) {
  if (length(clusters$terms)) return(paste0("cluster:", paste(vapply(clusters$terms, deparse, "", backtick = TRUE), collapse = ",")))
  if (is.null(clusters$type)) return(NULL)
  switch(clusters$type, white = , HC1 = , hc1 = "hetero", HC2 = "hc2", HC3 = "hc3", standard = "iid", clusters$type)
}

# Clusters as expressions: names, or several columns together, as firm^year.
cluster_terms <- function(given) {
  summands <- function(expression) {
    if (!is.call(expression) || !identical(expression[[1L]], quote(`+`))) return(list(expression))
    unlist(lapply(as.list(expression)[-1L], summands))
  }
  if (inherits(given, "formula")) {
    if (length(given) == 3L && !identical(given[[2L]], quote(cluster))) {
      stop_burndid("usage", paste0("`vcov` is ", formula_text(given), ", and of formulas only clusters are known"), "write ~ firm or ~ firm + year")
    }
    return(summands(given[[length(given)]]))
  }
  if (!is.character(given)) stop_burndid("usage", "`cluster` must name columns, as ~ firm or \"firm\"")
  unlist(lapply(given, function(name) summands(tryCatch(str2lang(name), error = function(e) as.name(name)))))
}

sunab <- function(yname, tname, idname, gname, data, xformla = NULL, ref.p = -1, absorb = NULL, vcov = NULL, cluster = NULL,
                  weightsname = NULL, alp = 0.05, ...) {
  clusters <- clusters_of(vcov, cluster)
  arguments <- c(options_of(yname = yname, tname = tname, idname = idname, gname = gname, xformla = formula_text(xformla), `ref-p` = ref.p,
                            absorb = absorb, vcov = covariance(clusters), weightsname = weightsname, alp = alp),
                 more_options(..., command = "sunab", without = idle_of_fixest))
  factors <- unlist(strsplit(if (is.null(absorb)) character() else absorb, "[,^ ]+"))
  columns <- c(yname, tname, idname, gname, weightsname, unlist(lapply(clusters$terms, all.vars)), factors, variables(xformla))
  object <- estimate("sunab", arguments, data, columns, variables(xformla), "sunab", match.call())
  with_fields(object, period = tname, overall.att = number(object$document$overall$estimate), overall.se = number(object$document$overall$se))
}

bacon <- function(yname, tname, idname, gname, data, xname = NULL, clustervars = NULL, alp = 0.05, ...) {
  # bacondecomp has a formula first, and then the data.
  if ("formula" %in% names(sys.call()) || (!missing(yname) && inherits(yname, "formula"))) return(bacon_of_formula(sys.call(), parent.frame()))
  arguments <- c(options_of(yname = yname, tname = tname, idname = idname, gname = gname, xname = xname, clustervars = clustervars, alp = alp),
                 more_options(..., command = "bacon", absent = c(id_var = "it is `idname` here", time_var = "it is `tname` here")))
  columns <- c(yname, tname, idname, gname, columns_of(xname), clustervars)
  object <- estimate("bacon", arguments, data, columns, class = "bacon", call = match.call())
  two <- object$document$comparisons
  within <- object$document$within_cohorts
  # Names of bacondecomp.
  with_fields(object, two_by_twos = data.frame(treated = two$treated, untreated = two$control, estimate = number(two$estimate),
                                               weight = number(two$weight), type = two$kind),
              Omega = if (!is.null(within)) number(within$weight), beta_hat_w = if (!is.null(within)) number(within$estimate))
}

# As bacondecomp's function, with outcome ~ treatment + controls. The treatment's name stays that of its coefficient.
bacon_of_formula <- function(call, place) {
  names(call)[names(call) == "yname"] <- "formula"
  call <- match.call(function(formula, data, id_var = NULL, time_var = NULL, quietly = TRUE, ...) NULL, call)
  given <- lapply(as.list(call)[-1L], eval, place)
  by_columns <- "name columns: bacon(\"y\", \"year\", \"id\", \"first\", data, xname = c(\"x1\", \"x2\")), with the period of first treatment"
  formula <- given$formula
  named <- all.vars(formula)
  if (!inherits(formula, "formula") || length(formula) != 3L || length(named) < 2L) stop_burndid("usage", "the formula must be outcome ~ treatment + controls", by_columns)
  if (is.null(given$data)) stop_burndid("usage", "`data` is missing, whose columns the formula names")
  if (is.null(given$id_var) || is.null(given$time_var)) stop_burndid("usage", "`id_var` and `time_var` must name the unit and the period", by_columns)
  if (!all(calls_in(formula) %in% c("~", "+"))) stop_burndid("usage", "the formula must have columns only", "put what is computed into columns of the data")
  data <- with_first(given$data, given$id_var, given$time_var, named[2L], by_columns, named[2L])
  others <- given[setdiff(names(given), c("formula", "data", "id_var", "time_var", "quietly"))]
  fit <- do.call(bacon, c(list(named[1L], given$time_var, given$id_var, named[2L], data, xname = if (length(named) > 2L) named[-(1:2)]), others))
  fit$call <- call
  fit
}

honest_did <- function(object, e = 0, type = c("smoothness", "relative_magnitude"), method = NULL, Mvec = NULL, Mbarvec = NULL,
                       monotonicityDirection = NULL, biasDirection = NULL, alpha = NULL, gridPoints = NULL, grid.lb = NULL, grid.ub = NULL,
                       bound = c("deviation from parallel trends", "deviation from linear trend"), ...) {
  if (!inherits(object, c("burndid_att_gt", "burndid_aggte", "burndid_sunab", "burndid_feols", "burndid_effects"))) {
    stop_burndid("usage", "`object` must be a result of aggte(type = \"dynamic\") or of an estimator",
                 if (inherits(object, "burndid_emfx")) "give the result of etwfe, and for one level of its moderator term = \"level\"")
  }
  type <- one_of(type)
  if (type == "smoothness" && !missing(bound)) {
    stop_burndid("usage", "`bound` is for type = \"relative_magnitude\"", "leave it out, or give the type")
  }
  if (!missing(e) && "l_vec" %in% names(list(...))) stop_burndid("usage", "`e` and `l_vec` are both given", "leave one out")
  linear <- one_of(bound) == "deviation from linear trend"
  arguments <- c(options_of(delta = if (type == "smoothness") "sd" else if (linear) "sdrm" else "rm", m = Mvec, mbar = Mbarvec,
                            # By default the first effect after the reference, which by event time is that at 0.
                            `event-time` = if (!missing(e)) e,
                            method = method_word(method), monotonicity = monotonicityDirection,
                            bias = biasDirection, alp = alpha, `grid-points` = gridPoints, `grid-lb` = grid.lb, `grid-ub` = grid.ub),
                 more_options(..., command = "honest", without = "parallel"))
  check_once(arguments, "honest")
  result <- with_saved(object, function(file) read_result(c("honest", file, arguments), "honest", match.call()))
  with_fields(result, robust_ci = table_of(result)[c("M", "conf.low", "conf.high", "open")],
              breakdown = number(result$document$about$breakdown))
}

# Arguments of did's ggdid are translated; the program's picture and R's own have different ones.
ggdid <- function(object, file = NULL, ...) {
  check_class(object, "burndid", "this package")
  given <- list(...)
  idle <- c("ncol", "theming", "grtitle", "type", if (!is.null(file)) c("group", "xgap", "ref_line", "ylim"))
  warn_unused(given[intersect(names(given), idle)])
  given <- given[setdiff(names(given), idle)]
  if (!is.null(file) && inherits(object, "burndid_emfx")) {
    stop_burndid("usage", "`file` is for pictures of the program, which draws the result of etwfe, and not of emfx",
                 "draw the fit with ggdid(fit, file), or these averages with plot")
  }
  if (is.null(file)) {
    if (!is.null(given$title)) given$main <- given$title
    given$title <- NULL
    return(invisible(do.call(plot, c(list(object), given))))
  }
  if (!is.character(file) || length(file) != 1L) {
    stop_burndid("usage", "`file` must be the path of a picture", "name other arguments, as in ylim = c(-1, 1)")
  }
  known <- c(main = "title", xlab = "x_label", ylab = "y_label")
  named <- names(given) %in% names(known)
  names(given)[named] <- known[names(given)[named]]
  if (isFALSE(given$legend)) given$hide <- c(given$hide, "legend")
  given$legend <- NULL
  options <- do.call(more_options, c(given, command = "plot"))
  check_once(c("--out", options), "plot")
  with_saved(object, function(saved) run_program(c("plot", saved, paste0("--out=", file), options)))
  invisible(file)
}

check_class <- function(object, class, made_by) {
  if (!inherits(object, class)) {
    stop_burndid("usage", paste0("this needs a result of ", made_by, ", got ", paste(class(object), collapse = "/")))
  }
}
