//! Moments of influence values, formed by one pass, and what inference makes of them.

use super::kept::{self, KeptValues};
use crate::base::error::{DidError, Result};
use crate::base::options::{Bootstrap, Multiplier};
use crate::engine::backend::host::cluster_draws;
use crate::engine::cell::{CellEstimate, influence_pass};
use crate::engine::pass::{Consumers, InfluenceStat};
use crate::engine::source::{Source, Work};
use crate::read::panel::Sample;
use crate::result::inference::{gaussian_draws, multipliers, products};

/// Cross-products, cluster sums and multiplied sums of `m` columns of influence values, and the values if they are kept.
pub(crate) struct InfluenceMoments {
    stat: InfluenceStat,
    /// Columns `m`: estimates, then group shares.
    columns: usize,
    n_clusters: Option<usize>,
    /// What each column sums to, where that is more than rounding; else empty.
    pub totals: Vec<f64>,
    /// The values of the columns, if they are kept.
    pub kept: Option<KeptValues>,
}

impl InfluenceMoments {
    /// Of the influence values of some estimates and of the group shares, by one pass.
    ///
    /// # Errors
    /// If the source reports an error.
    pub fn form<'a>(
        source: &dyn Source,
        estimated: impl ExactSizeIterator<Item = Option<&'a CellEstimate>>,
        work: &Work<'_>,
        trim: f64,
    ) -> Result<Self> {
        let _span = tracing::info_span!("influence").entered();
        let sample = source.sample();
        let estimates = estimated.len();
        let columns = estimates + sample.groups.len();
        let consumers = consumers(sample, work);
        let pass =
            influence_pass(sample, estimated, work.shares_of, consumers, source.precision(), trim);
        let (stat, kept) = kept::influence(source, &pass, estimates)?;
        Self::new(stat, kept, columns, sample.n_clusters)
    }

    /// From what the pass gave for so many columns. In single precision a last column of ones says what the others sum to.
    ///
    /// # Errors
    /// [`DidError::Engine`] for sums of other columns.
    pub fn new(
        mut stat: InfluenceStat,
        kept: Option<KeptValues>,
        columns: usize,
        n_clusters: Option<usize>,
    ) -> Result<Self> {
        let all = stat.cross.len().isqrt();
        let is_of_these_columns = (columns..=columns + 1).contains(&all)
            && stat.cross.len() == all * all
            && stat.clusters.len() == all * n_clusters.unwrap_or(0)
            && stat.draws.len().is_multiple_of(all.max(1));
        if !is_of_these_columns {
            let InfluenceStat { cross, clusters, draws } = &stat;
            let sums = [cross, clusters, draws].map(Vec::len);
            let problem = format!("{sums:?} sums do not match {columns} influence columns");
            return Err(DidError::Engine { problem });
        }
        if all == columns {
            return Ok(Self { stat, columns, n_clusters, totals: Vec::new(), kept });
        }
        let totals = match n_clusters {
            Some(clusters) => {
                stat.clusters.chunks_exact(clusters).map(|c| c.iter().sum()).collect()
            }
            None => stat.cross[columns * all..].to_vec(),
        };
        let square = stat.cross.chunks_exact(all).take(columns);
        stat.cross = square.flat_map(|row| &row[..columns]).copied().collect();
        stat.clusters.truncate(columns * n_clusters.unwrap_or(0));
        stat.draws.truncate(stat.draws.len() / all * columns);
        Ok(Self { stat, columns, n_clusters, totals, kept })
    }

    /// Covariance `[m, m]` of the columns, from cluster sums if there are clusters. It is handed over, once.
    pub fn covariance(&mut self) -> Vec<f64> {
        let m = self.columns;
        let sums: Option<Vec<&[f64]>> = (0..m).map(|j| self.of_clusters(j)).collect();
        match sums {
            None => std::mem::take(&mut self.stat.cross),
            Some(sums) => products(&sums),
        }
    }

    /// Sums of a column by cluster, if there are clusters.
    pub fn of_clusters(&self, column: usize) -> Option<&[f64]> {
        self.n_clusters.map(|c| &self.stat.clusters[column * c..(column + 1) * c])
    }

    /// Bootstrap draws `[m, R]` of columns with this covariance.
    pub fn draws(self, covariance: &[f64], bootstrap: &Bootstrap) -> Vec<f64> {
        match (multipliers(bootstrap), self.n_clusters) {
            (None, _) => {
                debug_assert_eq!(bootstrap.multiplier, Multiplier::Gaussian);
                gaussian_draws(covariance, self.columns, bootstrap)
            }
            (Some(law), Some(clusters)) => cluster_draws(&self.stat.clusters, clusters, &law),
            (Some(_), None) => self.stat.draws,
        }
    }
}

/// What is done with the influence values: cluster sums, else the bootstrap's multiplied sums.
pub(crate) fn consumers(sample: &Sample, work: &Work<'_>) -> Consumers {
    let clusters = sample.n_clusters;
    let multipliers = work.bootstrap.and_then(multipliers).filter(|_| clusters.is_none());
    Consumers { clusters, multipliers, keep_rows: work.keep_influence }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stat(cross: &[f64], clusters: &[f64], draws: &[f64]) -> InfluenceStat {
        let (cross, clusters, draws) = (cross.to_vec(), clusters.to_vec(), draws.to_vec());
        InfluenceStat { cross, clusters, draws }
    }

    #[test]
    fn a_column_of_ones_says_what_the_others_sum_to() {
        let with_ones = stat(&[4.0, 1.0, 0.5, 1.0, 9.0, -0.5, 0.5, -0.5, 7.0], &[], &[1.0; 6]);
        let mut moments = InfluenceMoments::new(with_ones, None, 2, None).unwrap();
        assert_eq!(moments.totals[..2], [0.5, -0.5]);
        assert_eq!(moments.covariance(), [4.0, 1.0, 1.0, 9.0]);
        let bootstrap = Bootstrap::draws(2);
        assert_eq!(moments.draws(&[4.0, 1.0, 1.0, 9.0], &bootstrap).len(), 4);
    }

    #[test]
    fn clusters_give_the_products_of_their_sums() {
        // Two columns in three clusters.
        let clustered = stat(&[0.0; 4], &[1.0, 2.0, -3.0, 0.0, 1.0, -1.0], &[]);
        let mut moments = InfluenceMoments::new(clustered, None, 2, Some(3)).unwrap();
        assert!(moments.totals.is_empty());
        assert_eq!(moments.covariance(), [14.0, 5.0, 5.0, 2.0]);
    }

    #[test]
    fn sums_of_other_columns_are_refused() {
        let (square, clusters) = ([1.0; 4], [0.0; 6]);
        for (stat, columns, n_clusters) in [
            (stat(&[1.0; 3], &[], &[]), 1, None),
            (stat(&square, &[], &[]), 3, None),
            (stat(&[1.0; 16], &[], &[]), 2, None),
            (stat(&square, &[], &[]), 2, Some(3)),
            (stat(&square, &clusters, &[]), 2, None),
            (stat(&square, &[], &[1.0; 5]), 2, None),
        ] {
            let refused = InfluenceMoments::new(stat, None, columns, n_clusters).err();
            let error = refused.expect("other sums").to_string();
            assert!(error.contains("do not match"), "{error}");
        }
    }
}
