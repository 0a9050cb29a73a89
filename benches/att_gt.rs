//! Whole fits from a data frame in memory: `cargo bench --bench att_gt`.
//!
//! `mpdta` is the field's smallest example; the others are the shapes of large applications at a tenth of their units.
//!
//! Measured on 2026-11-21 on two cores of a shared x86-64 server, medians: mpdta 1.2 ms; 100,000 units by 5 periods without
//! covariates 54 ms, with 1,000 Mammen draws 159 ms; 20,000 units by 10 periods with 5 covariates 52 ms with never-treated
//! and 227 ms with not-yet-treated comparison units. These say how the parts compare, not how fast another machine is.

use std::hint::black_box;

use burn_did::backend::Cpu;
use burn_did::data::{Simulation, mpdta};
use burn_did::{AttGt, Bootstrap, ControlGroup};
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
        b.iter(|| black_box(fit.fit(&df, &Default::default())));
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
        b.iter(|| black_box(plain.fit(&wide, &Default::default())));
    });
    group.bench_function("n=100000/T=5/dr/k=1/draws=1000", |b| {
        b.iter(|| black_box(draws.fit(&wide, &Default::default())));
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
        b.iter(|| black_box(never.fit(&long, &Default::default())));
    });
    group.bench_function("n=20000/T=10/dr/k=6/notyet", |b| {
        b.iter(|| black_box(not_yet.fit(&long, &Default::default())));
    });
}

criterion_group!(benches, small, large);
criterion_main!(benches);
