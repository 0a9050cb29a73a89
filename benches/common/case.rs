//! [`Case`]: a data set and what is asked of it.

use std::path::PathBuf;

use burn_did::data::Simulation;
use burn_did::{ControlGroup, Multiplier};
use serde::{Deserialize, Serialize};

/// Seed of the data, of the order of shuffled rows and of the draws.
pub const SEED: u64 = 1;

/// A data set and what is asked of it: doubly robust, with a varying base period.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Case {
    /// Name on the command line and in the tables.
    pub name: String,
    /// Units of a panel; rows of each period of repeated cross sections.
    pub units: usize,
    /// Number of periods.
    pub periods: u32,
    /// First treated periods.
    pub cohorts: Vec<i64>,
    /// Share of units that are never treated.
    pub never_treated: f64,
    /// Number of covariates, named `x1`, `x2`, ….
    pub covariates: usize,
    /// Whether units are followed over time.
    pub panel: bool,
    /// Comparison units.
    pub control_group: ControlGroup,
    /// Multiplier draws, with uniform bands; analytic standard errors if 0.
    pub draws: usize,
    /// Law of the multipliers; not every contestant has a choice.
    pub law: Multiplier,
    /// Whether the rows are in random order, instead of by unit and period.
    pub shuffled: bool,
}

impl Case {
    /// Names of the covariates.
    pub fn covariate_names(&self) -> Vec<String> {
        (1..=self.covariates).map(|j| format!("x{j}")).collect()
    }

    /// The same questions to fewer units.
    pub fn scaled(mut self, scale: f64) -> Self {
        self.units = (self.units as f64 * scale).round() as usize;
        self
    }

    /// The generator of the data, in natural order.
    pub fn simulation(&self) -> Simulation {
        Simulation::builder()
            .units(self.units)
            .periods(self.periods)
            .cohorts(self.cohorts.clone())
            .never_treated(self.never_treated)
            .covariates(self.covariates)
            .repeated_cross_sections(!self.panel)
            .seed(SEED)
            .build()
    }

    /// One line for a table.
    pub fn describe(&self) -> String {
        let units = thousands(self.units);
        let data = if self.panel {
            format!("{units} units × {} periods", self.periods)
        } else {
            let rows = thousands(self.units * self.periods as usize);
            format!("repeated cross sections, {rows} rows, {} periods", self.periods)
        };
        let control = match self.control_group {
            ControlGroup::NeverTreated => "never",
            ControlGroup::NotYetTreated => "not yet",
        };
        let inference = match (self.draws, self.law) {
            (0, _) => "analytic".to_owned(),
            (draws, Multiplier::Mammen) => format!("{} draws", thousands(draws)),
            (draws, law) => format!("{} draws, {law:?}", thousands(draws)),
        };
        let order = if self.shuffled { ", shuffled" } else { "" };
        format!(
            "{data}, {} cohorts, k = {}, {control}, {inference}{order}",
            self.cohorts.len(),
            self.covariates
        )
    }
}

/// What a contestant is told: its one argument, as JSON.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Task {
    /// The case.
    #[serde(flatten)]
    pub case: Case,
    /// The parquet file; without one, this crate makes the frame itself.
    pub path: Option<PathBuf>,
    /// Units with `id` up to this make the frame of the fit that warms up.
    pub small: usize,
    /// Seed of the draws.
    pub seed: u64,
    /// Device or array backend; the contestant's default without.
    pub device: Option<String>,
    /// Whether to take the seconds of each stage too, which only this crate can.
    pub stages: bool,
}

impl Task {
    /// The case on the data at `path`.
    pub fn new(case: &Case, path: Option<PathBuf>) -> Self {
        let small = if case.panel { 1_000 } else { 1_000 * case.periods as usize };
        Self { case: case.clone(), path, small, seed: SEED, device: None, stages: false }
    }

    /// On this device.
    pub fn on(mut self, device: &str) -> Self {
        self.device = Some(device.to_owned());
        self
    }
}

/// Digits in groups of three.
pub fn thousands(n: usize) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
