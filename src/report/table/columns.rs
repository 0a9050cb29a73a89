//! Cells that all tables of estimates have.

use super::Align;
use crate::report::number::Digits;
use crate::result::inference::Estimate;

/// Estimate, standard error, band or interval, and star.
pub(crate) fn columns(estimate: &Estimate, digits: Digits) -> Vec<String> {
    let (lower, upper) = estimate.interval().unzip();
    let numbers = [estimate.estimate, estimate.se, lower, upper];
    let mut cells: Vec<String> = numbers.into_iter().map(|v| digits.show(v)).collect();
    cells.push(if estimate.excludes_zero() { "*".into() } else { String::new() });
    cells
}

/// Alignment of columns of labels, and of one estimate behind them.
pub(crate) fn aligned(labels: usize) -> Vec<Align> {
    let mut align = vec![Align::Right; labels + 4];
    align.push(Align::Mark);
    align
}

/// Cells of fixed words.
pub(crate) fn strings(cells: &[&str]) -> Vec<String> {
    cells.iter().map(|c| (*c).to_owned()).collect()
}
