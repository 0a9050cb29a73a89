//! What results say of their sample in the same members: columns, and rows that were read.

use serde::{Deserialize, Serialize};

use crate::base::calendar::{Frequency, shown};
use crate::read::files::FilesRead;
use crate::read::panel::overview::{Overview, PanelColumns};
use crate::result::estimates::check::{Checked, ensure};

/// The columns that every sample of outcomes has. In JSON they are members of what contains them.
///
/// ```
/// use burn_did::{Bacon, data};
///
/// let fit = Bacon::builder().outcome("lemp").unit("countyreal").time("year").group("first.treat");
/// let settings = fit.build().fit(&data::mpdta())?.settings;
/// assert_eq!((&*settings.columns.outcome, &*settings.columns.time), ("lemp", "year"));
/// assert_eq!(settings.columns.period(2004.0), "2004");
/// # Ok::<(), burn_did::DidError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SampleColumns {
    /// Outcome.
    pub outcome: String,
    /// Period column.
    pub time: String,
    /// Weights column.
    pub weights: Option<String>,
    /// What a period is, if periods and groups are dates.
    pub frequency: Option<Frequency>,
}

/// Files and rows that were read, and how many of the rows lack a value. In JSON they are members of what contains them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RowsRead {
    /// Files read; none if the data were in memory.
    pub files: FilesRead,
    /// Rows read.
    pub n_rows: usize,
    /// Rows left out because they lack a value that is needed.
    pub rows_missing: usize,
}

impl SampleColumns {
    pub(crate) fn new(
        outcome: &str,
        time: &str,
        weights: Option<&String>,
        frequency: Option<Frequency>,
    ) -> Self {
        Self { outcome: outcome.into(), time: time.into(), weights: weights.cloned(), frequency }
    }

    /// Those of a look at a panel.
    pub(crate) fn of(columns: &PanelColumns) -> Self {
        let outcome = columns.outcome.as_deref().unwrap_or_default();
        Self::new(outcome, &columns.time, columns.weights.as_ref(), columns.frequency)
    }

    /// A period or group as people read it: `2007-03` for a month, if they are dates, else a number.
    #[must_use]
    pub fn period(&self, period: f64) -> String {
        shown(period, self.frequency)
    }

    /// The end of a note about columns, which names the weights if there are any.
    pub(crate) fn weights_note(&self) -> String {
        weights_note(self.weights.as_deref())
    }
}

/// The end of a note about a fit, which names its weights if there are any.
pub(crate) fn weights_note(weights: Option<&str>) -> String {
    weights.map_or_else(String::new, |name| format!(", Weights: {name}"))
}

impl RowsRead {
    /// Those of a look at a panel.
    pub(crate) fn of(overview: &Overview, files: FilesRead) -> Self {
        Self { files, n_rows: overview.rows, rows_missing: overview.incomplete }
    }

    /// Rows with all values that are needed.
    #[must_use]
    pub fn n_complete(&self) -> usize {
        self.n_rows.saturating_sub(self.rows_missing)
    }

    /// How many rows were left out for a missing value, if some were.
    pub(crate) fn missing_note(&self) -> Option<String> {
        let missing = self.rows_missing;
        (missing > 0).then(|| format!("Rows left out for a missing value: {missing}"))
    }

    /// What holds of the counts.
    pub(crate) fn check(&self) -> Checked {
        ensure(self.rows_missing <= self.n_rows, "rows_missing", || "exceeds `n_rows`".into())
    }
}
