//! The complete rows of a frame, unit by unit.

use polars::prelude::DataFrame;

use super::PanelColumns;
use super::columns::ColumnsRead;
use crate::base::error::Result;
use crate::read::columns::{Label, MissingValues, Values};

/// A frame of whole units, of which the rows with all values are looked at.
pub(crate) struct UnitRows(ColumnsRead);

impl UnitRows {
    /// Groups that are `moved` are known where the frame does not have all periods.
    ///
    /// # Errors
    /// If a column is not what it is asked for.
    pub fn new(
        df: &DataFrame,
        columns: &PanelColumns,
        missing: &MissingValues,
        moved: Option<&[(f64, f64)]>,
    ) -> Result<Self> {
        ColumnsRead::read(df, columns, missing, moved, 0).map(Self)
    }

    /// The columns that they are from.
    pub(super) fn columns(&self) -> &ColumnsRead {
        &self.0
    }

    /// Number of units with a usable row; of rows, where rows are the units.
    pub fn units(&self) -> usize {
        self.0.units.as_ref().map_or(self.0.rows, |units| units.order.units())
    }

    /// Complete rows of a unit, periods ascending.
    pub fn unit(&self, unit: usize) -> impl Iterator<Item = usize> + '_ {
        let (of_unit, alone) = match &self.0.units {
            Some(units) => (Some(units.order.unit(unit)), None),
            None => (None, Some(unit)),
        };
        let rows = of_unit.into_iter().flatten().chain(alone);
        rows.filter(|row| self.0.is_complete(*row))
    }

    pub fn group(&self, row: usize) -> f64 {
        self.0.group.value(self.0.group.codes[row])
    }

    pub fn time(&self, row: usize) -> f64 {
        self.0.time.value(self.0.time.codes[row])
    }

    /// The treatment, if it has a column.
    pub fn treatment(&self, row: usize) -> Option<f64> {
        self.0.treatment.as_ref().map(|treatment| treatment[row])
    }

    /// The label of a unit.
    pub fn label(&self, unit: usize) -> String {
        self.0.units.as_ref().map_or_else(|| unit.to_string(), |units| units.label(unit))
    }

    /// 1 without weights.
    pub fn weight(&self, row: usize) -> f64 {
        self.0.weights.as_ref().map_or(1.0, |(_, weights)| weights[row])
    }

    /// The first finite values of each number column, by which sums are shifted.
    pub fn first_values(&self) -> Vec<Vec<f64>> {
        self.0.first_values()
    }

    /// The number columns: the outcome, then the covariates that are numbers.
    pub fn numbers(&self) -> Vec<&Values> {
        self.0.numbers().into_iter().map(|(_, values)| values).collect()
    }

    /// The code of a row's cluster, if there is a column of clusters.
    pub fn cluster(&self, row: usize) -> Option<u32> {
        self.0.cluster.as_ref().map(|(_, clusters)| clusters.codes[row])
    }

    /// The cluster of a code.
    pub fn cluster_label(&self, code: u32) -> Option<Label> {
        let (_, clusters) = self.0.cluster.as_ref()?;
        Some(clusters.labels.label(code as usize))
    }
}
