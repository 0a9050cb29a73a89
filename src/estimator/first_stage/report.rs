//! Effects in print, as frames, as columns of comparisons, and drawn.

use super::effects::{StageEffect, StageEffects, StageTerm};
#[cfg(feature = "plot")]
use super::event_study::event_study;
use crate::base::counted::counted;
use crate::base::error::Message;
#[cfg(feature = "plot")]
use crate::base::error::{DidError, Result};
use crate::base::options::Band;
#[cfg(feature = "plot")]
use crate::report::PlotRow;
use crate::report::compare::{Term, sample_facts};
use crate::report::estimates::{Estimates, Variable};
use crate::report::number::Digits;
#[cfg(feature = "plot")]
use crate::report::plot::chart::{Chart, ChartWords, Facet, checked};
#[cfg(feature = "plot")]
use crate::report::plot::{Picture, PlotOptions};
use crate::report::table::{EstimateColumns, Section, Table, aligned, columns};
use crate::report::{facts, foot};
use crate::result::inference::Estimate;

/// The sections of a table: kind of term, caption, and head of the first column.
const SECTIONS: [(&str, &str, &str); 5] = [
    ("overall", "Average effect on the treated:", ""),
    ("average", "Averages with weights:", "Weights"),
    ("event_time", "By event time:", "Event time"),
    ("group", "By group:", "Group"),
    ("coefficient", "Second stage:", "Regressor"),
];

/// What a result of effects by a first stage says of itself, from which its tables and frames are made.
pub(in crate::estimator) trait StageReport {
    const TITLE: &'static str;
    /// The estimator's name in facts, and in labels of printed tables.
    const NAME: &'static str;
    fn effects(&self) -> &StageEffects;
    /// What the standard errors are.
    fn errors(&self) -> &'static str;
    /// Lines and facts beyond those of all.
    fn own_notes(&self) -> Vec<String>;
    fn own_facts(&self) -> Vec<Variable>;

    fn table_of(&self) -> Table {
        let effects = self.effects();
        let digits = Digits::of(effects.rows.iter().map(|effect| &effect.estimate));
        let section = |(kind, caption, head): &(&str, &str, &str)| {
            let rows = effects.rows.iter().filter(|effect| effect.term.kind() == *kind);
            let row = |effect: &StageEffect| {
                let label = match effect.term {
                    StageTerm::Overall => String::new(),
                    _ => effect.term.name(effects.settings.columns.frequency),
                };
                std::iter::once(label).chain(columns(&effect.estimate, digits)).collect()
            };
            let rows: Vec<Vec<String>> = rows.map(row).collect();
            let names = [*head, "Estimate", "Std. Error"].map(ToOwned::to_owned);
            let ends = foot::coefficient_heads(effects.settings.alpha);
            let header = names.into_iter().chain(ends).chain([String::new()]).collect();
            let caption = Some((*caption).to_owned());
            (!rows.is_empty()).then_some(Section { caption, header, rows })
        };
        Table {
            title: Self::TITLE.into(),
            align: aligned(1),
            sections: SECTIONS.iter().filter_map(section).collect(),
            notes: self.notes(),
            caption: Some(foot::caption(Self::TITLE, &effects.settings.columns.outcome)),
            label: Some(Self::NAME.replace('_', "-")),
            estimates: vec![EstimateColumns::from(1)],
            ..Table::default()
        }
    }

    fn notes(&self) -> Vec<String> {
        let StageEffects { rows, settings, audit, .. } = self.effects();
        let mut notes = vec![
            foot::SIGNIF_POINTWISE.to_owned(),
            String::new(),
            format!("First stage (untreated rows): {}", settings.formula),
        ];
        if let Some(weights) = &settings.columns.weights {
            notes.push(format!("Weights: {weights}"));
        }
        notes.push(format!(
            "Units: {}, Rows: {} untreated, {} treated",
            settings.n_units, settings.n_untreated, settings.n_treated
        ));
        notes.push(format!("Std. Errors: {}", self.standard_errors_of()));
        notes.extend(self.own_notes());
        if !self.effects().references.is_empty() {
            let references: Vec<String> =
                self.effects().references.iter().map(f64::to_string).collect();
            notes.push(format!("No indicator at event time {}", references.join(", ")));
        }
        for effect in rows {
            if let Some(reason) = &effect.reason {
                let what =
                    if effect.estimate.estimate.is_none() { "estimate" } else { "standard error" };
                let term = effect.term.label(settings.columns.frequency);
                notes.push(format!("No {what} ({term}): {reason}"));
            }
        }
        let lost: usize = audit.rows_missing.iter().map(|(_, rows)| rows).sum();
        if lost + audit.rows_weightless > 0 {
            notes.push(format!(
                "Rows left out: {lost} with missing values, {} with a weight of zero",
                audit.rows_weightless
            ));
        }
        notes.extend(foot::reading(&audit.files, &audit.read_as_missing));
        notes.extend(self.warnings_of().into_iter().map(|message| format!("Warning: {message}")));
        notes
    }

    fn standard_errors_of(&self) -> String {
        let settings = &self.effects().settings;
        let (errors, cluster) = (self.errors(), &settings.cluster);
        let clusters = counted(settings.n_clusters, "cluster", "clusters");
        format!("{errors}, clustered by {cluster} ({clusters})")
    }

    fn warnings_of(&self) -> Vec<Message> {
        let effects = self.effects();
        facts::messages(&effects.warnings, effects.settings.columns.frequency)
    }

    fn estimates_of(&self) -> Vec<Estimates> {
        let StageEffects { rows, settings, .. } = self.effects();
        let at = |term: &StageTerm| match term {
            StageTerm::EventTime(at) => Some(*at),
            _ => None,
        };
        let status = |effect: &StageEffect| {
            let Estimate { estimate, se, .. } = effect.estimate;
            match (estimate, se) {
                (None, _) => "no_estimate",
                (_, None) => "no_standard_error",
                _ => "ok",
            }
        };
        let keys = vec![
            Variable::words("kind", rows.iter().map(|effect| Some(effect.term.kind()))),
            Variable::words(
                "term",
                rows.iter().map(|e| Some(e.term.key(settings.columns.frequency))),
            ),
            Variable::numbers("event_time", rows.iter().map(|effect| at(&effect.term))),
        ];
        let estimates = rows.iter().map(|effect| effect.estimate);
        vec![Estimates::new("effects", keys, estimates).with([
            Variable::counts("n", rows.iter().map(|effect| Some(effect.rows))),
            Variable::words("status", rows.iter().map(|effect| Some(status(effect)))),
            Variable::words("reason", rows.iter().map(|effect| effect.reason.clone())),
        ])]
    }

    fn about_of(&self) -> Vec<Variable> {
        let StageEffects { settings, audit, warnings, .. } = self.effects();
        let missing: usize = audit.rows_missing.iter().map(|(_, rows)| rows).sum();
        let mut about = vec![
            Variable::fact("estimator", Self::NAME),
            Variable::fact("outcome", settings.columns.outcome.as_str()),
            Variable::fact("covariates", settings.covariates.as_str()),
            Variable::fact("fixed_effects", settings.fixed_effects.join(" + ")),
            Variable::fact("formula", settings.formula.as_str()),
            Variable::fact("weights", settings.columns.weights.clone()),
            Variable::fact("cluster", settings.cluster.as_str()),
            Variable::fact("n_units", settings.n_units),
            Variable::fact("n_clusters", settings.n_clusters),
            Variable::fact("n_rows", audit.rows),
            Variable::fact("rows_in", audit.rows_in),
            Variable::fact("n_untreated", settings.n_untreated),
            Variable::fact("n_treated", settings.n_treated),
            Variable::fact("rows_missing", missing),
            Variable::fact("rows_weightless", audit.rows_weightless),
            Variable::fact("rows_not_imputed", audit.rows_not_imputed),
            Variable::fact("alpha", settings.alpha),
            Variable::fact("n_warnings", warnings.len()),
        ];
        about.extend(self.own_facts());
        about
    }

    /// The columns of a comparison: the rows of event studies under their names, so that they stand beside those of other estimators.
    fn terms_of(&self) -> Vec<Term> {
        let StageEffects { rows, settings, .. } = self.effects();
        let term = |(index, effect): (usize, &StageEffect)| {
            let shown = effect.term.name(settings.columns.frequency);
            let (name, order) = match &effect.term {
                StageTerm::Overall => ("Overall ATT".to_owned(), [0.0; 3]),
                StageTerm::Average(_) => (format!("ATT ({shown})"), [0.0, 2.0, index as f64]),
                StageTerm::EventTime(at) => (format!("Event time {shown}"), [2.0, *at, 0.0]),
                StageTerm::Group(group) => (format!("Group {shown}"), [3.0, *group, 0.0]),
                StageTerm::Coefficient(_) => (shown, [4.0, index as f64, 0.0]),
            };
            Term::new(name, order, effect.estimate, Band::Pointwise)
        };
        rows.iter().enumerate().map(term).collect()
    }

    fn facts_of(&self) -> Vec<(String, String)> {
        let StageEffects { settings, audit, .. } = self.effects();
        // The first stage has the covariates.
        let sample = sample_facts(&[], settings.columns.weights.as_ref(), &audit.files);
        let facts = [
            ("First stage", settings.formula.clone()),
            ("Std. errors", self.errors().to_owned()),
            ("Units", settings.n_units.to_string()),
            ("Clusters", settings.n_clusters.to_string()),
            ("Observations", (settings.n_untreated + settings.n_treated).to_string()),
        ];
        let facts = facts.into_iter().map(|(name, value)| (name.to_owned(), value));
        facts.chain(sample).collect()
    }

    #[cfg(feature = "plot")]
    fn chart_of(&self, options: &PlotOptions) -> Result<Chart> {
        let study = event_study(self.effects(), self.errors());
        if study.rows.iter().any(|row| !row.reference) {
            return crate::estimator::aggregate::event_study_chart(
                &[(String::new(), study)],
                options,
            );
        }
        let StageEffects { rows, settings, .. } = self.effects();
        let row = |effect: &StageEffect| match effect.term {
            StageTerm::Group(group) => {
                Some(PlotRow { post: true, ..PlotRow::new(group, &effect.estimate)? })
            }
            _ => None,
        };
        let of_groups: Vec<PlotRow> = rows.iter().filter_map(row).collect();
        if of_groups.is_empty() {
            return Err(DidError::Plot(
                "it has no effects by event time or group; ask for event times".into(),
            ));
        }
        let words = ChartWords { title: "Average Effect by Group", x_label: "Group" };
        let facet = Facet::new(String::new(), checked(of_groups)?);
        let mut chart =
            Chart::new(&words, ("ATT", &settings.columns.outcome), vec![facet], options);
        chart.finish(options, Band::Pointwise, settings.alpha);
        Ok(chart)
    }

    #[cfg(feature = "plot")]
    fn picture_of(&self, options: &PlotOptions) -> Result<Picture> {
        self.chart_of(options).map(Picture::Chart)
    }
}

/// [`Report`](crate::report::contract::Report), [`Comparable`](crate::report::compare::Comparable) and
/// [`Consistent`](crate::result::saved::Consistent) of a [`StageReport`].
macro_rules! stage_result {
    ($result:ident) => {
        impl $crate::report::contract::Report for $result {
            const KIND: &'static str = <Self as StageReport>::NAME;

            fn table(&self) -> $crate::report::Table {
                self.table_of()
            }

            fn estimates(&self) -> Vec<$crate::report::estimates::Estimates> {
                self.estimates_of()
            }

            fn about(&self) -> Vec<$crate::report::estimates::Variable> {
                self.about_of()
            }

            fn messages(&self) -> Vec<$crate::report::Message> {
                let of_columns = self.effects.audit.files.warnings.iter().cloned();
                of_columns.chain(self.warnings_of()).collect()
            }

            #[cfg(feature = "plot")]
            fn picture(
                &self,
                options: &$crate::report::PlotOptions,
            ) -> $crate::Result<$crate::report::plot::Picture> {
                self.picture_of(options)
            }
        }

        $crate::report::declare::result!($result);

        impl $crate::report::Comparable for $result {
            fn terms(&self) -> Vec<$crate::report::Term> {
                self.terms_of()
            }

            fn facts(&self) -> Vec<(String, String)> {
                self.facts_of()
            }

            fn alpha(&self) -> f64 {
                self.effects.settings.alpha
            }

            fn event_times_count(&self) -> Option<&'static str> {
                let frequency = self.effects.settings.columns.frequency;
                Some($crate::report::compare::units_of_time(frequency))
            }

            fn overall_averages(&self) -> Option<String> {
                let weights = self.effects.settings.columns.weights.as_ref();
                Some($crate::report::compare::over_treated_rows(weights))
            }

            fn standard_errors(&self) -> Option<String> {
                Some(self.standard_errors_of())
            }

            fn remarks(&self) -> Vec<String> {
                $crate::report::compare::texts($crate::report::contract::Report::messages(self))
            }

            fn before_treatment(&self) -> Option<String> {
                Some($crate::report::compare::NOT_TO_REFERENCE.to_owned())
            }

            fn outcome(&self) -> Option<String> {
                Some(self.effects.settings.columns.outcome.clone())
            }

            #[cfg(feature = "plot")]
            fn comparable_chart(
                &self,
                options: &$crate::report::PlotOptions,
            ) -> $crate::Result<$crate::report::plot::chart::Chart> {
                self.chart_of(options)
            }
        }

        impl $crate::result::saved::Consistent for $result {
            fn check(&self) -> $crate::result::estimates::check::Checked {
                self.effects.check().map_err(|problem| format!("`effects`: {problem}"))
            }
        }
    };
}

pub(in crate::estimator) use stage_result;
