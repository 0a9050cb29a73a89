//! Time zones that polars does not know.

use polars::prelude::{ArrowDataType, TimeZone};

/// A time zone of a type that polars does not know, as it knows no offsets that are not whole hours.
pub(super) fn unknown_zone(dtype: &ArrowDataType) -> Option<&str> {
    match dtype {
        ArrowDataType::Timestamp(_, Some(zone)) => {
            TimeZone::opt_try_new(Some(zone.clone())).is_err().then_some(zone.as_str())
        }
        ArrowDataType::List(field)
        | ArrowDataType::LargeList(field)
        | ArrowDataType::FixedSizeList(field, _)
        | ArrowDataType::Map(field, _) => unknown_zone(field.dtype()),
        ArrowDataType::Struct(fields) => {
            fields.iter().find_map(|field| unknown_zone(field.dtype()))
        }
        ArrowDataType::Dictionary(_, values, _) => unknown_zone(values),
        _ => None,
    }
}
