//! Two groups in two periods.

use super::truth::Truth;
use super::{Parts, Simulate, check};
use crate::base::error::Result;
use crate::data::two_period::TwoPeriodSimulation;

impl Simulate for TwoPeriodSimulation {
    fn estimator(&self) -> &'static str {
        "drdid"
    }

    fn validate(&self) -> Result<()> {
        check::sizes(self.units, self.rows_per_unit())?;
        if self.covariates > 4 {
            let got = self.covariates;
            return Err(crate::DidError::config("covariates", "at most 4", got));
        }
        check::finite(&[("effect", self.effect)])?;
        check::shares(&[("post_share", self.post_share)])
    }

    fn drawn(&self) -> (usize, usize) {
        (self.units, self.rows_per_unit())
    }

    fn parts(&self) -> Parts<'_> {
        self.rows_of_units()
    }

    fn truths(&self) -> Vec<Truth> {
        vec![Truth::new("att", self.truth())]
    }

    fn options(&self) -> Vec<String> {
        let mut words = super::common(self.repeated_cross_sections, self.weights, 0);
        words.extend(["--treatname", "treated"].map(str::to_owned));
        words.extend(super::formula(self.covariates));
        if self.repeated_cross_sections {
            words.push("--repeated-cross-sections".to_owned());
        }
        words
    }

    fn notes(&self) -> Vec<String> {
        let note = "Neither the outcome nor the propensity score is linear in the covariates that are observed: no estimator finds the effect.";
        let wrong = !self.outcome_model_correct && !self.propensity_model_correct;
        wrong.then(|| note.to_owned()).into_iter().collect()
    }
}
