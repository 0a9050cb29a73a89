//! Rows as cells of groups and periods: rows of one cell are averaged with their weights.

use super::sample::{NO_CLUSTER, Traits};
use crate::base::buckets::Buckets;

/// Rows with a group, a period and all controls, one entry each.
#[derive(Clone, Debug, Default)]
pub(crate) struct GroupPeriodRows {
    /// Codes of groups, `0..groups`, in the order of their labels.
    pub group: Vec<u32>,
    /// Ranks of periods, `0..periods`.
    pub period: Vec<u32>,
    pub groups: usize,
    pub periods: usize,
    /// NaN if missing.
    pub outcome: Vec<f64>,
    /// NaN if missing.
    pub treatment: Vec<f64>,
    /// NaN if missing.
    pub weight: Option<Vec<f64>>,
    /// One column for each control.
    pub controls: Vec<Vec<f64>>,
    pub trend: Option<Vec<u32>>,
    pub cluster: Option<Vec<u32>>,
    /// Columns whose coefficients in the effects are asked for; NaN if missing.
    pub traits: Vec<Vec<f64>>,
    /// Groups without any outcome, or without any treatment, whose rows were left out.
    pub empty_groups: usize,
}

/// A column must be the same in all rows of a group, and is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Varying {
    Trend { group: u32 },
    Cluster { group: u32 },
}

/// Cells `[group, period]`, row-major.
#[derive(Clone, Debug, Default)]
pub(crate) struct GroupPeriodCells {
    /// Codes of groups.
    pub group: Vec<u32>,
    pub periods: usize,
    pub outcome: Vec<f64>,
    pub treatment: Vec<f64>,
    /// NaN where there is no row.
    pub weight: Vec<f64>,
    pub controls: Vec<Vec<f64>>,
    pub trend: Vec<u32>,
    /// Whether trend groups are told apart.
    pub by_trend: bool,
    pub cluster: Option<Vec<u32>>,
    pub traits: Traits,
    /// Rows that share a cell with others.
    pub shared: usize,
    /// Groups without any outcome, or without any treatment.
    pub empty_groups: usize,
}

impl GroupPeriodCells {
    /// The cells of the rows. Their columns are taken over one by one, so that they are hardly there twice.
    pub fn new(mut rows: GroupPeriodRows) -> Result<Self, Varying> {
        let (groups, periods) = (rows.groups, rows.periods);
        let (group, period) = (std::mem::take(&mut rows.group), std::mem::take(&mut rows.period));
        let cell = |row: usize| group[row] as usize * periods + period[row] as usize;
        let mut cells = Self {
            group: (0..).take(groups).collect(),
            periods,
            trend: vec![0; groups],
            by_trend: rows.trend.is_some(),
            cluster: rows.cluster.as_ref().map(|_| vec![NO_CLUSTER; groups]),
            traits: Traits::new(&rows.traits, &group, &period, [groups, periods]),
            empty_groups: rows.empty_groups,
            ..Self::default()
        };
        cells.constants(&rows, &group)?;
        let mut seen = vec![false; groups * periods];
        let mut once = true;
        for row in 0..group.len() {
            once &= !std::mem::replace(&mut seen[cell(row)], true);
        }
        drop(seen);
        if once {
            cells.take(rows, &group, &cell);
        } else {
            cells.average(&rows, &group, &cell);
        }
        cells.leave_out_empty_groups();
        Ok(cells)
    }

    /// Whether no group's treatment ever changes.
    pub fn has_constant_treatments(&self) -> bool {
        self.treatment.chunks(self.periods.max(1)).all(|periods| {
            let mut known = periods.iter().filter(|treatment| !treatment.is_nan());
            known.next().is_none_or(|first| known.all(|treatment| treatment == first))
        })
    }

    /// What is the same in all rows of a group.
    fn constants(&mut self, rows: &GroupPeriodRows, groups: &[u32]) -> Result<(), Varying> {
        let differs = |values: &[u32], into: &mut [u32]| {
            let mut seen = vec![false; rows.groups];
            let mut first: Option<u32> = None;
            for (group, value) in groups.iter().zip(values) {
                let g = *group as usize;
                if seen[g] && into[g] != *value {
                    first = Some(first.map_or(*group, |known| known.min(*group)));
                }
                (seen[g], into[g]) = (true, *value);
            }
            first
        };
        if let Some(trend) = &rows.trend
            && let Some(group) = differs(trend, &mut self.trend)
        {
            return Err(Varying::Trend { group });
        }
        if let (Some(cluster), Some(into)) = (&rows.cluster, &mut self.cluster)
            && let Some(group) = differs(cluster, into)
        {
            return Err(Varying::Cluster { group });
        }
        Ok(())
    }

    /// Rows that are cells of their own.
    fn take(&mut self, mut rows: GroupPeriodRows, group: &[u32], place: &dyn Fn(usize) -> usize) {
        let cells = rows.groups * rows.periods;
        // A balanced panel in order is there already.
        let in_order = group.len() == cells && (0..cells).all(|row| place(row) == row);
        let put = |values: Vec<f64>| {
            if in_order {
                return values;
            }
            let mut placed = vec![f64::NAN; cells];
            values.iter().enumerate().for_each(|(row, value)| placed[place(row)] = *value);
            placed
        };
        self.outcome = put(std::mem::take(&mut rows.outcome));
        self.treatment = put(std::mem::take(&mut rows.treatment));
        self.controls = std::mem::take(&mut rows.controls).into_iter().map(put).collect();
        let mut weights = rows.weight.take().unwrap_or_else(|| vec![1.0; group.len()]);
        for weight in &mut weights {
            *weight = known(*weight);
        }
        self.weight = put(weights);
    }

    /// Weighted means of the rows of each cell, in an order of their content, so that the order of the rows does not matter. As
    /// in R, a row without a treatment has weight 0, also where it is alone in its cell.
    fn average(&mut self, rows: &GroupPeriodRows, group: &[u32], place: &dyn Fn(usize) -> usize) {
        let cells = rows.groups * rows.periods;
        let missing = || vec![f64::NAN; cells];
        (self.outcome, self.treatment, self.weight) = (missing(), missing(), missing());
        self.controls = rows.controls.iter().map(|_| missing()).collect();
        let mut by_cell =
            Buckets::new(cells, || (0..group.len()).map(|row| (place(row) as u32, row as u32)));
        let content = |row: usize| {
            let columns = rows.controls.iter().map(move |c| c[row].to_bits());
            let numbers = [weight(rows, row), rows.treatment[row], rows.outcome[row]];
            numbers.into_iter().map(f64::to_bits).chain(columns).collect::<Vec<_>>()
        };
        for at in 0..cells {
            let members = by_cell.of_mut(at);
            if members.is_empty() {
                continue;
            }
            if members.len() > 1 {
                self.shared += members.len();
                members.sort_by_cached_key(|row| content(*row as usize));
            }
            let w = |row: usize| if rows.treatment[row].is_nan() { 0.0 } else { weight(rows, row) };
            self.outcome[at] = mean(members, &rows.outcome, &w);
            self.treatment[at] = mean(members, &rows.treatment, &w);
            self.weight[at] = members.iter().map(|row| w(*row as usize)).sum();
            for (cells, values) in self.controls.iter_mut().zip(&rows.controls) {
                cells[at] = mean(members, values, &w);
            }
        }
    }

    /// Groups that only averages empty: a mean whose weights are all zero is missing.
    fn leave_out_empty_groups(&mut self) {
        let any = |values: &[f64]| values.iter().any(|v| !v.is_nan());
        let row = |g: usize| g * self.periods..(g + 1) * self.periods;
        let usable = |g: usize| any(&self.outcome[row(g)]) && any(&self.treatment[row(g)]);
        let usable_groups: Vec<usize> = (0..self.group.len()).filter(|g| usable(*g)).collect();
        if usable_groups.len() < self.group.len() {
            self.empty_groups += self.group.len() - usable_groups.len();
            self.keep(&usable_groups);
        }
    }

    /// Keeps these groups, in this order.
    pub fn keep(&mut self, groups: &[usize]) {
        let periods = self.periods;
        let cells = |values: &mut Vec<f64>| {
            let mut of_groups = Vec::with_capacity(groups.len() * periods);
            for g in groups {
                of_groups.extend(&values[g * periods..(g + 1) * periods]);
            }
            *values = of_groups;
        };
        [&mut self.outcome, &mut self.treatment, &mut self.weight].into_iter().for_each(cells);
        self.controls.iter_mut().for_each(cells);
        let codes = |codes: &mut Vec<u32>| *codes = groups.iter().map(|g| codes[*g]).collect();
        [&mut self.group, &mut self.trend].into_iter().for_each(codes);
        self.cluster.iter_mut().for_each(codes);
        self.traits.keep(groups);
    }

    /// Removes the rows of a group from a period on.
    pub fn remove(&mut self, group: usize, periods: std::ops::Range<usize>) -> usize {
        let at = group * self.periods + periods.start..group * self.periods + periods.end;
        let removed = self.weight[at.clone()].iter().filter(|w| !w.is_nan()).count();
        for values in [&mut self.outcome, &mut self.treatment, &mut self.weight] {
            values[at.clone()].fill(f64::NAN);
        }
        removed
    }
}

fn weight(rows: &GroupPeriodRows, row: usize) -> f64 {
    rows.weight.as_ref().map_or(1.0, |w| known(w[row]))
}

/// A missing weight is zero.
fn known(weight: f64) -> f64 {
    if weight.is_nan() { 0.0 } else { weight }
}

/// Weighted mean of the rows that have a value. The mean of equal numbers is exactly that number; any other mean is rounded once, so
/// that cells with the same share of treated rows have the same treatment.
fn mean(members: &[u32], values: &[f64], weight: &dyn Fn(usize) -> f64) -> f64 {
    let weighted = || {
        let present = members.iter().map(|row| *row as usize).filter(|row| !values[*row].is_nan());
        present.map(|row| (weight(row), values[row])).filter(|(w, _)| *w > 0.0)
    };
    let Some((_, first)) = weighted().next() else { return f64::NAN };
    if weighted().all(|(_, value)| value == first) {
        return first;
    }
    let (mut sum, mut total) = (DoubledSum::default(), DoubledSum::default());
    for (w, value) in weighted() {
        sum.add(w, value);
        total.add(w, 1.0);
    }
    sum.over(&total)
}

/// A sum of products with twice the digits of a double.
#[derive(Clone, Copy, Debug, Default)]
struct DoubledSum {
    high: f64,
    low: f64,
}

impl DoubledSum {
    fn add(&mut self, a: f64, b: f64) {
        let product = a * b;
        let sum = self.high + product;
        // What the sum and the product are rounded by.
        let part = sum - self.high;
        let lost = (self.high - (sum - part)) + (product - part);
        self.low += lost + a.mul_add(b, -product);
        self.high = sum;
    }

    /// The quotient, rounded once.
    fn over(&self, divisor: &Self) -> f64 {
        let quotient = self.high / divisor.high;
        let remainder =
            (-quotient).mul_add(divisor.high, self.high) + self.low - quotient * divisor.low;
        let correction = remainder / divisor.high;
        if correction.is_finite() { quotient + correction } else { quotient }
    }
}
