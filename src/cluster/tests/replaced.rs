//! Files that are replaced while a cluster reads them: an error that names the file, never a mixture.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use polars::prelude::*;

use super::fits::{Shared, assert_same, by, local, workers};
use crate::base::error::Result;
use crate::cluster::engine::{Engine, OnAnswer};
use crate::cluster::threads::ThreadWorkers;
use crate::data::Simulation;
use crate::engine::backend::Cpu;
use crate::engine::pass::TILE;
use crate::estimator::AttGt;

/// Workers before whose n-th map a file takes the place of another.
struct Replacing {
    engine: ThreadWorkers,
    maps: AtomicUsize,
    before: usize,
    file: PathBuf,
    new: PathBuf,
}

impl Engine for Replacing {
    fn workers(&self) -> Result<usize> {
        self.engine.workers()
    }

    fn map(
        &self,
        stage: &'static str,
        tasks: &[Vec<u8>],
        on_answer: &mut OnAnswer<'_>,
    ) -> Result<()> {
        if self.maps.fetch_add(1, Ordering::Relaxed) == self.before {
            fs::rename(&self.new, &self.file).unwrap();
        }
        self.engine.map(stage, tasks, on_answer)
    }
}

/// The same units and periods, with other outcomes.
fn other(data: &DataFrame) -> DataFrame {
    let y = data.column("y").unwrap().f64().unwrap() * 1.5;
    let mut other = data.clone();
    other.with_column(y.into_column()).unwrap();
    other
}

#[test]
fn a_replaced_file_is_an_error_in_every_stage() {
    let data = Simulation::builder().units(3_000).periods(4).cohorts([3, 4]).build().frame();
    let estimator = AttGt::<Cpu>::builder().outcome("y").unit("id").time("period").group("group");
    let estimator = estimator.build();
    // In the order of units, and in none, where rows are written once more.
    let rows = data.height() as u32;
    let mixed = (0..rows).map(|row| row.wrapping_mul(7_919) % rows).collect();
    let mixed = data.take(&IdxCa::from_vec("row".into(), mixed)).unwrap();
    for data in [data, mixed] {
        let here = local(&estimator, &data, TILE);
        let (mut refused, mut stages) = (0, 0);
        for before in 0.. {
            let (shared, new) =
                (Shared::new(&data, 2, 1_500), Shared::new(&other(&data), 2, 1_500));
            let engine = Arc::new(Replacing {
                engine: workers(2),
                maps: AtomicUsize::new(0),
                before,
                file: shared.file(1),
                new: new.file(1),
            });
            let there = by(&estimator, &shared, engine.clone(), (1_500, TILE));
            if engine.maps.load(Ordering::Relaxed) <= before {
                break;
            }
            stages += 1;
            if there.contains("changed or replaced") {
                assert!(there.contains("001.parquet"), "{there}");
                refused += 1;
            } else {
                // The file was not read any more.
                assert_same(&before.to_string(), &here, &there);
            }
        }
        assert!(refused >= 2 && refused < stages, "{refused} of {stages}");
    }
}
