//! The lasso for given penalties, by active sets.

use super::dense::{DenseMatrix, solve};
use crate::base::solve::dot;

/// How far a slope may be beyond the penalty, relative to the terms that it is the sum of.
const ROUNDING: f64 = 1e-12;
/// Changes of the active set, for each variable, before the search ends.
const CHANGES: usize = 100;

/// `min ½ c'Qc + r'c + μ Σ|c_j|` as a function of the penalty `μ`, with a positive definite `Q`.
#[derive(Clone, Debug)]
pub(super) struct Lasso {
    q: DenseMatrix,
    r: Vec<f64>,
}

/// The minimum at one penalty.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Minimum {
    pub c: Vec<f64>,
    /// Sign of each variable; 0 for those that are zero.
    pub signs: Vec<f64>,
}

impl Lasso {
    /// `None` if `Q` is singular.
    pub fn new(q: DenseMatrix, r: Vec<f64>) -> Option<Self> {
        let lasso = Self { q, r };
        let zero = vec![0.0; lasso.r.len()];
        solve(&lasso.q, &zero).map(|_| lasso)
    }

    /// The penalty from which on all variables are zero.
    pub fn largest_penalty(&self) -> f64 {
        self.r.iter().fold(0.0, |largest, r| largest.max(r.abs()))
    }

    /// All variables zero: the minimum at the largest penalty.
    pub fn zero(&self) -> Minimum {
        Minimum { c: vec![0.0; self.r.len()], signs: vec![0.0; self.r.len()] }
    }

    /// The minimum at a penalty of at least 0, from another point, which may be any whose signs are right.
    ///
    /// Variables enter one by one, the one with the steepest slope first, and leave where their sign would change, so that the
    /// objective falls with every step and no active set occurs twice. `None` if a block of `Q` is singular.
    pub fn minimum(&self, penalty: f64, from: &Minimum) -> Option<Minimum> {
        let mut at = from.clone();
        self.descend(penalty, &mut at)?;
        // Variables whose slope is too steep by rounding alone: their best value has the other sign.
        let mut barred = vec![false; self.r.len()];
        for _ in 0..CHANGES * (self.r.len() + 1) {
            let Some((j, sign)) = self.steepest(penalty, &at, &barred) else { break };
            let before = at.signs.clone();
            at.signs[j] = sign;
            self.descend(penalty, &mut at)?;
            if at.signs == before {
                barred[j] = true;
            } else {
                barred.fill(false);
            }
        }
        Some(at)
    }

    /// The variable at zero whose slope is farthest beyond the penalty, in units of its curvature, with the sign that it takes.
    fn steepest(&self, penalty: f64, at: &Minimum, barred: &[bool]) -> Option<(usize, f64)> {
        let zero = (0..self.r.len()).filter(|j| at.signs[*j] == 0.0 && !barred[*j]);
        let slopes = zero.filter_map(|j| {
            let row = self.q.row(j);
            let slope = self.r[j] + dot(row, &at.c);
            let terms = row.iter().zip(&at.c).map(|(q, c)| (q * c).abs());
            let rounding = ROUNDING * (self.r[j].abs() + terms.sum::<f64>());
            let beyond = (slope.abs() - penalty) / self.q.at(j, j).sqrt();
            (slope.abs() > penalty + rounding).then_some((j, -slope.signum(), beyond))
        });
        slopes.max_by(|a, b| a.2.total_cmp(&b.2).then(b.0.cmp(&a.0))).map(|(j, sign, _)| (j, sign))
    }

    /// Goes to the minimum over the active variables, leaving those behind that reach zero on the way.
    fn descend(&self, penalty: f64, at: &mut Minimum) -> Option<()> {
        loop {
            let active: Vec<usize> = (0..self.r.len()).filter(|j| at.signs[*j] != 0.0).collect();
            let k = active.len();
            let block = DenseMatrix::from_fn(k, k, |i, j| self.q.at(active[i], active[j]));
            let minus: Vec<f64> =
                active.iter().map(|j| -self.r[*j] - penalty * at.signs[*j]).collect();
            let best = solve(&block, &minus)?;
            // Where on the way to them variables reach zero, and the first of these places.
            let reaches = |(j, best): (&usize, &f64)| {
                let crosses = at.signs[*j] * best <= 0.0;
                crosses.then(|| (at.c[*j] / (at.c[*j] - best)).max(0.0))
            };
            let zeros: Vec<Option<f64>> = active.iter().zip(&best).map(reaches).collect();
            let first = zeros.iter().flatten().copied().fold(1.0, f64::min);
            let mut all_stay = true;
            for ((j, best), zero) in active.iter().zip(&best).zip(&zeros) {
                let c = if first < 1.0 { at.c[*j] + first * (best - at.c[*j]) } else { *best };
                at.c[*j] = c;
                if zero.is_some_and(|zero| zero <= first) || at.signs[*j] * c <= 0.0 {
                    (at.c[*j], at.signs[*j]) = (0.0, 0.0);
                    all_stay = false;
                }
            }
            if all_stay {
                return Some(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Largest distance from the conditions of the minimum, relative to the largest penalty.
    fn distance(lasso: &Lasso, penalty: f64, at: &Minimum) -> f64 {
        let slopes = lasso.q.times(&at.c).into_iter().zip(&lasso.r).map(|(q, r)| q + r);
        let of = |(slope, (c, sign)): (f64, (&f64, &f64))| {
            assert!(if *sign == 0.0 { *c == 0.0 } else { c * sign > 0.0 }, "{at:?}");
            if *sign == 0.0 { slope.abs() - penalty } else { (slope + penalty * sign).abs() }
        };
        let all = slopes.zip(at.c.iter().zip(&at.signs)).map(of);
        all.fold(0.0, f64::max) / lasso.largest_penalty()
    }

    fn check(lasso: &Lasso) {
        let largest = lasso.largest_penalty();
        let mut last = lasso.zero();
        assert!(distance(lasso, largest, &last) < 1e-12);
        for step in (0..=100).rev() {
            let penalty = largest * f64::from(step) / 100.0;
            let found = lasso.minimum(penalty, &last).expect("regular");
            assert!(distance(lasso, penalty, &found) < 1e-9, "{penalty}: {found:?}");
            // From nowhere to the same point.
            let again = lasso.minimum(penalty, &lasso.zero()).expect("regular");
            assert!(distance(lasso, penalty, &again) < 1e-9, "{penalty}: {again:?}");
            last = found;
        }
    }

    #[test]
    fn minima_meet_their_conditions() {
        let q =
            DenseMatrix::of(&[vec![2.0, 1.4, 0.3], vec![1.4, 2.0, -0.9], vec![0.3, -0.9, 1.5]], 3);
        check(&Lasso::new(q, vec![-1.0, 0.4, 0.8]).expect("regular"));
        let singular = DenseMatrix::of(&[vec![1.0, 1.0], vec![1.0, 1.0]], 2);
        assert!(Lasso::new(singular, vec![1.0, 0.0]).is_none());
    }

    #[test]
    fn ties_and_high_correlations_do_no_harm() {
        for n in 2..12 {
            for correlation in [0.0, 0.9, 0.999, 0.999_999, -0.05] {
                let entry = |i: usize, j: usize| if i == j { 1.0 } else { correlation };
                // All slopes are equal, or in pairs.
                for r in
                    [vec![-1.0; n], (0..n).map(|j| 1.0 - f64::from((j % 2) as u8) * 2.0).collect()]
                {
                    check(&Lasso::new(DenseMatrix::from_fn(n, n, entry), r).expect("regular"));
                }
            }
        }
    }
}
