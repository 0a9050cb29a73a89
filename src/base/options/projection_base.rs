//! What outcomes are compared with.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::base::words::ParseOptionError;

/// The outcome before treatment that outcomes are compared with.
///
/// ```
/// use burn_did::projections::ProjectionBase;
///
/// assert_eq!("max".parse(), Ok(ProjectionBase::AllBefore));
/// assert_eq!("2".parse(), Ok(ProjectionBase::Mean(2)));
/// assert_eq!(ProjectionBase::default().to_string(), "last");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
#[non_exhaustive]
pub enum ProjectionBase {
    /// That of the last period before.
    #[default]
    Last,
    /// The mean of so many periods before, all of which must be observed.
    Mean(u32),
    /// The mean of all observed periods before.
    AllBefore,
}

impl fmt::Display for ProjectionBase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Last => f.write_str("last"),
            Self::Mean(periods) => write!(f, "{periods}"),
            Self::AllBefore => f.write_str("max"),
        }
    }
}

impl FromStr for ProjectionBase {
    type Err = ParseOptionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let periods = |text: &str| text.parse::<u32>().ok().filter(|periods| *periods > 0);
        match (text, periods(text)) {
            ("last", _) => Ok(Self::Last),
            ("max", _) => Ok(Self::AllBefore),
            (_, Some(periods)) => Ok(Self::Mean(periods)),
            _ => Err(ParseOptionError::new("base", "last, max or a number of periods", text)),
        }
    }
}

impl From<ProjectionBase> for String {
    fn from(base: ProjectionBase) -> Self {
        base.to_string()
    }
}

impl TryFrom<String> for ProjectionBase {
    type Error = ParseOptionError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}
