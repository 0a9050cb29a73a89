//! Draws of correlated statistics, each moved beyond a critical value.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par, Side};

use super::super::normal_quantile;
use super::laws::Tail;
use crate::base::random::{standard_normals, uniform};
use crate::base::simd::vectorized;
use crate::base::solve::{dot, multiply};

/// Draws from normals of their own, and how often they are mixed anew: orthogonal mixtures of draws are draws. The number of
/// draws is a power of 4, so that mixing is exact.
const OWN: usize = 64;
const MIXTURES: usize = 16;

/// Draws of a batch.
const BATCH: usize = OWN * MIXTURES;

/// Statistics that a draw is moved beyond the critical value, one after another.
const MOVES: usize = 16;

/// Steps by which the moves of a draw go through the law of a statistic, and through that of its divisor.
const STEPS: [f64; 2] = [1.0 / MOVES as f64, 0.618_033_988_749_894_9];

/// Principal components whose normals are drawn from a lattice, at most, and the number of statistics whose variance each of them
/// has at least; the others' normals are pseudo-random.
const LATTICE: usize = 6;
const LEADS: f64 = 1.5;

/// Keys of the pseudo-random numbers.
const SEED: u64 = 0x6c61_7474;

/// How vectors with a given correlation are drawn.
pub(super) struct CorrelatedDraws<'a> {
    m: usize,
    correlation: &'a [f64],
    /// Lower triangular root of the correlation.
    root: Mat<f64>,
    /// Orthonormal directions in the space of the normals whose coordinates come from the lattice, and what they are to the
    /// statistics.
    leading: Vec<Vec<f64>>,
    loadings: Vec<Vec<f64>>,
    roots: Vec<f64>,
}

/// Draws, `[BATCH, m]`, row-major.
pub(super) struct Batch {
    z: Vec<f64>,
    /// Where the first move of each draw is in the tail, and in the law of the divisor.
    places: Vec<[f64; 2]>,
    /// Statistics before the first that is moved.
    first: usize,
}

/// With `N` the number of statistics that are beyond the critical value, means over the moves of a draw.
#[derive(Clone, Copy)]
pub(super) struct Beyond {
    /// Of `1 / N`.
    pub inverse: f64,
    /// Of `N`, less its expectation.
    pub excess: f64,
}

impl Beyond {
    /// `1 / N` less `correction` times the excess.
    pub fn less(&self, correction: f64) -> f64 {
        self.inverse - correction * self.excess
    }
}

impl<'a> CorrelatedDraws<'a> {
    /// `None` if the correlation has no root.
    pub fn new(correlation: &'a [f64], m: usize) -> Option<Self> {
        let c = MatRef::from_row_major_slice(correlation, m, m);
        // Exactly dependent statistics need a little of their own to have a root.
        let root = [0.0, 1e-12, 1e-10, 1e-8].into_iter().find_map(|ridge| {
            let a = Mat::from_fn(m, m, |i, j| c[(i, j)] + if i == j { ridge } else { 0.0 });
            Some(a.llt(Side::Lower).ok()?.L().to_owned())
        })?;
        let leading = leading(correlation, &root, m).into_iter();
        let with_loadings = leading.map(|direction| (times(&root, &direction), direction));
        let (loadings, leading): (Vec<_>, Vec<_>) =
            with_loadings.filter(|(loadings, _)| dot(loadings, loadings) >= LEADS).unzip();
        let roots = prime_roots(leading.len() + 2);
        Some(Self { m, correlation, root, leading, loadings, roots })
    }

    /// Multiplications for a batch.
    pub fn work(&self) -> f64 {
        (self.m * self.m * OWN + self.m * MOVES * BATCH) as f64
    }

    pub fn batch(&self, number: usize) -> Batch {
        let m = self.m;
        let shift = u32::try_from(number).unwrap_or(u32::MAX);
        let stream = |i: usize| u32::try_from(number * OWN + i).unwrap_or(u32::MAX);
        let mut normals = Mat::<f64>::zeros(m, OWN);
        for i in 0..OWN {
            standard_normals(SEED, stream(i), normals.col_as_slice_mut(i));
        }
        let mut independent = Mat::<f64>::zeros(m, OWN);
        matmul(&mut independent, Accum::Replace, &self.root, &normals, 1.0, Par::Seq);
        let coordinate = |i: usize| -> Vec<f64> {
            self.leading.iter().map(|q| dot(q, normals.col_as_slice(i))).collect()
        };
        let mut coordinates: Vec<Vec<f64>> = (0..OWN).map(coordinate).collect();
        let mut columns: Vec<Vec<f64>> =
            (0..OWN).map(|i| independent.col_as_slice(i).to_vec()).collect();
        let lattice = Lattice::new(&self.roots, shift);
        let mut z = Vec::with_capacity(m * BATCH);
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
            for (column, coordinates) in columns.iter().zip(&coordinates) {
                let i = places.len();
                let start = z.len();
                z.extend_from_slice(column);
                for (d, (loading, was)) in self.loadings.iter().zip(coordinates).enumerate() {
                    let change = normal_quantile(lattice.point(i, d + 2)) - was;
                    z[start..].iter_mut().zip(loading).for_each(|(z, l)| *z += change * l);
                }
                places.push([lattice.point(i, 0), lattice.point(i, 1)]);
            }
        }
        Batch { z, places, first: number * BATCH * MOVES % m }
    }

    /// What the moves of each draw give; `expected` is the expectation of `N` given that a statistic is beyond, `[m]`.
    pub fn beyond(&self, batch: &Batch, tail: &Tail<'_>, expected: &[f64]) -> Vec<Beyond> {
        let m = self.m;
        let mut j = batch.first;
        vectorized(
            #[inline(always)]
            || {
                let draws = batch.z.chunks_exact(m).zip(&batch.places);
                let moved = draws.map(|(z, places)| {
                    let (mut inverse, mut excess) = (0.0, 0.0);
                    for of in 0..MOVES {
                        let place = [0, 1].map(|d| places[d] + of as f64 * STEPS[d]);
                        let (to, bound) = tail.value(place);
                        // Of -Z, seen from the other side.
                        let to = if of % 2 == 0 { to } else { -to };
                        let correlation = &self.correlation[j * m..(j + 1) * m];
                        let count = exceeding(z, correlation, to - z[j], bound, j);
                        inverse += 1.0 / count;
                        excess += count - expected[j];
                        j = if j + 1 == m { 0 } else { j + 1 };
                    }
                    let moves = MOVES as f64;
                    Beyond { inverse: inverse / moves, excess: excess / moves }
                });
                moved.collect()
            },
        )
    }
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
#[inline(always)]
fn exceeding(z: &[f64], correlation: &[f64], by: f64, bound: f64, j: usize) -> f64 {
    let beyond = |z: f64, rho: f64| u64::from((z + rho * by).abs() > bound);
    let count: u64 = z.iter().zip(correlation).map(|(z, rho)| beyond(*z, *rho)).sum();
    (count - beyond(z[j], correlation[j]) + 1) as f64
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

/// Points of a shifted Richtmyer lattice: multiples of irrational numbers, modulo one, folded to be periodic.
struct Lattice<'a> {
    roots: &'a [f64],
    shifts: Vec<f64>,
}

impl<'a> Lattice<'a> {
    fn new(roots: &'a [f64], number: u32) -> Self {
        let shifts = (0..roots.len()).map(|d| uniform(SEED, number, d as u64)).collect();
        Self { roots, shifts }
    }

    /// Coordinate `d` of point `i`.
    fn point(&self, i: usize, d: usize) -> f64 {
        let x = (i as f64 * self.roots[d] + self.shifts[d]).fract();
        let folded = (2.0 * x - 1.0).abs();
        folded.clamp(1e-12, 1.0 - 1e-12)
    }
}

/// Fractional parts of the square roots of the first primes.
fn prime_roots(count: usize) -> Vec<f64> {
    (2u32..)
        .filter(|p| (2..*p).take_while(|d| d * d <= *p).all(|d| p % d != 0))
        .map(|p| f64::from(p).sqrt().fract())
        .take(count)
        .collect()
}
