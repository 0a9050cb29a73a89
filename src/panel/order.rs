//! Rows by unit and period, and the checks that need it.

use super::codes::MISSING;
use super::columns::{RawRows, Roles};
use crate::error::{DidError, Result};

/// Raw rows grouped by unit, in ascending period within each unit.
pub(super) struct UnitOrder {
    /// Start of each unit's rows in `rows`; one more entry than units.
    pub starts: Vec<usize>,
    pub rows: Vec<u32>,
}

impl UnitOrder {
    /// Counting sort by unit; only units whose rows are out of order are sorted by period.
    fn new(codes: &[u32], units: usize, t: &[f64], usable: impl Fn(usize) -> bool) -> Self {
        let mut starts = vec![0usize; units + 1];
        let rows_of = || codes.iter().enumerate().filter(|(i, c)| **c != MISSING && usable(*i));
        for (_, c) in rows_of() {
            starts[*c as usize + 1] += 1;
        }
        for u in 0..units {
            starts[u + 1] += starts[u];
        }
        let mut next = starts.clone();
        let mut rows = vec![0u32; starts[units]];
        for (i, c) in rows_of() {
            let at = &mut next[*c as usize];
            rows[*at] = u32::try_from(i).unwrap_or(MISSING);
            *at += 1;
        }
        for u in 0..units {
            let rows = &mut rows[starts[u]..starts[u + 1]];
            if !rows.is_sorted_by(|a, b| t[*a as usize] <= t[*b as usize]) {
                rows.sort_by(|a, b| t[*a as usize].total_cmp(&t[*b as usize]));
            }
        }
        Self { starts, rows }
    }

    /// Rows of a unit.
    pub fn unit(&self, unit: usize) -> &[u32] {
        &self.rows[self.starts[unit]..self.starts[unit + 1]]
    }

    /// Number of units, kept or not.
    pub fn units(&self) -> usize {
        self.starts.len() - 1
    }

    /// Kept rows of each unit.
    pub fn count_kept(&self, keep: &[bool]) -> Vec<u32> {
        (0..self.units())
            .map(|u| self.unit(u).iter().map(|i| u32::from(keep[*i as usize])).sum())
            .collect()
    }
}

/// Orders the rows by unit, and checks that units have one row a period, one group and one cluster. Rows without a unit,
/// group or period are ignored.
pub(super) fn check_units(raw: &RawRows, roles: &Roles) -> Result<Option<UnitOrder>> {
    let (Some(unit), Some(name)) = (&raw.unit, &roles.unit) else { return Ok(None) };
    let usable = |i: usize| raw.t[i].is_finite() && !raw.g[i].is_nan();
    let order = UnitOrder::new(&unit.codes, unit.labels.len(), &raw.t, usable);
    let label = |u: usize| unit.labels.label(u32::try_from(u).unwrap_or(MISSING));
    for u in 0..order.units() {
        let rows = order.unit(u);
        let Some(first) = rows.first().map(|i| *i as usize) else { continue };
        for pair in rows.windows(2) {
            let (a, b) = (pair[0] as usize, pair[1] as usize);
            if raw.t[a] == raw.t[b] {
                return Err(DidError::DuplicateRow {
                    column: name.clone(),
                    unit: label(u),
                    period: raw.t[a],
                });
            }
            if raw.g[b] != raw.g[first] {
                return Err(DidError::TimeVarying {
                    column: roles.group.clone(),
                    role: "group",
                    unit: label(u),
                    remedy: "treatment must be irreversible, with one first treated period for all rows of a unit",
                });
            }
        }
        if let (Some(cluster), Some(name)) = (&raw.cluster, &roles.cluster) {
            let mut codes =
                rows.iter().map(|i| cluster.codes[*i as usize]).filter(|c| *c != MISSING);
            let first = codes.next();
            if codes.any(|c| Some(c) != first) {
                return Err(DidError::TimeVarying {
                    column: name.clone(),
                    role: "cluster",
                    unit: label(u),
                    remedy: "clusters must nest units",
                });
            }
        }
    }
    Ok(Some(order))
}
