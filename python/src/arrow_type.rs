//! Types of Arrow columns by their formats, and the values behind the keys of dictionaries.

use polars::prelude::{
    ArrayRef, ChunkAgg, Column, CompatLevel, DataType, FrozenCategories, IdxCa, IdxSize,
    PlSmallStr, Series, SortOptions,
};
use polars_arrow::array::new_empty_array;
use polars_arrow::datatypes::{ArrowDataType, TimeUnit};

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

    /// The column of its chunks, whose levels may be in an order of their own.
    pub(crate) fn column(
        self,
        chunks: Vec<ArrayRef>,
        levels: Option<Vec<String>>,
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
        let levels = match levels {
            None if is_factor => Some(sorted_levels(&series).map_err(|error| about(&error))?),
            levels => levels,
        };
        match levels {
            Some(levels) => ordered(&series, &levels).map_err(|error| about(&error)),
            None => Ok(series.into()),
        }
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

/// The values behind keys. Of a dictionary in an order of its own the levels are kept, too: of texts, and of a factor.
pub(crate) fn decoded(
    keys: ArrayRef,
    values: ArrayRef,
    (ordered, is_factor): (bool, bool),
    levels: &mut Option<Vec<String>>,
) -> Result<ArrayRef, String> {
    let said = |error: polars::error::PolarsError| error.to_string();
    let keys = Series::try_from((PlSmallStr::from_static("keys"), keys)).map_err(said)?;
    let values = Series::try_from((PlSmallStr::from_static("values"), values)).map_err(said)?;
    let missing = keys.null_count();
    let places = keys.cast(&DataType::UInt64).map_err(said)?;
    if places.null_count() > missing {
        return Err("a key of its dictionary is negative".into());
    }
    let places = places.u64().map_err(said)?;
    if places.max().is_some_and(|largest| largest >= values.len() as u64) {
        return Err("a key is beyond its dictionary".into());
    }
    let places: IdxCa =
        places.iter().map(|place| place.and_then(|place| IdxSize::try_from(place).ok())).collect();
    if ordered && (is_factor || *values.dtype() == DataType::String) {
        let texts = texts(&values)?;
        let known = levels.get_or_insert_default();
        if texts.len() > known.len() && texts.starts_with(known) {
            *known = texts;
        } else if !known.starts_with(&texts) {
            return Err("its batches have their levels in different orders".into());
        }
    }
    let column = values.take(&places).map_err(said)?.rechunk();
    Ok(column.to_arrow(0, CompatLevel::newest()))
}

/// The values as texts, without nulls.
fn texts(values: &Series) -> Result<Vec<String>, String> {
    let texts = values.cast(&DataType::String).map_err(|error| error.to_string())?;
    let texts = texts.str().map_err(|error| error.to_string())?;
    Ok(texts.iter().flatten().map(str::to_owned).collect())
}

/// The levels of values that are no texts, in their order.
fn sorted_levels(values: &Series) -> Result<Vec<String>, String> {
    let said = |error: polars::error::PolarsError| error.to_string();
    let distinct = values.unique().map_err(said)?;
    texts(&distinct.sort(SortOptions::default()).map_err(said)?)
}

/// A column as one of ordered levels.
fn ordered(values: &Series, levels: &[String]) -> Result<Column, String> {
    let said = |error: polars::error::PolarsError| error.to_string();
    let levels = FrozenCategories::new(levels.iter().map(String::as_str)).map_err(said)?;
    let levels = DataType::from_frozen_categories(levels);
    let texts = values.cast(&DataType::String).map_err(said)?;
    Ok(texts.strict_cast(&levels).map_err(said)?.into())
}
