//! The regression of the stack from its sums.
//!
//! Effects of treated units and of event times are taken out of indicators of treated units by event time, covariates and the outcome
//! group by group; what is left gives the coefficients.

use super::weighting::Group;
use crate::base::solve::{COLLINEAR, Spd, dependent_columns, dot};
use crate::engine::by_unit::{Cross, StackCell, StackFit, StackPlan, absorbed};
use crate::estimator::by_unit::Regression;

/// An estimated regression.
#[derive(Clone, Debug)]
pub(super) struct Fitted {
    /// By target: event times but for the base; none where there are no rows.
    pub estimates: Vec<Option<f64>>,
    pub regression: Regression,
    /// Numbers of covariates that were left out.
    pub dependent: Vec<usize>,
    /// What makes influence values.
    pub fit: StackFit,
}

/// An arm of a group of rows at an event time.
#[derive(Clone, Debug)]
struct Cell {
    /// Of covariates and the outcome.
    means: Vec<f64>,
    /// What effects leave of the means of indicators, covariates and the outcome.
    left: Vec<f64>,
}

/// What effects of treated units and of event times leave of indicators, covariates and the outcome in a group of rows.
///
/// At an event time they leave the difference of the arms less the mean of these differences over event times. It is formed from differences
/// between event times, of which none is lost beside another with a much larger weight.
struct Left {
    /// Sums of products, `[v, v]`.
    products: Vec<f64>,
    /// `[event][arm]`, controls first.
    cells: Vec<[Cell; 2]>,
}

impl Fitted {
    /// `None` if nothing at the base, or nothing else, can be compared. `spread` has the variances of the covariates.
    pub fn new(
        plan: &StackPlan,
        groups: &[Group],
        spread: &[f64],
        parameters: usize,
    ) -> Option<Self> {
        let (base, k) = (plan.base(), plan.covariates());
        let events: Vec<usize> = (0..plan.events()).filter(|event| *event != base).collect();
        let targets = events.len();
        let v = targets + k + 1;
        let (mut total, mut cells) = (vec![0.0; v * v], Vec::new());
        let (mut rows, mut weight, mut raw) = (0.0, 0.0, vec![0.0; k + 1]);
        for group in groups {
            for cross in group.cells.iter().flatten() {
                rows += cross.rows;
                weight += cross.weight;
                raw.iter_mut().enumerate().for_each(|(j, raw)| *raw += cross.squares(j));
            }
            let left = Left::new(group, &events, k + 1);
            total.iter_mut().zip(&left.products).for_each(|(total, own)| *total += own);
            cells.push(left.cells);
        }
        // Indicators of which nothing is left have exact zeros.
        let lost = |j: &usize| match j.checked_sub(targets) {
            None => absorbed(total[j * v + j], 0.0, 0.0),
            Some(covariate) => {
                absorbed(total[j * v + j], raw[covariate], weight * spread[covariate])
            }
        };
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
        let inverse: Vec<Vec<f64>> = (0..targets).map(inverse).collect();
        let fitted = |Cell { means, left }: Cell| {
            let (left, outcome) = left.split_at(v - 1);
            StackCell {
                means,
                residual: outcome[0] - dot(left, &slopes),
                loadings: inverse.iter().map(|inverse| dot(left, inverse)).collect(),
            }
        };
        let of_group = |events: Vec<[Cell; 2]>| events.into_iter().map(|arms| arms.map(fitted));
        let cells = cells.into_iter().map(|events| of_group(events).collect()).collect();
        Some(Self {
            estimates: (0..targets).map(estimate).collect(),
            regression: Regression {
                rows,
                parameters: Some(kept.len() + parameters),
                outcome: (raw[k] / weight).sqrt(),
            },
            dependent,
            fit: StackFit { inverse, slopes, cells },
        })
    }
}

impl Left {
    /// With `p` covariates and the outcome.
    fn new(group: &Group, events: &[usize], p: usize) -> Self {
        let (targets, v) = (events.len(), events.len() + p);
        let mean = |cross: &Cross| if cross.weight > 0.0 { cross.means() } else { vec![0.0; p] };
        let means: Vec<[Vec<f64>; 2]> =
            group.cells.iter().map(|arms| [0, 1].map(|arm| mean(&arms[arm]))).collect();
        // Of both arms, where there are both.
        let weight = |[controls, treated]: &[Cross; 2]| {
            let all = controls.weight + treated.weight;
            if all > 0.0 { controls.weight / all * treated.weight } else { 0.0 }
        };
        let weights: Vec<f64> = group.cells.iter().map(weight).collect();
        let sum: f64 = weights.iter().sum();
        let share = |event: usize| if sum > 0.0 { weights[event] / sum } else { 0.0 };
        let others = |event: usize| -> f64 {
            (0..weights.len()).filter(|other| *other != event).map(share).sum()
        };
        let difference = |event: usize, j: usize| means[event][1][j] - means[event][0][j];
        let apart = |event: usize, j: usize| -> f64 {
            let compared = (0..weights.len()).filter(|other| weights[*other] > 0.0);
            let gap = |other: usize| difference(event, j) - difference(other, j);
            compared.map(|other| share(other) * gap(other)).sum()
        };
        let deviations = |event: usize| -> Vec<f64> {
            if weights[event] <= 0.0 {
                return vec![0.0; v];
            }
            let indicator = |of: &usize| match *of == event {
                true => others(event),
                false => -share(*of),
            };
            let variables = (0..p).map(|j| apart(event, j));
            events.iter().map(indicator).chain(variables).collect()
        };
        let deviations: Vec<Vec<f64>> = (0..weights.len()).map(deviations).collect();
        let mut products = vec![0.0; v * v];
        for (own, event) in events.iter().enumerate() {
            // An indicator is 1 at its event time alone.
            for (j, deviation) in deviations[*event].iter().enumerate() {
                products[own * v + j] = weights[*event] * deviation;
                products[j * v + own] = products[own * v + j];
            }
        }
        for (event, arms) in group.cells.iter().enumerate() {
            let [controls, treated] = arms.each_ref().map(Cross::within);
            let deviations = &deviations[event][targets..];
            for (e, (controls, treated)) in controls.iter().zip(&treated).enumerate() {
                let (i, j) = (e / p, e % p);
                let between = weights[event] * deviations[i] * deviations[j];
                products[(targets + i) * v + targets + j] += between + controls + treated;
            }
        }
        let cells = means.into_iter().zip(&group.cells).zip(&deviations);
        let cells = cells.map(|((means, [controls, treated]), deviations)| {
            let all = controls.weight + treated.weight;
            let shares = [-treated.weight, controls.weight]
                .map(|weight| if all > 0.0 { weight / all } else { 0.0 });
            let left =
                |share: f64| -> Vec<f64> { deviations.iter().map(|of| share * of).collect() };
            let [of_controls, of_treated] = means;
            let cell = |means, share| Cell { means, left: left(share) };
            [cell(of_controls, shares[0]), cell(of_treated, shares[1])]
        });
        Self { products, cells: cells.collect() }
    }
}
