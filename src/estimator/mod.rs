//! Estimators: configuration, plan and result.

pub(crate) mod aggregate;
mod att_gt;
mod callback;
mod cont_did;
mod contrast;
mod ddd;
mod design;
mod drdid;
mod finish;
pub(crate) mod fixed_effects;
pub(crate) mod group_time;
pub(crate) mod honest;
pub(crate) mod influence;
mod kept;
mod moments;
mod multiplegt;
pub(crate) mod npiv;
mod overlap;
#[cfg(any(feature = "cluster", test))]
mod remote;
mod saved_result;
mod setup;
mod shell;
pub(crate) mod switching;
#[cfg(test)]
pub(crate) mod through;

pub use att_gt::AttGt;
pub use callback::{PanelCell, RepeatedCell, TwoByTwo, TwoByTwoEstimate};
pub use cont_did::{
    ContDid, ContDidResult, DoseCurve, DoseEffects, DoseKnots, DoseRow, DoseTable, GroupKnots,
};
pub use ddd::Ddd;
pub use drdid::{Drdid, DrdidResult};
pub use group_time::{GroupTimeCell, GroupTimeResult, TripleComparison};
pub use influence::{Influence, InfluenceFiles};
pub use multiplegt::{
    DidMultiplegt, EffectsEqual, HeterogeneityRow, MultiplegtAudit, MultiplegtResult,
    MultiplegtTests, PredictHeterogeneity, SwitchingEffect,
};
pub use saved_result::SavedResult;
