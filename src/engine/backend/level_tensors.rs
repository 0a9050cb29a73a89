//! The normal equations of fixed effects in tensor operations: works on any backend, and is what the overrides are tested against.

use burn::tensor::DType;
use burn::tensor::backend::Backend;

use super::levels::{
    BidiagonalProblem, BidiagonalStep, BidiagonalUpdate, LevelDesign, LevelSolver, LevelStep,
    LevelWeights,
};
use super::matrix::{Matrix, RowNumbers};
use crate::base::error::Result;

/// A design on a device. Sums by level are index-adds, which backends may take in the order of the threads.
pub(super) struct LevelTensors<B: Backend> {
    /// Level of the leading factor of each cell.
    segments: RowNumbers<B>,
    /// Of each other factor the cells' levels.
    codes: Vec<RowNumbers<B>>,
    device: B::Device,
    dtype: DType,
    /// Of cells `[cells, 1]`; `None` if all are 1.
    weights: Option<Matrix<B>>,
    /// `[segments, 1]`.
    lead: Matrix<B>,
    /// `M`, `[levels, 1]`.
    inverse: Matrix<B>,
    /// `1 / w`, `[levels, 1]`.
    shares: Matrix<B>,
    state: Option<ConjugateTensors<B>>,
    bidiagonal: Option<LanczosTensors<B>>,
}

/// Vectors `[levels, columns]` and scalars `[1, columns]`.
struct ConjugateTensors<B: Backend> {
    effects: Matrix<B>,
    sums: Matrix<B>,
    direction: Matrix<B>,
    preconditioned: Matrix<B>,
}

/// The bidiagonalisation: vectors over cells, and over all levels.
struct LanczosTensors<B: Backend> {
    roots: Option<Matrix<B>>,
    scales: Matrix<B>,
    /// `β u`.
    u: Matrix<B>,
    /// `v` of the last steps, the newest last.
    v: Vec<Matrix<B>>,
    /// `α / β` of the last step.
    ratio: Option<Matrix<B>>,
    h: Matrix<B>,
    hbar: Matrix<B>,
    x: Matrix<B>,
}

impl<B: Backend> LevelTensors<B> {
    pub fn new(
        design: &LevelDesign<'_>,
        weights: &LevelWeights<'_>,
        device: &B::Device,
        dtype: DType,
    ) -> Self {
        let factor = |f: usize| design.codes.iter().skip(f).step_by(design.others).copied();
        let column = |values: Vec<f64>| {
            let length = values.len();
            Matrix::upload(values, [length, 1], device, dtype)
        };
        let Weighed { cells, lead, inverse, shares } = Weighed::new(weights);
        Self {
            segments: RowNumbers::upload(design.segment_of_cells(), device),
            codes: (0..design.others).map(|f| RowNumbers::upload(factor(f), device)).collect(),
            device: device.clone(),
            dtype,
            weights: cells.map(&column),
            lead: column(lead),
            inverse: column(inverse),
            shares: column(shares),
            state: None,
            bidiagonal: None,
        }
    }

    fn column(&self, values: Vec<f64>) -> Matrix<B> {
        let length = values.len();
        Matrix::upload(values, [length, 1], &self.device, self.dtype)
    }

    /// Splits a vector over all levels into the leading factor's part and the other factors' part.
    fn parts(&self, all: &Matrix<B>) -> [Matrix<B>; 2] {
        let ([levels, columns], segments) = (all.dims(), self.lead.dims()[0]);
        [0..segments, segments..levels].map(|rows| all.clone().slice([rows, 0..columns]))
    }

    /// Sums of cells by level, of all factors.
    fn by_level(&self, cells: &Matrix<B>) -> Matrix<B> {
        let columns = cells.dims()[1];
        let lead = cells.zeros([self.lead.dims()[0], columns]);
        let rest = cells.zeros([self.inverse.dims()[0], columns]);
        let lead = lead.add_rows(&self.segments, cells.clone());
        let rest = self.codes.iter().fold(rest, |sum, codes| sum.add_rows(codes, cells.clone()));
        Matrix::stack(vec![lead, rest])
    }

    /// Sums of levels by cell, of all factors.
    fn by_cell(&self, levels: &Matrix<B>) -> Matrix<B> {
        let [lead, rest] = self.parts(levels);
        let first = lead.select(&self.segments);
        self.codes.iter().fold(first, |sum, codes| sum + rest.select(codes))
    }

    /// `S p`.
    fn image(&self, p: &Matrix<B>) -> Matrix<B> {
        let weighted = |values: Matrix<B>| match &self.weights {
            Some(weights) => values * weights.clone(),
            None => values,
        };
        let gathered = self.codes.iter().map(|codes| p.select(codes));
        let Some(fitted) = gathered.reduce(|sum, more| sum + more) else { return p.zeros_like() };
        let [segments, columns] = [self.lead.dims()[0], p.dims()[1]];
        let zero = p.zeros([segments, columns]);
        let means = zero.add_rows(&self.segments, weighted(fitted.clone())) / self.lead.clone();
        let left = weighted(fitted - means.select(&self.segments));
        self.codes.iter().fold(p.zeros_like(), |sum, codes| sum.add_rows(codes, left.clone()))
    }
}

/// Weights as they are divided and multiplied by.
struct Weighed {
    cells: Option<Vec<f64>>,
    lead: Vec<f64>,
    inverse: Vec<f64>,
    shares: Vec<f64>,
}

impl Weighed {
    fn new(weights: &LevelWeights<'_>) -> Self {
        Self {
            cells: weights.cells.map(<[f64]>::to_vec),
            lead: weights.lead.to_vec(),
            inverse: inverse(weights.diagonal),
            shares: inverse(weights.rest),
        }
    }
}

/// `1 / x`, and 0 of nothing.
pub(super) fn inverse(values: &[f64]) -> Vec<f64> {
    values.iter().map(|x| if *x > 0.0 { 1.0 / x } else { 0.0 }).collect()
}

impl<B: Backend> std::fmt::Debug for LevelTensors<B> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LevelTensors").field("device", &self.device).finish_non_exhaustive()
    }
}

impl<B: Backend> LevelSolver for LevelTensors<B> {
    fn weigh(&mut self, weights: &LevelWeights<'_>) -> Result<()> {
        let Weighed { cells, lead, inverse, shares } = Weighed::new(weights);
        self.weights = cells.map(|cells| self.column(cells));
        self.lead = self.column(lead);
        self.inverse = self.column(inverse);
        self.shares = self.column(shares);
        Ok(())
    }

    fn begin(&mut self, sums: &[f64], columns: usize) -> Result<()> {
        let shape = [sums.len() / columns, columns];
        let sums = Matrix::upload(sums.to_vec(), shape, &self.device, self.dtype);
        let z = sums.clone() * self.inverse.clone();
        let preconditioned = (sums.clone() * z.clone()).sum_rows();
        self.bidiagonal = None;
        self.state = Some(ConjugateTensors {
            effects: sums.zeros_like(),
            sums,
            direction: z,
            preconditioned,
        });
        Ok(())
    }

    fn steps(&mut self, live: &[bool], count: usize) -> Result<Vec<LevelStep>> {
        let Some(mut at) = self.state.take() else { return Ok(Vec::new()) };
        let columns = live.len();
        let live: Vec<f64> = live.iter().map(|live| f64::from(u8::from(*live))).collect();
        let mut live = at.sums.upload_like(live, [1, columns]);
        let mut scalars_of_steps = Vec::with_capacity(3 * count);
        for _ in 0..count {
            let image = self.image(&at.direction);
            let curvature = (at.direction.clone() * image.clone()).sum_rows();
            let flat = curvature.clone().lower_equal_elem(0.0);
            live = live.mask_fill(flat, 0.0);
            let step = live.clone() * quotient(at.preconditioned.clone(), &curvature);
            at.effects = at.effects + at.direction.clone() * step.clone();
            at.sums = at.sums - image * step;
            let z = at.sums.clone() * self.inverse.clone();
            let preconditioned = (at.sums.clone() * z.clone()).sum_rows();
            let normal = (at.sums.clone() * at.sums.clone() * self.shares.clone()).sum_rows();
            let turn = live.clone() * quotient(preconditioned.clone(), &at.preconditioned);
            at.direction = z + at.direction * turn;
            scalars_of_steps.extend([curvature, preconditioned.clone(), normal]);
            at.preconditioned = preconditioned;
        }
        self.state = Some(at);
        if count == 0 {
            return Ok(Vec::new());
        }
        let scalars_of_steps = Matrix::stack(scalars_of_steps).download()?;
        let step = |scalars: &[f64]| LevelStep {
            curvature: scalars[..columns].to_vec(),
            preconditioned: scalars[columns..2 * columns].to_vec(),
            normal: scalars[2 * columns..].to_vec(),
        };
        Ok(scalars_of_steps.chunks_exact(3 * columns).map(step).collect())
    }

    fn begin_bidiagonal(&mut self, problem: &BidiagonalProblem<'_>) -> Result<()> {
        let columns = problem.columns;
        let shape = [problem.b.len() / columns, columns];
        let u = Matrix::upload(problem.b.to_vec(), shape, &self.device, self.dtype);
        let zero = u.zeros([problem.scales.len(), columns]);
        self.state = None;
        self.bidiagonal = Some(LanczosTensors {
            roots: problem.roots.map(|roots| self.column(roots.to_vec())),
            scales: self.column(problem.scales.to_vec()),
            u,
            v: Vec::new(),
            ratio: None,
            h: zero.clone(),
            hbar: zero.clone(),
            x: zero,
        });
        Ok(())
    }

    fn bidiagonalise(&mut self, count: usize) -> Result<Vec<BidiagonalStep>> {
        let Some(mut at) = self.bidiagonal.take() else { return Ok(Vec::new()) };
        let columns = at.u.dims()[1];
        let mut norms_of_steps = Vec::with_capacity(2 * count);
        let last = at.v.len().saturating_sub(1);
        at.v.drain(..last);
        for _ in 0..count {
            let rooted = |cells: Matrix<B>| match &at.roots {
                Some(roots) => cells * roots.clone(),
                None => cells,
            };
            let before = at.v.last().cloned();
            if let (Some(v), Some(ratio)) = (&before, &at.ratio) {
                let fitted = self.by_cell(&(v.clone() * at.scales.clone()));
                at.u = rooted(fitted) - at.u.clone() * ratio.clone();
            }
            let beta = norm(&at.u);
            let raw = self.by_level(&rooted(at.u.clone())) * at.scales.clone();
            let mut v = raw * quotient(beta.ones_like(), &beta);
            if let Some(before) = before {
                v = v - before * beta.clone();
            }
            let alpha = norm(&v);
            at.v.push(v * quotient(alpha.ones_like(), &alpha));
            at.ratio = Some(quotient(alpha.clone(), &beta));
            norms_of_steps.extend([beta, alpha]);
        }
        self.bidiagonal = Some(at);
        if count == 0 {
            return Ok(Vec::new());
        }
        let norms_of_steps = Matrix::stack(norms_of_steps).download()?;
        let step = |norms: &[f64]| BidiagonalStep {
            beta: norms[..columns].to_vec(),
            alpha: norms[columns..].to_vec(),
        };
        Ok(norms_of_steps.chunks_exact(2 * columns).map(step).collect())
    }

    fn combine(&mut self, updates: &[BidiagonalUpdate]) -> Result<Vec<f64>> {
        let Some(mut at) = self.bidiagonal.take() else { return Ok(Vec::new()) };
        let columns = at.u.dims()[1];
        let first = at.v.len() - updates.len() / columns;
        for (updates, v) in updates.chunks_exact(columns).zip(&at.v[first..]) {
            let row = |of: fn(&BidiagonalUpdate) -> f64| {
                at.x.upload_like(updates.iter().map(of).collect(), [1, columns])
            };
            let live = row(|u| u.live);
            at.hbar = at.h.clone() * live.clone() - at.hbar * row(|u| u.hbar);
            let step = at.hbar.clone() * row(|u| u.x);
            let h = v.clone() * live - at.h * row(|u| u.h);
            (at.x, at.h) = (at.x + step, h);
        }
        let norms = norm(&at.x).download();
        self.bidiagonal = Some(at);
        norms
    }

    fn effects(&mut self) -> Result<Vec<f64>> {
        if let Some(at) = &self.bidiagonal {
            let [_, rest] = self.parts(&at.x);
            return rest.download();
        }
        self.state.as_ref().map_or(Ok(Vec::new()), |at| at.effects.clone().download())
    }
}

/// Norms by column.
fn norm<B: Backend>(a: &Matrix<B>) -> Matrix<B> {
    (a.clone() * a.clone()).sum_rows().sqrt()
}

/// `a / b` where `b` is positive, else 0.
fn quotient<B: Backend>(a: Matrix<B>, b: &Matrix<B>) -> Matrix<B> {
    let none = b.clone().lower_equal_elem(0.0);
    let safe = b.clone().mask_fill(b.clone().lower_equal_elem(0.0), 1.0);
    (a / safe).mask_fill(none, 0.0)
}
