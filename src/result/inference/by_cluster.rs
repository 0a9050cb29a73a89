//! What each cluster contributes to estimates.

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
