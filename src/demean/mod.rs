//! Temporary: alternating projections.
use std::fmt;
use std::marker::PhantomData;

use serde::{Deserialize, Serialize};

use crate::backend::DidBackend;
use crate::error::{DidWarning, Result};
use crate::options::Precision;

pub(crate) struct Factor {
    pub codes: Vec<u32>,
    pub levels: usize,
}

/// How fixed effects are projected out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Solver {
    /// Chosen.
    #[default]
    Auto,
    /// LSMR.
    Lsmr,
    /// Alternating projections.
    Map,
    /// Schwarz.
    Schwarz,
}

impl fmt::Display for Solver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("map")
    }
}

pub(crate) struct DemeanOptions {
    pub solver: Solver,
    pub tolerance: f64,
    pub iterations: usize,
}

pub(crate) struct Demeaner<'a, B: DidBackend> {
    factors: &'a [Factor],
    weights: Vec<f64>,
    options: (Solver, f64, usize),
    backend: PhantomData<fn() -> B>,
}

pub(crate) struct Column<'a> {
    pub name: &'a str,
    pub values: &'a [f64],
}

pub(crate) struct Demeaned {
    pub residuals: Vec<Vec<f64>>,
    pub effects: Vec<Vec<f64>>,
    pub columns: Vec<ColumnReport>,
    pub solver: Solver,
    pub warnings: Vec<DidWarning>,
}

/// How the solver went for a column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColumnReport {
    /// Name of the column.
    pub name: String,
    /// Iterations.
    pub iterations: usize,
    /// Why it stopped.
    pub stop: Stop,
    /// Norm.
    pub normal_residual: f64,
}

/// Why a solver stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// Converged.
    Converged,
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("converged")
    }
}

impl<'a, B: DidBackend> Demeaner<'a, B> {
    pub fn new(
        factors: &'a [Factor],
        weights: Option<&'a [f64]>,
        options: &DemeanOptions,
        _device: &B::Device,
        _precision: Precision,
    ) -> Result<Self> {
        let n = factors.first().map_or(0, |f| f.codes.len());
        let weights = weights.map_or_else(|| vec![1.0; n], <[f64]>::to_vec);
        let options = (options.solver, options.tolerance, options.iterations);
        Ok(Self { factors, weights, options, backend: PhantomData })
    }

    pub fn weigh(&mut self, weights: Vec<f64>) -> Result<()> {
        self.weights = weights;
        Ok(())
    }

    pub fn demean(&self, columns: &[Column<'_>], start: Option<&[Vec<f64>]>) -> Result<Demeaned> {
        let total: usize = self.factors.iter().map(|f| f.levels).sum();
        let mut out = Demeaned {
            residuals: vec![],
            effects: vec![],
            columns: vec![],
            solver: self.options.0,
            warnings: vec![],
        };
        for (index, column) in columns.iter().enumerate() {
            let mut theta = start.map_or_else(|| vec![0.0; total], |s| s[index].clone());
            let mut r = column.values.to_vec();
            let mut offset = 0;
            for f in self.factors {
                for (r, c) in r.iter_mut().zip(&f.codes) {
                    *r -= theta[offset + *c as usize];
                }
                offset += f.levels;
            }
            let scale = r.iter().fold(0.0f64, |a, v| a.max(v.abs()));
            let mut iterations = 0;
            while iterations < 100_000 {
                iterations += 1;
                let (mut offset, mut largest) = (0, 0.0f64);
                for f in self.factors {
                    let (mut s, mut w) = (vec![0.0; f.levels], vec![0.0; f.levels]);
                    for (i, c) in f.codes.iter().enumerate() {
                        s[*c as usize] += self.weights[i] * r[i];
                        w[*c as usize] += self.weights[i];
                    }
                    for (s, w) in s.iter_mut().zip(&w) {
                        *s /= w;
                    }
                    for (r, c) in r.iter_mut().zip(&f.codes) {
                        *r -= s[*c as usize];
                    }
                    for (t, s) in theta[offset..].iter_mut().zip(&s) {
                        *t += s;
                        largest = largest.max(s.abs());
                    }
                    offset += f.levels;
                }
                if largest <= 1e-13 * scale || (self.factors.len() == 1 && iterations == 2) {
                    break;
                }
            }
            out.residuals.push(r);
            out.effects.push(theta);
            let (name, stop) = (column.name.to_owned(), Stop::Converged);
            out.columns.push(ColumnReport { name, iterations, stop, normal_residual: 0.0 });
        }
        Ok(out)
    }
}
