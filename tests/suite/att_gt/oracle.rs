//! Simulated data against an independent program that follows the conventions of R `did`.

use std::collections::BTreeMap;
use std::fs;

use burn_did::{
    Aggregation,
    options::{BasePeriod, ControlGroup, FixWeights},
};
use polars::prelude::DataFrame;
use serde::Deserialize;

use crate::support::compare::{Expected, ExpectedAggregate, ExpectedNumbers, ExpectedRow, Report};
use crate::support::frames::{filter, floats, golden_path};
use crate::support::golden::method;
use crate::support::spec::Spec;
use crate::support::{splitmix, tolerance};

#[derive(Deserialize)]
struct Oracle {
    generator: Generator,
    check: Check,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Generator {
    units: i64,
    #[serde(flatten)]
    data: BTreeMap<String, serde_json::Value>,
}

#[derive(Deserialize)]
struct Check {
    first_rows: Vec<Vec<f64>>,
    sum_y: f64,
    rows: usize,
}

#[derive(Deserialize)]
#[allow(non_snake_case, reason = "the field of the file")]
struct Case {
    id: String,
    g: Vec<f64>,
    t: Vec<f64>,
    att: Vec<Option<f64>>,
    se: Vec<Option<f64>>,
    n: usize,
    W: Option<f64>,
    q: usize,
    args: Args,
    /// Standard errors of the cells, but not of the aggregates, have the exact sign of the influence function.
    #[serde(default)]
    exact_sign: bool,
    simple: Numbers,
    group: Numbers,
    dynamic: Numbers,
    calendar: Numbers,
    dynamic_bal1: Numbers,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Args {
    #[serde(rename = "X")]
    covariates: Option<Vec<String>>,
    method: Option<String>,
    control: Option<String>,
    base: Option<String>,
    delta: Option<u32>,
    wcol: Option<String>,
    fix: Option<FixWeights>,
    layout: Option<String>,
    cluster: Option<String>,
}

#[derive(Deserialize)]
struct Numbers {
    overall: Option<f64>,
    overall_se: Option<f64>,
    e: Option<Vec<f64>>,
    #[serde(default)]
    att: Vec<Option<f64>>,
    #[serde(default)]
    se: Vec<Option<f64>>,
}

impl Oracle {
    fn load() -> Self {
        let text = fs::read_to_string(golden_path("oracle.json")).unwrap();
        serde_json::from_str(&text).unwrap()
    }

    /// The data set `data`, or `never` without never-treated units.
    fn panel(&self, name: &str) -> DataFrame {
        let entry = &self.generator.data[name];
        let seed = serde_json::from_value(entry["seed"].clone()).unwrap();
        let cohorts = serde_json::from_value(entry["cohorts"].clone()).unwrap();
        splitmix::panel(seed, self.generator.units, cohorts)
    }
}

impl Args {
    fn spec(&self) -> Spec {
        let covariates = self.covariates.clone().unwrap_or_else(|| vec!["x1".into()]);
        let layout = self.layout.as_deref().unwrap_or("panel");
        Spec {
            unit: (layout != "rc").then(|| "id".into()),
            covariates: (!covariates.is_empty()).then(|| format!("~ {}", covariates.join(" + "))),
            method: method(self.method.as_deref().unwrap_or("dr")),
            control_group: match self.control.as_deref() {
                Some("notyettreated") => ControlGroup::NotYetTreated,
                _ => ControlGroup::NeverTreated,
            },
            base_period: match self.base.as_deref() {
                Some("universal") => BasePeriod::Universal,
                _ => BasePeriod::Varying,
            },
            anticipation: self.delta.unwrap_or(0),
            weights: self.wcol.clone(),
            fix_weights: self.fix,
            cluster: self.cluster.clone(),
            repeated_cross_sections: layout == "rc",
            allow_unbalanced_panel: layout == "unbalanced",
            ..Spec::default()
        }
    }
}

impl Numbers {
    fn expected(&self, aggregation: Aggregation) -> ExpectedAggregate {
        let rows = self.e.as_ref().map(|e| rows(e.iter().map(|e| vec![*e]), &self.att, &self.se));
        let numbers = ExpectedNumbers { att: self.overall, se: self.overall_se, crit: None, rows };
        ExpectedAggregate { aggregation, numbers: Some(numbers) }
    }
}

fn rows(
    labels: impl Iterator<Item = Vec<f64>>,
    att: &[Option<f64>],
    se: &[Option<f64>],
) -> Vec<ExpectedRow> {
    let numbers = att.iter().zip(se);
    labels.zip(numbers).map(|(at, (att, se))| ExpectedRow { at, att: *att, se: *se }).collect()
}

impl Case {
    fn expected(&self) -> Expected {
        let labels = self.g.iter().zip(&self.t).map(|(g, t)| vec![*g, *t]);
        Expected {
            n: self.n,
            cells: rows(labels, &self.att, &self.se),
            wald: self.W,
            wald_df: Some(self.q),
            aggregates: vec![
                self.simple.expected(Aggregation::simple()),
                self.group.expected(Aggregation::group()),
                self.dynamic.expected(Aggregation::dynamic()),
                self.dynamic_bal1.expected(Aggregation::dynamic().balance_e(1)),
                self.calendar.expected(Aggregation::calendar()),
            ],
            ..Expected::default()
        }
    }
}

#[test]
fn generator_reproduces_the_data() {
    let oracle = Oracle::load();
    let df = oracle.panel("data");
    assert_eq!(df.height(), oracle.check.rows);
    let columns = df.get_column_names_owned().into_iter().map(|name| floats(&df, &name));
    let columns: Vec<_> = columns.collect();
    for (row, values) in oracle.check.first_rows.iter().enumerate() {
        for (column, value) in columns.iter().zip(values) {
            assert!((column[row] - value).abs() < 1e-11, "row {row}: {} {value}", column[row]);
        }
    }
    let sum: f64 = floats(&df, "y").iter().sum();
    assert!((sum - oracle.check.sum_y).abs() < 1e-7, "{sum}");
}

#[test]
fn every_configuration() {
    let oracle = Oracle::load();
    let [data, never] = ["data", "never"].map(|name| oracle.panel(name));
    let kept = filter(&data, "keep", |keep| keep > 0.0);
    let mut report = Report::new("oracle");
    for case in &oracle.cases {
        let df = match case.id.as_str() {
            id if id.starts_with("nonever_") => &never,
            id if id.starts_with("unb_") || id == "bal_from_unb" => &kept,
            _ => &data,
        };
        match case.args.spec().try_fit(df) {
            Ok(fit) => {
                let mut expected = case.expected();
                let tol = tolerance::oracle();
                if case.exact_sign {
                    let aggregates = std::mem::take(&mut expected.aggregates);
                    let att_only = Expected { aggregates, ..expected.clone() };
                    let tol = tolerance::Tolerance { se: f64::INFINITY, ..tol };
                    report.compare(&case.id, &fit, &att_only, &tol);
                }
                report.compare(&case.id, &fit, &expected, &tol);
            }
            Err(error) => report.fail(format!("{}: {error}", case.id)),
        }
    }
    report.finish();
}
