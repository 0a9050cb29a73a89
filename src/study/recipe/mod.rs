//! The whole recipe of a study as one page: [`Study`] says what is asked, [`StudyReport`] is the page with its tables and pictures.
//!
//! - Lives here: `options` (what is asked), `command` (the command lines that give the same), `run` (doing it step by step), `chapters` (the
//!   steps, one entry a chapter; the first are in `looks`), `page` (HTML), `folder` (what is written) and `digest` (of the data).
//! - May import: the rest of `study`, and everything below it.
//! - Must not import: `prelude` and `bin`. No number is formed here.

mod chapters;
mod command;
mod course;
mod digest;
mod folder;
mod looks;
mod options;
mod others;
mod page;
mod run;
mod step;

use crate::base::error::{DidError, Result};
use crate::engine::backend::DidBackend;
use crate::estimator::AttGt;
use crate::study::joint::{JointStudy, StudyEstimator};
use run::Fits;

pub use digest::FileDigest;
pub use options::{Study, Variant};
pub use step::{Chapter, Finding, Step, StepPicture};

/// A study as one page: chapters of steps in the order of the recipe, each step with its command, its table, its picture, its warnings,
/// and its error where it could not be made. It has no date and no times, so that the same study gives the same bytes.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
#[non_exhaustive]
pub struct StudyReport {
    /// What was asked.
    pub title: String,
    /// The data as they were named.
    pub data: String,
    /// The files of the data, with their digests.
    pub files: Vec<FileDigest>,
    /// The command that makes the report, if it is known.
    pub command: Option<String>,
    /// A date to print, if one was given.
    pub date: Option<String>,
    /// Folder that [`write`](Self::write) writes to, and that the commands name.
    pub folder: std::path::PathBuf,
    /// The numbers that a reader looks for first.
    pub findings: Vec<Finding>,
    /// The chapters.
    pub chapters: Vec<Chapter>,
}

impl Study {
    /// Goes through all steps on the first device of the backend. A step that fails carries its error, and the rest goes on:
    /// [`StudyReport::failures`].
    ///
    /// # Errors
    /// [`DidError::Io`], [`DidError::File`] and others if there are no such data; [`DidError::Config`] without a variant, for names of
    /// variants that are empty, have a comma or give the same file name; [`DidError::Formula`].
    pub fn report<B: DidBackend>(&self) -> Result<StudyReport> {
        self.report_on_devices::<B>(&[B::Device::default()])
    }

    /// [`report`](Self::report) on some devices.
    ///
    /// # Errors
    /// As [`report`](Self::report).
    pub fn report_on_devices<B: DidBackend>(&self, devices: &[B::Device]) -> Result<StudyReport> {
        self.check()?;
        let files = digest::of(self.data.path())?;
        let fit = |variant: &Variant| {
            let estimator = AttGt::<B>::builder()
                .outcome(&*self.outcome)
                .maybe_unit(self.unit.clone())
                .time(&*self.time)
                .group(&*self.group)
                .maybe_frequency(self.frequency)
                .covariates(variant.covariates.as_ref().unwrap_or(&self.covariates))
                .maybe_weights(self.weights.clone())
                .maybe_cluster(self.cluster.clone())
                .maybe_missing_values(self.missing_values.clone())
                .repeated_cross_sections(self.repeated_cross_sections)
                .allow_unbalanced_panel(self.allow_unbalanced_panel)
                .control_group(variant.control_group)
                .base_period(variant.base_period.unwrap_or(self.base_period))
                .anticipation(self.anticipation)
                .method(variant.method)
                .weighting(self.weighs(variant))
                .alpha(self.alpha)
                .maybe_bootstrap(self.bootstrap)
                .maybe_band(self.band)
                .precision(self.precision)
                .maybe_memory_budget(self.memory_budget)
                .maybe_progress(self.progress.clone())
                .build();
            estimator.fit_on_devices(self.data.clone(), devices)
        };
        let several = || self.joint::<B>();
        let first = devices.first().cloned().unwrap_or_default();
        let fits = Fits {
            variant: &fit,
            joint: &|| several()?.fit_on(self.data.clone(), &first),
            curve: &|| several()?.specification_curve_on(self.data.clone(), &self.vary, &first),
        };
        let (chapters, findings) = course::all(self, &fits);
        Ok(StudyReport {
            title: self.title.clone().unwrap_or_else(|| format!("A study of {}", self.outcome)),
            data: self.data.path().display().to_string(),
            files,
            command: self.command.clone(),
            date: self.date.clone(),
            folder: self.folder.clone(),
            findings,
            chapters,
        })
    }

    /// Several estimators of the sample, by the choices of the main variant.
    fn joint<B: DidBackend>(&self) -> Result<JointStudy<B>> {
        let Some(unit) = &self.unit else {
            return Err(DidError::config("estimators", "asked of a panel, with a unit", "none"));
        };
        let main = &self.variants[0];
        Ok(JointStudy::<B>::builder()
            .outcome(&*self.outcome)
            .unit(&**unit)
            .time(&*self.time)
            .group(&*self.group)
            .covariates(main.covariates.as_ref().unwrap_or(&self.covariates))
            .maybe_weights(self.weights.clone())
            .maybe_cluster(self.cluster.clone())
            .maybe_frequency(self.frequency)
            .control_group(main.control_group)
            .anticipation(self.anticipation)
            .estimators(self.asked_estimators())
            .maybe_min_e(self.event_study().min_e)
            .maybe_max_e(self.event_study().max_e)
            .maybe_missing_values(self.missing_values.clone())
            .maybe_band(self.band)
            .alpha(self.alpha)
            .precision(self.precision)
            .build())
    }

    /// The estimators of the joint study and of the specification curve.
    fn asked_estimators(&self) -> Vec<StudyEstimator> {
        match self.estimators.as_slice() {
            [] => vec![StudyEstimator::CallawaySantAnna],
            asked => asked.to_vec(),
        }
    }

    /// An error for what would fail in every step.
    fn check(&self) -> Result<()> {
        let wrong =
            |expected: &'static str, got: String| DidError::config("variants", expected, got);
        if self.variants.is_empty() {
            return Err(wrong("one or more", "none".into()));
        }
        for (index, variant) in self.variants.iter().enumerate() {
            let name = &variant.name;
            let same = |other: &Variant| other.file_name() == variant.file_name();
            if variant.file_name().is_empty() || name.contains(',') {
                let expected = "with names that have a letter or a digit, and no comma";
                return Err(wrong(expected, format!("`{name}`")));
            }
            if chapters::is_step(&variant.file_name(), self) {
                let expected = "with other names than those of the report's steps";
                return Err(wrong(expected, format!("`{name}`")));
            }
            if let Some(other) = self.variants[..index].iter().find(|other| same(other)) {
                let got = format!("`{}` and `{name}`", other.name);
                return Err(wrong("of names that differ in letters or digits", got));
            }
        }
        self.columns_of_covariates().map(drop)
    }
}

impl StudyReport {
    /// What could not be made: the name of the step and its error.
    #[must_use]
    pub fn failures(&self) -> Vec<(&str, &str)> {
        let steps = self.chapters.iter().flat_map(|chapter| &chapter.steps);
        let errors = steps.flat_map(|step| step.errors.iter().map(move |error| (step, error)));
        errors.map(|(step, error)| (step.name.as_str(), error.as_str())).collect()
    }

    /// The software with its version, as the page names it.
    #[must_use]
    pub fn software() -> &'static str {
        concat!("burn-did ", env!("CARGO_PKG_VERSION"))
    }
}
