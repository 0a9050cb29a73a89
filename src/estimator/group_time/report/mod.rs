//! Group-time effects in print, in the layout of R `did`.

mod compare;
mod document;
#[cfg(test)]
pub(crate) mod fixtures;
#[cfg(feature = "plot")]
mod plot;
mod points;

#[cfg(feature = "plot")]
use crate::base::error::Result;
use crate::base::error::{DidWarning, Message};
use crate::base::options::DoseTarget;
use crate::estimator::group_time::{GroupTimeCell, GroupTimeResult};
use crate::report::contract::Report;
use crate::report::declare::result;
use crate::report::estimates::{Estimates, Variable};
use crate::report::number::Digits;
#[cfg(feature = "plot")]
use crate::report::plot::{Picture, PlotOptions};
use crate::report::table::{EstimateColumns, Section, Table, aligned, columns, strings};
use crate::report::{facts, foot};
use crate::result::settings::EstimatorSettings;

impl Report for GroupTimeResult {
    const KIND: &'static str = "group_time";

    fn table(&self) -> Table {
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
            label: Some(self.settings.estimator.name().to_owned()),
            estimates: vec![EstimateColumns::from(2)],
            ..Table::default()
        }
    }

    fn estimates(&self) -> Vec<Estimates> {
        vec![self.cell_estimates("cells", Vec::new())]
    }

    fn about(&self) -> Vec<Variable> {
        let estimated = self.cells.iter().filter(|c| c.status.is_estimated()).count();
        let facts_of_cells = [
            Variable::fact("n_cells", self.cells.len()),
            Variable::fact("n_estimated", estimated),
            Variable::fact("critical_value", self.critical_value),
            Variable::fact("band", self.band.word()),
            Variable::fact("wald_stat", self.wald.map(|w| w.stat)),
            Variable::fact("wald_df", self.wald.map(|w| w.df)),
            Variable::fact("wald_p_value", self.wald.map(|w| w.p_value)),
            Variable::fact("n_warnings", self.messages().len()),
        ];
        facts::settings(&self.settings).into_iter().chain(facts_of_cells).collect()
    }

    fn messages(&self) -> Vec<Message> {
        facts::messages_with(&self.audit.files, &self.warnings, self.settings.frequency)
    }

    #[cfg(feature = "plot")]
    fn picture(&self, options: &PlotOptions) -> Result<Picture> {
        self.chart(options).map(Picture::Chart)
    }
}

impl GroupTimeResult {
    /// The cells, with further keys before the keys of all cells.
    pub(crate) fn cell_estimates(&self, name: &'static str, keys: Vec<Variable>) -> Estimates {
        let cells = &self.cells;
        let periods = |name: &str, of: fn(&GroupTimeCell) -> f64| {
            self.settings.periods(name, cells.iter().map(|c| Some(of(c))))
        };
        let group_and_time = [periods("group", |c| c.group), periods("time", |c| c.time)];
        let keys = keys.into_iter().chain(group_and_time).collect();
        let counts = [
            Variable::counts("n_treated", cells.iter().map(|c| Some(c.n_treated))),
            Variable::counts("n_control", cells.iter().map(|c| Some(c.n_control))),
        ];
        Estimates::new(name, keys, cells.iter().map(|c| c.estimate))
            .with(facts::statuses(cells.iter().map(|c| &c.status), self.settings.frequency))
            .with(counts)
            .with(facts::overlaps(cells.iter().map(|c| c.overlap)))
    }

    /// What the cells are, over tables and plots.
    fn title(&self) -> &'static str {
        match self.settings.estimator {
            EstimatorSettings::ContDid { target: DoseTarget::Slope, .. } => {
                "Group-Time Average Causal Responses"
            }
            EstimatorSettings::Ddd { .. } => {
                "Group-Time Average Treatment Effects by Triple Differences"
            }
            _ => "Group-Time Average Treatment Effects",
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

result!(GroupTimeResult);

/// Footnote mark of a failed cell; cells that failed alike share one.
fn mark(reason: String, reasons: &mut Vec<String>) -> String {
    let index = reasons.iter().position(|r| *r == reason).unwrap_or_else(|| {
        reasons.push(reason);
        reasons.len() - 1
    });
    format!("({})", index + 1)
}

#[cfg(test)]
mod tests;
