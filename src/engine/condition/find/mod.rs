//! Rules that find the change, as functions of sums over the columns.

use std::ops::Range;

use super::look::{ColumnLook, ColumnSums, CovariateLook, CovariateSum, ProductLook, WeightLook};
use super::{Change, Conditioning, Look, LookStat, Raw};
use crate::base::error::{DidError, Result};
use crate::base::options::Precision;
use crate::base::solve::{
    COLLINEAR, CORRELATED, CORRELATED_SINGLE, INSEPARABLE, Spd, reciprocal_condition,
};
use crate::base::spectrum::row_major;
use crate::engine::pass::{Gram, Stat, Weight};
use crate::read::panel::{DesignInfo, Sample};

/// What is known of the columns before their contents.
pub(super) struct KnownColumns {
    pub conditioning: Conditioning,
    /// Whether the estimator drops collinear covariates, which have to stay as they are for that.
    pub drops_collinear: bool,
    /// Rows observed in each outcome column of each stratum.
    pub observed: Vec<Vec<usize>>,
    /// Sampling-weight columns by period, and the column of the units' mean weights.
    pub weight_columns: (usize, Option<usize>),
    /// Rows of each stratum.
    pub rows: Vec<usize>,
    /// Strata of the last group, whose rows are compared in every cell: what they decide, the other rows have no part in.
    pub reference: Range<usize>,
}

impl KnownColumns {
    /// Of strata with these rows.
    pub fn new(
        sample: &Sample,
        conditioning: Conditioning,
        drops_collinear: bool,
        rows: Vec<usize>,
    ) -> Self {
        let columns = sample.outcome_columns();
        // Unbalanced panels have weights by period, presence by period and, with weights, each unit's mean weight.
        let weights = sample.presence.unwrap_or(sample.weight_columns);
        let mean = (sample.presence.is_some() && weights > 0).then_some(2 * columns);
        let last = sample.cohorts.last().map(|c| c.group);
        let cohort = sample.cohorts.iter().position(|c| Some(c.group) == last).unwrap_or(0);
        Self {
            conditioning,
            drops_collinear,
            observed: sample.counts.concat().chunks(columns).map(<[usize]>::to_vec).collect(),
            weight_columns: (weights, mean),
            rows,
            reference: sample.strata.of_cohorts(&(cohort..sample.cohorts.len())),
        }
    }

    /// Rows of a stratum that take part in the sums of an outcome: those observed, with weight.
    fn rows_of_outcome(&self, sums: &ColumnSums, (stratum, outcome): (usize, usize)) -> f64 {
        match self.weight_columns.0 {
            0 => self.observed[stratum][outcome] as f64,
            _ => sums.rows_y[outcome],
        }
    }
}

/// Statistics of one kind, of each stratum.
fn ask<S: TryFrom<LookStat, Error = DidError>>(raw: &dyn Raw, look: &Look) -> Result<Vec<S>> {
    raw.answer(look)?.into_iter().map(S::try_from).collect()
}

/// Finds the change that conditions the columns. `info.transform` records the way back from the covariates.
///
/// A cell's numbers must not depend on rows that it does not compare, or that have no weight, even if these hold extreme values. So outcomes are
/// centred stratum by stratum, covariates by the strata that all cells compare, and scales are medians over strata.
pub(super) fn find(raw: &dyn Raw, known: &KnownColumns, info: &mut DesignInfo) -> Result<Change> {
    let kx = info.k() - 1;
    let mut change = Change {
        kx,
        weight: 1.0,
        weight_columns: known.weight_columns,
        mean: known.observed.iter().map(|columns| vec![0.0; columns.len()]).collect(),
        y_scale: 1.0,
        y_size: 1.0,
        centre: vec![vec![0.0; kx * info.versions]; known.rows.len()],
        standard: vec![(0.0, 1.0); kx],
        lower: None,
        doses: None,
    };
    let precision = known.conditioning.precision();
    let sums = change.sums(raw)?;
    change.weight = weight_factor(&sums, known, precision);
    change.y_size = size(&sums, known);
    if known.conditioning == Conditioning::Raw {
        return Ok(change);
    }
    // Without a constant in the design, the means are not among what the regressions fit.
    if known.conditioning.is_shifted() && info.intercept {
        for (s, (mean, sums)) in change.mean.iter_mut().zip(&sums).enumerate() {
            for (c, (mean, sum)) in mean.iter_mut().zip(&sums.y).enumerate() {
                *mean = finite_or(sum / known.rows_of_outcome(sums, (s, c)).max(1.0), 0.0);
            }
        }
    }
    let mean_of = |sums: &[ColumnSums], s: usize, c: usize| sums[s].x[c] / sums[s].rows_x.max(1.0);
    if info.intercept {
        let columns = |s: usize| (0..kx * info.versions).map(|c| mean_of(&sums, s, c)).collect();
        change.centre = (0..sums.len()).map(columns).collect();
    }
    if precision == Precision::F32 || kx > 0 {
        let squares = change.squares(raw, precision == Precision::F32)?;
        if precision == Precision::F32 {
            let size = |(s, sums): (usize, &ColumnSums)| {
                let rows = (0..sums.y.len()).map(|c| known.rows_of_outcome(sums, (s, c)));
                (sums.y.iter().sum::<f64>() / rows.sum::<f64>()).sqrt()
            };
            let sizes = squares.iter().enumerate().map(size);
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
            let spread = typical(known.reference.clone()).or_else(|| typical(0..sums.len()));
            change.standard[j] = match spread {
                Some((sd, mean)) => (mean, sd),
                None => extreme(raw, known, j, info)?,
            };
        }
    }
    record(&change, info);
    if kx > 0 {
        decorrelate(&mut change, raw, known, info)?;
    }
    Ok(change)
}

/// The largest mean of the absolute values of an outcome column of a stratum; 1 if all are zero.
fn size(sums: &[ColumnSums], known: &KnownColumns) -> f64 {
    let of_stratum = |(s, sums): (usize, &ColumnSums)| {
        let rows = |c: usize| known.rows_of_outcome(sums, (s, c)).max(1.0);
        let means = sums.size.iter().enumerate().map(|(c, sum)| sum / rows(c));
        means.filter(|mean| mean.is_finite()).fold(0.0, f64::max)
    };
    let largest = sums.iter().enumerate().map(of_stratum).fold(0.0, f64::max);
    if largest > 0.0 { largest } else { 1.0 }
}

/// Factor that makes the weights' mean 1: over all rows, or where that mean has another order of magnitude than most strata's, over the
/// median stratum.
fn weight_factor(sums: &[ColumnSums], known: &KnownColumns, precision: Precision) -> f64 {
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
fn extreme(raw: &dyn Raw, known: &KnownColumns, j: usize, info: &DesignInfo) -> Result<(f64, f64)> {
    let ask = |sum| -> Result<Vec<f64>> {
        ask(raw, &Look::Covariate(CovariateLook { covariate: j, covariates: info.k() - 1, sum }))
    };
    let largest = ask(CovariateSum::Largest)?.into_iter().fold(0.0, f64::max);
    if largest == 0.0 {
        return Ok((0.0, 1.0));
    }
    if !is_scale(largest) || largest > f64::MAX / 4.0 {
        return Err(DidError::CovariateRange { column: info.names[j + 1].clone(), largest });
    }
    let n = (known.rows.iter().sum::<usize>() * info.versions) as f64;
    let total = |sum| -> Result<f64> { Ok(ask(sum)?.iter().sum()) };
    let mean = if info.intercept { total(CovariateSum::Scaled { largest })? / n } else { 0.0 };
    let variance = total(CovariateSum::Squares { largest, mean })? / n;
    let standard = (mean * largest, variance.sqrt() * largest);
    Ok(if is_scale(standard.1) { standard } else { (0.0, 1.0) })
}

impl Change {
    /// Sums over each stratum of outcomes, covariates and weights.
    fn sums(&self, raw: &dyn Raw) -> Result<Vec<ColumnSums>> {
        let (mean, centre) = (self.mean.clone(), self.centre.clone());
        let (weights, sampling) = (self.weight_columns.0, self.weight_columns.0);
        ask(raw, &Look::Columns(ColumnLook { mean, centre, weights, sampling, squares: false }))
    }

    /// Sums over each stratum of the squares of centred covariates, and of centred outcomes if these are asked for.
    fn squares(&self, raw: &dyn Raw, outcomes: bool) -> Result<Vec<ColumnSums>> {
        let mean = if outcomes { self.mean.clone() } else { vec![Vec::new(); self.mean.len()] };
        let centre = self.centre.clone();
        let sampling = self.weight_columns.0;
        ask(raw, &Look::Columns(ColumnLook { mean, centre, weights: 0, sampling, squares: true }))
    }
}

/// Writes down the way back from standardised covariates.
fn record(change: &Change, info: &mut DesignInfo) {
    let k = info.k();
    for (j, (mean, sd)) in change.standard.iter().enumerate() {
        info.transform[j + 1] = *mean;
        info.transform[(j + 1) * k + j + 1] = *sd;
    }
}

/// Correlation structure of the first tile of each reference stratum decides whether, and how, covariates are
/// decorrelated; of all strata if these have few rows.
fn decorrelate(
    change: &mut Change,
    raw: &dyn Raw,
    known: &KnownColumns,
    info: &mut DesignInfo,
) -> Result<()> {
    const ROWS_PER_COLUMN: usize = 10;
    // Of the variance that they should have. Rounding leaves far less, or the raw columns count as singular.
    const LEFT: f64 = 0.25;
    let tolerance = match known.conditioning.precision() {
        Precision::F64 => CORRELATED,
        Precision::F32 => CORRELATED_SINGLE,
    };
    let (k, kx) = (info.k(), change.kx);
    let rows: usize = known.rows[known.reference.clone()].iter().sum();
    let enough = rows >= ROWS_PER_COLUMN * k;
    let strata = if enough { known.reference.clone() } else { 0..known.rows.len() };
    let slopes = correlations(raw, strata.clone(), change, None)?;
    let Some(factor) = Spd::new(&slopes, kx) else { return Ok(()) };
    let rcond = reciprocal_condition(&slopes, &factor.inverse(), kx);
    if rcond > tolerance {
        return Ok(());
    }
    let Some(lower) = cholesky(&slopes, kx) else { return Ok(()) };
    let pivot = |j: usize| lower[j * kx + j].powi(2) / slopes[j * kx + j];
    if known.drops_collinear && (0..kx).any(|j| pivot(j) <= COLLINEAR) {
        return Ok(());
    }
    if rcond < INSEPARABLE {
        // Of covariates that depend on each other rounding is left, and not what their products say.
        let left = correlations(raw, strata, change, Some(lower.clone()))?;
        if !(0..kx).all(|j| left[j * kx + j] >= LEFT) {
            return Ok(());
        }
    }
    // z = v l', so v solves a triangular system row by row, and the way back gains a factor l'.
    let old = info.transform.clone();
    for i in 0..kx {
        for j in 0..kx {
            info.transform[(i + 1) * k + j + 1] =
                (0..kx).map(|m| lower[m * kx + i] * old[(m + 1) * k + j + 1]).sum();
        }
    }
    change.lower = Some(lower);
    Ok(())
}

/// Mean products of the covariates (of version 0) in the first tile of some strata, standardised and then decorrelated.
fn correlations(
    raw: &dyn Raw,
    strata: Range<usize>,
    change: &Change,
    lower: Option<Vec<f64>>,
) -> Result<Vec<f64>> {
    let (k, kx) = (change.kx + 1, change.kx);
    let sampling = change.weight_columns.0;
    let look = ProductLook { strata, standard: change.standard.clone(), lower, sampling };
    let mut sum = Gram::zero(k, 0);
    for gram in ask::<Gram>(raw, &Look::Products(look))? {
        sum.merge(&gram)?;
    }
    let mean = |e: usize| sum.zz[(e / kx + 1) * k + e % kx + 1] / sum.zz[0];
    Ok((0..kx * kx).map(mean).collect())
}

fn cholesky(a: &[f64], k: usize) -> Option<Vec<f64>> {
    let a = faer::MatRef::from_row_major_slice(a, k, k);
    let factor = a.llt(faer::Side::Lower).ok()?;
    Some(row_major(factor.L()))
}

/// `(1/n) Σ ω` of each cohort, whose weights are multiplied by `factor`.
pub(super) fn shares(
    raw: &dyn Raw,
    known: &KnownColumns,
    sample: &Sample,
    factor: f64,
) -> Result<Vec<f64>> {
    let totals: Vec<f64> = match sample.omega {
        Weight::Column(column) => ask(raw, &Look::Weights(WeightLook { column, factor }))?,
        Weight::Ones | Weight::Product(..) => known.rows.iter().map(|rows| *rows as f64).collect(),
    };
    let share = |cohort: usize| {
        let strata = sample.strata.of_cohorts(&(cohort..cohort + 1));
        totals[strata].iter().sum::<f64>() / sample.n as f64
    };
    Ok((0..sample.cohorts.len()).map(share).collect())
}

#[cfg(test)]
mod tests;
