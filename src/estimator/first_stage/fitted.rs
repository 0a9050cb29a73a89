//! A fit from the data to the effects; an estimator forms what stands between them.

use std::time::Instant;

use super::columns::StageColumns;
use super::effects::{Estimated, StageEffects, StageSettings, assembled, finished};
use super::fit::{FirstStage, Prepared};
use super::influence::Influences;
use super::normal::unsolved;
use super::reading::StageReading;
use crate::audit::Influence;
use crate::base::error::{DidError, DidWarning, Result};
use crate::estimator::aggregate::UniversalBase;
use crate::read::input::Data;
use crate::result::timings::Timings;

/// What an estimator makes of a first stage.
pub(in crate::estimator) struct StageEstimates {
    pub estimates: Vec<Estimated>,
    pub influences: Influences,
    /// Event times that were asked to be references.
    pub references: Vec<f64>,
    pub base: Option<UniversalBase>,
    pub warnings: Vec<DidWarning>,
}

/// Fits the first stage, and gives the effects that `form` makes of it, with their influence values if these are kept.
///
/// # Errors
/// Errors about a column, a formula or a file; [`DidError::TooFewClusters`]; those of the first stage and of `form`.
pub(in crate::estimator) fn fitted(
    data: Data<'_>,
    columns: &StageColumns,
    keep_influence: bool,
    form: impl FnOnce(&FirstStage<'_>, &StageReading) -> Result<StageEstimates>,
) -> Result<(StageEffects, Option<Influence>)> {
    let fitted = in_steps(data, columns, keep_influence, form);
    fitted.map_err(|error| unsolved(error, columns.weights.as_ref()))
}

fn in_steps(
    data: Data<'_>,
    columns: &StageColumns,
    keep_influence: bool,
    form: impl FnOnce(&FirstStage<'_>, &StageReading) -> Result<StageEstimates>,
) -> Result<(StageEffects, Option<Influence>)> {
    let start = Instant::now();
    let mut reading = StageReading::new(data, columns, start)?;
    let prepared = Prepared::new(&mut reading, columns)?;
    let ingested = start.elapsed().as_secs_f64();
    let stage = prepared.fit(&reading)?;
    let sample = stage.sample;
    if sample.n_clusters < 2 {
        let column = columns.cluster.clone().unwrap_or_else(|| columns.unit.clone());
        return Err(DidError::TooFewClusters { column, clusters: sample.n_clusters });
    }
    let estimated_at = start.elapsed().as_secs_f64();
    let formed = form(&stage, &reading)?;
    let StageEstimates { estimates, influences, references, base, warnings } = formed;
    let influence = keep_influence.then(|| {
        let known = |of: &Estimated| Some((of.influence?, of.term.key(columns.frequency)));
        let (places, names): (Vec<usize>, Vec<String>) = estimates.iter().filter_map(known).unzip();
        influences.kept(&reading.rows.clusters[0], names, &places)
    });
    let (rows, vcov) = assembled(estimates, &influences, &stage, columns.alpha);
    let mut effects = StageEffects {
        rows,
        vcov,
        references,
        settings: StageSettings::new(columns, &stage),
        audit: std::mem::take(&mut reading.audit),
        warnings: Vec::new(),
        timings: Timings {
            read: reading.read,
            ingest: ingested - reading.read,
            estimate: estimated_at - ingested,
            ..Timings::default()
        },
        base,
    };
    finished(&mut effects, &reading, &stage);
    effects.warnings.extend(warnings);
    effects.timings.finish(start);
    Ok((effects, influence))
}
