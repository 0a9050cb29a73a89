//! Affine changes of outcomes and covariates that leave every estimate and influence value as it is, and make sums
//! accurate: differences are taken before rounding, covariates are standardised and, where nearly collinear, decorrelated.

use rayon::prelude::*;

use super::sample::{DesignInfo, StratumData};
use crate::error::Result;
use crate::kernel::{self, HostChunk};
use crate::options::Precision;
use crate::pass::{Gram, GramJob, TILE, Weight, add};
use crate::solve::{Spd, reciprocal_condition};

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
    /// Mean outcome of each period.
    mean: Vec<f64>,
    /// Period of each stratum; `None` if strata have all periods.
    period_of: Option<Vec<usize>>,
    /// Divisor of the outcomes.
    pub y_scale: f64,
    /// Mean and standard deviation of each covariate.
    standard: Vec<(f64, f64)>,
    /// Lower triangle by which covariates are decorrelated.
    lower: Option<Vec<f64>>,
}

/// What is known of the columns before their contents.
pub(super) struct Known {
    pub conditioning: Conditioning,
    /// Rows observed in each period.
    pub observed: Vec<usize>,
    /// Period of each stratum; `None` if strata have all periods.
    pub period_of: Option<Vec<usize>>,
    /// Sampling-weight columns by period, and the column of the units' mean weights.
    pub weight_columns: (usize, Option<usize>),
    /// Rows of all strata.
    pub rows: usize,
}

/// Finds the change that conditions the columns. `info.transform` records the way back from the covariates.
pub(super) fn condition(
    pieces: &dyn Pieces,
    known: Known,
    info: &mut DesignInfo,
) -> Result<Change> {
    let (periods, kx) = (known.observed.len(), info.k() - 1);
    let mut change = Change {
        kx,
        weight: 1.0,
        weight_columns: known.weight_columns,
        mean: vec![0.0; periods],
        period_of: known.period_of,
        y_scale: 1.0,
        standard: vec![(0.0, 1.0); kx],
        lower: None,
    };
    let raw = known.conditioning == Conditioning::Raw;
    let single = known.conditioning.precision() == Precision::F32;
    let [y, x, w] = change.sums(pieces, |v| v)?;
    let all_rows: usize = known.observed.iter().sum();
    let total: f64 = w.iter().sum();
    if total > 0.0 {
        let columns = known.weight_columns.0;
        let rows = if columns == 1 { known.rows } else { all_rows };
        change.weight = (total / rows as f64).recip();
    }
    if raw {
        return Ok(change);
    }
    // Without a constant in the design, the means are not among what the regressions fit.
    if known.conditioning.is_shifted() && info.intercept {
        change.mean = y.iter().zip(&known.observed).map(|(y, n)| y / *n.max(&1) as f64).collect();
    }
    let n = (known.rows * info.versions) as f64;
    if info.intercept {
        for (standard, x) in change.standard.iter_mut().zip(x) {
            standard.0 = x / n;
        }
    }
    if single || kx > 0 {
        let [y, x, _] = change.sums(pieces, |v| v * v)?;
        let scale = (y.iter().sum::<f64>() / all_rows.max(1) as f64).sqrt();
        if single && scale.is_finite() && scale != 0.0 {
            change.y_scale = scale;
        }
        for (standard, x) in change.standard.iter_mut().zip(x) {
            let sd = (x / n).sqrt();
            let usable = standard.0.is_finite() && sd.is_finite() && sd > 0.0;
            *standard = if usable { (standard.0, sd) } else { (0.0, 1.0) };
        }
    }
    change.record(info);
    if kx > 0 {
        change.decorrelate(pieces, info, known.conditioning.precision())?;
    }
    Ok(change)
}

impl Change {
    /// Column of means that outcome column `p` of a stratum belongs to.
    fn period(&self, stratum: usize, p: usize) -> usize {
        self.period_of.as_ref().map_or(p, |of| of[stratum])
    }

    /// Sums over all rows, tile by tile, of `f` of centred outcomes by period and of centred covariates, and of the weights
    /// by column.
    fn sums(&self, pieces: &dyn Pieces, f: impl Fn(f64) -> f64 + Sync) -> Result<[Vec<f64>; 3]> {
        let mut sums =
            [vec![0.0; self.mean.len()], vec![0.0; self.kx], vec![0.0; self.weight_columns.0]];
        pieces.each(&mut |stratum, s| {
            let tile = |range: std::ops::Range<usize>| -> Vec<f64> {
                let column = |c: &[f64], mean: f64| {
                    let c = &c[range.clone()];
                    kernel::vectorized(
                        #[inline(always)]
                        || sum(c, |v| f(v - mean)),
                    )
                };
                let y = columns(&s.y, s.rows).enumerate();
                let y = y.map(|(p, c)| column(c, self.mean[self.period(stratum, p)]));
                let x = columns(&s.x, s.rows).enumerate();
                let x = x.map(|(c, column_of)| column(column_of, self.standard[c % self.kx].0));
                let w = columns(&s.w, s.rows).take(self.weight_columns.0);
                let w = w.map(|c| column(c, 0.0));
                y.chain(x).chain(w).collect()
            };
            let tiles: Vec<_> =
                (0..s.rows).step_by(TILE).map(|a| a..(a + TILE).min(s.rows)).collect();
            let parts: Vec<Vec<f64>> = tiles.into_par_iter().map(tile).collect();
            let periods = s.y.len() / s.rows.max(1);
            let versions = s.x.len() / s.rows.max(1);
            for part in parts {
                for (p, y) in part[..periods].iter().enumerate() {
                    sums[0][self.period(stratum, p)] += y;
                }
                for (c, x) in part[periods..periods + versions].iter().enumerate() {
                    sums[1][c % self.kx] += x;
                }
                add(&mut sums[2], &part[periods + versions..]);
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

    /// Correlation structure of the first tile of each stratum decides whether, and how, covariates are decorrelated.
    fn decorrelate(
        &mut self,
        pieces: &dyn Pieces,
        info: &mut DesignInfo,
        precision: Precision,
    ) -> Result<()> {
        let tolerance = match precision {
            Precision::F64 => 1e-5,
            Precision::F32 => 0.05,
        };
        let (k, kx) = (info.k(), self.kx);
        let gram = self.sample_gram(pieces, k)?;
        let slopes: Vec<f64> =
            (0..kx * kx).map(|e| gram.zz[(e / kx + 1) * k + e % kx + 1] / gram.zz[0]).collect();
        let Some(factor) = Spd::new(&slopes, kx) else { return Ok(()) };
        let rcond = reciprocal_condition(&slopes, &factor.inverse(), kx);
        if rcond > tolerance || rcond < 1e-13 {
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

    /// Unweighted cross-products of the first tile of every stratum (and of version 0), standardised.
    fn sample_gram(&self, pieces: &dyn Pieces, k: usize) -> Result<Gram> {
        let mut gram = Gram::zero(k, 0);
        let mut last = None;
        pieces.each(&mut |stratum, s| {
            if s.rows == 0 || last.replace(stratum) == Some(stratum) {
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
        let y = s.y.chunks_exact_mut(rows).enumerate();
        let mut tasks: Vec<(&mut [f64], f64, f64)> =
            y.map(|(p, c)| (c, self.mean[self.period(stratum, p)], self.y_scale)).collect();
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
