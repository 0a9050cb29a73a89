//! What a tool is made of: a look at all rows, a decision, and the change of each frame.

use std::fmt::Debug;

use polars::prelude::DataFrame;

use super::change::PanelChange;
use super::frame::{PanelFrame, StepColumns};
use super::keys::PanelKeys;
use super::survey::Survey;
use crate::base::error::{DidError, Result};

/// A tool that changes units one by one.
pub(super) trait Step: Debug + Send + Sync {
    fn name(&self) -> &'static str;

    /// Columns that it reads.
    fn columns(&self) -> StepColumns {
        StepColumns::default()
    }

    /// Whether it compares values of the other columns.
    fn compares(&self) -> bool {
        false
    }

    /// Whether it forms its result from frames one after another.
    fn streams(&self) -> bool {
        true
    }

    /// Looks at a frame.
    fn look(&self, frame: &PanelFrame<'_>, survey: &mut Survey) -> Result<()>;

    /// What follows from all looks, or why nothing does.
    fn decide<'a>(
        &'a self,
        survey: &'a Survey,
        keys: &PanelKeys,
        change: &mut PanelChange,
    ) -> Result<Box<dyn Plan + 'a>>;
}

/// What is done to every frame.
pub(super) trait Plan {
    /// The frame's part of the result. What is decided by frame is counted.
    fn change(
        &self,
        frame: &PanelFrame<'_>,
        survey: &Survey,
        change: &mut PanelChange,
    ) -> Result<DataFrame>;
}

/// An error unless a column is new.
pub(super) fn new_column(frame: &DataFrame, name: &str) -> Result<()> {
    match frame.column(name) {
        Ok(_) => Err(DidError::config(
            "name",
            "the name of a column that the data do not have",
            format!("`{name}`"),
        )),
        Err(_) => Ok(()),
    }
}
