//! Continuous treatments (Callaway, Goodman-Bacon and Sant'Anna 2024), unit by unit. Splines are the truncated powers of the dose,
//! `1, d, …, d^p, (d - ξ)₊^p`, which span the curves that B-splines of degree `p` with the interior knots `ξ` do.

use super::linear::{dot, factor, regress};

/// A balanced panel with consecutive periods.
#[derive(Clone, Debug)]
pub struct Units {
    pub periods: Vec<f64>,
    /// Outcomes of each unit, by period.
    pub y: Vec<Vec<f64>>,
    /// First treated period, infinite if never treated.
    pub g: Vec<f64>,
    pub d: Vec<f64>,
    /// Weights with mean one.
    pub w: Vec<f64>,
    /// Clusters; units themselves without.
    pub cluster: Vec<usize>,
}

#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub degree: usize,
    pub knots: usize,
    pub never: bool,
    pub universal: bool,
    pub anticipation: usize,
    /// Whether residuals are corrected for the coefficients of a curve.
    pub hc1: bool,
}

/// A value with its influence on every unit.
#[derive(Clone, Debug, Default)]
pub struct Value {
    pub value: f64,
    pub influence: Vec<f64>,
    /// Whether its variance cannot be estimated.
    pub unknown: bool,
}

impl Value {
    fn zero(n: usize) -> Self {
        Self { value: 0.0, influence: vec![0.0; n], unknown: false }
    }

    fn add(&mut self, factor: f64, other: &Self) {
        self.value += factor * other.value;
        self.influence.iter_mut().zip(&other.influence).for_each(|(u, v)| *u += factor * v);
        self.unknown |= other.unknown && factor != 0.0;
    }

    /// The standard error; `None` if it is unknown.
    pub fn se(&self, cluster: &[usize]) -> Option<f64> {
        let mut sums = vec![0.0; cluster.iter().max().map_or(0, |c| c + 1)];
        self.influence.iter().zip(cluster).for_each(|(u, c)| sums[*c] += u);
        (!self.unknown).then(|| dot(&sums, &sums).sqrt())
    }
}

/// What a cell has.
#[derive(Clone, Debug)]
pub struct DoseCell {
    pub group: f64,
    pub time: f64,
    pub reference: bool,
    pub level: Value,
    /// The mean slope, and the curve and its slope at the doses asked for.
    pub curve: Option<Curve>,
}

#[derive(Clone, Debug)]
pub struct Curve {
    pub slope: Value,
    pub levels: Vec<Value>,
    pub slopes: Vec<Value>,
}

/// What is estimated.
#[derive(Debug)]
pub struct Fit {
    pub cells: Vec<DoseCell>,
    pub groups: Vec<f64>,
    /// Share of each group.
    pub shares: Vec<Value>,
    pub interior: Vec<f64>,
    /// Smallest reciprocal condition of the cross-products of a curve.
    pub condition: f64,
}

/// Quantile with linear interpolation between order statistics.
fn quantile(sorted: &[f64], p: f64) -> f64 {
    let position = (sorted.len() - 1) as f64 * p;
    let below = position.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + (position - below as f64) * (sorted[above] - sorted[below])
}

/// The splines of a group.
struct Powers {
    low: f64,
    range: f64,
    degree: usize,
    knots: Vec<f64>,
}

impl Powers {
    fn new(doses: &[f64], interior: &[f64], degree: usize) -> Self {
        let low = doses.iter().copied().fold(f64::INFINITY, f64::min);
        let high = doses.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut knots: Vec<f64> = Vec::new();
        for knot in interior.iter().filter(|knot| **knot > low && **knot < high) {
            if knots.last().is_none_or(|last| last < knot) {
                knots.push(*knot);
            }
        }
        Self { low, range: high - low, degree, knots }
    }

    fn len(&self) -> usize {
        1 + self.degree + self.knots.len()
    }

    fn row(&self, dose: f64) -> Vec<f64> {
        let scaled = |d: f64| (d - self.low) / self.range;
        let powers = (0..=self.degree).map(|p| scaled(dose).powi(p as i32));
        let above = self.knots.iter().map(|knot| {
            let over = scaled(dose) - scaled(*knot);
            if dose >= *knot { over.powi(self.degree as i32) } else { 0.0 }
        });
        powers.chain(above).collect()
    }

    fn slope(&self, dose: f64) -> Vec<f64> {
        let scaled = |d: f64| (d - self.low) / self.range;
        let of = |x: f64, p: usize| match p {
            0 => 0.0,
            p => p as f64 * x.powi(p as i32 - 1) / self.range,
        };
        let powers = (0..=self.degree).map(|p| of(scaled(dose), p));
        let above = self.knots.iter().map(|knot| {
            if dose >= *knot { of(scaled(dose) - scaled(*knot), self.degree) } else { 0.0 }
        });
        powers.chain(above).collect()
    }
}

/// Everything, of curves at these doses.
pub fn fit(units: &Units, options: &Options, doses: &[f64]) -> Fit {
    let n = units.g.len();
    let mut groups: Vec<f64> = units.g.iter().copied().filter(|g| g.is_finite()).collect();
    groups.sort_by(f64::total_cmp);
    groups.dedup();
    let mut treated: Vec<f64> =
        (0..n).filter(|i| units.g[*i].is_finite()).map(|i| units.d[i]).collect();
    treated.sort_by(f64::total_cmp);
    let probability = |j: usize| j as f64 / (options.knots + 1) as f64;
    let interior: Vec<f64> =
        (1..=options.knots).map(|j| quantile(&treated, probability(j))).collect();
    let share = |g: f64| {
        let own = |i: usize| if units.g[i] == g { units.w[i] / n as f64 } else { 0.0 };
        let influence: Vec<f64> = (0..n).map(own).collect();
        Value { value: influence.iter().sum(), influence, unknown: false }
    };
    let mut fit = Fit {
        cells: Vec::new(),
        shares: groups.iter().map(|g| share(*g)).collect(),
        interior,
        condition: 1.0,
        groups,
    };
    for group in fit.groups.clone() {
        for time in usize::from(!options.universal)..units.periods.len() {
            let cell = cell(units, options, doses, (group, time), &mut fit);
            fit.cells.push(cell);
        }
    }
    fit
}

fn cell(
    units: &Units,
    options: &Options,
    doses: &[f64],
    (group, time): (f64, usize),
    fit: &mut Fit,
) -> DoseCell {
    let n = units.g.len();
    let first = units.periods.iter().position(|t| *t == group).unwrap();
    let long = first - options.anticipation - 1;
    let base = if options.universal || time > long { long } else { time - 1 };
    let mut cell = DoseCell {
        group,
        time: units.periods[time],
        reference: base == time,
        level: Value::zero(n),
        curve: None,
    };
    if cell.reference {
        return cell;
    }
    let later = units.periods[time.max(base)] + options.anticipation as f64;
    let rows: Vec<usize> = (0..n).filter(|i| units.g[*i] == group).collect();
    let is_control = |i: &usize| match options.never {
        true => units.g[*i].is_infinite(),
        false => units.g[*i] != group && units.g[*i] > later,
    };
    let controls: Vec<usize> = (0..n).filter(is_control).collect();
    let change = |i: usize| units.y[i][time] - units.y[i][base];
    let mean_of = |rows: &[usize]| {
        let total: f64 = rows.iter().map(|i| units.w[*i]).sum();
        (rows.iter().map(|i| units.w[*i] * change(*i)).sum::<f64>() / total, total)
    };
    let ((mean, total), (mean_control, total_control)) = (mean_of(&rows), mean_of(&controls));
    let mut comparison = Value { value: -mean_control, ..Value::zero(n) };
    for i in &controls {
        comparison.influence[*i] = -units.w[*i] * (change(*i) - mean_control) / total_control;
    }
    cell.level = comparison.clone();
    cell.level.value += mean;
    for i in &rows {
        cell.level.influence[*i] = units.w[*i] * (change(*i) - mean) / total;
    }
    let own: Vec<f64> = rows.iter().map(|i| units.d[*i]).collect();
    let mut distinct = own.clone();
    distinct.sort_by(f64::total_cmp);
    distinct.dedup();
    if distinct.len() < 2 {
        return cell;
    }
    let powers = Powers::new(&own, &fit.interior, options.degree);
    if distinct.len() < powers.len() {
        return cell;
    }
    let x: Vec<Vec<f64>> = own.iter().map(|d| powers.row(*d)).collect();
    let columns: Vec<&[f64]> = x.iter().map(Vec::as_slice).collect();
    let weights: Vec<f64> = rows.iter().map(|i| units.w[*i]).collect();
    let condition = factor(&columns, &weights).scaled_reciprocal_condition();
    fit.condition = fit.condition.min(condition);
    if condition < 1e-13 {
        return cell;
    }
    let changes: Vec<f64> = rows.iter().map(|i| change(*i)).collect();
    let regression = regress(&columns, &weights, &changes);
    let beta = &regression.beta;
    let (units_of_group, functions) = (rows.len(), powers.len());
    let corrected = if options.hc1 && units_of_group > functions {
        (units_of_group as f64 / (units_of_group - functions) as f64).sqrt()
    } else {
        1.0
    };
    let residuals: Vec<f64> =
        x.iter().zip(&changes).map(|(x, y)| corrected * (y - dot(x, beta))).collect();
    // A linear function of the coefficients.
    let linear = |row: &[f64]| {
        let direction = regression.factor.solve(row);
        let unknown = units_of_group <= functions;
        let mut value = Value { value: dot(row, beta), unknown, ..Value::zero(n) };
        for (j, i) in rows.iter().enumerate() {
            value.influence[*i] = weights[j] * residuals[j] * dot(&x[j], &direction);
        }
        value
    };
    let slopes: Vec<Vec<f64>> = own.iter().map(|d| powers.slope(*d)).collect();
    let mean_slope: Vec<f64> = (0..functions)
        .map(|c| slopes.iter().zip(&weights).map(|(s, w)| w * s[c]).sum::<f64>() / total)
        .collect();
    let mut slope = linear(&mean_slope);
    for (j, i) in rows.iter().enumerate() {
        slope.influence[*i] += weights[j] * (dot(&slopes[j], beta) - slope.value) / total;
    }
    let level = |d: &f64| {
        let mut level = linear(&powers.row(*d));
        level.add(1.0, &comparison);
        level
    };
    cell.curve = Some(Curve {
        slope,
        levels: doses.iter().map(level).collect(),
        slopes: doses.iter().map(|d| linear(&powers.slope(*d))).collect(),
    });
    cell
}

/// The average of values by shares, with the influence of the shares if they are estimates.
fn by_shares(parts: &[(Value, &Value)], estimated: bool) -> Option<Value> {
    let total: f64 = parts.iter().map(|(_, share)| share.value).sum();
    let mut mean = Value::zero(parts.first()?.0.influence.len());
    for (value, share) in parts {
        mean.add(share.value / total, value);
    }
    for (value, share) in parts.iter().filter(|_| estimated) {
        let distance = (value.value - mean.value) / total;
        mean.influence.iter_mut().zip(&share.influence).for_each(|(u, s)| *u += distance * s);
    }
    Some(mean)
}

fn mean<'a>(values: impl Iterator<Item = &'a Value>) -> Option<Value> {
    let all: Vec<&Value> = values.collect();
    let mut mean = Value::zero(all.first()?.influence.len());
    for value in &all {
        mean.add(1.0 / all.len() as f64, value);
    }
    Some(mean)
}

impl Fit {
    /// The average over groups of the mean over the periods from treatment on.
    pub fn overall<'a>(
        &'a self,
        of: impl Fn(&'a DoseCell) -> Option<&'a Value>,
        estimated: bool,
    ) -> Option<Value> {
        let groups = self.groups.iter().zip(&self.shares);
        let group = |(group, share): (&f64, &'a Value)| {
            let post = self.cells.iter().filter(|c| c.group == *group && c.time >= *group);
            Some((mean(post.filter_map(&of))?, share))
        };
        by_shares(&groups.filter_map(group).collect::<Vec<_>>(), estimated)
    }

    /// Averages by event time, and the mean of those from treatment on.
    pub fn event_study(
        &self,
        of: impl Fn(&DoseCell) -> Option<&Value>,
    ) -> (Vec<(f64, Value)>, Option<Value>) {
        let mut times: Vec<f64> = self.cells.iter().map(|c| c.time - c.group).collect();
        times.sort_by(f64::total_cmp);
        times.dedup();
        let row = |e: &f64| {
            let own = self.cells.iter().filter(|c| c.time - c.group == *e);
            let part = |c: &DoseCell| {
                let at = self.groups.iter().position(|g| *g == c.group).unwrap();
                Some((of(c)?.clone(), &self.shares[at]))
            };
            Some((*e, by_shares(&own.filter_map(part).collect::<Vec<_>>(), true)?))
        };
        let rows: Vec<(f64, Value)> = times.iter().filter_map(row).collect();
        let post: Vec<&Value> = rows.iter().filter(|(e, _)| *e >= 0.0).map(|(_, v)| v).collect();
        let overall = mean(post.into_iter());
        (rows, overall)
    }
}
