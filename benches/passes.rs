//! The passes over one chunk on the CPU: `cargo bench --bench passes`.

#[path = "../tests/support/passes.rs"]
mod passes;
#[path = "../tests/support/sample.rs"]
mod sample;

use burn::tensor::DType;
use burn_did::backend::Cpu;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

const ROWS: usize = 100_000;

fn each_pass(c: &mut Criterion) {
    for k in [2, 6, 21] {
        let sample = sample::Sample::new(ROWS, k, 7);
        let chunk = sample.chunk::<Cpu>(&Default::default(), DType::F64, 0..ROWS);
        let mut group = c.benchmark_group(format!("passes/k={k}"));
        group.sample_size(20).throughput(Throughput::Elements(ROWS as u64));
        for pass in passes::passes::<Cpu>(&sample, vec![chunk], 1_000) {
            group.bench_function(pass.name, |b| b.iter(|| pass.once()));
        }
    }
}

criterion_group!(benches, each_pass);
criterion_main!(benches);
