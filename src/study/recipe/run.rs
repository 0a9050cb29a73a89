//! Doing what is asked, step by step.

use super::command::Command;
use super::options::{Study, Variant};
use super::step::{Finding, Step, StepPicture};
use crate::base::error::{DidError, Message, Result};
use crate::estimator::GroupTimeResult;
use crate::report::contract::Report;
use crate::report::plot::{self, PlotOptions};
use crate::report::table::Table;
use crate::study::curve::SpecificationCurve;
use crate::study::explore::Explore;
use crate::study::joint::JointStudyResult;

/// What is estimated on the devices of the report.
pub(super) struct Fits<'a> {
    /// A variant.
    pub variant: &'a dyn Fn(&Variant) -> Result<GroupTimeResult>,
    /// Several estimators.
    pub joint: &'a dyn Fn() -> Result<JointStudyResult>,
    /// All combinations of choices.
    pub curve: &'a dyn Fn() -> Result<SpecificationCurve>,
}

/// A report in the making.
pub(super) struct Run<'a> {
    pub study: &'a Study,
    pub fit: &'a Fits<'a>,
    /// The estimates of each variant, where there are any.
    pub fits: Vec<Option<GroupTimeResult>>,
    pub findings: Vec<Finding>,
    /// Steps of the chapter that is open.
    pub steps: Vec<Step>,
}

/// What a step made, or why it could not.
pub(super) type Made<R> = std::result::Result<R, String>;

/// What a step is, before it is made.
pub(super) struct Plan {
    pub name: String,
    pub title: String,
    pub command: Command,
    /// What its picture shows; without it nothing is drawn.
    pub alt: Option<String>,
}

/// The message of an error.
pub(super) fn said<R>(made: Result<R>) -> Made<R> {
    made.map_err(|error: DidError| error.to_string())
}

impl Run<'_> {
    /// A first look at the data.
    pub fn explore(&self, columns: &[String]) -> Explore {
        Explore::builder()
            .time(&*self.study.time)
            .group(&*self.study.group)
            .maybe_unit(self.study.unit.clone())
            .outcome(&*self.study.outcome)
            .covariates(columns)
            .maybe_weights(self.study.weights.clone())
            .maybe_frequency(self.study.frequency)
            .anticipation(self.study.anticipation)
            .alpha(self.study.alpha)
            .maybe_missing_values(self.study.missing_values.clone())
            .maybe_memory_budget(self.study.memory_budget)
            .maybe_progress(self.study.progress.clone())
            .build()
    }

    /// The estimates of the main variant with the name of their step.
    pub fn main(&self) -> (Made<&GroupTimeResult>, String) {
        let variant = &self.study.variants[0];
        let fit = self.fits.first().and_then(Option::as_ref);
        let missing =
            || format!("it needs the estimates `{}`, which could not be made", variant.name);
        (fit.ok_or_else(missing), variant.file_name())
    }

    /// Adds a step with its table, its picture and its warnings, and gives the result back.
    pub fn show<R: Report>(&mut self, plan: Plan, made: Made<R>) -> Option<R> {
        let mut step = Step::of(&plan);
        let made = match made {
            Ok(result) => {
                step.put(result.printed(), result.messages());
                let options = PlotOptions::default();
                let drawn = || plot::documents(&options, || result.picture(&options));
                step.draw(plan.alt, drawn);
                Some(result)
            }
            Err(error) => {
                step.errors.push(error);
                None
            }
        };
        self.steps.push(step);
        made
    }

    /// Adds a number that a reader looks for first.
    pub fn find(&mut self, name: impl Into<String>, value: impl Into<String>, step: &str) {
        self.findings.push(Finding {
            name: name.into(),
            value: value.into(),
            step: step.to_owned(),
        });
    }
}

impl Step {
    /// A step that is not yet made.
    pub(super) fn of(plan: &Plan) -> Self {
        Self {
            name: plan.name.clone(),
            title: plan.title.clone(),
            command: plan.command.to_string(),
            ..Self::default()
        }
    }

    /// Adds the table, and the warnings that it does not have in its notes.
    pub(super) fn put(&mut self, table: Table, warnings: Vec<Message>) {
        let said =
            |warning: &String| table.notes.iter().any(|note| note.contains(warning.as_str()));
        let warnings = warnings.into_iter().map(|warning| warning.text);
        self.warnings.extend(warnings.filter(|warning| !said(warning)));
        self.table = Some(table);
    }

    /// Adds the picture, if there is to be one.
    pub(super) fn draw(
        &mut self,
        alt: Option<String>,
        drawn: impl FnOnce() -> Result<(String, Vec<u8>)>,
    ) {
        let Some(alt) = alt else { return };
        match drawn() {
            Ok((svg, pdf)) => self.picture = Some(StepPicture { svg, pdf, alt }),
            Err(error) => self.errors.push(format!("its picture: {error}")),
        }
    }
}
