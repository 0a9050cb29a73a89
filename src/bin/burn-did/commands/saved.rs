//! What a file of results has.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use burn_did::{DidError, EventStudy, RegressionResult, SavedResult};

use crate::error::{CliError, Result};

/// Reads a saved result, or an event study in the words of R `HonestDiD`.
pub(super) fn result_or_study(path: &Path) -> Result<SavedResult> {
    match SavedResult::load(path) {
        Err(DidError::Json(_)) if has_word(path, "\"betahat\"") => {
            Ok(SavedResult::EventStudy(Box::new(EventStudy::import(path)?)))
        }
        saved => Ok(saved?),
    }
}

/// The error of a command that cannot use a result, and reads `what`.
pub(super) fn refused(saved: &SavedResult, path: &Path, what: &str) -> CliError {
    let both = "`burn-did honest`, `burn-did pretrends` and `burn-did plot` read it";
    let (is, hint) = match saved {
        SavedResult::GroupTime(_) => (
            "was saved by att-gt or ddd",
            "`burn-did aggregate`, `burn-did honest`, `burn-did pretrends` and `burn-did plot` read it",
        ),
        SavedResult::Multiplegt(_) => ("was saved by did-multiplegt", both),
        SavedResult::ContDid(_) => ("was saved by cont-did", both),
        SavedResult::Regression(_) => ("was saved by feols", both),
        SavedResult::Honest(_) => ("was saved by honest", "`burn-did plot` draws it"),
        SavedResult::Pretrends(_) => ("was saved by pretrends", "`burn-did plot` draws it"),
        SavedResult::Npiv(_) => ("was saved by npiv", "`burn-did plot` draws it"),
        SavedResult::Drdid(_) => (
            "was saved by drdid",
            "it is a single estimate, so there is nothing to average or analyse",
        ),
        SavedResult::Aggregated(_) => ("is an average of effects", both),
        SavedResult::EventStudy(_) => ("is an event study", both),
        SavedResult::SunAbraham(_) => ("was saved by sunab", both),
        _ => ("has another result", both),
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
