//! Golden files: a data set, its columns, and the cases of an estimator. Their format is in `tests/golden/README.md`.

use burn_did::{Aggregation, group_time::AggregationKind, options::SharesOf};
use serde::Deserialize;

use super::compare::{ExpectedAggregate, ExpectedNumbers, ExpectedRow};

/// A golden file with cases of one kind.
#[derive(Debug, Deserialize)]
pub struct Dataset<C> {
    #[serde(default)]
    pub reference: String,
    #[serde(default)]
    pub dataset: String,
    #[serde(default)]
    pub shares_of: SharesOf,
    #[serde(default)]
    pub columns: Columns,
    /// Groups and periods of cells, which several cases have in common.
    #[serde(default)]
    pub grids: Vec<Grid>,
    pub cases: Vec<C>,
}

/// The columns by role; those that an estimator does not have are empty.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Columns {
    pub outcome: String,
    pub time: String,
    pub unit: Option<String>,
    pub group: String,
    pub treatment: String,
    pub partition: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grid {
    pub group: Vec<f64>,
    pub time: Vec<f64>,
}

impl Grid {
    /// Cells with these estimates and standard errors.
    pub fn cells(&self, att: &[Option<f64>], se: &[Option<f64>]) -> Vec<ExpectedRow> {
        let at = self.group.iter().zip(&self.time).map(|(group, time)| vec![*group, *time]);
        let numbers = att.iter().zip(se);
        at.zip(numbers).map(|(at, (att, se))| ExpectedRow { at, att: *att, se: *se }).collect()
    }
}

/// `[at, att, se]`.
type Row = (f64, Option<f64>, Option<f64>);

/// An aggregation of a case.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Aggregate {
    #[serde(rename = "type")]
    kind: String,
    min_e: Option<f64>,
    max_e: Option<f64>,
    balance_e: Option<u32>,
    #[serde(default)]
    na_rm: bool,
    error: Option<String>,
    att: Option<f64>,
    se: Option<f64>,
    crit: Option<f64>,
    /// The reference's, where `se` is not.
    pub se_triplediff: Option<f64>,
    rows: Option<Vec<Row>>,
}

impl Aggregate {
    pub fn aggregation(&self) -> Aggregation {
        let kind = match self.kind.as_str() {
            "simple" => AggregationKind::Simple,
            "dynamic" | "eventstudy" => AggregationKind::Dynamic,
            "group" => AggregationKind::Group,
            "calendar" => AggregationKind::Calendar,
            other => panic!("unknown aggregation {other}"),
        };
        let mut aggregation = Aggregation::new(kind).na_rm(self.na_rm);
        (aggregation.min_e, aggregation.max_e) = (self.min_e, self.max_e);
        aggregation.balance_e = self.balance_e;
        aggregation
    }

    pub fn expected(&self) -> ExpectedAggregate {
        let row = |(at, att, se): &Row| ExpectedRow { at: vec![*at], att: *att, se: *se };
        let numbers = || ExpectedNumbers {
            att: self.att,
            se: self.se,
            crit: self.crit,
            rows: Some(self.rows.iter().flatten().map(row).collect()),
        };
        let numbers = self.error.is_none().then(numbers);
        ExpectedAggregate { aggregation: self.aggregation(), numbers }
    }
}

/// The formula of a list of covariates.
pub fn formula(covariates: &[String]) -> String {
    if covariates.is_empty() { "~ 1".into() } else { format!("~ {}", covariates.join(" + ")) }
}
