//! What the law of a continuous treatment's estimates is judged by.

use crate::base::error::DidError;
use crate::base::options::DoseTarget;
use crate::read::panel::Sample;

/// The largest mean outcome of a cohort in a period, in absolute value; 1 if all are zero.
pub(super) fn outcome_size(sample: &Sample) -> f64 {
    let means = sample.offsets.iter().flatten().map(|mean| (mean * sample.y_scale).abs());
    let largest = means.fold(0.0, f64::max);
    if largest > 0.0 && largest.is_finite() { largest } else { 1.0 }
}

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
