//! Factors: the levels of one column, or of several together.

use std::collections::BTreeMap;

use crate::base::error::Result;
use crate::read::columns::{Codes, LabelColumn, MISSING, Table, from_integers};
use crate::read::formula::Interaction;

/// A factor: a code for each row, in the order of the levels, [`u32::MAX`] if missing.
pub(crate) struct Coded {
    pub name: String,
    pub codes: Vec<u32>,
    columns: Vec<LabelColumn>,
}

impl Coded {
    /// Codes of factors, each with its role; columns that several have are coded once. Infinity is a level, but missing in the column of
    /// `units` and in clusters if there is one.
    pub(super) fn read<'f>(
        table: &Table<'_>,
        factors: impl Iterator<Item = (&'static str, &'f Interaction)> + Clone,
        units: Option<&str>,
    ) -> Result<Vec<Self>> {
        let mut known: BTreeMap<&str, Codes> = BTreeMap::new();
        let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
        for name in factors.clone().flat_map(|(_, factor)| factor.columns()) {
            *uses.entry(name).or_default() += 1;
        }
        let mut all = Vec::new();
        for (role, factor) in factors {
            let mut columns = Vec::with_capacity(factor.columns().len());
            let mut codes: Option<Codes> = None;
            for name in factor.columns() {
                let is_finite = units.is_some_and(|unit| unit == name || role == "cluster");
                let column =
                    if is_finite { table.labels(name, role)? } else { table.levels(name, role)? };
                let left = uses.entry(name).or_default();
                *left -= 1;
                let codes_of_column = match known.remove(name.as_str()) {
                    Some(codes) => codes,
                    None => column.codes(),
                };
                if *left > 0 {
                    known.insert(name, codes_of_column.clone());
                }
                columns.push(column);
                codes = Some(match codes {
                    None => codes_of_column,
                    Some(before) => together(&before, &codes_of_column),
                });
            }
            let codes = codes.map(|codes| codes.codes).unwrap_or_default();
            all.push(Self { name: factor.to_string(), codes, columns });
        }
        Ok(all)
    }

    /// The level of a row as text; the columns' levels joined by `_` if there are several. Those that have a `_` or a quote are
    /// quoted then, so that no two levels have one text.
    pub fn text(&self, row: usize) -> String {
        let quoted = |text: String| match text.contains(['_', '"']) {
            true => format!("\"{}\"", text.replace('"', "\"\"")),
            false => text,
        };
        match self.columns.as_slice() {
            [only] => only.text(row),
            several => {
                let texts: Vec<String> = several.iter().map(|c| quoted(c.text(row))).collect();
                texts.join("_")
            }
        }
    }
}

/// Codes of two factors together, in the order of the first and then the second.
fn together(first: &Codes, second: &Codes) -> Codes {
    let width = second.labels.len() as i64;
    from_integers(first.codes.len(), |row| {
        let (a, b) = (first.codes[row], second.codes[row]);
        (a != MISSING && b != MISSING).then(|| i64::from(a) * width + i64::from(b))
    })
}

#[cfg(test)]
mod tests {
    use polars::prelude::*;

    use super::*;

    fn read(df: &DataFrame, factors: &[Interaction]) -> Vec<Coded> {
        let factors = factors.iter().map(|factor| ("fixed effect", factor));
        Coded::read(&Table::plain(df), factors, None).unwrap()
    }

    #[test]
    fn levels_of_two_columns_together() {
        let df =
            df!("a" => [2, 1, 2, 1, 2], "b" => [Some("x"), Some("y"), Some("x"), None, Some("a")])
                .unwrap();
        let factors = Interaction::parse("a + a^b").unwrap();
        let coded = read(&df, &factors);
        assert_eq!(coded[0].codes, [1, 0, 1, 0, 1]);
        assert_eq!(coded[1].codes, [2, 0, 2, MISSING, 1]);
        assert_eq!((coded[1].name.as_str(), coded[1].text(0)), ("a^b", "2_x".to_owned()));
    }

    #[test]
    fn texts_of_levels_together_differ() {
        let df = df!("a" => ["x_y", "x", "x\"", "x"], "b" => ["z", "y_z", "z", "\"z"]).unwrap();
        let coded = read(&df, &Interaction::parse("a + a^b").unwrap());
        let texts: Vec<String> = (0..4).map(|row| coded[1].text(row)).collect();
        let expected = ["\"x_y\"_z", "x_\"y_z\"", "\"x\"\"\"_z", "x_\"\"\"z\""];
        assert_eq!(
            (texts.as_slice(), coded[0].text(0)),
            (&expected.map(str::to_owned)[..], "x_y".into())
        );
    }
}
