//! Aggregation of group-time effects, from the stored covariance alone (Callaway and Sant'Anna 2021, section 3).

mod check;
mod compute;
mod event_study;
mod left_out;
pub(crate) mod report;
mod text;
mod universal;
mod weights;
mod without_share;

use serde::{Deserialize, Serialize};

use crate::base::error::{DidError, DidWarning, Result};
use crate::base::options::Band;
use crate::base::words::words;
use crate::engine::source::Influence;
use crate::result::fit_notes::FitNotes;
use crate::result::inference::Estimate;
use crate::result::settings::Settings;

pub(crate) use compute::aggregate;
#[cfg(feature = "plot")]
pub(crate) use event_study::{EVENT_STUDY, event_study_chart};
pub use event_study::{EventStudy, Provenance, RegressionProvenance};
pub(crate) use event_study::{
    LARGEST_VARIANCE, ROUNDING, SMALLEST_VARIANCE, check_usable, counted_periods, reference_row,
    relative_to, wrong,
};
pub use left_out::{LeftOut, LeftOutCell, LeftOutGroup, LeftOutRow, Window};
pub(crate) use left_out::{listed, remedy};
pub(crate) use universal::UniversalBase;
pub(in crate::estimator) use weights::linear;
pub use without_share::WithoutShare;

words! {
    /// What is averaged over which cells.
    pub enum AggregationKind: "type" {
        /// All post-treatment cells, weighted by group size.
        Simple = "simple",
        /// By event time, weighted by group size: the event study.
        #[doc(alias = "eventstudy")]
        Dynamic = "dynamic" | "event" | "eventstudy" | "event_study",
        /// By group, each group's post-treatment cells weighted equally.
        Group = "group",
        /// By calendar period, weighted by group size.
        Calendar = "calendar",
    }
}

/// An aggregation and its window.
///
/// ```
/// use burn_did::Aggregation;
/// let event_study = Aggregation::dynamic().min_e(-3).max_e(5).balance_e(2);
/// # assert_eq!(event_study.balance_e, Some(2));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[doc(alias = "aggte")]
#[non_exhaustive]
pub struct Aggregation {
    /// What is averaged.
    pub kind: AggregationKind,
    /// Smallest event time reported (dynamic only).
    pub min_e: Option<f64>,
    /// Largest event time used.
    pub max_e: Option<f64>,
    /// Keep only groups observed for at least this many periods after treatment (dynamic only).
    pub balance_e: Option<u32>,
    /// Leave out cells without an estimate instead of failing, which changes what is averaged: [`Aggregated::left_out`] says how.
    pub na_rm: bool,
}

impl Aggregation {
    /// An error if the window is not of numbers.
    pub(crate) fn validate(&self) -> Result<()> {
        for (option, value) in [("min_e", self.min_e), ("max_e", self.max_e)] {
            if let Some(value) = value.filter(|e| e.is_nan()) {
                let got = value.to_string();
                return Err(DidError::config(option, "a number", got));
            }
        }
        Ok(())
    }

    /// An aggregation of this kind without a window.
    #[must_use]
    pub fn new(kind: AggregationKind) -> Self {
        Self { kind, min_e: None, max_e: None, balance_e: None, na_rm: false }
    }

    /// One average over all post-treatment cells.
    ///
    /// ```
    /// use burn_did::Aggregation;
    /// # use burn_did::{AttGt, backend::Cpu, data};
    /// # let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    /// # let fit = config.group("first.treat").build().fit(&data::mpdta())?;
    /// let simple = fit.aggregate(Aggregation::simple())?;
    /// assert!(simple.rows.is_empty() && simple.overall.se.is_some());
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    #[must_use]
    pub fn simple() -> Self {
        Self::new(AggregationKind::Simple)
    }

    /// Effects by length of exposure: the event study.
    ///
    /// ```
    /// use burn_did::Aggregation;
    /// # use burn_did::{AttGt, backend::Cpu, data};
    /// # let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    /// # let fit = config.group("first.treat").build().fit(&data::mpdta())?;
    /// let event_study = fit.aggregate(Aggregation::dynamic())?;
    /// assert!(event_study.rows[0].at == -3.0 && event_study.overall.se.is_some());
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    #[must_use]
    pub fn dynamic() -> Self {
        Self::new(AggregationKind::Dynamic)
    }

    /// Effects by group.
    ///
    /// ```
    /// use burn_did::Aggregation;
    /// # use burn_did::{AttGt, backend::Cpu, data};
    /// # let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    /// # let fit = config.group("first.treat").build().fit(&data::mpdta())?;
    /// let groups = fit.aggregate(Aggregation::group())?;
    /// assert!(groups.rows[0].at == 2004.0 && groups.overall.se.is_some());
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    #[must_use]
    pub fn group() -> Self {
        Self::new(AggregationKind::Group)
    }

    /// Effects by calendar period.
    ///
    /// ```
    /// use burn_did::Aggregation;
    /// # use burn_did::{AttGt, backend::Cpu, data};
    /// # let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    /// # let fit = config.group("first.treat").build().fit(&data::mpdta())?;
    /// let years = fit.aggregate(Aggregation::calendar())?;
    /// assert!(years.rows.len() == 4 && years.overall.se.is_some());
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    #[must_use]
    pub fn calendar() -> Self {
        Self::new(AggregationKind::Calendar)
    }

    /// Smallest event time reported.
    #[must_use]
    pub fn min_e(mut self, min_e: impl Into<f64>) -> Self {
        self.min_e = Some(min_e.into());
        self
    }

    /// Largest event time used.
    #[must_use]
    pub fn max_e(mut self, max_e: impl Into<f64>) -> Self {
        self.max_e = Some(max_e.into());
        self
    }

    /// Balances the groups' composition over event times up to `balance_e`.
    #[must_use]
    pub fn balance_e(mut self, balance_e: u32) -> Self {
        self.balance_e = Some(balance_e);
        self
    }

    /// Leaves out cells without an estimate.
    #[must_use]
    pub fn na_rm(mut self, na_rm: bool) -> Self {
        self.na_rm = na_rm;
        self
    }
}

/// One row of an aggregation, or of an event study by regression.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AggregatedRow {
    /// Event time, group or calendar period, in units of the time column.
    pub at: f64,
    /// The effect there.
    #[serde(flatten)]
    pub estimate: Estimate,
    /// Whether the row is the reference period, as with a universal base (0 by construction, without standard error).
    pub reference: bool,
}

/// Aggregated effects with their covariance.
///
/// ```
/// use burn_did::Aggregation;
/// # use burn_did::{AttGt, backend::Cpu, data};
/// # let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
/// # let fit = config.group("first.treat").build().fit(&data::mpdta())?;
/// let event_study = fit.aggregate(Aggregation::dynamic())?;
/// // Effects after treatment less those before, from the covariance of the rows.
/// let (first, last) = (0, event_study.rows.len() - 1);
/// let v = &event_study.vcov;
/// let se = (v[first][first] + v[last][last] - 2.0 * v[first][last]).sqrt();
/// assert!(se > 0.0);
/// println!("{event_study}");
/// # Ok::<(), burn_did::DidError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[must_use]
#[non_exhaustive]
pub struct Aggregated {
    /// What was averaged.
    pub aggregation: Aggregation,
    /// Overall effect; its interval is always pointwise.
    pub overall: Estimate,
    /// Rows in ascending order of `at`; empty for [`AggregationKind::Simple`].
    pub rows: Vec<AggregatedRow>,
    /// Critical value of the rows' intervals.
    pub critical_value: f64,
    /// What the rows' intervals are.
    pub band: Band,
    /// One minus the confidence level.
    pub alpha: f64,
    /// Covariance of the rows' estimates, `[rows][rows]`.
    pub vcov: Vec<Vec<f64>>,
    /// Cells without an estimate that the average was to have, and its weight on them; `None` if nothing was left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOut>,
    /// Groups that have effects and no weight, with the rows that have no estimate without them; `None` if all have a weight.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub without_share: Option<WithoutShare>,
    /// What the window asked for leaves out of the overall average; `None` if that is nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<Window>,
    /// Warnings about the averages.
    pub warnings: Vec<DidWarning>,
    /// How the underlying fit was made.
    pub settings: Settings,
    /// What the fit said of its data.
    #[serde(default, skip_serializing_if = "FitNotes::is_empty")]
    pub fit_notes: FitNotes,
    /// The event study with the base period of all cells the same, if it varies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) universal: Option<UniversalBase>,
    /// Influence values of the overall average and of the rows, in columns `overall` and by the rows' `at`, if the fit kept those of the
    /// effects; they have what the estimated shares of the groups add.
    #[serde(skip)]
    pub influence: Option<Influence>,
}
