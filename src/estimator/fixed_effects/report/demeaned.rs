//! What the solver did to columns that were rid of their fixed effects.

use serde::Serialize;

use crate::base::error::Result;
use crate::base::options::Stop;
use crate::estimator::fixed_effects::{DemeanResult, RegressionAudit};
use crate::report::json;
use crate::result::saved::FORMAT;

/// The document, without the residuals, which are as large as the data.
#[derive(Serialize)]
struct Document<'a> {
    kind: &'static str,
    format: u64,
    solver: &'a str,
    device: &'a str,
    columns: Vec<Column<'a>>,
    fixed_effects: &'a [(String, usize)],
    audit: &'a RegressionAudit,
    warnings: Vec<String>,
}

/// What the solver did to a column.
#[derive(Serialize)]
struct Column<'a> {
    name: &'a str,
    iterations: usize,
    passes: usize,
    stop: Stop,
    normal_residual: f64,
}

impl DemeanResult {
    /// What the solver did, as JSON; [`write_parquet`](Self::write_parquet) writes the residuals.
    ///
    /// # Errors
    /// [`DidError::Json`](crate::DidError::Json) if it cannot be formed.
    pub fn to_json(&self) -> Result<String> {
        let columns = self.solver.columns.iter().map(|c| Column {
            name: &c.name,
            iterations: c.iterations,
            passes: c.passes,
            stop: c.stop,
            normal_residual: c.normal_residual,
        });
        json::text(&Document {
            kind: "demeaned",
            format: FORMAT,
            solver: &self.solver.solver,
            device: &self.solver.device,
            columns: columns.collect(),
            fixed_effects: &self.levels,
            audit: &self.audit,
            warnings: self.warnings.iter().map(ToString::to_string).collect(),
        })
    }
}
