//! What a file of results has.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use burn_did::group_time::AggregationKind;
use burn_did::joint_study::EstimatorOfStudy;
use burn_did::{
    Aggregation, DidError, EventStudy, JointStudyResult, RegressionResult, SavedResult,
};
use clap::Args;

use crate::error::{CliError, Result};
use crate::formed::AggregateSpec;

/// Reads a saved result, or an event study in the words of R `HonestDiD`.
pub(super) fn result_or_study(path: &Path) -> Result<SavedResult> {
    match SavedResult::load(path) {
        Err(DidError::Json(_)) if has_word(path, "\"betahat\"") => {
            Ok(SavedResult::EventStudy(Box::new(EventStudy::import(path)?)))
        }
        saved => Ok(saved?),
    }
}

/// A file with an event study that is to be analysed.
#[derive(Args)]
pub(crate) struct EventStudyArgs {
    /// Result saved with `--save` by `burn-did att-gt`, `aggregate`, `ddd`, `cont-did`, `did-multiplegt`, `etwfe`, `imputation`,
    /// `two-stage`, `lpdid`, `stacked`, `sunab`, `study` or `feols` (with an `i()`), or an event study as a JSON object of `betahat`,
    /// `sigma`, `num_pre_periods` and `num_post_periods` (the reference period left out).
    #[arg(help_heading = None)]
    pub file: PathBuf,
    /// Window of the event study of a result of att-gt or ddd, as in dynamic:min_e=-5,max_e=5,na_rm=true.
    #[arg(long, value_name = "dynamic[:OPTION=VALUE,...]", help_heading = "Event study")]
    aggregate: Option<AggregateSpec>,
    /// Which event study of a file that has several: the estimator of a study (cs, bjs, ...), the variable of a regression's `i()`, or the
    /// level of the moderator of an etwfe.
    #[arg(long, value_name = "NAME", allow_hyphen_values = true, help_heading = "Event study")]
    term: Option<String>,
}

impl EventStudyArgs {
    /// What the file has, or the average that is asked for of group-time effects.
    pub fn read(&self) -> Result<EventStudy> {
        let dynamic = |asked: &AggregateSpec| asked.aggregation.kind == AggregationKind::Dynamic;
        if !self.aggregate.as_ref().is_none_or(dynamic) {
            return Err(CliError::usage(
                "--aggregate must be dynamic: an event study is analysed",
                "as in --aggregate dynamic:min_e=-5",
            ));
        }
        let saved = result_or_study(&self.file)?;
        if self.aggregate.is_some() && !matches!(saved, SavedResult::GroupTime(_)) {
            return Err(CliError::usage(
                "--aggregate is given, and the file has an event study",
                "leave out --aggregate, or name a saved result of att-gt or ddd",
            ));
        }
        let has_several = matches!(
            saved,
            SavedResult::JointStudy(_) | SavedResult::Regression(_) | SavedResult::Etwfe(_)
        );
        if self.term.is_some() && !has_several {
            return Err(CliError::usage(
                "--term is given, and the file has one event study",
                "leave out --term, or name a saved result of study, feols or etwfe",
            ));
        }
        Ok(match saved {
            SavedResult::EventStudy(study) => *study,
            SavedResult::SunAbraham(fit) => fit.event_study,
            SavedResult::Imputation(fit) => fit.event_study(),
            SavedResult::TwoStage(fit) => fit.event_study(),
            SavedResult::Aggregated(average) => average.event_study()?,
            SavedResult::Multiplegt(fit) => fit.event_study(),
            SavedResult::LocalProjections(fit) => fit.event_study(),
            SavedResult::Stacked(fit) => fit.event_study(),
            SavedResult::Etwfe(fit) => match &self.term {
                None => fit.event_study(),
                Some(level) => fit.event_study_of(level).ok_or_else(|| {
                    let levels = fit.by_level.iter().map(|of| of.level.as_str());
                    unknown_term(level, levels.collect())
                })?,
            },
            SavedResult::Regression(fit) => match &self.term {
                None => event_study(&fit, "the regression has no i(), and so no event study")?,
                Some(variable) => fit.event_study(variable)?,
            },
            SavedResult::JointStudy(fit) => self.of_joint_study(&fit)?,
            SavedResult::ContDid(fit) => fit.event_study(fit.target)?,
            SavedResult::GroupTime(fit) => {
                let asked = self.aggregate.as_ref();
                let aggregation =
                    asked.map_or_else(Aggregation::dynamic, |asked| asked.aggregation);
                fit.aggregate(aggregation)?.event_study()?
            }
            other => {
                let reads = "what --save of att-gt, ddd, cont-did, did-multiplegt, etwfe, imputation, two-stage, lpdid, stacked, sunab, study or feols wrote, or an event study";
                return Err(refused(&other, &self.file, reads));
            }
        })
    }

    fn of_joint_study(&self, fit: &JointStudyResult) -> Result<EventStudy> {
        let ran: Vec<&EstimatorOfStudy> =
            fit.estimators.iter().filter(|of| of.event_study.is_some()).collect();
        let names = || ran.iter().map(|of| of.estimator.word()).collect::<Vec<&str>>();
        match (&self.term, ran.as_slice()) {
            (None, [EstimatorOfStudy { event_study: Some(only), .. }]) => Ok(only.clone()),
            (None, _) => Err(CliError::usage(
                "the study has the event studies of several estimators",
                format!("name one by --term: {}", names().join(", ")),
            )),
            (Some(term), _) => term
                .parse()
                .ok()
                .and_then(|estimator| fit.event_study(estimator))
                .cloned()
                .ok_or_else(|| unknown_term(term, names())),
        }
    }
}

/// The error of an event study that a file does not have.
fn unknown_term(term: &str, terms: Vec<&str>) -> CliError {
    let hint = match terms.is_empty() {
        true => "leave out --term".to_owned(),
        false => format!("it has those of {}", terms.join(", ")),
    };
    CliError::usage(format!("the file has no event study of `{term}` (--term)"), hint)
}

/// The error of a command that cannot use a result, and reads `what`.
pub(super) fn refused(saved: &SavedResult, path: &Path, what: &str) -> CliError {
    let both = "`burn-did honest`, `burn-did pretrends` and `burn-did plot` read it";
    let drawn = "`burn-did plot` draws it";
    let (is, hint) = match saved {
        SavedResult::GroupTime(_) => (
            "was saved by att-gt or ddd",
            "`burn-did aggregate`, `burn-did honest`, `burn-did pretrends` and `burn-did plot` read it",
        ),
        SavedResult::Multiplegt(_) => ("was saved by did-multiplegt", both),
        SavedResult::ContDid(_) => (
            "was saved by cont-did",
            "`burn-did aggregate`, `burn-did honest`, `burn-did pretrends` and `burn-did plot` read it",
        ),
        SavedResult::Regression(_) => ("was saved by feols", both),
        SavedResult::Etwfe(_) => ("was saved by etwfe", both),
        SavedResult::Stacked(_) => ("was saved by stacked", both),
        SavedResult::LocalProjections(_) => ("was saved by lpdid", both),
        SavedResult::Honest(_) => ("was saved by honest", drawn),
        SavedResult::Pretrends(_) => ("was saved by pretrends", drawn),
        SavedResult::Npiv(_) => ("was saved by npiv", drawn),
        SavedResult::Bacon(_) => ("was saved by bacon", drawn),
        SavedResult::TwfeWeights(_) => ("was saved by twfe-weights", drawn),
        SavedResult::Drdid(_) => (
            "was saved by drdid",
            "it is a single estimate, so there is nothing to average or analyse",
        ),
        SavedResult::Aggregated(average) => match average.aggregation.kind {
            AggregationKind::Dynamic => ("is an average of effects by event time", both),
            _ => ("is an average of effects", drawn),
        },
        SavedResult::EventStudy(_) => ("is an event study", both),
        SavedResult::SunAbraham(_) => ("was saved by sunab", both),
        SavedResult::Imputation(_) => ("was saved by imputation", both),
        SavedResult::TwoStage(_) => ("was saved by two-stage", both),
        SavedResult::JointStudy(_) => ("was saved by study", both),
        SavedResult::SpecificationCurve(_) => ("was saved by study with --vary", drawn),
        SavedResult::Description(_) => ("was saved by describe", drawn),
        SavedResult::PanelView(_) => ("was saved by panelview", drawn),
        SavedResult::CohortMeans(_) => ("was saved by means", drawn),
        SavedResult::Balance(_) => ("was saved by balance", drawn),
        SavedResult::Weighting(_) => ("was saved by weighting", drawn),
        SavedResult::Overlap(_) => ("was saved by overlap", drawn),
        _ => ("has another result", drawn),
    };
    let problem = format!("{} {is}; this command reads {what}", path.display());
    CliError::File { problem, hint }
}

/// Whether a word stands in a line of a file.
fn has_word(path: &Path, word: &str) -> bool {
    let lines = File::open(path).map(|file| BufReader::new(file).lines());
    lines
        .is_ok_and(|lines| lines.map_while(std::result::Result::ok).any(|line| line.contains(word)))
}

/// The coefficients of the first `i()` of a regression.
pub(super) fn event_study(fit: &RegressionResult, needs: &'static str) -> Result<EventStudy> {
    let Some(first) = fit.event_studies().next() else {
        return Err(CliError::usage(needs, "add one, as in i(event_time, ref = -1)"));
    };
    Ok(fit.event_study(first)?)
}
