//! What holds of a balance.

use super::Balance;
use crate::result::estimates::check::{Checked, ensure, ensure_finite};
use crate::result::saved::Consistent;

impl Consistent for Balance {
    fn check(&self) -> Checked {
        self.read.check()?;
        ensure_finite("last_cohort", self.last_cohort.iter())?;
        for (index, row) in self.rows.iter().enumerate() {
            let field = format!("rows[{index}]");
            let means = [row.treated_mean, row.control_mean, row.normalized_difference];
            let variances = [row.treated_variance, row.control_variance, row.variance_ratio];
            ensure_finite(&field, [row.group, row.period].iter())?;
            ensure_finite(&field, means.iter().chain(&variances).flatten())?;
            ensure(variances.iter().flatten().all(|v| *v >= 0.0), &field, || {
                "has a negative variance".into()
            })?;
        }
        Ok(())
    }
}
