//! Extreme numbers: what they may change, and what not.

use burn_did::backend::Cpu;
use burn_did::{
    DidError, DidWarning, Drdid, DrdidResult,
    group_time::CellStatus,
    options::{
        Band, Bootstrap, ControlGroup, DrdidMethod, EstimationMethod, Multiplier, Precision,
    },
};
use polars::prelude::{DataFrame, df};

use crate::support::frames::{filter, floats, map, with};
use crate::support::spec::Spec;
use crate::support::splitmix::{SplitMix64, panel};

const METHODS: [EstimationMethod; 3] =
    [EstimationMethod::DoublyRobust, EstimationMethod::Ipw, EstimationMethod::OutcomeRegression];

fn data() -> DataFrame {
    panel(17, 240, [3, 4, 6, 0])
}

/// Layouts with and without covariates.
fn layouts() -> Vec<(DataFrame, Spec)> {
    let df = data();
    let plain = Spec::default();
    let unbalanced = Spec { allow_unbalanced_panel: true, ..plain.clone() };
    let sections = Spec { repeated_cross_sections: true, ..plain.clone() };
    let some = filter(&df, "keep", |keep| keep > 0.0);
    let bare = [(df.clone(), plain), (some, unbalanced), (df, sections)];
    let covariates = |(df, spec): &(DataFrame, Spec)| {
        METHODS.map(|method| {
            let spec = spec.clone().covariates("~ x1 + x2t");
            (df.clone(), Spec { method, ..spec })
        })
    };
    let with: Vec<_> = bare.iter().flat_map(covariates).collect();
    bare.into_iter().chain(with).collect()
}

/// The frame with `column` of the rows that `at` selects (by group, period and unit) changed.
fn change(
    df: &DataFrame,
    column: &str,
    at: impl Fn(f64, f64, f64) -> bool,
    f: impl Fn(f64, f64) -> f64,
) -> DataFrame {
    let [g, t, id, values] = ["g", "t", "id", column].map(|name| floats(df, name));
    let row = |i: usize| if at(g[i], t[i], id[i]) { f(values[i], t[i]) } else { values[i] };
    with(df, column, (0..values.len()).map(row).collect::<Vec<f64>>())
}

fn member(df: &DataFrame, group: f64) -> f64 {
    let (g, id) = (floats(df, "g"), floats(df, "id"));
    id[g.iter().position(|g| *g == group).unwrap()]
}

#[test]
fn extreme_values_of_a_cohort_leave_the_other_cells_as_they_are() {
    for (df, spec) in layouts() {
        let before = spec.fit(&df);
        let unit = member(&df, 4.0);
        for column in ["y", "x1"].into_iter().take(1 + usize::from(spec.covariates.is_some())) {
            for value in [1e9, -1e17, 1e37, 1e300] {
                let changed = change(&df, column, |_, _, id| id == unit, |_, _| value);
                let after = spec.fit(&changed);
                for (a, b) in before.cells.iter().zip(&after.cells).filter(|(a, _)| a.group != 4.0)
                {
                    assert_eq!(a, b, "{column} = {value}: {spec:?}");
                }
            }
        }
    }
}

#[test]
fn bootstraps_of_other_cells_do_not_see_an_extreme_value() {
    let df = data();
    let unit = member(&df, 4.0);
    let changed = change(&df, "y", |_, _, id| id == unit, |_, _| 1e17);
    for multiplier in [Multiplier::Mammen, Multiplier::Gaussian] {
        let bootstrap = Some(Bootstrap::draws(200).multiplier(multiplier));
        let spec = Spec { bootstrap, ..Spec::default() };
        let [a, b] = [&df, &changed].map(|df| spec.fit(df));
        for (a, b) in a.cells.iter().zip(&b.cells).filter(|(a, _)| a.group != 4.0) {
            let ratio = a.estimate.se.unwrap() / b.estimate.se.unwrap();
            assert!((0.75..1.3).contains(&ratio), "{multiplier:?}: {a:?} {b:?}");
        }
    }
}

/// Levels (cross sections) and trends (panels) of the comparison units far from all others.
#[test]
fn standard_errors_do_not_depend_on_how_far_apart_cohorts_are() {
    for (df, spec) in layouts() {
        let before = spec.fit(&df);
        let levels = spec.repeated_cross_sections || spec.allow_unbalanced_panel;
        for control_group in [ControlGroup::NeverTreated, ControlGroup::NotYetTreated] {
            let spec = Spec { control_group, ..spec.clone() };
            let before = if control_group == ControlGroup::NeverTreated {
                before.clone()
            } else {
                spec.fit(&df)
            };
            for far in [1e6, 1e8, 1e9, 1e10] {
                let shift = |y: f64, t: f64| if levels { y + far } else { y + far * t };
                let after = spec.fit(&change(&df, "y", |g, _, _| g == 0.0, shift));
                for (a, b) in before.cells.iter().zip(&after.cells) {
                    // Comparisons of several cohorts do vary by how far these are apart.
                    let pooled = control_group == ControlGroup::NotYetTreated;
                    if pooled && a.n_control != before.cells.last().unwrap().n_control {
                        continue;
                    }
                    let (a, b) = (a.estimate.se.unwrap(), b.estimate.se.unwrap());
                    let rounding = 1e-9 + 20.0 * far * f64::EPSILON;
                    assert!((a / b - 1.0).abs() < rounding, "{far:e}: {a} {b} {spec:?}");
                }
            }
        }
    }
}

/// Single precision has seven digits: a million spreads leave one.
#[test]
fn single_precision_does_not_depend_on_how_far_apart_cohorts_are() {
    for (df, spec) in layouts() {
        let levels = spec.repeated_cross_sections || spec.allow_unbalanced_panel;
        let far = 1e6;
        let shift = |y: f64, t: f64| if levels { y + far } else { y + far * t };
        let df = change(&df, "y", |g, _, _| g == 0.0, shift);
        let [double, single] = [Precision::F64, Precision::F32]
            .map(|precision| spec.fit_on::<Cpu>(&df, precision).unwrap());
        for (a, b) in double.cells.iter().zip(&single.cells) {
            let [a_se, b_se] = [a, b].map(|c| c.estimate.se.unwrap());
            assert!((a_se / b_se - 1.0).abs() < 1e-3, "{a:?} {b:?} {spec:?}");
            let distance = (a.estimate.estimate.unwrap() - b.estimate.estimate.unwrap()).abs();
            assert!(distance < 1e-2 * a_se, "{a:?} {b:?} {spec:?}");
        }
    }
}

/// An unbalanced panel of units whose levels differ by far more than their changes.
#[test]
fn unit_levels_do_not_drown_the_changes_of_an_unbalanced_panel() {
    let full = data();
    let df = filter(&full, "keep", |keep| keep > 0.0);
    let spec = Spec { allow_unbalanced_panel: true, ..Spec::default() };
    let id = floats(&df, "id");
    let y: Vec<f64> =
        floats(&df, "y").iter().zip(&id).map(|(y, id)| y + 1e7 * (id % 7.0)).collect();
    let df = with(&df, "y", y);
    // Kept influence values are formed one by one; the sums of the fit without them are not.
    let kept = Spec { keep_influence: true, ..spec.clone() }.fit(&df);
    let influence = kept.influence.as_ref().unwrap();
    let n = influence.units.len() as f64;
    for (cell, column) in spec.fit(&df).cells.iter().zip(&influence.columns) {
        let direct = column.iter().map(|v| v * v).sum::<f64>().sqrt() / n;
        assert!((cell.estimate.se.unwrap() / direct - 1.0).abs() < 1e-9, "{cell:?} {direct}");
    }
}

#[test]
fn a_sample_without_weight_is_an_error() {
    let df = data();
    // The only positive weights are of units treated in the first period, which are not in the sample.
    let early = change(&df, "g", |g, _, _| g == 3.0, |_, _| 1.0);
    let weights = change(&early, "w", |g, _, _| g != 1.0, |_, _| 0.0);
    let error = Spec::default().weights("w").try_fit(&weights).unwrap_err();
    assert!(matches!(&error, DidError::Weights { column, .. } if column == "w"), "{error}");
    let positive = floats(&weights, "w").iter().filter(|w| **w > 0.0).count();
    assert!(error.to_string().contains(&positive.to_string()), "{error}");
}

#[test]
fn a_cell_without_weight_in_an_arm_fails_for_that() {
    let df = data();
    for method in METHODS {
        for covariates in ["~ 1", "~ x1", "~ 0 + x1"] {
            let spec = Spec { method, ..Spec::default().covariates(covariates).weights("w") };
            let without =
                |group: f64| spec.fit(&change(&df, "w", |g, _, _| g == group, |_, _| 0.0)).cells;
            let treated = without(4.0);
            let mut found = treated.iter().filter(|c| c.group == 4.0).map(|c| &c.status);
            assert!(found.all(|s| *s == CellStatus::NoTreatedWeight), "{spec:?}: {treated:?}");
            let never = without(0.0);
            let mut found = never.iter().map(|c| &c.status);
            assert!(found.all(|s| *s == CellStatus::NoControlWeight), "{spec:?}: {never:?}");
        }
    }
}

fn two_periods(
    covariates: &str,
    df: &DataFrame,
    method: DrdidMethod,
) -> Result<DrdidResult, DidError> {
    Drdid::<Cpu>::builder()
        .outcome("y")
        .unit("id")
        .time("t")
        .treatment("d")
        .covariates(covariates)
        .method(method)
        .build()
        .fit(df)
}

/// Two periods; most treated units have covariates that no comparison unit comes near.
fn far_treated() -> (DataFrame, Vec<[f64; 3]>) {
    let mut r = SplitMix64(4);
    let (mut id, mut t, mut d, mut x, mut y) = (vec![], vec![], vec![], vec![], vec![]);
    let mut units = Vec::new();
    for i in 0..600i64 {
        let treated = i % 3 != 0;
        let far = if treated && i % 6 != 1 { 40.0 } else { 0.0 };
        let xi = 2.0 * r.bell() + if treated { 0.5 } else { 0.0 } + far;
        let dy = 0.5 * xi + r.bell() + if treated { 1.0 } else { 0.0 };
        units.push([f64::from(u8::from(treated)), xi, dy]);
        for (period, value) in [(1i64, 0.0), (2, dy)] {
            id.push(i);
            t.push(period);
            d.push(i64::from(treated));
            x.push(xi);
            y.push(value);
        }
    }
    (df!("id" => id, "t" => t, "d" => d, "x" => x, "y" => y).unwrap(), units)
}

/// Weighting by the maximum-likelihood score, computed here without any bound on the score.
#[test]
fn the_score_of_units_far_from_overlap_is_the_maximum_of_the_likelihood() {
    let (df, units) = far_treated();
    let (mut a, mut b) = (0.0f64, 0.0f64);
    for _ in 0..100 {
        let (mut s0, mut s1, mut h00, mut h01, mut h11) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for [d, x, _] in &units {
            let eta = a + b * x;
            let (p, rest) = (1.0 / (1.0 + (-eta).exp()), 1.0 / (1.0 + eta.exp()));
            let residual = if *d == 1.0 { rest } else { -p };
            let v = p * rest;
            s0 += residual;
            s1 += residual * x;
            h00 += v;
            h01 += v * x;
            h11 += v * x * x;
        }
        let det = h00 * h11 - h01 * h01;
        a += (h11 * s0 - h01 * s1) / det;
        b += (h00 * s1 - h01 * s0) / det;
    }
    let highest = units.iter().map(|[_, x, _]| a + b * x).fold(f64::MIN, f64::max);
    assert!(highest > 14.0, "no score beyond 1 - 1e-6: {highest}");
    let mean = |rows: &mut dyn Iterator<Item = (f64, f64)>| {
        let (sum, total) = rows.fold((0.0, 0.0), |(s, t), (w, v)| (s + w * v, t + w));
        sum / total
    };
    let treated = mean(&mut units.iter().filter(|u| u[0] == 1.0).map(|u| (1.0, u[2])));
    let odds = |x: f64| {
        let q = (a + b * x).exp();
        if q / (1.0 + q) < 0.995 { q } else { 0.0 }
    };
    let control = mean(&mut units.iter().filter(|u| u[0] == 0.0).map(|u| (odds(u[1]), u[2])));
    let fit = two_periods("~ x", &df, DrdidMethod::Ipw).unwrap();
    let att = fit.estimate.estimate.unwrap();
    assert!((att - (treated - control)).abs() < 1e-9, "{att} {}", treated - control);
}

/// A unit of measurement in which squares overflow or underflow is no reason to drop a covariate. Regressions on such a one are
/// refused by R's rule of rank, which is in the covariates' units; that is said.
#[test]
fn covariates_of_extreme_units_are_kept() {
    let (df, _) = far_treated();
    for method in [DrdidMethod::Ipw, DrdidMethod::Twfe, DrdidMethod::DoublyRobustImproved] {
        let expected = two_periods("~ x", &df, method).unwrap().estimate;
        for unit in ["1e200", "1e-170", "1e-250", "1e150"] {
            let got = two_periods(&format!("~ I(x * {unit})"), &df, method).unwrap();
            let dropped = |w: &DidWarning| matches!(w, DidWarning::Collinear { .. });
            assert!(!got.warnings.iter().any(dropped), "{unit}: {:?}", got.warnings);
            if method == DrdidMethod::DoublyRobustImproved {
                assert!(got.status.to_string().contains("scales"), "{unit}: {}", got.status);
                continue;
            }
            for (a, b) in
                [(expected.estimate, got.estimate.estimate), (expected.se, got.estimate.se)]
            {
                assert!((a.unwrap() / b.unwrap() - 1.0).abs() < 1e-9, "{unit}: {a:?} {b:?}");
            }
        }
    }
}

/// R `did` judges rank in the covariates' units; what fails by that says so.
#[test]
fn group_time_effects_say_that_scales_are_too_far_apart() {
    for unit in ["1e200", "1e-170"] {
        let fit = Spec::default().covariates(&format!("~ I(x1 * {unit})")).fit(&data());
        for cell in &fit.cells {
            assert!(cell.status.to_string().contains("scales"), "{unit}: {}", cell.status);
        }
    }
}

#[test]
fn covariates_that_underflow_are_an_error_that_names_them() {
    let (df, _) = far_treated();
    let error = two_periods("~ I(x * 1e-320)", &df, DrdidMethod::default()).unwrap_err();
    assert!(matches!(error, DidError::CovariateRange { .. }), "{error}");
    assert!(error.to_string().contains("1e-320"), "{error}");
}

/// Outcomes whose squares overflow have no standard error; that is said, and the other cells go on.
#[test]
fn estimates_without_a_finite_variance_are_none() {
    let df = data();
    let huge = change(&df, "y", |g, _, _| g == 4.0, |y, _| y * 1e200);
    let fit = Spec { band: Band::Uniform, ..Spec::default() }.fit(&huge);
    for cell in &fit.cells {
        if cell.group == 4.0 {
            assert!(cell.estimate.estimate.is_none() && !cell.status.is_estimated(), "{cell:?}");
            assert!(cell.status.to_string().contains("variance"), "{cell:?}");
        } else {
            assert!(cell.estimate.se.is_some_and(|se| se > 0.0), "{cell:?}");
        }
    }
    let scaled = Spec::default().fit(&map(&df, "y", |y| y * 1e100));
    assert!(scaled.cells.iter().all(|c| c.estimate.se.is_some_and(|se| se.is_finite())));
}
