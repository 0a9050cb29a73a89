//! Regression of first differences on those of the controls.

use crate::oracle::linear::{factor, independent, regress};

/// A first difference before the switch, less the mean of those of its period.
pub struct Row {
    pub group: usize,
    pub x: Vec<f64>,
    /// The outcome's as it is, and less the mean.
    pub change: f64,
    pub centred: f64,
    pub weight: f64,
    /// Groups whose mean it is.
    pub count: usize,
}

pub struct Fitted {
    pub theta: Vec<f64>,
    /// Inverse of the cross-products; zero for controls without a coefficient.
    pub inverse: Vec<Vec<f64>>,
    pub weight: f64,
    pub rows: Vec<ScoredRow>,
}

/// A group's part of the score.
pub struct ScoredRow {
    pub group: usize,
    pub score: Vec<f64>,
}

/// The fit and its reciprocal condition, 0 if some controls depend on others; `None` without rows.
pub fn fit(rows: &[Row], controls: usize) -> Option<(Fitted, f64)> {
    if rows.is_empty() {
        return None;
    }
    let varies = |k: &usize| rows.iter().any(|row| row.x[*k] != 0.0);
    let varying: Vec<usize> = (0..controls).filter(varies).collect();
    let root =
        |row: &Row| -> Vec<f64> { varying.iter().map(|k| row.x[*k] * row.weight.sqrt()).collect() };
    let rooted: Vec<Vec<f64>> = rows.iter().map(root).collect();
    let refs: Vec<&[f64]> = rooted.iter().map(Vec::as_slice).collect();
    let is_regular = independent(&refs, false).is_some_and(|kept| kept.len() == varying.len());
    let ones = vec![1.0; rows.len()];
    let y: Vec<f64> = rows.iter().map(|row| row.centred * row.weight.sqrt()).collect();
    let mut theta = vec![0.0; controls];
    let mut inverse = vec![vec![0.0; controls]; controls];
    let mut rcond = 1.0;
    if !varying.is_empty() && is_regular {
        let found = regress(&refs, &ones, &y);
        rcond = found.factor.scaled_reciprocal_condition();
        let factor = factor(&refs, &ones).among((0..varying.len()).collect(), varying.len());
        for (i, k) in varying.iter().enumerate() {
            theta[*k] = found.beta[i];
            let unit: Vec<f64> = (0..varying.len()).map(|j| f64::from(u8::from(i == j))).collect();
            for (value, other) in factor.solve(&unit).iter().zip(&varying) {
                inverse[*k][*other] = *value;
            }
        }
    }
    let scored = |row: &Row| {
        let explained: f64 = row.x.iter().zip(&theta).map(|(x, b)| x * b).sum();
        let n = row.count as f64;
        let residual = if row.count > 1 {
            (row.centred - explained) * (n / (n - 1.0)).sqrt()
        } else {
            row.change
        };
        let score = row.x.iter().map(|x| row.weight * x * residual).collect();
        ScoredRow { group: row.group, score }
    };
    let weight = rows.iter().map(|row| row.weight).sum();
    let rows = rows.iter().map(scored).collect();
    Some((Fitted { theta, inverse, weight, rows }, if is_regular { rcond } else { 0.0 }))
}
