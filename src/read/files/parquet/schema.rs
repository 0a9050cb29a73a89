//! One schema for all files, decided before any data are read.

use std::path::Path;

use polars::prelude::*;

use super::file::ParquetFile;
use crate::base::error::{DidError, Result};
use crate::read::columns::{Kind, Wanted, kinds};
use crate::read::files::{check_columns, problem};

/// Types of the columns of the roles in all files.
///
/// Integers of several widths are read as the widest, single precision as double, categories that differ as text, and a column that
/// has no values in one file has its type from the others. Of enums, one whose categories begin with the other's is the type of both;
/// labels have no order, so that other enums are text there. Any other disagreement is an error. A file without rows agrees with all.
pub(super) fn common(sources: &[ParquetFile], roles: &Wanted) -> Result<Schema> {
    let mut schemas = Vec::with_capacity(sources.len());
    for source in sources {
        let found = source.schema()?;
        schemas.push((source.path(), found.0, found.1));
    }
    if schemas.iter().any(|(_, _, rows)| *rows > 0) {
        schemas.retain(|(_, _, rows)| *rows > 0);
    }
    let names = roles.names();
    let mut common: Vec<KnownType<'_>> = Vec::new();
    for (path, schema, _) in &schemas {
        let available: Vec<&str> = schema.iter_names().map(PlSmallStr::as_str).collect();
        check_columns(path, &available, roles, schemas.len() == 1)?;
        for (position, name) in names.iter().enumerate() {
            let dtype = schema.try_get(name)?;
            match common.get_mut(position) {
                None => common.push(KnownType { path, dtype: dtype.clone() }),
                Some(known) => known.join(name, path, dtype, roles.kind_of(name))?,
            }
        }
    }
    let mut schema = Schema::with_capacity(names.len());
    for (name, known) in names.iter().zip(common) {
        let mut dtype = known.dtype;
        if are_categories(&dtype) && roles.kind_of(name) == Kind::Label {
            for source in sources {
                if source.has_many_categories(name)? {
                    dtype = DataType::String;
                }
            }
        }
        schema.insert(name.as_str().into(), dtype);
    }
    Ok(schema)
}

/// Whether a column has categories, or those of an enum.
pub(super) fn are_categories(dtype: &DataType) -> bool {
    dtype.is_categorical() || dtype.is_enum()
}

/// Whether the categories of an enum begin with those of another.
fn extends(categories: &FrozenCategories, others: &FrozenCategories) -> bool {
    let (own, others) = (categories.categories().values_iter(), others.categories().values_iter());
    own.len() >= others.len() && own.zip(others).all(|(own, other)| own == other)
}

fn are_texts(dtype: &DataType) -> bool {
    are_categories(dtype) || dtype.is_string()
}

/// A column's type in the files so far, and the file that it is from.
struct KnownType<'a> {
    path: &'a Path,
    dtype: DataType,
}

impl<'a> KnownType<'a> {
    fn join(&mut self, column: &str, path: &'a Path, dtype: &DataType, kind: Kind) -> Result<()> {
        let are_labels = kind == Kind::Label && are_texts(&self.dtype) && are_texts(dtype);
        let as_text = || are_labels.then_some(DataType::String);
        match wider(&self.dtype, dtype).or_else(as_text) {
            Some(wider) => {
                if wider != self.dtype {
                    (self.dtype, self.path) = (wider, path);
                }
                Ok(())
            }
            None => {
                let [got, expected] = match dtype.is_enum() && self.dtype.is_enum() {
                    true => ["an enum of other categories", "an enum"].map(str::to_owned),
                    false => kinds(dtype, &self.dtype),
                };
                Err(DidError::TypesDiffer {
                    column: column.to_owned(),
                    file: path.display().to_string(),
                    got,
                    other: self.path.display().to_string(),
                    expected,
                })
            }
        }
    }
}

/// The type that holds the values of both exactly, if their types are compatible.
pub(in crate::read::files) fn wider(a: &DataType, b: &DataType) -> Option<DataType> {
    use DataType::{Categorical, Decimal, Enum, Float64, Null, String};
    match (a, b) {
        (a, b) if a == b => Some(a.clone()),
        (Null, other) | (other, Null) => Some(other.clone()),
        (a, b) if a.is_integer() && b.is_integer() => integers(a, b),
        (a, b) if a.is_float() && b.is_float() => Some(Float64),
        (Decimal(p, scale), Decimal(q, other)) if scale == other => {
            Some(Decimal(*p.max(q), *scale))
        }
        // Their labels are what counts; physical codes differ from file to file.
        (Categorical(..), Categorical(..) | String) | (String, Categorical(..)) => Some(String),
        // Their order is kept, as covariates have the first level as reference.
        (Enum(first, _), Enum(second, _)) if extends(first, second) => Some(a.clone()),
        (Enum(first, _), Enum(second, _)) if extends(second, first) => Some(b.clone()),
        _ => None,
    }
}

/// The narrower of the types that hold both; none beyond 64 bits.
fn integers(a: &DataType, b: &DataType) -> Option<DataType> {
    use DataType::{Int8, Int16, Int32, Int64, Int128, UInt8, UInt16, UInt32, UInt64};
    let signed =
        |dtype: &DataType| [Int8, Int16, Int32, Int64, Int128].iter().position(|t| t == dtype);
    let unsigned =
        |dtype: &DataType| [UInt8, UInt16, UInt32, UInt64].iter().position(|t| t == dtype);
    // An unsigned type fits into the signed type of the next width.
    let width = |dtype: &DataType| signed(dtype).or(unsigned(dtype).map(|width| width + 1));
    match (unsigned(a), unsigned(b)) {
        (Some(x), Some(y)) => Some([UInt8, UInt16, UInt32, UInt64][x.max(y)].clone()),
        _ => {
            let width = width(a)?.max(width(b)?);
            let fits = width < 4 || (signed(a) == Some(4) || signed(b) == Some(4));
            fits.then(|| [Int8, Int16, Int32, Int64, Int128][width].clone())
        }
    }
}

/// The columns in their common types.
pub(super) fn cast(source: &ParquetFile, df: DataFrame, schema: &Schema) -> Result<DataFrame> {
    let mut columns = Vec::with_capacity(schema.len());
    for (name, dtype) in schema.iter() {
        let column = df.column(name)?;
        columns.push(if column.dtype() == dtype {
            column.clone()
        } else {
            let cast = column.strict_cast(dtype);
            cast.map_err(|e| problem(source.path(), e.to_string()))?
        });
    }
    Ok(DataFrame::new(df.height(), columns)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_one_kind_have_a_common_one() {
        use DataType::{
            Boolean, Categorical, Decimal, Float32, Float64, Int8, Int32, Int64, Int128, Null,
            String, UInt8, UInt32, UInt64,
        };
        let categorical = || {
            let categories = Categories::random("".into(), CategoricalPhysical::U32);
            let mapping = categories.mapping();
            Categorical(categories, mapping)
        };
        let ordered = |categories: &[&'static str]| {
            DataType::from_frozen_categories(
                FrozenCategories::new(categories.iter().copied()).unwrap(),
            )
        };
        for (a, b, expected) in [
            (Int32, Int64, Some(Int64)),
            (Int8, UInt8, Some(DataType::Int16)),
            (UInt32, Int8, Some(Int64)),
            (UInt8, UInt64, Some(UInt64)),
            (UInt64, Int64, None),
            (UInt64, Int128, Some(Int128)),
            (Float32, Float64, Some(Float64)),
            (Null, String, Some(String)),
            (Null, Null, Some(Null)),
            (Int64, Float64, None),
            (Int64, String, None),
            (Boolean, Int64, None),
            (Decimal(10, 2), Decimal(18, 2), Some(Decimal(18, 2))),
            (Decimal(10, 2), Decimal(10, 3), None),
            (categorical(), categorical(), Some(String)),
            (categorical(), Int64, None),
            (ordered(&["a", "b"]), ordered(&["a", "b"]), Some(ordered(&["a", "b"]))),
            (ordered(&["a", "b"]), ordered(&["a", "b", "c"]), Some(ordered(&["a", "b", "c"]))),
            (ordered(&["a", "b"]), ordered(&["b", "a"]), None),
            (ordered(&["a", "b"]), categorical(), None),
            (ordered(&["a", "b"]), String, None),
        ] {
            assert_eq!(wider(&a, &b), expected, "{a} {b}");
            assert_eq!(wider(&b, &a), expected, "{b} {a}");
        }
    }
}
