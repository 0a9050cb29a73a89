//! Records and fields of a piece of a file, byte by byte.
//!
//! A field too few or too many moves what follows it to other columns, and a quote out of place swallows rows: both are refused.

use std::ops::Range;

/// A byte in all places of a word.
const ONES: u64 = 0x0101_0101_0101_0101;

/// Where a field is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FieldPlace {
    /// Its bytes, without quotes around it and without a carriage return that ends it.
    pub bytes: Range<usize>,
    /// Whether quotes within it are doubled.
    pub doubled: bool,
}

/// Why records cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Mistake {
    /// So many fields in place of so many.
    Fields {
        found: usize,
        header: usize,
    },
    QuoteWithin,
    TextAfterQuote,
    OpenQuote,
    /// Of a column.
    NotUtf8 {
        column: String,
    },
}

impl Mistake {
    /// In words, of a line.
    pub fn at(&self, line: usize) -> String {
        match self {
            Self::Fields { found, header } => format!(
                "line {line} has {found} fields and the header has {header}; write all fields, and put those with commas in quotes"
            ),
            Self::QuoteWithin => format!(
                "line {line}: a quote within a field that is not quoted; put the field in quotes and double those within it"
            ),
            Self::TextAfterQuote => format!(
                "line {line}: text after a closing quote; double the quotes within a quoted field"
            ),
            Self::OpenQuote => format!("line {line}: the quote of a field is not closed"),
            Self::NotUtf8 { column } => {
                format!("line {line}: column `{column}` is not in UTF-8; convert the file")
            }
        }
    }
}

/// A mistake and its line, counted from 0 in the piece.
pub(super) type Scanned<T> = std::result::Result<T, (usize, Mistake)>;

/// Goes over the records of a piece, which begins at the start of a line and ends at the end of one, or of the file.
pub(super) struct Scanner<'a> {
    bytes: &'a [u8],
    separator: u8,
    /// The separator in all places of a word.
    separators: u64,
    at: usize,
    /// Lines that have ended.
    pub lines: usize,
    /// First line of the last record.
    pub first_line: usize,
}

impl<'a> Scanner<'a> {
    pub fn new(bytes: &'a [u8], separator: u8) -> Self {
        let separators = ONES * u64::from(separator);
        Self { bytes, separator, separators, at: 0, lines: 0, first_line: 0 }
    }

    /// Hands over the fields of the next record with their numbers; says whether there was one. Lines with nothing in them are none.
    pub fn record(
        &mut self,
        fields: usize,
        take: &mut impl FnMut(usize, FieldPlace),
    ) -> Scanned<bool> {
        if !self.skip_empty() {
            return Ok(false);
        }
        self.first_line = self.lines;
        let mut found = 0;
        loop {
            let (place, end) = self.field()?;
            take(found, place);
            found += 1;
            self.at = end + 1;
            match self.bytes.get(end) {
                Some(byte) if *byte == self.separator => {}
                Some(_) => {
                    self.lines += 1;
                    break;
                }
                None => break,
            }
        }
        if found == fields {
            return Ok(true);
        }
        Err((self.first_line, Mistake::Fields { found, header: fields }))
    }

    /// Goes to the next line with something in it, if there is one.
    fn skip_empty(&mut self) -> bool {
        loop {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            let filled = rest.iter().position(|byte| *byte != b'\r');
            match filled.map(|filled| (filled, rest[filled])) {
                None => return false,
                Some((returns, b'\n')) => {
                    self.at += returns + 1;
                    self.lines += 1;
                }
                Some(_) => return true,
            }
        }
    }

    /// The field that begins here, and where it ends: at a separator, the end of a line or of the piece.
    #[inline]
    fn field(&mut self) -> Scanned<(FieldPlace, usize)> {
        let start = self.at;
        let end = self.end_of_plain(start);
        if self.bytes.get(end) != Some(&b'"') {
            let last = self.bytes[start..end].last();
            let bytes = start..end - usize::from(last == Some(&b'\r'));
            return Ok((FieldPlace { bytes, doubled: false }, end));
        }
        if end > start {
            return Err((self.lines, Mistake::QuoteWithin));
        }
        self.quoted(start + 1)
    }

    /// The field after a quote.
    fn quoted(&mut self, start: usize) -> Scanned<(FieldPlace, usize)> {
        let (mut at, mut doubled) = (start, false);
        let close = loop {
            let rest = self.bytes.get(at..).unwrap_or_default();
            let Some(quote) = rest.iter().position(|byte| *byte == b'"') else {
                return Err((self.first_line, Mistake::OpenQuote));
            };
            if rest.get(quote + 1) != Some(&b'"') {
                break at + quote;
            }
            doubled = true;
            at += quote + 2;
        };
        self.lines += count(&self.bytes[start..close], b'\n');
        let after = self.bytes[close + 1..].iter().position(|byte| *byte != b'\r');
        let end = after.map_or(self.bytes.len(), |after| close + 1 + after);
        match self.bytes.get(end) {
            Some(byte) if *byte != b'\n' && *byte != self.separator => {
                Err((self.lines, Mistake::TextAfterQuote))
            }
            _ => Ok((FieldPlace { bytes: start..close, doubled }, end)),
        }
    }

    /// Where a separator, the end of a line or a quote is, from a place on: eight bytes at a time.
    #[inline]
    fn end_of_plain(&self, mut at: usize) -> usize {
        let [newlines, quotes] = [b'\n', b'"'].map(|byte| ONES * u64::from(byte));
        while let Some(word) = self.bytes.get(at..).and_then(|rest| rest.first_chunk()) {
            let word = u64::from_le_bytes(*word);
            let found =
                zeros(word ^ self.separators) | zeros(word ^ newlines) | zeros(word ^ quotes);
            if found != 0 {
                return at + found.trailing_zeros() as usize / 8;
            }
            at += 8;
        }
        let rest = self.bytes.get(at..).unwrap_or_default();
        let ends = |byte: &u8| *byte == self.separator || *byte == b'\n' || *byte == b'"';
        rest.iter().position(ends).map_or(self.bytes.len(), |more| at + more)
    }
}

/// The highest bit of the first byte that is 0, and perhaps of bytes after it.
#[inline]
fn zeros(word: u64) -> u64 {
    word.wrapping_sub(ONES) & !word & (ONES << 7)
}

/// How often a byte occurs: so many at a time as a byte counts.
pub(super) fn count(bytes: &[u8], wanted: u8) -> usize {
    let few = |part: &[u8]| part.iter().map(|byte| u8::from(*byte == wanted)).sum::<u8>();
    bytes.chunks(255).map(|part| usize::from(few(part))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(text: &str, separator: u8) -> std::result::Result<Vec<Vec<String>>, String> {
        let mut scanner = Scanner::new(text.as_bytes(), separator);
        let (mut records, mut fields) = (Vec::new(), 0);
        loop {
            let mut record = Vec::new();
            let mut take = |_, place: FieldPlace| record.push(text[place.bytes].to_owned());
            match scanner.record(fields, &mut take) {
                // The header.
                Err((_, Mistake::Fields { found, header: 0 })) => fields = found,
                Err((line, mistake)) => return Err(mistake.at(line + 1)),
                Ok(true) => {}
                Ok(false) => return Ok(records),
            }
            records.push(record);
        }
    }

    #[test]
    fn records_have_their_fields_and_empty_lines_are_none() {
        for (text, expected) in [
            ("a,b\n1,2\n3,4", vec![vec!["a", "b"], vec!["1", "2"], vec!["3", "4"]]),
            ("\n\na,b\r\n1,\r\n\r\n,\r\n\n\n", vec![vec!["a", "b"], vec!["1", ""], vec!["", ""]]),
            ("a,b\n\"x\n\n,\"\"y\",\"\"\n", vec![vec!["a", "b"], vec!["x\n\n,\"\"y", ""]]),
            ("a\n\"\"\n", vec![vec!["a"], vec![""]]),
            ("a\n \n\t\r\n", vec![vec!["a"], vec![" "], vec!["\t"]]),
            (
                "a,b\n1234567,\"12345678901\"\r\n",
                vec![vec!["a", "b"], vec!["1234567", "12345678901"]],
            ),
            ("", vec![]),
            ("\r\n\r", vec![]),
        ] {
            assert_eq!(
                scan(text, b','),
                Ok(expected.iter().map(|r| r.iter().map(ToString::to_string).collect()).collect()),
                "{text}"
            );
        }
        assert_eq!(scan("a;b\n1,5;2\n", b';').unwrap()[1], ["1,5", "2"]);
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
            ("a,b\n\"\n\n\",\"2\" \n", "line 4: text after a closing quote"),
        ] {
            let error = scan(text, b',').unwrap_err();
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn every_length_of_a_field_has_its_end() {
        for length in 0..40 {
            for before in 0..9 {
                let text = format!("{}x{},\u{e9}\n", "\r\n".repeat(before), "1".repeat(length));
                let records = scan(&text, b',').unwrap();
                assert_eq!(records, [[format!("x{}", "1".repeat(length)), "\u{e9}".to_owned()]]);
            }
        }
        assert_eq!(count(&[7; 1_000], 7), 1_000);
    }
}
