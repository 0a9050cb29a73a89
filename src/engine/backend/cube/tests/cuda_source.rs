//! The CUDA C++ of every kernel in double precision, without a GPU. `.ci/nvrtc_check.py` compiles the files.
//!
//! Nothing runs, so that every result is refused: no launch leaves its number.

use std::path::PathBuf;

use burn::tensor::{DType, Tensor, TensorData};
use burn_cubecl::CubeBackend;

use super::basis;
use super::headless::{self, Headless, NoDevice, take_sources};
use super::kernels::{LAWS, hold};
use crate::DidError;
use crate::base::error::Result;
use crate::base::options::Precision;
use crate::engine::backend::sample::{self, Sample};
use crate::engine::backend::{
    BidiagonalProblem, BidiagonalUpdate, DidBackend, LevelDesign, LevelWeights, Segments,
};
use crate::engine::pass::{
    Chunk, Consumers, Gram, GramJob, InfluenceStat, LogitJob, LogitStat, Multipliers, Slab, Weight,
};

type Source = CubeBackend<Headless, f64, i32, u8>;

/// Shared memory that every CUDA device grants a block without being asked.
const STATIC_SHARED_BYTES: usize = 48 * 1024;

/// Directory that the sources are written to, if it is named. A file's name has the number of design columns for which its
/// kernel was first launched.
fn directory() -> Option<PathBuf> {
    std::env::var_os("BURN_DID_CUDA_SOURCES").map(PathBuf::from)
}

fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c: char| !c.is_alphanumeric() && c != '_')
}

/// What was launched did not run, and it was noticed.
fn refused<T>(result: Result<T>) {
    match result {
        Err(DidError::Device { problem, .. }) => {
            assert!(problem.starts_with("only 0 of "), "{problem}");
        }
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("nothing ran, and there is a result"),
    }
}

/// The sample as a chunk of a slab.
fn chunk(sample: &Sample) -> Chunk<Source> {
    let columns = [&sample.y[..], &sample.x, &sample.w].concat();
    let shape = [columns.len() / sample.rows, sample.rows];
    let columns = Tensor::from_data(TensorData::new(columns, shape), (&NoDevice, DType::F64));
    let slab = Some(Slab { number: 0, columns });
    Chunk { slab, ..sample.chunk(&NoDevice, DType::F64, 0..sample.rows) }
}

/// Every operation on a chunk, and on all at once.
fn launch(chunk: &Chunk<Source>, sample: &Sample) {
    let whole = Source::at_once().expect("all at once");
    let segments = Segments { chunks: vec![chunk], together: true };
    for odds in [None, Some(sample.coefficients(0, 1.0))] {
        let outcomes = (0..sample.periods).collect();
        let jobs = [GramJob { stratum: 0, x: 0, w: Weight::Column(0), odds, outcomes }];
        let mut out = [Gram::zero(sample.k, sample.periods)];
        refused(Source::gram(chunk, &jobs, sample::TRIM, &mut out));
        refused(whole.gram(&segments, &jobs, sample::TRIM, None));
    }
    let gamma = sample.coefficients(0, 1.0);
    let jobs = [LogitJob { stratum: 0, x: 0, w: Weight::Ones, treated: true, gamma }];
    refused(Source::logit(chunk, 1, &jobs, &mut [LogitStat::zero(sample.k)]));
    refused(whole.logit(&segments, 1, &jobs, None));
    for law in LAWS {
        let multipliers = Multipliers { law, seed: 1, draws: 130 };
        let plans = [sample.plan()];
        let columns = sample::COLUMNS;
        for consumers in sample::consumers(sample.clusters, multipliers) {
            let mut out = InfluenceStat::zero(columns, &consumers);
            refused(Source::influence(chunk, &plans[0], sample::TRIM, &consumers, &mut out));
            let consumers = Consumers { keep_rows: false, ..consumers };
            refused(whole.influence(&segments, &plans, sample::TRIM, columns, &consumers, None));
        }
        let plans = [basis::plan(Weight::Column(0), false, columns)];
        let consumers =
            Consumers { clusters: None, multipliers: Some(multipliers), keep_rows: false };
        refused(whole.influence(&segments, &plans, sample::TRIM, columns, &consumers, None));
    }
}

/// Steps on the levels of fixed effects, with long levels and with weights or without.
fn launch_levels() {
    let starts: Vec<u32> = (0..=30).map(|segment| 10 * segment).collect();
    let codes: Vec<u32> = (0..300).flat_map(|cell| [cell % 3, 3 + cell % 7]).collect();
    let design = LevelDesign { starts: &starts, codes: &codes, others: 2, levels: 10 };
    let ones = [1.0; 300];
    for cells in [None, Some(&ones[..])] {
        let (lead, rest) = (&ones[..30], &ones[..10]);
        let weights = LevelWeights { cells, lead, rest, diagonal: rest };
        let held = Source::levels(&design, &weights, &NoDevice, Precision::F64);
        let mut held = held.expect("held").expect("a device");
        held.begin(&[1.0; 80], 8).expect("begun");
        refused(held.steps(&[true; 8], 2));
        let roots = cells;
        let (b, scales) = (&[1.0; 2_400], &ones[..40]);
        let problem = BidiagonalProblem { b, roots, scales, columns: 8 };
        held.begin_bidiagonal(&problem).expect("begun");
        refused(held.bidiagonalise(2));
        refused(held.combine(&[BidiagonalUpdate::default(); 16]));
    }
}

#[test]
fn every_kernel_is_in_double_precision() {
    // Every form, height of a block, law and way to add up, hence every kernel that a fit launches.
    let mut sources: Vec<(usize, headless::Source)> = Vec::new();
    for k in [1, 3] {
        let sample = Sample::new(300, k, 1);
        launch(&chunk(&sample), &sample);
        refused(hold::<Source>(&sample, &NoDevice, DType::F64, &[(0, 0..300)]));
        let apart = sample.chunk::<Source>(&NoDevice, DType::F64, 0..300);
        refused(Source::logit(&apart, 1, &[], &mut []));
        for source in take_sources() {
            if sources.iter().all(|(_, known)| known.id != source.id) {
                sources.push((k, source));
            }
        }
    }
    launch_levels();
    sources.extend(take_sources().into_iter().map(|source| (0, source)));
    for (number, (k, source)) in sources.iter().enumerate() {
        assert!(!words(&source.code).any(|w| w == "float"), "{} has a float", source.entry);
        assert!(source.shared_bytes <= STATIC_SHARED_BYTES, "{}", source.shared_bytes);
        if let Some(directory) = directory() {
            std::fs::create_dir_all(&directory).expect("a directory for the sources");
            let path = directory.join(format!("{number:02}_k{k}_{}.cu", source.entry));
            std::fs::write(path, &source.code).expect("the source is written");
        }
    }
    let entries: Vec<&str> = sources.iter().map(|(_, s)| s.entry.as_str()).collect();
    let count = |name: &str| entries.iter().filter(|e| e.contains(name)).count();
    assert_eq!(
        count("tile_products"),
        8,
        "three forms of two sizes, plain and of a basis: {entries:?}"
    );
    assert_eq!(count("linear_predictors"), 2, "two sizes: {entries:?}");
    assert_eq!(count("multiplied_sums"), 6, "three laws, of values and a basis: {entries:?}");
    assert_eq!(count("add_tiles"), 8, "four kinds of sums from two starts: {entries:?}");
    let once = [
        "influence_values",
        "copy_piece",
        "add_words",
        "inner_products",
        "find_steps",
        "normalise",
    ];
    assert_eq!(once.map(count), [1; 6], "{entries:?}");
    let once = ["add_rows", "add_clusters", "map_products", "map_draws"];
    assert_eq!(once.map(count), [1; 4], "{entries:?}");
    let twice =
        ["gather_levels", "add_pieces", "subtract_means", "advance_f", "find_turns", "turn_f"];
    assert_eq!(twice.map(count), [2; 6], "weights or none, the first step or another: {entries:?}");
    let twice = ["advance_levels", "find_norms", "combine"];
    assert_eq!(twice.map(count), [2; 3], "either norm, the first step or another: {entries:?}");
    assert_eq!(
        count("advance_cells"),
        4,
        "weights or none, the first step or another: {entries:?}"
    );
}
