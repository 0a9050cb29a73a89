//! What holds of averages.

use super::{Aggregated, AggregationKind};
use crate::result::estimates::check::{
    Checked, ensure, ensure_ascending, ensure_finite, ensure_root,
};
use crate::result::inference::Estimate;
use crate::result::saved::Consistent;
use crate::result::saved::check::{check_critical_value, check_ends, check_multiples};

impl Consistent for Aggregated {
    fn check(&self) -> Checked {
        self.aggregation.validate().map_err(|e| format!("`aggregation`: {e}"))?;
        check_average("overall", &self.overall)?;
        let at: Vec<f64> = self.rows.iter().map(|row| row.at).collect();
        ensure_ascending("rows", &at)?;
        for (index, row) in self.rows.iter().enumerate() {
            check_average(&format!("rows[{index}]"), &row.estimate)?;
        }
        check_multiples("rows", self.rows.iter().map(|row| &row.estimate))?;
        let none = self.aggregation.kind == AggregationKind::Simple;
        ensure(!none || self.rows.is_empty(), "rows", || {
            "must be empty for a simple average".into()
        })?;
        let k = self.rows.len();
        let square = self.vcov.len() == k && self.vcov.iter().all(|row| row.len() == k);
        ensure(square || self.vcov.is_empty(), "vcov", || {
            format!("is not a matrix of {k} rows and columns")
        })?;
        ensure_finite("vcov", self.vcov.iter().flatten())?;
        // Those of a bootstrap are from its draws.
        if self.settings.inference.bootstrap.is_none() {
            for (index, (row, own)) in self.vcov.iter().zip(&self.rows).enumerate() {
                ensure_root(&format!("rows[{index}]"), row[index].sqrt(), own.estimate.se)?;
            }
        }
        ensure(self.alpha > 0.0 && self.alpha < 1.0, "alpha", || format!("is {}", self.alpha))?;
        check_critical_value(self.critical_value)
    }
}

fn check_average(field: &str, estimate: &Estimate) -> Checked {
    let Estimate { estimate: att, se, p_value, .. } = *estimate;
    ensure_finite(field, [att, se, p_value].iter().flatten())?;
    ensure(se.is_none_or(|se| se > 0.0 && att.is_some()), field, || {
        "has a standard error that is not positive, or without an estimate".into()
    })?;
    check_ends(field, estimate)
}
