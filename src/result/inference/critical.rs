//! Critical values of intervals and uniform bands.

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::{Covariance, Estimate, Joint, SupT, bootstrap, sup_t};
use crate::base::error::DidWarning;
use crate::base::options::{Band, Inference};

/// Fewer clusters than this and the band takes the t law with one degree of freedom less than clusters.
pub(crate) const FEW_CLUSTERS: usize = 50;

/// Largest error of a uniform critical value, as a share of it, without a warning.
const STATED: f64 = 1e-3;

/// Parameters whose covariance is factored at most, as its time grows with the cube of their number: of more there is no joint test, and no band
/// without draws.
pub(crate) const MOST_AT_ONCE: usize = 10_000;

/// Why a great many parameters have no band.
const WITHOUT_DRAWS: &str = "a uniform band over so many effects is formed of bootstrap draws, and the fit has none; averages of the effects have one";

/// A critical value above this is reported with a warning, as in R `did`.
const LARGE: f64 = 7.0;

/// A critical value and what its intervals are.
pub(crate) struct Critical {
    pub value: f64,
    pub band: Band,
}

impl Critical {
    /// An estimate with its pointwise interval at one minus the level `alpha`, and the band if the value is that of one.
    pub fn estimate(&self, value: Option<f64>, se: Option<f64>, alpha: f64) -> Estimate {
        let estimate = Estimate::new(value, se, super::pointwise(alpha));
        match self.band {
            Band::Pointwise => estimate,
            Band::Uniform => estimate.with_band(self.value),
        }
    }
}

impl Joint {
    /// Critical value of the parameters' intervals; pointwise ones where no uniform value exists or, if `floor` is set as R
    /// does for aggregates, where it is below the pointwise value.
    pub fn critical(
        &self,
        inference: &Inference,
        standard_errors: &[Option<f64>],
        floor: bool,
        warnings: &mut Vec<DidWarning>,
    ) -> Critical {
        let z = super::pointwise(inference.alpha);
        let pointwise = Critical { value: z, band: Band::Pointwise };
        if inference.band == Band::Pointwise || standard_errors.is_empty() {
            return pointwise;
        }
        let instead = |reason: &str| DidWarning::PointwiseInstead { reason: reason.to_owned() };
        let in_parts = matches!(self.covariance, Some(Covariance::Parts(_)));
        if in_parts && self.draws.is_none() && self.len() > MOST_AT_ONCE {
            warnings.push(instead(WITHOUT_DRAWS));
            return pointwise;
        }
        let value = match self.columns() {
            Some(draws) => {
                let varying = draws.zip(standard_errors).filter_map(|(d, se)| Some((d, (*se)?)));
                bootstrap::sup_t_quantile(&varying.collect::<Vec<_>>(), 1.0 - inference.alpha)
            }
            None => {
                let sup_t = self.analytic_sup_t(standard_errors, inference.alpha);
                if let Some(SupT { value, error }) = sup_t.filter(|f| f.error > STATED * f.value) {
                    warnings.push(DidWarning::RoughCriticalValue { value, error });
                }
                sup_t.map(|sup_t| sup_t.value)
            }
        };
        match value {
            None => {
                warnings.push(instead("no estimate has a standard error"));
                pointwise
            }
            Some(value) if !value.is_finite() || floor && value < z - 1e-12 => {
                warnings.push(instead(
                    "the critical value of the uniform band is below the pointwise one",
                ));
                pointwise
            }
            Some(value) => {
                if value >= LARGE {
                    warnings.push(DidWarning::LargeCriticalValue { value });
                } else if value < z - 1e-12 {
                    warnings.push(DidWarning::NarrowBand { value, pointwise: z });
                } else if value < z + 1e-6 && standard_errors.iter().flatten().count() == 1 {
                    warnings.push(DidWarning::BandOfOne);
                }
                Critical { value, band: Band::Uniform }
            }
        }
    }

    fn analytic_sup_t(&self, standard_errors: &[Option<f64>], tail: f64) -> Option<SupT> {
        let m = self.len();
        let covariance = self.covariance.as_ref()?.whole(m);
        let with_errors: Vec<(usize, f64)> =
            standard_errors.iter().enumerate().filter_map(|(j, s)| Some((j, (*s)?))).collect();
        if with_errors.is_empty() {
            return None;
        }
        let correlation: Vec<f64> = with_errors
            .iter()
            .flat_map(|(i, si)| {
                let row = &covariance[i * m..(i + 1) * m];
                with_errors.iter().map(move |(j, sj)| row[*j] / (si * sj))
            })
            .collect();
        Some(sup_t(&correlation, with_errors.len(), tail, self.degrees_of_freedom()))
    }

    /// Degrees of freedom of the t law that statistics are taken to have, if they have it: with few clusters and without draws.
    pub fn degrees_of_freedom(&self) -> Option<f64> {
        let few = self.n_clusters.filter(|clusters| (2..FEW_CLUSTERS).contains(clusters))?;
        self.draws.is_none().then_some(few as f64 - 1.0)
    }

    /// An estimate with a pointwise interval and p-value of the law that bands have: of t with few clusters.
    pub fn of_one_law(&self, att: Option<f64>, se: Option<f64>, alpha: f64) -> Estimate {
        let law = self.degrees_of_freedom().and_then(|df| StudentsT::new(0.0, 1.0, df).ok());
        let Some(law) = law else { return Estimate::new(att, se, super::pointwise(alpha)) };
        let estimate = Estimate::new(att, se, -law.inverse_cdf(alpha / 2.0));
        let p_value = estimate.statistic().map(|t| (2.0 * law.sf(t.abs())).min(1.0));
        Estimate { p_value, ..estimate }
    }

    /// The critical value of such an interval.
    pub fn pointwise(&self, alpha: f64) -> f64 {
        let unit = self.of_one_law(Some(0.0), Some(1.0), alpha);
        unit.ci_upper.unwrap_or(f64::NAN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::inference::CovariancePart;

    const UNIFORM: Inference = Inference { alpha: 0.05, bootstrap: None, band: Band::Uniform };

    fn independent(n_clusters: Option<usize>) -> Joint {
        Joint {
            values: vec![Some(1.0), Some(2.0)],
            covariance: Some(vec![1.0, 0.0, 0.0, 4.0].into()),
            draws: None,
            n: 1_000,
            n_clusters,
            unit: 1.0,
            unknown: Vec::new(),
        }
    }

    fn critical(joint: &Joint, inference: &Inference, floor: bool) -> (f64, Band, usize) {
        let mut warnings = Vec::new();
        let Critical { value, band } =
            joint.critical(inference, &joint.standard_errors(), floor, &mut warnings);
        (value, band, warnings.len())
    }

    #[test]
    fn bands_of_a_covariance_in_parts_are_those_of_the_whole() {
        let part = |parameter, variance| CovariancePart {
            moments: vec![variance],
            rows: vec![(parameter, vec![(0, 1.0)])],
        };
        let whole = independent(None);
        let parts = Some(Covariance::Parts(vec![part(0, 1.0), part(1, 4.0)]));
        let in_parts = Joint { covariance: parts, ..whole.clone() };
        let of_whole = critical(&whole, &UNIFORM, false);
        assert_eq!(critical(&in_parts, &UNIFORM, false), of_whole);
        assert_eq!(of_whole.1, Band::Uniform);
        // Of very many there is none without draws.
        let m = MOST_AT_ONCE + 1;
        let many = Some(Covariance::Parts(vec![part(0, 1.0)]));
        let many = Joint { values: vec![Some(1.0); m], covariance: many, ..whole };
        let (_, band, warnings) = critical(&many, &UNIFORM, false);
        assert_eq!((band, warnings), (Band::Pointwise, 1));
    }

    #[test]
    fn two_independent_estimates_are_covered_by_the_square_root_of_the_level() {
        let (value, band, warnings) = critical(&independent(None), &UNIFORM, false);
        let expected = super::super::normal_quantile(0.5 + 0.95f64.sqrt() / 2.0);
        assert!((value - expected).abs() < 1e-3, "{value} against {expected}");
        assert_eq!((band, warnings), (Band::Uniform, 0));
        let (few, ..) = critical(&independent(Some(10)), &UNIFORM, false);
        assert!(few > value + 0.2, "{few}");
        let pointwise = Inference { band: Band::Pointwise, ..UNIFORM };
        assert_eq!(critical(&independent(None), &pointwise, false).1, Band::Pointwise);
    }

    #[test]
    fn intervals_of_one_law_are_those_of_a_band_of_one() {
        let joint = independent(Some(20));
        let one = joint.select(&[0]).expect("there is a covariance");
        let (band, ..) = critical(&one, &UNIFORM, false);
        // The t law with 19 degrees of freedom.
        assert!((band - 2.093_024_054_408_263).abs() < 1e-9, "{band}");
        assert!((joint.pointwise(0.05) - band).abs() < 1e-12);
        let estimate = joint.of_one_law(Some(band), Some(1.0), 0.05);
        assert!((estimate.p_value.unwrap_or(0.0) - 0.05).abs() < 1e-9, "{estimate:?}");
        let many = independent(Some(50));
        assert_eq!(many.pointwise(0.05), super::super::pointwise(0.05));
        let draws = Joint { draws: Some(vec![0.0; 8]), ..joint };
        assert_eq!(draws.pointwise(0.05), super::super::pointwise(0.05));
    }

    #[test]
    fn a_band_of_one_estimate_says_so() {
        let joint = independent(None);
        let one = joint.select(&[0]).expect("there is a covariance");
        for (of, inference, said) in [
            (&one, UNIFORM, vec![DidWarning::BandOfOne]),
            (&one, Inference { band: Band::Pointwise, ..UNIFORM }, vec![]),
            (&joint, UNIFORM, vec![]),
        ] {
            let mut warnings = Vec::new();
            of.critical(&inference, &of.standard_errors(), false, &mut warnings);
            assert_eq!(warnings, said);
        }
    }

    #[test]
    fn draws_give_the_quantile_of_their_largest_statistic() {
        // Unit spread: quartiles are ∓0.674. The largest statistics are 0.674 three times, and 8.
        let quartile = super::super::normal_quantile(0.75);
        // The draws of the second do not vary.
        let draws = vec![-quartile, quartile, -quartile, 8.0, 0.0, 0.0, 0.0, 0.0];
        let joint = Joint { draws: Some(draws), ..independent(None) };
        let (value, band, warnings) = critical(&joint, &UNIFORM, false);
        assert!((value - 8.0).abs() < 1e-12, "{value}");
        assert_eq!((band, warnings), (Band::Uniform, 1));
        let lower = Inference { alpha: 0.5, ..UNIFORM };
        assert!((critical(&joint, &lower, false).0 - quartile).abs() < 1e-12);
        // Below the pointwise value at a level of 70 %, which R does not report for aggregates.
        let low = Inference { alpha: 0.3, ..UNIFORM };
        let (value, band, warnings) = critical(&joint, &low, false);
        assert!(value < super::super::pointwise(0.3), "{value}");
        assert_eq!((band, warnings), (Band::Uniform, 1));
        assert_eq!(critical(&joint, &low, true).1, Band::Pointwise);
    }

    #[test]
    fn without_standard_errors_intervals_are_pointwise() {
        let joint = Joint { covariance: Some(vec![0.0; 4].into()), ..independent(None) };
        let (value, band, warnings) = critical(&joint, &UNIFORM, false);
        assert_eq!((value, band, warnings), (super::super::pointwise(0.05), Band::Pointwise, 1));
    }
}
