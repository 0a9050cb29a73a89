//! Every golden case of the estimators that a cluster fits, by workers that exchange nothing but bytes: the bits of a fit at home.

use std::fs::File;
use std::sync::atomic::{AtomicUsize, Ordering};

use burn_did::backend::Cpu;
use burn_did::{Cluster, audit::Timings, doses::DoseMethod, options::Precision};
use polars::prelude::{DataFrame, ParquetWriter};

use crate::att_gt::many_cells;
use crate::support::frames::golden_data;
use crate::support::{but, ddd, doses, drdid, golden};

/// Bytes of a sample that a worker may keep.
const MEMORY: u64 = 1 << 20;

/// Every bit of a result, but for what `$untimed` takes out; or the error, without the name of a worker.
macro_rules! shown {
    ($result:expr, $untimed:expr) => {
        match $result {
            Ok(result) => format!("{:?}", but(result, $untimed)),
            Err(error) => {
                let error = error.to_string();
                match error.split_once(": ") {
                    Some((name, error)) if name.starts_with("worker ") => error.to_owned(),
                    _ => error,
                }
            }
        }
    };
}

/// Data in files, and by how many workers they are fitted.
struct Written {
    workers: usize,
    files: tempfile::TempDir,
}

/// Asserts that a fit at home and one by workers are the same.
macro_rules! assert_same {
    ($name:expr, $estimator:expr, $data:expr) => {
        assert_same!($name, $estimator, $data, |result| result.timings = Timings::default())
    };
    ($name:expr, $estimator:expr, $data:expr, $untimed:expr) => {
        let estimator = but($estimator, |e| e.keep_influence = false);
        let Written { workers, files } = $data;
        let scratch = tempfile::tempdir().unwrap();
        let here = shown!(estimator.fit(files.path()), $untimed);
        let cluster = Cluster::threads::<Cpu>(&vec![Default::default(); *workers], MEMORY);
        let cluster = cluster.with_directory(scratch.path());
        let there = shown!(estimator.fit_cluster(&cluster, files.path()), $untimed);
        let same = here.bytes().zip(there.bytes()).take_while(|(a, b)| a == b).count();
        let around =
            |text: &str| text.chars().skip(same.saturating_sub(60)).take(200).collect::<String>();
        let (a, b) = (around(&here), around(&there));
        assert!(here == there, "{}, {workers} workers:\n{a}\n{b}", $name);
        assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 0, "nothing is left");
    };
}

impl Written {
    /// One file for one worker, and two for three; of several row groups each.
    fn both(data: &DataFrame) -> [Self; 2] {
        [(1, 1), (3, 2)].map(|(workers, files)| {
            let directory = tempfile::tempdir().unwrap();
            let rows = data.height().div_ceil(files);
            for number in 0..files {
                let path = directory.path().join(format!("{number}.parquet"));
                let writer = ParquetWriter::new(File::create(path).unwrap());
                let writer = writer.with_row_group_size(Some((data.height() / 5).max(1)));
                writer.finish(&mut data.slice((number * rows) as i64, rows)).unwrap();
            }
            Self { workers, files: directory }
        })
    }
}

/// One in so many cases is done by workers.
const ONE_IN: usize = 3;

/// Calls `test` with one case in three, as many at a time as there are cores: a case alone does not keep them busy. Every eighth of these is
/// fitted by one worker, the others by three.
fn every<C: Sync>(cases: &[C], data: &[Written; 2], test: impl Fn(&C, &Written) + Sync) {
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(case) = cases.get(ONE_IN * number) else { break };
                    test(case, &data[usize::from(!number.is_multiple_of(8))]);
                }
            });
        }
    });
}

#[test]
fn golden_cases_of_staggered_adoption() {
    for name in golden::DATASETS {
        let (set, data) = (golden::Dataset::load(name), Written::both(&golden_data(name)));
        every(&set.cases, &data, |case, data| {
            assert_same!(case.id, set.spec(case).estimator::<Cpu>(Precision::F64), data);
        });
    }
}

/// Of so many cells workers form the covariance in parts, too.
#[test]
fn very_many_cells() {
    for data in &Written::both(&many_cells::panel(78, 0.0)) {
        assert_same!("many cells", many_cells::config(), data);
    }
}

#[test]
fn golden_cases_of_two_periods() {
    for name in drdid::DATASETS {
        let set = drdid::Dataset::load(name);
        let data = Written::both(&golden_data(&set.dataset));
        every(&set.cases, &data, |case, data| {
            assert_same!(case.id, set.estimator::<Cpu>(case, Precision::F64), data);
        });
    }
}

#[test]
fn golden_cases_of_triple_differences() {
    for name in ddd::DATASETS.into_iter().chain(["oracle"]) {
        let set = ddd::Dataset::load(name);
        let name_of = |case: &ddd::Case| case.data.clone().unwrap_or_else(|| set.dataset.clone());
        for cases in set.cases.chunk_by(|a, b| name_of(a) == name_of(b)) {
            let data = Written::both(&golden_data(&name_of(&cases[0])));
            every(cases, &data, |case, data| {
                assert_same!(case.id, set.estimator::<Cpu>(case, Precision::F64), data);
            });
        }
    }
}

/// All but those of the method `cck`, which needs the units.
#[test]
fn golden_cases_of_continuous_treatments() {
    for name in doses::DATASETS {
        let (data, cases) = doses::golden(name);
        every(&cases, &Written::both(&data), |case, data| {
            let estimator = doses::golden_config::<Cpu>(case);
            if estimator.method == DoseMethod::Parametric {
                assert_same!(case["id"], estimator, data, |result| {
                    result.level.timings = Timings::default();
                    result.slope.timings = Timings::default();
                });
            }
        });
    }
}
