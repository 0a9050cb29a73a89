//! Two-by-two estimators of repeated cross sections: outcome levels of treated and comparison rows in two periods.
//!
//! Notation as in [`panel`](super::panel), with `t = 0` for the base period and `t = 1` for the cell's, `σ_0 = -1`, `σ_1 = 1`,
//! `β_dt` from the rows with `D = d` in period `t`. Sources: Sant'Anna and Zhao (2020), eqs. (2.2), (2.3), (2.6) and (3.4), and
//! the influence functions of their theorem 2 and appendix.

mod doubly_robust;
mod weighting;

use super::algebra::{Algebra, Moments};
use super::estimate::{CellScore, Estimated, SideSums};
use super::method::{Method, Recipe};
use super::panel::{Coefficients, WeightedMean, combine, scaled};
use super::plan::{Part, PlannedCell};
use crate::estimates::CellStatus;
use crate::solve::dot;

const SIGN: [f64; 2] = [-1.0, 1.0];

/// Estimate and influence of the four corners.
struct Corners {
    att: f64,
    treated: [Coefficients; 2],
    control: [Coefficients; 2],
    /// Sum over all rows of an influence that is the same for every row, whatever its weight.
    constant: f64,
}

/// The estimate of a cell of rows.
pub(super) fn estimate(
    algebra: &Algebra<'_>,
    recipe: &Recipe,
    cell: &PlannedCell,
    sides: [&SideSums; 2],
    score: Option<&CellScore<'_>>,
) -> Result<Estimated, CellStatus> {
    let odds = match sides.map(|s| s.odds.as_ref()) {
        [Some(base), Some(post)] => Some([base, post]),
        _ => None,
    };
    let efficient = recipe.locally_efficient;
    let corners = match (recipe.method, odds, score) {
        (Method::HorvitzThompson, Some(odds), Some(score)) => {
            weighting::horvitz_thompson(algebra, sides, odds, score)?
        }
        (Method::HorvitzThompson, _, _) => weighting::by_share(sides),
        _ if algebra.is_constant() => means(sides),
        (Method::Ipw, Some(odds), Some(score)) => weighting::hajek(algebra, sides, odds, score)?,
        (Method::DoublyRobust, Some(odds), Some(score)) => {
            doubly_robust::traditional(algebra, sides, odds, score, efficient)?
        }
        (Method::Improved, Some(odds), _) => {
            doubly_robust::improved(algebra, sides, odds, efficient)?
        }
        _ => regression(algebra, sides)?,
    };
    let mut rows = Vec::new();
    for (t, side) in cell.sides.iter().enumerate() {
        let (treated, control) = (&corners.treated[t], &corners.control[t]);
        rows.extend(side.treated.iter().map(|p| treated.rows(p, side.outcome, true, score)));
        rows.extend(side.control.iter().map(|p| control.rows(p, side.outcome, false, score)));
        if corners.constant != 0.0 {
            let f = corners.constant / (cell.n_treated + cell.n_control) as f64;
            let constant = Coefficients { f, ..Coefficients::default() };
            let unweighted = |p: &Part| Part { w: p.unit, ..*p };
            let parts = side.treated.iter().chain(&side.control).map(unweighted);
            rows.extend(parts.map(|p| constant.rows(&p, side.outcome, false, None)));
        }
    }
    Ok(Estimated { att: corners.att, rows, ..Estimated::default() })
}

/// `Σ_t σ_t value_t`.
fn difference(value: impl Fn(usize) -> f64) -> f64 {
    value(1) - value(0)
}

/// A constant alone: the difference in differences of four means.
fn means(sides: [&SideSums; 2]) -> Corners {
    let corner = |t: usize, m: &Moments, sign: f64| {
        let c = sign * SIGN[t] / m.total();
        Coefficients { c, f: -c * m.d() / m.total(), ..Coefficients::default() }
    };
    let mean = |m: &Moments| m.d() / m.total();
    Corners {
        att: difference(|t| mean(&sides[t].treated) - mean(&sides[t].control)),
        treated: [0, 1].map(|t| corner(t, &sides[t].treated, 1.0)),
        control: [0, 1].map(|t| corner(t, &sides[t].control, -1.0)),
        constant: 0.0,
    }
}

/// Sums over the treated rows of both periods.
struct Treated {
    /// `A_D = Σ_T w`.
    total: f64,
    /// `Σ_T w z / A_D`.
    mean: Vec<f64>,
}

impl Treated {
    fn new(sides: [&SideSums; 2]) -> Self {
        let total = sides[0].treated.total() + sides[1].treated.total();
        let mean =
            combine(&[(1.0 / total, sides[0].treated.z()), (1.0 / total, sides[1].treated.z())]);
        Self { total, mean }
    }
}

/// Outcome regression: `ATT = η_1 - η_0 - Σ_T w z'(β_01 - β_00) / A_D`.
fn regression(algebra: &Algebra<'_>, sides: [&SideSums; 2]) -> Result<Corners, CellStatus> {
    let control = [algebra.regress(&sides[0].control)?, algebra.regress(&sides[1].control)?];
    let all = Treated::new(sides);
    let zero = algebra.zeros();
    let eta = [0, 1].map(|t| WeightedMean::new(&sides[t].treated, &zero));
    let change = combine(&[(1.0, &control[1].beta), (-1.0, &control[0].beta)]);
    let eta_c = dot(&all.mean, &change);
    let e = scaled(change, -1.0 / all.total);
    let att = difference(|t| eta[t].tau) - eta_c;
    Ok(Corners {
        att,
        treated: [0, 1].map(|t| {
            let c = SIGN[t] / eta[t].total;
            Coefficients {
                c,
                f: eta_c / all.total - c * eta[t].tau,
                e: Some(e.clone()),
                ..Coefficients::default()
            }
        }),
        control: [0, 1].map(|t| Coefficients {
            b: Some(scaled(control[t].solve(&all.mean), -SIGN[t])),
            beta: Some(control[t].beta.clone()),
            ..Coefficients::default()
        }),
        constant: 0.0,
    })
}
