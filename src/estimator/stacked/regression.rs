//! The regression of the stack from its sums.
//!
//! Effects of treated units and of event times are taken out of indicators of treated units by event time, covariates and the outcome
//! group by group; what is left gives the coefficients.

use super::plan::{Plan, Row};
use super::sums::{Group, Weighting};
use crate::base::solve::{COLLINEAR, Spd, dependent_columns, dot, multiply, symmetric_inverse};
use crate::estimator::by_unit::{Cross, Regression, absorbed};

/// An estimated regression.
#[derive(Clone, Debug)]
pub(super) struct Fitted {
    /// By target: event times but for the base; none where there are no rows.
    pub estimates: Vec<Option<f64>>,
    pub regression: Regression,
    /// Numbers of covariates that were left out.
    pub dependent: Vec<usize>,
    /// Event times of the targets, as numbers of the window.
    events: Vec<usize>,
    /// Rows of the inverse cross-products, `[target][variables]`; zeros where there is no estimate.
    inverse: Vec<Vec<f64>>,
    /// Coefficients of indicators and covariates.
    slopes: Vec<f64>,
    /// What effects take up of each variable and the outcome, `[group][1 + events][variables + 1]`: of the treated, then of event times.
    taken: Vec<Vec<Vec<f64>>>,
}

/// Sums of a group of rows over pairs of: the treated arm and event times; and indicators, covariates and the outcome.
struct Moments {
    /// `[f, f]`.
    effects: Vec<f64>,
    /// `[f][v]`.
    both: Vec<Vec<f64>>,
    /// `[v, v]`.
    variables: Vec<f64>,
}

impl Fitted {
    /// `None` if nothing at the base, or nothing else, can be compared. `spread` has the variances of the covariates.
    pub fn new(
        plan: &Plan<'_>,
        groups: &[Group],
        spread: &[f64],
        parameters: usize,
    ) -> Option<Self> {
        let (base, k) = (plan.base(), plan.covariates());
        let events: Vec<usize> = (0..plan.events()).filter(|event| *event != base).collect();
        let targets = events.len();
        let v = targets + k + 1;
        let (mut total, mut taken) = (vec![0.0; v * v], Vec::new());
        let (mut rows, mut weight) = (0.0, 0.0);
        for group in groups {
            for cross in group.cells.iter().flatten() {
                rows += cross.rows;
                weight += cross.weight;
            }
            let moments = Moments::new(group, &events, k);
            let f = moments.both.len();
            let inverse = symmetric_inverse(&moments.effects, f);
            let column = |j: usize| -> Vec<f64> { moments.both.iter().map(|row| row[j]).collect() };
            let solved: Vec<Vec<f64>> = (0..v).map(|j| multiply(&inverse, &column(j))).collect();
            for a in 0..v {
                for b in 0..v {
                    total[a * v + b] += moments.variables[a * v + b] - dot(&column(a), &solved[b]);
                }
            }
            taken.push((0..f).map(|i| solved.iter().map(|column| column[i]).collect()).collect());
        }
        let raw = |j: usize| match j {
            j if j < targets => {
                groups.iter().map(|group| group.cells[events[j]][1].weight).sum::<f64>()
            }
            j => weight * spread[j - targets],
        };
        let lost = |j: &usize| absorbed(total[j * v + j], raw(*j));
        let (mut left_out, mut kept): (Vec<usize>, Vec<usize>) = (0..v - 1).partition(lost);
        let gram = |of: &[usize]| -> Vec<f64> {
            let total = &total;
            of.iter().flat_map(|i| of.iter().map(move |j| total[i * v + j])).collect()
        };
        let also = dependent_columns(&gram(&kept), kept.len(), COLLINEAR);
        left_out.extend(also.iter().map(|at| kept[*at]));
        kept.retain(|j| !left_out.contains(j));
        if !kept.iter().any(|j| *j < targets) {
            return None;
        }
        let spd = Spd::new(&gram(&kept), kept.len())?;
        let right: Vec<f64> = kept.iter().map(|j| total[j * v + v - 1]).collect();
        let solve = |right: &[f64]| {
            let mut all = vec![0.0; v - 1];
            kept.iter().zip(spd.solve(right)).for_each(|(j, value)| all[*j] = value);
            all
        };
        let slopes = solve(&right);
        let inverse = |target: usize| match kept.iter().position(|j| *j == target) {
            Some(at) => {
                let mut unit = vec![0.0; kept.len()];
                unit[at] = 1.0;
                solve(&unit)
            }
            None => vec![0.0; v - 1],
        };
        let mut dependent: Vec<usize> =
            left_out.iter().filter(|j| **j >= targets).map(|j| j - targets).collect();
        dependent.sort_unstable();
        let estimate = |target: usize| kept.contains(&target).then(|| slopes[target]);
        Some(Self {
            estimates: (0..targets).map(estimate).collect(),
            regression: Regression { rows, parameters: Some(kept.len() + parameters) },
            dependent,
            inverse: (0..targets).map(inverse).collect(),
            slopes,
            events,
            taken,
        })
    }

    /// Adds the influence of a row to those of its unit, by target.
    pub fn add(&self, plan: &Plan<'_>, weighting: &Weighting, row: &Row<'_>, values: &mut [f64]) {
        let factor = weighting.of(row.sub, row.event, row.treated);
        if factor <= 0.0 {
            return;
        }
        let taken = &self.taken[plan.options.effects.group(row.sub)];
        let (targets, k) = (self.events.len(), plan.covariates());
        let effects = |j: usize| {
            let own = if row.treated { taken[0][j] } else { 0.0 };
            own + taken[1 + row.event][j]
        };
        let is_own = |target: usize| row.treated && self.events[target] == row.event;
        let raw = |j: usize| match j {
            j if j < targets => f64::from(u8::from(is_own(j))),
            j => row.variables[j - targets],
        };
        let left: Vec<f64> = (0..targets + k).map(|j| raw(j) - effects(j)).collect();
        let outcome = row.variables[k] - effects(targets + k);
        let residual = row.weight * factor * (outcome - dot(&left, &self.slopes));
        for (value, inverse) in values.iter_mut().zip(&self.inverse) {
            let before = if value.is_nan() { 0.0 } else { *value };
            *value = before + residual * dot(inverse, &left);
        }
    }
}

impl Moments {
    fn new(group: &Group, events: &[usize], k: usize) -> Self {
        let targets = events.len();
        let (f, v) = (1 + group.cells.len(), targets + k + 1);
        let mut moments = Self {
            effects: vec![0.0; f * f],
            both: vec![vec![0.0; v]; f],
            variables: vec![0.0; v * v],
        };
        for (event, [controls, treated]) in group.cells.iter().enumerate() {
            let own = events.iter().position(|of| *of == event);
            moments.add(controls, event, false, own, targets);
            moments.add(treated, event, true, own, targets);
        }
        moments
    }

    /// Adds the rows of a cell. Indicators are 1 in the treated rows of their event time.
    fn add(
        &mut self,
        cross: &Cross,
        event: usize,
        treated: bool,
        own: Option<usize>,
        targets: usize,
    ) {
        if cross.weight <= 0.0 {
            return;
        }
        let (sums, products) = cross.totals();
        let (f, v, p) = (self.both.len(), self.both[0].len(), sums.len());
        let in_cell = || treated.then_some(0).into_iter().chain([1 + event]);
        let own = own.filter(|_| treated);
        for a in in_cell() {
            for b in in_cell() {
                self.effects[a * f + b] += cross.weight;
            }
            if let Some(own) = own {
                self.both[a][own] += cross.weight;
            }
            for (j, sum) in sums.iter().enumerate() {
                self.both[a][targets + j] += sum;
            }
        }
        if let Some(own) = own {
            self.variables[own * v + own] += cross.weight;
            for (j, sum) in sums.iter().enumerate() {
                self.variables[own * v + targets + j] += sum;
                self.variables[(targets + j) * v + own] += sum;
            }
        }
        for i in 0..p {
            for j in 0..p {
                let product = products[i.min(j) * p + i.max(j)];
                self.variables[(targets + i) * v + targets + j] += product;
            }
        }
    }
}
