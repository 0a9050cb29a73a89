//! The normal equations themselves: effects whose fitted values have given sums by level.
//!
//! A linear combination of predictions is one of outcomes, whose weights are `-W D θ` with `D'W D θ = q`: one solution for each
//! combination, by the same conjugate gradients that demean columns. With the leading factor partialled out, the right-hand side is
//! `g = q_o - D_o'W D_l W_l⁻¹ q_l`.

use std::sync::Mutex;

use super::Demeaner;
use super::columns::PassSums;
use super::conjugate::Goal;
use super::stripes::{self, BlockSums};
use crate::base::error::{DidError, Result};
use crate::base::parallel::held;

/// Largest error of a solution, relative to the right-hand side in the norm of the weights, that is worth another correction, and that is
/// none.
const GOOD: f64 = 1e-14;
const BAD: f64 = 1e-9;

/// Corrections, at most.
const CORRECTIONS: usize = 6;

/// Numbers by level: of the leading factor, and of the others.
struct ByLevel<const K: usize> {
    lead: Vec<[f64; K]>,
    rest: Vec<[f64; K]>,
}

impl<const K: usize> ByLevel<K> {
    fn new(segments: usize, width: usize) -> Self {
        Self { lead: vec![[0.0; K]; segments], rest: vec![[0.0; K]; width] }
    }

    fn all(&self) -> impl Iterator<Item = &[f64; K]> {
        self.lead.iter().chain(&self.rest)
    }

    fn all_mut(&mut self) -> impl Iterator<Item = &mut [f64; K]> {
        self.lead.iter_mut().chain(&mut self.rest)
    }
}

impl Demeaner<'_> {
    /// Effects `θ` `[G]` with `D'W D θ = q`, of each `q` `[G]`: levels of the first factor, then of the second, and so on. Each `q`
    /// must be spanned, as sums by level of any rows with these levels are; `name` is what an error calls them.
    ///
    /// # Errors
    /// [`DidError::NotDemeaned`] if the iteration does not converge.
    pub fn solve_normal(&self, q: &[Vec<f64>], name: &str) -> Result<Vec<Vec<f64>>> {
        let mut out = Vec::with_capacity(q.len());
        while out.len() < q.len() {
            let rest = &q[out.len()..];
            out.extend(match rest.len() {
                1 => self.solve_set::<1>(rest, name)?,
                2 => self.solve_set::<2>(rest, name)?,
                3 | 4 => self.solve_set::<4>(rest, name)?,
                _ => self.solve_set::<8>(rest, name)?,
            });
        }
        Ok(out)
    }

    /// Of the first right-hand sides, at most `K`.
    fn solve_set<const K: usize>(&self, q: &[Vec<f64>], name: &str) -> Result<Vec<Vec<f64>>> {
        let count = q.len().min(K);
        let at = |k: usize| &q[k.min(count - 1)];
        let (before, segments) = (self.before_lead(), self.design.cells.segments());
        let mut wanted = ByLevel::<K>::new(segments, self.design.cells.width());
        for (s, lead) in wanted.lead.iter_mut().enumerate() {
            *lead = std::array::from_fn(|k| at(k)[before + s]);
        }
        for (rest, level) in wanted.rest.iter_mut().zip(self.of_others()) {
            *rest = std::array::from_fn(|k| at(k)[level]);
        }
        let sums = BlockSums::<K>::new(&self.design.cells);
        let size = self.norm(&wanted);
        let mut theta = ByLevel::<K>::new(segments, self.design.cells.width());
        let mut left = self.left(&wanted, &theta, &sums);
        let mut error = self.norm(&left);
        for _ in 0..CORRECTIONS {
            let (more, iterations) = self.step(&left, &sums);
            let mut next = ByLevel { lead: theta.lead.clone(), rest: theta.rest.clone() };
            for (next, more) in next.all_mut().zip(more.all()) {
                (0..K).for_each(|k| next[k] += more[k]);
            }
            let after = self.left(&wanted, &next, &sums);
            let norm = self.norm(&after);
            let worse = (0..count).all(|k| norm[k] >= 0.5 * error[k]);
            if norm.iter().sum::<f64>() < error.iter().sum::<f64>() {
                (theta, left, error) = (next, after, norm);
            }
            if worse || (0..count).all(|k| error[k] <= GOOD * size[k]) {
                if let Some(k) = (0..count).find(|k| error[*k] > BAD * size[*k]) {
                    return Err(DidError::NotDemeaned {
                        column: name.to_owned(),
                        iterations,
                        normal: error[k] / size[k],
                    });
                }
                break;
            }
        }
        let of = |k: usize| {
            let mut effects: Vec<f64> = theta.rest.iter().map(|e| e[k]).collect();
            effects.splice(before..before, theta.lead.iter().map(|e| e[k]));
            effects
        };
        Ok((0..count).map(of).collect())
    }

    /// A solution as far as the recurrence goes, and its iterations.
    fn step<const K: usize>(&self, q: &ByLevel<K>, sums: &BlockSums<K>) -> (ByLevel<K>, usize) {
        let weights = &self.design.weights;
        let mut theta = ByLevel::<K>::new(q.lead.len(), q.rest.len());
        let of_lead = |theta: &mut ByLevel<K>, q: &[[f64; K]]| {
            for ((effect, q), weight) in theta.lead.iter_mut().zip(q).zip(&weights.lead) {
                *effect = q.map(|q| q / weight);
            }
        };
        of_lead(&mut theta, &q.lead);
        if self.design.cells.others() == 0 {
            return (theta, 0);
        }
        let without = self.left(q, &theta, sums);
        let squares = self.norm(&without).map(|norm| norm * norm);
        let g = without.rest;
        let goal = Goal { squares, tolerance: 1e-13, floor: squares.map(|s| 1e-28 * s) };
        let found = PassSums { squares, normal: squares, sums: g };
        let inner = self.conjugate(sums, &found, &goal, self.options.iterations);
        let iterations = inner.iterations.into_iter().max().unwrap_or_default();
        theta.lead.fill([0.0; K]);
        theta.rest = inner.effects;
        let left = self.left(q, &theta, sums);
        of_lead(&mut theta, &left.lead);
        (theta, iterations)
    }

    /// The root of the sum of squares over weights, by column.
    fn norm<const K: usize>(&self, q: &ByLevel<K>) -> [f64; K] {
        let weights = &self.design.weights;
        let of = |values: &[[f64; K]], weights: &[f64]| {
            let squares = values.iter().zip(weights).map(|(v, w)| v.map(|v| v * v / w));
            stripes::total(squares)
        };
        let parts = [of(&q.lead, &weights.lead), of(&q.rest, &weights.rest)];
        stripes::total(parts).map(f64::sqrt)
    }

    /// `q - D'W D θ`.
    fn left<const K: usize>(
        &self,
        q: &ByLevel<K>,
        theta: &ByLevel<K>,
        sums: &BlockSums<K>,
    ) -> ByLevel<K> {
        let (cells, weights) = (&self.design.cells, &self.design.weights);
        let m = cells.others();
        let mut out = ByLevel { lead: q.lead.clone(), rest: vec![[0.0; K]; q.rest.len()] };
        let lengths: Vec<usize> = cells.blocks.iter().map(|b| b.segments.len()).collect();
        let slots: Vec<_> =
            stripes::pieces(&mut out.lead, &lengths).into_iter().map(Mutex::new).collect();
        sums.fill(&cells.blocks, |b, block, acc| {
            let mut lead = held(&slots[b]);
            for s in block.segments.clone() {
                for cell in cells.segment(s) {
                    let mut fitted = theta.lead[s];
                    let codes = &cells.codes[cell * m..(cell + 1) * m];
                    for code in codes {
                        (0..K).for_each(|k| fitted[k] += theta.rest[*code as usize][k]);
                    }
                    let weight = weights.cells().map_or(1.0, |w| w[cell]);
                    let own = &mut lead[s - block.segments.start];
                    (0..K).for_each(|k| own[k] -= weight * fitted[k]);
                    for (code, shift) in codes.iter().zip(&block.shifts) {
                        let acc = &mut acc[code.wrapping_sub(*shift) as usize];
                        (0..K).for_each(|k| acc[k] += weight * fitted[k]);
                    }
                }
            }
        });
        drop(slots);
        sums.add_up(&cells.blocks, &mut out.rest);
        for (out, q) in out.rest.iter_mut().zip(&q.rest) {
            (0..K).for_each(|k| out[k] = q[k] - out[k]);
        }
        out
    }
}
