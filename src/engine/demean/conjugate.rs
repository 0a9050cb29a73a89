//! Conjugate gradients on the normal equations of the other factors, the leading one partialled out.
//!
//! With `r` the weighted residual, `g = D'W r` its sums by level and `S = D'W(I - P)D`, where `P` projects on the leading
//! factor, the iteration solves `S θ = g`. For two factors it takes half the steps that a method on all levels takes, and nothing
//! in it is longer than the levels of the other factors.
//!
//! What a step takes from the squares, `α g'z`, is known without cancellation, and the sum over the steps that are not taken
//! is the squared error of the residuals (Hestenes and Stiefel 1952, theorem 6:1). So the iteration stops by its error.

use super::SOLVING;
use super::stripes::{self, STRIPE};
use crate::base::progress;

/// `S` and what approximates its inverse.
pub(super) trait Normal<const K: usize>: Sync {
    /// Whether the inverse is approximated by that of the diagonal; else by `invert`.
    const DIAGONAL: bool = true;

    /// Begins a product with these directions.
    fn prepare(&self, p: &[[f64; K]]);

    /// A stripe of the product that was begun.
    fn image(&self, p: &[[f64; K]], stripe: usize, out: &mut [[f64; K]]);

    /// `1 / diagonal` of `S` at a level; 0 where nothing tells the level's effect from the leading factor's.
    fn inverse(&self, level: usize) -> f64;

    /// Weight of a level.
    fn weight(&self, level: usize) -> f64;

    /// Approximates the inverse, symmetrically: takes these sums to effects.
    fn invert(&self, _: &mut [[f64; K]]) {}
}

/// Until when to iterate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Goal<const K: usize> {
    /// Squares of the residual to begin with, `Σ w r²`.
    pub squares: [f64; K],
    /// Largest error of the residual that is approached, and largest `‖A'r‖`, relative to its norm.
    pub tolerance: f64,
    /// Squared errors below which there is only rounding.
    pub floor: [f64; K],
}

/// An iteration that can be gone on with.
#[derive(Debug)]
pub(super) struct Conjugate<const K: usize> {
    goal: Goal<K>,
    levels: Vec<ConjugateLevel<K>>,
    direction: Vec<[f64; K]>,
    step: [f64; K],
    columns: [ConjugateScalars; K],
    iterations: usize,
    begun: bool,
}

/// One level's numbers.
#[derive(Clone, Copy, Debug)]
struct ConjugateLevel<const K: usize> {
    effect: [f64; K],
    sum: [f64; K],
    /// `S p`, then the preconditioned sum.
    image: [f64; K],
}

impl<const K: usize> Conjugate<K> {
    /// From no effects, with sums `g`.
    pub fn new(g: &[[f64; K]], goal: Goal<K>) -> Self {
        let zero = [0.0; K];
        let levels =
            g.iter().map(|g| ConjugateLevel { effect: zero, sum: *g, image: zero }).collect();
        let columns =
            std::array::from_fn(|k| ConjugateScalars::new(goal.squares[k], goal.floor[k]));
        let direction = vec![zero; g.len()];
        Self { goal, levels, direction, step: zero, columns, iterations: 0, begun: false }
    }

    /// Iterates until all columns are done, or to this number of iterations; says which.
    pub fn run(&mut self, normal: &impl Normal<K>, iterations: usize) -> bool {
        if !self.begun {
            self.begun = true;
            self.advance(normal);
        }
        while self.columns.iter().any(|c| c.done.is_none()) {
            if self.iterations >= iterations {
                return false;
            }
            progress::tell(SOLVING, self.iterations as u64, iterations as u64);
            self.turn(normal);
            self.advance(normal);
            self.iterations += 1;
        }
        true
    }

    /// `θ += α p`, `g -= α S p`, `z = M g`.
    fn advance<N: Normal<K>>(&mut self, normal: &N) {
        let (step, direction) = (self.step, &self.direction);
        let parts = stripes::over(&mut self.levels, |stripe, levels| {
            let (mut gz, mut gg) = ([0.0; K], [0.0; K]);
            for (l, level) in levels.iter_mut().enumerate() {
                let at = stripe * STRIPE + l;
                let (inverse, weight) = (normal.inverse(at), normal.weight(at));
                for k in 0..K {
                    level.effect[k] += step[k] * direction[at][k];
                    level.sum[k] -= step[k] * level.image[k];
                    level.image[k] = inverse * level.sum[k];
                    gz[k] += level.sum[k] * level.image[k];
                    gg[k] += level.sum[k] * level.sum[k] / weight;
                }
            }
            (gz, gg)
        });
        let mut gz = stripes::total(parts.iter().map(|p| p.0));
        let gg = stripes::total(parts.iter().map(|p| p.1));
        if !N::DIAGONAL {
            let mut inverted: Vec<[f64; K]> = self.levels.iter().map(|l| l.sum).collect();
            normal.invert(&mut inverted);
            gz = [0.0; K];
            for (level, inverted) in self.levels.iter_mut().zip(inverted) {
                level.image = inverted;
                for (gz, (sum, image)) in gz.iter_mut().zip(level.sum.iter().zip(inverted)) {
                    *gz += sum * image;
                }
            }
        }
        for (k, column) in self.columns.iter_mut().enumerate() {
            column.note(gz[k], gg[k], self.goal.tolerance);
        }
    }

    /// `p = z + β p`, `S p`, and the step along it.
    fn turn(&mut self, normal: &impl Normal<K>) {
        let turns: [f64; K] = std::array::from_fn(|k| self.columns[k].kept());
        let levels = &self.levels;
        stripes::over(&mut self.direction, |stripe, direction| {
            for (p, level) in direction.iter_mut().zip(&levels[stripe * STRIPE..]) {
                for k in 0..K {
                    p[k] = level.image[k] + turns[k] * p[k];
                }
            }
        });
        let direction = &self.direction;
        normal.prepare(direction);
        let parts = stripes::over(&mut self.levels, |stripe, levels| {
            let mut images = [[0.0; K]; STRIPE];
            let images = &mut images[..levels.len()];
            normal.image(direction, stripe, images);
            let mut curvature = [0.0; K];
            for ((level, image), p) in
                levels.iter_mut().zip(images).zip(&direction[stripe * STRIPE..])
            {
                level.image = *image;
                for k in 0..K {
                    curvature[k] += p[k] * image[k];
                }
            }
            curvature
        });
        let curvatures = stripes::total(parts);
        let columns = self.columns.iter_mut().zip(curvatures);
        for (step, (column, curvature)) in self.step.iter_mut().zip(columns) {
            *step = column.step(curvature);
        }
    }

    /// Goes on from what was found as if from the beginning, for another approximation of the inverse.
    pub fn begin_anew(&mut self) {
        self.step = [0.0; K];
        self.direction.fill([0.0; K]);
        for column in &mut self.columns {
            column.earlier += column.steps.len();
            column.steps.clear();
            column.last = usize::MAX;
        }
        self.begun = false;
    }

    /// What was found.
    pub fn end(self) -> InnerSolution<K> {
        InnerSolution {
            effects: self.levels.into_iter().map(|l| l.effect).collect(),
            iterations: self.columns.each_ref().map(|c| c.earlier + c.steps.len()),
            normal: self.columns.each_ref().map(|c| c.normal),
            error: self.columns.each_ref().map(|c| c.error),
            done: self.columns.each_ref().map(|c| c.done),
        }
    }
}

/// The solution of `S θ = g` as an iteration leaves it.
#[derive(Debug)]
pub(super) struct InnerSolution<const K: usize> {
    pub effects: Vec<[f64; K]>,
    pub iterations: [usize; K],
    /// `‖A'r‖²` by the recurrence.
    pub normal: [f64; K],
    /// Squared error of the residual, estimated.
    pub error: [f64; K],
    /// `None` if the iterations were not enough.
    pub done: [Option<Done>; K],
}

/// Why a column iterates no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Done {
    Goal,
    /// The recurrence has nothing left to work on, or no longer agrees with itself.
    Rounding,
}

/// The scalars of one column.
#[derive(Clone, Debug)]
pub(super) struct ConjugateScalars {
    squares: f64,
    floor: f64,
    /// Steps with another approximation of the inverse.
    earlier: usize,
    /// `α` and `β` of each step, and what it took from the squares.
    steps: Vec<[f64; 3]>,
    gz: f64,
    beta: f64,
    /// Steps after which there is only rounding.
    last: usize,
    pub normal: f64,
    pub error: f64,
    pub done: Option<Done>,
}

impl ConjugateScalars {
    pub fn new(squares: f64, floor: f64) -> Self {
        Self {
            squares,
            floor,
            earlier: 0,
            steps: Vec::new(),
            gz: 0.0,
            beta: 0.0,
            last: usize::MAX,
            normal: 0.0,
            error: f64::INFINITY,
            done: None,
        }
    }

    /// The sums after a step. A column that is done stays as it is.
    pub fn note(&mut self, gz: f64, gg: f64, tolerance: f64) {
        if self.done.is_some() {
            return;
        }
        self.take(gz, gg);
        let bound = (tolerance * tolerance * self.squares).max(self.floor);
        let first = self.steps.is_empty();
        if gz <= 0.0 || (first && gg <= self.floor) {
            (self.error, self.done) = (gg, Some(Done::Goal));
        } else if gg <= bound && !first {
            self.error = self.tail();
            let count = self.steps.len();
            let due = count.is_multiple_of(1 + count / 64) && (count > 3 || gg <= self.floor);
            if self.error > bound && due {
                self.error = self.error.min(2.0 * gz / self.smallest());
            }
            self.done = (self.error <= bound).then_some(Done::Goal);
        }
        // Past the last digits the recurrence only amplifies rounding: it may take as long again as it took there.
        if gg <= self.floor && self.last == usize::MAX {
            self.last = 2 * self.steps.len() + 10;
        }
        if self.done.is_none() && self.steps.len() >= self.last {
            self.done = Some(Done::Rounding);
        }
    }

    /// The sums after a step, without judging them.
    pub fn take(&mut self, gz: f64, gg: f64) {
        self.beta = if self.steps.is_empty() { 0.0 } else { gz / self.gz };
        (self.gz, self.normal) = (gz, gg);
    }

    fn kept(&self) -> f64 {
        self.beta
    }

    /// Steps taken.
    pub fn count(&self) -> usize {
        self.earlier + self.steps.len()
    }

    /// What the steps took from the squares.
    pub fn taken(&self) -> f64 {
        self.steps.iter().map(|s| s[2]).sum()
    }

    /// `g'M g` after the last step.
    pub fn preconditioned(&self) -> f64 {
        self.gz
    }

    /// The step along a direction of this curvature; none if the column is done.
    pub fn step(&mut self, curvature: f64) -> f64 {
        if self.done.is_some() {
            return 0.0;
        }
        if curvature <= 0.0 {
            self.done = Some(Done::Rounding);
            return 0.0;
        }
        let alpha = self.gz / curvature;
        self.steps.push([alpha, self.beta, alpha * self.gz]);
        self.squares = (self.squares - alpha * self.gz).max(0.0);
        alpha
    }

    /// The sum of what steps will still take, as it fell over the last two windows.
    fn tail(&self) -> f64 {
        let count = self.steps.len();
        if count < 2 {
            return f64::INFINITY;
        }
        let window = if count < 4 { 1 } else { (count / 8).max(2) };
        let sum = |steps: &[[f64; 3]]| steps.iter().map(|s| s[2]).sum::<f64>();
        let recent = sum(&self.steps[count - window..]);
        let ratio = recent / sum(&self.steps[count - 2 * window..count - window]);
        if ratio < 1.0 { 4.0 * recent * ratio / (1.0 - ratio) } else { f64::INFINITY }
    }

    /// The smallest eigenvalue of the preconditioned operator on the space searched, by bisection of the tridiagonal matrix
    /// that the steps make up (Golub and Van Loan, section 10.2.5 and 8.4.1).
    pub fn smallest(&self) -> f64 {
        let below = |x: f64| {
            let mut pivot = 1.0;
            self.steps.iter().enumerate().any(|(j, [alpha, beta, _])| {
                let before = if j == 0 { 0.0 } else { self.steps[j - 1][0] };
                let link = if j == 0 { 0.0 } else { beta / (before * before) / pivot };
                let diagonal = 1.0 / alpha + if j == 0 { 0.0 } else { beta / before };
                pivot = diagonal - x - link;
                pivot <= 0.0
            })
        };
        let mut high = self.steps.iter().map(|s| 1.0 / s[0]).fold(f64::INFINITY, f64::min);
        let mut low = high * 1e-16;
        while high > 1.5 * low {
            let middle = (high * low).sqrt();
            if below(middle) { high = middle } else { low = middle }
        }
        low
    }
}
