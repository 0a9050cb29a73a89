//! This crate as a contestant.

use std::collections::BTreeMap;
use std::time::Instant;

use burn_did::backend::{Cpu, DidBackend};
use burn_did::{AttGt, AttGtResult, Band, Bootstrap, Precision};
use polars::prelude::DataFrame;

use super::case::Task;
use super::run::{Cell, Run};
use super::stages::Stages;
use super::{Result, data, memory};

/// Name in the tables.
pub const NAME: &str = "burn-did";

/// Does the task and prints the report.
pub fn run(task: &str) -> Result<()> {
    let task: Task = serde_json::from_str(task)?;
    let run = match task.device.as_deref() {
        None | Some("cpu") => timed::<Cpu>(&task, Precision::F64)?,
        #[cfg(feature = "cuda")]
        Some("cuda") => timed::<burn_did::backend::Cuda>(&task, Precision::F64)?,
        #[cfg(feature = "wgpu")]
        Some("wgpu") => timed::<burn_did::backend::Wgpu>(&task, Precision::F32)?,
        Some(other) => return Err(format!("no backend `{other}` in this build").into()),
    };
    println!("{}", serde_json::to_string(&run)?);
    Ok(())
}

/// Times one fit after one of a few units, which compiles kernels and starts threads.
fn timed<B: DidBackend>(task: &Task, precision: Precision) -> Result<Run> {
    let device = B::Device::default();
    let frame = match &task.path {
        Some(path) => data::read(path)?,
        None => task.case.simulation().frame(),
    };
    let estimator = estimator::<B>(task, precision);
    warm_up(&estimator, &data::first_units(&frame, task.small)?, &device)?;
    let stages = task.stages.then(Stages::listen);

    let before = memory::before();
    let start = Instant::now();
    let fit = estimator.fit(&frame, &device)?;
    let seconds = start.elapsed().as_secs_f64();
    let memory = before.after();

    Ok(Run {
        contestant: NAME.into(),
        version: env!("CARGO_PKG_VERSION").into(),
        settings: format!("{}, {}", B::NAME, precision.name()),
        seconds,
        memory,
        cells: cells(&fit),
        stages: stages.map_or_else(BTreeMap::new, |s| s.seconds()),
    })
}

fn warm_up<B: DidBackend>(estimator: &AttGt<B>, few: &DataFrame, device: &B::Device) -> Result<()> {
    let mut estimator = estimator.clone();
    if let Some(bootstrap) = &mut estimator.bootstrap {
        bootstrap.draws = bootstrap.draws.min(100);
    }
    let _ = estimator.fit(few, device)?;
    Ok(())
}

fn estimator<B: DidBackend>(task: &Task, precision: Precision) -> AttGt<B> {
    let case = &task.case;
    let terms = if case.covariates == 0 { vec!["1".into()] } else { case.covariate_names() };
    let mut estimator = AttGt::<B>::builder()
        .outcome("y")
        .time("period")
        .group("group")
        .covariates(format!("~ {}", terms.join(" + ")))
        .control_group(case.control_group)
        .repeated_cross_sections(!case.panel)
        .precision(precision)
        .build();
    estimator.unit = case.panel.then(|| "id".into());
    estimator.bootstrap =
        (case.draws > 0).then(|| Bootstrap::draws(case.draws).seed(task.seed).multiplier(case.law));
    estimator.band = estimator.bootstrap.map(|_| Band::Uniform);
    estimator
}

fn cells(fit: &AttGtResult) -> Vec<Cell> {
    fit.cells
        .iter()
        .map(|cell| Cell {
            group: cell.group,
            time: cell.time,
            att: cell.estimate.att,
            se: cell.estimate.se,
        })
        .collect()
}
