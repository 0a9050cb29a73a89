//! Averages in print, in the layout of R `did`.

mod compare;
pub(crate) mod left_out;
#[cfg(feature = "plot")]
mod plot;
mod points;

use crate::base::calendar::label;
#[cfg(feature = "plot")]
use crate::base::error::Result;
use crate::base::error::{DidWarning, Message};
use crate::estimator::aggregate::{Aggregated, Aggregation, AggregationKind};
use crate::report::contract::Report;
use crate::report::declare::result;
use crate::report::estimates::{Estimates, Variable};
use crate::report::number::Digits;
#[cfg(feature = "plot")]
use crate::report::plot::{Picture, PlotOptions};
use crate::report::table::{EstimateColumns, Section, Table, aligned, columns, strings};
use crate::report::{facts, foot};
use crate::result::inference::Estimate;

impl Report for Aggregated {
    const KIND: &'static str = "aggregated";

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
            self.warnings.iter().partition(|warning| warning.is_of_average());
        let mut notes: Vec<String> = foot::warnings(&self.settings, first).collect();
        notes.extend(self.left_out_notes());
        notes.extend(foot::notes(&self.settings, None));
        notes.extend(foot::warnings(&self.settings, last));
        notes.extend(foot::of_fit(&self.fit_notes));
        Table {
            title: words.title.into(),
            align: aligned(labels),
            sections,
            notes,
            caption: Some(foot::caption(words.title, &self.settings.outcome)),
            label: Some(self.label()),
            estimates: vec![EstimateColumns::from(labels)],
            ..Table::default()
        }
    }

    fn estimates(&self) -> Vec<Estimates> {
        let share = self.left_out.as_ref().map_or(0.0, |left_out| left_out.share);
        let of = |n| Variable::words("type", vec![Some(self.aggregation.kind.word()); n]);
        let overall = Estimates::single("overall", vec![of(1)], self.overall).with([
            Variable::fact("status", status(self.overall.estimate, share)),
            Variable::fact("left_out", share),
            Variable::fact("note", self.left_out_summary()),
        ]);
        let rows: Vec<(f64, Estimate)> = self.rows_with_empty().collect();
        let at = || rows.iter().map(|(at, _)| Some(*at));
        let key = match self.aggregation.kind {
            AggregationKind::Simple | AggregationKind::Dynamic => {
                Variable::numbers("event_time", at())
            }
            AggregationKind::Group => self.settings.periods("group", at()),
            AggregationKind::Calendar => self.settings.periods("time", at()),
        };
        let is_reference = |at: f64| self.rows.iter().any(|row| row.at == at && row.reference);
        let status = |(at, estimate): &(f64, Estimate)| match is_reference(*at) {
            true => "reference",
            false => status(estimate.estimate, self.left_out_at(*at)),
        };
        let keys = vec![of(rows.len()), key];
        let rows = Estimates::new("rows", keys, rows.iter().map(|(_, estimate)| *estimate)).with([
            Variable::words("status", rows.iter().map(|row| Some(status(row)))),
            Variable::numbers("left_out", rows.iter().map(|(at, _)| Some(self.left_out_at(*at)))),
        ]);
        vec![rows, overall]
    }

    fn about(&self) -> Vec<Variable> {
        let Estimate { estimate: att, se, ci_lower, ci_upper, p_value, .. } = self.overall;
        let options = self.aggregation;
        let facts_of_average = [
            Variable::fact("type", options.kind.word()),
            Variable::fact("min_e", options.min_e),
            Variable::fact("max_e", options.max_e),
            Variable::fact("balance_e", options.balance_e),
            Variable::fact("na_rm", options.na_rm),
            Variable::fact("overall_estimate", att),
            Variable::fact("overall_se", se),
            Variable::fact("overall_ci_lower", ci_lower),
            Variable::fact("overall_ci_upper", ci_upper),
            Variable::fact("overall_p_value", p_value),
            Variable::fact("n_rows_aggregated", self.rows.len()),
            Variable::fact("critical_value", self.critical_value),
            Variable::fact("band", self.band.word()),
            Variable::fact("left_out", self.left_out.as_ref().map_or(0.0, |l| l.share)),
            Variable::fact("n_warnings", self.warnings.len() + self.fit_notes.warnings.len()),
        ];
        facts_of_average.into_iter().chain(facts::settings(&self.settings)).collect()
    }

    fn messages(&self) -> Vec<Message> {
        facts::messages(&self.warnings, self.settings.frequency)
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
        let mut parts = vec![self.settings.estimator.name().to_owned(), kind.word().to_owned()];
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

/// Whether an average is what was asked for: `partial` without some of its cells, `no_estimate` without all.
fn status(estimate: Option<f64>, left_out: f64) -> &'static str {
    match estimate {
        None => "no_estimate",
        Some(_) if left_out > 0.0 => "partial",
        Some(_) => "ok",
    }
}
