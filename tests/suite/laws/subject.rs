//! What the laws need of an estimator, and the numbers of a fit in one form.

use std::path::Path;

use burn_did::{
    Data, Estimate, GroupTimeResult, Result,
    audit::Influence,
    group_time::CellStatus,
    options::{BasePeriod, Bootstrap, ControlGroup, Resampling},
};
use polars::prelude::DataFrame;

use super::report::Within;

/// An estimator with its options.
pub trait Subject: Send + Sync {
    /// Fits a frame or files.
    fn fit(&self, data: Data<'_>) -> Result<Numbers>;

    /// Fits parquet files piece by piece, where the estimator can.
    fn fit_pieces(&self, _path: &Path) -> Option<Result<Numbers>> {
        None
    }

    /// Fits on several devices at once, where the estimator can.
    fn fit_on_devices(&self, _df: &DataFrame, _devices: usize) -> Option<Result<Numbers>> {
        None
    }

    /// Changes an option; `false` if there is no such option.
    fn change(&mut self, change: Change<'_>) -> bool;

    /// A copy with the same options.
    fn copy(&self) -> Box<dyn Subject>;
}

impl Clone for Box<dyn Subject> {
    fn clone(&self) -> Self {
        self.as_ref().copy()
    }
}

/// An option that many estimators have, and its new value.
#[derive(Clone, Copy, Debug)]
pub enum Change<'a> {
    Anticipation(u32),
    Bootstrap(Bootstrap),
    ChunkRows(usize),
    Cluster(Option<&'a str>),
    Covariates(&'a str),
    KeepInfluence,
    MemoryBudget(Option<u64>),
    Resampling(Resampling),
    /// The distance of neighbouring periods, if event times are counted in the calendar's units.
    Step(f64),
    Weights(&'a str),
    WithoutUnit,
}

/// An estimate as a fit reports it.
#[derive(Clone, Debug, PartialEq)]
pub struct Reported {
    pub name: String,
    pub value: Option<f64>,
    pub se: Option<f64>,
    /// Why there is no estimate, where the estimator says so.
    pub status: Option<CellStatus>,
    /// Group and period, for cells of group-time effects.
    pub cell: Option<(f64, f64)>,
    /// Numbers of observations, such as treated and comparison units.
    pub n: Vec<usize>,
    /// The column in whose units the estimate is: a slope is per unit of it.
    pub per: Option<&'static str>,
    /// Whether a constant that is added to the outcome is added to the estimate.
    pub is_level: bool,
    /// What one more in the outcome of all treated rows adds to the estimate; none where that is not said.
    pub of_treated: Option<f64>,
}

impl Reported {
    pub fn new(name: impl Into<String>, estimate: &Estimate) -> Self {
        Self::of_numbers(name, estimate.estimate, estimate.se)
    }

    pub fn of_numbers(name: impl Into<String>, value: Option<f64>, se: Option<f64>) -> Self {
        Self {
            name: name.into(),
            value,
            se,
            status: None,
            cell: None,
            n: vec![],
            per: None,
            is_level: false,
            of_treated: None,
        }
    }

    /// An effect if `is_effect`, or what there is of it before treatment.
    pub fn effect(self, is_effect: bool) -> Self {
        Self { of_treated: Some(f64::from(u8::from(is_effect))), ..self }
    }

    /// An effect at this event time, or before treatment.
    pub fn at(self, event_time: f64) -> Self {
        self.effect(event_time >= 0.0)
    }
}

/// What is compared of a fit.
#[derive(Clone, Debug)]
pub struct Numbers {
    pub estimates: Vec<Reported>,
    /// Everything else that must not change by a bit: covariances, draws, tests, aggregates.
    pub rest: Vec<Vec<Option<f64>>>,
    /// The influence values that were kept; the first columns are those of the first estimates.
    pub influence: Option<Influence>,
    /// The whole result, if it is one of group-time effects.
    pub group_time: Option<GroupTimeResult>,
}

/// Which rows a cell of group-time effects compares, for the laws about rows that it does not.
#[derive(Clone, Copy, Debug)]
pub struct Comparison {
    /// Whether the effect is a triple difference, to which both halves of a cohort contribute.
    pub is_triple: bool,
    pub base_period: BasePeriod,
    pub control_group: ControlGroup,
    pub covariates: CovariateRows,
}

/// The rows that covariates and weights of a cell are taken from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CovariateRows {
    /// The outcomes' own.
    Own,
    /// Those of the earlier of both periods.
    Earlier,
    /// Those of the base period.
    Base,
}

/// Which rows are treated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Treated {
    /// From the period of column `g` on.
    FromGroup,
    /// The eligible ones, in column `q`, of these.
    Eligible,
    /// As column `d` says, which may have other values than 0 and 1.
    Switching,
}

/// An estimator with the data that it is for, and what it does with their columns.
#[derive(Clone)]
pub struct Case {
    pub name: String,
    pub subject: Box<dyn Subject>,
    /// The data of so many units.
    pub frame_of: fn(i64) -> DataFrame,
    pub frame: DataFrame,
    /// The column of outcomes, if estimates are linear in it.
    pub outcome: Option<&'static str>,
    /// Covariates, whose units and origins mean nothing.
    pub covariates: &'static [&'static str],
    /// Columns whose unit alone means nothing: doses, whose origin does.
    pub doses: &'static [&'static str],
    pub weights: Option<&'static str>,
    /// Columns of labels: units and clusters.
    pub labels: &'static [&'static str],
    /// Columns of periods and groups, 0 being never treated.
    pub times: &'static [&'static str],
    /// Other columns of whole numbers.
    pub codes: &'static [&'static str],
    /// Whether every row is a unit of its own.
    pub rows_are_units: bool,
    /// Whether a unit may have one row in a period only.
    pub rows_are_unique: bool,
    /// Whether weights are divided by their sum: a constant in them or in the outcome cancels.
    pub is_normalised: bool,
    /// Whether the influence values that are kept are the derivatives of the estimates in the weights.
    pub has_derivatives: bool,
    /// Whether it draws by itself, so that another order of units draws other numbers.
    pub has_draws: bool,
    /// Whether estimates depend on how many units say the same: knots are quantiles of units.
    pub counts_units: bool,
    /// Whether rows without the outcome or a covariate serve where these are not needed.
    pub keeps_gaps: bool,
    /// Whether standard errors depend on how many rows or units say the same, even if they are one cluster.
    pub counts_rows: bool,
    /// How close a fit of files in pieces is to that of the frame.
    pub in_pieces: Within,
    /// The largest constant that may be added to the outcome without a loss of digits.
    pub largest_origin: f64,
    pub comparison: Option<Comparison>,
    pub treated: Treated,
    /// Whether effects of units and periods in the outcome leave the estimates as they are.
    pub effects_cancel: bool,
}

impl Case {
    /// A case of a panel with columns `y`, `id` and `t`.
    pub fn new(
        name: impl Into<String>,
        subject: impl Subject + 'static,
        units: i64,
        frame_of: fn(i64) -> DataFrame,
    ) -> Self {
        Self {
            name: name.into(),
            subject: Box::new(subject),
            frame_of,
            frame: frame_of(units),
            outcome: Some("y"),
            covariates: &[],
            doses: &[],
            weights: None,
            labels: &["id"],
            times: &["t", "g"],
            codes: &[],
            rows_are_units: false,
            rows_are_unique: true,
            is_normalised: true,
            has_derivatives: true,
            has_draws: false,
            counts_units: false,
            keeps_gaps: false,
            counts_rows: false,
            in_pieces: Within::Bits,
            largest_origin: f64::INFINITY,
            comparison: None,
            treated: Treated::FromGroup,
            effects_cancel: true,
        }
    }

    pub fn try_fit(&self, df: &DataFrame) -> Result<Numbers> {
        self.subject.fit(df.into())
    }

    #[track_caller]
    pub fn fit(&self, df: &DataFrame) -> Numbers {
        self.try_fit(df).unwrap_or_else(|e| panic!("{}: {e}", self.name))
    }

    /// The numbers of the case's own data.
    #[track_caller]
    pub fn numbers(&self) -> Numbers {
        self.fit(&self.frame)
    }

    /// The case with an option changed, if it has the option.
    pub fn changed(&self, change: Change<'_>) -> Option<Self> {
        let mut case = self.clone();
        case.subject.change(change).then_some(case)
    }

    /// The case with some draws, if it has any, so that these are compared too.
    pub fn drawn(&self) -> Self {
        let multiplied = self.changed(Change::Resampling(Resampling::Multiplier));
        let case = multiplied.unwrap_or_else(|| self.clone());
        case.changed(Change::Bootstrap(Bootstrap::draws(11).seed(4))).unwrap_or(case)
    }

    /// The case with a weight column, of ones if it had none; none if the estimator takes no weights.
    pub fn weighted(&self) -> Option<(Self, &'static str)> {
        let weights = self.weights.unwrap_or("one");
        let mut case = self.changed(Change::Weights(weights))?;
        case.frame = super::weights::with_ones(&case.frame);
        case.weights = Some(weights);
        Some((case, weights))
    }
}
