//! The estimators as subjects of the laws, and the cases of each: layouts and methods, with and without covariates, weights and
//! clusters.

pub mod att_gt;
pub mod ddd;
pub mod doses;
pub mod drdid;
pub mod etwfe;
pub mod explore;
pub mod first_stage;
pub mod fixed_effects;
pub mod joint_study;
pub mod npiv;
pub mod projections;
pub mod specification_curve;
pub mod stacked;
pub mod sun_abraham;
pub mod switching;
pub mod twfe;

use burn_did::{
    Estimate, GroupTimeResult,
    audit::Influence,
    options::{BasePeriod, ControlGroup, EstimationMethod},
};
use polars::prelude::DataFrame;

use super::subject::{Numbers, Reported};
use crate::support::but;
use crate::support::frames::filter;
use crate::support::panels::staggered;

const METHODS: [EstimationMethod; 3] =
    [EstimationMethod::DoublyRobust, EstimationMethod::Ipw, EstimationMethod::OutcomeRegression];

/// The covariates of the cases that have any.
const COVARIATES: &str = "~ x1 + x2t";

/// Their columns.
const COLUMNS: &[&str] = &["x1", "x2t"];

/// [`Subject`](super::subject::Subject) for an estimator with the options that group-time effects, comparisons of two periods, triple
/// differences and effects of doses share; `own` are changes that it takes otherwise, or whether it takes them.
macro_rules! subject {
    ($estimator:ty, $config:ident, own { $($change:pat $(if $guard:expr)? => $taken:expr),* $(,)? }) => {
        impl $crate::laws::subject::Subject for $estimator {
            fn fit(
                &self,
                data: burn_did::Data<'_>,
            ) -> burn_did::Result<$crate::laws::subject::Numbers> {
                Ok(self.fit(data)?.into())
            }

            fn fit_pieces(
                &self,
                path: &std::path::Path,
            ) -> Option<burn_did::Result<$crate::laws::subject::Numbers>> {
                Some(self.fit(burn_did::Data::in_pieces(path)).map(Into::into))
            }

            fn fit_on_devices(
                &self,
                df: &polars::prelude::DataFrame,
                devices: usize,
            ) -> Option<burn_did::Result<$crate::laws::subject::Numbers>> {
                Some(self.fit_on_devices(df, &vec![Default::default(); devices]).map(Into::into))
            }

            fn change(&mut self, change: $crate::laws::subject::Change<'_>) -> bool {
                use $crate::laws::subject::Change;
                let $config = self;
                let own = match change {
                    $($change $(if $guard)? => Some($taken),)*
                    _ => None,
                };
                if let Some(taken) = own {
                    return taken;
                }
                match change {
                    Change::Bootstrap(bootstrap) => $config.bootstrap = Some(bootstrap),
                    Change::ChunkRows(rows) => $config.chunk_rows = Some(rows),
                    Change::Cluster(column) => $config.cluster = column.map(str::to_owned),
                    Change::KeepInfluence => $config.keep_influence = true,
                    Change::MemoryBudget(bytes) => $config.memory_budget = bytes,
                    Change::Weights(column) => $config.weights = Some(column.to_owned()),
                    Change::WithoutUnit => $config.unit = None,
                    Change::Anticipation(_)
                    | Change::Covariates(_)
                    | Change::Resampling(_)
                    | Change::Step(_) => return false,
                }
                true
            }

            fn copy(&self) -> Box<dyn $crate::laws::subject::Subject> {
                Box::new(self.clone())
            }
        }
    };
}

use subject;

/// [`Subject`](super::subject::Subject) for an estimator that reads files in pieces, with the options that it has.
macro_rules! subject_in_pieces {
    ($estimator:ty, $config:ident, { $($change:pat => $taken:expr),+ $(,)? }) => {
        impl $crate::laws::subject::Subject for $estimator {
            fn fit(
                &self,
                data: burn_did::Data<'_>,
            ) -> burn_did::Result<$crate::laws::subject::Numbers> {
                Ok(self.fit(data)?.into())
            }

            fn fit_pieces(
                &self,
                path: &std::path::Path,
            ) -> Option<burn_did::Result<$crate::laws::subject::Numbers>> {
                Some(self.fit(burn_did::Data::in_pieces(path)).map(Into::into))
            }

            fn change(&mut self, change: $crate::laws::subject::Change<'_>) -> bool {
                let $config = self;
                match change {
                    $($change => $taken,)+
                    _ => return false,
                }
                true
            }

            fn copy(&self) -> Box<dyn $crate::laws::subject::Subject> {
                Box::new(self.clone())
            }
        }
    };
}

use subject_in_pieces;

/// A covariance that has all entries, as numbers that a fit may lack.
fn covariances(vcov: &[Vec<f64>]) -> Vec<Vec<Option<f64>>> {
    vcov.iter().map(|row| row.iter().copied().map(Some).collect()).collect()
}

/// Influence values in the order of these names; empty where a name has none.
fn in_order(influence: Option<Influence>, names: Vec<String>) -> Option<Influence> {
    influence.map(|kept| {
        let at = |name: &String| kept.names.iter().position(|known| known == name);
        let column = |name| at(name).map_or_else(Vec::new, |at| kept.columns[at].clone());
        let columns = names.iter().map(column).collect();
        but(kept, |kept| (kept.names, kept.columns) = (names, columns))
    })
}

/// Options that go together in a case of group-time effects.
#[derive(Clone, Copy)]
struct Options {
    name: &'static str,
    covariates: Option<&'static str>,
    weights: Option<&'static str>,
    cluster: Option<&'static str>,
    control_group: ControlGroup,
    base_period: BasePeriod,
}

const OPTIONS: [Options; 4] = [
    Options {
        name: "plain",
        covariates: None,
        weights: None,
        cluster: None,
        control_group: ControlGroup::NeverTreated,
        base_period: BasePeriod::Varying,
    },
    Options {
        name: "weighted, clustered, not yet treated, universal",
        covariates: None,
        weights: Some("w"),
        cluster: Some("cl"),
        control_group: ControlGroup::NotYetTreated,
        base_period: BasePeriod::Universal,
    },
    Options {
        name: "covariates, not yet treated",
        covariates: Some(COVARIATES),
        weights: None,
        cluster: None,
        control_group: ControlGroup::NotYetTreated,
        base_period: BasePeriod::Varying,
    },
    Options {
        name: "covariates, weighted, clustered, universal",
        covariates: Some(COVARIATES),
        weights: Some("wt"),
        cluster: Some("cl"),
        control_group: ControlGroup::NeverTreated,
        base_period: BasePeriod::Universal,
    },
];

/// The columns of a formula's covariates.
fn columns(covariates: Option<&str>) -> &'static [&'static str] {
    if covariates.is_some() { COLUMNS } else { &[] }
}

/// A panel without a tenth of its rows.
fn with_gaps(units: i64) -> DataFrame {
    filter(&staggered(units), "keep", |keep| keep > 0.0)
}

impl From<GroupTimeResult> for Numbers {
    fn from(fit: GroupTimeResult) -> Self {
        let mut rest = fit.vcov().unwrap();
        rest.push(vec![Some(fit.critical_value), fit.wald.map(|w| w.stat)]);
        for comparison in fit.comparisons.iter().flatten() {
            rest.push(vec![Some(comparison.att), Some(comparison.weight)]);
        }
        for kind in [
            burn_did::Aggregation::simple,
            burn_did::Aggregation::dynamic,
            burn_did::Aggregation::group,
            burn_did::Aggregation::calendar,
        ] {
            let Ok(aggregated) = fit.aggregate(kind().na_rm(true)) else { continue };
            let rows = aggregated.rows.iter().map(|r| r.estimate);
            let all = rows.chain([aggregated.overall]);
            let numbers = |e: Estimate| [e.estimate, e.se, e.ci_lower, e.ci_upper, e.band_upper];
            rest.push(all.flat_map(numbers).collect());
            let covariances = aggregated.vcov.into_iter();
            rest.extend(covariances.map(|row| row.into_iter().map(Some).collect()));
        }
        Self {
            estimates: cells(&fit).collect(),
            rest,
            influence: fit.influence.clone(),
            group_time: Some(fit),
        }
    }
}

/// The cells of a fit.
fn cells(fit: &GroupTimeResult) -> impl Iterator<Item = Reported> {
    fit.cells.iter().map(|cell| Reported {
        status: Some(cell.status.clone()),
        cell: Some((cell.group, cell.time)),
        n: vec![cell.n_treated, cell.n_control],
        ..Reported::new(format!("({}, {})", cell.group, cell.time), &cell.estimate)
            .at(cell.time - cell.group)
    })
}
