//! Correlated normals within a box: how probable the box is, and their means within it.
//!
//! With a Cholesky factor `L` of the correlation, `Z = L Y`, and the box is an interval of each `Y_i` given those before it. Its
//! probability is the mean of the product of the intervals' probabilities over `Y` within them (Genz 1992), and that product weights
//! `Y` for the means. The last of `Y` is integrated exactly.
//!
//! | what | file |
//! |---|---|
//! | an interval of a standard normal | `interval.rs` |
//! | the order of integration and the factor | `ordered.rs` |
//! | up to eight normals: Gauss–Legendre quadrature | `quadrature.rs` |
//! | more: points of a shifted lattice | `lattice.rs` |

mod interval;
mod lattice;
mod ordered;
mod quadrature;

use ordered::Ordered;

/// Most normals.
pub(super) const MOST: usize = lattice::MOST;

/// How many normals quadrature is for.
const FEW: usize = 8;

/// Error of quadrature from which on the lattice is tried, too.
const ROUGH: f64 = 1e-6;

/// Points of quadrature at most.
const LITTLE: usize = 200_000;
const FULL: usize = 5_000_000;

/// How much work the integration may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effort {
    /// For a step of a search.
    Little,
    /// For a number that is reported.
    Full,
}

/// What is known of normals within a box.
#[derive(Clone, Debug)]
pub(super) struct Truncated {
    /// Probability of the box.
    pub probability: f64,
    /// Means within the box; `None` if its probability is zero in double precision.
    pub mean: Option<Vec<f64>>,
    /// Error of the integration: the largest of the probability and of the means.
    pub error: f64,
}

/// Normals with means of 0, variances of 1 and this correlation (`[k, k]`, regular) within the box from `lower` to `upper`.
///
/// The same numbers in every run: the points of the integration are fixed, and sums have a fixed order.
pub(super) fn truncated(
    correlation: &[f64],
    lower: &[f64],
    upper: &[f64],
    effort: Effort,
) -> Truncated {
    let ordered = Ordered::new(correlation, lower, upper);
    let most_points = if effort == Effort::Full { FULL } else { LITTLE };
    let by_quadrature = (lower.len() <= FEW).then(|| quadrature::moments(&ordered, most_points));
    match by_quadrature {
        Some(found) if found.error <= ROUGH => found,
        Some(found) => {
            let other = lattice::moments(&ordered, effort);
            if other.error < found.error { other } else { found }
        }
        None => lattice::moments(&ordered, effort),
    }
}

#[cfg(test)]
mod tests;
