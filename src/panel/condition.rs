//! Affine changes of outcomes and covariates that leave every estimate and influence value as it is, and make sums
//! accurate: differences are taken before rounding, covariates are standardised and, where nearly collinear, decorrelated.

use rayon::prelude::*;

use super::sample::{DesignInfo, Layout, StratumData};
use crate::kernel::{self, HostChunk};
use crate::options::Precision;
use crate::pass::{Gram, GramJob, TILE, Weight};
use crate::solve::{Spd, reciprocal_condition};

/// Which changes of the data the estimator is invariant to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Conditioning {
    /// None: the data are handed to a user-supplied estimator.
    Raw,
    /// Constants of each period.
    Levels(Precision),
    /// Constants of each period and of each unit.
    Changes(Precision),
}

impl Conditioning {
    fn precision(self) -> Precision {
        match self {
            Self::Raw => Precision::F64,
            Self::Levels(precision) | Self::Changes(precision) => precision,
        }
    }
}

/// Subtracts each unit's first outcome (where changes are used) and each period's mean; in single precision also divides
/// by a common scale, which is returned.
pub(super) fn centre_outcomes(
    layout: Layout,
    strata: &mut [StratumData],
    counts: &[Vec<usize>],
    periods: usize,
    conditioning: Conditioning,
) -> f64 {
    let precision = conditioning.precision();
    if conditioning == Conditioning::Raw {
        return 1.0;
    }
    if matches!(conditioning, Conditioning::Changes(_)) {
        strata.par_iter_mut().filter(|s| s.rows > 0).for_each(|s| {
            let (first, rest) = s.y.split_at_mut(s.rows);
            for column in rest.chunks_exact_mut(s.rows) {
                column.iter_mut().zip(first.iter()).for_each(|(y, first)| *y -= first);
            }
            first.fill(0.0);
        });
    }
    // Strata of repeated cross sections hold one period each, those of panels all of them.
    let by_row = layout == Layout::RepeatedCrossSections;
    let mut sum_of_squares = 0.0;
    for t in 0..periods {
        let range = |s: &StratumData| if by_row { 0..s.rows } else { t * s.rows..(t + 1) * s.rows };
        let observed: usize = counts.iter().map(|c| c[t]).sum();
        let chosen = |i: usize| !by_row || i % periods == t;
        let columns =
            || strata.iter().enumerate().filter(|(i, _)| chosen(*i)).map(|(_, s)| &s.y[range(s)]);
        let mean = columns().map(total).sum::<f64>() / observed.max(1) as f64;
        if precision == Precision::F32 {
            sum_of_squares += columns().flatten().map(|y| (y - mean) * (y - mean)).sum::<f64>();
        }
        strata.par_iter_mut().enumerate().filter(|(i, _)| chosen(*i)).for_each(|(_, s)| {
            let range = range(s);
            s.y[range].iter_mut().for_each(|y| *y -= mean);
        });
    }
    let rows: usize = counts.iter().flatten().sum();
    let scale = (sum_of_squares / rows.max(1) as f64).sqrt();
    if precision == Precision::F64 || !scale.is_finite() || scale == 0.0 {
        return 1.0;
    }
    strata.par_iter_mut().for_each(|s| s.y.iter_mut().for_each(|y| *y /= scale));
    scale
}

/// Sum by tiles, in order.
fn total(values: &[f64]) -> f64 {
    values.chunks(TILE).map(|c| c.iter().sum::<f64>()).sum()
}

/// Standardises the covariates and, if their correlations are nearly singular, replaces them by decorrelated
/// combinations. `info.transform` records the way back.
pub(super) fn condition_covariates(
    info: &mut DesignInfo,
    strata: &mut [StratumData],
    conditioning: Conditioning,
) {
    let kx = info.k() - 1;
    if kx == 0 || conditioning == Conditioning::Raw {
        return;
    }
    let scales: Vec<(f64, f64)> =
        (0..kx).into_par_iter().map(|j| location_scale(strata, j, kx, info.intercept)).collect();
    let k = info.k();
    for (j, (mean, sd)) in scales.iter().enumerate() {
        info.transform[j + 1] = *mean;
        info.transform[(j + 1) * k + j + 1] = *sd;
    }
    strata.par_iter_mut().filter(|s| s.rows > 0).for_each(|s| {
        for (c, column) in s.x.chunks_exact_mut(s.rows).enumerate() {
            let (mean, sd) = scales[c % kx];
            for x in column {
                *x = (*x - mean) / sd;
            }
        }
    });
    decorrelate(info, strata, conditioning.precision());
}

/// Columns of covariate `j` in all versions.
fn columns(s: &StratumData, j: usize, kx: usize) -> impl Iterator<Item = &[f64]> {
    s.x.chunks_exact(s.rows.max(1)).skip(j).step_by(kx)
}

/// Mean and standard deviation over all rows and versions; without a constant only the root mean square.
fn location_scale(strata: &[StratumData], j: usize, kx: usize, intercept: bool) -> (f64, f64) {
    let all = || strata.iter().flat_map(|s| columns(s, j, kx));
    let n = all().map(<[f64]>::len).sum::<usize>() as f64;
    let mean = if intercept { all().map(total).sum::<f64>() / n } else { 0.0 };
    let squares = |c: &[f64]| c.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>();
    let sd = (all().flat_map(|c| c.chunks(TILE)).map(squares).sum::<f64>() / n).sqrt();
    if mean.is_finite() && sd.is_finite() && sd > 0.0 { (mean, sd) } else { (0.0, 1.0) }
}

/// Correlation structure of the first tile of each stratum decides whether, and how, covariates are decorrelated.
fn decorrelate(info: &mut DesignInfo, strata: &mut [StratumData], precision: Precision) {
    let tolerance = match precision {
        Precision::F64 => 1e-5,
        Precision::F32 => 0.05,
    };
    let (k, kx) = (info.k(), info.k() - 1);
    let gram = sample_gram(strata, k);
    let slopes: Vec<f64> =
        (0..kx * kx).map(|e| gram.zz[(e / kx + 1) * k + e % kx + 1] / gram.zz[0]).collect();
    let Some(factor) = Spd::new(&slopes, kx) else { return };
    let rcond = reciprocal_condition(&slopes, &factor.inverse(), kx);
    if rcond > tolerance || rcond < 1e-13 {
        return;
    }
    let Some(lower) = cholesky(&slopes, kx) else { return };
    // z = v l', so v solves a triangular system row by row, and the way back gains a factor l'.
    strata.par_iter_mut().filter(|s| s.rows > 0).for_each(|s| {
        for version in s.x.chunks_exact_mut(kx * s.rows) {
            triangular_solve(version, s.rows, &lower, kx);
        }
    });
    let old = info.transform.clone();
    for i in 0..kx {
        for j in 0..kx {
            info.transform[(i + 1) * k + j + 1] =
                (0..kx).map(|m| lower[m * kx + i] * old[(m + 1) * k + j + 1]).sum();
        }
    }
}

/// Unweighted cross-products of the first tile of every stratum (and of version 0).
fn sample_gram(strata: &[StratumData], k: usize) -> Gram {
    let mut gram = Gram::zero(k, 0);
    for s in strata.iter().filter(|s| s.rows > 0) {
        let rows = s.rows.min(TILE);
        let x: Vec<f64> =
            s.x.chunks_exact(s.rows).take(k - 1).flat_map(|c| &c[..rows]).copied().collect();
        let chunk = HostChunk { rows, y: &[], x: &x, w: &[], rank: &[], cluster: &[], k };
        let jobs =
            [GramJob { stratum: 0, x: 0, w: Weight::Ones, odds: None, outcomes: Vec::new() }];
        kernel::gram(&chunk, &jobs, 1.0, std::slice::from_mut(&mut gram));
    }
    gram
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
