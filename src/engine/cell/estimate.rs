//! From planned cells to estimates: which passes run, and what their sums are handed to.

use std::collections::HashSet;

use super::algebra::{Algebra, Moments};
use super::centre::{Centre, restore};
use super::method::{OVERLAP, Recipe};
use super::propensity::{Propensities, PropensityScore, arm_totals};
use super::sides::{CellResult, PlannedCell, Side, StratumRows};
use super::sums::{Sums, Weighting};
use super::terms::CellEstimate;
use super::two_by_two::{self, SideMoments};
use crate::base::error::{DidError, Result};
use crate::base::solve::add_scaled;
use crate::engine::source::Source;
use crate::read::panel::Sample;
use crate::result::estimates::{CellStatus, ControlSizes, Overlap};

/// What became of the cells.
pub(crate) struct Results {
    pub cells: Vec<CellResult<CellEstimate>>,
    /// Covariates that depend on others in all rows: they take no part.
    pub dropped: Vec<String>,
}

/// Estimates every cell from at most three kinds of passes.
///
/// # Errors
/// What the source reports, and [`DidError::Engine`] for sums that are not there. A cell that cannot be estimated is none.
pub(crate) fn estimate(
    source: &dyn Source,
    cells: &[PlannedCell],
    recipe: &Recipe,
) -> Result<Results> {
    let mut algebra = Algebra::new(&source.sample().design, recipe.rank);
    let mut sums = Sums::new(algebra.k(), source.sample().outcome_columns());
    for side in cells.iter().filter(|c| c.status.is_none()).flat_map(|c| &c.sides) {
        for rows in side.treated.iter().chain(&side.control) {
            sums.request(rows, Weighting::Sampling, &side.outcome.columns());
            sums.request(rows, Weighting::Presence, &[]);
        }
    }
    sums.run(source, recipe.trim)?;
    let mut dropped = Vec::new();
    // Without a cell to estimate nothing says what depends on what.
    if !recipe.guarded && cells.iter().any(|cell| cell.status.is_none()) {
        let gram = unweighted(cells, &sums, algebra.k())?;
        dropped = algebra.drop_collinear(&gram, source.precision());
    }
    let propensities = Propensities::fit(source, &algebra, cells, recipe, &sums)?;
    for (c, cell) in cells.iter().enumerate() {
        let Some(score) = propensities.score(c) else { continue };
        for side in &cell.sides {
            for rows in &side.control {
                let weighting = Weighting::Odds(score.gamma());
                sums.request(rows, weighting, &side.outcome.columns());
            }
        }
    }
    sums.run(source, recipe.trim)?;
    let sample = source.sample();
    let (algebra, sums, propensities) = (&algebra, &sums, &propensities);
    let solver = CellSolver { sample, algebra, sums, propensities, recipe };
    let solve = |(c, cell): (usize, &PlannedCell)| match &cell.status {
        Some(status) => Ok(Err(status.clone())),
        None => solver.solve(cell, c).map(Ok).or_else(CellStop::of_cell),
    };
    let cells = cells.iter().enumerate().map(solve).collect::<Result<_>>()?;
    Ok(Results { cells, dropped })
}

/// `Σ z z'` of all rows that take part in a cell, each stratum's divided by its largest entry: what depends on what in
/// all rows does so whatever their weights, and a stratum with extreme values must not hide how the others vary.
fn unweighted(cells: &[PlannedCell], sums: &Sums, k: usize) -> Result<Vec<f64>> {
    let mut sum = vec![0.0; k * k];
    let mut seen = HashSet::new();
    let open = cells.iter().filter(|c| c.status.is_none());
    for (rows, _) in open.flat_map(PlannedCell::rows) {
        if !seen.insert((rows.stratum, rows.x, rows.presence)) {
            continue;
        }
        let zz = &sums.get(rows, Weighting::Presence, &[])?.zz;
        let largest = (0..k).map(|j| zz[j * k + j]).fold(0.0, f64::max);
        if largest > 0.0 && largest.is_finite() {
            sum.iter_mut().zip(zz).for_each(|(sum, z)| *sum += z / largest);
        }
    }
    Ok(sum)
}

/// Why a cell has no estimate: of its own, or because nothing can be estimated.
enum CellStop {
    Cell(CellStatus),
    Fit(DidError),
}

impl CellStop {
    /// The cell's status, unless it is an error of the fit.
    fn of_cell<T>(self) -> Result<CellResult<T>> {
        match self {
            Self::Cell(status) => Ok(Err(status)),
            Self::Fit(error) => Err(error),
        }
    }
}

impl From<CellStatus> for CellStop {
    fn from(status: CellStatus) -> Self {
        Self::Cell(status)
    }
}

impl From<DidError> for CellStop {
    fn from(error: DidError) -> Self {
        Self::Fit(error)
    }
}

/// Estimates a cell from the sums.
struct CellSolver<'a> {
    sample: &'a Sample,
    algebra: &'a Algebra<'a>,
    sums: &'a Sums,
    propensities: &'a Propensities,
    recipe: &'a Recipe,
}

impl CellSolver<'_> {
    /// Guards in order (weight, overlap, rank), then the estimator.
    fn solve(
        &self,
        cell: &PlannedCell,
        index: usize,
    ) -> std::result::Result<CellEstimate, CellStop> {
        // First, as without weight in an arm scores and regressions fail for reasons of their own.
        self.check_weights(cell)?;
        if self.algebra.is_constant() {
            self.check_constant(cell)?;
        }
        if let Some(failure) = self.propensities.failure(index) {
            // A singular information matrix has its cause in the design.
            if !matches!(failure, CellStatus::Overlap { .. }) {
                self.algebra.check_rank(&self.unweighted_controls(cell)?)?;
            }
            return Err(failure.clone().into());
        }
        if self.recipe.method.uses_regression() {
            self.algebra.check_rank(&self.unweighted_controls(cell)?)?;
        }
        let score = self.propensities.score(index);
        let weight = |rows: &StratumRows| self.sums.total(rows, Weighting::Sampling);
        let centre = |side: &Side| Centre::new(self.sample, side, weight);
        let centres: Vec<Centre> = cell.sides.iter().map(centre).collect::<Result<_>>()?;
        let sides: Vec<SideMoments> = (cell.sides.iter().zip(&centres).enumerate())
            .map(|(at, (side, centre))| self.moments(at, side, *centre, score.as_ref()))
            .collect::<Result<_>>()?;
        check_odds(&sides)?;
        let mut estimate =
            two_by_two::estimate(self.algebra, self.recipe, cell, &sides, score.as_ref())?;
        restore(&mut estimate, self.sample, &cell.sides, &centres)?;
        if !estimate.att.is_finite() {
            let message = "the estimate is not finite".into();
            return Err(CellStatus::Estimator { message }.into());
        }
        estimate.overlap = Some(self.overlap(cell, score.as_ref())?);
        if let Some(score) = score {
            estimate.not_calibrated = score.not_calibrated();
            estimate.not_converged = score.not_converged();
            estimate.gamma = Some(score.fit.gamma.clone());
        }
        Ok(estimate)
    }

    /// How the cell's comparison rows are weighted.
    fn overlap(&self, cell: &PlannedCell, score: Option<&PropensityScore<'_>>) -> Result<Overlap> {
        let mut sizes = ControlSizes::default();
        for side in &cell.sides {
            let (mut scored, mut sampling) = ([0.0; 2], [0.0; 2]);
            for rows in &side.control {
                let by_weight = self.sums.get(rows, Weighting::Sampling, &[])?;
                let by_score = match score {
                    Some(score) => self.sums.get(rows, Weighting::Odds(score.gamma()), &[])?,
                    None => by_weight,
                };
                sizes.weight += by_weight.zz[0];
                sizes.trimmed_rows += by_score.weights.trimmed_rows;
                sizes.trimmed_weight += by_score.weights.trimmed_weight;
                for ([sum, squares], gram) in [(&mut scored, by_score), (&mut sampling, by_weight)]
                {
                    *sum += gram.zz[0];
                    *squares += gram.weights.squares;
                }
            }
            sizes.add_side(scored, sampling);
        }
        let constant = self.algebra.is_constant() && self.recipe.method.propensity().is_some();
        let share = constant.then(|| self.treated_share(cell, true)).transpose()?;
        let largest = score.map(|score| score.fit.largest);
        Ok(sizes.overlap(largest.or(share.map(|share| [share; 2]))))
    }

    /// Moments of the arms of a cell's side at this position.
    fn moments(
        &self,
        at: usize,
        side: &Side,
        centre: Centre,
        score: Option<&PropensityScore<'_>>,
    ) -> Result<SideMoments> {
        let k = self.algebra.k();
        let columns = side.outcome.columns();
        let lift =
            |rows: &StratumRows, treated| centre.lift(self.sample, rows, side.outcome, treated);
        let arm = |arm: &[StratumRows], treated, weighting: Weighting<'_>| -> Result<Moments> {
            let gram = |rows| Ok((self.sums.get(rows, weighting, &columns)?, lift(rows, treated)));
            let grams: Vec<_> = arm.iter().map(gram).collect::<Result<_>>()?;
            Ok(Moments::new(grams, side.outcome, k))
        };
        let odds =
            |score: &PropensityScore<'_>| arm(&side.control, false, Weighting::Odds(score.gamma()));
        let calibrated = |score: &PropensityScore<'_>| -> Result<Option<Moments>> {
            let gram = |rows| Ok(score.calibrated(at, rows)?.map(|gram| (gram, lift(rows, false))));
            let grams: Option<Vec<_>> = side.control.iter().map(gram).collect::<Result<_>>()?;
            Ok(grams.map(|grams| Moments::new(grams, side.outcome, k)))
        };
        Ok(SideMoments {
            treated: arm(&side.treated, true, Weighting::Sampling)?,
            control: arm(&side.control, false, Weighting::Sampling)?,
            odds: score.map(odds).transpose()?,
            calibrated: score.map(calibrated).transpose()?.flatten(),
        })
    }

    /// `Σ z z'` of the comparison rows.
    fn unweighted_controls(&self, cell: &PlannedCell) -> Result<Vec<f64>> {
        let mut zz = vec![0.0; self.algebra.k() * self.algebra.k()];
        for rows in cell.sides.iter().flat_map(|s| &s.control) {
            add_scaled(&mut zz, 1.0, &self.sums.get(rows, Weighting::Presence, &[])?.zz);
        }
        Ok(zz)
    }

    /// Fails if an arm of a side has no weight.
    fn check_weights(&self, cell: &PlannedCell) -> std::result::Result<(), CellStop> {
        let has_weight = |arm: &[StratumRows]| -> Result<bool> {
            let totals = arm.iter().map(|rows| self.sums.total(rows, Weighting::Sampling));
            Ok(totals.sum::<Result<f64>>()? > 0.0)
        };
        for side in &cell.sides {
            if !has_weight(&side.treated)? {
                return Err(CellStatus::NoTreatedWeight.into());
            }
            if !has_weight(&side.control)? {
                return Err(CellStatus::NoControlWeight.into());
            }
        }
        Ok(())
    }

    /// Share of treated rows, or of their weight.
    fn treated_share(&self, cell: &PlannedCell, weighted: bool) -> Result<f64> {
        let (treated, all) = arm_totals(cell, self.sums, weighted)?;
        Ok(treated / all)
    }

    /// With a constant alone the propensity score is the share of treated rows.
    fn check_constant(&self, cell: &PlannedCell) -> std::result::Result<(), CellStop> {
        if self.recipe.method.propensity().is_none() {
            return Ok(());
        }
        let max_propensity = self.treated_share(cell, false)?;
        if self.recipe.guarded && max_propensity >= OVERLAP {
            return Err(CellStatus::Overlap { max_propensity }.into());
        }
        if self.treated_share(cell, true)? >= self.recipe.trim {
            return Err(CellStatus::NoControlWeight.into());
        }
        Ok(())
    }
}

/// Fails if all comparison rows of a side are trimmed.
///
/// Differs from DRDID, whose estimators that do not divide by these weights go on without them.
fn check_odds(sides: &[SideMoments]) -> CellResult<()> {
    let trimmed = |s: &SideMoments| s.odds.as_ref().is_some_and(|odds| odds.total() <= 0.0);
    if sides.iter().any(trimmed) { Err(CellStatus::NoControlWeight) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::cell::fixtures::{cell, rows};
    use crate::engine::cell::sides::Outcome;

    fn planned() -> PlannedCell {
        let outcome = Outcome::Change { post: 1, base: 0 };
        let side = Side { outcome, treated: vec![rows(0)], control: vec![rows(1)] };
        cell(vec![side], 10, 10)
    }

    #[test]
    fn sums_that_are_not_there_are_no_rows_without_weight() {
        let lost = Sums::new(2, 2);
        assert!(matches!(unweighted(&[planned()], &lost, 2), Err(DidError::Engine { .. })));
        assert!(matches!(arm_totals(&planned(), &lost, true), Err(DidError::Engine { .. })));
    }

    #[test]
    fn a_lost_sum_ends_the_fit_and_a_status_the_cell() {
        let of_cell = CellStop::from(CellStatus::NoControlWeight).of_cell::<()>();
        assert!(matches!(of_cell, Ok(Err(CellStatus::NoControlWeight))));
        let lost = DidError::Engine { problem: "an answer".into() };
        assert!(matches!(CellStop::from(lost).of_cell::<()>(), Err(DidError::Engine { .. })));
    }

    #[test]
    fn a_side_whose_comparison_rows_are_all_trimmed_has_no_estimate() {
        let arm = |weight: f64| Moments { zz: vec![weight], zd: vec![0.0] };
        let side = |odds: Option<f64>| SideMoments {
            treated: arm(1.0),
            control: arm(2.0),
            odds: odds.map(arm),
            calibrated: None,
        };
        assert_eq!(check_odds(&[side(None), side(Some(0.5))]), Ok(()));
        let trimmed = [side(Some(0.5)), side(Some(0.0))];
        assert_eq!(check_odds(&trimmed), Err(CellStatus::NoControlWeight));
    }
}
