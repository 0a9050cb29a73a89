//! The two-stage estimator, step by step.
//!
//! With `u` what the first stage leaves of an outcome, and `p = w B x` the weights of a coefficient, its influence value is
//!
//! ```text
//! ψ = Σ p (u - x'b) - Σ_{untreated} w z'λ u,      Z0'W0 Z0 λ = Z'p
//! ```
//!
//! over the rows of a cluster (Gardner 2021; Newey and `McFadden` 1994, section 6).

use super::options::TwoStage;
use super::result::TwoStageResult;
use super::second::{Coefficient, Predicted, means, of_formula};
use crate::base::error::{DidWarning, Result};
use crate::base::parallel;
use crate::estimator::first_stage::{
    Base, Estimated, FirstStage, Influences, RowWeights, StageEstimates, StageReading, StageTerm,
    add, concentrated, fitted,
};
use crate::estimator::fitting::fits;
use crate::estimator::fixed_effects::by_cluster;
use crate::read::input::Data;

fits!(TwoStage, output: TwoStageResult);

impl TwoStage {
    /// Estimates from a data frame, a lazy frame, or the path of CSV, parquet or Stata [files](crate::Data).
    ///
    /// The result is the same to the last bit for any order of the rows and any number of threads.
    ///
    /// # Errors
    /// As [`Imputation::fit`](crate::Imputation::fit), and [`DidError::AllCollinear`](crate::DidError::AllCollinear) for a second stage whose regressors are all zero.
    pub fn fit<'a>(&self, data: impl Into<Data<'a>>) -> Result<TwoStageResult> {
        self.validate()?;
        let _span = tracing::info_span!("fit", estimator = "two_stage").entered();
        let (effects, influence) =
            fitted(data.into(), &self.columns(), self.keep_influence, |stage, reading| {
                self.stage_estimates(stage, reading)
            })?;
        Ok(TwoStageResult { effects, second_stage: self.second_stage.clone(), influence })
    }

    /// The coefficients of the second stage.
    fn stage_estimates(
        &self,
        stage: &FirstStage<'_>,
        reading: &StageReading,
    ) -> Result<StageEstimates> {
        let sample = stage.sample;
        let mut coefficients = means(stage, &self.references, self.groups);
        let formula = of_formula(stage, reading)?;
        coefficients.extend(formula.coefficients);
        let shown = coefficients.iter().filter(|of| of.is_shown);
        let shown = shown.filter(|of| !matches!(of.target.term, StageTerm::Coefficient(_)));
        let concentrated = concentrated(sample, shown.map(|of| &of.target), self.frequency);
        let (values, influences) = formed(stage, &coefficients, &formula.fitted)?;
        let base = based(&coefficients, &values, &influences).study();
        let references = coefficients.iter().filter(|of| !of.is_shown);
        let references = references.filter_map(|of| match of.target.term {
            StageTerm::EventTime(at) => Some(at),
            _ => None,
        });
        let references: Vec<f64> = references.collect();
        let unknown = self.references.iter().copied().filter(|at| !references.contains(at));
        let unknown = DidWarning::unknown_references("references", unknown);
        let counts = parallel::map(coefficients.len(), |j| coefficients[j].target.count(sample));
        let estimate = |(place, of): (usize, &Coefficient)| {
            of.is_shown.then(|| Estimated {
                term: of.target.term.clone(),
                value: Ok(values[place]),
                rows: counts[place],
                unknown: None,
                influence: Some(place),
            })
        };
        let estimates = coefficients.iter().enumerate().filter_map(estimate).collect();
        let warnings = formula.warnings.into_iter().chain(concentrated).chain(unknown).collect();
        Ok(StageEstimates { estimates, influences, references, base, warnings })
    }
}

/// Coefficients and their influence values.
fn formed(
    stage: &FirstStage<'_>,
    coefficients: &[Coefficient],
    fitted: &[f64],
) -> Result<(Vec<f64>, Influences)> {
    let (sample, design) = (stage.sample, stage.design());
    let mut influences = Influences::new(sample, coefficients.len())?;
    let weights: Vec<&RowWeights> = coefficients.iter().map(|of| &of.target.weights).collect();
    let solved = stage.solve(&weights)?;
    let values = stage.values(&weights);
    let untreated = stage.of_untreated(&weights, &solved);
    // What untreated rows have of the residual is counted.
    let residual = |row: usize| if design.treated[row] { stage.residuals[row] } else { 0.0 };
    let means: Option<Vec<Vec<f64>>> = coefficients.iter().map(Coefficient::mean_of).collect();
    let parts = if let Some(means) = means {
        let sums = |score: &(dyn Fn(usize) -> f64 + Sync)| {
            let score = |row: usize| design.weight(row) * score(row);
            by_cluster(&means, &sample.cell, score, (&sample.clusters, sample.n_clusters))
        };
        let (of_residuals, of_ones) = (sums(&residual), sums(&|_| 1.0));
        parallel::map_items(untreated, |j, mut psi| {
            let sums = of_residuals[j].iter().zip(&of_ones[j]);
            psi.iter_mut().zip(sums).for_each(|(psi, (e, one))| *psi += e - values[j] * one);
            psi
        })
    } else {
        parallel::map_items(untreated, |j, mut psi| {
            let predicted = |row: usize| match coefficients[j].fitted {
                Predicted::Mean => values[j],
                Predicted::Formula => fitted[row],
            };
            add(sample, &mut psi, |row| match weights[j].of(sample, row) {
                0.0 => 0.0,
                p => p * (residual(row) - predicted(row)),
            });
            psi
        })
    };
    for psi in parts {
        influences.push(psi, 1.0);
    }
    Ok((values, influences))
}

/// The coefficients of event times, those of references included.
fn based(coefficients: &[Coefficient], values: &[f64], influences: &Influences) -> Base {
    let mut base = Base {
        times: Vec::new(),
        values: Vec::new(),
        influences: Influences { rows: Vec::new(), psi: Vec::new(), factors: Vec::new() },
    };
    for (place, of) in coefficients.iter().enumerate() {
        if let StageTerm::EventTime(at) = of.target.term {
            base.times.push(at);
            base.values.push(values[place]);
            base.influences.push(influences.psi[place].clone(), influences.factors[place]);
        }
    }
    base
}
