//! What a sample's groups and periods will take, refused before any work if there is no room for it.

use super::request::{FormedCells, Request};
use super::rules::SampleExtent;
use super::stratum::StratumShape;
use crate::base::error::{DidError, Result};
use crate::base::memory;
use crate::base::options::ControlGroup;

/// Bytes of a planned and estimated cell but for its comparison cohorts and its row of the covariance.
const CELL: u128 = 1_024;

/// Bytes of a comparison cohort of a cell.
const COMPARISON: u128 = 512;

/// Effects and group shares whose covariance is formed as one matrix, of 34 MB; that of more may be formed in parts.
pub(crate) const MOST_WHOLE: usize = 2_048;

/// Doubles that an effect takes in a part: three columns with their weights.
const TERMS: u128 = 10;

/// Doubles of a covariance in parts: second moments of each stratum's columns, while they are formed, and the weights of the columns in each
/// effect.
pub(crate) fn doubles_in_parts(strata: u128, columns: u128, effects: u128) -> u128 {
    strata * (3 * columns.pow(2) + TERMS * effects)
}

/// Copies of the covariance while inference is formed from it: sums, covariance, and a map of all cells.
const COPIES: u128 = 6;

/// An error if there are more effects than memory has room for.
///
/// # Errors
/// [`DidError::TooManyCells`].
pub(super) fn check_cells(extent: &SampleExtent, request: &Request<'_>) -> Result<()> {
    let SampleExtent { cohorts, groups, periods } = *extent;
    let comparisons = match request.options.design.control_group() {
        ControlGroup::NeverTreated => 2,
        ControlGroup::NotYetTreated => cohorts as u128,
    };
    let count = groups as u128 * periods as u128;
    let columns = count + groups as u128;
    let joint = match request.cells {
        FormedCells::One => return Ok(()),
        FormedCells::Points => 0,
        FormedCells::Parts if columns > MOST_WHOLE as u128 => {
            8 * doubles_in_parts(cohorts as u128, 1 + periods as u128, columns)
        }
        FormedCells::Joint | FormedCells::Parts => 8 * COPIES * columns * columns,
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
pub(super) fn check_design(shape: StratumShape, strata: usize) -> Result<()> {
    let columns = shape.covariates as u128 + 1;
    let sums = (strata * shape.versions) as u128 + 2;
    memory::check(
        "the cross-products of the covariates",
        8 * sums * columns * columns,
        "use fewer covariates, or factors with fewer levels",
    )
}
