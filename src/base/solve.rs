//! Small dense algebra on the host, and the tolerances by which matrices count as singular and columns as dependent.

use faer::{MatRef, Side};

use super::spectrum::Spectrum;

/// A matrix whose reciprocal condition number (1-norm) is below this is singular, as in R `did`.
pub(crate) const SINGULAR: f64 = f64::EPSILON;

/// A pivot of the unit-diagonal scaled matrix of at most this is what rounding leaves of zero.
const ROUNDING: f64 = 1e-14;

/// A pivot of the unit-diagonal scaled matrix below this marks a column as dependent on the ones before it.
pub(crate) const DEPENDENT: f64 = 1e-9;

/// As [`DEPENDENT`], for a column that is dropped: R's pivoted QR decomposition drops where the square root is below 1e-6.
pub(crate) const COLLINEAR: f64 = 1e-12;

/// As [`COLLINEAR`], for cross-products formed in single precision.
pub(crate) const COLLINEAR_SINGLE: f64 = 1e-5;

/// Covariates whose correlation matrix has a larger reciprocal condition number (1-norm) than this are left as they are.
pub(crate) const CORRELATED: f64 = 1e-5;

/// As [`CORRELATED`], for data in single precision.
pub(crate) const CORRELATED_SINGLE: f64 = 0.05;

/// Covariates whose correlation matrix has a smaller one than this may depend on each other: what is left of them says.
pub(crate) const INSEPARABLE: f64 = 1e-13;

/// Symmetric positive definite matrix `[k, k]`, scaled to unit diagonal: `d a d = u'u`.
///
/// Most are of a few columns, for which loops over one piece of memory are faster than the blocks and buffers of a library.
pub(crate) struct Spd {
    k: usize,
    /// `d`, `[k]`, the scaled matrix and its upper factor, `[k, k]` row-major, one after the other.
    values: Vec<f64>,
}

impl Spd {
    /// Factorises `a`, `[k, k]` row-major; `None` if it is not positive definite to working precision.
    pub fn new(a: &[f64], k: usize) -> Option<Self> {
        let mut values = vec![0.0; k + 2 * k * k];
        let (scale, matrices) = values.split_at_mut(k);
        let (scaled, upper) = matrices.split_at_mut(k * k);
        for (i, scale) in scale.iter_mut().enumerate() {
            *scale = a[i * k + i].sqrt().recip();
            if !scale.is_finite() {
                return None;
            }
        }
        for (e, scaled) in scaled.iter_mut().enumerate() {
            *scaled = a[e] * scale[e / k] * scale[e % k];
        }
        upper.copy_from_slice(scaled);
        factorise(upper, k).then_some(Self { k, values })
    }

    /// As [`new`](Self::new), but `None` also if a pivot may be rounding: of a singular matrix it is as often positive as not.
    pub fn regular(a: &[f64], k: usize) -> Option<Self> {
        let spd = Self::new(a, k)?;
        let (_, _, upper) = spd.parts();
        let regular = (0..k).all(|j| upper[j * k + j] * upper[j * k + j] > ROUNDING);
        regular.then_some(spd)
    }

    /// Scale, scaled matrix and upper factor.
    fn parts(&self) -> (&[f64], &[f64], &[f64]) {
        let (scale, matrices) = self.values.split_at(self.k);
        let (scaled, upper) = matrices.split_at(self.k * self.k);
        (scale, scaled, upper)
    }

    /// Solves `a x = b`, with one step of iterative refinement.
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
        let k = self.k;
        let (scale, scaled, upper) = self.parts();
        let mut x: Vec<f64> = b.iter().zip(scale).map(|(b, scale)| b * scale).collect();
        substitute(upper, &mut x);
        let mut residual: Vec<f64> =
            (0..k).map(|i| b[i] * scale[i] - dot(&scaled[i * k..(i + 1) * k], &x)).collect();
        substitute(upper, &mut residual);
        for ((x, correction), scale) in x.iter_mut().zip(residual).zip(scale) {
            *x = (*x + correction) * scale;
        }
        x
    }

    /// `a⁻¹`, `[k, k]` row-major.
    pub fn inverse(&self) -> Vec<f64> {
        let k = self.k;
        let (scale, _, upper) = self.parts();
        let mut inverse = vec![0.0; k * k];
        // The lower triangle of u'⁻¹ by rows, then that of u⁻¹ times it.
        for j in 0..k {
            let (above, below) = inverse.split_at_mut((j + 1) * k);
            let row = &mut above[j * k..=j * k + j];
            row[j] = 1.0;
            divide(row, upper[j * k + j]);
            for (entry, below) in upper[j * k + j + 1..].iter().zip(below.chunks_exact_mut(k)) {
                add_scaled(&mut below[..=j], -entry, row);
            }
        }
        for j in (0..k).rev() {
            let (above, below) = inverse.split_at_mut((j + 1) * k);
            let row = &mut above[j * k..=j * k + j];
            for (entry, below) in upper[j * k + j + 1..].iter().zip(below.chunks_exact(k)) {
                add_scaled(row, -entry, &below[..=j]);
            }
            divide(row, upper[j * k + j]);
        }
        for i in 0..k {
            for j in 0..=i {
                inverse[i * k + j] *= scale[i] * scale[j];
                inverse[j * k + i] = inverse[i * k + j];
            }
        }
        inverse
    }
}

/// Turns the upper triangle of `a`, `[k, k]`, into `u` with `a = u'u`; `false` where a pivot is not positive.
fn factorise(a: &mut [f64], k: usize) -> bool {
    for j in 0..k {
        let (above, below) = a.split_at_mut((j + 1) * k);
        let row = &mut above[j * k + j..];
        let pivot = row[0];
        if pivot.is_nan() || pivot <= 0.0 {
            return false;
        }
        let root = pivot.sqrt();
        divide(row, root);
        for (i, below) in (1..).zip(below.chunks_exact_mut(k)) {
            add_scaled(&mut below[j + i..], -row[i], &row[i..]);
        }
    }
    true
}

/// Solves `u'u x = b` in place.
fn substitute(upper: &[f64], x: &mut [f64]) {
    let k = x.len();
    for j in 0..k {
        let (known, rest) = x.split_at_mut(j + 1);
        known[j] /= upper[j * k + j];
        add_scaled(rest, -known[j], &upper[j * k + j + 1..(j + 1) * k]);
    }
    for j in (0..k).rev() {
        let (known, rest) = x.split_at_mut(j + 1);
        known[j] -= dot(&upper[j * k + j + 1..(j + 1) * k], rest);
        known[j] /= upper[j * k + j];
    }
}

/// Inverse of a positive semidefinite matrix, `[k, k]`; where it is singular, the Moore-Penrose inverse.
pub(crate) fn symmetric_inverse(a: &[f64], k: usize) -> Vec<f64> {
    if let Some(factor) = Spd::new(a, k) {
        let inverse = factor.inverse();
        if reciprocal_condition(a, &inverse, k) >= SINGULAR {
            return inverse;
        }
    }
    let spectrum = Spectrum::new(a, k);
    spectrum.map_or_else(
        || vec![f64::NAN; k * k],
        |spectrum| spectrum.inverse(&spectrum.beyond(k as f64 * f64::EPSILON)),
    )
}

/// `1 / (‖a‖₁ ‖a⁻¹‖₁)`; 0 for a matrix that cannot be inverted.
pub(crate) fn reciprocal_condition(a: &[f64], inverse: &[f64], k: usize) -> f64 {
    let norm = |m: &[f64]| {
        (0..k).map(|j| (0..k).map(|i| m[i * k + j].abs()).sum::<f64>()).fold(0.0, f64::max)
    };
    let rcond = 1.0 / (norm(a) * norm(inverse));
    if rcond.is_finite() { rcond } else { 0.0 }
}

/// Columns of a Gram matrix that are linear combinations of the ones before them: their pivots are at most `tolerance` of the
/// diagonal.
pub(crate) fn dependent_columns(gram: &[f64], k: usize, tolerance: f64) -> Vec<usize> {
    let diagonal: Vec<f64> = (0..k).map(|i| gram[i * k + i]).collect();
    dependent_beside(gram, &diagonal, tolerance)
}

/// As [`dependent_columns`], with the size of each column to judge its pivot by.
pub(crate) fn dependent_beside(gram: &[f64], sizes: &[f64], tolerance: f64) -> Vec<usize> {
    let k = sizes.len();
    let mut a: Vec<f64> = gram.to_vec();
    let mut dependent = Vec::new();
    for p in 0..k {
        let pivot = a[p * k + p];
        if pivot.is_nan() || pivot <= tolerance * sizes[p] {
            dependent.push(p);
            continue;
        }
        for i in p + 1..k {
            let factor = a[i * k + p] / pivot;
            for j in p + 1..k {
                a[i * k + j] -= factor * a[p * k + j];
            }
        }
    }
    dependent
}

/// The smallest eigenvalue of a symmetric matrix, `[k, k]`; not a number if it cannot be found.
pub(crate) fn least_eigenvalue(a: &[f64], k: usize) -> f64 {
    let eigenvalues = MatRef::from_row_major_slice(a, k, k).self_adjoint_eigenvalues(Side::Lower);
    let least = |values: Vec<f64>| values.into_iter().fold(f64::INFINITY, f64::min);
    eigenvalues.map_or(f64::NAN, least)
}

/// Lower factor `l` with `a = l l'` of a positive semidefinite matrix, `[m, rank]` row-major, by pivoting; and the rank.
pub(crate) fn semidefinite_factor(a: &[f64], m: usize) -> (Vec<f64>, usize) {
    let mut diagonal: Vec<f64> = (0..m).map(|i| a[i * m + i]).collect();
    let tolerance = diagonal.iter().copied().fold(0.0, f64::max) * m as f64 * f64::EPSILON;
    let mut columns: Vec<Vec<f64>> = Vec::new();
    for _ in 0..m {
        let (pivot, value) = diagonal
            .iter()
            .enumerate()
            .fold((0, 0.0), |best, (i, v)| if *v > best.1 { (i, *v) } else { best });
        if value <= tolerance {
            break;
        }
        let root = value.sqrt();
        let column: Vec<f64> = (0..m)
            .map(|i| {
                let known: f64 = columns.iter().map(|c| c[i] * c[pivot]).sum();
                (a[i * m + pivot] - known) / root
            })
            .collect();
        for (r, c) in diagonal.iter_mut().zip(&column) {
            *r -= c * c;
        }
        diagonal[pivot] = 0.0;
        columns.push(column);
    }
    let rank = columns.len();
    ((0..m * rank).map(|e| columns[e % rank][e / rank]).collect(), rank)
}

/// `m v` for a row-major `[rows, cols]` matrix.
pub(crate) fn multiply(m: &[f64], v: &[f64]) -> Vec<f64> {
    if v.is_empty() {
        return Vec::new();
    }
    m.chunks_exact(v.len()).map(|row| dot(row, v)).collect()
}

/// `a b a'` for a row-major `[rows, k]` matrix and a symmetric `[k, k]` one.
pub(crate) fn sandwich(a: &[f64], b: &[f64], k: usize) -> Vec<f64> {
    let rows = || a.chunks_exact(k.max(1));
    let half: Vec<Vec<f64>> = rows().map(|row| multiply(b, row)).collect();
    half.iter().flat_map(|half| rows().map(move |row| dot(row, half))).collect()
}

/// `a += scale b`, of equally long vectors.
pub(crate) fn add_scaled(a: &mut [f64], scale: f64, b: &[f64]) {
    debug_assert_eq!(a.len(), b.len());
    for (a, b) in a.iter_mut().zip(b) {
        *a += scale * b;
    }
}

/// `a /= divisor`.
fn divide(a: &mut [f64], divisor: f64) {
    for a in a {
        *a /= divisor;
    }
}

/// `scale v`.
pub(crate) fn scaled(v: Vec<f64>, scale: f64) -> Vec<f64> {
    v.into_iter().map(|v| v * scale).collect()
}

/// `Σ_j s_j v_j` of equally long vectors.
pub(crate) fn combine(terms: &[(f64, &[f64])]) -> Vec<f64> {
    let k = terms.first().map_or(0, |t| t.1.len());
    (0..k).map(|i| terms.iter().map(|(s, v)| s * v[i]).sum()).collect()
}

/// `a'b`.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_a_badly_scaled_system() {
        let (a, x) = ([4e12, 2e3, 2e3, 3.0], [1e-6, 2.0]);
        let b = multiply(&a, &x);
        let got = Spd::new(&a, 2).unwrap().solve(&b);
        assert!(got.iter().zip(x).all(|(g, x)| (g / x - 1.0).abs() < 1e-13));
    }

    #[test]
    fn inverses_of_many_columns_are_symmetric() {
        let k = 40;
        // Columns of very different sizes, each correlated with those next to it.
        let size = |i: usize| 10f64.powi(i as i32 % 9 - 4);
        let entry = |i: usize, j: usize| size(i) * size(j) * 0.8f64.powi(i.abs_diff(j) as i32);
        let a: Vec<f64> = (0..k * k).map(|e| entry(e / k, e % k)).collect();
        let spd = Spd::regular(&a, k).unwrap();
        let inverse = spd.inverse();
        for i in 0..k {
            let unit: Vec<f64> = (0..k).map(|j| f64::from(u8::from(i == j))).collect();
            let column = spd.solve(&unit);
            for j in 0..k {
                assert!(inverse[i * k + j] == inverse[j * k + i]);
                let unscaled = (inverse[i * k + j] - column[j]) * size(i) * size(j);
                assert!(unscaled.abs() < 1e-13, "{i}, {j}: {unscaled}");
                let product = dot(&a[i * k..(i + 1) * k], &inverse[j * k..(j + 1) * k]);
                let identity = f64::from(u8::from(i == j));
                assert!((product - identity).abs() < 1e-12 * size(i) / size(j), "{i}, {j}");
            }
        }
    }

    #[test]
    fn what_is_not_positive_definite_has_no_factor() {
        let indefinite = [1.0, 2.0, 2.0, 1.0];
        let none = [[0.0; 4], indefinite, [1.0, f64::NAN, f64::NAN, 1.0], [-1.0, 0.0, 0.0, 1.0]];
        assert!(none.iter().all(|a| Spd::new(a, 2).is_none()));
        let singular = [1.0, 1.0 - 1e-15, 1.0 - 1e-15, 1.0];
        assert!(Spd::new(&singular, 2).is_some() && Spd::regular(&singular, 2).is_none());
    }

    #[test]
    fn nothing_is_solved_by_nothing() {
        assert!(Spd::regular(&[], 0).is_some_and(|none| none.solve(&[]).is_empty()));
    }

    #[test]
    fn sandwiches_are_products_of_three() {
        let (a, b) = ([1.0, 2.0, 0.0, -1.0, 1.0, 0.0], [2.0, 1.0, 1.0, 3.0]);
        assert_eq!(sandwich(&a, &b, 2), [18.0, -7.0, 4.0, -7.0, 3.0, -1.0, 4.0, -1.0, 2.0]);
    }

    #[test]
    fn vectors_are_combined_entry_by_entry() {
        let mut sum = [1.0, 2.0];
        add_scaled(&mut sum, 2.0, &[10.0, -1.0]);
        assert_eq!(sum, [21.0, 0.0]);
        assert_eq!(scaled(vec![1.0, -2.0], 0.5), [0.5, -1.0]);
        assert_eq!(combine(&[(1.0, &[1.0, 2.0]), (-3.0, &[1.0, 0.0])]), [-2.0, 2.0]);
        assert!(combine(&[]).is_empty());
    }

    #[test]
    fn singular_matrices_have_no_factor_and_name_the_column() {
        let a = [2.0, 2.0, 2.0, 2.0];
        assert!(Spd::new(&a, 2).is_none_or(|f| reciprocal_condition(&a, &f.inverse(), 2) < 1e-15));
        assert_eq!(dependent_columns(&a, 2, DEPENDENT), [1]);
    }

    #[test]
    fn semidefinite_factor_reproduces_a_singular_matrix() {
        let a = [4.0, 2.0, 2.0, 2.0, 1.0, 1.0, 2.0, 1.0, 5.0];
        let (l, rank) = semidefinite_factor(&a, 3);
        assert_eq!(rank, 2);
        for i in 0..3 {
            for j in 0..3 {
                let got = dot(&l[i * rank..(i + 1) * rank], &l[j * rank..(j + 1) * rank]);
                assert!((got - a[i * 3 + j]).abs() < 1e-14);
            }
        }
    }
}
