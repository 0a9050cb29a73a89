//! The regression of a horizon by least squares, from sums by base period and arm.

use super::options::ProjectionMethod;
use crate::base::solve::{COLLINEAR, Spd, dependent_columns, dot};
use crate::engine::by_unit::{Cross, ProjectionSums, Scores, SquaresBase, SquaresScores, absorbed};
use crate::estimator::by_unit::Regression;
use crate::result::estimates::CellStatus;

/// What the residuals of an identity are, at most, of the outcome's squares.
const IDENTITY: f64 = 1e-12;

/// What is known of identities before there are sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Identity {
    /// Lagged changes do not add up to the outcome's change.
    None,
    /// They might, where the means of outcomes before treatment have as many periods as there are.
    Perhaps,
    /// They do.
    Certain,
}

/// An estimated regression.
#[derive(Clone, Debug)]
pub(super) struct Fitted {
    pub estimate: Option<f64>,
    pub status: CellStatus,
    pub n_rows: f64,
    pub n_treated: f64,
    pub regression: Regression,
    pub scores: Scores,
    /// Numbers of covariates that were left out because they depend on others or on the effects.
    pub dependent: Vec<usize>,
}

/// What a covariate varies by over all rows, to tell what is rounding.
#[derive(Clone, Debug)]
pub(super) struct Spread(pub Vec<f64>);

/// The sums of one regression by base period.
pub(super) struct Bases<'a> {
    /// Controls, then treated.
    pub arms: Vec<[&'a Cross; 2]>,
    /// Covariates and lagged changes.
    pub k: usize,
    /// Whether the outcome's change is a combination of lagged changes.
    pub identity: Identity,
}

impl Fitted {
    /// Without an estimate.
    pub fn none(status: CellStatus) -> Self {
        Self {
            estimate: None,
            status,
            n_rows: 0.0,
            n_treated: 0.0,
            regression: Regression { rows: 0.0, parameters: Some(0), outcome: 0.0 },
            scores: Scores::None,
            dependent: Vec::new(),
        }
    }
}

/// Why there is no effect on a change that lagged changes add up to.
pub(super) fn identity() -> CellStatus {
    let message = "the outcome's change is a combination of its own lagged changes".into();
    CellStatus::Estimator { message }
}

impl<'a> Bases<'a> {
    pub fn new(
        sums: &'a ProjectionSums,
        target: usize,
        steps: usize,
        k: usize,
        identity: Identity,
    ) -> Self {
        let arms = (0..steps).map(|base| sums.arms(target, base)).collect();
        Self { arms, k, identity }
    }

    /// Why there is no estimate, if nobody is treated or no treated have controls.
    pub fn status(&self) -> Option<CellStatus> {
        let treated = self.arms.iter().any(|[_, treated]| treated.weight > 0.0);
        let both = self.arms.iter().any(|[c, t]| c.weight > 0.0 && t.weight > 0.0);
        match (treated, both) {
            (false, _) => Some(CellStatus::NoTreated { period: None }),
            (true, false) => Some(CellStatus::NoControls { period: None }),
            (true, true) => None,
        }
    }

    /// Whether the outcome's change is a combination of lagged changes, which leave so much of its squares, with so many rows and parameters.
    /// Where there are no more rows than parameters nothing is left in any case.
    pub fn is_identity(&self, squares: f64, left: f64, rows: f64, parameters: usize) -> bool {
        match self.identity {
            Identity::None => false,
            Identity::Certain => true,
            Identity::Perhaps => {
                rows > parameters as f64 && squares > 0.0 && left <= IDENTITY * squares
            }
        }
    }

    /// The coefficient of the start of treatment.
    pub fn squares(&self, method: ProjectionMethod, spread: &Spread) -> Fitted {
        if let Some(status) = self.status() {
            return Fitted::none(status);
        }
        let k = self.k;
        let q = k + 2;
        let mut total = vec![0.0; q * q];
        let (mut rows, mut treated_rows, mut weight, mut used) = (0.0, 0.0, 0.0, 0_usize);
        let mut raw = vec![0.0; k + 1];
        let mut bases = Vec::with_capacity(self.arms.len());
        for [controls, treated] in &self.arms {
            let both = controls.weight > 0.0 && treated.weight > 0.0;
            let factor = match method {
                ProjectionMethod::Variance if controls.weight + treated.weight > 0.0 => 1.0,
                ProjectionMethod::Variance => 0.0,
                _ if both => (controls.weight + treated.weight) / controls.weight,
                _ => 0.0,
            };
            if factor == 0.0 {
                bases.push(None);
                continue;
            }
            let base = squares_base(controls, treated, factor, &mut total);
            rows += controls.rows + treated.rows;
            treated_rows += treated.rows;
            weight += factor * (controls.weight + treated.weight);
            for (j, raw) in raw.iter_mut().enumerate() {
                *raw += factor * (controls.squares(j) + treated.squares(j));
            }
            used += 1;
            bases.push(Some(base));
        }
        let lost = |j: &usize| absorbed(total[(j + 1) * q + j + 1], raw[*j], weight * spread.0[*j]);
        let (mut dependent, free): (Vec<usize>, Vec<usize>) = (0..k).partition(lost);
        let mut kept: Vec<usize> = std::iter::once(0).chain(free.iter().map(|j| j + 1)).collect();
        let gram = |of: &[usize]| -> Vec<f64> {
            let total = &total;
            of.iter().flat_map(|i| of.iter().map(move |j| total[i * q + j])).collect()
        };
        let also = dependent_columns(&gram(&kept), kept.len(), COLLINEAR);
        dependent.extend(also.iter().filter(|at| **at > 0).map(|at| kept[*at] - 1));
        dependent.sort_unstable();
        kept.retain(|at| *at == 0 || !dependent.contains(&(at - 1)));
        let no_controls = || Fitted::none(CellStatus::NoControls { period: None });
        let Some(spd) = Spd::new(&gram(&kept), kept.len()) else { return no_controls() };
        let right: Vec<f64> = kept.iter().map(|i| total[i * q + k + 1]).collect();
        let mut first = vec![0.0; kept.len()];
        first[0] = 1.0;
        let (solved, inverse) = (spd.solve(&right), spd.solve(&first));
        let (squares, parameters) = (total[q * q - 1], kept.len() + used);
        if self.is_identity(squares, squares - dot(&right, &solved), rows, parameters) {
            return Fitted { n_rows: rows, n_treated: treated_rows, ..Fitted::none(identity()) };
        }
        let spread_out = |values: &[f64]| {
            let mut all = vec![0.0; k + 1];
            kept.iter().zip(values).for_each(|(at, value)| all[*at] = *value);
            all
        };
        Fitted {
            estimate: Some(solved[0]),
            status: CellStatus::Estimated,
            n_rows: rows,
            n_treated: treated_rows,
            regression: Regression {
                rows,
                parameters: Some(parameters),
                outcome: (raw[k] / weight).sqrt(),
            },
            scores: Scores::Squares(SquaresScores {
                loadings: spread_out(&inverse),
                slopes: spread_out(&solved),
                bases,
            }),
            dependent,
        }
    }
}

/// Means of a base period, whose cross-products of treatment, covariates and outcome less their means are added to `total`, `[q, q]`.
fn squares_base(controls: &Cross, treated: &Cross, factor: f64, total: &mut [f64]) -> SquaresBase {
    let weight = controls.weight + treated.weight;
    let share = treated.weight / weight;
    let [own, other] = [treated, controls].map(|arm| {
        let none = arm.weight <= 0.0;
        (!none).then(|| arm.means())
    });
    let p = own.as_ref().or(other.as_ref()).map_or(0, Vec::len);
    let q = p + 1;
    // Of covariates and outcome: within both arms, and between them.
    let between = factor * weight * share * (1.0 - share);
    let gap: Vec<f64> = match (&own, &other) {
        (Some(own), Some(other)) => own.iter().zip(other).map(|(a, b)| a - b).collect(),
        _ => vec![0.0; p],
    };
    let within = [treated.within(), controls.within()];
    total[0] += between;
    for i in 0..p {
        total[i + 1] += between * gap[i];
        total[(i + 1) * q] += between * gap[i];
        for j in 0..p {
            let both = within[0][i * p + j] + within[1][i * p + j];
            total[(i + 1) * q + j + 1] += factor * both + between * gap[i] * gap[j];
        }
    }
    let means = match (own, other) {
        (Some(own), Some(other)) => {
            own.iter().zip(&other).map(|(a, b)| share * a + (1.0 - share) * b).collect()
        }
        (Some(means), None) | (None, Some(means)) => means,
        (None, None) => Vec::new(),
    };
    SquaresBase { factor, share, means }
}
