//! What a tool did to a panel.

use std::fmt;

use serde::Serialize;

use crate::base::calendar::{Frequency, named};
use crate::base::error::Result;
use crate::read::columns::ReadAsMissing;
use crate::read::files::FilesRead;
use crate::report::foot;

/// What a tool did to a panel, in counts.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PanelChange {
    /// The tool.
    pub tool: &'static str,
    /// Rows of the data.
    pub rows_in: u64,
    /// Rows of the result.
    pub rows_out: u64,
    /// Units of the data that have a row with a period.
    pub units_in: u64,
    /// Units of the result.
    pub units_out: u64,
    /// Rows of the data that have no unit or no period.
    pub rows_without_key: u64,
    /// What else was counted.
    pub counts: Vec<PanelCount>,
    /// What was done, in words.
    pub notes: Vec<String>,
    /// Units by cohort, if the column of first treated periods was named and the tool drops units.
    pub cohorts: Vec<CohortChange>,
    /// Files that were read.
    pub files: FilesRead,
    /// What was read as missing.
    pub read_as_missing: Vec<ReadAsMissing>,
}

/// Something that was counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PanelCount {
    /// What.
    pub what: String,
    /// How many.
    pub count: u64,
}

/// Units of a cohort before and after.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CohortChange {
    /// First treated period, or `never`.
    pub cohort: String,
    /// Units of the data.
    pub units_in: u64,
    /// Units of the result.
    pub units_out: u64,
}

impl CohortChange {
    pub(super) fn new(cohort: f64, frequency: Option<Frequency>, units: (u64, u64)) -> Self {
        let cohort = match cohort.is_infinite() {
            true => "never".to_owned(),
            false => named(cohort, frequency),
        };
        Self { cohort, units_in: units.0, units_out: units.1 }
    }
}

impl PanelChange {
    /// Adds to what was counted.
    pub(super) fn add(&mut self, what: impl Into<String>, count: u64) {
        let what = what.into();
        match self.counts.iter_mut().find(|known| known.what == what) {
            Some(known) => known.count += count,
            None => self.counts.push(PanelCount { what, count }),
        }
    }

    /// How many of something were counted; 0 if nothing was.
    #[must_use]
    pub fn count(&self, what: &str) -> u64 {
        self.counts.iter().find(|known| known.what == what).map_or(0, |known| known.count)
    }

    /// The report as JSON.
    ///
    /// # Errors
    /// [`DidError::Json`](crate::DidError::Json) if it cannot be written.
    pub fn to_json(&self) -> Result<String> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }
}

impl fmt::Display for PanelChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{}: rows {} to {}, units {} to {}",
            self.tool, self.rows_in, self.rows_out, self.units_in, self.units_out
        )?;
        if self.rows_without_key > 0 {
            writeln!(f, "Rows without a unit or a period: {}", self.rows_without_key)?;
        }
        for PanelCount { what, count } in &self.counts {
            writeln!(f, "{what}: {count}")?;
        }
        if !self.cohorts.is_empty() {
            let of = |c: &CohortChange| format!("{} {} to {}", c.cohort, c.units_in, c.units_out);
            let cohorts: Vec<String> = self.cohorts.iter().map(of).collect();
            writeln!(f, "Units by cohort: {}", cohorts.join(", "))?;
        }
        let read = foot::reading(&self.files, &self.read_as_missing);
        self.notes.iter().chain(&read).try_for_each(|line| writeln!(f, "{line}"))
    }
}
