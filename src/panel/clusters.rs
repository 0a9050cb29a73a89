//! Clusters of the sample, numbered in the order of their labels.

use super::codes::{Codes, Label, MISSING};
use super::grid::Grid;

/// Labels of the clusters in the sample, ascending.
#[derive(Debug, Default)]
pub(super) struct Clusters {
    labels: Vec<Label>,
}

impl Clusters {
    /// Adds the clusters of a frame's units.
    pub fn add(&mut self, codes: &Codes, grids: &[Grid]) {
        let mut present = vec![false; codes.labels.len()];
        for row in grids.iter().flat_map(|g| &g.first) {
            present[codes.codes[*row as usize] as usize] = true;
        }
        let found = (0..present.len()).filter(|c| present[*c]).map(|c| codes.labels.label(c));
        self.labels.extend(found);
        self.labels.sort();
        self.labels.dedup();
    }

    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Numbers of a frame's clusters by their codes.
    pub fn numbers(&self, codes: &Codes) -> Vec<u32> {
        let number = |c: usize| {
            let at = self.labels.binary_search(&codes.labels.label(c)).ok();
            at.and_then(|at| u32::try_from(at).ok()).unwrap_or(MISSING)
        };
        (0..codes.labels.len()).map(number).collect()
    }
}
