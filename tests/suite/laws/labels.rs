//! What units and clusters are called does not matter.

use polars::prelude::{Column, DataFrame, NamedFrom, Series};

use super::report::{Report, Within};
use super::subject::Case;
use crate::support::frames::{floats, permutation, rows};

/// Another order of units or clusters is another order of sums.
const ROUNDING: Within = Within::Errors(1e-9);

/// A way to write an identifier.
type Write = fn(&[i64]) -> Series;

fn texts(ids: &[i64], write: impl Fn(i64) -> String) -> Series {
    Series::new("".into(), ids.iter().map(|id| write(*id)).collect::<Vec<_>>())
}

/// Labels in the same order.
const ORDERED: [(&str, Write); 9] = [
    ("affine", |ids| Series::new("".into(), ids.iter().map(|i| 7 * i + 100).collect::<Vec<_>>())),
    ("negative", |ids| {
        Series::new("".into(), ids.iter().map(|i| i - 1_000_000).collect::<Vec<_>>())
    }),
    ("near the largest i64", |ids| {
        Series::new("".into(), ids.iter().map(|i| i64::MAX - 100_000 + i).collect::<Vec<_>>())
    }),
    ("u64 beyond 2^63", |ids| {
        let large = |i: &i64| (1u64 << 63) + *i as u64;
        Series::new("".into(), ids.iter().map(large).collect::<Vec<u64>>())
    }),
    ("u64 around 2^63", |ids| {
        let large = |i: &i64| (1u64 << 63) - 80 + *i as u64;
        Series::new("".into(), ids.iter().map(large).collect::<Vec<u64>>())
    }),
    ("floats", |ids| {
        Series::new("".into(), ids.iter().map(|i| *i as f64 / 8.0 - 3.0).collect::<Vec<_>>())
    }),
    ("padded text", |ids| texts(ids, |i| format!("unit {i:06}"))),
    ("thirty digits", |ids| texts(ids, |i| format!("9{i:029}"))),
    ("text beyond ASCII", |ids| texts(ids, |i| format!("Gemeinde Überlingen №{i:06}"))),
];

/// Labels in another order.
const UNORDERED: [(&str, Write); 4] = [
    ("unpadded text", |ids| texts(ids, |i| i.to_string())),
    ("downwards", |ids| Series::new("".into(), ids.iter().map(|i| -i).collect::<Vec<_>>())),
    ("u64 downwards", |ids| {
        Series::new("".into(), ids.iter().map(|i| u64::MAX - *i as u64).collect::<Vec<_>>())
    }),
    ("scattered thirty digits", |ids| {
        texts(ids, |i| format!("{:030}", (i as u128 * 7_919 + 13) % 10_007 * 10u128.pow(25)))
    }),
];

fn relabelled(df: &DataFrame, column: &str, write: Write) -> DataFrame {
    let ids: Vec<i64> = floats(df, column).iter().map(|id| *id as i64).collect();
    let mut out = df.clone();
    out.with_column(Column::from(write(&ids).with_name(column.into()))).unwrap();
    out
}

law!(names, few);

fn names(case: &Case, report: &mut Report) {
    let drawn = case.drawn();
    let (plain, draws) = (case.numbers(), drawn.numbers());
    let mixed = permutation(case.frame.height(), 3);
    for column in case.labels {
        for (name, write) in ORDERED {
            let what = format!("{}: {column} {name}, rows mixed", case.name);
            let frame = rows(&relabelled(&case.frame, column, write), &mixed);
            report.same_as(&what, &draws, drawn.try_fit(&frame), Within::Bits);
        }
        for (name, write) in UNORDERED.into_iter().filter(|_| !case.has_draws) {
            let what = format!("{}: {column} {name}", case.name);
            let frame = relabelled(&case.frame, column, write);
            report.same_as(&what, &plain, case.try_fit(&frame), ROUNDING);
        }
    }
    if case.labels.is_empty() {
        report.skip();
    }
}
