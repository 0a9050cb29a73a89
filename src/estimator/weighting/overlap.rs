//! [`OverlapByCell`]: how each cell's comparison units are weighted, as a table.

use serde::{Deserialize, Serialize};

use super::WeightedComparison;
use crate::result::estimates::Overlap;
use crate::result::settings::Settings;

/// Largest scores, trimmed units and effective sample sizes of each cell that was estimated.
///
/// ```
/// use burn_did::{AttGt, backend::Cpu, data};
///
/// let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year").group("first.treat");
/// let overlap = config.covariates("~ lpop").build().fit(&data::mpdta())?.overlap_by_cell();
/// assert_eq!(overlap.rows.len(), 12);
/// assert!(overlap.rows.iter().all(|row| row.overlap.trimmed == 0));
/// println!("{overlap}");
/// # Ok::<(), burn_did::DidError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[must_use]
#[non_exhaustive]
pub struct OverlapByCell {
    /// How the fit was made.
    pub settings: Settings,
    /// The two-by-two estimator, in the words of its option.
    pub method: String,
    /// Propensity score from which comparison units are trimmed; `None` for estimators without a score.
    pub trim_level: Option<f64>,
    /// The cells that were estimated.
    pub rows: Vec<OverlapRow>,
    /// Cells without an estimate, which have no overlap.
    pub not_estimated: usize,
    /// The distribution of scores, if the fit was asked for its [`weighting`](crate::AttGt::weighting): what is drawn.
    pub comparisons: Vec<WeightedComparison>,
}

/// A cell's overlap.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OverlapRow {
    /// First treated period of the group; `None` for two groups in two periods.
    pub group: Option<f64>,
    /// Period.
    pub time: Option<f64>,
    /// Treated units (rows) in the cell.
    pub n_treated: usize,
    /// Comparison units (rows) in the cell.
    pub n_control: usize,
    /// How the comparison units are weighted.
    pub overlap: Overlap,
}
