//! The golden cases of R `DRDID`: reading them, and fitting them on any backend.

use burn_did::backend::DidBackend;
use burn_did::{
    Drdid, DrdidResult,
    options::{Bootstrap, DrdidMethod, Multiplier, Precision, Resampling},
};
use polars::prelude::DataFrame;
use serde::Deserialize;

use super::dataset::formula;
use super::departures::{Departure, that};
use super::frames::golden_json;

/// Every golden data set.
pub const DATASETS: [&str; 3] = ["nsw_sub", "two_a", "two_a_rc"];

/// A data set and its cases.
pub type Dataset = super::dataset::Dataset<Case>;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    pub id: String,
    pub estimator: String,
    #[serde(default)]
    pub covariates: Vec<String>,
    pub weights: Option<String>,
    pub trim: Option<f64>,
    pub resampling: Option<Resampling>,
    pub draws: Option<usize>,
    #[serde(default)]
    pub exact_sign: bool,
    #[serde(default)]
    pub att_only: bool,
    pub att: f64,
    pub se: Option<f64>,
    pub lci: Option<f64>,
    pub uci: Option<f64>,
    pub if_ss: Option<f64>,
    pub n: usize,
}

impl Dataset {
    pub fn load(name: &str) -> Self {
        golden_json(&format!("drdid_{name}.json"))
    }

    /// A case's estimator.
    pub fn estimator<B: DidBackend>(&self, case: &Case, precision: Precision) -> Drdid<B> {
        let (method, locally_efficient, rows) = named(&case.estimator);
        let bootstrap =
            case.draws.map(|draws| Bootstrap::draws(draws).seed(11).multiplier(Multiplier::Mammen));
        Drdid::<B>::builder()
            .outcome(&*self.columns.outcome)
            .maybe_unit(self.columns.unit.clone())
            .time(&*self.columns.time)
            .treatment(&*self.columns.treatment)
            .covariates(formula(&case.covariates))
            .maybe_weights(case.weights.clone())
            .method(method)
            .locally_efficient(locally_efficient)
            .repeated_cross_sections(rows)
            .maybe_trim_level(case.trim)
            .maybe_bootstrap(bootstrap)
            .maybe_resampling(case.resampling)
            .precision(precision)
            .keep_influence(precision == Precision::F64)
            .build()
    }

    /// Fits a case.
    pub fn fit<B: DidBackend>(
        &self,
        case: &Case,
        data: &DataFrame,
        precision: Precision,
    ) -> DrdidResult {
        let fit = self.estimator::<B>(case, precision).fit(data);
        fit.unwrap_or_else(|e| panic!("{}: {e}", case.id))
    }
}

impl Case {
    /// Where the case is not R's number to rounding.
    pub fn departures(&self) -> Vec<Departure> {
        let (method, ..) = named(&self.estimator);
        let likelihood = match method {
            DrdidMethod::DoublyRobust | DrdidMethod::Ipw => !self.covariates.is_empty(),
            // The share of treated rows is estimated by a logit, too.
            DrdidMethod::IpwHorvitzThompson => true,
            _ => false,
        };
        that([
            (self.exact_sign || self.att_only, Departure::RcSign),
            (likelihood, Departure::Logit),
            (method == DrdidMethod::DoublyRobustImproved, Departure::Calibration),
            (self.draws.is_some(), Departure::Draws),
        ])
    }
}

/// Method, whether locally efficient, and whether for repeated cross sections, by the name of R's function.
fn named(estimator: &str) -> (DrdidMethod, bool, bool) {
    let method = match estimator {
        e if e.starts_with("drdid_imp") => DrdidMethod::DoublyRobustImproved,
        e if e.starts_with("drdid") => DrdidMethod::DoublyRobust,
        e if e.starts_with("reg") => DrdidMethod::OutcomeRegression,
        e if e.starts_with("std_ipw") => DrdidMethod::Ipw,
        e if e.starts_with("ipw") => DrdidMethod::IpwHorvitzThompson,
        e if e.starts_with("twfe") => DrdidMethod::Twfe,
        e => panic!("unknown estimator {e}"),
    };
    (method, !estimator.ends_with('1'), !estimator.ends_with("panel"))
}
