//! A cluster's workers arrange a sample once; several estimates use it, and their numbers equal those on one machine.
//!
//! `cargo run --features cli,ballista --example cluster` runs its workers in this process; with the address of a scheduler
//! (`burn-did cluster --executors 2` prints one), as in `-- df://127.0.0.1:50050`, they are its executors.

use std::fs::File;

use burn_did::data::Simulation;
use burn_did::{
    Aggregation, AttGt, Cluster, Result,
    backend::Cpu,
    options::{Bootstrap, EstimationMethod},
};
use polars::prelude::ParquetWriter;

fn main() -> Result<()> {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("panel.parquet");
    let mut panel = Simulation::builder().units(50_000).covariates(2).seed(1).build().frame();
    let file = File::create(&path).expect("a file");
    ParquetWriter::new(file).with_row_group_size(Some(100_000)).finish(&mut panel)?;

    let cluster = match std::env::args().nth(1) {
        Some(address) => Cluster::connect(&address)?,
        None => Cluster::threads::<Cpu>(&[Default::default(); 2], 1 << 30),
    };
    let cluster = cluster.with_directory(directory.path());
    let doubly_robust = AttGt::<Cpu>::builder()
        .outcome("y")
        .unit("id")
        .time("period")
        .group("group")
        .covariates("~ x1 + x2")
        .bootstrap(Bootstrap::draws(500).seed(1))
        .build();
    let mut weighting = doubly_robust.clone();
    weighting.method = EstimationMethod::Ipw;

    let sample = doubly_robust.prepare(&cluster, &path)?;
    for estimator in [&doubly_robust, &weighting] {
        let fit = estimator.fit_sample(&sample)?;
        println!("{}", fit.aggregate(Aggregation::dynamic())?);
        println!("{:?}\n", fit.timings.cluster);
        assert_eq!(fit.cells, estimator.fit(&panel)?.cells);
    }
    Ok(())
}
