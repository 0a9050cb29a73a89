//! From data to a result.

use std::time::Instant;

use super::FixedEffects;
use super::finish::{Separating, check_outcomes, indicated, kept_effects, residuals};
use super::likelihood::{Maximum, Stopping, maximum};
use super::linear::CentredRegressors;
use super::options::Family;
use super::predictor::{Predictor, RegressorFormula, SampleLevels};
use super::problem::{CohortCell, Regressors, Where, columns};
use super::reading::{RegressionColumns, RegressionRows};
use super::result::{Indicated, RegressionAudit, RegressionResult};
use super::sample::RegressionSample;
use super::task::{RegressionReading, RegressionTask};
use crate::base::error::{DidError, Result};
use crate::engine::backend::{AtOnce, DidBackend};
use crate::engine::demean::{DemeanOptions, On};
use crate::read::columns::MissingValues;
use crate::read::formula::Design;
use crate::read::input::Data;
use crate::result::timings::Timings;

/// Fits a regression by its formula.
pub(super) fn fit<B: DidBackend>(
    config: &FixedEffects<B>,
    data: Data<'_>,
    device: &B::Device,
) -> Result<RegressionResult> {
    let design = |reading: &RegressionReading, rows: &[u32]| {
        let regressors = &reading.rows.regressors;
        let levels =
            SampleLevels { present: regressors.present(rows), cells: regressors.cells(rows)? };
        let design = regressors.design_in(&levels.present, &levels.cells)?;
        let columns = columns(&design, rows)?;
        Ok(Regressors { cells: None, columns, design: Some((design, levels)) })
    };
    Ok(fit_by(config, data, device, &design)?.result)
}

/// Fits a regression whose regressors in rows of the data are given by what was read.
pub(super) fn fit_by<B: DidBackend>(
    config: &FixedEffects<B>,
    data: Data<'_>,
    device: &B::Device,
    of: &dyn Fn(&RegressionReading, &[u32]) -> Result<Regressors>,
) -> Result<EstimatedRegression> {
    let start = Instant::now();
    B::probe(device, config.precision)?;
    let source = config.source()?;
    let wanted = config.columns(source.formula()?)?;
    let reading = read(data, &wanted, config.family, &config.missing(), start)?;
    let task = RegressionTask { config, device, source, estimator: "feols", start };
    task.estimate(&wanted, &reading, Vec::new(), &|rows: &[u32]| of(&reading, rows))
}

/// Reads the columns needed; an error for outcomes outside the family's range.
pub(super) fn read(
    data: Data<'_>,
    wanted: &RegressionColumns,
    family: Family,
    missing: &MissingValues,
    start: Instant,
) -> Result<RegressionReading> {
    data.reading(missing, |data| {
        let asked = wanted.wanted();
        let input = data.read(&asked, missing, None)?;
        let read = start.elapsed().as_secs_f64();
        let names: Vec<&str> = input.frame.get_column_names().iter().map(|n| n.as_str()).collect();
        asked.find_in(&names)?;
        let rows = RegressionRows::read(&input.frame, wanted, missing)?;
        check_outcomes(family, wanted.formula.outcome_label(), &rows)?;
        let mut read_as_missing = input.read_as_missing;
        read_as_missing.extend(rows.read_as_missing.iter().cloned());
        if let Some(cohorts) = &rows.cohorts {
            cohorts.mark(&mut read_as_missing);
        }
        let audit = RegressionAudit {
            files: input.files,
            read_as_missing,
            rows_in: rows.len,
            rows_missing: rows.missing.clone(),
            rows_weightless: rows.weightless,
            ..RegressionAudit::default()
        };
        Ok(RegressionReading { rows, audit, read })
    })
}

/// The error of a sample in which separation left nothing to estimate is that of the separation.
fn blamed(family: Family, separating: &Separating) -> impl Fn(DidError) -> DidError {
    let is_to_blame = separating.rows > 0 && matches!(family, Family::Logit | Family::Probit);
    move |error| match error {
        DidError::EmptySample { .. } | DidError::AllCollinear { .. } if is_to_blame => {
            separating.error()
        }
        error => error,
    }
}

/// Gives the regressors of a sample with these rows.
pub(in crate::estimator) type RegressorsOf<'a> = &'a dyn Fn(&[u32]) -> Result<Regressors>;

/// A regression with what its coefficients stand for.
pub(in crate::estimator) struct EstimatedRegression {
    pub result: RegressionResult,
    /// Number of each coefficient's regressor; none for the constant.
    pub regressors: Vec<Option<usize>>,
    /// Cohort and event time of each coefficient that is the effect of one.
    pub cells: Vec<Option<CohortCell>>,
}

impl<B: DidBackend> RegressionTask<'_, B> {
    /// Estimates the regression.
    pub fn estimate(
        &self,
        wanted: &RegressionColumns,
        reading: &RegressionReading,
        mut without: Vec<u32>,
        of: RegressorsOf<'_>,
    ) -> Result<EstimatedRegression> {
        let config = self.config;
        let read = &reading.rows;
        // What an earlier fit left uncounted is not this one's.
        let _ = B::at_once().map(AtOnce::work);
        let constant = wanted.formula.regressors.has_constant();
        let labels =
            (wanted.formula.outcome_label(), config.weights.as_deref().unwrap_or_default());
        let options = DemeanOptions {
            solver: config.solver,
            tolerance: config.fixef_tol,
            iterations: config.fixef_maxiter,
        };
        let place = On::<B> { device: self.device, precision: config.precision };
        let place = Where { options: &options, place: &place };
        let began = self.start.elapsed().as_secs_f64();
        let (mut separating, mut warnings) = (Separating::default(), Vec::new());
        let (sample, mut regressors, mut estimated, indicators, cells, design) = loop {
            let sample = RegressionSample::new(read, self.rules(), &without, labels)
                .map_err(blamed(config.family, &separating))?;
            let of_rows = of(&sample.rows)?;
            let (indicators, cells) = (of_rows.indicators(), of_rows.cohort_cells());
            let Regressors { cells: of_cells, columns, design } = of_rows;
            let shared = config.family.is_linear();
            let mut regressors =
                CentredRegressors::new(of_cells, columns, &sample, constant, shared)?;
            if let Some((design, _)) = &design {
                regressors.without = design.without().to_vec();
            }
            let stopping = Stopping { tolerance: config.glm_tol, iterations: config.glm_maxiter };
            let found = maximum(config.family, &sample, &mut regressors, place, stopping);
            match found.map_err(blamed(config.family, &separating))? {
                Maximum::Found(estimated, warning) => {
                    warnings.extend(warning);
                    break (sample, regressors, *estimated, indicators, cells, design);
                }
                Maximum::Separated(separation) => {
                    separating.add(&separation);
                    if separation.is_complete {
                        return Err(separating.error());
                    }
                    without.extend(separation.rows.iter().map(|row| sample.rows[*row]));
                }
            }
        };
        let estimated_at = self.start.elapsed().as_secs_f64();
        regressors.values = Vec::new();
        let raw = std::mem::take(&mut estimated.raw_residuals);
        let effects = estimated.effects.take();
        let kept = estimated.kept.clone();
        let mut fit = self
            .result(wanted, reading, &sample, &regressors, estimated)
            .map_err(blamed(config.family, &separating))?;
        fit.warnings.splice(0..0, warnings);
        self.complete(&mut fit, reading, &sample, &separating);
        // The constant stands before the columns.
        let constants = usize::from(regressors.constant);
        fit.indicators = indicated(&indicators, &kept, constants);
        let of_coefficients: Vec<Option<usize>> =
            kept.iter().map(|kept| kept.checked_sub(constants)).collect();
        let cells = of_coefficients.iter().map(|of| of.and_then(|column| cells[column])).collect();
        if let Some((design, levels)) = design {
            fit.indicators.extend(design.references().iter().map(Indicated::reference));
            fit.predictor = self.predictor(wanted, read, &design, levels, &kept);
        }
        if config.keep_fixed_effects {
            fit.effects = Some(kept_effects(&sample, read, effects.as_deref()));
        }
        if config.keep_residuals {
            fit.residuals = Some(residuals(&sample, read.len, &raw));
        }
        let mut timings = Timings {
            read: reading.read,
            ingest: began - reading.read,
            estimate: estimated_at - began,
            device: B::at_once().map(AtOnce::work),
            ..Timings::default()
        };
        timings.finish(self.start);
        fit.timings = timings;
        Ok(EstimatedRegression { result: fit, regressors: of_coefficients, cells })
    }

    fn predictor(
        &self,
        wanted: &RegressionColumns,
        read: &RegressionRows,
        design: &Design,
        levels: SampleLevels,
        kept: &[usize],
    ) -> Predictor {
        // Without a constant of its own, the regression's columns are the design's but for that.
        let constant = wanted.formula.absorb.is_empty() && wanted.formula.regressors.has_constant();
        let shift = if constant { 0 } else { design.covariates().start };
        let regressors = RegressorFormula {
            source: self.source.clone(),
            kinds: read.regressors.kinds(),
            levels,
            columns: kept.iter().map(|j| j + shift).collect(),
        };
        Predictor {
            regressors: Some(regressors),
            absorb: wanted.formula.absorb.clone(),
            missing: self.config.missing(),
        }
    }
}
