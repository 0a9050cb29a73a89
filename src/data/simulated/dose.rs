//! Continuous treatments.

use super::truth::{Truth, rounded};
use super::{Parts, Simulate, check};
use crate::base::error::{DidError, Result};
use crate::data::dose::DoseSimulation;

impl Simulate for DoseSimulation {
    fn estimator(&self) -> &'static str {
        "cont-did"
    }

    fn validate(&self) -> Result<()> {
        check::sizes(self.units, self.periods)?;
        check::at_least("periods", 2, self.periods)?;
        check::at_least("groups", 1, self.groups)?;
        if self.groups >= self.periods {
            return Err(DidError::config("groups", "fewer than periods", self.groups));
        }
        let curve = [
            ("linear", self.linear),
            ("quadratic", self.quadratic),
            ("cubic", self.cubic),
            ("growth", self.growth),
        ];
        check::finite(&curve)
    }

    fn drawn(&self) -> (usize, usize) {
        (self.units, self.periods)
    }

    fn parts(&self) -> Parts<'_> {
        self.rows_of_units()
    }

    /// `dose_att` and `dose_acrt` at doses from 0.15 to 1.05, `overall_att`, `overall_acrt`, and the `event_study` of levels.
    fn truths(&self) -> Vec<Truth> {
        let doses = (3..=21).map(|i| rounded(f64::from(i) * 0.05));
        let mut truths: Vec<Truth> =
            doses.clone().map(|d| Truth::at("dose_att", d, rounded(self.att(d)))).collect();
        truths.extend(doses.map(|d| Truth::at("dose_acrt", d, rounded(self.acrt(d)))));
        truths.push(Truth::new("overall_att", rounded(self.overall_att())));
        truths.push(Truth::new("overall_acrt", rounded(self.overall_acrt())));
        let last = self.periods as i64 - 2;
        truths.extend(
            (0..=last)
                .map(|e| Truth::by_event("event_study", e, rounded(self.event_att(e as f64)))),
        );
        truths
    }

    fn options(&self) -> Vec<String> {
        let mut words = super::common(false, self.weights, self.clusters);
        let options = ["--gname", "group", "--dname", "dose", "--dvals"].map(str::to_owned);
        words.extend(options);
        let doses = self.truths().into_iter().filter(|truth| truth.parameter == "dose_att");
        let doses: Vec<String> = doses.filter_map(|truth| Some(truth.at?.to_string())).collect();
        words.push(doses.join(","));
        words
    }
}
