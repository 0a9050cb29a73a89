//! The one form of results as JSON: what is printed, saved and read.
//!
//! A document has the `kind` of the result and the number of the `format`, facts about the fit (`about`), tables of estimates, what
//! a printed table has at its foot (`notes`), warnings in words, and the whole `result`, which alone is read back.

use std::io;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::ser::{CompactFormatter, Formatter, Serializer as Writer};

use super::contract::Report;
use super::estimates::{Facts, LARGEST_INTEGER};
use super::foot;
use crate::base::error::Result;
use crate::base::harmless::is_harmless;
use crate::result::saved::FORMAT;

/// A result as a document, with what else belongs to it.
pub(crate) struct Document<'a, R, M> {
    pub(crate) result: &'a R,
    pub(crate) more: M,
}

/// What else a document has, by name.
pub(crate) trait Members {
    fn write<S: SerializeMap>(&self, map: &mut S) -> std::result::Result<(), S::Error>;
}

impl Members for () {
    fn write<S: SerializeMap>(&self, _: &mut S) -> std::result::Result<(), S::Error> {
        Ok(())
    }
}

impl<R: Report + Serialize, M: Members> Serialize for Document<'_, R, M> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("kind", R::KIND)?;
        map.serialize_entry("format", &FORMAT)?;
        map.serialize_entry("about", &Facts(self.result.about()))?;
        for table in self.result.estimates() {
            map.serialize_entry(table.name(), &table)?;
        }
        self.more.write(&mut map)?;
        let warnings: Vec<String> = self.result.messages().into_iter().map(|m| m.text).collect();
        map.serialize_entry("notes", &foot::of_document(&self.result.table().notes, &warnings))?;
        map.serialize_entry("warnings", &warnings)?;
        map.serialize_entry("result", self.result)?;
        map.end()
    }
}

/// A result as a document.
pub(crate) fn document<R: Report + Serialize>(result: &R) -> Document<'_, R, ()> {
    Document { result, more: () }
}

/// The document as text: one line a cell and an aggregation.
pub(crate) fn text(document: &impl Serialize) -> Result<String> {
    let mut out = Vec::new();
    document.serialize(&mut Writer::with_formatter(&mut out, Lines { depth: 0, filled: false }))?;
    out.push(b'\n');
    Ok(String::from_utf8_lossy(&out).into_owned())
}

/// Lines are broken down to this depth.
const BROKEN: usize = 2;

/// Like pretty printing, but what is deep inside stays on one line.
struct Lines {
    depth: usize,
    filled: bool,
}

impl Lines {
    fn open<W: ?Sized + io::Write>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth += 1;
        self.filled = false;
        writer.write_all(bracket)
    }

    fn close<W: ?Sized + io::Write>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        if self.depth <= BROKEN && self.filled {
            self.depth -= 1;
            self.line(writer)?;
        } else {
            self.depth -= 1;
        }
        self.filled = true;
        writer.write_all(bracket)
    }

    fn item<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if !first {
            writer.write_all(b",")?;
        }
        if self.depth <= BROKEN {
            self.line(writer)?;
        }
        self.filled = true;
        Ok(())
    }

    fn line<W: ?Sized + io::Write>(&self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b"\n")?;
        (0..self.depth).try_for_each(|_| writer.write_all(b"  "))
    }
}

impl Formatter for Lines {
    /// Numbers without fractions are written as integers, which are read back as the same numbers.
    fn write_f64<W: ?Sized + io::Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        let is_integer = value.fract() == 0.0 && value.abs() < LARGEST_INTEGER;
        if is_integer && value.to_bits() != (-0.0_f64).to_bits() {
            return write!(writer, "{value:.0}");
        }
        CompactFormatter.write_f64(writer, value)
    }

    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        writer.write_all(shown(fragment).as_bytes())
    }

    fn begin_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.open(writer, b"[")
    }

    fn end_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.close(writer, b"]")
    }

    fn begin_array_value<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.item(writer, first)
    }

    fn begin_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.open(writer, b"{")
    }

    fn end_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.close(writer, b"}")
    }

    fn begin_object_key<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.item(writer, first)
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(if self.depth <= BROKEN { b": " } else { b":" })
    }
}

/// A part of a text with escapes in place of characters that are not harmless to look at.
fn shown(fragment: &str) -> String {
    let mut out = String::with_capacity(fragment.len());
    for c in fragment.chars() {
        if is_harmless(c) {
            out.push(c);
        } else {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_are_not_seen_are_escaped() {
        let text = text(&"a\u{9b}\u{202e}\u{e0041}ß").expect("JSON");
        let back: String = serde_json::from_str(&text).expect("JSON");
        assert_eq!(back, "a\u{9b}\u{202e}\u{e0041}ß");
        assert!(text.trim_end().chars().all(|c| c.is_ascii() || c == 'ß'));
    }

    #[test]
    fn numbers_survive() {
        let numbers = [2004.0, -0.0, 0.1, 5e-324, f64::MAX, 9_007_199_254_740_993.0, -3.0];
        let text = text(&numbers).expect("JSON");
        assert!(text.contains("2004,") && text.contains("-3\n"), "{text}");
        let back: Vec<f64> = serde_json::from_str(&text).expect("numbers");
        assert!(back.iter().zip(&numbers).all(|(a, b)| a.to_bits() == b.to_bits()));
    }
}
