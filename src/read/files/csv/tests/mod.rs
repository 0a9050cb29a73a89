//! The rules of types, and files cut into pieces of any size against those read the plain way.

mod reference;

use std::fs;
use std::io::Write;
use std::path::Path;

use polars::prelude::*;
use rand::{RngExt, SeedableRng, rngs::Xoshiro256PlusPlus};

use super::CsvData;
use super::pieces::PIECE;
use crate::read::columns::{Kind, MissingValues, ReadAsMissing, Wanted};
use crate::read::files::{DecimalMark, FileFormat, Files};

/// Reads columns, of which some are labels, in pieces of some bytes.
fn read(
    files: &[&[u8]],
    columns: &[(&str, bool)],
    missing: &MissingValues,
    size: usize,
) -> std::result::Result<(DataFrame, Vec<ReadAsMissing>), String> {
    read_with(None, files, columns, missing, size)
}

/// The same with a decimal mark that somebody said.
fn read_with(
    decimal: Option<DecimalMark>,
    files: &[&[u8]],
    columns: &[(&str, bool)],
    missing: &MissingValues,
    size: usize,
) -> std::result::Result<(DataFrame, Vec<ReadAsMissing>), String> {
    let folder = tempfile::tempdir().unwrap();
    let write = |(i, text): (usize, &&[u8])| {
        let path = folder.path().join(format!("{i}.csv"));
        fs::write(&path, text).unwrap();
        path
    };
    let paths: Vec<_> = files.iter().enumerate().map(write).collect();
    let mut wanted = Wanted::default();
    for (name, label) in columns {
        let kind = if *label { Kind::Label } else { Kind::Value };
        wanted = wanted.and("column", kind, [&(*name).to_owned()]);
    }
    let files = Files { format: FileFormat::Csv, paths, decimal, rows: Vec::new() };
    let read = CsvData::in_pieces_of(size, &files, &wanted, missing, None);
    read.map(|data| (data.frame, data.missing)).map_err(|e| e.to_string())
}

fn typed(fields: &[&str], label: bool) -> (Series, Vec<(String, usize)>) {
    let text = format!("x,y\n{}", fields.iter().map(|f| format!("{f},1\n")).collect::<String>());
    let missing = MissingValues::default();
    let mut all = [1, 7, 20, PIECE].into_iter().map(|size| {
        let (frame, counts) = read(&[text.as_bytes()], &[("x", label)], &missing, size).unwrap();
        let counts = counts.into_iter().map(|c| (c.token, c.values)).collect::<Vec<_>>();
        (frame.column("x").unwrap().as_materialized_series().clone(), counts)
    });
    let first = all.next().unwrap();
    for other in all {
        assert!(first.0.equals_missing(&other.0) && first.0.dtype() == other.0.dtype());
        assert_eq!(first.1, other.1);
    }
    first
}

fn series<T>(values: Vec<Option<T>>) -> Series
where
    Series: NamedFrom<Vec<Option<T>>, [Option<T>]>,
{
    Series::new("x".into(), values)
}

#[test]
fn numbers_with_words_for_missing_values_are_numbers() {
    let (column, counts) = typed(&["1", "NA", " 2", ".", "", "NA"], false);
    assert_eq!(column, series(vec![Some(1_i64), None, Some(2), None, None, None]));
    let counts: Vec<_> = counts.iter().map(|(t, n)| (t.as_str(), *n)).collect();
    assert_eq!(counts, [("", 1), (".", 1), ("NA", 2)]);
    let (column, _) = typed(&["1", "null", "2.5", "Inf"], false);
    assert_eq!(column, series(vec![Some(1.0), None, Some(2.5), Some(f64::INFINITY)]));
    let (column, _) = typed(&["1", "NaN"], false);
    assert!(column.f64().unwrap().get(1).unwrap().is_nan());
    assert_eq!(typed(&["1", "NaN"], true).0, series(vec![Some(1_i64), None]));
    assert_eq!(typed(&["NA", ""], false).0, series::<f64>(vec![None, None]));
}

#[test]
fn leading_zeros_of_labels_stay() {
    let codes = ["08001", "1", "", "NA", " 01"];
    let kept = series(vec![Some("08001"), Some("1"), None, None, Some("01")]);
    assert_eq!(typed(&codes, true).0, kept);
    let numbers = series(vec![Some(8001_i64), Some(1), None, None, Some(1)]);
    assert_eq!(typed(&codes, false).0, numbers);
    assert_eq!(typed(&["0", "-01", "0.5"], true).0.dtype(), &DataType::Float64);
}

#[test]
fn integers_stay_exact() {
    let wide = |fields: &[&str]| typed(fields, true).0.dtype().clone();
    assert_eq!(wide(&["-1", "9223372036854775807"]), DataType::Int64);
    assert_eq!(wide(&["1", "18446744073709551615"]), DataType::UInt64);
    assert_eq!(wide(&["-1", "18446744073709551615"]), DataType::Int128);
    assert_eq!(wide(&["1.5", "9007199254740993"]), DataType::String);
    assert_eq!(typed(&["1.5", "9007199254740993"], false).0.dtype(), &DataType::Float64);
    assert_eq!(wide(&["9007199254740992.00", "9007199254740993.00"]), DataType::String);
    assert_eq!(wide(&["9007199254740992.00", "-1e300"]), DataType::Float64);
    assert_eq!(wide(&["0.12345678901234567890", "0.5"]), DataType::String);
    assert_eq!(wide(&["0.30000000000000004", "00000000000000.500"]), DataType::Float64);
    assert_eq!(wide(&["0.10000000000000001", "0.1"]), DataType::Float64);
    assert_eq!(wide(&["3.0000000000000004e-1", "-Infinity"]), DataType::Float64);
}

#[test]
fn texts_have_fewer_words() {
    let (column, counts) = typed(&["a", "NA", ".", "", "5", "null"], false);
    let texts = ["a", "NA", ".", "", "5", "null"];
    let kept = texts.map(|t| Some(t).filter(|t| !["NA", ""].contains(t)));
    assert_eq!(column, series(kept.to_vec()));
    assert_eq!(counts, [(String::new(), 1), ("NA".to_owned(), 1)]);
    assert_eq!(typed(&["TRUE", "NA", "false"], false).0, {
        series(vec![Some(true), None, Some(false)])
    });
    assert_eq!(typed(&["TRUE", "1"], false).0.dtype(), &DataType::String);
}

/// What is text is known late: at the end of what looked like numbers, and like truth.
#[test]
fn text_after_numbers_is_read_again() {
    let mut fields = vec!["1"; 50];
    fields.extend(["NA", " x ", "", "2"]);
    let (column, counts) = typed(&fields, true);
    let mut expected = vec![Some("1"); 50];
    expected.extend([None, Some(" x "), None, Some("2")]);
    assert_eq!(column, series(expected));
    assert_eq!(counts, [(String::new(), 1), ("NA".to_owned(), 1)]);
    let (column, _) = typed(&["TRUE", "FALSE", "TRUE", "FALSE", "0"], false);
    assert_eq!(column, series(["TRUE", "FALSE", "TRUE", "FALSE", "0"].map(Some).to_vec()));
    let (column, _) = typed(&["1", "2", " 3", "NaN", "0.12345678901234567890"], true);
    assert_eq!(
        column,
        series(vec![Some("1"), Some("2"), Some("3"), None, Some("0.12345678901234567890")])
    );
}

/// A field of a kind: mostly of one, so that columns have types.
fn field(random: &mut Xoshiro256PlusPlus, kind: usize) -> String {
    let words = ["NA", "", ".", "NaN", "null", " NA ", "-99"];
    let wide = [
        "9223372036854775808",
        "-9007199254740993",
        "18446744073709551616",
        "170141183460469231731687303715884105728",
    ];
    let odd = [
        "x",
        "TRUE",
        "false",
        "1,5",
        "a \"b\"",
        "line\nbreak",
        "\r\n",
        "\u{e9}\u{1f600}",
        " ",
        "1e5",
        "+3",
        "007",
        "0.1234567890123456789",
        "Inf",
    ];
    let mut of = |list: &[&str]| list[random.random_range(0..list.len())].to_owned();
    match kind {
        0 => of(&words),
        1 => of(&wide),
        2 => of(&odd),
        3 => of(&["TRUE", "FALSE", "True"]),
        4 => format!("{:.3}", f64::from(random.random_range(-9_000..9_000)) / 7.0),
        5 => "long ".repeat(random.random_range(0..60)),
        _ => random.random_range(-50..50).to_string(),
    }
}

fn quoted(field: &str, always: bool) -> String {
    if always || field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

/// A file of some columns; sometimes with a mistake.
fn file(random: &mut Xoshiro256PlusPlus) -> String {
    let columns = random.random_range(1..5);
    let end = if random.random_bool(0.3) { "\r\n" } else { "\n" };
    let mut lines = vec![["a", "b", "c", "d"][..columns].join(",")];
    let usual: Vec<usize> = (0..columns).map(|_| random.random_range(1..8)).collect();
    let (words, others) =
        (random.random_range(0.0..0.5), if random.random_bool(0.3) { 0.1 } else { 0.0 });
    for _ in 0..random.random_range(0..40) {
        let mut record = Vec::new();
        for usual in &usual {
            let kind = match random.random_range(0.0..1.0) {
                p if p < words => 0,
                p if p < words + others => random.random_range(0..7),
                _ => *usual,
            };
            let field = field(random, kind);
            record.push(quoted(&field, random.random_bool(0.1)));
        }
        if random.random_bool(0.004) {
            match random.random_range(0..3) {
                0 => record.push("more".to_owned()),
                1 => record[0].push('"'),
                _ => drop(record.pop()),
            }
        }
        lines.push(record.join(","));
        if random.random_bool(0.1) {
            lines.push(String::new());
        }
    }
    let mark = if random.random_bool(0.1) { "\u{feff}" } else { "" };
    let last = if random.random_bool(0.5) { end } else { "" };
    format!("{mark}{}{last}", lines.join(end))
}

#[test]
fn pieces_of_any_size_give_what_the_plain_way_gives() {
    let (mut good, mut bad) = (0, 0);
    for seed in 0..300 {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let text = file(&mut random);
        let width = text.trim_start_matches('\u{feff}').lines().next().unwrap().split(',').count();
        let chosen = (0..width).filter(|_| random.random_bool(0.8));
        let chosen: Vec<usize> = chosen.collect();
        if chosen.is_empty() {
            continue;
        }
        let given = ["-99".to_owned(), "x".to_owned(), "a=1".to_owned(), "e=2".to_owned()];
        let missing = MissingValues::new(random.random_bool(0.3).then_some(&given[..]));
        let columns: Vec<(usize, &str, bool)> = chosen
            .iter()
            .map(|c| (*c, ["a", "b", "c", "d"][*c], random.random_bool(0.5)))
            .collect();
        let expected = reference::read(&text, &columns, &missing);
        let names: Vec<(&str, bool)> =
            columns.iter().map(|(_, name, label)| (*name, *label)).collect();
        for size in [1, random.random_range(2..40), random.random_range(40..400), PIECE] {
            let found = read(&[text.as_bytes()], &names, &missing, size);
            match (&expected, found) {
                (Ok((series, counts)), Ok((frame, found))) => {
                    for (expected, column) in series.iter().zip(frame.columns()) {
                        let column = column.as_materialized_series();
                        let same =
                            expected.equals_missing(column) && expected.dtype() == column.dtype();
                        assert!(same, "{seed} {size}: {expected:?} {column:?}\n{text}");
                        assert_eq!(column.n_chunks(), 1);
                    }
                    assert_eq!(counts, &found, "{seed} {size}\n{text}");
                    good += 1;
                }
                (Err(expected), Err(found)) => {
                    assert!(
                        found.contains(expected.as_str()),
                        "{seed} {size}: {expected}, {found}\n{text}"
                    );
                    bad += 1;
                }
                (expected, found) => {
                    panic!(
                        "{seed} {size}: {:?} {:?}\n{text}",
                        expected.as_ref().err(),
                        found.err()
                    );
                }
            }
        }
    }
    assert!(good > 800 && bad > 40, "{good} {bad}");
}

/// Whatever the types are, and however few rows are together.
#[test]
fn converted_files_have_the_columns_of_those_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    for seed in 10_000..10_060 {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let text = file(&mut random);
        fs::write(&path, &text).unwrap();
        let name = "a".to_owned();
        let kind = [Kind::Label, Kind::Value, Kind::Carried][random.random_range(0..3)];
        let wanted = Wanted::default().and("column", kind, [&name]);
        let missing = MissingValues::default();
        let files = Files {
            format: FileFormat::Csv,
            paths: vec![path.clone()],
            decimal: None,
            rows: Vec::new(),
        };
        let conversion = super::Conversion {
            missing: &missing,
            rows: random.random_range(1..20),
            memory_budget: Some(1),
            progress: None,
        };
        let whole = CsvData::read(&files, &wanted, &missing, None);
        let converted = super::converted(&files, &wanted, &conversion, Ok);
        match (whole, converted) {
            (Ok(whole), Ok((file, counts))) => {
                let read = file.rows((0, usize::MAX), std::slice::from_ref(&name)).unwrap();
                let same =
                    read.equals_missing(&whole.frame) && read.schema() == whole.frame.schema();
                assert!(same, "{seed}: {read:?} {:?}\n{text}", whole.frame);
                assert_eq!(counts, whole.missing, "{seed}");
            }
            (Err(whole), Err(converted)) => assert_eq!(whole.to_string(), converted.to_string()),
            (Ok(whole), Err(error)) => {
                // Integers of more than 64 bits, which polars does not write.
                assert_eq!(whole.frame.dtypes(), [DataType::Int128], "{seed}: {error}");
            }
            (Err(error), Ok(_)) => panic!("{seed}: {error}\n{text}"),
        }
    }
}

#[test]
fn files_are_one_after_another_with_columns_in_any_order() {
    let files: [&[u8]; 3] =
        [b"a,b\n1,x\n2,y\n", b"b;a\nz;3,5\n", b"\xef\xbb\xbfc\tb\ta\n0\tNA\t4\n"];
    for size in [1, 5, PIECE] {
        let missing = MissingValues::default();
        let (frame, counts) = read(&files, &[("a", false), ("b", true)], &missing, size).unwrap();
        let expected =
            df!("a" => [1.0, 2.0, 3.5, 4.0], "b" => [Some("x"), Some("y"), Some("z"), None]);
        assert!(frame.equals_missing(&expected.unwrap()));
        assert_eq!((counts.len(), counts[0].values), (1, 1));
    }
}

#[test]
fn commas_that_may_separate_thousands_are_refused_until_somebody_says_what_they_are() {
    let columns = [("x", false), ("y", false)];
    let read = |decimal: Option<DecimalMark>, text: &str| {
        read_with(decimal, &[text.as_bytes()], &columns, &MissingValues::default(), 8)
    };
    let thousands = "x\ty\n1,234\t7\n999\t-12,345\n";
    let error = read(None, thousands).unwrap_err();
    assert!(error.contains("`x`") && error.contains("--decimal"), "{error}");
    let (frame, _) = read(Some(DecimalMark::Comma), thousands).unwrap();
    let decimals = df!("x" => [1.234, 999.0], "y" => [7.0, -12.345]).unwrap();
    assert!(frame.equals_missing(&decimals), "{frame}");
    let (frame, _) = read(Some(DecimalMark::Point), thousands).unwrap();
    assert_eq!(frame.dtypes(), [DataType::String, DataType::String]);
    // One number that shows it is enough, in any column.
    for shows in ["0,123", "1,5", "1234,567", ",5", "1,2345"] {
        let (frame, _) = read(None, &format!("x\ty\n1,234\t{shows}\n")).unwrap();
        assert_eq!(frame.column("x").unwrap().f64().unwrap().get(0), Some(1.234), "{shows}");
    }
    // Between commas, too, numbers have decimal commas where somebody says so.
    let (frame, _) = read(Some(DecimalMark::Comma), "x,y\n\"1,234\",2\n").unwrap();
    assert_eq!(frame.column("x").unwrap().f64().unwrap().get(0), Some(1.234));
}

#[test]
fn one_decimal_mark_is_allowed() {
    let read = |text: &str| {
        let columns = [("x", false), ("y", false)];
        read(&[text.as_bytes()], &columns, &MissingValues::default(), 8)
    };
    let (frame, _) = read("x;y\n1,5;-2,25\n3;NA\n").unwrap();
    assert!(frame.equals_missing(&df!("x" => [1.5, 3.0], "y" => [Some(-2.25), None]).unwrap()));
    let (frame, _) = read("x;y\n1.5;7\n").unwrap();
    assert!(frame.equals_missing(&df!("x" => [1.5], "y" => [7_i64]).unwrap()));
    for text in ["x;y\n1,5;2.5\n", "x;y\n1;2.5\n3;4,5\n"] {
        let error = read(text).unwrap_err();
        assert!(error.contains("decimal commas") && error.contains("`y`"), "{error}");
    }
    let error = read("x;y\n1,5;1\n2.5;2\n").unwrap_err();
    assert!(error.contains("some numbers of column `x`"), "{error}");
    // Marks of thousands make text, which no role of numbers takes.
    let (frame, _) = read("x;y\n1.234,5;1\n").unwrap();
    assert_eq!(frame.column("x").unwrap().dtype(), &DataType::String);
    let (frame, _) = read("x,y\n\"1,5\",1\n").unwrap();
    assert_eq!(frame.column("x").unwrap().dtype(), &DataType::String);
}

#[test]
fn only_columns_that_are_asked_for_have_to_be_text() {
    let latin = b"x,y\n1,caf\xe9\n2,\xe9t\xe9\n";
    let missing = MissingValues::default();
    let (frame, _) = read(&[latin], &[("x", false)], &missing, 4).unwrap();
    assert_eq!(frame.height(), 2);
    for size in [1, 9, PIECE] {
        let error = read(&[latin], &[("x", false), ("y", true)], &missing, size).unwrap_err();
        assert!(error.contains("line 2: column `y` is not in UTF-8"), "{error}");
    }
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    writer.write_all(text).unwrap();
    writer.finish().unwrap()
}

#[test]
fn compressed_files_are_read_by_what_they_are() {
    let text = format!(
        "\u{feff}x,y\n{}",
        (0..5_000).map(|i| format!("{i},{}.5\n", i * i)).collect::<String>()
    );
    let columns = [("x", true), ("y", false)];
    let missing = MissingValues::default();
    let (plain, _) = read(&[text.as_bytes()], &columns, &missing, 1_000).unwrap();
    let (first, second) = text.as_bytes().split_at(30_000);
    let members = [gzip(first), gzip(second)].concat();
    let zstd = zstd::encode_all(text.as_bytes(), 3).unwrap();
    let frames =
        [zstd::encode_all(first, 1).unwrap(), zstd::encode_all(second, 1).unwrap()].concat();
    for bytes in [&gzip(text.as_bytes()), &members, &zstd, &frames] {
        for size in [100, 1_000, PIECE] {
            let (frame, _) = read(&[bytes], &columns, &missing, size).unwrap();
            assert!(frame.equals(&plain));
        }
        let cut = &bytes[..bytes.len() - 9];
        let error = read(&[cut], &columns, &missing, 1_000).unwrap_err();
        assert!(error.contains("cannot be decompressed") && error.contains("0.csv"), "{error}");
    }
    let padded = [gzip(text.as_bytes()), vec![0; 600_000]].concat();
    assert!(read(&[&padded], &columns, &missing, 1_000).unwrap().0.equals(&plain));
    let followed = [gzip(text.as_bytes()), b"more".to_vec()].concat();
    let error = read(&[&followed], &columns, &missing, 1_000).unwrap_err();
    assert!(error.contains("cannot be decompressed"), "{error}");
    let mut damaged = gzip(text.as_bytes());
    let middle = damaged.len() / 2;
    damaged[middle..middle + 20].fill(0xAA);
    // At the latest by its checksum, unless nonsense is no record before.
    assert!(read(&[&damaged], &columns, &missing, 1_000).is_err());
}

#[test]
fn a_file_that_is_written_to_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    fs::write(&path, "x\n1\n2\n").unwrap();
    let mut pieces = super::pieces::Pieces::new(vec![Path::new(&path)], 2);
    let mut piece = super::pieces::Piece::default();
    assert!(pieces.next(&mut piece).unwrap());
    fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"3\n").unwrap();
    let mut next = || loop {
        match pieces.next(&mut piece) {
            Ok(true) => {}
            other => return other,
        }
    };
    let error = next().unwrap_err().to_string();
    assert!(error.contains("changed while it was read"), "{error}");
}
