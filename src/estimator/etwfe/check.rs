//! What holds of extended two-way fixed effects.

use super::result::EtwfeResult;
use crate::base::options::{Band, Inference};
use crate::result::estimates::CellStatus;
use crate::result::estimates::check::{
    Checked, ensure, ensure_ascending, ensure_finite, ensure_root,
};
use crate::result::saved::Consistent;
use crate::result::saved::check::check_estimate;

impl Consistent for EtwfeResult {
    fn check(&self) -> Checked {
        let level =
            Inference { alpha: self.alpha, band: Band::Pointwise, bootstrap: None }.validate();
        level.map_err(|error| format!("`alpha`: {error}"))?;
        self.regression.check().map_err(|problem| format!("`regression`: {problem}"))?;
        let at: Vec<f64> = self.by_event_time.iter().filter_map(|of| of.event_time).collect();
        ensure_ascending("by_event_time", &at)?;
        let k = self.by_event_time.len();
        let square = self.vcov.len() == k && self.vcov.iter().all(|row| row.len() == k);
        ensure(square && at.len() == k, "vcov", || {
            format!("is not a matrix of {k} rows and columns")
        })?;
        ensure_finite("vcov", self.vcov.iter().flatten())?;
        for (index, of) in self.by_event_time.iter().enumerate() {
            let field = format!("by_event_time[{index}]");
            ensure_root(&field, self.vcov[index][index].sqrt(), of.estimate.se)?;
        }
        let lists = [
            ("by_event_time", &self.by_event_time),
            ("by_group", &self.by_group),
            ("by_period", &self.by_period),
            ("cells", &self.cells),
        ];
        for (name, list) in lists {
            for (index, of) in list.iter().enumerate() {
                let status = match (of.reference, of.estimate.estimate) {
                    (true, _) => CellStatus::Reference,
                    (false, Some(_)) => CellStatus::Estimated,
                    (false, None) => CellStatus::NoControls { period: None },
                };
                check_estimate(&format!("{name}[{index}]"), &of.estimate, &status, true)?;
            }
        }
        Ok(())
    }
}
