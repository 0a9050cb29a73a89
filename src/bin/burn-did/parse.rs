//! Numbers, sizes and paths of options.

use std::path::{Path, PathBuf};

use burn_did::options::{Frequency, Inference};
use burn_did::weighting::Scores;
use clap::builder::{PathBufValueParser, TypedValueParser};

use crate::error::CliError;

/// A whole number of periods.
pub(crate) fn periods(text: &str) -> Result<u32, String> {
    text.trim().parse().map_err(|_| "expected a whole number of periods, at least 0".to_owned())
}

/// A formula, and not an option that this command does not have.
pub(crate) fn formula(text: &str) -> Result<String, String> {
    match text.starts_with("--") && !text.contains('~') {
        true => {
            Err("formulas stand without an option, as in burn-did feols data.csv \"y ~ x\"".into())
        }
        false => Ok(text.to_owned()),
    }
}

/// The first and the last event time around treatment, as periods before and after it.
pub(crate) fn window(text: &str) -> Result<(u32, u32), String> {
    let ends = text.split_once(',').and_then(|(from, to)| {
        let from: i64 = from.trim().parse().ok()?;
        let to: u32 = to.trim().parse().ok()?;
        u32::try_from(from.checked_neg()?).ok().map(|from| (from, to))
    });
    ends.ok_or_else(|| {
        "expected the first event time, not above 0, and the last, as in -3,5".to_owned()
    })
}

/// A period: a number, or with a frequency a date.
pub(crate) fn period(
    option: &str,
    text: &str,
    frequency: Option<Frequency>,
) -> Result<f64, CliError> {
    let period = match frequency {
        Some(frequency) => frequency.period(text),
        None => text.trim().parse().ok(),
    };
    period.ok_or_else(|| {
        CliError::usage(
            format!("{option} is `{text}`, which is no period"),
            "write a number, or with --frequency a date such as 2007-03-01",
        )
    })
}

/// A column, or those of a formula that is a sum of columns, as in `~ x1 + x2`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Summands(Vec<String>);

impl Summands {
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let Some(sum) = text.trim().strip_prefix('~') else {
            return Ok(Self(vec![text.to_owned()]));
        };
        let column = |term: &str| {
            let term = term.trim();
            let quoted = term.strip_prefix('`').and_then(|term| term.strip_suffix('`'));
            let is_column =
                !term.is_empty() && !term.contains(['(', ')', '*', ':', '^', '-', '|', '`']);
            quoted.or_else(|| is_column.then_some(term)).map(str::to_owned).ok_or_else(|| {
                format!(
                    "`{term}` is no column, and only sums of columns are taken, as in \"~ x1 + x2\" or x1,x2; make a column of it first"
                )
            })
        };
        let terms = sum.split('+').filter(|term| term.trim() != "1");
        terms.map(column).collect::<Result<_, _>>().map(Self)
    }

    /// The columns of all that were given.
    pub(crate) fn all(given: &[Self]) -> Vec<String> {
        given.iter().flat_map(|of| of.0.clone()).collect()
    }
}

/// A finite number of at least 0.
pub(crate) fn not_negative(text: &str) -> Result<f64, String> {
    let value = text.trim().parse().ok().filter(|v: &f64| v.is_finite() && *v >= 0.0);
    value.ok_or_else(|| "expected a number of at least 0".to_owned())
}

/// A finite number.
pub(crate) fn finite(text: &str) -> Result<f64, String> {
    let value = text.trim().parse().ok().filter(|v: &f64| v.is_finite());
    value.ok_or_else(|| "expected a number".to_owned())
}

/// A number in (0, 1).
pub(crate) fn fraction(text: &str) -> Result<f64, String> {
    let value = text.parse().ok().filter(|v| *v > 0.0 && *v < 1.0);
    value.ok_or_else(|| "expected a number between 0 and 1".to_owned())
}

/// One minus a confidence level.
pub(crate) fn alpha(text: &str) -> Result<f64, String> {
    let alpha = fraction(text)?;
    Inference::new(alpha).validate().map(|()| alpha).map_err(|error| error.to_string())
}

/// Path of a picture.
pub(crate) fn picture() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| {
        let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        match extension.as_deref() {
            Some("png" | "svg" | "pdf") => Ok(path),
            _ => Err(format!("{} must end in .png, .svg or .pdf", Path::display(&path))),
        }
    })
}

/// What names of files in other formats than JSON end in.
const OTHER_FORMATS: [&str; 20] = [
    "csv", "tsv", "tab", "dta", "parquet", "pq", "xlsx", "xls", "rds", "rda", "rdata", "tex", "md",
    "html", "png", "svg", "pdf", "gz", "zst", "zip",
];

/// Path of a result, which is saved as JSON.
pub(crate) fn document() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| {
        let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        match extension.filter(|extension| OTHER_FORMATS.contains(&extension.as_str())) {
            None => Ok(path),
            Some(_) => Err(format!(
                "{} is to be a JSON document, which other commands read; name it so, as in fit.json; tables go to standard output, as --format csv > FILE or another --format, and pictures to --plot FILE",
                Path::display(&path)
            )),
        }
    })
}

/// Path of a table of rows.
pub(crate) fn table_file() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| match Scores::check_path(&path) {
        Ok(()) => Ok(path),
        Err(_) => Err(format!("{} must end in .parquet or .csv", Path::display(&path))),
    })
}

/// Bytes, as in 2000000, 512MB or 4GiB.
pub(crate) fn bytes(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic()).trim_end();
    let factor: u64 = match text[digits.len()..].trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "kb" => 1000,
        "mb" => 1000_u64.pow(2),
        "gb" => 1000_u64.pow(3),
        "k" | "kib" => 1024,
        "m" | "mib" => 1024_u64.pow(2),
        "g" | "gib" => 1024_u64.pow(3),
        _ => return Err("expected bytes, as in 2000000, 512MB or 4GiB".into()),
    };
    let count: u64 = digits.parse().map_err(|_| "expected a whole number of bytes".to_owned())?;
    count.checked_mul(factor).filter(|b| *b > 0).ok_or_else(|| "out of range".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_one_or_the_sum_of_a_formula() {
        for (text, columns) in [
            ("x1", &["x1"][..]),
            ("a b", &["a b"]),
            ("~ x1 + x2", &["x1", "x2"]),
            ("~1+`a - b`", &["a - b"]),
            ("~ 1", &[]),
        ] {
            let read = Summands::read(text).expect(text);
            assert_eq!(Summands::all(&[read]), columns, "{text}");
        }
        for text in ["~ x1 + log(x2)", "~ x1 * x2", "~ x1 - 1", "~", "~ x1 +"] {
            let error = Summands::read(text).expect_err(text);
            assert!(error.contains("only sums of columns"), "{error}");
        }
    }
}
