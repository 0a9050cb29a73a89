//! Missing values as other programs write them: the same numbers as from a frame with nulls, and every one counted.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use burn_did::backend::Cpu;
use burn_did::{AttGt, Data, DidError, GroupTimeResult};
use polars::prelude::*;

use crate::support::frames::{floats, with};
use crate::support::splitmix;

/// Words of R, pandas, Stata, SAS, data bases and spreadsheets.
const WORDS: [&str; 10] = ["NA", ".", "NaN", "nan", "null", "NULL", "N/A", "None", "#N/A", ".a"];

fn panel() -> DataFrame {
    splitmix::panel(7, 240, [3, 4, 6, 0])
}

fn config() -> AttGt<Cpu> {
    let config = AttGt::builder().outcome("y").unit("id").time("t").group("g");
    config.covariates("~ x1").allow_unbalanced_panel(true).build()
}

fn fit(config: &AttGt<Cpu>, df: &DataFrame) -> GroupTimeResult {
    config.fit(df).unwrap()
}

/// A CSV file with `word` for the column's missing values.
fn csv(folder: &Path, df: &DataFrame, column: &str, word: &str) -> PathBuf {
    let names = ["id", "t", "g", "y", "x1", "cl"];
    let columns: Vec<Vec<f64>> = names.iter().map(|name| floats(df, name)).collect();
    let mut text = names.join(",");
    for row in 0..df.height() {
        text.push('\n');
        for (j, values) in columns.iter().enumerate() {
            let comma = if j > 0 { "," } else { "" };
            match values[row] {
                v if v.is_nan() && names[j] == column => write!(text, "{comma}{word}").unwrap(),
                v => write!(text, "{comma}{v}").unwrap(),
            }
        }
    }
    let path = folder.join("panel.csv");
    std::fs::write(&path, text).unwrap();
    path
}

/// The frame with nulls in some rows of a column.
fn with_gaps(df: &DataFrame, column: &str) -> DataFrame {
    let value = |(row, v): (usize, f64)| (row % 41 != 3).then_some(v);
    let values: Vec<Option<f64>> = floats(df, column).into_iter().enumerate().map(value).collect();
    with(df, column, values)
}

#[track_caller]
fn assert_same(a: &GroupTimeResult, b: &GroupTimeResult) {
    assert_eq!(a.cells, b.cells);
    assert_eq!(a.vcov().unwrap(), b.vcov().unwrap());
    assert_eq!(a.audit.rows_missing, b.audit.rows_missing);
    assert_eq!(a.settings.n_clusters, b.settings.n_clusters);
}

#[test]
fn words_among_numbers_are_nulls_in_every_role() {
    let folder = tempfile::tempdir().unwrap();
    for column in ["x1", "y", "id", "t", "cl"] {
        let df = with_gaps(&panel(), column);
        let mut config = config();
        config.cluster = Some("cl".into());
        let expected = fit(&config, &df);
        let gaps = floats(&df, column).iter().filter(|v| v.is_nan()).count();
        for word in WORDS.iter().copied().chain(["", " NA ", "\"NA\"", "\"\""]) {
            let read = config.fit(csv(folder.path(), &df, column, word).as_path());
            let read = read.unwrap_or_else(|e| panic!("{column} {word}: {e}"));
            assert_same(&expected, &read);
            let pieces = config.fit(Data::in_pieces(folder.path().join("panel.csv"))).unwrap();
            assert_same(&expected, &pieces);
            assert_eq!(read.audit.read_as_missing, pieces.audit.read_as_missing);
            let counted = &read.audit.read_as_missing;
            let token = word.trim().trim_matches('"');
            assert_eq!((counted.len(), &*counted[0].column), (1, column));
            assert_eq!((&*counted[0].token, counted[0].values), (token, gaps), "{column} {word}");
            assert!(read.to_string().contains(&format!("Read as missing in {column}: ")));
        }
    }
}

#[test]
fn a_missing_group_is_never_treated_and_no_number_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let never = |v: f64| if v == 0.0 { f64::NAN } else { v };
    let df = panel();
    let gaps = with(&df, "g", floats(&df, "g").into_iter().map(never).collect::<Vec<f64>>());
    let expected = fit(&config(), &df);
    for word in ["", "NA", ".", "Inf", "inf", "0"] {
        let path = csv(folder.path(), &gaps, "g", word);
        assert_same(&expected, &config().fit(path.as_path()).unwrap());
    }
    let path = csv(folder.path(), &gaps, "g", "NaN");
    let mut config = config();
    config.control_group = burn_did::options::ControlGroup::NotYetTreated;
    let read = config.fit(path.as_path()).unwrap();
    assert_same(&fit(&config, &gaps), &read);
    let words = &read.audit.read_as_missing;
    assert!(words.iter().any(|entry| entry.column == "g" && !entry.never_treated), "{words:?}");
}

#[test]
fn infinities_of_other_columns_are_not_finite() {
    let folder = tempfile::tempdir().unwrap();
    let df = with_gaps(&panel(), "x1");
    for word in ["Inf", "-Inf"] {
        let path = csv(folder.path(), &df, "x1", word);
        let read = config().fit(path.as_path()).unwrap();
        assert_same(&fit(&config(), &df), &read);
        assert!(read.audit.read_as_missing.is_empty());
    }
}

#[test]
fn infinite_labels_are_missing() {
    let folder = tempfile::tempdir().unwrap();
    for column in ["id", "cl"] {
        let gaps = with_gaps(&panel(), column);
        let mut config = config();
        config.cluster = Some("cl".into());
        let expected = fit(&config, &gaps);
        for (word, infinity) in [("Inf", f64::INFINITY), ("-Inf", f64::NEG_INFINITY)] {
            let filled =
                floats(&gaps, column).into_iter().map(|v| if v.is_nan() { infinity } else { v });
            let filled = with(&gaps, column, filled.collect::<Vec<f64>>());
            assert_same(&expected, &fit(&config, &filled));
            let path = csv(folder.path(), &gaps, column, word);
            assert_same(&expected, &config.fit(path.as_path()).unwrap());
        }
    }
}

#[test]
fn groups_that_are_clusters_may_be_never_treated_at_infinity() {
    let df = panel();
    let infinite = |v: f64| if v == 0.0 { f64::INFINITY } else { v };
    let at_infinity =
        with(&df, "g", floats(&df, "g").into_iter().map(infinite).collect::<Vec<_>>());
    let mut config = config();
    config.cluster = Some("g".into());
    let (zero, infinity) = (fit(&config, &df), fit(&config, &at_infinity));
    assert_eq!(infinity.settings.n_clusters, Some(4));
    assert_eq!(zero.settings.n_clusters, Some(4));
    assert!(infinity.audit.rows_missing.is_empty());
    let se = |fit: &GroupTimeResult| fit.cells.iter().map(|c| c.estimate.se).collect::<Vec<_>>();
    for (a, b) in se(&zero).into_iter().zip(se(&infinity)) {
        assert!(a.zip(b).is_none_or(|(a, b)| (a - b).abs() <= 1e-12 * a), "{a:?} {b:?}");
    }
}

#[test]
fn the_users_numbers_are_found_in_every_type_of_number() {
    let folder = tempfile::tempdir().unwrap();
    let gaps = with_gaps(&panel(), "x1");
    let tenths: Vec<Option<f64>> = gaps
        .column("x1")
        .unwrap()
        .f64()
        .unwrap()
        .iter()
        .map(|v| v.map(|v| (v * 10.0).round() / 10.0))
        .collect();
    let filled: Vec<f64> = tenths.iter().map(|v| v.unwrap_or(-99.9)).collect();
    let (gaps, filled) = (with(&gaps, "x1", tenths), with(&gaps, "x1", filled));
    let mut own = config();
    own.missing_values = Some(vec!["-99.9".into()]);
    for dtype in [DataType::Float64, DataType::Float32, DataType::Decimal(20, 3)] {
        let cast = |df: &DataFrame| {
            let column = df.column("x1").unwrap().cast(&dtype).unwrap();
            df.clone().with_column(column).unwrap().clone()
        };
        let (expected, mut filled) = (fit(&config(), &cast(&gaps)), cast(&filled));
        assert_same(&expected, &fit(&own, &filled));
        let path = folder.path().join("panel.parquet");
        ParquetWriter::new(std::fs::File::create(&path).unwrap()).finish(&mut filled).unwrap();
        let read = own.fit(path.as_path()).unwrap();
        assert_same(&expected, &read);
        assert_eq!(read.audit.read_as_missing[0].token, "-99.9", "{dtype}");
    }
}

#[test]
fn the_users_words_replace_the_usual_ones_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    for column in ["x1", "cl", "id"] {
        let df = with_gaps(&panel(), column);
        let mut config = config();
        config.cluster = Some("cl".into());
        let expected = fit(&config, &df);
        let filled: Vec<f64> =
            floats(&df, column).iter().map(|v| if v.is_nan() { -99.0 } else { *v }).collect();
        let filled = with(&df, column, filled);
        config.missing_values = Some(vec!["?".into(), "-99".into()]);
        for word in ["-99", "-99.0", "?", ""] {
            let path = csv(folder.path(), &df, column, word);
            assert_same(&expected, &config.fit(path.as_path()).unwrap());
        }
        assert_same(&expected, &fit(&config, &filled));
        let whole = filled.column(column).unwrap().cast(&DataType::Int64).unwrap();
        if column != "x1" {
            assert_same(&expected, &fit(&config, filled.clone().with_column(whole).unwrap()));
        }
        let path = csv(folder.path(), &df, "x1", "NA");
        let read = config.fit(path.as_path());
        if column == "x1" {
            let error = read.unwrap_err().to_string();
            assert!(error.contains("`x1`") && error.contains("`NA`"), "{error}");
        }
    }
    let built = AttGt::<Cpu>::builder().outcome("y").time("t").group("g").missing_values(["NA"]);
    assert_eq!(built.build().missing_values, Some(vec!["NA".to_owned()]));
}

#[test]
fn texts_are_missing_if_empty_or_na() {
    let folder = tempfile::tempdir().unwrap();
    let df = panel();
    let level = |(row, v): (usize, f64)| {
        let word = ["north", "south", ".", "null"][v as usize % 4];
        (row % 41 != 3).then(|| word.to_owned())
    };
    let region: Vec<Option<String>> =
        floats(&df, "cl").into_iter().enumerate().map(level).collect();
    let gaps = region.iter().filter(|r| r.is_none()).count();
    let mut config = config();
    config.covariates = "~ x1 + region".into();
    let expected = fit(&config, &with(&df, "region", region.clone()));
    assert_eq!(expected.audit.covariates.len(), 5);
    for word in ["NA", ""] {
        let filled: Vec<String> =
            region.iter().map(|r| r.clone().unwrap_or_else(|| word.to_owned())).collect();
        let mut filled = with(&df, "region", filled);
        let from_frame = fit(&config, &filled);
        assert_same(&expected, &from_frame);
        assert_eq!(from_frame.audit.read_as_missing[0].values, gaps);
        let path = folder.path().join("panel.csv");
        CsvWriter::new(std::fs::File::create(&path).unwrap()).finish(&mut filled).unwrap();
        let read = config.fit(path.as_path()).unwrap();
        assert_same(&expected, &read);
        assert_eq!(read.audit.read_as_missing, from_frame.audit.read_as_missing);
    }
}

#[test]
fn numbers_that_are_text_do_not_become_dummies() {
    let df = panel();
    let text = |word: &str| -> DataFrame {
        let value =
            |(row, v): (usize, f64)| if row % 41 == 3 { word.into() } else { v.to_string() };
        let values: Vec<String> = floats(&df, "x1").into_iter().enumerate().map(value).collect();
        with(&df, "x1", values)
    };
    let folder = tempfile::tempdir().unwrap();
    for word in ["NA", ".", "NULL", "-", "n.a.", "1,5", ""] {
        let mut df = text(word);
        let error = config().fit(&df).unwrap_err();
        assert!(
            matches!(&error, DidError::ColumnType { column, role: "covariate", .. } if column == "x1"),
            "{word}: {error}"
        );
        let path = folder.path().join("panel.parquet");
        ParquetWriter::new(std::fs::File::create(&path).unwrap()).finish(&mut df).unwrap();
        for budget in [None, Some(20_000)] {
            let mut config = config();
            config.memory_budget = budget;
            let again = config.fit(Data::in_pieces(&path)).unwrap_err();
            assert_eq!(error.to_string(), again.to_string());
        }
    }
    for word in ["-", "n.a.", "1.2.3", "\"1,5\""] {
        let path = csv(folder.path(), &with_gaps(&df, "x1"), "x1", word);
        let error = config().fit(path.as_path()).unwrap_err().to_string();
        assert!(error.contains("column `x1`") && error.contains(word.trim_matches('"')), "{error}");
    }
}

#[test]
fn a_numeric_role_names_the_text_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let df = with_gaps(&panel(), "y");
    let path = csv(folder.path(), &df, "y", "missing");
    let error = config().fit(path.as_path()).unwrap_err().to_string();
    assert!(error.contains("column `y` (outcome)") && error.contains("`missing`"), "{error}");
}

#[test]
fn dialects_of_csv() {
    let folder = tempfile::tempdir().unwrap();
    let df = panel();
    let path = csv(folder.path(), &df, "", "");
    let plain = std::fs::read_to_string(&path).unwrap();
    let read = |text: &str| {
        std::fs::write(&path, text).unwrap();
        config().fit(path.as_path())
    };
    let expected = fit(&config(), &df);
    let quoted: String = plain
        .lines()
        .map(|line| {
            line.split(',').map(|f| format!("\"{f}\"")).collect::<Vec<_>>().join(",") + "\n"
        })
        .collect();
    let padded = plain.replace(',', ", ").replacen(", ", ",", 5);
    let rows = plain.lines().count() - 1;
    let numbered: String = (0..=rows)
        .zip(plain.lines())
        .map(|(i, line)| {
            format!("{},{line}\n", if i == 0 { "\"\"".into() } else { format!("\"{i}\"") })
        })
        .collect();
    for text in [
        &plain,
        &quoted,
        &padded,
        &numbered,
        &plain.replace('\n', "\r\n"),
        &format!("\u{feff}{plain}"),
        &format!("{plain}\n"),
        &plain.replace(',', ";"),
        &plain.replace(',', "\t"),
        &plain.replace(',', ";").replace('.', ","),
    ] {
        assert_same(&expected, &read(text).unwrap());
    }
    let twice = plain.replacen("cl", "x1", 1);
    for (text, word) in [
        (plain.replace(',', ";").replacen('.', ",", 1), "decimal commas"),
        (twice, "several columns are called `x1`"),
        (String::new(), "empty"),
        (format!("{plain}\n241,1,0,0.5"), "fields"),
        (plain.replacen("\n1,", "\n1,,", 1), "line 2 has 7 fields"),
        (plain.replacen("\n1,", "\n\"1,", 1), "line 2: the quote of a field is not closed"),
        (plain.replace('\n', "\r"), "carriage returns"),
        (plain.replacen("x1", "\"x1", 1), "quotes"),
    ] {
        let error = read(&text).unwrap_err();
        assert!(matches!(&error, DidError::File { path, .. } if path.ends_with("panel.csv")));
        assert!(error.to_string().contains(word), "{error}");
    }
    let booleans: String = plain
        .replace("cl", "treated")
        .lines()
        .enumerate()
        .map(|(i, line)| {
            let (rest, last) = line.rsplit_once(',').unwrap();
            let odd = last.parse::<f64>().is_ok_and(|v| v % 2.0 == 1.0);
            let last = if i == 0 { last.to_owned() } else { odd.to_string().to_uppercase() };
            format!("{rest},{last}\n")
        })
        .collect();
    std::fs::write(&path, booleans).unwrap();
    let mut config = config();
    config.covariates = "~ x1 + treated".into();
    let odd: Vec<f64> = floats(&df, "cl").iter().map(|v| v % 2.0).collect();
    let read = config.fit(path.as_path()).unwrap();
    assert_eq!(read.audit.covariates[2], "treatedTRUE");
    assert_eq!(fit(&config, &with(&df, "treated", odd)).cells, read.cells);
}
