//! What the periods before treatment say about the smoothness of differences in trends.

use super::coefficients::EventCoefficients;
use super::dense::DenseMatrix;
use super::normal::truncated_upper_quantile;
use crate::base::solve::dot;
use crate::result::inference::normal_quantile;

/// Values of `M` tried for the lower bound.
const POINTS: usize = 1000;

/// Second differences before treatment and their signs reversed, the reference period included; `[2 (P - 1), P]`.
fn changes(pre: usize) -> DenseMatrix {
    let row = |r: usize, sign: f64| {
        let mut row = vec![0.0; pre + 1];
        row[r..r + 3].copy_from_slice(&[sign, -2.0 * sign, sign]);
        row.truncate(pre);
        row
    };
    let rows = [1.0, -1.0].into_iter().flat_map(|sign| (0..pre - 1).map(move |r| row(r, sign)));
    DenseMatrix::of(&rows.collect::<Vec<_>>(), pre)
}

/// Second differences with their standard errors and joint covariance.
fn estimates(study: &EventCoefficients) -> (Vec<f64>, DenseMatrix) {
    let pre = study.pre();
    let changes = changes(pre);
    let covariance = DenseMatrix::from_fn(pre, pre, |i, j| study.covariance().at(i, j));
    (changes.times(&study.values()[..pre]), changes.sandwich(&covariance))
}

/// The largest upper end of one-sided intervals for the second differences (R `DeltaSD_upperBound_Mpre`).
pub(super) fn upper(study: &EventCoefficients, alpha: f64) -> f64 {
    let (values, covariance) = estimates(study);
    let critical = normal_quantile(1.0 - alpha);
    let end = |(i, value): (usize, &f64)| value + critical * covariance.at(i, i).max(0.0).sqrt();
    values.iter().enumerate().map(end).fold(f64::NEG_INFINITY, f64::max)
}

/// The smallest `M` on a grid up to three of the largest standard errors that a conditional test accepts; infinite if it accepts
/// none (R `DeltaSD_lowerBound_Mpre`).
pub(super) fn lower(study: &EventCoefficients, alpha: f64) -> f64 {
    let largest = (0..study.pre()).map(|i| study.covariance().at(i, i)).fold(0.0, f64::max);
    let (values, covariance) = estimates(study);
    let sd: Vec<f64> = (0..values.len())
        .map(|i| covariance.at(i, i).max(0.0).sqrt().max(f64::MIN_POSITIVE))
        .collect();
    let step = 3.0 * largest.sqrt() / (POINTS - 1) as f64;
    let tried = (0..POINTS).map(|i| i as f64 * step);
    let mut accepted = tried.filter(|m| !rejects(&values, &covariance, &sd, *m, alpha));
    accepted.next().unwrap_or(f64::INFINITY)
}

/// Whether the largest of the standardised `values - m` exceeds its quantile given which one it is.
fn rejects(values: &[f64], covariance: &DenseMatrix, sd: &[f64], m: f64, alpha: f64) -> bool {
    let standardised: Vec<f64> = values.iter().zip(sd).map(|(v, s)| (v - m) / s).collect();
    let first = (0..values.len())
        .reduce(|best, i| if standardised[i] > standardised[best] { i } else { best });
    let Some(first) = first else { return false };
    let statistic = standardised[first];
    let [mut low, mut high] = [f64::NEG_INFINITY, f64::INFINITY];
    for i in (0..values.len()).filter(|i| *i != first) {
        // Moment i moves with the largest by their correlation; it stays below it on one side of a point.
        let correlation = covariance.at(i, first) / (sd[i] * sd[first]);
        let remaining = dot(&[1.0, -correlation], &[standardised[i], statistic]);
        let slope = 1.0 - correlation;
        if slope > 1e-12 {
            low = low.max(remaining / slope);
        } else if slope < -1e-12 {
            high = high.min(remaining / slope);
        }
    }
    statistic > truncated_upper_quantile(alpha, low.min(statistic), high.max(statistic))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimator::aggregate::EventStudy;

    fn study() -> EventStudy {
        let diagonal = |i: usize| {
            let mut row = vec![0.0; 4];
            row[i] = 0.01;
            row
        };
        EventStudy::new(vec![0.3, 0.0, 0.1, 0.5], (0..4).map(diagonal).collect(), 3, 1)
            .expect("it fits together")
    }

    #[test]
    fn second_differences_include_the_reference_period() {
        let (values, covariance) =
            estimates(&EventCoefficients::of(&study()).expect("one reference"));
        // 0.3 - 0 + 0.1 and 0 - 0.2 + 0.
        assert!((values[0] - 0.4).abs() < 1e-12 && (values[1] + 0.2).abs() < 1e-12);
        assert!((covariance.at(0, 0) - 0.06).abs() < 1e-12);
        assert!((covariance.at(1, 1) - 0.05).abs() < 1e-12);
    }

    #[test]
    fn bounds_enclose_what_is_plausible() {
        let [lower, upper] = study().smoothness_bounds(0.05).expect("three periods before");
        assert!((upper - (0.4 + 1.644_853_626_951_472_7 * 0.06f64.sqrt())).abs() < 1e-9);
        assert_eq!(lower, 0.0);
        let kinked = EventStudy::new(vec![9.0, 0.0, 0.1, 0.5], study().covariance(), 3, 1);
        // No M up to three standard errors allows a kink of ninety.
        let bounds = kinked.expect("it fits together").smoothness_bounds(0.05);
        assert_eq!(bounds.expect("three periods before")[0], f64::INFINITY);
    }
}
