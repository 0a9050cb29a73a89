//! Regression adjustment: what the controls of a base period, and covariates' slopes among controls, say of the treated.

use super::regression::{Bases, Fitted, Spread, identity};
use crate::base::solve::{COLLINEAR, Spd, add_scaled, dependent_columns, dot};
use crate::engine::by_unit::{AdjustedBase, AdjustedScores, Cross, Scores, absorbed};
use crate::estimator::by_unit::Regression;
use crate::result::estimates::CellStatus;

impl Bases<'_> {
    /// The average over the treated of what the regression of the controls leaves.
    pub fn adjusted(&self, spread: &Spread) -> Fitted {
        if let Some(status) = self.status() {
            return Fitted::none(status);
        }
        let (k, p) = (self.k, self.k + 1);
        // Base periods without treated units have a part in the slopes.
        let with_controls = |arms: &&[&Cross; 2]| arms[0].weight > 0.0;
        let mut within = vec![0.0; p * p];
        let (mut weight, mut treated, mut n_treated, mut n_controls) = (0.0, 0.0, 0.0, 0.0);
        let (mut used, mut raw, mut squares_of_outcome) = (0, vec![0.0; k], 0.0);
        for [controls, own] in self.arms.iter().filter(with_controls) {
            add_scaled(&mut within, 1.0, &controls.within());
            weight += controls.weight;
            raw.iter_mut().enumerate().for_each(|(j, raw)| *raw += controls.squares(j));
            treated += own.weight;
            n_treated += own.rows;
            n_controls += controls.rows;
            squares_of_outcome += controls.squares(k) + own.squares(k);
            used += 1;
        }
        let n_rows = n_treated + n_controls;
        let lost = |j: &usize| absorbed(within[j * p + j], raw[*j], weight * spread.0[*j]);
        let (mut dependent, free): (Vec<usize>, Vec<usize>) = (0..k).partition(lost);
        let gram = |of: &[usize]| -> Vec<f64> {
            let within = &within;
            of.iter().flat_map(|i| of.iter().map(move |j| within[i * p + j])).collect()
        };
        let also = dependent_columns(&gram(&free), free.len(), COLLINEAR);
        dependent.extend(also.iter().map(|at| free[*at]));
        dependent.sort_unstable();
        let kept: Vec<usize> = free.into_iter().filter(|j| !dependent.contains(j)).collect();
        let spd = Spd::new(&gram(&kept), kept.len());
        let solve = |right: &[f64]| -> Vec<f64> {
            let own: Vec<f64> = kept.iter().map(|j| right[*j]).collect();
            let solved = match &spd {
                Some(spd) if !kept.is_empty() => spd.solve(&own),
                _ => vec![0.0; kept.len()],
            };
            let mut all = vec![0.0; k];
            kept.iter().zip(solved).for_each(|(j, value)| all[*j] = value);
            all
        };
        let of_outcome: Vec<f64> = (0..k).map(|j| within[j * p + k]).collect();
        let slopes = solve(&of_outcome);
        let squares = within[p * p - 1];
        let left = squares - dot(&of_outcome, &slopes);
        if self.is_identity(squares, left, n_controls, kept.len() + used) {
            return Fitted { n_rows, n_treated, ..Fitted::none(identity()) };
        }
        let (mut gap, mut estimate, mut bases) = (vec![0.0; p], 0.0, Vec::new());
        for [controls, own] in &self.arms {
            if controls.weight <= 0.0 {
                bases.push(None);
                continue;
            }
            let means = controls.means();
            if own.weight > 0.0 {
                let share = own.weight / treated;
                let apart: Vec<f64> = own.means().iter().zip(&means).map(|(a, b)| a - b).collect();
                add_scaled(&mut gap, share, &apart);
                estimate += share * (apart[k] - dot(&slopes, &apart[..k]));
            }
            let share = own.weight / treated / controls.weight;
            bases.push(Some(AdjustedBase { share, means }));
        }
        Fitted {
            estimate: Some(estimate),
            status: CellStatus::Estimated,
            n_rows,
            n_treated,
            regression: Regression {
                rows: n_rows,
                parameters: None,
                outcome: (squares_of_outcome / (weight + treated)).sqrt(),
            },
            scores: Scores::Adjusted(AdjustedScores {
                estimate,
                treated,
                loadings: solve(&gap),
                slopes,
                bases,
            }),
            dependent,
        }
    }
}
