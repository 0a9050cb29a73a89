//! Samples of many shards and of several segments a stratum, by workers that exchange nothing but bytes: the bits of a fit at home.

use std::fmt::Debug;
use std::fs::File;
use std::path::{Path, PathBuf};

use polars::prelude::*;

use super::faults::{Fault, Faulty, reversed};
use crate::base::error::Result;
use crate::base::options::{
    Bootstrap, DoseGrid, DoseMethod, DrdidMethod, Multiplier, Precision, Resampling,
    UnbalancedPanel,
};
use crate::cluster::engine::Engine;
use crate::cluster::threads::ThreadWorkers;
use crate::cluster::worker::Worker;
use crate::cluster::{PrepareOptions, Session, TaskRunner};
use crate::data::{DoseSimulation, Simulation, TripleSimulation, TwoPeriodSimulation};
use crate::engine::backend::Cpu;
use crate::engine::pass::{SEGMENT, TILE};
use crate::engine::source::{HostStrata, LocalOptions, LocalStrata};
use crate::estimator::shell::through::{Subject, remotely, through};
use crate::estimator::{AttGt, ContDid, Ddd, Drdid};

/// A configuration with some options changed.
pub(super) fn but<T>(mut config: T, change: impl FnOnce(&mut T)) -> T {
    change(&mut config);
    config
}

/// A result to the last bit, but for its timings and the files that it was read from; or the error.
fn shown<T: Debug>(result: Result<T>) -> String {
    match result {
        Ok(result) => {
            let text = format!("{result:?}");
            let (before, after) = text.split_once("files: FilesRead").expect("an audit");
            let after = after.split_once('}').expect("its end").1;
            format!("{before}{after}")
        }
        Err(error) => error.to_string(),
    }
}

pub(super) fn local<E: Subject>(estimator: &E, data: &DataFrame, length: usize) -> String {
    let devices = [Default::default()];
    shown(through(estimator, data, |strata| {
        let host = HostStrata::with_segments(strata, length);
        Box::new(LocalStrata::<Cpu>::new(host, &devices, LocalOptions::default()))
    }))
}

/// Data in parquet files that workers share.
pub(super) struct Shared {
    directory: tempfile::TempDir,
    path: PathBuf,
}

impl Shared {
    /// The rows in `files` files, in row groups of `group` rows.
    pub fn new(data: &DataFrame, files: usize, group: usize) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("data");
        std::fs::create_dir(&path).unwrap();
        let each = data.height().div_ceil(files);
        for number in 0..files {
            let file = File::create(path.join(format!("{number:03}.parquet"))).unwrap();
            let writer = ParquetWriter::new(file).with_row_group_size(Some(group));
            writer.finish(&mut data.slice((number * each) as i64, each)).unwrap();
        }
        Self { directory, path }
    }

    /// A directory for samples, which has the data in another.
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// One of the files.
    pub fn file(&self, number: usize) -> PathBuf {
        self.path.join(format!("{number:03}.parquet"))
    }
}

/// Workers in this process.
pub(super) fn workers(number: usize) -> ThreadWorkers {
    let worker = |i| -> Arc<dyn TaskRunner> {
        Arc::new(Worker::<Cpu>::new(format!("worker {i}"), Default::default(), 1 << 20))
    };
    ThreadWorkers((0..number).map(worker).collect())
}

/// The fit by so many workers, to parts of so many rows.
pub(super) fn remote<E: Subject>(
    estimator: &E,
    data: &Shared,
    (number, rows, length): (usize, usize, usize),
    fault: Fault,
) -> String {
    by(estimator, data, Arc::new(Faulty::new(workers(number), fault)), (rows, length))
}

/// The fit by an engine.
pub(super) fn by<E: Subject>(
    estimator: &E,
    data: &Shared,
    engine: Arc<dyn Engine>,
    (rows, length): (usize, usize),
) -> String {
    let session = Session::new(engine);
    let options = PrepareOptions {
        directory: data.directory.path().to_owned(),
        influence: None,
        precision: Precision::F64,
        part_rows: Some(rows),
        segment_rows: Some(length),
    };
    let result = shown(remotely(estimator, &data.path, session, &options));
    let left = std::fs::read_dir(data.directory.path()).unwrap().count();
    assert_eq!(left, 1, "nothing but the data is left");
    // Errors of workers have their names.
    match result.split_once(": ") {
        Some((name, error)) if name.starts_with("worker ") => error.to_owned(),
        _ => result,
    }
}

/// Asserts that nothing differs, and shows where something does.
pub(super) fn assert_same(name: &str, here: &str, there: &str) {
    let same = here.bytes().zip(there.bytes()).take_while(|(a, b)| a == b).count();
    let around =
        |text: &str| text.chars().skip(same.saturating_sub(60)).take(200).collect::<String>();
    assert!(here == there, "{name}:\n{}\n{}", around(here), around(there));
}

fn assert_equal<E: Subject>(name: &str, estimator: &E, data: &DataFrame, length: usize) {
    let here = local(estimator, data, length);
    let rows = (data.height() / 5).max(1);
    for (number, files) in [(1, 1), (3, 2)] {
        let shared = Shared::new(data, files, rows);
        let there = remote(estimator, &shared, (number, rows, length), reversed);
        assert_same(&format!("{name}, {number} workers"), &here, &there);
    }
}

/// Three cohorts of two to three tiles each, with weights and clusters.
pub(super) fn staggered() -> Simulation {
    Simulation::builder().units(27_000).periods(4).cohorts([3, 4]).covariates(2).build()
}

/// All threads of the pool wait for workers, which need the pool.
#[test]
fn fits_inside_a_parallel_iterator() {
    use rayon::prelude::*;
    let data = Simulation::builder().units(300).periods(4).build().frame();
    let estimator = AttGt::<Cpu>::builder().outcome("y").unit("id").time("period").group("group");
    let estimator = estimator.build();
    let here = local(&estimator, &data, SEGMENT);
    let fits = 2 * rayon::current_num_threads();
    let there: Vec<_> = (0..fits)
        .into_par_iter()
        .map(|_| remote(&estimator, &Shared::new(&data, 2, 100), (2, 300, SEGMENT), reversed))
        .collect();
    for there in &there {
        assert_same("beside others", &here, there);
    }
}

#[test]
fn several_segments_of_a_stratum() {
    let bootstrap = Bootstrap::draws(40).seed(5).multiplier(Multiplier::Mammen);
    let base = || {
        let named = AttGt::<Cpu>::builder().outcome("y").unit("id").time("period").group("group");
        named.covariates("~ x1 + x2").bootstrap(bootstrap)
    };
    let plain = staggered().frame();
    assert_equal("bootstrap", &base().build(), &plain, TILE);
    let data = Simulation { clusters: 90, weights: true, ..staggered() }.frame();
    let clustered = base().weights("weight").cluster("cluster").build();
    assert_equal("clusters", &clustered, &data, TILE);
    let data = Simulation { attrition: 0.1, weights: true, ..staggered() }.frame();
    let unbalanced = base().weights("weight").allow_unbalanced_panel(true).build();
    assert_equal("unbalanced", &unbalanced, &data, 2 * TILE);
    let data = Simulation { repeated_cross_sections: true, ..staggered() }.frame();
    let mut sections = base().build();
    (sections.unit, sections.repeated_cross_sections) = (None, true);
    assert_equal("sections", &sections, &data, TILE);
}

/// Knots, splines in the place of the dose, and groups that follow from it. The method `cck` is refused: it needs the units.
#[test]
fn several_segments_of_continuous_treatments() {
    let simulation = DoseSimulation::builder().units(30_000).periods(3).groups(2).weights(true);
    let data = simulation.clusters(70).dose_begins_with_treatment(true).build().frame();
    let base = || {
        let named = ContDid::<Cpu>::builder().outcome("y").unit("id").time("period").dose("dose");
        named.weights("weight").grid(DoseGrid::Even(5))
    };
    let drawn = base().knots(2).bootstrap(Bootstrap::draws(20)).build();
    assert_equal("doses", &drawn, &data, TILE);
    let clustered = base().knots(1).group("group").cluster("cluster").build();
    assert_equal("clusters", &clustered, &data, 2 * TILE);
    assert_equal("no knots", &base().degree(1).build(), &data, TILE);
    let cck = base().method(DoseMethod::Cck).build();
    let shared = Shared::new(&data, 1, data.height());
    let there = remote(&cck, &shared, (1, data.height(), TILE), reversed);
    assert!(there.contains("`method` must be `parametric` on a cluster"), "{there}");
}

#[test]
fn several_segments_of_two_periods_and_triple_differences() {
    let data = TwoPeriodSimulation::builder().units(20_000).weights(true).build().frame();
    for resampling in [Resampling::Weighted, Resampling::Multiplier] {
        let estimator = Drdid::<Cpu>::builder()
            .outcome("y")
            .unit("id")
            .time("period")
            .treatment("treated")
            .covariates("~ x1 + x2")
            .weights("weight")
            .method(DrdidMethod::DoublyRobustImproved)
            .bootstrap(Bootstrap::draws(20).seed(3))
            .resampling(resampling)
            .build();
        assert_equal("two periods", &estimator, &data, TILE);
    }
    let simulation = TripleSimulation::builder().units(40_000).periods(3).cohorts([2, 3]);
    let data = simulation.attrition(0.05).build().frame();
    let estimator = Ddd::<Cpu>::builder()
        .outcome("y")
        .unit("id")
        .time("period")
        .group("group")
        .eligible("eligible")
        .covariates("~ x1 + x2")
        .unbalanced(UnbalancedPanel::Pairs)
        .bootstrap(Bootstrap::draws(20).seed(3))
        .build();
    assert_equal("triple differences", &estimator, &data, TILE);
}
