//! From frames to the sample: what was seen of all rows decides, then every frame's rows are put in their place.

use std::borrow::Cow;

use polars::prelude::{DataFrame, IntoColumn};

use super::arrange::arrange;
use super::audit::SampleAudit;
use super::columns::{Roles, Rows};
use super::formula::{Evaluated, Texts};
use super::grid::{Grid, place};
use super::missing::{MissingValues, ReadAsMissing, add_counts};
use super::rules::{Rules, SampleOptions};
use super::sample::Panel;
use super::sizes::{Cells, Distinct, check_cells};
use super::store::Storage;
use super::survey::{Observed, Survey};
use crate::error::{DidError, DidWarning, Result};
use crate::options::FixWeights;

/// What an estimator asks of its sample.
pub(crate) struct Request<'a> {
    pub roles: &'a Roles,
    pub options: SampleOptions,
    pub fix_weights: Option<FixWeights>,
    /// Whether estimates depend on changes of a unit's outcomes only.
    pub changes: bool,
    /// What will be formed of the sample.
    pub cells: Cells,
    pub storage: Storage,
    pub missing: MissingValues,
}

/// Called with the rows of a frame and their places.
pub(super) type Visit<'a> = dyn FnMut(&Rows, &[Grid]) -> Result<()> + 'a;

/// A frame's rows and what they show.
pub(super) struct Frame {
    rows: Rows,
    survey: Survey,
    read_as_missing: Vec<ReadAsMissing>,
}

/// The rows of a frame whose first has the number `first_row`, without what stands for a missing value.
pub(super) fn read(
    df: &DataFrame,
    request: &Request<'_>,
    first_row: usize,
) -> Result<(Rows, Vec<ReadAsMissing>)> {
    let mut df = Cow::Borrowed(df);
    let mut all = Vec::new();
    for name in request.roles.names() {
        let Ok(column) = df.column(&name) else { continue };
        let cleaned = request.missing.clean(column.as_materialized_series())?;
        if let Some((series, counts)) = cleaned {
            df.to_mut().with_column(series.into_column())?;
            all.extend(counts.of(&name));
        }
    }
    let mut rows = Rows::read(&df, request.roles, first_row)?;
    for taken in &all {
        rows.texts.take(&taken.column, &taken.token);
    }
    Ok((rows, all))
}

impl Frame {
    pub fn new(df: &DataFrame, request: &Request<'_>) -> Result<Self> {
        let (rows, read_as_missing) = read(df, request, 0)?;
        let survey = Survey::new(&rows, request.roles, request.options.repeated_cross_sections)?;
        Ok(Self { rows, survey, read_as_missing })
    }

    /// Places of the rows; the first unit in the sample has the rank `first`.
    pub fn place(&self, rules: &Rules, first: u64) -> Vec<Grid> {
        place(&self.rows, &self.survey, rules, first)
    }

    pub fn rows(&self) -> &Rows {
        &self.rows
    }
}

/// What all frames together show.
#[derive(Default)]
pub(super) struct Intake {
    pub audit: SampleAudit,
    pub units: Vec<Observed>,
    /// Covariates of the first frame.
    pub covariates: Option<Evaluated>,
    texts: Texts,
    /// Rows with a positive weight.
    pub weighted: usize,
    /// Columns with integers that are too large to be doubles.
    rounded: Vec<String>,
    /// Periods and groups, where there are several frames.
    pub values: Distinct,
}

impl Intake {
    /// Nothing yet; `audit` says where the rows come from.
    pub fn new(audit: SampleAudit) -> Self {
        Self { audit, ..Self::default() }
    }

    pub fn add(&mut self, frame: &Frame) -> Result<()> {
        let covariates =
            self.covariates.get_or_insert_with(|| frame.rows.covariates.without_rows());
        if let Some(column) = covariates.other_kind(&frame.rows.covariates) {
            return Err(DidError::ColumnType {
                column: column.to_owned(),
                role: "covariate",
                expected: "one type in all pieces of the data",
                got: "numbers in one piece and categories in another".into(),
            });
        }
        add_counts(&mut self.audit.read_as_missing, &frame.read_as_missing);
        self.texts.join(&frame.rows.texts);
        self.audit.rows_in += frame.rows.len;
        self.weighted += frame.rows.weighted();
        for (name, rows) in &frame.rows.missing {
            match self.audit.rows_missing.iter_mut().find(|(known, _)| known == name) {
                Some((_, count)) => *count += rows,
                None => self.audit.rows_missing.push((name.clone(), *rows)),
            }
        }
        for column in &frame.rows.rounded {
            if !self.rounded.contains(column) {
                self.rounded.push(column.clone());
            }
        }
        self.units.extend(frame.survey.patterns.iter().map(|p| p.observed.clone()));
        Ok(())
    }

    /// The rules of the sample, from what all frames show.
    pub fn rules(&self, request: &Request<'_>) -> Result<Rules> {
        self.texts.check()?;
        let rules = match &request.roles.weights {
            Some(column) if self.weighted == 0 => Err(DidError::Weights {
                column: column.clone(),
                problem: format!(
                    "all weights of the {} rows are zero or missing; give a positive weight to the rows that count",
                    self.audit.rows_in
                ),
            }),
            _ => {
                let mut rules = Rules::new(&self.units, &request.options, self.audit.clone())?;
                if !self.rounded.is_empty() {
                    let columns = self.rounded.clone();
                    rules.warnings.push(DidWarning::RoundedIntegers { columns });
                }
                Ok(rules)
            }
        }?;
        check_cells(&rules, request)?;
        Ok(rules)
    }

    /// Puts the rows that `frames` shows in their places.
    pub fn arrange(
        &self,
        rules: &Rules,
        request: &Request<'_>,
        frames: &dyn Fn(&mut Visit<'_>) -> Result<()>,
    ) -> Result<Panel> {
        let none = DidError::EmptySample { after: "in the data", remedy: "check the files" };
        let covariates = self.covariates.as_ref().ok_or(none)?;
        arrange(rules, self, covariates, request, frames)
    }
}
