//! Dictionaries of Arrow: categories by their codes, or the values behind the keys.
//!
//! Texts become a column of categories, as in parquet files, and those in an order of their own an enum. Other values stand in the place of their
//! keys, but for levels of a factor in an order.

use std::sync::Arc;

use polars::prelude::{
    ArrayRef, Categorical8Type, Categorical16Type, Categorical32Type, CategoricalChunked,
    CategoricalMapping, CategoricalPhysical, Categories, ChunkAgg, CompatLevel, DataType,
    FrozenCategories, IdxCa, IdxSize, IntoSeries, PlSmallStr, PolarsResult, Series,
};
use polars_arrow::array::PrimitiveArray;
use polars_arrow::bitmap::Bitmap;

type Checked<T> = Result<T, String>;

/// What stands for a key whose value is null.
const NONE: u32 = u32::MAX;

/// The categories that the batches of a column share.
#[derive(Default)]
pub(crate) enum Shared {
    /// There are none: batches have values.
    #[default]
    Values,
    /// Those that occur, in no order.
    Found(Arc<Categories>, Arc<CategoricalMapping>),
    /// All of them, in an order.
    Ordered(Vec<String>),
}

impl Shared {
    /// A batch of keys into values: codes of these categories, or the values. An order counts for texts, and for all values of a factor.
    pub(crate) fn batch(
        &mut self,
        keys: ArrayRef,
        values: ArrayRef,
        (ordered, is_factor): (bool, bool),
    ) -> Checked<ArrayRef> {
        let keys = series("keys", keys)?;
        let values = series("values", values)?;
        let places = places(&keys, values.len())?;
        let are_texts = *values.dtype() == DataType::String;
        if ordered && (are_texts || is_factor) {
            let codes = self.in_order(&values)?;
            return Ok(coded(&places, &codes));
        }
        if are_texts {
            let codes = self.found(&values, &places)?;
            return Ok(coded(&places, &codes));
        }
        let column = values.take(&places).map_err(said)?.rechunk();
        Ok(column.to_arrow(0, CompatLevel::newest()))
    }

    /// The code of each value, of those that come later behind those that are known.
    fn in_order(&mut self, values: &Series) -> Checked<Vec<u32>> {
        let levels = texts(values)?;
        let Self::Ordered(known) = self else {
            *self = Self::Ordered(levels);
            return codes_in_order(values);
        };
        if levels.len() > known.len() && levels.starts_with(known) {
            *known = levels;
        } else if !known.starts_with(&levels) {
            return Err("its batches have their levels in different orders".into());
        }
        codes_in_order(values)
    }

    /// The code of each value that occurs.
    fn found(&mut self, values: &Series, places: &IdxCa) -> Checked<Vec<u32>> {
        if let Self::Values = self {
            let categories = Categories::random(PlSmallStr::EMPTY, CategoricalPhysical::U32);
            let mapping = categories.mapping();
            *self = Self::Found(categories, mapping);
        }
        let Self::Found(_, mapping) = self else {
            return Err("its batches have their levels in different orders".into());
        };
        let mut occurs = vec![false; values.len()];
        places.iter().flatten().for_each(|place| occurs[place as usize] = true);
        let texts = values.str().map_err(said)?;
        let code = |(text, occurs): (Option<&str>, bool)| match text.filter(|_| occurs) {
            Some(text) => mapping.insert_cat(text).map_err(said),
            None => Ok(NONE),
        };
        texts.iter().zip(occurs).map(code).collect()
    }

    /// The column of all batches; `None` if they have values.
    pub(crate) fn column(self, codes: &Series) -> PolarsResult<Option<Series>> {
        let dtype = match self {
            Self::Values => return Ok(None),
            Self::Found(categories, mapping) => DataType::Categorical(categories, mapping),
            Self::Ordered(levels) => {
                let levels = FrozenCategories::new(levels.iter().map(String::as_str))?;
                DataType::from_frozen_categories(levels)
            }
        };
        of_codes(codes, dtype).map(Some)
    }
}

fn said(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn series(name: &'static str, array: ArrayRef) -> Checked<Series> {
    Series::try_from((PlSmallStr::from_static(name), array)).map_err(said)
}

/// The keys as places among so many values.
fn places(keys: &Series, values: usize) -> Checked<IdxCa> {
    let places = keys.cast(&DataType::IDX_DTYPE).map_err(said)?;
    let is_negative = || keys.min::<i64>().is_ok_and(|least| least.is_some_and(|least| least < 0));
    if places.null_count() > keys.null_count() && is_negative() {
        return Err("a key of its dictionary is negative".into());
    }
    let places = places.idx().map_err(said)?;
    let is_beyond = places.max().is_some_and(|largest| largest as usize >= values);
    if is_beyond || places.null_count() > keys.null_count() {
        return Err("a key is beyond its dictionary".into());
    }
    Ok(places.clone())
}

/// The codes of values in their order, of which nulls have none.
fn codes_in_order(values: &Series) -> Checked<Vec<u32>> {
    let mut next = 0..NONE;
    let code = |is_there| if is_there { next.next() } else { Some(NONE) };
    let codes: Option<Vec<u32>> =
        values.is_not_null().iter().map(|v| v == Some(true)).map(code).collect();
    codes.ok_or_else(|| "it has too many levels".into())
}

/// The codes at some places.
fn coded(places: &IdxCa, codes: &[u32]) -> ArrayRef {
    if places.null_count() == 0 && !codes.contains(&NONE) {
        let codes = places.into_no_null_iter().map(|place| codes[place as usize]).collect();
        return Box::new(PrimitiveArray::from_vec(codes));
    }
    let at = |place: Option<IdxSize>| place.map_or(NONE, |place| codes[place as usize]);
    let codes: Vec<u32> = places.iter().map(at).collect();
    let validity: Bitmap = codes.iter().map(|code| *code != NONE).collect();
    Box::new(PrimitiveArray::from_vec(codes).with_validity(Some(validity)))
}

/// The values as texts, without nulls.
pub(crate) fn texts(values: &Series) -> Checked<Vec<String>> {
    let texts = values.cast(&DataType::String).map_err(said)?;
    let texts = texts.str().map_err(said)?;
    Ok(texts.iter().flatten().map(str::to_owned).collect())
}

/// Codes as a column of a type of categories.
fn of_codes(codes: &Series, dtype: DataType) -> PolarsResult<Series> {
    Ok(match dtype.cat_physical()? {
        CategoricalPhysical::U8 => {
            let codes = codes.strict_cast(&DataType::UInt8)?;
            CategoricalChunked::<Categorical8Type>::from_cats_and_dtype(codes.u8()?.clone(), dtype)
                .into_series()
        }
        CategoricalPhysical::U16 => {
            let codes = codes.strict_cast(&DataType::UInt16)?;
            CategoricalChunked::<Categorical16Type>::from_cats_and_dtype(
                codes.u16()?.clone(),
                dtype,
            )
            .into_series()
        }
        CategoricalPhysical::U32 => CategoricalChunked::<Categorical32Type>::from_cats_and_dtype(
            codes.u32()?.clone(),
            dtype,
        )
        .into_series(),
    })
}
