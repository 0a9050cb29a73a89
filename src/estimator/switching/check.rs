//! What holds of effects of treatments that switch.

use super::{DidMultiplegtResult, SwitchingEffect};
use crate::result::estimates::check::{Checked, ensure, ensure_ascending, ensure_finite};
use crate::result::saved::Consistent;
use crate::result::saved::check::{
    check_critical_value, check_ends, check_estimator, check_settings, check_wald,
};

impl Consistent for DidMultiplegtResult {
    fn check(&self) -> Checked {
        check_estimator(&self.settings, "did_multiplegt")?;
        check_settings(&self.settings)?;
        check_critical_value(self.critical_value)?;
        ensure(!self.effects.is_empty(), "effects", || "is empty".into())?;
        for (name, sign, rows) in [("effects", 1, &self.effects), ("placebos", -1, &self.placebos)]
        {
            for (index, (horizon, row)) in (1_i64..).zip(rows).enumerate() {
                let field = format!("{name}[{index}]");
                ensure(row.horizon == sign * horizon, &field, || {
                    format!("has the horizon {}", row.horizon)
                })?;
                check_effect(&field, row)?;
            }
        }
        if let Some(average) = &self.average {
            ensure(average.horizon == 0, "average", || "has a horizon".into())?;
            check_effect("average", average)?;
        }
        let m = self.effects.len() + self.placebos.len();
        let square = self.vcov.len() == m && self.vcov.iter().all(|row| row.len() == m);
        ensure(square, "vcov", || format!("is not a matrix of {m} rows and columns"))?;
        ensure_finite("vcov", self.vcov.iter().flatten().flatten())?;
        let variances = (0..m).filter_map(|i| self.vcov[i][i]);
        ensure(variances.into_iter().all(|v| v > 0.0), "vcov", || {
            "has a variance that is not positive".into()
        })?;
        let tests = [&self.tests.effects, &self.tests.placebos, &self.tests.equal];
        tests.into_iter().flatten().try_for_each(check_wald)?;
        for (index, row) in self.heterogeneity.iter().enumerate() {
            let numbers = [row.estimate.estimate, row.estimate.se, row.p_all];
            ensure_finite(&format!("heterogeneity[{index}]"), numbers.iter().flatten())?;
        }
        ensure_ascending("audit.periods", &self.audit.periods)
    }
}

fn check_effect(field: &str, row: &SwitchingEffect) -> Checked {
    let estimate = &row.estimate;
    ensure_finite(field, [estimate.estimate, estimate.se, estimate.p_value].iter().flatten())?;
    check_ends(field, estimate)?;
    ensure_finite(field, &[row.n_obs_weighted, row.n_switchers_weighted])?;
    ensure(estimate.se.is_none_or(|se| se > 0.0 && estimate.estimate.is_some()), field, || {
        "has a standard error that is not positive, or without an estimate".into()
    })?;
    let all = [estimate.ci_lower, estimate.ci_upper, estimate.p_value];
    ensure(all.iter().all(|v| v.is_some() == estimate.se.is_some()), field, || {
        "has an interval or p-value without the standard error, or not all".into()
    })
}
