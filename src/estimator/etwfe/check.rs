//! What holds of extended two-way fixed effects.

use super::result::{EtwfeEffect, EtwfeResult};
use crate::base::options::Inference;
use crate::result::estimates::CellStatus;
use crate::result::estimates::check::{Checked, ensure, ensure_ascending, ensure_finite};
use crate::result::saved::Consistent;
use crate::result::saved::check::check_estimate;

impl Consistent for EtwfeResult {
    fn check(&self) -> Checked {
        let level = Inference::new(self.alpha).validate();
        level.map_err(|error| format!("`alpha`: {error}"))?;
        self.regression.check().map_err(|problem| format!("`regression`: {problem}"))?;
        check_event_times("", &self.by_event_time, &self.vcov)?;
        let lists = [
            ("by_event_time", &self.by_event_time),
            ("by_group", &self.by_group),
            ("by_period", &self.by_period),
            ("cells", &self.cells),
        ];
        for (name, list) in lists {
            check_effects(name, list)?;
        }
        for (index, own) in self.by_level.iter().enumerate() {
            let of = format!("by_level[{index}].");
            check_event_times(&of, &own.by_event_time, &own.vcov)?;
            check_effects(&format!("{of}by_event_time"), &own.by_event_time)?;
            check_effects(&format!("{of}by_group"), &own.by_group)?;
            check_effects(&format!("{of}by_period"), &own.by_period)?;
        }
        Ok(())
    }
}

/// Effects by event time with their covariance, whose names start with `of`.
fn check_event_times(of: &str, effects: &[EtwfeEffect], vcov: &[Vec<f64>]) -> Checked {
    let at: Vec<f64> = effects.iter().filter_map(|of| of.event_time).collect();
    ensure_ascending(&format!("{of}by_event_time"), &at)?;
    let (k, name) = (effects.len(), format!("{of}vcov"));
    let square = vcov.len() == k && vcov.iter().all(|row| row.len() == k);
    ensure(square && at.len() == k, &name, || format!("is not a matrix of {k} rows and columns"))?;
    ensure_finite(&name, vcov.iter().flatten())
}

fn check_effects(name: &str, list: &[EtwfeEffect]) -> Checked {
    for (index, of) in list.iter().enumerate() {
        let status = match (of.reference, of.estimate.estimate) {
            (true, _) => CellStatus::Reference,
            (false, Some(_)) => CellStatus::Estimated,
            (false, None) => CellStatus::NoControls { period: None },
        };
        check_estimate(&format!("{name}[{index}]"), &of.estimate, &status, true)?;
    }
    Ok(())
}
