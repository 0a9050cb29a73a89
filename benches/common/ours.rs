//! This crate as a contestant.

use std::collections::BTreeMap;
use std::time::Instant;

use burn_did::backend::{Cpu, DidBackend};
use burn_did::options::Precision;

use super::case::Task;
use super::models::{self, Fitted};
use super::run::{self, Run};
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
        #[cfg(feature = "vulkan")]
        Some("vulkan") => timed::<burn_did::backend::Vulkan>(&task, Precision::F64)?,
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
        None => task.case.frame()?,
    };
    if task.small > 0 {
        let mut warm_up = task.clone();
        warm_up.case.draws = warm_up.case.draws.min(100);
        let few = data::few(&frame, task)?;
        let _ = models::fit::<B>(&warm_up, precision, &few, &device)?;
    }
    let spans = task.stages.then(Stages::listen);
    let stages = || spans.as_ref().map_or_else(BTreeMap::new, Stages::take);
    let fit = || -> Result<(Fitted, f64)> {
        let start = Instant::now();
        let mut fitted = models::fit::<B>(task, precision, &frame, &device)?;
        for _ in 1..task.case.repeats {
            fitted = models::fit::<B>(task, precision, &frame, &device)?;
        }
        Ok((fitted, start.elapsed().as_secs_f64() / task.case.repeats as f64))
    };

    let before = memory::before();
    let (fitted, seconds) = fit()?;
    let memory = before.after();
    let mut run = Run {
        contestant: NAME.into(),
        version: env!("CARGO_PKG_VERSION").into(),
        settings: format!("{}, {}", B::NAME, precision.word()),
        seconds,
        memory,
        cells: fitted.cells,
        bytes: frame.estimated_size(),
        stages: stages(),
        again: None,
        timings: fitted.timings,
    };
    if task.again {
        let (fitted, seconds) = fit()?;
        if !run::same(&fitted.cells, &run.cells) {
            return Err("the same fit once more, in the same process, has other numbers".into());
        }
        run = Run { stages: stages(), again: Some(seconds), timings: fitted.timings, ..run };
    }
    Ok(run)
}
