//! The additive Schwarz preconditioner of the crate `within`: approximate Cholesky factors of the bipartite graphs of all pairs of
//! factors.
//!
//! It is a map over the levels of all factors. Conjugate gradients on those beside the leading one take the part of it that leads
//! from these to these, which is symmetric and positive as the whole is.

use within::{Design as Effects, Effect, PreconditionerConfig, ReductionStrategy, Solver};

use super::conjugate::Normal;
use super::sweep::WeightedDesign;
use super::{Factor, schur::ByCells};
use crate::base::error::{DidError, Result};

/// The preconditioner, and a thread to use it on: its sums follow the number of threads.
pub(super) struct Schwarz {
    map: within::Preconditioner,
    thread: rayon::ThreadPool,
    /// Levels of the factors before the leading one, and up to its last.
    lead: [usize; 2],
}

impl std::fmt::Debug for Schwarz {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Schwarz").field("map", &self.map.variant_name()).finish()
    }
}

impl Schwarz {
    /// # Errors
    /// [`DidError::Config`] if the crate can form none.
    pub fn new(factors: &[Factor], design: &WeightedDesign<'_>) -> Result<Self> {
        let failed = |problem: String| {
            DidError::config("solver", "another than `schwarz` for these factors", problem)
        };
        let thread = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        let thread = thread.map_err(|e| failed(e.to_string()))?;
        let first = |f: usize| factors[..f].iter().map(|f| f.levels).sum::<usize>();
        let lead = design.cells.lead;
        let map = thread.install(|| {
            // One row for each cell says all.
            let cells = design.cells.cells();
            let codes: Vec<Vec<u32>> = factors
                .iter()
                .map(|f| {
                    (0..cells).map(|c| f.codes[design.cells.rows_of(c..c + 1).start]).collect()
                })
                .collect();
            let effects: std::result::Result<Vec<_>, _> =
                codes.iter().map(|c| Effect::new(c.as_slice(), true, [])).collect();
            let effects = Effects::new(effects.map_err(|e| failed(e.to_string()))?);
            let config = PreconditionerConfig::Additive {
                local_solver: Default::default(),
                reduction: ReductionStrategy::ParallelReduction,
            };
            let effects = effects.map_err(|e| failed(e.to_string()))?;
            let solver = Solver::new(effects, design.weights.cells(), &config);
            let solver = solver.map_err(|e| failed(e.to_string()))?;
            solver
                .preconditioner()
                .cloned()
                .ok_or_else(|| failed("no pair of factors to build on".into()))
        })?;
        Ok(Self { map, thread, lead: [first(lead), first(lead + 1)] })
    }
}

/// `S` by passes over the cells, with the preconditioner.
pub(super) struct Preconditioned<'d, 'w, const K: usize> {
    pub by_cells: ByCells<'d, 'w, K>,
    pub schwarz: &'d Schwarz,
}

impl<const K: usize> Normal<K> for Preconditioned<'_, '_, K> {
    const DIAGONAL: bool = false;

    fn prepare(&self, p: &[[f64; K]]) {
        self.by_cells.prepare(p);
    }

    fn image(&self, p: &[[f64; K]], stripe: usize, out: &mut [[f64; K]]) {
        self.by_cells.image(p, stripe, out);
    }

    fn inverse(&self, level: usize) -> f64 {
        self.by_cells.inverse(level)
    }

    fn weight(&self, level: usize) -> f64 {
        self.by_cells.weight(level)
    }

    fn invert(&self, sums: &mut [[f64; K]]) {
        let Schwarz { map, thread, lead: [first, last] } = self.schwarz;
        // Where a level of the others stands among all.
        let at = |level: usize| if level < *first { level } else { level + last - first };
        thread.install(|| {
            let mut all = vec![0.0; map.ncols()];
            let mut image = vec![0.0; map.nrows()];
            for k in 0..K {
                all.fill(0.0);
                for (level, sum) in sums.iter().enumerate() {
                    all[at(level)] = sum[k];
                }
                // A map that fails is none: conjugate gradients then go along the sums themselves.
                if map.apply(&all, &mut image).is_ok() {
                    for (level, sum) in sums.iter_mut().enumerate() {
                        sum[k] = image[at(level)];
                    }
                }
            }
        });
    }
}
