//! What ends a command early.

use std::borrow::Cow;
use std::fmt;

use burn_did::DidError;

use crate::hints::hint;

/// Why a command failed.
#[derive(Debug)]
pub(crate) enum CliError {
    /// The command line asks for something impossible.
    Usage {
        /// What is wrong.
        problem: String,
        /// What to do.
        hint: Option<String>,
    },
    /// A file holds another kind of result than the command reads.
    File {
        /// What it is.
        problem: String,
        /// What reads it.
        hint: &'static str,
    },
    /// The library refuses or fails.
    Did(DidError),
    /// Standard output cannot be written.
    Output(std::io::Error),
    /// Something asked for could not be made, which was said.
    Said,
}

pub(crate) type Result<T> = std::result::Result<T, CliError>;

impl CliError {
    pub(crate) fn usage(problem: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Usage { problem: problem.into(), hint: Some(hint.into()) }
    }

    /// Exit status.
    pub(crate) fn code(&self) -> u8 {
        match self {
            Self::Usage { .. } | Self::Did(DidError::Config { .. } | DidError::Formula { .. }) => 2,
            Self::File { .. } | Self::Did(_) | Self::Output(_) | Self::Said => 1,
        }
    }

    /// A word for the kind of error, as [`DidError::code`].
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::Usage { .. } => "usage",
            Self::File { .. } => "json",
            Self::Did(error) => error.code(),
            Self::Output(_) => "io",
            Self::Said => "said",
        }
    }

    /// What to do about it, where the message does not say so in the words of the command line.
    pub(crate) fn hint(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Usage { hint, .. } => hint.as_deref().map(Cow::Borrowed),
            Self::File { hint, .. } => Some(Cow::Borrowed(hint)),
            Self::Did(error) => hint(error),
            Self::Output(_) | Self::Said => None,
        }
    }
}

impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage { problem, .. } | Self::File { problem, .. } => f.write_str(problem),
            Self::Did(DidError::Config { option: "effect", expected, got }) => {
                write!(f, "--event-time or --l-vec must be {expected}, got {got}")
            }
            Self::Did(DidError::Config { option: "variants", expected, got }) => {
                write!(f, "the tables [[estimate]] must be {expected}, got {got}")
            }
            Self::Did(DidError::Config { option: "models", expected, got }) => {
                write!(f, "the files must be {expected}, got {got}")
            }
            Self::Did(DidError::Config { option: "bootstrap draws", expected, got }) => {
                write!(f, "--biters must be {expected}, got {got}")
            }
            Self::Did(error) => error.fmt(f),
            Self::Output(error) => write!(f, "standard output: {error}"),
            Self::Said => f.write_str("not everything asked for could be made"),
        }
    }
}

impl From<DidError> for CliError {
    fn from(error: DidError) -> Self {
        Self::Did(error)
    }
}
