//! What must hold for any data: invariances, equivalent specifications, and influence values that are derivatives.

use burn_did::backend::Cpu;
use burn_did::data::Simulation;
use burn_did::{
    DidWarning, Drdid,
    options::{BasePeriod, ControlGroup, DrdidMethod, EstimationMethod, FixWeights},
};
use polars::prelude::DataFrame;

use crate::support::compare::assert_close;
use crate::support::frames::{filter, floats, map, with};
use crate::support::spec::Spec;
use crate::support::splitmix;

const METHODS: [EstimationMethod; 3] =
    [EstimationMethod::DoublyRobust, EstimationMethod::Ipw, EstimationMethod::OutcomeRegression];

fn panel() -> DataFrame {
    splitmix::panel(11, 150, [3, 4, 6, 0])
}

#[track_caller]
fn near(what: &str, a: Option<f64>, b: Option<f64>, unit: Option<f64>, tolerance: f64) {
    match (a, b) {
        (Some(a), Some(b)) => {
            let limit = tolerance * unit.unwrap_or(1.0);
            assert!((a - b).abs() <= limit, "{what}: {a} and {b} differ by {:e}", (a - b).abs());
        }
        _ => assert_eq!(a, b, "{what}"),
    }
}

/// Large propensity models are first fitted to a part of every tile: here, of other units.
#[test]
fn where_a_propensity_model_starts_does_not_matter() {
    let df = Simulation::builder().units(20_000).covariates(2).seed(4).build().frame();
    let spec = Spec {
        control_group: ControlGroup::NotYetTreated,
        ..Spec::simulated().covariates("~ x1 + x2")
    };
    let fit = spec.fit(&df);
    let chunked = Spec { chunk_rows: Some(4_096), ..spec.clone() };
    assert_eq!(fit.cells, chunked.fit(&df).cells, "chunks of a tile");
    let reversed: Vec<i64> = floats(&df, "id").iter().map(|id| 20_000 - *id as i64).collect();
    let other = spec.fit(&with(&df, "id", reversed));
    assert_close("reversed labels", &fit, &other, 1e-10);
}

/// Without a constant the period means are not fitted, so they must not be taken out: cells equal two-period comparisons.
#[test]
fn a_design_without_a_constant() {
    let df = splitmix::panel(5, 200, [2, 2, 2, 0]);
    let df = map(&filter(&df, "t", |t| t <= 2.0), "x1", |x| x + 1.0);
    let treated = floats(&df, "g").into_iter().map(|g| f64::from(u8::from(g == 2.0)));
    let marked = with(&df, "treated", treated.collect::<Vec<f64>>());
    for (method, own) in METHODS.into_iter().zip([
        DrdidMethod::DoublyRobust,
        DrdidMethod::Ipw,
        DrdidMethod::OutcomeRegression,
    ]) {
        let spec = Spec { method, ..Spec::default().covariates("~ 0 + x1") };
        let fit = spec.fit(&df);
        let failed = |warning: &DidWarning| matches!(warning, DidWarning::NotConverged { .. });
        assert!(!fit.warnings.iter().any(failed), "{:?}", fit.warnings);
        let cell = fit.cells[0].estimate;
        let two = Drdid::<Cpu>::builder()
            .outcome("y")
            .unit("id")
            .time("t")
            .treatment("treated")
            .covariates("~ 0 + x1")
            .method(own)
            .build()
            .fit(&marked)
            .unwrap();
        near("att", cell.estimate, two.estimate.estimate, cell.se, 1e-9);
        near("se", cell.se, two.estimate.se, cell.se, 1e-9);
        let lifted = map(&df, "y", |y| y + 1e3);
        near("lifted", spec.fit(&lifted).cells[0].estimate.estimate, cell.estimate, cell.se, 1e-6);
    }
}

/// A covariate that is another one and a little more stands for that little.
#[test]
fn covariates_that_are_nearly_equal() {
    let df = panel();
    let little: Vec<f64> = floats(&df, "id").into_iter().map(|id| (1.3 * id).sin()).collect();
    let df = with(&df, "z", little.clone());
    for method in METHODS {
        let spec = |formula| Spec { method, ..Spec::default().covariates(formula) };
        let apart = spec("~ x1 + z").fit(&df);
        for part in [1e-2, 1e-5, 2e-7, 1e-7] {
            let close = floats(&df, "x1").into_iter().zip(&little).map(|(x, z)| x + part * z);
            let fit = spec("~ x1 + x2").fit(&with(&df, "x2", close.collect()));
            assert_close(&format!("{method:?}, {part}"), &apart, &fit, 1e-5);
        }
    }
}

#[test]
fn balanced_panel_as_repeated_cross_sections() {
    let df = panel();
    for spec in [Spec::default(), Spec::default().weights("w")] {
        let a = spec.fit(&df);
        let b = Spec { unit: None, repeated_cross_sections: true, ..spec }.fit(&df);
        assert_eq!(b.settings.n_units, df.height());
        for (a, b) in a.cells.iter().zip(&b.cells) {
            near("att", a.estimate.estimate, b.estimate.estimate, None, 1e-12);
        }
    }
}

#[test]
fn base_periods_agree_on_the_pretest_and_on_post_treatment_effects() {
    let df = panel();
    for method in METHODS {
        let varying = Spec { method, ..Spec::default().covariates("~ x1").weights("w") };
        let universal = Spec { base_period: BasePeriod::Universal, ..varying.clone() };
        let [varying, universal] = [varying, universal].map(|spec| spec.fit(&df));
        let [a, b] = [&varying, &universal].map(|fit| fit.wald.unwrap());
        assert_eq!(a.df, b.df);
        assert!((a.stat / b.stat - 1.0).abs() < 1e-8, "{method:?}: {} and {}", a.stat, b.stat);
        for cell in varying.cells.iter().filter(|c| c.time >= c.group) {
            let same = |c: &&burn_did::group_time::GroupTimeCell| {
                (c.group, c.time) == (cell.group, cell.time)
            };
            let other = universal.cells.iter().find(same).unwrap();
            near("att", cell.estimate.estimate, other.estimate.estimate, None, 1e-12);
            near("se", cell.estimate.se, other.estimate.se, None, 1e-12);
        }
    }
}

/// With weights that do not vary, the doubly robust estimator for repeated cross sections on a balanced panel is the
/// panel one, unit by unit. It is not with the sign of the outcome-regression term of DRDID 1.2.3.
#[test]
fn varying_weights_that_do_not_vary() {
    let df = panel();
    for weights in [None, Some("w".to_owned())] {
        for control_group in [ControlGroup::NeverTreated, ControlGroup::NotYetTreated] {
            let panel = Spec {
                weights: weights.clone(),
                control_group,
                keep_influence: true,
                ..Spec::default().covariates("~ x1 + x2t")
            };
            let stacked = Spec { fix_weights: Some(FixWeights::Varying), ..panel.clone() };
            let [panel, stacked] = [panel, stacked].map(|spec| spec.fit(&df));
            assert_close("fix_weights", &panel, &stacked, 1e-12);
            let [a, b] = [&panel, &stacked].map(|fit| fit.influence.as_ref().unwrap());
            assert_eq!(a.units, b.units);
            for (a, b) in a.columns.iter().zip(&b.columns) {
                let largest = a.iter().fold(0.0f64, |m, v| m.max(v.abs()));
                for (a, b) in a.iter().zip(b) {
                    near("influence", Some(*a), Some(*b), Some(largest), 1e-12);
                }
            }
        }
    }
}
