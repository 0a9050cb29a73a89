//! Maximum likelihood of all open propensity models at once: one pass over the data an iteration, k × k steps here.

use std::collections::HashMap;

use super::OVERLAP;
use super::algebra::{Algebra, parts};
use super::plan::Side;
use crate::error::Result;
use crate::estimates::CellStatus;
use crate::kernel::MAX_PROPENSITY;
use crate::options::Precision;
use crate::pass::{LogitJob, LogitPass, LogitStat, Weight};
use crate::solve::dot;
use crate::source::Source;

/// Passes after which a model counts as not converged.
const MAX_PASSES: usize = 50;

/// Step halvings within one step.
const MAX_HALVINGS: usize = 20;

/// Iterations after which a propensity score at its upper end is separation rather than an overshoot.
const SEPARATED_AFTER: usize = 8;

/// Fitted propensity score.
#[derive(Clone, Debug)]
pub(super) struct Fit {
    /// Coefficients, `[k]`.
    pub gamma: Vec<f64>,
    /// Information, `[k, k]`.
    pub hessian: Vec<f64>,
    pub converged: bool,
    /// Why there is no usable score.
    pub failure: Option<CellStatus>,
}

/// Distinct models of a plan.
#[derive(Default)]
pub(super) struct Models {
    jobs: Vec<LogitJob>,
    totals: Vec<Totals>,
    known: HashMap<Vec<(usize, usize, Weight, bool)>, usize>,
}

/// `Σ w` of the treated and of all rows, where the iteration starts and what its score is measured against.
#[derive(Clone, Copy)]
struct Totals {
    treated: f64,
    all: f64,
}

impl Models {
    /// Index of the model of these rows, weighted or not.
    pub fn register(&mut self, sides: &[Side], weighted: bool, treated: f64, all: f64) -> usize {
        let term = |p: &super::plan::Part| if weighted { p.w } else { p.unit };
        let key: Vec<_> = parts(sides).map(|(p, d)| (p.stratum, p.x, term(p), d)).collect();
        if let Some(model) = self.known.get(&key) {
            return *model;
        }
        let model = self.totals.len();
        self.jobs.extend(key.iter().map(|(stratum, x, w, treated)| LogitJob {
            model,
            stratum: *stratum,
            x: *x,
            w: *w,
            treated: *treated,
        }));
        self.totals.push(Totals { treated, all });
        self.known.insert(key, model);
        model
    }

    /// Fits every model.
    pub fn fit<S: Source>(self, source: &S, algebra: &Algebra<'_>) -> Result<Vec<Fit>> {
        let tolerance = Tolerance::new(source.precision());
        let mut states: Vec<State> = self
            .totals
            .iter()
            .map(|t| State::new(*t, algebra, source.sample().design.intercept))
            .collect();
        let mut pass = LogitPass { k: algebra.k(), jobs: self.jobs, gamma: Vec::new() };
        for iteration in 0..MAX_PASSES {
            pass.gamma = states.iter().map(State::request).collect();
            if pass.gamma.iter().all(Vec::is_empty) {
                break;
            }
            for (state, stat) in states.iter_mut().zip(source.run(&pass)?) {
                if state.open {
                    state.advance(stat, algebra, &tolerance, iteration);
                }
            }
        }
        Ok(states.into_iter().map(State::finish).collect())
    }
}

/// When an iteration has arrived, in standardised coordinates.
struct Tolerance {
    /// Score relative to `Σ w`.
    score: f64,
    /// Largest change of a coefficient.
    step: f64,
}

impl Tolerance {
    fn new(precision: Precision) -> Self {
        match precision {
            Precision::F64 => Self { score: 1e-11, step: 1e-9 },
            Precision::F32 => Self { score: 1e-5, step: 1e-4 },
        }
    }
}

/// Newton's iteration of one model. The log-likelihood is concave, so a step is too long exactly if the slope along it
/// has turned against it by more than it started with.
struct State {
    open: bool,
    totals: Totals,
    gamma: Vec<f64>,
    step: Vec<f64>,
    slope: f64,
    halvings: usize,
    hessian: Vec<f64>,
    max_p: f64,
    converged: bool,
    singular: bool,
}

impl State {
    fn new(totals: Totals, algebra: &Algebra<'_>, intercept: bool) -> Self {
        let mut gamma = algebra.zeros();
        if intercept {
            gamma[0] = (totals.treated / (totals.all - totals.treated)).ln();
        }
        Self {
            open: gamma[0].is_finite(),
            singular: !gamma[0].is_finite(),
            totals,
            step: Vec::new(),
            slope: 0.0,
            halvings: 0,
            hessian: Vec::new(),
            max_p: 0.0,
            converged: false,
            gamma,
        }
    }

    fn request(&self) -> Vec<f64> {
        if self.open { self.gamma.clone() } else { Vec::new() }
    }

    fn advance(
        &mut self,
        stat: LogitStat,
        algebra: &Algebra<'_>,
        tolerance: &Tolerance,
        iteration: usize,
    ) {
        let overshot = !self.step.is_empty() && dot(&stat.score, &self.step) < -self.slope;
        if overshot && self.halvings < MAX_HALVINGS {
            self.halvings += 1;
            self.slope /= 2.0;
            for (g, s) in self.gamma.iter_mut().zip(&mut self.step) {
                *s /= 2.0;
                *g -= *s;
            }
            return;
        }
        self.halvings = 0;
        self.max_p = stat.max_p;
        if self.max_p >= MAX_PROPENSITY && iteration >= SEPARATED_AFTER {
            self.open = false;
            return;
        }
        let Ok(step) = algebra.solve_information(&stat.hessian, &stat.score) else {
            (self.open, self.singular) = (false, true);
            return;
        };
        self.slope = dot(&stat.score, &step);
        self.hessian = stat.hessian;
        let largest = |v: &[f64]| v.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let arrived = largest(&step) <= tolerance.step
            && largest(&stat.score) <= tolerance.score * self.totals.all;
        for (g, s) in self.gamma.iter_mut().zip(&step) {
            *g += s;
        }
        self.step = step;
        (self.open, self.converged) = (!arrived, arrived);
    }

    fn finish(self) -> Fit {
        let failure = if self.max_p >= OVERLAP {
            Some(CellStatus::Overlap { max_propensity: self.max_p })
        } else if self.singular {
            Some(CellStatus::SingularInformation)
        } else {
            None
        };
        Fit { gamma: self.gamma, hessian: self.hessian, converged: self.converged, failure }
    }
}
