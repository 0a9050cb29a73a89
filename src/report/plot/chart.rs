//! What is drawn, before it has a size: facets of rows, words and a legend.

use crate::base::calendar::{Frequency, label};
use crate::base::error::{DidError, Result};
use crate::base::options::Band;
use crate::report::foot::percent;
use crate::report::number::{Digits, short};
use crate::report::plot_data::PlotRow;
use crate::report::table::one_line;
use crate::result::settings::Settings;

use super::legend::{LegendEntry, LegendKey};
use super::marks::Style;
use super::options::PlotOptions;
use super::scene::MUTED;
use super::traces::Trace;

/// Beyond this, ranges overflow.
pub(crate) const LARGEST: f64 = 1e290;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Facet {
    pub(crate) title: String,
    pub(crate) rows: Vec<PlotRow>,
    /// Where there is no estimate, ascending.
    pub(crate) failed: Vec<f64>,
    /// Lines over the estimates.
    pub(crate) traces: Vec<Trace>,
}

impl Facet {
    /// Rows without anything that has no estimate.
    pub(crate) fn new(title: String, rows: Vec<PlotRow>) -> Self {
        Self { title, rows, failed: Vec::new(), traces: Vec::new() }
    }

    /// Where rows are, and where there is no estimate, ascending.
    pub(crate) fn places(&self) -> Vec<f64> {
        let mut places: Vec<f64> =
            self.rows.iter().map(|r| r.at).chain(self.failed.clone()).collect();
        places.sort_by(f64::total_cmp);
        places
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Chart {
    pub(crate) title: String,
    pub(crate) x_label: String,
    pub(crate) y_label: String,
    pub(crate) facets: Vec<Facet>,
    /// What periods are, if the rows are at dates.
    pub(crate) frequency: Option<Frequency>,
    /// Rows stand side by side as categories, not along a time axis.
    pub(crate) categories: bool,
    /// Name of the estimated parameter, for the legend.
    pub(crate) parameter: &'static str,
    pub(crate) overall: Option<f64>,
    pub(crate) uniform: bool,
    /// If the rows are robust intervals by how large violations may be.
    pub(crate) robust: Option<Robust>,
    /// What points are called that are before, at and after the reference.
    pub(crate) points: [&'static str; 3],
    pub(crate) legend: Vec<LegendEntry>,
    /// Lines under the legend: what a reader must know of the estimates.
    pub(crate) remarks: Vec<String>,
}

/// Robust intervals beside an original one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Robust {
    /// Where the original interval stands, before the robust ones.
    pub(crate) original: Option<f64>,
    /// How large violations may be in the robust intervals, ascending.
    pub(crate) m: Vec<f64>,
    /// The breakdown value, if it is among them.
    pub(crate) breakdown: Option<f64>,
}

impl Robust {
    /// At most `most` ticks, at intervals that are drawn.
    pub(crate) fn ticks(&self, most: f64) -> Vec<(f64, String)> {
        let step = (self.m.len() as f64 / most.max(1.0)).ceil().max(1.0) as usize;
        let original = self.original.map(|at| (at, "Original".to_owned()));
        let m = self.m.iter().step_by(step).map(|m| (*m, short(*m)));
        original.into_iter().chain(m).collect()
    }
}

pub(crate) struct ChartWords<'a> {
    pub(crate) title: &'a str,
    pub(crate) x_label: &'a str,
}

/// What they are called around a treatment.
const BESIDE_TREATMENT: [&str; 3] = ["Pre-treatment", "Reference period", "Post-treatment"];

/// What they are called where nothing is treated in between.
pub(crate) const BESIDE_REFERENCE: [&str; 3] =
    ["Before the reference", "Reference", "After the reference"];

/// What they are called where nothing is compared with anything.
pub(crate) const ALONE: [&str; 3] = ["Coefficient"; 3];

/// The parameter and the outcome, for an axis.
pub(crate) fn axis(settings: &Settings) -> (&'static str, &str) {
    (settings.parameter(), &settings.outcome)
}

impl Chart {
    pub(crate) fn new(
        words: &ChartWords<'_>,
        (parameter, outcome): (&'static str, &str),
        facets: Vec<Facet>,
        options: &PlotOptions,
    ) -> Self {
        let word = |set: &Option<String>, default: String| {
            one_line(set.as_ref().unwrap_or(&default)).trim().to_owned()
        };
        Self {
            title: word(&options.title, words.title.into()),
            x_label: word(&options.x_label, words.x_label.into()),
            y_label: word(&options.y_label, format!("{parameter} ({outcome})")),
            facets,
            frequency: None,
            categories: false,
            parameter,
            overall: None,
            uniform: false,
            robust: None,
            points: BESIDE_TREATMENT,
            legend: Vec::new(),
            remarks: Vec::new(),
        }
    }

    /// Forms the legend, as the options ask.
    pub(crate) fn finish(&mut self, options: &PlotOptions, band: Band, alpha: f64) {
        self.uniform = band == Band::Uniform && options.show_band;
        if !options.show_legend {
            return;
        }
        if !self.categories {
            self.legend = self.point_entries(options);
        }
        if self.facets.iter().any(|f| !f.failed.is_empty()) {
            self.legend
                .push(LegendEntry { key: LegendKey::Cross(MUTED), label: "No estimate".into() });
        }
        let level = percent(alpha);
        let mut entry = |key, label| self.legend.push(LegendEntry { key, label });
        let rows = || self.facets.iter().flat_map(|f| &f.rows);
        if rows().any(|r| r.ci_lower.is_some()) {
            entry(LegendKey::Pointwise(MUTED), format!("{level}% pointwise interval"));
        }
        if self.uniform && rows().any(|r| r.band_lower.is_some()) {
            let colour = options.band.unwrap_or(MUTED);
            entry(LegendKey::Uniform(colour), format!("{level}% uniform band"));
        }
        if let Some(overall) = self.overall {
            let digits =
                Digits::of(&[crate::Estimate { estimate: Some(overall), ..Default::default() }]);
            let value = digits.show(Some(overall)).replace('-', "−");
            let parameter = self.parameter;
            entry(LegendKey::Overall(MUTED), format!("Overall {parameter} ({value})"));
        }
    }

    fn point_entries(&self, options: &PlotOptions) -> Vec<LegendEntry> {
        let style = Style { options, uniform: self.uniform, robust: false };
        let rows = || self.facets.iter().flat_map(|f| &f.rows);
        let [before, reference, after] = self.points;
        let kinds = [
            (rows().find(|r| !r.post && !r.reference), before),
            (rows().find(|r| r.reference), reference),
            (rows().find(|r| r.post && !r.reference), after),
        ];
        let entry = |(row, label): (Option<&PlotRow>, &str)| {
            let colour = style.colour(row?);
            let key =
                if row?.reference { LegendKey::Hollow(colour) } else { LegendKey::Point(colour) };
            Some(LegendEntry { key, label: label.to_owned() })
        };
        let mut entries: Vec<LegendEntry> = kinds.into_iter().filter_map(entry).collect();
        entries.dedup_by(|a, b| a.label == b.label);
        entries
    }
}

pub(crate) fn no_estimate() -> DidError {
    DidError::Plot("there is no estimate to draw".into())
}

pub(crate) fn checked(rows: Vec<PlotRow>) -> Result<Vec<PlotRow>> {
    if rows.is_empty() {
        return Err(no_estimate());
    }
    let drawable = |r: &PlotRow| r.at.abs() < LARGEST && r.extent().all(|v| v.abs() < LARGEST);
    match rows.iter().find(|r| !drawable(r)) {
        Some(row) => {
            let at = label(row.at);
            Err(DidError::Plot(format!(
                "the estimate at {at} is too large to draw; rescale the outcome"
            )))
        }
        None => Ok(rows),
    }
}
