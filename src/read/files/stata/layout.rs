//! What a Stata file says of itself: variables, and where their values are.
//!
//! As in "File formats .dta" of Stata's manual: formats 113 to 115 are read from beginning to end, 117 to 119 have sections between tags and
//! a map of them.

use std::io::{Read, Seek};

use super::bytes::{Bytes, Damaged, Order, Scan};

/// How the values of a variable are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Byte,
    Int,
    Long,
    Float,
    Double,
    /// Text of so many bytes at most.
    Text(usize),
    /// Where a text is.
    LongText,
}

/// A column of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Variable {
    pub name: String,
    pub kind: Kind,
    /// How Stata shows the values, which tells dates from numbers.
    pub format: String,
    /// Its place in a row.
    pub start: usize,
}

/// A file's variables and rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub version: u16,
    pub order: Order,
    pub rows: u64,
    pub row_bytes: usize,
    pub variables: Vec<Variable>,
    /// Where the first row is.
    pub data: u64,
    /// Where long texts are.
    pub long_texts: Option<u64>,
}

/// Bytes of a name and of a label before format 117.
const NAME: usize = 33;
const LABEL: usize = 81;

impl Kind {
    /// Bytes of a value.
    pub fn width(self) -> usize {
        match self {
            Self::Byte => 1,
            Self::Int => 2,
            Self::Long | Self::Float => 4,
            Self::Double | Self::LongText => 8,
            Self::Text(bytes) => bytes,
        }
    }

    /// That of formats before 117.
    fn of_byte(code: u8) -> Scan<Self> {
        Ok(match code {
            1..=244 => Self::Text(code.into()),
            251 => Self::Byte,
            252 => Self::Int,
            253 => Self::Long,
            254 => Self::Float,
            255 => Self::Double,
            _ => return Err(Damaged::Content),
        })
    }

    fn of_code(code: u64) -> Scan<Self> {
        Ok(match code {
            1..=2045 => Self::Text(code as usize),
            32_768 => Self::LongText,
            65_526 => Self::Double,
            65_527 => Self::Float,
            65_528 => Self::Long,
            65_529 => Self::Int,
            65_530 => Self::Byte,
            _ => return Err(Damaged::Content),
        })
    }
}

impl Layout {
    /// Reads it from a file of so many bytes.
    pub fn read<R: Read + Seek>(reader: R, length: u64) -> Scan<Self> {
        let mut bytes = Bytes::new(reader, length);
        let layout = match bytes.take(1)?[0] {
            b'<' => Self::tagged(&mut bytes)?,
            version => Self::untagged(&mut bytes, version.into())?,
        };
        let rows = u128::from(layout.rows) * layout.row_bytes as u128;
        if u128::from(layout.data) + rows > u128::from(length) {
            return Err(Damaged::Short);
        }
        Ok(layout)
    }

    /// Formats 113 to 115.
    fn untagged<R: Read + Seek>(bytes: &mut Bytes<R>, version: u16) -> Scan<Self> {
        // Files of other programs begin with any byte.
        let start = bytes.take(3)?;
        let order = match (version, start.as_slice()) {
            (100..=116, [1, 1, _]) => Order::Big,
            (100..=116, [2, 1, _]) => Order::Little,
            _ => return Err(Damaged::NotStata),
        };
        if !(113..=115).contains(&version) {
            return Err(Damaged::Version(version));
        }
        bytes.order = order;
        let (count, rows) = (bytes.integer(2)? as usize, bytes.integer(4)?);
        // A label and the time.
        bytes.skip(LABEL as u64 + 18)?;
        let kinds = bytes.take(count)?.into_iter().map(Kind::of_byte);
        let kinds: Vec<Kind> = kinds.collect::<Scan<_>>()?;
        let format = if version == 113 { 12 } else { 49 };
        let names = bytes.texts(count, NAME, version)?;
        bytes.skip(2 * (count as u64 + 1))?;
        let formats = bytes.texts(count, format, version)?;
        // Names of value labels, and labels.
        bytes.skip((count * (NAME + LABEL)) as u64)?;
        loop {
            let kind = bytes.take(1)?[0];
            let length = bytes.integer(4)?;
            if kind == 0 {
                break;
            }
            bytes.skip(length)?;
        }
        let data = bytes.position();
        let (variables, row_bytes) = variables(kinds, names, formats);
        Ok(Self { version, order, rows, row_bytes, variables, data, long_texts: None })
    }

    /// Formats 117 to 119.
    fn tagged<R: Read + Seek>(bytes: &mut Bytes<R>) -> Scan<Self> {
        bytes.tag("stata_dta><header><release>").map_err(|_| Damaged::NotStata)?;
        let version = String::from_utf8(bytes.take(3)?).ok().and_then(|v| v.parse::<u16>().ok());
        let version = version.ok_or(Damaged::Content)?;
        if !(117..=119).contains(&version) {
            return Err(Damaged::Version(version));
        }
        bytes.tag("</release><byteorder>")?;
        bytes.order = match &bytes.take(3)?[..] {
            b"LSF" => Order::Little,
            b"MSF" => Order::Big,
            _ => return Err(Damaged::Content),
        };
        bytes.tag("</byteorder><K>")?;
        let count = bytes.integer(if version == 119 { 4 } else { 2 })? as usize;
        bytes.tag("</K><N>")?;
        let rows = bytes.integer(if version == 117 { 4 } else { 8 })?;
        bytes.tag("</N><label>")?;
        let label = bytes.integer(if version == 117 { 1 } else { 2 })?;
        bytes.skip(label)?;
        bytes.tag("</label><timestamp>")?;
        let time = bytes.integer(1)?;
        bytes.skip(time)?;
        bytes.tag("</timestamp></header><map>")?;
        let map: Vec<u64> = (0..14).map(|_| bytes.integer(8)).collect::<Scan<_>>()?;
        let (name, format) = if version == 117 { (NAME, 49) } else { (129, 57) };
        bytes.section(map[2], "<variable_types>")?;
        bytes.has(count as u64 * 2)?;
        let kinds = (0..count).map(|_| Kind::of_code(bytes.integer(2)?));
        let kinds: Vec<Kind> = kinds.collect::<Scan<_>>()?;
        bytes.section(map[3], "<varnames>")?;
        let names = bytes.texts(count, name, version)?;
        bytes.section(map[5], "<formats>")?;
        let formats = bytes.texts(count, format, version)?;
        bytes.section(map[9], "<data>")?;
        let data = bytes.position();
        let order = bytes.order;
        let (variables, row_bytes) = variables(kinds, names, formats);
        let long_texts = Some(map[10]);
        Ok(Self { version, order, rows, row_bytes, variables, data, long_texts })
    }
}

/// The variables one after another in a row, and the bytes of a row.
fn variables(kinds: Vec<Kind>, names: Vec<String>, formats: Vec<String>) -> (Vec<Variable>, usize) {
    let mut row_bytes = 0;
    let variables = kinds.into_iter().zip(names).zip(formats).map(|((kind, name), format)| {
        let start = row_bytes;
        row_bytes += kind.width();
        Variable { name, kind, format, start }
    });
    let variables = variables.collect();
    (variables, row_bytes)
}

impl<R: Read + Seek> Bytes<R> {
    /// Goes to a section, which begins at a place of the file.
    fn section(&mut self, start: u64, tag: &str) -> Scan<()> {
        self.seek(start)?;
        self.tag(tag)
    }
}
