//! From planned cells to estimates: which passes run, and which two-by-two estimator turns their sums into numbers.

use std::collections::{BTreeMap, HashMap};

use super::algebra::{Algebra, Moments, parts};
use super::logit::{Fit, Models};
use super::plan::{Part, PlannedCell};
use super::{OVERLAP, TRIM, panel, repeated};
use crate::error::Result;
use crate::estimates::CellStatus;
use crate::options::EstimationMethod;
use crate::pass::{Gram, GramJob, GramPass, Leg, Weight};
use crate::source::Source;

/// Influence of the rows of one part: the scalars of a [`Leg`], and its vectors `[k]`.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    pub stratum: usize,
    /// Covariate version.
    pub x: usize,
    /// Scalars, weight and outcome; its vector indices are filled in by the influence plan.
    pub leg: Leg,
    /// Coefficients of the propensity score.
    pub gamma: Option<Vec<f64>>,
    pub beta: Option<Vec<f64>>,
    pub b: Option<Vec<f64>>,
    pub e: Option<Vec<f64>>,
    pub a: Option<Vec<f64>>,
}

/// A cell's estimate with the influence of every part.
#[derive(Clone, Debug)]
pub(crate) struct Estimated {
    pub att: f64,
    pub rows: Vec<Rows>,
    /// The propensity score did not converge.
    pub not_converged: bool,
}

/// Sums of one side of a cell.
pub(super) struct SideSums {
    pub treated: Moments,
    pub control: Moments,
    /// Comparison rows weighted by the trimmed odds.
    pub odds: Option<Moments>,
}

/// Estimates every cell from at most three kinds of passes.
pub(crate) fn estimate<S: Source>(
    source: &S,
    cells: &[PlannedCell],
    method: EstimationMethod,
) -> Result<Vec<std::result::Result<Estimated, CellStatus>>> {
    let algebra = Algebra::new(&source.sample().design);
    let mut sums = Sums::new(source);
    let open = |c: &&PlannedCell| c.status.is_none();
    for cell in cells.iter().filter(open) {
        for side in &cell.sides {
            for part in side.treated.iter().chain(&side.control) {
                sums.request(part, part.w, None, &side.outcome.columns());
                sums.request(part, part.unit, None, &[]);
            }
        }
    }
    sums.run(source, &algebra)?;
    let propensities = Propensities::fit(source, &algebra, cells, method, &sums)?;
    for (cell, models) in cells.iter().zip(&propensities.of_cell) {
        let Some(fit) = propensities.usable(models.as_ref()) else { continue };
        for side in &cell.sides {
            for part in &side.control {
                sums.request(part, part.w, Some(&fit.gamma), &side.outcome.columns());
            }
        }
    }
    sums.run(source, &algebra)?;
    let solve = |(cell, models): (&PlannedCell, &Option<CellModels>)| match &cell.status {
        Some(status) => Err(status.clone()),
        None => Solver { algebra: &algebra, sums: &sums, propensities: &propensities, method }
            .solve(cell, models.as_ref()),
    };
    Ok(cells.iter().zip(&propensities.of_cell).map(solve).collect())
}

/// Cross-products by (stratum, version, weight, propensity score), run in batches. All requests for the same sums belong to
/// one batch.
struct Sums {
    done: HashMap<Key, Gram>,
    /// In the order of strata.
    pending: BTreeMap<Key, GramJob>,
    periods: usize,
}

type Key = (usize, usize, Weight, Option<Vec<u64>>);

fn key(part: &Part, w: Weight, gamma: Option<&[f64]>) -> Key {
    let bits = gamma.map(|g| g.iter().map(|g| g.to_bits()).collect());
    (part.stratum, part.x, w, bits)
}

impl Sums {
    fn new<S: Source>(source: &S) -> Self {
        let periods = source.outcome_columns();
        Self { done: HashMap::new(), pending: BTreeMap::new(), periods }
    }

    /// Asks for sums with these outcome columns.
    fn request(&mut self, part: &Part, w: Weight, gamma: Option<&[f64]>, outcomes: &[usize]) {
        let job = self.pending.entry(key(part, w, gamma)).or_insert_with(|| GramJob {
            stratum: part.stratum,
            x: part.x,
            w,
            odds: gamma.map(<[f64]>::to_vec),
            outcomes: Vec::new(),
        });
        for t in outcomes {
            if let Err(at) = job.outcomes.binary_search(t) {
                job.outcomes.insert(at, *t);
            }
        }
    }

    fn run<S: Source>(&mut self, source: &S, algebra: &Algebra<'_>) -> Result<()> {
        let (keys, jobs): (Vec<_>, Vec<_>) = std::mem::take(&mut self.pending).into_iter().unzip();
        if !jobs.is_empty() {
            let pass = GramPass { k: algebra.k(), periods: self.periods, trim: TRIM, jobs };
            self.done.extend(keys.into_iter().zip(source.run(&pass)?));
        }
        Ok(())
    }

    fn get(&self, part: &Part, w: Weight, gamma: Option<&[f64]>) -> Option<&Gram> {
        self.done.get(&key(part, w, gamma))
    }
}

/// Models of one cell: the unweighted one that guards overlap, and the weighted one.
#[derive(Clone, Copy)]
struct CellModels {
    guard: usize,
    main: usize,
}

/// Propensity scores of all cells.
struct Propensities {
    fits: Vec<Fit>,
    of_cell: Vec<Option<CellModels>>,
}

impl Propensities {
    /// Fits the distinct models of the cells; with a constant alone there is nothing to fit.
    fn fit<S: Source>(
        source: &S,
        algebra: &Algebra<'_>,
        cells: &[PlannedCell],
        method: EstimationMethod,
        sums: &Sums,
    ) -> Result<Self> {
        let mut models = Models::default();
        let needed = method.uses_propensity() && !algebra.is_constant();
        let of_cell = cells
            .iter()
            .map(|cell| {
                (needed && cell.status.is_none()).then(|| {
                    let mut register = |weighted: bool| {
                        let (treated, all) = arm_totals(cell, sums, weighted);
                        models.register(cell, weighted, treated, all)
                    };
                    CellModels { guard: register(false), main: register(true) }
                })
            })
            .collect();
        Ok(Self { fits: models.fit(source, algebra)?, of_cell })
    }

    /// The main model, unless it or the guard failed.
    fn usable(&self, models: Option<&CellModels>) -> Option<&Fit> {
        let models = models?;
        let (guard, main) = (&self.fits[models.guard], &self.fits[models.main]);
        (guard.failure.is_none() && main.failure.is_none()).then_some(main)
    }
}

/// `Σ w` of the treated rows and of all rows.
fn arm_totals(cell: &PlannedCell, sums: &Sums, weighted: bool) -> (f64, f64) {
    let total = |p: &Part| {
        let w = if weighted { p.w } else { p.unit };
        sums.get(p, w, None).map_or(0.0, |g| g.zz[0])
    };
    parts(&cell.sides).fold((0.0, 0.0), |(treated, all), (p, d)| {
        (if d { treated + total(p) } else { treated }, all + total(p))
    })
}

struct Solver<'a> {
    algebra: &'a Algebra<'a>,
    sums: &'a Sums,
    propensities: &'a Propensities,
    method: EstimationMethod,
}

impl Solver<'_> {
    /// Guards in order (overlap, rank), then the estimator.
    fn solve(
        &self,
        cell: &PlannedCell,
        models: Option<&CellModels>,
    ) -> std::result::Result<Estimated, CellStatus> {
        if self.algebra.is_constant() {
            self.check_constant(cell)?;
        }
        let fit = self.check_overlap(cell, models)?;
        if self.method.uses_regression() {
            self.algebra.check_rank(&self.unweighted_controls(cell))?;
        }
        let gamma = fit.map(|f| f.gamma.as_slice());
        let sides: Vec<SideSums> = cell.sides.iter().map(|s| self.side_sums(s, gamma)).collect();
        if sides.iter().any(|s| s.treated.total() <= 0.0) {
            return Err(CellStatus::NoTreatedWeight);
        }
        let without_weight = |m: &Moments| m.total() <= 0.0;
        if sides
            .iter()
            .any(|s| without_weight(&s.control) || s.odds.as_ref().is_some_and(without_weight))
        {
            return Err(CellStatus::NoControlWeight);
        }
        let estimated = match sides.as_slice() {
            [side] => panel::estimate(self.algebra, self.method, cell, side, fit),
            [base, post] => repeated::estimate(self.algebra, self.method, cell, [base, post], fit),
            _ => Err(CellStatus::Estimator { message: "the cell has no rows".into() }),
        }?;
        if estimated.att.is_finite() {
            Ok(estimated)
        } else {
            Err(CellStatus::Estimator { message: "the estimate is not finite".into() })
        }
    }

    fn side_sums(&self, side: &super::plan::Side, gamma: Option<&[f64]>) -> SideSums {
        let sum = |parts: &[Part], gamma: Option<&[f64]>| {
            let grams = parts.iter().filter_map(|p| self.sums.get(p, p.w, gamma));
            Moments::new(grams, side.outcome, self.algebra.k())
        };
        SideSums {
            treated: sum(&side.treated, None),
            control: sum(&side.control, None),
            odds: gamma.map(|gamma| sum(&side.control, Some(gamma))),
        }
    }

    fn unweighted_controls(&self, cell: &PlannedCell) -> Moments {
        let parts = cell.sides.iter().flat_map(|s| &s.control);
        let grams = parts.filter_map(|p| self.sums.get(p, p.unit, None));
        Moments::new(grams, cell.sides[0].outcome, self.algebra.k())
    }

    fn check_overlap(
        &self,
        cell: &PlannedCell,
        models: Option<&CellModels>,
    ) -> std::result::Result<Option<&Fit>, CellStatus> {
        let Some(models) = models else { return Ok(None) };
        let (guard, main) =
            (&self.propensities.fits[models.guard], &self.propensities.fits[models.main]);
        match guard.failure.as_ref().or(main.failure.as_ref()) {
            None => Ok(Some(main)),
            Some(failure @ CellStatus::Overlap { .. }) => Err(failure.clone()),
            Some(failure) => {
                // A singular information matrix has its cause in the design.
                self.algebra.check_rank(&self.unweighted_controls(cell))?;
                Err(failure.clone())
            }
        }
    }

    /// With a constant alone the propensity score is the share of treated rows.
    fn check_constant(&self, cell: &PlannedCell) -> std::result::Result<(), CellStatus> {
        if !self.method.uses_propensity() {
            return Ok(());
        }
        let share = |weighted| {
            let (treated, all) = arm_totals(cell, self.sums, weighted);
            treated / all
        };
        if share(false) >= OVERLAP {
            return Err(CellStatus::Overlap { max_propensity: share(false) });
        }
        if share(true) >= TRIM {
            return Err(CellStatus::NoControlWeight);
        }
        Ok(())
    }
}

/// Rows of a side's arm, with the scalars of `leg` and no vectors.
pub(super) fn rows(part: &Part, outcome: super::plan::Outcome, leg: Leg) -> Rows {
    let (post, base) = match outcome {
        super::plan::Outcome::Change { post, base } => (post, Some(base)),
        super::plan::Outcome::Level(column) => (column, None),
    };
    Rows {
        stratum: part.stratum,
        x: part.x,
        leg: Leg { post, base, w: part.w, ..leg },
        gamma: None,
        beta: None,
        b: None,
        e: None,
        a: None,
    }
}
