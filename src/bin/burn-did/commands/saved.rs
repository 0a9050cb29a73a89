//! What a file of results has.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use burn_did::{DidError, EventStudy, RegressionResult};
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
    /// A saved result of `honest`.
    Honest,
    /// A saved result of `npiv`.
    Function,
    /// A saved result of `drdid`.
    TwoPeriods,
    /// What `--format json` wrote.
    Printed,
    /// A saved result of `att-gt` or `ddd`, or something else, which is said by who reads it.
    GroupTime,
}

impl Saved {
    pub(super) fn of(path: &Path) -> Result<Self> {
        #[derive(Deserialize)]
        struct Probe {
            estimator: Option<String>,
            betahat: Option<IgnoredAny>,
            placebos: Option<IgnoredAny>,
            curves: Option<IgnoredAny>,
            intervals: Option<IgnoredAny>,
            x_segments: Option<IgnoredAny>,
            coefficients: Option<IgnoredAny>,
            n_treated: Option<IgnoredAny>,
        }
        let io = |source| DidError::Io { path: path.display().to_string(), source };
        let open = || File::open(path).map(BufReader::new).map_err(io);
        let probe: std::result::Result<Probe, _> = serde_json::from_reader(open()?);
        Ok(match probe {
            // A number that JSON does not have is said by who reads the study.
            Err(_) if has_word(open()?, "\"betahat\"") => Self::Study,
            Ok(Probe { estimator: Some(_), .. }) => Self::Printed,
            Ok(Probe { betahat: Some(_), .. }) => Self::Study,
            Ok(Probe { placebos: Some(_), .. }) => Self::Switching,
            Ok(Probe { curves: Some(_), .. }) => Self::Doses,
            Ok(Probe { intervals: Some(_), .. }) => Self::Honest,
            Ok(Probe { x_segments: Some(_), .. }) => Self::Function,
            Ok(Probe { coefficients: Some(_), .. }) => Self::Regression,
            Ok(Probe { n_treated: Some(_), .. }) => Self::TwoPeriods,
            _ => Self::GroupTime,
        })
    }

    /// The error of a command that cannot use the file, and reads `what`.
    pub(super) fn refused(self, path: &Path, what: &str) -> CliError {
        let (is, hint) = match self {
            Self::Study => ("is an event study", "`burn-did honest` reads it"),
            Self::Switching => {
                ("was saved by did-multiplegt", "`burn-did honest` and `burn-did plot` read it")
            }
            Self::Doses => {
                ("was saved by cont-did", "`burn-did honest` and `burn-did plot` read it")
            }
            Self::Regression => {
                ("was saved by feols", "`burn-did honest` and `burn-did plot` read it")
            }
            Self::Honest => ("was saved by honest", "`burn-did plot` draws it"),
            Self::Function => ("was saved by npiv", "`burn-did plot` draws it"),
            Self::TwoPeriods => (
                "was saved by drdid",
                "it is one estimate, of which there is nothing to average or draw",
            ),
            Self::Printed => (
                "was printed by --format json, which cannot be read back",
                "estimate again with --save FILE, and name that file",
            ),
            Self::GroupTime => (
                "was saved by att-gt or ddd",
                "`burn-did aggregate`, `burn-did honest` and `burn-did plot` read it",
            ),
        };
        let problem = format!("{} {is}; this command reads {what}", path.display());
        CliError::File { problem, hint }
    }
}

/// Whether a word stands in a line of a file.
fn has_word(lines: impl BufRead, word: &str) -> bool {
    lines.lines().map_while(std::result::Result::ok).any(|line| line.contains(word))
}

/// The coefficients of the first `i()` of a regression.
pub(super) fn event_study(fit: &RegressionResult, needs: &'static str) -> Result<EventStudy> {
    let Some(first) = fit.event_studies().next() else {
        return Err(CliError::usage(needs, "add one, as in i(event_time, ref = -1)"));
    };
    Ok(fit.event_study(first)?)
}
