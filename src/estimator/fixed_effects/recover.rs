//! The fixed effects themselves.

use serde::{Deserialize, Serialize};

use super::degrees::components;
use crate::engine::demean::Factor;

/// Effects of a factor's levels.
///
/// Only differences within a connected component are identified: of two factors, the second's effect of the first level of
/// each component is zero, and of more factors the first level's of all but the first factor. The constant is in the first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FactorEffects {
    /// The factor: a column, or columns as in `firm^year`.
    pub name: String,
    /// Its levels, in order; levels of several columns are joined by `_`, and quoted if they contain a `_` themselves.
    pub levels: Vec<String>,
    /// Their effects.
    pub effects: Vec<f64>,
    /// The component of each level, counted from 0, for two factors; else all are 0, although there may be more.
    pub components: Vec<u32>,
}

/// Normalised effects, and the component of each level, by factor.
pub(super) fn normalised(factors: &[Factor], theta: &[f64]) -> Vec<(Vec<f64>, Vec<u32>)> {
    let mut remaining = theta;
    let mut effects: Vec<Vec<f64>> = Vec::with_capacity(factors.len());
    for factor in factors {
        let (own, after) = remaining.split_at(factor.levels);
        effects.push(own.to_vec());
        remaining = after;
    }
    match factors {
        [first, second] => {
            let (count, [of_first, of_second]) = components(first, second);
            let mut shift = vec![None; count];
            for (effect, component) in effects[1].iter().zip(&of_second) {
                shift[*component as usize].get_or_insert(*effect);
            }
            let shift = |component: &u32| shift[*component as usize].unwrap_or(0.0);
            effects[0].iter_mut().zip(&of_first).for_each(|(e, c)| *e += shift(c));
            effects[1].iter_mut().zip(&of_second).for_each(|(e, c)| *e -= shift(c));
            effects.into_iter().zip([of_first, of_second]).collect()
        }
        _ => {
            let mut moved = 0.0;
            for effects in effects.iter_mut().skip(1) {
                let shift = effects.first().copied().unwrap_or(0.0);
                for effect in effects.iter_mut() {
                    *effect -= shift;
                }
                moved += shift;
            }
            if let Some(first) = effects.first_mut() {
                for effect in first.iter_mut() {
                    *effect += moved;
                }
            }
            effects.into_iter().map(|e| (vec![0; e.len()], e)).map(|(c, e)| (e, c)).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_factor_is_zero_at_the_first_level_of_each_component() {
        let first = Factor::of(&[0, 0, 1, 2]);
        let second = Factor::of(&[0, 1, 1, 2]);
        let found = normalised(&[first, second], &[1.0, 2.0, 3.0, 10.0, 11.0, 20.0]);
        assert_eq!(found[0], (vec![11.0, 12.0, 23.0], vec![0, 0, 1]));
        assert_eq!(found[1], (vec![0.0, 1.0, 0.0], vec![0, 0, 1]));
        let one = Factor::of(&[0]);
        let found = normalised(&[one.clone(), one.clone(), one], &[1.0, 2.0, 3.0]);
        assert_eq!([found[0].0[0], found[1].0[0], found[2].0[0]], [6.0, 0.0, 0.0]);
    }
}
