//! The CUDA C++ of every kernel in double precision, without a GPU. `.ci/nvrtc_check.py` compiles the files.

use std::path::PathBuf;

use burn::tensor::DType;
use burn_cubecl::CubeBackend;

use super::headless::{Headless, NoDevice, take_sources};
use crate::backend::sample::{self, Sample};
use crate::options::Multiplier;
use crate::pass::{GramJob, LogitJob, Multipliers, Weight};

type Source = CubeBackend<Headless, f64, i32, u8>;

/// Shared memory that every CUDA device grants a block without being asked.
const STATIC_SHARED_BYTES: usize = 48 * 1024;

/// Directory that the sources are written to, if it is named.
fn directory() -> Option<PathBuf> {
    std::env::var_os("BURN_DID_CUDA_SOURCES").map(PathBuf::from)
}

fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c: char| !c.is_alphanumeric() && c != '_')
}

#[test]
fn every_kernel_is_in_double_precision() {
    // Every form, height of a block and law, hence every kernel that a fit launches.
    for k in [1, 3] {
        let sample = Sample::new(300, k, 1);
        let chunk = [sample.chunk::<Source>(&NoDevice, DType::F64, 0..sample.rows)];
        for odds in [None, Some(sample.coefficients(0, 1.0))] {
            let outcomes = (0..sample.periods).collect();
            let job = GramJob { stratum: 0, x: 0, w: Weight::Column(0), odds, outcomes };
            sample::gram(&chunk, &job, sample.periods);
        }
        let gamma = sample.coefficients(0, 1.0);
        let job = LogitJob { stratum: 0, x: 0, w: Weight::Ones, treated: true, gamma };
        sample::logit(&chunk, &job, 1);
        for law in [Multiplier::Mammen, Multiplier::Rademacher, Multiplier::Webb] {
            let multipliers = Multipliers { law, seed: 1, draws: 130 };
            let [consumers, _] = sample::consumers(sample.clusters, multipliers);
            sample::influence(&chunk, &sample.plan(), consumers);
        }
    }
    let sources = take_sources();
    for (number, source) in sources.iter().enumerate() {
        assert!(words(&source.code).any(|w| w == "double"), "{} has no double", source.entry);
        assert!(!words(&source.code).any(|w| w == "float"), "{} has a float", source.entry);
        assert!(source.shared_bytes <= STATIC_SHARED_BYTES, "{}", source.shared_bytes);
        if let Some(directory) = directory() {
            std::fs::create_dir_all(&directory).expect("a directory for the sources");
            let path = directory.join(format!("{number:02}_{}.cu", source.entry));
            std::fs::write(path, &source.code).expect("the source is written");
        }
    }
    let entries: Vec<&str> = sources.iter().map(|s| s.entry.as_str()).collect();
    assert_eq!(entries.len(), 12, "seven products, predictors, values and three laws: {entries:?}");
}
