//! The golden cases of R `triplediff`, of ModernDiD and of the oracle for triple differences: reading and fitting them.

use burn_did::backend::DidBackend;
use burn_did::{
    Ddd, GroupTimeResult,
    options::{BasePeriod, ControlGroup, Precision, UnbalancedPanel},
};
use polars::prelude::DataFrame;
use serde::Deserialize;

use super::compare::{Expected, ExpectedAggregate, ExpectedRow};
use super::dataset::{Aggregate, formula};
use super::departures::{Departure, has_logit, that};
use super::frames::golden_json;
use super::golden::method;

/// Every golden data set: those of R `triplediff`, whose group shares are of all units, and those of ModernDiD, whose shares are
/// of eligible units.
pub const DATASETS: [&str; 9] = [
    "ddd2p_a",
    "ddd2p_rc_a",
    "dddlong_a",
    "dddmp_a",
    "dddmp_rc_a",
    "dddlong_a_eligible",
    "dddmp_a_eligible",
    "dddmp_rc_a_eligible",
    "ddd_shares_eligible",
];

/// A data set and its cases, or the oracle's.
pub type Dataset = super::dataset::Dataset<Case>;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    pub id: String,
    /// Data of the oracle's cases.
    pub data: Option<String>,
    pub method: String,
    #[serde(default)]
    pub covariates: Vec<String>,
    pub weights: Option<String>,
    pub cluster: Option<String>,
    #[serde(default)]
    pub not_yet_treated: bool,
    #[serde(default)]
    pub universal: bool,
    #[serde(default)]
    pub repeated_cross_sections: bool,
    #[serde(default)]
    pub unbalanced: UnbalancedPanel,
    #[serde(default)]
    pub exact_sign: bool,
    #[serde(default)]
    pub att_only: bool,
    pub n: Option<usize>,
    pub grid: Option<usize>,
    pub att: Option<Numbers>,
    pub se: Option<Numbers>,
    #[serde(default)]
    pub cells: Vec<OracleCell>,
    pub comparisons: Option<Comparisons>,
    #[serde(default)]
    pub aggregates: Vec<Aggregate>,
}

/// Of one cell, or of all.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum Numbers {
    One(f64),
    All(Vec<Option<f64>>),
}

/// Group, time, att, se, se from the influence values, comparison cohorts, units or rows used.
type OracleCell = (f64, f64, Option<f64>, Option<f64>, Option<f64>, usize, usize);

#[derive(Debug, Deserialize)]
pub struct Comparisons {
    #[serde(rename = "4v3")]
    pub treated_ineligible: f64,
    #[serde(rename = "4v2")]
    pub untreated_eligible: f64,
    #[serde(rename = "4v1")]
    pub untreated_ineligible: f64,
}

impl Dataset {
    pub fn load(name: &str) -> Self {
        golden_json(&format!("ddd_{name}.json"))
    }

    /// Where a case of R triplediff, or of ModernDiD, is not its number to rounding.
    pub fn departures(&self, case: &Case) -> Vec<Departure> {
        let all_units = self.reference.starts_with("R triplediff");
        let wrong_shares = case.aggregates.iter().any(|a| a.se_triplediff.is_some());
        that([
            (case.exact_sign, Departure::RcSign),
            (has_logit(&case.method, &case.covariates), Departure::Logit),
            (all_units && !case.aggregates.is_empty(), Departure::DddShares),
            (wrong_shares, Departure::DddGroupError),
            (case.att_only, Departure::DddClusters),
        ])
    }

    /// A case's estimator.
    pub fn estimator<B: DidBackend>(&self, case: &Case, precision: Precision) -> Ddd<B> {
        let control_group = if case.not_yet_treated {
            ControlGroup::NotYetTreated
        } else {
            ControlGroup::NeverTreated
        };
        let base = if case.universal { BasePeriod::Universal } else { BasePeriod::Varying };
        let unit = self.columns.unit.clone().filter(|_| !case.repeated_cross_sections);
        Ddd::<B>::builder()
            .outcome(&*self.columns.outcome)
            .maybe_unit(unit)
            .time(&*self.columns.time)
            .group(&*self.columns.group)
            .eligible(&*self.columns.partition)
            .covariates(formula(&case.covariates))
            .maybe_weights(case.weights.clone())
            .maybe_cluster(case.cluster.clone())
            .control_group(control_group)
            .base_period(base)
            .shares_of(self.shares_of)
            .method(method(&case.method))
            .repeated_cross_sections(case.repeated_cross_sections)
            .unbalanced(case.unbalanced)
            .precision(precision)
            .build()
    }

    /// Fits a case.
    pub fn fit<B: DidBackend>(
        &self,
        case: &Case,
        data: &DataFrame,
        precision: Precision,
    ) -> GroupTimeResult {
        let fit = self.estimator::<B>(case, precision).fit(data);
        fit.unwrap_or_else(|e| panic!("{}: {e}", case.id))
    }

    /// What a case of several periods should give.
    pub fn expected(&self, case: &Case) -> Expected {
        Expected {
            n: case.n.unwrap_or(0),
            cells: self.cells(case),
            aggregates: case.aggregates.iter().map(expected).collect(),
            ..Expected::default()
        }
    }

    fn cells(&self, case: &Case) -> Vec<ExpectedRow> {
        let (Some(grid), Some(Numbers::All(att)), Some(Numbers::All(se))) =
            (case.grid, &case.att, &case.se)
        else {
            return case.cells.iter().map(|cell| oracle_cell(case, cell)).collect();
        };
        self.grids[grid].cells(att, se)
    }
}

/// The reference leaves out what it has no estimate of.
fn expected(aggregate: &Aggregate) -> ExpectedAggregate {
    let expected = aggregate.expected();
    ExpectedAggregate { aggregation: expected.aggregation.na_rm(true), ..expected }
}

/// The standard error of several comparison cohorts has the divisor `n - 1` if there are no clusters.
fn oracle_cell(case: &Case, cell: &OracleCell) -> ExpectedRow {
    let (group, time, att, _, se, cohorts, _) = *cell;
    let n = case.n.unwrap_or(0) as f64;
    let factor = if cohorts > 1 && case.cluster.is_none() { (n / (n - 1.0)).sqrt() } else { 1.0 };
    ExpectedRow { at: vec![group, time], att, se: se.map(|se| factor * se) }
}
