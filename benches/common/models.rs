//! The estimators of this crate, set as a case asks.

use burn_did::backend::DidBackend;
use burn_did::{
    AttGt, Ddd, Drdid, DrdidResult, GroupTimeResult,
    group_time::GroupTimeCell,
    options::{Band, Bootstrap, DrdidMethod, Precision, Resampling},
};
use polars::prelude::DataFrame;

use super::Result;
use super::case::{Case, Estimator, Task};
use super::event_studies;
use super::run::Cell;

/// What a fit found.
pub struct Fitted {
    /// Estimates.
    pub cells: Vec<Cell>,
    /// The result's own account of its time.
    pub timings: serde_json::Value,
}

/// One fit.
pub fn fit<B: DidBackend>(
    task: &Task,
    precision: Precision,
    frame: &DataFrame,
    device: &B::Device,
) -> Result<Fitted> {
    match task.case.estimator {
        Estimator::AttGt => group_time(&att_gt::<B>(task, precision).fit_on(frame, device)?),
        Estimator::Drdid(method, resampling) => {
            two_periods(&drdid::<B>(task, precision, method, resampling).fit_on(frame, device)?)
        }
        Estimator::Ddd => group_time(&ddd::<B>(task, precision).fit_on(frame, device)?),
        _ => event_studies::fit::<B>(task, precision, frame, device),
    }
}

fn att_gt<B: DidBackend>(task: &Task, precision: Precision) -> AttGt<B> {
    let case = &task.case;
    AttGt::<B>::builder()
        .outcome("y")
        .maybe_unit(unit(case))
        .time("period")
        .group("group")
        .covariates(formula(case))
        .control_group(case.control_group)
        .repeated_cross_sections(!case.panel)
        .maybe_bootstrap(bootstrap(task))
        .maybe_band(band(case))
        .precision(precision)
        .build()
}

fn drdid<B: DidBackend>(
    task: &Task,
    precision: Precision,
    method: DrdidMethod,
    resampling: Resampling,
) -> Drdid<B> {
    let case = &task.case;
    Drdid::<B>::builder()
        .outcome("y")
        .maybe_unit(unit(case))
        .time("period")
        .treatment("treated")
        .covariates(formula(case))
        .method(method)
        .repeated_cross_sections(!case.panel)
        .maybe_bootstrap(bootstrap(task))
        .resampling(resampling)
        .precision(precision)
        .build()
}

fn ddd<B: DidBackend>(task: &Task, precision: Precision) -> Ddd<B> {
    let case = &task.case;
    Ddd::<B>::builder()
        .outcome("y")
        .maybe_unit(unit(case))
        .time("period")
        .group("group")
        .eligible("eligible")
        .covariates(formula(case))
        .control_group(case.control_group)
        .repeated_cross_sections(!case.panel)
        .maybe_bootstrap(bootstrap(task))
        .maybe_band(band(case))
        .precision(precision)
        .build()
}

fn unit(case: &Case) -> Option<String> {
    case.panel.then(|| "id".into())
}

pub fn formula(case: &Case) -> String {
    let terms = if case.covariates == 0 { vec!["1".into()] } else { case.covariate_names() };
    format!("~ {}", terms.join(" + "))
}

fn bootstrap(task: &Task) -> Option<Bootstrap> {
    let Task { case, seed, .. } = task;
    (case.draws > 0).then(|| Bootstrap::draws(case.draws).seed(*seed).multiplier(case.law))
}

fn band(case: &Case) -> Option<Band> {
    (case.draws > 0).then_some(Band::Uniform)
}

fn group_time(fit: &GroupTimeResult) -> Result<Fitted> {
    let cell = |cell: &GroupTimeCell| Cell {
        group: cell.group,
        time: cell.time,
        att: cell.estimate.estimate,
        se: cell.estimate.se,
    };
    let timings = serde_json::to_value(fit.timings)?;
    Ok(Fitted { cells: fit.cells.iter().map(cell).collect(), timings })
}

/// The effect on the treated, as that of group 1 in period 2.
fn two_periods(fit: &DrdidResult) -> Result<Fitted> {
    let cell = Cell { group: 1.0, time: 2.0, att: fit.estimate.estimate, se: fit.estimate.se };
    Ok(Fitted { cells: vec![cell], timings: serde_json::to_value(fit.timings)? })
}
