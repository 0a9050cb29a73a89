//! What the library says, in the words of Python: its options and command lines by the arguments and functions that they are here.

/// Arguments by the options of the library: of several, the one that the function called has.
const ARGUMENTS: &[(&str, &[&str])] = &[
    ("averages", &["wtr"]),
    ("balanced_horizons", &["hbalance"]),
    ("base", &["pmd", "base"]),
    ("bootstrap draws", &["biters"]),
    ("bootstrap multiplier", &["multiplier"]),
    ("cluster", &["clustervars", "cluster"]),
    ("covariates", &["xformla", "xname"]),
    ("derivative_index", &["deriv_index"]),
    ("derivative_order", &["deriv_order"]),
    ("device", &["backend"]),
    ("devices", &["backend"]),
    ("dose", &["dname"]),
    ("draws", &["biters", "draws"]),
    ("eligible", &["pname"]),
    ("fixed_effects", &["first_stage"]),
    ("formula", &["fml"]),
    ("grid", &["x_eval", "dvals", "grid_lb` and `grid_ub"]),
    ("group", &["gname"]),
    ("horizons", &["horizon"]),
    ("instruments", &["wname"]),
    ("keep", &["keep", "strategy"]),
    ("keep_fixed_effects", &["fixef"]),
    ("keep_influence", &["influence", "inf_func"]),
    ("keep_residuals", &["residuals"]),
    ("knots", &["num_knots", "knots"]),
    ("label", &["labels"]),
    ("linear_trends", &["trends_lin"]),
    ("m", &["m_vec"]),
    ("method", &["est_method", "dose_est_method", "method"]),
    ("min_effective", &["minn"]),
    ("moderator", &["xvar"]),
    ("no_composition_changes", &["nocomp"]),
    ("outcome", &["yname"]),
    ("outcome_lags", &["dylags"]),
    ("placebos", &["placebo"]),
    ("post_window", &["kappa_post", "window"]),
    ("pre_window", &["kappa_pre", "window"]),
    ("predict_heterogeneity", &["predict_het"]),
    ("reference", &["ref_p", "tex_label"]),
    ("references", &["ref"]),
    ("regression", &["type"]),
    ("regressors", &["xname"]),
    ("resampling", &["boot_type"]),
    ("same_switchers_placebos", &["same_switchers_pl"]),
    ("size", &["width` and `height"]),
    ("slopes", &["slope"]),
    ("stable_periods", &["nonabsorbing_lag"]),
    ("sums", &["sum"]),
    ("target", &["target_parameter"]),
    ("time", &["tname"]),
    ("treatment", &["dname", "treatname"]),
    ("unit", &["idname"]),
    ("units", &["n"]),
    ("w_degree", &["k_w_degree"]),
    ("w_range", &["w_min` and `w_max"]),
    ("w_segments", &["k_w_segments"]),
    ("w_smooth", &["k_w_smooth"]),
    ("weights", &["weightsname", "weights"]),
    ("x_degree", &["j_x_degree"]),
    ("x_range", &["x_min` and `x_max"]),
    ("x_segments", &["j_x_segments"]),
];

/// What the library says of its options, and what that is in Python. A phrase stands before those that are part of it.
const PHRASES: &[(&str, &str)] = &[
    ("`panel::deduplicate` (`burn-did panel deduplicate`)", "`did.panel.deduplicate`"),
    ("`panel::first_treated`, `burn-did panel first-treated`,", "`did.panel.first_treated`"),
    ("`panel::first_treated` (`burn-did panel first-treated`)", "`did.panel.first_treated`"),
    ("`panel::balance`; `burn-did panel balance`", "`did.panel.balance`"),
    ("`TwfeWeights` (`burn-did twfe-weights`)", "`twfe_weights`"),
    ("`TwfeWeights`", "`twfe_weights`"),
    ("`DidMultiplegt` (`burn-did did-multiplegt`)", "`did_multiplegt`"),
    ("`DidMultiplegt`", "`did_multiplegt`"),
    ("`AttGt` and others", "`att_gt` and others"),
    (
        "`AttGt` with a universal base (`burn-did att-gt --base-period universal`)",
        "`att_gt` with `base_period=\"universal\"`",
    ),
    ("`SunAbraham` (`burn-did sunab`)", "`sunab`"),
    ("`LocalProjections` (`burn-did lpdid`)", "`lpdid`"),
    ("`Etwfe` against", "`etwfe` against"),
    ("`Imputation`", "`imputation`"),
    ("`keep_first`, `--keep-first`", "`keep_first=True`"),
    ("`missing_as_unknown`, `--missing-as-unknown`", "`missing_as_unknown=True`"),
    ("`first_observed`, `--first-observed`", "`first_observed=True`"),
    ("`missing_values`, `--na`", "`missing_values`"),
    ("`stable_periods` (`--nonabsorbing-lag`)", "`nonabsorbing_lag`"),
    ("`rank_periods` (`--rank-periods`)", "`rank_periods=True`"),
    ("(`keep`, `--keep`)", "(`strategy`)"),
    ("(`group`, `--gname`)", "(`gname`)"),
    ("`curve_errors` (--curve-errors) `hc1`", "`curve_errors=\"hc1\"`"),
    ("`weighting` (`--weighting`)", "`weighting=True`"),
    ("(`draws`, `--biters`)", "(`biters`)"),
    ("(`grid`, `--x-eval`)", "(`x_eval`)"),
    ("(`keep_scores`, `--save-scores`)", "(`keep_scores`)"),
    ("(`Data::in_pieces`, `--memory-budget`)", "(`memory_budget`)"),
    ("`--memory-budget`", "`memory_budget`"),
    ("leave out `Data::in_pieces`", "leave out `memory_budget`"),
    ("`allow_unbalanced_panel` (`--allow-unbalanced-panel`)", "`allow_unbalanced_panel=True`"),
    ("(`control_group`, `--cgroup never_treated`)", "(`cgroup=\"never\"`)"),
    ("`TwfeCells::Unit` (`--cells unit`)", "`cells=\"unit\"`"),
    ("`--decimal` (`DataFiles::decimal`)", "`decimal` of `DataFiles`"),
    ("`of_cells` (`--group`, `--time`)", "`weighting(group, time)`"),
    ("set (`--by-cohort`)", "True"),
    ("`Vcov::cluster([\"firm\"])`", "`vcov=\"cluster:firm\"`"),
    ("`Precision::F32`", "`precision=\"f32\"`"),
    (
        "`false`, or a directory for the values named (`Cluster::with_influence`, `--influence`), on a cluster",
        "False, or the path of a directory for the values, with an engine",
    ),
    (
        "(`Cluster::mixed`, `--mixed-arithmetic` allow for others)",
        "(an engine may allow for others)",
    ),
    ("(or choose repeated cross sections)", "(or `panel=False`)"),
    ("fit with `keep_fixed_effects`", "fit with `fixef=True`"),
    (
        "no treated row of the sample is at the reference event time ;",
        "`ref_p` must have an event time;",
    ),
    ("as `reference` (`--reference`)", "as `ref_p`"),
    ("as `reference`", "as `ref_p`"),
    ("(`pretrends`, `--pretrends all`)", "(`pretrends=True`)"),
    ("`normalized` (`--normalized`)", "`normalized`"),
    ("`predict_heterogeneity", "`predict_het"),
    ("`keep_influence`", "`influence`"),
    ("`w_degree`", "`k_w_degree`"),
    ("`w_segments`", "`k_w_segments`"),
    ("`w_smooth`", "`k_w_smooth`"),
    ("`cgroup` must be never_treated, not_yet_treated", "`cgroup` must be notyet, never"),
    ("`fe` must be unit, cohort", "`fe` must be vs, feo, none"),
    ("must be never_treated, not_yet_treated", "must be nevertreated, notyettreated"),
    ("must be doubly_robust, ipw, outcome_regression", "must be dr, ipw, reg"),
    (
        "must be doubly_robust_improved, doubly_robust, outcome_regression, ipw, ipw_horvitz_thompson, twfe",
        "must be imp, trad, reg, std_ipw, ipw_horvitz_thompson, twfe",
    ),
    ("must be fe_tr, fe_s, fd_tr, fd_s, fe_s_of_r", "must be feTR, feS, fdTR, fdS, fe_s_of_r"),
];

/// The argument for an option of the library, of a function with these arguments.
pub(crate) fn argument<'a>(option: &'a str, called: &[String]) -> &'a str {
    let has = |name: &str| {
        let first = name.split('`').next().unwrap_or(name);
        called.iter().any(|argument| argument == first)
    };
    let Some((_, arguments)) = ARGUMENTS.iter().find(|(of, _)| *of == option) else {
        return option;
    };
    if has(option) {
        return option;
    }
    arguments.iter().find(|name| has(name)).or(arguments.first()).copied().unwrap_or(option)
}

/// What the library says, with what it names by the names of Python.
pub(crate) fn in_python(text: &str) -> String {
    let mut said = text.to_owned();
    for (theirs, ours) in PHRASES {
        if said.contains(theirs) {
            said = said.replace(theirs, ours);
        }
    }
    without_conditions(named_words(said))
}

/// A text in which a word that is to be named as missing stands in a list.
fn named_words(mut text: String) -> String {
    const NAMED: &str = "`missing_values`, `--na ";
    while let Some((before, after)) = text.split_once(NAMED) {
        let Some((word, rest)) = after.split_once('`') else { break };
        let inside = word.strip_prefix('\'').and_then(|word| word.strip_suffix('\''));
        let word = inside.map_or_else(|| word.to_owned(), |word| word.replace(r"'\''", "'"));
        text = format!("{before}`missing_values=[\"{word}\"]`{rest}");
    }
    text
}

/// A text without the conditions on rows that a command is given in it: frames are filtered by their own libraries.
fn without_conditions(text: String) -> String {
    let Some((before, after)) = text.split_once(" with `--rows ") else { return text };
    let rest = after.split_once('`').map_or("", |(_, rest)| rest);
    format!("{before}{rest}")
}

/// That an option must be something and is not, of a function with these arguments.
pub(crate) fn refused(option: &str, expected: &str, got: &str, called: &[String]) -> String {
    let has = |name: &str| called.iter().any(|argument| argument == name);
    let word = |got: &str| match got {
        "never_treated" => "nevertreated".to_owned(),
        "not_yet_treated" => "notyettreated".to_owned(),
        got => got.to_owned(),
    };
    let say = |name: &str, expected: &str| {
        in_python(&format!("`{name}` must be {expected}, got {}", word(got)))
    };
    match (option, expected) {
        ("effect", at) if at.starts_with("an event time") => say("event_time", at),
        ("effect", weights) if has("l_vec") => say("l_vec", weights),
        ("derivative_index", _) => {
            let counted = got.parse::<usize>().map_or(got.to_owned(), |at| (at + 1).to_string());
            let expected = "the position of a regressor, counted from 1";
            format!("`deriv_index` must be {expected}, got {counted}")
        }
        ("cells", expected) if !has("cells") => say("group` and `time", expected),
        ("group", either) if either.contains("`treatment`") && !has("dname") => {
            say("gname", "the column of first treated periods")
        }
        // What is in quotes are values, of which one is the name of an option, too.
        ("aggregation", values) => say("aggregation", values),
        ("name", _) if !has("name") => {
            format!("the data have a column {got} already; rename it, or leave it out first")
        }
        ("control_group", expected) => match expected.strip_suffix(" and a column of numbers") {
            None => say("control_group", expected),
            Some(cohorts) => {
                let cohorts = say("control_group", cohorts);
                format!("`xname` must have a column of numbers, and {cohorts}")
            }
        },
        (option, expected) => say(argument(option, called), &options_in(expected, called)),
    }
}

/// A text whose options in quotes are those of Python.
fn options_in(text: &str, called: &[String]) -> String {
    let parts = text.split('`').enumerate();
    let parts = parts.map(|(at, part)| if at % 2 == 1 { argument(part, called) } else { part });
    parts.collect::<Vec<_>>().join("`")
}

/// The columns that a message names as such, each once.
pub(crate) fn columns_in(message: &str) -> Vec<String> {
    let mut columns: Vec<String> = Vec::new();
    let mut add = |name: &str| {
        if !columns.iter().any(|known| known == name) {
            columns.push(name.to_owned());
        }
    };
    for (at, start) in message.match_indices("column `") {
        if let Some((name, _)) = message[at + start.len()..].split_once('`') {
            add(name);
        }
    }
    let differing = message.split_once("rows that differ (").and_then(|(_, of)| of.split_once(')'));
    if let Some((listed, _)) = differing {
        listed.split('`').skip(1).step_by(2).for_each(add);
    }
    columns
}
