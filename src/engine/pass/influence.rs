//! Influence values, formed tile by tile and consumed at once.
//!
//! The contribution of a row with weight `w`, outcome `d` (a change, or a level), covariates `z = (1, x)`, propensity
//! score `p` and trimmed odds `q` to a cell's influence column has one form for every estimator (doubly robust, weighting,
//! regression; panel and repeated cross sections; treated and comparison rows):
//!
//! `u = w [ (d - z'β)(c + z'b - h q) + z'e + f + h τ q + (p - D) z'a ]`
//!
//! | | role |
//! |---|---|
//! | `β` | outcome regression: `z'β` is the prediction that is subtracted, `μ` in Sant'Anna and Zhao (2020) |
//! | `c` | factor of the residual in the estimate, `±1 / Σ w` of the arm: their weight `w_1` |
//! | `h` | minus the factor of the residual weighted by the odds: their weight `w_0` |
//! | `h τ` | influence of the denominator of that weighted mean `τ` of residuals |
//! | `f` | influence of the denominators of means without odds |
//! | `b` | influence of the estimated `β`, whose score is `w (d - z'β) z` |
//! | `e` | predictions that the estimate averages over the rows besides their outcomes |
//! | `a` | influence of the estimated propensity score, the score of whose likelihood is `w (D - p) z`, both with a minus |
//!
//! Values are on the unit scale: the variance of an estimate is `Σ u²`.

use serde::{Deserialize, Serialize};

use super::Weight;
use super::stat::{Stat, add, merge};
use crate::base::error::{DidError, Result};
use crate::base::random::Multipliers;

/// A linear predictor `z'v` of a covariate version.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Dot {
    /// Covariate version.
    pub x: usize,
    /// Coefficients `[k]`, the constant's first.
    pub v: Vec<f64>,
}

impl Dot {
    /// `z'v` with the covariates of version `x`.
    #[must_use]
    pub fn new(x: usize, v: Vec<f64>) -> Self {
        Self { x, v }
    }
}

/// One stratum's contribution to one column, in the notation of this module. Vectors are indices into [`StratumPlan::dots`]; `None` is the zero vector.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Leg {
    /// Outcome column.
    pub post: usize,
    /// Outcome column subtracted, for a change.
    pub base: Option<usize>,
    /// Sampling weight.
    pub w: Weight,
    /// Whether the rows are treated (`D = 1`).
    pub treated: bool,
    /// Propensity score: index into [`StratumPlan::props`].
    pub prop: Option<usize>,
    /// `β`: the outcome regression.
    pub beta: Option<usize>,
    /// `b`: influence of the estimated `β`.
    pub b: Option<usize>,
    /// `e`: predictions averaged over the rows.
    pub e: Option<usize>,
    /// `a`: influence of the estimated propensity score, with a minus.
    pub a: Option<usize>,
    /// `c`: factor of the residual.
    pub c: f64,
    /// `f`: what every row has.
    pub f: f64,
    /// `h`: minus the factor of the residual weighted by the odds.
    pub h: f64,
    /// `h τ`: factor of the odds.
    pub h_tau: f64,
}

/// A column to which a stratum contributes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PlanColumn {
    /// Index of the column among all `m`.
    pub column: usize,
    /// Contributions, added up.
    pub legs: Vec<Leg>,
}

impl PlanColumn {
    /// Contributions to a column.
    #[must_use]
    pub fn new(column: usize, legs: Vec<Leg>) -> Self {
        Self { column, legs }
    }
}

/// The column `ω_i scale` of a group's share.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Share {
    /// Index of the column.
    pub column: usize,
    /// The weight `ω`.
    pub w: Weight,
    /// Factor, `1 / n`.
    pub scale: f64,
}

impl Share {
    /// The column `ω_i scale` with the weight `w`.
    #[must_use]
    pub fn new(column: usize, w: Weight, scale: f64) -> Self {
        Self { column, w, scale }
    }
}

/// All contributions of one stratum.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StratumPlan {
    /// Distinct linear predictors.
    pub dots: Vec<Dot>,
    /// Linear predictors that are the log-odds of propensity scores.
    pub props: Vec<usize>,
    /// Columns with contributions.
    pub columns: Vec<PlanColumn>,
    /// The group's share.
    pub share: Option<Share>,
}

impl StratumPlan {
    /// Global indices of the active columns, in the order of the rows of a tile's influence block.
    #[must_use]
    pub fn active(&self) -> Vec<usize> {
        self.columns.iter().map(|c| c.column).chain(self.share.map(|s| s.column)).collect()
    }

    /// The plan with its active columns numbered from 0 on.
    pub(crate) fn alone(&self) -> Self {
        let mut plan = self.clone();
        for (number, column) in plan.columns.iter_mut().enumerate() {
            column.column = number;
        }
        if let Some(share) = &mut plan.share {
            share.column = plan.columns.len();
        }
        plan
    }
}

/// What is done with the influence values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Consumers {
    /// Sum within this many clusters; the covariance and the draws are then formed from the sums.
    pub clusters: Option<usize>,
    /// Sums of multiplied values, without clusters.
    pub multipliers: Option<Multipliers>,
    /// Whether the values themselves are kept, too.
    pub keep_rows: bool,
}

impl Consumers {
    /// Sets the number of clusters to sum within.
    #[must_use]
    pub fn clusters(mut self, clusters: usize) -> Self {
        self.clusters = Some(clusters);
        self
    }

    /// Sets the multipliers.
    #[must_use]
    pub fn multipliers(mut self, multipliers: Multipliers) -> Self {
        self.multipliers = Some(multipliers);
        self
    }

    /// Sets whether the values are kept.
    #[must_use]
    pub fn keep_rows(mut self, keep_rows: bool) -> Self {
        self.keep_rows = keep_rows;
        self
    }
}

/// Influence values of a plan and their consumers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct InfluencePass {
    /// Columns `m`.
    pub columns: usize,
    /// Propensity score from which comparison rows are trimmed.
    pub trim: f64,
    /// Plan of each stratum.
    pub strata: Vec<StratumPlan>,
    /// Consumers.
    pub consumers: Consumers,
}

/// Sums over the influence rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct InfluenceStat {
    /// `U'U`, `[m, m]`, row-major; zero when clustered.
    pub cross: Vec<f64>,
    /// Cluster sums `[m, C]`, column-major by influence column; empty without clusters.
    pub clusters: Vec<f64>,
    /// Multiplied sums `[m, R]`; empty without multipliers.
    pub draws: Vec<f64>,
}

/// Influence values of some rows, kept as they are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct KeptRows {
    /// Canonical rank of each row's unit, `[n]`.
    pub ranks: Vec<u64>,
    /// Cluster of each row, `[n]`; empty without clusters.
    pub clusters: Vec<u32>,
    /// Influence columns that the rows have values in.
    pub columns: Vec<usize>,
    /// Values, one column after the other, `[columns, n]`.
    pub values: Vec<f64>,
}

impl InfluenceStat {
    /// Sums over no rows, in `columns` influence columns.
    #[must_use]
    pub fn zero(columns: usize, consumers: &Consumers) -> Self {
        Self {
            cross: vec![0.0; columns * columns],
            clusters: vec![0.0; columns * consumers.clusters.unwrap_or(0)],
            draws: vec![0.0; columns * consumers.multipliers.map_or(0, |s| s.draws)],
        }
    }

    /// Adds sums over some of the `m` columns.
    ///
    /// # Errors
    /// [`DidError::Engine`](crate::DidError::Engine) if they are of another number of columns.
    pub(crate) fn merge_columns(&mut self, active: &[usize], m: usize, part: &Self) -> Result<()> {
        if active.iter().copied().eq(0..m) {
            return self.merge(part);
        }
        let (a, m) = (active.len(), m.max(1));
        let lengths = [&part.cross, &part.clusters, &part.draws].map(Vec::len);
        let wanted = [a * a, self.clusters.len() / m * a, self.draws.len() / m * a];
        if lengths != wanted || self.cross.len() != m * m {
            let problem = format!("sums of {lengths:?} were to be added to {wanted:?}");
            return Err(DidError::Engine { problem });
        }
        for (global, row) in active.iter().zip(part.cross.chunks_exact(a.max(1))) {
            let row_of_all = &mut self.cross[global * m..(global + 1) * m];
            for (j, value) in active.iter().zip(row) {
                row_of_all[*j] += value;
            }
        }
        let columns = |all: &mut [f64], part: &[f64]| {
            let entries = all.len() / m;
            for (column, part) in active.iter().zip(part.chunks_exact(entries.max(1))) {
                add(&mut all[column * entries..(column + 1) * entries], part);
            }
        };
        columns(&mut self.clusters, &part.clusters);
        columns(&mut self.draws, &part.draws);
        Ok(())
    }

    /// The sums over some of the `m` columns.
    pub(crate) fn of_columns(&self, active: &[usize], m: usize) -> Self {
        let row = |i: &usize| active.iter().map(|j| self.cross[i * m + j]).collect::<Vec<f64>>();
        let columns = |all: &[f64]| {
            let entries = all.len() / m.max(1);
            active.iter().flat_map(|c| &all[c * entries..(c + 1) * entries]).copied().collect()
        };
        Self {
            cross: active.iter().flat_map(row).collect(),
            clusters: columns(&self.clusters),
            draws: columns(&self.draws),
        }
    }

    /// Adds a tile's cross-moments, given by the upper triangle of `[active, active]`.
    pub(crate) fn add_cross(&mut self, active: &[usize], part: &[f64]) {
        let m = self.cross.len().isqrt();
        for (i, gi) in active.iter().enumerate() {
            for (j, gj) in active.iter().enumerate() {
                self.cross[gi * m + gj] += part[i.min(j) * active.len() + i.max(j)];
            }
        }
    }

    /// Adds a tile's multiplied sums, `[active, draws]`.
    pub(crate) fn add_draws(&mut self, active: &[usize], draws: usize, part: &[f64]) {
        for (g, part) in active.iter().zip(part.chunks_exact(draws)) {
            add(&mut self.draws[g * draws..(g + 1) * draws], part);
        }
    }

    /// Adds rows `[active, rows]` to the sums of their clusters; `clusters` is the number of clusters.
    pub(crate) fn add_clusters(
        &mut self,
        active: &[usize],
        clusters: usize,
        cluster: &[u32],
        block: &[f64],
    ) {
        for (g, column) in active.iter().zip(block.chunks_exact(cluster.len())) {
            let sums = &mut self.clusters[g * clusters..(g + 1) * clusters];
            for (value, c) in column.iter().zip(cluster) {
                sums[*c as usize] += value;
            }
        }
    }
}

impl Stat for InfluenceStat {
    fn merge(&mut self, other: &Self) -> Result<()> {
        merge(&mut self.cross, &other.cross, "cross-moments of influence values")?;
        merge(&mut self.clusters, &other.clusters, "cluster sums")?;
        merge(&mut self.draws, &other.draws, "multiplied sums")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(columns: usize, first: f64) -> InfluenceStat {
        let values = |n: usize| (0..n).map(|i| first + i as f64).collect();
        let cross = values(columns * columns);
        InfluenceStat { cross, clusters: values(2 * columns), draws: values(3 * columns) }
    }

    #[test]
    fn sums_of_some_columns_are_added_in_their_places() {
        let part = sums(2, 10.0);
        let mut all = sums(4, 0.0);
        all.merge_columns(&[3, 1], 4, &part).expect("two columns");
        let added = all.of_columns(&[3, 1], 4);
        let before = sums(4, 0.0).of_columns(&[3, 1], 4);
        assert_eq!(before.cross, [15.0, 13.0, 7.0, 5.0]);
        let sum: Vec<f64> = before.draws.iter().zip(&part.draws).map(|(a, b)| a + b).collect();
        assert_eq!(added.draws, sum);
        assert_eq!(added.cross, [25.0, 24.0, 19.0, 18.0]);
        assert_eq!(added.clusters, [16.0, 18.0, 14.0, 16.0]);
        // The other columns are as they were.
        assert_eq!(all.of_columns(&[0, 2], 4), sums(4, 0.0).of_columns(&[0, 2], 4));
    }

    #[test]
    fn sums_of_other_columns_are_refused() {
        let mut all = sums(4, 0.0);
        for (active, part) in [(vec![3, 1], sums(3, 0.0)), (vec![0, 1, 2, 3], sums(2, 0.0))] {
            assert!(all.merge_columns(&active, 4, &part).is_err());
        }
        all.merge_columns(&[], 4, &sums(0, 0.0)).expect("nothing");
        assert_eq!(all, sums(4, 0.0));
    }

    #[test]
    fn a_plan_alone_numbers_its_columns() {
        let column = |column| PlanColumn::new(column, vec![Leg::default()]);
        let share = Some(Share::new(2, Weight::Ones, 1.0));
        let plan = StratumPlan { columns: vec![column(7), column(4)], share, ..Default::default() };
        assert_eq!((plan.active(), plan.alone().active()), (vec![7, 4, 2], vec![0, 1, 2]));
    }
}
