//! The tools by name.

use super::balance::{BalanceRule, BalanceStep};
use super::deduplicate::{DeduplicateStep, Keep};
use super::fill::{FillGaps, FillStep};
use super::first_treated::{FirstTreated, FirstTreatedStep};
use super::keys::PanelKeys;
use super::lag::LagStep;
use super::long::ToLong;
use super::long_difference::{Base, LongDifferenceStep};
use super::tool::PanelTool;
use super::wide::{ToWide, WideStep};

fn names(columns: impl IntoIterator<Item = impl Into<String>>) -> Vec<String> {
    columns.into_iter().map(Into::into).collect()
}

/// Adds the period in which a unit is first treated, from a treatment of zeros and ones, in the type of the time column.
///
/// A treatment that ends is an error that names the unit and period, as are a missing one and absent rows in which a unit may have been
/// treated for the first time; all by default.
///
/// ```
/// use burn_did::panel::{self, FirstTreated, PanelKeys};
/// use polars::prelude::*;
///
/// let panel = df!("id" => [1, 1, 1, 2, 2, 2], "t" => [1, 2, 3, 1, 2, 3], "d" => [0, 1, 1, 0, 0, 0])?;
/// let keys = PanelKeys::builder().unit("id").time("t").build();
/// let (panel, change) = panel::first_treated(&keys, "d", FirstTreated::default()).apply(&panel)?;
/// let first: Vec<Option<i32>> = panel.column("first_treated")?.i32()?.iter().collect();
/// assert_eq!(first, [Some(2), Some(2), Some(2), None, None, None]);
/// assert_eq!(change.count("Units never treated"), 1);
/// # Ok::<(), burn_did::DidError>(())
/// ```
#[doc(alias = "get_group")]
pub fn first_treated(
    keys: &PanelKeys,
    treatment: impl Into<String>,
    options: FirstTreated,
) -> PanelTool {
    PanelTool::units(keys, FirstTreatedStep { treatment: treatment.into(), options })
}

/// Makes a panel in which every unit has every period.
///
/// ```
/// use burn_did::panel::{self, BalanceRule, PanelKeys};
/// use polars::prelude::*;
///
/// let panel = df!("id" => [1, 1, 2, 2, 3], "t" => [1, 2, 1, 2, 1])?;
/// let keys = PanelKeys::builder().unit("id").time("t").build();
/// let rows = |rule| Ok::<_, burn_did::DidError>(panel::balance(&keys, rule).apply(&panel)?.0.height());
/// assert_eq!((rows(BalanceRule::Units)?, rows(BalanceRule::Periods)?), (4, 3));
/// assert_eq!((rows(BalanceRule::Largest)?, rows(BalanceRule::Fill)?), (4, 6));
/// # Ok::<(), burn_did::DidError>(())
/// ```
#[doc(alias = "make_balanced_panel")]
pub fn balance(keys: &PanelKeys, rule: BalanceRule) -> PanelTool {
    match rule {
        BalanceRule::Fill => {
            let options = FillGaps::builder().all_periods(true).build();
            PanelTool::units(keys, FillStep { name: "balance", options })
        }
        rule => PanelTool::units(keys, BalanceStep(rule)),
    }
}

/// Adds rows for the periods of the data that a unit lacks. Rows without a unit or a period are dropped.
///
/// ```
/// use burn_did::panel::{self, FillGaps, PanelKeys};
/// use polars::prelude::*;
///
/// let panel = df!("id" => [1, 1, 2, 2], "t" => [1, 3, 1, 2], "state" => ["a", "a", "b", "b"])?;
/// let keys = PanelKeys::builder().unit("id").time("t").build();
/// let options = FillGaps::builder().carry_constant(true).build();
/// let (filled, change) = panel::fill_gaps(&keys, options).apply(&panel)?;
/// assert_eq!((filled.height(), change.count("Rows added")), (5, 1));
/// assert_eq!(filled.column("state")?.null_count(), 0);
/// # Ok::<(), burn_did::DidError>(())
/// ```
#[doc(alias = "fill_panel_gaps")]
pub fn fill_gaps(keys: &PanelKeys, options: FillGaps) -> PanelTool {
    PanelTool::units(keys, FillStep { name: "fill_gaps", options })
}

/// Keeps one row for a unit and period. Rows without a unit or a period stay.
///
/// ```
/// use burn_did::panel::{self, Keep, PanelKeys};
/// use polars::prelude::*;
///
/// let panel = df!("id" => [1, 1, 1], "t" => [1, 1, 2], "y" => [1.0, 3.0, 5.0])?;
/// let keys = PanelKeys::builder().unit("id").time("t").build();
/// assert!(panel::deduplicate(&keys, Keep::Equal).apply(&panel).is_err());
/// let (means, _) = panel::deduplicate(&keys, Keep::Mean).apply(&panel)?;
/// assert_eq!(means.column("y")?.f64()?.get(0), Some(2.0));
/// # Ok::<(), burn_did::DidError>(())
/// ```
#[doc(alias = "deduplicate_panel")]
pub fn deduplicate(keys: &PanelKeys, keep: Keep) -> PanelTool {
    PanelTool::units(keys, DeduplicateStep(keep))
}

/// Adds the values of so many periods before, or after if the number is negative: `y_lag1`, `y_lead1`. They are those of periods and not of
/// rows: after a gap they are null.
///
/// A period is that of `frequency`, or else the largest time that all distances between the periods of the data are multiples of.
///
/// ```
/// use burn_did::panel::{self, PanelKeys};
/// use polars::prelude::*;
///
/// let panel = df!("id" => [1, 1, 1], "t" => [1, 2, 4], "y" => [10, 20, 40])?;
/// let keys = PanelKeys::builder().unit("id").time("t").build();
/// let (panel, _) = panel::lag(&keys, ["y"], 1).apply(&panel)?;
/// let lag: Vec<Option<i32>> = panel.column("y_lag1")?.i32()?.iter().collect();
/// assert_eq!(lag, [None, Some(10), None]);
/// # Ok::<(), burn_did::DidError>(())
/// ```
pub fn lag(
    keys: &PanelKeys,
    columns: impl IntoIterator<Item = impl Into<String>>,
    periods: i32,
) -> PanelTool {
    PanelTool::units(keys, LagStep { columns: names(columns), periods, difference: false })
}

/// Adds changes since so many periods before: `y_diff1`. Periods are counted as for [`lag`].
///
/// ```
/// use burn_did::panel::{self, PanelKeys};
///
/// let keys = PanelKeys::builder().unit("countyreal").time("year").build();
/// let (panel, change) = panel::difference(&keys, ["lemp"], 1).apply(&burn_did::data::mpdta())?;
/// assert_eq!(panel.column("lemp_diff1")?.null_count(), 500);
/// assert_eq!(change.count("Rows without a value"), 500);
/// # Ok::<(), burn_did::DidError>(())
/// ```
#[doc(alias = "get_first_difference")]
pub fn difference(
    keys: &PanelKeys,
    columns: impl IntoIterator<Item = impl Into<String>>,
    periods: i32,
) -> PanelTool {
    PanelTool::units(keys, LagStep { columns: names(columns), periods, difference: true })
}

/// Adds changes since a base period: `y_long_diff`.
///
/// ```
/// use burn_did::panel::{self, Base, PanelKeys};
///
/// let keys = PanelKeys::builder().unit("countyreal").time("year").group("first.treat").build();
/// let (panel, change) = panel::long_difference(&keys, ["lemp"], Base::BeforeTreatment).apply(&burn_did::data::mpdta())?;
/// assert_eq!(change.count("Units without a base period: never treated"), 309);
/// assert_eq!(panel.column("lemp_long_diff")?.null_count(), 309 * 5);
/// # Ok::<(), burn_did::DidError>(())
/// ```
pub fn long_difference(
    keys: &PanelKeys,
    columns: impl IntoIterator<Item = impl Into<String>>,
    base: Base,
) -> PanelTool {
    PanelTool::units(keys, LongDifferenceStep { columns: names(columns), base })
}

/// Makes one row of a unit, with a column for each period. Needs all data in memory.
///
/// ```
/// use burn_did::panel::{self, PanelKeys, ToLong, ToWide};
///
/// let keys = PanelKeys::builder().unit("countyreal").time("year").build();
/// let (wide, _) = panel::to_wide(&keys, ToWide::default()).apply(&burn_did::data::mpdta())?;
/// assert_eq!(wide.height(), 500);
/// let back = ToLong::builder().columns(["lemp"]).time("year").build();
/// assert_eq!(panel::to_long(back).apply(&wide)?.0.height(), 2_500);
/// # Ok::<(), burn_did::DidError>(())
/// ```
#[doc(alias = "panel_to_wide")]
pub fn to_wide(keys: &PanelKeys, options: ToWide) -> PanelTool {
    PanelTool::units(keys, WideStep(options))
}

/// Makes rows of periods of each row, from columns that have one for each period: the inverse of [`to_wide`]. All other columns are repeated.
#[doc(alias = "wide_to_panel")]
pub fn to_long(options: ToLong) -> PanelTool {
    PanelTool::rows(options)
}
