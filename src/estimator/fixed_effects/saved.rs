//! Regressions as JSON.

use std::path::Path;

use super::inference::Coefficient;
use super::result::RegressionResult;
use crate::base::error::Result;
use crate::estimator::saved::{Consistent, read, write};
use crate::result::estimates::check::{Checked, ensure_in_the_middle, ensure_one_multiple};

impl RegressionResult {
    /// Writes the result as JSON, every number to the last bit; residuals are not saved.
    ///
    /// # Errors
    /// [`DidError::Io`](crate::DidError::Io) if the file cannot be written, [`DidError::Json`](crate::DidError::Json) if the
    /// result was changed into one that could not be loaded.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        write(self, path.as_ref())
    }

    /// Reads a saved result.
    ///
    /// ```
    /// use burn_did::{FixedEffects, RegressionResult, backend::Cpu, data};
    ///
    /// let config = FixedEffects::<Cpu>::builder().formula("lemp ~ lpop | year").build();
    /// let fit = config.fit(&data::mpdta(), &Default::default())?;
    /// let path = std::env::temp_dir().join("burn-did-regression-example.json");
    /// fit.save(&path)?;
    /// assert_eq!(RegressionResult::load(&path)?, fit);
    /// # std::fs::remove_file(path).unwrap();
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    ///
    /// # Errors
    /// [`DidError::Io`](crate::DidError::Io), or [`DidError::Json`](crate::DidError::Json) for what is no saved regression or one
    /// whose parts do not fit together.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        read(path.as_ref())
    }
}

impl Consistent for RegressionResult {
    fn check(&self) -> Checked {
        let k = self.coefficients.len();
        let say = |what: &str| Err(what.to_owned());
        if !self.vcov.is_empty() && self.vcov.len() != k
            || self.vcov.iter().any(|row| row.len() != k)
        {
            return say("`vcov` has not as many rows and columns as there are coefficients");
        }
        if self.indicators.iter().any(|i| i.coefficient.is_some_and(|j| j >= k)) {
            return say("`indicators` names a coefficient that does not exist");
        }
        for (index, coefficient) in self.coefficients.iter().enumerate() {
            let field = format!("coefficients[{index}]");
            let interval = coefficient.ci_lower.zip(coefficient.ci_upper);
            ensure_in_the_middle(&field, Some(coefficient.estimate), interval)?;
        }
        let interval = |c: &Coefficient| c.se.zip(c.ci_lower.zip(c.ci_upper));
        ensure_one_multiple("coefficients", self.coefficients.iter().map(interval))?;
        let regressors = self.predictor.regressors.as_ref();
        if regressors.is_some_and(|regressors| regressors.columns.len() != k) {
            return say("`predictor` has not as many columns as there are coefficients");
        }
        let effects = self.effects.iter().flatten();
        let whole = |e: &super::FactorEffects| {
            e.levels.len() == e.effects.len() && e.levels.len() == e.components.len()
        };
        if !effects.clone().all(whole) {
            return say("`effects` has not one effect and one component for each level");
        }
        if self.effects.is_some()
            && effects.count() != self.predictor.absorb.len()
            && regressors.is_some()
        {
            return say("`effects` has not one entry for each fixed effect");
        }
        Ok(())
    }
}
