//! Diagnostics of two-way fixed effects in print.

mod bacon;
#[cfg(feature = "plot")]
mod plot;
mod weights;

use crate::base::calendar::named;
use crate::estimator::twfe::TwfeSettings;
use crate::report::foot;

impl TwfeSettings {
    /// A period in data frames.
    fn key(&self, period: f64) -> String {
        named(period, self.columns.frequency)
    }

    /// The first treated period of some units.
    fn start(&self, group: Option<f64>) -> String {
        group.map_or_else(|| "never".into(), |group| self.columns.period(group))
    }

    /// What the columns are, and which rows were read.
    fn notes(&self) -> Vec<String> {
        let Self { columns, read, n_units, n_periods, .. } = self;
        let controls = match self.covariates.is_empty() {
            true => String::new(),
            false => format!(", Controls: {}", self.covariates.join(", ")),
        };
        let mut notes = vec![
            format!("Outcome: {}{controls}{}", columns.outcome, columns.weights_note()),
            format!("Units: {n_units}, Periods: {n_periods}, Rows: {}", read.n_complete()),
        ];
        notes.extend(foot::reading(&read.files, &self.read_as_missing));
        notes
    }
}
