//! t and F statistics, tests and linear combinations of coefficients.

use serde::{Deserialize, Serialize};
use statrs::distribution::{ChiSquared, Continuous, ContinuousCDF, FisherSnedecor, StudentsT};

use crate::base::solve::{Spd, dot, multiply, reciprocal_condition};
use crate::result::inference::Estimate;

/// A correlation matrix whose reciprocal condition number is below this is singular: what rounding leaves of sums over clusters.
const SINGULAR: f64 = 1e-12;

/// A coefficient with its uncertainty. What does not exist is `None`, never 0 or NaN.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Coefficient {
    /// Its name, as in R `fixest`: `(Intercept)`, `x`, `year::2005:treated`.
    pub name: String,
    /// The estimate.
    pub estimate: f64,
    /// Standard error.
    pub se: Option<f64>,
    /// `estimate / se`.
    pub t: Option<f64>,
    /// Two-sided p-value of zero.
    pub p_value: Option<f64>,
    /// Lower end of the interval.
    pub ci_lower: Option<f64>,
    /// Upper end of the interval.
    pub ci_upper: Option<f64>,
}

/// An F test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FTest {
    /// Statistic: the Wald statistic over the number of restrictions.
    pub stat: f64,
    /// Restrictions.
    pub df1: usize,
    /// Degrees of freedom of the denominator; `None` where the coefficients' law is normal.
    pub df2: Option<f64>,
    /// p-value; from the chi-squared distribution of the Wald statistic where the coefficients are normal.
    pub p_value: f64,
}

/// The law of a coefficient over its standard error.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::estimator) enum Law {
    Normal,
    /// With so many degrees of freedom.
    Student(f64),
}

impl Law {
    /// Two-sided p-value of a statistic.
    fn p_value(self, statistic: f64) -> f64 {
        match self {
            Self::Normal => statrs::function::erf::erfc(statistic.abs() / 2f64.sqrt()),
            Self::Student(df) => {
                StudentsT::new(0.0, 1.0, df).map_or(f64::NAN, |law| 2.0 * law.sf(statistic.abs()))
            }
        }
    }

    /// What a statistic exceeds in absolute value with probability `alpha`.
    pub fn critical(self, alpha: f64) -> f64 {
        let Self::Student(df) = self else { return crate::result::inference::pointwise(alpha) };
        let Ok(law) = StudentsT::new(0.0, 1.0, df) else { return f64::NAN };
        // The library's quantile, made exact by Newton's steps in the tail.
        let mut value = -law.inverse_cdf(alpha / 2.0);
        for _ in 0..4 {
            let density = law.pdf(value);
            let step = (law.sf(value) - alpha / 2.0) / density;
            if !step.is_finite() || step.abs() <= 1e-15 * value.abs() {
                break;
            }
            value += step;
        }
        value
    }
}

impl Coefficient {
    /// With the critical value of its interval.
    pub(in crate::estimator) fn new(
        name: String,
        estimate: f64,
        variance: f64,
        law: Law,
        critical: f64,
    ) -> Self {
        let se = Some(variance.sqrt()).filter(|se| se.is_finite() && *se > 0.0);
        let t = se.map(|se| estimate / se);
        let half = se.map(|se| critical * se);
        Self {
            name,
            estimate,
            se,
            t,
            p_value: t.map(|t| law.p_value(t)).filter(|p| p.is_finite()),
            ci_lower: half.map(|half| estimate - half).filter(|v| v.is_finite()),
            ci_upper: half.map(|half| estimate + half).filter(|v| v.is_finite()),
        }
    }
}

impl Coefficient {
    /// As an estimate of an effect.
    #[must_use]
    pub fn as_estimate(&self) -> Estimate {
        let Self { estimate, se, ci_lower, ci_upper, p_value, .. } = *self;
        Estimate {
            estimate: Some(estimate),
            se,
            ci_lower,
            ci_upper,
            p_value,
            ..Estimate::default()
        }
    }
}

/// Test that values with this covariance `[q, q]` are zero; `None` if that is singular.
pub(super) fn f_test(values: &[f64], covariance: &[f64], law: Law) -> Option<FTest> {
    let q = values.len();
    if q == 0 || (0..q).any(|j| covariance[j * q + j].is_nan() || covariance[j * q + j] <= 0.0) {
        return None;
    }
    // The test does not depend on units, so that the condition of a correlation matrix is judged.
    let scale: Vec<f64> = (0..q).map(|j| covariance[j * q + j].sqrt().recip()).collect();
    let correlation: Vec<f64> =
        (0..q * q).map(|e| covariance[e] * scale[e / q] * scale[e % q]).collect();
    let scaled: Vec<f64> = values.iter().zip(&scale).map(|(v, s)| v * s).collect();
    let spd = Spd::regular(&correlation, q)?;
    if reciprocal_condition(&correlation, &spd.inverse(), q) < SINGULAR {
        return None;
    }
    let wald = dot(&scaled, &spd.solve(&scaled));
    let stat = wald / q as f64;
    let (df2, p_value) = match law {
        Law::Normal => {
            let law = ChiSquared::new(q as f64).ok()?;
            (None, law.sf(wald))
        }
        Law::Student(df) => (Some(df), FisherSnedecor::new(q as f64, df).ok()?.sf(stat)),
    };
    Some(FTest { stat, df1: q, df2, p_value })
}

/// Values `r'b` of combinations `[q][k]` and their covariance `[q, q]`.
pub(in crate::estimator) fn combine(
    rows: &[Vec<f64>],
    b: &[f64],
    covariance: &[f64],
) -> (Vec<f64>, Vec<f64>) {
    let values = rows.iter().map(|row| dot(row, b)).collect();
    let half: Vec<Vec<f64>> = rows.iter().map(|row| multiply(covariance, row)).collect();
    let pairs = rows.iter().flat_map(|row| half.iter().map(move |half| dot(row, half)));
    (values, pairs.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn critical_values_and_p_values_are_those_of_r() {
        // R: qt(0.975, df), and 2 * pt(-2, df).
        for (df, critical, p) in [
            (1.0, 12.706_204_736_174_7, 0.295_167_235_300_867),
            (16.0, 2.119_905_299_221_01, 0.062_834_450_404_1),
            (13_879.0, 1.960_136_3, 0.045_518_4),
        ] {
            let law = Law::Student(df);
            assert!((law.critical(0.05) / critical - 1.0).abs() < 1e-6, "{}", law.critical(0.05));
            assert!((law.p_value(2.0) / p - 1.0).abs() < 1e-3, "{}", law.p_value(2.0));
        }
        assert!((Law::Normal.critical(0.05) - 1.959_963_984_540_054).abs() < 1e-12);
    }

    #[test]
    fn an_f_test_of_one_coefficient_is_its_t_test() {
        let law = Law::Student(20.0);
        let one = Coefficient::new("x".into(), 1.5, 0.25, law, 2.0);
        let test = f_test(&[1.5], &[0.25], law).unwrap();
        assert!(
            (test.stat - 9.0).abs() < 1e-13 && (test.p_value - one.p_value.unwrap()).abs() < 1e-12
        );
        assert!(f_test(&[1.0, 1.0], &[1.0, 1.0, 1.0, 1.0], law).is_none());
        // In any unit.
        let tiny = f_test(&[1.5e-12], &[0.25e-24], law).unwrap();
        assert!((tiny.stat - 9.0).abs() < 1e-12);
        let (values, covariance) = combine(&[vec![1.0, -1.0]], &[2.0, 0.5], &[4.0, 1.0, 1.0, 9.0]);
        assert_eq!((values[0], covariance[0]), (1.5, 11.0));
    }
}
