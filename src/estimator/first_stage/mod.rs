//! What imputation and two-stage estimators share: a regression of untreated outcomes, and what follows from it for treated rows.
//!
//! ```text
//! y = Z b on untreated rows (weighted least squares),      r = y - Z b on all rows
//! a target Σ p r, of weights p on any rows, is Σ v y with v = p - w z'λ on untreated rows, v = p on treated ones, and Z0'W0 Z0 λ = Z'p
//! ```
//!
//! | what | file |
//! |---|---|
//! | which columns, and how they are read | `columns.rs`, `reading.rs` |
//! | what rows of a unit must say together | `units.rs` |
//! | rows in order, and which of them have their levels on untreated rows | `sample.rs` |
//! | fixed effects, and trends by unit, as an operator | `design.rs` |
//! | the normal equations of these, of untreated rows | `normal.rs`, `direct.rs` |
//! | the same by what units share | `shared.rs` |
//! | which treated rows can be imputed | `imputable.rs` |
//! | covariates, residuals, and `λ` of targets | `fit.rs` |
//! | a regression of the residuals on columns of cells | `cell_regression.rs` |
//! | what is averaged, and the weights of rows | `target.rs`, `weights.rs` |
//! | influence values by cluster | `influence.rs` |
//! | from the data to the effects, step by step | `fitted.rs` |
//! | effects in print, in files and in pictures | `effects.rs`, `event_study.rs`, `check.rs`, `report.rs` |

mod audit;
mod cell_regression;
mod check;
mod columns;
mod design;
mod direct;
mod effects;
mod event_study;
mod fit;
mod fitted;
mod imputable;
mod influence;
mod normal;
mod reading;
mod report;
mod sample;
mod shared;
mod target;
mod units;
mod weights;

pub use audit::StageAudit;
pub use effects::{StageEffect, StageEffects, StageSettings, StageTerm};

pub(in crate::estimator) use cell_regression::CellRegression;
pub(in crate::estimator) use columns::{StageColumns, stage_columns};
pub(in crate::estimator) use effects::Estimated;
pub(in crate::estimator) use event_study::{Base, event_study};
pub(in crate::estimator) use fit::{FirstStage, solved};
pub(in crate::estimator) use fitted::{StageEstimates, fitted};
pub(in crate::estimator) use influence::{Influences, add};
pub(in crate::estimator) use reading::StageReading;
pub(in crate::estimator) use report::{StageReport, stage_result};
pub(in crate::estimator) use sample::{StageCell, StageSample};
pub(in crate::estimator) use target::{Target, concentrated, event_times, groups};
pub(in crate::estimator) use weights::RowWeights;
