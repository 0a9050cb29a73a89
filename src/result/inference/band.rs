//! Critical value of a uniform band from a covariance: the quantile of the largest of correlated normal or t statistics.
//!
//! With `N` the number of statistics beyond `q`, `P(max_j |Z_j| > q) = Σ_j P(|Z_j| > q) E[1 / N | |Z_j| > q]`: every term is
//! observed in the tail itself, where `1 / N` varies little (Adler, Blanchet and Liu 2012). A draw `Z` is moved to
//! `Z + ρ_j (z - Z_j)`, which has `Z_j = z`, for several `j`, so that one draw serves many of them; and so is `-Z`.
//!
//! For t statistics `T = Z / s`, `T_j` is drawn from the tail of Student's law; given `T_j = t`, `(d + t²) s²` has the χ² law
//! with `d + 1` degrees of freedom.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par, Side};
use statrs::distribution::{ChiSquared, ContinuousCDF, StudentsT};
use statrs::function::erf::erfc;

use super::normal_quantile;
use crate::base::parallel;
use crate::base::random::{standard_normals, uniform};
use crate::base::solve::{dot, multiply};

/// Draws from normals of their own, and how often they are mixed anew: orthogonal mixtures of draws are draws. The number of
/// draws is a power of 4, so that mixing is exact.
const OWN: usize = 256;
const MIXTURES: usize = 16;

/// Draws of a batch. Batches are independent, and their spread is the error that is stated.
const BATCH: usize = OWN * MIXTURES;

/// Batches before the error is judged, and at most.
const MIN_BATCHES: usize = 8;
const MAX_BATCHES: usize = 512;

/// Multiplications after which no further batch is begun.
const WORK: f64 = 1e10;

/// Statistics that a draw is moved beyond the critical value, one after another.
const MOVES: usize = 16;

/// Values that stand for the law of a statistic in its tail, and for that of its divisor.
const VALUES: usize = 1024;

/// Principal components whose normals are drawn from a lattice; the others' are pseudo-random.
const LATTICE: usize = 6;

/// Standard error at which the value is known well enough.
const PRECISE: f64 = 2.4e-4;

/// Keys of the pseudo-random numbers.
const SEED: u64 = 0x6c61_7474;

/// A critical value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SupT {
    pub value: f64,
    /// Twice the standard error of its numerical integration.
    pub error: f64,
}

/// Quantile at `level` of `max_j |T_j|`, where `T` has this correlation (`[m, m]`) and is normal, or multivariate t with
/// `df` degrees of freedom (Hothorn, Bretz and Westfall 2008, section 3; Montiel Olea and Plagborg-Møller 2019).
///
/// The same value in every run: pseudo-random numbers have fixed keys, and sums a fixed order.
pub(crate) fn sup_t(correlation: &[f64], m: usize, level: f64, df: Option<f64>) -> SupT {
    let tail = 1.0 - level;
    let law = StatisticLaw(df.and_then(|df| StudentsT::new(0.0, 1.0, df).ok()));
    let (low, high) = (law.beyond(tail), law.beyond(tail / m as f64));
    let exact = |value| SupT { value, error: 0.0 };
    if m == 1 {
        return exact(low);
    }
    let Some(draws) = CorrelatedDraws::new(correlation, m, df) else { return exact(high) };
    // Some draws say where the tail has to be known, and how steep it is there.
    let pilot = draws.batch(0);
    let roughly = |q: f64| draws.tail(&pilot, 2 * OWN, q).ln();
    let at = solve(low, high, |q| roughly(q) - tail.ln());
    let step = 0.01 * at;
    let change = roughly(at + step) - roughly(at - step);
    let slope = change / (2.0 * step);
    let mut tails: Vec<f64> = Vec::new();
    let affordable = WORK / (m * m * OWN + 4 * m * MOVES * BATCH) as f64;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
    let most = affordable.clamp(MIN_BATCHES as f64, MAX_BATCHES as f64) as usize;
    let mut next = MIN_BATCHES;
    loop {
        let first = tails.len();
        let of_batch = |b: usize| draws.tail(&draws.batch(first + b + 1), BATCH, at);
        tails.extend(parallel::map_telling("uniform band", next - first, of_batch));
        let n = tails.len() as f64;
        let mean = tails.iter().sum::<f64>() / n;
        let squares: f64 = tails.iter().map(|t| (t - mean).powi(2)).sum();
        let error = (squares / (n * (n - 1.0))).sqrt() / (mean * slope).abs();
        if error <= PRECISE || next == most {
            let value = (at - (mean.ln() - tail.ln()) / slope).clamp(low, high);
            return SupT { value, error: 2.0 * error };
        }
        next = (2 * next).min(most);
    }
}

/// Law of a single statistic: normal or t.
struct StatisticLaw(Option<StudentsT>);

impl StatisticLaw {
    /// What its absolute value exceeds with this probability.
    fn beyond(&self, tail: f64) -> f64 {
        let p = tail / 2.0;
        -self.0.as_ref().map_or_else(|| normal_quantile(p), |law| law.inverse_cdf(p))
    }
}

/// Where a falling function is zero, by bisection.
fn solve(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    const HALVINGS: usize = 12;
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if f(middle) > 0.0 { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// How vectors with a given correlation are drawn.
struct CorrelatedDraws<'a> {
    m: usize,
    correlation: &'a [f64],
    /// Lower triangular root of the correlation.
    root: Mat<f64>,
    /// Orthonormal directions in the space of the normals whose coordinates come from the lattice, and what they are to the
    /// statistics.
    leading: Vec<Vec<f64>>,
    loadings: Vec<Vec<f64>>,
    roots: Vec<f64>,
    student: Option<Student>,
}

/// Law of t statistics, and values of `(d + t²) s²`.
struct Student {
    df: f64,
    single: StudentsT,
    scales: Vec<f64>,
}

/// Draws `[m, BATCH]`, column-major.
struct Batch {
    z: Mat<f64>,
    /// Where the first move of each draw is in the tail, and in the law of the divisor.
    places: Vec<[f64; 2]>,
    /// Statistics before the first that is moved.
    first: usize,
}

impl<'a> CorrelatedDraws<'a> {
    /// `None` if the correlation has no root.
    fn new(correlation: &'a [f64], m: usize, df: Option<f64>) -> Option<Self> {
        let c = MatRef::from_row_major_slice(correlation, m, m);
        // Exactly dependent statistics need a little of their own to have a root.
        let root = [0.0, 1e-12, 1e-10, 1e-8].into_iter().find_map(|ridge| {
            let a = Mat::from_fn(m, m, |i, j| c[(i, j)] + if i == j { ridge } else { 0.0 });
            Some(a.llt(Side::Lower).ok()?.L().to_owned())
        })?;
        let leading = leading(correlation, &root, m);
        let loadings = leading.iter().map(|q| times(&root, q)).collect();
        let student = df.and_then(|df| {
            let law = ChiSquared::new(df + 1.0).ok()?;
            let scales = (0..VALUES).map(|i| law.inverse_cdf(middle(i))).collect();
            Some(Student { df, single: StudentsT::new(0.0, 1.0, df).ok()?, scales })
        });
        let roots = prime_roots(leading.len() + 2);
        Some(Self { m, correlation, root, leading, loadings, roots, student })
    }

    fn batch(&self, number: usize) -> Batch {
        let m = self.m;
        let shift = u32::try_from(number).unwrap_or(u32::MAX);
        let stream = |i: usize| u32::try_from(number * OWN + i).unwrap_or(u32::MAX);
        let mut normals = Mat::<f64>::zeros(m, OWN);
        for i in 0..OWN {
            standard_normals(SEED, stream(i), normals.col_as_slice_mut(i));
        }
        let mut z = Mat::<f64>::zeros(m, BATCH);
        let independent = z.as_mut().subcols_mut(0, OWN);
        matmul(independent, Accum::Replace, &self.root, &normals, 1.0, Par::Seq);
        let coordinate = |i: usize| -> Vec<f64> {
            self.leading.iter().map(|q| dot(q, normals.col_as_slice(i))).collect()
        };
        let mut coordinates: Vec<Vec<f64>> = (0..OWN).map(coordinate).collect();
        let mut columns: Vec<Vec<f64>> = (0..OWN).map(|i| z.col_as_slice(i).to_vec()).collect();
        let mut places = Vec::with_capacity(BATCH);
        for mixture in 0..MIXTURES {
            if mixture > 0 {
                let signs: Vec<f64> = (0..OWN)
                    .map(|i| uniform(SEED ^ 2, shift, (mixture * OWN + i) as u64))
                    .map(|u| if u < 0.5 { -1.0 } else { 1.0 })
                    .collect();
                mix(&mut columns, &signs);
                mix(&mut coordinates, &signs);
            }
            for (i, (column, coordinates)) in
                (mixture * OWN..).zip(columns.iter().zip(&coordinates))
            {
                let point = |d: usize| lattice(i, d, &self.roots, shift);
                places.push([point(0), point(1)]);
                let out = z.col_as_slice_mut(i);
                out.copy_from_slice(column);
                for (d, (loading, was)) in self.loadings.iter().zip(coordinates).enumerate() {
                    let change = normal_quantile(point(d + 2)) - was;
                    out.iter_mut().zip(loading).for_each(|(z, l)| *z += change * l);
                }
            }
        }
        Batch { z, places, first: number * BATCH * MOVES % m }
    }

    /// `P(max_j |T_j| > q)`, by the first draws of a batch.
    fn tail(&self, batch: &Batch, count: usize, q: f64) -> f64 {
        let m = self.m;
        let (beyond, values): (f64, Vec<f64>) = match &self.student {
            None => {
                let beyond = 0.5 * erfc(q / std::f64::consts::SQRT_2);
                (beyond, (0..VALUES).map(|i| -normal_quantile(middle(i) * beyond)).collect())
            }
            Some(Student { single, .. }) => {
                let beyond = single.sf(q);
                (beyond, (0..VALUES).map(|i| -single.inverse_cdf(middle(i) * beyond)).collect())
            }
        };
        // Steps by which the moves of a draw go through the values.
        const STEPS: [f64; 2] = [1.0 / MOVES as f64, 0.618_033_988_749_894_9];
        let mut inverse = 0.0;
        let mut j = batch.first;
        for (i, places) in batch.places[..count].iter().enumerate() {
            let z = batch.z.col_as_slice(i);
            for of in 0..MOVES {
                let value = |d: usize, values: &[f64]| values[at(places[d] + of as f64 * STEPS[d])];
                let t = value(0, &values);
                let (to, bound) = match &self.student {
                    None => (t, q),
                    Some(Student { df, scales, .. }) => {
                        let s = (value(1, scales) / (df + t * t)).sqrt();
                        (t * s, q * s)
                    }
                };
                let rho = &self.correlation[j * m..(j + 1) * m];
                // Of -Z, seen from the other side.
                let to = if of % 2 == 0 { to } else { -to };
                inverse += 1.0 / exceeding(z, rho, to - z[j], bound, j);
                j = (j + 1) % m;
            }
        }
        2.0 * m as f64 * beyond * inverse / (count * MOVES) as f64
    }
}

/// The middle of an interval of equal probability.
fn middle(i: usize) -> f64 {
    (i as f64 + 0.5) / VALUES as f64
}

/// The interval of a number modulo one.
fn at(place: f64) -> usize {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within [0, 1)")]
    let index = (place.fract() * VALUES as f64) as usize;
    index.min(VALUES - 1)
}

/// Replaces [`OWN`] columns by orthogonal mixtures: signs, then a Walsh–Hadamard transform.
fn mix(columns: &mut [Vec<f64>], signs: &[f64]) {
    let scale = 1.0 / (OWN as f64).sqrt();
    for (column, sign) in columns.iter_mut().zip(signs) {
        for v in column {
            *v *= sign * scale;
        }
    }
    let mut half = 1;
    while half < OWN {
        for block in columns.chunks_exact_mut(2 * half) {
            let (left, right) = block.split_at_mut(half);
            for (a, b) in left.iter_mut().zip(right) {
                for (a, b) in a.iter_mut().zip(b) {
                    (*a, *b) = (*a + *b, *a - *b);
                }
            }
        }
        half *= 2;
    }
}

/// `root v` for a lower triangular matrix.
fn times(root: &Mat<f64>, v: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; v.len()];
    for (j, v) in v.iter().enumerate() {
        let column = &root.col_as_slice(j)[j..];
        out[j..].iter_mut().zip(column).for_each(|(o, l)| *o += v * l);
    }
    out
}

/// How many of the moved statistics are beyond the bound; the one that was moved there is.
fn exceeding(z: &[f64], rho: &[f64], by: f64, bound: f64, j: usize) -> f64 {
    let count = crate::base::simd::vectorized(
        #[inline(always)]
        || {
            let beyond = |(z, rho): (&f64, &f64)| f64::from(u8::from((z + rho * by).abs() > bound));
            z.iter().zip(rho).map(beyond).sum::<f64>()
        },
    );
    let own_exceedance = f64::from(u8::from((z[j] + rho[j] * by).abs() > bound));
    count - own_exceedance + 1.0
}

/// Directions of the normals in which the correlation's first principal components lie, by orthogonal iteration.
fn leading(correlation: &[f64], root: &Mat<f64>, m: usize) -> Vec<Vec<f64>> {
    const ITERATIONS: usize = 12;
    let mut vectors: Vec<Vec<f64>> = (0u32..)
        .zip(0..LATTICE.min(m))
        .map(|(stream, _)| {
            let mut v = vec![0.0; m];
            standard_normals(SEED ^ 1, stream, &mut v);
            v
        })
        .collect();
    for _ in 0..ITERATIONS {
        vectors = orthonormal(vectors.iter().map(|v| multiply(correlation, v)).collect());
    }
    let back = |v: &Vec<f64>| (0..m).map(|j| dot(&root.col_as_slice(j)[j..], &v[j..])).collect();
    orthonormal(vectors.iter().map(back).collect())
}

/// Gram–Schmidt, twice; vectors that depend on those before are left out.
fn orthonormal(vectors: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for mut v in vectors {
        let size = dot(&v, &v).sqrt();
        for _ in 0..2 {
            for b in &basis {
                let along = dot(b, &v);
                v.iter_mut().zip(b).for_each(|(v, b)| *v -= along * b);
            }
        }
        let length = dot(&v, &v).sqrt();
        if length > 1e-8 * size {
            for v in &mut v {
                *v /= length;
            }
            basis.push(v);
        }
    }
    basis
}

/// Coordinate `d` of point `i`: a shifted multiple of an irrational number, modulo one, folded to be periodic.
fn lattice(i: usize, d: usize, roots: &[f64], shift: u32) -> f64 {
    let start = uniform(SEED, shift, d as u64);
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

    fn correlation(m: usize, rho: impl Fn(usize, usize) -> f64) -> Vec<f64> {
        (0..m * m).map(|e| if e / m == e % m { 1.0 } else { rho(e / m, e % m) }).collect()
    }

    fn identity(m: usize) -> Vec<f64> {
        correlation(m, |_, _| 0.0)
    }

    fn close(got: SupT, exact: f64) {
        let SupT { value, error } = got;
        assert!(error <= 1e-3, "stated error {error}");
        assert!((value - exact).abs() <= 1.5 * error + 1e-5, "{value} ± {error} against {exact}");
    }

    #[test]
    fn independent_statistics_give_the_sidak_value() {
        for m in [2, 5, 20, 100] {
            for level in [0.8, 0.95, 0.999] {
                let tail = -(f64::ln(level) / m as f64).exp_m1();
                close(sup_t(&identity(m), m, level, None), -normal_quantile(tail / 2.0));
            }
        }
    }

    #[test]
    fn equal_statistics_give_the_pointwise_value() {
        close(sup_t(&[1.0; 9], 3, 0.95, None), 1.959_964);
        // Student's t with 10 degrees of freedom.
        close(sup_t(&[1.0; 9], 3, 0.95, Some(10.0)), 2.228_139);
    }

    #[test]
    fn two_t_statistics_match_the_published_table() {
        // Studentised maximum modulus for two comparisons, 10 degrees of freedom: 2.609 (Stoline and Ury 1979).
        close(sup_t(&identity(2), 2, 0.95, Some(10.0)), 2.609);
    }

    /// `Z_j = √ρ c + √(1 - ρ) e_j`: given `c`, the statistics are independent, and one integral is left.
    fn equicorrelated(m: usize, rho: f64, level: f64) -> f64 {
        let cdf = |x: f64| 0.5 * erfc(-x / std::f64::consts::SQRT_2);
        let covered = |q: f64| {
            let nodes = 4_000;
            let width = 16.0 / f64::from(nodes);
            let density = |c: f64| (-c * c / 2.0).exp() / std::f64::consts::TAU.sqrt();
            (0..nodes)
                .map(|i| {
                    let c = -8.0 + (f64::from(i) + 0.5) * width;
                    let (mean, sd) = (rho.sqrt() * c, (1.0 - rho).sqrt());
                    let one = cdf((q - mean) / sd) - cdf((-q - mean) / sd);
                    density(c) * one.powi(m as i32) * width
                })
                .sum::<f64>()
        };
        let (mut low, mut high) = (0.0, 10.0);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if covered(middle) < level { low = middle } else { high = middle }
        }
        low
    }

    #[test]
    fn correlated_statistics_match_the_integral_over_their_common_part() {
        for (m, rho, level) in [(3, 0.5, 0.8), (30, 0.9, 0.95), (30, 0.2, 0.9), (100, 0.6, 0.99)] {
            let got = sup_t(&correlation(m, |_, _| rho), m, level, None);
            close(got, equicorrelated(m, rho, level));
        }
    }

    #[test]
    fn the_value_is_the_same_in_every_run() {
        let c = correlation(12, |i, j| 0.8f64.powi(i.abs_diff(j) as i32));
        let value = || sup_t(&c, 12, 0.95, Some(20.0)).value;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        assert_eq!(value().to_bits(), pool.install(value).to_bits());
    }
}
