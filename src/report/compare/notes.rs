//! The lines under a comparison.

use crate::base::options::Band;
use crate::report::foot::percent;

use super::comparable::{Comparable, Term};
use super::options::{Below, Stars};
use super::rows::Row;

/// What stands in parentheses, what stars say, and what a reader must know of each model.
pub(super) fn notes(
    models: &[(String, &dyn Comparable)],
    (stars, below): (Stars, Below),
    terms: &[Vec<Term>],
    rows: &[Row<'_>],
) -> Vec<String> {
    let (bands, of) = kinds(models, terms, rows);
    let in_parentheses = match below {
        Below::StandardError => "Standard errors in parentheses".to_owned(),
        Below::Interval => format!("{bands} in brackets{of}"),
    };
    let first = match (stars, below) {
        (Stars::None, _) => in_parentheses,
        (Stars::Interval, Below::Interval) => {
            format!("{in_parentheses}. `*' band does not cover 0")
        }
        (Stars::Interval, Below::StandardError) => {
            format!("{in_parentheses}. `*' {} does not cover 0{of}", lower(&bands))
        }
        (Stars::Levels, _) => {
            format!("{in_parentheses}. Signif. codes: `***' 0.01, `**' 0.05, `*' 0.1")
        }
    };
    let remarks = models.iter().map(|(name, model)| (name, model.remarks()));
    let remarks =
        remarks.flat_map(|(name, all)| all.into_iter().map(move |r| format!("{name}: {r}")));
    [first].into_iter().chain(remarks).collect()
}

/// The intervals with their level and kind, and of which model they are what if they differ.
fn kinds(
    models: &[(String, &dyn Comparable)],
    terms: &[Vec<Term>],
    rows: &[Row<'_>],
) -> (String, String) {
    let mut kinds: Vec<(String, Vec<&str>)> = Vec::new();
    for ((name, model), terms) in models.iter().zip(terms) {
        let shown = terms.iter().filter(|term| rows.iter().any(|row| row.name == term.name));
        let kind = format!("{}% {}", percent(model.alpha()), bands(shown));
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, names)) => names.push(name),
            None => kinds.push((kind, vec![name])),
        }
    }
    if let [(kind, _)] = kinds.as_slice() {
        return (format!("{kind} confidence band"), String::new());
    }
    let of = kinds.iter().map(|(kind, names)| format!("{kind} for {}", names.join(", ")));
    ("Confidence band".into(), format!(": {}", of.collect::<Vec<_>>().join(", ")))
}

/// Words within a sentence.
fn lower(words: &str) -> String {
    words.replacen("Confidence", "confidence", 1)
}

/// The kind of a model's intervals; if it has both kinds, with the names of the pointwise ones.
fn bands<'a>(terms: impl Iterator<Item = &'a Term>) -> String {
    let (uniform, pointwise): (Vec<&Term>, Vec<&Term>) =
        terms.partition(|term| term.band == Band::Uniform);
    if uniform.is_empty() {
        return "pointwise".into();
    }
    let mut names: Vec<&str> = Vec::new();
    for term in pointwise {
        let name = term.name.split('(').next().unwrap_or_default().trim();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if names.is_empty() {
        return "uniform".into();
    }
    format!("uniform ({}: pointwise)", names.join(", "))
}
