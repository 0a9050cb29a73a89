//! Influence values that are kept, unit by unit.

use crate::base::error::{DidError, Result};
use crate::engine::pass::{InfluencePass, InfluenceStat, KeptRows, add};
use crate::engine::source::{Influence, InfluenceFiles};
use crate::engine::source::{KeptApart, KeptColumn, Source};
use crate::read::panel::Sample;

/// Influence values as a pass hands them out, or leaves them where the rows are.
pub(crate) enum KeptValues {
    Here(ValuesHere),
    Apart(Box<dyn KeptApart>),
}

/// Influence values in units of the outcome and on the scale of one observation.
pub(crate) struct ValuesHere {
    n: usize,
    y_scale: f64,
    /// How many columns are of estimates; those of the groups' shares, behind them, have no unit.
    estimates: usize,
    /// `[n]` each, by rank; empty until there are values.
    columns: Vec<Vec<f64>>,
}

/// Influence values as a result has them.
#[derive(Default)]
pub(crate) struct Kept {
    pub here: Option<Influence>,
    pub files: Option<InfluenceFiles>,
    /// Values of the groups' shares, `[groups][n]`, where the others are here.
    pub of_shares: Option<Vec<Vec<f64>>>,
}

impl KeptValues {
    /// The values by unit, in the order of the units' labels.
    ///
    /// # Errors
    /// If they are elsewhere and cannot be written, and [`DidError::Engine`] for a column that was not kept.
    pub fn finish(self, sample: &Sample, columns: &[KeptColumn]) -> Result<Kept> {
        Ok(match self {
            Self::Here(mut values) => {
                let of_shares = Some(values.of_shares()?);
                Kept { here: Some(values.finish(sample, columns)?), files: None, of_shares }
            }
            Self::Apart(kept) => {
                let files = kept.finish((sample.n as f64, sample.y_scale), columns)?;
                Kept { files: Some(files), ..Kept::default() }
            }
        })
    }
}

impl ValuesHere {
    /// Of the influence columns of so many estimates and of the groups' shares.
    pub fn new(sample: &Sample, estimates: usize) -> Self {
        let columns = vec![Vec::new(); estimates + sample.groups.len()];
        Self { n: sample.n, y_scale: sample.y_scale, estimates, columns }
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
            let unit = if *j < self.estimates { self.y_scale } else { 1.0 };
            column.resize(n, 0.0);
            for (rank, value) in rows.ranks.iter().zip(values) {
                let slot = usize::try_from(*rank).ok().and_then(|rank| column.get_mut(rank));
                let foreign = || DidError::Engine {
                    problem: format!("a row of rank {rank} was kept, and there are {n}"),
                };
                *slot.ok_or_else(foreign)? = value * n as f64 * unit;
            }
        }
        Ok(())
    }

    fn finish(mut self, sample: &Sample, columns: &[KeptColumn]) -> Result<Influence> {
        let units = match &sample.labels {
            Some(labels) => labels.clone(),
            None => (0..self.n).map(|i| i.to_string()).collect(),
        };
        let names = columns.iter().map(|column| column.name.clone()).collect();
        let columns = columns.iter().map(|column| self.sum(&column.from)).collect::<Result<_>>()?;
        Ok(Influence { units, names, columns })
    }

    /// The values of the groups' shares. They are handed over, once.
    fn of_shares(&mut self) -> Result<Vec<Vec<f64>>> {
        (self.estimates..self.columns.len()).map(|j| self.sum(&[j])).collect()
    }

    /// The sum of some columns; each column may be in one sum only.
    fn sum(&mut self, from: &[usize]) -> Result<Vec<f64>> {
        let mut take = |j: &usize| -> Result<Vec<f64>> {
            let column = self.columns.get_mut(*j).ok_or_else(|| DidError::Engine {
                problem: format!("influence column {j} was not kept"),
            })?;
            let mut column = std::mem::take(column);
            column.resize(self.n, 0.0);
            Ok(column)
        };
        let Some((first, more)) = from.split_first() else { return Ok(Vec::new()) };
        let mut sum = take(first)?;
        for j in more {
            add(&mut sum, &take(j)?);
        }
        Ok(sum)
    }
}

/// Sums over the influence values, and the values of the estimates and of the groups' shares if the pass keeps them.
pub(crate) fn influence(
    source: &dyn Source,
    pass: &InfluencePass,
    estimates: usize,
) -> Result<(InfluenceStat, Option<KeptValues>)> {
    if !pass.consumers.keep_rows {
        return Ok((source.run(pass)?, None));
    }
    if let Some((stat, kept)) = source.keep_apart(pass)? {
        return Ok((stat, Some(KeptValues::Apart(kept))));
    }
    let mut kept = ValuesHere::new(source.sample(), estimates);
    let stat = source.run_keeping(pass, &mut |rows| kept.keep(&rows))?;
    Ok((stat, Some(KeptValues::Here(kept))))
}
