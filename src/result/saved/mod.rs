//! Results in files: how they are written, read and checked.

pub(crate) mod check;
mod format;

use std::io::Read;
use std::path::Path;

use serde::Deserialize;
use serde::de::{DeserializeOwned, Error};

use crate::base::error::{DidError, Result};
use crate::base::memory;
use crate::base::written;
use crate::read::files::PARQUET;
use crate::result::estimates::check::Checked;

pub(crate) use format::FORMAT;
use format::Head;

/// What reading takes at most of the length of a text: the text as it grows, and its numbers.
const COPIES: u64 = 8;

/// A result whose parts must fit together.
pub(crate) trait Consistent {
    /// An error that names the field at fault.
    fn check(&self) -> Checked;
}

/// Writes a document of a result whose parts fit together.
pub(crate) fn write(result: &impl Consistent, document: &str, path: &Path) -> Result<()> {
    check(result)?;
    written::text(path, document)
}

/// Reads a result of a kind.
pub(crate) fn read<T: DeserializeOwned + Consistent>(path: &Path, kind: &str) -> Result<T> {
    of_file(path, |text| parse(text, kind))
}

/// What the text of a file holds; errors about it name the file.
pub(crate) fn of_file<T>(path: &Path, parse: impl FnOnce(&str) -> Result<T>) -> Result<T> {
    text(path).and_then(|text| parse(&text)).map_err(|error| match error {
        DidError::Json(error) => {
            serde_json::Error::custom(format!("{}: {error}", path.display())).into()
        }
        error => error,
    })
}

/// The result of a kind in a document.
pub(crate) fn parse<T: DeserializeOwned + Consistent>(text: &str, kind: &str) -> Result<T> {
    let kind_of_file = kind_of(text)?;
    if kind_of_file != kind {
        let wrong = format!("`kind` is `{kind_of_file}`, and the result to be read is `{kind}`");
        return Err(serde_json::Error::custom(wrong).into());
    }
    #[derive(Deserialize)]
    struct Body<T> {
        result: T,
    }
    let Body { result } = serde_json::from_str::<Body<T>>(text)?;
    check(&result)?;
    Ok(result)
}

/// The kind of the result in a document.
pub(crate) fn kind_of(text: &str) -> Result<String> {
    let head: Head = serde_json::from_str(text).map_err(|error| match error.is_syntax() {
        true => no_result(&format!("no JSON document ({error})")),
        false => error.into(),
    })?;
    Ok(head.kind().map_err(serde_json::Error::custom)?)
}

/// The text of a file; no more is read than fits in memory.
fn text(path: &Path) -> Result<String> {
    if path.is_dir() {
        return Err(no_result("a folder, as one of influence values is"));
    }
    let file = std::fs::File::open(path).map_err(|e| DidError::io(path, e))?;
    let most = memory::free().map_or(u64::MAX, |free| free / COPIES);
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes).map_err(|e| DidError::io(path, e))?;
    if bytes.starts_with(&PARQUET) {
        return Err(no_result("a parquet file, as one of influence values is"));
    }
    let needed = u128::from(COPIES) * bytes.len() as u128;
    memory::check("the saved result", needed + 1, "load it where there is more memory")?;
    let text = String::from_utf8(bytes).map_err(|_| no_result("no text in UTF-8"))?;
    // Some editors begin a file with a mark of its encoding.
    Ok(match text.strip_prefix('\u{feff}') {
        Some(unmarked) => unmarked.to_owned(),
        None => text,
    })
}

/// The error of a path that has something else.
fn no_result(is: &str) -> DidError {
    let problem = format!("this is {is}; name the file that the result was saved to");
    serde_json::Error::custom(problem).into()
}

fn check(result: &impl Consistent) -> Result<()> {
    Ok(result.check().map_err(serde_json::Error::custom)?)
}
