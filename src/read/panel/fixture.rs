//! What tests ask of small samples.

use polars::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::request::{FormedCells, Request, Storage};
use super::roles::{Roles, Treatment};
use super::rules::{SampleOptions, Staggered, StudyDesign};
use crate::base::options::ControlGroup;
use crate::read::columns::MissingValues;
use crate::read::formula::Formula;

/// Group of the never treated.
pub(super) const NEVER: f64 = f64::INFINITY;

/// Outcome `y`, unit `id`, time `t`, first treated period `g`, and a covariate formula.
pub(super) fn roles(covariates: &str) -> Roles {
    Roles {
        outcome: "y".into(),
        unit: Some("id".into()),
        time: "t".into(),
        group: "g".into(),
        treatment: Treatment::FirstPeriod,
        eligible: None,
        dose: None,
        weights: None,
        cluster: None,
        covariates: Formula::parse(covariates).unwrap(),
        frequency: None,
    }
}

/// A balanced panel of a design.
pub(super) fn options(design: StudyDesign) -> SampleOptions {
    SampleOptions {
        design,
        repeated_cross_sections: false,
        allow_unbalanced: false,
        pairs: false,
        labels: false,
    }
}

/// Staggered adoption, compared with the never treated.
pub(super) fn staggered() -> SampleOptions {
    let control_group = ControlGroup::NeverTreated;
    options(StudyDesign::Staggered(Staggered { control_group, anticipation: 0 }))
}

pub(super) fn request(roles: &Roles, options: SampleOptions) -> Request<'_> {
    Request {
        roles,
        options,
        fix_weights: None,
        changes: false,
        cells: FormedCells::Joint,
        storage: Storage::Resident,
        missing: MissingValues::default(),
    }
}

/// Rows of unit, period, group and outcome.
pub(super) fn frame(rows: &[(i64, f64, f64, f64)]) -> DataFrame {
    let column = |name: &str, of: fn(&(i64, f64, f64, f64)) -> f64| {
        Column::new(name.into(), rows.iter().map(of).collect::<Vec<f64>>())
    };
    let units: Vec<i64> = rows.iter().map(|row| row.0).collect();
    let columns = [column("t", |r| r.1), column("g", |r| r.2), column("y", |r| r.3)];
    let units = [Column::new("id".into(), units)];
    DataFrame::new(rows.len(), units.into_iter().chain(columns).collect()).unwrap()
}

/// A value after it went to another process.
pub(super) fn sent<T: Serialize + DeserializeOwned>(value: &T) -> T {
    let mut bytes = Vec::new();
    ciborium::into_writer(value, &mut bytes).unwrap();
    ciborium::from_reader(bytes.as_slice()).unwrap()
}
