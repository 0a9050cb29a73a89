//! Means and variances of covariates from their cross-products.

use crate::base::solve::{dot, sandwich};
use crate::read::panel::DesignInfo;

/// Means and variances of the raw design columns but the constant, under some weights.
pub(super) struct Moments {
    pub means: Vec<Option<f64>>,
    pub variances: Vec<Option<f64>>,
}

impl Moments {
    /// From the upper triangle of `Σ ω z z'`, `[k, k]`, over so many rows, in conditioned coordinates. Variances are `n / (n - 1)` times the
    /// weighted mean of squares around the mean.
    pub fn new(zz: &[f64], rows: f64, design: &DesignInfo) -> Self {
        let (k, total) = (design.k(), zz[0]);
        let mean: Vec<f64> = (0..k).map(|j| zz[j] / total).collect();
        let entry = |i: usize, j: usize| zz[i.min(j) * k + i.max(j)] / total - mean[i] * mean[j];
        // Around the means, of which the constant has no part.
        let covariance: Vec<f64> = (0..k * k).map(|e| entry(e / k, e % k)).collect();
        let column = |j: usize| (0..k).map(|i| design.transform[i * k + j]).collect::<Vec<f64>>();
        let finite = |value: f64| Some(value).filter(|value| value.is_finite());
        let factor = rows / (rows - 1.0);
        let of = |j: usize| {
            let slopes = column(j);
            let spread = factor * sandwich(&slopes, &covariance, k)[0];
            (finite(dot(&slopes, &mean)), finite(spread).filter(|v| *v >= 0.0 && rows > 1.0))
        };
        let (means, variances) = (1..k).map(of).unzip();
        Self { means, variances }
    }
}

/// `(a - b)` in units of the root of the average variance.
pub(super) fn normalized(difference: Option<f64>, variances: Option<(f64, f64)>) -> Option<f64> {
    let (difference, (a, b)) = difference.zip(variances)?;
    Some(difference / f64::midpoint(a, b).sqrt()).filter(|value| value.is_finite())
}

/// A variance over another.
pub(super) fn ratio(variances: Option<(f64, f64)>) -> Option<f64> {
    variances.map(|(a, b)| a / b).filter(|value| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_moments_follow_from_conditioned_ones() {
        // x = 10 + 2 z, with z = -1, 0, 4 and weights 1, 2, 1.
        let zz = [4.0, 3.0, 0.0, 17.0];
        let design = DesignInfo {
            names: vec!["(Intercept)".into(), "x".into()],
            intercept: true,
            versions: 1,
            transform: vec![1.0, 10.0, 0.0, 2.0],
        };
        let moments = Moments::new(&zz, 3.0, &design);
        assert_eq!(moments.means, [Some(11.5)]);
        let expected = 1.5 * 4.0 * (17.0 / 4.0 - 9.0 / 16.0);
        assert!((moments.variances[0].unwrap() - expected).abs() < 1e-12);
        assert_eq!(Moments::new(&[0.0; 4], 0.0, &design).means, [None]);
        assert_eq!(Moments::new(&zz, 1.0, &design).variances, [None]);
    }

    #[test]
    fn what_does_not_vary_has_no_ratio() {
        assert_eq!((ratio(Some((1.0, 0.0))), ratio(Some((3.0, 2.0)))), (None, Some(1.5)));
        assert_eq!(normalized(Some(2.0), Some((0.0, 8.0))), Some(1.0));
        assert_eq!(normalized(Some(2.0), Some((0.0, 0.0))), None);
    }
}
