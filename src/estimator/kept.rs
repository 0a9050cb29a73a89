//! Influence values that are kept, unit by unit.

use super::result::Influence;
use crate::error::{DidError, Result};
use crate::panel::Sample;
use crate::pass::{InfluencePass, InfluenceStat, KeptRows};
use crate::source::Source;

/// Influence values as a pass hands them out, in units of the outcome and on the scale of one observation.
pub(super) struct KeptValues {
    n: usize,
    y_scale: f64,
    /// `[n]` each, by rank; empty until there are values.
    columns: Vec<Vec<f64>>,
}

impl KeptValues {
    /// Of the first `columns` influence columns; those behind them are not kept.
    pub fn new(sample: &Sample, columns: usize) -> Self {
        Self { n: sample.n, y_scale: sample.y_scale, columns: vec![Vec::new(); columns] }
    }

    /// Takes the values of some rows.
    ///
    /// # Errors
    /// [`DidError::Engine`] for a row that is not in the sample.
    pub fn keep(&mut self, rows: &KeptRows) -> Result<()> {
        let n = self.n;
        let blocks = rows.values.chunks_exact(rows.ranks.len().max(1));
        for (j, values) in rows.columns.iter().zip(blocks) {
            let Some(column) = self.columns.get_mut(*j) else { continue };
            column.resize(n, 0.0);
            for (rank, value) in rows.ranks.iter().zip(values) {
                let place = usize::try_from(*rank).ok().and_then(|rank| column.get_mut(rank));
                let foreign = || DidError::Engine {
                    problem: format!("a row of rank {rank} was kept, and there are {n}"),
                };
                *place.ok_or_else(foreign)? = value * n as f64 * self.y_scale;
            }
        }
        Ok(())
    }

    /// The values by unit, in the order of the units' labels; `estimated` says which columns are of an estimate.
    pub fn finish(self, sample: &Sample, estimated: &[bool]) -> Influence {
        let Self { n, mut columns, .. } = self;
        for (column, estimated) in columns.iter_mut().zip(estimated) {
            column.resize(if *estimated { n } else { 0 }, 0.0);
        }
        let units = match &sample.labels {
            Some(labels) => labels.clone(),
            None => (0..n).map(|i| i.to_string()).collect(),
        };
        Influence { units, columns }
    }
}

/// Sums over the influence values, and the values of the first `columns` columns if the pass keeps them.
pub(super) fn influence<S: Source>(
    source: &S,
    pass: &InfluencePass,
    columns: usize,
) -> Result<(InfluenceStat, Option<KeptValues>)> {
    if !pass.consumers.keep_rows {
        return Ok((source.run(pass)?, None));
    }
    let mut kept = KeptValues::new(source.sample(), columns);
    let stat = source.run_keeping(pass, &mut |rows| kept.keep(&rows))?;
    Ok((stat, Some(kept)))
}
