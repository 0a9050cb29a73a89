//! The identified set: what the effect can be given the coefficients before treatment (Rambachan and Roth 2023, lemma 2.1).

use super::delta::Polyhedron;
use super::dense::DenseMatrix;
use super::simplex::Feasible;
use crate::base::solve::dot;

/// Smallest and largest `l'δ_post` over the polyhedron with `δ_pre` given; `None` if there is no such `δ`. Infinite where the
/// polyhedron is unbounded.
///
/// The dual of `max l'δ_post` subject to `A_post δ_post ≤ d - A_pre δ_pre` is `min (d - A_pre δ_pre)'λ` subject to
/// `A_post'λ = l`, `λ ≥ 0`.
pub(crate) fn bias_bounds(polyhedron: &Polyhedron, pre: &[f64], l: &[f64]) -> Option<[f64; 2]> {
    let (a, post) = (&polyhedron.a, l.len());
    let slack: Vec<f64> =
        a.rows().zip(&polyhedron.d).map(|(row, d)| dot(&row[..pre.len()], pre) - d).collect();
    let transposed = DenseMatrix::from_fn(post, a.len(), |i, j| a.at(j, pre.len() + i));
    let bound = |l: &[f64]| match Feasible::new(&transposed, l) {
        // Without a dual solution the primal has no bound, or no solution either.
        None => Some(f64::INFINITY),
        Some(set) => set.largest(&slack).map(|v| -v),
    };
    let is_empty = || {
        let nothing = vec![0.0; post];
        let set = Feasible::new(&transposed, &nothing);
        set.is_some_and(|set| set.largest(&slack).is_none_or(|v| v > 0.0))
    };
    if is_empty() {
        return None;
    }
    let minus: Vec<f64> = l.iter().map(|l| -l).collect();
    Some([-bound(&minus)?, bound(l)?])
}

/// The identified set of `l'τ_post` for true coefficients, over a union of polyhedra; `None` if no polyhedron allows them.
pub(crate) fn identified_set(
    polyhedra: &[Polyhedron],
    coefficients: &[f64],
    l: &[f64],
) -> Option<[f64; 2]> {
    let (pre, post) = coefficients.split_at(coefficients.len() - l.len());
    let centre = dot(l, post);
    let bounds = polyhedra.iter().filter_map(|p| bias_bounds(p, pre, l));
    let bounds = bounds.map(|[least, largest]| [centre - largest, centre - least]);
    bounds.reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimator::honest::delta::{Delta, Restriction, polyhedra};

    const BETA: [f64; 5] = [-0.06, 0.04, -0.02, 0.30, 0.42];

    fn set(delta: Delta, restriction: Option<Restriction>, m: f64, l: [f64; 2]) -> [f64; 2] {
        let polyhedra = polyhedra(delta, restriction, m, 3, 2);
        identified_set(&polyhedra, &BETA, &l).expect("coefficients that are allowed")
    }

    fn close(found: [f64; 2], expected: [f64; 2]) {
        let near = |i: usize| (found[i] - expected[i]).abs() < 1e-9;
        assert!(near(0) && near(1), "{found:?} {expected:?}");
    }

    #[test]
    fn relative_magnitudes_by_hand() {
        // The largest change before treatment is 0.1, from -0.06 to 0.04.
        close(set(Delta::RelativeMagnitude, None, 0.5, [1.0, 0.0]), [0.25, 0.35]);
        close(set(Delta::RelativeMagnitude, None, 1.0, [1.0, 0.0]), [0.2, 0.4]);
        close(set(Delta::RelativeMagnitude, None, 0.5, [0.5, 0.5]), [0.285, 0.435]);
        close(set(Delta::RelativeMagnitude, None, 1.0, [0.5, 0.5]), [0.21, 0.51]);
        let positive = Some(Restriction::PositiveBias);
        close(set(Delta::RelativeMagnitude, positive, 1.0, [1.0, 0.0]), [0.2, 0.3]);
    }

    #[test]
    fn the_earliest_difference_can_be_the_largest() {
        let polyhedra = polyhedra(Delta::RelativeMagnitude, None, 1.0, 3, 1);
        let found = identified_set(&polyhedra, &[0.5, 0.05, 0.1, 1.0], &[1.0]);
        close(found.expect("allowed"), [0.55, 1.45]);
    }

    #[test]
    fn relative_smoothness_by_hand() {
        close(set(Delta::RelativeSmoothness, None, 0.5, [1.0, 0.0]), [0.2, 0.36]);
        close(set(Delta::RelativeSmoothness, None, 1.0, [1.0, 0.0]), [0.12, 0.44]);
        close(set(Delta::RelativeSmoothness, None, 0.5, [0.5, 0.5]), [0.17, 0.49]);
    }

    #[test]
    fn smooth_sets_refuse_coefficients_that_are_not() {
        let rough = polyhedra(Delta::Smoothness, None, 0.01, 3, 2);
        assert_eq!(identified_set(&rough, &BETA, &[1.0, 0.0]), None);
        // A line before treatment goes on, and bends by at most M.
        let line = [-0.3, -0.2, -0.1, 0.5, 0.6];
        close(identified_set(&rough, &line, &[1.0, 0.0]).expect("allowed"), [0.39, 0.41]);
        close(identified_set(&rough, &line, &[0.0, 1.0]).expect("allowed"), [0.37, 0.43]);
    }
}
