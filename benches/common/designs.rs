//! Seeded designs of regressions: those of R `fixest`'s benchmark, and networks of workers and firms.

use polars::prelude::{Column, DataFrame, NamedFrom, PolarsResult, Series};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

/// Their names: how hard, and how many factors.
pub const DESIGNS: [&str; 6] =
    ["simple2", "simple3", "difficult2", "difficult3", "network2", "network3"];

/// Names of the factors' columns.
pub const FACTORS: [&str; 3] = ["worker", "firm", "year"];

/// Observations of a worker.
const YEARS: usize = 10;

/// Workers of a firm.
const WORKERS: usize = 23;

/// Codes and columns.
pub struct Design {
    pub codes: Vec<Vec<u32>>,
    pub columns: Vec<Vec<f64>>,
    /// Whether firms are connected to few others.
    pub difficult: bool,
}

impl Design {
    /// In `simple`, firms are drawn anew for every observation; in `difficult`, observation `i` is in firm `i` modulo their number; in
    /// `network`, a worker changes firm with probability 0.05, to one of the next ten.
    pub fn new(name: &str, rows: usize, columns: usize) -> Self {
        let mut random = SmallRng::seed_from_u64(1);
        let firms = (rows / YEARS / WORKERS).max(1);
        let mut at = 0;
        let firm = |i: usize| {
            at = match &name[..1] {
                "s" => random.random_range(0..firms),
                "d" => i % firms,
                _ if i.is_multiple_of(YEARS) => random.random_range(0..firms),
                _ if random.random_bool(0.05) => (at + 1 + random.random_range(0..10)) % firms,
                _ => at,
            };
            at as u32
        };
        let firm: Vec<u32> = (0..rows).map(firm).collect();
        let mut codes = vec![(0..rows).map(|i| (i / YEARS) as u32).collect(), firm];
        if name.ends_with('3') {
            codes.push((0..rows).map(|i| (i % YEARS) as u32).collect());
        }
        let columns = (0..columns)
            .map(|_| {
                let mut draw = || random.random_range(-1.0..1.0);
                let effects: Vec<Vec<f64>> = codes
                    .iter()
                    .map(|c| (0..=c.iter().max().map_or(0, |m| *m)).map(|_| draw()).collect())
                    .collect();
                let fitted = |i: usize| {
                    codes.iter().zip(&effects).map(|(c, e)| e[c[i] as usize]).sum::<f64>()
                };
                (0..rows).map(|i| fitted(i) + random.random_range(-1.0..1.0)).collect()
            })
            .collect();
        Self { codes, columns, difficult: !name.starts_with('s') }
    }

    /// The factors, the outcome `y` and the regressors `x1, x2, ..`, and the regression of `y` on these.
    pub fn regression(&self) -> PolarsResult<(DataFrame, String)> {
        let factors = &FACTORS[..self.codes.len()];
        let regressors: Vec<String> = (1..self.columns.len()).map(|k| format!("x{k}")).collect();
        let codes = factors.iter().zip(&self.codes).map(|(name, codes)| {
            let codes: Vec<i64> = codes.iter().map(|c| i64::from(*c)).collect();
            Column::from(Series::new((*name).into(), codes))
        });
        let names = ["y".to_owned()].into_iter().chain(regressors);
        let values = names.zip(&self.columns).map(|(name, values)| {
            Column::from(Series::new(name.as_str().into(), values.as_slice()))
        });
        let frame = DataFrame::new(self.rows(), codes.chain(values).collect())?;
        let formula = formula(&frame);
        Ok((frame, formula))
    }

    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, Vec::len)
    }
}

/// The regression of `y` on the columns `x1`, `x2`, .. of a design's frame, with its factors.
pub fn formula(frame: &DataFrame) -> String {
    let names = frame.get_column_names().into_iter().map(|name| name.as_str());
    let (factors, others): (Vec<&str>, Vec<&str>) = names.partition(|name| FACTORS.contains(name));
    let regressors: Vec<&str> = others.into_iter().filter(|name| *name != "y").collect();
    format!("y ~ {} | {}", regressors.join(" + "), factors.join(" + "))
}
