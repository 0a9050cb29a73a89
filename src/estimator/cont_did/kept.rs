//! The treated units' changes and doses, unit by unit.

use crate::cell::PlannedCell;
use crate::error::{DidError, Result};
use crate::panel::Sample;
use crate::pass::{
    Consumers, Dot, InfluencePass, KeptRows, Leg, PlanColumn, StratumPlan, UNTRIMMED,
};
use crate::source::Source;

/// Treated units of a comparison of two periods, in canonical order.
#[derive(Default)]
pub(super) struct Treated {
    /// Changes of the outcome.
    pub changes: Vec<f64>,
    pub doses: Vec<f64>,
    /// Sampling weights.
    pub weights: Vec<f64>,
    /// Clusters; empty without.
    pub clusters: Vec<u32>,
}

/// A unit's rank, its cluster if there are any, and its columns.
type Row = (u64, Option<u32>, [f64; COLUMNS]);

/// Columns that are kept: change, dose and weight.
const COLUMNS: usize = 3;

/// Has a pass over influence values keep what it reads: with `c = 1` a value is the change, with `e` the dose, with `f = 1` the
/// weight.
///
/// # Errors
/// What the source reports, and [`DidError::Engine`] for rows that are not the cell's.
pub(super) fn treated<S: Source>(source: &S, cell: &PlannedCell) -> Result<Treated> {
    let sample = source.sample();
    let (Some(side), Some(rows)) =
        (cell.sides.first(), cell.sides.first().and_then(|side| side.treated.first()))
    else {
        return Err(foreign());
    };
    let columns = side.outcome.columns();
    let &[post, base] = &columns[..] else { return Err(foreign()) };
    let plain = Leg { post, base: Some(base), ..Leg::default() };
    let legs = [
        Leg { c: 1.0, ..plain.clone() },
        Leg { e: Some(0), ..plain.clone() },
        Leg { f: 1.0, w: rows.w, ..plain },
    ];
    let column = |(column, leg): (usize, Leg)| PlanColumn { column, legs: vec![leg] };
    let plan = StratumPlan {
        dots: vec![Dot { x: 0, v: vec![0.0, 1.0] }],
        columns: legs.into_iter().enumerate().map(column).collect(),
        ..StratumPlan::default()
    };
    let mut strata = vec![StratumPlan::default(); sample.n_strata()];
    strata[rows.stratum] = plan;
    let consumers = Consumers { clusters: None, multipliers: None, keep_rows: true };
    let pass = InfluencePass { columns: COLUMNS, trim: UNTRIMMED, strata, consumers };
    let mut kept: Vec<Row> = Vec::with_capacity(cell.n_treated);
    source.run_keeping(&pass, &mut |rows| keep(&mut kept, &rows))?;
    kept.sort_unstable_by_key(|(rank, ..)| *rank);
    if kept.len() != cell.n_treated {
        return Err(foreign());
    }
    let level = level(sample, rows.stratum, post, base);
    let mut treated = Treated::default();
    for (_, cluster, [change, dose, weight]) in kept {
        treated.clusters.extend(cluster);
        treated.changes.push((change + level) * sample.y_scale);
        treated.doses.push(dose);
        treated.weights.push(weight);
    }
    let clusters = &treated.clusters;
    let known = match sample.n_clusters {
        None => clusters.is_empty(),
        Some(n) => clusters.len() == cell.n_treated && clusters.iter().all(|c| (*c as usize) < n),
    };
    if known { Ok(treated) } else { Err(foreign()) }
}

/// What the stored changes of a stratum are too low by.
fn level(sample: &Sample, stratum: usize, post: usize, base: usize) -> f64 {
    sample.offsets[stratum][post] - sample.offsets[stratum][base]
}

fn keep(kept: &mut Vec<Row>, rows: &KeptRows) -> Result<()> {
    let n = rows.ranks.len();
    let place = |column: usize| rows.columns.iter().position(|c| *c == column);
    let (Some(change), Some(dose), Some(weight)) = (place(0), place(1), place(2)) else {
        return if n == 0 { Ok(()) } else { Err(foreign()) };
    };
    for (i, rank) in rows.ranks.iter().enumerate() {
        let columns = [change, dose, weight].map(|at| rows.values[at * n + i]);
        kept.push((*rank, rows.clusters.get(i).copied(), columns));
    }
    Ok(())
}

fn foreign() -> DidError {
    DidError::Engine {
        problem: "the treated units that were kept are not those of the cell".into(),
    }
}
