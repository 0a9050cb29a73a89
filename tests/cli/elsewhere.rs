//! Words of other programs: what is said instead, and that it works when it is typed.

use crate::run::*;

/// What is said of a command line that the parser refuses, without a proposal of its own.
#[track_caller]
fn told(args: &[&str]) -> String {
    let message = failure(2, args);
    assert!(!message.contains("tip:"), "{message}");
    message
}

#[track_caller]
fn says(args: &[&str], words: &str) {
    let message = told(args);
    assert!(message.contains(words), "{words} is missing in: {message}");
}

#[test]
fn commands_of_stata_and_r_are_known() {
    for (theirs, said) in [
        ("csdid2", "`burn-did att-gt`\n"),
        ("logit", "`burn-did feols`, with --family logit"),
        ("ppmlhdfe", "`burn-did feols`, with --family poisson"),
        (
            "areg",
            "`burn-did feols`, with fixed effects behind a bar, as in \"y ~ x | firm + year\"",
        ),
        ("xtdidregress", "\"y ~ treated | unit + year\" --vcov cluster:unit"),
        ("didregress", "\"y ~ treated | group + year\" --vcov cluster:group"),
        ("did_multiplegt_dyn", "`burn-did did-multiplegt`\n"),
        ("eventstudyinteract", "`burn-did sunab`\n"),
        ("event_plot", "`burn-did plot`, of results that --save wrote"),
        ("esttab", "`burn-did compare`, of results that --save wrote"),
        ("estat", "`burn-did aggregate fit.json --aggregate dynamic`"),
        ("twfe", "`burn-did feols`, with fixed effects of units and periods"),
    ] {
        says(&[theirs, MPDTA], said);
    }
    // What nothing here is near to has no proposal.
    for theirs in ["sdid", "test", "staggered"] {
        let message = told(&[theirs, MPDTA]);
        assert!(!message.contains("hint:"), "{message}");
    }
}

#[test]
fn options_of_stata_and_r_are_known() {
    for (option, said) in [
        (&["--level", "90"][..], "--alp 0.1 is for intervals of 90%"),
        (&["--never"], "add --control-group never_treated"),
        (&["--notyet"], "add --control-group not_yet_treated"),
        (&["--robust"], "leave it out: standard errors are robust to heteroskedasticity"),
        (&["--reps", "999"], "--boot --biters 999"),
        (&["--wboot"], "--boot --biters 999 --multiplier mammen"),
        (&["--window", "-2,2"], "--aggregate dynamic:min_e=-2,max_e=2"),
        (&["--controls", "lpop"], "--xformla \"~ lpop\""),
        (&["--fe", "region"], "--xformla \"~ C(region)\""),
        (&["--absorb", "region"], "leave it out"),
        (&["--trim", "0.9"], "propensity score of 0.995 or more have no weight"),
        (&["--long2"], "add --base-period universal"),
        (&["--asinr"], "leave it out: the cells before treatment"),
        (&["--if", "year<2006"], "--rows \"year <= 2006\""),
        (&["--out", "x.csv"], "--save fit.json"),
        (&["--panel", "false"], "--repeated-cross-sections"),
        (&["--saverif", "x"], "--influence folder"),
        (&["--method", "dripw"], "`dripw` is --est-method dr, the default"),
        (&["--method", "stdipw"], "`stdipw` is --est-method ipw"),
        (&["--method", "drimp"], "`burn-did drdid --estimator imp`"),
    ] {
        says(&mpdta(option), said);
    }
    let of = |command: &'static str| [&[command, MPDTA][..], &COLUMNS].concat();
    says(
        &[&of("bacon")[..], &["--dname", "treat"]].concat(),
        "`burn-did panel first-treated --dname`",
    );
    says(&[&of("bacon")[..], &["--controls", "lpop"]].concat(), "as in --xname lpop");
    says(&[&of("imputation")[..], &["--controls", "lpop"]].concat(), "--xformla \"~ lpop\"");
    says(&[&of("imputation")[..], &["--fe", "year"]].concat(), "named by --absorb");
    says(&[&of("etwfe")[..], &["--notyet"]].concat(), "add --cgroup notyet");
    says(&[&of("sunab")[..], &["--vce", "robust"]].concat(), "add --vcov hetero");
    says(&["feols", MPDTA, "lemp ~ lpop", "--absorb", "year"], "\"y ~ x | firm + year\"");
}

#[test]
fn what_is_said_works() {
    for more in [
        &["--alp", "0.1"][..],
        &["--control-group", "never_treated"],
        &["--control-group", "not_yet_treated"],
        &["--boot", "--biters", "99", "--multiplier", "mammen"],
        &["--aggregate", "dynamic:min_e=-2,max_e=2"],
        &["--base-period", "universal"],
        &["--rows", "year <= 2006"],
        &["--est-method", "dr"],
        &["--est-method", "ipw"],
    ] {
        stdout(&mpdta(&[more, &["--quiet"]].concat()));
    }
    let etwfe = [&["etwfe", MPDTA][..], &COLUMNS, &["--cgroup", "notyet"]].concat();
    stdout(&etwfe);
    for formula in ["lemp ~ treat * lpop | year", "lemp ~ treat:lpop + I(lpop^2) | year"] {
        stdout(&["feols", MPDTA, formula]);
    }
    // Covariates in these words are understood, whether or not these data have enough of them.
    for formula in ["~ C(treat)", "~ lpop + I(lpop^2)"] {
        assert_ne!(burn_did(&mpdta(&["--xformla", formula])).status.code(), Some(2));
    }
}

#[test]
fn names_that_are_near_are_still_proposed() {
    for (option, near) in
        [("--agg", "--aggregate"), ("--rseed", "--seed"), ("--pweight", "--weights")]
    {
        let message = failure(2, &mpdta(&[option, "1"]));
        assert!(message.contains(&format!("exists: '{near}'")), "{message}");
    }
    let message = failure(2, &["ploy", MPDTA]);
    assert!(message.contains("exists: 'plot'"), "{message}");
    // Without a proposal the usage is that of the command.
    let message = told(&mpdta(&["--zzlevel", "90"]));
    assert!(message.contains("Usage: burn-did att-gt "), "{message}");
}

#[test]
fn operators_of_stata_stand_for_other_columns() {
    let feols = |formula| burn_did(&["feols", MPDTA, formula]);
    let said = |formula| text(&feols(formula).stderr).to_owned();
    let lag = said("lemp ~ L.lpop | year");
    assert!(lag.contains("(`burn-did panel lag`) makes the column `lpop_lag1`"), "{lag}");
    let change = said("lemp ~ D.lpop | year");
    assert!(
        change.contains("`burn-did panel difference`") && !change.contains("did you mean"),
        "{change}"
    );
    for formula in ["lemp ~ treat##lpop", "lemp ~ c.lpop#c.lpop"] {
        let message = said(formula);
        assert!(message.contains("write `a:b` for `a#b`, `a * b` for `a##b`"), "{message}");
    }
    let made = temporary("lagged.parquet");
    let keys = ["--idname", "countyreal", "--tname", "year", "--columns", "lemp", "--out", &made];
    burn_did(&[&["panel", "lag", MPDTA][..], &keys].concat());
    stdout(&["feols", &made, "lemp ~ lemp_lag1 | year"]);
}

#[test]
fn formulas_stand_without_an_option() {
    for option in ["--formula", "--fml", "--vcvo"] {
        let message = failure(2, &["feols", MPDTA, option, "lemp ~ lpop"]);
        assert!(message.contains("formulas stand without an option"), "{message}");
    }
    stdout(&["feols", MPDTA, "-lemp ~ lpop"]);
}
