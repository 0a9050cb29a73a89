//! What an estimator asks of its sample.

use super::reader::Reader;
use super::roles::Roles;
use super::rules::SampleOptions;
use crate::base::options::FixWeights;
use crate::read::columns::MissingValues;

/// Everything that is asked of a sample.
pub(crate) struct Request<'a> {
    pub roles: &'a Roles,
    pub options: SampleOptions,
    pub fix_weights: Option<FixWeights>,
    /// Whether estimates depend on changes of a unit's outcomes only.
    pub changes: bool,
    /// What will be formed of the sample.
    pub cells: FormedCells,
    pub storage: Storage,
    pub missing: MissingValues,
}

impl Request<'_> {
    /// How its rows are read.
    pub(super) fn reader(&self) -> Reader<'_> {
        let by_row = self.options.repeated_cross_sections;
        Reader { roles: self.roles, missing: &self.missing, by_row }
    }

    /// Whether rows have no labels, so that their content is their order.
    pub(super) fn sorts_by_content(&self) -> bool {
        self.roles.unit.is_none()
    }
}

/// What an estimator forms for its cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FormedCells {
    /// One comparison.
    One,
    /// A cell for each group and period: its estimate alone, or with the joint covariance.
    Points,
    Joint,
    /// The same, with the covariance of very many cells in parts.
    Parts,
}

/// Where strata are put.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Storage {
    /// In memory.
    Resident,
    /// In memory if they take no more than so many bytes (or than is free), else in a file.
    Within(Option<u64>),
}

impl FormedCells {
    /// Whether there are standard errors.
    pub fn has_errors(self) -> bool {
        self != Self::Points
    }
}
