//! Sets of violations of parallel trends as polyhedra (Rambachan and Roth 2023, section 2.4).
//!
//! `δ` is the bias of the event study's coefficients: one number a period, in order, without the reference period, where it is 0.
//! A set is a union of polyhedra `{ δ : A δ ≤ d }`; smoothness restrictions have one, and relative magnitudes one for each period
//! before treatment (and sign) whose difference is the largest.

use super::dense::DenseMatrix;
use crate::base::words::words;

/// A difference or an entry whose square is at most this is zero.
const ZERO: f64 = 1e-10;

words! {
    /// What is assumed of the difference in trends, up to a number `M` or `M̄`.
    pub enum Delta: "delta" {
        /// `Δ^SD(M)`: its slope changes by no more than `M` between consecutive periods.
        #[doc(alias = "DeltaSD")]
        Smoothness = "smoothness" | "sd" | "deltasd",
        /// `Δ^RM(M̄)`: it changes between consecutive periods after treatment by no more than `M̄` times its largest change before.
        #[doc(alias = "DeltaRM")]
        RelativeMagnitude = "relative_magnitude" | "rm" | "deltarm",
        /// `Δ^SDRM(M̄)`: its slope changes after treatment by no more than `M̄` times its largest change of slope before.
        #[doc(alias = "DeltaSDRM")]
        RelativeSmoothness = "relative_smoothness" | "sdrm" | "deltasdrm",
    }
}

words! {
    /// A further restriction on the bias.
    pub enum Restriction: "restriction" {
        /// It is not negative after treatment.
        PositiveBias = "positive_bias" | "positive" | "pb" | "b",
        /// It is not positive after treatment.
        NegativeBias = "negative_bias" | "negative" | "nb",
        /// It does not fall from period to period.
        Increasing = "increasing" | "i" | "m",
        /// It does not rise from period to period.
        Decreasing = "decreasing" | "d",
    }
}

impl Delta {
    /// Whether its number is relative to what is seen before treatment.
    pub(crate) fn is_relative(self) -> bool {
        self != Self::Smoothness
    }

    /// Periods before treatment that it needs.
    pub(crate) fn least_pre(self) -> usize {
        if self == Self::RelativeSmoothness { 2 } else { 1 }
    }

    /// R `HonestDiD`'s name of the set, such as `DeltaSDPB`.
    pub(crate) fn name(self, restriction: Option<Restriction>) -> String {
        let set = match self {
            Self::Smoothness => "DeltaSD",
            Self::RelativeMagnitude => "DeltaRM",
            Self::RelativeSmoothness => "DeltaSDRM",
        };
        let restriction = match restriction {
            None => "",
            Some(Restriction::PositiveBias) => "PB",
            Some(Restriction::NegativeBias) => "NB",
            Some(Restriction::Increasing) => "I",
            Some(Restriction::Decreasing) => "D",
        };
        format!("{set}{restriction}")
    }
}

/// `{ δ : A δ ≤ d }`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Polyhedron {
    /// `[rows, pre + post]`.
    pub a: DenseMatrix,
    pub d: Vec<f64>,
}

/// The polyhedra whose union is the set with the number `m`.
pub(crate) fn polyhedra(
    delta: Delta,
    restriction: Option<Restriction>,
    m: f64,
    pre: usize,
    post: usize,
) -> Vec<Polyhedron> {
    let further = restriction.map(|r| restricted(r, pre, post)).unwrap_or_default();
    let with_further = |(rows, bound): (Vec<Vec<f64>>, f64)| {
        let d = [vec![bound; rows.len()], vec![0.0; further.len()]].concat();
        let rows: Vec<Vec<f64>> = rows.into_iter().chain(further.iter().cloned()).collect();
        Polyhedron { a: DenseMatrix::of(&rows, pre + post), d }
    };
    match delta {
        Delta::Smoothness => {
            let changes = differences(&[1.0, -2.0, 1.0], pre, post);
            let zero = vec![0.0; pre + post + 1];
            vec![with_further((between(&changes, &vec![zero; changes.len()], pre), m))]
        }
        Delta::RelativeMagnitude => relative(&[-1.0, 1.0], m, pre, post, with_further),
        Delta::RelativeSmoothness => relative(&[1.0, -2.0, 1.0], m, pre, post, with_further),
    }
}

/// `|difference| ≤ ± the difference that is the largest before treatment`, times `m` after treatment, for each that may be.
fn relative(
    stencil: &[f64],
    m: f64,
    pre: usize,
    post: usize,
    with_further: impl Fn((Vec<Vec<f64>>, f64)) -> Polyhedron,
) -> Vec<Polyhedron> {
    let changes = differences(stencil, pre, post);
    // Those that end in the reference period or earlier.
    let before = changes.len() - post;
    let largest = changes[..before].iter();
    let signed = largest.flat_map(|v| [1.0, -1.0].map(|sign| (v, sign)));
    signed
        .map(|(v, sign)| {
            let bound = |row: usize| {
                let factor = if row < before { sign } else { sign * m };
                v.iter().map(|v| factor * v).collect::<Vec<f64>>()
            };
            let bounds: Vec<Vec<f64>> = (0..changes.len()).map(bound).collect();
            with_further((between(&changes, &bounds, pre), 0.0))
        })
        .collect()
}

/// A stencil at every position of `pre + 1 + post` periods.
fn differences(stencil: &[f64], pre: usize, post: usize) -> Vec<Vec<f64>> {
    let periods = pre + post + 1;
    let at = |start: usize| {
        let mut row = vec![0.0; periods];
        row[start..start + stencil.len()].copy_from_slice(stencil);
        row
    };
    (0..=periods.saturating_sub(stencil.len())).map(at).collect()
}

/// Rows of `-bound ≤ change ≤ bound` that say something, without the reference period.
fn between(changes: &[Vec<f64>], bounds: &[Vec<f64>], pre: usize) -> Vec<Vec<f64>> {
    let side = |sign: f64| {
        changes.iter().zip(bounds).map(move |(change, bound)| {
            change.iter().zip(bound).map(|(c, b)| sign * c - b).collect::<Vec<f64>>()
        })
    };
    let rows = side(1.0).chain(side(-1.0));
    let rows = rows.filter(|row| row.iter().map(|e| e * e).sum::<f64>() > ZERO);
    rows.map(|row| without_reference(row, pre)).collect()
}

fn without_reference(mut row: Vec<f64>, pre: usize) -> Vec<f64> {
    row.remove(pre);
    row
}

/// Rows of a further restriction, all `≤ 0`.
fn restricted(restriction: Restriction, pre: usize, post: usize) -> Vec<Vec<f64>> {
    let monotone = |sign: f64| {
        let rows = differences(&[-sign, sign], pre, post).into_iter();
        rows.map(|row| without_reference(row, pre)).collect()
    };
    let signed = |sign: f64| {
        let row = |j: usize| {
            let mut row = vec![0.0; pre + post];
            row[pre + j] = sign;
            row
        };
        (0..post).map(row).collect()
    };
    match restriction {
        Restriction::PositiveBias => signed(-1.0),
        Restriction::NegativeBias => signed(1.0),
        Restriction::Increasing => monotone(-1.0),
        Restriction::Decreasing => monotone(1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(polyhedron: &Polyhedron) -> Vec<&[f64]> {
        polyhedron.a.rows().collect()
    }

    #[test]
    fn smoothness_bounds_second_differences_around_the_reference() {
        let set = polyhedra(Delta::Smoothness, None, 0.5, 2, 1);
        assert_eq!(set.len(), 1);
        // Periods -2, -1, (0), 1.
        let expected: [&[f64]; 4] =
            [&[1.0, -2.0, 0.0], &[0.0, 1.0, 1.0], &[-1.0, 2.0, 0.0], &[0.0, -1.0, -1.0]];
        assert_eq!(rows(&set[0]), expected);
        assert_eq!(set[0].d, [0.5; 4]);
    }

    #[test]
    fn relative_magnitudes_take_each_difference_before_treatment_as_the_largest() {
        let sets = polyhedra(Delta::RelativeMagnitude, None, 2.0, 2, 1);
        assert_eq!(sets.len(), 4);
        // The earliest difference, positive: δ_-1 - δ_-2 ≥ |0 - δ_-1| and 2 (δ_-1 - δ_-2) ≥ |δ_1|.
        let expected: [&[f64]; 5] = [
            &[1.0, -2.0, 0.0],
            &[2.0, -2.0, 1.0],
            &[2.0, -2.0, 0.0],
            &[1.0, 0.0, 0.0],
            &[2.0, -2.0, -1.0],
        ];
        assert_eq!(rows(&sets[0]), expected);
        assert_eq!(sets[0].d, [0.0; 5]);
    }

    #[test]
    fn relative_smoothness_needs_a_second_difference_before_treatment() {
        assert_eq!(polyhedra(Delta::RelativeSmoothness, None, 1.0, 3, 2).len(), 4);
        assert_eq!(polyhedra(Delta::RelativeSmoothness, None, 1.0, 2, 2).len(), 2);
        assert_eq!(Delta::RelativeSmoothness.least_pre(), 2);
    }

    #[test]
    fn further_restrictions_are_appended() {
        let with = |r| polyhedra(Delta::Smoothness, Some(r), 0.0, 2, 2).remove(0);
        let last = |r| {
            let set = with(r);
            rows(&set)[6..].iter().map(|row| row.to_vec()).collect::<Vec<_>>()
        };
        assert_eq!(last(Restriction::PositiveBias), [[0.0, 0.0, -1.0, 0.0], [0.0, 0.0, 0.0, -1.0]]);
        assert_eq!(last(Restriction::NegativeBias), [[0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]);
        let increasing = [
            [1.0, -1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0, 0.0],
            [0.0, 0.0, -1.0, 0.0],
            [0.0, 0.0, 1.0, -1.0],
        ];
        assert_eq!(last(Restriction::Increasing), increasing);
        assert_eq!(last(Restriction::Decreasing), increasing.map(|row| row.map(|e| -e)));
    }

    #[test]
    fn names_are_those_of_the_r_package() {
        let names = [
            Delta::Smoothness.name(Some(Restriction::NegativeBias)),
            Delta::RelativeMagnitude.name(None),
            Delta::RelativeSmoothness.name(Some(Restriction::Increasing)),
        ];
        assert_eq!(names, ["DeltaSDNB", "DeltaRM", "DeltaSDRMI"]);
    }
}
