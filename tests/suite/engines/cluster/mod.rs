//! Fits over processes of their own: the bits of a fit on this machine, whatever dies, whoever calls, wherever the files are.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use burn_did::AttGt;
use burn_did::backend::Cpu;
use burn_did::cluster::{Certificates, LocalCluster};
use burn_did::data::Simulation;
use polars::prelude::*;

/// The command.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_burn-did");

pub fn local(executors: usize) -> LocalCluster {
    LocalCluster::builder().executors(executors).threads(1).program(PROGRAM).build()
}

/// Every bit of a result, but for its timings; or the error.
macro_rules! shown {
    ($result:expr) => {
        match $result {
            Err(error) => error.to_string(),
            Ok(result) => format!("{:?}", but(result, |r| r.timings = Timings::default())),
        }
    };
}

mod fits;
mod safety;
mod stores;

/// Data in several files of several row groups.
pub struct Files(tempfile::TempDir);

impl Files {
    pub fn new(data: &DataFrame) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let half = data.height().div_ceil(2);
        for number in 0..2 {
            let file = File::create(directory.path().join(format!("{number}.parquet"))).unwrap();
            let writer = ParquetWriter::new(file).with_row_group_size(Some((half / 3).max(1)));
            writer.finish(&mut data.slice((number * half) as i64, half)).unwrap();
        }
        Self(directory)
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

pub fn named() -> AttGt<Cpu> {
    let named = AttGt::<Cpu>::builder().outcome("y").unit("id").time("period").group("group");
    named.covariates("~ x1 + x2").build()
}

pub fn panel() -> Simulation {
    Simulation::builder().units(20_000).periods(4).cohorts([3, 4]).covariates(2).build()
}

fn kill(process: u32) {
    assert!(kill_with("-9", process));
}

/// Sends a signal; whether there is such a process.
pub fn kill_with(signal: &str, process: u32) -> bool {
    Command::new("kill").args([signal, &process.to_string()]).status().unwrap().success()
}

/// Certificates of an authority for this machine.
pub fn certificates(place: &Path, authority: &str) -> Certificates {
    let run = |words: &str| {
        let done = Command::new("openssl").args(words.split(' ')).current_dir(place).output();
        assert!(done.unwrap().status.success(), "{words}");
    };
    run(&format!(
        "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN={authority} \
         -keyout {authority}.key -out {authority}.pem"
    ));
    run(&format!(
        "req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=localhost \
         -keyout {authority}-own.key -out {authority}-own.csr"
    ));
    let names = format!("{authority}.ext");
    std::fs::write(place.join(&names), "subjectAltName=DNS:localhost,IP:127.0.0.1").unwrap();
    run(&format!(
        "x509 -req -in {authority}-own.csr -CA {authority}.pem -CAkey {authority}.key -CAcreateserial -days 2 \
         -extfile {names} -out {authority}-own.pem"
    ));
    let file = |name: String| -> PathBuf { place.join(name) };
    Certificates::new(
        file(format!("{authority}.pem")),
        file(format!("{authority}-own.pem")),
        file(format!("{authority}-own.key")),
    )
}

/// A process that ends with the test.
pub struct Running(pub Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
