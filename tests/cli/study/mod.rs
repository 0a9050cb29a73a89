//! The practitioner's guide of Baker, Callaway, Cunningham, Goodman-Bacon and Sant'Anna, done again by the command line: the numbers
//! that are published, to every printed digit.

mod effects;
mod looks;
mod regressions;

use std::fs;
use std::fs::File;
use std::sync::OnceLock;

use polars::prelude::*;
use serde_json::Value;

use crate::run::{root, temporary};

/// Columns of every command of effects.
const COLUMNS: [&str; 6] =
    ["--yname", "crude_rate_20_64", "--tname", "year", "--idname", "county_code"];

const WEIGHTED: [&str; 2] = ["--weightsname", "set_wt"];

const COVARIATES: &str =
    "~ perc_female + perc_white + perc_hispanic + unemp_rate + poverty_rate + median_income";

const NAMES: [&str; 6] =
    ["perc_female", "perc_white", "perc_hispanic", "unemp_rate", "poverty_rate", "median_income"];

/// Samples as files.
struct Files {
    /// Cohorts 2014 and never, 2013 and 2014.
    two: String,
    /// The same, one row per county: covariates of 2013, `change` of the outcome, and changes of covariates as `d_unemp_rate`.
    changes: String,
    /// The rows of `two`, with the changes of covariates in both years.
    spread: String,
    /// The rows of `changes` that are not treated.
    untreated: String,
    /// The same cohorts in all years.
    panel: String,
    /// Every county.
    all: String,
}

fn files() -> &'static Files {
    static FILES: OnceLock<Files> = OnceLock::new();
    FILES.get_or_init(|| {
        let treated = || col("treat_year").eq(lit(2014)).cast(DataType::Int64);
        let panel = counties()
            .lazy()
            .filter(col("treat_year").eq(lit(2014)).or(col("treat_year").eq(lit(0))))
            .with_columns([
                treated().alias("Treat"),
                col("year").gt_eq(lit(2014)).cast(DataType::Int64).alias("Post"),
            ])
            .sort(["county_code", "year"], SortMultipleOptions::default());
        let of = |year: i32| collect(panel.clone().filter(col("year").eq(lit(year))));
        let (before, after) = (of(2013), of(2014));
        assert_eq!(before.column("county_code").unwrap(), after.column("county_code").unwrap());
        let change = |column: &str, name: &str| {
            let [before, after] = [&before, &after].map(|frame| frame.column(column).unwrap());
            (after - before).unwrap().with_name(name.into())
        };
        let mut changes = before.clone();
        changes.with_column(change("crude_rate_20_64", "change")).unwrap();
        for name in NAMES {
            changes.with_column(change(name, &format!("d_{name}"))).unwrap();
        }
        let untreated = changes.clone().lazy().filter(col("Treat").eq(lit(0)));
        let two = panel.clone().filter(col("year").eq(lit(2013)).or(col("year").eq(lit(2014))));
        Files {
            two: write("two", collect(two.clone())),
            spread: write(
                "spread",
                collect(
                    two.clone().inner_join(
                        changes.clone().lazy().select(
                            NAMES
                                .map(|name| col(format!("d_{name}")))
                                .into_iter()
                                .chain([col("county_code")])
                                .collect::<Vec<_>>(),
                        ),
                        col("county_code"),
                        col("county_code"),
                    ),
                ),
            ),
            untreated: write("untreated", collect(untreated)),
            changes: write("changes", changes),
            panel: write("panel", collect(panel)),
            all: root().join("tests/studies/jel/counties.parquet").display().to_string(),
        }
    })
}

/// Adults of 2013 by cohort, which weight cohorts.
fn adults() -> Vec<(i64, f64)> {
    let weights = counties().lazy().filter(col("year").eq(lit(2013)));
    let weights = weights.group_by([col("treat_year")]).agg([col("set_wt").sum()]);
    let weights = collect(weights.with_columns([all().as_expr().cast(DataType::Float64)]));
    let column = |name: &str| -> Vec<f64> {
        weights.column(name).unwrap().f64().unwrap().iter().flatten().collect()
    };
    column("treat_year").into_iter().map(|group| group as i64).zip(column("set_wt")).collect()
}

fn counties() -> DataFrame {
    let path = root().join("tests/studies/jel/counties.parquet");
    ParquetReader::new(File::open(path).unwrap()).finish().unwrap()
}

fn collect(frame: LazyFrame) -> DataFrame {
    frame.collect().unwrap()
}

fn write(name: &str, mut frame: DataFrame) -> String {
    let path = temporary(&format!("study-{name}.parquet"));
    ParquetWriter::new(File::create(&path).unwrap()).finish(&mut frame).unwrap();
    path
}

fn published() -> Value {
    let path = root().join("tests/studies/jel/published.json");
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// The printed number, rounded to so many digits.
fn rounds_to(what: &str, got: &Value, printed: &Value, digits: i32) {
    near(what, got, printed, 0.500_001 * 10f64.powi(-digits));
}

fn near(what: &str, got: &Value, expected: &Value, allowed: f64) {
    let off = (number(got) - number(expected)).abs();
    assert!(off <= allowed, "{what}: {got}, published {expected}");
}
