//! Estimates of several parameters with their joint law, and what follows from it for linear combinations of them.

use serde::{Deserialize, Serialize};

use super::covariance::{nonzero, weighted_sum};
use super::{Covariance, DEGENERATE, Estimate, Terms, Wald, bootstrap, pointwise, wald::wald};
use crate::base::error::{DidError, Result};

/// Estimates of `m` parameters and their joint law: all that inference needs, whatever the parameters are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Joint {
    /// Estimates `[m]`; `None` where there is none.
    pub values: Vec<Option<f64>>,
    /// Covariance of the `m` parameters, 0 where there is no estimate; `None` for point estimates only.
    pub covariance: Option<Covariance>,
    /// Bootstrap draws `[m, R]` of the estimates' deviations, one parameter after another; `None` without a bootstrap.
    pub draws: Option<Vec<f64>>,
    /// Independent observations: units, or rows for repeated cross sections.
    pub n: usize,
    /// Clusters, if standard errors are clustered.
    pub n_clusters: Option<usize>,
    /// Size of a standard error next to which one is rounding, if not 1 as in R: slopes in a dose of large numbers are small.
    #[serde(default = "one")]
    pub unit: f64,
    /// Parameters with an estimate whose variance cannot be estimated, ascending: nothing that depends on them has a standard error.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<usize>,
}

fn one() -> f64 {
    1.0
}

/// A linear combination of parameters, or the linear part of a smooth function of them, with its value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Combination {
    pub value: f64,
    /// Weights of the parameters `[m]`.
    pub weights: Vec<f64>,
}

impl Joint {
    /// Number of parameters.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// `Σ weight · parameter`.
    ///
    /// # Errors
    /// The first parameter that has no estimate.
    pub fn combination(
        &self,
        terms: impl IntoIterator<Item = (usize, f64)>,
    ) -> std::result::Result<Combination, usize> {
        let mut combination = Combination { value: 0.0, weights: vec![0.0; self.len()] };
        for (j, weight) in terms {
            combination.weights[j] += weight;
            combination.value += weight * self.values[j].ok_or(j)?;
        }
        Ok(combination)
    }

    /// The joint law of some parameters; `None` if only point estimates exist.
    pub fn select(&self, parameters: &[usize]) -> Option<Self> {
        let covariance = self.covariance.as_ref()?.select(self.len(), parameters);
        let columns = |draws: &Vec<f64>| {
            let count = draws.len() / self.len().max(1);
            parameters.iter().flat_map(|j| &draws[j * count..(j + 1) * count]).copied().collect()
        };
        let unknown = parameters.iter().enumerate().filter(|(_, j)| self.is_unknown(**j));
        Some(Self {
            values: parameters.iter().map(|j| self.values[*j]).collect(),
            covariance: Some(covariance),
            draws: self.draws.as_ref().map(columns),
            n: self.n,
            n_clusters: self.n_clusters,
            unit: self.unit,
            unknown: unknown.map(|(place, _)| place).collect(),
        })
    }

    /// The joint law of some combinations; `None` if only point estimates exist.
    pub fn combined<'a>(
        &self,
        combinations: impl IntoIterator<Item = &'a Combination>,
    ) -> Option<Self> {
        let rows = combinations.into_iter().map(|c| (Some(c.value), nonzero(&c.weights)));
        let (values, terms): (_, Vec<Terms>) = rows.unzip();
        self.map(values, &terms)
    }

    /// Covariance and draws of linear combinations, each of few parameters as a rule.
    fn map(&self, values: Vec<Option<f64>>, rows: &[Terms]) -> Option<Self> {
        let m = self.len();
        let covariance = self.covariance.as_ref()?.of(m, rows);
        let draws = self.draws.as_ref().map(|d| {
            let count = d.len() / m.max(1);
            rows.iter().flat_map(|w| weighted_sum(d, count, w)).collect()
        });
        let depends = |(_, row): &(usize, &Terms)| row.iter().any(|(j, _)| self.is_unknown(*j));
        let unknown = rows.iter().enumerate().filter(depends).map(|(i, _)| i).collect();
        let (n, n_clusters, unit) = (self.n, self.n_clusters, self.unit);
        let covariance = Some(covariance.into());
        Some(Self { values, covariance, draws, n, n_clusters, unit, unknown })
    }

    /// One combination with its standard error and a pointwise interval; `None` if only point estimates exist.
    pub fn estimate(&self, combination: &Combination, alpha: f64) -> Option<Estimate> {
        let se = self.combined([combination])?.standard_errors().pop().flatten();
        Some(Estimate::new(Some(combination.value), se, pointwise(alpha)))
    }

    /// Standard errors `[m]`: from the draws if there are any, else from the covariance; `None` where there is no variation.
    pub fn standard_errors(&self) -> Vec<Option<f64>> {
        let analytic = self.analytic();
        let Some(draws) = self.columns() else { return analytic };
        // From the draws to the scale of R's `bres`.
        let n = self.n as f64;
        let scale = n / (self.n_clusters.unwrap_or(self.n) as f64).sqrt();
        let spread = |(analytic, draws): (Option<f64>, &[f64])| {
            analytic?;
            bootstrap::spread(draws, scale / self.unit).filter(|s| *s > DEGENERATE * self.unit)
        };
        analytic.into_iter().zip(draws).map(spread).collect()
    }

    /// Whether the variance of a parameter cannot be estimated.
    pub fn is_unknown(&self, parameter: usize) -> bool {
        self.unknown.binary_search(&parameter).is_ok()
    }

    fn analytic(&self) -> Vec<Option<f64>> {
        let m = self.len();
        let Some(covariance) = &self.covariance else { return vec![None; m] };
        let degenerate = DEGENERATE * self.unit;
        let known = |j: usize, s: f64| s.is_finite() && s > degenerate && !self.is_unknown(j);
        let variances = covariance.variances(m).into_iter().enumerate();
        variances.map(|(j, v)| Some(v.sqrt()).filter(|s| known(j, *s))).collect()
    }

    /// The draws of each parameter.
    pub(super) fn columns(&self) -> Option<std::slice::ChunksExact<'_, f64>> {
        let draws = self.draws.as_ref()?;
        Some(draws.chunks_exact((draws.len() / self.len().max(1)).max(1)))
    }

    /// Wald test that all parameters are zero; `None` without a covariance that is known and can be inverted, or an estimate.
    pub fn wald(&self) -> Option<Wald> {
        if !self.unknown.is_empty() {
            return None;
        }
        let theta: Vec<f64> = self.values.iter().copied().collect::<Option<_>>()?;
        wald(&theta, &self.covariance.as_ref()?.whole(theta.len()))
    }
}

/// The error of an operation that point estimates alone do not allow.
pub(crate) fn no_covariance(what: &'static str) -> DidError {
    DidError::NoInfluence {
        what,
        needs: "the covariance of the estimates",
        remedy: "fit without `point_estimates_only`",
    }
}

/// Checks that a linear combination that somebody asks for has weights.
pub(crate) fn check_some<T>(weights: &[T]) -> Result<()> {
    match weights.is_empty() {
        true => Err(DidError::config("weights", "at least one", "none")),
        false => Ok(()),
    }
}

/// Checks a weight of a linear combination that somebody asks for.
pub(crate) fn check_weight(weight: f64) -> Result<()> {
    match weight.is_finite() {
        true => Ok(()),
        false => Err(DidError::config("weights", "finite numbers", weight)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two parameters with variances 4 and 9 and covariance 1, and one without an estimate.
    fn joint() -> Joint {
        Joint {
            values: vec![Some(2.0), Some(-3.0), None],
            covariance: Some(vec![4.0, 1.0, 0.0, 1.0, 9.0, 0.0, 0.0, 0.0, 0.0].into()),
            draws: None,
            n: 100,
            n_clusters: None,
            unit: 1.0,
            unknown: Vec::new(),
        }
    }

    #[test]
    fn a_difference_has_the_variance_of_both_less_twice_their_covariance() {
        let joint = joint();
        let difference = joint.combination([(0, 1.0), (1, -1.0)]).expect("both exist");
        assert_eq!((difference.value, &*difference.weights), (5.0, &[1.0, -1.0, 0.0][..]));
        let estimate = joint.estimate(&difference, 0.05).expect("there is a covariance");
        assert_eq!((estimate.estimate, estimate.se), (Some(5.0), Some(11f64.sqrt())));
        let half = estimate.ci_upper.expect("an interval") - 5.0;
        assert!((half / 11f64.sqrt() - 1.959_963_984_540_054).abs() < 1e-12);
        assert_eq!(joint.combination([(0, 1.0), (2, 1.0)]), Err(2));
        // Weights of one parameter add up.
        let twice = joint.combination([(0, 1.0), (0, 1.0)]).expect("it exists");
        assert_eq!((twice.value, twice.weights[0]), (4.0, 2.0));
    }

    #[test]
    fn combinations_have_a_joint_law() {
        let joint = joint();
        let sum = joint.combination([(0, 1.0), (1, 1.0)]).expect("both exist");
        let first = joint.combination([(0, 2.0)]).expect("it exists");
        let both = joint.combined([&sum, &first]).expect("there is a covariance");
        assert_eq!(both.values, [Some(-1.0), Some(4.0)]);
        assert_eq!(both.covariance, Some(vec![15.0, 10.0, 10.0, 16.0].into()));
        assert_eq!((both.n, both.n_clusters), (100, None));
        let selected = joint.select(&[2, 1]).expect("there is a covariance");
        assert_eq!(selected.values, [None, Some(-3.0)]);
        assert_eq!(selected.standard_errors(), [None, Some(3.0)]);
    }

    #[test]
    fn draws_are_combined_as_estimates_are_and_give_the_standard_errors() {
        let draws = vec![-1.0, 0.0, 1.0, 2.0, 3.0, 0.0, -3.0, 1.0, 0.0, 0.0, 0.0, 0.0];
        let joint = Joint { draws: Some(draws), ..joint() };
        let sum = joint.combination([(0, 1.0), (1, 2.0)]).expect("both exist");
        let combined = joint.combined([&sum]).expect("there is a covariance");
        assert_eq!(combined.draws.as_deref(), Some(&[5.0, 0.0, -5.0, 4.0][..]));
        // Third quartile 4 and first -5 by the inverse of the distribution function.
        let se = 9.0 / (2.0 * super::super::normal_quantile(0.75));
        let found = combined.standard_errors()[0].expect("the draws vary");
        assert!((found - se).abs() < 1e-12 * se, "{found} against {se}");
        assert_eq!(joint.standard_errors()[2], None);
    }

    #[test]
    fn a_wald_test_is_the_quadratic_form_of_the_inverse() {
        let two = joint().select(&[0, 1]).expect("there is a covariance");
        // (2, -3) [4 1; 1 9]⁻¹ (2, -3)' = (9·4 + 2·2·3 + 4·9) / 35.
        let wald = two.wald().expect("regular");
        assert!((wald.stat - 84.0 / 35.0).abs() < 1e-12 && wald.df == 2);
        // exp(-x / 2) is the upper tail of the chi-squared law with two degrees of freedom.
        assert!((wald.p_value - (-0.5 * 84.0 / 35.0f64).exp()).abs() < 1e-12);
        assert_eq!(joint().wald(), None);
        let singular = joint().select(&[0, 0]).expect("there is a covariance");
        assert_eq!(singular.wald(), None);
    }

    #[test]
    fn what_is_rounding_depends_on_the_unit() {
        let small = |unit| Joint {
            values: vec![Some(2e-9)],
            covariance: Some(vec![1e-18].into()),
            draws: Some(vec![1e-9, 0.0, -1e-9, 2e-9]),
            unit,
            ..joint()
        };
        assert_eq!(small(1.0).standard_errors(), [None]);
        assert!(small(1e-8).standard_errors()[0].is_some());
        let analytic = Joint { draws: None, ..small(1e-8) };
        assert_eq!(analytic.standard_errors(), [Some(1e-9)]);
        assert_eq!(analytic.select(&[0]).map(|j| j.unit), Some(1e-8));
    }

    #[test]
    fn nothing_that_depends_on_an_unknown_variance_has_a_standard_error() {
        let joint = Joint { unknown: vec![1], ..joint() };
        assert_eq!(joint.standard_errors(), [Some(2.0), None, None]);
        let difference = joint.combination([(0, 1.0), (1, -1.0)]).expect("both exist");
        let first = joint.combination([(0, 2.0)]).expect("it exists");
        let both = joint.combined([&difference, &first]).expect("there is a covariance");
        assert_eq!((both.standard_errors(), both.wald()), (vec![None, Some(4.0)], None));
        assert_eq!(joint.select(&[2, 1]).map(|selected| selected.unknown), Some(vec![1]));
        assert_eq!(joint.select(&[0, 0]).map(|selected| selected.unknown), Some(Vec::new()));
    }

    #[test]
    fn point_estimates_alone_have_no_law() {
        let joint = Joint { covariance: None, ..joint() };
        let first = joint.combination([(0, 1.0)]).expect("it exists");
        assert!(joint.select(&[0]).is_none() && joint.combined([&first]).is_none());
        assert!(joint.estimate(&first, 0.05).is_none() && joint.wald().is_none());
        assert_eq!(joint.standard_errors(), [None; 3]);
    }
}
