//! The normal equations of the fixed effects on untreated rows: by a Cholesky factor, or by conjugate gradients where there are many
//! levels.

use super::design::Design;
use super::direct::{self, Direct};
use crate::base::error::{DidError, Result};
use crate::engine::demean::{DemeanOptions, Demeaner, Factor, OnHost};

/// Largest error of the equations, relative to their right-hand side, that is worth another correction, and that is no solution.
const GOOD: f64 = 1e-15;
const BAD: f64 = 1e-8;

/// What cannot be solved.
const UNTREATED: &str = "the regression of untreated outcomes";

/// Corrections of a solution, at most.
const CORRECTIONS: usize = 3;

/// The untreated rows alone.
pub(in crate::estimator) struct Untreated {
    factors: Vec<Factor>,
    weights: Option<Vec<f64>>,
}

pub(super) enum NormalEquations<'a> {
    Direct(Box<Direct>),
    Iterative(Box<Demeaner<'a>>),
}

impl Untreated {
    /// What [`NormalEquations`] iterate on; nothing where they need not iterate.
    pub fn new(design: &Design) -> Self {
        match is_direct(design) {
            true => Self { factors: vec![], weights: None },
            false => Self::of(design),
        }
    }

    fn of(design: &Design) -> Self {
        let rows = |values: &dyn Fn(usize) -> u32| -> Vec<u32> {
            (0..design.rows()).filter(|row| !design.treated[*row]).map(values).collect()
        };
        let lead = Factor { codes: rows(&|row| design.lead[row]), levels: design.leads };
        let rest = design.rest.iter().zip(design.offsets.windows(2)).map(|(codes, at)| Factor {
            codes: rows(&|row| codes[row] - at[0] as u32),
            levels: at[1] - at[0],
        });
        let factors = std::iter::once(lead).chain(rest).collect();
        let weights = design.weights.as_ref().map(|weights| {
            let untreated = weights.iter().zip(&design.treated).filter(|(_, treated)| !**treated);
            untreated.map(|(weight, _)| *weight).collect()
        });
        Self { factors, weights }
    }
}

/// Whether the equations are solved by a factor.
pub(super) fn is_direct(design: &Design) -> bool {
    design.width() <= direct::MOST
}

impl<'a> NormalEquations<'a> {
    /// # Errors
    /// [`DidError::Config`] for trends beside effects of many levels, and those of a [`Demeaner`].
    pub fn new(design: &Design, untreated: &'a Untreated) -> Result<Self> {
        if is_direct(design) {
            return Ok(Self::direct(design));
        }
        if design.slope.is_some() {
            return Err(DidError::config(
                "trends",
                "left out where the fixed effects beside the units have more than 512 levels together",
                format!("trends and {} levels", design.width()),
            ));
        }
        let options = DemeanOptions { tolerance: 1e-12, ..DemeanOptions::default() };
        let weights = untreated.weights.as_deref();
        Ok(Self::Iterative(Box::new(Demeaner::new(
            &untreated.factors,
            weights,
            &options,
            &OnHost,
        )?)))
    }

    /// By a Cholesky factor.
    pub fn direct(design: &Design) -> Self {
        Self::Direct(Box::new(Direct::new(design)))
    }

    /// `θ` with `Z0'W0 Z0 θ = q`, of several `q`; `name` is what an error calls them.
    ///
    /// # Errors
    /// [`DidError::NotDemeaned`] if conjugate gradients do not converge, and [`DidError::Singular`] if a `q` is not spanned.
    pub fn solve(&self, design: &Design, q: &[Vec<f64>], name: &str) -> Result<Vec<Vec<f64>>> {
        match self {
            Self::Direct(direct) => {
                q.iter().map(|q| corrected(design, q, |q| direct.solve(design, q))).collect()
            }
            Self::Iterative(demeaner) => demeaner.solve_normal(q, name),
        }
    }
}

/// A solution that is corrected by what it leaves.
fn corrected(design: &Design, q: &[f64], solve: impl Fn(&[f64]) -> Vec<f64>) -> Result<Vec<f64>> {
    let norm = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>().sqrt();
    let size = norm(q);
    let mut theta = solve(q);
    let left = |theta: &[f64]| -> Vec<f64> {
        design.product(theta).iter().zip(q).map(|(p, q)| q - p).collect()
    };
    let mut residual = left(&theta);
    for _ in 0..CORRECTIONS {
        if norm(&residual) <= GOOD * size {
            break;
        }
        let more = solve(&residual);
        let next: Vec<f64> = theta.iter().zip(&more).map(|(a, b)| a + b).collect();
        let after = left(&next);
        if norm(&after) >= norm(&residual) {
            break;
        }
        (theta, residual) = (next, after);
    }
    if norm(&residual) > BAD * size {
        return Err(DidError::Singular { what: UNTREATED });
    }
    Ok(theta)
}

/// The error of equations without a solution names the column of weights, if there is one: they are singular where weights differ too much.
pub(super) fn unsolved(error: DidError, weights: Option<&String>) -> DidError {
    match (error, weights) {
        (DidError::Singular { what: UNTREATED }, Some(column)) => DidError::Weights {
            column: column.clone(),
            problem: format!(
                "{UNTREATED} has no accurate solution with weights of such different sizes; leave out the rows with the largest or the smallest, or cap them"
            ),
        },
        (error, _) => error,
    }
}

#[cfg(test)]
mod tests {
    use super::super::design::DesignColumns;
    use super::*;

    /// Rows with levels of three factors that hang together, with weights, of which every fifth is treated.
    fn design() -> Design {
        let rows = 400;
        let code = |row: usize, by: usize, levels: usize| (row * by + row / 5) % levels;
        let column = |by: usize, levels: usize| -> (Vec<u32>, usize) {
            let codes: Vec<u32> = (0..rows).map(|row| code(row, by, levels) as u32).collect();
            (codes, levels)
        };
        Design::new(DesignColumns {
            lead: ((0..rows).map(|row| row as u32 / 5).collect(), rows / 5),
            rest: vec![column(3, 11), column(7, 17)],
            slope: None,
            weights: Some((0..rows).map(|row| 1.0 + (row as f64).sin().abs()).collect()),
            treated: (0..rows).map(|row| row % 5 == 4).collect(),
        })
    }

    #[test]
    fn both_solvers_solve_the_same_equations() {
        let design = design();
        let untreated = Untreated::of(&design);
        let options = DemeanOptions { tolerance: 1e-12, ..DemeanOptions::default() };
        let demeaner =
            Demeaner::new(&untreated.factors, untreated.weights.as_deref(), &options, &OnHost);
        let iterative = NormalEquations::Iterative(Box::new(demeaner.unwrap()));
        let direct = NormalEquations::Direct(Box::new(Direct::new(&design)));
        let q: Vec<Vec<f64>> = (1..6)
            .map(|target| {
                design.sums(|row| if row % (target + 2) == 0 { (row as f64).cos() } else { 0.0 })
            })
            .collect();
        let solutions =
            [direct, iterative].map(|normal| normal.solve(&design, &q, "a target").unwrap());
        for (target, q) in q.iter().enumerate() {
            for theta in solutions.each_ref().map(|of| &of[target]) {
                for (found, wanted) in design.product(theta).iter().zip(q) {
                    assert!((found - wanted).abs() < 1e-10, "{found} is not {wanted}");
                }
            }
            // Effects are not unique, and what they make of rows is.
            for row in 0..design.rows() {
                let [a, b] = solutions.each_ref().map(|of| design.fitted(row, &of[target]));
                assert!((a - b).abs() < 1e-10, "{a} is not {b}");
            }
        }
    }

    #[test]
    fn equations_without_a_solution_name_the_weights() {
        let design = design();
        let q = design.sums(|_| 1.0);
        let error = corrected(&design, &q, |q| vec![0.0; q.len()]).unwrap_err();
        assert_eq!(error.code(), "singular");
        let named = unsolved(error, Some(&"wv".to_owned())).to_string();
        assert!(named.contains("`wv` (weights)") && named.contains("cap them"), "{named}");
        let other = DidError::Singular { what: "Wald test" };
        assert_eq!(unsolved(other, Some(&"wv".to_owned())).code(), "singular");
    }
}
