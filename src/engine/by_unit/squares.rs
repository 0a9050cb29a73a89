//! Sums of influence values by cluster, of which a standard error is made. They are exact, and the same wherever frames and shards of
//! units end.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::base::exact::ExactSum;
use crate::read::columns::Label;
use crate::read::panel::overview::UnitRows;

/// The influence values of some units on one estimate, by cluster.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ClusterSums {
    /// Units with a complete row.
    pub units: usize,
    /// Of the squares of those that are clusters.
    squares: ExactSum,
    /// Of those in a cluster.
    sums: BTreeMap<Label, ExactSum>,
}

impl ClusterSums {
    /// Adds the units of a frame, whose influence `of_unit` gives.
    pub fn add(&mut self, rows: &UnitRows, of_unit: &(dyn Fn(usize) -> f64 + Sync)) {
        let of_unit = |unit: usize| {
            let first = rows.unit(unit).next()?;
            Some((of_unit(unit), rows.cluster(first)))
        };
        let all: Vec<Option<(f64, Option<u32>)>> =
            (0..rows.units()).into_par_iter().map(of_unit).collect();
        let mut by_code: BTreeMap<u32, ExactSum> = BTreeMap::new();
        for (value, cluster) in all.into_iter().flatten() {
            self.units += 1;
            match cluster {
                Some(code) => by_code.entry(code).or_default().add(value),
                None => self.squares.add(value * value),
            }
        }
        for (code, sum) in by_code {
            if let Some(label) = rows.cluster_label(code) {
                self.sums.entry(label).or_default().merge(&sum);
            }
        }
    }

    /// Adds those of other units.
    #[cfg(feature = "cluster")]
    pub fn merge(&mut self, other: Self) {
        self.units += other.units;
        self.squares.merge(&other.squares);
        for (label, sum) in other.sums {
            self.sums.entry(label).or_default().merge(&sum);
        }
    }

    /// Whether they may be those of so many units, in clusters or not.
    #[cfg(feature = "cluster")]
    pub fn are_of(&self, units: usize, in_clusters: bool) -> bool {
        let has_clusters = match in_clusters {
            true => self.squares == ExactSum::default() && self.sums.is_empty() == (units == 0),
            false => self.sums.is_empty(),
        };
        self.units == units && has_clusters && self.sums.len() <= units
    }

    /// The sum over clusters of the squares of their sums.
    pub fn of_squares(&self) -> f64 {
        let squares = self.sums.values().map(|sum| sum.value().powi(2));
        self.squares.value() + squares.sum::<f64>()
    }

    /// Of so many units in one cluster, without influence.
    #[cfg(all(test, feature = "cluster"))]
    pub fn example(units: usize) -> Self {
        let sums = BTreeMap::from([(Label::Integer(1), ExactSum::default())]);
        Self { units, sums, ..Self::default() }
    }

    /// Clusters; units, where these are the clusters.
    pub fn clusters(&self) -> usize {
        if self.sums.is_empty() { self.units } else { self.sums.len() }
    }
}
