//! An estimator of any kind with its data, and its numbers in one form.

use std::path::Path;

use burn_did::backend::Cpu;
use burn_did::{
    Aggregation, AttGt, Bootstrap, CellStatus, Data, Ddd, Drdid, DrdidResult, GroupTimeResult,
    Resampling, Result,
};
use polars::prelude::DataFrame;

/// Any estimator.
#[derive(Clone)]
pub enum Estimator {
    AttGt(AttGt<Cpu>),
    Drdid(Drdid<Cpu>),
    Ddd(Ddd<Cpu>),
}

/// The same statement for each kind of estimator.
macro_rules! each {
    ($estimator:expr, $e:ident => $statement:expr) => {
        match $estimator {
            Estimator::AttGt($e) => $statement,
            Estimator::Drdid($e) => $statement,
            Estimator::Ddd($e) => $statement,
        }
    };
}

/// A cell; the one of a two-period comparison has the group and period 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    pub group: f64,
    pub time: f64,
    pub att: Option<f64>,
    pub se: Option<f64>,
    pub status: CellStatus,
    /// Treated and comparison units.
    pub n: [usize; 2],
}

/// What is compared of a fit.
#[derive(Clone, Debug)]
pub struct Numbers {
    pub cells: Vec<Cell>,
    /// Everything else that must not change by a bit: covariances, draws, aggregates.
    pub rest: Vec<Vec<Option<f64>>>,
    /// The whole result of group-time effects.
    pub fit: Option<GroupTimeResult>,
}

/// An estimator and the data that it is for.
#[derive(Clone)]
pub struct Case {
    pub name: String,
    pub estimator: Estimator,
    pub frame: DataFrame,
}

impl Case {
    pub fn try_fit(&self, df: &DataFrame) -> Result<Numbers> {
        self.estimator.fit(df.into())
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

    /// The case with some draws, so that these are compared too.
    pub fn drawn(&self) -> Self {
        let mut case = self.clone();
        let bootstrap = Some(Bootstrap::draws(11).seed(4));
        each!(&mut case.estimator, e => e.bootstrap = bootstrap);
        if let Estimator::Drdid(e) = &mut case.estimator {
            e.resampling = Resampling::Multiplier;
        }
        case
    }

    /// The case with another memory budget.
    pub fn within(&self, bytes: Option<u64>) -> Self {
        let mut case = self.clone();
        each!(&mut case.estimator, e => e.memory_budget = bytes);
        case
    }

    /// The case with another cluster column.
    pub fn clustered(&self, column: Option<&str>) -> Self {
        let mut case = self.clone();
        each!(&mut case.estimator, e => e.cluster = column.map(str::to_owned));
        case
    }

    /// The case with another weight column.
    pub fn weighted(&self, column: &str) -> Self {
        let mut case = self.clone();
        each!(&mut case.estimator, e => e.weights = Some(column.to_owned()));
        case
    }

    /// The case without a unit column, for repeated cross sections.
    pub fn without_unit(&self) -> Self {
        let mut case = self.clone();
        each!(&mut case.estimator, e => e.unit = None);
        case
    }

    pub fn has_covariates(&self) -> bool {
        each!(&self.estimator, e => e.covariates != "~ 1")
    }

    pub fn weights(&self) -> Option<&str> {
        each!(&self.estimator, e => e.weights.as_deref())
    }

    /// Whether every row is a unit of its own.
    pub fn rows_are_units(&self) -> bool {
        each!(&self.estimator, e => e.repeated_cross_sections)
    }
}

impl Estimator {
    /// Fits a frame, a lazy frame or files.
    pub fn fit(&self, data: Data<'_>) -> Result<Numbers> {
        let device = Default::default();
        Ok(match self {
            Self::AttGt(e) => e.fit(data, &device)?.into(),
            Self::Drdid(e) => e.fit(data, &device)?.into(),
            Self::Ddd(e) => e.fit(data, &device)?.into(),
        })
    }

    /// Fits parquet files piece by piece.
    pub fn fit_parquet(&self, path: &Path) -> Result<Numbers> {
        let devices = [Default::default()];
        Ok(match self {
            Self::AttGt(e) => e.fit_parquet(path, &devices)?.into(),
            Self::Drdid(e) => e.fit_parquet(path, &devices)?.into(),
            Self::Ddd(e) => e.fit_parquet(path, &devices)?.into(),
        })
    }
}

impl From<GroupTimeResult> for Numbers {
    fn from(fit: GroupTimeResult) -> Self {
        let cells = fit.cells.iter().map(|c| Cell {
            group: c.group,
            time: c.time,
            att: c.estimate.att,
            se: c.estimate.se,
            status: c.status.clone(),
            n: [c.n_treated, c.n_control],
        });
        let cells = cells.collect();
        let mut rest = fit.vcov();
        let wald = fit.wald.map(|w| w.stat);
        rest.push(vec![Some(fit.critical_value), wald]);
        for kind in [Aggregation::simple, Aggregation::dynamic, Aggregation::group] {
            let Ok(aggregated) = fit.aggregate(kind().na_rm(true)) else { continue };
            let rows = aggregated.rows.iter().map(|r| r.estimate);
            let all = rows.chain([aggregated.overall]);
            rest.push(all.flat_map(|e| [e.att, e.se, e.ci_lower, e.ci_upper]).collect());
        }
        Self { cells, rest, fit: Some(fit) }
    }
}

impl From<DrdidResult> for Numbers {
    fn from(fit: DrdidResult) -> Self {
        let draws = fit.draws.iter().flatten().copied().map(Some).collect();
        let cell = Cell {
            group: 0.0,
            time: 0.0,
            att: fit.estimate.att,
            se: fit.estimate.se,
            status: fit.status,
            n: [fit.n_treated, fit.n_control],
        };
        let rest = vec![draws, vec![Some(fit.critical_value)]];
        Self { cells: vec![cell], rest, fit: None }
    }
}
