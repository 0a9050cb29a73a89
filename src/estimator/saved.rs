//! Results as JSON.

use std::io::Read;
use std::path::Path;

use serde::Serialize;
use serde::de::{DeserializeOwned, Error};

use super::cont_did::ContDidResult;
use super::drdid::DrdidResult;
use super::result::GroupTimeResult;
use crate::base::error::{DidError, Result};
use crate::base::memory;
use crate::base::written;
use crate::estimator::honest::HonestDid;
use crate::estimator::npiv::NpivResult;
use crate::result::estimates::check::Checked;

/// What reading takes at most of the length of a text: the text as it grows, and its numbers.
const COPIES: u64 = 8;

/// A result whose parts must fit together.
pub(crate) trait Consistent {
    /// An error that names the field at fault.
    fn check(&self) -> Checked;
}

impl GroupTimeResult {
    /// Writes the result as JSON, every number to the last bit. It can be aggregated again after [`load`](Self::load);
    /// influence values are not saved.
    ///
    /// ```
    /// use burn_did::GroupTimeResult;
    /// # use burn_did::{AttGt, backend::Cpu, data};
    /// # let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    /// # let fit = config.group("first.treat").build().fit(&data::mpdta(), &Default::default())?;
    /// let path = std::env::temp_dir().join("burn-did-example.json");
    /// fit.save(&path)?;
    /// assert_eq!(GroupTimeResult::load(&path)?, fit);
    /// # std::fs::remove_file(path).unwrap();
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    ///
    /// # Errors
    /// [`DidError::Io`] if the file cannot be written, [`DidError::Json`] if the result was changed into one that could not be
    /// loaded.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        write(self, path.as_ref())
    }

    /// Reads a saved result.
    ///
    /// # Errors
    /// [`DidError::Io`], or [`DidError::Json`] for what is no saved result or one whose parts do not fit together.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        read(path.as_ref())
    }
}

impl DrdidResult {
    /// Writes the result as JSON, every number to the last bit; influence values are not saved.
    ///
    /// ```
    /// use burn_did::{Drdid, DrdidResult, backend::Cpu, data::TwoPeriodSimulation};
    ///
    /// let data = TwoPeriodSimulation::builder().units(500).seed(1).build().frame();
    /// let config = Drdid::<Cpu>::builder().outcome("y").unit("id").time("period").treatment("treated");
    /// let fit = config.build().fit(&data, &Default::default())?;
    /// let path = std::env::temp_dir().join("burn-did-two-periods-example.json");
    /// fit.save(&path)?;
    /// assert_eq!(DrdidResult::load(&path)?, fit);
    /// # std::fs::remove_file(path).unwrap();
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    ///
    /// # Errors
    /// As [`GroupTimeResult::save`].
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        write(self, path.as_ref())
    }

    /// Reads a saved result.
    ///
    /// # Errors
    /// As [`GroupTimeResult::load`].
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        read(path.as_ref())
    }
}

impl ContDidResult {
    /// Writes the result as JSON, every number to the last bit. Effects at other doses, event studies and averages can be had from
    /// it after [`load`](Self::load); influence values are not saved.
    ///
    /// # Errors
    /// As [`GroupTimeResult::save`].
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        write(self, path.as_ref())
    }

    /// Reads a saved result.
    ///
    /// # Errors
    /// As [`GroupTimeResult::load`].
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        read(path.as_ref())
    }
}

impl NpivResult {
    /// Writes the result as JSON, every number to the last bit.
    ///
    /// # Errors
    /// As [`GroupTimeResult::save`].
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        write(self, path.as_ref())
    }

    /// Reads a saved result.
    ///
    /// # Errors
    /// As [`GroupTimeResult::load`].
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        read(path.as_ref())
    }
}

impl HonestDid {
    /// Writes the result as JSON, every number to the last bit.
    ///
    /// ```
    /// use burn_did::{EventStudy, Honest, HonestDid};
    ///
    /// let study = EventStudy::new(vec![0.1, 1.0], vec![vec![0.04, 0.0], vec![0.0, 0.02]], 1, 1)?;
    /// let honest = study.honest(Honest::relative_magnitude().m_bar([1.0]))?;
    /// let path = std::env::temp_dir().join("burn-did-honest-example.json");
    /// honest.save(&path)?;
    /// assert_eq!(HonestDid::load(&path)?, honest);
    /// # std::fs::remove_file(path).unwrap();
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    ///
    /// # Errors
    /// As [`GroupTimeResult::save`].
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        write(self, path.as_ref())
    }

    /// Reads a saved result.
    ///
    /// # Errors
    /// As [`GroupTimeResult::load`].
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        read(path.as_ref())
    }
}

pub(crate) fn write(result: &(impl Serialize + Consistent), path: &Path) -> Result<()> {
    check(result)?;
    let text = serde_json::to_string(result)?;
    written::text(path, &text)
}

pub(crate) fn read<T: DeserializeOwned + Consistent>(path: &Path) -> Result<T> {
    let result: T = serde_json::from_str(&text(path)?)?;
    check(&result)?;
    Ok(result)
}

/// The text of a file, of which no more is read than there is room for.
pub(crate) fn text(path: &Path) -> Result<String> {
    let file = std::fs::File::open(path).map_err(|e| io(path, e))?;
    let most = memory::free().map_or(u64::MAX, |free| free / COPIES);
    let mut text = String::new();
    file.take(most).read_to_string(&mut text).map_err(|e| io(path, e))?;
    let needed = u128::from(COPIES) * text.len() as u128;
    memory::check("the saved result", needed + 1, "load it where there is more memory")?;
    Ok(text)
}

fn check(result: &impl Consistent) -> Result<()> {
    Ok(result.check().map_err(serde_json::Error::custom)?)
}

fn io(path: &Path, source: std::io::Error) -> DidError {
    DidError::Io { path: path.display().to_string(), source }
}
