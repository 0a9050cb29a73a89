//! Calibrated propensity scores (inverse probability tilting): the odds `e^(z'γ)` with which comparison rows reproduce the
//! treated rows' covariate totals, `Σ_C w e^(z'γ) z = Σ_T w z` (Graham, Pinto and Egel 2012; Sant'Anna and Zhao 2020,
//! section 3.1).
//!
//! `γ` minimises the convex `Σ_C w e^(z'γ) - γ'Σ_T w z`. The cross-products of comparison rows weighted by their odds hold its
//! value, gradient and Hessian, so that every step is one pass of [`GramPass`].

use std::collections::BTreeMap;

use super::algebra::Algebra;
use super::answers::{self, incomplete};
use super::sides::StratumRows;
use crate::base::error::{DidError, Result};
use crate::base::options::Precision;
use crate::base::solve::{add_scaled, dot};
use crate::engine::pass::{Gram, GramJob, GramPass, UNTRIMMED};
use crate::engine::source::Source;

/// Passes after which there is taken to be no solution.
const MAX_PASSES: usize = 200;

/// Step halvings within one step.
const MAX_HALVINGS: usize = 40;

/// Part of the predicted decrease that a step must achieve.
const SUFFICIENT: f64 = 1e-4;

/// A score to calibrate.
pub(super) struct CalibrationTarget<'a> {
    /// Maximum-likelihood coefficients, where the iteration starts.
    pub start: &'a [f64],
    /// `Σ_T w z`.
    pub total: Vec<f64>,
    pub controls: Vec<Control>,
}

/// Comparison rows of a side of a cell.
pub(super) struct Control {
    /// Position of the side.
    pub side: usize,
    pub rows: StratumRows,
    /// Outcome columns whose cross-products are wanted.
    pub outcomes: Vec<usize>,
}

/// A calibrated score.
#[derive(Clone, Debug)]
pub(super) struct Calibration {
    pub gamma: Vec<f64>,
    /// Cross-products of the comparison rows of each side weighted by the odds, untrimmed.
    grams: Vec<((usize, StratumRows), Gram)>,
    /// Whether `γ` solves the equations; if not, it is the maximum-likelihood one.
    pub solved: bool,
}

impl Calibration {
    /// Cross-products of a side's comparison rows weighted by the odds, untrimmed.
    ///
    /// # Errors
    /// [`DidError::Engine`](crate::DidError::Engine) if they are not of the cell.
    pub fn gram(&self, side: usize, rows: &StratumRows) -> Result<&Gram> {
        let calibrated = self.grams.iter().find(|(key, _)| *key == (side, *rows));
        calibrated.map(|(_, gram)| gram).ok_or_else(|| {
            incomplete(format!("no calibrated odds of stratum {} in side {side}", rows.stratum))
        })
    }
}

/// Calibrates all scores at once.
///
/// # Errors
/// What the source reports, and [`DidError::Engine`](crate::DidError::Engine) if it does not answer every job.
pub(super) fn calibrate(
    source: &dyn Source,
    algebra: &Algebra<'_>,
    targets: &[CalibrationTarget<'_>],
) -> Result<Vec<Calibration>> {
    let tolerance = Tolerance::new(source.precision());
    let columns = source.sample().outcome_columns();
    let mut states: Vec<CalibrationState> = targets.iter().map(CalibrationState::new).collect();
    for _ in 0..MAX_PASSES {
        let open: Vec<usize> = (0..states.len()).filter(|s| states[*s].open).collect();
        if open.is_empty() {
            break;
        }
        let mut asked: Vec<((usize, usize), GramJob)> = Vec::new();
        for s in &open {
            for (at, control) in targets[*s].controls.iter().enumerate() {
                asked.push(((*s, at), states[*s].job(control)));
            }
        }
        asked.sort_by_key(|(_, job)| job.stratum);
        let (places, jobs): (Vec<_>, Vec<_>) = asked.into_iter().unzip();
        let pass = GramPass { k: algebra.k(), periods: columns, trim: UNTRIMMED, jobs };
        let answers = answers::grams(places, source.run(&pass)?, algebra.k(), columns)?;
        let mut answers: BTreeMap<(usize, usize), Gram> = answers.into_iter().collect();
        for s in open {
            let gram = |at| answers.remove(&(s, at)).ok_or_else(|| lost(&targets[s].controls[at]));
            let grams = (0..targets[s].controls.len()).map(gram).collect::<Result<_>>()?;
            states[s].advance(grams, &targets[s], algebra, &tolerance);
        }
    }
    Ok(states.into_iter().zip(targets).map(|(state, target)| state.finish(target)).collect())
}

fn lost(control: &Control) -> DidError {
    incomplete(format!("no answer for the odds of stratum {}", control.rows.stratum))
}

/// When an iteration has arrived, and how exactly its value is known; relative to the totals.
struct Tolerance {
    gradient: f64,
    rounding: f64,
}

impl Tolerance {
    fn new(precision: Precision) -> Self {
        match precision {
            Precision::F64 => Self { gradient: 1e-12, rounding: 8.0 * f64::EPSILON },
            Precision::F32 => Self { gradient: 1e-5, rounding: 1e-6 },
        }
    }
}

/// Newton's iteration of one score with backtracking.
struct CalibrationState {
    open: bool,
    solved: bool,
    gamma: Vec<f64>,
    step: Vec<f64>,
    /// Value where the step started, and slope along it.
    from: Option<(f64, f64)>,
    halvings: usize,
    /// At the latest accepted coefficients.
    grams: Vec<Gram>,
    /// The start and its cross-products.
    likelihood: (Vec<f64>, Vec<Gram>),
}

impl CalibrationState {
    fn new(target: &CalibrationTarget<'_>) -> Self {
        Self {
            open: true,
            solved: false,
            gamma: target.start.to_vec(),
            step: Vec::new(),
            from: None,
            halvings: 0,
            grams: Vec::new(),
            likelihood: (target.start.to_vec(), Vec::new()),
        }
    }

    /// The cross-products of some rows at the present coefficients.
    fn job(&self, control: &Control) -> GramJob {
        let StratumRows { stratum, x, w, .. } = control.rows;
        let (odds, outcomes) = (Some(self.gamma.clone()), control.outcomes.clone());
        GramJob { stratum, x, w, odds, outcomes }
    }

    /// A step, with the cross-products of the target's controls at the present coefficients.
    fn advance(
        &mut self,
        grams: Vec<Gram>,
        target: &CalibrationTarget<'_>,
        algebra: &Algebra<'_>,
        tolerance: &Tolerance,
    ) {
        let mut zz = vec![0.0; algebra.k() * algebra.k()];
        for gram in &grams {
            add_scaled(&mut zz, 1.0, &gram.zz);
        }
        if self.likelihood.1.is_empty() {
            self.likelihood.1.clone_from(&grams);
        }
        let value = zz[0] - dot(&target.total, &self.gamma);
        let noise = tolerance.rounding * (zz[0] + value.abs());
        let too_long = self.from.is_some_and(|(from, slope)| {
            !value.is_finite() || value > from + SUFFICIENT * slope + noise
        });
        if too_long && self.halvings < MAX_HALVINGS {
            self.halvings += 1;
            self.from = self.from.map(|(from, slope)| (from, slope / 2.0));
            for (g, s) in self.gamma.iter_mut().zip(&mut self.step) {
                *s /= 2.0;
                *g -= *s;
            }
            return;
        }
        self.halvings = 0;
        let gradient: Vec<f64> =
            zz[..algebra.k()].iter().zip(&target.total).map(|(odds, total)| odds - total).collect();
        self.grams = grams;
        let largest = |v: &[f64]| algebra.design(v).iter().fold(0.0f64, |m, v| m.max(v.abs()));
        // Totals of covariates may all be near zero, that of the weights, `total[0]`, is not.
        if largest(&gradient) <= tolerance.gradient * largest(&target.total).max(target.total[0]) {
            (self.open, self.solved) = (false, true);
            return;
        }
        let minus: Vec<f64> = gradient.iter().map(|g| -g).collect();
        let Ok(step) = algebra.solve_information(&zz, &minus) else {
            self.open = false;
            return;
        };
        let slope = dot(&gradient, &step);
        self.gamma.iter_mut().zip(&step).for_each(|(g, s)| *g += s);
        (self.from, self.step) = (Some((value, slope)), step);
    }

    fn finish(self, target: &CalibrationTarget<'_>) -> Calibration {
        let (gamma, grams) = if self.solved { (self.gamma, self.grams) } else { self.likelihood };
        let keys = target.controls.iter().map(|control| (control.side, control.rows));
        Calibration { gamma, grams: keys.zip(grams).collect(), solved: self.solved }
    }
}

#[cfg(test)]
mod tests;
