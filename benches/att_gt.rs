//! Whole fits from a data frame in memory: `cargo bench --bench att_gt`.
//!
//! `mpdta` is the field's smallest example; the others are the shapes of large applications at a tenth of their units.

use std::hint::black_box;

use burn_did::backend::Cpu;
use burn_did::data::{Simulation, mpdta};
use burn_did::{
    AttGt,
    options::{Band, Bootstrap, ControlGroup},
};
use criterion::{Criterion, criterion_group, criterion_main};

fn small(c: &mut Criterion) {
    let df = mpdta();
    let fit = AttGt::<Cpu>::builder()
        .outcome("lemp")
        .unit("countyreal")
        .time("year")
        .group("first.treat")
        .covariates("~ lpop")
        .build();
    c.bench_function("att_gt/mpdta/dr/k=2", |b| {
        b.iter(|| black_box(fit.fit(&df)));
    });
    let mut with_band = fit.clone();
    with_band.band = Some(Band::Uniform);
    c.bench_function("att_gt/mpdta/dr/k=2/band", |b| {
        b.iter(|| black_box(with_band.fit(&df)));
    });
}

fn simulated(covariates: &str) -> AttGt<Cpu> {
    AttGt::builder()
        .outcome("y")
        .unit("id")
        .time("period")
        .group("group")
        .covariates(covariates)
        .build()
}

fn large(c: &mut Criterion) {
    let mut group = c.benchmark_group("att_gt");
    group.sample_size(10);
    let wide = Simulation::builder().units(100_000).periods(5).covariates(0).build().frame();
    let plain = simulated("~ 1");
    let mut draws = plain.clone();
    draws.bootstrap = Some(Bootstrap::draws(1_000));
    group.bench_function("n=100000/T=5/dr/k=1", |b| {
        b.iter(|| black_box(plain.fit(&wide)));
    });
    group.bench_function("n=100000/T=5/dr/k=1/draws=1000", |b| {
        b.iter(|| black_box(draws.fit(&wide)));
    });
    let long = Simulation::builder()
        .units(20_000)
        .periods(10)
        .cohorts((3..=10).collect::<Vec<i64>>())
        .covariates(5)
        .build()
        .frame();
    let never = simulated("~ x1 + x2 + x3 + x4 + x5");
    let mut not_yet = never.clone();
    not_yet.control_group = ControlGroup::NotYetTreated;
    group.bench_function("n=20000/T=10/dr/k=6/never", |b| {
        b.iter(|| black_box(never.fit(&long)));
    });
    group.bench_function("n=20000/T=10/dr/k=6/notyet", |b| {
        b.iter(|| black_box(not_yet.fit(&long)));
    });
}

/// Point estimates without covariates or a bootstrap are little more than reading and arranging the rows.
fn ingest(c: &mut Criterion) {
    let df = Simulation::builder().units(100_000).periods(5).covariates(0).build().frame();
    let rows: Vec<u32> = (0..500_000u32).map(|i| (i % 5) * 100_000 + i / 5).collect();
    let mixed = df.take(&polars::prelude::IdxCa::from_vec("row".into(), rows)).unwrap_or_default();
    let mut fit = simulated("~ 1");
    fit.point_estimates_only = true;
    let mut group = c.benchmark_group("ingest");
    group.sample_size(20);
    for (name, df) in [("in order", &df), ("mixed", &mixed)] {
        group.bench_function(name, |b| b.iter(|| black_box(fit.fit(df))));
    }
}

/// Units, periods (and so cells) and covariates.
fn grid(c: &mut Criterion) {
    let mut group = c.benchmark_group("att_gt");
    group.sample_size(10);
    for (units, periods, k) in
        [(1_000, 5, 1), (10_000, 5, 1), (10_000, 20, 1), (10_000, 5, 5), (10_000, 20, 5)]
    {
        let df = Simulation::builder().units(units).periods(periods).covariates(k).build().frame();
        let terms: Vec<String> = (1..=k).map(|j| format!("x{j}")).collect();
        let fit = simulated(&format!("~ {}", terms.join(" + ")));
        group.bench_function(format!("n={units}/T={periods}/dr/k={}", k + 1), |b| {
            b.iter(|| black_box(fit.fit(&df)));
        });
    }
}

criterion_group!(benches, small, large, ingest, grid);
criterion_main!(benches);
