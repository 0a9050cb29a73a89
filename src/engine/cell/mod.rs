//! Cells: which strata they compare, and the two-by-two estimators as functions of a few sums.
//!
//! | estimator | formula | source |
//! |---|---|---|
//! | doubly robust | panel: `two_by_two/panel.rs`, `doubly_robust` | Sant'Anna and Zhao (2020), eq. 3.1 |
//! | | rows: `two_by_two/repeated/doubly_robust.rs`, `traditional` | eq. 3.3; locally efficient: eq. 3.4 |
//! | improved doubly robust | `improved` in the same files; odds in `calibrate/` | eqs. 3.1, 3.3, 3.4 with sections 3.1, 3.2; Graham, Pinto and Egel (2012) |
//! | weighting (Hájek) | panel: `ipw`; rows: `two_by_two/repeated/weighting.rs`, `hajek` | eq. 2.3, weights normalised |
//! | weighting (Horvitz–Thompson) | `horvitz_thompson` in the same files | Abadie (2005) |
//! | outcome regression | panel: `regression`; rows: `two_by_two/repeated/regression.rs` | eq. 2.2; Heckman, Ichimura and Todd (1997) |
//! | two-way fixed effects | `two_by_two/twfe.rs` | R `DRDID`'s `twfe_did_panel`, `twfe_did_rc` |
//! | triple differences | `triple/` | Ortiz-Villavicencio and Sant'Anna (2025) |
//! | continuous treatments | `dosed/` | Callaway, Goodman-Bacon and Sant'Anna (2024) |
//! | which cells exist | `plan/` | Callaway and Sant'Anna (2021), section 2 |
//!
//! A formula turns the [moments](algebra::Moments) of a cell's arms into a [`CellEstimate`]: a number, and the
//! [terms](terms) of its influence values. Modules use only those above them:
//!
//! ```text
//! method  sides  answers                   vocabulary, and how a lost sum is told
//! terms   algebra  sums  plan              influence, regressions, cross-products; which cells exist
//! logit   calibrate  centre  legs          propensity scores; levels of outcomes; terms as a pass
//! propensity                               the score of each cell
//! two_by_two                               the formulas
//! estimate  dosed  triple                  from planned cells to estimates
//! ```

mod algebra;
mod answers;
mod calibrate;
mod centre;
mod dosed;
mod estimate;
mod legs;
mod logit;
mod method;
mod plan;
mod propensity;
mod sides;
mod sums;
mod terms;
mod triple;
mod two_by_two;

#[cfg(test)]
mod fixtures;

pub(crate) use dosed::{CellCurve, DoseCell, average, dose_cells, dose_cells_and_totals};
pub(crate) use estimate::{Results, estimate};
pub(crate) use legs::{influence_pass, rows_pass};
pub(crate) use method::{Method, Recipe, TRIM};
pub(crate) use plan::{PlanOptions, plan_cells};
pub(crate) use sides::{Outcome, PlannedCell, Side, StratumRows};
pub(crate) use terms::{CellEstimate, InfluenceTerm};
pub(crate) use triple::{Combined, LostComparison, TripleEstimate, TriplePart, TriplePlan};
