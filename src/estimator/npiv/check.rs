//! What holds of functions estimated by sieves.

use super::NpivResult;
use crate::result::estimates::CellStatus;
use crate::result::estimates::check::{Checked, ensure, ensure_finite};
use crate::result::saved::Consistent;
use crate::result::saved::check::{check_critical_value, check_estimate, check_multiples};

impl Consistent for NpivResult {
    fn check(&self) -> Checked {
        for (index, row) in self.rows.iter().enumerate() {
            let field = format!("rows[{index}]");
            ensure(row.x.len() == self.settings.regressors.len(), &field, || {
                "has another number of regressors than the options".into()
            })?;
            ensure_finite(&field, &row.x)?;
            check_estimate(&field, &row.h, &CellStatus::Estimated, true)?;
            check_estimate(&field, &row.derivative, &CellStatus::Estimated, true)?;
        }
        check_multiples("rows", self.rows.iter().map(|row| &row.h))?;
        check_multiples("rows", self.rows.iter().map(|row| &row.derivative))?;
        check_critical_value(self.critical_value)?;
        check_critical_value(self.critical_value_derivative)?;
        ensure_finite("coefficients", &self.coefficients)?;
        ensure_finite("breakpoints", self.breakpoints.iter().flatten())
    }
}
