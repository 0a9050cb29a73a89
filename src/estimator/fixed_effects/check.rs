//! What holds of regressions.

use super::inference::Coefficient;
use super::result::RegressionResult;
use crate::result::estimates::check::{
    Checked, ensure_in_the_middle, ensure_one_multiple, ensure_root,
};
use crate::result::saved::Consistent;

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
        for (index, (row, own)) in self.vcov.iter().zip(&self.coefficients).enumerate() {
            ensure_root(&format!("coefficients[{index}]"), row[index].sqrt(), own.se)?;
        }
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
