//! What holds of a view of a panel.

use super::PanelView;
use crate::result::estimates::check::{Checked, ensure, ensure_ascending, ensure_finite};
use crate::result::saved::Consistent;

impl Consistent for PanelView {
    fn check(&self) -> Checked {
        self.read.check()?;
        ensure_finite("periods", &self.periods)?;
        ensure_ascending("periods", &self.periods)?;
        let units = self.patterns.iter().try_fold(0, |sum: usize, p| sum.checked_add(p.units));
        ensure(units == Some(self.n_units), "patterns", || {
            format!("do not have the {} units of `n_units` together", self.n_units)
        })?;
        for (index, pattern) in self.patterns.iter().enumerate() {
            let field = format!("patterns[{index}]");
            ensure_finite(&field, pattern.group.iter())?;
            ensure(pattern.units > 0, &field, || "has no unit".into())?;
            ensure(pattern.statuses.len() == self.periods.len(), &field, || {
                "does not have a status for every period".into()
            })?;
            for counts in [&pattern.observed, &pattern.ended] {
                let expected = if self.by_cohort { self.periods.len() } else { 0 };
                ensure(counts.len() == expected, &field, || {
                    format!("has counts of {} periods, not of {expected}", counts.len())
                })?;
            }
        }
        Ok(())
    }
}
