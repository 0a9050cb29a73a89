//! What holds of the effects of a continuous treatment.

use super::ContDidResult;
use crate::result::estimates::CellStatus;
use crate::result::estimates::check::{Checked, ensure, ensure_finite};
use crate::result::saved::Consistent;
use crate::result::saved::check::{
    check_critical_value, check_estimate, check_estimator, check_multiples, check_settings,
};

impl Consistent for ContDidResult {
    fn check(&self) -> Checked {
        self.level.check()?;
        self.slope.check()?;
        check_estimator(&self.level.settings, "cont_did")?;
        check_settings(&self.level.settings)?;
        let same = self.level.settings.inference == self.slope.settings.inference
            && self.level.effects.cells.len() == self.slope.effects.cells.len();
        ensure(same, "slope", || "does not go with `level`".into())?;
        self.curves.check(self.level.settings.inference.bootstrap)?;
        let rows = self.dose.rows.iter().flat_map(|row| [("dose", &row.att), ("dose", &row.acrt)]);
        let overall = [("overall.att", &self.overall.att), ("overall.acrt", &self.overall.acrt)];
        rows.chain(overall).try_for_each(|(field, e)| {
            let status = CellStatus::of_curve(e.estimate);
            ensure(status.is_estimated() || self.curves.lack_some(), field, || {
                "has no estimate, though the data determine the curve".into()
            })?;
            check_estimate(field, e, &status, true)
        })?;
        check_multiples("dose", self.dose.rows.iter().map(|row| &row.att))?;
        check_multiples("dose", self.dose.rows.iter().map(|row| &row.acrt))?;
        ensure_finite("dose", self.dose.rows.iter().map(|row| &row.dose))?;
        check_critical_value(self.dose.critical_att)?;
        check_critical_value(self.dose.critical_acrt)?;
        ensure_finite("knots", self.knots.interior.iter().chain(&self.knots.percentiles))
    }
}
