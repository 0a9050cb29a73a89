//! What an estimator's own weighting does to the comparison.

mod balance;
mod by_unit;
mod mistakes;

use std::collections::HashMap;

use burn_did::weighting::Scores;
use polars::prelude::DataFrame;

use crate::support::frames::floats;

/// Rows of the scores, with their outcomes.
struct Row {
    /// Group, period, and whom triple differences compare with (-1 for nobody), as numbers that can be compared.
    cell: [f64; 4],
    unit: f64,
    treated: bool,
    score: f64,
    trimmed: bool,
    weight: f64,
    /// The row's period, where rows are compared.
    period: Option<f64>,
}

/// A column of numbers or flags; nothing if there is none.
fn numbers(df: &DataFrame, column: &str) -> Option<Vec<f64>> {
    df.column(column).is_ok().then(|| floats(df, column))
}

fn rows(scores: &Scores) -> Vec<Row> {
    let df = scores.to_dataframe().unwrap();
    let n = df.height();
    let or = |column: &str, missing: f64| numbers(&df, column).unwrap_or_else(|| vec![missing; n]);
    let period = numbers(&df, "period");
    let [group, time] = ["group", "time"].map(|name| or(name, 0.0));
    // Those that are never treated are compared as infinite.
    let against = numbers(&df, "against_group")
        .map(|all| all.into_iter().map(|v| if v.is_nan() { f64::INFINITY } else { v }).collect())
        .unwrap_or_else(|| vec![-1.0; n]);
    let eligible = or("against_eligible", -1.0);
    let [unit, treated, trimmed] = ["unit", "treated", "trimmed"].map(|name| or(name, f64::NAN));
    let [score, weight] = ["score", "weight"].map(|name| floats(&df, name));
    let row = |i: usize| Row {
        cell: [group[i], time[i], against[i], eligible[i]],
        unit: unit[i],
        treated: treated[i] == 1.0,
        score: score[i],
        trimmed: trimmed[i] == 1.0,
        weight: weight[i],
        period: period.as_ref().map(|period| period[i]),
    };
    (0..n).map(row).collect()
}

/// Outcomes by unit and period.
fn outcomes(df: &DataFrame, [unit, time, outcome]: [&str; 3]) -> HashMap<(u64, u64), f64> {
    let [unit, time, outcome] = [unit, time, outcome].map(|column| floats(df, column));
    let key = |i: usize| (unit[i].to_bits(), time[i].to_bits());
    (0..unit.len()).map(|i| (key(i), outcome[i])).collect()
}

/// `Σ weight y` of the treated rows less that of the comparison rows, where `y` is the change from the base period, or signed by period.
fn weighted_difference(rows: &[&Row], of: &HashMap<(u64, u64), f64>, base: f64, time: f64) -> f64 {
    let at = |row: &Row, period: f64| of[&(row.unit.to_bits(), period.to_bits())];
    let outcome = |row: &Row| match row.period {
        None => at(row, time) - at(row, base),
        Some(period) if period == time => at(row, period),
        Some(period) => -at(row, period),
    };
    let sign = |row: &Row| if row.treated { 1.0 } else { -1.0 };
    rows.iter().map(|row| sign(row) * row.weight * outcome(row)).sum()
}

/// Rows of each cell, in the order of the cells.
fn cells(rows: &[Row]) -> Vec<Vec<&Row>> {
    rows.chunk_by(|a, b| a.cell == b.cell).map(|cell| cell.iter().collect()).collect()
}

/// The base period of a cell with varying base periods, in periods that are one apart.
fn base(group: f64, time: f64) -> f64 {
    if time >= group { group - 1.0 } else { time - 1.0 }
}
