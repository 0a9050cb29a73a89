//! What holds of sensitivity analyses.

use super::HonestResult;
use crate::result::estimates::CellStatus;
use crate::result::estimates::check::{Checked, ensure, ensure_finite};
use crate::result::saved::Consistent;
use crate::result::saved::check::check_estimate;

impl Consistent for HonestResult {
    fn check(&self) -> Checked {
        self.options.validate().map_err(|e| format!("`options`: {e}"))?;
        check_estimate("original", &self.original, &CellStatus::Estimated, true)?;
        self.study.check()?;
        let post = self.study.rows.iter().rev().take_while(|row| !row.reference).count();
        ensure(self.weights.len() == post, "weights", || {
            format!("has {} numbers for {post} periods", self.weights.len())
        })?;
        ensure_finite("weights", &self.weights)?;
        for (index, i) in self.intervals.iter().enumerate() {
            let field = format!("intervals[{index}]");
            let numbers = [Some(i.m), i.lower, i.upper];
            ensure_finite(&field, numbers.iter().flatten())?;
            ensure(i.lower.is_some() == i.upper.is_some(), &field, || "has one end".into())?;
            let ordered = i.lower.zip(i.upper).is_none_or(|(lower, upper)| lower <= upper);
            ensure(ordered, &field, || "ends before it starts".into())?;
        }
        Ok(())
    }
}
