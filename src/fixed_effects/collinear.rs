//! Which columns follow from the ones before them, or from the fixed effects.

/// What is left of a column's sum of squares is nothing if it is at most this part of it.
const DEPENDENT: f64 = 1e-12;

/// A column is constant if its sum of squares about the mean is at most this part of that about zero.
const CONSTANT: f64 = 1e-24;

/// How precisely fixed effects were projected out decides what is left of a column that they span: it is nothing below this
/// many tolerances.
const TOLERANCES: f64 = 100.0;

/// Sums of squares of a column before the fixed effects were projected out.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Before {
    /// About zero.
    pub raw: f64,
    /// About the mean, where fixed effects or a constant are projected out; else about zero.
    pub centred: f64,
}

/// The columns to keep, in order: of a Gram matrix `[k, k]` of columns without their fixed effects, a Cholesky decomposition
/// whose pivot is nothing leaves out the column. Earlier columns win.
///
/// Differs from R `fixest` and `pyfixest`, whose tolerance of 1e-9 for the pivot is absolute: here it is a part of the column's
/// own sum of squares, so that the unit of a regressor does not matter.
pub(super) fn independent(gram: &[f64], before: &[Before], tolerance: f64) -> Vec<usize> {
    let k = before.len();
    let part = DEPENDENT.max((TOLERANCES * tolerance).powi(2));
    let mut factor: Vec<Vec<f64>> = Vec::new();
    let mut kept: Vec<usize> = Vec::new();
    for j in 0..k {
        let mut column: Vec<f64> = Vec::with_capacity(kept.len());
        for (a, i) in kept.iter().enumerate() {
            let known: f64 = column.iter().zip(&factor[a]).map(|(x, y)| x * y).sum();
            column.push((gram[i * k + j] - known) / factor[a][a]);
        }
        let known: f64 = column.iter().map(|x| x * x).sum();
        let pivot = gram[j * k + j] - known;
        let Before { raw, centred } = before[j];
        let is_constant = centred <= CONSTANT * raw;
        if !is_constant && pivot > part * centred && pivot > DEPENDENT * gram[j * k + j] {
            column.push(pivot.sqrt());
            factor.push(column);
            kept.push(j);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn before(sizes: &[f64]) -> Vec<Before> {
        sizes.iter().map(|s| Before { raw: *s, centred: *s }).collect()
    }

    #[test]
    fn earlier_columns_win_in_any_unit() {
        for unit in [1e-12, 1.0, 1e12] {
            // The third column is the sum of the first two.
            let a = [2.0, 1.0, 3.0, 1.0, 5.0, 6.0, 3.0, 6.0, 9.0].map(|v| v * unit);
            assert_eq!(
                independent(&a, &before(&[2.0 * unit, 5.0 * unit, 9.0 * unit]), 1e-8),
                [0, 1]
            );
        }
    }

    #[test]
    fn what_fixed_effects_span_is_left_out() {
        let gram = [1e-10, 0.0, 0.0, 4.0];
        assert_eq!(independent(&gram, &before(&[1e3, 8.0]), 1e-8), [1]);
        assert_eq!(independent(&gram, &before(&[1e-3, 8.0]), 1e-8), [0, 1]);
        let constant = Before { raw: 1e8, centred: 1e-18 };
        assert_eq!(independent(&[1e-18], &[constant], 1e-8), Vec::<usize>::new());
        assert_eq!(independent(&[0.0], &before(&[0.0]), 1e-8), Vec::<usize>::new());
        // A loose tolerance leaves more of a column that fixed effects span.
        assert_eq!(independent(&[1e-6], &before(&[1.0]), 1e-4), Vec::<usize>::new());
    }
}
