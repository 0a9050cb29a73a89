//! The normal equations by a Cholesky factor, where the factors beside the leading one have few levels.
//!
//! With `A` the block of the leading factor, which is diagonal (two by two with slopes), and `C` that of it with the others, the
//! effects of the others solve `(B - C'A⁻¹C) z = g - C'A⁻¹ q`. The matrix is singular, as effects are not unique: levels whose
//! pivot is nothing have the effect zero.

use super::design::Design;
use crate::base::parallel;

/// Most levels of the other factors.
pub(super) const MOST: usize = 512;

/// A pivot of at most this part of a level's weight is what rounding leaves of zero.
const ROUNDING: f64 = 1e-12;

/// Weight, mean slope variable and sum of squares about it, of a level of the leading factor.
#[derive(Clone, Copy, Default)]
struct LeadLevel {
    weight: f64,
    mean: f64,
    squares: f64,
}

pub(super) struct Direct {
    lead: Vec<LeadLevel>,
    /// Lower factor `[m, m]`; nothing in columns that are left out.
    lower: Vec<f64>,
    left_out: Vec<bool>,
}

impl Direct {
    pub fn new(design: &Design) -> Self {
        let lead = lead_levels(design);
        let m = design.width();
        let parts = design.by_block(|rows| schur(design, &lead, rows));
        let mut s = vec![0.0; m * m];
        for part in parts {
            s.iter_mut().zip(&part).for_each(|(s, part)| *s += part);
        }
        let weights = &design.sums(|row| design.regression_weight(row))[design.of_lead()..];
        let left_out = factorise(&mut s, weights);
        Self { lead, lower: s, left_out }
    }

    /// `θ` with `Z0'W0 Z0 θ = q`, up to rounding that the caller corrects.
    pub fn solve(&self, design: &Design, q: &[f64]) -> Vec<f64> {
        let of_lead = design.of_lead();
        let mut theta = vec![0.0; design.parameters()];
        self.lead_effects(design, q, &mut theta);
        let product = design.product(&theta);
        let g: Vec<f64> =
            q[of_lead..].iter().zip(&product[of_lead..]).map(|(q, p)| q - p).collect();
        theta.fill(0.0);
        theta[of_lead..].copy_from_slice(&self.others(g));
        let product = design.product(&theta);
        let left: Vec<f64> = q[..of_lead].iter().zip(&product).map(|(q, p)| q - p).collect();
        self.lead_effects(design, &left, &mut theta);
        theta
    }

    /// `A⁻¹ q`.
    fn lead_effects(&self, design: &Design, q: &[f64], theta: &mut [f64]) {
        for (l, level) in self.lead.iter().enumerate() {
            if level.weight == 0.0 {
                continue;
            }
            let mut effect = q[l] / level.weight;
            if design.slope.is_some() {
                let part = q[design.leads + l] - level.mean * q[l];
                let slope = if level.squares > 0.0 { part / level.squares } else { 0.0 };
                theta[design.leads + l] = slope;
                effect -= level.mean * slope;
            }
            theta[l] = effect;
        }
    }

    /// The effects of the other factors.
    fn others(&self, mut g: Vec<f64>) -> Vec<f64> {
        let m = g.len();
        for j in 0..m {
            if self.left_out[j] {
                g[j] = 0.0;
                continue;
            }
            let row = &self.lower[j * m..j * m + j];
            let known: f64 = row.iter().zip(&g).map(|(l, g)| l * g).sum();
            g[j] = (g[j] - known) / self.lower[j * m + j];
        }
        for j in (0..m).rev().filter(|j| !self.left_out[*j]) {
            let known: f64 = (j + 1..m).map(|i| self.lower[i * m + j] * g[i]).sum();
            g[j] = (g[j] - known) / self.lower[j * m + j];
        }
        g
    }
}

/// Sums of the levels of the leading factor over untreated rows.
fn lead_levels(design: &Design) -> Vec<LeadLevel> {
    let weights = design.sums(|row| design.regression_weight(row));
    let mut levels = vec![LeadLevel::default(); design.leads];
    for (l, level) in levels.iter_mut().enumerate() {
        level.weight = weights[l];
    }
    let Some(slope) = &design.slope else { return levels };
    for (l, level) in levels.iter_mut().enumerate().filter(|(_, level)| level.weight > 0.0) {
        level.mean = weights[design.leads + l] / level.weight;
    }
    let squares = design.sums(|row| {
        let off = slope[row] - levels[design.lead[row] as usize].mean;
        design.regression_weight(row) * off * off
    });
    for (l, level) in levels.iter_mut().enumerate() {
        // The variable is of the order of one.
        level.squares = if squares[l] > ROUNDING * level.weight { squares[l] } else { 0.0 };
    }
    levels
}

/// The part of a block of rows in `B - C'A⁻¹C`, `[m, m]`.
fn schur(design: &Design, lead: &[LeadLevel], rows: std::ops::Range<usize>) -> Vec<f64> {
    let m = design.width();
    let mut s = vec![0.0; m * m];
    let (mut sums, mut products) = (vec![0.0; m], vec![0.0; m]);
    let mut touched: Vec<usize> = Vec::new();
    let mut row = rows.start;
    while row < rows.end {
        let level = design.lead[row];
        let LeadLevel { weight: total, mean, squares } = lead[level as usize];
        while row < rows.end && design.lead[row] == level {
            let w = design.regression_weight(row);
            if w > 0.0 {
                let off = design.slope.as_ref().map_or(0.0, |slope| slope[row] - mean);
                for codes in &design.rest {
                    let a = codes[row] as usize;
                    if sums[a] == 0.0 {
                        touched.push(a);
                    }
                    sums[a] += w;
                    products[a] += w * off;
                    for others in &design.rest {
                        s[a * m + others[row] as usize] += w;
                    }
                }
            }
            row += 1;
        }
        for a in &touched {
            for b in &touched {
                let mut part = sums[*a] * sums[*b] / total;
                if squares > 0.0 {
                    part += products[*a] * products[*b] / squares;
                }
                s[a * m + b] -= part;
            }
        }
        for a in touched.drain(..) {
            (sums[a], products[a]) = (0.0, 0.0);
        }
    }
    s
}

/// Replaces a positive semidefinite matrix by its lower factor, and says which columns are left out.
fn factorise(s: &mut [f64], weights: &[f64]) -> Vec<bool> {
    let m = weights.len();
    let mut left_out = vec![false; m];
    for j in 0..m {
        let known: f64 = s[j * m..j * m + j].iter().map(|l| l * l).sum();
        let pivot = s[j * m + j] - known;
        left_out[j] = pivot <= ROUNDING * weights[j];
        let root = pivot.max(0.0).sqrt();
        let (above, below) = s.split_at_mut((j + 1) * m);
        let own = &mut above[j * m..];
        own[j] = if left_out[j] { 1.0 } else { root };
        let own = &own[..=j];
        parallel::chunks(below, m, |_, row| {
            let known: f64 = row[..j].iter().zip(own).map(|(a, b)| a * b).sum();
            row[j] = if left_out[j] { 0.0 } else { (row[j] - known) / own[j] };
        });
    }
    left_out
}
