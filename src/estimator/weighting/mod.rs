//! What an estimator's own weighting does to the comparison: [`Weighting`], [`Scores`] and [`OverlapByCell`].
//!
//! | part | file |
//! |---|---|
//! | what is asked for, and the passes | `form.rs` |
//! | means and variances of covariates from their sums | `moments.rs` |
//! | scores and weights by unit | `scores.rs` |
//! | overlap by cell | `overlap.rs` |
//! | tables and pictures | `report/` |

mod check;
pub(crate) mod form;
mod moments;
mod overlap;
mod report;
mod scores;

use serde::{Deserialize, Serialize};

use crate::base::error::{DidError, Result};
use crate::result::settings::Settings;

pub use overlap::{OverlapByCell, OverlapRow};
pub use scores::Scores;

/// What an estimator's own weighting does to the covariates of each cell's comparison units: means, normalised differences and variance
/// ratios before and after it, and how scores and covariates are distributed over the arms.
///
/// Given its propensity score, every estimator is a weighted sum of outcome changes: the mean change of the treated units less a weighted
/// mean change of the comparison units. For inverse probability weighting the weights are the odds of the score; outcome regression
/// implies weights (Chattopadhyay and Zubizarreta 2023, <https://doi.org/10.1093/biomet/asac058>), which give the comparison units the
/// covariate means of the treated ones exactly and may be negative, where it extrapolates; the doubly robust estimator's are odds plus what
/// its regression still corrects.
///
/// ```
/// use burn_did::{AttGt, backend::Cpu, data, options::EstimationMethod};
///
/// let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year").group("first.treat");
/// let config = config.covariates("~ lpop").method(EstimationMethod::OutcomeRegression).weighting(true).build();
/// let fit = config.fit(&data::mpdta())?;
/// let weighting = fit.weighting.as_ref().expect("asked for");
/// for cell in &weighting.comparisons {
///     let lpop = &cell.covariates[0];
///     assert!(lpop.normalized_difference.unwrap().abs() > 0.01);
///     assert!(lpop.weighted_difference.unwrap().abs() < 1e-9);
/// }
/// println!("{weighting}");
/// # Ok::<(), burn_did::DidError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[must_use]
#[non_exhaustive]
pub struct Weighting {
    /// How the fit was made.
    pub settings: Settings,
    /// The two-by-two estimator, in the words of its option.
    pub method: String,
    /// Propensity score from which comparison units are trimmed; `None` for estimators without a score.
    pub trim_level: Option<f64>,
    /// The comparisons that were estimated, in the order of the cells.
    pub comparisons: Vec<WeightedComparison>,
    /// What a reader must know of them, such as covariates that are not balanced because there are none.
    pub remarks: Vec<String>,
}

/// Treated and comparison units of a cell, or their rows in one of its two periods.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WeightedComparison {
    /// First treated period of the group; `None` for two groups in two periods.
    pub group: Option<f64>,
    /// Period of the cell.
    pub time: Option<f64>,
    /// Whom triple differences compare the treated and eligible units with.
    pub against: Option<Against>,
    /// Period of the rows, where rows of two periods are compared; `None` where changes of units are.
    pub period: Option<f64>,
    /// Treated units (rows) with sampling weight.
    pub n_treated: usize,
    /// Comparison units (rows) with sampling weight.
    pub n_control: usize,
    /// Effective sample size of the comparison units under the estimator's weights, `(Σ ω)² / Σ ω²`.
    pub effective_control: Option<f64>,
    /// Comparison units with a negative weight: the estimator extrapolates.
    pub negative: usize,
    /// Their part of the sum of absolute weights.
    pub negative_share: f64,
    /// Parts of each arm's sampling weight by propensity score; `None` without a score that varies.
    pub scores: Option<ScoreShares>,
    /// Covariates, as the columns of the design.
    pub covariates: Vec<CovariateBalance>,
}

/// One of the comparisons that a triple difference is made of.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Against {
    /// First treated period of the comparison units; `None` if they are never treated.
    pub group: Option<f64>,
    /// Whether they are eligible.
    pub eligible: bool,
}

/// Parts of each arm's sampling weight by propensity score, in equal parts of the unit interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ScoreShares {
    /// Of the treated units; they add up to one.
    pub treated: Vec<f64>,
    /// Of the comparison units.
    pub control: Vec<f64>,
}

/// A covariate of a comparison, before and after the estimator's weighting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CovariateBalance {
    /// Column of the design.
    pub variable: String,
    /// Mean of the treated units, in units of the variable.
    pub treated_mean: Option<f64>,
    /// Mean of the comparison units by their sampling weights.
    pub control_mean: Option<f64>,
    /// Mean of the comparison units by the estimator's weights, which are normalised to one.
    pub weighted_mean: Option<f64>,
    /// Variance of the treated units.
    pub treated_variance: Option<f64>,
    /// Variance of the comparison units by their sampling weights.
    pub control_variance: Option<f64>,
    /// Variance of the comparison units by the estimator's weights; `None` where negative weights leave no positive one.
    pub weighted_variance: Option<f64>,
    /// Difference of the first two means in units of the root of the average of the first two variances.
    pub normalized_difference: Option<f64>,
    /// Difference between the treated mean and the weighted one, in the same units as before weighting.
    pub weighted_difference: Option<f64>,
    /// Variance of the treated units over that of the comparison units.
    pub variance_ratio: Option<f64>,
    /// The same under the estimator's weights.
    pub weighted_ratio: Option<f64>,
    /// How the covariate is distributed; `None` if it does not vary.
    pub shares: Option<CovariateShares>,
}

/// Parts of each arm's weight by a covariate, in parts of equal width; the first and the last have what lies beyond.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CovariateShares {
    /// Lower end of the first part.
    pub lower: f64,
    /// Width of a part.
    pub width: f64,
    /// Of the treated units; they add up to one.
    pub treated: Vec<f64>,
    /// Of the comparison units by their sampling weights.
    pub control: Vec<f64>,
    /// Of the comparison units by the estimator's weights, some of which may be negative.
    pub weighted: Vec<f64>,
}

impl Weighting {
    /// The comparisons of one group, of one period, or both.
    ///
    /// # Errors
    /// [`DidError::Config`] if there are none.
    pub fn of_cells(&self, group: Option<f64>, time: Option<f64>) -> Result<Self> {
        let is_asked = |asked: Option<f64>, own: Option<f64>| asked.is_none() || asked == own;
        let is_wanted =
            |c: &&WeightedComparison| is_asked(group, c.group) && is_asked(time, c.time);
        let comparisons: Vec<_> = self.comparisons.iter().filter(is_wanted).cloned().collect();
        if comparisons.is_empty() {
            let shown =
                |period: Option<f64>| period.map_or("any".into(), |p| self.settings.period(p));
            let got = format!("group {} in period {}", shown(group), shown(time));
            return Err(DidError::config("cells", "a group and a period that were estimated", got));
        }
        Ok(Self { comparisons, ..self.clone() })
    }
}
