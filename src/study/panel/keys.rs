//! The columns of units and periods.

use crate::base::calendar::Frequency;
use crate::base::progress::Progress;
use crate::read::columns::{Kind, MissingValues, Wanted};

/// The columns that name the unit and the period of each row, and how they are read.
///
/// They are read as the estimators read them: labels of any type, periods as numbers or dates, and the usual words for a missing value.
///
/// ```
/// use burn_did::panel::{self, BalanceRule, PanelKeys};
///
/// let keys = PanelKeys::builder().unit("countyreal").time("year").build();
/// let mpdta = burn_did::data::mpdta();
/// let (balanced, change) = panel::balance(&keys, BalanceRule::Units).apply(&mpdta)?;
/// assert_eq!((balanced.height(), change.units_out), (2_500, 500));
/// # Ok::<(), burn_did::DidError>(())
/// ```
#[derive(Clone, Debug, bon::Builder)]
#[non_exhaustive]
#[builder(on(String, into))]
pub struct PanelKeys {
    /// Unit.
    #[doc(alias = "idname")]
    pub unit: String,
    /// Period: a number, or a date with `frequency`.
    #[doc(alias = "tname")]
    pub time: String,
    /// First treated period: by it the report counts cohorts, and long differences have their base.
    #[doc(alias = "gname")]
    pub group: Option<String>,
    /// Length of a period, if the columns of periods and groups have dates.
    pub frequency: Option<Frequency>,
    /// Words and numbers that stand for a missing value in the columns that a tool reads, instead of the [usual words](crate::Data).
    #[doc(alias = "na.strings")]
    #[builder(with = |values: impl IntoIterator<Item = impl Into<String>>| values.into_iter().map(Into::into).collect())]
    pub missing_values: Option<Vec<String>>,
    /// Bytes of data that may be in memory at a time where a tool [writes](super::PanelTool::write) from files; a third of the free
    /// memory if not given.
    pub memory_budget: Option<u64>,
    /// Hears how far the work on files has come.
    pub progress: Option<Progress>,
}

impl PanelKeys {
    /// The columns with their roles.
    pub(super) fn wanted(&self) -> Wanted {
        Wanted::default()
            .and("unit", Kind::Label, [&self.unit])
            .and("time", Kind::Value, [&self.time])
            .and("group", Kind::Value, &self.group)
    }

    pub(super) fn missing(&self) -> MissingValues {
        MissingValues::new(self.missing_values.as_deref())
    }
}
