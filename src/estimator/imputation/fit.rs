//! The imputation estimator, step by step.

use super::deviations::TreatedCells;
use super::options::{Imputation, PretrendTimes};
use super::pretrends;
use super::result::ImputationResult;
use super::targets::{Wanted, wanted};
use crate::base::calendar::shown;
use crate::base::error::{DidWarning, Result};
use crate::base::parallel;
use crate::estimator::first_stage::{
    Base, Estimated, FirstStage, Influences, RowWeights, StageEstimates, StageReading, StageTerm,
    Target, concentrated, event_times, fitted,
};
use crate::estimator::fitting::fits;
use crate::read::input::Data;

/// Cells that a reason names.
const NAMED: usize = 3;

fits!(Imputation, output: ImputationResult);

/// Targets with their estimates and influence values.
struct Formed {
    values: Vec<f64>,
    psi: Vec<Vec<f64>>,
    /// Rows whose cluster cannot be left out of its cell, by target.
    alone: Vec<Vec<u32>>,
}

impl Imputation {
    /// Estimates from a data frame, a lazy frame, or the path of CSV, parquet or Stata [files](crate::Data).
    ///
    /// The result is the same to the last bit for any order of the rows and any number of threads.
    ///
    /// # Errors
    /// [`DidError::Config`](crate::DidError::Config) and [`DidError::Formula`](crate::DidError::Formula) for options; errors about a column
    /// or a file; [`DidError::TimeVarying`](crate::DidError::TimeVarying) and [`DidError::Panel`](crate::DidError::Panel) for units that
    /// change their group or have two rows in a period, for data without untreated rows, and for covariates that say something of treated
    /// rows alone; [`DidError::NoValidGroups`](crate::DidError::NoValidGroups),
    /// [`DidError::IndicatorAsGroup`](crate::DidError::IndicatorAsGroup) without treated ones;
    /// [`DidError::TooFewClusters`](crate::DidError::TooFewClusters); [`DidError::Memory`](crate::DidError::Memory).
    pub fn fit<'a>(&self, data: impl Into<Data<'a>>) -> Result<ImputationResult> {
        self.validate()?;
        let _span = tracing::info_span!("fit", estimator = "imputation").entered();
        let (effects, influence) =
            fitted(data.into(), &self.columns(), self.keep_influence, |stage, reading| {
                self.stage_estimates(stage, reading)
            })?;
        Ok(ImputationResult {
            effects,
            averaged_by: self.averaged_by,
            cell_averages: self.cell_averages,
            leave_out: self.leave_out,
            influence,
        })
    }

    /// The averages, and the coefficients before treatment.
    fn stage_estimates(
        &self,
        stage: &FirstStage<'_>,
        reading: &StageReading,
    ) -> Result<StageEstimates> {
        let sample = stage.sample;
        let wanted = wanted(self, reading, sample);
        let leads = pretrends::times(self, stage);
        let mut influences = Influences::new(sample, wanted.len() + leads.len())?;
        let (mut estimates, concentrated) = self.estimated(stage, wanted, &mut influences)?;
        let before = pretrends::coefficients(stage, &leads, &mut influences)?;
        let first = estimates.iter().position(|of| matches!(of.term, StageTerm::EventTime(_)));
        let groups = estimates.iter().position(|of| matches!(of.term, StageTerm::Group(_)));
        let place = first.or(groups).unwrap_or(estimates.len());
        estimates.splice(place..place, before);
        let base = match self.pretrends {
            PretrendTimes::None => None,
            _ => self.base(stage)?.study(),
        };
        let warnings = concentrated.into_iter().collect();
        Ok(StageEstimates { estimates, influences, references: Vec::new(), base, warnings })
    }

    /// The averages, and a warning about those that rest on few rows.
    fn estimated(
        &self,
        stage: &FirstStage<'_>,
        wanted: Vec<Wanted>,
        influences: &mut Influences,
    ) -> Result<(Vec<Estimated>, Option<DidWarning>)> {
        let sample = stage.sample;
        let targets: Vec<&Target> =
            wanted.iter().filter_map(|of| of.target.as_ref().ok()).collect();
        let formed = self.formed(stage, &targets)?;
        let is_average =
            |target: &&Target| !(self.sums && matches!(target.term, StageTerm::Average(_)));
        let averages = targets.iter().copied().filter(is_average);
        let warning = concentrated(sample, averages, self.frequency);
        let counts: Vec<usize> = parallel::map(targets.len(), |j| targets[j].count(sample));
        let Formed { values, psi, alone } = formed;
        let mut formed = values.into_iter().zip(psi).zip(alone).zip(counts);
        let mut out = Vec::with_capacity(wanted.len());
        for Wanted { term, target } in wanted {
            out.push(match target {
                Err(why) => {
                    Estimated { term, value: Err(why), rows: 0, unknown: None, influence: None }
                }
                Ok(_) => {
                    let Some((((value, psi), alone), rows)) = formed.next() else { continue };
                    influences.push(psi, 1.0);
                    let unknown = (!alone.is_empty()).then(|| self.not_left_out(stage, &alone));
                    let influence = Some(influences.psi.len() - 1);
                    Estimated { term, value: Ok(value), rows, unknown, influence }
                }
            });
        }
        Ok((out, warning))
    }

    /// Estimates and influence values of targets.
    fn formed(&self, stage: &FirstStage<'_>, targets: &[&Target]) -> Result<Formed> {
        let weights: Vec<&RowWeights> = targets.iter().map(|target| &target.weights).collect();
        let solved = stage.solve(&weights)?;
        let cells = TreatedCells::new(stage, self.averaged_by);
        let untreated = stage.of_untreated(&weights, &solved);
        let parts = parallel::map_items(untreated, |j, mut psi| {
            let alone = cells.add(self, stage, targets[j], &mut psi).alone;
            (psi, alone)
        });
        let (psi, alone) = parts.into_iter().unzip();
        Ok(Formed { values: stage.values(&weights), psi, alone })
    }

    /// Means of residuals and effects by event time.
    fn base(&self, stage: &FirstStage<'_>) -> Result<Base> {
        let sample = stage.sample;
        let before = event_times(sample, false).into_iter().map(|at| (at, false));
        let after = event_times(sample, true).into_iter().map(|at| (at, true));
        let of = |(at, treated): (f64, bool)| {
            let meant = |cell: &crate::estimator::first_stage::StageCell| {
                cell.is_treated() == treated && cell.is_at(at)
            };
            Some((at, Target::mean(sample, StageTerm::EventTime(at), meant)?))
        };
        let (times, targets): (Vec<f64>, Vec<Target>) = before.chain(after).filter_map(of).unzip();
        let mut influences = Influences::new(sample, targets.len())?;
        let targets: Vec<&Target> = targets.iter().collect();
        let without_leaving_out = Self { leave_out: false, ..self.clone() };
        let Formed { values, psi, .. } = without_leaving_out.formed(stage, &targets)?;
        for psi in psi {
            influences.push(psi, 1.0);
        }
        Ok(Base { times, values, influences })
    }

    /// Why there is no standard error with clusters left out.
    fn not_left_out(&self, stage: &FirstStage<'_>, rows: &[u32]) -> String {
        let name = |row: &u32| {
            let cell = stage.sample.at(*row as usize);
            let [group, time] = [cell.group, cell.time].map(|at| shown(at, self.frequency));
            format!("group {group} in {time}")
        };
        let named: Vec<String> = rows.iter().take(NAMED).map(name).collect();
        let more = if rows.len() > NAMED { " and others" } else { "" };
        format!(
            "one cluster has all the weight of a cell, so that it cannot be left out ({}{more}); average effects over more (`averaged_by`)",
            named.join(", ")
        )
    }
}
