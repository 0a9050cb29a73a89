//! Standard output, and files.

use std::io::{ErrorKind, Write, stdout};
use std::path::{Path, PathBuf};

use burn_did::command_line::{check_folder, overwritten};
use burn_did::report::Reportable;

use crate::args::Format;
use crate::error::{CliError, Result};
use crate::messages;
use crate::shown::escaped;

/// Writes results. A reader that has gone away is not an error.
pub(crate) fn results(text: &str) -> Result<()> {
    to_reader(text)?;
    Ok(())
}

/// As [`results`], and says whether there still is a reader.
pub(crate) fn to_reader(text: &str) -> Result<bool> {
    write_to(&mut stdout().lock(), text)
}

/// What became of help, which its parser has printed.
pub(crate) fn printed(done: std::io::Result<()>) -> Result<()> {
    match done.and_then(|()| stdout().flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(CliError::Output(error)),
        _ => Ok(()),
    }
}

fn write_to(out: &mut impl Write, text: &str) -> Result<bool> {
    match out.write_all(escaped(text, true).as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(CliError::Output(error)),
    }
}

/// Refuses to write to what is read, twice to one file, or to a folder that is not there, before any work.
pub(crate) fn keep_apart(data: &Path, outputs: &[Option<&PathBuf>]) -> Result<()> {
    outputs.iter().flatten().try_for_each(|output| spare(data, output))?;
    distinct(outputs)
}

/// Refuses to write to what is read.
pub(crate) fn spare(data: &Path, output: &Path) -> Result<()> {
    let Some(file) = overwritten(data, output) else { return Ok(()) };
    let shown = output.display();
    let problem = match file == output {
        true => format!("{shown} is to be written, and is what is read"),
        false => format!("{shown} is to be written, and is {}, which is read", file.display()),
    };
    Err(CliError::usage(problem, "name another file for the output"))
}

/// Refuses to write twice to one file, or to a folder that is not there, before any work.
pub(crate) fn distinct(outputs: &[Option<&PathBuf>]) -> Result<()> {
    outputs.iter().flatten().try_for_each(|output| check_folder(output))?;
    for (number, output) in outputs.iter().enumerate() {
        let Some(output) = output.filter(|_| outputs[..number].contains(output)) else { continue };
        let problem = format!("two outputs are to be written to {}", output.display());
        return Err(CliError::usage(problem, "name a file for each"));
    }
    Ok(())
}

/// A result as a table in a format for people.
pub(crate) fn shown(result: &dyn Reportable, format: Format) -> String {
    match format {
        Format::Markdown => result.to_markdown(),
        Format::Latex => result.to_latex(),
        Format::Table | Format::Json | Format::Csv => result.to_string(),
    }
}

/// Tables below each other.
pub(crate) fn blocks(blocks: impl IntoIterator<Item = String>) -> String {
    let blocks: Vec<String> =
        blocks.into_iter().map(|b| format!("{}\n", b.trim_matches('\n'))).collect();
    blocks.join("\n")
}

/// Says what of several things could not be made; an error if there is one.
pub(crate) fn all(done: impl IntoIterator<Item = Result<()>>) -> Result<()> {
    let failed: Vec<CliError> = done.into_iter().filter_map(Result::err).collect();
    match <[CliError; 1]>::try_from(failed) {
        Ok([only]) => Err(only),
        Err(several) => {
            several.iter().for_each(messages::error);
            if several.is_empty() { Ok(()) } else { Err(CliError::Said) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What every write ends with.
    struct Ends(ErrorKind);

    impl Write for Ends {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(self.0.into())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_reader_that_is_gone_is_told_from_a_full_disk() {
        let mut out = Vec::new();
        assert!(matches!(write_to(&mut out, "a\u{7}b\n"), Ok(true)));
        assert_eq!(out, b"a\\u{7}b\n");
        assert!(matches!(write_to(&mut Ends(ErrorKind::BrokenPipe), "a"), Ok(false)));
        let full = write_to(&mut Ends(ErrorKind::StorageFull), "a");
        assert!(matches!(full, Err(CliError::Output(_))));
    }
}
