//! Bytes of a Stata file as numbers and texts.

use std::io::{self, Read, Seek, SeekFrom};

/// Why a file cannot be read.
#[derive(Debug)]
pub(super) enum Damaged {
    NotStata,
    /// Of a format that is not read.
    Version(u16),
    /// It has less than it declares.
    Short,
    /// Something is not what it should be.
    Content,
    Io(io::Error),
}

pub(super) type Scan<T> = std::result::Result<T, Damaged>;

/// Order of the bytes of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Little,
    Big,
}

/// What the bytes from 0x80 to 0x9F of Windows-1252 stand for.
const WINDOWS: [char; 32] = [
    '\u{20ac}', '\u{81}', '\u{201a}', '\u{192}', '\u{201e}', '\u{2026}', '\u{2020}', '\u{2021}',
    '\u{2c6}', '\u{2030}', '\u{160}', '\u{2039}', '\u{152}', '\u{8d}', '\u{17d}', '\u{8f}',
    '\u{90}', '\u{2018}', '\u{2019}', '\u{201c}', '\u{201d}', '\u{2022}', '\u{2013}', '\u{2014}',
    '\u{2dc}', '\u{2122}', '\u{161}', '\u{203a}', '\u{153}', '\u{9d}', '\u{17e}', '\u{178}',
];

/// A file of which no more is read than it has.
pub(super) struct Bytes<R> {
    reader: R,
    length: u64,
    /// Bytes before the next one.
    at: u64,
    pub order: Order,
}

impl<R: Read + Seek> Bytes<R> {
    pub fn new(reader: R, length: u64) -> Self {
        Self { reader, length, at: 0, order: Order::Little }
    }

    /// An error if fewer bytes follow.
    pub fn has(&self, bytes: u64) -> Scan<()> {
        let end = self.at.checked_add(bytes);
        if end.is_some_and(|end| end <= self.length) { Ok(()) } else { Err(Damaged::Short) }
    }

    pub fn take(&mut self, bytes: usize) -> Scan<Vec<u8>> {
        self.has(bytes as u64)?;
        let mut taken = vec![0; bytes];
        self.fill(&mut taken)?;
        Ok(taken)
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Scan<()> {
        self.has(bytes.len() as u64)?;
        self.reader.read_exact(bytes).map_err(Damaged::of)?;
        self.at += bytes.len() as u64;
        Ok(())
    }

    pub fn skip(&mut self, bytes: u64) -> Scan<()> {
        self.has(bytes)?;
        self.at += bytes;
        self.reader.seek_relative(bytes.cast_signed()).map_err(Damaged::of)
    }

    /// Goes to a place, from the beginning of the file.
    pub fn seek(&mut self, at: u64) -> Scan<()> {
        self.at = self.reader.seek(SeekFrom::Start(at)).map_err(Damaged::of)?;
        Ok(())
    }

    pub fn position(&self) -> u64 {
        self.at
    }

    /// An error unless this follows.
    pub fn tag(&mut self, tag: &str) -> Scan<()> {
        if self.take(tag.len())? == tag.as_bytes() { Ok(()) } else { Err(Damaged::Content) }
    }

    /// A number of so many bytes, without a sign.
    pub fn integer(&mut self, bytes: usize) -> Scan<u64> {
        let mut number = [0; 8];
        let number = &mut number[..bytes];
        self.fill(number)?;
        Ok(self.order.integer(number))
    }

    /// Texts of so many bytes each.
    pub fn texts(&mut self, texts: usize, width: usize, version: u16) -> Scan<Vec<String>> {
        self.has((texts as u64).saturating_mul(width as u64))?;
        let text = |bytes: Vec<u8>| text(&bytes, version).ok_or(Damaged::Content);
        (0..texts).map(|_| text(self.take(width)?)).collect()
    }
}

impl Order {
    /// A number of up to eight bytes, without a sign.
    pub fn integer(self, bytes: &[u8]) -> u64 {
        let add = |number, byte: &u8| number << 8 | u64::from(*byte);
        match self {
            Self::Little => bytes.iter().rev().fold(0, add),
            Self::Big => bytes.iter().fold(0, add),
        }
    }
}

impl Damaged {
    pub fn of(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Self::Short,
            _ => Self::Io(error),
        }
    }
}

/// A text up to its first zero: in UTF-8, and in Windows-1252 before format 118; `None` if it is not in UTF-8.
pub(super) fn text(bytes: &[u8], version: u16) -> Option<String> {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    let bytes = &bytes[..end];
    if version >= 118 {
        return std::str::from_utf8(bytes).ok().map(str::to_owned);
    }
    let character = |byte: &u8| match byte {
        0x80..=0x9F => WINDOWS[usize::from(*byte - 0x80)],
        byte => char::from(*byte),
    };
    Some(bytes.iter().map(character).collect())
}
