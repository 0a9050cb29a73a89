//! Calibrated propensity scores (inverse probability tilting): the odds `e^(z'γ)` with which comparison rows reproduce the
//! treated rows' covariate totals, `Σ_C w e^(z'γ) z = Σ_T w z` (Graham, Pinto and Egel 2012; Sant'Anna and Zhao 2020,
//! section 3.1).
//!
//! `γ` minimises the convex `Σ_C w e^(z'γ) - γ'Σ_T w z`. The cross-products of comparison rows weighted by their odds hold its
//! value, gradient and Hessian, so that every step is one pass of [`GramPass`].

use super::algebra::Algebra;
use super::plan::Part;
use crate::error::Result;
use crate::options::Precision;
use crate::pass::{Gram, GramJob, GramPass, UNTRIMMED};
use crate::solve::dot;
use crate::source::Source;

/// Passes after which there is taken to be no solution.
const MAX_PASSES: usize = 200;

/// Step halvings within one step.
const MAX_HALVINGS: usize = 40;

/// Part of the predicted decrease that a step must achieve.
const SUFFICIENT: f64 = 1e-4;

/// A score to calibrate.
pub(super) struct Target<'a> {
    /// Maximum-likelihood coefficients, where the iteration starts.
    pub start: &'a [f64],
    /// `Σ_T w z`.
    pub total: Vec<f64>,
    /// Comparison rows, with the outcome columns whose cross-products are wanted.
    pub controls: Vec<(Part, Vec<usize>)>,
}

/// A calibrated score.
#[derive(Clone, Debug)]
pub(super) struct Calibration {
    pub gamma: Vec<f64>,
    /// Cross-products of the comparison parts weighted by the odds, untrimmed.
    pub grams: Vec<Gram>,
    /// Whether `γ` solves the equations; if not, it is the maximum-likelihood one.
    pub solved: bool,
}

/// Calibrates all scores at once.
pub(super) fn calibrate<S: Source>(
    source: &S,
    algebra: &Algebra<'_>,
    targets: &[Target<'_>],
) -> Result<Vec<Calibration>> {
    let tolerance = Tolerance::new(source.precision());
    let mut states: Vec<State> = targets.iter().map(State::new).collect();
    for _ in 0..MAX_PASSES {
        let open: Vec<usize> = (0..states.len()).filter(|s| states[*s].open).collect();
        if open.is_empty() {
            break;
        }
        let mut parts: Vec<((usize, usize), GramJob)> = Vec::new();
        for s in &open {
            for (at, (part, outcomes)) in targets[*s].controls.iter().enumerate() {
                let odds = Some(states[*s].gamma.clone());
                let Part { stratum, x, w, .. } = *part;
                let outcomes = outcomes.clone();
                parts.push(((*s, at), GramJob { stratum, x, w, odds, outcomes }));
            }
        }
        parts.sort_by_key(|(_, job)| job.stratum);
        let (places, jobs): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        let pass =
            GramPass { k: algebra.k(), periods: source.outcome_columns(), trim: UNTRIMMED, jobs };
        let sums = source.run(&pass)?;
        let mut grams: Vec<Vec<Gram>> = targets
            .iter()
            .map(|t| vec![Gram::zero(algebra.k(), pass.periods); t.controls.len()])
            .collect();
        for ((s, at), gram) in places.into_iter().zip(sums) {
            grams[s][at] = gram;
        }
        for s in open {
            let grams = std::mem::take(&mut grams[s]);
            states[s].advance(grams, &targets[s], algebra, &tolerance);
        }
    }
    Ok(states.into_iter().map(State::finish).collect())
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
struct State {
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

impl State {
    fn new(target: &Target<'_>) -> Self {
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

    fn advance(
        &mut self,
        grams: Vec<Gram>,
        target: &Target<'_>,
        algebra: &Algebra<'_>,
        tolerance: &Tolerance,
    ) {
        let mut zz = vec![0.0; algebra.k() * algebra.k()];
        for gram in &grams {
            crate::pass::add(&mut zz, &gram.zz);
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
        // The first total is that of the weights.
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

    fn finish(self) -> Calibration {
        let (gamma, grams) = if self.solved { (self.gamma, self.grams) } else { self.likelihood };
        Calibration { gamma, grams, solved: self.solved }
    }
}
