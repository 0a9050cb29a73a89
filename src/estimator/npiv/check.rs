//! What holds of functions estimated by sieves.

use super::NpivResult;
use crate::result::estimates::CellStatus;
use crate::result::estimates::check::{Checked, ensure, ensure_finite, ensure_one_multiple};
use crate::result::saved::Consistent;
use crate::result::saved::check::{check_critical_value, check_estimate, interval};

impl Consistent for NpivResult {
    fn check(&self) -> Checked {
        for (index, row) in self.rows.iter().enumerate() {
            let field = format!("rows[{index}]");
            ensure(row.x.len() == self.config.regressors.len(), &field, || {
                "is of other regressors".into()
            })?;
            ensure_finite(&field, &row.x)?;
            check_estimate(&field, &row.h, &CellStatus::Estimated, true)?;
            check_estimate(&field, &row.derivative, &CellStatus::Estimated, true)?;
        }
        ensure_one_multiple("rows", self.rows.iter().map(|row| interval(&row.h)))?;
        ensure_one_multiple("rows", self.rows.iter().map(|row| interval(&row.derivative)))?;
        check_critical_value(self.critical_value)?;
        check_critical_value(self.critical_value_derivative)?;
        ensure_finite("coefficients", &self.coefficients)?;
        ensure_finite("breakpoints", self.breakpoints.iter().flatten())
    }
}
