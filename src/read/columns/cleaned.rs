//! A frame without the values that stand for a missing one.

use std::borrow::Cow;

use polars::prelude::{DataFrame, IntoColumn};

use super::missing::{MissingValues, ReadAsMissing};
use super::wanted::Wanted;
use crate::base::error::{DidError, Result};

/// The frame without what stands for a missing value, and what that was; an error if its rows cannot be numbered.
pub(crate) fn cleaned<'a>(
    df: &'a DataFrame,
    wanted: &Wanted,
    missing: &MissingValues,
) -> Result<(Cow<'a, DataFrame>, Vec<ReadAsMissing>)> {
    if u32::try_from(df.height()).is_err() {
        return Err(DidError::config("data", "at most 4,294,967,295 rows", df.height()));
    }
    let mut df = Cow::Borrowed(df);
    let mut all = Vec::new();
    for name in wanted.names() {
        let Ok(column) = df.column(&name) else { continue };
        let cleaned = missing.clean(column.as_materialized_series())?;
        if let Some((series, counts)) = cleaned {
            df.to_mut().with_column(series.into_column())?;
            all.extend(counts.of(&name));
        }
    }
    Ok((df, all))
}
