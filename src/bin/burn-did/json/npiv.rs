//! The JSON of a function estimated by sieves.

use burn_did::{Estimate, NpivChoice, NpivResult, NpivRow};

/// Everything about a fit.
#[derive(serde::Serialize)]
pub(crate) struct Function<'a> {
    estimator: &'static str,
    n: usize,
    rows: Vec<Row<'a>>,
    critical_value: Critical,
    x_segments: usize,
    w_segments: usize,
    choice: &'a Option<NpivChoice>,
    coefficients: &'a [f64],
    breakpoints: &'a [Vec<f64>],
    rows_missing: usize,
    warnings: Vec<String>,
}

#[derive(serde::Serialize)]
struct Critical {
    h: f64,
    derivative: f64,
}

/// The function at a point.
#[derive(serde::Serialize)]
struct Row<'a> {
    x: &'a [f64],
    h: Option<f64>,
    h_se: Option<f64>,
    h_lower: Option<f64>,
    h_upper: Option<f64>,
    derivative: Option<f64>,
    derivative_se: Option<f64>,
    derivative_lower: Option<f64>,
    derivative_upper: Option<f64>,
}

impl<'a> Function<'a> {
    pub(crate) fn new(fit: &'a NpivResult) -> Self {
        let (h, derivative) = (fit.critical_value, fit.critical_value_derivative);
        Self {
            estimator: "npiv",
            n: fit.n,
            rows: fit.rows.iter().map(Row::from).collect(),
            critical_value: Critical { h, derivative },
            x_segments: fit.x_segments,
            w_segments: fit.w_segments,
            choice: &fit.choice,
            coefficients: &fit.coefficients,
            breakpoints: &fit.breakpoints,
            rows_missing: fit.rows_missing,
            warnings: fit.warnings.iter().map(ToString::to_string).collect(),
        }
    }
}

impl<'a> From<&'a NpivRow> for Row<'a> {
    fn from(row: &'a NpivRow) -> Self {
        let (h, slope): (Estimate, Estimate) = (row.h, row.derivative);
        Self {
            x: &row.x,
            h: h.att,
            h_se: h.se,
            h_lower: h.ci_lower,
            h_upper: h.ci_upper,
            derivative: slope.att,
            derivative_se: slope.se,
            derivative_lower: slope.ci_lower,
            derivative_upper: slope.ci_upper,
        }
    }
}
