//! From estimates and their covariance, or from bootstrap draws, to standard errors and tests.

use statrs::distribution::{ChiSquared, ContinuousCDF, FisherSnedecor, StudentsT};

use crate::base::solve::{dot, multiply, symmetric_inverse};
use crate::estimator::switching::effects::{DrawnEstimates, Heterogeneity};
use crate::result::inference::{Estimate, Joint, Wald};

/// Estimates with their joint law.
pub(super) struct JointEstimates {
    /// `None` where there is none.
    pub values: Vec<Option<f64>>,
    /// Row-major.
    pub covariance: Vec<f64>,
    /// Standard errors up to this are rounding.
    pub rounding: Vec<f64>,
}

/// A test, and whether the covariance was singular.
pub(super) struct Tested {
    pub wald: Wald,
    pub singular: bool,
}

impl JointEstimates {
    /// Puts the covariance of draws in place of the analytic one; returns how many draws lack an estimate.
    pub fn resampled(&mut self, draws: &DrawnEstimates) -> usize {
        let m = self.values.len();
        let moments = |i: usize, j: usize| {
            let pair = |draw: &Vec<Option<f64>>| draw[i].zip(draw[j]);
            let pairs: Vec<(f64, f64)> = draws.estimates.iter().filter_map(pair).collect();
            let n = pairs.len() as f64;
            let mean = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / n;
            let (a, b) = (mean(|p| p.0), mean(|p| p.1));
            pairs.iter().map(|(x, y)| (x - a) * (y - b)).sum::<f64>() / (n - 1.0)
        };
        for i in 0..m {
            for j in 0..=i {
                let value = Some(moments(i, j)).filter(|v| v.is_finite()).unwrap_or(0.0);
                (self.covariance[i * m + j], self.covariance[j * m + i]) = (value, value);
            }
        }
        let there: Vec<usize> = (0..m).filter(|i| self.values[*i].is_some()).collect();
        let failed = |draw: &&Vec<Option<f64>>| there.iter().any(|i| draw[*i].is_none());
        draws.estimates.iter().filter(failed).count()
    }

    /// Standard error, `None` without an estimate, or if the variance is zero, apart from rounding, or not a number of full precision.
    pub fn se(&self, i: usize) -> Option<f64> {
        self.values[i]?;
        let variance = self.covariance[i * self.values.len() + i];
        let se = Some(variance).filter(|v| v.is_normal() && *v > 0.0).map(f64::sqrt);
        se.filter(|se| *se > self.rounding[i])
    }

    /// Covariance of two estimates that have standard errors.
    pub fn covariance(&self, i: usize, j: usize) -> Option<f64> {
        self.se(i).and(self.se(j))?;
        Some(self.covariance[i * self.values.len() + j])
    }

    /// Test that some estimates are all zero; `None` for fewer than two, or if one of them is missing.
    pub fn zero(&self, of: std::ops::Range<usize>) -> Option<Tested> {
        let (theta, v) = self.part(of)?;
        (theta.len() > 1).then(|| test(&theta, v)).flatten()
    }

    /// Test that some estimates are equal: that all but the last are their mean.
    pub fn equal(&self, of: std::ops::Range<usize>) -> Option<Tested> {
        let (theta, v) = self.part(of)?;
        let k = theta.len();
        if k < 2 {
            return None;
        }
        let contrast = |e: usize| f64::from(u8::from(e / k == e % k)) - 1.0 / k as f64;
        let d: Vec<f64> = (0..(k - 1) * k).map(contrast).collect();
        let half: Vec<Vec<f64>> = d.chunks_exact(k).map(|row| multiply(&v, row)).collect();
        let pairs = d.chunks_exact(k).flat_map(|a| half.iter().map(move |h| dot(a, h)));
        let v: Vec<f64> = pairs.collect();
        test(&multiply(&d, &theta), v)
    }

    fn part(&self, of: std::ops::Range<usize>) -> Option<(Vec<f64>, Vec<f64>)> {
        let theta: Vec<f64> = self.values[of.clone()].iter().copied().collect::<Option<_>>()?;
        of.clone().all(|i| self.se(i).is_some()).then_some(())?;
        let m = self.values.len();
        let v = of.clone().flat_map(|i| of.clone().map(move |j| (i, j)));
        Some((theta, v.map(|(i, j)| self.covariance[i * m + j]).collect()))
    }
}

/// Wald test; of a singular covariance, by its generalised inverse, with as many degrees of freedom as there are estimates, as in R.
fn test(theta: &[f64], v: Vec<f64>) -> Option<Tested> {
    let df = theta.len();
    let joint = Joint {
        values: theta.iter().copied().map(Some).collect(),
        covariance: Some(v.clone().into()),
        draws: None,
        n: 0,
        n_clusters: None,
        unit: 1.0,
        unknown: Vec::new(),
    };
    if let Some(wald) = joint.wald() {
        return Some(Tested { wald, singular: false });
    }
    // Scaled, so that the test does not depend on the units of the outcome.
    let scale: Vec<f64> = (0..df).map(|i| v[i * df + i].sqrt()).collect();
    if !scale.iter().all(|s| s.is_finite() && *s > 0.0) {
        return None;
    }
    let scaled: Vec<f64> = (0..df * df).map(|e| v[e] / scale[e / df] / scale[e % df]).collect();
    let theta: Vec<f64> = theta.iter().zip(&scale).map(|(t, s)| t / s).collect();
    let stat = dot(&theta, &multiply(&symmetric_inverse(&scaled, df), &theta));
    let law = ChiSquared::new(df as f64).ok()?;
    let wald = Wald { stat, df, df2: None, p_value: law.sf(stat) };
    (stat.is_finite() && stat >= 0.0).then_some(Tested { wald, singular: true })
}

/// Estimates with intervals of the t law, and the p-value of the F test.
pub(super) fn of_regression(found: &Heterogeneity, alpha: f64) -> (Vec<Estimate>, Option<f64>) {
    let Some(coefficients) = &found.coefficients else { return (Vec::new(), None) };
    let df = found.df as f64;
    let Ok(law) = StudentsT::new(0.0, 1.0, df) else { return (Vec::new(), None) };
    let critical = law.inverse_cdf(1.0 - alpha / 2.0);
    let estimate = |(value, se): &(f64, f64)| {
        let se = Some(*se).filter(|se| se.is_finite() && *se > 0.0);
        let p_value = se.map(|se| 2.0 * law.sf((value / se).abs()));
        Estimate { p_value, ..Estimate::new(Some(*value), se, critical) }
    };
    let all = FisherSnedecor::new(coefficients.len() as f64, df).ok();
    let p_all = found.f.filter(|f| f.is_finite()).zip(all).map(|(f, law)| law.sf(f));
    (coefficients.iter().map(estimate).collect(), p_all)
}
