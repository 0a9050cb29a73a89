//! Results as JSON.

use std::path::Path;

use super::result::AttGtResult;
use crate::error::{DidError, Result};

impl AttGtResult {
    /// Writes the result as JSON. It can be aggregated again after [`load`](Self::load); influence values are not saved.
    ///
    /// # Errors
    /// [`DidError::Io`] if the file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let text = serde_json::to_string(self)?;
        std::fs::write(path.as_ref(), text).map_err(|source| io(path.as_ref(), source))
    }

    /// Reads a saved result.
    ///
    /// # Errors
    /// [`DidError::Io`] or [`DidError::Json`].
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let text = std::fs::read_to_string(path.as_ref()).map_err(|e| io(path.as_ref(), e))?;
        Ok(serde_json::from_str(&text)?)
    }
}

fn io(path: &Path, source: std::io::Error) -> DidError {
    DidError::Io { path: path.display().to_string(), source }
}
