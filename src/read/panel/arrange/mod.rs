//! The rows of the sample as strata: units in canonical order, periods contiguous.
//!
//! Frames are looked at, rules are decided from what they show, and then every frame's rows are put in their places. What a
//! look finds is additive, and what is decided can be sent, so each of the steps may be done elsewhere for some frames.

#[cfg(test)]
mod tests;

use rayon::prelude::*;

use super::audit::SampleAudit;
use super::blueprint::Blueprint;
use super::canonical::sort_by_content;
use super::changes::Changes;
use super::counts::{Counts, Pairs};
use super::describe::describe;
use super::frame_source::FrameSource;
use super::frames::Frames;
use super::levels::Levels;
use super::placement::Placement;
use super::request::Request;
use super::rules::Rules;
use super::sample::Sample;
use super::sizes::check_design;
use super::store::{Panel, Store, Strata};
use super::strata::Layout;
use super::survey::Survey;
use crate::base::error::{DidError, DidWarning, Result};
use crate::read::formula::Design;

/// Arranges the rows of all frames; `audit` says where they come from.
pub(super) fn arrange(
    frames: &Frames<'_>,
    audit: SampleAudit,
    request: &Request<'_>,
) -> Result<Panel> {
    let DecidedSample { blueprint, mut sample, rows } = decide(frames, audit, request)?;
    let mut store = Store::new(blueprint.shape, &rows, request.storage)?;
    sample.labels = fill(frames, &blueprint, &rows, request, &mut store)?;
    let mut strata = store.finish()?;
    if let (true, Strata::Resident(strata)) = (request.sorts_by_content(), &mut strata) {
        strata.par_iter_mut().for_each(sort_by_content);
    }
    Ok(Panel { sample, strata })
}

/// A sample before there are rows in it.
pub(super) struct DecidedSample {
    pub blueprint: Blueprint,
    pub sample: Sample,
    /// Rows of each stratum.
    pub rows: Vec<usize>,
}

/// Decides the sample from what the frames show; `audit` says where they come from.
pub(super) fn decide(
    frames: &impl FrameSource,
    audit: SampleAudit,
    request: &Request<'_>,
) -> Result<DecidedSample> {
    let survey = frames.survey(request)?;
    let rules = survey.rules(request, audit)?;
    let counts = Counts::new(&survey.units, &rules);
    counts.check_sizes(&rules, &request.options, request.roles.covariates.variables().len())?;
    let (blueprint, design) = columns(frames, &survey, rules, &counts, request)?;
    let rows = counts.of_strata(&blueprint.rules.strata);
    check_design(blueprint.shape, rows.len())?;
    let layout = blueprint.rules.layout;
    let mut sample = describe(&blueprint, request, counts, &design);
    if !design.without().is_empty() {
        // Factors of one level are constant.
        sample.warnings.push(DidWarning::Collinear { columns: design.without().to_vec() });
    }
    if layout == Layout::Unbalanced && (request.fix_weights.is_some() || request.options.pairs) {
        sample.pairs = Some(Pairs::new(&survey.units, &blueprint.rules));
    }
    Ok(DecidedSample { blueprint, sample, rows })
}

/// Looks at the rows of the sample only as often as there is something to find, and decides what the strata's columns are.
fn columns(
    frames: &impl FrameSource,
    survey: &Survey,
    rules: Rules,
    counts: &Counts,
    request: &Request<'_>,
) -> Result<(Blueprint, Design)> {
    let roles = request.roles;
    let none = || DidError::no_complete_rows(&[]);
    let kinds = survey.kinds.as_ref().ok_or_else(none)?;
    let levels = if roles.cluster.is_some() || kinds.has_factors() {
        frames.levels(&rules, request)?
    } else {
        Levels::default()
    };
    let design = roles.covariates.design(kinds, &levels.factors)?;
    let changes = if !design.covariates().is_empty() || roles.weights.is_some() {
        frames.changes(&rules, &levels, request)?
    } else {
        Changes::default()
    };
    if let Some(column) = roles.weights.as_ref().filter(|_| changes.weightless()) {
        let rows: usize = counts.rows.iter().flatten().sum();
        let positive = survey.weighted;
        let problem = format!(
            "all {rows} rows of the sample have weight zero; the {positive} rows with a positive weight are not in it (missing values, units already treated or not in every period); see what was dropped, or leave the weights out"
        );
        return Err(DidError::Weights { column: column.clone(), problem });
    }
    check_clusters(levels.clusters.len(), request)?;
    Ok((Blueprint::new(rules, levels, &changes, &design, request), design))
}

/// One cluster has no variance: all that its sum differs from zero by is rounding.
fn check_clusters(clusters: usize, request: &Request<'_>) -> Result<()> {
    match &request.roles.cluster {
        Some(column) if clusters < 2 && request.cells.has_errors() => {
            Err(DidError::TooFewClusters { column: column.clone(), clusters })
        }
        _ => Ok(()),
    }
}

/// Fills the strata, frame by frame; returns the units' labels by rank if they are asked for.
fn fill(
    frames: &Frames<'_>,
    blueprint: &Blueprint,
    rows: &[usize],
    request: &Request<'_>,
    store: &mut Store,
) -> Result<Option<Vec<String>>> {
    let keep_labels = request.options.labels && request.roles.unit.is_some();
    let mut labels = keep_labels.then(|| vec![String::new(); rows.iter().sum()]);
    let mut placement = Placement::first(&blueprint.rules.strata, rows);
    frames.each(&blueprint.rules, request, &mut |placed| {
        store.add(&blueprint.filling(placed.rows), placed, &placement)?;
        if let (Some(labels), Some(units)) = (&mut labels, &placed.rows.units) {
            for (grid, first) in placed.grids.iter().zip(&placement.first_rank) {
                for (rank, row) in grid.rank.iter().zip(&grid.first) {
                    let rank = (first + u64::from(*rank)) as usize;
                    labels[rank] = units.labels.text(*row as usize);
                }
            }
        }
        placement = placement.after(&placed.rows_by_stratum());
        Ok(())
    })?;
    Ok(labels)
}
