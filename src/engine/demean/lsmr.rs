//! LSMR of Fong and Saunders (2011) on cells: least squares of `b = s x` on `A = diag(s) D M`, where `s` are the roots of the
//! cells' weights and `M` brings all columns of `A` to norm 1. The names are theirs.
//!
//! The vector `u` is stored as it comes from a pass, before it is divided by its norm `β`: one pass over the cells forms
//! `A v - α u` and the sums `A'u` alike.

use super::SOLVING;
use super::cells::SegmentBlock;
use super::stripes::{self, BlockSums, STRIPE};
use super::sweep::{WeightedDesign, for_design};
use crate::base::error::Result;
use crate::base::parallel;
use crate::base::progress;
use crate::engine::backend::{BIDIAGONAL_STEPS, BidiagonalProblem, BidiagonalUpdate, LevelSolver};

/// Largest condition number of `A` that is iterated on.
const CONLIM: f64 = 1e8;

/// Why a column stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// `A'b = 0`.
    Orthogonal,
    /// `‖r‖` or `‖A'r‖` is within the tolerance.
    Tolerance,
    /// `‖r‖` or `‖A'r‖` is as small as rounding lets it become.
    Rounding,
    /// The condition number.
    Condition,
}

/// The outcome for each column.
pub(super) struct LsmrSolution<const K: usize> {
    /// Effects of the factors beside the leading one.
    pub effects: Vec<[f64; K]>,
    pub iterations: [usize; K],
    /// `None` if the iterations were not enough.
    pub ended: [Option<Ended>; K],
    /// `‖A'r‖`, by the recurrence.
    pub normal: [f64; K],
}

/// Solves for columns whose weighted means by cell, times the roots of the cells' weights, are `b`.
pub(super) fn solve<const K: usize>(
    design: &WeightedDesign<'_>,
    sums: &BlockSums<K>,
    b: Vec<[f64; K]>,
    tolerance: f64,
    iterations: usize,
) -> LsmrSolution<K> {
    let normb = stripes::total(parallel::map(b.len().div_ceil(STRIPE), |p| {
        stripes::total(parallel::part(p, STRIPE, b.len()).map(|c| b[c].map(|b| b * b)))
    }))
    .map(f64::sqrt);
    let mut at = Bidiagonal::new(design, sums, b);
    at.pass([0.0; K]);
    let mut columns: [LsmrScalars; K] = std::array::from_fn(|k| LsmrScalars::new(normb[k]));
    let alpha = at.turn(&columns.each_ref().map(|c| [inverse(c.beta), 0.0]));
    for k in 0..K {
        columns[k].start(alpha[k]);
    }
    at.update(&columns.each_ref().map(LsmrScalars::first_update));
    for iteration in 1..=iterations {
        if columns.iter().all(|c| c.ended.is_some()) {
            break;
        }
        progress::tell(SOLVING, iteration as u64, iterations as u64);
        let norms = at.pass(columns.each_ref().map(|c| c.alpha * inverse(c.beta)));
        for k in 0..K {
            columns[k].beta = norms[k];
        }
        let alpha = at.turn(&columns.each_ref().map(|c| [inverse(c.beta), c.beta]));
        let mut updates = [Update::default(); K];
        for k in 0..K {
            updates[k] = columns[k].rotate(alpha[k]);
        }
        let normx = at.update(&updates);
        for k in 0..K {
            columns[k].test(normx[k], tolerance, iteration);
        }
    }
    let scale = &at.scale[design.cells.segments()..];
    let levels = &at.levels[design.cells.segments()..];
    let effect = |(level, scale): (&LsmrLevel<K>, &f64)| level.x.map(|x| x * scale);
    LsmrSolution {
        effects: levels.iter().zip(scale).map(effect).collect(),
        iterations: columns.each_ref().map(|c| c.iterations),
        ended: columns.each_ref().map(|c| c.ended),
        normal: columns.each_ref().map(|c| c.zetabar.abs()),
    }
}

fn inverse(norm: f64) -> f64 {
    if norm > 0.0 { 1.0 / norm } else { 0.0 }
}

/// As [`solve`], on a device. Scalars are read some steps at a time; `‖x‖` is that of the steps before, which only makes the first
/// test the stricter.
pub(super) fn solve_on<const K: usize>(
    solver: &mut dyn LevelSolver,
    design: &WeightedDesign<'_>,
    b: &[[f64; K]],
    tolerance: f64,
    iterations: usize,
) -> Result<LsmrSolution<K>> {
    let weights = &design.weights;
    let scales: Vec<f64> =
        weights.lead.iter().chain(&weights.rest).map(|w| 1.0 / w.sqrt()).collect();
    let roots: Option<Vec<f64>> = weights.cells().map(|w| w.iter().map(|w| w.sqrt()).collect());
    let roots = roots.as_deref();
    solver.begin_bidiagonal(&BidiagonalProblem {
        b: b.as_flattened(),
        roots,
        scales: &scales,
        columns: K,
    })?;
    let mut columns: [LsmrScalars; K] = std::array::from_fn(|_| LsmrScalars::default());
    for step in solver.bidiagonalise(1)? {
        for (k, column) in columns.iter_mut().enumerate() {
            *column = LsmrScalars::new(step.beta[k]);
            column.start(step.alpha[k]);
        }
    }
    let begin = BidiagonalUpdate { live: 1.0, ..BidiagonalUpdate::default() };
    let mut normx = solver.combine(&[begin; K])?;
    let mut iteration = 0;
    while iteration < iterations && columns.iter().any(|c| c.ended.is_none()) {
        progress::tell(SOLVING, iteration as u64, iterations as u64);
        let count = BIDIAGONAL_STEPS.min(iterations - iteration);
        let mut updates = Vec::with_capacity(count * K);
        for step in solver.bidiagonalise(count)? {
            iteration += 1;
            for (k, column) in columns.iter_mut().enumerate() {
                column.beta = step.beta[k];
                let Update { live, hbar, x, h, .. } = column.rotate(step.alpha[k]);
                updates.push(BidiagonalUpdate { live, hbar, x, h });
                column.test(normx[k], tolerance, iteration);
            }
        }
        normx = solver.combine(&updates)?;
    }
    let scales = &scales[design.cells.segments()..];
    let effects = solver.effects()?;
    let effect = |(x, scale): (&[f64], &f64)| std::array::from_fn(|k| x[k] * scale);
    Ok(LsmrSolution {
        effects: effects.chunks_exact(K).zip(scales).map(effect).collect(),
        iterations: columns.each_ref().map(|c| c.iterations),
        ended: columns.each_ref().map(|c| c.ended),
        normal: columns.each_ref().map(|c| c.zetabar.abs()),
    })
}

/// Vectors over levels, the leading factor's first.
#[derive(Clone, Copy, Debug)]
struct LsmrLevel<const K: usize> {
    v: [f64; K],
    h: [f64; K],
    hbar: [f64; K],
    x: [f64; K],
}

/// The bidiagonalisation of `A`.
struct Bidiagonal<'d, 'w, const K: usize> {
    design: &'d WeightedDesign<'w>,
    sums: &'d BlockSums<K>,
    /// Roots of the cells' weights; `None` if these are 1.
    roots: Option<Vec<f64>>,
    /// `M`.
    scale: Vec<f64>,
    /// `β u`, by cell.
    u: Vec<[f64; K]>,
    levels: Vec<LsmrLevel<K>>,
    /// `M v`, which passes gather.
    v: Vec<[f64; K]>,
    /// `D'diag(s) β u`.
    sum: Vec<[f64; K]>,
}

impl<'d, 'w, const K: usize> Bidiagonal<'d, 'w, K> {
    fn new(design: &'d WeightedDesign<'w>, sums: &'d BlockSums<K>, b: Vec<[f64; K]>) -> Self {
        let weights = &design.weights;
        let scale: Vec<f64> =
            weights.lead.iter().chain(&weights.rest).map(|w| 1.0 / w.sqrt()).collect();
        let zero = [0.0; K];
        let level = LsmrLevel { v: zero, h: zero, hbar: zero, x: zero };
        let count = scale.len();
        Self {
            design,
            sums,
            roots: weights.cells().map(|w| w.iter().map(|w| w.sqrt()).collect()),
            scale,
            u: b,
            levels: vec![level; count],
            v: vec![zero; count],
            sum: vec![zero; count],
        }
    }

    /// `u = A v - c u`, its norms, and its sums by level.
    fn pass(&mut self, c: [f64; K]) -> [f64; K] {
        let (design, v) = (self.design, &self.v);
        let roots = self.roots.as_deref().unwrap_or_default();
        let blocks = &design.cells.blocks;
        let (lead, rest) = self.sum.split_at_mut(design.cells.segments());
        let cells: Vec<usize> = blocks.iter().map(|b| design.cells_of(b).len()).collect();
        let segments: Vec<usize> = blocks.iter().map(|b| b.segments.len()).collect();
        let slots: Vec<_> = stripes::pieces(&mut self.u, &cells)
            .into_iter()
            .zip(stripes::pieces(lead, &segments))
            .map(std::sync::Mutex::new)
            .collect();
        let first = c.iter().all(|c| *c == 0.0);
        let norms = self.sums.fill(blocks, |b, block, acc| {
            let (u, lead) = &mut *parallel::held(&slots[b]);
            let pass = LsmrPass { roots, v, c, first };
            crate::base::simd::vectorized(
                #[inline(always)]
                || for_design!(design, pass_of::<K>(design, block, &pass, u, lead, acc)),
            )
        });
        drop(slots);
        self.sums.add_up(blocks, rest);
        stripes::total(norms).map(f64::sqrt)
    }

    /// `v = M sum / β - β v`, with `[1 / β, β]` given, and its norms.
    fn turn(&mut self, beta: &[[f64; 2]; K]) -> [f64; K] {
        let (sum, scale) = (&self.sum, &self.scale);
        let norms = stripes::over(&mut self.levels, |stripe, levels| {
            let mut norm = [0.0; K];
            let first = stripe * STRIPE;
            for ((level, sum), scale) in levels.iter_mut().zip(&sum[first..]).zip(&scale[first..]) {
                for k in 0..K {
                    level.v[k] = scale * sum[k] * beta[k][0] - beta[k][1] * level.v[k];
                    norm[k] += level.v[k] * level.v[k];
                }
            }
            norm
        });
        stripes::total(norms).map(f64::sqrt)
    }

    /// `v`, `h̄`, `x` and `h` anew; `‖x‖`. Columns that have ended stay as they are.
    fn update(&mut self, updates: &[Update; K]) -> [f64; K] {
        let scale = &self.scale;
        let norms = stripes::over(&mut self.levels, |_, levels| {
            let mut norm = [0.0; K];
            for level in levels.iter_mut() {
                for (k, update) in updates.iter().enumerate() {
                    level.v[k] *= update.v;
                    level.hbar[k] = level.h[k] * update.live - level.hbar[k] * update.hbar;
                    level.x[k] += update.x * level.hbar[k];
                    level.h[k] = level.v[k] - level.h[k] * update.h;
                    norm[k] += level.x[k] * level.x[k];
                }
            }
            norm
        });
        let levels = &self.levels;
        stripes::over(&mut self.v, |stripe, v| {
            let first = stripe * STRIPE;
            for ((v, level), scale) in v.iter_mut().zip(&levels[first..]).zip(&scale[first..]) {
                *v = level.v.map(|v| v * scale);
            }
        });
        stripes::total(norms).map(f64::sqrt)
    }
}

/// What a pass reads.
struct LsmrPass<'p, const K: usize> {
    roots: &'p [f64],
    v: &'p [[f64; K]],
    c: [f64; K],
    /// Whether `u` is `b` and stays so.
    first: bool,
}

#[inline(always)]
fn pass_of<const K: usize, const M: usize, const W: bool>(
    design: &WeightedDesign<'_>,
    block: &SegmentBlock,
    pass: &LsmrPass<'_, K>,
    u: &mut [[f64; K]],
    lead: &mut [[f64; K]],
    acc: &mut [[f64; K]],
) -> [f64; K] {
    let cells = &design.cells;
    let m = if M == 0 { cells.others() } else { M };
    let (v_lead, v_rest) = pass.v.split_at(cells.segments());
    let before = cells.segment(block.segments.start).start;
    let mut norm = [0.0; K];
    for s in block.segments.clone() {
        let segment = cells.segment(s);
        let mut of_lead = [0.0; K];
        for cell in segment {
            let root = if W { pass.roots[cell] } else { 1.0 };
            let codes = &cells.codes[cell * m..(cell + 1) * m];
            let u = &mut u[cell - before];
            if !pass.first {
                let mut sum = v_lead[s];
                for code in codes {
                    let v = &v_rest[*code as usize];
                    for k in 0..K {
                        sum[k] += v[k];
                    }
                }
                for k in 0..K {
                    u[k] = root * sum[k] - pass.c[k] * u[k];
                }
            }
            let mut weighted = [0.0; K];
            for k in 0..K {
                norm[k] += u[k] * u[k];
                weighted[k] = root * u[k];
                of_lead[k] += weighted[k];
            }
            for (code, shift) in codes.iter().zip(&block.shifts) {
                let acc = &mut acc[code.wrapping_sub(*shift) as usize];
                for k in 0..K {
                    acc[k] += weighted[k];
                }
            }
        }
        lead[s - block.segments.start] = of_lead;
    }
    norm
}

/// Coefficients of an update of the vectors.
#[derive(Clone, Copy, Debug, Default)]
struct Update {
    v: f64,
    live: f64,
    hbar: f64,
    x: f64,
    h: f64,
}

/// `c`, `s` and `r` of the rotation that takes `(a, b)` to `(r, 0)`.
fn rotation(a: f64, b: f64) -> [f64; 3] {
    let sign = |x: f64| if x == 0.0 { 0.0 } else { x.signum() };
    if b == 0.0 {
        [sign(a), 0.0, a.abs()]
    } else if a == 0.0 {
        [0.0, sign(b), b.abs()]
    } else if b.abs() > a.abs() {
        let tau = a / b;
        let s = sign(b) / (1.0 + tau * tau).sqrt();
        [s * tau, s, b / s]
    } else {
        let tau = b / a;
        let c = sign(a) / (1.0 + tau * tau).sqrt();
        [c, c * tau, a / c]
    }
}

/// A divisor kept from 0, with its sign: `ρ_old` of the estimate of `‖r‖` may be negative.
fn kept_from_zero(x: f64) -> f64 {
    if x.abs() > 1e-30 { x } else { 1e-30_f64.copysign(x) }
}

/// The scalars of one column.
#[derive(Clone, Debug, Default)]
struct LsmrScalars {
    normb: f64,
    alpha: f64,
    beta: f64,
    zetabar: f64,
    alphabar: f64,
    rho: f64,
    rhobar: f64,
    cbar: f64,
    sbar: f64,
    betadd: f64,
    betad: f64,
    rhodold: f64,
    tautildeold: f64,
    thetatilde: f64,
    zeta: f64,
    norm_a2: f64,
    norm_a: f64,
    normr: f64,
    maxrbar: f64,
    minrbar: f64,
    cond: f64,
    iterations: usize,
    ended: Option<Ended>,
}

impl LsmrScalars {
    fn new(normb: f64) -> Self {
        Self { normb, beta: normb, ..Self::default() }
    }

    fn start(&mut self, alpha: f64) {
        self.alpha = alpha;
        self.zetabar = alpha * self.beta;
        self.alphabar = alpha;
        (self.rho, self.rhobar, self.cbar) = (1.0, 1.0, 1.0);
        self.betadd = self.beta;
        self.rhodold = 1.0;
        self.norm_a2 = alpha * alpha;
        self.minrbar = 1e100;
        if self.zetabar == 0.0 {
            self.ended = Some(Ended::Orthogonal);
        }
    }

    /// Normalises `v` and sets `h` to it.
    fn first_update(&self) -> Update {
        Update { v: inverse(self.alpha), ..Update::default() }
    }

    /// The rotations after a step of the bidiagonalisation, and the update of the vectors.
    fn rotate(&mut self, alpha: f64) -> Update {
        if self.ended.is_some() {
            self.alpha = 0.0;
            return Update { live: 0.0, ..Update::default() };
        }
        // Where β = 0 there is no further step, and α is what it was.
        if self.beta > 0.0 {
            self.alpha = alpha;
        }
        let (alphahat, beta) = (self.alphabar.abs(), self.beta);
        let chat = if self.alphabar < 0.0 { -1.0 } else { 1.0 };
        let rhoold = self.rho;
        let [c, s, rho] = rotation(alphahat, beta);
        let thetanew = s * self.alpha;
        self.rho = rho;
        self.alphabar = c * self.alpha;
        let (rhobarold, zetaold) = (self.rhobar, self.zeta);
        let thetabar = self.sbar * rho;
        let rhotemp = self.cbar * rho;
        [self.cbar, self.sbar, self.rhobar] = rotation(rhotemp, thetanew);
        self.zeta = self.cbar * self.zetabar;
        self.zetabar *= -self.sbar;
        let update = Update {
            v: inverse(self.alpha),
            live: 1.0,
            hbar: thetabar * rho / (rhoold * rhobarold).max(1e-30),
            x: self.zeta / (rho * self.rhobar).max(1e-30),
            h: thetanew / rho.max(1e-30),
        };
        let betaacute = chat * self.betadd;
        let betahat = c * betaacute;
        self.betadd = -s * betaacute;
        let thetatildeold = self.thetatilde;
        let [ctilde, stilde, rhotilde] = rotation(self.rhodold, thetabar);
        self.thetatilde = stilde * self.rhobar;
        self.rhodold = ctilde * self.rhobar;
        self.betad = -stilde * self.betad + ctilde * betahat;
        self.tautildeold = (zetaold - thetatildeold * self.tautildeold) / kept_from_zero(rhotilde);
        let taud = (self.zeta - self.thetatilde * self.tautildeold) / kept_from_zero(self.rhodold);
        self.normr = (self.betad - taud).hypot(self.betadd);
        self.norm_a2 += beta * beta;
        self.norm_a = self.norm_a2.sqrt();
        self.norm_a2 += self.alpha * self.alpha;
        self.maxrbar = self.maxrbar.max(rhobarold);
        if self.iterations > 0 {
            self.minrbar = self.minrbar.min(rhobarold);
        }
        self.cond = self.maxrbar.max(rhotemp) / self.minrbar.min(rhotemp).max(1e-30);
        update
    }

    /// Whether the column has ended.
    fn test(&mut self, normx: f64, tolerance: f64, iteration: usize) {
        if self.ended.is_some() {
            return;
        }
        self.iterations = iteration;
        let test1 = self.normr / self.normb;
        let product = self.norm_a * self.normr;
        let test2 = if product > 0.0 { self.zetabar.abs() / product } else { f64::INFINITY };
        let test3 = 1.0 / self.cond;
        let relative = self.norm_a * normx / self.normb;
        let t1 = test1 / (1.0 + relative);
        // Those further down come first.
        let tests = [
            (test1 <= tolerance + tolerance * relative, Ended::Tolerance),
            (test2 <= tolerance, Ended::Tolerance),
            (test3 <= 1.0 / CONLIM, Ended::Condition),
            (1.0 + t1 <= 1.0, Ended::Rounding),
            (1.0 + test2 <= 1.0, Ended::Rounding),
            (1.0 + test3 <= 1.0, Ended::Condition),
        ];
        self.ended = tests.iter().find(|t| t.0).map(|t| t.1);
    }
}
