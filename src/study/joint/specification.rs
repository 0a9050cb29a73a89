//! One way to estimate.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{JointStudy, StudyEstimator};
use crate::base::options::{BasePeriod, ControlGroup, EstimationMethod};
use crate::base::words::ParseOptionError;
use crate::engine::backend::DidBackend;

/// One way to estimate: an estimator, and what it is told besides the columns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Specification {
    /// The estimator.
    pub estimator: StudyEstimator,
    /// Covariates.
    pub covariates: String,
    /// Comparison units; none if the estimator has no choice.
    pub control_group: Option<ControlGroup>,
    /// Base period; none if the estimator has no choice.
    pub base_period: Option<BasePeriod>,
    /// Two-by-two estimator; none if the estimator has no choice.
    pub method: Option<EstimationMethod>,
    /// Periods before the first treated one in which units may already react.
    pub anticipation: u32,
    /// Rows that are used.
    pub sample: SampleFilter,
}

/// Which rows of the data a specification uses.
///
/// ```
/// use burn_did::joint_study::SampleFilter;
///
/// assert_eq!("without:2004".parse(), Ok(SampleFilter::Without("2004".into())));
/// assert_eq!("urban".parse(), Ok(SampleFilter::Where("urban".into())));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
#[non_exhaustive]
pub enum SampleFilter {
    /// All rows: `all`.
    All,
    /// Those of units that are not first treated in this period, as the group column has it: `without:2004`.
    Without(String),
    /// Those with 1 or TRUE in this column: its name.
    Where(String),
}

const WITHOUT: &str = "without:";

impl fmt::Display for SampleFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all"),
            Self::Without(group) => write!(f, "{WITHOUT}{group}"),
            Self::Where(column) => f.write_str(column),
        }
    }
}

impl FromStr for SampleFilter {
    type Err = ParseOptionError;

    fn from_str(text: &str) -> Result<Self, ParseOptionError> {
        let text = text.trim();
        match (text, text.strip_prefix(WITHOUT).map(str::trim)) {
            ("all", _) => Ok(Self::All),
            ("", _) | (_, Some("")) => {
                let expected =
                    "`all`, `without:` with a first treated period, or a column of 0 and 1";
                Err(ParseOptionError::new("sample", expected, text))
            }
            (_, Some(group)) => Ok(Self::Without(group.to_owned())),
            (column, None) => Ok(Self::Where(column.to_owned())),
        }
    }
}

impl From<SampleFilter> for String {
    fn from(filter: SampleFilter) -> Self {
        filter.to_string()
    }
}

impl TryFrom<String> for SampleFilter {
    type Error = ParseOptionError;

    fn try_from(text: String) -> Result<Self, ParseOptionError> {
        text.parse()
    }
}

impl StudyEstimator {
    /// Whether it has the choice between never-treated and not-yet-treated comparison units.
    pub(crate) fn has_control_group(self) -> bool {
        !matches!(self, Self::SunAbraham | Self::Imputation | Self::TwoStage)
    }

    /// Whether it compares two groups in two periods, by a method and with a base period of choice.
    pub(crate) fn has_cells(self) -> bool {
        self == Self::CallawaySantAnna
    }
}

impl<B: DidBackend> JointStudy<B> {
    /// What an estimator of the study is told.
    pub(crate) fn specification(&self, estimator: StudyEstimator) -> Specification {
        Specification {
            estimator,
            covariates: self.covariates.clone(),
            control_group: estimator.has_control_group().then_some(self.control_group),
            base_period: estimator.has_cells().then_some(BasePeriod::Universal),
            method: estimator.has_cells().then_some(EstimationMethod::DoublyRobust),
            anticipation: self.anticipation,
            sample: SampleFilter::All,
        }
    }
}
