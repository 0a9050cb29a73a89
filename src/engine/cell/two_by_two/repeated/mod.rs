//! Repeated cross sections: outcome levels of treated and comparison rows in two periods.
//!
//! `t = 0` is the base period and `t = 1` the cell's, `σ_0 = -1`, `σ_1 = 1`; `β_dt` is the regression of the rows with `D = d`
//! in period `t`, `B_dt` its cross-product; `T_t` and `C_t` are the treated and comparison rows of period `t`,
//! `A_Tt = Σ_{T_t} w`, `A_Ct = Σ_{C_t} v`, `A_D = A_T0 + A_T1`. There is one propensity score for the rows of both periods.
//! Sources: Sant'Anna and Zhao (2020), eqs. (2.2), (2.3), (3.3) and (3.4), and the influence functions of their theorem 2 and
//! appendix.

mod corners;
mod doubly_robust;
mod regression;
mod weighting;

use super::moments::{SideMoments, weighted_by_odds};
use crate::engine::cell::algebra::Algebra;
use crate::engine::cell::method::{Method, Recipe};
use crate::engine::cell::propensity::PropensityScore;
use crate::engine::cell::sides::{CellResult, PlannedCell, StratumRows};
use crate::engine::cell::terms::{CellEstimate, Coefficients, InfluenceTerm};
use crate::result::estimates::CellStatus;
use corners::Corners;

/// The estimate of a cell of rows.
pub(super) fn estimate(
    algebra: &Algebra<'_>,
    recipe: &Recipe,
    cell: &PlannedCell,
    sides: [&SideMoments; 2],
    score: Option<&PropensityScore<'_>>,
) -> CellResult<CellEstimate> {
    let corners = corners(algebra, recipe, sides, score)?;
    let gamma = score.map(PropensityScore::gamma);
    let f = corners.constant / (cell.n_treated + cell.n_control) as f64;
    let constant = Coefficients { f, ..Coefficients::default() };
    let mut terms = Vec::new();
    for (t, side) in cell.sides.iter().enumerate() {
        let of_arm = |rows: &StratumRows, treated, coefficients: &Coefficients| {
            InfluenceTerm::new(rows, side.outcome, treated, gamma, coefficients)
        };
        terms.extend(side.treated.iter().map(|rows| of_arm(rows, true, &corners.treated[t])));
        terms.extend(side.control.iter().map(|rows| of_arm(rows, false, &corners.control[t])));
        if corners.constant != 0.0 {
            let rows = side.treated.iter().chain(&side.control);
            let unweighted = rows.map(|rows| StratumRows { w: rows.presence, ..*rows });
            terms.extend(unweighted.map(|rows| of_arm(&rows, false, &constant)));
        }
    }
    Ok(CellEstimate { att: corners.att, terms, ..CellEstimate::default() })
}

fn corners(
    algebra: &Algebra<'_>,
    recipe: &Recipe,
    sides: [&SideMoments; 2],
    score: Option<&PropensityScore<'_>>,
) -> CellResult<Corners> {
    let efficient = recipe.locally_efficient;
    let weighted = || weighted_by_odds(sides, score);
    match recipe.method {
        Method::HorvitzThompson if algebra.is_constant() => Ok(weighting::by_share(sides)),
        _ if algebra.is_constant() => Ok(regression::means(sides)),
        Method::DoublyRobust => {
            let (odds, score) = weighted()?;
            doubly_robust::traditional(algebra, sides, odds, score, efficient)
        }
        Method::Improved => doubly_robust::improved(algebra, sides, weighted()?.0, efficient),
        Method::Ipw => {
            let (odds, score) = weighted()?;
            weighting::hajek(algebra, sides, odds, score)
        }
        Method::HorvitzThompson => {
            let (odds, score) = weighted()?;
            weighting::horvitz_thompson(algebra, sides, odds, score)
        }
        Method::OutcomeRegression => regression::regression(algebra, sides),
        Method::Twfe => {
            let message = "the regression with fixed effects is no comparison of corners".into();
            Err(CellStatus::Estimator { message })
        }
    }
}
