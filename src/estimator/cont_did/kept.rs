//! The treated units' changes and doses, unit by unit.

use crate::base::error::{DidError, Result};
use crate::engine::cell::{Outcome, PlannedCell, rows_pass};
use crate::engine::pass::KeptRows;
use crate::engine::source::Source;
use crate::read::panel::Sample;

/// Treated units of a comparison of two periods that have a positive weight, in canonical order.
#[derive(Default)]
pub(super) struct TreatedUnits {
    /// Changes of the outcome.
    pub changes: Vec<f64>,
    pub doses: Vec<f64>,
    /// Sampling weights.
    pub weights: Vec<f64>,
    /// Clusters; empty without.
    pub clusters: Vec<u32>,
}

/// A unit's rank, its cluster if there are any, and its columns.
type UnitRow = (u64, Option<u32>, [f64; COLUMNS]);

/// Columns of [`rows_pass`]: change, dose and weight.
const COLUMNS: usize = 3;

/// Has a pass over influence values keep what it reads.
///
/// # Errors
/// What the source reports, and [`DidError::Engine`] for rows that are not the cell's.
pub(super) fn treated(source: &dyn Source, cell: &PlannedCell) -> Result<TreatedUnits> {
    let sample = source.sample();
    let side = cell.sides.first().ok_or_else(foreign)?;
    let rows = side.treated.first().ok_or_else(foreign)?;
    let Outcome::Change { post, base } = side.outcome else { return Err(foreign()) };
    let pass = rows_pass(sample, rows, side.outcome);
    let mut treated_rows: Vec<UnitRow> = Vec::with_capacity(cell.n_treated);
    source.run_keeping(&pass, &mut |rows| keep(&mut treated_rows, &rows))?;
    treated_rows.sort_unstable_by_key(|(rank, ..)| *rank);
    if treated_rows.len() != cell.n_treated {
        return Err(foreign());
    }
    let level = level(sample, rows.stratum, post, base);
    let mut treated = TreatedUnits::default();
    let weighted = treated_rows.into_iter().filter(|(.., [_, _, weight])| *weight > 0.0);
    for (_, cluster, [change, dose, weight]) in weighted {
        treated.clusters.extend(cluster);
        treated.changes.push((change + level) * sample.y_scale);
        treated.doses.push(dose);
        treated.weights.push(weight);
    }
    let clusters = &treated.clusters;
    let known = match sample.n_clusters {
        None => clusters.is_empty(),
        Some(n) => {
            clusters.len() == treated.doses.len() && clusters.iter().all(|c| (*c as usize) < n)
        }
    };
    if known { Ok(treated) } else { Err(foreign()) }
}

/// What the stored changes of a stratum are too low by.
fn level(sample: &Sample, stratum: usize, post: usize, base: usize) -> f64 {
    sample.offsets[stratum][post] - sample.offsets[stratum][base]
}

fn keep(kept: &mut Vec<UnitRow>, rows: &KeptRows) -> Result<()> {
    let n = rows.ranks.len();
    let position = |column: usize| rows.columns.iter().position(|c| *c == column);
    let (Some(change), Some(dose), Some(weight)) = (position(0), position(1), position(2)) else {
        return if n == 0 { Ok(()) } else { Err(foreign()) };
    };
    for (i, rank) in rows.ranks.iter().enumerate() {
        let columns = [change, dose, weight].map(|at| rows.values[at * n + i]);
        kept.push((*rank, rows.clusters.get(i).copied(), columns));
    }
    Ok(())
}

fn foreign() -> DidError {
    DidError::Engine { problem: "the treated units that were kept do not match the cell".into() }
}
