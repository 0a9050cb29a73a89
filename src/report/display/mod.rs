//! Tables of one result, in the layout of R `did`.

use crate::base::calendar::label;
use crate::base::error::DidWarning;
use crate::base::options::DoseTarget;
use crate::estimator::GroupTimeResult;
use crate::result::aggregate::{Aggregated, Aggregation, AggregationKind};
use crate::result::inference::Estimate;

use super::foot;
use super::number::Digits;
use super::table::{Align, EstimateColumns, Section, Table, shown_as_table};

impl GroupTimeResult {
    /// The table that `Display` prints.
    pub fn to_table(&self) -> Table {
        let digits = Digits::of(self.cells.iter().map(|c| &c.estimate));
        let mut reasons = Vec::new();
        let mut rows = Vec::with_capacity(self.cells.len());
        for cell in &self.cells {
            let period = |at| self.settings.period(at);
            let mut row = vec![period(cell.group), period(cell.time)];
            row.extend(columns(&cell.estimate, digits));
            if !cell.status.is_estimated() {
                row.pop();
                row.push(mark(cell.status.shown(self.settings.frequency), &mut reasons));
            }
            rows.push(row);
        }
        let [lower, upper] = foot::interval_heads(self.band, self.settings.inference.alpha);
        let effect = format!("{}(g,t)", self.settings.parameter());
        let header = ["Group", "Time", &effect, "Std. Error", &lower, &upper, ""];
        let mut notes = foot::notes(&self.settings, self.wald.as_ref());
        notes.splice(1..1, self.differences());
        notes.splice(1..1, reasons.iter().enumerate().map(|(i, r)| format!("({}) {r}", i + 1)));
        notes.extend(foot::data(&self.audit, self.settings.frequency));
        let failed = |w: &&DidWarning| !matches!(w, DidWarning::FailedCell { .. });
        notes.extend(foot::warnings(&self.settings, self.warnings.iter().filter(failed)));
        Table {
            title: self.title().into(),
            align: aligned(2),
            sections: vec![Section { caption: None, header: strings(&header), rows }],
            notes,
            caption: Some(foot::caption(self.title(), &self.settings.outcome)),
            label: Some(self.settings.estimator.clone()),
            estimates: vec![EstimateColumns::from(2)],
        }
    }

    /// What the cells are, over tables and plots.
    pub(super) fn title(&self) -> &'static str {
        match (&self.settings.eligible, self.settings.target) {
            (_, DoseTarget::Slope) => "Group-Time Average Causal Responses",
            (Some(_), _) => "Group-Time Average Treatment Effects by Triple Differences",
            (None, _) => "Group-Time Average Treatment Effects",
        }
    }

    /// The three differences in differences of a triple difference in two periods.
    fn differences(&self) -> Vec<String> {
        let Some([only]) = self.comparisons.as_deref() else { return Vec::new() };
        let digits = Digits::of(self.cells.iter().map(|c| &c.estimate));
        let line = |with: &str, did: f64| format!("DiD with {with}: {}", digits.show(Some(did)));
        vec![
            "Of treated and eligible units:".into(),
            line("treated and ineligible", only.treated_ineligible),
            line("untreated and eligible", only.untreated_eligible),
            line("untreated and ineligible", only.untreated_ineligible),
        ]
    }
}

impl Aggregated {
    /// The table that `Display` prints.
    pub fn to_table(&self) -> Table {
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
    pub(super) fn shown(&self, at: f64) -> String {
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

shown_as_table!(GroupTimeResult, Aggregated);

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

/// Estimate, standard error, interval and star.
fn columns(estimate: &Estimate, digits: Digits) -> Vec<String> {
    let Estimate { att, se, ci_lower, ci_upper, .. } = *estimate;
    let mut cells: Vec<String> =
        [att, se, ci_lower, ci_upper].into_iter().map(|v| digits.show(v)).collect();
    cells.push(if estimate.excludes_zero() { "*".into() } else { String::new() });
    cells
}

/// Footnote mark of a failed cell; cells that failed alike share one.
fn mark(reason: String, reasons: &mut Vec<String>) -> String {
    let index = reasons.iter().position(|r| *r == reason).unwrap_or_else(|| {
        reasons.push(reason);
        reasons.len() - 1
    });
    format!("({})", index + 1)
}

fn aligned(labels: usize) -> Vec<Align> {
    let mut align = vec![Align::Right; labels + 4];
    align.push(Align::Mark);
    align
}

fn strings(cells: &[&str]) -> Vec<String> {
    cells.iter().map(|c| (*c).to_owned()).collect()
}

#[cfg(test)]
mod tests;
