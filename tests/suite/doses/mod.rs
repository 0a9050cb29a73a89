//! Continuous treatments.

mod discrete;
mod errors;
mod golden;
mod properties;
mod samples;

use burn_did::backend::Cpu;
use burn_did::data::DoseSimulation;
use burn_did::{
    ContDid, ContDidResult,
    doses::{DoseGrid, DoseTarget},
};
use polars::prelude::DataFrame;

pub fn config() -> ContDid<Cpu> {
    ContDid::builder()
        .outcome("y")
        .unit("id")
        .time("period")
        .group("group")
        .dose("dose")
        .grid(DoseGrid::Values(vec![0.2, 0.5, 0.9]))
        .build()
}

pub fn fit(config: &ContDid<Cpu>, df: &DataFrame) -> ContDidResult {
    config.fit(df).unwrap_or_else(|e| panic!("{e}"))
}

pub fn simulation(units: usize) -> DoseSimulation {
    DoseSimulation::builder().units(units).weights(true).clusters(17).seed(4).build()
}

/// All estimates that have a standard error by themselves.
pub fn estimates(fit: &ContDidResult) -> Vec<(String, f64, f64)> {
    let mut all = Vec::new();
    let mut add = |name: String, e: &burn_did::Estimate| {
        if let Some(se) = e.se {
            all.push((name, e.estimate.unwrap(), se));
        }
    };
    for row in &fit.dose.rows {
        add(format!("ATT({})", row.dose), &row.att);
        add(format!("ACRT({})", row.dose), &row.acrt);
    }
    add("ATT".into(), &fit.overall.att);
    add("ACRT".into(), &fit.overall.acrt);
    for target in [DoseTarget::Level, DoseTarget::Slope] {
        let study = fit.event_study(target).unwrap();
        add(format!("{target:?} overall"), &study.overall.unwrap());
        for row in &study.rows {
            add(format!("{target:?} at {}", row.at), &row.estimate);
        }
        for cell in &fit.cells_of(target).cells {
            add(format!("{target:?} of ({}, {})", cell.group, cell.time), &cell.estimate);
        }
    }
    all
}
