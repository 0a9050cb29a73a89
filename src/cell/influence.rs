//! From the influence of single cells to one plan a stratum, in which equal linear predictors are formed once.

use std::collections::HashMap;

use super::estimate::{Estimated, Rows};
use crate::error::Result;
use crate::options::Precision;
use crate::panel::Sample;
use crate::pass::{Consumers, Dot, InfluencePass, Leg, PlanColumn, Share, StratumPlan};
use crate::source::Source;

/// The pass over the influence values of all estimated cells (columns `0..M`) and group shares (`M..M + G`).
///
/// In single precision a last column of ones makes the cross-moments hold the sums of the others. At the exact solution
/// they are zero; with rounded nuisance estimates, adding a cell's sum to its estimate is one Newton step towards it.
pub(crate) fn influence_pass<'a>(
    sample: &Sample,
    cells: impl ExactSizeIterator<Item = Option<&'a Estimated>>,
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
        for cohort in cohorts.clone() {
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
pub(super) fn cross_moments<S: Source>(
    source: &S,
    estimates: &[Estimated],
    trim: f64,
) -> Result<Vec<f64>> {
    let pass = InfluencePass {
        columns: estimates.len(),
        trim,
        strata: strata(source.sample(), estimates.iter().map(Some)),
        consumers: Consumers { clusters: None, multipliers: None, keep_rows: false },
    };
    Ok(source.run(&pass)?.cross)
}

/// The plan of each stratum, with a column for each estimate.
fn strata<'a>(
    sample: &Sample,
    estimates: impl Iterator<Item = Option<&'a Estimated>>,
) -> Vec<StratumPlan> {
    let mut builders: Vec<Builder> = (0..sample.n_strata()).map(|_| Builder::default()).collect();
    for (column, estimated) in estimates.enumerate() {
        for rows in estimated.iter().flat_map(|e| &e.rows) {
            builders[rows.stratum].add(column, rows);
        }
    }
    builders.into_iter().map(|b| b.plan).collect()
}

#[derive(Default)]
struct Builder {
    plan: StratumPlan,
    dots: HashMap<(usize, Vec<u64>), usize>,
}

impl Builder {
    fn add(&mut self, column: usize, rows: &Rows) {
        let mut dot = |v: &Option<Vec<f64>>| v.as_ref().map(|v| self.dot(rows.x, v));
        let (beta, b, e, a) = (dot(&rows.beta), dot(&rows.b), dot(&rows.e), dot(&rows.a));
        let gamma = dot(&rows.gamma);
        let prop = gamma.map(|g| self.prop(g));
        let leg = Leg { prop, beta, b, e, a, ..rows.leg.clone() };
        match self.plan.columns.last_mut() {
            Some(last) if last.column == column => last.legs.push(leg),
            _ => self.plan.columns.push(PlanColumn { column, legs: vec![leg] }),
        }
    }

    fn dot(&mut self, x: usize, v: &[f64]) -> usize {
        let next = self.plan.dots.len();
        let key = (x, v.iter().map(|v| v.to_bits()).collect());
        *self.dots.entry(key).or_insert_with(|| {
            self.plan.dots.push(Dot { x, v: v.to_vec() });
            next
        })
    }

    fn prop(&mut self, dot: usize) -> usize {
        let props = &mut self.plan.props;
        props.iter().position(|p| *p == dot).unwrap_or_else(|| {
            props.push(dot);
            props.len() - 1
        })
    }
}
