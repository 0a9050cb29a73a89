//! What must hold for any data: invariances, equivalent specifications, and influence values that are derivatives.

use burn_did::backend::Cpu;
use burn_did::data::{Simulation, TwoPeriodSimulation};
use burn_did::{
    Aggregation, Band, BasePeriod, Bootstrap, ControlGroup, Drdid, DrdidMethod, EstimationMethod,
    FixWeights, GroupTimeResult, Multiplier,
};
use polars::prelude::DataFrame;

use crate::support::frames::{filter, floats, map, permutation, rows, with};
use crate::support::spec::Spec;
use crate::support::splitmix;

const METHODS: [EstimationMethod; 3] =
    [EstimationMethod::DoublyRobust, EstimationMethod::Ipw, EstimationMethod::OutcomeRegression];

const AGGREGATIONS: [fn() -> Aggregation; 4] =
    [Aggregation::simple, Aggregation::dynamic, Aggregation::group, Aggregation::calendar];

fn panel() -> DataFrame {
    splitmix::panel(11, 150, [3, 4, 6, 0])
}

/// One specification of each layout and kind of inference.
fn layouts() -> Vec<(&'static str, DataFrame, Spec)> {
    let df = panel();
    let base = Spec::default().covariates("~ x1 + x2t");
    let bootstrap = |law| Some(Bootstrap::draws(200).seed(5).multiplier(law));
    vec![
        ("panel", df.clone(), base.clone()),
        (
            "weights, clusters, Mammen draws",
            df.clone(),
            Spec {
                control_group: ControlGroup::NotYetTreated,
                base_period: BasePeriod::Universal,
                bootstrap: bootstrap(Multiplier::Mammen),
                band: Band::Uniform,
                ..base.clone().weights("wt").cluster("cl")
            },
        ),
        (
            "Rademacher draws",
            df.clone(),
            Spec {
                method: EstimationMethod::Ipw,
                bootstrap: bootstrap(Multiplier::Rademacher),
                band: Band::Uniform,
                ..base.clone().weights("w")
            },
        ),
        (
            "unbalanced",
            filter(&df, "keep", |keep| keep > 0.0),
            Spec {
                allow_unbalanced_panel: true,
                bootstrap: bootstrap(Multiplier::Webb),
                ..base.clone().weights("w")
            },
        ),
        (
            "repeated cross sections",
            df,
            Spec { repeated_cross_sections: true, ..base.weights("w") },
        ),
    ]
}

/// Everything that a fit reports except labels, timings and settings.
#[track_caller]
fn assert_identical(what: &str, a: &GroupTimeResult, b: &GroupTimeResult) {
    assert_eq!(a.cells, b.cells, "{what}: cells");
    assert_eq!(a.vcov(), b.vcov(), "{what}: covariance");
    assert_eq!(a.wald, b.wald, "{what}: Wald test");
    assert_eq!(a.critical_value, b.critical_value, "{what}: critical value");
    for aggregation in AGGREGATIONS.map(|kind| kind()) {
        let [a, b] = [a, b].map(|fit| fit.aggregate(aggregation).unwrap());
        assert_eq!(
            (a.overall, &a.rows, a.critical_value, &a.vcov),
            (b.overall, &b.rows, b.critical_value, &b.vcov),
            "{what}: {}",
            aggregation.kind.name()
        );
    }
}

/// Estimates and standard errors after multiplying the second fit's by `att` and `se`.
#[track_caller]
fn assert_close(
    what: &str,
    a: &GroupTimeResult,
    b: &GroupTimeResult,
    [att, se]: [f64; 2],
    tolerance: f64,
) {
    assert_eq!(a.cells.len(), b.cells.len(), "{what}");
    for (a, b) in a.cells.iter().zip(&b.cells) {
        let at = format!("{what}: ({}, {})", a.group, a.time);
        assert_eq!((a.group, a.time, &a.status), (b.group, b.time, &b.status), "{at}");
        near(&at, a.estimate.att, b.estimate.att.map(|v| v * att), a.estimate.se, tolerance);
        near(&at, a.estimate.se, b.estimate.se.map(|v| v * se), a.estimate.se, tolerance);
    }
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

#[test]
fn row_order_does_not_matter() {
    for (what, df, spec) in layouts() {
        let fit = spec.fit(&df);
        for seed in 1..=3 {
            let shuffled = rows(&df, &permutation(df.height(), seed));
            assert_identical(what, &fit, &spec.fit(&shuffled));
        }
    }
}

#[test]
fn chunk_size_does_not_matter() {
    for (what, df, spec) in layouts() {
        let fit = spec.fit(&df);
        for chunk_rows in [64, 100, 4_096, 1_000_000] {
            let chunked = Spec { chunk_rows: Some(chunk_rows), ..spec.clone() };
            assert_identical(&format!("{what}, {chunk_rows}"), &fit, &chunked.fit(&df));
        }
    }
}

#[test]
fn thread_count_does_not_matter() {
    let large = Simulation::builder().units(3_000).covariates(2).seed(1).build().frame();
    let bootstrap = Some(Bootstrap::draws(100));
    let mut cases = layouts();
    cases.push((
        "large panel",
        large,
        Spec { bootstrap, ..Spec::simulated().covariates("~ x1 + x2") },
    ));
    for (what, df, spec) in cases {
        let fits = [1, 2, 4].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| spec.fit(&df))
        });
        assert_identical(&format!("{what}, 1 and 2 threads"), &fits[0], &fits[1]);
        assert_identical(&format!("{what}, 1 and 4 threads"), &fits[0], &fits[2]);
    }
}

#[test]
fn unit_labels_do_not_matter() {
    for (what, df, spec) in layouts() {
        let fit = spec.fit(&df);
        let ids = floats(&df, "id");
        let relabel = |f: &dyn Fn(i64) -> i64| {
            let labels: Vec<i64> = ids.iter().map(|id| f(*id as i64)).collect();
            spec.fit(&with(&df, "id", labels))
        };
        assert_identical(&format!("{what}, monotone"), &fit, &relabel(&|id| 7 * id + 100));
        let padded: Vec<String> = ids.iter().map(|id| format!("unit {id:05}")).collect();
        let strings = spec.fit(&with(&df, "id", padded));
        assert_identical(&format!("{what}, strings"), &fit, &strings);

        // Another order of the units sums in another order, and draws other multipliers.
        let analytic = Spec { bootstrap: None, band: Band::Pointwise, ..spec.clone() };
        let fit = analytic.fit(&df);
        let reversed: Vec<i64> = ids.iter().map(|id| (*id as i64 * 89) % 151).collect();
        let unpadded: Vec<String> = ids.iter().map(|id| format!("{id}")).collect();
        let other = analytic.fit(&with(&df, "id", reversed));
        assert_close(&format!("{what}, not monotone"), &fit, &other, [1.0, 1.0], 1e-12);
        let other = analytic.fit(&with(&df, "id", unpadded));
        assert_close(&format!("{what}, strings unpadded"), &fit, &other, [1.0, 1.0], 1e-12);
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
    assert_identical("chunks of a tile", &fit, &chunked.fit(&df));
    let reversed: Vec<i64> = floats(&df, "id").iter().map(|id| 20_000 - *id as i64).collect();
    let other = spec.fit(&with(&df, "id", reversed));
    assert_close("reversed labels", &fit, &other, [1.0, 1.0], 1e-10);
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
        let cell = spec.fit(&df).cells[0].estimate;
        let two = Drdid::<Cpu>::builder()
            .outcome("y")
            .unit("id")
            .time("t")
            .treatment("treated")
            .covariates("~ 0 + x1")
            .method(own)
            .build()
            .fit(&marked, &Default::default())
            .unwrap();
        near("att", cell.att, two.estimate.att, cell.se, 1e-9);
        near("se", cell.se, two.estimate.se, cell.se, 1e-9);
        let lifted = map(&df, "y", |y| y + 1e3);
        near("lifted", spec.fit(&lifted).cells[0].estimate.att, cell.att, cell.se, 1e-6);
    }
}

#[test]
fn location_and_scale_of_the_outcome() {
    for (what, df, spec) in layouts() {
        let fit = spec.fit(&df);
        let shifted = spec.fit(&map(&df, "y", |y| y + 100.0));
        assert_close(&format!("{what}, y + 100"), &fit, &shifted, [1.0, 1.0], 1e-9);
        let scaled = spec.fit(&map(&df, "y", |y| -3.0 * y));
        let factors = [-1.0 / 3.0, 1.0 / 3.0];
        // The multipliers' law is symmetric only for some, and an interquartile range of -x is not that of x.
        if spec.bootstrap.is_none() {
            assert_close(&format!("{what}, -3 y"), &fit, &scaled, factors, 1e-10);
        }
        let scaled = spec.fit(&map(&df, "y", |y| 4.0 * y));
        assert_close(&format!("{what}, 4 y"), &fit, &scaled, [0.25, 0.25], 1e-10);
    }
}

#[test]
fn scale_of_weights_and_covariates() {
    for (what, df, spec) in layouts() {
        let fit = spec.fit(&df);
        let weights = ["w", "wt"].into_iter().fold(df.clone(), |df, w| map(&df, w, |w| 10.0 * w));
        assert_close(&format!("{what}, 10 w"), &fit, &spec.fit(&weights), [1.0, 1.0], 1e-9);
        let shifted = map(&df, "x1", |x| 1_000.0 * x + 5_000.0);
        assert_close(&format!("{what}, 1000 x"), &fit, &spec.fit(&shifted), [1.0, 1.0], 1e-7);
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
            assert_close(&format!("{method:?}, {part}"), &apart, &fit, [1.0, 1.0], 1e-5);
        }
    }
}

/// As R's decomposition does, whose tolerance is 1e-6 of the column.
#[test]
fn two_periods_leave_nearly_equal_covariates_out() {
    let df = TwoPeriodSimulation::builder().units(1_000).seed(3).build().frame();
    let (x, id) = (floats(&df, "x1"), floats(&df, "id"));
    let fit = |formula: &str, part: f64| {
        let close = x.iter().zip(&id).map(|(x, id)| x + part * (1.3 * id).sin()).collect();
        let config = Drdid::<Cpu>::builder().outcome("y").unit("id").time("period");
        let config = config.treatment("treated").covariates(formula).build();
        config.fit(&with(&df, "close", close), &Default::default()).expect("a fit").estimate
    };
    let alone = fit("~ x1 + x2", 0.0);
    for part in [0.0, 1e-8, 2e-7, 8e-7] {
        let both = fit("~ x1 + x2 + close", part);
        near(&format!("{part}"), alone.att, both.att, alone.se, 1e-12);
        near(&format!("{part}"), alone.se, both.se, alone.se, 1e-12);
    }
    let kept = fit("~ x1 + x2 + close", 1e-5);
    assert!((kept.att.expect("att") - alone.att.expect("att")).abs() > 1e-6);
}

#[test]
fn a_duplicated_unit_has_weight_two() {
    let df = panel();
    let ids = floats(&df, "id");
    let twice = |id: f64| id % 3.0 == 0.0;
    let weights: Vec<f64> = ids.iter().map(|id| if twice(*id) { 2.0 } else { 1.0 }).collect();
    let copies = filter(&df, "id", twice);
    let stacked = df.vstack(&map(&copies, "id", |id| id + 10_000.0).cast_id()).unwrap();
    let weighted = with(&df, "w", weights);
    for method in METHODS {
        for repeated_cross_sections in [false, true] {
            let spec = Spec {
                method,
                repeated_cross_sections,
                ..Spec::default().covariates("~ x1 + x2t")
            };
            let a = spec.fit(&stacked);
            let b = spec.clone().weights("w").fit(&weighted);
            for (a, b) in a.cells.iter().zip(&b.cells) {
                let what = format!("{method:?} ({}, {})", a.group, a.time);
                near(&what, a.estimate.att, b.estimate.att, None, 1e-9);
            }
        }
    }
}

/// Integer labels again after arithmetic on them.
trait CastId {
    fn cast_id(self) -> Self;
}

impl CastId for DataFrame {
    fn cast_id(self) -> Self {
        let ids: Vec<i64> = floats(&self, "id").into_iter().map(|id| id as i64).collect();
        with(&self, "id", ids)
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
            near("att", a.estimate.att, b.estimate.att, None, 1e-12);
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
            let same = |c: &&burn_did::GroupTimeCell| (c.group, c.time) == (cell.group, cell.time);
            let other = universal.cells.iter().find(same).unwrap();
            near("att", cell.estimate.att, other.estimate.att, None, 1e-12);
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
            assert_close("fix_weights", &panel, &stacked, [1.0, 1.0], 1e-12);
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

/// Influence values over n are the derivatives of the estimates in the log weights: nothing is left out of the
/// linearisation, and no sign is wrong.
#[test]
fn influence_values_are_derivatives() {
    let sections = Simulation::builder()
        .units(70)
        .periods(3)
        .cohorts(vec![2, 3])
        .covariates(2)
        .weights(true)
        .repeated_cross_sections(true)
        .seed(2)
        .build();
    let long = Simulation { repeated_cross_sections: false, ..sections.clone() };
    let unbalanced = Simulation { attrition: 0.2, ..long.clone() };
    for method in METHODS {
        let spec = Spec {
            method,
            keep_influence: true,
            control_group: ControlGroup::NotYetTreated,
            ..Spec::simulated().covariates("~ x1 + x2").weights("weight")
        };
        let rcs = Spec { repeated_cross_sections: true, ..spec.clone() };
        check_derivatives("repeated cross sections", &rcs, &sections.frame());
        check_derivatives("panel", &spec, &long.frame());
        let unbalanced_spec = Spec { allow_unbalanced_panel: true, ..spec };
        check_derivatives("unbalanced", &unbalanced_spec, &unbalanced.frame());
    }
}

/// Central differences in the weight of every unit.
#[track_caller]
fn check_derivatives(what: &str, spec: &Spec, df: &DataFrame) {
    const STEP: f64 = 1e-4;
    let fit = spec.fit(df);
    let influence = fit.influence.as_ref().unwrap();
    let n = fit.settings.n_units as f64;
    let (ids, weights) = (floats(df, "id"), floats(df, "weight"));
    for (row, unit) in influence.units.iter().enumerate() {
        let unit: f64 = unit.parse().unwrap();
        let moved = |factor: f64| {
            let scaled = ids.iter().zip(&weights);
            let scaled = scaled.map(|(id, w)| if *id == unit { w * factor } else { *w });
            spec.fit(&with(df, "weight", scaled.collect::<Vec<f64>>()))
        };
        let (up, down) = (moved(1.0 + STEP), moved(1.0 - STEP));
        for (cell, column) in influence.columns.iter().enumerate() {
            let att = |fit: &GroupTimeResult| fit.cells[cell].estimate.att.unwrap();
            let derivative = (att(&up) - att(&down)) / (2.0 * STEP);
            let largest = column.iter().fold(0.0f64, |m, v| m.max(v.abs())) / n;
            let (value, at) = (column[row] / n, (fit.cells[cell].group, fit.cells[cell].time));
            assert!(
                (value - derivative).abs() <= 1e-5 * largest,
                "{what}, {:?}, cell {at:?}, unit {unit}: {value:e} is not the derivative {derivative:e}",
                spec.method
            );
        }
    }
}

#[test]
fn influence_values_give_the_covariance() {
    for (what, df, spec) in layouts() {
        let spec = Spec { keep_influence: true, bootstrap: None, cluster: None, ..spec };
        let fit = spec.fit(&df);
        let (vcov, n) = (fit.vcov(), fit.settings.n_units as f64);
        let columns = &fit.influence.as_ref().unwrap().columns;
        for (j, a) in columns.iter().enumerate() {
            let Some(se) = fit.cells[j].estimate.se else { continue };
            let mean = a.iter().sum::<f64>() / n;
            assert!(mean.abs() <= 1e-9 * se * n.sqrt(), "{what}: mean {mean}");
            for (k, b) in columns.iter().enumerate() {
                let product: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
                let Some(other) = fit.cells[k].estimate.se else { continue };
                near(what, vcov[j][k], Some(product / (n * n)), Some(se * other), 1e-10);
            }
        }
    }
}

#[test]
fn a_seed_fixes_the_draws_and_only_it_changes_them() {
    let df = panel();
    let spec = |seed| Spec {
        bootstrap: Some(Bootstrap::draws(300).seed(seed)),
        band: Band::Uniform,
        ..Spec::default().covariates("~ x1")
    };
    let [a, b, c] = [1, 1, 2].map(|seed| spec(seed).fit(&df));
    assert_identical("same seed", &a, &b);
    assert_ne!(a.critical_value, c.critical_value);
    assert_ne!(a.cells[0].estimate.se, c.cells[0].estimate.se);
}
