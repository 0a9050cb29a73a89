//! Affine changes of outcomes and covariates that leave every estimate and influence value as it is, and make sums
//! accurate: differences are taken before rounding, covariates are standardised and, where nearly collinear, decorrelated.

use std::ops::Range;

use rayon::prelude::*;

use super::sample::{DesignInfo, StratumData};
use crate::error::{DidError, Result};
use crate::kernel::{self, HostChunk};
use crate::options::Precision;
use crate::pass::{Gram, GramJob, TILE, Weight, add};
use crate::solve::{CORRELATED, CORRELATED_SINGLE, INSEPARABLE, Spd, reciprocal_condition};

/// Which changes of the data the estimator is invariant to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Conditioning {
    /// None: the data are handed to a user-supplied estimator.
    Raw,
    /// None of the outcomes: the estimator's weights do not add up to zero.
    Unshifted(Precision),
    /// Constants of each unit.
    UnshiftedChanges(Precision),
    /// Constants of each period, if the design has a constant.
    Levels(Precision),
    /// Constants of each unit, and of each period if the design has a constant.
    Changes(Precision),
}

impl Conditioning {
    /// Whether constants of a unit drop out.
    pub fn is_of_changes(self) -> bool {
        matches!(self, Self::Changes(_) | Self::UnshiftedChanges(_))
    }

    /// Whether constants of a period drop out of regressions with a constant.
    fn is_shifted(self) -> bool {
        matches!(self, Self::Levels(_) | Self::Changes(_))
    }

    fn precision(self) -> Precision {
        match self {
            Self::Raw => Precision::F64,
            Self::Unshifted(precision)
            | Self::UnshiftedChanges(precision)
            | Self::Levels(precision)
            | Self::Changes(precision) => precision,
        }
    }
}

/// Strata as they were filled, whole or in pieces of whole tiles.
pub(crate) trait Pieces {
    /// Calls `visit` with every piece and its stratum, strata in order and rows in canonical order.
    ///
    /// # Errors
    /// Those of `visit`, and of reading the pieces.
    fn each(&self, visit: &mut dyn FnMut(usize, &StratumData) -> Result<()>) -> Result<()>;
}

/// The change of the strata's columns.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    /// Covariates other than the constant.
    kx: usize,
    /// Factor of the sampling weights.
    pub weight: f64,
    /// Weight columns that are weights: the first ones, and the last for unbalanced panels.
    weight_columns: (usize, Option<usize>),
    /// Mean of each outcome column of each stratum.
    mean: Vec<Vec<f64>>,
    /// Divisor of the outcomes.
    pub y_scale: f64,
    /// Mean of each version of each covariate in each stratum.
    centre: Vec<Vec<f64>>,
    /// Mean and standard deviation by which each covariate is standardised.
    standard: Vec<(f64, f64)>,
    /// Lower triangle by which covariates are decorrelated.
    lower: Option<Vec<f64>>,
}

/// What is known of the columns before their contents.
pub(super) struct Known {
    pub conditioning: Conditioning,
    /// Rows observed in each outcome column of each stratum.
    pub observed: Vec<Vec<usize>>,
    /// Sampling-weight columns by period, and the column of the units' mean weights.
    pub weight_columns: (usize, Option<usize>),
    /// Rows of each stratum.
    pub rows: Vec<usize>,
    /// Strata of the last group, whose rows are compared in every cell: what they decide, the other rows have no part in.
    pub reference: Range<usize>,
}

/// Finds the change that conditions the columns. `info.transform` records the way back from the covariates.
///
/// A cell's numbers must not depend on rows that it does not compare, even if these hold extreme values. So outcomes are
/// centred stratum by stratum, covariates by the strata that all cells compare, and scales are medians over strata.
pub(super) fn condition(
    pieces: &dyn Pieces,
    known: &Known,
    info: &mut DesignInfo,
) -> Result<Change> {
    let kx = info.k() - 1;
    let mut change = Change {
        kx,
        weight: 1.0,
        weight_columns: known.weight_columns,
        mean: known.observed.iter().map(|columns| vec![0.0; columns.len()]).collect(),
        y_scale: 1.0,
        centre: vec![vec![0.0; kx * info.versions]; known.rows.len()],
        standard: vec![(0.0, 1.0); kx],
        lower: None,
    };
    let precision = known.conditioning.precision();
    let sums = change.sums(pieces, |v| v)?;
    change.weight = weight_factor(&sums, known, precision);
    if known.conditioning == Conditioning::Raw {
        return Ok(change);
    }
    // Without a constant in the design, the means are not among what the regressions fit.
    if known.conditioning.is_shifted() && info.intercept {
        for ((mean, sums), observed) in change.mean.iter_mut().zip(&sums).zip(&known.observed) {
            for ((mean, sum), n) in mean.iter_mut().zip(&sums.y).zip(observed) {
                *mean = finite_or(sum / *n.max(&1) as f64, 0.0);
            }
        }
    }
    let mean_of = |sums: &[Sums], s: usize, c: usize| sums[s].x[c] / known.rows[s] as f64;
    if info.intercept {
        let columns = |s: usize| (0..kx * info.versions).map(|c| mean_of(&sums, s, c)).collect();
        change.centre = (0..sums.len()).map(columns).collect();
    }
    if precision == Precision::F32 || kx > 0 {
        let squares = change.sums(pieces, |v| v * v)?;
        if precision == Precision::F32 {
            let size = |(sums, observed): (&Sums, &Vec<usize>)| {
                (sums.y.iter().sum::<f64>() / observed.iter().sum::<usize>() as f64).sqrt()
            };
            let sizes = squares.iter().zip(&known.observed).map(size);
            change.y_scale = lower_median(sizes.map(|v| (v, ()))).map_or(1.0, |(v, ())| v);
        }
        for j in 0..kx {
            // Of the typical stratum and version: cells do not see the others' extreme values.
            let typical = |strata: Range<usize>| {
                let columns =
                    strata.flat_map(|s| (j..kx * info.versions).step_by(kx).map(move |c| (s, c)));
                let spread = |(s, c)| (mean_of(&squares, s, c).sqrt(), change.centre[s][c]);
                lower_median(columns.map(spread).filter(|(_, mean)| mean.is_finite()))
            };
            let found = typical(known.reference.clone()).or_else(|| typical(0..sums.len()));
            change.standard[j] = match found {
                Some((sd, mean)) => (mean, sd),
                None => extreme(pieces, j, info)?,
            };
        }
    }
    change.record(info);
    if kx > 0 {
        change.decorrelate(pieces, known, info)?;
    }
    Ok(change)
}

/// Factor that makes the weights' mean 1: over all rows, or where that is of another order than in most strata, over the
/// median stratum.
fn weight_factor(sums: &[Sums], known: &Known, precision: Precision) -> f64 {
    // Squares of weights have to be representable beside one another.
    let apart: f64 = match precision {
        Precision::F64 => 1e100,
        Precision::F32 => 1e10,
    };
    let columns = known.weight_columns.0;
    if columns == 0 {
        return 1.0;
    }
    let rows = |s: usize| match columns {
        1 => known.rows[s],
        _ => known.observed[s].iter().sum(),
    };
    let all = sums.iter().flat_map(|s| &s.w).sum::<f64>();
    let mean = all / (0..sums.len()).map(rows).sum::<usize>() as f64;
    let means = (0..sums.len())
        .flat_map(|s| sums[s].w.iter().map(move |w| (w * columns as f64 / rows(s) as f64, ())));
    let Some((typical, ())) = lower_median(means) else { return 1.0 };
    if mean.is_finite() && mean <= apart * typical { mean.recip() } else { typical.recip() }
}

/// Lower median of the finite positive values, with what belongs to it.
fn lower_median<T: Copy>(values: impl Iterator<Item = (f64, T)>) -> Option<(f64, T)> {
    let mut values: Vec<(f64, T)> = values.filter(|(v, _)| is_scale(*v)).collect();
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    values.get(values.len().saturating_sub(1) / 2).copied()
}

fn is_scale(v: f64) -> bool {
    v.is_finite() && v >= f64::MIN_POSITIVE
}

fn finite_or(v: f64, other: f64) -> f64 {
    if v.is_finite() { v } else { other }
}

/// Mean and standard deviation of a covariate whose squares overflow or underflow; (0, 1) if it does not vary.
fn extreme(pieces: &dyn Pieces, j: usize, info: &DesignInfo) -> Result<(f64, f64)> {
    let kx = info.k() - 1;
    let sum = |f: &dyn Fn(f64) -> f64, join: &dyn Fn(f64, f64) -> f64| -> Result<(f64, f64)> {
        let (mut total, mut n) = (0.0, 0.0);
        pieces.each(&mut |_, s| {
            for column in columns(&s.x, s.rows).skip(j).step_by(kx) {
                total = column.iter().fold(total, |total, v| join(total, f(*v)));
                n += s.rows as f64;
            }
            Ok(())
        })?;
        Ok((total, n))
    };
    let (largest, n) = sum(&f64::abs, &f64::max)?;
    if largest == 0.0 {
        return Ok((0.0, 1.0));
    }
    if !is_scale(largest) || largest > f64::MAX / 4.0 {
        return Err(DidError::CovariateRange { column: info.names[j + 1].clone(), largest });
    }
    let add = |a: f64, b: f64| a + b;
    let mean = if info.intercept { sum(&|v| v / largest, &add)?.0 / n } else { 0.0 };
    let variance = sum(&|v| (v / largest - mean).powi(2), &add)?.0 / n;
    let standard = (mean * largest, variance.sqrt() * largest);
    Ok(if is_scale(standard.1) { standard } else { (0.0, 1.0) })
}

/// Sums over the rows of a stratum, by column.
struct Sums {
    y: Vec<f64>,
    x: Vec<f64>,
    w: Vec<f64>,
}

impl Change {
    /// Means of the outcome columns of a stratum, in units of the conditioned outcomes.
    pub fn offsets(&self, stratum: usize) -> Vec<f64> {
        self.mean[stratum].iter().map(|mean| mean / self.y_scale).collect()
    }

    /// Sums over each stratum, tile by tile, of `f` of centred outcomes and covariates, and of the weights.
    fn sums(&self, pieces: &dyn Pieces, f: impl Fn(f64) -> f64 + Sync) -> Result<Vec<Sums>> {
        let zero = |mean: &Vec<f64>| Sums {
            y: vec![0.0; mean.len()],
            x: vec![0.0; self.centre.first().map_or(0, Vec::len)],
            w: vec![0.0; self.weight_columns.0],
        };
        let mut sums: Vec<Sums> = self.mean.iter().map(zero).collect();
        pieces.each(&mut |stratum, s| {
            let tile = |range: Range<usize>| -> Vec<f64> {
                let column = |c: &[f64], mean: f64| {
                    let c = &c[range.clone()];
                    kernel::vectorized(
                        #[inline(always)]
                        || sum(c, |v| f(v - mean)),
                    )
                };
                let y = columns(&s.y, s.rows).zip(&self.mean[stratum]);
                let y = y.map(|(c, mean)| column(c, *mean));
                let x = columns(&s.x, s.rows).zip(&self.centre[stratum]);
                let x = x.map(|(c, mean)| column(c, *mean));
                let w = columns(&s.w, s.rows).take(self.weight_columns.0);
                let w = w.map(|c| column(c, 0.0));
                y.chain(x).chain(w).collect()
            };
            let tiles: Vec<_> =
                (0..s.rows).step_by(TILE).map(|a| a..(a + TILE).min(s.rows)).collect();
            let parts: Vec<Vec<f64>> = tiles.into_par_iter().map(tile).collect();
            let Sums { y, x, w } = &mut sums[stratum];
            for part in parts {
                let (of_y, rest) = part.split_at(y.len());
                let (of_x, of_w) = rest.split_at(x.len());
                add(y, of_y);
                add(x, of_x);
                add(w, of_w);
            }
            Ok(())
        })?;
        Ok(sums)
    }

    fn record(&self, info: &mut DesignInfo) {
        let k = info.k();
        for (j, (mean, sd)) in self.standard.iter().enumerate() {
            info.transform[j + 1] = *mean;
            info.transform[(j + 1) * k + j + 1] = *sd;
        }
    }

    /// Correlation structure of the first tile of each reference stratum decides whether, and how, covariates are
    /// decorrelated; of all strata if these have few rows.
    fn decorrelate(
        &mut self,
        pieces: &dyn Pieces,
        known: &Known,
        info: &mut DesignInfo,
    ) -> Result<()> {
        const ROWS_PER_COLUMN: usize = 10;
        let tolerance = match known.conditioning.precision() {
            Precision::F64 => CORRELATED,
            Precision::F32 => CORRELATED_SINGLE,
        };
        let (k, kx) = (info.k(), self.kx);
        let rows: usize = known.rows[known.reference.clone()].iter().sum();
        let enough = rows >= ROWS_PER_COLUMN * k;
        let strata = if enough { known.reference.clone() } else { 0..known.rows.len() };
        let gram = self.sample_gram(pieces, strata, k)?;
        let slopes: Vec<f64> =
            (0..kx * kx).map(|e| gram.zz[(e / kx + 1) * k + e % kx + 1] / gram.zz[0]).collect();
        let Some(factor) = Spd::new(&slopes, kx) else { return Ok(()) };
        let rcond = reciprocal_condition(&slopes, &factor.inverse(), kx);
        if rcond > tolerance || rcond < INSEPARABLE {
            return Ok(());
        }
        let Some(lower) = cholesky(&slopes, kx) else { return Ok(()) };
        // z = v l', so v solves a triangular system row by row, and the way back gains a factor l'.
        let old = info.transform.clone();
        for i in 0..kx {
            for j in 0..kx {
                info.transform[(i + 1) * k + j + 1] =
                    (0..kx).map(|m| lower[m * kx + i] * old[(m + 1) * k + j + 1]).sum();
            }
        }
        self.lower = Some(lower);
        Ok(())
    }

    /// Unweighted cross-products of the first tile of some strata (and of version 0), standardised.
    fn sample_gram(&self, pieces: &dyn Pieces, strata: Range<usize>, k: usize) -> Result<Gram> {
        let mut gram = Gram::zero(k, 0);
        let mut last = None;
        pieces.each(&mut |stratum, s| {
            let seen = last.replace(stratum) == Some(stratum);
            if s.rows == 0 || seen || !strata.contains(&stratum) {
                return Ok(());
            }
            let rows = s.rows.min(TILE);
            let first = columns(&s.x, s.rows).take(self.kx).zip(&self.standard);
            let x: Vec<f64> = first
                .flat_map(|(c, (mean, sd))| c[..rows].iter().map(move |x| (x - mean) / sd))
                .collect();
            let chunk = HostChunk { rows, y: &[], x: &x, w: &[], rank: &[], cluster: &[], k };
            let jobs =
                [GramJob { stratum: 0, x: 0, w: Weight::Ones, odds: None, outcomes: Vec::new() }];
            kernel::gram(&chunk, &jobs, 1.0, std::slice::from_mut(&mut gram));
            Ok(())
        })?;
        Ok(gram)
    }

    /// Changes a piece of a stratum.
    pub fn apply(&self, stratum: usize, s: &mut StratumData) {
        let rows = s.rows.max(1);
        let y = s.y.chunks_exact_mut(rows).zip(&self.mean[stratum]);
        let mut tasks: Vec<(&mut [f64], f64, f64)> =
            y.map(|(c, mean)| (c, *mean, self.y_scale)).collect();
        let x = s.x.chunks_exact_mut(rows).enumerate();
        tasks.extend(x.map(|(c, column)| {
            let (mean, sd) = self.standard[c % self.kx];
            (column, mean, sd)
        }));
        let (first, last) = self.weight_columns;
        let is_weight = |c: usize| c < first || Some(c) == last;
        let w = s.w.chunks_exact_mut(rows).enumerate().filter(|(c, _)| is_weight(*c));
        tasks.extend(w.map(|(_, column)| (column, 0.0, self.weight.recip())));
        let changes = |task: &(&mut [f64], f64, f64)| task.1 != 0.0 || task.2 != 1.0;
        tasks.into_par_iter().filter(changes).for_each(|(column, mean, scale)| {
            column.par_chunks_mut(TILE).for_each(|tile| {
                for v in tile {
                    *v = if scale == 1.0 { *v - mean } else { (*v - mean) / scale };
                }
            });
        });
        if let Some(lower) = &self.lower {
            s.x.par_chunks_exact_mut(self.kx * rows)
                .for_each(|version| triangular_solve(version, rows, lower, self.kx));
        }
    }
}

/// Columns of `rows` rows.
fn columns(data: &[f64], rows: usize) -> impl Iterator<Item = &[f64]> {
    data.chunks_exact(rows.max(1))
}

/// `Σ f(v)` over eight lanes.
#[inline(always)]
fn sum(values: &[f64], f: impl Fn(f64) -> f64) -> f64 {
    let mut lanes = [0.0; 8];
    let mut whole = values.chunks_exact(8);
    for values in &mut whole {
        for (lane, v) in lanes.iter_mut().zip(values) {
            *lane += f(*v);
        }
    }
    for (lane, v) in lanes.iter_mut().zip(whole.remainder()) {
        *lane += f(*v);
    }
    lanes.iter().sum()
}

fn cholesky(a: &[f64], k: usize) -> Option<Vec<f64>> {
    let a = faer::MatRef::from_row_major_slice(a, k, k);
    let factor = a.llt(faer::Side::Lower).ok()?;
    let lower = factor.L();
    Some((0..k * k).map(|e| lower[(e / k, e % k)]).collect())
}

/// `v = z l'⁻¹` for every row of the columns `[kx][rows]`.
fn triangular_solve(columns: &mut [f64], rows: usize, lower: &[f64], kx: usize) {
    for j in 0..kx {
        let (known, rest) = columns.split_at_mut(j * rows);
        let out = &mut rest[..rows];
        for (i, column) in known.chunks_exact(rows).enumerate() {
            let l = lower[j * kx + i];
            out.iter_mut().zip(column).for_each(|(o, v)| *o -= l * v);
        }
        let pivot = lower[j * kx + j];
        for o in out {
            *o /= pivot;
        }
    }
}
