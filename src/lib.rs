//! Difference-in-differences estimators, written once over Burn's `Backend`: the same code on a CPU, on CUDA and on wgpu.
//!
//! [`AttGt`] estimates the group-time average treatment effects of Callaway and Sant'Anna (2021) with the numbers of the
//! authors' R package `did`. For a group `g` (units first treated in period `g`) and a period `t`,
//!
//! ```text
//! ATT(g, t) = E[ Y_t(g) - Y_t(∞) | G = g ],    t ≥ g,
//! ```
//!
//! identified from comparison units by parallel trends given covariates, and estimated by outcome regression, inverse
//! probability weighting or, by default, both (doubly robust).
//!
//! ```
//! use burn_did::{Aggregation, AttGt, backend::Cpu, data};
//!
//! let fit = AttGt::<Cpu>::builder()
//!     .outcome("lemp")
//!     .unit("countyreal")
//!     .time("year")
//!     .group("first.treat")
//!     .covariates("~ lpop")
//!     .build()
//!     .fit(&data::mpdta(), &Default::default())?;
//! println!("{fit}");
//! let event_study = fit.aggregate(Aggregation::dynamic())?;
//! println!("{event_study}");
//! # Ok::<(), burn_did::DidError>(())
//! ```
//!
//! [`Drdid`] compares two groups in two periods with the estimators of R `DRDID`, and [`Ddd`] estimates triple differences, in two
//! periods or under staggered adoption, with the numbers of R `triplediff`. [`ContDid`] estimates effects of continuous treatments by dose.
//! [`DidMultiplegt`] estimates the effects of treatments that switch on, off, up and down (de Chaisemartin and D'Haultfoeuille 2024).
//! [`FixedEffects`] regresses with any number of fixed effects, as R `fixest` does, and [`SunAbraham`] makes an event study of it.
//!
//! # Where to start
//! - To estimate: [`AttGt`], [`Drdid`], [`Ddd`], [`ContDid`] or [`DidMultiplegt`] and their options; [`GroupTimeResult`] and what it
//!   can do; [`DrdidResult`], [`ContDidResult`], [`MultiplegtResult`]; [`Npiv`] for functions of unknown form.
//! - To summarise: [`Aggregation`], [`Aggregated`], [`compare`], [`GroupTimeResult::contrast`].
//! - To regress: [`FixedEffects`], [`RegressionResult`], [`etable`]; [`SunAbraham`]; [`Demean`](struct@Demean) for columns alone.
//! - To ask what violations of parallel trends would change: [`Honest`], [`Aggregated::honest`], [`EventStudy`].
//! - To plug in an estimator of your own: [`TwoByTwo`].
//! - To run on another device: [`backend`].
//! - To know what is computed and why: [`_documentation`].
//!
//! # Modules
//! ```text
//! data frame ─► panel (sample) ─► condition ─► cell (plan) ─► pass × source (device) ─► inference ─► aggregate ─► report
//! ```
//! The formulas stand in `src/cell/two_by_two/`; `src/cell/mod.rs` has a table of which is where, with paper and equation.

#![warn(clippy::print_stdout)]

#[cfg(test)]
extern crate self as burn_did;

pub mod _documentation;
mod aggregate;
pub mod backend;
mod calendar;
mod cell;
#[cfg(feature = "cluster")]
pub mod cluster;
#[cfg(all(test, not(feature = "cluster")))]
mod cluster;
mod condition;
pub mod data;
mod demean;
mod error;
mod estimates;
mod estimator;
mod files;
mod fixed_effects;
mod honest;
mod inference;
mod input;
mod memory;
mod npiv;
mod options;
mod panel;
mod parallel;
pub mod pass;
mod progress;
mod random;
mod report;
mod settings;
mod simd;
mod solve;
mod source;
mod splines;
mod storage;
mod switching;
mod temporary;
mod threads;

pub use aggregate::{
    Aggregated, AggregatedRow, Aggregation, AggregationKind, LeftOut, LeftOutCell, LeftOutGroup,
    LeftOutRow, Window,
};
pub use calendar::Frequency;
#[cfg(any(feature = "cluster", test))]
pub use cluster::{Cluster, ClusterSample};
pub use demean::{ColumnReport, Solver, Stop};
pub use error::{DidError, DidWarning, Result};
pub use estimates::CellStatus;
pub use estimator::{
    AttGt, ContDid, ContDidResult, Ddd, DidMultiplegt, DoseCurve, DoseEffects, DoseKnots, DoseRow,
    DoseTable, Drdid, DrdidResult, EffectsEqual, EventTimeEstimates, GroupKnots, GroupTimeCell,
    GroupTimeResult, HeterogeneityRow, Influence, InfluenceFiles, MultiplegtAudit,
    MultiplegtResult, MultiplegtTests, PanelCell, PredictHeterogeneity, RepeatedCell,
    SwitchingEffect, Timings, TripleComparison, TwoByTwo, TwoByTwoEstimate,
};
pub use fixed_effects::{
    Absorbed, Coefficient, Demean, Demeaned, FTest, FactorEffects, Family, FixedEffects, GDf,
    KFixef, RegressionAudit, RegressionEventStudy, RegressionResult, RegressionSettings,
    SolverReport, Ssc, SunAbraham, SunAbrahamResult, Vcov, demean,
};
pub use honest::{
    Breakdown, Delta, Effect, EventStudy, Honest, HonestDid, HonestMethod, Restriction,
    RobustInterval, Search,
};
pub use inference::{Estimate, Wald};
pub use input::{Data, panics_are_caught};
pub use npiv::{
    Npiv, NpivChoice, NpivResult, NpivRow, NpivSettings, SieveBasis, SieveGrid, SieveKnots,
};
pub use options::{
    Band, BasePeriod, Bootstrap, CohortShares, ControlGroup, DoseAggregation, DoseGrid, DoseMethod,
    DoseTarget, DrdidMethod, EstimationMethod, FixWeights, Inference, Multiplier, Precision,
    Resampling, UnbalancedPanel,
};
pub use panel::{FilesRead, Layout, ReadAsMissing, SampleAudit};
pub use progress::{Progress, ProgressEvent};
pub use report::{
    Align, Comparable, EstimateColumns, PlotRow, Section, Table, Term, compare, etable,
};
#[cfg(feature = "plot")]
pub use report::{Colour, PlotOptions};
pub use settings::Settings;
pub use source::ClusterWork;
pub use switching::{Direction as Switchers, Dropped as SwitchingDropped};
