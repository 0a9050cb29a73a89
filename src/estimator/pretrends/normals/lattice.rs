//! Moments of many normals in a box, over the points of a lattice.
//!
//! The points are shifted at random several times, by fixed keys, and folded, so that integrands are periodic. The spread over shifts
//! is the error that is stated.

use super::interval::Interval;
use super::ordered::Ordered;
use super::{Effort, Truncated};
use crate::base::parallel;
use crate::base::random::uniform;

/// Generating vector of lattices of `2^11`, `2^13`, `2^15` and `2^17` points, chosen component by component for a small worst-case
/// error (Sloan, Kuo and Joe 2002) with weights `j^-1.5`.
const GENERATOR: [u64; 24] = [
    1, 19_937, 89_379, 9_387, 64_519, 68_843, 16_799, 38_349, 80_705, 46_883, 77_023, 63_349,
    94_041, 129_577, 22_141, 54_723, 76_813, 47_537, 22_071, 71_603, 78_451, 17_745, 42_941,
    61_407,
];

/// Most normals.
pub(super) const MOST: usize = GENERATOR.len() + 1;

/// Random shifts of the lattice.
const SHIFTS: usize = 8;

/// Points of the first lattice, and how many times more the next one has.
const FIRST: u64 = 1 << 11;
const TIMES: u64 = 4;

/// Points of the last lattice.
const LITTLE: u64 = 1 << 11;
const FULL: u64 = 1 << 15;

/// Error at which the integration ends.
const PRECISE: f64 = 1e-7;

/// Keys of the shifts.
const SEED: u64 = 0x7072_6574;

/// Moments of the normals in the box.
pub(super) fn moments(ordered: &Ordered, effort: Effort) -> Truncated {
    let last = if effort == Effort::Full { FULL } else { LITTLE };
    let mut points = FIRST;
    loop {
        let integral = by_lattice(ordered, points);
        if integral.error <= PRECISE || points >= last {
            return integral;
        }
        points *= TIMES;
    }
}

/// By this many points of every shifted lattice.
fn by_lattice(ordered: &Ordered, points: u64) -> Truncated {
    let k = ordered.len();
    let sums =
        parallel::map_telling("normal probabilities", SHIFTS, |shift| sums(ordered, points, shift));
    // The means and, behind them, the probability.
    let estimates = |sums: &[f64]| -> Vec<f64> {
        let y: Vec<f64> = sums[..k].iter().map(|y| y / sums[k]).collect();
        let mut estimates = ordered.means(&y);
        estimates.push(sums[k] / points as f64);
        estimates
    };
    let of_shifts: Vec<Vec<f64>> = sums.iter().map(|sums| estimates(sums)).collect();
    let mean = |e: usize| sums.iter().map(|sums| sums[e]).sum::<f64>() / SHIFTS as f64;
    let mut means = estimates(&(0..=k).map(mean).collect::<Vec<f64>>());
    let standard_error = |e: usize| {
        let squares: f64 = of_shifts.iter().map(|own| (own[e] - means[e]).powi(2)).sum();
        (squares / (SHIFTS * (SHIFTS - 1)) as f64).sqrt()
    };
    let error = 2.0 * (0..=k).map(standard_error).fold(0.0, f64::max);
    let probability = means.pop().unwrap_or(0.0);
    let is_known = probability > 0.0 && means.iter().all(|mean| mean.is_finite());
    Truncated { probability, mean: is_known.then_some(means), error }
}

/// Sums over the points of one shifted lattice: of the weight times each of `Y`, `[k]`, and of the weight.
fn sums(ordered: &Ordered, points: u64, shift: usize) -> Vec<f64> {
    let k = ordered.len();
    let stream = u32::try_from(shift).unwrap_or(u32::MAX);
    let starts: Vec<f64> = (0..k).map(|d| uniform(SEED, stream, d as u64)).collect();
    let (mut sums, mut y) = (vec![0.0; k + 1], vec![0.0; k]);
    for point in 0..points {
        let mut weight = 1.0;
        for i in 0..k {
            let (lower, upper) = ordered.ends(i, &y);
            let interval = Interval::new(lower, upper);
            weight *= interval.mass;
            if weight == 0.0 {
                break;
            }
            y[i] = if i + 1 == k {
                interval.mean()
            } else {
                let along = (point * GENERATOR[i] % points) as f64 / points as f64;
                interval.quantile((2.0 * (along + starts[i]).fract() - 1.0).abs())
            };
        }
        if weight > 0.0 {
            sums[..k].iter_mut().zip(&y).for_each(|(sum, y)| *sum += weight * y);
            sums[k] += weight;
        }
    }
    sums
}
