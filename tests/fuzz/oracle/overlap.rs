//! What the weights leave of the comparison rows.

use super::score::Propensity;
use super::{Method, Rows};

/// Counts, shares and effective sizes (Kish 1965) of the comparison rows, and the largest scores of treated and comparison rows.
#[derive(Clone, Debug)]
pub struct Overlap {
    /// `None` without a score, and for a calibrated one.
    pub largest: Option<[f64; 2]>,
    pub trimmed: usize,
    pub share: f64,
    pub effective: f64,
    pub sampling: f64,
}

impl Overlap {
    pub fn new(rows: &Rows, method: Method, score: Option<&Propensity>) -> Self {
        let control = rows.arm(false, None);
        let weight = |on: &[usize]| on.iter().map(|i| rows.w[*i]).sum::<f64>();
        let trimmed: Vec<usize> = match score {
            None => Vec::new(),
            Some(s) => {
                let cut = |i: &usize| s.v[*i] == 0.0 && rows.w[*i] * s.untrimmed[*i] > 0.0;
                control.iter().copied().filter(cut).collect()
            }
        };
        let periods: &[Option<bool>] =
            if rows.post.is_empty() { &[None] } else { &[Some(false), Some(true)] };
        let size = |v: &[f64]| -> f64 {
            let of_period = |post: &Option<bool>| {
                let on = rows.arm(false, *post);
                let sum: f64 = on.iter().map(|i| v[*i]).sum();
                sum * sum / on.iter().map(|i| v[*i] * v[*i]).sum::<f64>()
            };
            periods.iter().map(of_period).sum()
        };
        let largest = |s: &Propensity| {
            [true, false].map(|arm| {
                let on = rows.arm(arm, None).into_iter().filter(|i| rows.w[*i] > 0.0);
                on.map(|i| s.p[i]).fold(0.0, f64::max)
            })
        };
        Self {
            largest: score.filter(|_| method != Method::Improved).map(largest),
            trimmed: trimmed.len(),
            share: weight(&trimmed) / weight(&control),
            effective: size(score.map_or(&rows.w, |s| &s.v)),
            sampling: size(&rows.w),
        }
    }
}
