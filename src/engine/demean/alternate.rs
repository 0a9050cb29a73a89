//! Alternating projections: the effects of one factor after another are set to the means of what all others leave.
//!
//! The leading factor is projected on again before each of the others, so that an iteration is over these alone. After every
//! second sweep the effects are extrapolated along their last change (Irons and Tuck 1969), as in R `fixest`. Of an odd number
//! of iterations the last is not made, as one sweep does not tell how fast changes fall.

use super::SOLVING;
use super::conjugate::{Done, Goal, InnerSolution, Normal};
use super::stripes::{self, STRIPE};
use crate::base::progress;

/// Iterates on `S θ = g` until all columns are done, but at most so often.
pub(super) fn solve<const K: usize>(
    normal: &impl Normal<K>,
    offsets: &[usize],
    g: &[[f64; K]],
    goal: &Goal<K>,
    iterations: usize,
) -> InnerSolution<K> {
    let zero = vec![[0.0; K]; g.len()];
    let mut squares = [0.0; K];
    for (level, g) in g.iter().enumerate() {
        for k in 0..K {
            squares[k] += g[k] * g[k] / normal.weight(level);
        }
    }
    let mut at = Sweeps { normal, offsets, g, effects: zero.clone(), image: zero };
    let mut out = InnerSolution {
        effects: Vec::new(),
        iterations: [0; K],
        normal: squares,
        error: [f64::INFINITY; K],
        done: [None; K],
    };
    let mut iteration = 0;
    while iterations - iteration >= 2 && out.done.contains(&None) {
        progress::tell(SOLVING, iteration as u64, iterations as u64);
        let before = at.effects.clone();
        let first = at.sweep();
        let middle = at.effects.clone();
        let second = at.sweep();
        iteration += 2;
        let explained = at.explained();
        for k in 0..K {
            if out.done[k].is_some() {
                continue;
            }
            let ratio = (second[k] / first[k]).sqrt();
            let remaining = if ratio < 1.0 { ratio / (1.0 - ratio) } else { f64::INFINITY };
            // The changes fall no faster than this, and after an extrapolation seem to.
            let error = if second[k] <= goal.floor[k] {
                second[k]
            } else {
                10.0 * second[k] * remaining * remaining
            };
            (out.normal[k], out.error[k]) = (second[k], error);
            out.iterations[k] = iteration;
            // Of a column that the factors span, nothing is left that its error could be a part of.
            let nothing = goal.tolerance.powi(2) * goal.squares[k];
            let left = goal.squares[k] - explained[k];
            let bound = if left <= nothing { nothing } else { goal.tolerance.powi(2) * left };
            let bound = bound.max(goal.floor[k]);
            out.done[k] = (second[k].max(out.error[k]) <= bound).then_some(Done::Goal);
        }
        at.extrapolate(&before, &middle, &out.done);
    }
    out.effects = at.effects;
    out
}

/// Where the effects are.
struct Sweeps<'s, N, const K: usize> {
    normal: &'s N,
    offsets: &'s [usize],
    g: &'s [[f64; K]],
    effects: Vec<[f64; K]>,
    image: Vec<[f64; K]>,
}

impl<N: Normal<K>, const K: usize> Sweeps<'_, N, K> {
    /// Projects on one factor after another; `Σ W Δ²` of the changes of effects.
    fn sweep(&mut self) -> [f64; K] {
        let mut change = [0.0; K];
        for factor in self.offsets.windows(2) {
            let (normal, g) = (self.normal, self.g);
            normal.prepare(&self.effects);
            let effects = &self.effects;
            stripes::over(&mut self.image, |stripe, image| {
                let levels = stripe * STRIPE..stripe * STRIPE + image.len();
                if levels.start < factor[1] && levels.end > factor[0] {
                    normal.image(effects, stripe, image);
                }
            });
            let levels = factor[0]..factor[1];
            let sums_and_images = g[levels.clone()].iter().zip(&self.image[levels.clone()]);
            for ((level, effect), (g, image)) in
                levels.clone().zip(&mut self.effects[levels]).zip(sums_and_images)
            {
                let weight = normal.weight(level);
                for k in 0..K {
                    let step = (g[k] - image[k]) / weight;
                    effect[k] += step;
                    change[k] += weight * step * step;
                }
            }
        }
        change
    }

    /// What the effects take from the squares, once they are the solution.
    fn explained(&self) -> [f64; K] {
        let mut sum = [0.0; K];
        for (effect, g) in self.effects.iter().zip(self.g) {
            for k in 0..K {
                sum[k] += effect[k] * g[k];
            }
        }
        sum
    }

    /// With `Δ` the last change and `Δ²` its difference to the one before: `θ - Δ (Δ'Δ²) / (Δ²'Δ²)`, save for columns that are
    /// done.
    fn extrapolate(&mut self, before: &[[f64; K]], middle: &[[f64; K]], done: &[Option<Done>; K]) {
        let (mut above, mut below) = ([0.0; K], [0.0; K]);
        for ((now, middle), before) in self.effects.iter().zip(middle).zip(before) {
            for k in 0..K {
                let change = now[k] - middle[k];
                let second = change - (middle[k] - before[k]);
                above[k] += change * second;
                below[k] += second * second;
            }
        }
        for (now, middle) in self.effects.iter_mut().zip(middle) {
            for k in (0..K).filter(|k| done[*k].is_none() && below[*k] > 0.0) {
                now[k] -= above[k] / below[k] * (now[k] - middle[k]);
            }
        }
    }
}
