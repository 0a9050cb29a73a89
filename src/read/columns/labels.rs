//! Labels of units and clusters, and their codes in sorted order.

use std::sync::Arc;

use polars::prelude::{CategoricalMapping, StringChunked};
use serde::{Deserialize, Serialize};

use super::spelling::SpelledLabels;

/// Code of a missing label.
pub(crate) const MISSING: u32 = u32::MAX;

/// A label by itself, in the order of its column.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Label {
    Integer(i64),
    Wide(i128),
    Text(String),
}

/// Distinct labels, ascending.
#[derive(Clone)]
pub(crate) enum Labels {
    /// Integers, or unsigned ones as [`signed_key`].
    Integers(Vec<i64>),
    Wide(Vec<i128>),
    Floats(Vec<f64>),
    Texts(TextLabels),
    /// Texts by numbers that stand for them.
    Spelled(SpelledLabels),
    Categories(CategoryLabels),
}

/// Texts of a column, by rows that have them.
#[derive(Clone)]
pub(crate) struct TextLabels {
    column: StringChunked,
    rows: Vec<u32>,
}

impl TextLabels {
    /// The texts of these rows.
    pub fn new(column: &StringChunked, rows: Vec<u32>) -> Self {
        Self { column: column.clone(), rows }
    }

    fn text(&self, code: usize) -> String {
        self.column.get(self.rows[code] as usize).unwrap_or_default().to_owned()
    }
}

/// Categories in the order of their texts.
#[derive(Clone)]
pub(crate) struct CategoryLabels {
    categories: Vec<u32>,
    mapping: Arc<CategoricalMapping>,
}

impl CategoryLabels {
    /// Categories of a mapping, in the order of their texts.
    pub fn new(categories: Vec<u32>, mapping: &Arc<CategoricalMapping>) -> Self {
        Self { categories, mapping: Arc::clone(mapping) }
    }

    pub fn len(&self) -> usize {
        self.categories.len()
    }

    pub fn text(&self, code: usize) -> &str {
        self.mapping.cat_to_str(self.categories[code]).unwrap_or_default()
    }
}

impl Labels {
    pub fn len(&self) -> usize {
        match self {
            Self::Integers(v) => v.len(),
            Self::Wide(v) => v.len(),
            Self::Floats(v) => v.len(),
            Self::Texts(v) => v.rows.len(),
            Self::Spelled(v) => v.len(),
            Self::Categories(v) => v.len(),
        }
    }

    /// The label with a code.
    pub fn label(&self, code: usize) -> Label {
        match self {
            Self::Integers(v) => Label::Integer(v[code]),
            Self::Wide(v) => Label::Wide(v[code]),
            Self::Floats(v) => Label::Integer(ordered_key(v[code])),
            Self::Texts(v) => Label::Text(v.text(code)),
            Self::Spelled(v) => Label::Text(v.text(code)),
            Self::Categories(v) => Label::Text(v.text(code).to_owned()),
        }
    }
}

/// One code a row, `MISSING` for null, NaN and infinities.
#[derive(Clone)]
pub(crate) struct Codes {
    pub codes: Vec<u32>,
    pub labels: Labels,
}

/// A code, [`MISSING`] beyond the codes that there are.
pub(crate) fn code(index: u64) -> u32 {
    u32::try_from(index).unwrap_or(MISSING)
}

/// Signed integers in the order of the unsigned ones.
pub(crate) fn signed_key(value: u64) -> i64 {
    (value ^ (1 << 63)).cast_signed()
}

/// Integers in the order of the floats; −0 and 0 are the same label.
pub(crate) fn ordered_key(value: f64) -> i64 {
    let bits = (value + 0.0).to_bits().cast_signed();
    bits ^ (((bits >> 63).cast_unsigned()) >> 1).cast_signed()
}

pub(crate) fn from_ordered_key(key: i64) -> f64 {
    f64::from_bits((key ^ (((key >> 63).cast_unsigned()) >> 1).cast_signed()).cast_unsigned())
}
