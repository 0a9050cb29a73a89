//! Labels that a column of categories or of an enum has, by its own codes.

use std::sync::atomic::{AtomicBool, Ordering};

use polars::prelude::*;

use super::grouped::sorted;
use super::integers::Present;
use super::labels::{CategoryLabels, MISSING};
use super::spelled::order_by_spelling;
use super::text_block::TextSource;
use crate::base::parallel;

/// Rows that one task looks at.
const PART: usize = 8_192;

/// A column of categories, whose labels are those that occur in it.
#[derive(Clone)]
pub(crate) struct CategoryColumn {
    /// A code for each row, in the order of the labels' texts.
    pub codes: Arc<Vec<u32>>,
    /// Whether a row has no label.
    pub has_missing: bool,
    pub labels: CategoryLabels,
}

impl CategoryColumn {
    /// `None` for another type.
    pub fn new(series: &Series) -> Option<Self> {
        let (DataType::Categorical(_, mapping) | DataType::Enum(_, mapping)) = series.dtype()
        else {
            return None;
        };
        let mut codes = match series.dtype().cat_physical().ok()? {
            CategoricalPhysical::U8 => physical(series.cat8().ok()?),
            CategoricalPhysical::U16 => physical(series.cat16().ok()?),
            CategoricalPhysical::U32 => physical(series.cat32().ok()?),
        };
        let bound = mapping.num_cats_upper_bound();
        let own = |row: usize| (codes[row] != MISSING).then_some(codes[row] as usize);
        let present = Present::new(codes.len(), bound, own);
        let present: Vec<u32> = (0..).take(bound).filter(|c| present.has(*c as usize)).collect();
        let categories = in_order(mapping, present);
        let mut rank = vec![MISSING; bound];
        for (place, category) in (0..).zip(&categories) {
            rank[*category as usize] = place;
        }
        let has_missing = AtomicBool::new(false);
        parallel::chunks(&mut codes, PART, |_, codes| {
            let mut missing = false;
            for code in codes {
                *code = rank.get(*code as usize).copied().unwrap_or(MISSING);
                missing |= *code == MISSING;
            }
            if missing {
                has_missing.store(true, Ordering::Relaxed);
            }
        });
        let (codes, has_missing) = (Arc::new(codes), has_missing.into_inner());
        let labels = CategoryLabels::new(categories, mapping);
        Some(Self { codes, has_missing, labels })
    }

    /// The label of a row.
    pub fn text(&self, row: usize) -> Option<&str> {
        let code = self.codes[row];
        (code != MISSING).then(|| self.labels.text(code as usize))
    }

    /// Some of the rows.
    pub fn take(&self, rows: &[u32]) -> Self {
        let codes = rows.iter().map(|row| self.codes[*row as usize]).collect();
        Self { codes: Arc::new(codes), ..self.clone() }
    }

    /// The first rows.
    pub fn head(&self, rows: usize) -> Self {
        Self { codes: Arc::new(self.codes[..rows].to_vec()), ..self.clone() }
    }
}

/// The texts of all categories of a mapping, whether they occur or not.
pub(crate) struct CategoryTexts<'m>(pub &'m CategoricalMapping);

impl TextSource for CategoryTexts<'_> {
    fn count(&self) -> usize {
        self.0.num_cats_upper_bound()
    }

    fn text(&self, position: usize) -> Option<&str> {
        self.0.cat_to_str(u32::try_from(position).ok()?)
    }
}

/// Texts of some categories of a mapping.
struct Chosen<'m>(&'m CategoricalMapping, &'m [u32]);

impl TextSource for Chosen<'_> {
    fn count(&self) -> usize {
        self.1.len()
    }

    fn text(&self, position: usize) -> Option<&str> {
        self.0.cat_to_str(self.1[position])
    }
}

/// Categories in the order of their texts.
fn in_order(mapping: &CategoricalMapping, categories: Vec<u32>) -> Vec<u32> {
    let chosen = Chosen(mapping, &categories);
    let text = |at: usize| chosen.text(at).unwrap_or_default();
    let count = categories.len();
    let ascend =
        |part| parallel::part(part, PART, count).all(|at| at == 0 || text(at - 1) < text(at));
    if parallel::all(count.div_ceil(PART), &ascend) {
        return categories;
    }
    let order = order_by_spelling(&chosen).unwrap_or_else(|| sorted(count, &text));
    order.into_iter().map(|at| categories[at as usize]).collect()
}

/// The column's own codes, [`MISSING`] for null.
fn physical<T: PolarsCategoricalType>(column: &CategoricalChunked<T>) -> Vec<u32> {
    let mut codes = vec![0; column.len()];
    let mut rest = codes.as_mut_slice();
    for array in column.physical().downcast_iter() {
        let (values, validity) = (array.values().as_slice(), array.validity());
        let (own, later) = rest.split_at_mut(values.len());
        parallel::chunks(own, PART, |part, codes| {
            for (out, at) in codes.iter_mut().zip(part * PART..) {
                let valid = validity.is_none_or(|valid| valid.get_bit(at));
                *out = if valid { values[at].as_cat() } else { MISSING };
            }
        });
        rest = later;
    }
    codes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(series: &Series) -> (Vec<u32>, Vec<String>, bool) {
        let column = CategoryColumn::new(series).unwrap();
        let labels = (0..column.labels.len()).map(|c| column.labels.text(c).to_owned());
        (column.codes.to_vec(), labels.collect(), column.has_missing)
    }

    #[test]
    fn codes_are_those_of_the_texts_that_occur() {
        let texts = Series::new("c".into(), [Some("b"), None, Some("ä"), Some("a"), Some("b")]);
        let frozen = FrozenCategories::new(["unused", "b", "z", "ä", "a"]).unwrap();
        let own = Categories::random(PlSmallStr::EMPTY, CategoricalPhysical::U8);
        let wide = Categories::random(PlSmallStr::EMPTY, CategoricalPhysical::U32);
        for dtype in [
            DataType::from_frozen_categories(frozen),
            DataType::from_categories(own),
            DataType::from_categories(wide),
        ] {
            let mut series = texts.cast(&dtype).unwrap();
            let labels = ["a", "b", "ä"].map(str::to_owned).to_vec();
            assert_eq!(column(&series), (vec![1, MISSING, 2, 0, 1], labels, true), "{dtype}");
            series.append(&series.slice(2, 2)).unwrap();
            assert_eq!(column(&series).0, [1, MISSING, 2, 0, 1, 2, 0], "{dtype}");
            let some = column(&series.slice(3, 2));
            assert_eq!(some, (vec![0, 1], vec!["a".to_owned(), "b".to_owned()], false), "{dtype}");
        }
        assert!(CategoryColumn::new(&texts).is_none());
        let none =
            Series::full_null("c".into(), 2, &DataType::from_categories(Categories::global()));
        assert_eq!(column(&none), (vec![MISSING; 2], Vec::new(), true));
    }

    #[test]
    fn many_categories_are_in_the_order_of_their_texts() {
        let count = 20_011;
        for text in [
            |unit: usize| format!("u{unit}"),
            |unit: usize| format!("unit {unit:x} of a number of words beyond those of a block"),
        ] {
            let own = (0..count).map(|i| text(i * 48_271 % count)).collect::<Vec<_>>();
            let mut expected = own.clone();
            expected.sort_unstable();
            let texts = Series::new("c".into(), &own);
            let own = Categories::random(PlSmallStr::EMPTY, CategoricalPhysical::U32);
            let (codes, labels, _) = column(&texts.cast(&DataType::from_categories(own)).unwrap());
            assert!(labels == expected);
            let of_rows = codes.iter().map(|code| labels[*code as usize].as_str());
            assert!(of_rows.eq(texts.str().unwrap().iter().flatten()));
        }
    }
}
