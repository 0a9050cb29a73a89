//! Which columns follow from the ones before them, or from the fixed effects.
//!
//! A Cholesky decomposition of the cross-products, in order: a column whose pivot is nothing is left out. The pivots of columns that nearly
//! depend on earlier ones are mostly rounding, of either sign. Where there are such, the columns are turned by the first decomposition into
//! nearly orthonormal ones, and the pivots of these decide (Yamamoto, Nakatsukasa, Yanagisawa and Fukaya 2015).

use super::sums;

/// Relative pivot tolerance: a column with a smaller residual sum of squares is treated as collinear.
const DEPENDENT: f64 = 1e-12;

/// A column is constant if its sum of squares about the mean is at most this part of that about zero.
const CONSTANT: f64 = 1e-24;

/// How precisely fixed effects were projected out decides what is left of a column that they span: it is nothing below this
/// many tolerances.
const TOLERANCES: f64 = 100.0;

/// What iterations leave of a combination of columns, in tolerances of the columns' sizes.
const ITERATED: f64 = 4.0;

/// What rounding leaves of a pivot, or of a combination of columns, as a part of what was subtracted.
const ROUNDING: f64 = 1e-14;

/// Pivots are what they seem where none is a smaller part of its column than the inverse of this.
const TRUSTED: f64 = 1e3;

/// Sums of squares of a column before the fixed effects were projected out.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::estimator) struct Before {
    /// About zero.
    pub raw: f64,
    /// About the mean, where fixed effects or a constant are projected out; else about zero.
    pub centred: f64,
}

/// What counts as nothing.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// Of a column's own sum of squares after and before the projection.
    own: f64,
    part: f64,
    /// Of the sizes of the columns in a combination.
    error: f64,
}

/// Columns that do not depend on each other.
#[derive(Debug)]
pub(in crate::estimator) struct Basis {
    /// Positions of those that are kept.
    pub kept: Vec<usize>,
    /// The kept columns, or combinations of them that are nearly orthonormal.
    pub columns: Vec<Vec<f64>>,
    /// Cross-products of these, `[k, k]`.
    pub gram: Vec<f64>,
    /// What the kept columns are multiplied by to be these, `[k, k]`; nothing if they are the same.
    pub turn: Option<Vec<f64>>,
}

impl Basis {
    /// Of those that do not follow from earlier ones; `iterated` if fixed effects were projected out up to the tolerance.
    ///
    /// Differs from R `fixest` and `pyfixest`, whose tolerance of 1e-9 for the pivot is absolute: here it is a part of the column's
    /// own sum of squares, so that the unit of a regressor does not matter.
    pub fn find(
        mut columns: Vec<Vec<f64>>,
        before: &[Before],
        tolerance: f64,
        iterated: bool,
    ) -> Self {
        let limits = Limits {
            own: DEPENDENT,
            part: DEPENDENT.max((TOLERANCES * tolerance).powi(2)),
            error: ROUNDING + if iterated { ITERATED * tolerance } else { 0.0 },
        };
        let k = columns.len();
        let gram = sums::gram(&slices(&columns), None);
        let root = Root::new(&gram, before, limits);
        retain(&mut columns, &root.kept);
        if root.loss <= TRUSTED {
            let gram = entries(&gram, k, &root.kept);
            return Self { kept: root.kept, columns, gram, turn: None };
        }
        let (turn, turned, gram) = root.turned(&columns);
        let left = root.second(&gram, before, limits);
        if left.len() == root.kept.len() {
            return Self { kept: root.kept, columns: turned, gram, turn: Some(turn) };
        }
        drop(turned);
        let kept = left.iter().map(|a| root.kept[*a]).collect();
        Self { kept, ..Self::of_kept(columns, &left) }
    }

    /// Of the columns at these positions, which ascend.
    pub fn of_kept(mut columns: Vec<Vec<f64>>, kept: &[usize]) -> Self {
        retain(&mut columns, kept);
        let k = columns.len();
        let kept = kept.to_vec();
        let gram = sums::gram(&slices(&columns), None);
        let all = vec![Before { raw: 1.0, centred: 1.0 }; k];
        let root = Root::new(&gram, &all, Limits { own: 0.0, part: 0.0, error: 0.0 });
        if root.loss <= TRUSTED || root.kept.len() < k {
            return Self { kept, columns, gram, turn: None };
        }
        let (turn, columns, gram) = root.turned(&columns);
        Self { kept, columns, gram, turn: Some(turn) }
    }

    /// Coefficients of the kept columns, from the coefficients of the basis.
    pub fn back(&self, b: Vec<f64>) -> Vec<f64> {
        let Some(turn) = &self.turn else { return b };
        turn.chunks_exact(b.len()).map(|row| row.iter().zip(&b).map(|(t, b)| t * b).sum()).collect()
    }
}

/// Upper triangular root `R` of the cross-products `R'R`; some of its pivots may be rounding errors.
#[derive(Debug)]
struct Root {
    kept: Vec<usize>,
    /// Of each kept column, its entries down to the diagonal.
    columns: Vec<Vec<f64>>,
    /// The largest part of a column that was subtracted, in units of what is left.
    loss: f64,
}

impl Root {
    fn new(gram: &[f64], before: &[Before], limits: Limits) -> Self {
        let k = before.len();
        let mut root = Self { kept: Vec::new(), columns: Vec::new(), loss: 1.0 };
        for (j, Before { raw, centred }) in before.iter().enumerate() {
            let square = gram[j * k + j];
            let mut column: Vec<f64> = Vec::with_capacity(root.kept.len() + 1);
            for (earlier, i) in root.columns.iter().zip(&root.kept) {
                let known: f64 = column.iter().zip(earlier).map(|(x, y)| x * y).sum();
                column.push((gram[i * k + j] - known) / earlier[column.len()]);
            }
            let known: f64 = column.iter().map(|x| x * x).sum();
            let noise = ROUNDING * root.loss * square;
            let limit = (limits.part * centred).max(limits.own * square);
            let is_constant = *centred <= CONSTANT * raw;
            // What may be rounding is decided later.
            let pivot = (square - known).max(noise);
            if !is_constant && pivot + noise > limit {
                root.loss = root.loss.max(square / pivot);
                column.push(pivot.sqrt());
                root.columns.push(column);
                root.kept.push(j);
            }
        }
        root
    }

    /// `R⁻¹`, the columns times it, and the cross-products of these.
    fn turned(&self, columns: &[Vec<f64>]) -> (Vec<f64>, Vec<Vec<f64>>, Vec<f64>) {
        let turn = self.inverse();
        let turned = sums::combined(&slices(columns), &turn);
        let gram = sums::gram(&slices(&turned), None);
        (turn, turned, gram)
    }

    /// `R⁻¹`, `[k, k]`.
    fn inverse(&self) -> Vec<f64> {
        let k = self.columns.len();
        let mut inverse = vec![0.0; k * k];
        for (j, column) in self.columns.iter().enumerate() {
            let diagonal = column[j];
            inverse[j * k + j] = diagonal.recip();
            for i in 0..j {
                let sum: f64 = (i..j).map(|t| inverse[i * k + t] * column[t]).sum();
                inverse[i * k + j] = -sum / diagonal;
            }
        }
        inverse
    }

    /// Positions among the kept columns of the linearly independent ones, by the cross-products `[k, k]` of the columns turned by
    /// `R⁻¹`.
    fn second(&self, gram: &[f64], before: &[Before], limits: Limits) -> Vec<usize> {
        let k = self.columns.len();
        let size = |a: usize| before[self.kept[a]].centred.sqrt();
        let mut left: Vec<usize> = Vec::new();
        // Roots of `gram`, whose rows are nothing where a column is left out, and of the kept columns' cross-products.
        let mut turned: Vec<Vec<f64>> = Vec::new();
        let mut roots: Vec<Vec<f64>> = Vec::new();
        for (a, first) in self.columns.iter().enumerate() {
            let mut column = vec![0.0; a + 1];
            for i in left.iter().copied() {
                let known: f64 = (0..i).map(|t| turned[i][t] * column[t]).sum();
                column[i] = (gram[i * k + a] - known) / turned[i][i];
            }
            let known: f64 = column.iter().map(|x| x * x).sum();
            let pivot = (gram[a * k + a] - known).max(0.0) * first[a].powi(2);
            // `R` of the columns themselves is the product of both.
            let root = |i: &usize| {
                let earlier = (*i..a).map(|t| turned[t][*i] * first[t]).sum::<f64>();
                earlier + column[*i] * first[a]
            };
            let root: Vec<f64> = left.iter().map(root).collect();
            let mut b = root.clone();
            for i in (0..b.len()).rev() {
                let known: f64 = (i + 1..b.len()).map(|t| roots[t][i] * b[t]).sum();
                b[i] = (b[i] - known) / roots[i][i];
            }
            let sizes = left.iter().zip(&b).map(|(i, b)| b.abs() * size(*i)).sum::<f64>() + size(a);
            let square: f64 = root.iter().map(|r| r * r).sum::<f64>() + pivot;
            let limit = (limits.part * size(a).powi(2)).max(limits.own * square);
            if pivot > limit && pivot > (limits.error * sizes).powi(2) {
                column[a] = pivot.sqrt() / first[a];
                roots.push(root.into_iter().chain([pivot.sqrt()]).collect());
                left.push(a);
            }
            turned.push(column);
        }
        left
    }
}

fn slices(columns: &[Vec<f64>]) -> Vec<&[f64]> {
    columns.iter().map(Vec::as_slice).collect()
}

/// Drops the columns at other positions; `kept` ascends.
fn retain(columns: &mut Vec<Vec<f64>>, kept: &[usize]) {
    let mut position = 0;
    columns.retain(|_| {
        position += 1;
        kept.binary_search(&(position - 1)).is_ok()
    });
}

/// The entries of kept columns of a matrix `[k, k]`.
fn entries(matrix: &[f64], k: usize, kept: &[usize]) -> Vec<f64> {
    kept.iter().flat_map(|i| kept.iter().map(move |j| matrix[i * k + j])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Columns of `n` numbers that have nothing to do with each other.
    fn noise(k: usize, n: usize) -> Vec<Vec<f64>> {
        (0..k).map(|j| (0..n).map(|i| ((i * i * (j + 2)) as f64 * 0.37).sin()).collect()).collect()
    }

    fn combined(a: &[f64], by: f64, b: &[f64]) -> Vec<f64> {
        a.iter().zip(b).map(|(a, b)| a + by * b).collect()
    }

    fn before(columns: &[Vec<f64>]) -> Vec<Before> {
        let size = |c: &Vec<f64>| c.iter().map(|v| v * v).sum();
        columns.iter().map(size).map(|s| Before { raw: s, centred: s }).collect()
    }

    fn kept(columns: &[Vec<f64>], tolerance: f64, iterated: bool) -> Vec<usize> {
        Basis::find(columns.to_vec(), &before(columns), tolerance, iterated).kept
    }

    #[test]
    fn earlier_columns_win_in_any_unit() {
        for unit in [1e-12, 1.0, 1e12] {
            let [a, b] = noise(2, 50).try_into().unwrap();
            let columns = [a.clone(), b.clone(), combined(&a, 1.0, &b)];
            let columns = columns.map(|c| c.iter().map(|v| v * unit).collect::<Vec<f64>>());
            assert_eq!(kept(&columns, 1e-8, true), [0, 1]);
        }
    }

    #[test]
    fn what_fixed_effects_span_is_left_out() {
        let find = |gram: f64, before: Before, tolerance: f64| {
            let basis = Basis::find(vec![vec![gram.sqrt()]], &[before], tolerance, true);
            basis.kept.len()
        };
        let of = |size: f64| Before { raw: size, centred: size };
        assert_eq!(find(1e-10, of(1e3), 1e-8), 0);
        assert_eq!(find(1e-10, of(1e-3), 1e-8), 1);
        assert_eq!(find(1e-18, Before { raw: 1e8, centred: 1e-18 }, 1e-8), 0);
        assert_eq!(find(0.0, of(0.0), 1e-8), 0);
        // A looser tolerance leaves more of a column that fixed effects span.
        assert_eq!(find(1e-6, of(1.0), 1e-4), 0);
    }

    /// Where two columns nearly are the same, the pivot of one that follows from both is rounding, as often positive as not.
    #[test]
    fn columns_that_follow_from_near_ones_are_left_out() {
        for n in 40..80 {
            for near in [1e-2, 1e-3, 1e-4, 1e-5] {
                let [a, b, c, d] = noise(4, n).try_into().unwrap();
                let columns = [a.clone(), combined(&a, near, &b), b.clone(), c.clone()];
                assert_eq!(kept(&columns, 1e-8, false), [0, 1, 3], "{n} {near}");
                // What is left of the third is a millionth of it: not much, but not rounding.
                let columns =
                    [a.clone(), combined(&a, near, &b), combined(&b, 1e-3, &c), d.clone()];
                assert_eq!(kept(&columns, 1e-8, false), [0, 1, 2, 3], "{n} {near}");
            }
        }
    }

    #[test]
    fn what_iterations_leave_is_nothing() {
        let [a, b, error] = noise(3, 50).try_into().unwrap();
        let columns = [a.clone(), combined(&a, 1e-3, &b), combined(&b, 1e-5, &error)];
        assert_eq!(kept(&columns, 1e-8, true), [0, 1]);
        assert_eq!(kept(&columns, 1e-8, false), [0, 1, 2]);
    }

    #[test]
    fn coefficients_of_turned_columns_are_turned_back() {
        let [a, b] = noise(2, 50).try_into().unwrap();
        let near = combined(&a, 1e-4, &b);
        let y = combined(&near, -2.0, &a);
        let basis = Basis::of_kept(vec![a, near], &[0, 1]);
        assert!(basis.turn.is_some());
        let projections: Vec<f64> =
            basis.columns.iter().map(|c| c.iter().zip(&y).map(|(c, y)| c * y).sum()).collect();
        let b = basis.back(projections);
        assert!((b[0] + 2.0).abs() < 1e-4 && (b[1] - 1.0).abs() < 1e-4, "{b:?}");
    }
}
