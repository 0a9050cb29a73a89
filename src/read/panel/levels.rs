//! Levels of the factors and clusters of the sample's rows.

use serde::{Deserialize, Serialize};

use super::additive::Additive;
use super::frame::Placed;
use super::grid::Grid;
use super::rows::Rows;
use crate::base::error::Result;
use crate::read::columns::{Codes, Label, MISSING};
use crate::read::formula::Present;

/// What occurs in the sample.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Levels {
    pub factors: Present,
    pub clusters: ClusterLabels,
}

/// Labels of the clusters in the sample, ascending. A cluster's number is its position.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ClusterLabels(Vec<Label>);

impl Levels {
    /// What occurs in a frame's rows of the sample.
    pub fn of(Placed { rows, grids }: Placed<'_>) -> Self {
        let clusters = rows.cluster.as_ref().map(|codes| ClusterLabels::of(codes, grids));
        Self { factors: factors(rows, grids), clusters: clusters.unwrap_or_default() }
    }
}

impl Additive for Levels {
    fn merge(&mut self, other: Self) -> Result<()> {
        self.factors.join(other.factors);
        self.clusters.join(other.clusters);
        Ok(())
    }
}

fn factors(rows: &Rows, grids: &[Grid]) -> Present {
    if !rows.covariates.kinds().has_factors() {
        return Present::default();
    }
    let (mut kept, mut buffer) = (Vec::new(), Vec::new());
    for (grid, p) in grids.iter().flat_map(|g| (0..g.periods()).map(move |p| (g, p))) {
        let listed = grid.rows(p, &(0..grid.n), &mut buffer);
        kept.extend(listed.iter().filter(|row| **row != MISSING));
    }
    rows.covariates.present(&kept)
}

impl ClusterLabels {
    /// Clusters of a frame's units.
    fn of(codes: &Codes, grids: &[Grid]) -> Self {
        let mut present = vec![false; codes.labels.len()];
        for row in grids.iter().flat_map(|g| &g.first) {
            present[codes.codes[*row as usize] as usize] = true;
        }
        let labels = (0..present.len()).filter(|c| present[*c]).map(|c| codes.labels.label(c));
        Self(labels.collect())
    }

    fn join(&mut self, more: Self) {
        if self.0.is_empty() {
            self.0 = more.0;
            return;
        }
        self.0.extend(more.0);
        // A stable sort takes two ascending runs in one pass.
        self.0.sort();
        self.0.dedup();
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn labels(&self) -> &[Label] {
        &self.0
    }

    /// Numbers of a frame's clusters by their codes.
    pub fn numbers(&self, codes: &Codes) -> Vec<u32> {
        let number = |c: usize| {
            let at = self.0.binary_search(&codes.labels.label(c)).ok();
            at.and_then(|at| u32::try_from(at).ok()).unwrap_or(MISSING)
        };
        (0..codes.labels.len()).map(number).collect()
    }
}

#[cfg(test)]
mod tests {
    use polars::prelude::*;

    use super::*;
    use crate::read::columns::LabelColumn;

    fn clusters(labels: &[&str]) -> ClusterLabels {
        let column = Column::new("c".into(), labels);
        let codes = LabelColumn::new(&column, "cluster").unwrap().codes();
        ClusterLabels((0..codes.labels.len()).map(|c| codes.labels.label(c)).collect())
    }

    #[test]
    fn clusters_are_numbered_in_the_order_of_their_labels() {
        let (mut all, mut other) = (clusters(&["d", "a"]), clusters(&["b", "d"]));
        let before = all.clone();
        all.join(other.clone());
        other.join(before);
        assert_eq!((&all, all.len()), (&other, 3));
        let column = Column::new("c".into(), ["d", "b", "x"]);
        let codes = LabelColumn::new(&column, "cluster").unwrap().codes();
        assert_eq!(all.numbers(&codes), [1, 2, MISSING]);
    }
}
