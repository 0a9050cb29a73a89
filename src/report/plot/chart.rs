//! What is drawn, before it has a size: facets of rows, words and a legend.

use crate::base::calendar::{Frequency, label};
use crate::base::error::{DidError, Result};
use crate::base::options::Band;
use crate::report::foot::percent;
use crate::report::number::{Digits, short};
use crate::report::plot_data::PlotRow;
use crate::report::table::one_line;
use crate::result::inference::Estimate;
use crate::result::settings::Settings;

use super::legend::{LegendEntry, LegendKey};
use super::marks::{Style, colour_and_mark};
use super::options::{PlotOptions, PlotStyle};
use super::scene::MUTED;
use super::traces::Trace;

/// Beyond this, ranges overflow.
pub(crate) const LARGEST: f64 = 1e290;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Facet {
    pub(crate) title: String,
    pub(crate) rows: Vec<PlotRow>,
    /// Where there is no estimate, ascending; in place of dots, the positions of their names.
    pub(crate) failed: Vec<f64>,
    /// Where the estimate is an average that leaves out some of its cells.
    pub(crate) partial: Vec<f64>,
    /// Whether its rows are of units that are never treated, which are neither before nor after treatment.
    pub(crate) untreated: bool,
    /// Where the line at treatment is.
    pub(crate) treatment: Option<f64>,
    /// The average of the effects that are after treatment, or of all if nothing is before it.
    pub(crate) overall: Option<Overall>,
    /// Lines over the estimates.
    pub(crate) traces: Vec<Trace>,
    /// Several results side by side, in place of rows.
    pub(crate) layers: Vec<Layer>,
    /// Points beside names, in place of rows.
    pub(crate) dots: Vec<Dot>,
    /// Distributions, in place of rows.
    pub(crate) steps: Vec<Steps>,
}

/// A point beside a name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Dot {
    /// Position of the name.
    pub(crate) name: usize,
    pub(crate) value: f64,
    /// Its place among those that are told apart by colour and mark.
    pub(crate) rank: usize,
}

/// A distribution in parts of equal width.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Steps {
    /// Lower end of the first part.
    pub(crate) lower: f64,
    pub(crate) width: f64,
    pub(crate) heights: Vec<f64>,
    /// Its place among those that are told apart by colour.
    pub(crate) rank: usize,
    /// Whether the area below it is shaded.
    pub(crate) filled: bool,
}

impl Steps {
    /// Upper end of the last part.
    pub(crate) fn end(&self) -> f64 {
        self.lower + self.heights.len() as f64 * self.width
    }
}

/// What is in the panels of a chart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Body {
    /// Rows along an axis of periods, or of categories.
    Rows,
    /// Points beside these names, which stand down the vertical axis.
    Dots(Vec<String>),
    /// Distributions; each panel has an axis of its own.
    Steps,
}

/// One of several results in a panel.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Layer {
    pub(crate) facet: Facet,
    /// Its place among all results that are told apart by colour and mark.
    pub(crate) rank: usize,
}

impl Facet {
    /// Rows without anything that has no estimate.
    pub(crate) fn new(title: String, rows: Vec<PlotRow>) -> Self {
        let (failed, partial) = (Vec::new(), Vec::new());
        let (treatment, overall) = (None, None);
        let (traces, layers) = (Vec::new(), Vec::new());
        let (dots, steps) = (Vec::new(), Vec::new());
        let untreated = false;
        Self {
            title,
            rows,
            failed,
            partial,
            untreated,
            treatment,
            overall,
            traces,
            layers,
            dots,
            steps,
        }
    }

    /// Where rows are, and where there is no estimate, ascending.
    pub(crate) fn places(&self) -> Vec<f64> {
        let own = self.rows.iter().map(|r| r.at).chain(self.failed.clone());
        let layers = self.layers.iter().flat_map(|layer| layer.facet.places());
        let mut places: Vec<f64> = own.chain(layers).collect();
        places.sort_by(f64::total_cmp);
        places.dedup();
        places
    }

    /// Halfway between `first` and the place before it, which is no further away than the places that are closest to each other; `None` if all
    /// places are on one side.
    pub(crate) fn boundary(&self, first: f64) -> Option<f64> {
        let places = self.places();
        let split = places.partition_point(|at| *at < first);
        let (before, after) = (places[..split].last()?, places[split..].first()?);
        let step = places.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
        Some(f64::midpoint(before.max(first - step), after.min(first)))
    }

    /// All values that the vertical axis has to have room for.
    pub(super) fn values(&self) -> Vec<f64> {
        let overall = self.overall.iter().flat_map(Overall::values);
        let traces = self.traces.iter().flat_map(|trace| &trace.points);
        let traced = traces.map(|(_, value)| *value);
        let layers = self.layers.iter().flat_map(|layer| layer.facet.values());
        let heights = self.steps.iter().flat_map(|steps| &steps.heights).copied();
        self.rows
            .iter()
            .flat_map(PlotRow::extent)
            .chain(overall)
            .chain(traced)
            .chain(layers)
            .chain(heights)
            .collect()
    }
}

/// An average of effects, with its pointwise interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Overall {
    pub(crate) estimate: f64,
    pub(crate) interval: Option<(f64, f64)>,
}

impl Overall {
    /// What can be drawn of an estimate, if the options ask for it.
    pub(crate) fn new(estimate: &Estimate, options: &PlotOptions) -> Option<Self> {
        let drawable = |value: &f64| value.abs() < LARGEST;
        let ends = |value: Option<f64>| value.filter(drawable);
        let interval = ends(estimate.ci_lower).zip(ends(estimate.ci_upper));
        let value = ends(estimate.estimate).filter(|_| options.show_overall)?;
        Some(Self { estimate: value, interval })
    }

    /// All values that the vertical axis has to have room for.
    pub(super) fn values(&self) -> impl Iterator<Item = f64> + use<> {
        let (lower, upper) = self.interval.unzip();
        [Some(self.estimate), lower, upper].into_iter().flatten()
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    pub(crate) title: String,
    pub(crate) x_label: String,
    pub(crate) y_label: String,
    pub(crate) facets: Vec<Facet>,
    pub(crate) body: Body,
    /// Where dashed lines cross all panels of points or distributions.
    pub(crate) bounds: Vec<f64>,
    /// What periods are, if the rows are at dates.
    pub(crate) frequency: Option<Frequency>,
    /// Rows stand side by side as categories, not along a time axis.
    pub(crate) categories: bool,
    /// The rows are levels, of which zero is no reference.
    pub(crate) levels: bool,
    /// Places are times since first treatment.
    pub(crate) event_times: bool,
    /// The points are joined by lines in every style, from before to after treatment.
    pub(crate) joined: bool,
    /// Name of the estimated parameter, for the legend.
    pub(crate) parameter: &'static str,
    pub(crate) uniform: bool,
    /// Results that are told apart by colour and mark; none if rows are told apart by treatment.
    pub(crate) layers: usize,
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
    /// A tick at each interval that is drawn.
    pub(crate) fn ticks(&self) -> Vec<(f64, String)> {
        let original = self.original.map(|at| (at, "Original".to_owned()));
        let m = self.m.iter().map(|m| (*m, short(*m)));
        original.into_iter().chain(m).collect()
    }

    /// Where the intervals stand, ascending.
    pub(crate) fn places(&self) -> Vec<f64> {
        self.original.into_iter().chain(self.m.iter().copied()).collect()
    }
}

pub(crate) struct ChartWords<'a> {
    pub(crate) title: &'a str,
    pub(crate) x_label: &'a str,
}

/// The axis of times since first treatment, in the units of the time column.
pub(crate) const TIME_SINCE: &str = "Time since first treatment";

/// The axis of these times since first treatment: a period of the calendar counts its own kind, and where most steps are of one, they count periods.
pub(crate) fn since_treatment(times: &[f64], frequency: Option<Frequency>) -> &'static str {
    let steps_of_one = times.windows(2).filter(|pair| pair[1] - pair[0] == 1.0).count();
    let whole = times.iter().all(|time| time.fract() == 0.0);
    match frequency {
        Some(Frequency::Year) => "Years since first treatment",
        Some(Frequency::Quarter) => "Quarters since first treatment",
        Some(Frequency::Month) => "Months since first treatment",
        Some(Frequency::Week) => "Weeks since first treatment",
        Some(Frequency::Day) => "Days since first treatment",
        None if whole && 2 * steps_of_one + 1 >= times.len() => "Periods since first treatment",
        None => TIME_SINCE,
    }
}

/// What the axis of event times counts, if it counts periods of the calendar.
pub(super) fn counted_by(x_label: &str) -> Option<&str> {
    let unit = x_label.strip_suffix(" since first treatment")?;
    (!["Time", "Periods"].contains(&unit)).then_some(unit)
}

/// What they are called around a treatment.
const BESIDE_TREATMENT: [&str; 3] = ["Pre-treatment", "Reference period", "Post-treatment"];

/// What they are called where nothing is treated in between.
pub(crate) const BESIDE_REFERENCE: [&str; 3] =
    ["Before the reference", "Reference", "After the reference"];

/// What they are called where nothing is compared with anything.
pub(crate) const ALONE: [&str; 3] = ["Coefficient"; 3];

/// A legend of results of these names: marks of points, or lines of distributions.
pub(crate) fn ranked(labels: &[&str], lines: bool) -> Vec<LegendEntry> {
    let entry = |(rank, label): (usize, &&str)| {
        let (colour, mark) = colour_and_mark(rank);
        let key = if lines { LegendKey::Line(colour) } else { LegendKey::Layer(colour, mark) };
        LegendEntry { key, label: (*label).to_owned() }
    };
    labels.iter().enumerate().map(entry).collect()
}

/// The parameter and the outcome, for an axis.
pub(crate) fn axis(settings: &Settings) -> (&'static str, String) {
    (settings.parameter(), settings.unit())
}

impl Chart {
    pub(crate) fn new(
        words: &ChartWords<'_>,
        (parameter, outcome): (&'static str, impl AsRef<str>),
        facets: Vec<Facet>,
        options: &PlotOptions,
    ) -> Self {
        let word = |set: &Option<String>, default: String| {
            one_line(set.as_ref().unwrap_or(&default)).trim().to_owned()
        };
        let y_label = match outcome.as_ref() {
            "" => parameter.to_owned(),
            outcome => format!("{parameter} ({outcome})"),
        };
        Self {
            title: word(&options.title, words.title.into()),
            x_label: word(&options.x_label, words.x_label.into()),
            y_label: word(&options.y_label, y_label),
            facets,
            body: Body::Rows,
            bounds: Vec::new(),
            frequency: None,
            categories: false,
            levels: false,
            event_times: false,
            joined: false,
            parameter,
            uniform: false,
            layers: 0,
            robust: None,
            points: BESIDE_TREATMENT,
            legend: Vec::new(),
            remarks: Vec::new(),
        }
    }

    /// Forms the legend, as the options ask.
    pub(crate) fn finish(&mut self, options: &PlotOptions, band: Band, alpha: f64) {
        self.uniform = band == Band::Uniform && options.show_band;
        // Robust intervals have no points.
        if !options.show_intervals && self.robust.is_none() {
            let rows = self.facets.iter_mut().flat_map(|facet| &mut facet.rows);
            rows.for_each(|row| (row.ci_lower, row.ci_upper) = (None, None));
        }
        if !options.show_band {
            let rows = self.facets.iter_mut().flat_map(|facet| &mut facet.rows);
            rows.for_each(|row| (row.band_lower, row.band_upper) = (None, None));
        }
        if options.show_legend {
            self.legend = self.entries(options, alpha);
        }
    }

    /// The facets and the layers in them.
    fn parts(&self) -> impl Iterator<Item = &Facet> {
        self.facets.iter().flat_map(|facet| {
            std::iter::once(facet).chain(facet.layers.iter().map(|layer| &layer.facet))
        })
    }

    /// What the legend says of points and intervals.
    pub(super) fn entries(&self, options: &PlotOptions, alpha: f64) -> Vec<LegendEntry> {
        let mut legend = if self.categories { Vec::new() } else { self.point_entries(options) };
        let level = percent(alpha);
        let mut entry = |key, label| legend.push(LegendEntry { key, label });
        let in_layers = |row: &PlotRow| self.layers > 0 && row.reference;
        if self.parts().flat_map(|f| &f.rows).any(in_layers) {
            entry(LegendKey::Hollow(MUTED), self.points[1].into());
        }
        if self.parts().any(|f| !f.partial.is_empty()) {
            entry(LegendKey::Diamond(MUTED), "Without some of its cells".into());
        }
        if self.parts().any(|f| !f.failed.is_empty()) {
            entry(LegendKey::Cross(MUTED), "No estimate".into());
        }
        let rows = || self.parts().flat_map(|f| &f.rows);
        let shaded = options.style == PlotStyle::Ribbon;
        if rows().any(|r| r.ci_lower.is_some()) {
            let key = if shaded { LegendKey::Inner(MUTED) } else { LegendKey::Pointwise(MUTED) };
            entry(key, format!("{level}% pointwise interval"));
        }
        if self.uniform && rows().any(|r| r.band_lower.is_some()) {
            let colour = options.band.unwrap_or(MUTED);
            let key = if shaded { LegendKey::Outer(colour) } else { LegendKey::Uniform(colour) };
            entry(key, format!("{level}% uniform band"));
        }
        let overall: Vec<Overall> = self.facets.iter().filter_map(|f| f.overall).collect();
        if let Some(first) = overall.first() {
            let parameter = self.parameter;
            let mut label = format!("Overall {parameter}");
            if overall.len() == 1 {
                let estimate = Estimate { estimate: Some(first.estimate), ..Estimate::default() };
                let value = Digits::of(&[estimate]).show(Some(first.estimate));
                label += &format!(" ({})", value.replace('-', "−"));
            }
            if overall.iter().any(|o| o.interval.is_some()) {
                label += &format!(", {level}% interval");
            }
            entry(LegendKey::Overall(MUTED), label);
        }
        legend
    }

    fn point_entries(&self, options: &PlotOptions) -> Vec<LegendEntry> {
        let style = Style { options, uniform: self.uniform, robust: false };
        let key = |row: &PlotRow, colour| match options.style {
            PlotStyle::Ribbon if !row.reference => LegendKey::Line(colour),
            PlotStyle::Bars if !row.reference => LegendKey::Bar(colour),
            _ if row.reference => LegendKey::Hollow(colour),
            _ => LegendKey::Point(colour),
        };
        let of = |untreated: bool| self.facets.iter().filter(move |f| f.untreated == untreated);
        let rows = || of(false).flat_map(|f| &f.rows);
        let [before, reference, after] = self.points;
        let kinds = [
            (rows().find(|r| !r.post && !r.reference), before),
            (rows().find(|r| r.reference), reference),
            (rows().find(|r| r.post && !r.reference), after),
        ];
        let entry = |(row, label): (Option<&PlotRow>, &str)| {
            let key = key(row?, style.colour(row?));
            Some(LegendEntry { key, label: label.to_owned() })
        };
        let mut entries: Vec<LegendEntry> = kinds.into_iter().filter_map(entry).collect();
        entries.dedup_by(|a, b| a.label == b.label);
        let never = of(true).flat_map(|f| &f.rows).find(|row| !row.reference);
        entries.extend(
            never.map(|row| LegendEntry { key: key(row, MUTED), label: "Never treated".into() }),
        );
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_at_treatment_is_before_it_whatever_is_drawn() {
        let line = |failed: &[f64], first: f64| {
            let facet = Facet { failed: failed.to_vec(), ..Facet::new(String::new(), Vec::new()) };
            facet.boundary(first)
        };
        assert_eq!(line(&[-2.0, -1.0, 0.0, 1.0], 0.0), Some(-0.5));
        assert_eq!(line(&[-3.0, -2.0, 0.0, 1.0], 0.0), Some(-0.5));
        assert_eq!(line(&[-2.0, -1.0, 1.0, 2.0], 0.0), Some(-0.5));
        assert_eq!(line(&[2000.0, 2004.0, 2006.0], 2004.0), Some(2003.0));
        assert_eq!((line(&[0.0, 1.0], 0.0), line(&[-2.0, -1.0], 0.0)), (None, None));
    }

    #[test]
    fn times_since_treatment_have_the_unit_that_they_count() {
        let axis = |times: &[f64]| since_treatment(times, None);
        assert_eq!(axis(&[-2.0, -1.0, 0.0, 3.0]), "Periods since first treatment");
        assert_eq!(axis(&[0.0]), "Periods since first treatment");
        let years = [-10.0, -6.0, -5.0, -1.0, 0.0, 4.0, 9.0, 10.0];
        for uneven in [&[-4.0, -2.0, 0.0][..], &[-0.5, 0.0, 0.5], &[0.25], &years] {
            assert_eq!(axis(uneven), TIME_SINCE);
        }
        let months = since_treatment(&[-3.0, 0.0, 3.0], Some(Frequency::Month));
        assert_eq!(months, "Months since first treatment");
    }
}
