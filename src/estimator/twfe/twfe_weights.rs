//! The weights of a two-way coefficient, step by step.

use super::cells::Cells;
use super::options::{TwfeCells, TwfeWeights};
use super::residual::Residual;
use super::result::{TwfeSettings, TwfeWeightRow, TwfeWeightsResult};
use super::rows::StudyRows;
use super::sensitivity::{opposite_sign, zero_average};
use super::study;
use super::weights::{Weighted, weights};
use crate::base::error::{DidError, DidWarning, Result};
use crate::engine::by_unit::UnitSource;
use crate::estimator::fitting::fits;
use crate::read::input::Data;
use crate::read::panel::overview::Overview;

fits!(TwfeWeights, output: TwfeWeightsResult);

impl TwfeWeights {
    /// Checks the options, as of every estimator; there are none here that could be out of range.
    ///
    /// # Errors
    /// None.
    pub fn validate(&self) -> Result<()> {
        DidError::check_without(&self.outcome, "covariates", &self.covariates)
    }

    /// Forms the weights.
    ///
    /// # Errors
    /// Errors about a column or a file; [`DidError::Panel`] for units with two rows in a period, or a treatment that groups and periods
    /// determine; [`DidError::TimeVarying`] for units whose group changes, as of a treatment that turns off; [`DidError::ColumnType`]
    /// for controls that are no numbers; [`DidError::TooFewPeriods`], [`DidError::Weights`], [`DidError::Memory`].
    pub fn fit<'a>(&self, data: impl Into<Data<'a>>) -> Result<TwfeWeightsResult> {
        self.validate()?;
        let columns = self.columns();
        StudyRows::with(&self.reading(&columns), data.into(), |rows| self.weigh(rows))
    }

    /// As [`fit`](Self::fit), by the workers of a cluster, with the same bits. The path stands for parquet files that this process and all
    /// workers see under the same names. Workers form sums by cohort and period, which are all that comes back to this process. Cells of
    /// units hold a few numbers of each row in memory, which is done on one machine alone.
    ///
    /// # Errors
    /// As [`fit`](Self::fit), and [`DidError::Config`] for cells of units; [`DidError::Worker`] for what a worker finds wrong,
    /// [`DidError::Engine`] if workers do not answer.
    #[cfg(feature = "cluster")]
    pub fn fit_cluster(
        &self,
        cluster: &crate::Cluster,
        path: impl AsRef<std::path::Path>,
    ) -> Result<TwfeWeightsResult> {
        self.validate()?;
        if self.cells == TwfeCells::Unit {
            let expected = "`cohort` on a cluster, as cells of units need their rows in one memory; take cells of cohorts, or one machine";
            return Err(DidError::config("cells", expected, self.cells));
        }
        let columns = self.columns();
        let reading = self.reading(&columns);
        StudyRows::on_cluster(&reading, cluster, path.as_ref(), |rows| self.weigh(rows))
    }

    fn weigh(&self, rows: &StudyRows<'_>) -> Result<TwfeWeightsResult> {
        let StudyRows { columns, overview, .. } = rows;
        study::check_controls(overview, &self.covariates)?;
        overview.check_weights(self.weights.as_ref())?;
        let cells = match (&rows.source, self.cells) {
            (UnitSource::Here(opened), TwfeCells::Unit) => {
                Cells::of_units(overview, opened, columns)?
            }
            _ => Cells::of_cohorts(overview),
        };
        let residual = match self.regression.is_of_changes() {
            true => Residual::of_changes(&cells),
            false => Residual::of_levels(&cells, &self.covariates)?,
        };
        let residual = residual.ok_or_else(|| study::no_variation(columns, &columns.covariates))?;
        if !residual.coefficient.is_finite() {
            return Err(DidError::OutOfRange {
                problem: format!(
                    "sums of the outcome (column `{}`) overflow; rescale it so that its values are near 1",
                    self.outcome
                ),
            });
        }
        let weighted = weights(&cells, &residual, self.regression);
        let sum = |of: &dyn Fn(f64) -> bool| -> f64 {
            weighted.iter().map(|w| w.weight).filter(|w| of(*w)).sum()
        };
        let count = |of: &dyn Fn(f64) -> bool| weighted.iter().filter(|w| of(w.weight)).count();
        let (positive, negative) = (|w: f64| w > 0.0, |w: f64| w < 0.0);
        Ok(TwfeWeightsResult {
            settings: TwfeSettings::new(rows),
            regression: self.regression,
            cells: self.cells,
            coefficient: residual.coefficient,
            n_positive: count(&positive),
            n_negative: count(&negative),
            sum_positive: sum(&positive),
            // An empty sum is -0.
            sum_negative: sum(&negative) + 0.0,
            sd_zero_average: zero_average(residual.coefficient, &weighted),
            sd_opposite_sign: opposite_sign(residual.coefficient, &weighted),
            rows: by_group_and_period(&cells, &weighted, overview.periods()),
            warnings: self.warnings(overview, &residual),
        })
    }

    fn warnings(&self, overview: &Overview, residual: &Residual) -> Vec<DidWarning> {
        let mut warnings: Vec<DidWarning> = overview.dropped_rows().into_iter().collect();
        warnings.extend(overview.doubtful_groups(Some(&self.group)));
        if !overview.rounded.is_empty() {
            warnings.push(DidWarning::RoundedIntegers { columns: overview.rounded.clone() });
        }
        warnings.extend(study::left_out(&self.covariates, &residual.dependent));
        let units = study::units_with_gaps(overview);
        let differs = units > 0 || !self.covariates.is_empty() || self.weights.is_some();
        if self.cells == TwfeCells::Cohort && differs {
            warnings.push(DidWarning::CohortsInPlaceOfUnits { units });
        }
        warnings
    }
}

/// Weights added up by group and period, in ascending order.
fn by_group_and_period(
    cells: &Cells,
    weighted: &[Weighted],
    periods: &[f64],
) -> Vec<TwfeWeightRow> {
    let mut sorted: Vec<&Weighted> = weighted.iter().collect();
    sorted.sort_by(|a, b| {
        let group = cells.group[a.cell].total_cmp(&cells.group[b.cell]);
        group.then(cells.time[a.cell].cmp(&cells.time[b.cell]))
    });
    let same = |a: &&Weighted, b: &&Weighted| {
        cells.group[a.cell].total_cmp(&cells.group[b.cell]).is_eq()
            && cells.time[a.cell] == cells.time[b.cell]
    };
    let row = |of: &[&Weighted]| TwfeWeightRow {
        group: cells.group[of[0].cell],
        time: periods[cells.time[of[0].cell] as usize],
        weight: of.iter().map(|w| w.weight).sum(),
        share: of.iter().map(|w| w.share).sum(),
        cells: of.len(),
        negative: of.iter().filter(|w| w.weight < 0.0).count(),
    };
    sorted.chunk_by(same).map(row).collect()
}
