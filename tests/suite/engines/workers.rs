//! Every golden case of the estimators that a cluster fits, by workers that exchange nothing but bytes: the bits of a fit at home.

use std::fs::File;
use std::sync::atomic::{AtomicUsize, Ordering};

use burn_did::backend::Cpu;
use burn_did::{Cluster, audit::Timings, doses::DoseMethod, options::Precision};
use polars::prelude::{DataFrame, ParquetWriter};

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

/// Asserts that a fit at home, one by a worker and one by three are the same.
macro_rules! assert_same {
    ($name:expr, $estimator:expr, $data:expr) => {
        assert_same!($name, $estimator, $data, |result| result.timings = Timings::default())
    };
    ($name:expr, $estimator:expr, $data:expr, $untimed:expr) => {
        let estimator = but($estimator, |e| e.keep_influence = false);
        for (workers, files) in [(1, 1), (3, 2)] {
            let directory = written($data, files);
            let path = directory.path().join("data");
            let here = shown!(estimator.fit(path.as_path()), $untimed);
            let cluster = Cluster::threads::<Cpu>(&vec![Default::default(); workers], MEMORY);
            let cluster = cluster.with_directory(directory.path());
            let there = shown!(estimator.fit_cluster(&cluster, &path), $untimed);
            let same = here.bytes().zip(there.bytes()).take_while(|(a, b)| a == b).count();
            let around = |text: &str| {
                text.chars().skip(same.saturating_sub(60)).take(200).collect::<String>()
            };
            let (a, b) = (around(&here), around(&there));
            assert!(here == there, "{}, {workers} workers:\n{a}\n{b}", $name);
            let left = std::fs::read_dir(directory.path()).unwrap().count();
            assert_eq!(left, 1, "nothing but the data is left");
        }
    };
}

/// A directory with the data in another, in so many files of several row groups.
fn written(data: &DataFrame, files: usize) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    std::fs::create_dir(directory.path().join("data")).unwrap();
    let rows = data.height().div_ceil(files);
    for number in 0..files {
        let path = directory.path().join(format!("data/{number}.parquet"));
        let writer = ParquetWriter::new(File::create(path).unwrap());
        let writer = writer.with_row_group_size(Some((data.height() / 5).max(1)));
        writer.finish(&mut data.slice((number * rows) as i64, rows)).unwrap();
    }
    directory
}

/// Calls `test` with all cases, as many at a time as there are cores: a case alone does not keep them busy.
fn every<C: Sync>(cases: &[C], test: impl Fn(&C) + Sync) {
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    test(case);
                }
            });
        }
    });
}

#[test]
fn golden_cases_of_staggered_adoption() {
    for name in golden::DATASETS {
        let (set, data) = (golden::Dataset::load(name), golden_data(name));
        every(&set.cases, |case| {
            assert_same!(case.id, set.spec(case).estimator::<Cpu>(Precision::F64), &data);
        });
    }
}

#[test]
fn golden_cases_of_two_periods() {
    for name in drdid::DATASETS {
        let set = drdid::Dataset::load(name);
        let data = golden_data(&set.dataset);
        every(&set.cases, |case| {
            assert_same!(case.id, set.estimator::<Cpu>(case, Precision::F64), &data);
        });
    }
}

#[test]
fn golden_cases_of_triple_differences() {
    for name in ddd::DATASETS.into_iter().chain(["oracle"]) {
        let set = ddd::Dataset::load(name);
        every(&set.cases, |case| {
            let data = golden_data(case.data.as_deref().unwrap_or(&set.dataset));
            assert_same!(case.id, set.estimator::<Cpu>(case, Precision::F64), &data);
        });
    }
}

/// All but those of the method `cck`, which needs the units.
#[test]
fn golden_cases_of_continuous_treatments() {
    for name in doses::DATASETS {
        let (data, cases) = doses::golden(name);
        every(&cases, |case| {
            let estimator = doses::golden_config::<Cpu>(case);
            if estimator.method == DoseMethod::Parametric {
                assert_same!(case["id"], estimator, &data, |result| {
                    result.level.timings = Timings::default();
                    result.slope.timings = Timings::default();
                });
            }
        });
    }
}
