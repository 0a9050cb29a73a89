//! Every error that data or options can cause says what is wrong and where; nothing panics.

use std::panic::{AssertUnwindSafe, catch_unwind};

use burn_did::{
    Aggregated, Aggregation, DidError, DidWarning, GroupTimeResult, compare,
    options::{Bootstrap, ControlGroup, EstimationMethod, FixWeights},
};
use polars::prelude::*;

use crate::support::frames::{filter, floats, golden_data, map, rows, with};
use crate::support::golden::method;
use crate::support::spec::Spec;
use crate::support::splitmix::{self, SplitMix64};

fn panel() -> DataFrame {
    splitmix::panel(11, 60, [3, 4, 6, 0])
}

/// Fails unless the fit gives an error of the pattern whose message contains every one of the words.
macro_rules! assert_error {
    ($spec:expr, $df:expr, $pattern:pat, $($word:expr),+) => {
        let error = $spec.try_fit(&$df).expect_err("must be refused");
        check_error!(error, $pattern, $($word),+);
    };
}

macro_rules! check_error {
    ($error:expr, $pattern:pat, $($word:expr),+) => {
        let (error, message) = (&$error, $error.to_string());
        assert!(matches!(error, $pattern), "{error:?}");
        $(assert!(message.contains($word), "`{}` is not in: {message}", $word);)+
    };
}

#[test]
fn options() {
    let df = panel();
    let spec = Spec::default();
    assert_error!(Spec { alpha: 1.5, ..spec.clone() }, df, DidError::Config { .. }, "alpha", "1.5");
    assert_error!(Spec { alpha: f64::NAN, ..spec.clone() }, df, DidError::Config { .. }, "alpha");
    let none = Some(Bootstrap::draws(0));
    assert_error!(Spec { bootstrap: none, ..spec.clone() }, df, DidError::Config { .. }, "draws");
    assert_error!(Spec { unit: None, ..spec.clone() }, df, DidError::Config { .. }, "unit");
    for fix in [FixWeights::BasePeriod, FixWeights::FirstPeriod] {
        let fixed = Spec {
            fix_weights: Some(fix),
            repeated_cross_sections: true,
            ..spec.clone().weights("w")
        };
        assert_error!(fixed, df, DidError::Config { .. }, "fix_weights");
    }
    let no_rows = Spec { chunk_rows: Some(0), ..spec };
    assert_error!(no_rows, df, DidError::Config { .. }, "chunk_rows", "0");
}

#[test]
fn formula() {
    let df = panel();
    for formula in ["~ x1 +", "~ spline(x1)", "~ I(x1 ^", "y ~ x1 ~ x2t", "~ x1 %in% x2t"] {
        let spec = Spec::default().covariates(formula);
        assert_error!(spec, df, DidError::Formula { .. }, formula);
    }
    let spec = Spec::default().covariates("~ x1 + nowhere");
    assert_error!(spec, df, DidError::ColumnNotFound { .. }, "nowhere", "x2t");
}

#[test]
fn column_not_found() {
    let df = panel();
    let spec = Spec::default().weights("w").cluster("cl");
    let role = |name: &str, change: &dyn Fn(&mut Spec)| {
        let mut spec = spec.clone();
        change(&mut spec);
        assert_error!(spec, df, DidError::ColumnNotFound { .. }, "`missing`", name, "x2t");
    };
    role("outcome", &|s| s.outcome = "missing".into());
    role("time", &|s| s.time = "missing".into());
    role("unit", &|s| s.unit = Some("missing".into()));
    role("group", &|s| s.group = "missing".into());
    role("weights", &|s| s.weights = Some("missing".into()));
    role("cluster", &|s| s.cluster = Some("missing".into()));
    role("covariate", &|s| s.covariates = Some("~ missing".into()));
}

#[test]
fn column_type() {
    let df = panel();
    let words = |name: &str| {
        let text: Vec<String> = floats(&df, name).iter().map(|v| format!("value {v}")).collect();
        with(&df, name, text)
    };
    let spec = Spec::default().weights("w");
    for (name, role) in [("y", "outcome"), ("t", "time"), ("g", "group"), ("w", "weights")] {
        assert_error!(spec, words(name), DidError::ColumnType { .. }, name, role, "text");
    }
}

#[test]
fn negative_group() {
    let mut g = floats(&panel(), "g");
    g[37] = -4.0;
    let df = with(&panel(), "g", g);
    assert_error!(
        Spec::default(),
        df,
        DidError::Negative { role: "group", row: 37, .. },
        "`g`",
        "-4",
        "37",
        "if it is a period, add a constant to periods and groups"
    );
}

#[test]
fn weights() {
    let spec = Spec::default().weights("w");
    let mut w = floats(&panel(), "w");
    w[3] = -0.5;
    assert_error!(
        spec,
        with(&panel(), "w", w),
        DidError::Negative { role: "weights", row: 0.., .. },
        "`w`",
        "negative"
    );
    let zero = map(&panel(), "w", |_| 0.0);
    assert_error!(spec, zero, DidError::Weights { .. }, "`w`", "zero");
}

#[test]
fn duplicate_row() {
    let df = panel();
    let again = df.vstack(&rows(&df, &[20])).unwrap();
    let unit = format!("unit {}", floats(&df, "id")[20]);
    let period = format!("period {}", floats(&df, "t")[20]);
    let spec = Spec::default();
    assert_error!(spec, again, DidError::DuplicateRow { .. }, "`id`", &*unit, &*period);
    let unbalanced = Spec { allow_unbalanced_panel: true, ..spec };
    assert_error!(unbalanced, again, DidError::DuplicateRow { .. }, "`id`", &*unit, &*period);
}

#[test]
fn time_varying() {
    let df = panel();
    for (name, role) in [("g", "group"), ("cl", "cluster")] {
        let mut values = floats(&df, name);
        values[14] += 1.0;
        let spec = Spec::default().cluster("cl");
        let changed = with(&df, name, values);
        assert_error!(spec, changed, DidError::TimeVarying { .. }, name, role, "unit 3");
    }
}

#[test]
fn never_treated_codes_may_mix_within_a_unit() {
    let df = panel();
    let fit = Spec::default().fit(&df);
    let (g, t) = (floats(&df, "g"), floats(&df, "t"));
    let code = |(g, t): (&f64, &f64)| match (*g > 0.0, *t as i64 % 2) {
        (true, _) => Some(*g),
        (false, 0) => Some(f64::INFINITY),
        (false, _) => Some(0.0),
    };
    let mixed: Vec<Option<f64>> = g.iter().zip(&t).map(code).collect();
    assert_eq!(Spec::default().fit(&with(&df, "g", mixed)).cells, fit.cells);
}

#[test]
fn empty_sample() {
    let df = panel();
    let spec = Spec::default();
    assert_error!(spec, df.clear(), DidError::EmptySample { .. }, "no rows");
    let missing = with(&df, "y", vec![None::<f64>; df.height()]);
    assert_error!(spec, missing, DidError::EmptySample { .. }, "missing");
    // No unit is observed in every period.
    let ids = floats(&df, "id");
    let keep: Vec<usize> =
        (0..ids.len()).filter(|row| !(row + ids[*row] as usize).is_multiple_of(6)).collect();
    assert_error!(spec, rows(&df, &keep), DidError::EmptySample { .. }, "balance");
}

#[test]
fn too_few_periods() {
    let one = filter(&panel(), "t", |t| t == 2.0);
    assert_error!(
        Spec::default(),
        one,
        DidError::TooFewPeriods { periods: 1 },
        "the column of periods has two"
    );
}

#[test]
fn small_never_treated() {
    let df = panel();
    let never: Vec<f64> = floats(&filter(&df, "g", |g| g == 0.0), "id");
    let last = never[4 * 6];
    let small = filter(&df, "id", |id| !never.contains(&id) || id < last);
    let spec = Spec::default().covariates("~ x1");
    assert_error!(spec, small, DidError::SmallNeverTreated { size: 4, required: 6 }, "4", "6");
    let other = Spec { control_group: ControlGroup::NotYetTreated, ..spec };
    assert!(!other.fit(&small).cells.is_empty());
}

#[test]
fn a_factor_of_one_level_is_left_out_with_a_warning() {
    let df = with(&panel(), "f", vec!["a"; panel().height()]);
    let [plain, more] = ["~ x1", "~ x1 + f"].map(|f| Spec::default().covariates(f).fit(&df));
    let estimates = |fit: &GroupTimeResult| -> Vec<Option<f64>> {
        fit.cells.iter().map(|cell| cell.estimate.estimate).collect()
    };
    assert_eq!(estimates(&plain), estimates(&more));
    let warning = DidWarning::Collinear { columns: vec!["f".into()] };
    assert!(more.warnings.contains(&warning), "{:?}", more.warnings);
    assert!(!plain.warnings.iter().any(|w| matches!(w, DidWarning::Collinear { .. })));
}

#[test]
fn no_comparison() {
    let alone = map(&panel(), "g", |_| 3.0);
    for control_group in [ControlGroup::NeverTreated, ControlGroup::NotYetTreated] {
        let spec = Spec { control_group, ..Spec::default() };
        assert_error!(spec, alone, DidError::NoComparison, "same period", "nobody is left");
        let early = map(&panel(), "g", |g| if g == 3.0 { 1.0 } else { 4.0 });
        assert_error!(spec, early, DidError::NoComparison, "from the start", "or never");
    }
}

#[test]
fn no_valid_groups() {
    let df = panel();
    let spec = Spec::default();
    let never = map(&df, "g", |_| 0.0);
    assert_error!(spec, never, DidError::NoValidGroups { .. }, "no group");
    let early = map(&df, "g", |g| if g > 0.0 { 1.0 } else { 0.0 });
    assert_error!(spec, early, DidError::NoValidGroups { .. }, "first period");
    let anticipating = Spec { anticipation: 5, ..spec };
    assert_error!(anticipating, df, DidError::NoValidGroups { .. }, "anticipation");
    // A status in place of first treated periods, of the unit or of the row.
    let later = map(&df, "t", |t| 2000.0 + t);
    let ever = map(&later, "g", |g| f64::from(u8::from(g > 0.0)));
    assert_error!(
        Spec::default(),
        ever,
        DidError::IndicatorAsGroup { .. },
        "`g` (group) holds only 0 and 1",
        "such as 200"
    );
    let pairs = floats(&later, "t").into_iter().zip(floats(&later, "g"));
    let post = pairs.map(|(t, g)| f64::from(u8::from(g > 0.0 && t >= 2000.0 + g)));
    let post = with(&later, "g", post.collect::<Vec<f64>>());
    assert_error!(
        Spec::default(),
        post,
        DidError::TimeVarying { role: "group", .. },
        "looks like a treatment status of 0 and 1"
    );
}

#[test]
fn missing_cells_and_empty_windows() {
    let spec = Spec { method: method("ipw"), ..Spec::default().covariates("~ x1 + xsep") };
    let fit = spec.fit(&golden_data("small_a"));
    assert!(fit.cells.iter().any(|cell| cell.estimate.estimate.is_none()));
    let error = fit.aggregate(Aggregation::dynamic()).unwrap_err();
    check_error!(error, DidError::MissingCells { .. }, "na_rm", "group 4");
    let average = fit.aggregate(Aggregation::dynamic().na_rm(true)).unwrap();
    let left_out = average.left_out.as_ref().unwrap();
    assert!(left_out.share > 0.0 && left_out.groups.iter().any(|g| g.group == 4.0));
    let table = compare(&[("Averages", &average)]).to_string();
    assert!(table.contains("Averages: ") && table.contains("are left out"), "{table}");
    // A saved average keeps the record.
    let json = serde_json::to_value(&average).unwrap();
    assert_eq!(serde_json::from_value::<Aggregated>(json).unwrap(), average);
    // Tests of all effects are of all or of none.
    let test = fit.test_post_effects().unwrap_err();
    check_error!(test, DidError::MissingCells { .. }, "group 4");
    let test = fit.test_equal_groups().unwrap_err();
    check_error!(test, DidError::MissingCells { .. }, "group 4");

    let fit = Spec::default().fit(&panel());
    let error = fit.aggregate(Aggregation::dynamic().min_e(50.0)).unwrap_err();
    check_error!(error, DidError::EmptyWindow { .. }, "50");
    let error = fit.aggregate(Aggregation::simple().max_e(-1.0)).unwrap_err();
    check_error!(error, DidError::EmptyWindow { .. }, "-1");
}

/// Malformed frames, several faults at a time: an answer or an error, and every number of an answer is finite.
#[test]
fn malformed_frames_never_panic() {
    let mut panicked = Vec::new();
    let mut answered = 0;
    for seed in 0..1_500 {
        let mut random = SplitMix64(seed);
        let (df, spec) = malformed(&mut random);
        match catch_unwind(AssertUnwindSafe(|| spec.try_fit(&df).map(|fit| inspect(&fit)))) {
            Ok(Ok(())) => answered += 1,
            Ok(Err(error)) => assert!(!error.to_string().is_empty()),
            Err(_) => panicked.push((seed, spec)),
        }
    }
    assert!(panicked.is_empty(), "{} panics, first {:?}", panicked.len(), panicked[0]);
    assert!(
        answered > 150,
        "only {answered} frames were fit; the faults are too harsh to test much"
    );
}

/// Reads everything that a fit reports.
fn inspect(fit: &GroupTimeResult) {
    let check = |v: Option<f64>| assert!(v.is_none_or(f64::is_finite), "{v:?}");
    for cell in &fit.cells {
        let e = cell.estimate;
        [e.estimate, e.se, e.ci_lower, e.ci_upper, e.p_value].into_iter().for_each(check);
        assert!(e.se.is_none_or(|se| se > 0.0));
        assert_eq!(e.estimate.is_some(), cell.status.is_estimated(), "{:?}", cell.status);
    }
    fit.vcov().unwrap().into_iter().flatten().for_each(check);
    if let Some(wald) = fit.wald {
        check(Some(wald.stat));
        check(Some(wald.p_value));
    }
    for kind in
        [Aggregation::simple, Aggregation::dynamic, Aggregation::group, Aggregation::calendar]
    {
        for aggregation in [kind(), kind().na_rm(true), kind().balance_e(1).min_e(-1.0)] {
            if let Ok(aggregated) = fit.aggregate(aggregation) {
                check(aggregated.overall.estimate);
                check(aggregated.overall.se);
                aggregated.rows.iter().for_each(|r| check(r.estimate.estimate));
            }
        }
    }
}

/// A panel of 30 units with up to three faults, and options that may not suit it.
fn malformed(random: &mut SplitMix64) -> (DataFrame, Spec) {
    let mut pick = |n: usize| (random.uniform() * n as f64) as usize;
    let mut df = splitmix::panel(pick(1_000) as u64, 30, [3, 4, 6, 0]);
    let methods = [
        EstimationMethod::DoublyRobust,
        EstimationMethod::Ipw,
        EstimationMethod::OutcomeRegression,
    ];
    let mut spec = Spec {
        method: methods[pick(3)],
        control_group: if pick(2) == 0 {
            ControlGroup::NeverTreated
        } else {
            ControlGroup::NotYetTreated
        },
        anticipation: [0, 0, 1, 7][pick(4)],
        repeated_cross_sections: pick(3) == 0,
        allow_unbalanced_panel: pick(2) == 0,
        covariates: [None, Some("~ x1"), Some("~ x1 + x2t"), Some("~ C(cl) + x1:x2t")][pick(4)]
            .map(str::to_owned),
        weights: [None, Some("w"), Some("wt")][pick(3)].map(str::to_owned),
        cluster: [None, Some("cl")][pick(2)].map(str::to_owned),
        bootstrap: [None, Some(Bootstrap::draws(20))][pick(2)],
        ..Spec::default()
    };
    for _ in 0..=pick(3) {
        let fault = pick(16);
        df = spoil(&df, fault, &mut spec, &mut pick);
    }
    (df, spec)
}

fn spoil(
    df: &DataFrame,
    fault: usize,
    spec: &mut Spec,
    pick: &mut impl FnMut(usize) -> usize,
) -> DataFrame {
    let names = ["id", "t", "g", "x1", "x2t", "w", "wt", "cl", "y"];
    let name = names[pick(names.len())];
    let height = df.height();
    let present = df.column(name).is_ok();
    let numeric = present && df.column(name).unwrap().dtype().is_primitive_numeric();
    let extremes = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e300, 1e-300, 0.0, -1.0];
    match fault {
        0 if present => {
            with(df, name, vec!["text"; height].into_iter().map(String::from).collect())
        }
        1 if present => with(df, name, vec![None::<f64>; height]),
        2 if present => with(df, name, vec![true; height]),
        3 if present => with(df, name, vec![extremes[pick(extremes.len())]; height]),
        4 if numeric && height > 0 => {
            let mut values = floats(df, name);
            for _ in 0..=pick(4) {
                values[pick(height)] = extremes[pick(extremes.len())];
            }
            with(df, name, values)
        }
        5 if numeric => {
            let values = floats(df, name);
            let holes: Vec<_> =
                values.into_iter().map(|v| Some(v).filter(|_| pick(8) > 0)).collect();
            with(df, name, holes)
        }
        6 if numeric => map(df, name, |v| v * 1e300),
        7 if present => df.drop(name).unwrap(),
        8 => df.head(Some(pick(4))),
        9 => rows(df, &(0..height).map(|_| pick(height)).collect::<Vec<_>>()),
        10 if numeric => {
            let value = floats(df, name).first().copied().unwrap_or(0.0);
            filter(df, name, |v| v == value)
        }
        11 if present => {
            let mut out = df.clone();
            let foreign = format!("größe 价格 {name}");
            out.rename(name, foreign.as_str().into()).unwrap();
            for column in [&mut spec.outcome, &mut spec.time, &mut spec.group] {
                if column == name {
                    column.clone_from(&foreign);
                }
            }
            for column in [&mut spec.unit, &mut spec.weights, &mut spec.cluster] {
                if column.as_deref() == Some(name) {
                    *column = Some(foreign.clone());
                }
            }
            out
        }
        12 if numeric => {
            let types = [DataType::Float32, DataType::Int64, DataType::UInt32, DataType::Boolean];
            let mut out = df.clone();
            let column = out.column(name).unwrap().cast(&types[pick(types.len())]);
            column.map_or_else(
                |_| df.clone(),
                |column| {
                    out.with_column(column).unwrap();
                    out
                },
            )
        }
        13 if numeric && present => {
            let other = names[pick(names.len())];
            match df.column(other) {
                Ok(column) if column.dtype().is_primitive_numeric() => {
                    with(df, name, floats(df, other))
                }
                _ => df.clone(),
            }
        }
        14 => rows(df, &(0..height).filter(|_| pick(3) > 0).collect::<Vec<_>>()),
        15 if numeric => map(df, name, |v| (v * 2.0).round() / 4.0),
        _ => df.clone(),
    }
}
