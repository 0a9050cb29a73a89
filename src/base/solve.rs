//! Small dense algebra on the host, and the tolerances by which matrices count as singular and columns as dependent.

use faer::linalg::solvers::{DenseSolveCore, Llt, Solve};
use faer::{Mat, MatRef, Side};

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

/// Factorised symmetric positive definite matrix, scaled to unit diagonal.
pub(crate) struct Spd {
    scale: Vec<f64>,
    scaled: Mat<f64>,
    factor: Llt<f64>,
}

impl Spd {
    /// Factorises `a`, `[k, k]` row-major; `None` if it is not positive definite to working precision.
    pub fn new(a: &[f64], k: usize) -> Option<Self> {
        let a = MatRef::from_row_major_slice(a, k, k);
        let scale: Vec<f64> = (0..k).map(|i| a[(i, i)].sqrt().recip()).collect();
        if !scale.iter().all(|s| s.is_finite()) {
            return None;
        }
        let scaled = Mat::from_fn(k, k, |i, j| a[(i, j)] * scale[i] * scale[j]);
        let factor = Llt::new(scaled.as_ref(), Side::Lower).ok()?;
        Some(Self { scale, scaled, factor })
    }

    /// As [`new`](Self::new), but `None` also if a pivot may be rounding: of a singular matrix it is as often positive as not.
    pub fn regular(a: &[f64], k: usize) -> Option<Self> {
        let spd = Self::new(a, k)?;
        let lower = spd.factor.L();
        let regular = (0..k).all(|j| lower[(j, j)] * lower[(j, j)] > ROUNDING);
        regular.then_some(spd)
    }

    /// Solves `a x = b`, with one step of iterative refinement.
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
        let k = self.scale.len();
        let rhs = Mat::from_fn(k, 1, |i, _| b[i] * self.scale[i]);
        let mut x = self.factor.solve(&rhs);
        let residual = &rhs - &self.scaled * &x;
        x += self.factor.solve(&residual);
        (0..k).map(|i| x[(i, 0)] * self.scale[i]).collect()
    }

    /// `a⁻¹`, `[k, k]` row-major.
    pub fn inverse(&self) -> Vec<f64> {
        let k = self.scale.len();
        let inverse = self.factor.inverse();
        (0..k * k)
            .map(|e| inverse[(e / k, e % k)] * self.scale[e / k] * self.scale[e % k])
            .collect()
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
