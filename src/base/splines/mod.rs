//! B-splines of any degree, their derivatives, and their polynomial continuation beyond the knots (de Boor 2001, "A Practical
//! Guide to Splines", chapters IX and X).

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

/// The B-splines of a degree on a sequence of breakpoints whose ends are repeated, so that the first and the last function are
/// 1 there.
///
/// Beyond the ends, the polynomials of the first and the last interval go on, as in scipy's `extrapolate=True`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Splines {
    degree: usize,
    /// All knots: the ends `degree + 1` times.
    knots: Vec<f64>,
}

impl Splines {
    /// On breakpoints that ascend, the ends among them; `None` if they are fewer than two or do not ascend.
    pub fn new(degree: usize, breakpoints: &[f64]) -> Option<Self> {
        let (first, last) = (*breakpoints.first()?, *breakpoints.last()?);
        let ascending = breakpoints.is_sorted_by(|a, b| a < b) && breakpoints.len() > 1;
        if !ascending || !first.is_finite() || !last.is_finite() {
            return None;
        }
        let mut knots = vec![first; degree];
        knots.extend_from_slice(breakpoints);
        knots.resize(knots.len() + degree, last);
        Some(Self { degree, knots })
    }

    /// Number of functions `J`.
    pub fn len(&self) -> usize {
        self.knots.len() - self.degree - 1
    }

    /// The degree of the pieces.
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// The breakpoints, ends included.
    pub fn breakpoints(&self) -> &[f64] {
        &self.knots[self.degree..=self.len()]
    }

    /// The first and the last breakpoint.
    pub fn range(&self) -> (f64, f64) {
        (self.knots[self.degree], self.knots[self.len()])
    }

    /// Whether these are knots that [`new`](Self::new) could have made.
    pub fn is_valid(&self) -> bool {
        self.knots.len() >= 2 * self.degree + 2
            && Self::new(self.degree, self.breakpoints()).is_some_and(|same| same == *self)
    }

    /// Writes the derivatives of this order of the `degree + 1` functions that are not zero at `x`, and returns the first of
    /// them; `out` has `degree + 1` entries.
    pub fn nonzero(&self, x: f64, order: usize, out: &mut [f64]) -> usize {
        let (k, t) = (self.degree, &self.knots);
        debug_assert_eq!(out.len(), k + 1);
        // The interval of x: the last that begins at or before it, but for those without length at the ends.
        let interior = &t[k + 1..self.len()];
        let span = k + interior.partition_point(|knot| *knot <= x);
        out.fill(0.0);
        if order <= k {
            // Functions of degree k - order, then one degree up for each derivative.
            out[0] = 1.0;
            for p in 1..=k - order {
                raise(
                    out,
                    p,
                    |i| (t[span + 1 + i - p], t[span + 1 + i]),
                    |low, high| {
                        let width = high - low;
                        ((x - low) / width, (high - x) / width)
                    },
                );
            }
            for p in k - order + 1..=k {
                raise(
                    out,
                    p,
                    |i| (t[span + 1 + i - p], t[span + 1 + i]),
                    |low, high| {
                        let slope = p as f64 / (high - low);
                        (slope, -slope)
                    },
                );
            }
        }
        span - k
    }

    /// The derivatives of this order of all functions at `x`, `[J]`.
    pub fn row(&self, x: f64, order: usize) -> Vec<f64> {
        let mut row = vec![0.0; self.len()];
        let mut local = vec![0.0; self.degree + 1];
        let first = self.nonzero(x, order, &mut local);
        row[first..first + local.len()].copy_from_slice(&local);
        row
    }
}

/// From the `p` functions of degree `p - 1` in `out` to the `p + 1` of degree `p`. Each lower function, on the knots that
/// `ends` gives, adds `rising` of itself to the function that ends with it, and `falling` to the one before.
fn raise(
    out: &mut [f64],
    p: usize,
    ends: impl Fn(usize) -> (f64, f64),
    factors: impl Fn(f64, f64) -> (f64, f64),
) {
    let mut carried = 0.0;
    for (i, out) in out[..p].iter_mut().enumerate() {
        let (low, high) = ends(i);
        let (rising, falling) = factors(low, high);
        let value = *out;
        *out = carried + falling * value;
        carried = rising * value;
    }
    out[p] = carried;
}
