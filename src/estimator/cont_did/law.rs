//! What the law of a continuous treatment's estimates is judged by.

use crate::base::error::DidError;
use crate::base::options::DoseTarget;

/// Scale against which a standard error of `target` is compared: 1 as in R, or the size of the outcomes if that is smaller; for a
/// slope, this scale over the range of doses.
pub(super) fn unit(target: DoseTarget, size: f64, (lowest, highest): (f64, f64)) -> f64 {
    let level = size.clamp(f64::MIN_POSITIVE, 1.0);
    match target {
        DoseTarget::Level => level,
        DoseTarget::Slope => (level / (highest - lowest).max(1.0)).max(f64::MIN_POSITIVE),
    }
}

/// Estimates have no covariance that an average of them needs.
pub(super) fn no_law() -> DidError {
    DidError::NoInfluence {
        what: "an average of dose effects",
        needs: "the covariance of the estimates",
        remedy: "fit again",
    }
}
