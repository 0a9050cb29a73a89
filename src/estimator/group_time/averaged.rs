//! Influence values of averages, unit by unit.

use super::GroupTimeResult;
use crate::base::error::Result;
use crate::base::parallel;
use crate::engine::source::Influence;
use crate::estimator::aggregate::{Aggregation, linear};
use crate::result::inference::Combination;

impl GroupTimeResult {
    /// Influence values of the overall average and of the rows, as those of the effects are scaled. Those of the groups' shares are not
    /// centred: what their means add is zero, as averages depend on ratios of shares alone.
    ///
    /// # Errors
    /// As [`aggregate`](Self::aggregate).
    pub(super) fn influence_of_averages(
        &self,
        aggregation: &Aggregation,
    ) -> Result<Option<Influence>> {
        let (Some(effects), Some(shares)) = (&self.influence, &self.influence_of_shares) else {
            return Ok(None);
        };
        let averages = linear(&self.effects, aggregation, &mut Vec::new())?;
        let rows = averages.rows.iter().map(|row| (row.at.to_string(), &row.combination));
        let overall = averages.overall.iter().map(|of| ("overall".to_owned(), of));
        let (names, averages): (Vec<String>, Vec<&Combination>) = overall.chain(rows).unzip();
        let combined = |at: usize| effects.combined_with(shares, &averages[at].weights);
        let columns = parallel::map(averages.len(), combined);
        Ok(Some(Influence { units: effects.units.clone(), names, columns }))
    }
}
