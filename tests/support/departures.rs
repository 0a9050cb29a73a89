//! Where golden cases are compared with something else than the reference's number to rounding, and why.
//!
//! The tests take exemptions and looser tolerances from the [`Departure`]s of a case alone; `tests/suite/departures.rs` holds these
//! against the list in `src/_documentation/comparison.md`.

use serde_json::Value;

/// A departure that golden cases are affected by. Its identifier is that of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Departure {
    /// The reference has the wrong sign in the influence of repeated cross sections.
    RcSign,
    /// The reference stops its logit early.
    Logit,
    /// The reference inverts unscaled cross-products.
    Conditioning,
    /// Numbers are drawn by another generator.
    Draws,
    /// The reference has no pre-test.
    PreTest,
    /// The reference stops its search for the calibrated score early.
    Calibration,
    /// The reference weighs cohorts by all their units.
    DddShares,
    /// The reference gives the influence of shares to other cohorts.
    DddGroupError,
    /// The reference draws clustered standard errors.
    DddClusters,
    /// The reference leaves the noise of the comparison units out, and chooses the dimension at the doses that are shown, undamped.
    DoseCck,
    /// The reference compares dimensions however few observations they have for each function.
    SieveDamping,
    /// The reference has numbers where the data do not determine the curve.
    SieveDetermined,
    /// The reference adds the other regressors' values to the derivative.
    SieveDerivatives,
    /// Critical values are of another number of draws.
    HonestDraws,
    /// The reference's search for the shortest interval stops early.
    HonestFlci,
    /// Ends are points of another grid.
    HonestGrids,
}

impl Departure {
    pub fn id(self) -> &'static str {
        match self {
            Self::RcSign => "rc-sign",
            Self::Logit => "logit",
            Self::Conditioning => "conditioning",
            Self::Draws => "draws",
            Self::PreTest => "pre-test",
            Self::Calibration => "calibration",
            Self::DddShares => "ddd-shares",
            Self::DddGroupError => "ddd-group-error",
            Self::DddClusters => "ddd-clusters",
            Self::DoseCck => "dose-cck",
            Self::SieveDamping => "sieve-damping",
            Self::SieveDetermined => "sieve-determined",
            Self::SieveDerivatives => "sieve-derivatives",
            Self::HonestDraws => "honest-draws",
            Self::HonestFlci => "honest-flci",
            Self::HonestGrids => "honest-grids",
        }
    }
}

/// The departures whose condition holds.
pub fn that(conditions: impl IntoIterator<Item = (bool, Departure)>) -> Vec<Departure> {
    conditions.into_iter().filter(|(holds, _)| *holds).map(|(_, departure)| departure).collect()
}

/// Whether an estimator has a propensity score, by the name that R gives it in `att_gt` and `ddd`.
pub fn has_logit(method: &str, covariates: &[String]) -> bool {
    method != "reg" && !covariates.is_empty()
}

/// Of a dose-response curve.
pub fn of_doses(case: &Value) -> Vec<Departure> {
    that([(case["dose_est_method"] == "cck", Departure::DoseCck)])
}

/// Of a function by sieves; only those of R have critical values, and choices, which are at no points, have drawn thresholds.
pub fn of_npiv(case: &Value) -> Vec<Departure> {
    let drawn = case.get("cv").or_else(|| case.get("theta")).is_some();
    let certain = |errors: &Vec<Value>| errors.iter().any(|se| se.as_f64() == Some(0.0));
    that([
        (case["se"].as_array().is_some_and(certain), Departure::SieveDetermined),
        (case.get("points").is_none(), Departure::SieveDamping),
        (case["basis"] == "additive", Departure::SieveDerivatives),
        (drawn, Departure::Draws),
    ])
}

/// Of a sensitivity analysis; original intervals have no method.
pub fn of_honest(case: &Value) -> Vec<Departure> {
    let method = case["method"].as_str();
    that([
        (method == Some("C-LF"), Departure::HonestDraws),
        (matches!(method, Some("FLCI" | "C-F")), Departure::HonestFlci),
        (method.is_some_and(|m| m != "FLCI"), Departure::HonestGrids),
    ])
}
