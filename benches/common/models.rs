//! The estimators of this crate, set as a case asks.

use burn_did::backend::DidBackend;
use burn_did::{
    AttGt, ContDid, ContDidResult, Ddd, DidMultiplegt, DidMultiplegtResult, Drdid, DrdidResult,
    FixedEffects, GroupTimeResult, RegressionResult,
    group_time::GroupTimeCell,
    options::{Band, Bootstrap, DrdidMethod, Precision, Resampling},
    regression::Family,
    switching::Switchers,
};
use polars::prelude::DataFrame;

use super::Result;
use super::case::{Case, Estimator, Task};
use super::designs;
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
        Estimator::ContDid(resampling) => {
            doses(&cont_did::<B>(task, precision, resampling).fit_on(frame, device)?)
        }
        Estimator::DidMultiplegt(effects, placebos) => {
            let config = DidMultiplegt::builder().outcome("y").unit("id").time("period");
            let config = config.treatment("d").switchers(Switchers::In);
            switching(&config.effects(effects).placebos(placebos).build().fit(frame)?)
        }
        Estimator::Feols => regression(
            &fixed_effects::<B>(frame, precision, Family::Gaussian).fit_on(frame, device)?,
        ),
        Estimator::Fepois => regression(
            &fixed_effects::<B>(frame, precision, Family::Poisson).fit_on(frame, device)?,
        ),
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

fn cont_did<B: DidBackend>(
    task: &Task,
    precision: Precision,
    resampling: Resampling,
) -> ContDid<B> {
    ContDid::<B>::builder()
        .outcome("y")
        .unit("id")
        .time("period")
        .group("group")
        .dose("dose")
        .knots(2)
        .control_group(task.case.control_group)
        .maybe_bootstrap(bootstrap(task))
        .resampling(resampling)
        .maybe_band(band(&task.case))
        .precision(precision)
        .build()
}

/// The regression of the outcome of a design on all else in its frame.
fn fixed_effects<B: DidBackend>(
    frame: &DataFrame,
    precision: Precision,
    family: Family,
) -> FixedEffects<B> {
    FixedEffects::<B>::builder()
        .formula(designs::formula(frame))
        .family(family)
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

/// Effects by dose as those of group 0, slopes as those of group 1, by the number of the dose.
fn doses(fit: &ContDidResult) -> Result<Fitted> {
    let cells = fit.dose.rows.iter().zip(0_u32..).flat_map(|(row, number)| {
        [(0.0, row.att), (1.0, row.acrt)].map(|(group, estimate)| Cell {
            group,
            time: f64::from(number),
            att: estimate.estimate,
            se: estimate.se,
        })
    });
    let timings = serde_json::to_value(fit.level.timings)?;
    Ok(Fitted { cells: cells.collect(), timings })
}

/// Effects and placebos as those of group 0 and group 1, by their number.
fn switching(fit: &DidMultiplegtResult) -> Result<Fitted> {
    let of = |group, rows: &[burn_did::switching::SwitchingEffect]| -> Vec<Cell> {
        let numbered = rows.iter().zip(1_u32..);
        let cell = |(row, number): (&burn_did::switching::SwitchingEffect, u32)| Cell {
            group,
            time: f64::from(number),
            att: row.estimate.estimate,
            se: row.estimate.se,
        };
        numbered.map(cell).collect()
    };
    let cells = [of(0.0, &fit.effects), of(1.0, &fit.placebos)].concat();
    Ok(Fitted { cells, timings: serde_json::to_value(fit.timings)? })
}

/// Coefficients by their number; as timings the steps of the solver, and what is left of `A'r`.
fn regression(fit: &RegressionResult) -> Result<Fitted> {
    let cell = |(coefficient, number): (&burn_did::regression::Coefficient, u32)| Cell {
        group: 0.0,
        time: f64::from(number),
        att: Some(coefficient.estimate),
        se: coefficient.se,
    };
    let cells = fit.coefficients.iter().zip(1_u32..).map(cell).collect();
    let solved = fit.solver.iter().flat_map(|solver| &solver.columns);
    let iterations = solved.clone().map(|column| column.iterations).max().unwrap_or_default();
    let normal = solved.map(|column| column.normal_residual).fold(0.0, f64::max);
    let timings = serde_json::json!({ "iterations": iterations, "normal": normal });
    Ok(Fitted { cells, timings })
}
