//! Tables 2, 3, 5 and 6: means and regressions.

use serde_json::{Value, json};

use super::{COVARIATES, NAMES, WEIGHTED, files, number, published, rounds_to};
use crate::run::parsed;

/// The document of a regression with standard errors clustered by county.
fn regression(file: &str, formula: &str, weighted: bool) -> Value {
    let mut args = vec!["feols", file, formula, "--vcov", "cluster:county_code"];
    args.extend(WEIGHTED.iter().filter(|_| weighted));
    args.extend(["--format", "json", "--quiet"]);
    parsed(&args)
}

fn coefficient<'a>(fit: &'a Value, name: &str) -> &'a Value {
    let all = fit["coefficients"].as_array().unwrap();
    all.iter().find(|c| c["term"] == name).unwrap_or_else(|| panic!("no {name}: {all:?}"))
}

/// A coefficient and its standard error, as printed.
fn prints(what: &str, fit: &Value, name: &str, printed: &Value, digits: i32) {
    let found = coefficient(fit, name);
    rounds_to(&format!("{what}, {name}"), &found["estimate"], &printed[0], digits);
    rounds_to(&format!("{what}, s.e. of {name}"), &found["se"], &printed[1], digits);
}

/// `~ x1 + x2` as further regressors.
fn with_covariates(formula: &str) -> String {
    format!("{formula} + {}", COVARIATES.trim_start_matches("~ "))
}

#[test]
fn table_2_has_the_means_of_both_groups_in_both_years() {
    for (key, weighted) in [("unweighted", false), ("weighted", true)] {
        let printed = &published()["table2"][key];
        let fit = regression(&files().two, "crude_rate_20_64 ~ 0 + i(year, i.Treat)", weighted);
        let mean = |year: i32, treat: i32| {
            number(&coefficient(&fit, &format!("year::{year}:Treat::{treat}"))["estimate"])
        };
        let group = |treat: i32| {
            let [before, after] = [mean(2013, treat), mean(2014, treat)];
            [before, after, after - before]
        };
        let (none, expansion) = (group(0), group(1));
        for row in 0..3 {
            let gap = expansion[row] - none[row];
            for (column, got) in [("none", none[row]), ("expansion", expansion[row]), ("gap", gap)]
            {
                rounds_to(&format!("{key}, {column}"), &json!(got), &printed[column][row], 1);
            }
        }
    }
}

#[test]
fn table_3_has_one_effect_by_three_regressions() {
    let printed = &published()["table3"];
    for (weighted, first) in [(false, 0), (true, 3)] {
        let levels = "crude_rate_20_64 ~ Treat + Post + Treat:Post";
        let fit = regression(&files().two, levels, weighted);
        for (name, row) in [
            ("(Intercept)", "constant"),
            ("Treat", "treat"),
            ("Post", "post"),
            ("Treat:Post", "did"),
        ] {
            prints("levels", &fit, name, &printed[row][first], 1);
        }
        let two_way = "crude_rate_20_64 ~ Treat:Post | county_code + year";
        let fit = regression(&files().two, two_way, weighted);
        prints("two-way", &fit, "Treat:Post", &printed["did"][first + 1], 1);
        let fit = regression(&files().changes, "change ~ Treat", weighted);
        prints("change", &fit, "(Intercept)", &printed["constant"][first + 2], 1);
        prints("change", &fit, "Treat", &printed["did"][first + 2], 1);
    }
}

#[test]
fn table_5_adds_covariates() {
    for (key, weighted) in [("unweighted", false), ("weighted", true)] {
        let printed = &published()["table5"][key];
        let changes = NAMES.map(|name| format!("d_{name}")).join(" + ");
        let none = "change ~ Treat".to_owned();
        let formulas = [none.clone(), with_covariates(&none), format!("{none} + {changes}")];
        for (column, formula) in formulas.iter().enumerate() {
            let fit = regression(&files().changes, formula, weighted);
            prints(key, &fit, "Treat", &printed[column], 2);
        }
    }
}

#[test]
fn table_6_has_the_outcome_regressions() {
    for (key, weighted) in [("unweighted ols", false), ("weighted ols", true)] {
        let printed = &published()["table6"][key];
        let fit = regression(&files().untreated, &with_covariates("change ~ 1"), weighted);
        for (row, name) in ["(Intercept)"].into_iter().chain(NAMES).enumerate() {
            prints(key, &fit, name, &printed[row], 2);
        }
    }
}

#[test]
fn table_6_has_the_propensity_scores() {
    for (key, weighted) in [("unweighted logit", false), ("weighted logit", true)] {
        let printed = &published()["table6"][key];
        let formula = with_covariates("Treat ~ 1");
        let mut args = vec!["feols", &files().changes, &formula, "--family", "logit"];
        args.extend(["--vcov", "cluster:county_code", "--format", "json", "--quiet"]);
        args.extend(WEIGHTED.iter().filter(|_| weighted));
        let fit = parsed(&args);
        for (row, name) in ["(Intercept)"].into_iter().chain(NAMES).enumerate() {
            prints(key, &fit, name, &printed[row], 2);
        }
    }
}
