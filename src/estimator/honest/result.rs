//! Result of a sensitivity analysis.

use serde::{Deserialize, Serialize};

use super::options::{Honest, HonestMethod};
use crate::base::error::DidWarning;
use crate::estimator::aggregate::EventStudy;
use crate::result::inference::Estimate;

/// A robust confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RobustInterval {
    /// The `M` or `M̄`.
    pub m: f64,
    /// Lower end; `None` if every value of the parameter is rejected.
    pub lower: Option<f64>,
    /// Upper end.
    pub upper: Option<f64>,
    /// Whether the end of the grid is accepted, so that the interval is longer there: below, and above.
    pub open: [bool; 2],
}

impl RobustInterval {
    /// Whether the interval leaves out zero. One that is [open](Self::open) towards zero may not.
    #[must_use]
    pub fn excludes_zero(&self) -> bool {
        let [below, above] = self.open;
        matches!((self.lower, self.upper), (Some(l), Some(u)) if (l > 0.0 && !below) || (u < 0.0 && !above))
    }

    /// Whether the interval is longer than the grid, on either side.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.open != [false; 2]
    }
}

/// The largest `M` or `M̄` at which zero is outside the robust interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "status", content = "value")]
#[non_exhaustive]
pub enum Breakdown {
    /// The effect is significant up to this number, and not beyond it.
    At(f64),
    /// The effect is not significant even at 0.
    NotSignificant,
    /// The effect is significant at every number that was tried, up to this one.
    AlwaysSignificant(f64),
}

impl Breakdown {
    /// The number, if there is one.
    #[must_use]
    pub fn value(self) -> Option<f64> {
        match self {
            Self::At(m) => Some(m),
            Self::NotSignificant | Self::AlwaysSignificant(_) => None,
        }
    }
}

/// Robust confidence intervals by how large violations of parallel trends may be, with the original interval and the breakdown
/// value.
///
/// ```
/// use burn_did::{Aggregation, Honest};
/// # use burn_did::{AttGt, backend::Cpu, data, options::BasePeriod};
/// # let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
/// # let config = config.group("first.treat").base_period(BasePeriod::Universal);
/// # let fit = config.build().fit(&data::mpdta())?;
/// let event_study = fit.aggregate(Aggregation::dynamic())?;
/// let honest = event_study.honest(Honest::relative_magnitude().m_bar([0.5, 1.0]))?;
/// for interval in &honest.intervals {
///     println!("{}: {:?} to {:?}", interval.m, interval.lower, interval.upper);
/// }
/// println!("{honest}");
/// # Ok::<(), burn_did::DidError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[must_use]
#[non_exhaustive]
pub struct HonestResult {
    /// The parameter in words.
    pub parameter: String,
    /// Its weights of the coefficients after the reference period.
    pub weights: Vec<f64>,
    /// Its estimate with the interval that takes parallel trends for granted.
    pub original: Estimate,
    /// Robust intervals, in the order of the options' `M`.
    pub intervals: Vec<RobustInterval>,
    /// The largest `M` that leaves the effect significant.
    pub breakdown: Breakdown,
    /// How intervals were formed.
    pub method: HonestMethod,
    /// R `HonestDiD`'s name of the set, such as `DeltaRM` or `DeltaSDPB`.
    pub name: String,
    /// The `M` that the periods before treatment are consistent with, at the level of the analysis; for smoothness with at least two of
    /// them. See [`EventStudy::smoothness_bounds`].
    #[serde(with = "infinite")]
    pub smoothness_bounds: Option<[f64; 2]>,
    /// The event study, with one base period.
    pub study: EventStudy,
    /// The options.
    pub options: Honest,
    /// Warnings about the event study, the intervals and the options.
    pub warnings: Vec<DidWarning>,
}

/// An infinite bound as null.
mod infinite {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(
        bounds: &Option<[f64; 2]>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let finite = |v: f64| Some(v).filter(|v| v.is_finite());
        bounds.map(|bounds| bounds.map(finite)).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<[f64; 2]>, D::Error> {
        let bounds = Option::<[Option<f64>; 2]>::deserialize(deserializer)?;
        Ok(bounds.map(|bounds| bounds.map(|v| v.unwrap_or(f64::INFINITY))))
    }
}
