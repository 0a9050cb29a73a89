//! Influence values by unit, and the covariance that they give.
//!
//! They are in the scale of sums: the variance of an estimate is `f Σ_c (Σ_{i in c} ψ_i)²` over clusters `c`, with a factor `f` for small
//! samples that is kept apart. The covariance of two estimates, of one estimator or of two, has the root of the product of their factors.

use super::sample::Opened;
use crate::base::error::{DidError, DidWarning, OUT_OF_RANGE, Result};
use crate::base::parallel;
use crate::engine::by_unit::{Kept, KnownScores, UnitValues};
use crate::engine::source::Influence;
use crate::estimator::fixed_effects::{Coefficient, Law};
use crate::read::columns::Label;
use crate::result::inference::{ClusterInfluence, Estimate, products, rounding_between};

/// Clusters that one task sums.
const TASK_CLUSTERS: usize = 1 << 12;

/// Influence values of `K` targets.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::estimator) struct Influences {
    of: UnitValues,
    /// By what the covariance of each target is multiplied for small samples; not numbers before there is one.
    factors: Vec<f64>,
}

/// What a regression's standard error depends on besides influence values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::estimator) struct Regression {
    /// Rows.
    pub rows: f64,
    /// Parameters that count; `None` if there is no correction for small samples.
    pub parameters: Option<usize>,
    /// The root of the mean square of its outcome.
    pub outcome: f64,
}

/// Covariance of the targets, and what goes with it.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::estimator) struct Covariance {
    /// `[K, K]`; 0 where it is not known.
    pub values: Vec<f64>,
    /// Clusters with a row in each target's regression.
    pub clusters: Vec<usize>,
    /// Whether each target's regression has no more rows than parameters.
    saturated: Vec<bool>,
    /// Whether squares of each target's influence values are no numbers, or are rounded to zero.
    out_of_range: Vec<bool>,
    /// Standard errors of each target up to this are rounding.
    rounding: Vec<f64>,
}

/// Sums of influence values by cluster.
struct ClusterSums<'a> {
    /// The clusters, ascending; none if units are the clusters.
    labels: Option<Vec<&'a Label>>,
    /// `[K][clusters]`; not a number where a cluster has no row in the regression.
    columns: Vec<Vec<f64>>,
}

impl Influences {
    /// Reads the rows for the influence values of their units, and their clusters and names if these are wanted.
    ///
    /// # Errors
    /// Errors about a file or a column, and those of workers.
    pub fn read(
        opened: &Opened<'_>,
        scores: impl KnownScores,
        clustered: bool,
        named: bool,
    ) -> Result<Self> {
        let kept = Kept { clusters: clustered, names: named };
        let of = opened.source.values(scores, kept)?;
        let factors = vec![f64::NAN; of.targets];
        Ok(Self { of, factors })
    }

    /// Sums by cluster, in the order of the clusters' labels; of units, in theirs.
    fn by_cluster(&self) -> ClusterSums<'_> {
        let (k, units) = (self.of.targets, self.of.units());
        let Some(labels) = &self.of.clusters else {
            let column = |target| (0..units).map(|unit| self.value(unit, target)).collect();
            let columns = parallel::map(k, column);
            return ClusterSums { labels: None, columns };
        };
        let mut order: Vec<usize> = (0..units).collect();
        if !labels.is_sorted() {
            order.sort_by(|a, b| labels[*a].cmp(&labels[*b]));
        }
        let runs: Vec<&[usize]> = order.chunk_by(|a, b| labels[*a] == labels[*b]).collect();
        // `[K][runs]` of some runs, so that the values of a unit are read once.
        let blocks = parallel::map(runs.len().div_ceil(TASK_CLUSTERS), |task| {
            let runs = &runs[parallel::part(task, TASK_CLUSTERS, runs.len())];
            let mut sums = vec![f64::NAN; k * runs.len()];
            for (at, units) in runs.iter().enumerate() {
                for unit in *units {
                    let values = self.of.values[unit * k..][..k].iter().enumerate();
                    for (target, value) in values.filter(|(_, value)| !value.is_nan()) {
                        let sum = &mut sums[target * runs.len() + at];
                        *sum = if sum.is_nan() { *value } else { *sum + value };
                    }
                }
            }
            sums
        });
        let of_target = |target: usize| {
            let part = |block: &Vec<f64>| {
                let runs = block.len() / k;
                block[target * runs..][..runs].to_vec()
            };
            blocks.iter().flat_map(part).collect()
        };
        let columns = parallel::map(k, of_target);
        let labels = runs.iter().map(|units| &labels[units[0]]).collect();
        ClusterSums { labels: Some(labels), columns }
    }

    fn value(&self, unit: usize, target: usize) -> f64 {
        self.of.values[unit * self.of.targets + target]
    }

    /// The covariance of all targets, with the factors of their regressions, of outcomes about this `level`.
    ///
    /// # Errors
    /// [`DidError::TooFewClusters`] if a column of clusters has one cluster.
    pub fn covariance(
        &mut self,
        regressions: &[Regression],
        column: Option<&str>,
        level: f64,
    ) -> Result<Covariance> {
        let k = self.of.targets;
        let ClusterSums { columns, .. } = self.by_cluster();
        let found = columns.first().map_or(0, Vec::len);
        if let Some(column) = column.filter(|_| found < 2) {
            return Err(DidError::TooFewClusters { column: column.into(), clusters: found });
        }
        let count = |sums: &Vec<f64>| sums.iter().filter(|sum| !sum.is_nan()).count();
        let clusters: Vec<usize> = columns.iter().map(count).collect();
        let columns: Vec<Vec<f64>> = columns.into_iter().map(known).collect();
        let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let mut values = products(&columns);
        let out_of_range = |target: usize| {
            let variance = values[target * k + target];
            let is_small = variance < f64::MIN_POSITIVE;
            !variance.is_finite() || is_small && columns[target].iter().any(|sum| *sum != 0.0)
        };
        let out_of_range = (0..k).map(out_of_range).collect();
        self.factors = regressions.iter().zip(&clusters).map(|(of, g)| of.factor(*g)).collect();
        let roots: Vec<f64> = self.factors.iter().map(|factor| factor.sqrt()).collect();
        for a in 0..k {
            for b in a..k {
                let value = values[a * k + b] * roots[a] * roots[b];
                let value = if value.is_finite() { value } else { 0.0 };
                (values[a * k + b], values[b * k + a]) = (value, value);
            }
        }
        let saturated = regressions.iter().map(Regression::is_saturated).collect();
        let rounding = regressions.iter().map(|of| of.rounding(level)).collect();
        Ok(Covariance { values, clusters, saturated, out_of_range, rounding })
    }

    /// By the clusters' labels and with the corrections for small samples: one column for each of these targets, empty where there is none.
    /// `None` if units are the clusters, which have no labels here.
    pub fn of_clusters(&self, targets: &[Option<usize>]) -> Option<ClusterInfluence> {
        let ClusterSums { labels, columns } = self.by_cluster();
        let clusters = labels?.into_iter().cloned().collect();
        let column = |target: &Option<usize>| {
            let Some(target) = *target else { return Vec::new() };
            let root = self.factors[target].sqrt();
            known(columns[target].clone()).into_iter().map(|sum| root * sum).collect()
        };
        Some(ClusterInfluence { clusters, columns: targets.iter().map(column).collect() })
    }

    /// By unit and in the scale of one observation, as results have them: where units are the clusters, a standard error is the root of their
    /// sum of squares over their number.
    pub fn kept(&self, names: Vec<String>) -> Option<Influence> {
        let k = self.of.targets;
        let units = self.of.names.clone()?;
        let n = units.len() as f64;
        let column = |target: usize| {
            let scale = n * self.factors[target].sqrt();
            let own = self.of.values.iter().skip(target).step_by(k.max(1));
            own.map(|value| if value.is_nan() { 0.0 } else { value * scale }).collect()
        };
        Some(Influence { units, names, columns: (0..k).map(column).collect() })
    }
}

/// Zero where a cluster has no row in a regression.
fn known(mut sums: Vec<f64>) -> Vec<f64> {
    for sum in sums.iter_mut().filter(|sum| sum.is_nan()) {
        *sum = 0.0;
    }
    sums
}

impl Regression {
    /// Whether there are no more rows than parameters.
    pub fn is_saturated(&self) -> bool {
        self.parameters.is_some_and(|parameters| self.rows <= parameters as f64)
    }

    /// What rounding may leave of a standard error that is zero: nearly all outcomes are within three roots of their mean square.
    fn rounding(&self, level: f64) -> f64 {
        rounding_between(-3.0 * self.outcome, 3.0 * self.outcome) + rounding_between(level, level)
    }

    /// `G / (G - 1) (N - 1) / (N - K)`, or 1.
    fn factor(&self, clusters: usize) -> f64 {
        let Some(parameters) = self.parameters else { return 1.0 };
        let free = self.rows - parameters as f64;
        if clusters < 2 || free <= 0.0 {
            return f64::NAN;
        }
        clusters as f64 / (clusters as f64 - 1.0) * (self.rows - 1.0) / free
    }
}

impl Covariance {
    /// A target's value with its standard error and interval, of the t law with the clusters less one degrees of freedom.
    pub fn estimate(&self, target: usize, value: Option<f64>, alpha: f64) -> Estimate {
        let Some(value) = value else { return Estimate::default() };
        let k = self.clusters.len();
        self.of_variance(target, value, self.values[target * k + target], alpha)
    }

    /// As [`estimate`](Self::estimate), of a combination with this variance.
    pub fn of_variance(&self, target: usize, value: f64, variance: f64, alpha: f64) -> Estimate {
        let law = Law::Student(self.clusters[target].saturating_sub(1).max(1) as f64);
        let is_none = self.clusters[target] < 2 || self.is_rounding(target, variance);
        let variance = if is_none { 0.0 } else { variance };
        Coefficient::new(String::new(), value, variance, law, law.critical(alpha)).as_estimate()
    }

    fn is_rounding(&self, target: usize, variance: f64) -> bool {
        variance.sqrt() <= self.rounding[target]
    }

    /// The covariance of effects, `[effects][effects]`: `targets` says which an effect is. It is zero where there is no standard error.
    pub fn of_effects(&self, targets: &[Option<usize>]) -> Vec<Vec<f64>> {
        let k = self.clusters.len();
        let is_known =
            |target: &usize| !self.is_rounding(*target, self.values[*target * k + *target]);
        let entry = |a: &Option<usize>, b: &Option<usize>| {
            let known = a.filter(is_known).zip(b.filter(is_known));
            known.map_or(0.0, |(a, b)| self.values[a * k + b])
        };
        targets.iter().map(|a| targets.iter().map(|b| entry(a, b)).collect()).collect()
    }

    /// Why a target's estimate has no standard error; nothing if it has one, or if there is no estimate.
    pub fn unknown(&self, target: usize, of: &Estimate) -> Option<String> {
        let reason = match () {
            () if of.estimate.is_none() || of.se.is_some() => return None,
            () if self.clusters[target] < 2 => "all rows of its regression are of one cluster",
            () if self.saturated[target] => "its regression has no more rows than parameters",
            () if self.out_of_range[target] => OUT_OF_RANGE,
            () => "the estimate does not vary",
        };
        Some(reason.to_owned())
    }

    /// A warning if there are few clusters.
    pub fn warning(&self) -> Option<DidWarning> {
        let clusters = self.clusters.iter().copied().max().unwrap_or(0);
        DidWarning::few_clusters(clusters)
    }
}
