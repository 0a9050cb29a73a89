//! What fixed effects add to the leverage of rows.

use super::options::{Family, Vcov};
use super::sample::RegressionSample;
use crate::base::parallel;
use crate::base::spectrum::Spectrum;
use crate::engine::demean::Factor;

/// Levels that all factors but the largest may have together: a dense matrix is formed of them.
const MOST_LEVELS: usize = 1_000;

/// Eigenvalues below this part of the largest belong to combinations of levels that other factors have, too.
const DEPENDENT: f64 = 1e-11;

/// What fixed effects add to the leverage of rows, if the covariance takes it; of linear regressions alone, as the weights of others change.
pub(super) fn fixed_leverage(
    vcov: &Vcov,
    family: Family,
    sample: &RegressionSample,
) -> Option<Vec<f64>> {
    let is_taken = vcov.takes_leverage() && family.is_linear();
    is_taken.then(|| of_fixed_effects(&sample.factors, sample.weights.as_deref())).flatten()
}

/// The diagonal `[rows]` of the projection on the levels of all factors, whose rows are multiplied by the roots of `weights`; `None` if
/// there are too many levels for it.
///
/// The largest factor alone projects by the share of a row in the weight of its level. Of the other factors counts what the largest leaves of their
/// indicators.
pub(super) fn of_fixed_effects(factors: &[Factor], weights: Option<&[f64]>) -> Option<Vec<f64>> {
    let largest = (0..factors.len()).max_by_key(|factor| factors[*factor].levels)?;
    let others: Vec<&Factor> =
        factors.iter().enumerate().filter(|(j, _)| *j != largest).map(|(_, other)| other).collect();
    let count = others.iter().map(|other| other.levels).sum();
    let levels = Levels { of_rows: &factors[largest], others, count, weights };
    if count > MOST_LEVELS {
        return None;
    }
    let shares = levels.shares();
    let inverse = levels.inverse(&shares)?;
    let at = |a: usize, b: usize| inverse[a * count + b];
    let of_share = |share: &Share| -> Vec<f64> {
        let along = |a: usize| -> f64 { share.of.iter().map(|(b, part)| at(a, *b) * part).sum() };
        let along: Vec<(usize, f64)> = share.of.iter().map(|(a, _)| (*a, along(*a))).collect();
        let level: f64 = share.of.iter().zip(&along).map(|((_, part), (_, q))| part * q).sum();
        let of_row = |row: &usize| {
            let places: Vec<usize> = levels.places(*row).collect();
            let own: f64 = places.iter().flat_map(|a| places.iter().map(|b| at(*a, *b))).sum();
            let of_place = |a: &usize| along[along.partition_point(|(b, _)| b < a)].1;
            let between: f64 = places.iter().map(of_place).sum();
            levels.weight(*row) * (1.0 / share.weight + own - 2.0 * between + level)
        };
        share.rows.iter().map(of_row).collect()
    };
    let of_shares = parallel::map(shares.len(), |number| of_share(&shares[number]));
    let mut leverage = vec![0.0; factors[largest].codes.len()];
    for (share, values) in shares.iter().zip(of_shares) {
        share.rows.iter().zip(values).for_each(|(row, value)| leverage[*row] = value);
    }
    Some(leverage)
}

/// Factors with the one that has most levels apart.
struct Levels<'a> {
    of_rows: &'a Factor,
    others: Vec<&'a Factor>,
    /// Levels of the others together.
    count: usize,
    weights: Option<&'a [f64]>,
}

/// A level of the largest factor.
struct Share {
    rows: Vec<usize>,
    weight: f64,
    /// Levels of the other factors in its rows, ascending, with the mean of their indicators.
    of: Vec<(usize, f64)>,
}

impl Levels<'_> {
    fn weight(&self, row: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[row])
    }

    /// Where the levels of a row are among those of all other factors.
    fn places(&self, row: usize) -> impl Iterator<Item = usize> {
        let starts = self.others.iter().scan(0, |next, other| {
            let start = *next;
            *next += other.levels;
            Some(start)
        });
        self.others.iter().zip(starts).map(move |(other, start)| start + other.codes[row] as usize)
    }

    fn shares(&self) -> Vec<Share> {
        let mut shares: Vec<Share> = (0..self.of_rows.levels)
            .map(|_| Share { rows: Vec::new(), weight: 0.0, of: Vec::new() })
            .collect();
        for (row, level) in self.of_rows.codes.iter().enumerate() {
            shares[*level as usize].rows.push(row);
        }
        let mut sums = vec![0.0; self.count];
        for share in &mut shares {
            for row in &share.rows {
                share.weight += self.weight(*row);
                for place in self.places(*row) {
                    sums[place] += self.weight(*row);
                    share.of.push((place, 0.0));
                }
            }
            share.of.sort_unstable_by_key(|(place, _)| *place);
            share.of.dedup_by_key(|(place, _)| *place);
            for (place, mean) in &mut share.of {
                *mean = std::mem::take(&mut sums[*place]) / share.weight;
            }
        }
        shares
    }

    /// Generalised inverse `[count, count]` of the cross-products of what the largest factor leaves of the others' indicators; `None` if it cannot be
    /// computed.
    fn inverse(&self, shares: &[Share]) -> Option<Vec<f64>> {
        let k = self.count;
        if k == 0 {
            return Some(Vec::new());
        }
        let mut products = vec![0.0; k * k];
        for share in shares {
            for row in &share.rows {
                for a in self.places(*row) {
                    for b in self.places(*row) {
                        products[a * k + b] += self.weight(*row);
                    }
                }
            }
            for (a, of_a) in &share.of {
                for (b, of_b) in &share.of {
                    products[a * k + b] -= share.weight * of_a * of_b;
                }
            }
        }
        // By the size of each level, so that one of small weight counts as well.
        let roots: Vec<f64> = (0..k).map(|a| products[a * k + a].max(0.0).sqrt()).collect();
        let size = |entry: usize| match roots[entry / k] * roots[entry % k] {
            0.0 => 1.0,
            size => size,
        };
        products.iter_mut().enumerate().for_each(|(entry, value)| *value /= size(entry));
        let spectrum = Spectrum::new(&products, k)?;
        let mut inverse = spectrum.inverse(&spectrum.beyond(DEPENDENT));
        inverse.iter_mut().enumerate().for_each(|(entry, value)| *value /= size(entry));
        Some(inverse)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_factor_projects_by_the_share_in_its_level() {
        let found = of_fixed_effects(&[Factor::of(&[0, 0, 1])], Some(&[1.0, 3.0, 2.0])).unwrap();
        assert_eq!(found, [0.25, 0.75, 1.0]);
    }

    /// The leverages of a balanced panel are all `1 / T + 1 / n - 1 / (n T)`, and those of any design add up to its rank.
    #[test]
    fn leverages_add_up_to_the_rank() {
        let units = Factor::of(&[0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]);
        let periods = Factor::of(&[0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2]);
        let balanced = of_fixed_effects(&[periods.clone(), units.clone()], None).unwrap();
        let expected = 1.0 / 3.0 + 1.0 / 4.0 - 1.0 / 12.0;
        assert!(balanced.iter().all(|h| (h - expected).abs() < 1e-12), "{balanced:?}");
        // Two groups of units and periods without a link, of which the third factor says nothing.
        let apart = [Factor::of(&[0, 0, 1, 1, 2, 2, 3, 3]), Factor::of(&[0, 1, 0, 1, 2, 3, 2, 3])];
        let group = Factor::of(&[0, 0, 0, 0, 1, 1, 1, 1]);
        let weights = [1.0, 2.0, 0.5, 1.5, 3.0, 1.0, 1.0, 2.0];
        let of_apart = of_fixed_effects(&apart, Some(&weights)).unwrap();
        assert!((of_apart.iter().sum::<f64>() - 6.0).abs() < 1e-12, "{of_apart:?}");
        let with_group = [apart[0].clone(), group, apart[1].clone()];
        let with_group = of_fixed_effects(&with_group, Some(&weights)).unwrap();
        let close = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-12;
        assert!(of_apart.iter().zip(&with_group).all(close), "{of_apart:?} {with_group:?}");
    }

    #[test]
    fn too_many_levels_have_no_dense_matrix() {
        let codes: Vec<u32> = (0..2 * MOST_LEVELS as u32 + 2).collect();
        let halves: Vec<u32> = codes.iter().map(|code| code / 2).collect();
        assert!(of_fixed_effects(&[Factor::of(&codes), Factor::of(&halves)], None).is_none());
    }
}
