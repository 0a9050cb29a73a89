//! Files cut at any row, in any order and read within any budget give the bits of the frame.

use std::fs::File;
use std::path::Path;

use burn_did::DidError;
use polars::prelude::{CsvWriter, DataFrame, ParquetWriter, SerWriter};

use super::missing::without;
use super::report::{Report, Within};
use super::subject::{Case, Change, Numbers};
use crate::support::frames::{permutation, rows};
use crate::support::splitmix::SplitMix64;

/// A seed for each way to cut, with budgets.
const CUTS: [(u64, &[Option<u64>]); 2] =
    [(1, &[None, Some(100_000_000), Some(20_000)]), (2, &[Some(300_000)])];

/// The budget that some samples exceed.
const SMALLEST: &str = "Some(20000) bytes";

fn write(path: &Path, df: &DataFrame, row_group: usize) {
    let file = File::create(path).unwrap();
    let writer = ParquetWriter::new(file).with_row_group_size(Some(row_group));
    let _ = writer.finish(&mut df.clone()).unwrap();
}

/// Files of the frame's rows, mixed or not, cut at random rows; row groups of random sizes.
fn scatter(directory: &Path, df: &DataFrame, seed: u64) {
    let mut random = SplitMix64(seed);
    let mixed = random.uniform() < 0.5;
    let df = if mixed { rows(df, &permutation(df.height(), seed)) } else { df.clone() };
    let mut cuts: Vec<usize> =
        (0..4).map(|_| (random.uniform() * df.height() as f64) as usize).collect();
    cuts.extend([0, df.height()]);
    cuts.sort_unstable();
    // Names in an order that is not that of the rows.
    for (i, cut) in cuts.windows(2).enumerate() {
        let piece = df.slice(cut[0] as i64, cut[1] - cut[0]);
        if piece.height() > 0 {
            let row_group = 1 + (random.uniform() * 400.0) as usize;
            write(&directory.join(format!("{}.parquet", (7 * i + 3) % 5)), &piece, row_group);
        }
    }
}

law!(pieces, some);

fn pieces(case: &Case, report: &mut Report) {
    let case = case.drawn();
    let plain = case.numbers();
    let mut compare = |what: String, fit: burn_did::Result<Numbers>, within| match fit {
        // Two chunks of a tile must fit.
        Err(DidError::Memory { .. }) if what.contains(SMALLEST) => {}
        fit => report.same_as(&what, &plain, fit, within),
    };
    for (seed, budgets) in CUTS {
        let directory = tempfile::tempdir().unwrap();
        scatter(directory.path(), &case.frame, seed);
        let path = directory.path();
        let whole = case.subject.fit(path.into());
        compare(format!("{}: files {seed}", case.name), whole, Within::Bits);
        for budget in budgets {
            let Some(case) = case.changed(Change::MemoryBudget(*budget)) else { break };
            let Some(fit) = case.subject.fit_pieces(path) else { break };
            let what = format!("{}: files {seed}, {budget:?} bytes", case.name);
            compare(what, fit, case.in_pieces);
        }
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("data.csv");
    CsvWriter::new(File::create(&path).unwrap()).finish(&mut case.frame.clone()).unwrap();
    compare(format!("{}: CSV", case.name), case.subject.fit(path.as_path().into()), Within::Bits);
}

/// How R, Stata, SAS, SQL and people write that a number is missing.
const MISSING: [&str; 9] = ["NA", "", ".", "NaN", "nan", "null", "NULL", "N/A", "#N/A"];

law!(missing_values, few);

/// Some rows of a column are missing: in the frame as null, in the file as others write it.
fn missing_values(case: &Case, report: &mut Report) {
    let columns = case.outcome.iter().chain(case.covariates).chain(case.doses);
    let columns = columns.chain(case.weights.as_ref()).chain(case.labels).chain(case.codes);
    // In a panel, units with a missing row go; what is left must be enough.
    let lost = |row: usize| row % 97 == 5;
    for (place, column) in columns.enumerate() {
        let mut frame = without(&case.frame, column, lost);
        let plain = case.try_fit(&frame);
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("data.csv");
        // All of them in the first column, and some in each of the others.
        let tokens = MISSING.iter().enumerate().filter(|(i, _)| place == 0 || i % 4 == place % 4);
        for (_, token) in tokens {
            let file = File::create(&path).unwrap();
            CsvWriter::new(file).with_null_value((*token).into()).finish(&mut frame).unwrap();
            let what = format!("{}: {column} `{token}`", case.name);
            let fit = case.subject.fit(path.as_path().into());
            report.alike(&what, &plain, &fit, Within::Bits);
        }
    }
}
