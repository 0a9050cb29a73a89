//! Reading a column of a data frame for a formula.

use polars::prelude::*;

use super::column::{MISSING, RawColumn, too_many_levels};
use super::levels;
use crate::base::error::{DidError, Result};
use crate::read::columns::{Numbers, kind};

impl RawColumn {
    /// Converts a column of numbers, booleans, strings or categories.
    ///
    /// Levels are sorted by bytes; those of an enum keep its order, as those of an R factor do.
    ///
    /// # Errors
    /// [`DidError::ColumnType`] for another type, or for more than 65,536 distinct strings.
    pub(crate) fn from_series(series: &Series) -> Result<Self> {
        if (series.dtype().is_primitive_numeric() || series.dtype().is_decimal())
            && let Some(numbers) = Numbers::new(series, f64::NAN)
        {
            return Ok(Self::Numeric(numbers.values()));
        }
        Ok(match series.dtype() {
            DataType::Boolean => booleans(series.bool()?),
            DataType::String => {
                levels::of_strings(series.str()?).ok_or_else(|| too_many_levels(series.name()))?
            }
            DataType::Categorical(_, mapping) => {
                levels::of_categories(categories(series)?, |code| mapping.cat_to_str(code))
                    .ok_or_else(|| too_many_levels(series.name()))?
            }
            DataType::Enum(_, mapping) => {
                let codes = (0..).take(mapping.num_cats_upper_bound());
                let levels = codes.map(|code| mapping.cat_to_str(code).unwrap_or_default());
                let levels = levels.map(str::to_owned).collect();
                Self::Factor { codes: categories(series)?, levels }
            }
            other => {
                return Err(DidError::ColumnType {
                    column: series.name().to_string(),
                    role: "covariate",
                    expected: "numbers, booleans, strings or categories; convert it first",
                    got: kind(other),
                });
            }
        })
    }
}

fn booleans(column: &BooleanChunked) -> RawColumn {
    RawColumn::Factor {
        codes: column.iter().map(|value| value.map_or(MISSING, u32::from)).collect(),
        levels: vec!["FALSE".to_owned(), "TRUE".to_owned()],
    }
}

/// Physical codes of a categorical or enum.
fn categories(series: &Series) -> Result<Vec<u32>> {
    fn codes<T: PolarsCategoricalType>(column: &CategoricalChunked<T>) -> Vec<u32> {
        let code = |code: Option<T::Native>| code.map_or(MISSING, |code| code.as_cat());
        column.physical().iter().map(code).collect()
    }
    Ok(match series.dtype().cat_physical()? {
        CategoricalPhysical::U8 => codes(series.cat8()?),
        CategoricalPhysical::U16 => codes(series.cat16()?),
        CategoricalPhysical::U32 => codes(series.cat32()?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(series: Series) -> RawColumn {
        RawColumn::from_series(&series).unwrap()
    }

    fn factor(codes: &[u32], levels: &[&str]) -> RawColumn {
        let levels = levels.iter().map(|level| (*level).to_owned()).collect();
        RawColumn::Factor { codes: codes.to_vec(), levels }
    }

    #[test]
    fn numbers_of_every_width_with_nulls_as_nan() {
        let RawColumn::Numeric(values) =
            raw(Series::new("x".into(), [Some(1_i32), None, Some(-3)]))
        else {
            panic!("numeric")
        };
        assert_eq!((values[0], values[2]), (1.0, -3.0));
        assert!(values[1].is_nan());
        for series in [
            Series::new("x".into(), [1_i64, 2]),
            Series::new("x".into(), [1_u64, 2]),
            Series::new("x".into(), [1_u32, 2]),
            Series::new("x".into(), [1.0_f32, 2.0]),
            Series::new("x".into(), [1.0_f64, 2.0]),
        ] {
            assert_eq!(raw(series), RawColumn::Numeric(vec![1.0, 2.0].into()));
        }
    }

    #[test]
    fn several_chunks_keep_their_order() {
        let mut series = Series::new("x".into(), [Some(1.0), None]);
        series.append(&Series::new("x".into(), [3.0, 4.0])).unwrap();
        let RawColumn::Numeric(values) = raw(series) else { panic!("numeric") };
        assert!(values[1].is_nan());
        assert_eq!([values[0], values[2], values[3]], [1.0, 3.0, 4.0]);
        let mut series = Series::new("f".into(), ["b", "a"]);
        series.append(&Series::new("f".into(), [None, Some("c")])).unwrap();
        assert_eq!(raw(series), factor(&[1, 0, MISSING, 2], &["a", "b", "c"]));
    }

    #[test]
    fn strings_sort_by_bytes() {
        let series = Series::new("f".into(), ["b", "é", "B", "a10", "a9"]);
        assert_eq!(raw(series), factor(&[3, 4, 0, 1, 2], &["B", "a10", "a9", "b", "é"]));
    }

    #[test]
    fn booleans_are_factors() {
        let series = Series::new("b".into(), [Some(true), None, Some(false)]);
        assert_eq!(raw(series), factor(&[1, MISSING, 0], &["FALSE", "TRUE"]));
    }

    #[test]
    fn categoricals_are_sorted_and_enums_keep_their_order() {
        let series = Series::new("f".into(), [Some("b"), None, Some("a"), Some("b")]);
        let categorical = DataType::from_categories(Categories::random(
            PlSmallStr::EMPTY,
            CategoricalPhysical::U32,
        ));
        let column = series.cast(&categorical).unwrap();
        assert_eq!(raw(column), factor(&[1, MISSING, 0, 1], &["a", "b"]));
        let frozen = FrozenCategories::new(["high", "b", "a"]).unwrap();
        let column = series.cast(&DataType::from_frozen_categories(frozen)).unwrap();
        assert_eq!(raw(column), factor(&[1, MISSING, 2, 1], &["high", "b", "a"]));
    }

    #[test]
    fn other_types_are_refused_by_name() {
        let series = Series::full_null("when".into(), 2, &DataType::Null);
        let error = RawColumn::from_series(&series).unwrap_err().to_string();
        assert!(error.contains("column `when` (covariate) holds no values"), "{error}");
        let many: Vec<String> = (0..=super::super::MAX_LEVELS).map(|i| i.to_string()).collect();
        let error = RawColumn::from_series(&Series::new("id".into(), many)).unwrap_err();
        assert!(error.to_string().contains("column `id` (categorical covariate)"), "{error}");
    }
}
