//! From planned cells to estimates: which passes run, and which two-by-two estimator turns their sums into numbers.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::algebra::{Algebra, Moments, parts};
use super::calibrate::{Calibration, Target, calibrate};
use super::centre::Centre;
use super::logit::{Fit, Models};
use super::method::{Method, Recipe, Score};
use super::plan::{Outcome, Part, PlannedCell, Side};
use super::{OVERLAP, panel, repeated, twfe};
use crate::error::Result;
use crate::estimates::CellStatus;
use crate::panel::Sample;
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
#[derive(Clone, Debug, Default)]
pub(crate) struct Estimated {
    pub att: f64,
    pub rows: Vec<Rows>,
    /// Coefficients of the propensity score's likelihood.
    pub gamma: Option<Vec<f64>>,
    /// The propensity score did not converge.
    pub not_converged: bool,
    /// The propensity score could not be calibrated, and its likelihood was used instead.
    pub not_calibrated: bool,
}

/// Sums of one side of a cell.
pub(super) struct SideSums {
    pub treated: Moments,
    pub control: Moments,
    /// Comparison rows weighted by the trimmed odds.
    pub odds: Option<Moments>,
    /// Comparison rows weighted by the calibrated odds, untrimmed.
    pub calibrated: Option<Moments>,
}

/// What became of the cells.
pub(crate) struct Results {
    pub cells: Vec<std::result::Result<Estimated, CellStatus>>,
    /// Covariates that depend on others in all rows: they take no part.
    pub dropped: Vec<String>,
}

/// Estimates every cell from at most three kinds of passes.
pub(crate) fn estimate<S: Source>(
    source: &S,
    cells: &[PlannedCell],
    recipe: &Recipe,
) -> Result<Results> {
    let mut algebra = Algebra::new(&source.sample().design);
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
    sums.run(source, &algebra, recipe.trim)?;
    let mut dropped = Vec::new();
    if !recipe.guarded {
        let gram = sums.unweighted(cells, algebra.k());
        dropped = algebra.drop_collinear(&gram, source.precision());
    }
    let propensities = Propensities::fit(source, &algebra, cells, recipe, &sums)?;
    let scores: Vec<Option<CellScore<'_>>> =
        (0..cells.len()).map(|c| propensities.score(c)).collect();
    for (cell, score) in cells.iter().zip(&scores) {
        let Some(score) = score else { continue };
        for side in &cell.sides {
            for part in &side.control {
                sums.request(part, part.w, Some(score.gamma()), &side.outcome.columns());
            }
        }
    }
    sums.run(source, &algebra, recipe.trim)?;
    let sample = source.sample();
    let (algebra, sums, propensities) = (&algebra, &sums, &propensities);
    let solver = Solver { sample, algebra, sums, propensities, recipe };
    let solve = |(c, cell): (usize, &PlannedCell)| match &cell.status {
        Some(status) => Err(status.clone()),
        None => solver.solve(cell, c, scores[c]),
    };
    Ok(Results { cells: cells.iter().enumerate().map(solve).collect(), dropped })
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

    fn run<S: Source>(&mut self, source: &S, algebra: &Algebra<'_>, trim: f64) -> Result<()> {
        let (keys, jobs): (Vec<_>, Vec<_>) = std::mem::take(&mut self.pending).into_iter().unzip();
        if !jobs.is_empty() {
            let pass = GramPass { k: algebra.k(), periods: self.periods, trim, jobs };
            self.done.extend(keys.into_iter().zip(source.run(&pass)?));
        }
        Ok(())
    }

    /// `Σ z z'` of all rows that take part in a cell, each stratum's divided by its largest entry: what depends on what in
    /// all rows does so whatever their weights, and a stratum with extreme values must not hide how the others vary.
    fn unweighted(&self, cells: &[PlannedCell], k: usize) -> Vec<f64> {
        let mut sum = vec![0.0; k * k];
        let mut seen = HashSet::new();
        let open = cells.iter().filter(|c| c.status.is_none());
        for (part, _) in open.flat_map(|c| parts(&c.sides)) {
            let new = seen.insert((part.stratum, part.x, part.unit));
            let Some(gram) = self.get(part, part.unit, None).filter(|_| new) else { continue };
            let largest = (0..k).map(|j| gram.zz[j * k + j]).fold(0.0, f64::max);
            if largest > 0.0 && largest.is_finite() {
                sum.iter_mut().zip(&gram.zz).for_each(|(sum, z)| *sum += z / largest);
            }
        }
        sum
    }

    fn get(&self, part: &Part, w: Weight, gamma: Option<&[f64]>) -> Option<&Gram> {
        self.done.get(&key(part, w, gamma))
    }
}

/// Models of one cell: the weighted one, and the unweighted one that guards overlap.
#[derive(Clone, Copy)]
struct CellModels {
    guard: Option<usize>,
    main: usize,
}

/// Propensity scores of all cells.
struct Propensities {
    fits: Vec<Fit>,
    of_cell: Vec<Option<CellModels>>,
    calibrations: Vec<Option<Calibration>>,
}

/// The propensity score that a cell is estimated with.
#[derive(Clone, Copy)]
pub(super) struct CellScore<'a> {
    pub fit: &'a Fit,
    calibration: Option<&'a Calibration>,
}

impl CellScore<'_> {
    /// Its coefficients, `[k]`.
    pub fn gamma(&self) -> &[f64] {
        self.calibration.map_or(&self.fit.gamma, |c| &c.gamma)
    }
}

impl Propensities {
    /// Fits the distinct models of the cells; with a constant alone there is nothing to fit.
    fn fit<S: Source>(
        source: &S,
        algebra: &Algebra<'_>,
        cells: &[PlannedCell],
        recipe: &Recipe,
        sums: &Sums,
    ) -> Result<Self> {
        let mut models = Models::default();
        let score = recipe.method.score().filter(|_| !algebra.is_constant());
        let of_cell = cells
            .iter()
            .map(|cell| {
                (score.is_some() && cell.status.is_none()).then(|| {
                    let mut register = |weighted: bool| {
                        let (treated, all) = arm_totals(cell, sums, weighted);
                        models.register(cell, weighted, treated, all)
                    };
                    CellModels {
                        guard: recipe.guarded.then(|| register(false)),
                        main: register(true),
                    }
                })
            })
            .collect();
        let fits = models.fit(source, algebra, recipe)?;
        let mut all = Self { fits, of_cell, calibrations: vec![None; cells.len()] };
        if score == Some(Score::Calibrated) {
            all.calibrate(source, algebra, cells, sums)?;
        }
        Ok(all)
    }

    fn calibrate<S: Source>(
        &mut self,
        source: &S,
        algebra: &Algebra<'_>,
        cells: &[PlannedCell],
        sums: &Sums,
    ) -> Result<()> {
        let open: Vec<usize> = (0..cells.len()).filter(|c| self.score(*c).is_some()).collect();
        let target = |c: &usize| {
            let mut total = algebra.zeros();
            for (part, _) in parts(&cells[*c].sides).filter(|(_, treated)| *treated) {
                if let Some(gram) = sums.get(part, part.w, None) {
                    crate::pass::add(&mut total, &gram.zz[..algebra.k()]);
                }
            }
            let controls = cells[*c]
                .sides
                .iter()
                .flat_map(|side| side.control.iter().map(|part| (*part, side.outcome.columns())));
            let start = self.score(*c).map_or(&[][..], |s| &s.fit.gamma);
            Target { start, total, controls: controls.collect() }
        };
        let targets: Vec<Target<'_>> = open.iter().map(target).collect();
        let calibrated = calibrate(source, algebra, &targets)?;
        for (c, calibration) in open.into_iter().zip(calibrated) {
            self.calibrations[c] = Some(calibration);
        }
        Ok(())
    }

    /// Why the cell has no propensity score.
    fn failure(&self, cell: usize) -> Option<&CellStatus> {
        let models = self.of_cell[cell]?;
        let both = models.guard.into_iter().chain([models.main]);
        both.filter_map(|m| self.fits[m].failure.as_ref()).next()
    }

    /// The cell's score; `None` without one, or if the likelihood or the guard failed.
    fn score(&self, cell: usize) -> Option<CellScore<'_>> {
        let models = self.of_cell[cell]?;
        let calibration = self.calibrations[cell].as_ref();
        let score = CellScore { fit: &self.fits[models.main], calibration };
        self.failure(cell).is_none().then_some(score)
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
    sample: &'a Sample,
    algebra: &'a Algebra<'a>,
    sums: &'a Sums,
    propensities: &'a Propensities,
    recipe: &'a Recipe,
}

impl Solver<'_> {
    /// Guards in order (overlap, rank), then the estimator.
    fn solve(
        &self,
        cell: &PlannedCell,
        index: usize,
        score: Option<CellScore<'_>>,
    ) -> std::result::Result<Estimated, CellStatus> {
        if self.algebra.is_constant() {
            self.check_constant(cell)?;
        }
        if let Some(failure) = self.propensities.failure(index) {
            // A singular information matrix has its cause in the design.
            if !matches!(failure, CellStatus::Overlap { .. }) {
                self.algebra.check_rank(&self.unweighted_controls(cell))?;
            }
            return Err(failure.clone());
        }
        if self.recipe.method.uses_regression() {
            self.algebra.check_rank(&self.unweighted_controls(cell))?;
        }
        let weight = |p: &Part| self.sums.get(p, p.w, None).map_or(0.0, |g| g.zz[0]);
        let centre = |side: &Side| Centre::new(self.sample, side, weight);
        let centres: Vec<Centre> = cell.sides.iter().map(centre).collect();
        let sides: Vec<SideSums> = self.side_sums(cell, &centres, score.as_ref());
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
        let mut estimated = match sides.as_slice() {
            [side] => panel::estimate(self.algebra, self.recipe.method, cell, side, score.as_ref()),
            [base, post] if self.recipe.method == Method::Twfe => {
                twfe::estimate(self.algebra, cell, [base, post])
            }
            [base, post] => {
                repeated::estimate(self.algebra, self.recipe, cell, [base, post], score.as_ref())
            }
            _ => Err(CellStatus::Estimator { message: "the cell has no rows".into() }),
        }?;
        estimated.restore(self.sample, &cell.sides, &centres);
        if !estimated.att.is_finite() {
            return Err(CellStatus::Estimator { message: "the estimate is not finite".into() });
        }
        if let Some(score) = score {
            estimated.not_calibrated = score.calibration.is_some_and(|c| !c.solved);
            let likelihood = score.calibration.is_none() || estimated.not_calibrated;
            estimated.not_converged = likelihood && !score.fit.converged;
            estimated.gamma = Some(score.fit.gamma.clone());
        }
        Ok(estimated)
    }

    fn side_sums(
        &self,
        cell: &PlannedCell,
        centres: &[Centre],
        score: Option<&CellScore<'_>>,
    ) -> Vec<SideSums> {
        let k = self.algebra.k();
        let mut calibrated = score.and_then(|s| s.calibration).map(|c| c.grams.iter());
        let side = |(side, centre): (&Side, &Centre)| {
            let lift = |p: &Part, treated| centre.lift(self.sample, p, side.outcome, treated);
            let sum = |parts: &[Part], treated: bool, gamma: Option<&[f64]>| {
                let gram = |p: &Part| Some((self.sums.get(p, p.w, gamma)?, lift(p, treated)));
                Moments::new(parts.iter().filter_map(gram), side.outcome, k)
            };
            SideSums {
                treated: sum(&side.treated, true, None),
                control: sum(&side.control, false, None),
                odds: score.map(|s| sum(&side.control, false, Some(s.gamma()))),
                calibrated: calibrated.as_mut().map(|grams| {
                    let lifts = side.control.iter().map(|p| lift(p, false));
                    Moments::new(lifts.zip(grams).map(|(l, g)| (g, l)), side.outcome, k)
                }),
            }
        };
        cell.sides.iter().zip(centres).map(side).collect()
    }

    fn unweighted_controls(&self, cell: &PlannedCell) -> Moments {
        let parts = cell.sides.iter().flat_map(|s| &s.control);
        let grams = parts.filter_map(|p| Some((self.sums.get(p, p.unit, None)?, 0.0)));
        Moments::new(grams, cell.sides[0].outcome, self.algebra.k())
    }

    /// With a constant alone the propensity score is the share of treated rows.
    fn check_constant(&self, cell: &PlannedCell) -> std::result::Result<(), CellStatus> {
        if self.recipe.method.score().is_none() {
            return Ok(());
        }
        let share = |weighted| {
            let (treated, all) = arm_totals(cell, self.sums, weighted);
            treated / all
        };
        if self.recipe.guarded && share(false) >= OVERLAP {
            return Err(CellStatus::Overlap { max_propensity: share(false) });
        }
        if share(true) >= self.recipe.trim {
            return Err(CellStatus::NoControlWeight);
        }
        Ok(())
    }
}

/// Rows of a side's arm, with the scalars of `leg` and no vectors.
pub(super) fn rows(part: &Part, outcome: Outcome, leg: Leg) -> Rows {
    let (post, base) = match outcome {
        Outcome::Change { post, base } => (post, Some(base)),
        Outcome::Level(column) => (column, None),
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
