//! The lines under a comparison.

use std::collections::HashSet;

use crate::base::options::Band;
use crate::report::foot::percent;

use super::comparable::{Comparable, Term};
use super::options::{Below, Stars};
use super::rows::{EVENT_TIME, Row, Selection};

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
    [first].into_iter().chain(standard_errors(models)).chain(remarks(models)).collect()
}

/// How standard errors were made: of all models, or of which if they differ.
fn standard_errors(models: &[(String, &dyn Comparable)]) -> Option<String> {
    let known = models.iter().map(|(name, model)| (model.standard_errors(), name.as_str()));
    let known: Vec<(String, &str)> = known.filter_map(|(ways, name)| Some((ways?, name))).collect();
    match grouped(known.iter().cloned()).as_slice() {
        [] => None,
        [(ways, names)] if names.len() == models.len() => Some(format!("Std. Errors: {ways}")),
        kinds => Some(format!("Std. Errors: {}", each(kinds))),
    }
}

/// What is to be known of each model, once where it is of several.
fn remarks(models: &[(String, &dyn Comparable)]) -> Vec<String> {
    let all = models.iter().flat_map(|(name, model)| {
        let mut said = model.remarks();
        let mut known = HashSet::new();
        said.retain(|remark| known.insert(remark.clone()));
        said.into_iter().map(|remark| (remark, name.as_str()))
    });
    let said = grouped(all).into_iter();
    said.map(|(remark, names)| format!("{}: {remark}", names.join(", "))).collect()
}

/// Values that are too long for a column, of which model each.
pub(super) fn long_fact(
    name: &str,
    values: &[String],
    models: &[(String, &dyn Comparable)],
) -> String {
    let values = models.iter().zip(values).filter(|(_, value)| !value.is_empty());
    let values = values.map(|((name, _), value)| (value.clone(), name.as_str()));
    format!("{name}: {}", each(&grouped(values)))
}

/// What a reader must know of rows in which several models stand: how overall effects average, and what effects before treatment are
/// relative to, if the models differ in it.
pub(super) fn differences(
    models: &[(String, &dyn Comparable)],
    selection: &Selection,
    rows: &[Row<'_>],
) -> Vec<String> {
    let averages = rows.iter().filter(|row| row.name.starts_with("Overall ")).filter_map(|row| {
        let ways = models.iter().zip(&row.terms).filter(|(_, term)| term.is_some());
        let ways =
            ways.filter_map(|((name, model), _)| Some((model.overall_averages()?, name.as_str())));
        told_apart(&selection.label(&[row.name, row.shown]), ways)
    });
    let counts = event_times_count(models, rows);
    averages.chain(before_treatment(models, rows)).chain(counts).collect()
}

/// What event times count, if several models stand in a row of one and differ in it.
fn event_times_count(models: &[(String, &dyn Comparable)], rows: &[Row<'_>]) -> Option<String> {
    let shared = |row: &&Row<'_>| row.is_shared() && row.name.starts_with(EVENT_TIME);
    let shared: Vec<&Row<'_>> = rows.iter().filter(shared).collect();
    let models = models.iter().enumerate();
    let models = models.filter(|(column, _)| shared.iter().any(|row| row.terms[*column].is_some()));
    let counts = models.filter_map(|(_, (name, model))| {
        Some((model.event_times_count()?.to_owned(), name.as_str()))
    });
    told_apart("Event times count", counts)
}

/// What effects before treatment are relative to, if several models stand in a row of such and differ in it.
pub(super) fn before_treatment(
    models: &[(String, &dyn Comparable)],
    rows: &[Row<'_>],
) -> Option<String> {
    let shared: Vec<&Row<'_>> = rows.iter().filter(|row| row.is_shared()).collect();
    let stands = |column: usize| {
        let mut terms = shared.iter().filter_map(|row| row.terms[column]);
        terms.any(Term::is_before_treatment)
    };
    let models = models.iter().enumerate().filter(|(column, _)| stands(*column));
    let bases =
        models.filter_map(|(_, (name, model))| Some((model.before_treatment()?, name.as_str())));
    told_apart("Before treatment", bases)
}

/// Which models are what, if they differ: `over event times that count alike for CS; over treated rows for Imputation`.
fn told_apart<'a>(what: &str, models: impl Iterator<Item = (String, &'a str)>) -> Option<String> {
    let kinds = grouped(models);
    (kinds.len() > 1).then(|| format!("{what}: {}", each(&kinds)))
}

/// What is of which models: `over event times for CS; over treated rows for Imputation`.
fn each(kinds: &[(String, Vec<&str>)]) -> String {
    let of = kinds.iter().map(|(kind, names)| format!("{kind} for {}", names.join(", ")));
    of.collect::<Vec<String>>().join("; ")
}

/// The names of each kind, kinds in the order in which they first occur.
fn grouped<'a>(models: impl Iterator<Item = (String, &'a str)>) -> Vec<(String, Vec<&'a str>)> {
    let mut kinds: Vec<(String, Vec<&str>)> = Vec::new();
    for (kind, name) in models {
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, names)) => names.push(name),
            None => kinds.push((kind, vec![name])),
        }
    }
    kinds
}

/// The intervals with their level and kind, and of which model they are what if they differ.
fn kinds(
    models: &[(String, &dyn Comparable)],
    terms: &[Vec<Term>],
    rows: &[Row<'_>],
) -> (String, String) {
    let kinds =
        grouped(models.iter().zip(terms).enumerate().map(|(column, ((name, model), terms))| {
            let stands = |term: &&Term| rows.iter().any(|row| row.terms[column] == Some(*term));
            let shown = terms.iter().filter(stands);
            (format!("{}% {}", percent(model.alpha()), bands(shown)), name.as_str())
        }));
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
