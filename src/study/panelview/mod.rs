//! Who is observed and treated when: [`PanelView`].

mod check;
mod report;
mod rows;
mod status;

use serde::{Deserialize, Serialize};

use crate::base::calendar::Frequency;
use crate::base::error::{DidError, DidWarning, Result};
use crate::read::input::Data;
use crate::read::panel::overview::PanelColumns;
use crate::result::sample::RowsRead;
use crate::study::explore::Explore;

pub use status::TreatmentStatus;

/// Patterns that are kept, at most.
const MOST: usize = 500_000;

/// Rollout and treatment status, units by periods: units that are observed and treated in the same periods are one pattern. Patterns stand
/// by cohort, ascending and the never-treated last, and then by their periods.
///
/// Cohorts are those of the column of first treated periods or, where there is a treatment for every period, of the first period in which
/// it is not 0. A row counts as observed if it has a value in every column that was named.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PanelView {
    /// Unit column.
    pub unit: String,
    /// Period column.
    pub time: String,
    /// Column of first treated periods.
    pub group: Option<String>,
    /// Column of the treatment in every period.
    pub treatment: Option<String>,
    /// What a period is, if periods and groups are dates.
    pub frequency: Option<Frequency>,
    /// Files and rows that were read.
    #[serde(flatten)]
    pub read: RowsRead,
    /// Units with a complete row.
    pub n_units: usize,
    /// Units with several rows in a period; the last of them counts.
    pub units_with_duplicates: usize,
    /// Units with several first treated periods; that of their first row counts.
    pub units_that_change_group: usize,
    /// Warnings about the data.
    #[serde(default)]
    pub warnings: Vec<DidWarning>,
    /// Whether each row is a cohort, with the status of most of its units that are observed in the period.
    pub by_cohort: bool,
    /// Periods, ascending.
    pub periods: Vec<f64>,
    /// Patterns, or cohorts.
    pub patterns: Vec<TreatmentPattern>,
}

/// Units that are observed and treated in the same periods; or a cohort.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TreatmentPattern {
    /// First treated period; `None` if never treated.
    pub group: Option<f64>,
    /// How many units.
    pub units: usize,
    /// Their status by period; in JSON a text of one letter a period.
    #[serde(with = "status::letters")]
    pub statuses: Vec<TreatmentStatus>,
    /// Of a cohort, rows observed by period.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub observed: Vec<usize>,
    /// Of a cohort, rows by period in which a unit is not treated any more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ended: Vec<usize>,
}

impl Explore {
    /// Who is observed and treated when, for a picture of the rollout: by patterns of units, or [by cohort](Self::by_cohort).
    ///
    /// Memory grows with the number of patterns and not of units; by cohort it grows with neither.
    ///
    /// ```
    /// use burn_did::{data, explore::Explore};
    ///
    /// let look = Explore::builder().unit("countyreal").time("year").group("first.treat").build();
    /// let view = look.panelview(&data::mpdta())?;
    /// let rollout: Vec<String> = view.patterns.iter().map(|pattern| pattern.letters()).collect();
    /// assert_eq!(rollout, ["oxxxx", "oooxx", "oooox", "nnnnn"]);
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    ///
    /// # Errors
    /// Errors about a column or a file, [`DidError::EmptySample`] if no row has all values, and [`DidError::Config`] without a unit, without
    /// a group or a treatment or with both, and for more than 500,000 patterns.
    pub fn panelview<'a>(&self, data: impl Into<Data<'a>>) -> Result<PanelView> {
        let Some(unit) = &self.unit else {
            return Err(DidError::config("unit", "a column", "none"));
        };
        if self.group.is_some() == self.treatment.is_some() {
            let expected = "the column of first treated periods, or `treatment` the column of a treatment in every period";
            let got = if self.group.is_some() { "both" } else { "none" };
            return Err(DidError::config("group", expected, got));
        }
        let columns = PanelColumns {
            treatment: self.treatment.clone(),
            most_patterns: if self.by_cohort { 0 } else { MOST },
            ..self.columns()
        };
        let (overview, files) = self.look(&columns, data.into())?;
        let patterns = match self.by_cohort {
            true => rows::cohorts(&overview),
            false => rows::patterns(&overview),
        };
        Ok(PanelView {
            unit: unit.clone(),
            time: self.time.clone(),
            group: self.group.clone(),
            treatment: self.treatment.clone(),
            frequency: self.frequency,
            read: RowsRead::of(&overview, files),
            n_units: patterns.iter().map(|pattern| pattern.units).sum(),
            units_with_duplicates: overview.found.duplicates.units,
            units_that_change_group: match self.treatment {
                Some(_) => 0,
                None => overview.found.group_changes.units,
            },
            warnings: overview.doubtful_groups(self.group.as_ref()),
            by_cohort: self.by_cohort,
            periods: overview.periods().to_vec(),
            patterns,
        })
    }
}
