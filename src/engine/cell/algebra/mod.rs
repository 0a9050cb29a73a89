//! Sums over the rows of a cell's sides, and the regressions they give.

use super::method::RankRule;
use super::sides::{CellResult, Outcome};
use crate::base::options::Precision;
use crate::base::solve::{
    COLLINEAR, COLLINEAR_SINGLE, DEPENDENT, SINGULAR, Spd, add_scaled, dependent_beside,
    dependent_columns, dot, multiply, reciprocal_condition, sandwich,
};
use crate::base::spectrum::row_major;
use crate::engine::pass::Gram;
use crate::read::panel::DesignInfo;
use crate::result::estimates::{CellStatus, RegressionUnits};

/// Sums of one arm of a side: `z = (1, x)`, weights `ω`, outcome `d`.
#[derive(Clone, Debug)]
pub(super) struct Moments {
    /// `Σ ω z z'`, `[k, k]`.
    pub zz: Vec<f64>,
    /// `Σ ω z d`, `[k]`.
    pub zd: Vec<f64>,
}

impl Moments {
    /// Adds up the cross-products `[k, k]` and `[k, P]` of several strata, with what each one's outcomes are too low by.
    pub fn new<'a>(
        grams: impl IntoIterator<Item = (&'a Gram, f64)>,
        outcome: Outcome,
        k: usize,
    ) -> Self {
        let mut sum = Self { zz: vec![0.0; k * k], zd: vec![0.0; k] };
        for (gram, lift) in grams {
            let columns = gram.zy.len() / k;
            add_scaled(&mut sum.zz, 1.0, &gram.zz);
            for (j, zd) in sum.zd.iter_mut().enumerate() {
                let stored = outcome.of(&gram.zy[j * columns..(j + 1) * columns]);
                *zd += stored + lift * gram.zz[j];
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

/// Design columns, and how their rank is judged.
pub(super) struct Algebra<'a> {
    info: &'a DesignInfo,
    rank: RankRule,
    /// Columns that take part, ascending: not the constant of a design without one, nor what is dropped as collinear.
    kept: Vec<usize>,
    transform: Vec<f64>,
    inverse: Vec<f64>,
}

/// A weighted regression: `coefficients = B⁻¹ Σ ω z d`, with `B` at hand for influence values.
pub(super) struct Regression {
    factor: Spd,
    kept: Vec<usize>,
    pub beta: Vec<f64>,
}

impl Regression {
    /// `B⁻¹ v`, zero where the design has no column.
    pub fn solve(&self, v: &[f64]) -> Vec<f64> {
        expand(&self.factor.solve(&pick(v, &self.kept)), &self.kept, v.len())
    }
}

/// Zeros in the `k` columns that are not kept.
fn expand(v: &[f64], kept: &[usize], k: usize) -> Vec<f64> {
    let mut out = vec![0.0; k];
    kept.iter().zip(v).for_each(|(j, v)| out[*j] = *v);
    out
}

fn pick(v: &[f64], kept: &[usize]) -> Vec<f64> {
    kept.iter().map(|j| v[*j]).collect()
}

impl<'a> Algebra<'a> {
    pub fn new(info: &'a DesignInfo, rank: RankRule) -> Self {
        Self::with_columns(info, rank, (usize::from(!info.intercept)..info.k()).collect())
    }

    fn with_columns(info: &'a DesignInfo, rank: RankRule, kept: Vec<usize>) -> Self {
        let transform = block(&info.transform, info.k(), &kept);
        let inverse = invert(&transform, kept.len());
        Self { info, rank, kept, transform, inverse }
    }

    /// Drops the columns that depend on those before them in all these rows; returns their names.
    pub fn drop_collinear(&mut self, gram: &[f64], precision: Precision) -> Vec<String> {
        let tolerance = match precision {
            Precision::F64 => COLLINEAR,
            Precision::F32 => COLLINEAR_SINGLE,
        };
        let gram = block(gram, self.k(), &self.kept);
        let dependent = dependent_columns(&gram, self.width(), tolerance);
        let dropped: Vec<usize> = dependent.into_iter().map(|j| self.kept[j]).collect();
        if !dropped.is_empty() {
            let columns = self.kept.iter().copied().filter(|j| !dropped.contains(j)).collect();
            *self = Self::with_columns(self.info, self.rank, columns);
        }
        dropped.into_iter().map(|j| self.info.names[j].clone()).collect()
    }

    pub fn k(&self) -> usize {
        self.info.k()
    }

    /// Whether the design is the constant alone.
    pub fn is_constant(&self) -> bool {
        self.kept.iter().all(|j| *j == 0)
    }

    /// Number of design columns.
    fn width(&self) -> usize {
        self.kept.len()
    }

    /// The factor of the design's `Σ ω z z'`, `[k, k]`.
    ///
    /// # Errors
    /// [`CellStatus::SingularDesign`] if it is singular, by the rule of rank.
    pub fn check_rank(&self, zz: &[f64]) -> CellResult<Spd> {
        let width = self.width();
        let gram = block(zz, self.k(), &self.kept);
        let singular = |rcond: f64| CellStatus::SingularDesign {
            rcond,
            columns: self.dependent(&gram),
            among: RegressionUnits::default(),
        };
        let factor = Spd::regular(&gram, width).ok_or_else(|| singular(0.0))?;
        if self.rank == RankRule::ScaledColumns {
            return Ok(factor);
        }
        let raw = sandwich(&transpose(&self.transform, width), &gram, width);
        let raw_inverse = sandwich(&self.inverse, &factor.inverse(), width);
        let rcond = reciprocal_condition(&raw, &raw_inverse, width);
        if rcond < SINGULAR { Err(singular(rcond)) } else { Ok(factor) }
    }

    /// Names of the columns that depend on those before them, given the cross-products of the design's columns.
    fn dependent(&self, gram: &[f64]) -> Vec<String> {
        let width = self.width();
        // Whether a column depends on others is no matter of its unit, in which it may overflow.
        let rows = transpose(&unit_columns(&self.transform, width), width);
        let sizes = |a: &[f64]| a.iter().map(|v| v.abs()).collect::<Vec<f64>>();
        // A column of zeros is one of rounding errors here, which are small beside what they are left of.
        let terms = sandwich(&sizes(&rows), &sizes(gram), width);
        let largest: Vec<f64> = (0..width).map(|j| terms[j * width + j]).collect();
        let dependent = dependent_beside(&sandwich(&rows, gram, width), &largest, DEPENDENT);
        dependent.into_iter().map(|j| self.name(self.kept[j]).to_owned()).collect()
    }

    /// Weighted least squares of the outcome of comparison units on the design.
    ///
    /// # Errors
    /// As [`check_rank`](Self::check_rank).
    pub fn regress(&self, moments: &Moments) -> CellResult<Regression> {
        let factor = self.check_rank(&moments.zz)?;
        let beta = expand(&factor.solve(&self.design(&moments.zd)), &self.kept, self.k());
        Ok(Regression { factor, kept: self.kept.clone(), beta })
    }

    /// As [`regress`](Self::regress), of treated units.
    ///
    /// # Errors
    /// As [`check_rank`](Self::check_rank).
    pub fn regress_treated(&self, moments: &Moments) -> CellResult<Regression> {
        self.regress(moments).map_err(|status| match status {
            CellStatus::SingularDesign { rcond, columns, .. } => {
                CellStatus::SingularDesign { rcond, columns, among: RegressionUnits::Treated }
            }
            other => other,
        })
    }

    /// Solves with the information matrix `[k, k]` of a propensity score.
    ///
    /// # Errors
    /// [`CellStatus::SingularInformation`].
    pub fn solve_information(&self, hessian: &[f64], v: &[f64]) -> CellResult<Vec<f64>> {
        let factor = Spd::regular(&block(hessian, self.k(), &self.kept), self.width())
            .ok_or(CellStatus::SingularInformation)?;
        Ok(expand(&factor.solve(&self.design(v)), &self.kept, self.k()))
    }

    /// Entries of the design's columns.
    pub fn design(&self, v: &[f64]) -> Vec<f64> {
        pick(v, &self.kept)
    }

    /// The design's columns.
    pub fn columns(&self) -> &[usize] {
        &self.kept
    }

    /// Name of a column.
    pub fn name(&self, column: usize) -> &str {
        &self.info.names[column]
    }

    /// A zero vector of `k` entries.
    pub fn zeros(&self) -> Vec<f64> {
        vec![0.0; self.k()]
    }
}

/// Some rows and columns of a `[k, k]` matrix.
fn block(a: &[f64], k: usize, kept: &[usize]) -> Vec<f64> {
    kept.iter().flat_map(|i| kept.iter().map(move |j| a[i * k + j])).collect()
}

/// The columns of a `[k, k]` matrix divided by their largest entries.
fn unit_columns(a: &[f64], k: usize) -> Vec<f64> {
    let largest = |j: usize| (0..k).map(|i| a[i * k + j].abs()).fold(f64::MIN_POSITIVE, f64::max);
    let scale: Vec<f64> = (0..k).map(largest).collect();
    (0..k * k).map(|e| a[e] / scale[e % k]).collect()
}

fn transpose(a: &[f64], k: usize) -> Vec<f64> {
    (0..k * k).map(|e| a[(e % k) * k + e / k]).collect()
}

fn invert(a: &[f64], k: usize) -> Vec<f64> {
    use faer::linalg::solvers::DenseSolveCore;
    let inverse = faer::MatRef::from_row_major_slice(a, k, k).partial_piv_lu().inverse();
    row_major(inverse.as_ref())
}

#[cfg(test)]
mod tests;
