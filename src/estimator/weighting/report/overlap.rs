//! Overlap by cell in print.

use super::in_words;
#[cfg(feature = "plot")]
use super::plot;
use crate::base::error::Message;
#[cfg(feature = "plot")]
use crate::base::error::Result;
use crate::base::options::Band;
use crate::estimator::weighting::overlap::{OverlapByCell, OverlapRow};
use crate::report::compare::{Comparable, Term, facts};
use crate::report::contract::Report;
use crate::report::declare::result;
use crate::report::estimates::{Estimates, Variable};
use crate::report::facts as settings_facts;
use crate::report::number::counted;
#[cfg(feature = "plot")]
use crate::report::plot::{Picture, PlotOptions};
use crate::report::table::{Align, Section, Table, strings};
use crate::result::inference::Estimate;

const TITLE: &str = "Overlap by Cell";

impl Report for OverlapByCell {
    const KIND: &'static str = "overlap";

    fn table(&self) -> Table {
        let cells = self.has_cells();
        let score = |value: Option<f64>| value.map_or_else(|| "-".into(), |v| format!("{v:.4}"));
        let size = |value: Option<f64>| value.map_or_else(|| "-".into(), |v| format!("{v:.1}"));
        let row = |row: &OverlapRow| {
            let overlap = &row.overlap;
            let period = |at: Option<f64>| at.map(|at| self.settings.period(at));
            let keys = [period(row.group), period(row.time)].into_iter().flatten();
            let left = overlap
                .effective_share()
                .map_or_else(|| "-".into(), |share| format!("{:.0}%", 100.0 * share));
            let numbers = [
                row.n_treated.to_string(),
                row.n_control.to_string(),
                score(overlap.largest_score_treated),
                score(overlap.largest_score_control),
                overlap.trimmed.to_string(),
                format!("{:.1}%", 100.0 * overlap.trimmed_share),
                size(overlap.effective_control_sampling),
                size(overlap.effective_control),
                left,
            ];
            keys.chain(numbers).collect()
        };
        let heads = [
            "Treated N",
            "Comparison N",
            "Max Score T",
            "Max Score C",
            "Trimmed",
            "of Weight",
            "Effective N",
            "Weighted",
            "Ratio",
        ];
        let keys: &[&str] = if cells { &["Group", "Time"] } else { &[] };
        let header = strings(&[keys, &heads[..]].concat());
        Table {
            title: TITLE.into(),
            align: vec![Align::Right; header.len()],
            sections: vec![Section {
                caption: None,
                header,
                rows: self.rows.iter().map(row).collect(),
            }],
            notes: self.notes(),
            caption: Some(format!("{TITLE}: {}", self.settings.outcome)),
            label: Some("overlap".into()),
            ..Table::default()
        }
    }

    fn estimates(&self) -> Vec<Estimates> {
        let period = |name: &str, of: fn(&OverlapRow) -> Option<f64>| {
            self.settings.periods(name, self.rows.iter().map(of))
        };
        let keys = match self.has_cells() {
            true => vec![period("group", |row| row.group), period("time", |row| row.time)],
            false => Vec::new(),
        };
        let rows = &self.rows;
        let counts = [
            Variable::counts("n_treated", rows.iter().map(|row| Some(row.n_treated))),
            Variable::counts("n_control", rows.iter().map(|row| Some(row.n_control))),
        ];
        let shares = Estimates::new("overlap", keys, rows.iter().map(OverlapRow::estimate));
        let overlaps = settings_facts::overlaps(rows.iter().map(|row| Some(row.overlap)));
        vec![shares.with(counts).with(overlaps)]
    }

    fn about(&self) -> Vec<Variable> {
        let facts_of_overlap = [
            Variable::fact("weighting_method", self.method.as_str()),
            Variable::fact("trim_level", self.trim_level),
            Variable::fact("n_cells", self.rows.len()),
            Variable::fact("n_not_estimated", self.not_estimated),
        ];
        settings_facts::settings(&self.settings).into_iter().chain(facts_of_overlap).collect()
    }

    fn messages(&self) -> Vec<Message> {
        let mut messages: Vec<Message> = Vec::new();
        if self.not_estimated > 0 {
            let cells = counted(self.not_estimated, "cell has", "cells have");
            messages.push(format!("{cells} no estimate, and so no overlap").into());
        }
        if self.rows.is_empty() && self.not_estimated == 0 {
            let message = "the estimator does not say how it weighs comparison units";
            messages.push(message.to_owned().into());
        } else if self.trim_level.is_none() {
            let method = &self.method;
            let message = format!(
                "the method `{method}` has no propensity score; sizes are by sampling weights"
            );
            messages.push(message.into());
        } else if self.settings.covariates.trim().trim_start_matches('~').trim() == "1" {
            let message = "without covariates the propensity score of a cell is the share of its treated units";
            messages.push(message.to_owned().into());
        }
        messages
    }

    #[cfg(feature = "plot")]
    fn picture(&self, options: &PlotOptions) -> Result<Picture> {
        plot::scores(self, options)
    }
}

impl OverlapRow {
    /// Part of the effective sample size that the score leaves.
    fn estimate(&self) -> Estimate {
        Estimate { estimate: self.overlap.effective_share(), ..Estimate::default() }
    }
}

impl OverlapByCell {
    fn has_cells(&self) -> bool {
        self.rows.iter().any(|row| row.group.is_some())
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = vec![
            "Max Score: largest propensity score by maximum likelihood of a treated (T) and of a comparison unit (C); `imp` weights and trims by a calibrated one".to_owned(),
            "Effective N: comparison units by sampling weights, (sum of w)² / (sum of w²); Weighted: by weights times odds; Ratio: of the two".to_owned(),
        ];
        let method = in_words(&self.method);
        notes.push(match self.trim_level {
            Some(level) => format!("Method: {method}, Trimmed from a score of: {level}"),
            None => format!("Method: {method}"),
        });
        if let Some(units) = self.settings.comparison_units() {
            notes.push(format!("Comparison units: {units}"));
        }
        notes.extend(self.messages().into_iter().map(|message| format!("Note: {message}")));
        notes
    }
}

result!(OverlapByCell);

/// The parts of the effective sample sizes that are left.
impl Comparable for OverlapByCell {
    fn terms(&self) -> Vec<Term> {
        let term = |row: &OverlapRow| {
            let name = match row.group.zip(row.time) {
                Some((group, time)) => {
                    format!("({}, {})", self.settings.period(group), self.settings.period(time))
                }
                None => "Effective share".to_owned(),
            };
            let [group, time] = [row.group, row.time].map(|at| at.unwrap_or(0.0));
            Term::new(name, [group, time, 0.0], row.estimate(), Band::Pointwise)
        };
        self.rows.iter().map(term).collect()
    }

    fn facts(&self) -> Vec<(String, String)> {
        facts(&self.settings)
    }

    fn alpha(&self) -> f64 {
        self.settings.inference.alpha
    }

    fn outcome(&self) -> Option<String> {
        Some(self.settings.outcome.clone())
    }
}
