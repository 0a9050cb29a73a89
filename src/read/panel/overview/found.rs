//! What units show: counts and sums that add up.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::cells::CellTable;
use crate::base::error::Result;
use crate::read::columns::Label;
use crate::read::panel::patterns::Pattern;

/// Units that a sample would refuse or leave out, with one of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Irregular {
    pub units: usize,
    /// Rows beyond the first of a period, where that is what is irregular.
    pub rows: usize,
    pub example: Option<String>,
}

/// Units of a group.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct GroupUnits {
    pub units: usize,
    /// Sum over units of the mean weight of their rows.
    pub weight: f64,
    pub clusters: BTreeSet<Label>,
}

/// What some units show.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Found {
    /// Rows with all their values, by group and period.
    pub cells: CellTable,
    /// In the order of the groups of `cells`.
    pub groups: Vec<GroupUnits>,
    pub duplicates: Irregular,
    pub group_changes: Irregular,
    pub cluster_changes: Irregular,
    /// Units in which a column changes over time: weights, then covariates.
    pub varying: Vec<(String, usize)>,
    /// Units by group and periods with complete rows.
    pub(in crate::read::panel) units: BTreeMap<Pattern, usize>,
    /// Those of these units whose treatment ends.
    pub(super) ended: BTreeMap<EndedPattern, usize>,
}

/// Periods with complete rows, and those of them in which the unit is not treated any more.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct EndedPattern {
    pub observed: Pattern,
    pub ended: Pattern,
}

impl Irregular {
    fn add(&mut self, other: Self) {
        self.units += other.units;
        self.rows += other.rows;
        self.example = self.example.take().or(other.example);
    }
}

impl Found {
    /// Adds what other units show.
    ///
    /// # Errors
    /// If there are more cells than can be held.
    pub fn merge(&mut self, other: Self) -> Result<()> {
        let before = self.cells.groups.clone();
        let others = other.cells.groups.clone();
        self.cells.merge(other.cells)?;
        let mut groups = vec![GroupUnits::default(); self.cells.groups.len()];
        let all = [(&before, std::mem::take(&mut self.groups)), (&others, other.groups)];
        for (values, found) in all {
            for (group, more) in values.iter().zip(found) {
                let at = self.cells.groups.partition_point(|g| g.total_cmp(group).is_lt());
                groups[at].units += more.units;
                groups[at].weight += more.weight;
                groups[at].clusters.extend(more.clusters);
            }
        }
        self.groups = groups;
        self.duplicates.add(other.duplicates);
        self.group_changes.add(other.group_changes);
        self.cluster_changes.add(other.cluster_changes);
        for (column, units) in other.varying {
            match self.varying.iter_mut().find(|(known, _)| *known == column) {
                Some((_, count)) => *count += units,
                None => self.varying.push((column, units)),
            }
        }
        for (pattern, units) in other.units {
            *self.units.entry(pattern).or_default() += units;
        }
        for (pattern, units) in other.ended {
            *self.ended.entry(pattern).or_default() += units;
        }
        Ok(())
    }
}
