//! Functions by sieves: golden numbers, the choice of the dimension, and errors.

use burn_did::{
    DidError, Npiv, NpivResult,
    options::{Bootstrap, Multiplier},
    sieve::{SieveBasis, SieveGrid, SieveKnots},
};
use polars::prelude::*;
use serde_json::Value;

use crate::support::but;
use crate::support::departures::{Departure, of_npiv};
use crate::support::frames::{golden_data, golden_json, permutation, rows, with};

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

fn names(value: &Value) -> Vec<String> {
    value.as_array().unwrap().iter().map(|v| v.as_str().unwrap().to_owned()).collect()
}

fn data(golden: &Value) -> DataFrame {
    let columns: Vec<Column> = ["y", "x1", "x2", "w1", "w2"]
        .iter()
        .map(|name| Column::new((*name).into(), numbers(&golden["data"][name])))
        .collect();
    DataFrame::new(260, columns).unwrap()
}

fn plain() -> Npiv {
    Npiv::builder().outcome("y").regressors(["x1"]).build()
}

#[test]
fn the_table_is_in_the_order_of_the_regressor() {
    let df = data(&golden_json("npiv.json"));
    let fit = plain().fit(&df).unwrap();
    let shown = |fit: &NpivResult| -> Vec<f64> {
        let table = fit.to_table();
        table.sections[0].rows.iter().map(|row| row[0].parse().unwrap()).collect()
    };
    let points = shown(&fit);
    assert!(points.len() > 10 && points.is_sorted(), "{points:?}");
    // As another order of the rows does not change.
    let shuffled = rows(&df, &permutation(df.height(), 5));
    assert_eq!(shown(&plain().fit(&shuffled).unwrap()), points);
}

/// Estimates and standard errors of moderndid 0.2.0 given the dimension.
#[test]
fn golden_cases() {
    let golden: Value = golden_json("npiv.json");
    let df = data(&golden);
    for case in golden["cases"].as_array().unwrap() {
        let number = |key: &str| case[key].as_u64().unwrap() as usize;
        let points: Vec<Vec<f64>> =
            case["points"].as_array().unwrap().iter().map(numbers).collect();
        let config = Npiv::builder()
            .outcome("y")
            .regressors(names(&case["x"]))
            .instruments(names(&case["w"]))
            .basis(if case["basis"] == "tensor" {
                SieveBasis::Tensor
            } else {
                SieveBasis::Additive
            })
            .knots(if case["knots"] == "uniform" {
                SieveKnots::Uniform
            } else {
                SieveKnots::Quantiles
            })
            .x_degree(number("x_degree"))
            .x_segments(number("x_segments"))
            .w_degree(number("w_degree"))
            .w_segments(number("w_segments"))
            .derivative_index(number("derivative_index"))
            .derivative_order(number("derivative_order"))
            .grid(SieveGrid::Points(points))
            .build();
        let fit = config.fit(&df).unwrap();
        let check = |key: &str, ours: &dyn Fn(&burn_did::sieve::NpivRow) -> f64| {
            let theirs = numbers(&case[key]);
            let largest = theirs.iter().fold(0.0f64, |l, v| l.max(v.abs()));
            for (row, theirs) in fit.rows.iter().zip(theirs) {
                let off = (ours(row) - theirs).abs() / largest;
                assert!(off < 1e-8, "{case}, {key}: {} against {theirs}", ours(row));
            }
        };
        check("h", &|row| row.h.estimate.unwrap());
        check("se", &|row| row.h.se.unwrap());
        if of_npiv(case).contains(&Departure::SieveDerivatives) {
            continue;
        }
        check("derivative", &|row| row.derivative.estimate.unwrap());
        check("derivative_se", &|row| row.derivative.se.unwrap());
    }
}

fn words(case: &Value) -> Npiv {
    let number = |key: &str| case[key].as_u64().map(|n| n as usize);
    let additive = case["basis"] == "additive";
    let uniform = case["knots"] == "uniform";
    Npiv::builder()
        .outcome(case["y"].as_str().unwrap())
        .regressors(names(&case["x"]))
        .instruments(names(&case["w"]))
        .basis(if additive { SieveBasis::Additive } else { SieveBasis::Tensor })
        .knots(if uniform { SieveKnots::Uniform } else { SieveKnots::Quantiles })
        .maybe_x_degree(number("x_degree"))
        .maybe_w_degree(number("w_degree"))
        .maybe_derivative_index(number("derivative_index"))
        .maybe_derivative_order(number("derivative_order"))
        .damping(!of_npiv(case).contains(&Departure::SieveDamping))
        .build()
}

/// The name of R's column and our value of it, if the data determine it.
type Reported = (&'static str, fn(&burn_did::sieve::NpivRow) -> Option<f64>);

/// The largest distance of a column from R's, in units of R's largest value, where the data determine it.
#[track_caller]
fn near(what: &str, case: &Value, fit: &NpivResult, columns: &[Reported], allowed: f64) {
    for (key, ours) in columns {
        let theirs = numbers(&case[key]);
        let largest = theirs.iter().fold(0.0f64, |l, v| l.max(v.abs()));
        assert_eq!(theirs.len(), fit.rows.len());
        for (ours, theirs) in fit.rows.iter().map(ours).zip(theirs) {
            let Some(ours) = ours else { continue };
            let off = (ours - theirs).abs() / largest;
            assert!(off < allowed, "{what}, {key}: {ours} against {theirs}");
        }
    }
}

const COLUMNS: [Reported; 4] = [
    ("h", |row| row.h.estimate),
    // Where the curve goes through the only observation, R has a standard error of 0.
    ("se", |row| row.h.estimate.map(|_| row.h.se.unwrap_or(0.0))),
    ("derivative", |row| row.derivative.estimate),
    ("derivative_se", |row| row.derivative.estimate.map(|_| row.derivative.se.unwrap_or(0.0))),
];

/// Points at which the data do not determine the curve.
fn undetermined(fit: &NpivResult) -> usize {
    fit.rows.iter().filter(|row| row.h.estimate.is_none()).count()
}

/// Estimates and standard errors of R npiv 0.1.3 given the dimension, on the data that come with it; critical values up to the
/// error of its 4,999 draws.
#[test]
fn golden_cases_of_r() {
    let golden: Value = golden_json("npiv_r.json");
    let df = golden_data("engel95");
    for case in golden["cases"].as_array().unwrap() {
        let what = format!("{} on {} by {}", case["y"], case["x"], case["w"]);
        let points: Vec<Vec<f64>> =
            case["points"].as_array().unwrap().iter().map(numbers).collect();
        let config = but(words(case), |c| {
            c.grid = SieveGrid::Points(points);
            c.x_segments = Some(case["x_segments"].as_u64().unwrap() as usize);
            c.w_segments = Some(case["w_segments"].as_u64().unwrap() as usize);
        });
        let fit = config.fit(&df).unwrap();
        let sum = of_npiv(case).contains(&Departure::SieveDerivatives);
        let columns = if sum { &COLUMNS[..2] } else { &COLUMNS[..] };
        near(&what, case, &fit, columns, 1e-8);
        assert_eq!(undetermined(&fit), 0);
        let critical =
            [("cv", fit.critical_value), ("cv_derivative", fit.critical_value_derivative)];
        for (key, ours) in critical.into_iter().take(columns.len() / 2) {
            let theirs = case[key].as_f64().unwrap();
            assert!((ours / theirs - 1.0).abs() < 0.04, "{what}, {key}: {ours} against {theirs}");
        }
    }
}

/// Dimensions that R npiv 0.1.3 chooses on these data, and what it then estimates.
#[test]
fn choices_are_those_of_r() {
    let golden: Value = golden_json("npiv_r.json");
    let df = golden_data("engel95");
    for case in golden["choices"].as_array().unwrap() {
        let what = format!("{} on {} by {}", case["y"], case["x"], case["w"]);
        let fit = but(words(case), |c| c.grid = SieveGrid::Even(50)).fit(&df).unwrap();
        assert_eq!(Some(fit.x_segments as u64), case["x_segments"].as_u64(), "{what}");
        if !fit.settings.instruments.is_empty() {
            assert_eq!(Some(fit.w_segments as u64), case["w_segments"].as_u64(), "{what}");
        }
        near(&what, case, &fit, &COLUMNS, 1e-7);
        // 64 even segments of the logarithm of expenditure, of which some have no observation.
        let expected = if of_npiv(case).contains(&Departure::SieveDetermined) { 15 } else { 0 };
        assert_eq!(undetermined(&fit), expected, "{what}");
        for (key, ours) in
            [("cv", fit.critical_value), ("cv_derivative", fit.critical_value_derivative)]
        {
            let theirs = case[key].as_f64().unwrap();
            assert!((ours / theirs - 1.0).abs() < 0.04, "{what}, {key}: {ours} against {theirs}");
        }
    }
}

#[test]
fn the_choice_is_that_of_the_reference() {
    let golden: Value = golden_json("npiv.json");
    let df = data(&golden);
    for choice in golden["choices"].as_array().unwrap() {
        let instruments = Some(choice["w"].as_str().unwrap()).filter(|w| !w.is_empty());
        let config = but(plain(), |c| {
            c.instruments = instruments.map(str::to_owned).into_iter().collect();
            c.damping = !of_npiv(choice).contains(&Departure::SieveDamping);
        });
        let fit = config.fit(&df).unwrap();
        let own = fit.choice.as_ref().unwrap();
        let compared: Vec<f64> = own.compared.iter().map(|(x, _)| *x as f64).collect();
        assert_eq!(compared, numbers(&choice["compared"]));
        assert_eq!(fit.x_segments, choice["segments"].as_u64().unwrap() as usize);
        let theta = choice["theta"].as_f64().unwrap();
        assert!((own.theta / theta - 1.0).abs() < 0.03, "{} against {theta}", own.theta);
    }
}

/// The dimension, its estimate and the band's allowance for the choice are the same wherever the function is asked for.
#[test]
fn the_choice_does_not_depend_on_the_points() {
    let df = data(&golden_json("npiv.json"));
    for instruments in [vec![], vec!["w1".to_owned()]] {
        let of = |grid| {
            let config = but(plain(), |c| {
                c.instruments = instruments.clone();
                c.grid = grid;
            });
            config.fit(&df).unwrap()
        };
        let all = of(SieveGrid::Observations);
        assert!(all.choice.as_ref().is_some_and(|choice| choice.theta > 0.0));
        let half = of(SieveGrid::Points(vec![vec![0.5]]));
        for fit in [&half, &of(SieveGrid::Even(5)), &of(SieveGrid::Even(51))] {
            assert_eq!((&fit.choice, &fit.coefficients), (&all.choice, &all.coefficients));
        }
        // The curve at a point does not depend on the other points.
        let more = of(SieveGrid::Points([0.2, 0.5].iter().map(|x| vec![*x]).collect()));
        let values = |fit: &NpivResult| fit.rows.last().map(|row| (row.h.estimate, row.h.se));
        assert_eq!(values(&more), values(&half));
    }
}

/// Points are looked at in parts, which does not show.
#[test]
fn bands_are_those_of_all_points_in_any_order() {
    let df = data(&golden_json("npiv.json"));
    let of = |grid| {
        let config = but(plain(), |c| {
            c.x_segments = Some(3);
            c.bootstrap = Bootstrap::draws(300);
            c.grid = grid;
        });
        config.fit(&df).unwrap()
    };
    let even = of(SieveGrid::Even(5_000));
    let points = even.rows.iter().rev().map(|row| row.x.clone()).collect();
    let reversed = of(SieveGrid::Points(points));
    let critical = |fit: &NpivResult| (fit.critical_value, fit.critical_value_derivative);
    assert_eq!(critical(&even), critical(&reversed));
    assert!(even.rows.iter().eq(reversed.rows.iter().rev()));
    // More points, wider bands.
    assert!(critical(&of(SieveGrid::Even(2))).0 < critical(&even).0);
}

#[test]
fn segments_of_instruments_alone_are_refused() {
    let df = data(&golden_json("npiv.json"));
    let config = but(plain(), |c| {
        c.instruments = vec!["w1".into()];
        c.w_segments = Some(4);
    });
    let refused = config.fit(&df).unwrap_err();
    assert!(matches!(refused, DidError::Config { option: "w_segments", .. }), "{refused}");
    let refused = refused.to_string();
    assert!(refused.contains("`x_segments`") && refused.contains("`w_smooth`"), "{refused}");
    let both = but(config, |c| c.x_segments = Some(2)).fit(&df).unwrap();
    assert_eq!((both.x_segments, both.w_segments, both.choice), (2, 4, None));
}

#[track_caller]
fn same(a: &NpivResult, b: &NpivResult) {
    assert_eq!(
        (&a.coefficients, a.critical_value, a.x_segments),
        (&b.coefficients, b.critical_value, b.x_segments)
    );
}

#[test]
fn equal_instruments_are_regressors_and_saved_results_come_back() {
    let df = data(&golden_json("npiv.json"));
    let config = but(plain(), |c| c.grid = SieveGrid::Even(20));
    let fit = config.fit(&df).unwrap();
    same(&fit, &but(config.clone(), |c| c.instruments = vec!["x1".into()]).fit(&df).unwrap());
    let ones = with(&df, "one", vec![3.0; df.height()]);
    let weighted = but(config.clone(), |c| c.weights = Some("one".into())).fit(&ones).unwrap();
    for (a, b) in fit.rows.iter().zip(&weighted.rows) {
        assert!((a.h.estimate.unwrap() - b.h.estimate.unwrap()).abs() < 1e-9);
        assert!((a.h.se.unwrap() / b.h.se.unwrap() - 1.0).abs() < 1e-9);
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("npiv.json");
    fit.save(&path).unwrap();
    assert_eq!(NpivResult::load(&path).unwrap(), fit);
    // What was saved when the settings had another name.
    let mut document: Value = serde_json::from_str(&fit.to_json().unwrap()).unwrap();
    let result = document["result"].as_object_mut().unwrap();
    let settings = result.remove("settings").unwrap();
    result.insert("config".into(), settings);
    std::fs::write(&path, document.to_string()).unwrap();
    assert_eq!(NpivResult::load(&path).unwrap(), fit);
    assert_eq!(fit.to_dataframe().unwrap().shape(), (40, 10));
    assert!(fit.to_string().contains("chosen by the data"));
    let shuffled = config.fit(rows(&df, &permutation(df.height(), 5))).unwrap();
    assert_eq!(shuffled, fit);
}

#[test]
fn bad_data_and_options_are_named() {
    let df = data(&golden_json("npiv.json"));
    let error = |config: Npiv, df: &DataFrame| config.fit(df).unwrap_err();
    for (option, config) in [
        ("regressors", but(plain(), |c| c.regressors.clear())),
        ("x_degree", but(plain(), |c| c.x_degree = 0)),
        ("derivative_index", but(plain(), |c| c.derivative_index = 1)),
        ("x_range", but(plain(), |c| c.x_range = Some((1.0, 0.0)))),
        ("bootstrap draws", but(plain(), |c| c.bootstrap = Bootstrap::draws(0))),
        ("bootstrap multiplier", but(plain(), |c| c.bootstrap.multiplier = Multiplier::Webb)),
        ("grid", but(plain(), |c| c.grid = SieveGrid::Points(vec![vec![0.1, 0.2]]))),
        ("alpha", but(plain(), |c| c.alpha = 0.0)),
    ] {
        let found = error(config, &df).to_string();
        assert!(found.contains(&format!("`{option}`")), "{option}: {found}");
    }
    let found = error(but(plain(), |c| c.regressors = vec!["z".into()]), &df);
    assert!(matches!(found, DidError::ColumnNotFound { role: "regressor", .. }), "{found}");
    let found = error(plain(), &with(&df, "x1", vec![1.0; df.height()]));
    assert!(matches!(found, DidError::Sieve { .. }), "{found}");
    let found = error(plain(), &with(&df, "y", vec![f64::NAN; df.height()]));
    assert!(matches!(found, DidError::EmptySample { .. }), "{found}");
    let negative = with(&df, "v", vec![-1.0; df.height()]);
    let found = error(but(plain(), |c| c.weights = Some("v".into())), &negative);
    assert!(matches!(found, DidError::Negative { role: "weights", .. }), "{found}");
    let small = df.head(Some(20));
    assert_eq!(plain().fit(&small).unwrap().warnings.len(), 1);
}

#[test]
fn a_regressor_of_few_values_has_no_curve_between_them() {
    let df = data(&golden_json("npiv.json"));
    let rounded =
        df.column("x1").unwrap().f64().unwrap().iter().flatten().map(|x| (4.0 * x).round());
    let few = with(&df, "x1", rounded.collect::<Vec<f64>>());
    let config = but(plain(), |c| c.x_segments = Some(4));
    let fit = config.fit(&few).unwrap();
    let expected = burn_did::DidWarning::CollinearSieve { functions: 7, rank: 5 };
    assert_eq!(fit.warnings, [expected]);
    assert!(fit.rows.iter().all(|row| row.h.se.is_some() && row.derivative.estimate.is_none()));
    assert!(config.fit(&df).unwrap().warnings.is_empty());
}

#[test]
fn one_dimension_alone_and_dimensions_that_agree_have_finite_bands() {
    let df = data(&golden_json("npiv.json"));
    let three = but(plain(), |c| {
        c.regressors = vec!["x1".into(), "x2".into(), "w2".into()];
        c.grid = SieveGrid::Even(4);
    });
    let fit = three.fit(&df).unwrap();
    let choice = fit.choice.as_ref().unwrap();
    assert_eq!((choice.compared.len(), choice.theta), (1, 0.0));
    assert!(fit.critical_value > 1.9 && fit.critical_value < 5.0, "{}", fit.critical_value);
    // Knots at the four values of a regressor: all dimensions agree at these, two of which are points of the comparison.
    let rounded =
        df.column("x1").unwrap().f64().unwrap().iter().flatten().map(|x| (3.0 * x).round());
    let few = with(&df, "x1", rounded.collect::<Vec<f64>>());
    let discrete = but(plain(), |c| {
        c.knots = SieveKnots::Quantiles;
        c.grid = SieveGrid::Points((0..4).map(|x| vec![f64::from(x)]).collect());
    });
    let fit = discrete.fit(&few).unwrap();
    assert!(fit.critical_value > 1.9 && fit.critical_value < 6.0, "{}", fit.critical_value);
    let many = but(plain(), |c| {
        c.instruments = vec!["w1".into(), "w2".into()];
        c.w_segments = Some(60);
        c.x_segments = Some(2);
    });
    let refused = many.fit(&df).unwrap_err().to_string();
    assert!(refused.contains("4096 functions") && refused.contains("additive"), "{refused}");
}
