//! Tests of moment inequalities with nuisance parameters (Andrews, Roth and Pakes 2023; Rambachan and Roth 2023, section 3).
//!
//! `θ = l'τ_post` is in the confidence set if there is a bias in the polyhedron that explains the coefficients, that is if
//! `E[Y - A_1 θ - X ν] ≤ 0` for some `ν`, with `Y = A β̂ - d`. Moments are divided by their standard deviations, so that
//!
//! ```text
//! η = min_{η, ν} η  subject to  Y - A_1 θ - X ν ≤ η  =  max λ'(Y - A_1 θ)  over  { λ ≥ 0, Σ λ = 1, X'λ = 0 }.
//! ```
//!
//! The dual's set does not depend on `θ`, nor on the data. At its vertex `γ` the test compares `η` with a quantile of a normal
//! that is truncated to where `γ` stays optimal.

use super::coefficients::EventCoefficients;
use super::delta::Polyhedron;
use super::dense::DenseMatrix;
use super::normal::truncated_upper_quantile;
use super::simplex::{Feasible, Vertex};
use crate::base::parallel;
use crate::base::solve::dot;

/// A standard deviation up to this, relative to the largest, is taken as that.
const FLAT: f64 = 1e-10;
/// Multipliers up to this are zero.
const ZERO: f64 = 1e-9;
/// A variance of the binding moments up to this is none.
const DEGENERATE: f64 = 1e-14;
/// Slopes of reduced costs up to this are zero.
const LEVEL: f64 = 1e-12;
/// How far the optimum may be from `c` where the vertex is said to be optimal.
const OPTIMAL: f64 = 1e-9;
/// Values of the statistic beyond this many and twenty of its standard deviations are beyond all.
const FAR: f64 = 100.0;
/// Draws that are worked on together.
const PART: usize = 50;

/// What is done before the conditional test, at a level `kappa` that is taken from its own.
#[derive(Clone, Debug)]
pub(crate) enum FirstStage {
    None,
    /// Rejects if `η` exceeds its quantile where all moments are zero.
    LeastFavourable(f64),
    /// Rejects outside a fixed-length interval.
    FixedLength {
        centre: f64,
        half_length: f64,
        /// Covariance of the centre with the moments.
        covariance: Vec<f64>,
    },
}

/// The test of one polyhedron.
#[derive(Clone, Debug)]
pub(crate) struct MomentTest {
    /// `Y / sd`.
    moments: Vec<f64>,
    /// `A_1 / sd`.
    slopes: Vec<f64>,
    /// Rows of the polyhedron, each divided by the standard deviation of its moment.
    rows: DenseMatrix,
    correlation: DenseMatrix,
    /// The dual's set; `None` if it is empty, and the moments can be made as small as one likes.
    duals: Option<Feasible>,
    /// `-d / sd` where there are no nuisance parameters: what the statistic is at least compared with.
    floor: Option<Vec<f64>>,
    first_stage: FirstStage,
    /// Level of the conditional test.
    size: f64,
}

impl MomentTest {
    /// The test at the level `alpha`, without a first stage. Of one post-treatment period all moments are tested, unless
    /// `post_only`; of several, those that involve such a period.
    pub fn new(
        study: &EventCoefficients,
        polyhedron: &Polyhedron,
        l: &[f64],
        alpha: f64,
        post_only: bool,
    ) -> Self {
        let pre = study.pre();
        let is_tested =
            |row: &&[f64]| !(post_only || l.len() > 1) || row[pre..].iter().any(|a| *a != 0.0);
        let tested: Vec<usize> =
            (0..polyhedron.a.len()).filter(|i| is_tested(&polyhedron.a.row(*i))).collect();
        let a =
            DenseMatrix::from_fn(tested.len(), pre + l.len(), |i, j| polyhedron.a.at(tested[i], j));
        let covariance = a.sandwich(study.covariance());
        let sd: Vec<f64> = (0..a.len()).map(|i| covariance.at(i, i).max(0.0).sqrt()).collect();
        let largest = sd.iter().copied().fold(0.0, f64::max);
        // Where no moment varies, only its sign counts, in any unit.
        let least = if largest > 0.0 { FLAT * largest } else { 1.0 };
        let sd: Vec<f64> = sd.iter().map(|s| s.max(least)).collect();
        let d: Vec<f64> = tested.iter().zip(&sd).map(|(i, s)| polyhedron.d[*i] / s).collect();
        let rows = DenseMatrix::from_fn(a.len(), a.columns, |i, j| a.at(i, j) / sd[i]);
        let fitted = rows.times(study.values());
        // A change of basis in which the first parameter is l'τ and the others are all but one of the τ.
        let heaviest =
            (0..l.len()).max_by(|i, j| l[*i].abs().total_cmp(&l[*j].abs()).then(j.cmp(i)));
        let pivot = heaviest.unwrap_or(0);
        let slopes: Vec<f64> = rows.rows().map(|row| row[pre + pivot] / l[pivot]).collect();
        let others: Vec<usize> = (0..l.len()).filter(|j| *j != pivot).collect();
        let nuisance = |i: usize, j: usize| rows.at(i, pre + j) - l[j] * slopes[i];
        let mut system = vec![vec![1.0; rows.len()]];
        for j in others {
            let column: Vec<f64> = (0..rows.len()).map(|i| nuisance(i, j)).collect();
            let scale = column.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            if scale > 0.0 {
                system.push(column.iter().map(|x| x / scale).collect());
            }
        }
        let mut sums = vec![0.0; system.len()];
        sums[0] = 1.0;
        let duals = Feasible::new(&DenseMatrix::of(&system, rows.len()), &sums);
        Self {
            moments: fitted.iter().zip(&d).map(|(f, d)| f - d).collect(),
            slopes,
            correlation: DenseMatrix::from_fn(rows.len(), rows.len(), |i, j| {
                // One by one: the product of two small numbers may be zero.
                covariance.at(i, j) / sd[i] / sd[j]
            }),
            rows,
            duals,
            floor: (l.len() == 1).then(|| d.iter().map(|d| -d).collect()),
            first_stage: FirstStage::None,
            size: alpha,
        }
    }

    /// Adds a first stage at the level `kappa` that rejects if `η` is larger than where all moments are zero, by the draws `[n]`
    /// of the coefficients.
    pub fn least_favourable(mut self, draws: &[Vec<f64>], kappa: f64) -> Self {
        let critical = self.duals.as_ref().map_or(f64::INFINITY, |duals| {
            let of = |part: usize| -> Vec<f64> {
                let draws = &draws[parallel::part(part, PART, draws.len())];
                let largest = |draw: &Vec<f64>| duals.largest(&self.rows.times(draw));
                draws.iter().filter_map(largest).collect()
            };
            let mut values = parallel::map(draws.len().div_ceil(PART), of).concat();
            values.sort_unstable_by(f64::total_cmp);
            crate::base::quantile::interpolated(&values, 1.0 - kappa)
        });
        self.size = (self.size - kappa) / (1.0 - kappa);
        self.first_stage = FirstStage::LeastFavourable(critical);
        self
    }

    /// Adds a first stage at the level `kappa` that rejects outside a fixed-length interval.
    pub fn fixed_length(
        mut self,
        study: &EventCoefficients,
        centre: f64,
        half_length: f64,
        weights: &[f64],
        kappa: f64,
    ) -> Self {
        let covariance = self.rows.times(&study.covariance().times(weights));
        self.size = (self.size - kappa) / (1.0 - kappa);
        self.first_stage = FirstStage::FixedLength { centre, half_length, covariance };
        self
    }

    /// Whether `θ` is rejected.
    pub fn rejects(&self, theta: f64) -> bool {
        if let FirstStage::FixedLength { centre, half_length, .. } = &self.first_stage
            && (centre - theta).abs() > *half_length * (1.0 + 1e-12)
        {
            return true;
        }
        let Some(duals) = &self.duals else { return false };
        let y: Vec<f64> =
            self.moments.iter().zip(&self.slopes).map(|(m, s)| m - s * theta).collect();
        let Some(vertex) = duals.maximise(&y) else { return false };
        let eta = vertex.value;
        if matches!(self.first_stage, FirstStage::LeastFavourable(critical) if eta > critical) {
            return true;
        }
        let with_moments = self.correlation.times(&vertex.x);
        let variance = dot(&vertex.x, &with_moments);
        if variance <= DEGENERATE {
            return eta > 0.0;
        }
        // What is fixed, and what moves with the statistic.
        let b: Vec<f64> = with_moments.iter().map(|c| c / variance).collect();
        let s: Vec<f64> = y.iter().zip(&b).map(|(y, b)| y - b * eta).collect();
        let [mut low, mut high] = if vertex.is_degenerate(ZERO) {
            let sd = variance.sqrt();
            [
                far_end(duals, &s, &b, (-FAR).min(eta - 20.0 * sd), eta),
                far_end(duals, &s, &b, FAR.max(eta + 20.0 * sd), eta),
            ]
        } else {
            where_optimal(&vertex, &s, &b)
        };
        match &self.first_stage {
            FirstStage::LeastFavourable(critical) if self.floor.is_none() => {
                high = high.min(*critical);
            }
            FirstStage::FixedLength { centre, half_length, covariance } => {
                let slope = dot(covariance, &vertex.x) / variance;
                if slope != 0.0 {
                    let ends = [-half_length, *half_length]
                        .map(|end| eta + (end - (centre - theta)) / slope);
                    low = low.max(ends[0].min(ends[1]));
                    high = high.min(ends[0].max(ends[1]));
                }
            }
            _ => {}
        }
        // The statistic lies between the ends, but for rounding.
        let (low, high) = (low.min(eta), high.max(eta));
        let sd = variance.sqrt();
        let floor = self.floor.as_ref().map_or(0.0, |floor| dot(floor, &vertex.x) / sd);
        let quantile = truncated_upper_quantile(self.size, low / sd, high / sd);
        eta / sd > quantile.max(floor)
    }
}

/// The `c` for which a vertex with one basis is optimal for the objective `s + c b`: where no reduced cost is positive.
fn where_optimal(vertex: &Vertex, s: &[f64], b: &[f64]) -> [f64; 2] {
    let (levels, slopes) = (vertex.reduced_costs(s), vertex.reduced_costs(b));
    let mut ends = [f64::NEG_INFINITY, f64::INFINITY];
    for (j, (level, slope)) in levels.iter().zip(&slopes).enumerate() {
        if vertex.is_basic(j) {
            continue;
        }
        if *slope > LEVEL {
            ends[1] = ends[1].min(-level / slope);
        } else if *slope < -LEVEL {
            ends[0] = ends[0].max(-level / slope);
        }
    }
    ends
}

/// One end of the `c` for which the largest value of `s + c b` is `c`, from outside. That value is convex and piecewise linear in
/// `c`, so Newton's method ends in as many steps as there are pieces.
fn far_end(duals: &Feasible, s: &[f64], b: &[f64], outside: f64, eta: f64) -> f64 {
    let mut c = outside;
    for step in 0..100 {
        let objective: Vec<f64> = s.iter().zip(b).map(|(s, b)| s + c * b).collect();
        let Some(vertex) = duals.maximise(&objective) else { return eta };
        if vertex.value - c <= OPTIMAL * c.abs().max(1.0) {
            return if step == 0 { f64::INFINITY.copysign(outside - eta) } else { c };
        }
        c = dot(&vertex.x, s) / (1.0 - dot(&vertex.x, b));
        if !c.is_finite() {
            return eta;
        }
    }
    c
}
