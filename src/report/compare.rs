//! Several results side by side.

use std::collections::{HashMap, HashSet};

use crate::base::options::Band;
use crate::result::inference::Estimate;

use super::foot;
use super::number::Digits;
use super::table::{Align, Section, Table};
use crate::result::settings::Settings;

/// One estimate of a model, with the row of the comparison that it belongs to.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Term {
    /// Name of the row; equal names share a row.
    pub name: String,
    /// Rows stand in ascending order of this.
    pub order: [f64; 3],
    /// The estimate.
    pub estimate: Estimate,
    /// What its interval is, which the star is of.
    pub band: Band,
}

impl Term {
    /// The estimate of the row `name`, which stands in the order of these numbers.
    #[must_use]
    pub fn new(name: impl Into<String>, order: [f64; 3], estimate: Estimate, band: Band) -> Self {
        Self { name: name.into(), order, estimate, band }
    }
}

/// A result that can be a column of [`compare`].
///
/// ```
/// use burn_did::{Estimate, compare, options::Band, report::{Comparable, Term}};
///
/// /// An estimate from elsewhere.
/// struct Published(f64, f64);
///
/// impl Comparable for Published {
///     fn terms(&self) -> Vec<Term> {
///         let estimate = Estimate::new(Some(self.0), Some(self.1), 1.96);
///         let (name, order, band) = ("Overall ATT", [0.0; 3], Band::Pointwise);
///         vec![Term::new(name, order, estimate, band)]
///     }
///     fn facts(&self) -> Vec<(String, String)> {
///         vec![("Source".into(), "table 2".into())]
///     }
///     fn alpha(&self) -> f64 {
///         0.05
///     }
/// }
///
/// let table = compare(&[("Published", &Published(-0.04, 0.012))]);
/// assert!(table.to_string().contains("-0.0400*"));
/// ```
pub trait Comparable {
    /// The estimates.
    fn terms(&self) -> Vec<Term>;
    /// What stands under the estimates: name and value.
    fn facts(&self) -> Vec<(String, String)>;
    /// One minus the level of the intervals behind the stars.
    fn alpha(&self) -> f64;
    /// What a reader must know of the estimates, such as cells that an average leaves out: for the foot of the table.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Results side by side: estimates with stars, standard errors in parentheses under them, one column a model.
///
/// ```
/// use burn_did::{Aggregation, AttGt, backend::Cpu, compare, data};
///
/// let config = || AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
/// let plain = config().group("first.treat").build();
/// let adjusted = config().group("first.treat").covariates("~ lpop").build();
/// let [plain, adjusted] = [plain, adjusted].map(|config| {
///     let fit = config.fit(&data::mpdta())?;
///     fit.aggregate(Aggregation::dynamic())
/// });
/// let table = compare(&[("Plain", &plain?), ("Adjusted", &adjusted?)]);
/// println!("{table}\n{}", table.to_latex());
/// assert!(table.to_string().contains("Event time 0"));
/// # Ok::<(), burn_did::DidError>(())
/// ```
pub fn compare(models: &[(&str, &dyn Comparable)]) -> Table {
    if models.is_empty() {
        return Table::default();
    }
    let terms: Vec<Vec<Term>> = models.iter().map(|(_, m)| m.terms()).collect();
    let mut header = vec![String::new()];
    header.extend(models.iter().map(|(name, _)| format!("{name} ")));
    let estimates = Section { caption: None, header, rows: estimate_rows(&terms) };
    let facts = Section { rows: fact_rows(models), ..Section::default() };
    let mut align = vec![Align::Left];
    align.resize(models.len() + 1, Align::Centre);
    let notes = notes(models, &terms);
    Table {
        align,
        sections: vec![estimates, facts],
        notes,
        caption: Some("Estimates Side by Side".into()),
        label: Some("comparison".into()),
        ..Table::default()
    }
}

fn estimate_rows(models: &[Vec<Term>]) -> Vec<Vec<String>> {
    let digits = Digits::of(models.iter().flatten().map(|t| &t.estimate));
    let mut names: Vec<(&str, [f64; 3])> = Vec::new();
    let mut known = HashSet::new();
    for term in models.iter().flatten() {
        if known.insert(term.name.as_str()) {
            names.push((&term.name, term.order));
        }
    }
    names.sort_by(|(_, a), (_, b)| {
        let by = |i: usize| a[i].total_cmp(&b[i]);
        by(0).then(by(1)).then(by(2))
    });
    let first = |terms: &'_ [Term]| -> HashMap<String, Estimate> {
        terms.iter().rev().map(|t| (t.name.clone(), t.estimate)).collect()
    };
    let estimates: Vec<HashMap<String, Estimate>> = models.iter().map(|m| first(m)).collect();
    let mut rows = Vec::with_capacity(2 * names.len());
    for (name, _) in names {
        let (mut above, mut below) = (vec![name.to_owned()], vec![String::new()]);
        for estimates in &estimates {
            let estimate = estimates.get(name);
            above.push(estimate.map_or(String::new(), |e| starred(e, digits)));
            let se = estimate.and_then(|e| e.se);
            below.push(se.map_or(String::new(), |se| format!("({})", digits.show(Some(se)))));
        }
        rows.extend([above, below]);
    }
    rows
}

/// The space keeps digits under digits where there is no star.
fn starred(estimate: &Estimate, digits: Digits) -> String {
    let star = if estimate.excludes_zero() { '*' } else { ' ' };
    format!("{}{star}", digits.show(estimate.estimate))
}

fn fact_rows(models: &[(&str, &dyn Comparable)]) -> Vec<Vec<String>> {
    let facts: Vec<_> = models.iter().map(|(_, m)| m.facts()).collect();
    let mut names: Vec<&String> = Vec::new();
    for (name, _) in facts.iter().flatten() {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let row = |name: &String| {
        let value = |facts: &Vec<(String, String)>| {
            let fact = facts.iter().find(|(n, _)| n == name);
            fact.map_or(String::new(), |(_, value)| format!("{value} "))
        };
        [name.clone()].into_iter().chain(facts.iter().map(value)).collect()
    };
    names.into_iter().map(row).collect()
}

fn notes(models: &[(&str, &dyn Comparable)], terms: &[Vec<Term>]) -> Vec<String> {
    let mut kinds: Vec<String> = Vec::new();
    for ((_, model), terms) in models.iter().zip(terms) {
        let kind = format!("{}% {}", foot::percent(model.alpha()), bands(terms));
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    let kinds = kinds.join(" or ");
    let mut notes = vec![format!(
        "Standard errors in parentheses. `*' {kinds} confidence band does not cover 0"
    )];
    let remarks = models.iter().map(|(name, model)| (name, model.remarks()));
    notes.extend(
        remarks.flat_map(|(name, all)| all.into_iter().map(move |r| format!("{name}: {r}"))),
    );
    notes
}

/// What the intervals of a model are; if they are of both kinds, with the names of those that are pointwise.
fn bands(terms: &[Term]) -> String {
    let (uniform, pointwise): (Vec<&Term>, Vec<&Term>) =
        terms.iter().partition(|term| term.band == Band::Uniform);
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

/// What is said of fits of group-time effects.
pub(crate) fn facts(settings: &Settings) -> Vec<(String, String)> {
    let units = if settings.rows_are_units() { "Rows" } else { "Units" };
    let dose = settings.dose();
    let facts = [
        ("Control group", settings.comparison_units()),
        ("Base period", settings.base_period().map(|base| foot::base_period(base).to_owned())),
        ("Method", foot::method(settings).map(ToOwned::to_owned)),
        // The dose is in the place of covariates.
        ("Covariates", dose.is_none().then(|| settings.covariates.clone())),
        (units, Some(settings.n_units.to_string())),
        ("Dose", dose.map(ToOwned::to_owned)),
        ("Clusters", settings.n_clusters.map(|n| n.to_string())),
    ];
    facts.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}
