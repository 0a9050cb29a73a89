//! What holds of the result of a joint study.

use super::result::JointStudyResult;
use crate::base::options::Inference;
use crate::result::estimates::CellStatus;
use crate::result::estimates::check::{Checked, ensure, ensure_ascending, ensure_finite};
use crate::result::saved::Consistent;
use crate::result::saved::check::check_estimate;

impl Consistent for JointStudyResult {
    fn check(&self) -> Checked {
        let inference = Inference { alpha: self.alpha, band: self.band, bootstrap: None };
        inference.validate().map_err(|error| format!("`alpha`: {error}"))?;
        ensure_ascending("event_times", &self.event_times)?;
        ensure(self.critical_value > 0.0, "critical_value", || "is not positive".into())?;
        let mut effects = 0;
        for (index, of) in self.estimators.iter().enumerate() {
            let field = format!("estimators[{index}]");
            ensure(of.event_study.is_some() != of.failure.is_some(), &field, || {
                "has to have either an event study or a failure".into()
            })?;
            if let Some(study) = &of.event_study {
                study.check().map_err(|error| format!("`{field}.event_study`: {error}"))?;
                effects += study.rows.len();
            }
            if of.average.estimate.is_some() {
                check_estimate(&field, &of.average, &CellStatus::Estimated, true)?;
            }
        }
        ensure(effects > 0, "estimators", || "have no effects".into())?;
        let square = self.vcov.len() == effects && self.vcov.iter().all(|row| row.len() == effects);
        ensure(square, "vcov", || format!("is not {effects} by {effects}"))?;
        ensure_finite("vcov", self.vcov.iter().flatten())?;
        for (index, pair) in self.agreement.iter().enumerate() {
            let field = format!("agreement[{index}]");
            ensure_ascending(&field, &pair.event_times)?;
            ensure(!(pair.same && pair.wald.is_some()), &field, || {
                "has a test of two estimates that are the same".into()
            })?;
            if pair.difference.estimate.is_some() {
                check_estimate(&field, &pair.difference, &CellStatus::Estimated, true)?;
            }
        }
        Ok(())
    }
}
