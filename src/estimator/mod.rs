//! Estimators.
//!
//! - Lives here: a folder for each family (options, fit, result and its tables), and what several families share: `shell` (estimators of
//!   passes), `fixed_effects` (regressions), `first_stage` (imputation, two stages), `by_unit` (local projections, stacks), `aggregate`.
//! - May import: `base`, `read`, `engine`, `result`, `report`, `data`.
//! - Must not import: `study`; `cluster` but where a fit goes to workers (`shell`, `by_unit`). A family imports another only where it stands on it.

pub(crate) mod aggregate;
pub(crate) mod analysed;
mod att_gt;
pub(crate) mod by_unit;
mod cont_did;
mod ddd;
mod drdid;
pub(crate) mod etwfe;
pub(crate) mod first_stage;
pub(crate) mod fitting;
pub(crate) mod fixed_effects;
pub(crate) mod group_time;
pub(crate) mod honest;
pub(crate) mod imputation;
pub(crate) mod local_projections;
pub(crate) mod npiv;
pub(crate) mod pretrends;
pub(crate) mod shell;
pub(crate) mod stacked;
pub(crate) mod switching;
pub(crate) mod twfe;
pub(crate) mod two_stage;
pub(crate) mod weighting;

pub use att_gt::AttGt;
pub use att_gt::callback::{PanelCell, RepeatedCell, TwoByTwo, TwoByTwoEstimate};
pub use cont_did::{
    ContDid, ContDidResult, DoseCurve, DoseEffects, DoseKnots, DoseRow, DoseTable, GroupKnots,
};
pub use ddd::Ddd;
pub use drdid::{Drdid, DrdidResult};
pub use fitting::Estimator;
pub use group_time::{GroupTimeCell, GroupTimeResult, TripleComparison};
pub use switching::{
    DidMultiplegt, DidMultiplegtResult, EffectsEqual, HeterogeneityRow, MultiplegtAudit,
    MultiplegtTests, PredictHeterogeneity, SwitchingEffect,
};
