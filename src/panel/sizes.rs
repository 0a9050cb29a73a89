//! What a sample's groups and periods will take, refused before any work if there is no room for it.

use std::collections::BTreeSet;

use super::columns::{Roles, Rows, too_many};
use super::fill::Shape;
use super::intake::Request;
use super::rules::Rules;
use super::small::{MAX_DISTINCT, SmallCodes};
use crate::error::{DidError, Result};
use crate::memory;
use crate::options::ControlGroup;

/// Fewer clusters than this deserve a warning.
pub(super) const FEW_CLUSTERS: usize = 10;

/// What an estimator forms for its cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cells {
    /// One comparison.
    One,
    /// A cell for each group and period: its estimate alone, or with the joint covariance.
    Points,
    Joint,
}

impl Cells {
    /// Whether there are standard errors.
    pub fn has_errors(self) -> bool {
        self != Self::Points
    }
}

/// Bytes of a planned and estimated cell but for its comparison cohorts and its row of the covariance.
const CELL: u128 = 1_024;

/// Bytes of a comparison cohort of a cell.
const COMPARISON: u128 = 512;

/// Copies of the covariance while inference is formed from it: sums, covariance, and a map of all cells.
const COPIES: u128 = 6;

/// An error if there are more effects than memory has room for.
///
/// # Errors
/// [`DidError::TooManyCells`].
pub(super) fn check_cells(rules: &Rules, request: &Request<'_>) -> Result<()> {
    let (groups, periods) = (rules.groups.len(), rules.periods.len());
    let comparisons = match request.options.control_group {
        ControlGroup::NeverTreated => 2,
        ControlGroup::NotYetTreated => rules.cohorts.len() as u128,
    };
    let count = groups as u128 * periods as u128;
    let columns = count + groups as u128;
    let joint = match request.cells {
        Cells::One => return Ok(()),
        Cells::Points => 0,
        Cells::Joint => 8 * COPIES * columns * columns,
    };
    let needed = joint + count * (CELL + COMPARISON * comparisons);
    match memory::check("cells", needed, "") {
        Err(DidError::Memory { needed, available, .. }) => Err(DidError::TooManyCells {
            group: request.roles.group.clone(),
            time: request.roles.time.clone(),
            groups,
            periods,
            needed,
            available,
        }),
        other => other,
    }
}

/// An error if the cross-products of the covariates, of every stratum and version, do not fit in free memory.
///
/// # Errors
/// [`DidError::Memory`].
pub(super) fn check_design(shape: Shape, strata: usize) -> Result<()> {
    let columns = shape.covariates as u128 + 1;
    let sums = (strata * shape.versions) as u128 + 2;
    memory::check(
        "the cross-products of the covariates",
        8 * sums * columns * columns,
        "use fewer covariates, or factors with fewer levels",
    )
}

/// Distinct periods and groups of all frames so far.
#[derive(Debug, Default)]
pub(super) struct Distinct {
    periods: BTreeSet<u64>,
    groups: BTreeSet<u64>,
}

impl Distinct {
    /// # Errors
    /// [`DidError::TooManyValues`].
    pub fn add(&mut self, rows: &Rows, roles: &Roles) -> Result<()> {
        extend(&mut self.periods, &rows.time);
        extend(&mut self.groups, &rows.group);
        for (found, column, role) in [
            (&self.periods, &roles.time, "time"),
            (&self.groups, &roles.group, roles.treatment.role()),
        ] {
            if found.len() > MAX_DISTINCT {
                return Err(too_many(column, role, found.len()));
            }
        }
        Ok(())
    }
}

/// Adds the values but for those of rows that are missing or never treated.
fn extend(found: &mut BTreeSet<u64>, codes: &SmallCodes) {
    let values = codes.present().map(|code| codes.value(code)).filter(|v| v.is_finite());
    found.extend(values.map(f64::to_bits));
}
