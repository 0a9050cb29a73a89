//! What is drawn, before it has a size: facets of rows, words and a legend.

use crate::base::calendar::{Frequency, label};
use crate::base::error::{DidError, Result};
use crate::base::options::Band;
use crate::estimator::{GroupTimeResult, MultiplegtResult};
use crate::report::foot::percent;
use crate::report::number::{Digits, short};
use crate::report::plot_data::PlotRow;
use crate::report::switching::HORIZON_OF_ZERO;
use crate::report::table::one_line;
use crate::result::aggregate::{Aggregated, AggregationKind, EventStudy};
use crate::result::settings::Settings;

use super::legend::{LegendEntry, LegendKey};
use super::marks::Style;
use super::options::PlotOptions;
use super::scene::MUTED;

/// Beyond this, ranges overflow.
const LARGEST: f64 = 1e290;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Facet {
    pub(super) title: String,
    pub(super) rows: Vec<PlotRow>,
    /// Where there is no estimate, ascending.
    pub(super) failed: Vec<f64>,
}

impl Facet {
    /// Rows without anything that has no estimate.
    pub(super) fn new(title: String, rows: Vec<PlotRow>) -> Self {
        Self { title, rows, failed: Vec::new() }
    }

    /// Where rows are, and where there is no estimate, ascending.
    pub(super) fn places(&self) -> Vec<f64> {
        let mut places: Vec<f64> =
            self.rows.iter().map(|r| r.at).chain(self.failed.clone()).collect();
        places.sort_by(f64::total_cmp);
        places
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Chart {
    pub(super) title: String,
    pub(super) x_label: String,
    pub(super) y_label: String,
    pub(super) facets: Vec<Facet>,
    /// What periods are, if the rows are at dates.
    pub(super) frequency: Option<Frequency>,
    /// Rows stand side by side as categories, not along a time axis.
    pub(super) categories: bool,
    /// What estimates are of, for the legend.
    pub(super) parameter: &'static str,
    pub(super) overall: Option<f64>,
    pub(super) uniform: bool,
    /// If the rows are robust intervals by how large violations may be.
    pub(super) robust: Option<Robust>,
    /// What points are called that are before, at and after the reference.
    pub(super) points: [&'static str; 3],
    pub(super) legend: Vec<LegendEntry>,
    /// Lines under the legend: what a reader must know of the estimates.
    pub(super) remarks: Vec<String>,
}

/// Robust intervals beside an original one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Robust {
    /// Where the original interval stands, before the robust ones.
    pub(super) original: Option<f64>,
    /// How large violations may be in the robust intervals, ascending.
    pub(super) m: Vec<f64>,
    /// The breakdown value, if it is among them.
    pub(super) breakdown: Option<f64>,
}

impl Robust {
    /// At most `most` ticks, at intervals that are drawn.
    pub(super) fn ticks(&self, most: f64) -> Vec<(f64, String)> {
        let step = (self.m.len() as f64 / most.max(1.0)).ceil().max(1.0) as usize;
        let original = self.original.map(|at| (at, "Original".to_owned()));
        let m = self.m.iter().step_by(step).map(|m| (*m, short(*m)));
        original.into_iter().chain(m).collect()
    }
}

pub(super) struct ChartWords<'a> {
    pub(super) title: &'a str,
    pub(super) x_label: &'a str,
}

/// What they are called around a treatment.
const BESIDE_TREATMENT: [&str; 3] = ["Pre-treatment", "Reference period", "Post-treatment"];

/// What they are called where nothing is treated in between.
const BESIDE_REFERENCE: [&str; 3] = ["Before the reference", "Reference", "After the reference"];

/// What they are called where nothing is compared with anything.
const ALONE: [&str; 3] = ["Coefficient"; 3];

/// The parameter and the outcome, for an axis.
fn axis(settings: &Settings) -> (&'static str, &str) {
    (settings.parameter(), &settings.outcome)
}

impl Chart {
    pub(super) fn att_gt(result: &GroupTimeResult, options: &PlotOptions) -> Result<Self> {
        let mut facets: Vec<Facet> = Vec::new();
        let rows = checked(result.plot_data())?;
        for cells in result.cells.chunk_by(|a, b| a.group == b.group) {
            let group = cells[0].group;
            let own = rows.iter().filter(|r| r.facet == Some(group)).copied().collect();
            let title = format!("Group {}", result.settings.period(group));
            let failed = cells.iter().filter(|c| !c.status.is_estimated()).map(|c| c.time);
            facets.push(Facet { failed: failed.collect(), ..Facet::new(title, own) });
        }
        let words = ChartWords { title: result.title(), x_label: "Period" };
        let mut chart = Self::new(&words, axis(&result.settings), facets, options);
        chart.frequency = result.settings.frequency;
        chart.finish(options, result.band, result.settings.inference.alpha);
        Ok(chart)
    }

    pub(super) fn aggregated(result: &Aggregated, options: &PlotOptions) -> Result<Self> {
        if result.aggregation.kind == AggregationKind::Dynamic {
            let chart = Self::event_study(&result.event_study()?, options)?;
            return Ok(Self { remarks: result.left_out_summary().into_iter().collect(), ..chart });
        }
        let words = words(result.aggregation.kind)?;
        let empty = result.left_out.iter().flat_map(|l| &l.rows).filter(|r| r.is_empty());
        let failed = empty.map(|r| r.at).collect();
        let facet = Facet::new(String::new(), checked(result.plot_data())?);
        let facets = vec![Facet { failed, ..facet }];
        let mut chart = Self::new(&words, axis(&result.settings), facets, options);
        chart.remarks = result.left_out_summary().into_iter().collect();
        chart.categories = true;
        chart.frequency = result.settings.frequency;
        let overall = result.overall.att.filter(|a| a.abs() < LARGEST);
        chart.overall = overall.filter(|_| options.show_overall);
        chart.finish(options, result.band, result.alpha);
        Ok(chart)
    }

    pub(super) fn event_study(study: &EventStudy, options: &PlotOptions) -> Result<Self> {
        Self::event_studies(&[(String::new(), study.clone())], options)
    }

    /// Event studies of one regression in a panel each, with a title.
    pub(super) fn event_studies(
        series: &[(String, EventStudy)],
        options: &PlotOptions,
    ) -> Result<Self> {
        let facet = |(title, study): &(String, EventStudy)| -> Result<Facet> {
            let facet = Facet::new(title.clone(), checked(study.plot_data())?);
            Ok(Facet { failed: study.failed(), ..facet })
        };
        let facets = series.iter().map(facet).collect::<Result<Vec<_>>>()?;
        let Some((_, study)) = series.first() else { return Err(no_estimate()) };
        let outcome = study.provenance.outcome().unwrap_or("effect");
        let parameter = study.provenance.settings().map_or("ATT", Settings::parameter);
        let mut chart = match study.axis() {
            None => {
                let words = words(AggregationKind::Dynamic)?;
                Self::new(&words, (parameter, outcome), facets, options)
            }
            Some(column) => {
                let title = format!("Coefficients by {column}");
                let words = ChartWords { title: &title, x_label: column };
                let chart = Self::new(&words, ("Coefficient", outcome), facets, options);
                let reference = chart.facets.iter().flat_map(|f| &f.rows).any(|r| r.reference);
                Self { points: if reference { BESIDE_REFERENCE } else { ALONE }, ..chart }
            }
        };
        chart.finish(options, study.band, study.alpha);
        Ok(chart)
    }

    pub(super) fn switching(result: &MultiplegtResult, options: &PlotOptions) -> Result<Self> {
        let rows = checked(result.plot_data())?;
        let study = result.event_study();
        let words = ChartWords {
            title: "Effects by Time since the First Switch",
            x_label: "Periods relative to the last pre-switch period",
        };
        let failed = study.failed().iter().map(|at| at + HORIZON_OF_ZERO).collect();
        let facet = Facet { failed, ..Facet::new(String::new(), rows) };
        let mut chart = Self::new(&words, axis(&result.settings), vec![facet], options);
        chart.finish(options, study.band, study.alpha);
        Ok(chart)
    }

    pub(super) fn new(
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

    fn finish(&mut self, options: &PlotOptions, band: Band, alpha: f64) {
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
        if rows().any(|r| r.pointwise_lower.is_some()) {
            entry(LegendKey::Pointwise(MUTED), format!("{level}% pointwise interval"));
        }
        if self.uniform && rows().any(|r| r.lower.is_some()) {
            let colour = options.band.unwrap_or(MUTED);
            entry(LegendKey::Uniform(colour), format!("{level}% uniform band"));
        }
        if let Some(overall) = self.overall {
            let digits =
                Digits::of(&[crate::Estimate { att: Some(overall), ..Default::default() }]);
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

fn no_estimate() -> DidError {
    DidError::Plot("there is no estimate to draw".into())
}

pub(super) fn checked(rows: Vec<PlotRow>) -> Result<Vec<PlotRow>> {
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

fn words(kind: AggregationKind) -> Result<ChartWords<'static>> {
    match kind {
        AggregationKind::Simple => Err(DidError::Plot(
            "a simple aggregation is a single number; plot a dynamic, group or calendar aggregation"
                .into(),
        )),
        AggregationKind::Dynamic => Ok(ChartWords {
            title: "Average Effect by Length of Exposure",
            x_label: "Periods since first treatment",
        }),
        AggregationKind::Group => Ok(ChartWords { title: "Average Effect by Group", x_label: "Group" }),
        AggregationKind::Calendar => {
            Ok(ChartWords { title: "Average Effect by Time Period", x_label: "Period" })
        }
    }
}
