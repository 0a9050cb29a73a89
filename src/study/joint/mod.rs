//! Several estimators of one sample, with the covariance between them.
//!
//! | what | file |
//! |---|---|
//! | options | `options.rs` |
//! | what an estimator is told besides the columns | `specification.rs` |
//! | reading once, and clusters by one code for all estimators | `sample.rs` |
//! | each estimator's effects by event time, with the influence of the clusters on them | `estimators.rs` |
//! | event times of estimators that count periods | `steps.rs` |
//! | the estimator of treatments that switch, of a treatment that stays | `switching.rs` |
//! | several fits at once | `side_by_side.rs` |
//! | averages over common event times, and tests that two estimators agree | `agreement.rs` |
//! | the fit, and the covariance of all effects | `fit.rs` |
//! | effects that an estimator does not have, and why | `missing.rs` |
//! | results | `result.rs`, `check.rs`, `report.rs` |

mod agreement;
mod check;
pub(super) mod estimators;
mod fit;
mod missing;
mod options;
mod report;
mod result;
pub(super) mod sample;
mod shifted;
pub(super) mod side_by_side;
mod specification;
mod steps;
mod switching;

pub(super) use agreement::{SAME, common};
pub use missing::MissingEffect;
pub use options::{JointStudy, StudyEstimator};
pub use result::{
    Agreement, EstimatorFailure, EstimatorOfStudy, JointStudyResult, JointStudySettings,
};
pub use specification::{SampleFilter, Specification};
