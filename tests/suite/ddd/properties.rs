//! What must hold for any triple difference, and the errors that bad data get.

use burn_did::backend::Cpu;
use burn_did::data::TripleSimulation;
use burn_did::{
    Aggregation, Ddd, DidError, DidWarning, Drdid, GroupTimeResult,
    group_time::CellStatus,
    options::{
        BasePeriod, Bootstrap, ControlGroup, DrdidMethod, EstimationMethod, UnbalancedPanel,
    },
};
use polars::prelude::DataFrame;

use crate::support::but;
use crate::support::compare::assert_close;
use crate::support::frames::{filter, floats, map, with};

const METHODS: [EstimationMethod; 3] =
    [EstimationMethod::DoublyRobust, EstimationMethod::Ipw, EstimationMethod::OutcomeRegression];

fn staggered(units: usize) -> TripleSimulation {
    TripleSimulation::builder()
        .units(units)
        .periods(5)
        .cohorts([3, 4, 5])
        .covariates(2)
        .weights(true)
        .seed(2)
        .build()
}

fn two_periods(units: usize) -> TripleSimulation {
    but(staggered(units), |s| {
        s.periods = 2;
        s.cohorts = vec![2];
    })
}

fn estimator(method: EstimationMethod) -> Ddd<Cpu> {
    Ddd::builder()
        .outcome("y")
        .unit("id")
        .time("period")
        .group("group")
        .eligible("eligible")
        .covariates("~ x1 + x2")
        .weights("weight")
        .control_group(ControlGroup::NotYetTreated)
        .method(method)
        .build()
}

fn fit(estimator: &Ddd<Cpu>, df: &DataFrame) -> GroupTimeResult {
    estimator.fit(df).unwrap_or_else(|e| panic!("{:?}: {e}", estimator.method))
}

#[test]
fn standard_errors_of_two_periods_have_the_unit_of_the_outcome() {
    let df = two_periods(400).frame();
    let small = 1e-9;
    for method in METHODS {
        let numbers = |df: &DataFrame| {
            let estimate = fit(&estimator(method), df).cells[0].estimate;
            [estimate.estimate, estimate.se].map(|number| number.expect("a number"))
        };
        for (scaled, plain) in numbers(&map(&df, "y", |y| small * y)).into_iter().zip(numbers(&df))
        {
            assert!((scaled / small - plain).abs() <= 1e-6 * plain.abs(), "{method:?}: {scaled}");
        }
    }
}

#[test]
fn two_periods_are_three_comparisons() {
    let df = two_periods(800).frame();
    for (method, own) in METHODS.into_iter().zip([
        DrdidMethod::DoublyRobust,
        DrdidMethod::Ipw,
        DrdidMethod::OutcomeRegression,
    ]) {
        let fit = fit(&estimator(method), &df);
        let Some([only]) = fit.comparisons.as_deref() else { panic!("one comparison") };
        let component = |treated: bool, eligible: bool| {
            let (s, q) = (floats(&df, "group"), floats(&df, "eligible"));
            let target: Vec<f64> =
                s.iter().zip(&q).map(|(s, q)| f64::from(u8::from(*s > 0.0 && *q > 0.0))).collect();
            let kept = s.iter().zip(&q).map(|(s, q)| {
                let subgroup = (*s > 0.0, *q > 0.0);
                f64::from(u8::from(subgroup == (true, true) || subgroup == (treated, eligible)))
            });
            let marked = with(&with(&df, "kept", kept.collect::<Vec<f64>>()), "target", target);
            Drdid::<Cpu>::builder()
                .outcome("y")
                .unit("id")
                .time("period")
                .treatment("target")
                .covariates("~ x1 + x2")
                .weights("weight")
                .method(own)
                .build()
                .fit(filter(&marked, "kept", |k| k > 0.0))
                .unwrap()
                .estimate
                .estimate
                .unwrap()
        };
        let pairs = [
            (only.treated_ineligible, component(true, false)),
            (only.untreated_eligible, component(false, true)),
            (only.untreated_ineligible, component(false, false)),
        ];
        for (a, b) in pairs {
            assert!((a - b).abs() < 1e-8 * b.abs().max(1.0), "{method:?}: {a} and {b}");
        }
        let att = pairs[0].0 + pairs[1].0 - pairs[2].0;
        assert!((fit.cells[0].estimate.estimate.unwrap() - att).abs() < 1e-10);
    }
}

#[test]
fn two_periods_go_by_who_is_treated() {
    let df = two_periods(400).frame();
    let plain = fit(&estimator(EstimationMethod::DoublyRobust), &df);
    let renamed = map(&df, "group", |g| if g > 0.0 { 1.0 } else { f64::INFINITY });
    let universal = but(estimator(EstimationMethod::DoublyRobust), |e| {
        e.base_period = BasePeriod::Universal;
    });
    assert_eq!(plain.cells, fit(&universal, &renamed).cells);
}

#[test]
fn several_comparison_cohorts_are_combined_with_weights_that_sum_to_one() {
    let df = staggered(1_500).frame();
    let fit_with = |control_group| {
        fit(
            &but(estimator(EstimationMethod::DoublyRobust), |e| {
                e.control_group = control_group;
            }),
            &df,
        )
    };
    let all = fit_with(ControlGroup::NotYetTreated);
    let never = fit_with(ControlGroup::NeverTreated);
    let mut combined = 0;
    for (cell, alone) in all.cells.iter().zip(&never.cells) {
        let own = all
            .comparisons
            .iter()
            .flatten()
            .filter(|c| (c.group, c.time) == (cell.group, cell.time));
        let (sum, att) =
            own.clone().fold((0.0, 0.0), |(sum, att), c| (sum + c.weight, att + c.weight * c.att));
        assert!((sum - 1.0).abs() < 1e-12);
        assert!((att - cell.estimate.estimate.unwrap()).abs() < 1e-10);
        if own.count() > 1 {
            combined += 1;
            // The smallest variance is no larger than that against the never treated alone.
            assert!(cell.estimate.se.unwrap() < 1.001 * alone.estimate.se.unwrap());
        }
    }
    assert!(combined >= 5);
}

#[test]
fn many_combined_cells_are_weighted_in_several_passes() {
    let simulation = but(staggered(6_000), |s| {
        s.periods = 14;
        s.cohorts = (2..=13).collect();
    });
    let df = simulation.frame();
    let plain = but(estimator(EstimationMethod::OutcomeRegression), |e| {
        e.covariates = "~ 1".into();
    });
    let all = fit(&plain, &df);
    assert!(all.comparisons.iter().flatten().count() > 2 * 256);
    // The same cell where there are few others.
    let [early, late] = [5.0, 8.0];
    let few = filter(&df, "group", |g| g == early || g > late || g == 0.0);
    let few = fit(&plain, &filter(&few, "period", |t| t >= early - 1.0));
    let cell = |fit: &GroupTimeResult| {
        let found = fit.cells.iter().find(|c| (c.group, c.time) == (early, late));
        found.map(|c| (c.estimate.estimate.unwrap(), c.estimate.se.unwrap()))
    };
    let ((a, se), (b, other)) = (cell(&all).unwrap(), cell(&few).unwrap());
    assert!((a - b).abs() < 1e-9 * se && (se / other - 1.0).abs() < 1e-3, "{a} {b} {se} {other}");
}

#[test]
fn cells_without_variation_have_an_effect_and_no_standard_error() {
    let df = staggered(600).frame();
    let late = floats(&df, "y").into_iter().zip(floats(&df, "period"));
    let y: Vec<f64> = late.map(|(y, t)| if t <= 2.0 { 0.0 } else { y }).collect();
    let fit = fit(&estimator(EstimationMethod::OutcomeRegression), &with(&df, "y", y));
    let early = fit.cells.iter().filter(|c| c.time == 2.0);
    assert_eq!(early.clone().count(), 3);
    for cell in early {
        let att = cell.estimate.estimate.unwrap();
        assert!(att.abs() < 1e-9 && cell.estimate.se.is_none(), "{cell:?}");
    }
}

#[test]
fn a_cohort_without_eligible_units_is_named() {
    let df = staggered(900).frame();
    let spoiled: Vec<f64> = floats(&df, "group")
        .iter()
        .zip(floats(&df, "eligible"))
        .map(|(g, q)| if *g == 5.0 { 0.0 } else { q })
        .collect();
    let fit = fit(&estimator(EstimationMethod::DoublyRobust), &with(&df, "eligible", spoiled));
    for cell in &fit.cells {
        let treated = cell.group != 5.0;
        assert_eq!(cell.status.is_estimated(), treated, "{:?}", cell.status);
    }
    let lost = |w: &&DidWarning| matches!(w, DidWarning::LostComparison { comparison: 5.0, .. });
    assert!(fit.warnings.iter().any(|w| lost(&w)), "{:?}", fit.warnings);
    assert!(fit.comparisons.iter().flatten().all(|c| c.comparison != Some(5.0)));
    assert!(fit.aggregate(Aggregation::simple()).is_err());
    assert!(fit.aggregate(Aggregation::simple().na_rm(true)).is_ok());
}

#[test]
fn bootstrap_bands_and_aggregations() {
    let df = staggered(1_200).frame();
    let plain = estimator(EstimationMethod::OutcomeRegression);
    let analytic = fit(&plain, &df);
    let drawn = fit(
        &but(plain, |e| {
            e.bootstrap = Some(Bootstrap::draws(999).seed(1));
        }),
        &df,
    );
    for (a, b) in analytic.cells.iter().zip(&drawn.cells) {
        let ratio = b.estimate.se.unwrap() / a.estimate.se.unwrap();
        assert!((ratio - 1.0).abs() < 0.15, "{ratio}");
    }
    assert!(drawn.critical_value > 2.3);
    for aggregation in [Aggregation::dynamic(), Aggregation::group(), Aggregation::calendar()] {
        let [a, b] = [&analytic, &drawn].map(|fit| fit.aggregate(aggregation).unwrap());
        assert_eq!(a.overall.estimate, b.overall.estimate);
        assert!((b.overall.se.unwrap() / a.overall.se.unwrap() - 1.0).abs() < 0.15);
    }
}

#[test]
fn covariates_of_the_cell_or_of_its_base() {
    let df = two_periods(300).frame();
    let second = |f: fn(f64) -> f64| {
        let pairs = floats(&df, "x1").into_iter().zip(floats(&df, "period"));
        let x = pairs.map(|(x, t)| if t == 2.0 { f(x) } else { x }).collect::<Vec<f64>>();
        with(&df, "x1", x)
    };
    let base = estimator(EstimationMethod::DoublyRobust);
    let cell = but(base.clone(), |e| {
        e.covariates_of_cell = true;
    });
    let plain = fit(&base, &df);
    let spoiled = second(|x| (5.0 * x).sin());
    assert_close("base", &fit(&base, &spoiled), &plain, 1e-8);
    assert_ne!(fit(&cell, &spoiled).cells[0].estimate.estimate, plain.cells[0].estimate.estimate);
    assert_close("cell", &fit(&cell, &second(|x| 2.0 * x)), &plain, 1e-8);
}

#[test]
fn bad_data_have_errors_that_name_the_remedy() {
    let df = staggered(200).frame();
    let plain = estimator(EstimationMethod::DoublyRobust);
    let error = |estimator: &Ddd<Cpu>, df: &DataFrame| estimator.fit(df).expect_err("an error");
    let ages = map(&df, "eligible", |q| 30.0 * q);
    assert!(matches!(
        error(&plain, &ages),
        DidError::NotBinary { column, role: "eligibility", value: 30.0, .. } if column == "eligible"
    ));
    let changing: Vec<f64> =
        floats(&df, "period").iter().map(|t| f64::from(u8::from(*t > 2.0))).collect();
    assert!(matches!(
        error(&plain, &with(&df, "eligible", changing)),
        DidError::TimeVarying { role: "eligibility", .. }
    ));
    let treated = filter(&df, "group", |g| g > 0.0);
    let never = but(plain.clone(), |e| {
        e.control_group = ControlGroup::NeverTreated;
    });
    assert!(matches!(error(&never, &treated), DidError::NoNeverTreated));
    let two = two_periods(200).frame();
    let eligible = map(&two, "eligible", |_| 1.0);
    assert!(matches!(
        error(&plain, &eligible),
        DidError::SmallGroup { group: "treated and ineligible", size: 0, required: 5 }
    ));
    let rows = but(plain.clone(), |e| {
        e.repeated_cross_sections = true;
        e.unbalanced = UnbalancedPanel::Rows;
    });
    assert!(matches!(error(&rows, &df), DidError::Config { option: "unbalanced", .. }));
    let missing = but(plain, |e| {
        e.eligible = "q".into();
    });
    assert!(matches!(error(&missing, &df), DidError::ColumnNotFound { role: "eligibility", .. }));
}

#[test]
fn collinear_covariates_are_left_out_with_a_warning() {
    let df = staggered(800).frame();
    let twice =
        with(&df, "x3", floats(&df, "x1").iter().map(|x| 1.0 - 2.0 * x).collect::<Vec<_>>());
    for method in METHODS {
        let plain = fit(&estimator(method), &df);
        let more = but(estimator(method), |e| {
            e.covariates = "~ x1 + x2 + x3".into();
        });
        let more = fit(&more, &twice);
        assert_close("collinear", &more, &plain, 1e-7);
        let expected = DidWarning::Collinear { columns: vec!["x3".into()] };
        assert!(more.warnings.contains(&expected), "{:?}", more.warnings);
    }
}

#[test]
fn nothing_is_collinear_where_no_cell_can_be_estimated() {
    let df = staggered(300).frame();
    let treated = floats(&df, "group").iter().map(|g| f64::from(u8::from(*g > 0.0))).collect();
    let df = with::<f64>(&df, "eligible", treated);
    for covariates in ["~ 1", "~ x1 + x2"] {
        let config = but(estimator(EstimationMethod::DoublyRobust), |e| {
            e.covariates = covariates.into();
        });
        let fit = fit(&config, &df);
        assert!(fit.cells.iter().all(|cell| !cell.status.is_estimated()), "{covariates}");
        let collinear = |w: &DidWarning| matches!(w, DidWarning::Collinear { .. });
        assert!(!fit.warnings.iter().any(collinear), "{:?}", fit.warnings);
    }
}

#[test]
fn a_covariate_constant_within_a_comparison_fails_that_comparison_alone() {
    let df = staggered(900).frame();
    let flag: Vec<f64> = floats(&df, "group")
        .iter()
        .zip(floats(&df, "x1"))
        .map(|(g, x)| if *g == 5.0 { 1.0 } else { x })
        .collect();
    let fit = fit(&estimator(EstimationMethod::OutcomeRegression), &with(&df, "x1", flag));
    let lost = fit.warnings.iter().any(|w| matches!(w, DidWarning::LostComparison { .. }));
    assert!(lost, "{:?}", fit.warnings);
    let cell = fit.cells.iter().find(|c| (c.group, c.time) == (3.0, 3.0)).unwrap();
    assert_eq!(cell.status, CellStatus::Estimated);
}
