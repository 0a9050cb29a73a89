//! Rows that a pass keeps and that stay where the rows are.

use serde::{Deserialize, Serialize};

use super::influence::InfluenceFiles;
use crate::base::error::Result;
use crate::engine::pass::InfluenceStat;

/// A column of influence values, as users see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KeptColumn {
    pub name: String,
    /// The columns of the pass that it is the sum of, in the order in which they are added; none if there is no estimate.
    pub from: Vec<usize>,
}

/// How a value is brought to the units of the outcome and the scale of one observation: by one factor, then by the other.
pub(crate) type Scale = (f64, f64);

/// What a source kept somewhere else.
pub(crate) trait KeptApart {
    /// Has it written, unit by unit, to the files that users see.
    ///
    /// # Errors
    /// If that fails.
    fn finish(self: Box<Self>, scale: Scale, columns: &[KeptColumn]) -> Result<InfluenceFiles>;
}

/// What a pass gives, and what was kept.
pub(crate) type InfluenceApart = (InfluenceStat, Box<dyn KeptApart>);
