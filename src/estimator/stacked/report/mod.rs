//! Stacked difference-in-differences in print.

use crate::base::calendar::{named, shown};
use crate::base::counted::counted;
use crate::base::error::Message;
#[cfg(feature = "plot")]
use crate::base::error::Result;
use crate::base::options::ControlGroup;
use crate::estimator::by_unit::{
    EventEffect, compared_by_event_time, event_estimates, event_table, unknown,
};
use crate::estimator::stacked::{StackEffects, StackWeights, StackedResult, SubExperiment};
use crate::report::compare::{OVER_EVENT_TIMES, TO_REFERENCE};
use crate::report::contract::Report;
use crate::report::declare::result;
use crate::report::estimates::{Estimates, Variable};
use crate::report::number::{Digits, short};
#[cfg(feature = "plot")]
use crate::report::plot::{Picture, PlotOptions};
use crate::report::table::{Section, Table, columns};
use crate::report::{facts, foot};
use crate::result::inference::Estimate;

const TITLE: &str = "Stacked Difference-in-Differences";

impl Report for StackedResult {
    const KIND: &'static str = "stacked";

    fn table(&self) -> Table {
        Table {
            title: TITLE.into(),
            notes: self.notes(),
            caption: Some(foot::caption(TITLE, &self.sample.columns.outcome)),
            label: Some("stacked".into()),
            ..event_table(self.overall_section(), &self.effects, self.alpha)
        }
    }

    fn estimates(&self) -> Vec<Estimates> {
        let effects = event_estimates(&self.effects);
        let overall = Estimates::single("overall", Vec::new(), self.overall);
        let weights = || {
            self.sub_experiments.iter().flat_map(|sub| {
                let events = self.effects.iter().zip(&sub.control_weights);
                events.map(move |(effect, weight)| (sub, effect.event_time, *weight))
            })
        };
        let keys = vec![
            Variable::words(
                "cohort",
                weights().map(|(sub, ..)| Some(named(sub.cohort, self.sample.columns.frequency))),
            ),
            Variable::numbers("event_time", weights().map(|(_, at, _)| Some(at as f64))),
        ];
        let none = weights().map(|_| Estimate::default());
        let controls = Estimates::new("control_weights", keys, none)
            .with([Variable::numbers("weight", weights().map(|(.., weight)| Some(weight)))]);
        vec![effects, overall, controls]
    }

    fn about(&self) -> Vec<Variable> {
        let settings = &self.settings;
        let mut about = vec![
            Variable::fact("estimator", "stacked"),
            Variable::fact("control_group", settings.control_group.to_string()),
            Variable::fact("stack_weights", settings.stack_weights.to_string()),
            Variable::fact("effects", settings.effects.to_string()),
            Variable::fact("n_sub_experiments", self.sub_experiments.len()),
            Variable::fact("n_stacked", self.n_stacked),
        ];
        about.extend(self.sample.facts(self.n_clusters));
        about.push(Variable::fact("alpha", self.alpha));
        about.push(Variable::fact("n_warnings", self.warnings.len()));
        about
    }

    fn messages(&self) -> Vec<Message> {
        let mut messages = facts::messages(&self.warnings, self.sample.columns.frequency);
        let effects = || self.effects.iter();
        messages.extend(unknown(effects().map(|of| (format!("event time {}", of.event_time), of))));
        if self.overall.estimate.is_some() && self.overall.se.is_none() {
            let after = effects().filter(|of| of.event_time >= 0).find_map(EventEffect::reason);
            let reason = after.unwrap_or_else(|| "the estimate does not vary".to_owned());
            let what = "the average effect after treatment has no standard error";
            messages.push(format!("{what}: {reason}").into());
        }
        messages
    }

    #[cfg(feature = "plot")]
    fn picture(&self, options: &PlotOptions) -> Result<Picture> {
        self.event_study().picture(options)
    }
}

impl StackedResult {
    fn cohort(&self, sub: &SubExperiment) -> String {
        shown(sub.cohort, self.sample.columns.frequency)
    }

    fn overall_section(&self) -> Section {
        let [lower, upper] = foot::coefficient_heads(self.alpha);
        let names = ["", "Estimate", "Std. Error"].map(ToOwned::to_owned);
        let header = names.into_iter().chain([lower, upper, String::new()]);
        let own = columns(&self.overall, Digits::of([&self.overall]));
        let blank = || [String::new(), String::new()];
        Section {
            caption: Some("Average effect after treatment:".to_owned()),
            header: header.chain(blank()).collect(),
            rows: vec![std::iter::once(String::new()).chain(own).chain(blank()).collect()],
        }
    }

    fn notes(&self) -> Vec<String> {
        let (sample, settings) = (&self.sample, &self.settings);
        let controls = controls(settings.control_group);
        let weights = match settings.stack_weights {
            StackWeights::Corrective => "corrective",
            StackWeights::Unweighted => "none",
        };
        let effects = match settings.effects {
            StackEffects::Pooled => "of treated units and of event times",
            StackEffects::SubExperiment => "of treated units and of event times by sub-experiment",
        };
        let weight = |sub: &SubExperiment| {
            let range = sub.control_weights.iter().copied();
            let least = range.clone().fold(f64::INFINITY, f64::min);
            let most = range.fold(0.0, f64::max);
            let name = self.cohort(sub);
            match most - least <= 1e-9 * most {
                true => format!("{name} ({})", short(most)),
                false => format!("{name} ({} to {})", short(least), short(most)),
            }
        };
        let subs: Vec<String> = self.sub_experiments.iter().map(weight).collect();
        let mut notes = vec![
            foot::SIGNIF_POINTWISE.to_owned(),
            String::new(),
            format!("Control Group: {controls}, Weights of Controls: {weights}"),
            format!("Cohorts (weights of their controls): {}", subs.join(", ")),
            format!("Effects: {effects}, Rows of the Stack: {}", self.n_stacked),
        ];
        if settings.rank_periods {
            notes.push("Event times count observed periods".to_owned());
        }
        notes.extend(sample.notes());
        let (cluster, clusters) = (sample.clustered_by(), self.n_clusters);
        let copies = if settings.independent_copies { " and sub-experiment" } else { "" };
        notes.push(format!(
            "Std. Errors: clustered by {cluster}{copies} ({})",
            counted(clusters, "cluster", "clusters")
        ));
        notes.extend(self.messages().into_iter().map(|message| format!("Warning: {message}")));
        notes
    }
}

/// The controls of a sub-experiment, in words.
fn controls(group: ControlGroup) -> &'static str {
    match group {
        ControlGroup::NeverTreated => group.label(),
        ControlGroup::NotYetTreated => "Not Treated in the Window",
    }
}

result!(StackedResult);

compared_by_event_time!(StackedResult {
    fn facts(&self) -> Vec<(String, String)> {
        let mut facts = vec![
            ("Control group".to_owned(), controls(self.settings.control_group).to_owned()),
            ("Weights of controls".to_owned(), self.settings.stack_weights.to_string()),
        ];
        facts.extend(self.sample.compared(self.n_clusters));
        facts
    }

    fn overall_averages(&self) -> Option<String> {
        Some(OVER_EVENT_TIMES.to_owned())
    }

    fn before_treatment(&self) -> Option<String> {
        Some(TO_REFERENCE.to_owned())
    }
});
