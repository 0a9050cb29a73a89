//! Files that pandas wrote (`tests/cases/stata_*.dta`), and what no file should be.

use std::fs;

use polars::prelude::*;

use super::bytes::Order;
use super::*;
use crate::read::columns::Kind;

const VARIABLES: [&str; 11] =
    ["id", "year", "treated", "wage", "log_wage", "state", "notes", "day", "at", "month", "region"];

fn case(version: u16) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/cases/stata_{version}.dta"))
}

fn wanted(columns: &[&str]) -> Wanted {
    let columns: Vec<String> = columns.iter().map(ToString::to_string).collect();
    Wanted::default().and("outcome", Kind::Value, &columns)
}

fn frame(path: &Path, columns: &[&str]) -> Result<DataFrame> {
    read(&[path.to_owned()], &wanted(columns), None)
}

#[test]
fn every_format_is_read() {
    for version in [114, 117, 118, 119] {
        let path = case(version);
        assert_eq!(names(&path).unwrap(), VARIABLES, "{version}");
        let df = frame(&path, &VARIABLES).unwrap();
        let column = |name: &str| df.column(name).unwrap().as_materialized_series().clone();
        let four = |column: Series| column.slice(0, 4);
        assert_eq!(df.height(), 12);
        assert_eq!(column("id").slice(7, 2), Series::new("id".into(), [102_i32, 40_000]));
        assert_eq!(four(column("year")), Series::new("year".into(), [2003_i16, 2004, 2005, 2006]));
        assert_eq!(four(column("treated")), Series::new("treated".into(), [0_i8, 0, 1, 1]));
        assert_eq!(four(column("wage")), Series::new("wage".into(), [0.0_f32, 0.125, 0.25, 0.375]));
        let log_wage = [None, Some(1.0 / 7.0), Some(2.0 / 7.0), Some(3.0 / 7.0)];
        assert!(four(column("log_wage")).equals_missing(&Series::new("log_wage".into(), log_wage)));
        let state = Series::new("state".into(), ["Z\u{fc}rich", "", "Bern", "Bern"]);
        assert_eq!(four(column("state")), state, "{version}");
        let notes = column("notes");
        let notes = notes.str().unwrap();
        let long = if version == 114 { 200 } else { 3_000 };
        assert_eq!(notes.get(0).unwrap().len(), long);
        assert_eq!((notes.get(1), notes.get(2)), (Some(""), Some("same")));
        let day = [Some("2003-03-01"), Some("1959-12-31"), None, Some("2024-02-29")];
        assert_eq!(column("day").dtype(), &DataType::Date);
        let shown = four(column("day")).cast(&DataType::String).unwrap();
        assert!(shown.equals_missing(&Series::new("day".into(), day)));
        // Seconds since 1970.
        let at = [Some(1_046_521_800_i64), Some(-315_619_201), None, Some(1_709_164_801)];
        let unit = DataType::Datetime(TimeUnit::Milliseconds, None);
        assert_eq!(column("at").dtype(), &unit);
        let seconds = four(column("at")).cast(&DataType::Int64).unwrap();
        let seconds: Vec<Option<i64>> =
            seconds.i64().unwrap().iter().map(|v| v.map(|v| v / 1_000)).collect();
        assert_eq!(seconds, at);
        // Months since 1960, as numbers.
        let months = four(column("month")).cast(&DataType::Int64).unwrap();
        assert_eq!(months, Series::new("month".into(), [518_i64, -1, 0, 769]));
        // The numbers that have labels.
        let regions = four(column("region")).cast(&DataType::Int64).unwrap();
        assert_eq!(regions, Series::new("region".into(), [0_i64, 1, 1, 0]));
    }
}

#[test]
fn only_columns_that_are_asked_for_are_read_from_all_files() {
    let paths = [case(117), case(119)];
    let df = read(&paths, &wanted(&["wage", "id"]), None).unwrap();
    assert_eq!((df.height(), df.get_column_names()), (24, vec![&"id".into(), &"wage".into()]));
    let error = frame(&case(118), &["wages"]).unwrap_err().to_string();
    assert!(error.contains("did you mean `wage`?"), "{error}");
}

/// A file of format 115 with one variable, and a value in each row.
fn written(order: Order, kind: u8, format: &str, values: &[&[u8]]) -> Vec<u8> {
    let number = |value: u64, bytes: usize| {
        let mut number = value.to_le_bytes()[..bytes].to_vec();
        if order == Order::Big {
            number.reverse();
        }
        number
    };
    let padded = |text: &str, bytes: usize| {
        let mut text = text.as_bytes().to_vec();
        text.resize(bytes, 0);
        text
    };
    let mut file = vec![115, if order == Order::Big { 1 } else { 2 }, 1, 0];
    file.extend(number(1, 2));
    file.extend(number(values.len() as u64, 4));
    file.extend(vec![0; 81 + 18]);
    file.push(kind);
    file.extend(padded("x", 33));
    file.extend(vec![0; 4]);
    file.extend(padded(format, 49));
    file.extend(vec![0; 33 + 81]);
    // A note, and the end of notes.
    file.push(1);
    file.extend(number(3, 4));
    file.extend(b"abc");
    file.extend(vec![0; 5]);
    for value in values {
        let mut value = value.to_vec();
        if order == Order::Big && kind > 250 {
            value.reverse();
        }
        file.extend(value);
    }
    file
}

#[test]
fn all_missing_values_of_stata_are_missing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.dta");
    for order in [Order::Little, Order::Big] {
        let read = |kind: u8, values: &[&[u8]]| {
            fs::write(&path, written(order, kind, "%9.0g", values)).unwrap();
            let df = frame(&path, &["x"]).unwrap();
            df.column("x")
                .unwrap()
                .cast(&DataType::Float64)
                .unwrap()
                .f64()
                .unwrap()
                .iter()
                .collect::<Vec<_>>()
        };
        // `.`, `.a` and `.z`, and the largest and the smallest number.
        assert_eq!(read(251, &[&[101], &[102], &[127], &[100], &[0x81]]), {
            [None, None, None, Some(100.0), Some(-127.0)]
        });
        let ints = [32_741_i16, 32_742, 32_767, 32_740, -32_767].map(i16::to_le_bytes);
        assert_eq!(read(252, &ints.each_ref().map(|v| &v[..])), {
            [None, None, None, Some(32_740.0), Some(-32_767.0)]
        });
        let longs =
            [2_147_483_621, 2_147_483_622, i32::MAX, 2_147_483_620, -7].map(i32::to_le_bytes);
        assert_eq!(read(253, &longs.each_ref().map(|v| &v[..])), {
            [None, None, None, Some(2_147_483_620.0), Some(-7.0)]
        });
        let floats = [0x7F00_0000_u32, 0x7F00_0800, 0x7F00_D000, 0x7EFF_FFFF, 0xBF00_0000];
        let floats = floats.map(u32::to_le_bytes);
        assert_eq!(read(254, &floats.each_ref().map(|v| &v[..])), {
            [None, None, None, Some(f64::from(f32::from_bits(0x7EFF_FFFF))), Some(-0.5)]
        });
        let doubles =
            [0x7FE0_u64 << 48, 0x7F_E001_u64 << 40, 0x7F_E01A_u64 << 40, 0x7FDF_FFFF_FFFF_FFFF];
        let doubles = doubles.map(u64::to_le_bytes);
        assert_eq!(read(255, &doubles.each_ref().map(|v| &v[..])), {
            [None, None, None, Some(f64::from_bits(0x7FDF_FFFF_FFFF_FFFF))]
        });
    }
}

#[test]
fn old_texts_are_in_the_encoding_of_windows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.dta");
    let values: [&[u8]; 3] = [b"caf\xe9\0\0", b"\x80 5\0xx", b"abcdef"];
    fs::write(&path, written(Order::Little, 6, "%6s", &values)).unwrap();
    let df = frame(&path, &["x"]).unwrap();
    assert_eq!(df, df!("x" => ["caf\u{e9}", "\u{20ac} 5", "abcdef"]).unwrap());
}

#[test]
fn what_cannot_be_read_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.dta");
    let message = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        let error = frame(&path, &VARIABLES).unwrap_err().to_string();
        assert!(error.contains("a.dta"), "{error}");
        error
    };
    let good = fs::read(case(118)).unwrap();
    let release = good.windows(3).position(|bytes| bytes == b"118").unwrap();
    let mut later = good.clone();
    later[release..release + 3].copy_from_slice(b"121");
    let error = message(&later);
    assert!(error.contains("format 121") && error.contains("saveold"), "{error}");
    assert!(message(&[110, 1, 1, 0, 0, 0]).contains("format 110"));
    assert!(message(b"id,year\n1,2\n").contains("not a file of Stata"));
    assert!(message(b"<html><body></body></html>").contains("not a file of Stata"));
    assert!(message(b"").contains("cut off"));
    let leap = written(Order::Little, 255, "%tC", &[&[0; 8]]);
    fs::write(&path, leap).unwrap();
    let error = frame(&path, &["x"]).unwrap_err().to_string();
    assert!(error.contains("leap seconds") && error.contains("cofC"), "{error}");
    // Text that is not in UTF-8.
    let mut latin = good.clone();
    let place = latin.windows(2).position(|bytes| bytes == "\u{fc}".as_bytes()).unwrap();
    latin[place..place + 2].copy_from_slice(b"\xfcx");
    fs::write(&path, latin).unwrap();
    let error = frame(&path, &VARIABLES).unwrap_err().to_string();
    assert!(error.contains("`state`") && error.contains("unicode translate"), "{error}");
    assert!(frame(&path, &["id"]).is_ok());
}

/// Wherever a file ends or is damaged: an error or other values, and no panic.
#[test]
fn damaged_files_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.dta");
    for version in [114, 118] {
        let good = fs::read(case(version)).unwrap();
        let data = Layout::read(std::io::Cursor::new(&good), good.len() as u64).unwrap();
        let end = data.data + data.rows * data.row_bytes as u64;
        for length in (0..end as usize).step_by(61) {
            fs::write(&path, &good[..length]).unwrap();
            assert!(frame(&path, &VARIABLES).is_err(), "{version} {length}");
        }
        for at in (0..good.len()).step_by(3) {
            let mut damaged = good.clone();
            damaged[at] ^= 0xFF;
            fs::write(&path, &damaged).unwrap();
            drop(frame(&path, &VARIABLES));
        }
    }
    let good = fs::read(case(118)).unwrap();
    let place = good.windows(3).position(|tag| tag == b"<N>").unwrap() + 3;
    for declared in [u64::MAX, 1 << 40, 1_000] {
        let mut lying = good.clone();
        lying[place..place + 8].copy_from_slice(&declared.to_le_bytes());
        fs::write(&path, &lying).unwrap();
        let error = frame(&path, &VARIABLES).unwrap_err().to_string();
        assert!(error.contains("declares more than it has"), "{error}");
    }
}
