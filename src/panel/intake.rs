//! From frames to the sample: what was seen of all rows decides, then every frame's rows are put in their place.

use polars::prelude::DataFrame;

use super::arrange::arrange;
use super::audit::SampleAudit;
use super::columns::{Roles, Rows};
use super::condition::Conditioning;
use super::formula::Evaluated;
use super::grid::{Grid, place};
use super::rules::{Rules, SampleOptions};
use super::sample::Panel;
use super::store::Storage;
use super::survey::{Observed, Survey};
use crate::error::{DidError, Result};
use crate::options::FixWeights;
use crate::progress::Progress;

/// What an estimator asks of its sample.
pub(crate) struct Request<'a> {
    pub roles: &'a Roles,
    pub options: SampleOptions,
    pub fix_weights: Option<FixWeights>,
    pub conditioning: Conditioning,
    pub storage: Storage,
    pub progress: Option<Progress>,
}

impl Request<'_> {
    /// Reports how far a stage has come.
    pub fn report(&self, stage: &'static str, done: u64, total: u64) {
        if let Some(progress) = &self.progress {
            progress.report(stage, done, total);
        }
    }
}

/// Called with the rows of a frame and their places.
pub(super) type Visit<'a> = dyn FnMut(&Rows, &[Grid]) -> Result<()> + 'a;

/// A frame's rows and what they show.
pub(super) struct Frame {
    rows: Rows,
    survey: Survey,
}

impl Frame {
    pub fn new(df: &DataFrame, request: &Request<'_>) -> Result<Self> {
        let rows = Rows::read(df, request.roles)?;
        let survey = Survey::new(&rows, request.roles, request.options.repeated_cross_sections)?;
        Ok(Self { rows, survey })
    }

    /// Places of the rows; the first unit in the sample has the rank `first`.
    pub fn place(&self, rules: &Rules, first: u32) -> Vec<Grid> {
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
    /// Rows with a positive weight.
    pub weighted: usize,
}

impl Intake {
    pub fn add(&mut self, frame: &Frame) {
        self.audit.rows_in += frame.rows.len;
        self.weighted += frame.rows.weighted();
        for (name, rows) in &frame.rows.missing {
            match self.audit.rows_missing.iter_mut().find(|(known, _)| known == name) {
                Some((_, count)) => *count += rows,
                None => self.audit.rows_missing.push((name.clone(), *rows)),
            }
        }
        self.covariates.get_or_insert_with(|| frame.rows.covariates.without_rows());
        self.units.extend(frame.survey.patterns.iter().map(|p| p.observed.clone()));
    }

    /// The rules of the sample, from what all frames show.
    pub fn rules(&self, request: &Request<'_>) -> Result<Rules> {
        match &request.roles.weights {
            Some(column) if self.weighted == 0 => Err(DidError::Weights {
                column: column.clone(),
                problem: format!(
                    "all weights of the {} rows are zero or missing; give a positive weight to the rows that count",
                    self.audit.rows_in
                ),
            }),
            _ => Rules::new(&self.units, &request.options, self.audit.clone()),
        }
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
