//! What each cluster contributes to effects and to their averages.

use crate::base::error::Result;
use crate::base::parallel;
use crate::estimator::aggregate::{Aggregation, linear};
use crate::estimator::shell::moments::InfluenceMoments;
use crate::read::columns::Label;
use crate::read::panel::Sample;
use crate::result::inference::{ClusterInfluence, Combination};

use super::GroupTimeResult;

/// Influence values by cluster of the effects and, behind them, of the groups' shares: the covariance is the sum of their products.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ByCluster {
    clusters: Vec<Label>,
    /// `[effects and shares][clusters]`; empty where there is no estimate.
    columns: Vec<Vec<f64>>,
}

impl ByCluster {
    /// Of moments by cluster, in units of the outcome; `scales` turns each column into these, and is 0 where there is no estimate.
    pub fn new(sample: &Sample, moments: &InfluenceMoments, scales: &[f64]) -> Option<Self> {
        let clusters = sample.cluster_labels.clone()?;
        let column = |(j, scale): (usize, &f64)| {
            let sums = moments.of_clusters(j).filter(|_| *scale != 0.0).unwrap_or_default();
            sums.iter().map(|sum| sum * scale).collect()
        };
        Some(Self { clusters, columns: scales.iter().enumerate().map(column).collect() })
    }

    fn combined(&self, combination: &Combination) -> Vec<f64> {
        let mut sum = vec![0.0; self.clusters.len()];
        let terms = self.columns.iter().zip(&combination.weights);
        for (column, weight) in terms.filter(|(_, weight)| **weight != 0.0) {
            sum.iter_mut().zip(column).for_each(|(sum, value)| *sum += weight * value);
        }
        sum
    }
}

impl GroupTimeResult {
    /// Influence of the clusters on the rows of an average, in their order, with that of the groups' shares: the covariance of the rows is
    /// the sum of the products. `None` if the fit has no clusters or did not keep influence values.
    ///
    /// # Errors
    /// As [`aggregate`](Self::aggregate).
    pub(crate) fn influence_of(
        &self,
        aggregation: Aggregation,
    ) -> Result<Option<ClusterInfluence>> {
        let Some(by_cluster) = &self.by_cluster else { return Ok(None) };
        let rows = linear(&self.effects, &aggregation, &mut Vec::new())?.rows;
        let columns = parallel::map(rows.len(), |row| by_cluster.combined(&rows[row].combination));
        Ok(Some(ClusterInfluence { clusters: by_cluster.clusters.clone(), columns }))
    }
}
