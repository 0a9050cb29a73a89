//! What a file of results has.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use burn_did::{DidError, RegressionEventStudy, RegressionResult};
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::error::{CliError, Result};

/// What a file has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Saved {
    /// The coefficients of an event study.
    Study,
    /// A saved result of `did-multiplegt`.
    Switching,
    /// A saved result of `cont-did`.
    Doses,
    /// A saved result of `feols`.
    Regression,
    /// A saved result of group-time effects, or something else, which is said by who reads it.
    GroupTime,
}

impl Saved {
    pub(super) fn of(path: &Path) -> Result<Self> {
        #[derive(Deserialize)]
        struct Probe {
            betahat: Option<IgnoredAny>,
            placebos: Option<IgnoredAny>,
            curves: Option<IgnoredAny>,
            coefficients: Option<IgnoredAny>,
        }
        let io = |source| DidError::Io { path: path.display().to_string(), source };
        let open = || File::open(path).map(BufReader::new).map_err(io);
        let probe: std::result::Result<Probe, _> = serde_json::from_reader(open()?);
        Ok(match probe {
            // A number that JSON does not have is said by who reads the study.
            Err(_) if has_word(open()?, "\"betahat\"") => Self::Study,
            Ok(Probe { betahat: Some(_), .. }) => Self::Study,
            Ok(Probe { placebos: Some(_), .. }) => Self::Switching,
            Ok(Probe { curves: Some(_), .. }) => Self::Doses,
            Ok(Probe { coefficients: Some(_), .. }) => Self::Regression,
            _ => Self::GroupTime,
        })
    }
}

/// Whether a word stands in a line of a file.
fn has_word(lines: impl BufRead, word: &str) -> bool {
    lines.lines().map_while(std::result::Result::ok).any(|line| line.contains(word))
}

/// The coefficients of the first `i()` of a regression.
pub(super) fn event_study(
    fit: &RegressionResult,
    needs: &'static str,
) -> Result<RegressionEventStudy> {
    let Some(first) = fit.event_studies().next() else {
        return Err(CliError::usage(needs, "add one, as in i(event_time, ref = -1)"));
    };
    Ok(fit.event_study(first)?)
}
