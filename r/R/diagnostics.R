# What two-way coefficients weigh, what tests of pre-trends detect, and HonestDiD's own calls.

twowayfeweights <- function(yname, tname, idname, gname, data, type = c("feTR", "feS", "fdTR", "fdS", "fe_s_of_r"),
                            controls = NULL, weights = NULL, summary_measures = TRUE, ...) {
  # TwoWayFEWeights has the data first, and a treatment: Y, G, T, D.
  if ("Y" %in% names(sys.call())) return(weights_of_treatment(data, match.call(), parent.frame()))
  if (!missing(yname) && is.data.frame(yname)) return(weights_of_treatment(yname, match.call(), parent.frame()))
  arguments <- c(options_of(yname = yname, tname = tname, idname = idname, gname = gname, type = tolower(one_of(type)), xname = controls,
                            weightsname = weights),
                 more_options(..., command = "twfe-weights",
                              absent = c(D0 = "", other_treatments = "", test_random_weights = "", path = "")))
  columns <- c(yname, tname, idname, gname, columns_of(controls), weights)
  object <- estimate("twfe-weights", arguments, data, columns, class = "twfe_weights", call = match.call())
  document <- object$document
  about <- document$about
  cells <- document$weights
  # Names of TwoWayFEWeights.
  with_fields(object, weights = data.frame(group = cells$group, time = cells$time, weight = number(cells$weight), share = number(cells$share),
                                           cells = cells$cells, negative = cells$negative),
              beta = number(document$coefficient$estimate), nr_plus = about$n_positive, nr_minus = about$n_negative,
              sum_plus = number(about$sum_positive), sum_minus = number(about$sum_negative), sensibility = number(about$sd_zero_average),
              sensibility2 = number(about$sd_opposite_sign))
}

weights_of_treatment <- function(data, call, place) {
  matched <- as.list(match.call(function(data, Y, G, T, D, type = "feTR", ...) NULL, sys.call(-1L)))[-1L]
  named <- lapply(matched[c("Y", "G", "T", "D")], function(part) if (is.null(part)) NULL else eval(part, place))
  for (name in names(named)) if (is.null(named[[name]])) stop_burndid("usage", paste0("`", name, "` is missing"))
  data <- with_first(data, named$G, named$T, named$D, "name columns: twowayfeweights(\"y\", \"year\", \"id\", \"first\", data), with the period of first treatment",
                     named$D)
  others <- lapply(matched[setdiff(names(matched), c("data", "Y", "G", "T", "D"))], eval, place)
  fit <- do.call(twowayfeweights, c(list(named$Y, named$T, named$G, named$D, data), others))
  fit$call <- call
  fit
}

pretrends <- function(object, deltatrue = NULL, slope = NULL, targetPower = c(0.5, 0.8), ...) {
  if (!inherits(object, c("burndid_att_gt", "burndid_aggte", "burndid_sunab", "burndid_feols", "burndid_effects"))) {
    stop_burndid("usage", "`object` must be a result of aggte(type = \"dynamic\") or of an estimator",
                 if (inherits(object, "burndid_emfx")) "give the result of etwfe, and for one level of its moderator term = \"level\"")
  }
  arguments <- c(options_of(violations = deltatrue, slope = slope, power = targetPower), more_options(..., command = "pretrends"))
  check_once(arguments, "pretrends")
  result <- with_saved(object, function(file) read_result(c("pretrends", file, arguments), "pretrends", match.call()))
  power <- table_of(result)
  periods <- result$document$periods
  # Names of the package pretrends.
  with_fields(result, df_power = data.frame(alternative = power$term, slope = power$slope, Power = power$estimate, Bayes.Factor = power$bayes.factor,
                                            Likelihood.Ratio = power$likelihood.ratio),
              df_eventplot = data.frame(alternative = periods$alternative, t = periods$event_time, betahat = number(periods$estimate),
                                        deltatrue = number(periods$violation), se = number(periods$se),
                                        meanAfterPretesting = number(periods$after_passing)))
}

createSensitivityResults <- function(betahat, sigma, numPrePeriods, numPostPeriods, method = NULL, Mvec = NULL, l_vec = NULL,
                                     monotonicityDirection = NULL, biasDirection = NULL, alpha = 0.05, parallel = FALSE, seed = NULL, ...) {
  sensitivity(betahat, sigma, numPrePeriods, numPostPeriods, "sd", list(m = Mvec), method, l_vec, monotonicityDirection, biasDirection, alpha,
              parallel, seed, "M", ...)
}

createSensitivityResults_relativeMagnitudes <- function(betahat, sigma, numPrePeriods, numPostPeriods,
                                                        bound = c("deviation from parallel trends", "deviation from linear trend"),
                                                        method = "C-LF", Mbarvec = NULL, l_vec = NULL, monotonicityDirection = NULL,
                                                        biasDirection = NULL, alpha = 0.05, gridPoints = NULL, grid.ub = NULL, grid.lb = NULL,
                                                        parallel = FALSE, seed = NULL, ...) {
  delta <- if (one_of(bound) == "deviation from linear trend") "sdrm" else "rm"
  # NA is R's word for no end of the grid.
  given <- function(value) if (length(value) == 1L && is.na(value)) NULL else value
  sensitivity(betahat, sigma, numPrePeriods, numPostPeriods, delta, list(mbar = Mbarvec), method, l_vec, monotonicityDirection, biasDirection, alpha,
              parallel, seed, "Mbar", `grid-points` = gridPoints, `grid-lb` = given(grid.lb), `grid-ub` = given(grid.ub), ...)
}

# The interval of the event study itself, which stands beside the robust ones.
constructOriginalCS <- function(betahat, sigma, numPrePeriods, numPostPeriods, l_vec = NULL, alpha = 0.05) {
  # Checks that all of them go together.
  study_text(betahat, sigma, numPrePeriods, numPostPeriods)
  l_vec <- if (is.null(l_vec)) c(1, rep(0, numPostPeriods - 1)) else as.vector(l_vec)
  if (!is.numeric(l_vec) || length(l_vec) != numPostPeriods) stop_burndid("usage", "`l_vec` must have a weight for each of `numPostPeriods`")
  after <- numPrePeriods + seq_len(numPostPeriods)
  estimate <- sum(l_vec * as.vector(betahat)[after])
  half <- qnorm(1 - alpha / 2) * sqrt(as.vector(l_vec %*% as.matrix(sigma)[after, after, drop = FALSE] %*% l_vec))
  data.frame(lb = estimate - half, ub = estimate + half, method = "Original", Delta = NA_character_)
}

createSensitivityPlot <- function(robustResults, originalResults, rescaleFactor = 1, maxM = Inf, add_xAxis = TRUE, ...) {
  draw_sensitivity(robustResults, originalResults, "M", rescaleFactor, maxM, add_xAxis, ...)
}

createSensitivityPlot_relativeMagnitudes <- function(robustResults, originalResults, rescaleFactor = 1, maxMbar = Inf, add_xAxis = TRUE, ...) {
  draw_sensitivity(robustResults, originalResults, "Mbar", rescaleFactor, maxMbar, add_xAxis, ...)
}

draw_sensitivity <- function(robust, original, size, scale, largest, zero_line, ...) {
  if (!all(c(size, "lb", "ub") %in% names(robust))) {
    other <- setdiff(c("M", "Mbar"), size)
    stop_burndid("usage", paste0("`robustResults` has no column `", size, "`"),
                 if (other %in% names(robust)) paste0("draw it with createSensitivityPlot", if (other == "Mbar") "_relativeMagnitudes"))
  }
  if (!all(c("lb", "ub") %in% names(original))) stop_burndid("usage", "`originalResults` must be what constructOriginalCS gives")
  robust <- robust[robust[[size]] <= largest, ]
  sizes <- robust[[size]] * if (size == "M") scale else 1
  # The first place is that of the interval without violations.
  gap <- if (length(unique(sizes)) > 1L) min(diff(sort(unique(sizes)))) else 1
  at <- c(min(sizes) - gap, sizes)
  lower <- c(original$lb[1L], robust$lb) * scale
  upper <- c(original$ub[1L], robust$ub) * scale
  colours <- rep(c("#d55e00", "#0072b2"), c(1L, length(sizes)))
  given <- list(...)
  own <- list(type = "n", xlim = range(at), ylim = range(c(0, lower, upper), finite = TRUE), xlab = size, ylab = "", xaxt = "n",
              main = "Robust Confidence Intervals")
  do.call(plot, c(list(at, (lower + upper) / 2), given, own[setdiff(names(own), names(given))]))
  axis(1, at, c("original", signif(sizes, 5L)))
  segments(at, lower, at, upper, col = colours, lwd = 2)
  if (flag(zero_line)) abline(h = 0)
  invisible(robust)
}

# The table of HonestDiD: its names of columns, sets and methods.
sensitivity <- function(betahat, sigma, before, after, delta, sizes, method, l_vec, monotonicity, bias, alpha, parallel, seed, size, ...) {
  warn_unused(list(parallel = parallel))
  arguments <- c(do.call(options_of, c(sizes, list(delta = delta, `l-vec` = if (!is.null(l_vec)) as.vector(l_vec), method = method_word(method),
                                                   monotonicity = monotonicity, bias = bias, alp = alpha, seed = seed))),
                 more_options(..., command = "honest"))
  check_once(arguments, "honest")
  file <- tempfile("burndid-", fileext = ".json")
  on.exit(unlink(file))
  writeLines(study_text(betahat, sigma, before, after), file)
  document <- read_result(c("honest", file, arguments), "honest", NULL)$document
  rows <- document$intervals
  methods <- c(flci = "FLCI", conditional = "Conditional", c_f = "C-F", c_lf = "C-LF")
  table <- data.frame(lb = number(rows$ci_lower), ub = number(rows$ci_upper), method = unname(methods[rows$method]), Delta = rows$delta,
                      size = number(rows$m))
  names(table)[5L] <- size
  table
}

method_word <- function(method) if (is.null(method)) NULL else tolower(gsub("-", "_", method))

# An event study as the program reads it, with every bit of its numbers.
study_text <- function(betahat, sigma, before, after) {
  betahat <- as.vector(betahat)
  sigma <- as.matrix(sigma)
  counts <- c(numPrePeriods = before, numPostPeriods = after)
  for (name in names(counts)) if (counts[[name]] != round(counts[[name]]) || counts[[name]] < 1) stop_burndid("usage", paste0("`", name, "` must be 1 or more"))
  if (!is.numeric(betahat) || anyNA(betahat)) stop_burndid("usage", "`betahat` must be numbers, of which none is missing")
  if (length(betahat) != before + after) {
    stop_burndid("usage", paste0("`betahat` has ", length(betahat), " coefficients, and `numPrePeriods` and `numPostPeriods` are together ", before + after),
                 "the reference period is left out of all of them")
  }
  if (!is.numeric(sigma) || anyNA(sigma) || !identical(dim(sigma), rep(length(betahat), 2L))) {
    stop_burndid("usage", "`sigma` must be a matrix of numbers with a row and a column for each of `betahat`")
  }
  digits <- function(values) paste0("[", paste(sprintf("%.17g", values), collapse = ","), "]")
  paste0("{\"betahat\":", digits(betahat), ",\"sigma\":[", paste(apply(sigma, 1L, digits), collapse = ","), "],\"num_pre_periods\":", before,
         ",\"num_post_periods\":", after, "}")
}
