//! Influence values of very many effects without covariates.
//!
//! In a stratum they are combinations of few columns: of the changes of the outcome from one period. A covariance of all effects of 200
//! periods has a billion numbers; the second moments of these columns have 40,000 a stratum, and say as much.

use crate::base::error::{DidError, Result};
use crate::engine::backend::basis::{BasisPlan, CANCELLATION};
use crate::engine::pass::{InfluencePass, InfluenceStat, StratumPlan};
use crate::engine::source::Source;
use crate::result::inference::{Covariance, CovariancePart};

/// Columns of one pass, unless a stratum has more.
const COLUMNS: usize = 1_024;

/// Terms of a variance up to this are nothing beside an outcome of size one.
const NOTHING: f64 = 1e-20;

/// Second moments of influence values in parts, one a stratum, and multiplied sums `[m, R]`, if there are multipliers.
pub(crate) struct PartedMoments {
    parts: Vec<CovariancePart>,
    pub draws: Option<Vec<f64>>,
}

impl PartedMoments {
    /// The moments of the pass's influence columns; `None` if they are no combinations of few columns, or lose too many digits as such.
    ///
    /// # Errors
    /// What the source reports.
    pub fn form(source: &dyn Source, pass: InfluencePass) -> Result<Option<Self>> {
        let bases: Option<Vec<Basis>> = pass.strata.iter().map(Basis::of).collect();
        let Some(bases) = bases else { return Ok(None) };
        let parameters = pass.columns;
        let pass = InfluencePass { strata: Vec::new(), ..pass };
        let draws = pass.consumers.multipliers.map_or(0, |multipliers| multipliers.draws);
        let mut sums = vec![0.0; parameters * draws];
        let mut parts = Vec::with_capacity(bases.len());
        while parts.len() < bases.len() {
            let mut strata = vec![StratumPlan::default(); bases.len()];
            let (first, mut end, mut columns) = (parts.len(), parts.len(), 0);
            while end < bases.len() && (end == first || columns + bases[end].columns() <= COLUMNS) {
                strata[end] = bases[end].plan(columns);
                columns += bases[end].columns();
                end += 1;
            }
            let stat = source.run(&InfluencePass { columns, strata, ..pass.clone() })?;
            check(&stat, columns, draws)?;
            let mut before = 0;
            for basis in &bases[first..end] {
                let b = basis.columns();
                let row = |i: usize| &stat.cross[(before + i) * columns..][before..before + b];
                let part = basis.part((0..b).flat_map(row).copied().collect());
                part.add_draws(&stat.draws[before * draws..(before + b) * draws], draws, &mut sums);
                parts.push(part);
                before += b;
            }
        }
        let draws = (draws > 0).then_some(sums);
        Ok(is_accurate(parameters, &parts).then_some(Self { parts, draws }))
    }

    /// The covariance. It is handed over, once.
    pub fn covariance(&mut self) -> Covariance {
        Covariance::Parts(std::mem::take(&mut self.parts))
    }
}

/// The columns of a stratum, and the parameters that depend on it.
struct Basis {
    of: BasisPlan,
    parameters: Vec<usize>,
}

impl Basis {
    fn of(plan: &StratumPlan) -> Option<Self> {
        Some(Self { of: BasisPlan::of(plan)?, parameters: plan.active() })
    }

    fn columns(&self) -> usize {
        self.of.basis.columns.len()
    }

    /// The plan of the stratum in a pass in which its columns follow `first` others.
    fn plan(&self, first: usize) -> StratumPlan {
        let mut plan = self.of.basis.clone();
        plan.columns.iter_mut().for_each(|column| column.column += first);
        plan
    }

    fn part(&self, moments: Vec<f64>) -> CovariancePart {
        let combinations = self.of.combinations.iter().map(|terms| {
            let mut terms = terms.clone();
            terms.retain(|(_, c)| *c != 0.0);
            terms.sort_by_key(|(column, _)| *column);
            terms
        });
        let mut rows: Vec<(usize, _)> = self.parameters.iter().copied().zip(combinations).collect();
        rows.sort_by_key(|(parameter, _)| *parameter);
        CovariancePart { moments, rows }
    }
}

/// An error for sums of other columns or draws.
fn check(stat: &InfluenceStat, columns: usize, draws: usize) -> Result<()> {
    if (stat.cross.len(), stat.draws.len()) == (columns * columns, columns * draws) {
        return Ok(());
    }
    let sums = [stat.cross.len(), stat.draws.len()];
    Err(DidError::Engine { problem: format!("{sums:?} sums do not match {columns} columns") })
}

/// Whether the variances of so many parameters keep their digits: that the terms of none are large beside their sum.
fn is_accurate(parameters: usize, parts: &[CovariancePart]) -> bool {
    let (mut sizes, mut variances) = (vec![0.0; parameters], vec![0.0; parameters]);
    for part in parts {
        let b = part.columns();
        for (row, (parameter, terms)) in part.rows.iter().enumerate() {
            let size =
                |(column, c): &(usize, f64)| c.abs() * part.moments[column * b + column].sqrt();
            sizes[*parameter] += terms.iter().map(size).sum::<f64>().powi(2);
            variances[*parameter] += part.variance(row);
        }
    }
    let keeps = |(size, variance): (&f64, &f64)| {
        *size <= CANCELLATION * variance || *size <= NOTHING || !size.is_finite()
    };
    sizes.iter().zip(&variances).all(keeps)
}
