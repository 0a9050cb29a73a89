//! What is mutated: small data of every estimator, and saved results.

use burn_did::backend::Cpu;
use burn_did::{
    AttGt, Ddd, Drdid,
    options::{Band, BasePeriod, Bootstrap, ControlGroup},
};
use polars::prelude::DataFrame;
use serde_json::Value;

use super::table::Table;
use crate::support::frames::{floats, map, with};
use crate::support::panels;

/// Which command data or a result are for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Command {
    AttGt,
    Drdid,
    Ddd,
}

impl Command {
    pub fn name(self) -> &'static str {
        match self {
            Self::AttGt => "att-gt",
            Self::Drdid => "drdid",
            Self::Ddd => "ddd",
        }
    }
}

/// Data of a command.
pub struct Base {
    pub command: Command,
    pub frame: DataFrame,
    pub table: Table,
}

/// Everything that mutations start from.
pub struct Bases {
    pub data: Vec<Base>,
    pub results: Vec<Value>,
}

impl Bases {
    pub fn new() -> Self {
        let staggered = short(&panels::staggered(48));
        let two = short(&panels::two_periods(&panels::staggered(60)));
        let results = results(&staggered, &two);
        let data =
            [(Command::AttGt, &staggered), (Command::Drdid, &two), (Command::Ddd, &staggered)];
        let data = data.map(|(command, frame)| Base {
            command,
            frame: frame.clone(),
            table: Table::new(frame),
        });
        Self { data: data.into(), results }
    }
}

/// Years, few digits, and a column of text.
fn short(df: &DataFrame) -> DataFrame {
    let year = |v: f64| if v > 0.0 { v + 2000.0 } else { v };
    let mut df = df.clone();
    for column in ["y", "x1", "x2t", "w", "wt"] {
        df = map(&df, column, |v| (1e4 * v).round() / 1e4);
    }
    for column in ["t", "g"] {
        let years: Vec<i64> = floats(&df, column).into_iter().map(|v| year(v) as i64).collect();
        df = with(&df, column, years);
    }
    let regions = floats(&df, "cl").into_iter().map(|c| ["north", "south", "west"][c as usize % 3]);
    with(&df, "region", regions.collect::<Vec<_>>()).drop("keep").unwrap()
}

/// Saved results of both kinds, with and without draws, clusters and reference cells.
fn results(staggered: &DataFrame, two: &DataFrame) -> Vec<Value> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("saved.json");
    let read = || serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let plain = AttGt::<Cpu>::builder().outcome("y").unit("id").time("t").group("g").build();
    let mut drawn = plain.clone();
    drawn.bootstrap = Some(Bootstrap::draws(9));
    drawn.band = Some(Band::Uniform);
    drawn.cluster = Some("cl".into());
    let mut universal = plain.clone();
    universal.base_period = BasePeriod::Universal;
    universal.weights = Some("w".into());
    let mut all: Vec<Value> = Vec::new();
    for estimator in [plain, drawn, universal] {
        estimator.fit(staggered).unwrap().save(&path).unwrap();
        all.push(read());
    }
    let triple = Ddd::<Cpu>::builder()
        .outcome("y")
        .unit("id")
        .time("t")
        .group("g")
        .eligible("q")
        .control_group(ControlGroup::NotYetTreated)
        .build();
    triple.fit(staggered).unwrap().save(&path).unwrap();
    all.push(read());
    let comparison =
        Drdid::<Cpu>::builder().outcome("y").unit("id").time("t").treatment("d").build();
    comparison.fit(two).unwrap().save(&path).unwrap();
    all.push(read());
    all
}
