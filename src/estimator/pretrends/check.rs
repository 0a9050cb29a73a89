//! What holds of analyses of pre-trends.

use super::PretrendsResult;
use crate::result::estimates::check::{Checked, ensure, ensure_ascending, ensure_finite};
use crate::result::saved::Consistent;

impl Consistent for PretrendsResult {
    fn check(&self) -> Checked {
        self.options.validate().map_err(|e| format!("`options`: {e}"))?;
        self.study.check()?;
        check_probability("size", self.size)?;
        for (index, alternative) in self.alternatives.iter().enumerate() {
            let field = format!("alternatives[{index}]");
            check_probability(&field, alternative.power)?;
            let numbers =
                [alternative.bayes_factor, alternative.likelihood_ratio, alternative.error];
            ensure_finite(&field, numbers.iter().chain(&alternative.slope))?;
            let at: Vec<f64> = alternative.rows.iter().map(|row| row.event_time).collect();
            ensure_ascending(&field, &at)?;
            let same = at.len() == self.study.rows.len();
            ensure(same, &field, || "has other event times than the event study".into())?;
            ensure_finite(&field, alternative.rows.iter().map(|row| &row.violation))?;
            let after = alternative.rows.iter().filter_map(|row| row.after_passing.as_ref());
            ensure_finite(&field, after)?;
        }
        let tests = [&self.equivalence.maximum, &self.equivalence.mean];
        for test in tests {
            let numbers = [test.estimate, test.se, test.smallest_threshold];
            ensure_finite("equivalence", numbers.iter().chain(&test.p_value))?;
        }
        for period in &self.equivalence.periods {
            let numbers = [period.event_time, period.estimate, period.se];
            ensure_finite("equivalence.periods", &numbers)?;
            ensure_finite("equivalence.periods", [&period.smallest_threshold])?;
        }
        Ok(())
    }
}

/// An error unless a number is a probability, but for the rounding of an integral.
fn check_probability(field: &str, value: f64) -> Checked {
    ensure((-1e-6..=1.0 + 1e-6).contains(&value), field, || {
        format!("has {value}, which is no probability")
    })
}
