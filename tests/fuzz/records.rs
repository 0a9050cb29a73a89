//! Rows of a data frame before it is one.

use polars::prelude::*;

use crate::formula::Raw;

/// One row; `None` is a missing value.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    pub id: Option<i64>,
    pub t: Option<f64>,
    /// First treated period, +inf if never; `None` is NaN in the frame.
    pub g: Option<f64>,
    pub y: Option<f64>,
    pub w: Option<f64>,
    pub cluster: Option<i64>,
    pub eligible: Option<bool>,
    pub raw: Raw,
}

/// How values are written that may be written in several ways.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spelling {
    /// Never treated: 0, +inf or null.
    pub never: usize,
    /// Units and clusters as texts.
    pub text: bool,
    /// Missing numbers as NaN instead of null.
    pub nan: bool,
    /// Whole numbers as integers.
    pub integers: bool,
}

/// Names of the levels of the factor.
const LEVELS: [&str; 4] = ["centre", "north", "south", "west"];

/// Label of a unit or cluster.
pub fn label(number: i64, spelling: Spelling) -> String {
    if spelling.text { format!("u{number}") } else { number.to_string() }
}

/// The data frame with columns `id, t, g, d, y, w, cl, q, x1, x2, v, f, k`; `d` is 1 for units with a first treated period.
pub fn frame(records: &[Record], spelling: Spelling) -> DataFrame {
    let float = |name: &str, value: &dyn Fn(&Record) -> Option<f64>| {
        let missing = if spelling.nan { Some(f64::NAN) } else { None };
        let values: Vec<Option<f64>> = records.iter().map(|r| value(r).or(missing)).collect();
        let column = Column::new(name.into(), values);
        let whole = |r: &Record| value(r).is_none_or(|v| v.fract() == 0.0 && v.abs() < 1e9);
        if spelling.integers
            && !spelling.nan
            && ["t", "g"].contains(&name)
            && records.iter().all(whole)
        {
            column.cast(&DataType::Int64).unwrap()
        } else {
            column
        }
    };
    let labels = |name: &str, value: &dyn Fn(&Record) -> Option<i64>| {
        if spelling.text {
            let text = |r: &Record| value(r).map(|v| label(v, spelling));
            Column::new(name.into(), records.iter().map(text).collect::<Vec<_>>())
        } else {
            Column::new(name.into(), records.iter().map(value).collect::<Vec<_>>())
        }
    };
    let group = |r: &Record| match (r.g, spelling.never) {
        (Some(g), 0) if g.is_infinite() => Some(0.0),
        (Some(g), 1) if g.is_infinite() => None,
        (g, _) => g,
    };
    // Null is never treated, NaN is missing.
    let groups: Vec<Option<f64>> =
        records.iter().map(|r| if r.g.is_none() { Some(f64::NAN) } else { group(r) }).collect();
    let whole = groups.iter().flatten().all(|g| g.fract() == 0.0);
    let mut groups = Column::new("g".into(), groups);
    if spelling.integers && whole {
        groups = groups.cast(&DataType::Int64).unwrap();
    }
    let bit = |b: bool| i32::from(b);
    let eligible: Vec<Option<i32>> = records.iter().map(|r| r.eligible.map(bit)).collect();
    let treated: Vec<Option<i32>> =
        records.iter().map(|r| r.g.map(|g| bit(g.is_finite()))).collect();
    let factor: Vec<Option<&str>> =
        records.iter().map(|r| r.raw.f.map(|f| LEVELS[usize::from(f)])).collect();
    let coded: Vec<Option<i32>> = records.iter().map(|r| r.raw.f.map(i32::from)).collect();
    let columns = vec![
        labels("id", &|r| r.id),
        float("t", &|r| r.t),
        groups,
        Column::new("d".into(), treated),
        float("y", &|r| r.y),
        float("w", &|r| r.w),
        labels("cl", &|r| r.cluster),
        Column::new("q".into(), eligible),
        float("x1", &|r| r.raw.x1),
        float("x2", &|r| r.raw.x2),
        float("v", &|r| r.raw.v),
        Column::new("f".into(), factor),
        Column::new("k".into(), coded),
    ];
    DataFrame::new(records.len(), columns).unwrap()
}
