//! Two-stage least squares on sieves of one or several dimensions, from sums over tiles of observations.
//!
//! With `ψ` the sieve of the regressors and `b` that of the instruments, `β = M Σ b y` where `M = (A Σ b ψ')⁻ A` and
//! `A = Σ ψ b' (Σ b b')⁻`. Where the regressors are their own instruments, `M = (Σ ψ ψ')⁻`. The covariance of the coefficients of
//! two levels is `M_1 (Σ u_1 u_2 b_1 b_2') M_2'`. Rows of sieves have few entries that are not zero, so that nothing of the size of
//! observations times functions is formed (Chen, Christensen and Kankanala 2025, section 3).

use faer::{MatRef, Side};

use super::sieve::{Derivative, Sieve};
use crate::error::{DidError, DidWarning, Result};
use crate::parallel;
use crate::pass::TILE;

/// Observations, column by column.
#[derive(Clone, Copy)]
pub(crate) struct Observations<'a> {
    pub y: &'a [f64],
    pub x: &'a [Vec<f64>],
    /// Instruments; `None` if the regressors are their own.
    pub w: Option<&'a [Vec<f64>]>,
    /// Sampling weights; all one without.
    pub weights: Option<&'a [f64]>,
    /// Each observation is a cluster of its own without.
    pub clusters: Option<ObservationClusters<'a>>,
}

/// Observations that depend on each other.
#[derive(Clone, Copy)]
pub(crate) struct ObservationClusters<'a> {
    /// Cluster of each observation.
    pub of: &'a [u32],
    /// Influence of each cluster on what outcomes are measured from: it moves the whole curve, whose functions add up to one.
    pub shift: &'a [f64],
}

impl ObservationClusters<'_> {
    /// The observations of each cluster.
    fn members(&self) -> (Vec<usize>, Vec<usize>) {
        let mut starts = vec![0; self.shift.len() + 1];
        for cluster in self.of {
            starts[*cluster as usize + 1] += 1;
        }
        for g in 0..self.shift.len() {
            starts[g + 1] += starts[g];
        }
        let mut next = starts.clone();
        let mut rows = vec![0; self.of.len()];
        for (row, cluster) in self.of.iter().enumerate() {
            let place = &mut next[*cluster as usize];
            rows[*place] = row;
            *place += 1;
        }
        (starts, rows)
    }
}

impl Observations<'_> {
    /// Number of observations.
    pub fn len(&self) -> usize {
        self.y.len()
    }

    fn weight(&self, row: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[row])
    }
}

fn point(columns: &[Vec<f64>], row: usize, out: &mut Vec<f64>) {
    out.clear();
    out.extend(columns.iter().map(|column| column[row]));
}

/// The sieves of one dimension.
#[derive(Clone, Debug)]
pub(crate) struct Sieves {
    pub x: Sieve,
    /// `None` if the regressors are their own instruments.
    pub w: Option<Sieve>,
}

impl Sieves {
    fn instruments(&self) -> &Sieve {
        self.w.as_ref().unwrap_or(&self.x)
    }
}

/// An estimate on sieves of one dimension.
#[derive(Clone, Debug)]
pub(crate) struct SieveLevel {
    pub sieves: Sieves,
    /// `[J]`.
    pub beta: Vec<f64>,
    /// `M`, `[J, K]`.
    map: Vec<f64>,
    /// Directions of the coefficients that the data tell apart.
    rank: usize,
    /// Smallest singular value of the sieve's projection on the instruments; `None` where these are the regressors.
    pub strength: Option<f64>,
}

/// Rows of tiles that are held at a time, in doubles.
const HELD: usize = 1 << 22;

/// Sums `[size]` over the tiles of some rows, in the order of the tiles.
fn summed(
    rows: usize,
    size: usize,
    tile: impl Fn(std::ops::Range<usize>, &mut [f64]) + Sync,
) -> Vec<f64> {
    let tiles = rows.div_ceil(TILE);
    let at_once = (HELD / size.max(1)).clamp(2, 64);
    let mut sum = vec![0.0; size];
    for first in (0..tiles).step_by(at_once) {
        let parts = parallel::map(at_once.min(tiles - first), |t| {
            let mut part = vec![0.0; size];
            tile(parallel::part(first + t, TILE, rows), &mut part);
            part
        });
        for part in &parts {
            crate::pass::add(&mut sum, part);
        }
    }
    sum
}

impl SieveLevel {
    /// The estimate on these sieves.
    ///
    /// # Errors
    /// [`DidError::Doses`] if the sums have no eigenvalues, as of infinite numbers.
    pub fn new(data: &Observations<'_>, sieves: Sieves) -> Result<Self> {
        let (j, k) = (sieves.x.len(), sieves.instruments().len());
        let (bb, pb) = (k * k, if sieves.w.is_some() { j * k } else { 0 });
        let sums = summed(data.len(), bb + pb + k, |rows, out| {
            let (mut at, mut b, mut p) = (Vec::new(), Vec::new(), Vec::new());
            for row in rows {
                let (weight, y) = (data.weight(row), data.y[row]);
                point(data.w.unwrap_or(data.x), row, &mut at);
                sieves.instruments().row(&at, None, &mut b);
                if sieves.w.is_some() {
                    point(data.x, row, &mut at);
                    sieves.x.row(&at, None, &mut p);
                }
                for (c, vc) in &b {
                    let vc = weight * vc;
                    for (d, vd) in &b {
                        out[c * k + d] += vc * vd;
                    }
                    for (i, vi) in &p {
                        out[bb + i * k + c] += vc * vi;
                    }
                    out[bb + pb + c] += vc * y;
                }
            }
        });
        let (bb_inverse, rank) = spectral(&sums[..bb], k, f64::recip)?;
        let (map, rank, strength) = if sieves.w.is_some() {
            let cross = &sums[bb..bb + pb];
            let a = product(cross, &bb_inverse, j, k, k);
            let gram = product_transposed(&a, cross, j, k, j);
            let strength = strength(data, &sieves, &gram)?;
            let (inverse, rank) = spectral(&gram, j, f64::recip)?;
            (product(&inverse, &a, j, j, k), rank, Some(strength))
        } else {
            (bb_inverse, rank, None)
        };
        let beta = product(&map, &sums[bb + pb..], j, k, 1);
        Ok(Self { sieves, beta, map, rank, strength })
    }

    /// Number of functions of the regressors.
    pub fn len(&self) -> usize {
        self.beta.len()
    }

    /// A warning if the data do not tell apart all functions.
    pub fn collinear(&self) -> Option<DidWarning> {
        let (functions, rank) = (self.len(), self.rank);
        (rank < functions).then_some(DidWarning::CollinearSieve { functions, rank })
    }

    /// The sieve at some points, or its derivative: entries that are not zero.
    pub fn rows(
        &self,
        points: &[Vec<f64>],
        derivative: Option<Derivative>,
    ) -> Vec<Vec<(usize, f64)>> {
        let row = |point: &Vec<f64>| {
            let mut out = Vec::new();
            self.sieves.x.row(point, derivative, &mut out);
            out
        };
        points.iter().map(row).collect()
    }
}

/// Smallest singular value of `(Σ ψψ')^{-1/2} Σ ψb' (Σ bb')^{-1/2}`, whose square is the smallest eigenvalue of
/// `(Σ ψψ')⁻ A Σ bψ'`.
fn strength(data: &Observations<'_>, sieves: &Sieves, gram: &[f64]) -> Result<f64> {
    let j = sieves.x.len();
    let own = summed(data.len(), j * j, |rows, out| {
        let (mut at, mut p) = (Vec::new(), Vec::new());
        for row in rows {
            point(data.x, row, &mut at);
            sieves.x.row(&at, None, &mut p);
            let weight = data.weight(row);
            for (c, vc) in &p {
                for (d, vd) in &p {
                    out[c * j + d] += weight * vc * vd;
                }
            }
        }
    });
    let half = root_inverse(&own, j)?;
    let inner = product(&product(&half, gram, j, j, j), &half, j, j, j);
    let (values, _) = eigen(&inner, j)?;
    Ok(values.iter().copied().fold(f64::INFINITY, f64::min).max(0.0).sqrt())
}

/// Estimates of several dimensions with their joint covariance.
pub(crate) struct SieveLevels {
    pub levels: Vec<SieveLevel>,
    /// First coefficient of each level among all.
    pub first: Vec<usize>,
    /// Covariance of all coefficients, `[m, m]`.
    pub covariance: Vec<f64>,
}

impl SieveLevels {
    /// With the covariance of the coefficients of all levels, from their residuals.
    pub fn new(data: &Observations<'_>, levels: Vec<SieveLevel>) -> Self {
        let mut first = vec![0];
        let mut starts = vec![0];
        for level in &levels {
            first.push(first[first.len() - 1] + level.len());
            starts.push(starts[starts.len() - 1] + level.sieves.instruments().len());
        }
        let m = first[levels.len()];
        let (meat, size) = meat(data, &levels, &starts);
        // Of what moves the curve with the scores of a level, and of itself.
        let shift = |level: &SieveLevel, start: usize| -> Vec<f64> {
            let k = level.sieves.instruments().len();
            let last = &meat[(size - 1) * size..];
            product(&level.map, &last[start..start + k], level.len(), k, 1)
        };
        let shifts: Option<Vec<Vec<f64>>> =
            data.clusters.map(|_| levels.iter().zip(&starts).map(|(l, s)| shift(l, *s)).collect());
        let mut covariance = vec![0.0; m * m];
        for (a, one) in levels.iter().enumerate() {
            for (b, other) in levels.iter().enumerate() {
                let (ka, kb) = (starts[a + 1] - starts[a], starts[b + 1] - starts[b]);
                let block: Vec<f64> = (0..ka * kb)
                    .map(|e| meat[(starts[a] + e / kb) * size + starts[b] + e % kb])
                    .collect();
                let half = product(&one.map, &block, one.len(), ka, kb);
                let own = product_transposed(&half, &other.map, one.len(), kb, other.len());
                for (e, value) in own.iter().enumerate() {
                    let (i, j) = (e / other.len(), e % other.len());
                    let moved =
                        shifts.as_ref().map_or(0.0, |s| s[a][i] + s[b][j] + meat[size * size - 1]);
                    covariance[(first[a] + i) * m + first[b] + j] = value + moved;
                }
            }
        }
        Self { levels, first, covariance }
    }

    /// Number of coefficients of all levels.
    pub fn len(&self) -> usize {
        self.first[self.levels.len()]
    }

    /// `r_a' V r_b` for rows of the sieves of two levels.
    pub fn quadratic(
        &self,
        a: usize,
        b: usize,
        one: &[(usize, f64)],
        other: &[(usize, f64)],
    ) -> f64 {
        let m = self.len();
        let row = |i: usize| {
            let of = |(j, v): &(usize, f64)| v * self.covariance[i * m + self.first[b] + j];
            other.iter().map(of).sum::<f64>()
        };
        one.iter().map(|(i, v)| v * row(self.first[a] + i)).sum()
    }
}

/// Sums of the products of scores of all levels, which start at `starts`, and how many scores there are. With clusters these are
/// sums of their observations, and the last is what moves the curve.
fn meat(data: &Observations<'_>, levels: &[SieveLevel], starts: &[usize]) -> (Vec<f64>, usize) {
    let all = starts[levels.len()];
    let scores = |row: usize, at: &mut Vec<f64>, row_of: &mut Vec<_>, out: &mut Vec<_>| {
        out.clear();
        for (level, start) in levels.iter().zip(starts) {
            point(data.x, row, at);
            level.sieves.x.row(at, None, row_of);
            let fitted: f64 = row_of.iter().map(|(j, v)| v * level.beta[*j]).sum();
            let residual = data.weight(row) * (data.y[row] - fitted);
            if let (Some(w), Some(sieve)) = (data.w, &level.sieves.w) {
                point(w, row, at);
                sieve.row(at, None, row_of);
            }
            out.extend(row_of.iter().map(|(j, v)| (start + j, residual * v)));
        }
    };
    let Some(clusters) = data.clusters else {
        let sums = summed(data.len(), all * all, |rows, out| {
            let (mut at, mut row_of, mut own) = (Vec::new(), Vec::new(), Vec::new());
            for row in rows {
                scores(row, &mut at, &mut row_of, &mut own);
                for (c, vc) in &own {
                    for (d, vd) in &own {
                        out[c * all + d] += vc * vd;
                    }
                }
            }
        });
        return (sums, all);
    };
    let size = all + 1;
    let (first, members) = clusters.members();
    let sums = summed(clusters.shift.len(), size * size, |range, out| {
        let (mut at, mut row_of, mut own) = (Vec::new(), Vec::new(), Vec::new());
        for cluster in range {
            let mut sum = vec![0.0; size];
            sum[all] = clusters.shift[cluster];
            for row in &members[first[cluster]..first[cluster + 1]] {
                scores(*row, &mut at, &mut row_of, &mut own);
                for (c, v) in &own {
                    sum[*c] += v;
                }
            }
            for (c, vc) in sum.iter().enumerate().filter(|(_, v)| **v != 0.0) {
                for (out, vd) in out[c * size..].iter_mut().zip(&sum) {
                    *out += vc * vd;
                }
            }
        }
    });
    (sums, size)
}

/// `a b` of row-major matrices `[rows, inner]` and `[inner, cols]`.
fn product(a: &[f64], b: &[f64], rows: usize, inner: usize, cols: usize) -> Vec<f64> {
    let a = MatRef::from_row_major_slice(a, rows, inner);
    let b = MatRef::from_row_major_slice(b, inner, cols);
    let c = a * b;
    (0..rows * cols).map(|e| c[(e / cols, e % cols)]).collect()
}

/// `a b'` of row-major matrices `[rows, inner]` and `[cols, inner]`.
fn product_transposed(a: &[f64], b: &[f64], rows: usize, inner: usize, cols: usize) -> Vec<f64> {
    let a = MatRef::from_row_major_slice(a, rows, inner);
    let b = MatRef::from_row_major_slice(b, cols, inner);
    let c = a * b.transpose();
    (0..rows * cols).map(|e| c[(e / cols, e % cols)]).collect()
}

/// Eigenvalues and eigenvectors `[k, k]` (columns) of a symmetric matrix.
fn eigen(a: &[f64], k: usize) -> Result<(Vec<f64>, Vec<f64>)> {
    let failed = || {
        DidError::Doses {
        problem: "the sums over the observations are not finite; divide outcome and regressors by larger units".into(),
    }
    };
    if !a.iter().all(|v| v.is_finite()) {
        return Err(failed());
    }
    let matrix = MatRef::from_row_major_slice(a, k, k);
    let found = matrix.self_adjoint_eigen(Side::Lower).map_err(|_| failed())?;
    let (u, s) = (found.U(), found.S());
    let vectors = (0..k * k).map(|e| u[(e / k, e % k)]).collect();
    Ok(((0..k).map(|i| s[i]).collect(), vectors))
}

/// `Σ f(λ) u u'` over the eigenvalues that are not zero but for rounding, and their number.
fn spectral(a: &[f64], k: usize, f: impl Fn(f64) -> f64) -> Result<(Vec<f64>, usize)> {
    let (values, vectors) = eigen(a, k)?;
    let largest = values.iter().copied().fold(0.0, f64::max);
    let kept: Vec<usize> = (0..k).filter(|i| values[*i] > largest * f64::EPSILON.sqrt()).collect();
    let scaled: Vec<f64> = (0..k)
        .flat_map(|r| kept.iter().map(move |i| (r, *i)))
        .map(|(r, i)| vectors[r * k + i] * f(values[i]))
        .collect();
    let plain: Vec<f64> = (0..k)
        .flat_map(|r| kept.iter().map(move |i| (r, *i)))
        .map(|(r, i)| vectors[r * k + i])
        .collect();
    Ok((product_transposed(&scaled, &plain, k, kept.len(), k), kept.len()))
}

/// The Moore-Penrose inverse of a symmetric matrix, singular values up to `√ε` of the largest taken as zero (R's `ginv`).
pub(crate) fn pseudo_inverse(a: &[f64], k: usize) -> Result<Vec<f64>> {
    Ok(spectral(a, k, f64::recip)?.0)
}

fn root_inverse(a: &[f64], k: usize) -> Result<Vec<f64>> {
    Ok(spectral(a, k, |value| value.sqrt().recip())?.0)
}

#[cfg(test)]
mod tests {
    use super::super::sieve::SieveBasis;
    use super::*;
    use crate::splines::Splines;

    /// The sum over clusters of the products of what their observations, and their shift, make of the coefficients.
    #[test]
    fn clusters_are_summed_before_they_are_squared() {
        let n = 60;
        let of: Vec<u32> = (0..n).map(|i| (7 * i) % 11).collect();
        // The last cluster has no observation.
        let shift: Vec<f64> = (0..12).map(|g| 0.01 * f64::from(g) - 0.05).collect();
        let x: Vec<f64> = (0..n).map(|i| f64::from(i) / f64::from(n - 1)).collect();
        let y: Vec<f64> = (0..n).map(|i| f64::from(i * i % 17)).collect();
        let weights: Vec<f64> = (0..n).map(|i| 1.0 + f64::from(i % 3)).collect();
        let x = [x];
        let clusters = Some(ObservationClusters { of: &of, shift: &shift });
        let data = Observations { y: &y, x: &x, w: None, weights: Some(&weights), clusters };
        let level = |points: &[f64]| {
            let splines = vec![Splines::new(2, points).unwrap()];
            let x = Sieve { basis: SieveBasis::Tensor, splines };
            SieveLevel::new(&data, Sieves { x, w: None }).unwrap()
        };
        let levels = SieveLevels::new(&data, vec![level(&[0.0, 1.0]), level(&[0.0, 0.4, 1.0])]);
        let m = levels.len();
        let mut influence = vec![vec![0.0; m]; shift.len()];
        for (sum, shift) in influence.iter_mut().zip(&shift) {
            sum.fill(*shift);
        }
        for (level, first) in levels.levels.iter().zip(&levels.first) {
            let j = level.len();
            for (row, cluster) in of.iter().enumerate() {
                let psi = level.sieves.x.splines[0].row(x[0][row], 0);
                let fitted: f64 = psi.iter().zip(&level.beta).map(|(p, b)| p * b).sum();
                for a in 0..j {
                    let direction: f64 = (0..j).map(|b| level.map[a * j + b] * psi[b]).sum();
                    influence[*cluster as usize][first + a] +=
                        direction * weights[row] * (y[row] - fitted);
                }
            }
        }
        for a in 0..m {
            for b in 0..m {
                let expected: f64 = influence.iter().map(|sum| sum[a] * sum[b]).sum();
                let found = levels.covariance[a * m + b];
                assert!((found - expected).abs() < 1e-10, "{a}, {b}: {found}, {expected}");
            }
        }
    }
}
