//! Simulations as the command line has them: checked, written piece by piece, with the truth and the command that estimates it.

mod check;
mod curve;
mod dose;
mod staggered;
mod switching;
mod triple;
mod truth;
mod two_period;
mod two_way;
mod written;

use std::fmt::Debug;
use std::path::Path;

pub use truth::Truth;
pub use written::Simulated;

pub use super::rows::Parts;
use crate::base::error::Result;
use crate::base::progress::Progress;
use crate::read::files::{FileFormat, output};

/// Rows that are held and written together.
const ROWS: usize = 1 << 19;

/// A simulation: data whose truth is known, made in pieces.
///
/// ```
/// use burn_did::data::{Simulate, Simulation};
///
/// let simulation = Simulation::builder().units(300).seed(7).build();
/// let path = std::env::temp_dir().join("burn-did-simulated.parquet");
/// let written = simulation.write(&path, None)?;
/// assert_eq!(written.rows, 300 * 6);
/// let effect = written.truths.iter().find(|truth| truth.name() == "ATT(3, 4)");
/// assert_eq!(effect.map(|truth| truth.value), Some(1.5));
/// println!("{}", written.estimate);
/// # std::fs::remove_file(path).ok();
/// # Ok::<(), burn_did::DidError>(())
/// ```
pub trait Simulate: Debug + Send + Sync {
    /// The command that estimates.
    fn estimator(&self) -> &'static str;

    /// An error that names the option if one is outside its range.
    ///
    /// # Errors
    /// [`DidError::Config`](crate::DidError::Config).
    fn validate(&self) -> Result<()>;

    /// Units that are drawn, and the most rows that one has. Units of repeated cross sections are rows.
    fn drawn(&self) -> (usize, usize);

    /// What makes the rows of some units: the same whatever other units are made.
    fn parts(&self) -> Parts<'_>;

    /// What estimates should be.
    fn truths(&self) -> Vec<Truth>;

    /// Options of the command that estimates, word by word.
    fn options(&self) -> Vec<String>;

    /// What the truth leaves out, in sentences.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// Writes the data to a `.parquet` or `.csv` file, which takes the place of what was there when it is complete. Half a million rows are
    /// held at once, whatever the number of units, and the bytes do not depend on the number of threads.
    ///
    /// # Errors
    /// [`DidError::Config`](crate::DidError::Config) for options out of range or another ending of the file, [`DidError::Io`](crate::DidError::Io) if it cannot be written.
    fn write(&self, path: &Path, progress: Option<&Progress>) -> Result<Simulated> {
        self.validate()?;
        let format = FileFormat::to_write("path", path)?;
        let (units, rows_per_unit) = self.drawn();
        let each = (ROWS / rows_per_unit.max(1)).max(1);
        let pieces = units.div_ceil(each).max(1);
        let mut rows = 0;
        output::write(path, format, |sink| {
            let parts = self.parts();
            for piece in 0..pieces {
                let first = piece * each;
                let frame = parts(first..units.min(first + each));
                rows += frame.height() as u64;
                sink(Some(&frame))?;
                if let Some(progress) = progress {
                    progress.report("writing", piece as u64 + 1, pieces as u64);
                }
            }
            sink(None)
        })?;
        let (estimator, path) = (self.estimator(), path.display().to_string());
        Ok(Simulated {
            estimator,
            estimate: Simulated::command(estimator, &path, self.options()),
            path,
            units: units as u64,
            rows,
            notes: self.notes(),
            truths: self.truths(),
        })
    }
}

/// Options of the columns that simulated panels have.
fn common(repeated: bool, weights: bool, clusters: usize) -> Vec<String> {
    let mut words = vec!["--yname", "y", "--tname", "period"];
    if !repeated {
        words.extend(["--idname", "id"]);
    }
    if weights {
        words.extend(["--weightsname", "weight"]);
    }
    if clusters > 0 {
        words.extend(["--clustervars", "cluster"]);
    }
    words.into_iter().map(str::to_owned).collect()
}

/// Options of the sample and of its comparison units.
fn sampled(never_treated: f64, repeated: bool, attrition: f64) -> Vec<String> {
    let mut words = Vec::new();
    if never_treated == 0.0 {
        words.extend(["--control-group", "not_yet_treated"]);
    }
    if repeated {
        words.push("--repeated-cross-sections");
    } else if attrition > 0.0 {
        words.push("--allow-unbalanced-panel");
    }
    words.into_iter().map(str::to_owned).collect()
}

/// The option of so many covariates.
fn formula(covariates: usize) -> Vec<String> {
    if covariates == 0 {
        return Vec::new();
    }
    let names: Vec<String> = (1..=covariates).map(|j| format!("x{j}")).collect();
    vec!["--xformla".to_owned(), format!("~ {}", names.join(" + "))]
}
