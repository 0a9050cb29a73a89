//! What is drawn, before it has a size: facets of rows, words and a legend.

use crate::aggregate::{Aggregated, AggregationKind};
use crate::calendar::{Frequency, label};
use crate::error::{DidError, Result};
use crate::estimator::{GroupTimeResult, MultiplegtResult};
use crate::fixed_effects::RegressionEventStudy;
use crate::options::Band;
use crate::report::foot::percent;
use crate::report::number::Digits;
use crate::report::plot_data::PlotRow;
use crate::report::table::one_line;
use crate::settings::Settings;

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
}

/// Robust intervals beside an original one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Robust {
    /// Where the robust intervals begin; the original one stands before it.
    pub(super) first: f64,
    /// The breakdown value, if it is among them.
    pub(super) breakdown: Option<f64>,
}

pub(super) struct ChartWords<'a> {
    pub(super) title: &'a str,
    pub(super) x_label: &'a str,
}

/// What they are called around a treatment.
const BESIDE_TREATMENT: [&str; 3] = ["Pre-treatment", "Reference period", "Post-treatment"];

/// What they are called where nothing is treated in between.
const BESIDE_REFERENCE: [&str; 3] = ["Before the reference", "Reference", "After the reference"];

/// The parameter and the outcome, for an axis.
fn axis(settings: &Settings) -> (&'static str, &str) {
    (settings.parameter(), &settings.outcome)
}

impl Chart {
    pub(super) fn att_gt(result: &GroupTimeResult, options: &PlotOptions) -> Result<Self> {
        let mut facets: Vec<Facet> = Vec::new();
        for row in checked(result.plot_data())? {
            let same = |f: &&mut Facet| f.rows.last().is_some_and(|r| r.facet == row.facet);
            if let Some(facet) = facets.last_mut().filter(same) {
                facet.rows.push(row);
            } else {
                let group = row.facet.map_or(String::new(), |g| result.settings.period(g));
                facets.push(Facet { title: format!("Group {group}"), rows: vec![row] });
            }
        }
        let words = ChartWords { title: result.title(), x_label: "Period" };
        let mut chart = Self::new(&words, axis(&result.settings), facets, options);
        chart.frequency = result.settings.frequency;
        chart.finish(options, result.band, result.settings.inference.alpha);
        Ok(chart)
    }

    pub(super) fn aggregated(result: &Aggregated, options: &PlotOptions) -> Result<Self> {
        let words = words(result.aggregation.kind)?;
        let facets = vec![Facet { title: String::new(), rows: checked(result.plot_data())? }];
        let mut chart = Self::new(&words, axis(&result.settings), facets, options);
        if result.aggregation.kind != AggregationKind::Dynamic {
            chart.categories = true;
            chart.frequency = result.settings.frequency;
            let overall = result.overall.att.filter(|a| a.abs() < LARGEST);
            chart.overall = overall.filter(|_| options.show_overall);
        }
        chart.finish(options, result.band, result.alpha);
        Ok(chart)
    }

    pub(super) fn event_study(
        result: &RegressionEventStudy,
        options: &PlotOptions,
    ) -> Result<Self> {
        let facets = vec![Facet { title: String::new(), rows: checked(result.plot_data())? }];
        let outcome = &result.settings.outcome;
        let mut chart = match result.axis() {
            None => Self::new(&words(AggregationKind::Dynamic)?, ("ATT", outcome), facets, options),
            Some(column) => {
                let title = format!("Coefficients by {column}");
                let words = ChartWords { title: &title, x_label: column };
                let chart = Self::new(&words, ("Coefficient", outcome), facets, options);
                Self { points: BESIDE_REFERENCE, ..chart }
            }
        };
        chart.finish(options, Band::Pointwise, result.settings.alpha);
        Ok(chart)
    }

    pub(super) fn switching(result: &MultiplegtResult, options: &PlotOptions) -> Result<Self> {
        let rows = checked(result.plot_data())?;
        let words = ChartWords {
            title: "Effects by Time since the First Switch",
            x_label: "Periods since the last one before the switch",
        };
        let facets = vec![Facet { title: String::new(), rows }];
        let mut chart = Self::new(&words, axis(&result.settings), facets, options);
        chart.finish(options, Band::Pointwise, result.settings.inference.alpha);
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
        kinds.into_iter().filter_map(entry).collect()
    }
}

pub(super) fn checked(rows: Vec<PlotRow>) -> Result<Vec<PlotRow>> {
    if rows.is_empty() {
        return Err(DidError::Plot("there is no estimate to draw".into()));
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
