//! Influence values by unit, as one reading of the rows leaves them.

use serde::{Deserialize, Serialize};

use crate::read::columns::Label;
use crate::read::panel::overview::UnitRows;

/// What is kept of a unit besides its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Kept {
    /// Its cluster.
    pub clusters: bool,
    /// Its name.
    pub names: bool,
}

/// Influence values of `K` targets, of the units that have some.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct UnitValues {
    pub targets: usize,
    /// `[unit][K]`; not a number where a unit has no row in the regression.
    pub values: Vec<f64>,
    /// Of each unit; none if units are the clusters.
    pub clusters: Option<Vec<Label>>,
    /// Names of the units, if they are kept.
    pub names: Option<Vec<String>>,
}

impl UnitValues {
    /// Of no units yet.
    pub fn new(targets: usize, kept: Kept) -> Self {
        let (clusters, names) = (kept.clusters.then(Vec::new), kept.names.then(Vec::new));
        Self { targets, values: Vec::new(), clusters, names }
    }

    /// Adds the units of a frame, of which each has so many copies with values of their own, `[unit][copies][K]`.
    pub fn push(&mut self, rows: &UnitRows, values: &[f64], copies: usize) {
        let width = self.targets.max(1);
        for (at, values) in values.chunks_exact(width).enumerate() {
            let unit = at / copies;
            let Some(first) = rows.unit(unit).next() else { continue };
            if values.iter().all(|value| value.is_nan()) {
                continue;
            }
            self.values.extend_from_slice(values);
            if let Some(clusters) = &mut self.clusters {
                let label = rows.cluster(first).and_then(|code| rows.cluster_label(code));
                clusters.push(label.unwrap_or(Label::Integer(0)));
            }
            if let Some(names) = &mut self.names {
                names.push(rows.label(unit));
            }
        }
    }

    /// Units, copies counted.
    pub fn units(&self) -> usize {
        self.values.len() / self.targets.max(1)
    }

    /// Adds units that come after these.
    #[cfg(feature = "cluster")]
    pub fn append(&mut self, mut more: Self) {
        fn both<T>(own: &mut Option<Vec<T>>, more: &mut Option<Vec<T>>) {
            if let (Some(own), Some(more)) = (own, more) {
                own.append(more);
            }
        }
        self.values.append(&mut more.values);
        both(&mut self.clusters, &mut more.clusters);
        both(&mut self.names, &mut more.names);
    }

    /// Whether they are of so many targets, and have what is kept of every unit.
    #[cfg(feature = "cluster")]
    pub fn are_of(&self, targets: usize, kept: Kept) -> bool {
        fn has<T>(of: Option<&Vec<T>>, wanted: bool, units: usize) -> bool {
            of.map_or(!wanted, |of| wanted && of.len() == units)
        }
        let units = self.units();
        self.targets == targets
            && self.values.len() == units * targets.max(1)
            && has(self.clusters.as_ref(), kept.clusters, units)
            && has(self.names.as_ref(), kept.names, units)
    }
}
