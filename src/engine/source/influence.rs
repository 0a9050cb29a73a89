//! Influence values by unit, in memory or in files.

use std::fs;
use std::path::{Path, PathBuf};

use polars::prelude::*;
use serde::{Deserialize, Serialize};

use crate::base::error::{DidError, Result};
use crate::read::files::{parquet_columns, problem};
use crate::{base::storage, base::written};

/// Name of the column with the units' labels.
const UNIT: &str = "unit";

/// Influence values by unit, kept on request.
///
/// ```
/// use burn_did::{AttGt, backend::Cpu, data};
///
/// let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
/// let config = config.group("first.treat").keep_influence(true).build();
/// let fit = config.fit(&data::mpdta())?;
/// let influence = fit.influence.as_ref().unwrap();
/// let squares: f64 = influence.columns[0].iter().map(|psi| psi * psi).sum();
/// let se = squares.sqrt() / influence.units.len() as f64;
/// assert!((se - fit.cells[0].estimate.se.unwrap()).abs() < 1e-12);
/// // As parquet files, and back.
/// let directory = tempfile::tempdir()?;
/// let files = influence.write(directory.path())?;
/// assert_eq!(files.column("att(2004,2004)")?, influence.columns[0]);
/// assert_eq!(files.load()?, *influence);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Influence {
    /// Label of each unit (rank in the canonical order, for repeated cross sections without a unit column), length `n`.
    pub units: Vec<String>,
    /// Name of each column, such as `att(2004,2006)` for a group and a period.
    pub names: Vec<String>,
    /// One column for each cell, `[cells][n]`, scaled so that `se = sqrt(Σ ψ²) / n`, where several units are one cluster with their sums by
    /// cluster in place of `ψ`; empty for failed cells.
    pub columns: Vec<Vec<f64>>,
}

/// Influence values by unit in parquet files, with a column `unit` and one for each cell that has an estimate. The files follow on
/// each other: together they have the rows of [`Influence`] in its order, and its bits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct InfluenceFiles {
    /// The files in order.
    pub files: Vec<PathBuf>,
    /// How many units they have together.
    pub units: usize,
    /// Names of the columns, failed cells included.
    pub names: Vec<String>,
    /// Whether each has an estimate, and so a column.
    pub(crate) estimated: Vec<bool>,
}

impl Influence {
    /// The influence values of a sum of columns times weights; none without weights, or if a column with a weight has none.
    pub(crate) fn combined(&self, weights: &[f64]) -> Vec<f64> {
        self.combined_with(&[], weights)
    }

    /// As [`combined`](Self::combined), of these columns and of others behind them.
    pub(crate) fn combined_with(&self, others: &[Vec<f64>], weights: &[f64]) -> Vec<f64> {
        if weights.is_empty() {
            return Vec::new();
        }
        let mut sum = vec![0.0; self.units.len()];
        let columns = self.columns.iter().chain(others);
        for (column, weight) in columns.zip(weights).filter(|(_, w)| **w != 0.0) {
            if column.is_empty() {
                return Vec::new();
            }
            sum.iter_mut().zip(column).for_each(|(sum, value)| *sum += weight * value);
        }
        sum
    }

    /// Writes them to a parquet file in a directory, which is made if it is not there.
    ///
    /// # Errors
    /// [`DidError::Io`], or [`DidError::File`] if there are files in it already.
    pub fn write(&self, directory: impl AsRef<Path>) -> Result<InfluenceFiles> {
        let directory = directory.as_ref();
        InfluenceFiles::make_room(directory)?;
        let columns = self.names.iter().zip(&self.columns).filter(|(_, column)| !column.is_empty());
        let columns = columns.map(|(name, column)| (name.as_str(), column.clone())).collect();
        let path = directory.join(file_name(0, 1));
        let mut frame = frame(self.units.clone(), columns)?;
        written::whole(&path, |_, file| {
            storage::parquet(file).finish(&mut frame).map(drop).map_err(written::of_polars)
        })?;
        Ok(InfluenceFiles {
            files: vec![path],
            units: self.units.len(),
            names: self.names.clone(),
            estimated: self.columns.iter().map(|column| !column.is_empty()).collect(),
        })
    }
}

impl InfluenceFiles {
    /// Makes a directory for influence values if it is not there, before the work whose result is to be
    /// [written](Influence::write) there.
    ///
    /// # Errors
    /// [`DidError::Io`], or [`DidError::File`] if there are files in it.
    pub fn make_room(directory: impl AsRef<Path>) -> Result<()> {
        let directory = directory.as_ref();
        fs::create_dir_all(directory).map_err(|error| DidError::io(directory, error))?;
        let mut files = fs::read_dir(directory).map_err(|error| DidError::io(directory, error))?;
        if files.next().is_some() { Err(occupied(directory)) } else { Ok(()) }
    }

    /// Labels of the units.
    ///
    /// # Errors
    /// [`DidError::Io`] or [`DidError::File`] if the files are not there or not as they were.
    pub fn labels(&self) -> Result<Vec<String>> {
        let mut labels = Vec::with_capacity(self.units);
        self.each(UNIT, &mut |column| {
            labels.extend(column.str()?.iter().flatten().map(ToOwned::to_owned));
            Ok(())
        })?;
        self.whole(labels)
    }

    /// The values of a column; none if its cell has no estimate.
    ///
    /// # Errors
    /// As [`labels`](Self::labels), and [`DidError::ColumnNotFound`] for a name that is not among theirs.
    pub fn column(&self, name: &str) -> Result<Vec<f64>> {
        let position = self.names.iter().position(|known| known == name);
        let estimated = position.and_then(|position| self.estimated.get(position).copied());
        match estimated {
            None => Err(DidError::ColumnNotFound {
                column: name.to_owned(),
                role: "influence values",
                hint: String::new(),
                available: self.names.join(", "),
            }),
            Some(false) => Ok(Vec::new()),
            Some(true) => {
                let mut values = Vec::with_capacity(self.units);
                self.each(name, &mut |column| {
                    values.extend(column.f64()?.iter().flatten());
                    Ok(())
                })?;
                self.whole(values)
            }
        }
    }

    /// All of them, in memory.
    ///
    /// # Errors
    /// As [`labels`](Self::labels).
    pub fn load(&self) -> Result<Influence> {
        let columns = self.names.iter().map(|name| self.column(name)).collect::<Result<_>>()?;
        Ok(Influence { units: self.labels()?, names: self.names.clone(), columns })
    }

    /// Hands over a column, file by file.
    fn each(&self, name: &str, take: &mut dyn FnMut(&Column) -> PolarsResult<()>) -> Result<()> {
        self.files.iter().try_for_each(|path| {
            let rows = parquet_columns(path, &[name])?;
            let taken = rows.column(name).and_then(&mut *take);
            taken.map_err(|error| problem(path, error.to_string()))
        })
    }

    fn whole<T>(&self, values: Vec<T>) -> Result<Vec<T>> {
        if values.len() == self.units {
            return Ok(values);
        }
        let path = self.files.first().map_or(Path::new(""), PathBuf::as_path);
        let (found, units) = (values.len(), self.units);
        let what =
            format!("{found} influence values are where {units} were: the files have changed");
        Err(problem(path, what))
    }
}

/// Name of a file among so many.
pub(crate) fn file_name(number: usize, files: usize) -> String {
    let digits = files.to_string().len().max(5);
    format!("{number:0digits$}.parquet")
}

/// The directory has files already.
pub(crate) fn occupied(directory: &Path) -> DidError {
    let remedy = "has files already; name an empty directory for the influence values, or one that is not there yet";
    problem(directory, remedy)
}

/// Rows of a file.
pub(crate) fn frame(units: Vec<String>, columns: Vec<(&str, Vec<f64>)>) -> Result<DataFrame> {
    let rows = units.len();
    let labels = Column::new(UNIT.into(), units);
    let values = columns.into_iter().map(|(name, values)| Column::new(name.into(), values));
    Ok(DataFrame::new(rows, std::iter::once(labels).chain(values).collect())?)
}
