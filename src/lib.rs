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
mod base;
#[cfg(any(feature = "cluster", test))]
pub mod cluster;
pub mod data;
mod engine;
mod estimator;
mod read;
mod report;
mod result;

pub use base::calendar::Frequency;
pub use base::error::{DidError, DidWarning, FileLine, Result};
#[doc(hidden)]
pub use base::harmless::is_harmless;
pub use base::options::{
    Band, BasePeriod, Bootstrap, CohortShares, ControlGroup, CovariatePeriod, CurveErrors,
    DoseAggregation, DoseGrid, DoseMethod, DoseTarget, DrdidMethod, EstimationMethod, FixWeights,
    Inference, Multiplier, Precision, Resampling, SharesOf, Stop, UnbalancedPanel,
};
pub use base::progress::{Progress, ProgressEvent};
#[doc(hidden)]
pub use base::temporary::clear_away;
pub use base::words::{ParseOptionError, Word, Words};
#[cfg(any(feature = "cluster", test))]
pub use cluster::{Cluster, ClusterSample};
pub use engine::demean::{ColumnReport, Solver};
pub use engine::source::{ClusterWork, Influence, InfluenceFiles};
pub use engine::{backend, pass};
pub use estimator::aggregate::{
    Aggregated, AggregatedRow, Aggregation, AggregationKind, EventStudy, LeftOut, LeftOutCell,
    LeftOutGroup, LeftOutRow, Provenance, RegressionProvenance, Window,
};
pub use estimator::fixed_effects::{
    Absorbed, Coefficient, Demean, Demeaned, FTest, FactorEffects, Family, FixedEffects, GDf,
    KFixef, RegressionAudit, RegressionResult, RegressionSettings, SolverReport, Ssc, SunAbraham,
    SunAbrahamResult, Vcov, demean, etable,
};
pub use estimator::honest::{
    Breakdown, Delta, Effect, Honest, HonestDid, HonestMethod, Restriction, RobustInterval, Search,
};
pub use estimator::npiv::{
    Npiv, NpivChoice, NpivResult, NpivRow, NpivSettings, SieveBasis, SieveGrid, SieveKnots,
};
pub use estimator::switching::{Direction as Switchers, Dropped as SwitchingDropped};
pub use estimator::{
    AttGt, ContDid, ContDidResult, Ddd, DidMultiplegt, DoseCurve, DoseEffects, DoseKnots, DoseRow,
    DoseTable, Drdid, DrdidResult, EffectsEqual, GroupKnots, GroupTimeCell, GroupTimeResult,
    HeterogeneityRow, MultiplegtAudit, MultiplegtResult, MultiplegtTests, PanelCell,
    PredictHeterogeneity, RepeatedCell, SavedResult, SwitchingEffect, TripleComparison, TwoByTwo,
    TwoByTwoEstimate,
};
pub use read::columns::ReadAsMissing;
pub use read::files::FilesRead;
#[doc(hidden)]
pub use read::files::overwritten;
pub use read::input::{Data, panics_are_caught};
pub use read::panel::{Layout, SampleAudit};
pub use report::{
    Align, Comparable, EstimateColumns, PlotRow, Reportable, Section, Table, Term, compare, csv,
};
#[cfg(feature = "plot")]
pub use report::{Colour, PlotOptions};
pub use result::estimates::{CellStatus, Overlap};
pub use result::inference::{Estimate, Wald};
pub use result::settings::Settings;
pub use result::timings::Timings;
