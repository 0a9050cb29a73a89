//! What each cluster contributes to estimates.

use crate::base::parallel;
use crate::read::columns::Label;

/// Influence of clusters on estimates, in the scale of sums: the covariance of two estimates is the sum of the products of their columns,
/// corrections for small samples included.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ClusterInfluence {
    /// Labels, ascending.
    pub clusters: Vec<Label>,
    /// `[estimates][clusters]`; empty where there is no estimate, and for references.
    pub columns: Vec<Vec<f64>>,
}

/// `Σ_c ψ_c ψ_c'`, `[m, m]`, of columns of influence values by cluster; 0 where a column is empty.
pub(crate) fn products(columns: &[&[f64]]) -> Vec<f64> {
    let m = columns.len();
    let lower: Vec<Vec<f64>> = parallel::map(m, |i| {
        let product = |j: usize| columns[i].iter().zip(columns[j]).map(|(a, b)| a * b).sum();
        (0..=i).map(product).collect()
    });
    (0..m * m).map(|e| lower[(e / m).max(e % m)][(e / m).min(e % m)]).collect()
}
