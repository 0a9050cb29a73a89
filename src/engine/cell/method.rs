//! Which two-by-two estimator a cell gets, and how strictly its propensity score is judged.

use crate::base::options::EstimationMethod;

/// Comparison rows with a propensity score of at least this are trimmed, unless another level is asked for.
pub(crate) const TRIM: f64 = 0.995;

/// A propensity score of at least this violates the overlap condition.
pub(crate) const OVERLAP: f64 = 0.999;

/// Two-by-two estimators: those of [`EstimationMethod`] and of [`DrdidMethod`](crate::options::DrdidMethod).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    /// Regression of the comparison rows' outcomes.
    OutcomeRegression,
    /// Normalised (Hájek) weights.
    Ipw,
    /// Weights as they are.
    HorvitzThompson,
    /// Residuals from the regression, with normalised weights.
    DoublyRobust,
    /// Doubly robust with a calibrated propensity score and a regression weighted by its odds.
    Improved,
    /// Linear regression with group, period and covariates.
    Twfe,
}

/// How propensity scores are estimated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Propensity {
    /// By maximum likelihood.
    Likelihood,
    /// From there, so that the odds balance the covariates.
    Calibrated,
}

impl Method {
    /// How its propensity score is estimated, if it has one.
    pub fn propensity(self) -> Option<Propensity> {
        match self {
            Self::OutcomeRegression | Self::Twfe => None,
            Self::Ipw | Self::HorvitzThompson | Self::DoublyRobust => Some(Propensity::Likelihood),
            Self::Improved => Some(Propensity::Calibrated),
        }
    }

    /// Whether outcomes are regressed on the comparison units' covariates, whose design must have full rank.
    pub fn uses_regression(self) -> bool {
        matches!(self, Self::OutcomeRegression | Self::DoublyRobust | Self::Improved)
    }
}

impl From<EstimationMethod> for Method {
    fn from(method: EstimationMethod) -> Self {
        match method {
            EstimationMethod::DoublyRobust => Self::DoublyRobust,
            EstimationMethod::Ipw => Self::Ipw,
            EstimationMethod::OutcomeRegression => Self::OutcomeRegression,
        }
    }
}

/// Which designs of a cell's comparison rows count as singular.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RankRule {
    /// As in R `did` and `DRDID`, by the condition of the cross-products of the raw columns: covariates in very different units,
    /// or far from zero, are refused.
    RawColumns,
    /// By the pivots of the centred and scaled columns alone, whatever their units and origins. Where one cell combines
    /// estimates against several cohorts, a refusal by raw columns would let units and origins choose the cohorts.
    ScaledColumns,
}

/// How cells are estimated: the two-by-two estimator and its settings.
#[derive(Clone, Debug)]
pub(crate) struct Recipe {
    pub method: Method,
    /// Whether doubly robust estimators of repeated cross sections model the treated rows too.
    pub locally_efficient: bool,
    /// Comparison rows with a propensity score of at least this are trimmed.
    pub trim: f64,
    /// Whether a cell fails if some unit's unweighted propensity score is close to one.
    pub guarded: bool,
    pub rank: RankRule,
    /// Where the propensity scores of all cells start, if that is known.
    pub start: Option<Vec<f64>>,
}

impl Recipe {
    /// As in R `did`: overlap is a condition of every cell.
    pub fn guarded(method: EstimationMethod) -> Self {
        Self { guarded: true, ..Self::new(method.into()) }
    }

    /// As in R `triplediff`, but for singular designs: there, covariates far from zero end the fit.
    pub fn triple(method: EstimationMethod) -> Self {
        Self { rank: RankRule::ScaledColumns, ..Self::new(method.into()) }
    }

    /// As in R `DRDID`: rows without overlap are trimmed.
    pub fn new(method: Method) -> Self {
        Self {
            method,
            locally_efficient: true,
            trim: TRIM,
            guarded: false,
            rank: RankRule::RawColumns,
            start: None,
        }
    }
}
