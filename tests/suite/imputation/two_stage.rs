//! What holds of the second stage.

use burn_did::imputation::{PretrendTimes, StageTerm};
use burn_did::{DidError, DidWarning, Honest, SavedResult, TwoStage, TwoStageResult, data};

use super::dense::{Rows, by_cluster, configured, dot, models};
use super::{imputation, near, of, random, two_stage};
use crate::support::frames::{filter, floats, with};

#[test]
fn covariances_of_both_stages_are_those_of_a_dense_program() {
    let mut compared = 0;
    for seed in 1..=6 {
        let df = random(seed);
        for (index, model) in models().into_iter().enumerate() {
            let rows = Rows::new(&df, &model);
            if !rows.treated.contains(&true) {
                continue;
            }
            let of_imputation = configured(&model);
            let mut config = two_stage();
            config.fixed_effects = of_imputation.fixed_effects.clone();
            config.trends = model.trends;
            config.covariates = of_imputation.covariates.clone();
            config.weights = of_imputation.weights.clone();
            config.cluster = of_imputation.cluster.clone();
            config.groups = true;
            config.second_stage = Some("~ x + a".into());
            let fit = config.fit(&df).unwrap();
            let imputed = of_imputation.fit(&df).unwrap();
            let basis = rows.basis();
            let u = rows.residuals(&basis);
            let influence = |p: &[f64], fitted: &dyn Fn(usize) -> f64| -> Vec<f64> {
                let v = rows.weights(&basis, p);
                let part = |row: usize| {
                    let first = if rows.treated[row] { 0.0 } else { (v[row] - p[row]) * u[row] };
                    p[row] * (u[row] - fitted(row)) + first
                };
                by_cluster(&rows, &(0..rows.n).map(part).collect::<Vec<f64>>())
            };
            for effect in &fit.effects.rows {
                let value = effect.estimate.estimate.unwrap();
                let is_meant = |row: usize| match &effect.term {
                    StageTerm::Overall => rows.treated[row],
                    StageTerm::EventTime(at) => rows.time[row] - rows.group[row] == *at,
                    StageTerm::Group(group) => rows.treated[row] && rows.group[row] == *group,
                    _ => false,
                };
                if let StageTerm::Coefficient(_) = effect.term {
                    continue;
                }
                let p = rows.mean(is_meant);
                near(value, dot(&p, &u), 1e-8);
                let psi = influence(&p, &|_| value);
                if let Some(se) = effect.estimate.se {
                    near(se, dot(&psi, &psi).sqrt(), 1e-8);
                    compared += 1;
                }
                // After treatment they are the estimates of imputation.
                let Some(same) = imputed.effects.get(&effect.term) else { continue };
                near(value, same.estimate.estimate.unwrap(), 1e-10);
            }
            // The formula, by the normal equations of two columns.
            let x: Vec<f64> = match model.covariate {
                // The covariate is the last column of the first stage.
                true => rows.z.iter().map(|z| z[z.len() - 1]).collect(),
                false => continue,
            };
            let product = |a: &[f64], b: &[f64]| -> f64 {
                (0..rows.n).map(|row| rows.w[row] * a[row] * b[row]).sum()
            };
            let (xx, xa, aa) = (product(&x, &x), product(&x, &rows.a), product(&rows.a, &rows.a));
            let det = xx * aa - xa * xa;
            let bread = [[aa / det, -xa / det], [-xa / det, xx / det]];
            let p = |k: usize| -> Vec<f64> {
                let of =
                    |row: usize| rows.w[row] * (bread[k][0] * x[row] + bread[k][1] * rows.a[row]);
                (0..rows.n).map(of).collect()
            };
            let b = [dot(&p(0), &u), dot(&p(1), &u)];
            let fitted = |row: usize| b[0] * x[row] + b[1] * rows.a[row];
            for (k, name) in ["x", "a"].into_iter().enumerate() {
                let (value, se) = of(&fit.effects, &StageTerm::Coefficient(name.into()));
                near(value, b[k], 1e-8);
                let psi = influence(&p(k), &fitted);
                near(se, dot(&psi, &psi).sqrt(), 1e-8);
                compared += 1;
            }
            assert!(index < 6);
        }
    }
    assert!(compared > 200, "{compared}");
}

/// A target that is one group in one period has no heterogeneity, so that both have one standard error.
#[test]
fn one_cell_has_the_standard_error_of_imputation() {
    let df = super::written::frame();
    let last = StageTerm::EventTime(3.0);
    let mut config = imputation();
    config.pretrends = PretrendTimes::None;
    let a = of(&config.fit(&df).unwrap().effects, &last);
    let b = of(&two_stage().fit(&df).unwrap().effects, &last);
    near(a.0, b.0, 1e-12);
    near(a.1, b.1, 1e-12);
}

#[test]
fn groups_average_to_the_coefficient_of_treatment() {
    for seed in [1, 5] {
        let mut config = two_stage();
        config.groups = true;
        let fit = config.fit(random(seed)).unwrap();
        let of_groups =
            || fit.effects.rows.iter().filter(|row| matches!(row.term, StageTerm::Group(_)));
        let sum: f64 = of_groups().map(|r| r.rows as f64 * r.estimate.estimate.unwrap()).sum();
        let rows: f64 = of_groups().map(|row| row.rows as f64).sum();
        near(sum / rows, of(&fit.effects, &StageTerm::Overall).0, 1e-10);
    }
}

#[test]
fn a_reference_moves_no_other_coefficient() {
    let df = random(2);
    let all = two_stage().fit(&df).unwrap();
    let mut config = two_stage();
    config.references = vec![-1.0];
    let without = config.fit(&df).unwrap();
    assert_eq!(without.effects.references, [-1.0]);
    for row in &without.effects.rows {
        assert_eq!(Some(row), all.effects.get(&row.term));
    }
    let study = without.event_study();
    assert!(study.rows.iter().any(|row| row.reference && row.at == -1.0));
    // And the one base of sensitivity analyses is the same.
    assert_eq!(
        study.universal_base().coefficients(),
        all.event_study().universal_base().coefficients()
    );
}

/// A formula of indicators of event times is the event study.
#[test]
fn a_formula_of_event_times_is_the_event_study() {
    let df = random(7);
    let mut config = two_stage();
    config.second_stage = Some("~ i(rel, ref = 1000)".into());
    let fit = config.fit(&df).unwrap();
    let mut found = 0;
    for row in &fit.effects.rows {
        let StageTerm::Coefficient(name) = &row.term else { continue };
        let at: f64 = name.rsplit("::").next().unwrap().parse().unwrap();
        let (value, se) = of(&fit.effects, &StageTerm::EventTime(at));
        near(row.estimate.estimate.unwrap(), value, 1e-9);
        near(row.estimate.se.unwrap(), se, 1e-8);
        found += 1;
    }
    assert!(found > 3, "{found}");
}

fn fitted() -> TwoStageResult {
    let config = TwoStage::builder().outcome("lemp").unit("countyreal").time("year");
    config.group("first.treat").build().fit(data::mpdta()).unwrap()
}

#[test]
fn results_are_shown_saved_and_analysed() {
    let fit = fitted();
    let shown = fit.to_string();
    for words in [
        "Two-Stage Estimator",
        "of both stages (GMM), clustered by countyreal (500 clusters)",
        "Before treatment: means of what the first stage leaves",
    ] {
        assert!(shown.contains(words), "{words} is not in\n{shown}");
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fit.json");
    fit.save(&path).unwrap();
    let SavedResult::TwoStage(loaded) = SavedResult::load(&path).unwrap() else { panic!() };
    assert_eq!(*loaded, fit);
    let honest = fit.event_study().honest(Honest::relative_magnitude().m_bar([0.5, 1.0])).unwrap();
    assert!(honest.intervals[1].lower < honest.intervals[0].lower);
}

#[test]
fn second_stages_that_cannot_be_are_refused() {
    let df = random(3);
    let zero = with(&df, "zero", vec![0.0; df.height()]);
    let mut config = two_stage();
    config.second_stage = Some("~ zero".into());
    assert!(matches!(config.fit(&zero), Err(DidError::AllCollinear { .. })));
    config.second_stage = Some("~ x + x2".into());
    let double = with(&df, "x2", floats(&df, "x").iter().map(|x| 2.0 * x).collect::<Vec<f64>>());
    let fit = config.fit(&double).unwrap();
    let expected = DidWarning::CollinearRegressors { columns: vec!["x2".into()] };
    assert!(fit.effects.warnings.contains(&expected));
    config.second_stage = Some("~ 1".into());
    let constant = config.fit(&df).unwrap_err().to_string();
    assert!(constant.contains("`second_stage`") && constant.ends_with("got 1"), "{constant}");
    config.second_stage = Some("~ none".into());
    assert!(config.fit(&df).unwrap_err().to_string().contains("`none` (regressor)"));
    config.second_stage = Some("~ x +".into());
    assert_eq!(config.fit(&df).unwrap_err().code(), "formula");
    config.second_stage = None;
    config.references = vec![f64::INFINITY];
    assert!(config.fit(&df).unwrap_err().to_string().contains("`references`"));
    // Missing values of the second stage are counted.
    let mut x = floats(&df, "x");
    x[2] = f64::NAN;
    let mut config = two_stage();
    config.second_stage = Some("~ x".into());
    let fit = config.fit(with(&df, "x", x)).unwrap();
    assert_eq!(fit.effects.audit.rows_missing, [("x".to_owned(), 1)]);
}

#[test]
fn what_fixed_effects_fit_exactly_is_zero() {
    // A single untreated row of each treated unit, which the effect of its unit fits.
    let df = filter(&data::mpdta(), "first.treat", |group| group == 0.0 || group == 2004.0);
    let config = TwoStage::builder().outcome("lemp").unit("countyreal").time("year");
    let fit = config.group("first.treat").build().fit(&df).unwrap();
    let before = fit.effects.get(&StageTerm::EventTime(-1.0)).unwrap();
    assert_eq!((before.estimate.estimate, before.estimate.se), (Some(0.0), None));
    assert_eq!(before.reason.as_deref(), Some("the estimate does not vary"));
    assert!(fit.effects.get(&StageTerm::EventTime(0.0)).unwrap().estimate.se.is_some());
    assert!(!fit.to_string().contains("e-"), "{fit}");
}
