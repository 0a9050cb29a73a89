//! Files cut into pieces of whole records, which can be read at the same time.
//!
//! Whether the end of a line ends a record is told by the quotes before it: within a field that is quoted there is an odd number of
//! them. That is so up to the first quote out of place, and this is an error of the piece that has it: the first error in the
//! order of the pieces is the first of the files.

use std::path::Path;

use super::scanner::count;
use super::source::Source;
use crate::base::error::{DidError, Result};
use crate::base::memory;

/// Bytes of a piece, unless a record is longer.
pub(super) const PIECE: usize = 1 << 21;

const REMEDY: &str = "free memory, or check the quotes: a record is as long as this";

/// Records that follow on each other, as they are in the file.
#[derive(Default)]
pub(super) struct Piece {
    bytes: Vec<u8>,
    length: usize,
    /// Number of its file, and its own number among all pieces.
    pub file: usize,
    pub number: usize,
    /// Whether the header is before its records.
    pub has_header: bool,
}

impl Piece {
    /// Whole lines.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

/// Cuts files into pieces, in order.
pub(super) struct Pieces<'a> {
    files: Vec<&'a Path>,
    /// Bytes of a piece.
    size: usize,
    open: Option<Source>,
    /// The number of the open file, or of the next one.
    file: usize,
    pieces: usize,
    at_start: bool,
    /// The beginning of the next piece.
    carried: Vec<u8>,
    /// Stored bytes of the files before the open one.
    before: u64,
}

impl<'a> Pieces<'a> {
    pub fn new(files: Vec<&'a Path>, size: usize) -> Self {
        let (open, carried) = (None, Vec::new());
        Self { files, size, open, file: 0, pieces: 0, at_start: true, carried, before: 0 }
    }

    /// The next piece, in place of what was there; `false` if there is none.
    ///
    /// # Errors
    /// For a file that cannot be read, or is written to meanwhile.
    pub fn next(&mut self, piece: &mut Piece) -> Result<bool> {
        loop {
            let source = match &mut self.open {
                Some(source) => source,
                None => match self.files.get(self.file) {
                    None => return Ok(false),
                    Some(path) => self.open.insert(Source::open(path)?),
                },
            };
            let ended = fill(source, &mut self.carried, self.size, piece)?;
            // Lines with nothing in them may be before the header.
            let has_record = |piece: &Piece| piece.bytes().iter().any(|b| !b"\r\n".contains(b));
            piece.has_header = self.at_start && has_record(piece);
            self.at_start &= !piece.has_header;
            (piece.file, piece.number) = (self.file, self.pieces);
            if ended {
                source.check_unchanged()?;
                self.before += source.stored();
                (self.open, self.at_start) = (None, true);
                self.file += 1;
            }
            if piece.length > 0 {
                self.pieces += 1;
                return Ok(true);
            }
        }
    }

    /// That the open file was written to since it was opened, if it was: what is wrong in it is then no matter.
    pub fn changed(&self) -> Option<DidError> {
        self.open.as_ref()?.check_unchanged().err()
    }

    /// Stored bytes that were read so far.
    pub fn read(&mut self) -> u64 {
        self.before + self.open.as_mut().map_or(0, Source::position)
    }
}

/// Puts the next whole records of a file into a piece, and what follows them into `carried`; says whether the file has ended.
fn fill(
    source: &mut Source,
    carried: &mut Vec<u8>,
    size: usize,
    piece: &mut Piece,
) -> Result<bool> {
    piece.length = carried.len();
    if piece.bytes.len() < piece.length {
        piece.bytes.resize(piece.length, 0);
    }
    piece.bytes[..piece.length].copy_from_slice(carried);
    carried.clear();
    // What was carried is the beginning of a record.
    let (mut looked, mut quoted) = (0, false);
    loop {
        let wanted = piece.length + size;
        if piece.bytes.len() < wanted {
            memory::check("a record of a CSV file", wanted as u128, REMEDY)?;
            piece.bytes.resize(wanted, 0);
        }
        let read = source.fill(&mut piece.bytes[piece.length..wanted])?;
        piece.length += read;
        if read < size {
            return Ok(true);
        }
        let new = &piece.bytes[looked..piece.length];
        quoted ^= count(new, b'"') % 2 == 1;
        if let Some(cut) = last_end(new, quoted) {
            let cut = looked + cut;
            carried.extend_from_slice(&piece.bytes[cut..piece.length]);
            piece.length = cut;
            return Ok(false);
        }
        looked = piece.length;
    }
}

/// What follows the last end of a line that is not within quotes; `quoted` says whether the last byte is.
fn last_end(bytes: &[u8], mut quoted: bool) -> Option<usize> {
    let end = bytes.iter().rposition(|byte| {
        quoted ^= *byte == b'"';
        *byte == b'\n' && !quoted
    });
    end.map(|end| end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(texts: &[&str], size: usize) -> Vec<(usize, bool, String)> {
        let folder = tempfile::tempdir().unwrap();
        let write = |(i, text): (usize, &&str)| {
            let path = folder.path().join(i.to_string());
            std::fs::write(&path, text).unwrap();
            path
        };
        let paths: Vec<_> = texts.iter().enumerate().map(write).collect();
        let mut all = Pieces::new(paths.iter().map(std::path::PathBuf::as_path).collect(), size);
        let (mut piece, mut found) = (Piece::default(), Vec::new());
        while all.next(&mut piece).unwrap() {
            assert_eq!(piece.number, found.len());
            let text = std::str::from_utf8(piece.bytes()).unwrap().to_owned();
            found.push((piece.file, piece.has_header, text));
        }
        assert_eq!(all.read(), texts.iter().map(|text| text.len() as u64).sum::<u64>());
        found
    }

    #[test]
    fn a_file_that_is_written_to_is_known_before_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        std::fs::write(&path, "a\n1\n2\n").unwrap();
        let (mut pieces, mut piece) = (Pieces::new(vec![&path], 2), Piece::default());
        assert!(pieces.next(&mut piece).unwrap() && pieces.changed().is_none());
        std::fs::write(&path, "a,b\n1\n").unwrap();
        let changed = pieces.changed().unwrap().to_string();
        assert!(changed.contains("a.csv: the file was changed while it was read"), "{changed}");
    }

    #[test]
    fn pieces_are_whole_records_whatever_their_size() {
        let text = "\n\r\na,b\n1,\"x\n\"\"\n\"\n\n2,\"\"\"\"\n\"\n\n\n\",3\nlast,one";
        let records = [
            "\n",
            "\r\n",
            "a,b\n",
            "1,\"x\n\"\"\n\"\n",
            "\n",
            "2,\"\"\"\"\n",
            "\"\n\n\n\",3\n",
            "last,one",
        ];
        for size in 1..text.len() + 3 {
            let found = pieces(&[text, "", "a,b\n", text], size);
            let ends = records.iter().scan(0, |at, record| {
                *at += record.len();
                Some(*at)
            });
            let ends: Vec<usize> = ends.collect();
            for file in [0, 3] {
                let of_file = || found.iter().filter(|(f, ..)| *f == file);
                let joined: String = of_file().map(|(.., text)| text.as_str()).collect();
                assert_eq!(joined, text, "{size}");
                let mut at = 0;
                for (_, has_header, text) in of_file() {
                    at += text.len();
                    assert!(ends.contains(&at), "{size}: {text:?}");
                    assert_eq!(*has_header, text.contains("a,b\n"));
                }
            }
            assert_eq!(found.iter().filter(|(file, ..)| *file == 1).count(), 0);
            assert!(found.contains(&(2, true, "a,b\n".to_owned())));
        }
    }
}
