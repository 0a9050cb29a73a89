//! Reading the named columns of a data frame.

use polars::prelude::*;
use serde::{Deserialize, Serialize};

use super::codes::Codes;
use super::formula::{Evaluated, Formula, RawColumn};
use crate::error::{DidError, Result};

/// Which column plays which part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Roles {
    pub outcome: String,
    pub unit: Option<String>,
    pub time: String,
    pub group: String,
    pub weights: Option<String>,
    pub cluster: Option<String>,
    pub covariates: Formula,
}

impl Roles {
    /// Names of all columns needed, without duplicates.
    pub fn names(&self) -> Vec<String> {
        let optional = [&self.unit, &self.weights, &self.cluster].into_iter().flatten();
        let mut names: Vec<String> = [&self.outcome, &self.time, &self.group]
            .into_iter()
            .chain(optional)
            .cloned()
            .chain(self.covariates.variables())
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

/// The rows as read, one entry each.
pub(super) struct RawRows {
    pub rows: usize,
    /// Outcome, NaN if missing.
    pub y: Vec<f64>,
    /// Period, NaN if missing.
    pub t: Vec<f64>,
    /// First treated period; +inf if never treated, NaN if missing.
    pub g: Vec<f64>,
    pub w: Option<Vec<f64>>,
    pub unit: Option<Codes>,
    pub cluster: Option<Codes>,
    pub covariates: Evaluated,
}

impl RawRows {
    pub fn read(df: &DataFrame, roles: &Roles) -> Result<Self> {
        let column = |name: &str, role| find(df, name, role);
        let numbers = |name: &str, role| numeric(column(name, role)?, role, f64::NAN);
        let codes = |name: &Option<String>, role| -> Result<Option<Codes>> {
            name.as_ref().map(|n| Codes::new(column(n, role)?, role)).transpose()
        };
        if u32::try_from(df.height()).is_err() {
            return Err(DidError::Config {
                option: "data",
                expected: "at most 4,294,967,295 rows",
                got: df.height().to_string(),
            });
        }
        let raw = |name: &str| {
            RawColumn::from_series(column(name, "covariate")?.as_materialized_series())
        };
        Ok(Self {
            rows: df.height(),
            y: numbers(&roles.outcome, "outcome")?,
            t: numbers(&roles.time, "time")?,
            g: groups(column(&roles.group, "group")?)?,
            w: roles.weights.as_ref().map(|n| weights(n, numbers(n, "weights")?)).transpose()?,
            unit: codes(&roles.unit, "unit")?,
            cluster: codes(&roles.cluster, "cluster")?,
            covariates: roles.covariates.evaluate(df.height(), &raw)?,
        })
    }
}

fn find<'a>(df: &'a DataFrame, name: &str, role: &'static str) -> Result<&'a Column> {
    df.column(name).map_err(|_| DidError::ColumnNotFound {
        column: name.to_owned(),
        role,
        available: df
            .get_column_names()
            .iter()
            .map(|n| format!("`{n}`"))
            .collect::<Vec<_>>()
            .join(", "),
    })
}

/// A numeric or boolean column as f64, with `null` in place of nulls.
fn numeric(column: &Column, role: &'static str, null: f64) -> Result<Vec<f64>> {
    let series = column.as_materialized_series();
    let unusable = || DidError::ColumnType {
        column: column.name().to_string(),
        role,
        expected: "numbers",
        got: series.dtype().to_string(),
    };
    let dtype = series.dtype();
    let usable =
        dtype.is_primitive_numeric() || matches!(dtype, DataType::Boolean | DataType::Null);
    if !usable {
        return Err(unusable());
    }
    let floats = series.cast(&DataType::Float64).map_err(|_| unusable())?;
    let floats = floats.f64().map_err(|_| unusable())?;
    let mut out = Vec::with_capacity(floats.len());
    for chunk in floats.downcast_iter() {
        let values = chunk.values().as_slice();
        match chunk.validity() {
            Some(valid) if valid.unset_bits() > 0 => {
                out.extend(values.iter().zip(valid).map(|(v, ok)| if ok { *v } else { null }));
            }
            _ => out.extend_from_slice(values),
        }
    }
    Ok(out)
}

/// First treated periods with never treated (0, +inf, null) as +inf.
fn groups(column: &Column) -> Result<Vec<f64>> {
    let mut g = numeric(column, "group", f64::INFINITY)?;
    for (row, g) in g.iter_mut().enumerate() {
        if *g < 0.0 {
            return Err(DidError::NegativeGroup {
                column: column.name().to_string(),
                value: *g,
                row,
            });
        }
        if *g == 0.0 {
            *g = f64::INFINITY;
        }
    }
    Ok(g)
}

fn weights(column: &str, w: Vec<f64>) -> Result<Vec<f64>> {
    let problem = |problem: String| DidError::Weights { column: column.to_owned(), problem };
    if let Some((row, w)) = w.iter().enumerate().find(|(_, w)| **w < 0.0) {
        return Err(problem(format!("row {row} has the negative weight {w}; weights must be ≥ 0")));
    }
    if !w.iter().any(|w| *w > 0.0) {
        return Err(problem("all weights are zero or missing".into()));
    }
    Ok(w)
}
