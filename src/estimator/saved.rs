//! Results as JSON.

use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::drdid::DrdidResult;
use super::result::AttGtResult;
use crate::error::{DidError, Result};

impl AttGtResult {
    /// Writes the result as JSON. It can be aggregated again after [`load`](Self::load); influence values are not saved.
    ///
    /// # Errors
    /// [`DidError::Io`] if the file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        write(self, path.as_ref())
    }

    /// Reads a saved result.
    ///
    /// # Errors
    /// [`DidError::Io`] or [`DidError::Json`].
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        read(path.as_ref())
    }
}

impl DrdidResult {
    /// Writes the result as JSON; influence values are not saved.
    ///
    /// # Errors
    /// [`DidError::Io`] if the file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        write(self, path.as_ref())
    }

    /// Reads a saved result.
    ///
    /// # Errors
    /// [`DidError::Io`] or [`DidError::Json`].
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        read(path.as_ref())
    }
}

fn write(result: &impl Serialize, path: &Path) -> Result<()> {
    let text = serde_json::to_string(result)?;
    std::fs::write(path, text).map_err(|source| io(path, source))
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let text = std::fs::read_to_string(path).map_err(|e| io(path, e))?;
    Ok(serde_json::from_str(&text)?)
}

fn io(path: &Path, source: std::io::Error) -> DidError {
    DidError::Io { path: path.display().to_string(), source }
}
