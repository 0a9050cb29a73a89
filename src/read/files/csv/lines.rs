//! Which line of a CSV file a record begins at.

use std::path::Path;

use super::header::Header;
use super::pieces::{PIECE, Piece, Pieces};
use super::scanner::Scanner;

/// The line at which the record of this number, counted from 0 below the header, begins; or the number of records, if they are
/// fewer. `None` for a file that cannot be read.
pub(in crate::read::files) fn line_of(
    path: &Path,
    record: usize,
) -> Option<std::result::Result<usize, usize>> {
    find(path, record, PIECE)
}

fn find(path: &Path, record: usize, size: usize) -> Option<std::result::Result<usize, usize>> {
    let header = Header::read(path, &[]).ok()?;
    let mut pieces = Pieces::new(vec![path], size);
    let (mut piece, mut lines, mut records) = (Piece::default(), 0, 0);
    while pieces.next(&mut piece).ok()? {
        let mut scanner = Scanner::new(piece.bytes(), header.separator);
        let mut is_header = piece.has_header;
        while scanner.record(header.names.len(), &mut |_, _| {}).ok()? {
            if std::mem::take(&mut is_header) {
                continue;
            }
            if records == record {
                return Some(Ok(1 + lines + scanner.first_line));
            }
            records += 1;
        }
        lines += scanner.lines;
    }
    Some(Err(records))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_have_lines() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("lines.csv");
        for size in [1, 2, 3, 5, PIECE] {
            let line = |text: &str, record: usize| {
                std::fs::write(&path, text).unwrap();
                find(&path, record, size)
            };
            assert_eq!(line("a,b\n1,2\n3,4", 0), Some(Ok(2)));
            assert_eq!(line("\na,b\n\"x\n\",2\n3,4", 1), Some(Ok(5)));
            assert_eq!(line("a,b\n1,2\n3,4", 2), Some(Err(2)));
            assert_eq!(line("a\n1\n\n3", 1), Some(Ok(4)));
            assert_eq!(line("a;b\n1,0;\"2\"\n3;4", 1), Some(Ok(3)));
            assert_eq!(line("a,b\n1,2\n3", 5), None);
        }
    }
}
