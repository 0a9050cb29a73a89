//! What holds of stacked difference-in-differences.

use super::result::StackedResult;
use crate::base::options::Inference;
use crate::estimator::by_unit::checked;
use crate::result::estimates::CellStatus;
use crate::result::estimates::check::{Checked, ensure, ensure_finite};
use crate::result::saved::Consistent;
use crate::result::saved::check::check_estimate;

impl Consistent for StackedResult {
    fn check(&self) -> Checked {
        let level = Inference::new(self.alpha).validate();
        level.map_err(|error| format!("`alpha`: {error}"))?;
        self.sample.check()?;
        checked(&self.effects, &self.vcov)?;
        if self.overall.estimate.is_some() {
            check_estimate("overall", &self.overall, &CellStatus::Estimated, true)?;
        }
        ensure(!self.sub_experiments.is_empty(), "sub_experiments", || "is empty".into())?;
        for (index, sub) in self.sub_experiments.iter().enumerate() {
            let field = format!("sub_experiments[{index}]");
            ensure_finite(&field, std::iter::once(&sub.cohort).chain(&sub.control_weights))?;
            ensure(sub.control_weights.iter().all(|weight| *weight >= 0.0), &field, || {
                "has a weight below 0".into()
            })?;
        }
        Ok(())
    }
}
