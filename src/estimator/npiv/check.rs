//! What holds of functions estimated by sieves.

use super::NpivResult;
use crate::base::error::DidWarning;
use crate::result::estimates::CellStatus;
use crate::result::estimates::check::{Checked, ensure, ensure_finite};
use crate::result::saved::Consistent;
use crate::result::saved::check::{check_critical_value, check_estimate, check_multiples};

impl Consistent for NpivResult {
    fn check(&self) -> Checked {
        let collinear = |w: &DidWarning| matches!(w, DidWarning::CollinearSieve { .. });
        let is_collinear = self.warnings.iter().any(collinear);
        for (index, row) in self.rows.iter().enumerate() {
            let field = format!("rows[{index}]");
            ensure(row.x.len() == self.settings.regressors.len(), &field, || {
                "has another number of regressors than the options".into()
            })?;
            ensure_finite(&field, &row.x)?;
            for estimate in [&row.h, &row.derivative] {
                let status = CellStatus::of_curve(estimate.estimate);
                ensure(status.is_estimated() || is_collinear, &field, || {
                    "has no estimate, though the data tell all functions apart".into()
                })?;
                check_estimate(&field, estimate, &status, true)?;
            }
        }
        check_multiples("rows", self.rows.iter().map(|row| &row.h))?;
        check_multiples("rows", self.rows.iter().map(|row| &row.derivative))?;
        check_critical_value(self.critical_value)?;
        check_critical_value(self.critical_value_derivative)?;
        ensure_finite("coefficients", &self.coefficients)?;
        ensure_finite("breakpoints", self.breakpoints.iter().flatten())
    }
}
