//! The decomposition of Goodman-Bacon in print.

use crate::base::counted::counted;
use crate::base::error::Message;
#[cfg(feature = "plot")]
use crate::base::error::Result;
use crate::base::options::Band;
use crate::estimator::twfe::{BaconComparison, BaconResult, BaconSum, ComparisonKind};
use crate::report::compare::{Comparable, Term};
use crate::report::contract::Report;
use crate::report::declare::result;
use crate::report::estimates::{Estimates, Variable};
use crate::report::number::Digits;
#[cfg(feature = "plot")]
use crate::report::plot::{Picture, PlotOptions};
use crate::report::table::{Align, Section, Table, strings};
use crate::report::{facts, foot};
use crate::result::inference::Estimate;

pub(super) const TITLE: &str = "Goodman-Bacon Decomposition";

impl ComparisonKind {
    /// What stands in tables.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::TreatedVsNever => "Treated vs never treated",
            Self::EarlierVsLater => "Earlier vs later treated",
            Self::LaterVsEarlier => "Later vs earlier treated",
            Self::LaterVsAlways => "Later vs always treated",
            Self::BothTreated => "Both treated",
            Self::AlwaysVsNever => "Always vs never treated",
        }
    }
}

impl Report for BaconResult {
    const KIND: &'static str = "bacon";

    fn table(&self) -> Table {
        let digits = Digits::of([&self.coefficient]);
        let kind = |of: &BaconSum| {
            let numbers = [digits.show(Some(of.estimate)), weight(of.weight)];
            let [estimate, weight] = numbers;
            vec![of.kind.name().into(), String::new(), of.comparisons.to_string(), estimate, weight]
        };
        let comparison = |of: &BaconComparison| {
            let estimate = digits.show(Some(of.estimate));
            vec![
                of.kind.name().into(),
                self.settings.columns.period(of.treated),
                self.control(of),
                estimate,
                weight(of.weight),
            ]
        };
        let kinds = Section {
            caption: Some("By kind:".into()),
            header: strings(&["Comparison", "", "Number", "Estimate", "Weight"]),
            rows: self.sums.iter().map(kind).collect(),
        };
        let all = Section {
            caption: Some("All comparisons:".into()),
            header: strings(&["Comparison", "Treated", "Control", "Estimate", "Weight"]),
            rows: self.comparisons.iter().map(comparison).collect(),
        };
        Table {
            title: TITLE.into(),
            align: [vec![Align::Left], vec![Align::Right; 4]].concat(),
            sections: vec![kinds, all],
            notes: self.notes(digits),
            caption: Some(foot::caption(TITLE, &self.settings.columns.outcome)),
            label: Some("bacon".into()),
            ..Table::default()
        }
    }

    fn estimates(&self) -> Vec<Estimates> {
        let only = |estimate: f64| Estimate { estimate: Some(estimate), ..Estimate::default() };
        let name = |kind: ComparisonKind| Some(kind.to_string());
        let keys = vec![Variable::fact("term", self.settings.group.as_str())];
        let coefficient = Estimates::single("coefficient", keys, self.coefficient);
        let sums = &self.sums;
        let keys = vec![Variable::words("kind", sums.iter().map(|of| name(of.kind)))];
        let kinds = Estimates::new("kinds", keys, sums.iter().map(|of| only(of.estimate))).with([
            Variable::numbers("weight", sums.iter().map(|of| Some(of.weight))),
            Variable::counts("comparisons", sums.iter().map(|of| Some(of.comparisons))),
        ]);
        let within = self.within.map(|within| {
            let estimate = Estimate { estimate: within.estimate, ..Estimate::default() };
            let weight = Variable::numbers("weight", [Some(within.weight)]);
            Estimates::single("within_cohorts", Vec::new(), estimate).with([weight])
        });
        let all = &self.comparisons;
        let control = |of: &BaconComparison| match of.control {
            Some(group) if of.kind != ComparisonKind::LaterVsAlways => self.settings.key(group),
            _ => self.control(of),
        };
        let keys = vec![
            Variable::words("kind", all.iter().map(|of| name(of.kind))),
            Variable::words("treated", all.iter().map(|of| Some(self.settings.key(of.treated)))),
            Variable::words("control", all.iter().map(|of| Some(control(of)))),
        ];
        let comparisons =
            Estimates::new("comparisons", keys, all.iter().map(|of| only(of.estimate))).with([
                Variable::numbers("weight", all.iter().map(|of| Some(of.weight))),
                Variable::counts("n_treated", all.iter().map(|of| Some(of.n_treated))),
                Variable::counts("n_control", all.iter().map(|of| Some(of.n_control))),
            ]);
        [coefficient, kinds].into_iter().chain(within).chain([comparisons]).collect()
    }

    fn about(&self) -> Vec<Variable> {
        let settings = &self.settings;
        vec![
            Variable::fact("estimator", "bacon"),
            Variable::fact("outcome", settings.columns.outcome.as_str()),
            Variable::fact("covariates", settings.covariates.join(", ")),
            Variable::fact("cluster", settings.cluster.clone()),
            Variable::fact("n_clusters", self.n_clusters),
            Variable::fact("n_units", settings.n_units),
            Variable::fact("n_periods", settings.n_periods),
            Variable::fact("n_rows", settings.read.n_complete()),
            Variable::fact("rows_missing", settings.read.rows_missing),
            Variable::fact("n_comparisons", self.comparisons.len()),
            Variable::fact("alpha", self.alpha),
            Variable::fact("n_warnings", self.warnings.len()),
        ]
    }

    fn messages(&self) -> Vec<Message> {
        facts::messages_with(
            &self.settings.read.files,
            &self.warnings,
            self.settings.columns.frequency,
        )
    }

    #[cfg(feature = "plot")]
    fn picture(&self, _: &PlotOptions) -> Result<Picture> {
        Ok(Picture::Scatter(self.scatter()))
    }
}

/// A weight as tables show it.
pub(super) fn weight(weight: f64) -> String {
    Digits::Fixed(4).show(Some(weight))
}

impl BaconResult {
    /// Who the treated are compared with.
    fn control(&self, of: &BaconComparison) -> String {
        match of.kind {
            ComparisonKind::LaterVsAlways => "always".into(),
            _ => self.settings.start(of.control),
        }
    }

    fn notes(&self, digits: Digits) -> Vec<String> {
        let Estimate { estimate, se, ci_lower, ci_upper, .. } = self.coefficient;
        let [estimate, se, lower, upper] =
            [estimate, se, ci_lower, ci_upper].map(|number| digits.show(number));
        let level = foot::percent(self.alpha);
        let cluster = self.settings.cluster.as_ref().unwrap_or(&self.settings.unit);
        let mut notes = vec![
            format!(
                "Two-way coefficient: {estimate} (Std. Error {se}, {level}% interval {lower} to {upper}), the average of all {} by weight",
                if self.within.is_some() {
                    "comparisons and differences within cohorts"
                } else {
                    "comparisons"
                }
            ),
            format!("Std. Error: clustered by {cluster} ({})", counted(self.n_clusters, "cluster", "clusters")),
            match self.within {
                None => "Later vs earlier or always treated: changes of the controls' own effects are a bias",
                Some(_) => "Later vs always treated, and both treated: changes of the controls' own effects are a bias",
            }
            .into(),
        ];
        notes.extend(self.within.map(|within| {
            let (of_pairs, estimate) = (1.0 - within.weight, digits.show(within.estimate));
            let apart = format!("differences within cohorts {}", weight(within.weight));
            match within.estimate {
                Some(_) => format!("Controls: the comparisons have the weight {} together, and {apart} ({estimate})", weight(of_pairs)),
                None => format!("Controls: the comparisons have all weight, and {apart}"),
            }
        }));
        notes.extend(self.settings.notes());
        notes.extend(foot::messages(&self.settings.read.files, self.messages()));
        notes
    }
}

result!(BaconResult);

impl Comparable for BaconResult {
    fn terms(&self) -> Vec<Term> {
        let coefficient =
            Term::new("Two-way coefficient", [0.0; 3], self.coefficient, Band::Pointwise);
        let kind = |(index, of): (usize, &BaconSum)| {
            let estimate = Estimate { estimate: Some(of.estimate), ..Estimate::default() };
            Term::new(of.kind.name(), [1.0, index as f64, 0.0], estimate, Band::Pointwise)
        };
        std::iter::once(coefficient).chain(self.sums.iter().enumerate().map(kind)).collect()
    }

    fn facts(&self) -> Vec<(String, String)> {
        let weight = |of: &BaconSum| (format!("Weight, {}", of.kind.name()), weight(of.weight));
        let units = ("Units".to_owned(), self.settings.n_units.to_string());
        let clusters = ("Clusters".to_owned(), self.n_clusters.to_string());
        self.sums.iter().map(weight).chain([units, clusters]).collect()
    }

    fn alpha(&self) -> f64 {
        self.alpha
    }

    fn outcome(&self) -> Option<String> {
        Some(self.settings.columns.outcome.clone())
    }
}
