//! Several results side by side.

use std::collections::{HashMap, HashSet};

use crate::base::calendar::label;
use crate::base::options::{Band, DoseAggregation, DoseTarget};
use crate::estimator::{ContDidResult, DoseCurve, GroupTimeResult};
use crate::result::aggregate::{Aggregated, AggregationKind};
use crate::result::inference::Estimate;

use super::foot;
use super::number::Digits;
use super::table::{Align, Section, Table};
use crate::result::settings::Settings;

/// One estimate of a model, with the row of the comparison that it belongs to.
#[derive(Clone, Debug, PartialEq)]
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

/// A result that can be a column of [`compare`].
///
/// ```
/// use burn_did::{Band, Comparable, Estimate, Term, compare};
///
/// /// An estimate from elsewhere.
/// struct Published(f64, f64);
///
/// impl Comparable for Published {
///     fn terms(&self) -> Vec<Term> {
///         let estimate = Estimate::new(Some(self.0), Some(self.1), 1.96);
///         let (name, order, band) = ("Overall ATT".into(), [0.0; 3], Band::Pointwise);
///         vec![Term { name, order, estimate, band }]
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
///     let fit = config.fit(&data::mpdta(), &Default::default())?;
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
    format!("{}{star}", digits.show(estimate.att))
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

impl Comparable for GroupTimeResult {
    fn terms(&self) -> Vec<Term> {
        let term = |c: &crate::GroupTimeCell| Term {
            name: format!(
                "{}({}, {})",
                self.settings.parameter(),
                self.settings.period(c.group),
                self.settings.period(c.time)
            ),
            order: [5.0, c.group, c.time],
            estimate: c.estimate,
            band: self.band,
        };
        self.cells.iter().map(term).collect()
    }

    fn facts(&self) -> Vec<(String, String)> {
        let mut facts = facts(&self.settings);
        if let Some(wald) = &self.wald {
            facts.push(("Pre-test p-value".into(), foot::p_value(wald.p_value)));
        }
        facts
    }

    fn alpha(&self) -> f64 {
        self.settings.inference.alpha
    }
}

impl Comparable for Aggregated {
    fn terms(&self) -> Vec<Term> {
        let (rank, name) = match self.aggregation.kind {
            AggregationKind::Simple => (1.0, ""),
            AggregationKind::Dynamic => (2.0, "Event time"),
            AggregationKind::Group => (3.0, "Group"),
            AggregationKind::Calendar => (4.0, "Time"),
        };
        let slope = f64::from(u8::from(self.settings.target == DoseTarget::Slope));
        let overall = Term {
            name: format!("Overall {}", self.settings.parameter()),
            order: [0.0, slope, 0.0],
            estimate: self.overall,
            // Whatever the band of the rows.
            band: Band::Pointwise,
        };
        let row = |r: &crate::AggregatedRow| Term {
            name: format!("{name} {}", self.shown(r.at)),
            order: [rank, r.at, 0.0],
            estimate: r.estimate,
            band: self.band,
        };
        [overall].into_iter().chain(self.rows.iter().map(row)).collect()
    }

    fn facts(&self) -> Vec<(String, String)> {
        facts(&self.settings)
    }

    fn alpha(&self) -> f64 {
        self.alpha
    }

    fn remarks(&self) -> Vec<String> {
        self.left_out_summary().into_iter().collect()
    }
}

/// The overall effects, with the curves at the doses of the fit, or with the event study if that was asked for.
///
/// ```
/// use burn_did::{ContDid, backend::Cpu, compare, data::DoseSimulation};
///
/// let data = DoseSimulation::builder().units(600).seed(1).build().frame();
/// let fit = |degree: usize| {
///     let config = ContDid::<Cpu>::builder().outcome("y").unit("id").time("period").group("group");
///     config.dose("dose").degree(degree).build().fit(&data, &Default::default())
/// };
/// let (square, cubic) = (fit(2)?, fit(3)?);
/// assert!(compare(&[("Square", &square), ("Cubic", &cubic)]).to_string().contains("Overall ACRT"));
/// # Ok::<(), burn_did::DidError>(())
/// ```
impl Comparable for ContDidResult {
    fn terms(&self) -> Vec<Term> {
        if self.aggregation == DoseAggregation::EventStudy
            && let Ok(study) = self.event_study(self.target)
        {
            return study.terms();
        }
        let term = |name: String, order, estimate, band| Term { name, order, estimate, band };
        let DoseCurve { band_att, band_acrt, .. } = self.dose;
        let curves = self.dose.rows.iter().flat_map(|row| {
            let shown = label(row.dose);
            [
                term(format!("ATT({shown})"), [6.0, row.dose, 0.0], row.att, band_att),
                term(format!("ACRT({shown})"), [7.0, row.dose, 0.0], row.acrt, band_acrt),
            ]
        });
        let (overall, pointwise) = (&self.overall, Band::Pointwise);
        [
            term("Overall ATT".into(), [0.0; 3], overall.att, pointwise),
            term("Overall ACRT".into(), [0.0, 1.0, 0.0], overall.acrt, pointwise),
        ]
        .into_iter()
        .chain(curves)
        .collect()
    }

    fn facts(&self) -> Vec<(String, String)> {
        let mut facts = facts(&self.level.settings);
        facts.push(("Degree".into(), self.knots.degree.to_string()));
        facts.push(("Interior knots".into(), self.knots.interior.len().to_string()));
        facts
    }

    fn alpha(&self) -> f64 {
        match self.aggregation {
            DoseAggregation::Dose => self.dose.alpha,
            DoseAggregation::EventStudy => self.level.settings.inference.alpha,
        }
    }

    fn remarks(&self) -> Vec<String> {
        self.left_out_notes()
    }
}

pub(super) fn facts(settings: &Settings) -> Vec<(String, String)> {
    let units = if settings.rows_are_units() { "Rows" } else { "Units" };
    let mut facts = vec![
        ("Control group", settings.comparison_units()),
        ("Base period", foot::base_period(settings.base_period).to_owned()),
        ("Method", foot::method(settings.method).to_owned()),
        ("Covariates", settings.covariates.clone()),
        (units, settings.n_units.to_string()),
    ];
    if let Some(dose) = &settings.dose {
        // There are neither covariates nor a choice of two-by-two estimators.
        facts.retain(|(name, _)| *name != "Method" && *name != "Covariates");
        facts.push(("Dose", dose.clone()));
    }
    if let Some(n) = settings.n_clusters {
        facts.push(("Clusters", n.to_string()));
    }
    facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

#[cfg(test)]
mod tests;
