//! Local projections in print.

use crate::base::counted::counted;
use crate::base::error::Message;
#[cfg(feature = "plot")]
use crate::base::error::Result;
use crate::base::options::ProjectionBase;
use crate::engine::by_unit::{Target, pooled_name};
use crate::estimator::by_unit::{
    EventEffect, compared_by_event_time, effects_section, effects_table, event_estimates,
    event_table, unknown,
};
use crate::estimator::local_projections::{LocalProjectionsResult, ProjectionMethod};
use crate::report::compare::{OVER_EVENT_TIMES, TO_REFERENCE};
use crate::report::contract::Report;
use crate::report::declare::result;
use crate::report::estimates::{Estimates, Variable};
#[cfg(feature = "plot")]
use crate::report::plot::{Picture, PlotOptions};
use crate::report::table::Table;
use crate::report::{facts, foot};

const TITLE: &str = "Local Projections";

impl Report for LocalProjectionsResult {
    const KIND: &'static str = "local_projections";

    fn table(&self) -> Table {
        let pooled: Vec<(String, &EventEffect)> =
            self.pooled().map(|(name, of)| (name.to_owned(), of)).collect();
        let pooled = effects_section(Some("Pooled effects"), "", self.alpha, &pooled);
        Table {
            title: TITLE.into(),
            notes: self.notes(),
            caption: Some(foot::caption(TITLE, &self.sample.columns.outcome)),
            label: Some("local-projections".into()),
            ..event_table(pooled, &self.effects, self.alpha)
        }
    }

    fn estimates(&self) -> Vec<Estimates> {
        let (names, pooled): (Vec<&str>, Vec<&EventEffect>) = self.pooled().unzip();
        let term = Variable::words("term", names.iter().map(|name| Some(*name)));
        vec![event_estimates(&self.effects), effects_table("pooled", vec![term], &pooled)]
    }

    fn about(&self) -> Vec<Variable> {
        let (sample, settings) = (&self.sample, &self.settings);
        let mut about = vec![
            Variable::fact("estimator", "local_projections"),
            Variable::fact("method", settings.method.to_string()),
            Variable::fact("control_group", settings.control_group.to_string()),
            Variable::fact("base", settings.base.to_string()),
            Variable::flags("no_composition_changes", [settings.no_composition_changes]),
            Variable::fact("outcome_lags", settings.outcome_lags as usize),
            Variable::fact(
                "stable_periods",
                settings.stable_periods.map(|periods| periods as usize),
            ),
        ];
        about.extend(sample.facts(self.n_clusters));
        about.push(Variable::fact("alpha", self.alpha));
        about.push(Variable::fact("n_warnings", self.warnings.len()));
        about
    }

    fn messages(&self) -> Vec<Message> {
        let mut messages = facts::messages(&self.warnings, self.sample.columns.frequency);
        let own = self.effects.iter().map(|of| (Target::At(of.event_time).name(), of));
        let pooled = self.pooled().map(|(name, of)| (pooled_name(name), of));
        messages.extend(unknown(own.chain(pooled)));
        messages
    }

    #[cfg(feature = "plot")]
    fn picture(&self, options: &PlotOptions) -> Result<Picture> {
        self.event_study().picture(options)
    }
}

impl LocalProjectionsResult {
    /// Pooled effects with their names.
    fn pooled(&self) -> impl Iterator<Item = (&'static str, &EventEffect)> {
        let before = self.pooled_before.iter().map(|of| ("before treatment", of));
        std::iter::once(("after treatment", &self.pooled)).chain(before)
    }

    fn notes(&self) -> Vec<String> {
        let (sample, settings) = (&self.sample, &self.settings);
        let method = match settings.method {
            ProjectionMethod::Variance => "least squares (periods by the variance of treatment)",
            ProjectionMethod::Reweighted => "weighted least squares (periods by treated units)",
            ProjectionMethod::Adjusted => "regression adjustment (periods by treated units)",
        };
        let controls = settings.control_group.label();
        let base = measured_from(settings.base);
        let mut notes = vec![
            foot::SIGNIF_POINTWISE.to_owned(),
            String::new(),
            format!("Method: {method}"),
            format!("Control Group: {controls}, Base: {base}"),
        ];
        let options = [
            settings.no_composition_changes.then(|| "the same units at all horizons".to_owned()),
            (settings.outcome_lags > 0)
                .then(|| format!("lagged changes of the outcome: {}", settings.outcome_lags)),
            settings.stable_periods.map(|periods| {
                let periods = counted(periods, "period", "periods");
                format!("treatment may end; effects are stable after {periods}")
            }),
            settings.rank_periods.then(|| "event times count observed periods".to_owned()),
        ];
        let options: Vec<String> = options.into_iter().flatten().collect();
        if !options.is_empty() {
            notes.push(format!("Options: {}", options.join("; ")));
        }
        notes.extend(sample.notes());
        let (cluster, clusters) = (sample.clustered_by(), self.n_clusters);
        notes.push(format!(
            "Std. Errors: clustered by {cluster} ({})",
            counted(clusters, "cluster", "clusters")
        ));
        notes.extend(self.messages().into_iter().map(|message| format!("Warning: {message}")));
        notes
    }
}

/// What changes of the outcome are measured from.
fn measured_from(base: ProjectionBase) -> String {
    match base {
        ProjectionBase::Last => "last period before treatment".to_owned(),
        ProjectionBase::Mean(periods) => {
            format!("mean of {} before treatment", counted(periods, "period", "periods"))
        }
        ProjectionBase::AllBefore => "mean of all periods before treatment".to_owned(),
    }
}

result!(LocalProjectionsResult);

compared_by_event_time!(LocalProjectionsResult {
    fn facts(&self) -> Vec<(String, String)> {
        let mut facts = vec![
            ("Method".to_owned(), self.settings.method.to_string()),
            ("Control group".to_owned(), self.settings.control_group.label().to_owned()),
        ];
        facts.extend(self.sample.compared(self.n_clusters));
        facts
    }

    fn overall_averages(&self) -> Option<String> {
        Some(format!("{OVER_EVENT_TIMES}, of units that have them all"))
    }

    fn before_treatment(&self) -> Option<String> {
        Some(match self.settings.base {
            ProjectionBase::Last => TO_REFERENCE.to_owned(),
            ProjectionBase::Mean(_) | ProjectionBase::AllBefore => {
                format!("relative to the {}", measured_from(self.settings.base))
            }
        })
    }
});
