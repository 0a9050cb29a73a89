//! Types of Arrow columns by their formats.

use polars::prelude::{
    ArrayRef, Column, DataType, FrozenCategories, PlSmallStr, PolarsResult, Series, SortOptions,
};
use polars_arrow::array::new_empty_array;
use polars_arrow::datatypes::{ArrowDataType, TimeUnit};

use crate::categories::{Shared, texts};
use crate::columns::Reading;

/// What an element of a fixed width is in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fixed {
    I8,
    I16,
    I32,
    I64,
    I128,
    I256,
    U8,
    U16,
    U32,
    U64,
    F16,
    F32,
    F64,
}

/// Whether keys of a dictionary can be of this type.
fn is_key(dtype: &ArrowDataType) -> bool {
    use ArrowDataType::{Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64};
    matches!(dtype, Int8 | Int16 | Int32 | Int64 | UInt8 | UInt16 | UInt32 | UInt64)
}

/// A type of columns.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    Null,
    Boolean,
    Fixed(Fixed, ArrowDataType),
    Text,
    LargeText,
    TextView,
    /// Keys into values, which may be in an order of their own.
    Dictionary {
        keys: Fixed,
        key_type: ArrowDataType,
        values: Box<Self>,
        ordered: bool,
    },
    /// A type that no column of an estimator can have, by its format.
    Other(String),
}

impl Kind {
    /// The type of a format, without its dictionary.
    pub(crate) fn parse(format: &str) -> Self {
        use ArrowDataType::{
            Date32, Date64, Float16, Float32, Float64, Int8, Int16, Int32, Int64, Time32, Time64,
            UInt8, UInt16, UInt32, UInt64,
        };
        let (fixed, dtype) = match format {
            "n" => return Self::Null,
            "b" => return Self::Boolean,
            "u" => return Self::Text,
            "U" => return Self::LargeText,
            "vu" => return Self::TextView,
            "c" => (Fixed::I8, Int8),
            "s" => (Fixed::I16, Int16),
            "i" => (Fixed::I32, Int32),
            "l" => (Fixed::I64, Int64),
            "C" => (Fixed::U8, UInt8),
            "S" => (Fixed::U16, UInt16),
            "I" => (Fixed::U32, UInt32),
            "L" => (Fixed::U64, UInt64),
            "e" => (Fixed::F16, Float16),
            "f" => (Fixed::F32, Float32),
            "g" => (Fixed::F64, Float64),
            "tdD" => (Fixed::I32, Date32),
            "tdm" => (Fixed::I64, Date64),
            "tts" => (Fixed::I32, Time32(TimeUnit::Second)),
            "ttm" => (Fixed::I32, Time32(TimeUnit::Millisecond)),
            "ttu" => (Fixed::I64, Time64(TimeUnit::Microsecond)),
            "ttn" => (Fixed::I64, Time64(TimeUnit::Nanosecond)),
            _ => {
                let known = moment(format).map(|dtype| (Fixed::I64, dtype));
                match known.or_else(|| decimal(format)) {
                    Some(known) => known,
                    None => return Self::Other(format.to_owned()),
                }
            }
        };
        Self::Fixed(fixed, dtype)
    }

    /// This type as that of the keys of a dictionary.
    pub(crate) fn with_dictionary(self, values: Self, ordered: bool, format: String) -> Self {
        let is_plain = !matches!(values, Self::Dictionary { .. } | Self::Other(_));
        match self {
            Self::Fixed(keys, key_type) if is_plain && is_key(&key_type) => {
                Self::Dictionary { keys, key_type, values: Box::new(values), ordered }
            }
            _ => Self::Other(format!("{format} with a dictionary")),
        }
    }

    /// Whether it has categories that are neither texts nor truth values.
    fn has_categories(&self) -> bool {
        use Kind::{Boolean, Dictionary, LargeText, Null, Text, TextView};
        matches!(self, Dictionary { values, .. } if !matches!(**values, Null | Boolean | Text | LargeText | TextView))
    }

    /// An array without rows.
    pub(crate) fn none(&self) -> Result<ArrayRef, String> {
        let dtype = match self {
            Self::Null => ArrowDataType::Null,
            Self::Boolean => ArrowDataType::Boolean,
            Self::Fixed(_, dtype) => dtype.clone(),
            Self::Text | Self::LargeText | Self::TextView => ArrowDataType::Utf8View,
            Self::Dictionary { values, .. } => return values.none(),
            Self::Other(format) => return Err(format!("the Arrow type `{format}` is not read")),
        };
        Ok(new_empty_array(dtype))
    }
}

/// A column of a stream.
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// As what; a column that is not read is null throughout.
    pub(crate) reading: Reading,
}

impl Field {
    pub(crate) fn is_read(&self) -> bool {
        self.reading != Reading::Unread
    }

    /// Whether it has categories whose values are levels.
    pub(crate) fn is_factor(&self) -> bool {
        self.reading == Reading::Factor && self.kind.has_categories()
    }

    /// Whether a column of this type can be read so.
    pub(crate) fn check(&self) -> Result<(), String> {
        let name = &self.name;
        match &self.kind {
            Kind::Other(format) => {
                let what = match format.get(..2) {
                    Some("+l" | "+L" | "+w" | "+v") => "lists".to_owned(),
                    Some("+s") => "groups of fields".to_owned(),
                    Some("+m") => "maps".to_owned(),
                    _ => format!("the Arrow type `{format}`"),
                };
                Err(format!(
                    "column `{name}` has {what}, which no column of an estimator can have; convert it to numbers, texts or dates"
                ))
            }
            kind if self.reading == Reading::Both && kind.has_categories() => Err(format!(
                "column `{name}` has categories that are numbers, which are levels in the formula and numbers in another argument; give the formula a copy of the column under another name"
            )),
            _ => Ok(()),
        }
    }

    /// The column of its chunks, which have values or codes of categories.
    pub(crate) fn column(
        self,
        chunks: Vec<ArrayRef>,
        shared: Shared,
        height: usize,
    ) -> Result<Column, String> {
        let (is_read, is_factor) = (self.is_read(), self.is_factor());
        let name = PlSmallStr::from_string(self.name);
        if !is_read {
            return Ok(Series::full_null(name, height, &DataType::Null).into());
        }
        let about = |error: &dyn std::fmt::Display| format!("column `{name}`: {error}");
        if chunks.is_empty() {
            let none = self.kind.none().map_err(|error| about(&error))?;
            return Ok(Series::try_from((name.clone(), none))
                .map_err(|error| about(&error))?
                .into());
        }
        let series = Series::try_from((name.clone(), chunks)).map_err(|error| about(&error))?;
        if let Some(categories) = shared.column(&series).map_err(|error| about(&error))? {
            return Ok(categories.into());
        }
        if is_factor {
            return factor(&series).map_err(|error| about(&error));
        }
        Ok(series.into())
    }
}

fn unit(letter: &str) -> Option<TimeUnit> {
    Some(match letter {
        "s" => TimeUnit::Second,
        "m" => TimeUnit::Millisecond,
        "u" => TimeUnit::Microsecond,
        "n" => TimeUnit::Nanosecond,
        _ => return None,
    })
}

/// Points in time, and lengths of it.
fn moment(format: &str) -> Option<ArrowDataType> {
    if let Some(letter) = format.strip_prefix("tD") {
        return unit(letter).map(ArrowDataType::Duration);
    }
    let (letter, zone) = format.strip_prefix("ts")?.split_once(':')?;
    let zone = (!zone.is_empty()).then(|| zone.into());
    Some(ArrowDataType::Timestamp(unit(letter)?, zone))
}

fn decimal(format: &str) -> Option<(Fixed, ArrowDataType)> {
    let mut parts = format.strip_prefix("d:")?.split(',');
    // Polars has 38 digits at most; a value with more is an error there.
    let precision = parts.next()?.parse::<usize>().ok()?.min(38);
    let scale = parts.next()?.parse().ok()?;
    Some(match (parts.next(), parts.next()) {
        (None | Some("128"), None) => (Fixed::I128, ArrowDataType::Decimal(precision, scale)),
        (Some("32"), None) => (Fixed::I32, ArrowDataType::Decimal32(precision, scale)),
        (Some("64"), None) => (Fixed::I64, ArrowDataType::Decimal64(precision, scale)),
        (Some("256"), None) => (Fixed::I256, ArrowDataType::Decimal256(precision, scale)),
        _ => return None,
    })
}

/// Values that are no texts as a column of levels in the order of the values.
fn factor(values: &Series) -> Result<Column, String> {
    let said = |error: polars::error::PolarsError| error.to_string();
    let sorted =
        |values: &Series| -> PolarsResult<Series> { values.unique()?.sort(SortOptions::default()) };
    let levels = texts(&sorted(values).map_err(said)?)?;
    let levels = FrozenCategories::new(levels.iter().map(String::as_str)).map_err(said)?;
    let levels = DataType::from_frozen_categories(levels);
    let texts = values.cast(&DataType::String).map_err(said)?;
    Ok(texts.strict_cast(&levels).map_err(said)?.into())
}
