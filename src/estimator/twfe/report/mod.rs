//! Diagnostics of two-way fixed effects in print.

mod bacon;
#[cfg(feature = "plot")]
mod plot;
mod weights;

use crate::base::calendar::{named, shown};
use crate::estimator::twfe::TwfeSettings;
use crate::report::foot;

impl TwfeSettings {
    fn period(&self, period: f64) -> String {
        shown(period, self.frequency)
    }

    /// A period in data frames.
    fn key(&self, period: f64) -> String {
        named(period, self.frequency)
    }

    /// The first treated period of some units.
    fn start(&self, group: Option<f64>) -> String {
        group.map_or_else(|| "never".into(), |group| self.period(group))
    }

    /// What the columns are, and which rows were read.
    fn notes(&self) -> Vec<String> {
        let Self { outcome, n_units, n_periods, n_rows, rows_missing, .. } = self;
        let controls = match self.covariates.is_empty() {
            true => String::new(),
            false => format!(", Controls: {}", self.covariates.join(", ")),
        };
        let weights =
            self.weights.as_ref().map_or_else(String::new, |name| format!(", Weights: {name}"));
        let mut notes = vec![
            format!("Outcome: {outcome}{controls}{weights}"),
            format!("Units: {n_units}, Periods: {n_periods}, Rows: {}", n_rows - rows_missing),
        ];
        notes.extend(foot::reading(&self.files, &self.read_as_missing));
        notes
    }
}
