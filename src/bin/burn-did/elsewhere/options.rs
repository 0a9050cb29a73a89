//! Options, and words for their values, by their names in other programs.

use std::ffi::OsString;

use clap::Command;

/// Names elsewhere, the option of a command that has it here, and how it is written.
const OPTIONS: &[(&[&str], &str, &str)] = &[
    (&["--xname", "--controls"], "xformla", "covariates are a formula, as in --xformla \"~ lpop\""),
    (&["--controls"], "xname", "covariates are a list of columns, as in --xname lpop"),
    (&["--first-treat", "--gvar"], "gname", FIRST_TREATED),
    (&["--dname", "--treat", "--treatment", "--treatname"], "gname", EVER_PERIOD),
    (&["--ivar"], "idname", "the column of units is named by --idname"),
    (
        &["--min-e"],
        "aggregate",
        "a window is part of an average, as in --aggregate dynamic:min_e=-2",
    ),
    (
        &["--max-e"],
        "aggregate",
        "a window is part of an average, as in --aggregate dynamic:max_e=5",
    ),
    (
        &["--window"],
        "aggregate",
        "a window is part of an average, as in --aggregate dynamic:min_e=-2,max_e=2",
    ),
    (
        &["--balance-e"],
        "aggregate",
        "a window is part of an average, as in --aggregate dynamic:balance_e=1",
    ),
    (
        &["--na-rm"],
        "aggregate",
        "averages leave out cells without an estimate by --aggregate dynamic:na_rm=true",
    ),
    (
        &["--level", "--ci-level", "--conf-level"],
        "alp",
        "the level is 1 less --alp: --alp 0.1 is for intervals of 90%",
    ),
    (&["--never", "--nevertreated"], "control-group", "add --control-group never_treated"),
    (&["--never", "--nevertreated"], "cgroup", "add --cgroup never"),
    (&["--notyet", "--notyettreated"], "control-group", "add --control-group not_yet_treated"),
    (&["--notyet", "--notyettreated"], "cgroup", "add --cgroup notyet"),
    (&["--long2"], "base-period", "add --base-period universal"),
    (
        &["--asinr"],
        "control-group",
        "leave it out: the cells before treatment have the controls that they have in R",
    ),
    (
        &["--robust", "--vce"],
        "clustervars",
        "leave it out: standard errors are robust to heteroskedasticity, and their clusters are named by --clustervars",
    ),
    (
        &["--reps", "--nboot"],
        "biters",
        "the number of draws is --biters, as in --boot --biters 999",
    ),
    (
        &["--wboot"],
        "multiplier",
        "the bootstrap is --boot, as in --boot --biters 999 --multiplier mammen",
    ),
    (&["--bstrap"], "boot", "the bootstrap is --boot, as in --boot --biters 999"),
    (&["--fe"], "absorb", "fixed effects are named by --absorb, as in --absorb firm,year"),
    (
        &["--fe", "--absorb"],
        "xformla",
        "leave it out: effects of units and periods are not in differences in differences; other factors are covariates, as in --xformla \"~ C(region)\"",
    ),
    (
        &["--trim", "--pscore-trim", "--pscoretrim"],
        "trim-level",
        "the bound is --trim-level, as in --trim-level 0.995",
    ),
    (
        &["--trim", "--pscore-trim", "--pscoretrim"],
        "est-method",
        "leave it out: comparison units with a propensity score of 0.995 or more have no weight, and that is no choice; `burn-did overlap` shows how many they are",
    ),
    (
        &["--saverif"],
        "influence",
        "--save fit.json keeps the fit, and --influence folder the influence values",
    ),
    (&["--if"], "rows", "rows are chosen by a condition, as in --rows \"year <= 2006\""),
    (
        &["--panel"],
        "repeated-cross-sections",
        "leave it out: data with --idname are a panel, and others take --repeated-cross-sections",
    ),
    (
        &["--out", "--output"],
        "save",
        "--save fit.json keeps the result; tables go to standard output, in the form that --format says",
    ),
];

const FIRST_TREATED: &str = "the column of first treated periods is named by --gname";
const EVER_PERIOD: &str = "the column of first treated periods is named by --gname; `burn-did panel first-treated --dname` makes it of a treatment in every period";

/// Words elsewhere for a value of an option, and what is written here.
const VALUES: &[(&str, &str, &str)] = &[
    ("est-method", "dripw", "`dripw` is --est-method dr, the default"),
    ("est-method", "stdipw", "`stdipw` is --est-method ipw"),
    (
        "est-method",
        "drimp",
        "`drimp` is for two periods: `burn-did drdid --estimator imp`; of many periods --est-method dr is the doubly robust one, Stata's dripw",
    ),
    ("estimator", "drimp", "`drimp` is --estimator imp, the default"),
    ("estimator", "dripw", "`dripw` is --estimator trad"),
    ("estimator", "stdipw", "`stdipw` is --estimator std_ipw"),
    ("estimator", "ipw", "`ipw` is --estimator ipw_horvitz_thompson"),
];

/// What to write instead of an option of a command.
pub(super) fn instead_of(
    option: &str,
    command: &str,
    parser: Option<&Command>,
    arguments: &[OsString],
) -> Option<&'static str> {
    let (regression, doses) =
        (matches!(command, "feols" | "sunab" | "etwfe"), command == "cont-did");
    let follows = |before: &str| {
        let pair = |pair: &[OsString]| pair[0] == before && pair[1] == option;
        arguments.windows(2).any(pair)
    };
    let has =
        |ours: &str| parser.is_some_and(|p| p.get_arguments().any(|a| a.get_long() == Some(ours)));
    match option {
        "--xformla" | "--covariates" | "--xname" | "--controls" if doses => {
            Some("a continuous treatment has no covariates; leave the option out")
        }
        "--repeated-cross-sections" if doses => {
            Some("a continuous treatment needs a panel; name its unit by --idname")
        }
        "--cluster" | "--clustervars" | "--clusters" if regression => {
            Some("clusters are part of --vcov, as in --vcov cluster:firm")
        }
        "--cluster" if has("clustervars") => Some(
            "the column of clusters is named by --clustervars; a cluster of machines needs a build with the feature `ballista`",
        ),
        "--robust" | "--se" if regression => Some("add --vcov hetero"),
        "--vce" if regression => Some("add --vcov hetero, or clusters as in --vcov cluster:firm"),
        "--absorb" | "--fe" if command == "feols" => {
            Some("fixed effects stand behind a bar of the formula, as in \"y ~ x | firm + year\"")
        }
        "--controls" if command == "feols" => {
            Some("controls are regressors of the formula, as in \"y ~ treated + x | firm + year\"")
        }
        value if !value.starts_with('-') && (follows("--boot") || follows("--bootstrap")) => {
            Some("--boot has no value; the number of draws is --biters, as in --boot --biters 999")
        }
        _ => {
            let written = option.replace('_', "-");
            let known = |(theirs, ours, _): &&(&[&str], &str, &str)| {
                theirs.contains(&&*written) && has(ours)
            };
            OPTIONS.iter().find(known).map(|(.., hint)| *hint)
        }
    }
}

/// What to write instead of a value of an option, which the parser shows as `--method <METHOD>`.
pub(super) fn instead_of_value(option: &str, value: &str) -> Option<&'static str> {
    let option = option.trim_start_matches('-').split(' ').next()?;
    let known = |(of, theirs, _): &&(&str, &str, &str)| *of == option && *theirs == value;
    VALUES.iter().find(known).map(|(.., hint)| *hint)
}
