//! Two-stage least squares on sieves of one or several dimensions, from sums over tiles of observations.
//!
//! With `ψ` the sieve of the regressors and `b` the sieve of the instruments, `β = M Σ b y` where `M = (A Σ b ψ')⁻ A` and
//! `A = Σ ψ b' (Σ b b')⁻`. Where the regressors are their own instruments, `M = (Σ ψ ψ')⁻`. The covariance of the coefficients of
//! two levels is `M_1 (Σ u_1 u_2 b_1 b_2') M_2'`. Rows of sieves have few entries that are not zero, so that nothing of the size of
//! observations times functions is formed (Chen, Christensen and Kankanala 2025, section 3).

use faer::MatRef;

use super::sieve::{Derivative, Sieve};
use crate::base::buckets::Buckets;
use crate::base::error::{DidError, DidWarning, Result};
use crate::base::parallel;
use crate::base::progress::tell;
use crate::base::spectrum::{GINV, Spectrum, Undetermined, row_major};
use crate::engine::pass::TILE;

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
    pub(super) fn members(&self) -> Buckets {
        Buckets::of_codes(self.shift.len(), self.of)
    }
}

impl Observations<'_> {
    /// Number of observations.
    pub fn len(&self) -> usize {
        self.y.len()
    }

    /// Number of observations that do not depend on each other: of clusters with observations, if there are clusters.
    pub fn independent(&self) -> usize {
        let Some(clusters) = self.clusters else { return self.len() };
        let mut present = vec![false; clusters.shift.len()];
        clusters.of.iter().for_each(|cluster| present[*cluster as usize] = true);
        present.into_iter().filter(|present| *present).count()
    }

    pub(super) fn weight(&self, row: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[row])
    }
}

pub(super) fn point(columns: &[Vec<f64>], row: usize, out: &mut Vec<f64>) {
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
    pub(super) fn instruments(&self) -> &Sieve {
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
    pub(super) map: Vec<f64>,
    /// Directions of the coefficients that the data do not tell apart.
    pub undetermined: Undetermined,
    /// Smallest singular value of the sieve's projection on the instruments; `None` where these are the regressors.
    pub strength: Option<f64>,
    /// Functions of the instruments that the data tell apart; `None` where these are the regressors.
    instruments: Option<usize>,
}

/// Share of the observations above which so many functions of instruments are said to be many.
const MANY_INSTRUMENTS: f64 = 0.2;

/// Rows of tiles that are held at a time, in doubles.
const HELD: usize = 1 << 22;

/// Sums `[size]` over the tiles of some rows, in the order of the tiles.
pub(super) fn summed(
    rows: usize,
    size: usize,
    tile: impl Fn(std::ops::Range<usize>, &mut [f64]) + Sync,
) -> Vec<f64> {
    let tiles = rows.div_ceil(TILE);
    let at_once = (HELD / size.max(1)).clamp(2, 64);
    let mut sum = vec![0.0; size];
    for first in (0..tiles).step_by(at_once) {
        tell("sieves", first as u64, tiles as u64);
        let parts = parallel::map(at_once.min(tiles - first), |t| {
            let mut part = vec![0.0; size];
            tile(parallel::part(first + t, TILE, rows), &mut part);
            part
        });
        for part in &parts {
            crate::engine::pass::add(&mut sum, part);
        }
    }
    sum
}

impl SieveLevel {
    /// The estimate on these sieves.
    ///
    /// # Errors
    /// [`DidError::OutOfRange`] if the sums have no eigenvalues, as of infinite numbers.
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
        let of_instruments = spectrum(&sums[..bb], k)?;
        let bb_inverse = spectral(&of_instruments, k, f64::recip);
        let instruments = sieves.w.is_some().then(|| of_instruments.beyond(GINV).len());
        let (map, undetermined, strength) = if sieves.w.is_some() {
            let cross = &sums[bb..bb + pb];
            let a = product(cross, &bb_inverse, j, k, k);
            let gram = product_transposed(&a, cross, j, k, j);
            let strength = strength(data, &sieves, &gram)?;
            let of_gram = spectrum(&gram, j)?;
            let inverse = spectral(&of_gram, j, f64::recip);
            (product(&inverse, &a, j, j, k), Undetermined::of(&of_gram), Some(strength))
        } else {
            (bb_inverse, Undetermined::of(&of_instruments), None)
        };
        let beta = product(&map, &sums[bb + pb..], j, k, 1);
        Ok(Self { sieves, beta, map, undetermined, strength, instruments })
    }

    /// Number of functions of the regressors.
    pub fn len(&self) -> usize {
        self.beta.len()
    }

    /// Number of functions, or combinations of them, that the data tell apart.
    pub fn rank(&self) -> usize {
        self.len() - self.undetermined.len()
    }

    /// Whether the data determine the estimate at a row of the sieve.
    pub fn determines(&self, row: &[(usize, f64)]) -> bool {
        self.undetermined.leaves(row.iter().copied())
    }

    /// A warning if the data do not tell apart all functions.
    pub fn collinear(&self) -> Option<DidWarning> {
        let (functions, rank) = (self.len(), self.rank());
        (rank < functions).then_some(DidWarning::CollinearSieve { functions, rank })
    }

    /// `p' M b` of rows of the two sieves.
    pub(super) fn bilinear(&self, p: &[(usize, f64)], b: &[(usize, f64)]) -> f64 {
        let k = self.map.len() / self.len().max(1);
        let row = |i: usize| b.iter().map(|(c, v)| v * self.map[i * k + c]).sum::<f64>();
        p.iter().map(|(i, v)| v * row(*i)).sum()
    }

    /// An error if the instruments have as many functions as there are observations.
    ///
    /// # Errors
    /// [`DidError::Sieve`].
    pub fn check_instruments(&self, observations: usize) -> Result<()> {
        let Some(rank) = self.instruments.filter(|rank| *rank >= observations) else {
            return Ok(());
        };
        let problem = format!(
            "{rank} functions of the instruments fit {observations} observations of any regressor exactly, which is least squares: choose fewer segments (`w_segments`), fewer instruments or an additive basis, or leave out the instruments for the same curve"
        );
        Err(DidError::Sieve { problem })
    }

    /// A warning if the instruments have many functions for so many observations.
    pub fn many_instruments(&self, observations: usize) -> Option<DidWarning> {
        let functions = self.instruments?;
        (functions as f64 > MANY_INSTRUMENTS * observations as f64)
            .then_some(DidWarning::ManyInstruments { functions, observations })
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
    let gram_of_x = summed(data.len(), j * j, |rows, out| {
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
    let half = root_inverse(&gram_of_x, j)?;
    let inner = product(&product(&half, gram, j, j, j), &half, j, j, j);
    let values = spectrum(&inner, j)?.values;
    Ok(values.iter().copied().fold(f64::INFINITY, f64::min).max(0.0).sqrt())
}

/// `a b` of row-major matrices `[rows, inner]` and `[inner, cols]`.
pub(super) fn product(a: &[f64], b: &[f64], rows: usize, inner: usize, cols: usize) -> Vec<f64> {
    let a = MatRef::from_row_major_slice(a, rows, inner);
    let b = MatRef::from_row_major_slice(b, inner, cols);
    row_major((a * b).as_ref())
}

/// `a b'` of row-major matrices `[rows, inner]` and `[cols, inner]`.
pub(super) fn product_transposed(
    a: &[f64],
    b: &[f64],
    rows: usize,
    inner: usize,
    cols: usize,
) -> Vec<f64> {
    let a = MatRef::from_row_major_slice(a, rows, inner);
    let b = MatRef::from_row_major_slice(b, cols, inner);
    row_major((a * b.transpose()).as_ref())
}

/// The spectrum of sums over the observations.
///
/// # Errors
/// [`DidError::OutOfRange`] if they are not finite.
fn spectrum(a: &[f64], k: usize) -> Result<Spectrum> {
    let finite = a.iter().all(|v| v.is_finite());
    finite.then(|| Spectrum::new(a, k)).flatten().ok_or_else(|| DidError::OutOfRange {
        problem: "the sums over the observations are not finite; divide outcome and regressors by larger units".into(),
    })
}

/// `Σ f(λ) u u'` over the eigenvalues that are not zero but for rounding.
fn spectral(spectrum: &Spectrum, k: usize, f: impl Fn(f64) -> f64) -> Vec<f64> {
    let Spectrum { values, vectors, .. } = spectrum;
    let nonzero = spectrum.beyond(GINV);
    let columns = |factor: &dyn Fn(f64) -> f64| -> Vec<f64> {
        let row = |r: usize| nonzero.iter().map(move |i| vectors[r * k + i] * factor(values[*i]));
        (0..k).flat_map(row).collect()
    };
    product_transposed(&columns(&f), &columns(&|_| 1.0), k, nonzero.len(), k)
}

/// The Moore-Penrose inverse of a symmetric matrix, singular values up to `√ε` of the largest taken as zero (R's `ginv`).
pub(crate) fn pseudo_inverse(a: &[f64], k: usize) -> Result<Vec<f64>> {
    Ok(spectral(&spectrum(a, k)?, k, f64::recip))
}

fn root_inverse(a: &[f64], k: usize) -> Result<Vec<f64>> {
    Ok(spectral(&spectrum(a, k)?, k, |value| value.sqrt().recip()))
}
