//! Influence values by cluster, in the scale of sums: the covariance of estimates is the sum of their products.

use super::sample::StageSample;
use crate::base::error::Result;
use crate::base::memory;
use crate::engine::source::Influence;
use crate::estimator::fixed_effects::Coded;
use crate::result::inference::products;

/// Influence values of estimates on clusters that are the same for all of them.
pub(in crate::estimator) struct Influences {
    /// A row of each cluster as it was read, by which the clusters of several estimators are told apart.
    pub rows: Vec<u32>,
    /// `ψ` of each estimate, `[estimates][clusters]`.
    pub psi: Vec<Vec<f64>>,
    /// By what the covariance of each is multiplied for small samples.
    pub factors: Vec<f64>,
}

impl Influences {
    /// Of a sample's clusters, without estimates; an error if so many do not fit into memory.
    ///
    /// # Errors
    /// [`crate::DidError::Memory`].
    pub fn new(sample: &StageSample, estimates: usize) -> Result<Self> {
        let bytes = sample.n_clusters as u128 * estimates as u128 * 8;
        memory::check(
            "influence values",
            bytes,
            "ask for fewer effects, or cluster by fewer groups",
        )?;
        Ok(Self { rows: sample.cluster_rows.clone(), psi: Vec::new(), factors: Vec::new() })
    }

    pub fn push(&mut self, psi: Vec<f64>, factor: f64) {
        self.psi.push(psi);
        self.factors.push(factor);
    }

    /// The covariance `[k, k]`: `Σ_c ψ_c ψ_c'`, times the roots of the factors of both.
    pub fn covariance(&self) -> Vec<f64> {
        let k = self.psi.len();
        let columns: Vec<&[f64]> = self.psi.iter().map(Vec::as_slice).collect();
        let mut all = products(&columns);
        for (e, entry) in all.iter_mut().enumerate() {
            *entry *= (self.factors[e / k] * self.factors[e % k]).sqrt();
        }
        all
    }

    /// The values as they are kept: with labels, in the scale of means.
    pub fn kept(&self, clusters: &Coded, names: Vec<String>, estimates: &[usize]) -> Influence {
        let n = self.rows.len() as f64;
        let column = |j: &usize| {
            let scale = n * self.factors[*j].sqrt();
            self.psi[*j].iter().map(|psi| scale * psi).collect()
        };
        Influence {
            units: self.rows.iter().map(|row| clusters.text(*row as usize)).collect(),
            names,
            columns: estimates.iter().map(column).collect(),
        }
    }
}

/// Adds values of rows to those of their clusters.
pub(in crate::estimator) fn add(
    sample: &StageSample,
    psi: &mut [f64],
    value: impl Fn(usize) -> f64,
) {
    for (row, cluster) in sample.clusters.iter().enumerate() {
        psi[*cluster as usize] += value(row);
    }
}
