//! The groups that are compared, arranged in strata.

use std::ops::Range;

use super::options::Direction;

/// Cluster of a group without rows.
pub(super) const NO_CLUSTER: u32 = u32::MAX;

/// Groups of the same status quo treatment and trend group: those that may be compared.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stratum {
    pub groups: Range<usize>,
    /// Position among the status quo treatments.
    pub level: usize,
    pub trend: u32,
    /// Periods in which some group has not switched yet: `0..end`. Longer if a group has no row in some period, as in R.
    pub end: usize,
}

/// Groups `g`, ordered by stratum, first switch, new treatment and label, and their cells `[group, period]`, row-major.
#[derive(Clone, Debug, Default)]
pub(crate) struct SwitchingSample {
    pub periods: usize,
    /// Groups of strata in which the first switch varies: what sums of influence values are divided by.
    pub scale: usize,
    /// Outcome, or its first difference with linear trends; NaN if missing.
    pub outcome: Vec<f64>,
    /// Outcome as it is, if it is asked for; empty otherwise.
    pub levels: Vec<f64>,
    pub treatment: Vec<f64>,
    /// Weight, 0 if outcome or treatment is missing.
    pub weight: Vec<f64>,
    pub controls: Vec<Vec<f64>>,
    /// Degree of the polynomial in the status quo treatment by which trends may differ.
    pub degree: usize,
    pub strata: Vec<Stratum>,
    pub stratum: Vec<u32>,
    /// Status quo treatments by which groups are compared.
    pub status_quos: Vec<f64>,
    /// Every group's treatment before it switches.
    pub status_quo: Vec<f64>,
    /// Period of the first switch; the number of periods if there is none.
    pub first: Vec<u32>,
    pub direction: Vec<Option<Direction>>,
    /// Groups of one stratum, first switch and new treatment.
    pub cohort: Vec<u32>,
    pub cohorts: usize,
    /// Every group's cluster, numbered from 0.
    pub cluster: Option<Vec<u32>>,
    /// What the clusters' codes were before; empty if groups are the clusters.
    pub cluster_codes: Vec<u32>,
    /// Codes of groups.
    pub group: Vec<u32>,
    pub traits: Traits,
    /// First period with a row.
    pub start: usize,
    /// Whether a group has a row in that period, with its weight; NaN if not.
    pub start_weight: Vec<f64>,
}

impl SwitchingSample {
    /// Number of groups.
    pub fn groups(&self) -> usize {
        self.first.len()
    }

    /// Number of clusters, which are the groups unless there are others.
    pub fn clusters(&self) -> usize {
        if self.cluster.is_some() { self.cluster_codes.len() } else { self.groups() }
    }

    /// Cells of a group.
    pub fn row(&self, group: usize) -> Range<usize> {
        group * self.periods..(group + 1) * self.periods
    }

    pub fn stratum_of(&self, group: usize) -> &Stratum {
        &self.strata[self.stratum[group] as usize]
    }

    /// First switch of a group.
    pub fn first_of(&self, group: usize) -> usize {
        self.first[group] as usize
    }

    /// Effects that there are for a group.
    pub fn horizons(&self, group: usize) -> usize {
        self.stratum_of(group).end.saturating_sub(self.first_of(group))
    }

    /// Placebos that there are for a group.
    pub fn placebos(&self, group: usize) -> usize {
        self.horizons(group).min(self.first_of(group).saturating_sub(1))
    }

    /// Whether a group's treatment never changes.
    pub fn never_switches(&self, group: usize) -> bool {
        self.first_of(group) >= self.periods
    }

    /// Runs of groups of one stratum, small enough for one task each.
    pub fn tiles(&self) -> Vec<(usize, Range<usize>)> {
        let split = |(index, stratum): (usize, &Stratum)| {
            let Range { start, end } = stratum.groups;
            let tile = move |from: usize| (index, from..(from + super::TILE).min(end));
            (start..end).step_by(super::TILE).map(tile).collect::<Vec<_>>()
        };
        self.strata.iter().enumerate().flat_map(split).collect()
    }
}

/// Columns that are constant over time, which may predict the effects.
#[derive(Clone, Debug, Default)]
pub(crate) struct Traits {
    /// Value of each group `[column][group]`, NaN if there is none.
    values: Vec<Vec<f64>>,
    /// Whether a cell has it, `[column][group, period]`.
    there: Vec<Vec<bool>>,
    periods: usize,
    /// Whether each column changes within a group.
    pub varies: Vec<bool>,
}

impl Traits {
    /// Reads the traits from columns; each row has its group and period, and `groups` counts the groups.
    pub(super) fn new(
        columns: &[Vec<f64>],
        group: &[u32],
        period: &[u32],
        [groups, periods]: [usize; 2],
    ) -> Self {
        let mut traits = Self { periods, ..Self::default() };
        for column in columns {
            let mut values = vec![f64::NAN; groups];
            let mut there = vec![false; groups * periods];
            let mut varies = false;
            for (row, value) in column.iter().enumerate().filter(|(_, v)| !v.is_nan()) {
                let (g, t) = (group[row] as usize, period[row] as usize);
                varies |= !values[g].is_nan() && values[g] != *value;
                values[g] = *value;
                there[g * periods + t] = true;
            }
            traits.values.push(values);
            traits.there.push(there);
            traits.varies.push(varies);
        }
        traits
    }

    pub(super) fn keep(&mut self, groups: &[usize]) {
        let periods = self.periods;
        for values in &mut self.values {
            *values = groups.iter().map(|g| values[*g]).collect();
        }
        for there in &mut self.there {
            let row = |g: &usize| &there[g * periods..(g + 1) * periods];
            *there = groups.iter().flat_map(row).copied().collect();
        }
    }

    /// A column's value for a group; as in R, NaN if the group has none in this period.
    pub fn value(&self, column: usize, period: usize, group: usize) -> f64 {
        if self.there[column][group * self.periods + period] {
            self.values[column][group]
        } else {
            f64::NAN
        }
    }
}
