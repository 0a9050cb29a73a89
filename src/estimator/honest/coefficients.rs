//! Coefficients of an event study without its reference period, with their covariance: all that analyses of violations of parallel trends need.

use super::dense::DenseMatrix;
use crate::base::error::{DidWarning, Result};
use crate::base::solve::least_eigenvalue;
use crate::estimator::aggregate::{EventStudy, ROUNDING, check_usable, wrong};
use crate::result::settings::Settings;

/// That effects of different event times are in different units.
const NORMALIZED: &str = "each effect and placebo is divided by the change of the treatment up to its own event time: where these changes differ, trends that differ linearly are no line here, and restrictions on these estimates are none on trends; fit without `normalized` (`--normalized`) and analyse those effects, which are the same numbers where all these changes are 1";

/// Coefficients before and after the reference period, in order of time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct EventCoefficients {
    values: Vec<f64>,
    /// Symmetric.
    covariance: DenseMatrix,
    /// The largest difference between a covariance and its mirror image, as given.
    asymmetry: f64,
    event_times: Vec<f64>,
    pre: usize,
}

impl EventCoefficients {
    /// Of an event study with one base period.
    pub fn of(study: &EventStudy) -> Result<Self> {
        if study.provenance.settings().is_some_and(Settings::is_normalized) {
            return wrong(NORMALIZED);
        }
        let pre = study.reference()?;
        study.check_spacing()?;
        for row in study.rows.iter().filter(|row| !row.reference) {
            let missing = match (row.estimate.estimate, row.estimate.se) {
                (None, _) => "estimate",
                (_, None) => "standard error",
                _ => continue,
            };
            return wrong(format!(
                "event time {} has no {missing}; choose a window without it, or ask for fewer periods",
                row.at
            ));
        }
        let (values, sigma) = (study.coefficients(), study.covariance());
        let n = values.len();
        check_usable(&values, &sigma, pre, n - pre)?;
        let pairs = (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
        Ok(Self {
            covariance: DenseMatrix::from_fn(n, n, |i, j| 0.5 * (sigma[i][j] + sigma[j][i])),
            asymmetry: pairs.map(|(i, j)| (sigma[i][j] - sigma[j][i]).abs()).fold(0.0, f64::max),
            event_times: study.event_times(),
            values,
            pre,
        })
    }

    /// Periods before the reference period.
    pub fn pre(&self) -> usize {
        self.pre
    }

    /// Periods after the reference period.
    pub fn post(&self) -> usize {
        self.values.len() - self.pre
    }

    /// The coefficients, `[pre + post]`.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Their covariance, symmetric.
    pub fn covariance(&self) -> &DenseMatrix {
        &self.covariance
    }

    /// Event times of the coefficients.
    pub fn event_times(&self) -> &[f64] {
        &self.event_times
    }

    /// Event time of the reference period.
    pub fn reference(&self) -> f64 {
        0.5 * (self.event_times[self.pre - 1] + self.event_times[self.pre])
    }

    /// What is odd about the covariance.
    pub fn warnings(&self) -> Vec<DidWarning> {
        let n = self.values.len();
        let scale = (0..n).map(|i| self.covariance.at(i, i)).fold(0.0, f64::max);
        let mut warnings = Vec::new();
        if self.asymmetry > ROUNDING * scale {
            warnings.push(DidWarning::AsymmetricCovariance { largest: self.asymmetry });
        }
        let flat = self.covariance.rows().flatten().copied().collect::<Vec<_>>();
        let least = least_eigenvalue(&flat, n);
        if least < -ROUNDING * scale {
            warnings.push(DidWarning::IndefiniteCovariance { least });
        }
        warnings
    }
}
