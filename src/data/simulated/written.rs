//! What was written of a simulation.

use std::fmt;
use std::path::Path;

use serde::Serialize;

use super::truth::Truth;
use crate::base::error::{DidError, Result};
use crate::base::shell::{path as shell_path, quoted};
use crate::base::written;
use crate::read::files::FileFormat;
use crate::read::files::output;

/// Cells that are printed; more stand in the files.
const SHOWN: usize = 30;

/// What was written of a simulation: how much, the truth, and the command that estimates it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Simulated {
    /// The command that estimates.
    pub estimator: &'static str,
    /// The file.
    pub path: String,
    /// Units that were drawn; rows, of repeated cross sections.
    pub units: u64,
    /// Rows that were written.
    pub rows: u64,
    /// The command to run next.
    pub estimate: String,
    /// What the truth leaves out, in sentences.
    pub notes: Vec<String>,
    /// What estimates should be.
    pub truths: Vec<Truth>,
}

impl Simulated {
    /// Makes the command of words: the estimating command, the file, and its options.
    pub(super) fn command(estimator: &str, path: &str, options: Vec<String>) -> String {
        let options = options.iter().map(|word| quoted(word));
        let words: Vec<String> = ["burn-did".into(), estimator.into(), shell_path(path)]
            .into_iter()
            .chain(options)
            .collect();
        words.join(" ")
    }

    /// An error unless [`save_truth`](Self::save_truth) can write to a file of this name: to be asked before the work.
    ///
    /// # Errors
    /// [`DidError::Config`] for another ending.
    pub fn check_truth(path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        let known = ending(path).is_some_and(|ending| ["json", "csv"].contains(&&*ending));
        if known { Ok(()) } else { Err(wrong_ending(path)) }
    }

    /// The report as JSON, with every true value.
    ///
    /// # Errors
    /// [`DidError::Json`] if it cannot be written.
    pub fn to_json(&self) -> Result<String> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// Writes the true values to a `.json` or `.csv` file: `parameter`, `value`, and what it is of: `term`, `group`, `time`, `event_time` or
    /// `at`.
    ///
    /// # Errors
    /// [`DidError::Config`] for another ending, [`DidError::Io`] if the file cannot be written.
    pub fn save_truth(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        match ending(path).as_deref() {
            Some("json") => {
                written::text(path, &(serde_json::to_string_pretty(&self.truths)? + "\n"))
            }
            Some("csv") => {
                let frame = Truth::frame(&self.truths)?;
                output::write(path, FileFormat::Csv, |sink| {
                    sink(Some(&frame))?;
                    sink(None)
                })
            }
            _ => Err(wrong_ending(path)),
        }
    }
}

/// The ending of a file's name.
fn ending(path: &Path) -> Option<String> {
    path.extension().map(|ending| ending.to_string_lossy().to_lowercase())
}

fn wrong_ending(path: &Path) -> DidError {
    DidError::config("truth", "a file that ends in .json or .csv", path.display())
}

impl fmt::Display for Simulated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Written: {} rows of {} units to {}", self.rows, self.units, self.path)?;
        writeln!(f, "To estimate: {}", self.estimate)?;
        self.notes.iter().try_for_each(|note| writeln!(f, "{note}"))?;
        let width = self.truths.iter().map(|truth| truth.name().len()).max().unwrap_or(0);
        writeln!(f, "Truth:")?;
        // Averages are few, and cells may be many.
        let cells = self.truths.iter().filter(|truth| truth.parameter == "att").count();
        let mut left = if cells > SHOWN { SHOWN } else { cells };
        for truth in &self.truths {
            if truth.parameter == "att" {
                if left == 0 {
                    continue;
                }
                left -= 1;
            }
            writeln!(f, "  {:width$}  {}", truth.name(), truth.value)?;
        }
        match cells.saturating_sub(SHOWN) {
            0 => Ok(()),
            more => writeln!(
                f,
                "  and {more} more cells, which the JSON report and the file of truth have"
            ),
        }
    }
}
