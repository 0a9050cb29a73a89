//! Changes of the columns before they go to a device. Those of outcomes and covariates are affine, leave every estimate and
//! influence value as it is, and make sums accurate: differences are taken before rounding, covariates are standardised and, where
//! nearly collinear, decorrelated. A dose becomes splines (`doses`).
//!
//! The change depends on sums over the raw columns: [`Look`]s, which the holder of the rows answers in double
//! precision, stratum by stratum. The rules on these sums are in `find`; the [`Change`] is small and goes to where the rows
//! are.

mod change;
mod doses;
mod find;
mod look;

use crate::base::error::Result;
use crate::base::options::Precision;
use crate::base::progress::Progress;
use crate::read::panel::Sample;

pub(crate) use change::Change;
pub(crate) use doses::DoseQuery;
use find::{KnownColumns, find, shares};
pub(crate) use look::{Look, LookStat, Piece};

/// Name of the stage in progress reports.
const STAGE: &str = "conditioning";

/// Which changes of the data the estimator is invariant to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Conditioning {
    /// None: the data are handed to a user-supplied estimator.
    Raw,
    /// None of the outcomes: the estimator's weights do not add up to zero.
    Unshifted(Precision),
    /// Constants of each unit.
    UnshiftedChanges(Precision),
    /// Constants of each period, if the design has a constant.
    Levels(Precision),
    /// Constants of each unit, and of each period if the design has a constant.
    Changes(Precision),
}

impl Conditioning {
    /// Whether constants of a unit drop out.
    pub fn is_of_changes(self) -> bool {
        matches!(self, Self::Changes(_) | Self::UnshiftedChanges(_))
    }

    /// Whether constants of a period drop out of regressions with a constant.
    fn is_shifted(self) -> bool {
        matches!(self, Self::Levels(_) | Self::Changes(_))
    }

    fn precision(self) -> Precision {
        match self {
            Self::Raw => Precision::F64,
            Self::Unshifted(precision)
            | Self::UnshiftedChanges(precision)
            | Self::Levels(precision)
            | Self::Changes(precision) => precision,
        }
    }
}

/// Holds the columns of the strata as they were read, and answers looks at them.
pub(crate) trait Raw {
    /// Rows of each stratum.
    fn rows(&self) -> Vec<usize>;

    /// The statistic of each stratum, its segments added in order.
    ///
    /// # Errors
    /// If the engine reports an error.
    fn answer(&self, look: &Look) -> Result<Vec<LookStat>>;
}

/// Finds the change that conditions the columns, and tells the sample the way back.
///
/// # Errors
/// [`DidError::CovariateRange`](crate::DidError::CovariateRange), [`DidError::Doses`](crate::DidError::Doses), and what the engine
/// reports.
pub(crate) fn condition(
    raw: &dyn Raw,
    sample: &mut Sample,
    conditioning: Conditioning,
    drops_collinear: bool,
    doses: Option<&DoseQuery>,
    progress: Option<&Progress>,
) -> Result<Change> {
    let report = |done| progress.iter().for_each(|p| p.report(STAGE, done, 2));
    report(0);
    let known = KnownColumns::new(sample, conditioning, drops_collinear, raw.rows());
    // A dose is no covariate: what is to be known of it is not what standardises one.
    let versions = sample.design.versions;
    if doses.is_some() {
        sample.design = doses::no_covariates();
    }
    let mut change = find(raw, &known, &mut sample.design)?;
    sample.offsets = (0..sample.n_strata()).map(|s| change.offsets(s)).collect();
    sample.y_scale = change.y_scale;
    sample.y_size = change.y_size;
    report(1);
    if let Some(query) = doses {
        let of_doses = doses::find_doses(raw, sample, versions, query)?;
        sample.design = of_doses.design();
        change.doses = Some(of_doses.expansion());
        sample.doses = Some(of_doses.doses);
    }
    sample.shares = shares(raw, &known, sample, change.weight)?;
    report(2);
    Ok(change)
}
