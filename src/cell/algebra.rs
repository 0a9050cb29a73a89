//! Sums over the rows of a cell's sides, and the regressions they give.

use super::plan::{Outcome, Part, Side};
use crate::estimates::CellStatus;
use crate::panel::DesignInfo;
use crate::pass::Gram;
use crate::solve::{SINGULAR, Spd, dependent_columns, dot, multiply, reciprocal_condition};

/// Sums of one arm of a side: `z = (1, x)`, weights `ω`, outcome `d`.
#[derive(Clone, Debug)]
pub(super) struct Moments {
    /// `Σ ω z z'`, `[k, k]`.
    pub zz: Vec<f64>,
    /// `Σ ω z d`, `[k]`.
    pub zd: Vec<f64>,
}

impl Moments {
    /// Adds up the parts' cross-products.
    pub fn new<'a>(grams: impl Iterator<Item = &'a Gram>, outcome: Outcome, k: usize) -> Self {
        let mut sum = Self { zz: vec![0.0; k * k], zd: vec![0.0; k] };
        for gram in grams {
            let periods = gram.zy.len() / k;
            crate::pass::add(&mut sum.zz, &gram.zz);
            for (zd, zy) in sum.zd.iter_mut().zip(gram.zy.chunks_exact(periods)) {
                *zd += match outcome {
                    Outcome::Change { post, base } => zy[post] - zy[base],
                    Outcome::Level(column) => zy[column],
                };
            }
        }
        sum
    }

    /// `Σ ω`.
    pub fn total(&self) -> f64 {
        self.zz[0]
    }

    /// `Σ ω z`.
    pub fn z(&self) -> &[f64] {
        &self.zz[..self.zd.len()]
    }

    /// `Σ ω d`.
    pub fn d(&self) -> f64 {
        self.zd[0]
    }

    /// `Σ ω (d - z'β)`.
    pub fn residual(&self, beta: &[f64]) -> f64 {
        self.d() - dot(self.z(), beta)
    }

    /// `Σ ω z (d - z'β - τ)`.
    pub fn residual_z(&self, beta: &[f64], tau: f64) -> Vec<f64> {
        let fitted = multiply(&self.zz, beta);
        self.zd.iter().zip(fitted).zip(self.z()).map(|((d, f), z)| d - f - tau * z).collect()
    }
}

/// Design columns and the raw coordinates in which rank is judged.
pub(super) struct Algebra<'a> {
    info: &'a DesignInfo,
    /// First design column: 0 with a constant, else 1.
    first: usize,
    transform: Vec<f64>,
    inverse: Vec<f64>,
}

/// A weighted regression: `coefficients = B⁻¹ Σ ω z d`, with `B` at hand for influence values.
pub(super) struct Regression {
    factor: Spd,
    first: usize,
    pub beta: Vec<f64>,
}

impl Regression {
    /// `B⁻¹ v`, zero where the design has no column.
    pub fn solve(&self, v: &[f64]) -> Vec<f64> {
        expand(self.factor.solve(&v[self.first..]), self.first)
    }
}

fn expand(v: Vec<f64>, first: usize) -> Vec<f64> {
    std::iter::repeat_n(0.0, first).chain(v).collect()
}

impl<'a> Algebra<'a> {
    pub fn new(info: &'a DesignInfo) -> Self {
        let first = usize::from(!info.intercept);
        let transform = block(&info.transform, info.k(), first);
        let inverse = invert(&transform, info.k() - first);
        Self { info, first, transform, inverse }
    }

    pub fn k(&self) -> usize {
        self.info.k()
    }

    pub fn is_constant(&self) -> bool {
        self.info.is_constant()
    }

    /// Number of design columns.
    fn width(&self) -> usize {
        self.k() - self.first
    }

    /// Fails if the design is singular in raw coordinates.
    pub fn check_rank(&self, moments: &Moments) -> Result<Spd, CellStatus> {
        let width = self.width();
        let gram = block(&moments.zz, self.k(), self.first);
        let raw = sandwich(&self.transform, &gram, width);
        let singular = |rcond: f64| CellStatus::SingularDesign {
            rcond,
            columns: dependent_columns(&raw, width)
                .into_iter()
                .map(|j| self.info.names[j + self.first].clone())
                .collect(),
        };
        let factor = Spd::new(&gram, width).ok_or_else(|| singular(0.0))?;
        let raw_inverse = sandwich(&transpose(&self.inverse, width), &factor.inverse(), width);
        let rcond = reciprocal_condition(&raw, &raw_inverse, width);
        if rcond < SINGULAR { Err(singular(rcond)) } else { Ok(factor) }
    }

    /// Weighted least squares of the outcome on the design.
    pub fn regress(&self, moments: &Moments) -> Result<Regression, CellStatus> {
        let factor = self.check_rank(moments)?;
        let beta = expand(factor.solve(&moments.zd[self.first..]), self.first);
        Ok(Regression { factor, first: self.first, beta })
    }

    /// Solves with the information matrix of a propensity score.
    pub fn solve_information(&self, hessian: &[f64], v: &[f64]) -> Result<Vec<f64>, CellStatus> {
        let factor = Spd::new(&block(hessian, self.k(), self.first), self.width())
            .ok_or(CellStatus::SingularInformation)?;
        Ok(expand(factor.solve(&v[self.first..]), self.first))
    }

    /// Entries of the design's columns.
    pub fn design<'v>(&self, v: &'v [f64]) -> &'v [f64] {
        &v[self.first..]
    }

    /// A zero vector of `k` entries.
    pub fn zeros(&self) -> Vec<f64> {
        vec![0.0; self.k()]
    }
}

/// Rows and columns of a `[k, k]` matrix from `first` on.
fn block(a: &[f64], k: usize, first: usize) -> Vec<f64> {
    (first..k).flat_map(|i| a[i * k + first..(i + 1) * k].iter().copied()).collect()
}

fn transpose(a: &[f64], k: usize) -> Vec<f64> {
    (0..k * k).map(|e| a[(e % k) * k + e / k]).collect()
}

/// `t' g t`.
fn sandwich(t: &[f64], g: &[f64], k: usize) -> Vec<f64> {
    let product = |a: &[f64], b: &[f64]| -> Vec<f64> {
        (0..k * k).map(|e| (0..k).map(|m| a[(e / k) * k + m] * b[m * k + e % k]).sum()).collect()
    };
    product(&product(&transpose(t, k), g), t)
}

fn invert(a: &[f64], k: usize) -> Vec<f64> {
    use faer::linalg::solvers::DenseSolveCore;
    let inverse = faer::MatRef::from_row_major_slice(a, k, k).partial_piv_lu().inverse();
    (0..k * k).map(|e| inverse[(e / k, e % k)]).collect()
}

/// All parts of a cell with their arm.
pub(super) fn parts(sides: &[Side]) -> impl Iterator<Item = (&Part, bool)> {
    sides.iter().flat_map(|s| {
        s.treated.iter().map(|p| (p, true)).chain(s.control.iter().map(|p| (p, false)))
    })
}
