//! Critical value of a uniform band from a covariance: the quantile of the largest of correlated normal or t statistics.

use rayon::prelude::*;
use statrs::distribution::{ChiSquared, ContinuousCDF};

use super::{normal_quantile, quantile};
use crate::kernel::uniform;
use crate::solve::semidefinite_factor;

/// Points of one lattice, and independent shifts of it.
const POINTS: usize = 16_381;
const SHIFTS: u32 = 12;

/// Quantile at `level` of `max_j |T_j|`, where `T` has this correlation (`[m, m]`) and is normal, or multivariate t with
/// `df` degrees of freedom (Hothorn, Bretz and Westfall 2008, section 3; Montiel Olea and Plagborg-Møller 2019).
///
/// Integrated by a randomly shifted Richtmyer lattice with fixed shifts; the shifts' spread is below 0.005 in practice.
pub(crate) fn sup_t(correlation: &[f64], m: usize, level: f64, df: Option<f64>) -> f64 {
    let (factor, rank) = semidefinite_factor(correlation, m);
    if rank <= 1 && df.is_none() {
        return normal_quantile((1.0 + level) / 2.0);
    }
    let roots = prime_roots(rank + 1);
    let scale = df.and_then(|df| ChiSquared::new(df).ok().map(|law| (law, df)));
    let quantiles: Vec<f64> = (0..SHIFTS)
        .into_par_iter()
        .map(|shift| {
            let mut largest: Vec<f64> = (0..POINTS)
                .map(|i| {
                    let point = |d: usize| lattice(i, d, &roots, shift);
                    let z: Vec<f64> = (0..rank).map(|d| normal_quantile(point(d))).collect();
                    let norm = |row: &[f64]| crate::solve::dot(row, &z).abs();
                    let sup = factor.chunks_exact(rank).map(norm).fold(0.0, f64::max);
                    match &scale {
                        Some((law, df)) => sup / (law.inverse_cdf(point(rank)) / df).sqrt(),
                        None => sup,
                    }
                })
                .collect();
            largest.sort_unstable_by(f64::total_cmp);
            quantile(&largest, level)
        })
        .collect();
    quantiles.iter().sum::<f64>() / quantiles.len() as f64
}

/// Coordinate `d` of point `i`: a shifted multiple of an irrational number, modulo one, folded to be periodic.
fn lattice(i: usize, d: usize, roots: &[f64], shift: u32) -> f64 {
    let start = uniform(0x6c61_7474, shift, d as u64);
    let x = (i as f64 * roots[d] + start).fract();
    let folded = (2.0 * x - 1.0).abs();
    folded.clamp(1e-12, 1.0 - 1e-12)
}

/// Fractional parts of the square roots of the first primes.
fn prime_roots(count: usize) -> Vec<f64> {
    (2u32..)
        .filter(|p| (2..*p).take_while(|d| d * d <= *p).all(|d| p % d != 0))
        .map(|p| f64::from(p).sqrt().fract())
        .take(count)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(m: usize) -> Vec<f64> {
        (0..m * m).map(|e| f64::from(u8::from(e / m == e % m))).collect()
    }

    #[test]
    fn independent_statistics_give_the_sidak_value() {
        for m in [2, 5, 20] {
            let exact = normal_quantile((1.0 + 0.95f64.powf(1.0 / m as f64)) / 2.0);
            let got = sup_t(&identity(m), m, 0.95, None);
            assert!((got - exact).abs() < 0.01, "m = {m}: {got} against {exact}");
        }
    }

    #[test]
    fn equal_statistics_give_the_pointwise_value() {
        assert!((sup_t(&[1.0; 9], 3, 0.95, None) - 1.959_964).abs() < 1e-6);
        // Student's t with 10 degrees of freedom.
        assert!((sup_t(&[1.0; 9], 3, 0.95, Some(10.0)) - 2.228_139).abs() < 0.01);
    }

    #[test]
    fn two_t_statistics_match_the_published_table() {
        // Studentised maximum modulus for two comparisons, 10 degrees of freedom: 2.609 (Stoline and Ury 1979).
        assert!((sup_t(&identity(2), 2, 0.95, Some(10.0)) - 2.609).abs() < 0.01);
    }
}
