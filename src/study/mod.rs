//! The steps of a study around the estimate: what the data are, how outcomes moved, whether groups are alike.
//!
//! - Lives here: `panel`, tools that bring data into the shape that estimators read; `explore` (the columns, and the look at them),
//!   `describe`, `panelview`, `means`, `balance`; `joint`, several estimators of one sample, and `curve`, all combinations of choices; `saved_result`, which knows every kind of result; and `recipe`, the report on a whole study.
//! - May import: everything below it, estimators included.
//! - Must not import: `prelude` and `bin`. No number of an estimate is formed here.

mod balance;
mod curve;
mod describe;
mod explore;
pub(crate) mod joint;
mod means;
pub(crate) mod panel;
mod panelview;
#[cfg(feature = "report")]
pub(crate) mod recipe;
mod saved_result;

pub use balance::{Balance, BalanceRow};
pub use curve::{
    CurveTests, SpecificationCurve, SpecificationOfCurve, StudyChoice, Variation, VariedChoice,
};
pub use describe::{
    CohortDescription, CohortStatus, Description, Irregularity, PeriodDescription, SampleOfDesign,
};
pub use explore::Explore;
pub use joint::{
    Agreement, EstimatorFailure, EstimatorOfStudy, JointStudy, JointStudyResult,
    JointStudySettings, MissingEffect, SampleFilter, Specification, StudyEstimator,
};
pub use means::{CohortMean, CohortMeans};
pub use panelview::{PanelView, TreatmentPattern, TreatmentStatus};
#[cfg(feature = "report")]
pub use recipe::{Study, StudyReport};
pub use saved_result::SavedResult;
