//! Result of an analysis of pre-trends.

use serde::{Deserialize, Serialize};

use super::equivalence::EquivalenceTests;
use super::options::Pretrends;
use crate::base::error::DidWarning;
use crate::estimator::aggregate::EventStudy;

/// Power of a test of pre-trends against violations of parallel trends, what is expected of the estimates after passing it, and
/// equivalence tests.
///
/// ```
/// use burn_did::{AttGt, Pretrends, backend::Cpu, data};
///
/// let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
/// let fit = config.group("first.treat").build().fit(&data::mpdta())?;
/// let pretrends = fit.event_study()?.pretrends(Pretrends::new())?;
/// for alternative in &pretrends.alternatives {
///     println!("{:?}: a power of {:.2}", alternative.slope, alternative.power);
/// }
/// println!("violations of at most {}", pretrends.equivalence.maximum.smallest_threshold);
/// println!("{pretrends}");
/// # Ok::<(), burn_did::DidError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[must_use]
#[non_exhaustive]
pub struct PretrendsResult {
    /// Probability that the test rejects without a violation.
    pub size: f64,
    /// Whether the estimates pass the test.
    pub passed: bool,
    /// Violations, with the power of the test against them.
    pub alternatives: Vec<PretrendsAlternative>,
    /// Equivalence tests.
    pub equivalence: EquivalenceTests,
    /// The event study, with one base period.
    pub study: EventStudy,
    /// The options.
    pub options: Pretrends,
    /// What the user should know.
    pub warnings: Vec<DidWarning>,
}

/// A violation of parallel trends, the power of the test against it, and the estimates to be expected after passing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PretrendsAlternative {
    /// Where the violation comes from.
    pub hypothesis: Hypothesis,
    /// Its slope, if it is linear.
    pub slope: Option<f64>,
    /// Probability that the test detects it.
    pub power: f64,
    /// Probability of passing the test under the violation, relative to that without one.
    pub bayes_factor: f64,
    /// Likelihood of the estimates before the reference period under the violation, relative to that without one.
    pub likelihood_ratio: f64,
    /// Event times, with the reference.
    pub rows: Vec<PretrendsRow>,
    /// Error of the numerical integration: in the power, and in expected estimates as a part of their standard errors.
    pub error: f64,
}

/// Where a violation comes from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Hypothesis {
    /// It is linear, and detected with this power.
    Power(f64),
    /// It is linear with a slope of the options.
    Slope,
    /// It is that of the options.
    Violations,
}

/// A violation at one event time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PretrendsRow {
    /// Event time.
    pub event_time: f64,
    /// Violation of parallel trends: the bias of the estimate.
    pub violation: f64,
    /// The estimate to be expected after passing the test if there are no effects, which after treatment is the bias that is left;
    /// `None` if the test never passes.
    #[doc(alias = "meanAfterPretesting")]
    pub after_passing: Option<f64>,
}
