//! Averages in print, in the layout of R `did`.

mod compare;
mod frame;
pub(crate) mod left_out;
#[cfg(feature = "plot")]
mod plot;
mod points;

use crate::base::calendar::label;
use crate::base::error::DidWarning;
#[cfg(feature = "plot")]
use crate::base::error::Result;
use crate::estimator::aggregate::{Aggregated, Aggregation, AggregationKind};
use crate::report::declare::{Report, result};
use crate::report::foot;
use crate::report::number::Digits;
#[cfg(feature = "plot")]
use crate::report::plot::{Picture, PlotOptions};
use crate::report::table::{EstimateColumns, Section, Table, aligned, columns, strings};
use crate::result::inference::Estimate;

impl Report for Aggregated {
    fn table(&self) -> Table {
        let estimates = self.rows.iter().map(|r| &r.estimate).chain([&self.overall]);
        let digits = Digits::of(estimates);
        let words = words(self.aggregation.kind);
        let labels = usize::from(!self.rows.is_empty());
        let mut overall = vec![String::new(); labels];
        overall.extend(columns(&self.overall, digits));
        let [lower, upper] = foot::overall_heads(self.alpha);
        let parameter = self.settings.parameter();
        let header = strings(&["", parameter, "Std. Error", &lower, &upper, ""][1 - labels..]);
        let caption = words.overall.map(|words| words.replace("ATT", parameter));
        let caption = match self.overall_note() {
            Some(note) => Some(format!("{} ({note})", caption.unwrap_or("Overall".into()))),
            None => caption,
        };
        let caption = caption.map(|words| format!("{words}:"));
        let mut sections = vec![Section { caption, header, rows: vec![overall] }];
        if !self.rows.is_empty() {
            let row = |at: f64, e: &Estimate| [vec![self.shown(at)], columns(e, digits)].concat();
            sections.push(Section {
                caption: Some(words.rows.into()),
                header: self.header(words.at),
                rows: self.rows_with_empty().map(|(at, e)| row(at, &e)).collect(),
            });
        }
        let (first, last): (Vec<&DidWarning>, Vec<&DidWarning>) =
            self.warnings.iter().partition(|w| matches!(w, DidWarning::CellsLeftOut { .. }));
        let mut notes: Vec<String> = foot::warnings(&self.settings, first).collect();
        notes.extend(self.left_out_notes());
        notes.extend(foot::notes(&self.settings, None));
        notes.extend(foot::warnings(&self.settings, last));
        Table {
            title: words.title.into(),
            align: aligned(labels),
            sections,
            notes,
            caption: Some(foot::caption(words.title, &self.settings.outcome)),
            label: Some(self.label()),
            estimates: vec![EstimateColumns::from(labels)],
        }
    }

    #[cfg(feature = "plot")]
    fn picture(&self, options: &PlotOptions) -> Result<Picture> {
        self.chart(options).map(Picture::Chart)
    }
}

impl Aggregated {
    /// A name of the table that other aggregations of the same fit do not have.
    fn label(&self) -> String {
        let Aggregation { kind, min_e, max_e, balance_e, na_rm } = self.aggregation;
        let number = |name: &str, value: Option<f64>| value.map(|v| format!("{name} {}", label(v)));
        let mut parts = vec![self.settings.estimator.clone(), kind.name().to_owned()];
        parts.extend(number("from", min_e));
        parts.extend(number("to", max_e));
        parts.extend(number("balanced", balance_e.map(f64::from)));
        parts.extend(na_rm.then(|| "na rm".to_owned()));
        // A minus sign would be lost.
        parts.join(" ").replace(" -", " minus ")
    }

    /// Where a row is, as people read it: an event time, a group or a period.
    fn shown(&self, at: f64) -> String {
        match self.aggregation.kind {
            AggregationKind::Simple | AggregationKind::Dynamic => label(at),
            AggregationKind::Group | AggregationKind::Calendar => self.settings.period(at),
        }
    }

    fn header(&self, at: &str) -> Vec<String> {
        let [lower, upper] = foot::interval_heads(self.band, self.alpha);
        strings(&[at, "Estimate", "Std. Error", &lower, &upper, ""])
    }
}

result!(Aggregated);

#[cfg(feature = "plot")]
pub(crate) use plot::EVENT_STUDY;

struct TableWords {
    title: &'static str,
    overall: Option<&'static str>,
    rows: &'static str,
    at: &'static str,
}

fn words(kind: AggregationKind) -> TableWords {
    match kind {
        AggregationKind::Simple => TableWords {
            title: "Average Effect of Participating in the Treatment",
            overall: None,
            rows: "",
            at: "",
        },
        AggregationKind::Dynamic => TableWords {
            title: "Average Effects by Length of Exposure",
            overall: Some("Overall summary of ATTs based on event-study/dynamic aggregation"),
            rows: "Dynamic Effects:",
            at: "Event time",
        },
        AggregationKind::Group => TableWords {
            title: "Average Effects by Group",
            overall: Some("Overall summary of ATTs based on group/cohort aggregation"),
            rows: "Group Effects:",
            at: "Group",
        },
        AggregationKind::Calendar => TableWords {
            title: "Average Effects by Calendar Period",
            overall: Some("Overall summary of ATTs based on calendar time aggregation"),
            rows: "Time Effects:",
            at: "Time",
        },
    }
}
