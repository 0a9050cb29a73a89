use std::ops::Range;

use polars::prelude::{Column, DataFrame};
use rand_distr::{Distribution, Poisson};

use super::rows::{Parts, stacked};
use super::streams::Stream;

/// A panel with fixed effects of units and periods, and coefficients that are known.
///
/// Unit `i` has, in period `t`, the index
///
/// ```text
/// η_it = a_i + b_t + effect·d_it + Σ_j slope_j·x_jit + s_(c(i), t),
/// ```
///
/// with `a_i`, `b_t` normal, regressors `x_jit = a_i / 2 + N(0, 1)`, and a treatment `d_it` that switches on and off: 1 where
/// `a_i + b_t + N(0, 1)` is above 0. Treatment and regressors go along with the fixed effects, so that regressions without them are
/// biased. The outcome is `η + noise·ε`, or a count of Poisson's law with mean `exp(η)` and fixed effects of a third of the size. Shocks `s`
/// are shared by the units of a cluster.
///
/// Streams of units are those of [`Simulation`](super::Simulation): the same seed gives the same data on any number of threads.
///
/// ```
/// let simulation = burn_did::data::TwoWaySimulation::builder().units(500).seed(7).build();
/// assert_eq!(simulation.frame().shape(), (500 * 6, 6));
/// ```
#[derive(Clone, Debug, PartialEq, bon::Builder)]
#[non_exhaustive]
pub struct TwoWaySimulation {
    /// Units.
    #[builder(default = 1_000)]
    pub units: usize,
    /// Periods, numbered from 1.
    #[builder(default = 6)]
    pub periods: u32,
    /// Coefficient of the treatment.
    #[builder(default = 1.0)]
    pub effect: f64,
    /// Coefficients of `x1`, `x2`, ….
    #[builder(default = vec![0.5, -0.3], with = |slopes: impl IntoIterator<Item = f64>| slopes.into_iter().collect())]
    pub slopes: Vec<f64>,
    /// Whether outcomes are counts.
    #[builder(default = false)]
    pub counts: bool,
    /// Standard deviation of `ε`; counts have none.
    #[builder(default = 1.0)]
    pub noise: f64,
    /// Number of clusters, of units in turn; with any, there is a column `cluster`.
    #[builder(default = 0)]
    pub clusters: usize,
    /// Standard deviation of a cluster's shock in a period.
    #[builder(default = 0.5)]
    pub cluster_sd: f64,
    /// Share of rows missing at random, which unbalances the panel.
    #[builder(default = 0.0)]
    pub attrition: f64,
    /// Seed of the streams.
    #[builder(default = 0)]
    pub seed: u64,
}

/// Rows of some units.
#[derive(Default)]
struct Rows {
    id: Vec<i64>,
    period: Vec<i64>,
    treatment: Vec<i64>,
    outcome: Vec<f64>,
    regressors: Vec<Vec<f64>>,
    cluster: Vec<i64>,
}

/// Size of the fixed effects of counts.
const OF_COUNTS: f64 = 1.0 / 3.0;

impl TwoWaySimulation {
    /// The data in long form, ordered by unit and period: `id`, `period`, `d`, `y`, `x1`, …, and `cluster` where asked for.
    #[must_use]
    pub fn frame(&self) -> DataFrame {
        self.rows_of_units()(0..self.units)
    }

    pub(super) fn rows_of_units(&self) -> Parts<'_> {
        let mut stream = Stream::new(!self.seed, 0);
        let periods: Vec<f64> = (0..self.periods).map(|_| 0.5 * stream.normal()).collect();
        Box::new(move |units| stacked(units, |block| self.block(block, &periods)))
    }

    fn block(&self, units: Range<usize>, periods: &[f64]) -> DataFrame {
        let regressors = vec![Vec::new(); self.slopes.len()];
        let mut rows = Rows { regressors, ..Rows::default() };
        for unit in units {
            self.push(unit, periods, &mut rows);
        }
        let height = rows.id.len();
        let mut columns = vec![
            Column::new("id".into(), rows.id),
            Column::new("period".into(), rows.period),
            Column::new("d".into(), rows.treatment),
            Column::new("y".into(), rows.outcome),
        ];
        columns.extend(
            rows.regressors
                .into_iter()
                .enumerate()
                .map(|(j, values)| Column::new(format!("x{}", j + 1).into(), values)),
        );
        if self.clusters > 0 {
            columns.push(Column::new("cluster".into(), rows.cluster));
        }
        DataFrame::new(height, columns).unwrap_or_default()
    }

    /// Appends the rows of one unit. Draws do not depend on which rows are wanted.
    fn push(&self, unit: usize, periods: &[f64], rows: &mut Rows) {
        let mut stream = Stream::new(self.seed, unit as u64);
        let unit_effect = stream.normal();
        let cluster = if self.clusters > 0 { unit % self.clusters } else { 0 };
        let mut shocks = Stream::new(!self.seed, cluster as u64 + 1);
        let size = if self.counts { OF_COUNTS } else { 1.0 };
        for (t, of_period) in periods.iter().enumerate() {
            let missing = stream.uniform() < self.attrition;
            let treated = unit_effect + of_period + stream.normal() > 0.0;
            let mut index =
                size * (unit_effect + of_period) + if treated { self.effect } else { 0.0 };
            let x: Vec<f64> =
                self.slopes.iter().map(|_| 0.5 * unit_effect + stream.normal()).collect();
            index += self.slopes.iter().zip(&x).map(|(slope, x)| slope * x).sum::<f64>();
            if self.clusters > 0 {
                index += self.cluster_sd * shocks.normal();
            }
            let outcome = self.outcome(index, &mut stream);
            if missing {
                continue;
            }
            rows.id.push(unit as i64 + 1);
            rows.period.push(t as i64 + 1);
            rows.treatment.push(i64::from(treated));
            rows.outcome.push(outcome);
            rows.cluster.push(cluster as i64 + 1);
            rows.regressors.iter_mut().zip(x).for_each(|(column, x)| column.push(x));
        }
    }

    fn outcome(&self, index: f64, stream: &mut Stream) -> f64 {
        if !self.counts {
            return index + self.noise * stream.normal();
        }
        // Beyond this mean a count is no number that anything could be learnt from.
        Poisson::new(index.exp().clamp(f64::MIN_POSITIVE, 1e12))
            .map_or(0.0, |law| law.sample(stream.generator()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::testing::{column, mean, same_on_any_thread_count};
    use super::*;

    #[test]
    fn same_seed_same_data_on_any_thread_count() {
        let simulation =
            TwoWaySimulation::builder().units(20_000).counts(true).clusters(30).build();
        let frame = same_on_any_thread_count(|| simulation.frame());
        assert!(!frame.equals(&TwoWaySimulation { seed: 4, ..simulation.clone() }.frame()));
        let fewer = TwoWaySimulation { units: 50, ..simulation }.frame();
        assert!(fewer.equals(&frame.head(Some(50 * 6))));
        let names = ["id", "period", "d", "y", "x1", "x2", "cluster"];
        assert_eq!(frame.get_column_names(), names);
    }

    #[test]
    fn missing_rows_leave_the_others_alone() {
        let all = TwoWaySimulation::builder().units(4_000).build();
        let some = TwoWaySimulation { attrition: 0.2, ..all.clone() }.frame();
        assert!((some.height() as f64 / 24_000.0 - 0.8).abs() < 0.01);
        let all = all.frame();
        let at = |df: &DataFrame| -> Vec<(i64, i64)> {
            column(df, "id")
                .iter()
                .zip(column(df, "period"))
                .map(|(i, t)| (*i as i64, t as i64))
                .collect()
        };
        let (y, known) = (column(&all, "y"), at(&all));
        for ((unit, period), y_of_some) in at(&some).into_iter().zip(column(&some, "y")) {
            let row = (unit - 1) as usize * 6 + period as usize - 1;
            assert_eq!((known[row], y[row]), ((unit, period), y_of_some));
        }
    }

    #[test]
    fn counts_are_whole_and_treatment_goes_along_with_fixed_effects() {
        let frame = TwoWaySimulation::builder().units(4_000).counts(true).build().frame();
        let [y, d, x] = ["y", "d", "x1"].map(|name| column(&frame, name));
        assert!(y.iter().all(|y| *y >= 0.0 && y.fract() == 0.0));
        let mean_x =
            |treated: f64| mean(d.iter().zip(&x).filter(|(d, _)| **d == treated).map(|(_, x)| *x));
        assert!(mean_x(1.0) - mean_x(0.0) > 0.3);
    }
}
