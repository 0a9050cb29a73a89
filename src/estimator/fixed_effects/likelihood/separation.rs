//! Rows that a regression fits at the bound of its mean, whatever the other rows say: by a [`combination`] of regressors and indicators in
//! small samples, in large ones by the iterative rectifier of Correia, Guimarães and Zylkin (2019, section 3.2), and by what the
//! regression's own steps show where that comes to no end.

use super::super::collinear::Basis;
use super::super::least_squares::least_squares;
use super::super::linear::{CONSTANT, CentredRegressors};
use super::super::problem::project;
use super::super::regressed::{is_iterated, weigh};
use super::super::sample::RegressionSample;
use super::super::sums;
use super::cone::{combination, is_small};
use super::iterate::LastStep;
use super::model::Model;
use super::step::{Iterated, weighted};
use crate::base::error::Result;
use crate::engine::demean::{DemeanOptions, Demeaner, Solver};

/// A fitted value this near to zero is zero.
const TOLERANCE: f64 = 1e-4;

const ITERATIONS: usize = 500;

/// Rows that have a maximum may move by this share of the separated rows' largest fit, and no more: regressors far from zero, such as years,
/// are nearly indicators, and rows that these nearly separate have a mean of their own, however small.
const STILL: f64 = 1e-6;

/// Further iterations in which rows may come to a standstill.
const PATIENCE: usize = 20;

/// A regressor whose part in a direction of separation is smaller than this share of the largest has none.
const NO_PART: f64 = 1e-3;

/// As [`Model::SUSPECT`], for LSMR.
const NEAR: f64 = 1e-4;

/// As [`NEAR`], in tolerances of the projection: a solver need not move rows that have so little of the deviance, or of its root.
const TOLERATED: f64 = 10.0;

/// Rows that are separated, and the regressors by which they are.
pub(in super::super) struct Separation {
    /// Positions in the sample.
    pub rows: Vec<usize>,
    /// Names of the regressors; none if fixed effects alone separate.
    pub columns: Vec<String>,
    /// Whether all rows of the sample are separated.
    pub is_complete: bool,
}

/// Why rows may be separated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Suspicion {
    /// The last step moved a row without a maximum of its own: it would move on for ever. None does where the iteration has come to an end
    /// of its own, and then none is separated.
    Moving,
    /// Means are so near to their bound that an iterated projection, which leaves a part of the normal equations, need not move their rows.
    Near,
}

/// Whether rows may be separated: only then is it worth while to look for them. Rows of little weight do not keep the regression from its
/// end. `deviance` is that of the regression.
pub(super) fn suspicion<M: Model>(
    model: &M,
    sample: &RegressionSample,
    mu: &[f64],
    last: &LastStep,
    (options, deviance): (&DemeanOptions, f64),
) -> Option<Suspicion> {
    let is_lsmr = options.solver == Solver::Lsmr;
    let moves = |(y, fall): (&f64, f64)| model.side(*y) * fall > M::MOVE;
    if !is_lsmr && sample.outcome.iter().zip(last.falls()).any(moves) {
        return Some(Suspicion::Moving);
    }
    let mean = sample.outcome.iter().sum::<f64>() / mu.len() as f64;
    // LSMR ends by the normal equations beside the norms of residuals and levels, the others by those beside the residuals.
    let (part, noticed) = match is_lsmr {
        true => (NEAR, deviance),
        false => (M::SUSPECT, deviance.sqrt()),
    };
    let near = (part * model.unit(mean)).max(TOLERATED * options.tolerance * noticed);
    let is_near = |(y, mu): (&f64, &f64)| model.side(*y) != 0.0 && (y - mu).abs() < near;
    sample.outcome.iter().zip(mu).any(is_near).then_some(Suspicion::Near)
}

/// The separated rows; `None` if they could not be found out. `last` is what the regression's own last step shows.
pub(super) fn separated<M: Model>(
    model: &M,
    iterated: Iterated<'_>,
    last: &LastStep,
) -> Result<Option<Separation>> {
    let Iterated { sample, regressors, .. } = iterated;
    let sides: Vec<f64> = sample.outcome.iter().map(|y| model.side(*y)).collect();
    if let Some(found) = parted(sample, regressors, &sides, last.eta()) {
        return Ok(Some(found));
    }
    let search = Search { iterated, sides: &sides };
    if let Some(found) = search.combined()? {
        return Ok(Some(found));
    }
    if let Some(found) = search.rectified()? {
        return Ok(Some(found));
    }
    let falls: Vec<f64> = last.falls().collect();
    search.moving(&falls, M::MOVE)
}

/// All rows, if the linear predictor puts every outcome on its own side of zero.
fn parted(
    sample: &RegressionSample,
    regressors: &CentredRegressors,
    sides: &[f64],
    eta: &[f64],
) -> Option<Separation> {
    let both = [1.0, -1.0].iter().all(|side| sides.contains(side));
    if !both || eta.is_empty() || sides.iter().zip(eta).any(|(side, eta)| side * eta >= 0.0) {
        return None;
    }
    let alone = |values: &&Vec<f64>| {
        let of = |side: f64| {
            let of_side =
                values.iter().zip(sides).filter(move |(_, s)| **s == side).map(|(v, _)| *v);
            of_side.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
                (low.min(v), high.max(v))
            })
        };
        let ((zeros_low, zeros_high), (ones_low, ones_high)) = (of(1.0), of(-1.0));
        zeros_high < ones_low || ones_high < zeros_low
    };
    let named = || regressors.names.iter().zip(&regressors.values);
    let mut columns: Vec<String> =
        named().filter(|(_, values)| alone(values)).map(|(name, _)| name.clone()).collect();
    if columns.is_empty() {
        columns = named().map(|(name, _)| name.clone()).filter(|name| name != CONSTANT).collect();
    }
    let rows = (0..sample.outcome.len()).collect();
    Some(Separation { rows, columns, is_complete: true })
}

/// Where separated rows are looked for: those with a `side` have a maximum nowhere.
struct Search<'a> {
    iterated: Iterated<'a>,
    sides: &'a [f64],
}

impl Search<'_> {
    /// Of a small sample, the rows that some combination of regressors and fixed effects moves towards their own side, where it moves no
    /// other; `None` of a large one.
    fn combined(&self) -> Result<Option<Separation>> {
        let Self { iterated: Iterated { sample, regressors, .. }, sides } = *self;
        let levels: usize = sample.factors.iter().map(|factor| factor.levels).sum();
        if !is_small(sides.len(), levels + regressors.names.len()) {
            return Ok(None);
        }
        let equal = vec![1.0; sides.len()];
        let Some(fit) = Fit::new(self.iterated, &equal) else { return Ok(None) };
        let mut columns = Vec::new();
        for factor in &sample.factors {
            let is_at =
                |level: usize| move |code: &u32| f64::from(u8::from(*code as usize == level));
            let indicator = |level: usize| factor.codes.iter().map(is_at(level)).collect();
            columns.extend((0..factor.levels).map(indicator));
        }
        columns.extend(fit.basis.kept.iter().map(|j| regressors.values[*j].clone()));
        let Some(moves) = combination(columns, sides) else { return Ok(None) };
        let rows: Vec<usize> = (0..moves.len()).filter(|row| moves[*row] != 0.0).collect();
        let fitted = fit.of(&moves)?;
        Ok(fitted.map(|(_, b)| fit.separation(regressors, rows, &b)))
    }

    /// Rows without a side have weights that force the fit of zero there. Of the others, what a combination of regressors and fixed effects
    /// fits that nowhere is on the wrong side of zero is separated.
    fn rectified(&self) -> Result<Option<Separation>> {
        let Self { iterated: Iterated { regressors, .. }, sides } = *self;
        let inner = sides.iter().filter(|side| **side == 0.0).count();
        let heavy = inner as f64 / TOLERANCE.powi(2);
        let weights: Vec<f64> = sides.iter().map(|s| if *s == 0.0 { heavy } else { 1.0 }).collect();
        // Distances to the own side.
        let mut u: Vec<f64> = sides.iter().map(|side| side.abs()).collect();
        let Some(fit) = Fit::new(self.iterated, &weights) else { return Ok(None) };
        let mut patience = PATIENCE;
        for _ in 0..ITERATIONS {
            let directed: Vec<f64> = u.iter().zip(sides).map(|(u, side)| u * side).collect();
            let Some((mut fitted, b)) = fit.of(&directed)? else { return Ok(None) };
            let moved = largest(
                fitted.iter().zip(sides).filter(|(_, side)| **side == 0.0).map(|(f, _)| *f),
            );
            sums::update(&mut fitted, |row, fitted| {
                let fitted = fitted * sides[row];
                let zero = sides[row] == 0.0 || (fitted > -0.1 * TOLERANCE && fitted < TOLERANCE);
                if zero { 0.0 } else { fitted }
            });
            if fitted.iter().all(|fitted| *fitted >= 0.0) {
                if moved > STILL * largest(fitted.iter().copied()) {
                    if patience == 0 {
                        return Ok(None);
                    }
                    patience -= 1;
                    u = fitted;
                    continue;
                }
                let separated = (0..).zip(&fitted).filter(|(_, fitted)| **fitted > 0.0);
                let rows = separated.map(|(row, _)| row).collect();
                return Ok(Some(fit.separation(regressors, rows, &b)));
            }
            sums::update(&mut u, |row, _| fitted[row].max(0.0));
        }
        Ok(None)
    }

    /// Once all else has converged, a step of Newton's moves the linear predictor of separated rows by a combination of regressors and fixed
    /// effects that is zero in all other rows: which they are if it is.
    fn moving(&self, falls: &[f64], least: f64) -> Result<Option<Separation>> {
        let Self { iterated: Iterated { regressors, .. }, sides } = *self;
        let moves = |(row, fall): &(usize, &f64)| sides[*row] * **fall > least;
        let separated: Vec<usize> = (0..).zip(falls).filter(moves).map(|(row, _)| row).collect();
        let mut u = vec![0.0; sides.len()];
        for row in &separated {
            u[*row] = falls[*row];
        }
        let equal = vec![1.0; u.len()];
        let Some(fit) = Fit::new(self.iterated, &equal) else { return Ok(None) };
        let Some((fitted, b)) = fit.of(&u)? else { return Ok(None) };
        let certain = |(fitted, u): (&f64, &f64)| (fitted - u).abs() < TOLERANCE;
        let is_certain = !separated.is_empty() && fitted.iter().zip(&u).all(certain);
        Ok(is_certain.then(|| fit.separation(regressors, separated, &b)))
    }
}

/// The largest absolute value.
fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |largest: f64, value| largest.max(value.abs()))
}

/// Weighted least squares on the regressors and fixed effects.
struct Fit<'a> {
    weights: &'a [f64],
    demeaner: Option<Demeaner<'a>>,
    basis: Basis,
}

impl<'a> Fit<'a> {
    /// `None` if fixed effects cannot be projected out.
    fn new(iterated: Iterated<'a>, weights: &'a [f64]) -> Option<Self> {
        let Iterated { sample, regressors, place } = iterated;
        let demeaner = place.demeaner(sample, Some(weights)).ok()?;
        let named = regressors.names.iter().zip(&regressors.values);
        let columns: Vec<(&str, &[f64])> =
            named.map(|(name, values)| (name.as_str(), &values[..])).collect();
        let mut projected = project(demeaner.as_ref(), &columns, None).ok()?;
        weigh(&mut projected.residuals, Some(weights));
        let iterated = is_iterated(projected.solved.as_ref());
        let before = weighted(regressors, weights);
        let basis = Basis::find(projected.residuals, &before, place.options.tolerance, iterated);
        Some(Self { weights, demeaner, basis })
    }

    /// What it fits to `u`, and the coefficients; `None` if fixed effects cannot be projected out.
    fn of(&self, u: &[f64]) -> Result<Option<(Vec<f64>, Vec<f64>)>> {
        let columns = [("outcome", u)];
        let Ok(mut projected) = project(self.demeaner.as_ref(), &columns, None) else {
            return Ok(None);
        };
        weigh(&mut projected.residuals, Some(self.weights));
        let fit = least_squares(&projected.residuals[0], &self.basis)?;
        let mut fitted = u.to_vec();
        sums::update(&mut fitted, |row, u| u - fit.residuals[row] / self.weights[row].sqrt());
        Ok(Some((fitted, fit.b)))
    }

    /// Rows that the combination of the regressors with coefficients `b` separates.
    fn separation(
        &self,
        regressors: &CentredRegressors,
        rows: Vec<usize>,
        b: &[f64],
    ) -> Separation {
        let size = |(j, b): (&usize, &f64)| b.abs() * regressors.before[*j].centred.sqrt();
        let slopes = || {
            let by_column = self.basis.kept.iter().zip(b);
            by_column.filter(|(j, _)| regressors.names[**j] != CONSTANT)
        };
        let largest = slopes().map(size).fold(0.0, f64::max);
        let takes_part = |part: &(&usize, &f64)| size(*part) > (NO_PART * largest).max(TOLERANCE);
        let columns = slopes().filter(takes_part).map(|(j, _)| regressors.names[*j].clone());
        let is_complete = rows.len() == self.weights.len();
        Separation { columns: columns.collect(), is_complete, rows }
    }
}
