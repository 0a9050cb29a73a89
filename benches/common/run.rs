//! [`Run`]: what a contestant reports, and the file that keeps it.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Result;
use super::bandwidth::Bandwidth;
use super::memory::Memory;

/// What a contestant prints: one line of JSON.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Run {
    /// Name of the package.
    pub contestant: String,
    /// Its version.
    pub version: String,
    /// What it was set to, and the libraries it runs on.
    pub settings: String,
    /// Wall seconds of the fit alone.
    pub seconds: f64,
    /// Resident memory.
    pub memory: Memory,
    /// Estimates.
    pub cells: Vec<Cell>,
    /// Bytes of the columns of the frame, which only this crate says.
    #[serde(default)]
    pub bytes: usize,
    /// Seconds of each stage, if asked for.
    #[serde(default)]
    pub stages: BTreeMap<String, f64>,
    /// Wall seconds of the same fit once more, if asked for.
    #[serde(default)]
    pub again: Option<f64>,
    /// The result's own account of its time and, of a device, of launches and bytes.
    #[serde(default)]
    pub timings: serde_json::Value,
}

/// One group-time effect.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Cell {
    /// First treated period.
    pub group: f64,
    /// Period.
    pub time: f64,
    /// Effect.
    pub att: Option<f64>,
    /// Standard error.
    pub se: Option<f64>,
}

/// Whether all bits are the same; of numbers from JSON, too, which keeps them.
pub fn same(a: &[Cell], b: &[Cell]) -> bool {
    let bits = |cell: &Cell| {
        let numbers = [Some(cell.group), Some(cell.time), cell.att, cell.se];
        numbers.map(|number| number.map(f64::to_bits))
    };
    a.iter().map(bits).eq(b.iter().map(bits))
}

/// When, where and with which build of this crate something was measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Place {
    /// Day of the runs.
    pub date: String,
    /// Machine of the runs.
    pub machine: String,
    /// This crate's build.
    pub build: String,
}

/// A run, where and when it was.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    /// Name of the case.
    pub case: String,
    /// Who ran.
    pub contestant: String,
    /// The peer, also where it is the first that the others are compared with that ran, right before it.
    pub pair: String,
    /// Counted from 1; 0 for runs that only choose a peer's setting.
    pub round: usize,
    /// Day, machine and build.
    pub place: Place,
    /// Bandwidth of its memory before the case.
    #[serde(default)]
    pub bandwidth: Option<Bandwidth>,
    /// The run, or why there is none.
    pub outcome: std::result::Result<Run, String>,
}

/// Adds a line.
pub fn append(path: &Path, record: &Record) -> Result<()> {
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    writeln!(file, "{}", serde_json::to_string(record)?)?;
    Ok(())
}

/// All lines of a file; none if it does not exist.
pub fn read(path: &Path) -> Result<Vec<Record>> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let lines = std::fs::read_to_string(path)?;
    let record = |line: &str| {
        serde_json::from_str(line).map_err(|e| format!("{}: {e}; delete it", path.display()).into())
    };
    lines.lines().map(record).collect()
}
