//! What ends a command early.

use std::fmt;

use burn_did::DidError;

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
    /// The library refuses or fails.
    Did(DidError),
    /// Standard output cannot be written.
    Output(std::io::Error),
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
            Self::Did(_) | Self::Output(_) => 1,
        }
    }

    /// What to do about it, where the message does not say so in the words of the command line.
    pub(crate) fn hint(&self) -> Option<&str> {
        match self {
            Self::Usage { hint, .. } => hint.as_deref(),
            Self::Did(error) => hint(error),
            Self::Output(_) => None,
        }
    }
}

fn hint(error: &DidError) -> Option<&'static str> {
    Some(match error {
        DidError::Config { option: "unit", .. } => {
            "name the unit column by --idname, or add --repeated-cross-sections"
        }
        DidError::Config { option: "effect", .. } => {
            "give --l-vec one number a period after the reference, or --event-time one of them"
        }
        DidError::Config { option: "data", .. } => "convert the file to CSV or parquet",
        DidError::ColumnType { role: "group", got, .. } if got.starts_with("text") => {
            "if the word stands for never treated, or for a missing value, name it by --na, as in --na never"
        }
        DidError::ColumnType { got, .. } if got.starts_with("text") => {
            "name words for missing values as in --na NA,-99"
        }
        DidError::Dates { .. } => "add --frequency month, or another",
        DidError::DuplicateRow { .. } => {
            "for rows that are not a panel, add --repeated-cross-sections and leave out --idname"
        }
        DidError::EmptySample { after, .. } if after.contains("balancing") => {
            "`att-gt` and `ddd` keep units that are missing in some periods with --allow-unbalanced-panel; otherwise add \
             --repeated-cross-sections and leave out --idname"
        }
        DidError::SmallNeverTreated { .. } => "add --control-group notyettreated",
        DidError::IndicatorAsGroup { .. } => {
            "name the column with the first treated period by --gname; to compare two groups in two periods by such a column, use \
             `burn-did drdid --treatname`"
        }
        DidError::MissingCells { .. } => "add na_rm=true, as in --aggregate dynamic:na_rm=true",
        DidError::Precision { .. } => "add --precision f32",
        DidError::Json(_) => {
            "the file must be one that `--save FILE` of an estimating command wrote; `honest` also takes an event study written by hand, \
             whose form `burn-did help honest` shows"
        }
        _ => return None,
    })
}

impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage { problem, .. } => f.write_str(problem),
            Self::Did(DidError::Config { option: "effect", expected, got }) => {
                write!(f, "--event-time or --l-vec must be {expected}, got {got}")
            }
            Self::Did(error) => error.fmt(f),
            Self::Output(error) => write!(f, "standard output: {error}"),
        }
    }
}

impl From<DidError> for CliError {
    fn from(error: DidError) -> Self {
        Self::Did(error)
    }
}
