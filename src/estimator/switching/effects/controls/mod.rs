//! Control variables, and trends that differ by a polynomial in the status quo treatment (section 1.2 of the web appendix).
//!
//! For each status quo treatment, first differences of the outcome before the first switch are regressed on first
//! differences of the controls, and the part that the controls explain is subtracted from all outcomes. The estimated
//! coefficients add to the influence values.

mod correction;
mod regression;

pub(super) use correction::Correction;

use rayon::prelude::*;

use super::TILE;
use super::sample::SwitchingSample;
use regression::ControlRegression;

/// Outcomes less what the controls explain.
pub(super) struct Adjusted {
    pub outcome: Vec<f64>,
    /// One for each status quo treatment with a group that switches.
    regressions: Vec<Option<ControlRegression>>,
    /// Status quo treatments for which some controls are linear combinations of others.
    pub collinear: Vec<f64>,
    /// Controls that are the same for all groups that are compared, with the status quo treatments for which they are.
    pub constant: Vec<(usize, Vec<f64>)>,
    /// Status quo treatments whose groups are left out, as the regression has no rows.
    pub left_out: Vec<f64>,
    /// Whether the groups of each status quo treatment are left out.
    lost: Vec<bool>,
}

impl SwitchingSample {
    /// Number of control variables, including the polynomial of the status quo treatment.
    fn control_count(&self) -> usize {
        self.controls.len() + self.degree * self.periods.saturating_sub(1)
    }

    /// Whether there are any controls.
    pub(super) fn has_controls(&self) -> bool {
        self.control_count() > 0
    }

    /// Number and value of each control's change from one period to another, of those that change.
    fn control_changes(&self, g: usize, from: usize, to: usize, out: &mut Vec<(usize, f64)>) {
        out.clear();
        let start = self.row(g).start;
        let change = |x: &Vec<f64>| x[start + to] - x[start + from];
        out.extend(self.controls.iter().map(change).enumerate());
        let (low, high) = (from.min(to), from.max(to));
        let sign = if to >= from { 1.0 } else { -1.0 };
        for t in low + 1..=high {
            let mut power = sign;
            for k in 0..self.degree {
                power *= self.status_quo[g];
                out.push((self.controls.len() + (t - 1) * self.degree + k, power));
            }
        }
    }

    /// How large the numbers are that those changes are formed of, which decides how large their rounding is.
    fn control_sizes(
        &self,
        g: usize,
        from: usize,
        to: usize,
        changes: &[(usize, f64)],
        out: &mut Vec<f64>,
    ) {
        let start = self.row(g).start;
        let size = |(k, change): &(usize, f64)| match self.controls.get(*k) {
            Some(x) => x[start + from].abs().max(x[start + to].abs()),
            None => change.abs(),
        };
        out.clear();
        out.extend(changes.iter().map(size));
    }
}

impl Adjusted {
    /// Fits the coefficients with these weights of cells, and adjusts the outcomes.
    pub fn new(sample: &SwitchingSample, weight: &[f64]) -> Self {
        let levels = sample.status_quos.len();
        let mut adjusted = Self {
            outcome: sample.outcome.clone(),
            regressions: Vec::with_capacity(levels),
            collinear: Vec::new(),
            constant: Vec::new(),
            left_out: Vec::new(),
            lost: vec![false; levels],
        };
        for (level, regression) in
            ControlRegression::of_levels(sample, weight).into_iter().enumerate()
        {
            let status_quo = sample.status_quos[level];
            let useful = useful(sample, level);
            if useful && regression.rows == 0 {
                adjusted.left_out.push(status_quo);
                adjusted.lost[level] = true;
            } else if useful {
                // Of a polynomial only so much that some terms are not told apart.
                let (given, powers): (Vec<usize>, Vec<usize>) =
                    regression.constant.iter().partition(|k| **k < sample.controls.len());
                for control in given {
                    adjusted.add_constant(control, status_quo);
                }
                if regression.collinear || !powers.is_empty() {
                    adjusted.collinear.push(status_quo);
                }
            }
            adjusted.regressions.push(Some(regression).filter(|r| useful && r.rows > 0));
        }
        adjusted.take_off(sample);
        adjusted
    }

    fn add_constant(&mut self, control: usize, status_quo: f64) {
        match self.constant.iter_mut().find(|(known, _)| *known == control) {
            Some((_, status_quos)) => status_quos.push(status_quo),
            None => self.constant.push((control, vec![status_quo])),
        }
    }

    fn level(sample: &SwitchingSample, g: usize) -> usize {
        sample.stratum_of(g).level
    }

    /// Takes what the controls explain off the outcomes. Controls count from the group's first row, so that no precision is lost
    /// to their level.
    fn take_off(&mut self, sample: &SwitchingSample) {
        let periods = sample.periods;
        let (regressions, lost) = (&self.regressions, &self.lost);
        self.outcome.par_chunks_mut(TILE * periods).enumerate().for_each(|(tile, rows)| {
            let mut changes = Vec::new();
            for (g, row) in (tile * TILE..).zip(rows.chunks_exact_mut(periods)) {
                let level = Self::level(sample, g);
                if lost[level] {
                    row.fill(f64::NAN);
                }
                let Some(regression) = &regressions[level] else { continue };
                let Some(first) = row.iter().position(|y| !y.is_nan()) else { continue };
                for (t, y) in row.iter_mut().enumerate().skip(first).filter(|(_, y)| !y.is_nan()) {
                    sample.control_changes(g, first, t, &mut changes);
                    *y -= regression.product(&changes);
                }
            }
        });
    }

    /// Number of groups that are left out.
    pub fn lost_groups(&self, sample: &SwitchingSample) -> usize {
        (0..sample.groups()).filter(|g| self.lost[Self::level(sample, *g)]).count()
    }
}

/// Whether the first switch varies among the groups of a status quo treatment.
fn useful(sample: &SwitchingSample, level: usize) -> bool {
    let strata = sample.strata.iter().filter(|s| s.level == level);
    let mut firsts = strata.flat_map(|s| sample.first[s.groups.clone()].iter());
    let first = firsts.next();
    firsts.any(|other| Some(other) != first)
}
