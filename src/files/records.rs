//! Whether all records of a CSV file have the fields of its header.
//!
//! A field too few or too many moves what follows it to other columns, and a quote out of place swallows rows.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::problem;
use crate::error::{DidError, Result};

/// Bytes read at once.
const BLOCK: usize = 1 << 20;

const MARK: [u8; 3] = [0xEF, 0xBB, 0xBF];

/// Records of a file but for its header, and lines with nothing in them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Records {
    pub filled: usize,
    pub empty: usize,
}

/// Where in a field a byte is.
#[derive(Clone, Copy, PartialEq)]
enum FieldState {
    Start,
    Plain,
    Quoted,
    /// After a quote that closes the field, or is the first of two that stand for one.
    Closed,
}

/// Counts the records of a file.
///
/// # Errors
/// [`DidError::File`] names the first line that has another number of fields than the header, or a quote out of place.
pub(super) fn count(path: &Path) -> Result<Records> {
    scan(path, Scan::default()).map(|scan| scan.records)
}

/// The line at which the record of this number, counted from 0 below the header, begins; or the number of records, if they are
/// fewer. `None` for a file with empty lines or one that cannot be read.
pub(super) fn line_of(path: &Path, record: usize) -> Option<std::result::Result<usize, usize>> {
    let scan = scan(path, Scan { wanted: Some(record), ..Scan::default() }).ok()?;
    (scan.records.empty == 0).then(|| scan.found.ok_or(scan.records.filled))
}

fn scan(path: &Path, mut scan: Scan) -> Result<Scan> {
    let io = |source| DidError::Io { path: path.display().to_string(), source };
    let mut file = File::open(path).map_err(io)?;
    let mut block = vec![0; BLOCK];
    let mut start = true;
    loop {
        let length = file.read(&mut block).map_err(io)?;
        if length == 0 {
            break;
        }
        let bytes = &block[..length];
        let bytes = bytes.strip_prefix(&MARK).filter(|_| start).unwrap_or(bytes);
        scan.add(bytes).map_err(|text| problem(path, text))?;
        start = false;
    }
    scan.finish().map_err(|text| problem(path, text))
}

struct Scan {
    state: FieldState,
    /// Fields of the open record.
    fields: usize,
    /// Whether it has any byte but its end.
    filled: bool,
    line: usize,
    /// Its first line.
    first_line: usize,
    header: Option<usize>,
    records: Records,
    /// A record whose first line is to be found.
    wanted: Option<usize>,
    found: Option<usize>,
}

impl Default for Scan {
    fn default() -> Self {
        Self {
            state: FieldState::Start,
            fields: 1,
            filled: false,
            line: 1,
            first_line: 1,
            header: None,
            records: Records { filled: 0, empty: 0 },
            wanted: None,
            found: None,
        }
    }
}

impl Scan {
    fn add(&mut self, bytes: &[u8]) -> std::result::Result<(), String> {
        for byte in bytes {
            self.state = match (self.state, byte) {
                (FieldState::Quoted, b'"') => FieldState::Closed,
                (FieldState::Quoted, byte) => {
                    self.line += usize::from(*byte == b'\n');
                    FieldState::Quoted
                }
                (_, b'\n') => {
                    self.end()?;
                    self.line += 1;
                    self.first_line = self.line;
                    FieldState::Start
                }
                (_, b',') => {
                    self.fields += 1;
                    self.filled = true;
                    FieldState::Start
                }
                (state, b'\r') => state,
                (FieldState::Start | FieldState::Closed, b'"') => {
                    self.filled = true;
                    FieldState::Quoted
                }
                (FieldState::Plain, b'"') => {
                    return Err(format!(
                        "line {}: a quote within a field that is not quoted; put the field in quotes and double those within it",
                        self.line
                    ));
                }
                (FieldState::Closed, _) => {
                    return Err(format!(
                        "line {}: text after a closing quote; double the quotes within a quoted field",
                        self.line
                    ));
                }
                (FieldState::Start | FieldState::Plain, _) => {
                    self.filled = true;
                    FieldState::Plain
                }
            };
        }
        Ok(())
    }

    /// The end of a record.
    fn end(&mut self) -> std::result::Result<(), String> {
        let (fields, line) = (std::mem::replace(&mut self.fields, 1), self.first_line);
        match (std::mem::take(&mut self.filled), self.header) {
            (false, None) => {}
            (false, Some(_)) => self.records.empty += 1,
            (true, None) => self.header = Some(fields),
            (true, Some(header)) if header == fields => {
                if self.wanted == Some(self.records.filled) {
                    self.found = Some(line);
                }
                self.records.filled += 1;
            }
            (true, Some(header)) => {
                return Err(format!(
                    "line {line} has {fields} fields and the header has {header}; write all fields, and put those with commas in quotes"
                ));
            }
        }
        Ok(())
    }

    fn finish(mut self) -> std::result::Result<Self, String> {
        if self.state == FieldState::Quoted {
            return Err(format!("line {}: the quote of a field is not closed", self.first_line));
        }
        let open = self.filled;
        if open {
            self.end()?;
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(text: &str) -> std::result::Result<(usize, usize), String> {
        let mut scan = Scan::default();
        // Blocks may end anywhere.
        text.as_bytes().chunks(3).try_for_each(|bytes| scan.add(bytes))?;
        scan.finish().map(|scan| (scan.records.filled, scan.records.empty))
    }

    #[test]
    fn records_are_counted() {
        assert_eq!(scan("a,b\n1,2\n3,4"), Ok((2, 0)));
        assert_eq!(scan("\n\na,b\r\n1,\r\n\r\n,\r\n"), Ok((2, 1)));
        assert_eq!(scan("a,b\n\"x\n,\"\"y\",\"\"\n"), Ok((1, 0)));
        assert_eq!(scan("a\n\"\"\n"), Ok((1, 0)));
        assert_eq!(scan(""), Ok((0, 0)));
    }

    #[test]
    fn records_have_lines() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("lines.csv");
        let line = |text: &str, record: usize| {
            std::fs::write(&path, text).unwrap();
            line_of(&path, record)
        };
        assert_eq!(line("a,b\n1,2\n3,4", 0), Some(Ok(2)));
        assert_eq!(line("\na,b\n\"x\n\",2\n3,4", 1), Some(Ok(5)));
        assert_eq!(line("a,b\n1,2\n3,4", 2), Some(Err(2)));
        assert_eq!(line("a\n1\n\n3", 1), None);
    }

    #[test]
    fn what_moves_fields_is_named() {
        for (text, words) in [
            ("a,b\n1\n", "line 2 has 1 fields and the header has 2"),
            ("a,b\n1,2\n1,2,3\n", "line 3 has 3 fields"),
            ("a,b\n\"x\n\",2\n1,2,", "line 4 has 3 fields"),
            ("a,b\n1,\"2\n3,4\n", "line 2: the quote of a field is not closed"),
            ("a,b\n1,2\"\n", "line 2: a quote within a field"),
            ("a,b\n1,\"2\"x\n", "line 2: text after a closing quote"),
        ] {
            let error = scan(text).unwrap_err();
            assert!(error.contains(words), "{error}");
        }
    }
}
