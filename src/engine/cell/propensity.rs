//! The propensity score of every cell: maximum likelihood, a guard of overlap, calibration.

use super::algebra::Algebra;
use super::calibrate::{Calibration, CalibrationTarget, Control, calibrate};
use super::logit::{LogitFit, Models};
use super::method::{Propensity, Recipe};
use super::sides::{PlannedCell, Side, StratumRows};
use super::sums::{Sums, Weighting};
use crate::base::error::Result;
use crate::base::solve::add_scaled;
use crate::engine::pass::Gram;
use crate::engine::source::Source;
use crate::result::estimates::CellStatus;

/// Models of one cell: the weighted one, and the unweighted one that guards overlap.
#[derive(Clone, Copy)]
struct CellModels {
    guard: Option<usize>,
    main: usize,
}

/// Propensity scores of all cells.
pub(super) struct Propensities {
    fits: Vec<LogitFit>,
    of_cell: Vec<Option<CellModels>>,
    calibrations: Vec<Option<Calibration>>,
}

/// The propensity score that a cell is estimated with.
#[derive(Clone, Copy)]
pub(super) struct PropensityScore<'a> {
    /// By maximum likelihood.
    pub fit: &'a LogitFit,
    pub calibration: Option<&'a Calibration>,
}

impl PropensityScore<'_> {
    /// Its coefficients, `[k]`.
    pub fn gamma(&self) -> &[f64] {
        self.calibration.map_or(&self.fit.gamma, |c| &c.gamma)
    }

    /// Cross-products of a side's comparison rows weighted by the untrimmed odds, if the score is calibrated.
    ///
    /// # Errors
    /// [`DidError::Engine`](crate::DidError::Engine) if the rows are not of the cell.
    pub fn calibrated(&self, side: usize, rows: &StratumRows) -> Result<Option<&Gram>> {
        self.calibration.map(|c| c.gram(side, rows)).transpose()
    }

    /// Whether it should have been calibrated and could not be.
    pub fn not_calibrated(&self) -> bool {
        self.calibration.is_some_and(|c| !c.solved)
    }

    /// Whether it is that of a likelihood whose iteration did not arrive.
    pub fn not_converged(&self) -> bool {
        let likelihood = self.calibration.is_none() || self.not_calibrated();
        likelihood && !self.fit.converged
    }
}

impl Propensities {
    /// Fits the distinct models of the cells; with a constant alone there is nothing to fit.
    ///
    /// # Errors
    /// What the source reports, and [`DidError::Engine`](crate::DidError::Engine) for sums that are not there.
    pub fn fit(
        source: &dyn Source,
        algebra: &Algebra<'_>,
        cells: &[PlannedCell],
        recipe: &Recipe,
        sums: &Sums,
    ) -> Result<Self> {
        let mut models = Models::default();
        let propensity = recipe.method.propensity().filter(|_| !algebra.is_constant());
        let mut of_cell = Vec::with_capacity(cells.len());
        for cell in cells {
            of_cell.push(if propensity.is_some() && cell.status.is_none() {
                let mut register = |weighted| -> Result<usize> {
                    let (treated, all) = arm_totals(cell, sums, weighted)?;
                    Ok(models.register(cell, weighted, treated, all))
                };
                let guard = recipe.guarded.then(|| register(false)).transpose()?;
                Some(CellModels { guard, main: register(true)? })
            } else {
                None
            });
        }
        let fits = models.fit(source, algebra, recipe)?;
        let mut all = Self { fits, of_cell, calibrations: vec![None; cells.len()] };
        if propensity == Some(Propensity::Calibrated) {
            for (c, calibration) in all.calibrate(source, algebra, cells, sums)? {
                all.calibrations[c] = Some(calibration);
            }
        }
        Ok(all)
    }

    /// Calibrated scores, by position of the cell.
    fn calibrate(
        &self,
        source: &dyn Source,
        algebra: &Algebra<'_>,
        cells: &[PlannedCell],
        sums: &Sums,
    ) -> Result<Vec<(usize, Calibration)>> {
        let (mut open, mut targets) = (Vec::new(), Vec::new());
        for (c, cell) in cells.iter().enumerate() {
            let Some(score) = self.score(c) else { continue };
            open.push(c);
            targets.push(CalibrationTarget {
                start: &score.fit.gamma,
                total: treated_total(cell, algebra, sums)?,
                controls: controls(cell),
            });
        }
        Ok(open.into_iter().zip(calibrate(source, algebra, &targets)?).collect())
    }

    /// Why the cell has no propensity score.
    pub fn failure(&self, cell: usize) -> Option<&CellStatus> {
        let models = self.of_cell[cell]?;
        let both = models.guard.into_iter().chain([models.main]);
        both.filter_map(|m| self.fits[m].failure.as_ref()).next()
    }

    /// The cell's score; `None` without one, or if the likelihood or the guard failed.
    pub fn score(&self, cell: usize) -> Option<PropensityScore<'_>> {
        let models = self.of_cell[cell]?;
        let calibration = self.calibrations[cell].as_ref();
        let score = PropensityScore { fit: &self.fits[models.main], calibration };
        self.failure(cell).is_none().then_some(score)
    }
}

/// `Σ w` of the treated rows and of all rows.
///
/// # Errors
/// [`DidError::Engine`](crate::DidError::Engine) for sums that are not there.
pub(super) fn arm_totals(cell: &PlannedCell, sums: &Sums, weighted: bool) -> Result<(f64, f64)> {
    let weighting = if weighted { Weighting::Sampling } else { Weighting::Presence };
    let (mut treated, mut all) = (0.0, 0.0);
    for (rows, is_treated) in cell.rows() {
        let total = sums.total(rows, weighting)?;
        if is_treated {
            treated += total;
        }
        all += total;
    }
    Ok((treated, all))
}

/// `Σ_T w z`.
fn treated_total(cell: &PlannedCell, algebra: &Algebra<'_>, sums: &Sums) -> Result<Vec<f64>> {
    let mut total = algebra.zeros();
    for (rows, _) in cell.rows().filter(|(_, treated)| *treated) {
        let gram = sums.get(rows, Weighting::Sampling, &[])?;
        add_scaled(&mut total, 1.0, &gram.zz[..algebra.k()]);
    }
    Ok(total)
}

/// The comparison rows of all sides.
fn controls(cell: &PlannedCell) -> Vec<Control> {
    let of_side = |(side, of): (usize, &Side)| {
        let control =
            |rows: &StratumRows| Control { side, rows: *rows, outcomes: of.outcome.columns() };
        of.control.iter().map(control).collect::<Vec<_>>()
    };
    cell.sides.iter().enumerate().flat_map(of_side).collect()
}
