# Calls as R's own packages have them: arguments are translated, or named in a warning or an error. Skipped without the program.
source("setup.R")

csv <- tempfile(fileext = ".csv")
invisible(run("data", "mpdta", "--out", csv))
data <- read.csv(csv)
data$region <- data$countyreal %% 20
data$part <- c("north", "east")[data$countyreal %% 2 + 1]
caught <- function(call) tryCatch({ call; NULL }, burndid_error = function(e) e)
warned <- function(call) tryCatch({ call; NULL }, burndid_warning = function(w) conditionMessage(w))
says <- function(condition, text) stopifnot(!is.null(condition), grepl(text, if (is.character(condition)) condition else conditionMessage(condition), fixed = TRUE))
att <- function(...) att_gt("lemp", "year", "countyreal", "first.treat", data = data, ...)
fit <- att(bstrap = FALSE)
study <- aggte(fit, "dynamic")

# did::att_gt.
says(caught(att(est_method = function(...) 1)), "`est_method` is a function")
says(caught(att(est_method = function(...) 1)), "Rust and Python")
says(caught(att(panel = NA)), "`panel` must be TRUE or FALSE")
says(caught(att(control_group = "nobody")), "`control_group` must be one of \"nevertreated\"")
stopifnot(!grepl("--help|Usage", conditionMessage(caught(att(est_method = "none")))))
stopifnot(is.null(warned(att(print_details = FALSE, pl = FALSE, faster_mode = NULL))))
says(warned(att(cores = 2, pl = TRUE)), "cores, pl")

# Arguments that no option has are errors that name them, whatever they ask for; so are those that do not apply.
says(caught(att(bstrap = FALSE, fequency = FALSE)), "`fequency`")
says(caught(att(bstrap = FALSE, fequency = "month")), "did you mean `frequency`?")
says(caught(att(bstrap = FALSE, help = TRUE)), "`help`")
says(caught(att(bstrap = FALSE, save = "fit.json")), "`save`")
says(caught(att(bstrap = FALSE, aggregate = "dynamic")), "`aggregate`")
says(caught(att(bstrap = FALSE, alpha = 0.1)), "`alp` is given twice")
says(caught(att(bstrap = FALSE, biters = 100)), "`biters`")
says(caught(att(bstrap = FALSE, seed = 1)), "`seed`")
says(caught(att(bstrap = FALSE, weightsname = NA)), "`weightsname` is NA")
says(caught(att(bstrap = FALSE, rows = ~ year > 2004)), "`rows`")
says(caught(ddd("lemp", "year", "countyreal", "first.treat", "treat", data = data, nboot = 10)), "`nboot`")
says(caught(aggte(fit, "group", max_e = 2)), "`max_e`")
says(caught(honest_did(study, bound = "deviation from linear trend")), "`bound`")
says(caught(honest_did(study, e = 0, l_vec = rep(0.25, 4))), "`l_vec`")
says(caught(did2s(data, "lemp", "first.treat", "year", "countyreal", treatment = "treat")), "`gname` and `treatment`")
says(caught(did2s(data, "lemp", "first.treat", "year", "countyreal", bootstrap = TRUE)), "`bootstrap`")
says(caught(did_multiplegt_dyn(data, "lemp", "countyreal", "year", "treat", save_sample = TRUE)), "`save_sample`")
says(caught(bacon(lemp ~ treat, data = data, id_var = "countyreal")), "`id_var` and `time_var`")

# What the program says is in the words of R: arguments, with the names that they have in the function that was called, functions, and rows.
worded <- transform(data, first.treat = ifelse(first.treat == 0, "never", first.treat))
says(caught(att_gt("lemp", "year", "countyreal", "first.treat", data = worded)), "never treated: `na = \"first.treat=never\"`;")
says(caught(att_gt("lemp", "year", "countyreal", "first.treat", data = worded)), "`na = \"first.treat=never\"`, `rows = \"first.treat is not missing\"`, which")
stopifnot(nobs(att_gt("lemp", "year", "countyreal", "first.treat", data = worded, na = "first.treat=never", bstrap = FALSE)) == 2500L)
known <- function(...) suppressWarnings(att_gt("lemp", "year", "countyreal", "first.treat", data = worded, na = "first.treat=never", control_group = "notyettreated", bstrap = FALSE, ...))
stopifnot(nobs(known()) == 2500L, nobs(known(rows = "first.treat is not missing")) == sum(worded$first.treat != "never" & worded$year < 2007))
letter <- transform(data, lemp = replace(as.character(lemp), 3L, "x"))
says(caught(att_gt("lemp", "year", "countyreal", "first.treat", data = letter)), "as in `na = c(\"x\", \"NA\")`: these words")
says(caught(att_gt("lemp", "year", NULL, "first.treat", data = data)), "by `idname`, or add `panel = FALSE`")
says(caught(att_gt("lemp", "year", "countyreal", "first.treat", data = rbind(data, data[1L, ]))), "take `panel = FALSE` without `idname`")
says(caught(att_gt("lemp", "year", "countyreal", "treat", data = data)), "use `drdid` with `dname`")
# Missing groups are told once, with the rows of the data frame that have one; or, where a word stands for them, those of the program.
gaps <- transform(data, first.treat = replace(first.treat, countyreal == countyreal[1L], NA), odd = countyreal %% 2)
all_warned <- function(call) {
  found <- character()
  withCallingHandlers(call, burndid_warning = function(w) {
    found <<- c(found, conditionMessage(w))
    invokeRestart("muffleWarning")
  })
  found
}
told <- function(call) grep("missing", all_warned(call), value = TRUE)
for (texts in list(told(att_gt("lemp", "year", "countyreal", "first.treat", data = gaps, bstrap = FALSE)),
                   told(ddd("lemp", "year", "countyreal", "first.treat", "odd", data = gaps)),
                   told(sunab("lemp", "year", "countyreal", "first.treat", gaps)))) {
  stopifnot(length(texts) == 1L)
  says(texts, "with `data[!is.na(data[[\"first.treat\"]]), ]`")
}
stopifnot(!length(told(att_gt("lemp", "year", "countyreal", "first.treat", data = gaps[!is.na(gaps[["first.treat"]]), ], bstrap = FALSE))))
unknown <- transform(data, first.treat = ifelse(countyreal == countyreal[1L], "unknown", first.treat))
says(told(att_gt("lemp", "year", "countyreal", "first.treat", data = unknown, na = "unknown", bstrap = FALSE)), "with `rows = \"first.treat is not missing\"`")
# Values of one word or several, in quotes or without them.
in_words <- function(text, command = "att-gt", f = att_gt) burndid:::in_r(text, command, list(f))
stopifnot(identical(in_words("as in --na \"not treated,NA\": these"), "as in `na = c(\"not treated\", \"NA\")`: these"),
          identical(in_words("--na \"not treated,NA\" --rows \"g is not missing\", which"), "`na = c(\"not treated\", \"NA\")`, `rows = \"g is not missing\"`, which"),
          identical(in_words("of this column (`missing_values`, `--na g=-1`)"), "of this column (`na = \"g=-1\"`)"),
          identical(in_words("by --na \"y=?\"; in all columns"), "by `na = \"y=?\"`; in all columns"),
          identical(in_words("with `--rows \"a is not missing\" --rows \"b c is not missing\"`)"), "with `rows = c(\"a is not missing\", \"b c is not missing\")`)"),
          identical(in_words("give --alp 0.1, --alp 0.05 or another --control-group not_yet_treated."), "give `alp = 0.1`, `alp` 0.05 or another `control_group = \"notyettreated\"`."),
          identical(in_words("--rows leaves out rows, as --xformla \"~ x, y\" does"), "`rows` leaves out rows, as `xformla = \"~ x, y\"` does"))
advice <- all_warned(honest_did(did_imputation(data, "lemp", "first.treat", "year", "countyreal", horizon = TRUE, pretrends = -3:-1)))
says(paste(advice, collapse = "\n"), "`att_gt` with a universal base (`att_gt` with `base_period = \"universal\"`), or `etwfe` against never-treated units (`cgroup = \"never\"`)")
says(caught(att(alp = 2)), "for `alp`")
says(caught(ddd("lemp", "year", "countyreal", "first.treat", "treat", data = data, alpha = 2)), "for `alpha`")
says(caught(ddd("lemp", "year", "countyreal", "first.treat", "treat", data = data, boot = TRUE, nboot = 0)), "`nboot` must be")
says(caught(did_multiplegt_dyn(data, "lemp", "countyreal", "year", "treat", ci_level = -5)), "for `ci_level`")
says(caught(honest_did(study, e = 17)), "`e` or `l_vec` must be")
says(caught(aggte(att_gt("lemp", "year", "countyreal", "first.treat", data = data, anticipation = -1))), "for `anticipation`")
says(caught(sunab("lemp", "year", "countyreal", "first.treat", data, ref.p = 17)), "as `ref.p`")
says(caught(feols(lemp ~ treat, data, fixef.tol = -1)), "for `fixef_tol`")
says(caught(panel_balance(rbind(data, data[1L, ]), "countyreal", "year")), "as `panel_deduplicate` does")
says(caught(etable(fit, feols(lemp ~ treat | year, data))), "`aggregate = \"dynamic\"`")
says(warned(att_gt("lemp", "year", "countyreal", "first.treat", data = data[-1L, ], bstrap = FALSE)), "`allow_unbalanced_panel = TRUE` keeps them")
says(warned(twowayfeweights("lemp", "year", "countyreal", "first.treat", data[-3L, ])), "`cells = \"unit\"`")
coded <- transform(data, year = year * 100 + 1, first.treat = ifelse(first.treat == 0, 0, first.treat * 100 + 1))
says(warned(att_gt("lemp", "year", "countyreal", "first.treat", data = coded, bstrap = FALSE)), "`frequency = \"year\"`")
negative <- transform(data, w = replace(rep(1, 2500L), 12L, -1), note = replace(rep("a", 2500L), 3:4, c("two\nlines", NA)))
says(caught(att_gt("lemp", "year", "countyreal", "first.treat", data = negative, weightsname = "w")), "in row 12 of the data;")
says(caught(att_gt("lemp", "year", "countyreal", "first.treat", data = negative, weightsname = "w", rows = "note != b")), "in row 12 of the data;")
says(caught(att_gt("lemp", "year", "countyreal", "first.treat", data = negative[-(1:5), ], weightsname = "w")), "in row 7 of the data (\"12\" by its name);")
for (error in list(caught(att_gt("lemp", "year", "countyreal", "first.treat", data = worded)), caught(panel_first_treated(data, "countyreal", "year", "first.treat")))) {
  stopifnot(!grepl("--|burn-did |Rtmp|data[.]csv", conditionMessage(error)))
}
stopifnot(!any(grepl("--", unlist(describe(data, "year", "countyreal", "first.treat")$tables$designs), fixed = TRUE)))

# Columns that further options name come along; one column may be a formula.
stopifnot(identical(att(bstrap = FALSE, clusters = "region")$se, att(bstrap = FALSE, clustervars = ~ region)$se),
          identical(att(bstrap = FALSE, covariates = ~ lpop)$att, att(bstrap = FALSE, xformla = ~ lpop)$att))

# did::aggte: averages are inferred as the fit was.
same <- aggte(MP = fit, type = "dynamic", balance_e = NULL, min_e = -Inf, max_e = Inf, na.rm = FALSE, bstrap = FALSE, biters = 100, cband = TRUE,
              alp = 0.05, clustervars = "countyreal")
stopifnot(identical(same$se.egt, study$se.egt))
says(warned(aggte(fit, bstrap = TRUE)), "bstrap = TRUE")
says(warned(aggte(att(biters = 200), biters = 500)), "biters = 500")
says(caught(aggte(fit, clustervars = "region")), "`clustervars`")
by_region <- att(bstrap = FALSE, clustervars = c("countyreal", "region"))
stopifnot(is.finite(aggte(by_region, clustervars = "region")$overall.se), caught(aggte(by_region, clustervars = "countyreal"))$code == "usage")
says(caught(aggte(fit, "dynamic", min_e = "-1")), "must be numbers")

# did::ggdid: the caller's arguments are before those of the picture.
pdf(NULL)
plot(study, main = "Employment", xlab = "Years", ylab = "Effect", ylim = c(-0.4, 0.4), col = "red", pch = 1, xaxt = "n")
stopifnot(all.equal(par("usr")[3:4], 1.08 * c(-0.4, 0.4)))
ggdid(study, ylim = c(-1, 1), xlab = "Years", ylab = "Effect", title = "Employment", xgap = 2, legend = FALSE, ref_line = NULL)
stopifnot(all.equal(par("usr")[3:4], 1.08 * c(-1, 1)))
ggdid(fit, group = 2004)
stopifnot(all.equal(par("usr")[1:2], c(1, 4) + 0.04 * c(-3, 3)))
says(warned(ggdid(fit, group = 1999)), "do not occur")
says(warned(ggdid(fit, ncol = 2, theming = TRUE, grtitle = "Cohort", type = "attgt")), "ncol, theming, grtitle, type")
invisible(dev.off())
picture <- tempfile(fileext = ".svg")
ggdid(study, picture, title = "Employment", xlab = "Length of exposure", ylab = "Log points", legend = FALSE)
drawn <- paste(readLines(picture), collapse = " ")
stopifnot(grepl("Length of exposure", drawn), grepl("Log points", drawn), grepl("Employment", drawn))
says(warned(ggdid(study, picture, ylim = c(-1, 1), group = 2004)), "ylim, group")
says(caught(ggdid(study, c(-1, 1))), "`file`")

# fixest::feols: covariances.
model <- lemp ~ treat + lpop | year + region
error_of <- function(...) unname(feols(model, data, ...)$se)
quiet <- function(call) suppressWarnings(call, classes = "burndid_warning")
stopifnot(identical(error_of(vcov = "white"), error_of(vcov = "hetero")), identical(error_of(se = "standard"), error_of()),
          identical(error_of(cluster = "region"), error_of(cluster = ~ region)), identical(error_of(vcov = cluster ~ region), error_of(vcov = ~ region)))
stopifnot(identical(quiet(error_of(vcov = "cluster")), quiet(error_of(cluster = ~ year))),
          identical(quiet(error_of(vcov = "twoway")), quiet(error_of(cluster = c("year", "region")))))
# firm^year is one cluster, and not two.
data$cell <- paste(data$region, data$year, sep = "_")
stopifnot(all.equal(error_of(cluster = ~ region^year), error_of(cluster = ~ cell), tolerance = 1e-12))
says(caught(error_of(vcov = NW(2) ~ region + year)), "only clusters")
says(caught(error_of(vcov = diag(2))), "`vcov`")
says(caught(error_of(cluster = data$region)), "`cluster` must name columns")

# fixest::feols: weights, rows, and what has another name or none.
stopifnot(identical(error_of(weights = ~ lpop), error_of(weights = "lpop")))
says(caught(error_of(weights = ~ log(lpop))), "`weights` must name a column")
says(caught(error_of(weights = data$lpop)), "`weights` must name a column")
late <- feols(model, data[data$year > 2004, ])
stopifnot(identical(coef(feols(model, data, subset = ~ year > 2004)), coef(late)), identical(coef(feols(model, data, subset = data$year > 2004)), coef(late)),
          identical(coef(feols(model, data, rows = "year > 2004")), coef(late)))
stopifnot(nobs(att(rows = c("year <= 2006", "region != 3"), bstrap = FALSE)) == sum(data$year <= 2006 & data$region != 3))
says(caught(error_of(split = ~ year, split.keep = 2004)), "`split.keep`")
says(caught(error_of(fixef = "year")), "have no bar")
says(caught(error_of(only.coef = TRUE)), "`only.coef`")
says(caught(error_of(offset = ~ lpop)), "`offset`")
says(warned(error_of(nthreads = 2, notes = FALSE)), "nthreads")
stopifnot(is.null(caught(error_of(offset = NULL, split = NULL))))

# fixest::ssc() is a list, in names before 0.13 and since.
stopifnot(identical(error_of(ssc = list(K.adj = FALSE, K.fixef = "none", t.df = "min")), error_of(ssc = "k_adj=false,k_fixef=none")),
          identical(error_of(ssc = list(adj = FALSE, fixef.K = "nested", cluster.adj = TRUE)), error_of(ssc = "k_adj=false")))
says(caught(error_of(ssc = list(t.df = 3))), "`ssc` has `t.df`")
stopifnot(is.null(caught(error_of(fixef.iter = 1000, fixef.tol = 1e-9, fixef.rm = "none"))))
data$high <- as.integer(data$lemp > 6)
family_of <- function(family) unname(coef(feglm(high ~ treat | year, data, family)))
stopifnot(identical(family_of(binomial()), family_of("logit")), identical(family_of(binomial("probit")), family_of("probit")),
          identical(family_of(poisson), family_of("poisson")), caught(family_of(quasipoisson()))$code == "usage")

# contdid, DIDmultiplegtDYN, etwfe, HonestDiD.
simulated <- tempfile(fileext = ".csv")
invisible(run("simulate", "cont-did", "--out", simulated, "--units", "500"))
doses <- quiet(cont_did("y", "dose", "group", "period", "id", data = simulated, xformula = ~ 1, treatment_type = "continuous", cl = 1,
                        print_details = FALSE, target_parameter = "slope", aggregation = "dose", num_knots = 1))
stopifnot(nrow(as.data.frame(doses)) > 0L, caught(cont_did("y", "dose", "group", "period", "id", data = simulated, xformula = ~ x))$code == "usage")
switching <- tempfile(fileext = ".csv")
invisible(run("simulate", "did-multiplegt", "--out", switching, "--units", "300"))
switches <- function(...) coef(quiet(did_multiplegt_dyn(read.csv(switching), "y", "id", "period", "d", effects = 2, ...)))
stopifnot(identical(switches(cluster = "id", switchers = "", effects_equal = "all", graph_off = TRUE), switches(effects_equal = TRUE)),
          identical(switches(bootstrap = list(20, 1)), switches()))
extended <- function(...) etwfe(data, "lemp", "year", "first.treat", ...)
says(caught(extended(tref = 2003)), "`tref`")
says(caught(extended(fe = "some")), "`fe`")
says(caught(extended(split = ~ region)), "`split`")
says(caught(extended(family = "negbin")), "`family`")
stopifnot(identical(coef(extended(ivar = "countyreal", fe = "none")), coef(extended())), identical(coef(extended(family = gaussian())), coef(extended())),
          identical(coef(extended(xname = ~ lpop)), coef(extended(xname = "lpop"))),
          identical(coef(extended(weights = ~ lpop)), coef(extended(weightsname = "lpop"))))
averaged <- extended(xvar = "part")
leads <- extended(xvar = "part", cgroup = "never")
says(warned(emfx(averaged, vcov = FALSE)), "vcov")
says(caught(emfx(averaged, vcov = ~ region)), "emfx has no `vcov`")
says(caught(emfx(averaged, hypothesis = "b1 = b2")), "level_differences")
says(caught(emfx(averaged, typo = 1)), "emfx has no `typo`")
says(caught(emfx(averaged, "years")), "`type`")
says(caught(emfx(averaged, by_xvar = "always")), "`by_xvar`")
says(caught(emfx(extended(), by_xvar = TRUE)), "`by_xvar`")
says(caught(emfx(extended(xvar = "lpop"), by_xvar = TRUE)), "more than 20 levels")
says(warned(emfx(quiet(extended(xvar = "lpop")))), "more than 20 levels")
says(caught(emfx(averaged, "event", post_only = FALSE)), "cgroup = \"never\"")
says(caught(emfx(averaged, "group", post_only = FALSE)), "`post_only`")
says(caught(emfx(leads, "event", post_only = TRUE)), "window = c(0, Inf)")
says(caught(emfx(averaged, "calendar", window = 2)), "`window`")
says(caught(emfx(averaged, "event", window = c(-2, 2))), "`window`")
says(warned(emfx(averaged, compress = TRUE)), "compress")
says(caught(emfx(study)), "`object`")
says(caught(honest_did(emfx(leads, "event"))), "term")
says(caught(ggdid(emfx(leads, "event"), tempfile(fileext = ".svg"))), "`file`")
stopifnot(is.null(warned(emfx(averaged, "event", "auto", FALSE, predict = "response", post_only = TRUE, lean = FALSE))))
data$kind <- factor(data$part, c("north", "east"))
says(warned(etwfe(data, "lemp", "year", "first.treat", xvar = "kind")), "\"east\", and not from \"north\"")
says(caught(etwfe(fml = lemp ~ 1, tvar = year, data = data)), "`gvar` is missing")
rough <- quiet(honest_did(study, type = "relative_magnitude", Mbarvec = 1, bound = "deviation from linear trend", parallel = FALSE))
stopifnot(rough$document$about$delta != quiet(honest_did(study, type = "relative_magnitude", Mbarvec = 1))$document$about$delta)
average <- quiet(honest_did(study, type = "relative_magnitude", Mbarvec = 1, l_vec = rep(0.25, 4)))
stopifnot(is.finite(average$robust_ci$conf.low))

# Names of columns with spaces.
spaced <- data[c("lemp", "year", "countyreal", "first.treat", "lpop")]
names(spaced) <- c("log emp", "the year", "the county", "first, if any", "log pop")
stopifnot(identical(att_gt("log emp", "the year", "the county", "first, if any", ~ `log pop`, spaced, bstrap = FALSE)$att, att(xformla = ~ lpop, bstrap = FALSE)$att))
stopifnot(identical(unname(feols(`log emp` ~ `log pop` | `the year`, spaced, cluster = "the county")$se),
                    unname(feols(lemp ~ lpop | year, data, cluster = ~ countyreal)$se)))
stopifnot(identical(sunab("log emp", "the year", "the county", "first, if any", spaced, cluster = "the county")$overall.se,
                    sunab("lemp", "year", "countyreal", "first.treat", data)$overall.se))

# The example of README.md runs as it stands, where the sources are at hand.
readme <- Filter(file.exists, file.path(getwd(), c("../README.md", "../../r/README.md")))
if (length(readme)) {
  lines <- readLines(readme[1L])
  code <- lines[seq(match("```r", lines) + 1L, length.out = match("```", lines[-seq_len(match("```r", lines))]) - 1L)]
  dir.create(folder <- tempfile("readme-"))
  from <- setwd(folder)
  quiet(eval(parse(text = code[!grepl("modelsummary", code)]), new.env()))
  stopifnot(file.size("event_study.pdf") > 1000)
  setwd(from)
}
