//! The rows of a comparison: which there are, in which order and under which names.

use std::collections::HashMap;

use crate::base::calendar::without_rounding;
use crate::base::error::{DidError, Result};
use crate::report::number::first_of;

use super::comparable::Term;

/// The term that each model has of a row, if it has one.
#[derive(Clone, Debug)]
pub(super) struct Row<'a> {
    pub(super) name: &'a str,
    /// The name in tables, before labels.
    pub(super) shown: &'a str,
    pub(super) terms: Vec<Option<&'a Term>>,
}

impl Row<'_> {
    /// Whether two models have the row.
    pub(super) fn is_shared(&self) -> bool {
        self.terms.iter().flatten().count() > 1
    }
}

/// Which rows there are, and what they are called.
#[derive(Clone, Debug, Default)]
pub(super) struct Selection {
    pub(super) keep: Vec<String>,
    pub(super) drop: Vec<String>,
    pub(super) labels: Vec<(String, String)>,
}

/// What names of effects by event time begin with.
pub(super) const EVENT_TIME: &str = "Event time ";

/// The rows of models, in the order of their terms.
pub(super) fn gathered(models: &[Vec<Term>]) -> Vec<Row<'_>> {
    let mut rows: Vec<(Row<'_>, [f64; 3])> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for (column, terms) in models.iter().enumerate() {
        for term in terms {
            let shown = term.shown.as_deref().unwrap_or(&term.name);
            let position = *places.entry(joined_by(&term.name)).or_insert_with(|| {
                let terms = vec![None; models.len()];
                rows.push((Row { name: &term.name, shown, terms }, term.order));
                rows.len() - 1
            });
            let row = &mut rows[position].0;
            if term.name.len() < row.name.len() {
                (row.name, row.shown) = (&term.name, shown);
            }
            // A name for tables is that of a row whose terms all have it.
            if term.shown.is_none() {
                row.shown = row.name;
            }
            // The first of several terms of one name.
            rows[position].0.terms[column].get_or_insert(term);
        }
    }
    rows.sort_by(|(_, a), (_, b)| {
        let by = |i: usize| a[i].total_cmp(&b[i]);
        by(0).then(by(1)).then(by(2))
    });
    rows.into_iter().map(|(row, _)| row).collect()
}

/// The name that terms of one row have, whatever the digits of their event times.
fn joined_by(name: &str) -> String {
    let time = name.strip_prefix(EVENT_TIME).and_then(|time| time.parse().ok());
    time.map_or_else(|| name.to_owned(), |time| format!("{EVENT_TIME}{}", without_rounding(time)))
}

impl Selection {
    /// The rows that are kept, in the order of the patterns that keep them, less those that are dropped.
    pub(super) fn selected<'a>(&self, rows: Vec<Row<'a>>) -> Vec<Row<'a>> {
        let fits = |pattern: &String, row: &Row<'_>| {
            matches(pattern, row.name) || matches(pattern, row.shown)
        };
        let rank = |row: &Row<'_>| self.keep.iter().position(|pattern| fits(pattern, row));
        let mut rows: Vec<Row<'a>> = rows
            .into_iter()
            .filter(|row| self.keep.is_empty() || rank(row).is_some())
            .filter(|row| !self.drop.iter().any(|pattern| fits(pattern, row)))
            .collect();
        rows.sort_by_key(rank);
        rows
    }

    /// Whether a line under the estimates stays.
    pub(super) fn has_fact(&self, name: &str) -> bool {
        !self.drop.iter().any(|pattern| matches(pattern, name))
    }

    /// The label of a name, or the name. Parts of an interaction and the column of a level have labels of their own.
    pub(super) fn label(&self, names: &[&str]) -> String {
        let of = |name: &str| self.labels.iter().find(|(old, _)| old == name);
        if let Some((_, new)) = names.iter().find_map(|name| of(name)) {
            return new.clone();
        }
        let shown = names.last().copied().unwrap_or_default();
        let parts = parts(shown)
            .map(|(part, rest)| format!("{}{rest}", of(part).map_or(part, |(_, new)| new)));
        parts.collect()
    }

    /// An error that names a pattern or label that fits no row.
    pub(super) fn check(&self, rows: &[Row<'_>], facts: &[&str], values: &[&str]) -> Result<()> {
        let row_names = || rows.iter().flat_map(|row| [row.name, row.shown]);
        let known = || row_names().chain(facts.iter().copied());
        let list = || {
            let names: Vec<&str> = rows.iter().map(|row| row.shown).collect();
            format!("the rows are {}", first_of(&names, NAMED, "; "))
        };
        let wrong = |option, expected, text: &str| {
            Err(DidError::config(option, expected, format!("`{text}`; {}", list())))
        };
        if let Some(text) = self.keep.iter().find(|p| !row_names().any(|name| matches(p, name))) {
            return wrong("keep", "the name of a row of estimates, or a pattern of such", text);
        }
        if let Some(text) = self.drop.iter().find(|p| !known().any(|name| matches(p, name))) {
            return wrong("drop", "the name of a row, or a pattern of such", text);
        }
        let has_part = |name: &str, old: &str| parts(name).any(|(part, _)| part == old);
        let names = |old: &str| {
            let mut all = known().chain(values.iter().copied());
            all.any(|name| name == old || has_part(name, old))
        };
        match self.labels.iter().find(|(old, _)| !names(old)) {
            Some((old, _)) => wrong("label", "the name of a row", old),
            None => Ok(()),
        }
    }
}

/// Names that an error lists, at most.
const NAMED: usize = 12;

/// Names of columns in the name of a coefficient, each with what follows up to the next.
fn parts(name: &str) -> impl Iterator<Item = (&str, &str)> {
    let separator = if name.contains(" × ") { " × " } else { ":" };
    name.split_inclusive(separator).map(move |piece| {
        let part = piece.strip_suffix(separator).unwrap_or(piece);
        let column = part.split_once(" = ").map_or(part, |(column, _)| column);
        piece.split_at(column.len())
    })
}

/// Whether a name is a pattern, in which `*` stands for any characters and `?` for one.
fn matches(pattern: &str, name: &str) -> bool {
    if pattern == name {
        return true;
    }
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    // Which beginnings of the name are the pattern so far.
    let mut reached = vec![false; name.len() + 1];
    reached[0] = true;
    for wanted in pattern {
        let mut next = vec![false; reached.len()];
        for (length, _) in reached.iter().enumerate().filter(|(_, reached)| **reached) {
            match wanted {
                '*' => next[length..].iter_mut().for_each(|end| *end = true),
                _ if name.get(length).is_some_and(|c| wanted == '?' || *c == wanted) => {
                    next[length + 1] = true;
                }
                _ => {}
            }
        }
        reached = next;
    }
    reached[name.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::options::Band;
    use crate::result::inference::Estimate;

    #[test]
    fn event_times_that_differ_for_rounding_share_a_row() {
        let term = |name: &str| Term::new(name, [0.0; 3], Estimate::default(), Band::Pointwise);
        let models = [
            vec![term("Event time 0.24999999999999994"), term("Event time 1"), term("x")],
            vec![term("Event time 0.25"), term("Event time 2"), term("x")],
        ];
        let rows = gathered(&models);
        let names: Vec<&str> = rows.iter().map(|row| row.name).collect();
        assert_eq!(names, ["Event time 0.25", "Event time 1", "x", "Event time 2"]);
        assert!(rows[0].terms.iter().all(Option::is_some));
    }

    #[test]
    fn a_row_has_a_name_for_tables_if_all_its_terms_do() {
        let term = || Term::new("Overall ATT", [0.0; 3], Estimate::default(), Band::Pointwise);
        let (plain, named) = (|| vec![term()], || vec![term().shown("ATT")]);
        let shown = |models: [Vec<Term>; 2]| gathered(&models)[0].shown.to_owned();
        assert_eq!(shown([named(), named()]), "ATT");
        assert_eq!([shown([plain(), named()]), shown([named(), plain()])], ["Overall ATT"; 2]);
    }

    #[test]
    fn patterns_have_wildcards() {
        for (pattern, name) in [
            ("x1", "x1"),
            ("Event time *", "Event time -3"),
            ("*", ""),
            ("*time ?", "Event time 0"),
            ("a*b*c", "a-b-b-c"),
            ("I(x*2)", "I(x*2)"),
        ] {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [("x", "x1"), ("Event time ?", "Event time -3"), ("a*b", "abc")] {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }

    #[test]
    fn parts_of_coefficients_are_labelled() {
        let labels = [("treat", "Treated"), ("year", "Year"), ("x1:x2", "Both")];
        let labels = labels.map(|(old, new)| (old.to_owned(), new.to_owned())).to_vec();
        let selection = Selection { labels, ..Selection::default() };
        let label = |shown| selection.label(&[shown]);
        assert_eq!(label("year = 2004 × treat"), "Year = 2004 × Treated");
        assert_eq!(label("treat:x1"), "Treated:x1");
        assert_eq!(label("x1:x2"), "Both");
        assert_eq!(label("treatment"), "treatment");
        assert_eq!(selection.label(&["treat", "other"]), "Treated");
    }
}
