//! From the influence of cells to the pass that forms it: a plan a stratum, whose legs share equal linear predictors.

use std::collections::HashMap;

use super::answers::incomplete;
use super::sides::{Outcome, StratumRows};
use super::terms::{CellEstimate, Coefficients, InfluenceTerm};
use crate::base::error::Result;
use crate::base::options::{Precision, SharesOf};
use crate::engine::pass::{
    Consumers, Dot, InfluencePass, Leg, PlanColumn, Share, StratumPlan, UNTRIMMED, Weight,
};
use crate::engine::source::Source;
use crate::read::panel::Sample;

/// The pass over the influence values of all estimated cells (columns `0..M`) and group shares (`M..M + G`).
///
/// In single precision a last column of ones makes the cross-moments hold the sums of the others. At the exact solution
/// they are zero; with rounded nuisance estimates, adding a cell's sum to its estimate is one Newton step towards it.
pub(crate) fn influence_pass<'a>(
    sample: &Sample,
    cells: impl ExactSizeIterator<Item = Option<&'a CellEstimate>>,
    shares_of: SharesOf,
    consumers: Consumers,
    precision: Precision,
    trim: f64,
) -> InfluencePass {
    let cell_columns = cells.len();
    let share_end = cell_columns + sample.groups.len();
    let sums = precision == Precision::F32;
    let mut strata = strata(sample, cells);
    for (g, cohorts) in sample.groups.iter().enumerate() {
        let share =
            Share { column: cell_columns + g, w: sample.omega, scale: 1.0 / sample.n as f64 };
        for cohort in sample.counted(cohorts, shares_of) {
            for stratum in (0..sample.periods.len()).map(|t| sample.stratum(cohort, t)) {
                strata[stratum].share = Some(share);
            }
        }
    }
    if sums {
        for plan in strata.iter_mut().filter(|p| !p.columns.is_empty()) {
            let leg = Leg { f: 1.0, ..Leg::default() };
            plan.columns.push(PlanColumn { column: share_end, legs: vec![leg] });
        }
    }
    InfluencePass { columns: share_end + usize::from(sums), trim, strata, consumers }
}

/// Columns of [`cross_moments`] at most formed at a time, unless one cell has more.
pub(super) const MAX_COLUMNS: usize = 256;

/// `U'U`, `[m, m]`, of the influence values of `m` estimates, by unit.
///
/// # Errors
/// What the source reports, and [`DidError::Engine`](crate::DidError::Engine) for another number of sums.
pub(super) fn cross_moments(
    source: &dyn Source,
    estimates: &[CellEstimate],
    trim: f64,
) -> Result<Vec<f64>> {
    let columns = estimates.len();
    let cross = source.run(&unshared(source.sample(), estimates, trim, false))?.cross;
    if cross.len() == columns * columns {
        Ok(cross)
    } else {
        Err(incomplete(format!("{} cross-moments of {columns} influence columns", cross.len())))
    }
}

/// The pass that keeps what some rows have, unit by unit, in three columns: with `c = 1` a value is the outcome, with `e` on it
/// the first covariate, with `f = 1` the weight.
pub(crate) fn rows_pass(sample: &Sample, rows: &StratumRows, outcome: Outcome) -> InfluencePass {
    let plain = &StratumRows { w: Weight::Ones, ..*rows };
    let first = (0..sample.design.k()).map(|j| f64::from(u8::from(j == 1))).collect();
    let columns = [
        (plain, Coefficients { c: 1.0, ..Coefficients::default() }),
        (plain, Coefficients { e: Some(first), ..Coefficients::default() }),
        (rows, Coefficients { f: 1.0, ..Coefficients::default() }),
    ];
    let column = |(rows, of): (&StratumRows, Coefficients)| CellEstimate {
        terms: vec![InfluenceTerm::new(rows, outcome, true, None, &of)],
        ..CellEstimate::default()
    };
    unshared(sample, &columns.map(column), UNTRIMMED, true)
}

/// The pass over the influence values of estimates, without group shares.
fn unshared(
    sample: &Sample,
    estimates: &[CellEstimate],
    trim: f64,
    keep_rows: bool,
) -> InfluencePass {
    let strata = strata(sample, estimates.iter().map(Some));
    let consumers = Consumers { clusters: None, multipliers: None, keep_rows };
    InfluencePass { columns: estimates.len(), trim, strata, consumers }
}

/// The plan of each stratum, with a column for each estimate.
fn strata<'a>(
    sample: &Sample,
    estimates: impl Iterator<Item = Option<&'a CellEstimate>>,
) -> Vec<StratumPlan> {
    let mut builders: Vec<Builder> = (0..sample.n_strata()).map(|_| Builder::default()).collect();
    for (column, estimate) in estimates.enumerate() {
        for term in estimate.iter().flat_map(|e| &e.terms) {
            builders[term.stratum].add(column, term);
        }
    }
    builders.into_iter().map(|b| b.plan).collect()
}

/// The plan of a stratum in the making.
#[derive(Default)]
struct Builder {
    plan: StratumPlan,
    /// Positions of the linear predictors, by covariate version and bits.
    dots: HashMap<(usize, Vec<u64>), usize>,
}

impl Builder {
    fn add(&mut self, column: usize, term: &InfluenceTerm) {
        let leg = self.leg(term);
        match self.plan.columns.last_mut() {
            Some(last) if last.column == column => last.legs.push(leg),
            _ => self.plan.columns.push(PlanColumn { column, legs: vec![leg] }),
        }
    }

    fn leg(&mut self, term: &InfluenceTerm) -> Leg {
        let of = &term.coefficients;
        let mut dot = |v: &Option<Vec<f64>>| v.as_ref().map(|v| self.dot(term.x, v));
        let (beta, b, e, a) = (dot(&of.beta), dot(&of.b), dot(&of.e), dot(&of.a));
        let gamma = dot(&term.gamma);
        let prop = gamma.map(|g| self.prop(g));
        let (post, base) = match term.outcome {
            Outcome::Change { post, base } => (post, Some(base)),
            Outcome::Level(column) => (column, None),
        };
        let InfluenceTerm { w, treated, .. } = *term;
        let (c, f, h, h_tau) = (of.c, of.f, of.h, of.h_tau);
        Leg { post, base, w, treated, prop, beta, b, e, a, c, f, h, h_tau }
    }

    /// Position of a linear predictor.
    fn dot(&mut self, x: usize, v: &[f64]) -> usize {
        let next = self.plan.dots.len();
        let key = (x, v.iter().map(|v| v.to_bits()).collect());
        *self.dots.entry(key).or_insert_with(|| {
            self.plan.dots.push(Dot { x, v: v.to_vec() });
            next
        })
    }

    /// Position of the propensity score with these log-odds.
    fn prop(&mut self, dot: usize) -> usize {
        let props = &mut self.plan.props;
        props.iter().position(|p| *p == dot).unwrap_or_else(|| {
            props.push(dot);
            props.len() - 1
        })
    }
}

#[cfg(test)]
mod tests;
