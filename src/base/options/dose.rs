//! Options of continuous treatments.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::base::error::{DidError, Result};
use crate::base::words::{ParseOptionError, joined, numbers, words};

words! {
    /// Parameter of the event study of a continuous treatment.
    #[derive(Default)]
    pub enum DoseTarget: "target" {
        /// Average effects on the treated, ATT.
        #[default]
        Level = "level",
        /// Average causal responses, ACRT: slopes of the effect in the dose.
        Slope = "slope",
    }
}

impl DoseTarget {
    /// Name of the parameter: `ATT` or `ACRT`.
    #[must_use]
    pub fn parameter(self) -> &'static str {
        match self {
            Self::Level => "ATT",
            Self::Slope => "ACRT",
        }
    }
}

words! {
    /// Averages of the group-time effects of a continuous treatment.
    #[derive(Default)]
    pub enum DoseAggregation: "aggregation" {
        /// Curves over the dose.
        #[default]
        Dose = "dose",
        /// Effects by length of exposure.
        EventStudy = "event_study" | "eventstudy" | "dynamic",
    }
}

words! {
    /// How curves over the dose are estimated.
    #[derive(Default)]
    pub enum DoseMethod: "method" {
        /// Splines of a given degree with a given number of knots.
        #[default]
        Parametric = "parametric",
        /// Cubic splines whose number the data decide, with undersmoothed bands (Chen, Christensen and Kankanala 2025): two groups in
        /// two periods.
        Cck = "cck",
    }
}

words! {
    /// Whether the shares of groups, by which curves are averaged over groups, are part of the uncertainty of the average.
    #[derive(Default)]
    pub enum CohortShares: "shares" {
        /// They are those of the sample: inference is given groups of these sizes.
        Fixed = "fixed",
        /// They are estimates of the population's, as in averages of all other estimators.
        #[default]
        Estimated = "estimated",
    }
}

words! {
    /// Correction of the standard errors of curves and slopes for the coefficients that a group's treated units determine: residuals
    /// are smaller than errors, the more so the fewer units a group has.
    #[derive(Default)]
    pub enum CurveErrors: "curve_errors" {
        /// None, as in the reference packages.
        #[default]
        Hc0 = "hc0",
        /// Squared residuals times `n / (n - J)`, for `n` treated units and `J` coefficients of a group's curve (`MacKinnon` and White 1985).
        Hc1 = "hc1",
    }
}

impl CurveErrors {
    /// What a residual is multiplied by.
    pub(crate) fn factor(self, units: usize, coefficients: usize) -> f64 {
        match self {
            Self::Hc1 if units > coefficients => {
                (units as f64 / (units - coefficients) as f64).sqrt()
            }
            Self::Hc0 | Self::Hc1 => 1.0,
        }
    }
}

/// Doses at which curves are reported.
///
/// ```
/// use burn_did::doses::DoseGrid;
/// assert!(DoseGrid::Even(50).validate().is_ok());
/// assert!(DoseGrid::Quantiles { first: 0.9, last: 0.1, count: 5 }.validate().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[doc(alias = "dvals")]
#[non_exhaustive]
pub enum DoseGrid {
    /// So many, evenly spaced from the smallest dose to the largest.
    Even(usize),
    /// Quantiles of the doses of the treated units, each counted once, at probabilities evenly spaced from the first to the last.
    Quantiles {
        /// Smallest probability.
        first: f64,
        /// Largest probability.
        last: f64,
        /// Number of quantiles.
        count: usize,
    },
    /// These.
    Values(Vec<f64>),
}

impl Default for DoseGrid {
    /// The grid of `moderndid`.
    fn default() -> Self {
        Self::Even(50)
    }
}

/// `grid:COUNT`, `quantiles:FIRST:LAST:COUNT`, or the doses with commas between them.
impl fmt::Display for DoseGrid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Even(count) => write!(f, "grid:{count}"),
            Self::Quantiles { first, last, count } => write!(f, "quantiles:{first}:{last}:{count}"),
            Self::Values(values) => f.write_str(&joined(values, ",")),
        }
    }
}

impl FromStr for DoseGrid {
    type Err = ParseOptionError;

    fn from_str(text: &str) -> std::result::Result<Self, ParseOptionError> {
        let wrong = || ParseOptionError::new("dvals", DOSES, text);
        let parts: Vec<&str> = text.split(':').map(str::trim).collect();
        Ok(match parts[..] {
            ["grid", count] => Self::Even(count.parse().map_err(|_| wrong())?),
            ["quantiles", first, last, count] => Self::Quantiles {
                first: first.parse().map_err(|_| wrong())?,
                last: last.parse().map_err(|_| wrong())?,
                count: count.parse().map_err(|_| wrong())?,
            },
            [values] => Self::Values(numbers(values, ',').ok_or_else(wrong)?),
            _ => return Err(wrong()),
        })
    }
}

/// How doses are written.
const DOSES: &str = "doses as in 0.1,0.2, quantiles:0.1:0.99:90 or grid:50";

/// Doses of a grid, at most.
const MOST: usize = 100_000;

impl DoseGrid {
    /// Checks that the grid has doses, finite ones and not too many.
    ///
    /// # Errors
    /// [`DidError::Config`].
    pub fn validate(&self) -> Result<()> {
        self.check("dvals")
    }

    /// As [`validate`](Self::validate), of the doses of this option.
    pub(crate) fn check(&self, option: &'static str) -> Result<()> {
        let count = match self {
            Self::Even(count) | Self::Quantiles { count, .. } => *count,
            Self::Values(values) => values.len(),
        };
        if !(1..=MOST).contains(&count) {
            return Err(DidError::config(option, "1 to 100000 doses", count));
        }
        match self {
            Self::Quantiles { first, last, .. }
                if !(0.0..=1.0).contains(first) || !(*first..=1.0).contains(last) =>
            {
                Err(DidError::config(
                    option,
                    "probabilities between 0 and 1, the first below the last",
                    format!("{first} to {last}"),
                ))
            }
            Self::Values(values) => match values.iter().find(|v| !v.is_finite()) {
                Some(value) => Err(DidError::config(option, "finite numbers", value)),
                None => Ok(()),
            },
            Self::Even(_) | Self::Quantiles { .. } => Ok(()),
        }
    }

    /// Probabilities of the quantiles that it asks for.
    pub(crate) fn probabilities(&self) -> Vec<f64> {
        match self {
            Self::Quantiles { first, last, count } => spaced(*first, *last, *count),
            Self::Even(_) | Self::Values(_) => Vec::new(),
        }
    }

    /// The doses, of a sample with this range and these quantiles at the [`probabilities`](Self::probabilities).
    pub(crate) fn doses(&self, range: (f64, f64), quantiles: &[f64]) -> Vec<f64> {
        match self {
            Self::Even(count) => spaced(range.0, range.1, *count),
            Self::Quantiles { .. } => quantiles.to_vec(),
            Self::Values(values) => values.clone(),
        }
    }
}

/// Evenly spaced numbers, both ends among them.
fn spaced(first: f64, last: f64, count: usize) -> Vec<f64> {
    let step = (last - first) / (count.max(2) - 1) as f64;
    let at = |i: usize| if i > 0 && i + 1 == count { last } else { first + i as f64 * step };
    (0..count).map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_have_their_ends() {
        assert_eq!(DoseGrid::Even(3).doses((1.0, 2.0), &[]), [1.0, 1.5, 2.0]);
        assert_eq!(DoseGrid::Even(1).doses((1.0, 2.0), &[]), [1.0]);
        let quantiles = DoseGrid::Quantiles { first: 0.1, last: 0.99, count: 90 };
        let probabilities = quantiles.probabilities();
        assert_eq!((probabilities.len(), probabilities[0], probabilities[89]), (90, 0.1, 0.99));
        assert!((probabilities[1] - 0.11).abs() < 1e-15);
        assert_eq!(quantiles.doses((0.0, 9.0), &[4.0]), [4.0]);
    }

    #[test]
    fn grids_that_cannot_be_are_refused() {
        let bad = [
            DoseGrid::Even(0),
            DoseGrid::Values(vec![]),
            DoseGrid::Values(vec![1.0, f64::NAN]),
            DoseGrid::Quantiles { first: -0.1, last: 0.5, count: 3 },
            DoseGrid::Even(MOST + 1),
        ];
        assert!(bad.iter().all(|grid| grid.validate().is_err()));
        assert_eq!(DoseTarget::Slope.parameter(), "ACRT");
    }
}
