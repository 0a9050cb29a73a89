//! The golden cases: reading them, fitting them on any backend, and holding the fits against a [`Rule`].

use burn_did::backend::DidBackend;
use burn_did::options::{
    Band, BasePeriod, Bootstrap, ControlGroup, EstimationMethod, FixWeights, Multiplier, Precision,
};
use serde::Deserialize;

use super::compare::{Expected, ExpectedAggregate, ExpectedInfluence, Report};
use super::dataset::{Aggregate, formula};
use super::departures::{Departure, has_logit, that};
use super::frames::{golden_data, golden_json};
use super::spec::Spec;
use super::tolerance::{self, BOOTSTRAP_SE_TYPICAL, Rule, Tolerance};

/// Every golden data set.
pub const DATASETS: [&str; 10] = [
    "antic_a",
    "collin_a",
    "mpdta",
    "nonever_a",
    "rcs_a",
    "scale_a",
    "small_a",
    "stag_a",
    "tvw_a",
    "unbal_a",
];

/// A data set and its cases.
pub type Dataset = super::dataset::Dataset<Case>;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    pub id: String,
    pub method: String,
    #[serde(default)]
    pub covariates: Vec<String>,
    pub weights: Option<String>,
    pub fix_weights: Option<FixWeights>,
    pub cluster: Option<String>,
    #[serde(default)]
    pub anticipation: u32,
    #[serde(default)]
    pub not_yet_treated: bool,
    #[serde(default)]
    pub universal: bool,
    #[serde(default)]
    pub repeated_cross_sections: bool,
    #[serde(default)]
    pub unbalanced: bool,
    pub draws: Option<usize>,
    #[serde(default)]
    pub exact_sign: bool,
    #[serde(default)]
    pub att_only: bool,
    pub n: usize,
    pub grid: usize,
    pub att: Vec<Option<f64>>,
    pub se: Vec<Option<f64>>,
    pub wald: Option<f64>,
    pub crit: Option<f64>,
    pub vcov: Option<Vec<Vec<Option<f64>>>>,
    pub influence: Option<Influence>,
    pub aggregates: Vec<Aggregate>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Influence {
    pub units: Vec<String>,
    pub columns: Vec<Vec<f64>>,
}

impl Dataset {
    pub fn load(name: &str) -> Self {
        golden_json(&format!("{name}.json"))
    }

    /// Options of a case.
    pub fn spec(&self, case: &Case) -> Spec {
        let columns = &self.columns;
        let bootstrap = case
            .draws
            .map(|draws| Bootstrap::draws(draws).seed(1).multiplier(Multiplier::Rademacher));
        Spec {
            outcome: columns.outcome.clone(),
            time: columns.time.clone(),
            unit: columns.unit.clone().filter(|_| !case.repeated_cross_sections),
            group: columns.group.clone(),
            covariates: Some(formula(&case.covariates)),
            weights: case.weights.clone(),
            fix_weights: case.fix_weights,
            cluster: case.cluster.clone(),
            control_group: if case.not_yet_treated {
                ControlGroup::NotYetTreated
            } else {
                ControlGroup::NeverTreated
            },
            base_period: if case.universal { BasePeriod::Universal } else { BasePeriod::Varying },
            anticipation: case.anticipation,
            method: method(&case.method),
            repeated_cross_sections: case.repeated_cross_sections,
            allow_unbalanced_panel: case.unbalanced,
            bootstrap,
            band: if bootstrap.is_some() { Band::Uniform } else { Band::Pointwise },
            keep_influence: case.influence.is_some(),
            ..Spec::default()
        }
    }

    fn expected(&self, case: &Case) -> Expected {
        let trusted = |v: Option<f64>| v.filter(|_| !case.att_only);
        Expected {
            n: case.n,
            cells: self.grids[case.grid].cells(&case.att, &case.se),
            wald: trusted(case.wald),
            wald_df: None,
            crit: if case.draws.is_some() {
                trusted(case.crit)
            } else {
                Some(1.959_963_984_540_054)
            },
            vcov: case.vcov.clone(),
            influence: case
                .influence
                .as_ref()
                .map(|i| ExpectedInfluence { units: i.units.clone(), columns: i.columns.clone() }),
            aggregates: case.aggregates.iter().map(|a| case.expected(a)).collect(),
        }
    }
}

/// The estimator that R calls `dr`, `ipw` or `reg`.
pub fn method(name: &str) -> EstimationMethod {
    match name {
        "dr" => EstimationMethod::DoublyRobust,
        "ipw" => EstimationMethod::Ipw,
        "reg" => EstimationMethod::OutcomeRegression,
        other => panic!("unknown method {other}"),
    }
}

impl Case {
    /// Where the case is not R's number to rounding.
    pub fn departures(&self, dataset: &str) -> Vec<Departure> {
        that([
            (self.exact_sign || self.att_only, Departure::RcSign),
            (has_logit(&self.method, &self.covariates), Departure::Logit),
            (tolerance::ill_scaled(dataset), Departure::Conditioning),
            (self.draws.is_some(), Departure::Draws),
            (self.draws.is_some() && self.cluster.is_some(), Departure::PreTest),
        ])
    }

    fn expected(&self, aggregate: &Aggregate) -> ExpectedAggregate {
        let mut expected = aggregate.expected();
        if let Some(numbers) = expected.numbers.as_mut().filter(|_| self.att_only) {
            numbers.crit = None;
        }
        expected
    }

    fn tolerance(&self, dataset: &str) -> Tolerance {
        let mut tol = tolerance::reference(dataset, &self.departures(dataset));
        if self.att_only {
            tol.se = f64::INFINITY;
            tol.wald = f64::INFINITY;
            tol.crit = f64::INFINITY;
        }
        tol
    }
}

/// Fits one in so many cases of a data set, and panics with all failures.
pub fn run_dataset<B: DidBackend>(name: &str, precision: Precision, rule: Rule, one_in: usize) {
    let set = Dataset::load(name);
    let df = golden_data(&set.dataset);
    let mut report = Report::new(name);
    let mut bootstrap = Report::new(&format!("{name} boot"));
    let own = matches!(rule, Rule::OwnF64 { .. });
    let cases = set.cases.iter().filter(|case| !(own && case.draws.is_some()));
    for case in cases.step_by(one_in) {
        let spec = set.spec(case);
        let fit = match spec.fit_on::<B>(&df, precision) {
            Ok(fit) => fit,
            Err(error) => {
                report.fail(format!("{}: {error}", case.id));
                continue;
            }
        };
        let report = if case.draws.is_some() { &mut bootstrap } else { &mut report };
        match rule {
            Rule::Reference => {
                report.compare(&case.id, &fit, &set.expected(case), &case.tolerance(name));
            }
            Rule::OwnF64 { att, se } => match spec.try_fit(&df) {
                Ok(own) => {
                    let aggregations: Vec<_> =
                        case.aggregates.iter().map(Aggregate::aggregation).collect();
                    let expected = Expected::of(&own, &aggregations);
                    let tol = Tolerance::single(att, se, !tolerance::ill_scaled(name));
                    report.compare(&case.id, &fit, &expected, &tol);
                }
                Err(error) => report.fail(format!("{} in f64: {error}", case.id)),
            },
        }
    }
    let typical = bootstrap.share_within("se", BOOTSTRAP_SE_TYPICAL);
    if typical < 0.95 {
        bootstrap.fail(format!(
            "only {:.0} % of the bootstrap standard errors are within {BOOTSTRAP_SE_TYPICAL}",
            100.0 * typical
        ));
    }
    Report::finish_all([report, bootstrap]);
}

/// Fits one in so many cases of every data set.
///
/// Backends differ in `B` and `precision` only: a device test calls `run_all::<Wgpu>(Precision::F32, SINGLE_PRECISION, 1)`.
pub fn run_all<B: DidBackend>(precision: Precision, rule: Rule, one_in: usize) {
    for name in DATASETS {
        run_dataset::<B>(name, precision, rule, one_in);
    }
}
