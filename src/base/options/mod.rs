//! Options shared by the estimators. Every default is the value that `Default` or the builder gives.

pub(crate) mod covariates;
pub(crate) mod defaults;
mod dose;
mod projection_base;
mod shares;
pub(crate) mod stop;

use serde::{Deserialize, Serialize};

use crate::base::error::{DidError, Result};
use crate::base::words::words;
pub use covariates::CovariatePeriod;
pub use dose::{CohortShares, CurveErrors, DoseAggregation, DoseGrid, DoseMethod, DoseTarget};
pub use projection_base::ProjectionBase;
pub use shares::SharesOf;
pub use stop::Stop;

words! {
    /// Units that serve as the comparison for a treated group.
    #[derive(Default)]
    pub enum ControlGroup: "control_group" {
        /// Units that are never treated inside the sample.
        #[default]
        NeverTreated = "never_treated" | "nevertreated" | "never",
        /// Never-treated units and units that are not yet treated (nor anticipating) in either period of the cell.
        NotYetTreated = "not_yet_treated" | "notyettreated" | "notyet",
    }
}

impl ControlGroup {
    /// The comparison units in tables.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::NeverTreated => "Never Treated",
            Self::NotYetTreated => "Not Yet Treated",
        }
    }
}

words! {
    /// Period that a cell's outcome is compared with.
    #[derive(Default)]
    pub enum BasePeriod: "base_period" {
        /// The last period before treatment for post-treatment cells, the preceding period for pre-treatment cells.
        #[default]
        Varying = "varying",
        /// The last period before treatment (and anticipation) for every cell of a group.
        Universal = "universal",
    }
}

words! {
    /// Two-by-two estimator of a cell.
    #[derive(Default)]
    pub enum EstimationMethod: "method" {
        /// Doubly robust (Sant'Anna and Zhao 2020, eqs. 3.1 and 3.4).
        #[default]
        #[doc(alias = "dr")]
        DoublyRobust = "doubly_robust" | "dr",
        /// Inverse probability weighting with normalised (Hájek) weights.
        #[doc(alias = "ipw")]
        Ipw = "ipw",
        /// Outcome regression on the comparison units.
        #[doc(alias = "reg")]
        OutcomeRegression = "outcome_regression" | "reg",
    }
}

words! {
    /// Estimator of a two-period comparison.
    #[derive(Default)]
    pub enum DrdidMethod: "method" {
        /// Doubly robust, with a calibrated propensity score and a regression weighted by its odds (Sant'Anna and Zhao 2020,
        /// section 3): inference is doubly robust as well.
        #[default]
        #[doc(alias = "imp")]
        DoublyRobustImproved = "doubly_robust_improved" | "imp",
        /// Doubly robust, with a maximum-likelihood propensity score and a regression with the sampling weights (eqs. 3.1, 3.4).
        #[doc(alias = "trad")]
        DoublyRobust = "doubly_robust" | "trad",
        /// Outcome regression on the comparison units (eq. 2.2).
        #[doc(alias = "reg")]
        OutcomeRegression = "outcome_regression" | "reg",
        /// Inverse probability weighting with normalised (Hájek) weights.
        #[doc(alias = "std_ipw")]
        Ipw = "ipw" | "std_ipw",
        /// Inverse probability weighting without normalisation (Abadie 2005).
        IpwHorvitzThompson = "ipw_horvitz_thompson",
        /// Two-way fixed effects regression, for comparison: inconsistent where effects or trends vary with the covariates.
        Twfe = "twfe",
    }
}

words! {
    /// Which period's sampling weight a cell of a panel uses when weights vary over time.
    ///
    /// Without it, a balanced panel uses the weight of the earlier of the two periods, and a repeated cross section or an
    /// unbalanced panel gives each row its own.
    pub enum FixWeights: "fix_weights" {
        /// Each row its own weight, by the repeated-cross-section estimators on the two stacked periods.
        Varying = "varying",
        /// The unit's weight in the group's last period before treatment.
        BasePeriod = "base_period",
        /// The unit's weight in the first period of the sample.
        FirstPeriod = "first_period",
    }
}

words! {
    /// Distribution of the bootstrap multipliers: mean 0, variance 1, independent over units or clusters.
    #[derive(Default)]
    pub enum Multiplier: "multiplier" {
        /// Mammen's two-point law, third moment 1; the law of R `DRDID`'s multiplier bootstrap.
        Mammen = "mammen",
        /// ±1 with equal probability, the default; the law of R `did`.
        #[default]
        Rademacher = "rademacher",
        /// Webb's six-point law, for few clusters.
        Webb = "webb",
        /// Standard normal. Drawn exactly from the covariance, so it costs nothing in the number of units.
        Gaussian = "gaussian",
    }
}

/// Multiplier bootstrap: number of draws, seed and distribution of the multipliers.
///
/// ```
/// use burn_did::options::{Band, Bootstrap, Multiplier};
/// # use burn_did::{AttGt, backend::Cpu, data};
/// # let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
/// let bootstrap = Bootstrap::draws(999).seed(7).multiplier(Multiplier::Rademacher);
/// let fit = config.group("first.treat").bootstrap(bootstrap).build();
/// let fit = fit.fit(&data::mpdta())?;
/// // With a bootstrap, bands are uniform unless asked otherwise.
/// assert_eq!(fit.band, Band::Uniform);
/// # Ok::<(), burn_did::DidError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Bootstrap {
    /// Number of draws.
    #[doc(alias = "biters")]
    pub draws: usize,
    /// Seed of the counter-based generator. The same seed gives the same draws on any machine and thread count.
    pub seed: u64,
    /// Distribution of the multipliers.
    pub multiplier: Multiplier,
}

impl Bootstrap {
    /// A bootstrap with `draws` draws, seed 0 and the default multipliers.
    #[must_use]
    pub fn draws(draws: usize) -> Self {
        Self { draws, seed: 0, multiplier: Multiplier::default() }
    }

    /// Sets the seed.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sets the distribution of the multipliers.
    #[must_use]
    pub fn multiplier(mut self, multiplier: Multiplier) -> Self {
        self.multiplier = multiplier;
        self
    }

    /// Refuses another law than the normal one, where coefficients are drawn; the default stands for "not set".
    ///
    /// # Errors
    /// [`DidError::Config`].
    pub(crate) fn check_normal(&self) -> Result<()> {
        if self.multiplier == Multiplier::Gaussian || self.multiplier == Multiplier::default() {
            return Ok(());
        }
        let expected = "gaussian or not set: coefficients are drawn from the normal law";
        Err(DidError::config("bootstrap multiplier", expected, self.multiplier))
    }
}

words! {
    /// What triple differences do with units that are missing in some periods.
    #[derive(Default)]
    pub enum UnbalancedPanel: "unbalanced" {
        /// Leave them out.
        #[default]
        Drop = "drop",
        /// Each cell compares the units that are observed in both of its periods.
        Pairs = "pairs",
        /// Each cell compares all rows of its two periods, as repeated cross sections; influence is summed by unit (R
        /// `triplediff`).
        Rows = "rows",
    }
}

words! {
    /// How the bootstrap of a two-period comparison, or of a continuous treatment, draws.
    #[derive(Default)]
    #[doc(alias = "boot.type")]
    pub enum Resampling: "resampling" {
        /// Everything is estimated anew with weights multiplied by independent standard exponential numbers.
        #[default]
        Weighted = "weighted",
        /// The influence values are multiplied by random numbers; nothing is estimated anew.
        Multiplier = "multiplier",
        /// Everything is estimated anew from units, or clusters, drawn with replacement (continuous treatments).
        #[doc(alias = "block")]
        Empirical = "empirical" | "block",
    }
}

words! {
    /// What the intervals of a table cover.
    pub enum Band: "band" {
        /// Each interval covers its own parameter with the stated level.
        Pointwise = "pointwise",
        /// All intervals cover all parameters at once: sup-t from the bootstrap draws, or from the covariance without one.
        #[doc(alias = "cband")]
        Uniform = "uniform",
    }
}

/// How standard errors, intervals and bands are formed.
///
/// ```
/// use burn_did::options::{Band, Inference};
/// let inference = Inference::new(0.1).band(Band::Uniform);
/// assert!(inference.validate().is_ok());
/// assert!(Inference::new(1.5).validate().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Inference {
    /// One minus the confidence level, between 1e-10 and 1 - 1e-10.
    #[doc(alias = "alp")]
    pub alpha: f64,
    /// The bootstrap, or `None` for analytic standard errors.
    pub bootstrap: Option<Bootstrap>,
    /// Pointwise intervals or a uniform band.
    pub band: Band,
}

impl Inference {
    /// Analytic standard errors and pointwise intervals; `alpha` is one minus the confidence level.
    #[must_use]
    pub fn new(alpha: f64) -> Self {
        Self { alpha, bootstrap: None, band: Band::Pointwise }
    }

    /// Sets one minus the confidence level.
    #[must_use]
    pub fn alpha(mut self, alpha: f64) -> Self {
        self.alpha = alpha;
        self
    }

    /// Sets the bootstrap.
    #[must_use]
    pub fn bootstrap(mut self, bootstrap: Bootstrap) -> Self {
        self.bootstrap = Some(bootstrap);
        self
    }

    /// Sets what intervals cover.
    #[must_use]
    pub fn band(mut self, band: Band) -> Self {
        self.band = band;
        self
    }

    /// Checks the ranges of the options.
    ///
    /// # Errors
    /// [`DidError::Config`] for a level without finite intervals of positive width, or a bootstrap with fewer than two draws or with
    /// more than its random numbers can tell apart.
    pub fn validate(&self) -> Result<()> {
        if !(SMALLEST_ALPHA..=1.0 - SMALLEST_ALPHA).contains(&self.alpha) {
            return Err(DidError::config(
                "alpha",
                "a number between 1e-10 and 1 - 1e-10",
                format!("{:?}", self.alpha),
            ));
        }
        match self.bootstrap {
            Some(Bootstrap { draws, .. }) if draws < 2 || u32::try_from(draws).is_err() => {
                Err(DidError::config("bootstrap draws", "at least 2 and at most 4294967295", draws))
            }
            _ => Ok(()),
        }
    }
}

/// Smallest distance of `alpha` from 0 and 1.
const SMALLEST_ALPHA: f64 = 1e-10;

words! {
    /// Floating-point type of the tensors.
    ///
    /// Small dense algebra and all sums of block results are f64 on the host in either case.
    #[derive(Default)]
    pub enum Precision: "precision" {
        /// Double precision.
        #[default]
        F64 = "f64",
        /// Single precision: for devices without double arithmetic, and where four to five correct digits suffice.
        F32 = "f32",
    }
}

impl Precision {
    pub(crate) fn dtype(self) -> burn::tensor::DType {
        match self {
            Self::F64 => burn::tensor::DType::F64,
            Self::F32 => burn::tensor::DType::F32,
        }
    }
}
