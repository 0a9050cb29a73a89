//! Whether all records of a CSV file have the fields of its header.
//!
//! A field too few or too many moves what follows it to other columns, and a quote out of place swallows rows.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::base::error::{DidError, Result};
use crate::base::storage::Stamp;
use crate::read::files::problem;

/// Bytes read at once.
const BLOCK: usize = 1 << 20;

/// Bytes of records that are handed on together.
const TOGETHER: usize = 1 << 26;

const MARK: [u8; 3] = [0xEF, 0xBB, 0xBF];

/// Records that follow on each other.
pub(super) struct Records<'a> {
    /// Whole lines; there are none with nothing in them.
    pub bytes: &'a [u8],
    /// How many there are, without the header.
    pub rows: usize,
    /// Whether the header is before them.
    pub has_header: bool,
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

/// Hands over the records of a file, in order.
///
/// # Errors
/// [`DidError::File`] names the first line that has another number of fields than the header, or a quote out of place, and
/// files that are written to meanwhile; what `take` returns.
pub(super) fn each(path: &Path, take: &mut dyn FnMut(Records<'_>) -> Result<()>) -> Result<()> {
    walk(path, Scan::default(), take).map(|_| ())
}

/// The line at which the record of this number, counted from 0 below the header, begins; or the number of records, if they are
/// fewer. `None` for a file that cannot be read.
pub(in crate::read::files) fn line_of(
    path: &Path,
    record: usize,
) -> Option<std::result::Result<usize, usize>> {
    let scan = Scan { wanted: Some(record), ..Scan::default() };
    let scan = walk(path, scan, &mut |_| Ok(())).ok()?;
    Some(scan.found.ok_or(scan.counted))
}

fn walk(
    path: &Path,
    mut scan: Scan,
    take: &mut dyn FnMut(Records<'_>) -> Result<()>,
) -> Result<Scan> {
    let io = |source| DidError::io(path, source);
    // Read and not mapped: a file that gets shorter is then no fault of memory.
    let mut file = File::open(path).map_err(io)?;
    let stamp = Stamp::of(&file).map_err(io)?;
    let mut block = vec![0; BLOCK];
    let (mut start, mut has_header) = (true, true);
    let mut hand_on = |scan: &mut Scan| -> Result<()> {
        let rows = std::mem::take(&mut scan.rows);
        take(Records { bytes: &scan.whole, rows, has_header })?;
        has_header = false;
        scan.whole.clear();
        Ok(())
    };
    loop {
        let length = file.read(&mut block).map_err(io)?;
        if length == 0 {
            break;
        }
        let bytes = &block[..length];
        let bytes = bytes.strip_prefix(&MARK).filter(|_| start).unwrap_or(bytes);
        scan.add(bytes).map_err(|text| problem(path, text))?;
        if scan.whole.len() >= TOGETHER && scan.rows > 0 {
            hand_on(&mut scan)?;
        }
        start = false;
    }
    let finished = scan.finish();
    if !stamp.is_of(&Stamp::of(&file).map_err(io)?) {
        let text = "the file was changed while it was read; fit again when nobody writes to it";
        return Err(problem(path, text));
    }
    finished.map_err(|text| problem(path, text))?;
    if !scan.whole.is_empty() {
        hand_on(&mut scan)?;
    }
    Ok(scan)
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
    /// Records that were not handed on yet, with the header if it was not.
    whole: Vec<u8>,
    /// How many there are without it.
    rows: usize,
    /// What was seen of the open record.
    open: Vec<u8>,
    /// Records so far, without the header.
    counted: usize,
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
            whole: Vec::new(),
            rows: 0,
            open: Vec::new(),
            counted: 0,
            wanted: None,
            found: None,
        }
    }
}

impl Scan {
    fn add(&mut self, bytes: &[u8]) -> std::result::Result<(), String> {
        let mut from = 0;
        for (at, byte) in bytes.iter().enumerate() {
            self.state = match (self.state, byte) {
                (FieldState::Quoted, b'"') => FieldState::Closed,
                (FieldState::Quoted, byte) => {
                    self.line += usize::from(*byte == b'\n');
                    FieldState::Quoted
                }
                (_, b'\n') => {
                    self.end(&bytes[from..=at])?;
                    from = at + 1;
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
        self.open.extend_from_slice(&bytes[from..]);
        Ok(())
    }

    /// The end of a record, whose last bytes these are.
    fn end(&mut self, bytes: &[u8]) -> std::result::Result<(), String> {
        let (fields, line) = (std::mem::replace(&mut self.fields, 1), self.first_line);
        let open = std::mem::take(&mut self.open);
        if !std::mem::take(&mut self.filled) {
            return Ok(());
        }
        self.whole.extend_from_slice(&open);
        self.whole.extend_from_slice(bytes);
        match self.header {
            None => self.header = Some(fields),
            Some(header) if header == fields => {
                if self.wanted == Some(self.counted) {
                    self.found = Some(line);
                }
                self.rows += 1;
                self.counted += 1;
            }
            Some(header) => {
                return Err(format!(
                    "line {line} has {fields} fields and the header has {header}; write all fields, and put those with commas in quotes"
                ));
            }
        }
        Ok(())
    }

    fn finish(&mut self) -> std::result::Result<(), String> {
        if self.state == FieldState::Quoted {
            return Err(format!("line {}: the quote of a field is not closed", self.first_line));
        }
        self.end(b"\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(text: &str) -> std::result::Result<(usize, String), String> {
        let mut scan = Scan::default();
        // Blocks may end anywhere.
        text.as_bytes().chunks(3).try_for_each(|bytes| scan.add(bytes))?;
        scan.finish()?;
        Ok((scan.rows, String::from_utf8(scan.whole).unwrap()))
    }

    #[test]
    fn records_are_counted_and_empty_lines_left_out() {
        for (text, rows, whole) in [
            ("a,b\n1,2\n3,4", 2, "a,b\n1,2\n3,4\n"),
            ("\n\na,b\r\n1,\r\n\r\n,\r\n\n\n", 2, "a,b\r\n1,\r\n,\r\n"),
            ("a,b\n\"x\n\n,\"\"y\",\"\"\n", 1, "a,b\n\"x\n\n,\"\"y\",\"\"\n"),
            ("a\n\"\"\n", 1, "a\n\"\"\n"),
            ("", 0, ""),
        ] {
            assert_eq!(scan(text), Ok((rows, whole.to_owned())), "{text}");
        }
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
        assert_eq!(line("a\n1\n\n3", 1), Some(Ok(4)));
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
