//! Maximum likelihood of all open propensity models at once: one pass over the data an iteration, k × k steps here.

use std::collections::HashMap;

use super::algebra::Algebra;
use super::answers;
use super::method::{OVERLAP, Recipe};
use super::sides::{PlannedCell, StratumRows};
use crate::base::error::Result;
use crate::base::options::Precision;
use crate::base::solve::dot;
use crate::engine::pass::{LogitJob, LogitPass, LogitStat, Stat, Weight};
use crate::engine::source::Source;
use crate::result::estimates::CellStatus;

/// Passes after which a model counts as not converged.
const MAX_PASSES: usize = 50;

/// Step halvings within one step.
const MAX_HALVINGS: usize = 20;

/// A propensity score of at least this after [`SEPARATED_AFTER`] iterations is separation rather than an overshoot.
const SEPARATED: f64 = 1.0 - 1e-6;
const SEPARATED_AFTER: usize = 8;

/// Part of the step before that one towards a limit at infinity has at least; near a maximum steps shrink quadratically.
const UNABATED: f64 = 0.5;

/// Information that other rows have at such a limit, in units of the largest score.
const OTHERS: f64 = 1e3;

/// Large models are first fitted to one in so many rows.
const THINNING: usize = 8;

/// Rows that a thinned model must have in its smaller arm, per coefficient.
const ROWS_PER_COLUMN: usize = 20;

/// Largest step at which a thinned model is left: about its sampling error.
const ROUGH: f64 = 0.02;

/// Fitted propensity score.
#[derive(Clone, Debug)]
pub(super) struct LogitFit {
    /// Coefficients, `[k]`.
    pub gamma: Vec<f64>,
    /// Information, `[k, k]`.
    pub hessian: Vec<f64>,
    pub converged: bool,
    /// Largest score of the treated rows with weight, and of the comparison rows.
    pub largest: [f64; 2],
    /// Why there is no score.
    pub failure: Option<CellStatus>,
}

/// Distinct models of a plan.
#[derive(Default)]
pub(super) struct Models {
    /// Jobs with the model that each belongs to.
    jobs: Vec<(usize, LogitJob)>,
    totals: Vec<ArmTotals>,
    /// Whether the model decides on overlap for some cell: it then fails at a score near one.
    guards: Vec<bool>,
    known: HashMap<Vec<(usize, usize, Weight, bool)>, usize>,
}

/// `Σ w` of the treated and of all rows, where the iteration starts and what its score is measured against.
#[derive(Clone, Copy)]
struct ArmTotals {
    treated: f64,
    all: f64,
    /// Number of rows of the smaller arm.
    rows: usize,
}

impl Models {
    /// Index of the model of a cell's rows: the weighted one that its estimate uses, or the unweighted one that decides on overlap.
    pub fn register(
        &mut self,
        cell: &PlannedCell,
        weighted: bool,
        treated: f64,
        all: f64,
    ) -> usize {
        let weight = |rows: &StratumRows| if weighted { rows.w } else { rows.presence };
        let key: Vec<_> =
            cell.rows().map(|(rows, d)| (rows.stratum, rows.x, weight(rows), d)).collect();
        if let Some(model) = self.known.get(&key) {
            self.guards[*model] |= !weighted;
            return *model;
        }
        let model = self.totals.len();
        self.jobs.extend(key.iter().map(|(stratum, x, w, treated)| {
            let (stratum, x, w, treated) = (*stratum, *x, *w, *treated);
            (model, LogitJob { stratum, x, w, treated, gamma: Vec::new() })
        }));
        let rows = cell.n_treated.min(cell.n_control);
        self.totals.push(ArmTotals { treated, all, rows });
        self.guards.push(!weighted);
        self.known.insert(key, model);
        model
    }

    /// Fits every model: large ones first to a part of their rows, which is where the iteration on all rows starts unless
    /// another start is known.
    pub fn fit(
        mut self,
        source: &dyn Source,
        algebra: &Algebra<'_>,
        recipe: &Recipe,
    ) -> Result<Vec<LogitFit>> {
        let known = recipe.start.as_deref();
        self.jobs.sort_by_key(|(_, job)| (job.stratum, job.x));
        let intercept = source.sample().design.intercept;
        let of_models = self.totals.iter().zip(&self.guards);
        let mut states: Vec<LogitState> = of_models
            .map(|(totals, guards)| LogitState::new(*totals, algebra, intercept, *guards))
            .collect();
        let start = |t: &ArmTotals| LogitState::new(*t, algebra, intercept, true);
        let mut thinned: Vec<LogitState> = self.totals.iter().map(start).collect();
        for state in &mut thinned {
            state.open &=
                known.is_none() && state.totals.rows >= THINNING * ROWS_PER_COLUMN * algebra.k();
        }
        let rough = Tolerance { score: f64::INFINITY, step: ROUGH };
        self.iterate(source, algebra, &mut thinned, &rough, THINNING)?;
        for (state, thinned) in states.iter_mut().zip(thinned) {
            if thinned.converged && thinned.max_p() < OVERLAP {
                state.gamma = thinned.gamma;
            }
        }
        if let Some(known) = known {
            states.iter_mut().filter(|s| s.open).for_each(|s| s.gamma = known.to_vec());
        }
        let tolerance = Tolerance::new(source.precision());
        self.iterate(source, algebra, &mut states, &tolerance, 1)?;
        Ok(states.into_iter().map(LogitState::finish).collect())
    }

    /// Advances the open models until all have arrived.
    fn iterate(
        &self,
        source: &dyn Source,
        algebra: &Algebra<'_>,
        states: &mut [LogitState],
        tolerance: &Tolerance,
        thinning: usize,
    ) -> Result<()> {
        for iteration in 0..MAX_PASSES {
            let open = self.jobs.iter().filter(|(model, _)| states[*model].open);
            let (parts, jobs): (Vec<(usize, bool)>, Vec<LogitJob>) = open
                .map(|(model, job)| {
                    let gamma = states[*model].gamma.clone();
                    ((*model, job.treated), LogitJob { gamma, ..job.clone() })
                })
                .unzip();
            if jobs.is_empty() {
                break;
            }
            let mut sums = vec![LogitStat::zero(algebra.k()); states.len()];
            let mut largest = vec![[0.0f64; 2]; states.len()];
            let stats = source.run(&LogitPass { k: algebra.k(), jobs, thinning })?;
            for ((model, treated), stat) in answers::logit(parts, stats, algebra.k())? {
                let of_arm = &mut largest[model][usize::from(!treated)];
                *of_arm = of_arm.max(stat.max_p);
                sums[model].merge(&stat)?;
            }
            let of_models = states.iter_mut().zip(sums).zip(largest);
            for ((state, stat), largest) in of_models.filter(|((state, _), _)| state.open) {
                state.advance(stat, largest, algebra, tolerance, iteration);
            }
        }
        Ok(())
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
        let (score, step) = match precision {
            Precision::F64 => (1e-11, 1e-9),
            Precision::F32 => (1e-5, 1e-4),
        };
        Self { score, step }
    }
}

/// Newton's iteration of one model. The log-likelihood is concave, so a step is too long exactly if the slope along it
/// has turned against it by more than it started with.
///
/// Where a region of the covariates has rows of one arm only, the likelihood has a limit and no maximum: scores go to zero or one
/// there, by the same step again and again. The iteration ends when nothing else moves, unless there is nothing else.
struct LogitState {
    open: bool,
    totals: ArmTotals,
    gamma: Vec<f64>,
    step: Vec<f64>,
    slope: f64,
    halvings: usize,
    hessian: Vec<f64>,
    /// Largest score of the treated rows and of the comparison rows.
    largest: [f64; 2],
    /// Whether the model fails, and its iteration ends, at a score near one.
    guards: bool,
    converged: bool,
    singular: bool,
}

impl LogitState {
    fn new(totals: ArmTotals, algebra: &Algebra<'_>, intercept: bool, guards: bool) -> Self {
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
            largest: [0.0; 2],
            guards,
            converged: false,
            gamma,
        }
    }

    /// Largest score of all rows.
    fn max_p(&self) -> f64 {
        let [treated, control] = self.largest;
        treated.max(control)
    }

    fn advance(
        &mut self,
        stat: LogitStat,
        largest: [f64; 2],
        algebra: &Algebra<'_>,
        tolerance: &Tolerance,
        iteration: usize,
    ) {
        let size = |v: &[f64]| v.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let ArmTotals { treated, all, .. } = self.totals;
        // The score of the constant is there also where the model has none.
        let score = algebra.columns().iter().fold(0.0f64, |m, j| m.max(stat.score[*j].abs()));
        let still = tolerance.score * treated.min(all - treated);
        let step = algebra.solve_information(&stat.hessian, &stat.score);
        // Where scores are zero or one there is no information. If that is not what rows have, the step went too far.
        let lost = step.is_err() && score > still;
        let tried = !self.step.is_empty();
        let overshot = tried && (lost || dot(&stat.score, &self.step) < -self.slope);
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
        self.largest = largest;
        let separated = self.max_p() >= SEPARATED && iteration >= SEPARATED_AFTER;
        if self.guards && separated {
            self.open = false;
            return;
        }
        let Ok(step) = step else {
            (self.open, self.singular) = (false, true);
            return;
        };
        self.slope = dot(&stat.score, &step);
        self.hessian = stat.hessian;
        let unabated = !self.step.is_empty()
            && size(&step) >= UNABATED * size(&self.step).max(tolerance.step.sqrt());
        // The first entry is `Σ w p (1 - p)`: nothing if the arms are separated.
        if unabated && score <= still && self.hessian[0] > OTHERS * still {
            self.open = false;
            return;
        }
        let arrived = size(&step) <= tolerance.step && score <= tolerance.score * all;
        for (g, s) in self.gamma.iter_mut().zip(&step) {
            *g += s;
        }
        self.step = step;
        (self.open, self.converged) = (!arrived, arrived);
    }

    fn finish(self) -> LogitFit {
        let max_propensity = self.max_p();
        let Self { gamma, hessian, converged, largest, .. } = self;
        let failure = if max_propensity >= OVERLAP && (self.guards || self.singular) {
            Some(CellStatus::Overlap { max_propensity })
        } else if self.singular {
            Some(CellStatus::SingularInformation)
        } else {
            None
        };
        LogitFit { gamma, hessian, converged, largest, failure }
    }
}

#[cfg(test)]
mod tests;
