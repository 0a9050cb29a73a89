//! [`Scores`]: propensity scores and weights by unit.

use std::path::Path;

use polars::prelude::*;
use serde::{Deserialize, Serialize};

use super::Against;
use crate::base::calendar::{Frequency, shown};
use crate::base::error::Result;
use crate::read::files::FileFormat;
use crate::read::files::output::write;
use crate::read::panel::Sample;
use crate::report::estimates::LARGEST_INTEGER;

/// Propensity scores and the estimator's weights, with a row for each unit with sampling weight in each cell that was estimated.
///
/// | column | |
/// |---|---|
/// | `unit` | the unit: a number if all labels are whole numbers; of repeated cross sections without units the row in canonical order |
/// | `unit_group` | first treated period of the unit; null if it is never treated |
/// | `group`, `time` | the cell; not for two groups in two periods |
/// | `against_group`, `against_eligible`, `unit_eligible` | of triple differences: whom the treated and eligible units are compared with |
/// | `period` | where rows of two periods are compared: the row's |
/// | `treated` | the unit's arm |
/// | `score` | propensity score; null for estimators without one |
/// | `trimmed` | whether the unit is a comparison unit whose score is at or above the trimming level |
/// | `weight` | what the unit's outcome counts with |
///
/// The estimate of a cell is `Σ weight Δy` over the treated units less `Σ weight Δy` over the comparison units, to rounding; where rows of
/// two periods are compared, that of the outcomes in the cell's period less that of the base period. Weights of comparison units are
/// the normalised odds for inverse probability weighting, the implied weights of the regression for outcome regression, and the odds with
/// what the regression still corrects for the doubly robust estimator.
///
/// They take 25 bytes a row and 64 a unit in memory.
///
/// ```
/// use burn_did::{AttGt, backend::Cpu, data};
///
/// let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year").group("first.treat");
/// let fit = config.covariates("~ lpop").keep_scores(true).build().fit(&data::mpdta())?;
/// let scores = fit.scores.as_ref().expect("asked for");
/// assert_eq!(scores.len(), scores.to_dataframe()?.height());
/// let directory = tempfile::tempdir()?;
/// scores.write(directory.path().join("scores.parquet"))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[must_use]
pub struct Scores {
    cells: Vec<ScoreCell>,
    labels: Option<Vec<String>>,
    /// Whether all labels are whole numbers.
    whole: bool,
    /// Whether all periods and groups are whole numbers.
    whole_periods: bool,
    frequency: Option<Frequency>,
    remarks: Vec<String>,
}

/// Rows of a cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct ScoreCell {
    cell: Option<[f64; 2]>,
    against: Option<Against>,
    parts: Vec<ScorePart>,
}

/// Rows of a cohort, in one period or of changes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct ScorePart {
    pub unit_group: f64,
    pub eligible: bool,
    pub period: Option<f64>,
    pub treated: bool,
    /// The score of all rows, where it does not vary.
    pub constant: Option<f64>,
    pub varies: bool,
    pub ranks: Vec<u64>,
    /// Empty where scores do not vary.
    pub scores: Vec<f64>,
    pub weights: Vec<f64>,
    pub trimmed: Vec<bool>,
}

impl Scores {
    /// None yet.
    pub(super) fn new(sample: &Sample, scored: bool) -> Self {
        let labels = sample.labels.clone();
        let is_whole = |label: &String| label.parse::<i64>().is_ok_and(|n| n.to_string() == *label);
        let whole = labels.as_ref().is_none_or(|labels| labels.iter().all(is_whole));
        let mut remarks = Vec::new();
        if !scored {
            remarks.push("the estimator has no propensity score: `score` is empty, and `weight` has the weights that it implies".to_owned());
        } else if sample.design.is_constant() {
            remarks.push("without covariates the propensity score of a cell is the same for all units: the share of the treated weight".to_owned());
        }
        let frequency = sample.calendar.frequency;
        let groups = sample.cohorts.iter().map(|cohort| cohort.group).filter(|g| g.is_finite());
        let whole_periods = sample.periods.iter().copied().chain(groups).all(is_whole_number);
        Self { cells: Vec::new(), labels, whole, whole_periods, frequency, remarks }
    }

    pub(super) fn add(
        &mut self,
        cell: Option<[f64; 2]>,
        against: Option<Against>,
        parts: Vec<ScorePart>,
    ) {
        self.cells.push(ScoreCell { cell, against, parts });
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.cells.iter().map(ScoreCell::len).sum()
    }

    /// Whether there is none, as where no cell could be estimated.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What a reader must know of them, such as that scores do not vary without covariates.
    #[must_use]
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// All rows, cell by cell.
    ///
    /// # Errors
    /// [`DidError::Polars`](crate::DidError::Polars) if polars cannot form the frame.
    pub fn to_dataframe(&self) -> Result<DataFrame> {
        let mut frames = self.cells.iter().map(|cell| self.frame(cell));
        let mut all = match frames.next() {
            Some(first) => first?,
            None => self.frame(&ScoreCell { cell: None, against: None, parts: Vec::new() })?,
        };
        for frame in frames {
            all.vstack_mut_owned(frame?)?;
        }
        all.rechunk_mut();
        Ok(all)
    }

    /// Writes all rows to a file in the format that its ending names, `.parquet` or `.csv`, cell by cell. The file is the same for any order
    /// of the data's rows.
    ///
    /// # Errors
    /// [`DidError::Config`](crate::DidError::Config) for another ending, [`DidError::Io`](crate::DidError::Io) if the file cannot be written.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        let format = FileFormat::to_write("save_scores", path)?;
        write(path, format, |sink| {
            if self.cells.is_empty() {
                sink(Some(&self.to_dataframe()?))?;
            }
            self.cells.iter().try_for_each(|cell| sink(Some(&self.frame(cell)?)))?;
            sink(None)
        })
    }

    /// An error unless a file of this name can be written, before the work.
    ///
    /// # Errors
    /// [`DidError::Config`](crate::DidError::Config) for an ending other than `.parquet` and `.csv`.
    pub fn check_path(path: impl AsRef<Path>) -> Result<()> {
        FileFormat::to_write("save_scores", path.as_ref()).map(drop)
    }

    fn frame(&self, cell: &ScoreCell) -> Result<DataFrame> {
        let rows = cell.len();
        let each = |of: &dyn Fn(&ScorePart) -> Option<f64>| -> Vec<Option<f64>> {
            cell.parts.iter().flat_map(|part| vec![of(part); part.ranks.len()]).collect()
        };
        let flags = |of: &dyn Fn(&ScorePart) -> bool| -> Vec<bool> {
            cell.parts.iter().flat_map(|part| vec![of(part); part.ranks.len()]).collect()
        };
        let finite = |value: f64| Some(value).filter(|value| value.is_finite());
        let unit_group = each(&|part| finite(part.unit_group));
        let mut columns = vec![self.units(cell), self.periods("unit_group", &unit_group)];
        if let Some([group, time]) = cell.cell {
            columns.push(self.periods("group", &vec![Some(group); rows]));
            columns.push(self.periods("time", &vec![Some(time); rows]));
        }
        if let Some(Against { group, eligible }) = cell.against {
            columns.push(self.periods("against_group", &vec![group; rows]));
            columns.push(Column::new("against_eligible".into(), vec![eligible; rows]));
            columns.push(Column::new("unit_eligible".into(), flags(&|part| part.eligible)));
        }
        if cell.parts.iter().any(|part| part.period.is_some()) {
            columns.push(self.periods("period", &each(&|part| part.period)));
        }
        let scores = cell.parts.iter().flat_map(|part| {
            (0..part.ranks.len()).map(|row| part.scores.get(row).copied().or(part.constant))
        });
        let weights = cell.parts.iter().flat_map(|part| &part.weights).copied();
        let trimmed = cell.parts.iter().flat_map(|part| &part.trimmed).copied();
        columns.extend([
            Column::new("treated".into(), flags(&|part| part.treated)),
            Column::new("score".into(), scores.collect::<Vec<Option<f64>>>()),
            Column::new("trimmed".into(), trimmed.collect::<Vec<bool>>()),
            Column::new("weight".into(), weights.collect::<Vec<f64>>()),
        ]);
        Ok(DataFrame::new(rows, columns)?)
    }

    fn units(&self, cell: &ScoreCell) -> Column {
        let ranks = || cell.parts.iter().flat_map(|part| &part.ranks);
        let label = |rank: &u64| {
            let labels = self.labels.as_ref()?;
            labels.get(usize::try_from(*rank).ok()?).map(String::as_str)
        };
        let name = "unit".into();
        match &self.labels {
            None => Column::new(name, ranks().map(|rank| *rank as i64).collect::<Vec<_>>()),
            Some(_) if self.whole => {
                let number = |rank| label(rank).and_then(|label| label.parse().ok());
                Column::new(name, ranks().map(number).collect::<Vec<Option<i64>>>())
            }
            Some(_) => Column::new(name, ranks().map(label).collect::<Vec<_>>()),
        }
    }

    /// Periods as numbers, or as text if they are dates.
    fn periods(&self, name: &str, periods: &[Option<f64>]) -> Column {
        let text = |period: &Option<f64>| period.map(|period| shown(period, self.frequency));
        match self.frequency {
            None if self.whole_periods => {
                #[expect(clippy::cast_possible_truncation, reason = "whole and small")]
                let whole = |period: &Option<f64>| period.map(|period| period as i64);
                Column::new(name.into(), periods.iter().map(whole).collect::<Vec<_>>())
            }
            None => Column::new(name.into(), periods),
            Some(_) => Column::new(name.into(), periods.iter().map(text).collect::<Vec<_>>()),
        }
    }
}

fn is_whole_number(value: f64) -> bool {
    value.fract() == 0.0 && value.abs() < LARGEST_INTEGER
}

impl ScoreCell {
    fn len(&self) -> usize {
        self.parts.iter().map(|part| part.ranks.len()).sum()
    }
}
