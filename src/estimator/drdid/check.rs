//! What holds of two-period comparisons.

use super::DrdidResult;
use crate::result::estimates::check::{Checked, ensure, ensure_finite};
use crate::result::saved::Consistent;
use crate::result::saved::check::{
    check_audit, check_critical_value, check_estimate, check_estimator, check_settings,
};

impl Consistent for DrdidResult {
    fn check(&self) -> Checked {
        let inference = &self.settings.inference;
        check_estimator(&self.settings, "drdid")?;
        check_settings(&self.settings)?;
        ensure(self.settings.n_rows == self.audit.rows, "settings.n_rows", || {
            format!("is {}; the sample has {}", self.settings.n_rows, self.audit.rows)
        })?;
        check_estimate("estimate", &self.estimate, &self.status, true)?;
        check_critical_value(self.critical_value)?;
        let level = self.trim_level;
        ensure(level > 0.0 && level < 1.0, "trim_level", || format!("is {level}"))?;
        let drawn = inference.bootstrap.is_some();
        ensure(self.resampling.is_some() == drawn, "resampling", || {
            "does not go with `settings.inference.bootstrap`".into()
        })?;
        let asked = inference.bootstrap.map_or(0, |b| b.draws);
        let expected = drawn && self.status.is_estimated();
        ensure(self.draws.is_some() == expected, "draws", || {
            "do not go with `settings.inference.bootstrap` and `status`".into()
        })?;
        let draws = self.draws.iter().flatten();
        ensure(draws.clone().count() <= asked, "draws", || {
            format!("has {} numbers; {asked} were asked for", draws.clone().count())
        })?;
        ensure_finite("draws", draws)?;
        check_audit(&self.audit)
    }
}
