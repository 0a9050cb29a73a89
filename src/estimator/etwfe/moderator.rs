//! What effects may differ by, as it is read: a column of numbers, or of categories.

use polars::prelude::DataType;

use crate::base::error::Result;
use crate::read::columns::{MISSING, Table, Values};

/// A moderator as it is read.
pub(super) struct Moderator {
    /// Numbers, or the number of each row's category; NaN if missing.
    pub values: Values,
    /// Names of the categories, ascending; none of a column of numbers.
    pub categories: Option<Vec<String>>,
}

impl Moderator {
    /// A column of numbers, or one of text, categories or booleans.
    pub fn read(table: &Table<'_>, name: &str) -> Result<Self> {
        let dtype = table.series(name, "covariate")?.dtype();
        let has_categories =
            matches!(dtype, DataType::String | DataType::Boolean) || table.is_categorical(name);
        if !has_categories {
            return Ok(Self { values: table.numbers(name, "covariate")?, categories: None });
        }
        let labels = table.labels(name, "covariate")?;
        let codes = labels.codes().codes;
        let mut categories: Vec<String> = Vec::new();
        for (row, code) in codes.iter().enumerate().filter(|(_, code)| **code != MISSING) {
            let code = *code as usize;
            if code >= categories.len() {
                categories.resize(code + 1, String::new());
            }
            if categories[code].is_empty() {
                categories[code] = labels.text(row);
            }
        }
        let number = |code: &u32| if *code == MISSING { f64::NAN } else { f64::from(*code) };
        let values = codes.iter().map(number).collect::<Vec<f64>>().into();
        Ok(Self { values, categories: Some(categories) })
    }
}
