//! Options of an analysis of pre-trends.

use serde::{Deserialize, Serialize};

use crate::base::error::{DidError, Result};
use crate::base::options::defaults::ALPHA;
use crate::base::words::words;

/// The critical value of R `pretrends`.
const CRITICAL: f64 = 1.96;

words! {
    /// The test of pre-trends.
    pub enum PreTest: "test" {
        /// No coefficient before the reference period is significant by itself.
        Individual = "individual" | "nis",
        /// A Wald test that all of them are zero.
        Joint = "joint" | "wald",
    }
}

/// An analysis of the test of pre-trends of an event study (Roth 2022), with equivalence tests (Dette and Schumann 2024).
///
/// ```
/// use burn_did::Pretrends;
///
/// let options = Pretrends::new().target_power([0.5, 0.8]).slope(0.02).threshold(0.05);
/// # assert_eq!((options.slopes.len(), options.threshold), (1, Some(0.05)));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[doc(alias = "slope_for_power")]
#[non_exhaustive]
pub struct Pretrends {
    /// The test.
    pub test: PreTest,
    /// What the t statistics of the individual tests are compared with.
    #[doc(alias = "thresholdTstat.Pretest")]
    pub critical: f64,
    /// Level of the joint test and of the equivalence tests.
    pub alpha: f64,
    /// Powers for which the slope of a linear violation is found.
    #[doc(alias = "targetPower")]
    pub power: Vec<f64>,
    /// Slopes of linear violations, per unit of event time.
    pub slopes: Vec<f64>,
    /// A violation at every event time but the reference, in order of time.
    #[doc(alias = "deltatrue")]
    pub violations: Option<Vec<f64>>,
    /// Violations below this are negligible; without it, equivalence tests report the smallest for which they are concluded to be.
    #[doc(alias = "equiv_threshold")]
    pub threshold: Option<f64>,
}

impl Default for Pretrends {
    fn default() -> Self {
        Self {
            test: PreTest::Individual,
            critical: CRITICAL,
            alpha: ALPHA,
            power: vec![0.5, 0.8],
            slopes: Vec::new(),
            violations: None,
            threshold: None,
        }
    }
}

impl Pretrends {
    /// Individual tests at the critical value 1.96, as in R `pretrends`; slopes with a power of 50 % and 80 %.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the test.
    #[must_use]
    pub fn test(mut self, test: PreTest) -> Self {
        self.test = test;
        self
    }

    /// Takes a Wald test of all coefficients before the reference period.
    #[must_use]
    pub fn joint(self) -> Self {
        self.test(PreTest::Joint)
    }

    /// Sets what t statistics are compared with.
    #[must_use]
    pub fn critical(mut self, critical: f64) -> Self {
        self.critical = critical;
        self
    }

    /// Sets the level of the joint test and of the equivalence tests.
    #[must_use]
    pub fn alpha(mut self, alpha: f64) -> Self {
        self.alpha = alpha;
        self
    }

    /// Sets the powers for which slopes are found.
    #[must_use]
    pub fn target_power(mut self, power: impl IntoIterator<Item = f64>) -> Self {
        self.power = power.into_iter().collect();
        self
    }

    /// Adds a linear violation with this slope.
    #[must_use]
    pub fn slope(mut self, slope: f64) -> Self {
        self.slopes.push(slope);
        self
    }

    /// Sets a violation at every event time but the reference, in order of time.
    #[must_use]
    pub fn violations(mut self, violations: impl IntoIterator<Item = f64>) -> Self {
        self.violations = Some(violations.into_iter().collect());
        self
    }

    /// Sets below what violations are negligible.
    #[must_use]
    pub fn threshold(mut self, threshold: f64) -> Self {
        self.threshold = Some(threshold);
        self
    }

    /// An error if an option is out of its range.
    pub(crate) fn validate(&self) -> Result<()> {
        let within = |value: f64| value > 0.0 && value < 1.0;
        let positive = |value: f64| value > 0.0 && value.is_finite();
        let wrong = |option: &'static str, expected: &'static str, got: f64| {
            Err(DidError::config(option, expected, format!("{got:?}")))
        };
        if !within(self.alpha) {
            return wrong("alpha", "between 0 and 1", self.alpha);
        }
        if !positive(self.critical) {
            return wrong("critical", "a number above 0", self.critical);
        }
        if let Some(power) = self.power.iter().find(|power| !within(**power)) {
            return wrong("power", "numbers between 0 and 1", *power);
        }
        if let Some(slope) = self.slopes.iter().find(|slope| !slope.is_finite()) {
            return wrong("slopes", "finite numbers", *slope);
        }
        if let Some(violation) = self.violations.iter().flatten().find(|v| !v.is_finite()) {
            return wrong("violations", "finite numbers", *violation);
        }
        match self.threshold.filter(|threshold| !positive(*threshold)) {
            Some(threshold) => wrong("threshold", "a number above 0", threshold),
            None => Ok(()),
        }
    }
}
