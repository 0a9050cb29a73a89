//! What each cluster contributes to estimates.

use crate::engine::backend::host::products::cross_products;
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
    let known: Vec<usize> = (0..m).filter(|j| !columns[*j].is_empty()).collect();
    let of_known: Vec<&[f64]> = known.iter().map(|j| columns[*j]).collect();
    let cross = cross_products(&of_known, None);
    let mut all = vec![0.0; m * m];
    for (a, i) in known.iter().enumerate() {
        for (b, j) in known.iter().enumerate() {
            all[i * m + j] = cross[a * known.len() + b];
        }
    }
    all
}
