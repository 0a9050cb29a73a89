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
//!     .fit(&data::mpdta())?;
//! println!("{fit}");
//! let event_study = fit.aggregate(Aggregation::dynamic())?;
//! println!("{event_study}");
//! # Ok::<(), burn_did::DidError>(())
//! ```
//!
//! [`Drdid`] compares two groups in two periods with the estimators of R `DRDID`, and [`Ddd`] estimates triple differences, in two
//! periods or under staggered adoption, with the numbers of R `triplediff`. [`ContDid`] estimates effects of continuous treatments by dose.
//! [`DidMultiplegt`] estimates the effects of treatments that switch on, off, up and down (de Chaisemartin and D'Haultfoeuille 2024).
//! [`Imputation`] and [`TwoStage`] estimate effects by a regression of untreated outcomes (Borusyak, Jaravel and Spiess 2024; Gardner 2021).
//! [`FixedEffects`] regresses with any number of fixed effects, as R `fixest` does, and [`SunAbraham`] makes an event study of it;
//! [`Etwfe`] has an effect of each cohort in each period (Wooldridge 2021).
//!
//! # Where to start
//! - To estimate: [`AttGt`], [`Drdid`], [`Ddd`], [`ContDid`] or [`DidMultiplegt`] and their [`options`]; [`GroupTimeResult`] and what it
//!   can do; [`DrdidResult`], [`ContDidResult`], [`DidMultiplegtResult`]; [`Npiv`] for functions of unknown form.
//! - To summarise: [`Aggregation`], [`Aggregated`], [`compare`], [`GroupTimeResult::contrast`].
//! - To regress: [`FixedEffects`], [`RegressionResult`], [`regression::etable`]; [`SunAbraham`]; [`Demean`] for columns alone.
//! - To estimate by a regression of untreated outcomes: [`Imputation`], [`TwoStage`] and their [parts](imputation).
//! - To project locally, with clean controls: [`LocalProjections`]; to stack windows around each cohort's treatment: [`Stacked`].
//! - To ask what a two-way regression averages: [`Bacon`], [`TwfeWeights`].
//! - To ask what violations of parallel trends would change: [`Honest`], [`Aggregated::honest`], [`EventStudy`]; and what a test of
//!   pre-trends would detect: [`Pretrends`].
//! - To write code for any estimator: [`Estimator`]; for any result: [`report::Reportable`].
//! - To bring data into shape: [`panel`].
//! - To do a whole study and write it as one page: `Study`, with the feature `report`.
//! - To plug in an estimator of your own: [`TwoByTwo`](group_time::TwoByTwo).
//! - To run on another device: [`backend`].
//! - To know what is computed and why: [`_documentation`].
//!
//! The root has the estimators and their results, a module for each family has the rest, and [`prelude`] has what most programs use.
//!
//! # How a fit runs
//! ```text
//! data frame ─► panel (sample) ─► condition ─► cell (plan) ─► pass × source (device) ─► inference ─► aggregate ─► report
//! ```

#![warn(clippy::print_stdout)]

#[cfg(test)]
extern crate self as burn_did;

pub mod _documentation;
mod base;
#[cfg(feature = "cluster")]
pub mod cluster;
pub mod data;
mod engine;
mod estimator;
pub mod prelude;
mod read;
pub mod report;
mod result;
mod study;

/// The version of polars whose frames estimators take and results give.
pub use polars;

pub use base::error::{DidError, DidWarning, Result, TooFew};
pub use base::memory::release_memory_by;
pub use base::progress::{Progress, ProgressEvent};
#[cfg(feature = "cluster")]
pub use cluster::{Cluster, ClusterSample};
pub use engine::{backend, pass};
pub use estimator::aggregate::{Aggregated, Aggregation, EventStudy};
pub use estimator::etwfe::{Etwfe, EtwfeResult};
pub use estimator::fixed_effects::{
    Demean, DemeanResult, FixedEffects, RegressionResult, SunAbraham, SunAbrahamResult,
};
pub use estimator::honest::{Honest, HonestResult};
pub use estimator::imputation::{Imputation, ImputationResult};
pub use estimator::local_projections::{LocalProjections, LocalProjectionsResult};
pub use estimator::npiv::{Npiv, NpivResult};
pub use estimator::pretrends::{Pretrends, PretrendsResult};
pub use estimator::stacked::{Stacked, StackedResult};
pub use estimator::twfe::{Bacon, BaconResult, TwfeWeights, TwfeWeightsResult};
pub use estimator::two_stage::{TwoStage, TwoStageResult};
pub use estimator::{
    AttGt, ContDid, ContDidResult, Ddd, DidMultiplegt, DidMultiplegtResult, Drdid, DrdidResult,
    Estimator, GroupTimeResult,
};
pub use read::input::{Data, DataFiles, panics_are_caught};
pub use report::compare;
pub use result::inference::{Estimate, Wald};
pub use study::{JointStudy, JointStudyResult, SavedResult, SpecificationCurve};
#[cfg(feature = "report")]
pub use study::{Study, StudyReport};

/// Options that several estimators share.
pub mod options {
    pub use crate::base::calendar::Frequency;
    pub use crate::base::options::{
        Band, BasePeriod, Bootstrap, CohortShares, ControlGroup, CovariatePeriod, DrdidMethod,
        EstimationMethod, FixWeights, Inference, Multiplier, Precision, Resampling, SharesOf,
        UnbalancedPanel,
    };
    pub use crate::base::words::{ParseOptionError, Word, Words};
    pub use crate::read::files::{DecimalMark, RowCondition};
}

/// Parts of group-time effects and of their averages, and the interface for two-by-two estimators of your own.
pub mod group_time {
    pub use crate::estimator::aggregate::{
        AggregatedRow, AggregationKind, LeftOut, LeftOutCell, LeftOutGroup, LeftOutRow, Provenance,
        RegressionProvenance, Window, WithoutShare,
    };
    pub use crate::estimator::{
        GroupTimeCell, PanelCell, RepeatedCell, TripleComparison, TwoByTwo, TwoByTwoEstimate,
    };
    pub use crate::result::estimates::{CellStatus, Overlap, RegressionUnits};
}

/// What an estimator's own weighting does to the comparison: balance before and after it, scores by unit, overlap by cell.
pub mod weighting {
    pub use crate::estimator::weighting::{
        Against, CovariateBalance, CovariateShares, OverlapByCell, OverlapRow, ScoreShares, Scores,
        WeightedComparison, Weighting,
    };
}

/// A first look at the data, before anything is estimated.
pub mod explore {
    pub use crate::study::{
        Balance, BalanceRow, CohortDescription, CohortMean, CohortMeans, CohortStatus, Description,
        Explore, Irregularity, PanelView, PeriodDescription, SampleOfDesign, TreatmentPattern,
        TreatmentStatus,
    };
}

/// Options and parts of several estimators of one study, and of its specification curve.
pub mod joint_study {
    pub use crate::study::{
        Agreement, CurveTests, EstimatorFailure, EstimatorOfStudy, JointStudySettings,
        MissingEffect, SampleFilter, Specification, SpecificationOfCurve, StudyChoice,
        StudyEstimator, Variation, VariedChoice,
    };
}

/// Parts of the report on a whole study, which [`Study`] asks for and [`StudyReport`] is.
#[cfg(feature = "report")]
pub mod recipe {
    pub use crate::study::recipe::{Chapter, FileDigest, Finding, Step, StepPicture, Variant};
}

/// How a result came about: what was read, left out and set, how long it took, and influence values by unit.
pub mod audit {
    pub use crate::base::error::FileLine;
    pub use crate::engine::source::{ClusterWork, Influence, InfluenceFiles};
    pub use crate::read::columns::ReadAsMissing;
    pub use crate::read::files::{ChosenRows, FilesRead, RowsLeftOut};
    pub use crate::read::panel::{Layout, SampleAudit};
    pub use crate::result::fit_notes::FitNotes;
    pub use crate::result::sample::{RowsRead, SampleColumns};
    pub use crate::result::settings::{EstimatorSettings, Settings};
    pub use crate::result::timings::Timings;
}

/// Options and parts of regressions with fixed effects.
pub mod regression {
    pub use crate::base::options::Stop;
    pub use crate::engine::demean::{ColumnReport, Solver};
    pub use crate::estimator::fixed_effects::{
        Absorbed, Coefficient, FTest, FactorEffects, Family, GDf, KFixef, RegressionAudit,
        RegressionSettings, SolverReport, Ssc, Vcov, etable,
    };
}

/// Options and parts of sensitivity analyses.
pub mod sensitivity {
    pub use crate::estimator::honest::{
        Breakdown, Delta, Effect, HonestMethod, Restriction, RobustInterval, Search,
    };
}

/// Options and parts of analyses of pre-trends.
pub mod pretrends {
    pub use crate::estimator::pretrends::{
        EquivalencePeriod, EquivalenceTest, EquivalenceTests, Hypothesis, PreTest,
        PretrendsAlternative, PretrendsRow,
    };
}

/// Options and parts of the diagnostics of two-way fixed effects.
pub mod twfe {
    pub use crate::estimator::twfe::{
        BaconComparison, BaconSum, BaconWithin, ComparisonKind, TwfeCells, TwfeRegression,
        TwfeSettings, TwfeWeightRow,
    };
}

/// Options and parts of effects by a regression of untreated outcomes.
pub mod imputation {
    pub use crate::estimator::first_stage::{
        StageAudit, StageEffect, StageEffects, StageSettings, StageTerm,
    };
    pub use crate::estimator::imputation::{AveragedBy, CellAverages, PretrendTimes};
}

/// Options and parts of local projections, and the effects and samples of regressions by units.
pub mod projections {
    pub use crate::base::options::ProjectionBase;
    pub use crate::estimator::by_unit::{EventEffect, PanelSample};
    pub use crate::estimator::local_projections::{ProjectionMethod, ProjectionSettings};
}

/// Options and parts of stacked difference-in-differences.
pub mod stacks {
    pub use crate::estimator::stacked::{StackEffects, StackSettings, StackWeights, SubExperiment};
}

/// Options and parts of extended two-way fixed effects.
pub mod extended {
    pub use crate::estimator::etwfe::{
        EtwfeAbsorb, EtwfeEffect, EtwfeLevel, EtwfeScale, EtwfeSettings, SeparatedRows,
    };
}

/// Options and parts of effects by dose.
pub mod doses {
    pub use crate::base::options::{
        CurveErrors, DoseAggregation, DoseGrid, DoseMethod, DoseTarget,
    };
    pub use crate::estimator::{DoseCurve, DoseEffects, DoseKnots, DoseRow, DoseTable, GroupKnots};
}

/// Options and parts of effects of treatments that switch.
pub mod switching {
    pub use crate::estimator::switching::{Direction as Switchers, Dropped as SwitchingDropped};
    pub use crate::estimator::{
        EffectsEqual, HeterogeneityRow, MultiplegtAudit, MultiplegtTests, PredictHeterogeneity,
        SwitchingEffect,
    };
}

/// Options and parts of nonparametric regressions by sieves.
pub mod sieve {
    pub use crate::estimator::npiv::{
        NpivChoice, NpivRow, NpivSettings, SieveBasis, SieveGrid, SieveKnots,
    };
}

/// Tools that bring a panel into the shape that estimators read: first treated periods, balance, gaps, duplicates, lags, wide and long.
pub mod panel {
    pub use crate::study::panel::{
        BalanceRule, Base, CohortChange, FillGaps, FirstTreated, Keep, PanelChange, PanelCount,
        PanelKeys, PanelTool, ToLong, ToWide, balance, deduplicate, difference, fill_gaps,
        first_treated, lag, long_difference, to_long, to_wide,
    };
}

/// What the command line needs besides; no part of the interface.
#[doc(hidden)]
pub mod command_line {
    pub use crate::base::harmless::is_harmless;
    pub use crate::base::near::are_near;
    pub use crate::base::shell::{option, path, quoted};
    pub use crate::base::temporary::clear_away;
    pub use crate::base::written::check_folder;
    pub use crate::read::files::overwritten;
}

/// Estimators, their results, data and errors can be sent to other threads, and shared with them.
const _: () = {
    const fn is_thread_safe<T: Send + Sync>() {}
    macro_rules! are_thread_safe {
        ($($one:ty),+ $(,)?) => { $(is_thread_safe::<$one>();)+ };
    }
    const fn _estimators<B: backend::DidBackend>() {
        are_thread_safe!(
            AttGt<B>,
            ContDid<B>,
            Ddd<B>,
            Demean<B>,
            Drdid<B>,
            Etwfe<B>,
            FixedEffects<B>,
            JointStudy<B>,
            SunAbraham<B>,
        );
    }
    are_thread_safe!(
        Bacon,
        DidMultiplegt,
        Honest,
        Imputation,
        LocalProjections,
        Npiv,
        Pretrends,
        Stacked,
        TwfeWeights,
        TwoStage,
        explore::Explore,
        panel::PanelKeys,
        panel::PanelTool,
    );
    // A saved result is one of all others.
    are_thread_safe!(
        SavedResult,
        DemeanResult,
        audit::Influence,
        weighting::Scores,
        report::Table,
        Data<'static>,
        DataFiles,
        DidError,
        DidWarning,
        Progress,
    );
    #[cfg(feature = "cluster")]
    are_thread_safe!(Cluster, ClusterSample);
    #[cfg(feature = "report")]
    are_thread_safe!(Study, StudyReport);
};
