//! What must hold for any two-period comparison, and the errors that bad data get.

use burn_did::backend::Cpu;
use burn_did::data::TwoPeriodSimulation;
use burn_did::report::PlotOptions;
use burn_did::{
    DidError, DidWarning, Drdid, DrdidResult,
    group_time::CellStatus,
    options::{Bootstrap, CovariatePeriod, DrdidMethod, Precision, Resampling},
};
use polars::prelude::DataFrame;

use crate::support::but;
use crate::support::frames::{filter, floats, map, with};

const METHODS: [DrdidMethod; 6] = [
    DrdidMethod::DoublyRobustImproved,
    DrdidMethod::DoublyRobust,
    DrdidMethod::OutcomeRegression,
    DrdidMethod::Ipw,
    DrdidMethod::IpwHorvitzThompson,
    DrdidMethod::Twfe,
];

fn simulation(units: usize) -> TwoPeriodSimulation {
    TwoPeriodSimulation::builder().units(units).covariates(2).weights(true).seed(3).build()
}

fn estimator(method: DrdidMethod) -> Drdid<Cpu> {
    Drdid::builder()
        .outcome("y")
        .unit("id")
        .time("period")
        .treatment("treated")
        .covariates("~ x1 + x2")
        .weights("weight")
        .method(method)
        .keep_influence(true)
        .build()
}

fn sections(method: DrdidMethod, locally_efficient: bool) -> Drdid<Cpu> {
    but(estimator(method), |e| {
        e.repeated_cross_sections = true;
        e.locally_efficient = locally_efficient;
    })
}

/// Every estimator with its data: panel, and repeated cross sections locally efficient or not.
fn all(units: usize) -> Vec<(Drdid<Cpu>, DataFrame)> {
    let panel = simulation(units).frame();
    let rows = but(simulation(2 * units), |s| s.repeated_cross_sections = true).frame();
    let robust = [DrdidMethod::DoublyRobustImproved, DrdidMethod::DoublyRobust];
    METHODS
        .iter()
        .map(|m| (estimator(*m), panel.clone()))
        .chain(METHODS.iter().map(|m| (sections(*m, true), rows.clone())))
        .chain(robust.iter().map(|m| (sections(*m, false), rows.clone())))
        .collect()
}

fn fit(estimator: &Drdid<Cpu>, df: &DataFrame) -> DrdidResult {
    estimator.fit(df).unwrap_or_else(|e| panic!("{:?}: {e}", estimator.method))
}

fn numbers(fit: &DrdidResult) -> [f64; 2] {
    let name = fit.estimator_name();
    [fit.estimate.estimate, fit.estimate.se]
        .map(|v| v.unwrap_or_else(|| panic!("{name}: no number")))
}

#[track_caller]
fn close(what: &str, a: &DrdidResult, b: [f64; 2], tolerance: f64) {
    for (a, b) in numbers(a).into_iter().zip(b) {
        assert!((a - b).abs() <= tolerance * b.abs(), "{what}: {a} and {b}");
    }
}

/// With the exact sign, the estimators of repeated cross sections on the stacked rows of a panel, clustered by unit, have the
/// panel's influence (R `DRDID` up to 1.2.3 has another).
#[test]
fn a_panel_as_repeated_cross_sections_clustered_by_unit() {
    let df = simulation(500).frame();
    let df = with(&df, "unit", floats(&df, "id"));
    for method in [DrdidMethod::DoublyRobust, DrdidMethod::OutcomeRegression, DrdidMethod::Ipw] {
        let panel = fit(&estimator(method), &df);
        let stacked = but(sections(method, true), |e| {
            e.cluster = Some("unit".into());
        });
        close(&panel.estimator_name(), &fit(&stacked, &df), numbers(&panel), 1e-8);
    }
}

#[test]
fn without_covariates_all_estimators_of_a_panel_agree() {
    let df = simulation(300).frame();
    let plain = |method| {
        but(estimator(method), |e| {
            e.covariates = "~ 1".into();
        })
    };
    let expected = numbers(&fit(&plain(DrdidMethod::OutcomeRegression), &df));
    for method in METHODS {
        close("no covariates", &fit(&plain(method), &df), expected, 1e-10);
    }
}

/// `Σ_T w Δ / A_T - β Σ_T w x / A_T` with `β = Σ_C w x Δ / Σ_C w x²`, by hand.
#[test]
fn a_design_without_a_constant() {
    let df = map(&simulation(200).frame(), "x1", |x| x + 1.0);
    let [y, x, d, w, t] =
        ["y", "x1", "treated", "weight", "period"].map(|column| floats(&df, column));
    let mut sums = [0.0; 5];
    for first in (0..y.len()).step_by(2) {
        assert_eq!((t[first], t[first + 1]), (1.0, 2.0));
        let (change, x, w) = (y[first + 1] - y[first], x[first], w[first]);
        if d[first] == 1.0 {
            [w, w * change, w * x].iter().enumerate().for_each(|(j, v)| sums[j] += v);
        } else {
            sums[3] += w * x * change;
            sums[4] += w * x * x;
        }
    }
    let [total, outcome, covariate, cross, square] = sums;
    let expected = (outcome - covariate * cross / square) / total;
    let without = |method| but(estimator(method), |e| e.covariates = "~ 0 + x1".into());
    let [att, _] = numbers(&fit(&without(DrdidMethod::OutcomeRegression), &df));
    assert!((att - expected).abs() < 1e-9 * expected.abs(), "{att} is not {expected}");
    // The regression with fixed effects always has a constant.
    let with = but(estimator(DrdidMethod::Twfe), |e| e.covariates = "~ x1".into());
    close("twfe", &fit(&without(DrdidMethod::Twfe), &df), numbers(&fit(&with, &df)), 1e-8);
}

#[test]
fn standard_errors_have_the_unit_of_the_outcome() {
    let small = 1e-9;
    for (estimator, df) in all(200) {
        let [att, se] = numbers(&fit(&estimator, &df));
        let scaled = fit(&estimator, &map(&df, "y", |y| small * y));
        close(&scaled.estimator_name(), &scaled, [small * att, small * se], 1e-6);
    }
}

#[test]
fn missing_standard_errors_have_a_reason() {
    let df = simulation(200).frame();
    let constant = map(&df, "y", |_| 0.1);
    let plain = estimator(DrdidMethod::DoublyRobust);
    let booted = but(plain.clone(), |e| e.bootstrap = Some(Bootstrap::draws(50)));
    let by_treatment = with(&df, "own", floats(&df, "treated"));
    let clustered =
        but(estimator(DrdidMethod::OutcomeRegression), |e| e.cluster = Some("own".into()));
    let unvarying = DidWarning::UnvaryingChanges { estimates: 1 };
    let sums_to_zero = DidWarning::ClustersSumToZero { estimates: 1 };
    for (estimator, df, reason) in [
        (plain, &constant, &unvarying),
        (booted, &constant, &unvarying),
        (clustered, &by_treatment, &sums_to_zero),
    ] {
        let fit = fit(&estimator, df);
        assert!(fit.estimate.estimate.is_some() && fit.estimate.se.is_none(), "{:?}", fit.estimate);
        assert!(fit.warnings.contains(reason), "{:?}", fit.warnings);
    }
}

#[test]
fn bootstraps_agree_with_the_analytic_standard_error() {
    for (estimator, df) in all(1_500) {
        let estimator = but(estimator, |e| {
            e.keep_influence = false;
        });
        let by_row = estimator.method == DrdidMethod::Twfe && !estimator.repeated_cross_sections;
        let clustered = but(estimator.clone(), |e| {
            e.cluster = Some("unit".into());
        });
        let df = with(&df, "unit", floats(&df, "id").iter().map(|i| i + 0.5).collect::<Vec<f64>>());
        let [att, se] = numbers(&fit(if by_row { &clustered } else { &estimator }, &df));
        for resampling in [Resampling::Weighted, Resampling::Multiplier] {
            let bootstrap = Some(Bootstrap::draws(400).seed(2));
            let drawn = fit(
                &but(estimator.clone(), |e| {
                    e.bootstrap = bootstrap;
                    e.resampling = resampling;
                }),
                &df,
            );
            let name = format!("{}, {resampling:?}", drawn.estimator_name());
            let [own, spread] = numbers(&drawn);
            assert_eq!(own, att, "{name}");
            // An interquartile range of 400 draws has a relative sd of 6 %.
            assert!((spread / se - 1.0).abs() < 0.25, "{name}: {spread} and {se}");
            assert!(drawn.critical_value > 1.5 && drawn.critical_value < 2.6, "{name}");
        }
    }
}

#[test]
fn clusters_draw_together() {
    let df = simulation(600).frame();
    let cluster: Vec<f64> = floats(&df, "id").iter().map(|id| (id % 40.0).floor()).collect();
    let df = with(&df, "cluster", cluster);
    let clustered = but(estimator(DrdidMethod::DoublyRobust), |e| {
        e.cluster = Some("cluster".into());
    });
    let analytic = fit(&clustered, &df);
    assert_eq!(analytic.settings.n_clusters, Some(40));
    for resampling in [Resampling::Weighted, Resampling::Multiplier] {
        let bootstrap = Some(Bootstrap::draws(400).seed(8));
        let drawn = fit(
            &but(clustered.clone(), |e| {
                e.bootstrap = bootstrap;
                e.resampling = resampling;
            }),
            &df,
        );
        let ratio = numbers(&drawn)[1] / numbers(&analytic)[1];
        assert!((ratio - 1.0).abs() < 0.3, "{resampling:?}: {ratio}");
    }
}

#[test]
fn collinear_covariates_are_left_out_with_a_warning() {
    let df = simulation(400).frame();
    let sum: Vec<f64> =
        floats(&df, "x1").iter().zip(floats(&df, "x2")).map(|(a, b)| 2.0 * a - b + 1.0).collect();
    let df = with(&df, "x3", sum);
    for method in METHODS {
        let plain = fit(&estimator(method), &df);
        let more = but(estimator(method), |e| {
            e.covariates = "~ x1 + x2 + x3".into();
        });
        let more = fit(&more, &df);
        close(&plain.estimator_name(), &more, numbers(&plain), 1e-8);
        let expected = DidWarning::Collinear { columns: vec!["x3".into()] };
        assert!(more.warnings.contains(&expected), "{:?}", more.warnings);
        let single = but(estimator(method), |e| {
            e.covariates = "~ x1 + x2 + x3".into();
            e.precision = Precision::F32;
        });
        let single = fit(&single, &df);
        assert!(single.warnings.contains(&expected), "{:?}", single.warnings);
        let [att, se] = numbers(&plain);
        assert!((numbers(&single)[0] - att).abs() < 1e-3 * se, "{}", plain.estimator_name());
    }
}

#[test]
fn where_no_score_balances_the_likelihood_is_used() {
    // The treated units' covariate lies beyond every comparison unit's but one.
    let df = simulation(300).frame();
    let treated = floats(&df, "treated");
    let ids = floats(&df, "id");
    let x: Vec<f64> = floats(&df, "x1")
        .iter()
        .zip(&treated)
        .zip(&ids)
        .map(|((x, d), id)| if *d == 1.0 { 3.0 + 0.1 * x } else { (0.3 * x).min(2.0) + id % 2.0 })
        .collect();
    let df = with(&df, "x1", x);
    let improved = fit(&estimator(DrdidMethod::DoublyRobustImproved), &df);
    if improved.status == CellStatus::Estimated {
        assert_eq!(improved.calibrated, Some(false));
        assert!(improved.warnings.contains(&DidWarning::NotCalibrated));
    } else {
        assert!(improved.estimate.estimate.is_none() && improved.estimate.se.is_none());
    }
    let easy = fit(&estimator(DrdidMethod::DoublyRobustImproved), &simulation(300).frame());
    assert_eq!(easy.calibrated, Some(true));
}

#[test]
fn covariates_of_the_first_period_are_used() {
    let df = simulation(200).frame();
    let second: Vec<f64> = floats(&df, "x1")
        .iter()
        .zip(floats(&df, "period"))
        .map(|(x, t)| if t == 2.0 { 7.0 * x.sin() } else { *x })
        .collect();
    let varying = fit(&estimator(DrdidMethod::DoublyRobust), &with(&df, "x1", second));
    let constant = fit(&estimator(DrdidMethod::DoublyRobust), &df);
    close("first period", &varying, numbers(&constant), 1e-9);
    let base = DidWarning::TimeVaryingCovariates { period: CovariatePeriod::Base };
    assert!(varying.warnings.contains(&base));
}

#[test]
fn units_of_a_panel_are_counted_once() {
    let df = simulation(200).frame();
    let treated = floats(&df, "treated").iter().sum::<f64>() / 2.0;
    for method in METHODS {
        let fit = fit(&estimator(method), &df);
        assert_eq!(fit.n_treated as f64, treated, "{method:?}");
        assert_eq!(fit.n_treated + fit.n_control, 200, "{method:?}");
    }
}

#[test]
fn the_regression_with_fixed_effects_says_what_its_standard_error_is() {
    let df = simulation(200).frame();
    let plain = fit(&estimator(DrdidMethod::Twfe), &df);
    assert!(plain.warnings.contains(&DidWarning::RowsAsIndependent));
    // The unit as cluster joins its rows.
    let joined = but(estimator(DrdidMethod::Twfe), |e| e.cluster = Some("id".into()));
    let joined = fit(&joined, &df);
    assert!(!joined.warnings.contains(&DidWarning::RowsAsIndependent));
    assert_eq!(joined.settings.n_clusters, Some(200));
    let none = but(estimator(DrdidMethod::Twfe), |e| {
        e.covariates = "~ 1".into();
    });
    assert!(!fit(&none, &df).warnings.contains(&DidWarning::RowsAsIndependent));
}

#[test]
fn no_overlap_and_tiny_groups_have_reasons() {
    let df = simulation(100).frame();
    let separated: Vec<f64> =
        floats(&df, "treated").iter().zip(floats(&df, "x1")).map(|(d, x)| 20.0 * d + x).collect();
    let df = with(&df, "x1", separated);
    for method in METHODS {
        let fit = fit(&estimator(method), &df);
        let has_numbers = fit.estimate.estimate.is_some();
        assert_eq!(has_numbers, fit.status == CellStatus::Estimated, "{:?}", fit.status);
        assert!(fit.estimate.se.is_none_or(|se| se.is_finite() && se > 0.0));
    }
}

#[test]
fn an_arm_without_weight_is_the_reason() {
    for (estimator, df) in all(100) {
        for (weightless, expected) in
            [(1.0, CellStatus::NoTreatedWeight), (0.0, CellStatus::NoControlWeight)]
        {
            let pairs = floats(&df, "weight").into_iter().zip(floats(&df, "treated"));
            let weights = pairs.map(|(w, d)| if d == weightless { 0.0 } else { w });
            let df = with(&df, "weight", weights.collect::<Vec<f64>>());
            let fit = fit(&estimator, &df);
            assert_eq!(fit.status, expected, "{}", fit.estimator_name());
        }
    }
}

/// Differs from R `DRDID`, whose improved and unnormalised estimators go on without a comparison unit.
#[test]
fn nothing_is_estimated_if_all_comparison_units_are_trimmed() {
    for (estimator, df) in all(100) {
        for covariates in ["~ 1", "~ x1 + x2"] {
            let trimmed = but(estimator.clone(), |e| {
                e.covariates = covariates.into();
                e.trim_level = 1e-6;
            });
            let fit = fit(&trimmed, &df);
            let expected = match trimmed.method {
                DrdidMethod::OutcomeRegression | DrdidMethod::Twfe => CellStatus::Estimated,
                _ => CellStatus::NoControlWeight,
            };
            assert_eq!(fit.status, expected, "{}, {covariates}", fit.estimator_name());
            let said = |w: &DidWarning| matches!(w, DidWarning::NoEstimate { .. });
            let has_none = fit.status != CellStatus::Estimated;
            assert_eq!(fit.warnings.iter().any(said), has_none, "{:?}", fit.warnings);
        }
    }
}

#[test]
fn bad_data_have_errors_that_name_the_remedy() {
    let df = simulation(60).frame();
    let plain = estimator(DrdidMethod::DoublyRobust);
    let error = |estimator: &Drdid<Cpu>, df: &DataFrame| estimator.fit(df).expect_err("an error");
    let three = map(&df, "period", |t| t);
    let three =
        three.vstack(&map(&filter(&df, "period", |t| t == 2.0), "period", |_| 3.0)).unwrap();
    assert!(matches!(error(&plain, &three), DidError::TooManyPeriods { periods: 3 }));
    let group = map(&df, "treated", |d| 2004.0 * d);
    assert!(matches!(
        error(&plain, &group),
        DidError::NotBinary { column, role: "treatment", value: 2004.0, .. } if column == "treated"
    ));
    let treated = map(&df, "treated", |_| 1.0);
    let refused = error(&plain, &treated);
    assert!(refused.to_string().contains("the treatment is 1 in every row"), "{refused}");
    let untreated = map(&df, "treated", |_| 0.0);
    let nobody = error(&plain, &untreated);
    assert!(matches!(nobody, DidError::NobodyTreated { role: "treatment", .. }), "{nobody}");
    assert!(!nobody.to_string().contains("status of 0 and 1"), "{nobody}");
    let ids = floats(&df, "id");
    let few: Vec<f64> = ids.iter().map(|id| f64::from(u8::from(*id < 4.0))).collect();
    let few = with(&df, "treated", few);
    assert!(matches!(
        error(&plain, &few),
        DidError::SmallGroup { group: "treated", required: 7, .. }
    ));
    let late = floats(&df, "treated").into_iter().zip(floats(&df, "period"));
    let late = late.map(|(d, t)| d * (t - 1.0));
    let switching = with(&df, "treated", late.collect::<Vec<f64>>());
    let text = error(&plain, &switching).to_string();
    assert!(text.contains("both periods"), "{text}");
    for trim_level in [0.0, 1.0, f64::NAN] {
        let estimator = but(plain.clone(), |e| {
            e.trim_level = trim_level;
        });
        assert!(matches!(error(&estimator, &df), DidError::Config { option: "trim_level", .. }));
    }
    let no_unit = but(plain.clone(), |e| {
        e.unit = None;
    });
    assert!(matches!(error(&no_unit, &df), DidError::Config { option: "unit", .. }));
    let missing = but(plain, |e| {
        e.treatment = "d".into();
    });
    assert!(matches!(error(&missing, &df), DidError::ColumnNotFound { role: "treatment", .. }));
}

#[test]
fn a_missing_treatment_drops_the_row() {
    let df = simulation(80).frame();
    let spoiled: Vec<f64> = floats(&df, "treated")
        .iter()
        .zip(floats(&df, "id"))
        .zip(floats(&df, "period"))
        .map(|((d, id), t)| if id == 5.0 && t == 2.0 { f64::NAN } else { *d })
        .collect();
    let fit = fit(&estimator(DrdidMethod::DoublyRobust), &with(&df, "treated", spoiled));
    assert_eq!(fit.audit.rows_missing, [("treated".to_owned(), 1)]);
    assert_eq!((fit.audit.units_unbalanced, fit.settings.n_units), (1, 79));
}

/// As R's decomposition does, whose tolerance is 1e-6 of the column.
#[test]
fn two_periods_leave_nearly_equal_covariates_out() {
    let df = TwoPeriodSimulation::builder().units(1_000).seed(3).build().frame();
    let (x, id) = (floats(&df, "x1"), floats(&df, "id"));
    let fitted = |formula: &str, part: f64| {
        let close = x.iter().zip(&id).map(|(x, id)| x + part * (1.3 * id).sin()).collect();
        let config = but(estimator(DrdidMethod::DoublyRobustImproved), |e| {
            (e.covariates, e.weights) = (formula.into(), None);
        });
        numbers(&fit(&config, &with(&df, "close", close)))
    };
    let alone = fitted("~ x1 + x2", 0.0);
    for part in [0.0, 1e-8, 2e-7, 8e-7] {
        let both = fitted("~ x1 + x2 + close", part);
        for (alone, both) in alone.iter().zip(both) {
            assert!((alone - both).abs() <= 1e-12 * alone.abs(), "{part}: {alone} and {both}");
        }
    }
    let kept = fitted("~ x1 + x2 + close", 1e-5);
    assert!((kept[0] - alone[0]).abs() > 1e-6);
}

/// There is one effect, in the later period.
#[test]
fn a_picture_has_the_later_period_on_its_axis() {
    let frame = map(&simulation(60).frame(), "period", |period| 2000.0 + period);
    let last = floats(&frame, "period").into_iter().fold(0.0, f64::max);
    let fit = estimator(DrdidMethod::DoublyRobust).fit(&frame).unwrap();
    let svg = fit.to_svg(&PlotOptions::new()).unwrap();
    assert!(svg.contains(&format!("\n{last}\n")) && svg.contains("\nPeriod\n"), "{svg}");
}
