//! The change of the columns: found once, applied wherever rows are.

use std::sync::Mutex;

use serde::{Deserialize, Serialize};

use super::doses::Expansion;
use crate::base::error::Result;
use crate::base::memory;
use crate::base::parallel::{self, held};
use crate::engine::pass::TILE;
use crate::read::panel::StratumData;

/// The change of the strata's columns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Change {
    /// Covariates other than the constant.
    pub(super) kx: usize,
    /// Factor of the sampling weights.
    pub weight: f64,
    /// Weight columns that are weights: the first ones, and the last for unbalanced panels.
    pub(super) weight_columns: (usize, Option<usize>),
    /// Mean of each outcome column of each stratum.
    pub(super) mean: Vec<Vec<f64>>,
    /// Divisor of the outcomes.
    pub y_scale: f64,
    /// The largest mean of absolute outcomes: what standard errors are judged by.
    pub y_size: f64,
    /// Mean of each version of each covariate in each stratum.
    pub(super) centre: Vec<Vec<f64>>,
    /// Mean and standard deviation by which each covariate is standardised.
    pub(super) standard: Vec<(f64, f64)>,
    /// Lower triangle by which covariates are decorrelated.
    pub(super) lower: Option<Vec<f64>>,
    /// Takes the place of the covariate where that is a dose: its splines, which are left as they are.
    pub(super) doses: Option<Expansion>,
}

impl Change {
    /// Means of the outcome columns of a stratum, in units of the conditioned outcomes.
    pub fn offsets(&self, stratum: usize) -> Vec<f64> {
        self.mean[stratum].iter().map(|mean| mean / self.y_scale).collect()
    }

    /// Whether it has these numbers of strata, outcome columns and covariates.
    #[cfg(feature = "cluster")]
    pub fn is_of(&self, strata: usize, outcomes: usize, covariates: usize) -> bool {
        let covariates =
            if self.doses.is_some() { covariates.saturating_sub(1) } else { covariates };
        self.kx == covariates
            && self.doses.as_ref().is_none_or(|doses| doses.is_of(strata))
            && self.mean.len() == strata
            && self.mean.iter().all(|means| means.len() == outcomes)
            && self.standard.len() == covariates
            && self.lower.as_ref().is_none_or(|l| l.len() == covariates * covariates)
    }

    /// Design columns `k` of rows with so many covariates, the constant included, once they are changed.
    #[cfg(feature = "cluster")]
    pub fn design_columns(&self, covariates: usize) -> usize {
        1 + self.doses.as_ref().map_or(covariates, Expansion::columns)
    }

    /// Covariate versions of rows with so many, once they are changed.
    #[cfg(feature = "cluster")]
    pub fn versions(&self, versions: usize) -> usize {
        if self.doses.is_some() { 1 } else { versions }
    }

    /// Whether rows have other columns once they are changed.
    pub fn expands(&self) -> bool {
        self.doses.is_some()
    }

    /// An error if so many rows, changed all at once, have no room for what takes the place of their doses.
    ///
    /// # Errors
    /// [`DidError::Memory`](crate::DidError::Memory).
    pub fn check_room(&self, rows: usize) -> Result<()> {
        let columns = self.doses.as_ref().map_or(0, |doses| doses.columns() as u128);
        let remedy = "choose a lower degree or fewer knots";
        memory::check("the splines of the doses", 8 * columns * rows as u128, remedy)
    }

    /// Changes a piece of a stratum.
    ///
    /// # Errors
    /// [`DidError::Engine`](crate::DidError::Engine) if its doses differ from the doses of the change.
    pub fn apply(&self, stratum: usize, s: &mut StratumData) -> Result<()> {
        let rows = s.rows.max(1);
        let y = s.y.chunks_exact_mut(rows).zip(&self.mean[stratum]);
        let mut tasks: Vec<(&mut [f64], f64, f64)> =
            y.map(|(c, mean)| (c, *mean, self.y_scale)).collect();
        if let Some(doses) = &self.doses {
            s.x = doses.columns_of(stratum, s.rows, &s.x)?;
        }
        let x = s.x.chunks_exact_mut(rows).enumerate().filter(|_| self.doses.is_none());
        tasks.extend(x.map(|(c, column)| {
            let (mean, sd) = self.standard[c % self.kx];
            (column, mean, sd)
        }));
        let (first, last) = self.weight_columns;
        let is_weight = |c: usize| c < first || Some(c) == last;
        let w = s.w.chunks_exact_mut(rows).enumerate().filter(|(c, _)| is_weight(*c));
        tasks.extend(w.map(|(_, column)| (column, 0.0, self.weight.recip())));
        tasks.retain(|(_, mean, scale)| *mean != 0.0 || *scale != 1.0);
        let tasks: Vec<_> = tasks.into_iter().map(Mutex::new).collect();
        parallel::each(tasks.len(), &|task| {
            let (column, mean, scale) = &mut *held(&tasks[task]);
            let (mean, scale) = (*mean, *scale);
            parallel::chunks(column, TILE, |_, tile| {
                for v in tile {
                    *v = if scale == 1.0 { *v - mean } else { (*v - mean) / scale };
                }
            });
        });
        if let Some(lower) = &self.lower {
            parallel::chunks(&mut s.x, self.kx * rows, |_, version| {
                triangular_solve(version, rows, lower, self.kx);
            });
        }
        Ok(())
    }
}

/// `v = z l'⁻¹` for every row of the columns `[kx][rows]`.
pub(super) fn triangular_solve(columns: &mut [f64], rows: usize, lower: &[f64], kx: usize) {
    for j in 0..kx {
        let (known, rest) = columns.split_at_mut(j * rows);
        let out = &mut rest[..rows];
        for (i, column) in known.chunks_exact(rows).enumerate() {
            let l = lower[j * kx + i];
            out.iter_mut().zip(column).for_each(|(o, v)| *o -= l * v);
        }
        let pivot = lower[j * kx + j];
        for o in out {
            *o /= pivot;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two outcomes, two covariates and a weight beside a presence column, three rows.
    fn stratum() -> StratumData {
        StratumData {
            rows: 3,
            y: vec![1.0, 2.0, 3.0, 10.0, 20.0, 30.0],
            x: vec![4.0, 6.0, 8.0, 1.0, 1.0, 5.0],
            w: vec![2.0, 4.0, 6.0, 1.0, 0.0, 1.0],
            rank: vec![0, 1, 2],
            cluster: Vec::new(),
        }
    }

    fn change() -> Change {
        Change {
            kx: 2,
            weight: 0.5,
            weight_columns: (1, None),
            mean: vec![vec![0.0, 0.0], vec![2.0, 20.0]],
            y_scale: 2.0,
            y_size: 1.0,
            centre: vec![vec![0.0; 2]; 2],
            standard: vec![(6.0, 2.0), (0.0, 1.0)],
            lower: None,
            doses: None,
        }
    }

    #[cfg(feature = "cluster")]
    impl Change {
        /// With these numbers.
        pub(crate) fn example(numbers: &[f64]) -> Self {
            let (mean, lower) = (vec![numbers.to_vec()], Some(numbers.to_vec()));
            let weight_columns = (3, Some(9));
            let doses = Some(Expansion::example());
            Self { weight: numbers[0], weight_columns, mean, lower, doses, ..change() }
        }
    }

    #[test]
    fn outcomes_are_centred_covariates_standardised_and_weights_scaled() {
        let mut data = stratum();
        change().apply(1, &mut data).unwrap();
        assert_eq!(data.y, [-0.5, 0.0, 0.5, -5.0, 0.0, 5.0]);
        assert_eq!(data.x, [-1.0, 0.0, 1.0, 1.0, 1.0, 5.0]);
        assert_eq!(data.w, [1.0, 2.0, 3.0, 1.0, 0.0, 1.0], "presence is no weight");
        assert_eq!(change().offsets(1), [1.0, 10.0]);
    }

    #[test]
    fn covariates_are_decorrelated_by_a_triangle() {
        let mut data = stratum();
        // z = v l' with l = (2, 0; 1, 4): the second covariate holds one of the first.
        let change = Change { lower: Some(vec![2.0, 0.0, 1.0, 4.0]), ..change() };
        change.apply(0, &mut data).unwrap();
        assert_eq!(data.x, [-0.5, 0.0, 0.5, 0.375, 0.25, 1.125]);
    }

    #[test]
    fn pieces_change_as_the_whole() {
        let mut whole = stratum();
        change().apply(1, &mut whole).unwrap();
        let piece = |row: usize| StratumData {
            rows: 1,
            y: stratum().y.iter().skip(row).step_by(3).copied().collect(),
            x: stratum().x.iter().skip(row).step_by(3).copied().collect(),
            w: stratum().w.iter().skip(row).step_by(3).copied().collect(),
            rank: vec![row as u64],
            cluster: Vec::new(),
        };
        for row in 0..3 {
            let mut piece = piece(row);
            change().apply(1, &mut piece).unwrap();
            let at =
                |column: &[f64]| column.iter().skip(row).step_by(3).copied().collect::<Vec<_>>();
            assert_eq!((piece.y, piece.x, piece.w), (at(&whole.y), at(&whole.x), at(&whole.w)));
        }
    }
}
