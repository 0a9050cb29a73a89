//! What ends a command early.

use std::ffi::OsString;
use std::fmt;

use burn_did::DidError;
use burn_did::options::{Frequency, Words};

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
            Self::File { .. } => "file",
            Self::Did(error) => error.code(),
            Self::Output(_) => "io",
            Self::Said => "said",
        }
    }

    /// What to do about it, where the message does not say so in the words of the command line.
    pub(crate) fn hint(&self) -> Option<&str> {
        match self {
            Self::Usage { hint, .. } => hint.as_deref(),
            Self::File { hint, .. } => Some(hint),
            Self::Did(error) => hint(error),
            Self::Output(_) | Self::Said => None,
        }
    }
}

/// What makes periods of dates.
const DATES: &str = "add --frequency month, or another";

/// As [`CliError::hint`], of an error of the library.
pub(crate) fn hint(error: &DidError) -> Option<&'static str> {
    Some(match error {
        DidError::Config { option: "unit", expected: "a column", .. } => {
            "name the unit column by --idname"
        }
        DidError::Config { option: "unit", .. } => {
            "name the unit column by --idname, or add --repeated-cross-sections"
        }
        DidError::Config { option: "effect", .. } => {
            "--l-vec takes one number per period after the reference, --event-time one of the event times after it"
        }
        DidError::Config { option: "variants", .. } => "see the key `name` of [[estimate]]",
        DidError::Config { option: "models", expected, .. } if expected.contains("in common") => {
            "with --aggregate, group-time effects stand beside other results by event time, as in --aggregate dynamic"
        }
        DidError::Config { option: "data", .. } => {
            "convert the file to CSV, parquet or Stata (.dta)"
        }
        DidError::ColumnType { role: "time" | "group", got, .. } if is_date(got) => DATES,
        DidError::ColumnType { role: "group", got, .. } if got.starts_with("text") => {
            "if the word stands for never treated, or for a missing value, name it by --na, as in --na never"
        }
        DidError::ColumnType { got, .. } if is_decimal_comma(got) => {
            "if the commas are decimal ones, add --decimal comma; otherwise write numbers without separators of thousands"
        }
        DidError::ColumnType { got, .. } if has_thousands(got) => {
            "write numbers without separators of thousands"
        }
        DidError::ColumnType { got, .. } if got.starts_with("text") => {
            "name words for missing values as in --na NA,-99"
        }
        DidError::Dates { .. } => DATES,
        DidError::DuplicateRow { remedy, .. } if remedy.contains("deduplicate") => return None,
        DidError::DuplicateRow { .. } => {
            "for rows that are not a panel, add --repeated-cross-sections and leave out --idname"
        }
        DidError::EmptySample { after, .. } if after.contains("balancing") => {
            "`att-gt` and `ddd` keep units that are missing in some periods with --allow-unbalanced-panel; otherwise add \
             --repeated-cross-sections and leave out --idname"
        }
        DidError::SmallNeverTreated { .. } => "add --control-group not_yet_treated",
        DidError::IndicatorAsGroup { .. } => {
            "name the column with the first treated period by --gname; to compare two groups in two periods by such a column, use \
             `burn-did drdid --treatname`"
        }
        DidError::NotBinary { role: "treatment", .. } => {
            "if the column holds first treated periods, name it by --gname of `burn-did att-gt`"
        }
        DidError::MissingCells { share: Some(0.0), .. } => {
            "na_rm=true, as in dynamic:na_rm=true, averages the cells that are left; these have no weight"
        }
        DidError::MissingCells { remedy, .. } if remedy.contains("covariates") => {
            "estimate with --est-method reg or fewer covariates in --xformla; na_rm=true, as in dynamic:na_rm=true, averages the \
             cells that are left, which is another average, and says what it leaves out"
        }
        DidError::MissingCells { remedy, .. } if remedy.contains("control group") => {
            "estimate with another --control-group; na_rm=true, as in dynamic:na_rm=true, averages the cells that are left, which is \
             another average, and says what it leaves out"
        }
        DidError::MissingCells { .. } => {
            "na_rm=true, as in dynamic:na_rm=true, averages the cells that are left, which is another average, and says what it \
             leaves out"
        }
        DidError::Precision { .. } => "add --precision f32",
        DidError::Json(_) => {
            "the file must be one that `--save FILE` of an estimating command wrote; `honest` and `pretrends` also take an event study written by hand, \
             whose form `burn-did help honest` shows"
        }
        _ => return None,
    })
}

/// A value of a column of text.
fn example(got: &str) -> Option<&str> {
    got.strip_prefix("text, as `").and_then(|rest| rest.strip_suffix('`'))
}

/// Whether a column is text that is a date, or another period of a calendar.
fn is_date(got: &str) -> bool {
    example(got)
        .is_some_and(|text| Frequency::WORDS.iter().any(|word| word.value.period(text).is_some()))
}

/// Whether a column is text, such as `0,25`, that is a number with a decimal comma.
fn is_decimal_comma(got: &str) -> bool {
    example(got).is_some_and(|text| {
        text.matches(',').count() == 1 && text.trim().replace(',', ".").parse::<f64>().is_ok()
    })
}

/// Whether a column is text, such as `1,234.56` or `1.234.567`, that is a number with separators of thousands.
fn has_thousands(got: &str) -> bool {
    example(got).is_some_and(|text| {
        let text = text.trim().trim_start_matches(['-', '+']);
        // Messages escape apostrophes.
        let text = text.replace("\\'", "'");
        let marks: Vec<&str> = text.matches([',', '.', '\'']).collect();
        let parts: Vec<&str> = text.split([',', '.', '\'']).collect();
        let is_number = |part: &&str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        let has_decimals = marks.len() > 1 && marks[0] != marks[marks.len() - 1];
        let thousands = &parts[1..parts.len() - usize::from(has_decimals)];
        marks.len() > 1
            && parts[0].len() <= 3
            && parts.iter().all(is_number)
            && thousands.iter().all(|part| part.len() == 3)
    })
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

/// What to write instead of an option that another program has, or another command.
pub(crate) fn hint_for(error: &clap::Error, arguments: &[OsString]) -> Option<&'static str> {
    use clap::error::{ContextKind, ContextValue, ErrorKind};
    let command = arguments.get(1).map_or("".into(), |command| command.to_string_lossy());
    if error.kind() == ErrorKind::MissingRequiredArgument && command == "panelview" {
        return Some(
            "the column of first treated periods is --gname, that of a treatment in every period --treatment",
        );
    }
    if error.kind() == ErrorKind::InvalidSubcommand && command == "cluster" {
        return Some("clusters of machines need a build with the feature `ballista`");
    }
    let unknown = error.kind() == ErrorKind::UnknownArgument;
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let (regression, doses) = (matches!(&*command, "feols" | "sunab"), command == "cont-did");
    match option.as_str() {
        "--xformla" | "--covariates" if unknown && doses => {
            Some("a continuous treatment has no covariates; leave the option out")
        }
        "--repeated-cross-sections" if unknown && doses => {
            Some("a continuous treatment needs a panel; name its unit by --idname")
        }
        "--cluster" | "--clustervars" | "--clusters" if unknown && regression => {
            Some("clusters are part of --vcov, as in --vcov cluster:firm")
        }
        "--cluster" if unknown => Some(
            "the column of clusters is named by --clustervars; a cluster of machines needs a build with the feature `ballista`",
        ),
        "--robust" | "--se" if unknown && regression => Some("add --vcov hetero"),
        _ => None,
    }
}
