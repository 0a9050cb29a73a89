//! Predictions from other data.

use std::collections::HashMap;

use super::likelihood::mean;
use super::predictor::{RegressorFormula, SampleLevels};
use super::reading::{RegressionColumns, RegressionRows};
use super::result::RegressionResult;
use crate::base::error::{DidError, Result};
use crate::read::formula::Evaluated;
use crate::read::input::Data;

impl RegressionResult {
    /// Predicted outcomes of other rows: means, which are probabilities for
    /// [`Family::Logit`](super::Family::Logit) and [`Family::Probit`](super::Family::Probit). `None` where a regressor is missing, or where a level of a
    /// fixed effect was not in the sample.
    ///
    /// With fixed effects, needs a fit that kept them (`keep_fixed_effects`).
    ///
    /// ```
    /// use burn_did::{FixedEffects, backend::Cpu, data};
    ///
    /// let config = FixedEffects::<Cpu>::builder().formula("lemp ~ lpop | year").keep_fixed_effects(true);
    /// let fit = config.build().fit(&data::mpdta())?;
    /// let predicted = fit.predict(&data::mpdta())?;
    /// assert_eq!(predicted.iter().flatten().count(), 2_500);
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    ///
    /// # Errors
    /// [`DidError::NoInfluence`] without the effects, and what reading the data can give.
    pub fn predict<'a>(&self, data: impl Into<Data<'a>>) -> Result<Vec<Option<f64>>> {
        let data = data.into();
        data.reading(&self.predictor.missing, |data| self.predictions(data))
    }

    fn predictions(&self, data: Data<'_>) -> Result<Vec<Option<f64>>> {
        let predictor = &self.predictor;
        let Some(regressors) = &predictor.regressors else {
            return Err(missing("a regression by formula"));
        };
        let effects = match (&self.effects, predictor.absorb.is_empty()) {
            (Some(effects), _) => effects.as_slice(),
            (None, true) => &[],
            (None, false) => return Err(missing("the levels of the fixed effects")),
        };
        let mut formula = regressors.source.formula()?;
        formula.absorb.clone_from(&predictor.absorb);
        let columns = RegressionColumns::predictors(formula);
        let frame = data.read(&columns.wanted(), &predictor.missing, None)?.frame;
        let read = RegressionRows::read(&frame, &columns, &predictor.missing)?;
        regressors.kinds.check_same(&read.regressors.kinds())?;
        let mut sums = self.linear(&read.regressors, regressors, read.len)?;
        for (factor, effects) in read.factors.iter().zip(effects) {
            let pairs = effects.levels.iter().map(String::as_str).zip(&effects.effects);
            let known: HashMap<&str, &f64> = pairs.collect();
            for (row, sum) in sums.iter_mut().enumerate() {
                let effect = known.get(factor.text(row).as_str());
                *sum = sum.zip(effect).map(|(sum, effect)| sum + **effect);
            }
        }
        let family = self.settings.family;
        Ok(sums.into_iter().map(|sum| sum.map(|eta| mean(family, eta))).collect())
    }

    /// `x'b` of every row; `None` where a regressor is missing or has a level that was not in the sample.
    fn linear(
        &self,
        read: &Evaluated,
        regressors: &RegressorFormula,
        len: usize,
    ) -> Result<Vec<Option<f64>>> {
        let SampleLevels { present, cells } = &regressors.levels;
        let design = read.design_in(present, cells)?;
        let name = |column: &usize| design.names().get(*column).map(String::as_str);
        if !regressors.columns.iter().map(name).eq(self.names().map(Some)) {
            return Err(DidError::NoInfluence {
                what: "a prediction",
                needs: "columns that are read as today: it was saved when `i()` had other references",
                remedy: "fit again",
            });
        }
        let rows: Vec<u32> = (0..).take(len).collect();
        let mut sums = vec![0.0; len];
        let mut values = vec![0.0; len];
        for (column, coefficient) in regressors.columns.iter().zip(&self.coefficients) {
            design.fill(*column, &rows, &mut values);
            sums.iter_mut().zip(&values).for_each(|(s, x)| *s += coefficient.estimate * x);
        }
        let known = read.known(present);
        let sum =
            |(row, sum): (usize, f64)| (read.blame(row).is_none() && known(row)).then_some(sum);
        Ok(sums.into_iter().enumerate().map(sum).collect())
    }
}

fn missing(needs: &'static str) -> DidError {
    DidError::NoInfluence { what: "a prediction", needs, remedy: "fit with `keep_fixed_effects`" }
}
