//! What a fit said of its data, for results that are formed from it.

use serde::{Deserialize, Serialize};

use crate::base::calendar::Frequency;
use crate::base::error::{DidWarning, Message};
use crate::read::files::{ChosenRows, FilesRead};

/// What the fit behind averages or an event study said of its data: averages and analyses say it again, where their numbers stand.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FitNotes {
    /// The rows of the files that were chosen by conditions, if not all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<ChosenRows>,
    /// How many units are never treated, and what says so, if something else than 0 does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub never_treated: Option<String>,
    /// The warnings of the fit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Message>,
}

impl FitNotes {
    pub(crate) fn new<'w>(
        files: &FilesRead,
        warnings: impl IntoIterator<Item = &'w DidWarning>,
        frequency: Option<Frequency>,
    ) -> Self {
        let warnings = warnings.into_iter().map(|warning| warning.message(frequency));
        let warnings = files.warnings.iter().cloned().chain(warnings).collect();
        Self { rows: files.chosen.clone(), never_treated: None, warnings }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_none() && self.never_treated.is_none() && self.warnings.is_empty()
    }
}
