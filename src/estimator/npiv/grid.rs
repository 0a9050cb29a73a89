//! Points at which a curve is evaluated.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::base::words::{ParseOptionError, joined, numbers};

/// Points at which a curve is evaluated.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[doc(alias = "x_eval")]
#[non_exhaustive]
pub enum SieveGrid {
    /// The regressors of each observation.
    #[default]
    Observations,
    /// So many points, evenly spaced from the smallest to the largest value of every regressor.
    Even(usize),
    /// These: a number for each regressor.
    Points(Vec<Vec<f64>>),
}

/// `observations`, `grid:COUNT`, or points separated by commas, whose coordinates are separated by colons.
impl fmt::Display for SieveGrid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Observations => f.write_str("observations"),
            Self::Even(count) => write!(f, "grid:{count}"),
            Self::Points(points) => {
                let points: Vec<String> = points.iter().map(|point| joined(point, ":")).collect();
                f.write_str(&points.join(","))
            }
        }
    }
}

impl FromStr for SieveGrid {
    type Err = ParseOptionError;

    fn from_str(text: &str) -> Result<Self, ParseOptionError> {
        let grid = match text.trim() {
            "observations" => Some(Self::Observations),
            other => match other.strip_prefix("grid:") {
                Some(count) => count.trim().parse().ok().map(Self::Even),
                None => other
                    .split(',')
                    .map(|point| numbers(point, ':'))
                    .collect::<Option<_>>()
                    .map(Self::Points),
            },
        };
        let expected = "points as in 0.1,0.2, grid:50 or observations";
        grid.ok_or_else(|| ParseOptionError::new("grid", expected, text))
    }
}
