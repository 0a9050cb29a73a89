//! What must hold of any data.

use burn_did::imputation::{PretrendTimes, StageTerm};
use burn_did::{DidError, Imputation, ImputationResult};

use super::{imputation, near, of, random};
use crate::support::but;
use crate::support::frames::{floats, map, permutation, rows, with};

fn weighted() -> Imputation {
    let mut config = imputation();
    config.weights = Some("w".into());
    config.covariates = "~ x".into();
    config.groups = true;
    config
}

/// Estimates and standard errors of all effects.
fn numbers(fit: &ImputationResult) -> Vec<(Option<f64>, Option<f64>)> {
    fit.effects.rows.iter().map(|row| (row.estimate.estimate, row.estimate.se)).collect()
}

#[track_caller]
fn same(a: &ImputationResult, b: &ImputationResult, scale: f64) {
    assert_eq!(a.effects.rows.len(), b.effects.rows.len());
    for (a, b) in a.effects.rows.iter().zip(&b.effects.rows) {
        let size = b.estimate.estimate.unwrap_or_default().abs() + 1e-2 * scale;
        let pairs = [(a.estimate.estimate, b.estimate.estimate), (a.estimate.se, b.estimate.se)];
        for (a, b) in pairs {
            assert_eq!(a.is_some(), b.is_some());
            let Some((a, b)) = a.zip(b) else { continue };
            assert!((a - scale * b).abs() <= 1e-9 * scale * size, "{a} {b}");
        }
    }
}

#[test]
fn the_order_of_rows_changes_no_bit() {
    for seed in [1, 2, 7] {
        let df = random(seed);
        let fit = weighted().fit(&df).unwrap();
        let shuffled = rows(&df, &permutation(df.height(), seed));
        let again = weighted().fit(&shuffled).unwrap();
        assert_eq!(numbers(&fit), numbers(&again));
        assert_eq!(fit.effects.vcov, again.effects.vcov);
    }
}

#[test]
fn a_weight_of_two_is_a_unit_twice() {
    let df = random(3);
    let twos: Vec<f64> = floats(&df, "id").iter().map(|id| 1.0 + (id % 2.0)).collect();
    let by_weight = with(&df, "w", twos.clone());
    let again: Vec<usize> = (0..df.height()).filter(|row| twos[*row] > 1.0).collect();
    let again = rows(&df, &again);
    let old = floats(&again, "id");
    let copies = with(&again, "id", old.iter().map(|id| id + 1000.0).collect::<Vec<f64>>());
    let own = with(&df, "own", floats(&df, "id"));
    let twice = own.vstack(&with(&copies, "own", old)).unwrap();
    let mut config = weighted();
    config.pretrends = PretrendTimes::None;
    let weights = config.fit(&by_weight).unwrap();
    config.weights = None;
    config.cluster = Some("own".into());
    let rows = config.fit(&twice).unwrap();
    same(&weights, &rows, 1.0);
}

#[test]
fn units_of_the_outcome_and_of_weights_do_not_matter() {
    for seed in [1, 4] {
        let df = random(seed);
        let fit = weighted().fit(&df).unwrap();
        same(&weighted().fit(map(&df, "y", |y| 1e6 * y)).unwrap(), &fit, 1e6);
        same(&weighted().fit(map(&df, "y", |y| y + 1e4)).unwrap(), &fit, 1.0);
        same(&weighted().fit(map(&df, "w", |w| 1e-7 * w)).unwrap(), &fit, 1.0);
        same(&weighted().fit(map(&df, "x", |x| 1e5 - 3.0 * x)).unwrap(), &fit, 1.0);
    }
}

/// What unit and period effects and covariates make of an outcome has no effect, and a constant effect is found.
#[test]
fn outcomes_that_the_regression_makes_have_the_effects_that_they_were_given() {
    let df = random(6);
    let [id, t, g, x] = ["id", "t", "g", "x"].map(|name| floats(&df, name));
    let y = |row: usize| {
        let effect = if g[row] > 0.0 && t[row] >= g[row] { 3.0 } else { 0.0 };
        (0.3 * id[row]).sin() + 0.2 * t[row] * t[row] - 0.7 * x[row] + effect
    };
    let df = with(&df, "y", (0..df.height()).map(y).collect::<Vec<f64>>());
    let fit = weighted().fit(&df).unwrap();
    for row in &fit.effects.rows {
        let before = matches!(row.term, StageTerm::EventTime(at) if at < 0.0);
        let expected = if before { 0.0 } else { 3.0 };
        let Some(estimate) = row.estimate.estimate else { continue };
        assert!((estimate - expected).abs() < 1e-9, "{row:?}");
        assert!(row.estimate.se.is_none_or(|se| se < 1e-9));
    }
}

#[test]
fn averages_by_event_time_and_group_average_to_that_of_all() {
    for seed in [2, 8, 9] {
        let mut config = imputation();
        config.groups = true;
        let fit = config.fit(random(seed)).unwrap();
        let overall = of(&fit.effects, &StageTerm::Overall).0;
        let mean = |is: fn(&StageTerm) -> bool| {
            let rows = || fit.effects.rows.iter().filter(|row| is(&row.term));
            let sum: f64 = rows().map(|r| r.rows as f64 * r.estimate.estimate.unwrap()).sum();
            sum / rows().map(|r| r.rows as f64).sum::<f64>()
        };
        near(mean(|term| matches!(term, StageTerm::EventTime(at) if *at >= 0.0)), overall, 1e-10);
        near(mean(|term| matches!(term, StageTerm::Group(_))), overall, 1e-10);
    }
}

#[test]
fn weights_of_one_average_to_the_effect_on_all_and_their_sum_is_not_divided() {
    let df = random(4);
    let df = with(&df, "a", vec![1.0; df.height()]);
    let mut config = imputation();
    config.averages = vec!["a".into()];
    let fit = config.fit(&df).unwrap();
    let average = StageTerm::Average("a".into());
    let overall = of(&fit.effects, &StageTerm::Overall);
    let own = of(&fit.effects, &average);
    near(own.0, overall.0, 1e-12);
    near(own.1, overall.1, 1e-12);
    config.sums = true;
    let sum = of(&config.fit(&df).unwrap().effects, &average);
    near(sum.0, overall.0 * fit.effects.settings.n_treated as f64, 1e-12);
    // A sum has the sampling weights as they are; an average does not depend on their scale.
    config.weights = Some("w".into());
    let of_weights = |scale: f64, config: &Imputation| {
        of(&config.fit(map(&df, "w", |w| scale * w)).unwrap().effects, &average)
    };
    let weighted = of_weights(1.0, &config);
    let ten = of_weights(10.0, &config);
    near(ten.0, 10.0 * weighted.0, 1e-12);
    near(ten.1, 10.0 * weighted.1, 1e-12);
    let unsummed = but(config.clone(), |c| c.sums = false);
    let total: f64 = {
        let [w, g, t] = ["w", "g", "t"].map(|name| floats(&df, name));
        let imputed = config.fit(&df).unwrap().effects.settings.n_treated;
        let treated = (0..w.len()).filter(|i| g[*i] > 0.0 && t[*i] >= g[*i]);
        assert_eq!(treated.clone().count(), imputed);
        treated.map(|i| w[i]).sum()
    };
    near(weighted.0, total * of_weights(1.0, &unsummed).0, 1e-12);
    config.weights = None;
    // A sum rests on as many rows as its average.
    config.min_effective = fit.effects.settings.n_treated as f64 - 0.5;
    near(of(&config.fit(&df).unwrap().effects, &average).0, sum.0, 1e-12);
}

/// As in Stata, whose remedy is a sum, too.
#[test]
fn averages_have_no_negative_weights() {
    let df = random(4);
    let signs: Vec<f64> =
        (0..df.height()).map(|row| if row % 7 == 3 { -1.0 } else { 1.0 }).collect();
    let df = with(&df, "a", signs);
    let config = but(imputation(), |c| c.averages = vec!["a".into()]);
    let error = config.fit(&df).unwrap_err();
    assert!(matches!(&error, DidError::Negative { column, .. } if column == "a"), "{error}");
    assert!(error.to_string().contains("only a sum"), "{error}");
    assert!(but(config, |c| c.sums = true).fit(&df).is_ok());
}

#[test]
fn balanced_horizons_average_the_units_that_have_all() {
    let df = random(7);
    let mut config = imputation();
    config.horizons = Some(vec![0.0, 1.0, 2.0]);
    config.pretrends = PretrendTimes::None;
    config.balanced_horizons = true;
    let fit = config.fit(&df).unwrap();
    let counts: Vec<usize> = fit
        .effects
        .rows
        .iter()
        .filter(|row| matches!(row.term, StageTerm::EventTime(_)))
        .map(|row| row.rows)
        .collect();
    assert!(counts.len() == 3 && counts[0] > 0 && counts.iter().all(|n| *n == counts[0]));
    config.balanced_horizons = false;
    let all = config.fit(&df).unwrap();
    let first = all.effects.get(&StageTerm::EventTime(0.0)).unwrap().rows;
    assert!(first > counts[0]);
    // With weights that change, horizons would not be averages of these units alike.
    config.balanced_horizons = true;
    config.weights = Some("w".into());
    let changing = config.fit(&df).unwrap();
    let at_zero = changing.effects.get(&StageTerm::EventTime(0.0)).unwrap();
    assert_eq!(at_zero.estimate.estimate, None);
    assert!(at_zero.reason.as_ref().unwrap().contains("weights of units change"));
    assert!(changing.effects.get(&StageTerm::Overall).unwrap().estimate.estimate.is_some());
}

/// Influence values give the covariance, and sum to zero without weights.
#[test]
fn kept_influence_values_give_the_covariance() {
    let mut config = imputation();
    config.keep_influence = true;
    let fit = config.fit(random(8)).unwrap();
    let influence = fit.influence.as_ref().unwrap();
    let n = influence.units.len() as f64;
    assert_eq!(influence.units.len(), fit.effects.settings.n_units);
    for (name, column) in influence.names.iter().zip(&influence.columns) {
        let row = fit.effects.rows.iter().find(|row| match &row.term {
            StageTerm::Overall => name == "overall",
            StageTerm::EventTime(at) => *name == at.to_string(),
            _ => false,
        });
        let row = row.unwrap_or_else(|| panic!("{name}"));
        let Some(se) = row.estimate.se else { continue };
        near(column.iter().map(|v| v * v).sum::<f64>().sqrt() / n, se, 1e-12);
        if !matches!(row.term, StageTerm::EventTime(at) if at < 0.0) {
            assert!((column.iter().sum::<f64>() / n).abs() < 1e-9 * se * n.sqrt(), "{name}");
        }
    }
}
