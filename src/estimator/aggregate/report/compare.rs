//! Averages as a column of a comparison.

#[cfg(feature = "plot")]
use crate::base::error::Result;
use crate::base::options::Band;
use crate::estimator::aggregate::{Aggregated, AggregatedRow, AggregationKind, relative_to};
use crate::report::compare::{
    Comparable, OVER_EVENT_TIMES, Term, before_treatment, facts, rows_chosen, texts, units_of_time,
};
use crate::report::contract::Report;
use crate::report::foot::errors;
#[cfg(feature = "plot")]
use crate::report::plot::{PlotOptions, chart::Chart};

impl Comparable for Aggregated {
    fn terms(&self) -> Vec<Term> {
        let (rank, name) = match self.aggregation.kind {
            AggregationKind::Simple => (1.0, ""),
            AggregationKind::Dynamic => (2.0, "Event time"),
            AggregationKind::Group => (3.0, "Group"),
            AggregationKind::Calendar => (4.0, "Time"),
        };
        let slope = f64::from(u8::from(self.settings.is_of_slopes()));
        // There is no band of one estimate, whatever the band of the rows.
        let overall = Term::new(
            format!("Overall {}", self.settings.parameter()),
            [0.0, slope, 0.0],
            self.overall,
            Band::Pointwise,
        );
        let row = |r: &AggregatedRow| {
            Term::new(
                format!("{name} {}", self.shown(r.at)),
                [rank, r.at, 0.0],
                r.estimate,
                self.band,
            )
        };
        [overall].into_iter().chain(self.rows.iter().map(row)).collect()
    }

    fn facts(&self) -> Vec<(String, String)> {
        facts(&self.settings).into_iter().chain(rows_chosen(self.fit_notes.rows.as_ref())).collect()
    }

    fn alpha(&self) -> f64 {
        self.alpha
    }

    fn remarks(&self) -> Vec<String> {
        let left_out = self.left_out_summary();
        let is_new = |text: &String| left_out.as_ref().is_none_or(|said| !said.contains(text));
        let warnings = self.fit_notes.warnings.iter().cloned().chain(self.messages());
        let warnings: Vec<String> = texts(warnings).into_iter().filter(is_new).collect();
        left_out.into_iter().chain(warnings).collect()
    }

    fn standard_errors(&self) -> Option<String> {
        Some(errors(&self.settings, None))
    }

    fn event_times_count(&self) -> Option<&'static str> {
        Some(units_of_time(self.settings.frequency))
    }

    fn overall_averages(&self) -> Option<String> {
        let words = match self.aggregation.kind {
            AggregationKind::Simple => "over groups in periods by the size of groups",
            AggregationKind::Dynamic => OVER_EVENT_TIMES,
            AggregationKind::Group => "over groups by their size",
            AggregationKind::Calendar => "over periods that count alike",
        };
        Some(words.to_owned())
    }

    fn before_treatment(&self) -> Option<String> {
        relative_to(&self.rows).or_else(|| before_treatment(&self.settings))
    }

    fn outcome(&self) -> Option<String> {
        Some(self.settings.outcome.clone())
    }

    #[cfg(feature = "plot")]
    fn comparable_chart(&self, options: &PlotOptions) -> Result<Chart> {
        self.chart(options)
    }
}
