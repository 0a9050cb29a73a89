//! What holds of a specification curve.

use super::result::{CurveTests, SpecificationCurve};
use crate::base::options::Inference;
use crate::result::estimates::CellStatus;
use crate::result::estimates::check::{
    Checked, ensure, ensure_ascending, ensure_finite, ensure_root,
};
use crate::result::saved::Consistent;
use crate::result::saved::check::{check_critical_value, check_estimate};

impl Consistent for SpecificationCurve {
    fn check(&self) -> Checked {
        let inference = Inference { alpha: self.alpha, band: self.band, bootstrap: None };
        inference.validate().map_err(|error| format!("`alpha`: {error}"))?;
        ensure_ascending("event_times", &self.event_times)?;
        ensure(!self.event_times.is_empty(), "event_times", || "are none".into())?;
        check_critical_value(self.critical_value)?;
        let n = self.specifications.len();
        for (index, of) in self.specifications.iter().enumerate() {
            let field = format!("specifications[{index}]");
            ensure(of.failure.is_some() != of.estimate.estimate.is_some(), &field, || {
                "has to have either an estimate or a failure".into()
            })?;
            for estimate in [&of.estimate, &of.difference] {
                if estimate.estimate.is_some() {
                    check_estimate(&field, estimate, &CellStatus::Estimated, true)?;
                }
            }
        }
        let main = self.specifications.get(self.main);
        ensure(main.is_some_and(|of| of.failure.is_none()), "main", || {
            "is not the position of a specification that ran".into()
        })?;
        let square = self.vcov.len() == n && self.vcov.iter().all(|row| row.len() == n);
        ensure(square, "vcov", || format!("is not {n} by {n}"))?;
        ensure_finite("vcov", self.vcov.iter().flatten())?;
        for (index, of) in self.specifications.iter().enumerate() {
            let field = format!("specifications[{index}]");
            ensure_root(&field, self.vcov[index][index].sqrt(), of.estimate.se)?;
        }
        self.tests.iter().try_for_each(check_tests)
    }
}

fn check_tests(tests: &CurveTests) -> Checked {
    let CurveTests { median, combined, largest, difference, .. } = tests;
    ensure_finite("tests", [median, combined, largest])?;
    ensure_finite("tests", difference)?;
    let p_values = [
        Some(tests.median_p_value),
        Some(tests.n_significant_p_value),
        Some(tests.combined_p_value),
        Some(tests.largest_p_value),
        tests.difference_p_value,
    ];
    let is_share = |p: &f64| (0.0..=1.0).contains(p);
    ensure(p_values.iter().flatten().all(is_share), "tests", || {
        "have a p-value that is not between 0 and 1".into()
    })
}
