//! Where data come from and in what types: the same numbers for every form of the same sample.

use burn_did::backend::Cpu;
use burn_did::{AttGt, DidWarning, GroupTimeResult};
use polars::prelude::*;

use crate::support::frames::{floats, map, with};
use crate::support::spec::Spec;
use crate::support::splitmix;

fn panel() -> DataFrame {
    splitmix::panel(42, 240, [3, 4, 6, 0])
}

fn config() -> AttGt<Cpu> {
    let config = AttGt::builder().outcome("y").unit("id").time("t").group("g");
    config.covariates("~ x1").build()
}

#[track_caller]
fn assert_same(a: &GroupTimeResult, b: &GroupTimeResult) {
    assert_eq!(a.cells, b.cells);
    assert_eq!(a.vcov().unwrap(), b.vcov().unwrap());
}

#[test]
fn frames_and_files_are_one() {
    let mut df = panel();
    let expected = config().fit(&df).unwrap();
    let folder = std::env::temp_dir().join(format!("burn-did-input-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let parquet = folder.join("panel.parquet");
    ParquetWriter::new(std::fs::File::create(&parquet).unwrap()).finish(&mut df).unwrap();
    assert_same(&expected, &config().fit(parquet.as_path()).unwrap());
    let csv = folder.join("panel.csv");
    CsvWriter::new(std::fs::File::create(&csv).unwrap()).finish(&mut df).unwrap();
    assert_same(&expected, &config().fit(csv.as_path()).unwrap());
    std::fs::remove_dir_all(folder).unwrap();
}

#[cfg(feature = "lazy")]
#[test]
fn a_lazy_frame_is_collected() {
    use burn_did::DidError;
    let df = panel();
    let expected = config().fit(&df).unwrap();
    assert_same(&expected, &config().fit(df.clone().lazy()).unwrap());
    let failing = df.lazy().with_column(col("no such column").alias("more"));
    let error = config().fit(failing).unwrap_err();
    assert!(matches!(&error, DidError::Polars(_)), "{error}");
}

#[test]
fn data_that_cannot_be_read_are_an_error() {
    use burn_did::DidError;
    let error = config().fit("no such file.csv").unwrap_err();
    assert!(matches!(&error, DidError::Io { path, .. } if path.contains("no such")), "{error}");
    let error = config().fit("Cargo.toml").unwrap_err();
    assert!(matches!(&error, DidError::Config { option: "data", .. }), "{error}");
}

#[test]
fn never_treated_is_zero_infinity_or_null() {
    let df = panel();
    let expected = config().fit(&df).unwrap();
    let never = |v: Option<f64>| {
        let g: Vec<Option<f64>> =
            floats(&df, "g").into_iter().map(|g| if g == 0.0 { v } else { Some(g) }).collect();
        with(&df, "g", g)
    };
    for code in [Some(0.0), Some(f64::INFINITY), None] {
        assert_same(&expected, &config().fit(never(code)).unwrap());
    }
    // Beyond the sample is never treated, too.
    assert_same(&expected, &config().fit(never(Some(99.0))).unwrap());
    let missing = config().fit(never(Some(f64::NAN))).unwrap();
    let (column, rows) = &missing.audit.rows_missing[0];
    assert!(column == "g" && *rows > 0, "NaN is missing, not never treated");
}

#[test]
fn types_of_columns_do_not_matter() {
    let df = panel();
    let expected = config().fit(&df).unwrap();
    for (column, dtype) in [
        ("t", DataType::Int32),
        ("t", DataType::Float32),
        ("g", DataType::Int64),
        ("g", DataType::UInt32),
        ("id", DataType::Float64),
        ("id", DataType::UInt64),
    ] {
        let mut cast = df.clone();
        cast.with_column(df.column(column).unwrap().cast(&dtype).unwrap()).unwrap();
        assert_same(&expected, &config().fit(&cast).unwrap());
    }
    let above: Vec<bool> = floats(&df, "y").iter().map(|y| *y > 0.5).collect();
    let number: Vec<f64> = above.iter().map(|b| f64::from(u8::from(*b))).collect();
    let boolean = config().fit(with(&df, "y", above)).unwrap();
    assert_same(&config().fit(with(&df, "y", number)).unwrap(), &boolean);
}

#[test]
fn gaps_and_fractions_in_the_calendar() {
    let df = panel();
    let expected = config().fit(&df).unwrap();
    let stretch = |v: f64| if v == 0.0 { 0.0 } else { 2_000.0 + 2.5 * v };
    let stretched = map(&map(&df, "t", stretch), "g", stretch);
    let fit = config().fit(&stretched).unwrap();
    for (a, b) in expected.cells.iter().zip(&fit.cells) {
        assert_eq!(a.estimate, b.estimate);
        assert_eq!((stretch(a.group), stretch(a.time)), (b.group, b.time));
    }
}

#[test]
fn rows_with_missing_values_are_dropped_and_counted() {
    let df = panel();
    let spec = Spec { allow_unbalanced_panel: true, ..Spec::default().covariates("~ x1 + log(w)") };
    let mut y: Vec<Option<f64>> = floats(&df, "y").into_iter().map(Some).collect();
    let mut w = floats(&df, "w");
    (y[3], y[40]) = (None, Some(f64::NAN));
    (w[100], w[101], w[40]) = (-1.0, 0.0, -1.0);
    let fit = spec.fit(&with(&with(&df, "y", y), "w", w));
    assert_eq!(fit.audit.rows_in, 1440);
    assert_eq!(fit.audit.rows_missing, [("y".to_owned(), 2), ("log(w)".to_owned(), 2)]);
    assert!(fit.warnings.iter().any(|w| matches!(w, DidWarning::DroppedRows { rows: 4, .. })));
    assert_eq!(fit.audit.rows, 1436 - already_treated_rows(&fit));
}

fn already_treated_rows(fit: &GroupTimeResult) -> usize {
    fit.audit.units_already_treated * 6
}

#[test]
fn factors_are_dummies() {
    let df = panel();
    let code = |v: f64| (v as i64 % 3).to_string();
    let region: Vec<String> = floats(&df, "cl").into_iter().map(code).collect();
    let dummy = |level: &str| -> Vec<f64> {
        region.iter().map(|r| f64::from(u8::from(r == level))).collect()
    };
    let df = with(&with(&df, "d1", dummy("1")), "d2", dummy("2"));
    let df = with(&df, "region", region);
    let by_hand = Spec::default().covariates("~ x1 + d1 + d2 + I(x1^2)").fit(&df);
    let factor = Spec::default().covariates("~ x1 + C(region) + I(x1^2)").fit(&df);
    let plain = Spec::default().covariates("x1 + region + I(x1^2)").fit(&df);
    assert_eq!(
        factor.audit.covariates,
        ["(Intercept)", "x1", "C(region)1", "C(region)2", "I(x1^2)"]
    );
    assert_eq!(by_hand.cells, factor.cells);
    assert_eq!(by_hand.cells, plain.cells);
}

#[test]
fn only_weights_that_vary_are_called_varying() {
    let unbalanced = crate::support::frames::filter(&panel(), "keep", |k| k == 1.0);
    let spec = Spec { allow_unbalanced_panel: true, ..Spec::default() };
    let warned = |column: &str| {
        let fit = spec.clone().weights(column).fit(&unbalanced);
        fit.warnings.contains(&DidWarning::TimeVaryingWeights)
    };
    assert!(warned("wt") && !warned("w"));
}

#[test]
fn clusters_of_a_unit_matter_only_where_rows_are_units() {
    let df = panel();
    let both = |repeated_cross_sections| {
        let spec = Spec { repeated_cross_sections, ..Spec::default() };
        (spec.fit(&df), spec.cluster("id").fit(&df))
    };
    let (plain, by_unit) = both(false);
    assert_same(&plain, &by_unit);
    let (plain, by_unit) = both(true);
    assert_eq!((plain.settings.n_clusters, by_unit.settings.n_clusters), (None, Some(240)));
    assert_ne!(plain.vcov().unwrap(), by_unit.vcov().unwrap());
}
