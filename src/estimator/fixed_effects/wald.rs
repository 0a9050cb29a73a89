//! Tests and linear combinations of coefficients, and their fixed effects.

use super::inference::{Coefficient, FTest, combine, f_test};
use super::recover::FactorEffects;
use super::result::RegressionResult;
use crate::base::error::{DidError, Result};
use crate::result::inference::{check_some, check_weight};

impl RegressionResult {
    /// `Σ weight · coefficient`, with its standard error and interval.
    ///
    /// ```
    /// # use burn_did::{FixedEffects, backend::Cpu, data};
    /// # let config = FixedEffects::<Cpu>::builder().formula("lemp ~ i(year, treat, ref = 2003) | countyreal + year");
    /// # let fit = config.build().fit(&data::mpdta())?;
    /// let growth = fit.contrast(&[("year::2007:treat", 1.0), ("year::2004:treat", -1.0)])?;
    /// assert!(growth.estimate < 0.0 && growth.se.is_some());
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    ///
    /// # Errors
    /// [`DidError::EmptyWindow`] for a name that has no coefficient, and [`DidError::Config`] without weights, or for one that is no number.
    pub fn contrast(&self, weights: &[(&str, f64)]) -> Result<Coefficient> {
        check_some(weights)?;
        let (b, covariance) = self.joint();
        let row = self.row(weights)?;
        let (value, variance) = combine(&[row], &b, &covariance);
        let shown: Vec<String> = weights.iter().map(|(name, w)| format!("{w} {name}")).collect();
        let critical = self.law.critical(self.settings.alpha);
        Ok(Coefficient::new(shown.join(" + "), value[0], variance[0], self.law, critical))
    }

    /// Wald test, as an F test, that several contrasts are all zero.
    ///
    /// ```
    /// # use burn_did::{FixedEffects, backend::Cpu, data};
    /// # let config = FixedEffects::<Cpu>::builder().formula("lemp ~ i(year, treat, ref = 2003) | countyreal + year");
    /// # let fit = config.build().fit(&data::mpdta())?;
    /// let test = fit.wald(&[vec![("year::2004:treat", 1.0)], vec![("year::2005:treat", 1.0)]])?;
    /// assert_eq!(test.df1, 2);
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    ///
    /// # Errors
    /// As [`contrast`](Self::contrast), and [`DidError::Singular`] if one follows from the others.
    pub fn wald(&self, contrasts: &[Vec<(&str, f64)>]) -> Result<FTest> {
        let (b, covariance) = self.joint();
        let rows: Vec<Vec<f64>> = contrasts.iter().map(|c| self.row(c)).collect::<Result<_>>()?;
        let (values, covariance) = combine(&rows, &b, &covariance);
        // Sums over the clusters of one factor add up to zero.
        let rank = match self.clusters.as_slice() {
            [(_, clusters)] => clusters - 1,
            _ => usize::MAX,
        };
        if rows.len() > rank {
            return Err(DidError::Singular { what: "Wald test" });
        }
        f_test(&values, &covariance, self.law).ok_or(DidError::Singular { what: "Wald test" })
    }

    /// Effects of the levels of every factor, of a fit that kept them.
    ///
    /// ```
    /// use burn_did::{FixedEffects, backend::Cpu, data};
    ///
    /// let config = FixedEffects::<Cpu>::builder().formula("lemp ~ lpop | year").keep_fixed_effects(true);
    /// let fit = config.build().fit(&data::mpdta())?;
    /// let years = &fit.fixed_effects()?[0];
    /// assert_eq!((years.levels[0].as_str(), years.effects.len()), ("2003", 5));
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    ///
    /// # Errors
    /// [`DidError::NoInfluence`] if they were not kept.
    #[doc(alias = "fixef")]
    pub fn fixed_effects(&self) -> Result<&[FactorEffects]> {
        self.effects.as_deref().ok_or(DidError::NoInfluence {
            what: "recovery of the fixed effects",
            needs: "their levels",
            remedy: "fit with `keep_fixed_effects`",
        })
    }

    /// Weights of all coefficients.
    fn row(&self, weights: &[(&str, f64)]) -> Result<Vec<f64>> {
        let mut row = vec![0.0; self.coefficients.len()];
        for (name, weight) in weights {
            let position = self.names().position(|known| known == *name).ok_or_else(|| {
                let dropped = self.dropped.iter().any(|dropped| dropped == name);
                let why = if dropped { ", which was left out for collinearity" } else { "" };
                let known: Vec<&str> = self.names().take(20).collect();
                let known = known.join("`, `");
                let what = format!("there is no coefficient `{name}`{why}; there are `{known}`");
                DidError::EmptyWindow { what }
            })?;
            check_weight(*weight)?;
            row[position] += weight;
        }
        Ok(row)
    }
}
