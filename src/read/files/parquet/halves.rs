//! Columns of half precision, which the reader of polars asserts not to meet: they are read as two bytes a row.

use half::f16;
use polars::prelude::*;
use polars_parquet::parquet::metadata::SchemaDescriptor;
use polars_parquet::read::ParquetType;

/// Metadata of the same file in which half-precision columns are two-byte arrays; the others keep their types.
pub(super) fn as_bytes(metadata: &FileMetadata) -> FileMetadata {
    let mut fields = metadata.schema().fields().to_vec();
    for field in &mut fields {
        if let ParquetType::PrimitiveType(field) = field {
            field.logical_type = None;
        }
    }
    let name = metadata.schema().name().into();
    // Key and value name the types of Arrow that the columns were written from.
    let without_keys = FileMetadata { key_value_metadata: None, ..metadata.clone() };
    FileMetadata { schema_descr: SchemaDescriptor::new(name, fields), ..without_keys }
}

/// A column in single precision.
pub(super) fn in_singles(bytes: &Column) -> PolarsResult<Column> {
    let single =
        |bytes: &[u8]| <[u8; 2]>::try_from(bytes).ok().map(|b| f16::from_le_bytes(b).to_f32());
    let values = bytes.binary()?.iter().map(|value| value.and_then(single));
    let values: Float32Chunked = values.collect();
    Ok(values.with_name(bytes.name().clone()).into_column())
}
