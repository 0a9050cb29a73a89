//! Columns of every type: the same numbers where the type can play the part, an error that names the column where not.

use burn_did::backend::Cpu;
use burn_did::options::Frequency;
use burn_did::{AttGt, Data, DidError, DidWarning, GroupTimeResult};
use polars::prelude::*;

use crate::support::frames::{floats, map, with};
use crate::support::splitmix;

fn panel() -> DataFrame {
    let df = splitmix::panel(7, 200, [3, 4, 6, 0]);
    // Whole numbers that every type has.
    let whole = |name: &str| map(&df, name, |v| (10.0 * v).round().abs().min(100.0));
    let (y, x, w) =
        (floats(&whole("y"), "y"), floats(&whole("x1"), "x1"), floats(&whole("w"), "w"));
    with(&with(&with(&df, "y", y), "x", x), "wt", w)
}

fn config() -> AttGt<Cpu> {
    let config = AttGt::builder().outcome("y").unit("id").time("t").group("g").covariates("~ x");
    config.weights("wt").cluster("cl").build()
}

fn fit(df: &DataFrame) -> GroupTimeResult {
    config().fit(df).unwrap()
}

/// Casts a column of whole numbers.
fn cast(df: &DataFrame, column: &str, dtype: &DataType) -> DataFrame {
    let values = floats(df, column);
    let wide: Vec<i128> = values.iter().map(|v| *v as i128).collect();
    let wide = Int128Chunked::from_slice(column.into(), &wide);
    let series = match dtype {
        DataType::Decimal(precision, scale) => {
            let factor = 10_i128.pow(*scale as u32);
            let digits: Vec<i128> = wide.iter().flatten().map(|v| v * factor).collect();
            let digits = Int128Chunked::from_slice(column.into(), &digits);
            digits.into_decimal(*precision, *scale).unwrap().into_series()
        }
        DataType::Int128 => wide.into_series(),
        DataType::UInt128 => {
            let values: Vec<u128> = values.iter().map(|v| *v as u128).collect();
            UInt128Chunked::from_slice(column.into(), &values).into_series()
        }
        _ => Series::new(column.into(), values).cast(dtype).unwrap(),
    };
    let mut df = df.clone();
    df.with_column(series.into_column()).unwrap();
    df
}

const NUMERIC: [DataType; 15] = [
    DataType::Int8,
    DataType::Int16,
    DataType::Int32,
    DataType::Int64,
    DataType::Int128,
    DataType::UInt8,
    DataType::UInt16,
    DataType::UInt32,
    DataType::UInt64,
    DataType::UInt128,
    DataType::Float16,
    DataType::Float32,
    DataType::Float64,
    DataType::Decimal(38, 0),
    DataType::Decimal(20, 4),
];

#[test]
fn every_numeric_type_plays_every_part() {
    let df = panel();
    // Units up to 100, which 8 bits have.
    let df = crate::support::frames::filter(&df, "id", |id| id <= 100.0);
    let expected = fit(&df);
    let folder = std::env::temp_dir().join(format!("burn-did-types-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for dtype in &NUMERIC {
        let mut all = df.clone();
        for column in ["y", "x", "wt", "t", "g", "id", "cl"] {
            let one = cast(&df, column, dtype);
            let found = fit(&one);
            assert_eq!(
                (&expected.cells, expected.vcov().unwrap()),
                (&found.cells, found.vcov().unwrap()),
                "{column} {dtype}"
            );
            all = cast(&all, column, dtype);
        }
        let path = folder.join("all.parquet");
        let file = std::fs::File::create(&path).unwrap();
        if ParquetWriter::new(file).finish(&mut all).is_err() {
            continue;
        }
        let found = config().fit(path.as_path()).unwrap();
        assert_eq!(expected.cells, found.cells, "{dtype}");
        let found = config().fit(Data::in_pieces(path.as_path())).unwrap();
        assert_eq!(expected.cells, found.cells, "{dtype}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

/// Columns of half precision are read by a way of their own: with missing values and beside other types, in whole files and in pieces.
#[test]
fn half_precision_beside_other_types_in_files() {
    let df = panel();
    let y: Vec<Option<f64>> =
        floats(&df, "y").into_iter().enumerate().map(|(i, y)| (i % 97 > 0).then_some(y)).collect();
    let names = DataType::from_categories(Categories::global());
    let cluster = cast(&df, "cl", &DataType::Int32).column("cl").unwrap().clone();
    let cluster = cluster.cast(&DataType::String).and_then(|c| c.cast(&names)).unwrap();
    let mut df = with(&df, "y", y);
    df.with_column(cluster).unwrap();
    let expected = config().fit(&df).unwrap();
    assert!(expected.audit != fit(&panel()).audit, "values are missing");
    for name in ["y", "x"] {
        let half = df.column(name).unwrap().cast(&DataType::Float16).unwrap();
        df.with_column(half).unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("halves.parquet");
    let writer = ParquetWriter::new(std::fs::File::create(&path).unwrap());
    writer.with_row_group_size(Some(100)).finish(&mut df).unwrap();
    let found = config().fit(path.as_path()).unwrap();
    assert_eq!(expected.cells, found.cells);
    let found = config().fit(Data::in_pieces(path.as_path())).unwrap();
    assert_eq!(expected.cells, found.cells);
}

#[test]
fn labels_are_text_categories_booleans_and_dates_too() {
    let df = panel();
    let padded = |name: &str| -> Vec<String> {
        floats(&df, name).into_iter().map(|v| format!("{v:06}")).collect()
    };
    let texts = with(&with(&df, "id", padded("id")), "cl", padded("cl"));
    let expected = fit(&df);
    assert_eq!(expected.cells, fit(&texts).cells);
    for physical in [CategoricalPhysical::U16, CategoricalPhysical::U32] {
        let dtype = DataType::from_categories(Categories::random(PlSmallStr::EMPTY, physical));
        let mut categories = texts.clone();
        for column in ["id", "cl"] {
            categories.with_column(texts.column(column).unwrap().cast(&dtype).unwrap()).unwrap();
        }
        assert_eq!(expected.cells, fit(&categories).cells);
    }
    let mut dates = df.clone();
    for column in ["id", "cl"] {
        let days = df.column(column).unwrap().cast(&DataType::Int32).unwrap();
        dates.with_column(days.cast(&DataType::Date).unwrap()).unwrap();
    }
    assert_eq!(expected.cells, fit(&dates).cells);
}

/// As many categories as units are read as text, a few as what they are: in whole files, in pieces, and in several files.
#[test]
fn categories_in_files_are_labels_as_their_texts() {
    let df = panel();
    let texts = |name: &str| -> Vec<Option<String>> {
        let label = |v: f64| (v != 3.0).then(|| format!("a rather long name, {v:06}"));
        floats(&df, name).into_iter().map(label).collect()
    };
    let texts = with(&with(&df, "id", texts("id")), "cl", texts("cl"));
    let expected = fit(&texts);
    assert!(expected.audit != fit(&df).audit, "unit 3 has no name");
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, df: &mut DataFrame| {
        let path = folder.path().join(name);
        let writer = ParquetWriter::new(std::fs::File::create(&path).unwrap());
        writer.with_row_group_size(Some(100)).finish(df).unwrap();
        path
    };
    let own = || DataType::from_categories(Categories::random("".into(), CategoricalPhysical::U32));
    let all = |name: &str| {
        let column = texts.column(name).unwrap().unique_stable().unwrap().drop_nulls();
        column.str().unwrap().iter().flatten().map(str::to_owned).collect::<Vec<_>>()
    };
    let frozen = |name: &str| {
        let labels = all(name);
        DataType::from_frozen_categories(
            FrozenCategories::new(labels.iter().map(String::as_str)).unwrap(),
        )
    };
    let dtypes = [[own(), own()], [frozen("id"), frozen("cl")]];
    let half = texts.height() / 2;
    std::fs::create_dir(folder.path().join("both")).unwrap();
    write("both/first.parquet", &mut texts.slice(0, half));
    for dtypes in dtypes {
        let mut categories = texts.clone();
        for (name, dtype) in ["id", "cl"].into_iter().zip(&dtypes) {
            categories.with_column(texts.column(name).unwrap().cast(dtype).unwrap()).unwrap();
        }
        let whole = write("whole.parquet", &mut categories);
        for data in [Data::from(whole.as_path()), Data::in_pieces(whole.as_path())] {
            let found = config().fit(data).unwrap();
            assert_eq!(expected.cells, found.cells, "{dtypes:?}");
        }
        if dtypes[0].is_categorical() {
            write("both/second.parquet", &mut categories.slice(half as i64, usize::MAX));
            let found = config().fit(folder.path().join("both")).unwrap();
            assert_eq!(expected.cells, found.cells);
        }
    }
}

#[test]
fn labels_beyond_64_bits_are_exact() {
    let df = panel();
    let expected = fit(&df);
    let shifted = |shift: u128| -> DataFrame {
        let ids: Vec<u128> = floats(&df, "id").iter().map(|v| shift + *v as u128).collect();
        let mut df = df.clone();
        df.with_column(UInt128Chunked::from_slice("id".into(), &ids).into_column()).unwrap();
        df
    };
    for shift in [1 << 60, (1 << 63) - 100, (1 << 64) - 50, (1 << 127) - 100, u128::MAX - 300] {
        assert_eq!(expected.cells, fit(&shifted(shift)).cells, "{shift}");
    }
    let ids: Vec<u64> = floats(&df, "id").iter().map(|v| (1 << 63) - 100 + *v as u64).collect();
    assert_eq!(expected.cells, fit(&with(&df, "id", ids)).cells);
}

#[test]
fn other_types_are_an_error_that_names_column_part_and_type() {
    let df = panel();
    let n = df.height();
    let types = [
        DataType::Binary,
        DataType::Time,
        DataType::Duration(TimeUnit::Microseconds),
        DataType::List(Box::new(DataType::Int64)),
        DataType::Array(Box::new(DataType::Float64), 2),
        DataType::Struct(vec![Field::new("a".into(), DataType::Int64)]),
    ];
    let parts = [
        ("y", "outcome"),
        ("x", "covariate"),
        ("wt", "weights"),
        ("t", "time"),
        ("g", "group"),
        ("id", "unit"),
        ("cl", "cluster"),
    ];
    for dtype in &types {
        for (column, part) in parts {
            let mut odd = df.clone();
            odd.with_column(Series::full_null(column.into(), n, dtype).into_column()).unwrap();
            let error = config().fit(&odd).unwrap_err();
            let text = error.to_string();
            assert!(matches!(error, DidError::ColumnType { .. }), "{text}");
            assert!(text.contains(&format!("`{column}` ({part})")), "{text}");
        }
    }
    for (column, part) in [("y", "outcome"), ("wt", "weights"), ("t", "time"), ("g", "group")] {
        let error = config().fit(with(&df, column, vec!["a"; n])).unwrap_err();
        let text = error.to_string();
        assert!(text.contains(&format!("`{column}` ({part}) holds text")), "{text}");
    }
}

#[test]
fn columns_without_values_do_not_panic() {
    let df = panel();
    for column in ["y", "x", "wt", "t", "id", "cl"] {
        let mut empty = df.clone();
        let nulls = Series::full_null(column.into(), df.height(), &DataType::Null);
        empty.with_column(nulls.into_column()).unwrap();
        config().fit(&empty).unwrap_err();
    }
    let mut empty = df.clone();
    let nulls = Series::full_null("g".into(), df.height(), &DataType::Null);
    empty.with_column(nulls.into_column()).unwrap();
    let error = config().fit(&empty).unwrap_err();
    assert!(matches!(error, DidError::NoValidGroups { .. }), "{error}");
}

#[test]
fn periods_that_doubles_confuse_are_refused_by_name() {
    let df = panel();
    let refused = |df: &DataFrame, column: &str, value: &str| {
        let error = config().fit(df).unwrap_err();
        let text = error.to_string();
        assert!(matches!(error, DidError::TooManyDigits { .. }), "{text}");
        assert!(text.contains(&format!("`{column}`")) && text.contains(value), "{text}");
    };
    let start = 1_i64 << 53;
    for column in ["t", "g"] {
        let shift = |v: f64| if v == 0.0 { 0 } else { start + v as i64 };
        let ints: Vec<i64> = floats(&df, column).into_iter().map(shift).collect();
        let first = ints.iter().find(|v| **v != 0).unwrap().to_string();
        refused(&with(&df, column, ints.clone()), column, &first);
        let unsigned: Vec<u64> = ints.iter().map(|v| *v as u64).collect();
        refused(&with(&df, column, unsigned), column, &first);
        let wide: Vec<i128> = ints.iter().map(|v| i128::from(*v)).collect();
        let wide = Int128Chunked::from_slice(column.into(), &wide);
        let mut odd = df.clone();
        odd.with_column(wide.clone().into_column()).unwrap();
        refused(&odd, column, &first);
        odd.with_column(wide.into_decimal(38, 0).unwrap().into_column()).unwrap();
        refused(&odd, column, &first);
        let floats: Vec<f64> = ints.iter().map(|v| *v as f64).collect();
        refused(&with(&df, column, floats), column, "90071992547409");
    }
    let nanoseconds: Vec<i64> =
        floats(&df, "t").into_iter().map(|t| 1_167_609_600_000_000_000 + t as i64).collect();
    refused(&with(&df, "t", nanoseconds), "t", "1167609600000000001");
    let digits: Vec<i128> =
        floats(&df, "t").into_iter().map(|t| 20_040_000_000_000_000_000 + t as i128).collect();
    let digits = Int128Chunked::from_slice("t".into(), &digits).into_decimal(38, 16).unwrap();
    let mut odd = df.clone();
    odd.with_column(digits.into_column()).unwrap();
    refused(&odd, "t", "2004.0000000000000001");
}

#[test]
fn large_periods_of_a_csv_file_are_refused() {
    let df = panel();
    for start in
        ["900719925474099", "1844674407370955161", "17014118346046923173168730371588410572"]
    {
        let digit = |v: f64| format!("{start}{v}");
        let mut text = "id,t,g,y,x,wt,cl\n".to_owned();
        let columns = ["id", "t", "g", "y", "x", "wt", "cl"].map(|name| floats(&df, name));
        for row in 0..df.height() {
            let [id, t, g, y, x, wt, cl] = columns.each_ref().map(|c| c[row]);
            let g = if g == 0.0 { "0".to_owned() } else { digit(g) };
            text += &format!("{id},{},{g},{y},{x},{wt},{cl}\n", digit(t));
        }
        let name = format!("burn-did-digits-{}-{}.csv", std::process::id(), start.len());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, text).unwrap();
        let error = config().fit(path.as_path()).unwrap_err();
        std::fs::remove_file(&path).unwrap();
        let text = error.to_string();
        let named = matches!(error, DidError::TooManyDigits { .. } | DidError::ColumnType { .. });
        assert!(named && text.contains("`t` (time)"), "{text}");
    }
}

#[test]
fn rounded_outcomes_are_said_to_be_and_rounded_categories_refused() {
    let df = panel();
    let large = |name: &str| -> Vec<i64> {
        floats(&df, name).into_iter().map(|v| (1 << 60) + v as i64).collect()
    };
    let found = config().fit(with(&df, "y", large("y")));
    let warning = DidWarning::RoundedIntegers { columns: vec!["y".into()] };
    assert!(found.unwrap().warnings.contains(&warning));
    assert!(!fit(&df).warnings.contains(&warning));
    let mut categorical = config();
    categorical.covariates = "~ C(x)".into();
    let error = categorical.fit(with(&df, "x", large("x"))).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("`x` (categorical covariate)") && text.contains("2^53"), "{text}");
}

/// Polars knows no offset that is not of whole hours. The file was written by pyarrow.
#[test]
fn unknown_time_zones_matter_where_they_are_read() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/suite/files/offset.parquet");
    let config = || AttGt::<Cpu>::builder().outcome("y").unit("id").group("g");
    let whole = config().time("t").build().fit(path).unwrap();
    assert_eq!(whole.settings.n_units, 24);
    assert_eq!(config().time("t").build().fit(Data::in_pieces(path)).unwrap().cells, whole.cells);
    let dated = config().time("at").frequency(Frequency::Month).build();
    let nested = config().time("t").covariates("~ in").build();
    for (fit, name) in [(dated, "at"), (nested, "in")] {
        for data in [path.into(), Data::in_pieces(path)] {
            let error = fit.fit(data).unwrap_err().to_string();
            let stated = format!("column `{name}` has timestamps of the time zone `+05:30`");
            assert!(error.contains(&stated) && error.contains("offset.parquet"), "{error}");
        }
    }
}
