//! The table of several results.

use std::fmt;

use crate::base::error::{DidError, Result};
use crate::report::number::Digits;
use crate::report::table::{Align, Section, Table};
use crate::result::inference::Estimate;

use super::comparable::{Comparable, Term};
use super::notes;
use super::options::{Below, LEVELS, Stars};
use super::rows::{Row, Selection, gathered};

/// Several results side by side: one column a model, one row a coefficient, an event time, a group or a period.
///
/// ```
/// use burn_did::{Aggregation, AttGt, backend::Cpu, data, report::{Comparison, Stars}};
///
/// let config = || AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
/// let plain = config().group("first.treat").build();
/// let adjusted = config().group("first.treat").covariates("~ lpop").build();
/// let [plain, adjusted] = [plain, adjusted].map(|config| {
///     let fit = config.fit(&data::mpdta())?;
///     fit.aggregate(Aggregation::dynamic())
/// });
/// let table = Comparison::new(&[("Plain", &plain?), ("Adjusted", &adjusted?)])?
///     .keep(["Overall ATT", "Event time ?"])
///     .label("Event time 0", "On impact")
///     .stars(Stars::Levels)
///     .caption("Minimum wages and teen employment")
///     .reference("main_results")
///     .table()?;
/// assert!(table.to_string().contains("On impact"));
/// assert!(table.to_latex().contains(r"\label{tab:main_results}"));
/// # Ok::<(), burn_did::DidError>(())
/// ```
#[derive(Clone)]
#[must_use]
pub struct Comparison<'a> {
    pub(super) models: Vec<(String, &'a dyn Comparable)>,
    pub(super) selection: Selection,
    pub(super) stars: Stars,
    pub(super) below: Below,
    digits: Option<usize>,
    caption: Option<String>,
    reference: Option<String>,
    siunitx: bool,
    pub(super) facets: bool,
}

/// Letters of a value under the estimates, at most; a row with a longer one is a note.
const WIDEST: usize = 32;

/// The most decimal places of a table.
const MOST_DIGITS: usize = 15;

/// The row of the outcomes.
pub(super) const OUTCOME: &str = "Outcome";

impl fmt::Debug for Comparison<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let models: Vec<&String> = self.models.iter().map(|(name, _)| name).collect();
        f.debug_struct("Comparison").field("models", &models).finish_non_exhaustive()
    }
}

impl<'a> Comparison<'a> {
    /// Results with the names of their columns.
    ///
    /// # Errors
    /// [`DidError::Config`] if there is no result, or if two have one name.
    pub fn new(models: &[(&str, &'a dyn Comparable)]) -> Result<Self> {
        let wrong = |expected, got: &str| Err(DidError::config("models", expected, got));
        if models.is_empty() {
            return wrong("one result or more", "none");
        }
        for (index, (name, _)) in models.iter().enumerate() {
            if models[..index].iter().any(|(other, _)| other == name) {
                return wrong("results of different names", &format!("`{name}` twice"));
            }
        }
        Ok(Self::of(models))
    }

    fn of(models: &[(&str, &'a dyn Comparable)]) -> Self {
        Self {
            models: models.iter().map(|(name, model)| ((*name).to_owned(), *model)).collect(),
            selection: Selection::default(),
            stars: Stars::default(),
            below: Below::default(),
            digits: None,
            caption: None,
            reference: None,
            siunitx: false,
            facets: false,
        }
    }

    /// Keeps the rows of estimates with these names, in this order. In a name, `*` stands for any characters and `?` for one.
    pub fn keep(mut self, names: impl IntoIterator<Item: Into<String>>) -> Self {
        self.selection.keep.extend(names.into_iter().map(Into::into));
        self
    }

    /// Leaves out the rows with these names, of estimates or below them, with wildcards as in [`keep`](Self::keep).
    pub fn drop(mut self, names: impl IntoIterator<Item: Into<String>>) -> Self {
        self.selection.drop.extend(names.into_iter().map(Into::into));
        self
    }

    /// Sets another name for a row, an outcome, a fixed effect, or a column in the name of a coefficient.
    pub fn label(mut self, old: impl Into<String>, new: impl Into<String>) -> Self {
        self.selection.labels.push((old.into(), new.into()));
        self
    }

    /// Sets what stars say.
    pub fn stars(mut self, stars: Stars) -> Self {
        self.stars = stars;
        self
    }

    /// Sets what stands under estimates.
    pub fn below(mut self, below: Below) -> Self {
        self.below = below;
        self
    }

    /// Sets the number of decimal places; otherwise each standard error has two significant digits at least.
    pub fn digits(mut self, digits: usize) -> Self {
        self.digits = Some(digits);
        self
    }

    /// Sets the title in markdown and LaTeX.
    pub fn caption(mut self, caption: impl Into<String>) -> Self {
        self.caption = Some(caption.into());
        self
    }

    /// Sets what `\ref` finds the table by in LaTeX; `tab:` stands before a name without a colon.
    pub fn reference(mut self, label: impl Into<String>) -> Self {
        self.reference = Some(label.into());
        self
    }

    /// Aligns numbers in LaTeX on their decimal points, by the package `siunitx`.
    pub fn siunitx(mut self, aligned: bool) -> Self {
        self.siunitx = aligned;
        self
    }

    /// Draws each result in a panel of its own, where several are in one picture.
    pub fn facets(mut self, apart: bool) -> Self {
        self.facets = apart;
        self
    }

    /// The table.
    ///
    /// # Errors
    /// [`DidError::Config`] for a name that no row has, if no row is left, if results other than regressions have no row in
    /// common, for more than 15 decimal places, and for a reference that LaTeX does not take.
    pub fn table(&self) -> Result<Table> {
        let terms = self.terms();
        self.check(&terms)?;
        Ok(self.form(&terms))
    }

    pub(super) fn terms(&self) -> Vec<Vec<Term>> {
        self.models.iter().map(|(_, model)| model.terms()).collect()
    }

    /// An error for what cannot be compared, and for options that fit nothing.
    pub(super) fn check(&self, terms: &[Vec<Term>]) -> Result<()> {
        let wrong = |option, expected, got: String| Err(DidError::config(option, expected, got));
        let facts: Vec<(String, String)> =
            self.models.iter().flat_map(|(_, model)| model.facts()).collect();
        let fixed_effects = self.fixed_effects();
        let names = facts.iter().map(|(name, _)| name).chain(&fixed_effects);
        let names: Vec<&str> = names.map(String::as_str).chain([OUTCOME]).collect();
        let outcomes: Vec<String> = self.models.iter().filter_map(|(_, m)| m.outcome()).collect();
        let outcomes: Vec<&str> = outcomes.iter().map(String::as_str).collect();
        let rows = gathered(terms);
        if self.models.len() > 1 && !self.are_regressions() && !rows.iter().any(Row::is_shared) {
            let first = |(model, (name, _)): (&Vec<Term>, &(String, _))| {
                let row = model.first().map_or("no estimate", |term| &term.name);
                format!("`{name}` with {row}")
            };
            let of: Vec<String> = terms.iter().zip(&self.models).map(first).collect();
            return wrong("models", "results with a row in common", of.join(", "));
        }
        self.selection.check(&rows, &names, &outcomes)?;
        if self.selection.selected(rows).is_empty() {
            return wrong("drop", "some rows of estimates, not all", "all".into());
        }
        if let Some(digits) = self.digits.filter(|digits| *digits > MOST_DIGITS) {
            return wrong("digits", "15 at most", digits.to_string());
        }
        let is_plain = |c: char| c.is_ascii_alphanumeric() || ":-_.".contains(c);
        match self.reference.as_ref().filter(|label| !label.chars().all(is_plain)) {
            Some(label) => wrong(
                "reference",
                "letters, digits, colons, hyphens, underscores and full stops",
                format!("`{label}`"),
            ),
            None => Ok(()),
        }
    }

    fn are_regressions(&self) -> bool {
        self.models.iter().all(|(_, model)| model.absorbed().is_some())
    }

    /// The fixed effects of all models, each once.
    fn fixed_effects(&self) -> Vec<String> {
        let all = self.models.iter().filter_map(|(_, model)| model.absorbed()).flatten();
        unique(all)
    }

    fn form(&self, terms: &[Vec<Term>]) -> Table {
        let rows = self.selection.selected(gathered(terms));
        let estimates = self.estimate_rows(&rows);
        let names = self.models.iter().map(|(name, _)| name.as_str());
        let header = self.line("", names.map(ToOwned::to_owned));
        let outcome = |model: &&dyn Comparable| {
            model.outcome().map_or(String::new(), |name| self.selection.label(&[&name]))
        };
        let outcomes: Vec<String> = self.models.iter().map(|(_, m)| outcome(m)).collect();
        let has_outcomes =
            self.selection.has_fact(OUTCOME) && outcomes.iter().any(|name| !name.is_empty());
        let section = |caption: Option<&str>, rows| Section {
            caption: caption.map(ToOwned::to_owned),
            rows,
            ..Section::default()
        };
        let mut sections = if has_outcomes {
            let label = self.selection.label(&[OUTCOME]);
            let rows = vec![self.line(&label, outcomes.iter().cloned())];
            vec![Section { caption: None, header, rows }, section(None, estimates)]
        } else {
            vec![Section { caption: None, header, rows: estimates }]
        };
        let absorbed = self.absorbed_rows();
        if !absorbed.is_empty() {
            sections.push(section(Some("Fixed effects"), absorbed));
        }
        let (facts, long_facts) = self.facts();
        sections.push(section(None, facts));
        sections.retain(|section| !section.rows.is_empty());
        let mut align = vec![Align::Left];
        align.resize(self.models.len() + 1, Align::Centre);
        let (title, label) = match self.are_regressions() {
            true => ("Regressions", "regressions"),
            false => ("Estimates Side by Side", "comparison"),
        };
        let caption = match unique(outcomes).as_slice() {
            [one] if !one.is_empty() => format!("{title}: {one}"),
            _ => title.to_owned(),
        };
        let reference = self.reference.as_ref().map(|label| match label.contains(':') {
            true => label.clone(),
            false => format!("tab:{label}"),
        });
        let mut notes = notes::notes(&self.models, (self.stars, self.below), terms, &rows);
        notes.extend(long_facts);
        notes.extend(notes::differences(&self.models, &self.selection, &rows));
        Table {
            align,
            sections,
            notes,
            caption: Some(self.caption.clone().unwrap_or(caption)),
            label: Some(reference.unwrap_or_else(|| label.into())),
            siunitx: self.siunitx,
            ..Table::default()
        }
    }

    /// A row of words. The space keeps digits under digits where numbers have stars or parentheses behind them.
    fn line(&self, name: &str, cells: impl Iterator<Item = String>) -> Vec<String> {
        let room = " ".repeat(self.room());
        let padded = |cell: String| if cell.is_empty() { cell } else { format!("{cell}{room}") };
        [name.to_owned()].into_iter().chain(cells.map(padded)).collect()
    }

    /// How many characters stand behind the digits of an estimate or a standard error, at most.
    fn room(&self) -> usize {
        if self.stars == Stars::Levels { LEVELS[0].1.len() } else { 1 }
    }

    fn estimate_rows(&self, rows: &[Row<'_>]) -> Vec<Vec<String>> {
        let terms = || rows.iter().flat_map(|row| row.terms.iter().copied().flatten());
        let usual = Digits::of(terms().map(|term| &term.estimate));
        let digits = self.digits.map_or(usual, Digits::Fixed);
        let mut lines = Vec::with_capacity(2 * rows.len());
        for row in rows {
            let name = self.selection.label(&[row.name, row.shown]);
            let cells = |form: &dyn Fn(&Estimate) -> String| -> Vec<String> {
                let cell = |term: &Option<&Term>| term.map_or(String::new(), |t| form(&t.estimate));
                row.terms.iter().map(cell).collect()
            };
            let above = cells(&|estimate| self.starred(estimate, digits));
            lines.push([name].into_iter().chain(above).collect());
            let below = cells(&|estimate| self.uncertainty(estimate, digits));
            if below.iter().any(|cell| !cell.is_empty()) {
                lines.push([String::new()].into_iter().chain(below).collect());
            }
        }
        lines
    }

    fn starred(&self, estimate: &Estimate, digits: Digits) -> String {
        let width = self.room();
        format!("{}{:<width$}", digits.show(estimate.estimate), self.stars_of(estimate))
    }

    fn stars_of(&self, estimate: &Estimate) -> &'static str {
        let p = estimate.p_value.unwrap_or(1.0);
        match self.stars {
            Stars::Interval if estimate.excludes_zero() => "*",
            Stars::Levels => {
                LEVELS.iter().find(|(level, _)| p < *level).map_or("", |(_, stars)| stars)
            }
            Stars::None | Stars::Interval => "",
        }
    }

    fn uncertainty(&self, estimate: &Estimate, digits: Digits) -> String {
        let show = |value| digits.show(Some(value));
        let text = match self.below {
            Below::StandardError => estimate.se.map(|se| format!("({})", show(se))),
            Below::Interval => estimate
                .interval()
                .map(|(lower, upper)| format!("[{}, {}]", show(lower), show(upper))),
        };
        let room = " ".repeat(self.room() - 1);
        text.map_or(String::new(), |text| format!("{text}{room}"))
    }

    /// Which model has which fixed effects.
    fn absorbed_rows(&self) -> Vec<Vec<String>> {
        let models: Vec<Option<Vec<String>>> =
            self.models.iter().map(|(_, model)| model.absorbed()).collect();
        let row = |name: &String| {
            let has = |own: &Option<Vec<String>>| match own {
                Some(own) if own.contains(name) => "Yes".to_owned(),
                Some(_) => "No".to_owned(),
                None => String::new(),
            };
            self.line(&self.selection.label(&[name]), models.iter().map(has))
        };
        let names = self.fixed_effects();
        names.iter().filter(|name| self.selection.has_fact(name)).map(row).collect()
    }

    /// The rows under the estimates, and as notes those whose values would widen the columns.
    fn facts(&self) -> (Vec<Vec<String>>, Vec<String>) {
        let models: Vec<_> = self.models.iter().map(|(_, model)| model.facts()).collect();
        let names = unique(models.iter().flatten().map(|(name, _)| name.clone()));
        let (mut rows, mut notes) = (Vec::new(), Vec::new());
        for name in names.iter().filter(|name| self.selection.has_fact(name)) {
            let value = |facts: &Vec<(String, String)>| {
                let fact = facts.iter().find(|(n, _)| n == name);
                fact.map_or(String::new(), |(_, value)| value.clone())
            };
            let (label, values) = (self.selection.label(&[name]), models.iter().map(value));
            let values: Vec<String> = values.collect();
            match values.iter().any(|value| value.chars().count() > WIDEST) {
                true => notes.push(notes::long_fact(&label, &values, &self.models)),
                false => rows.push(self.line(&label, values.into_iter())),
            }
        }
        (rows, notes)
    }
}

/// Results side by side: standard errors in parentheses under estimates, one column a model. [`Comparison`] has options.
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
    starred(models, Stars::None)
}

/// As [`compare`], with stars.
pub(crate) fn starred(models: &[(&str, &dyn Comparable)], stars: Stars) -> Table {
    if models.is_empty() {
        return Table::default();
    }
    let comparison = Comparison::of(models).stars(stars);
    comparison.form(&comparison.terms())
}

/// Names in the order in which they first occur.
fn unique(names: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut known = std::collections::HashSet::new();
    names.into_iter().filter(|name| known.insert(name.clone())).collect()
}
