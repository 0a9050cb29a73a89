//! Effects of a treatment that switches in print.

use crate::base::calendar::FittedCalendar;
use crate::base::error::Message;
#[cfg(feature = "plot")]
use crate::base::error::Result;
use crate::base::options::{Band, ControlGroup};
use crate::estimator::aggregate::counted_periods;
use crate::estimator::switching::{DidMultiplegtResult, SwitchingEffect};
use crate::report::compare::{Comparable, Term, before_treatment, sample_facts, texts};
use crate::report::contract::Report;
use crate::report::declare::result;
use crate::report::estimates::{Estimates, Variable};
use crate::report::number::{Digits, counted};
#[cfg(feature = "plot")]
use crate::report::plot::{
    Picture, PlotOptions,
    chart::{Chart, ChartWords, Facet, axis, checked},
};
use crate::report::table::{Align, EstimateColumns, Section, Table, columns};
use crate::report::{PlotRow, facts, foot};
use crate::result::inference::Wald;

/// The horizon of the effect at event time 0: horizons count from the last period before the switch.
const HORIZON_OF_ZERO: f64 = 1.0;

impl Report for DidMultiplegtResult {
    const KIND: &'static str = "did_multiplegt";

    fn table(&self) -> Table {
        let heads = foot::interval_heads(Band::Pointwise, self.settings.inference.alpha);
        let mut sections = vec![
            self.section("Effects", "Effect", &heads, &self.effects),
            self.section("Placebos", "Placebo", &heads, &self.placebos),
        ];
        if let Some(average) = &self.average {
            let caption = "Average total effect per unit of treatment";
            sections.insert(1, self.section(caption, "", &heads, std::slice::from_ref(average)));
        }
        sections.push(self.heterogeneity_section(&heads));
        sections.retain(|section| !section.rows.is_empty());
        let normalized = if self.normalized { "Normalized " } else { "" };
        let mut align = vec![Align::Right; 5];
        align.extend([Align::Mark, Align::Right, Align::Right]);
        Table {
            title: format!("{normalized}Effects of Switching Treatments"),
            align,
            sections,
            notes: self.notes(),
            caption: Some(foot::caption(
                &format!("{normalized}Effects of Switching Treatments"),
                &self.settings.outcome,
            )),
            label: Some("did-multiplegt".into()),
            estimates: vec![EstimateColumns::from(1)],
            ..Table::default()
        }
    }

    fn estimates(&self) -> Vec<Estimates> {
        let horizons = |rows: &[SwitchingEffect]| {
            vec![Variable::integers("horizon", rows.iter().map(|row| row.horizon))]
        };
        let effects = |name, rows: &[SwitchingEffect]| {
            Estimates::new(name, horizons(rows), rows.iter().map(|row| row.estimate))
                .with(counts(rows))
        };
        let average = self.average.map(|average| {
            Estimates::single("average", Vec::new(), average.estimate).with(counts(&[average]))
        });
        let predictors = &self.heterogeneity;
        let keys = vec![
            Variable::integers("effect", predictors.iter().map(|row| row.effect)),
            Variable::words("covariate", predictors.iter().map(|row| Some(&*row.covariate))),
        ];
        let extra = [
            Variable::counts("n", predictors.iter().map(|row| Some(row.n))),
            Variable::numbers("p_all", predictors.iter().map(|row| row.p_all)),
        ];
        let predictors = (!predictors.is_empty()).then(|| {
            let estimates = predictors.iter().map(|row| row.estimate);
            Estimates::new("predictors", keys, estimates).with(extra)
        });
        let mut tables =
            vec![effects("effects", &self.effects), effects("placebos", &self.placebos)];
        tables.extend(average.into_iter().chain(predictors));
        tables
    }

    fn about(&self) -> Vec<Variable> {
        let test = |name: &str, wald: Option<Wald>| {
            [
                Variable::fact(&format!("{name}_stat"), wald.map(|w| w.stat)),
                Variable::fact(&format!("{name}_df"), wald.map(|w| w.df)),
                Variable::fact(&format!("{name}_p_value"), wald.map(|w| w.p_value)),
            ]
        };
        let tests = [
            test("effects", self.tests.effects),
            test("placebos", self.tests.placebos),
            test("equal_effects", self.tests.equal),
        ];
        let facts_of_effects = [
            Variable::fact("normalized", self.normalized),
            Variable::fact("critical_value", self.critical_value),
            Variable::fact("n_warnings", self.warnings.len()),
        ];
        let none = ["eligible", "group_shares", "base_period", "method", "anticipation"];
        let settings = facts::settings_without(&self.settings, &none);
        settings.into_iter().chain(facts_of_effects).chain(tests.into_iter().flatten()).collect()
    }

    fn messages(&self) -> Vec<Message> {
        facts::messages(&self.warnings, self.settings.frequency)
    }

    #[cfg(feature = "plot")]
    fn picture(&self, options: &PlotOptions) -> Result<Picture> {
        let rows = checked(self.plot_data())?;
        let words = ChartWords {
            title: "Effects by Time since the First Switch",
            x_label: "Periods relative to the last pre-switch period",
        };
        let study = self.event_study();
        let failed = study.failed().iter().map(|at| at + HORIZON_OF_ZERO).collect();
        let facet = Facet { failed, ..Facet::new(String::new(), rows) };
        let facet = Facet { treatment: facet.boundary(HORIZON_OF_ZERO), ..facet };
        let mut chart = Chart::new(&words, axis(&self.settings), vec![facet], options);
        chart.finish(options, Band::Pointwise, self.settings.inference.alpha);
        Ok(Picture::Chart(chart))
    }
}

impl DidMultiplegtResult {
    fn section(
        &self,
        caption: &str,
        first: &str,
        heads: &[String; 2],
        effects: &[SwitchingEffect],
    ) -> Section {
        let digits = Digits::of(effects.iter().map(|effect| &effect.estimate));
        let row = |effect: &SwitchingEffect| {
            let mut row =
                vec![if effect.horizon == 0 { String::new() } else { effect.horizon.to_string() }];
            row.extend(columns(&effect.estimate, digits));
            row.extend([effect.n_obs.to_string(), effect.n_switchers.to_string()]);
            row
        };
        let header = [first, "Estimate", "Std. Error", &heads[0], &heads[1], "", "N", "Switchers"];
        Section {
            caption: Some(format!("{caption}:")),
            header: header.map(str::to_owned).into(),
            rows: effects.iter().map(row).collect(),
        }
    }

    fn heterogeneity_section(&self, heads: &[String; 2]) -> Section {
        let digits = Digits::of(self.heterogeneity.iter().map(|row| &row.estimate));
        let rows = self.heterogeneity.iter().map(|found| {
            let mut row = vec![format!("{} ({})", found.covariate, found.effect)];
            row.extend(columns(&found.estimate, digits));
            row.push(found.n.to_string());
            row
        });
        let header = ["", "Estimate", "Std. Error", &heads[0], &heads[1], "", "N"];
        Section {
            caption: Some("Predictors of the effects (effect in parentheses):".to_owned()),
            header: header.map(str::to_owned).into(),
            rows: rows.collect(),
        }
    }

    fn notes(&self) -> Vec<String> {
        let (settings, audit) = (&self.settings, &self.audit);
        let mut notes = vec![foot::SIGNIF.to_owned(), String::new()];
        let tests = [
            ("all effects are zero", &self.tests.effects),
            ("all placebos are zero", &self.tests.placebos),
            ("effects are equal", &self.tests.equal),
        ];
        for (what, wald) in tests {
            if let Some(Wald { stat, df, p_value, .. }) = wald {
                let p = foot::p_equals(*p_value);
                notes.push(format!("Test that {what}: chi-squared = {stat:.4}, df = {df}, {p}"));
            }
        }
        let controls = match settings.control_group().unwrap_or_default() {
            ControlGroup::NeverTreated => "Never Switching",
            ControlGroup::NotYetTreated => "Not Yet Switched",
        };
        let covariates = &settings.covariates;
        notes.push(format!(
            "Controls: {controls}, Outcome: {}, Covariates: {covariates}",
            settings.outcome
        ));
        notes.push(format!(
            "Groups: {} ({} switch in, {} out, {} never), Cells: {}",
            audit.groups,
            audit.switchers_in,
            audit.switchers_out,
            audit.never_switchers,
            audit.cells
        ));
        notes.push(format!("Std. Errors: {}", self.errors()));
        notes.extend(self.left_out());
        if let filled @ 1.. = self.audit.dropped.treatments_filled {
            let filled = counted(filled, "missing treatment", "missing treatments");
            notes.push(format!("Filled: {filled}, as those around them"));
        }
        notes.extend(foot::reading(&audit.files, &audit.read_as_missing));
        notes.extend(foot::warnings(settings, &self.warnings));
        notes
    }

    /// What the rules left out.
    fn left_out(&self) -> Option<String> {
        const GROUP: [&str; 2] = ["group", "groups"];
        const CELL: [&str; 2] = ["cell", "cells"];
        const OUTCOME: [&str; 2] = ["outcome", "outcomes"];
        let dropped = &self.audit.dropped;
        let counts = [
            (dropped.groups_empty, GROUP, "without an outcome or a treatment"),
            (dropped.cells_bidirectional, CELL, "after treatments above and below the first"),
            (dropped.groups_without_variation, GROUP, "with no other switch to compare with"),
            (dropped.cells_without_controls, CELL, "in which all have switched"),
            (dropped.outcomes_after_missing_treatment, OUTCOME, "since a missing treatment"),
            (dropped.outcomes_before_treatment, OUTCOME, "before the first treatment"),
            (dropped.outcomes_of_unknown_switch, OUTCOME, "since a switch of unknown date"),
            (dropped.outcomes_after_treatment, OUTCOME, "after the last treatment"),
            (dropped.groups_without_trend, GROUP, "without a trend before the switch"),
            (dropped.groups_without_direction, GROUP, "without a switch in or out"),
            (dropped.groups_without_residuals, GROUP, "without coefficients of controls"),
        ];
        let there = counts.into_iter().filter(|(count, ..)| *count > 0);
        let shown = there.map(|(count, [one, several], what)| {
            format!("{} {what}", counted(count, one, several))
        });
        let shown: Vec<String> = shown.collect();
        (!shown.is_empty()).then(|| format!("Left out: {}", shown.join(", ")))
    }

    /// What `plot` draws: placebos, the last period before the switch, and effects, by horizon.
    #[must_use]
    pub fn plot_data(&self) -> Vec<PlotRow> {
        let rows = self.event_study().plot_data().into_iter();
        rows.map(|row| PlotRow { at: row.at + HORIZON_OF_ZERO, ..row }).collect()
    }
}

result!(DidMultiplegtResult);

impl DidMultiplegtResult {
    /// Time between two periods, which event times count; none if they are not evenly spaced.
    fn period_length(&self) -> Option<f64> {
        let periods = &self.audit.periods;
        FittedCalendar::new(periods, &[]).grid.even_step(periods)
    }
}

impl DidMultiplegtResult {
    /// How standard errors were made.
    fn errors(&self) -> String {
        let resampled = self.settings.inference.bootstrap.map(|b| {
            format!("bootstrap by groups or clusters ({} draws, seed {})", b.draws, b.seed)
        });
        foot::errors(&self.settings, resampled)
    }
}

/// Effect `l` is at event time `l - 1` of an event study by the first treated period, and placebo `l` at `-1 - l`.
impl Comparable for DidMultiplegtResult {
    fn terms(&self) -> Vec<Term> {
        let average = self.average.iter().map(|average| {
            Term::new("Average total effect", [0.5, 0.0, 0.0], average.estimate, Band::Pointwise)
        });
        let study = self.event_study().in_time(self.period_length());
        let events = study.terms().into_iter().zip(&study.rows).filter(|(_, row)| !row.reference);
        average.chain(events.map(|(term, _)| term)).collect()
    }

    fn facts(&self) -> Vec<(String, String)> {
        let settings = &self.settings;
        let controls = match settings.control_group().unwrap_or_default() {
            ControlGroup::NeverTreated => "Never switching",
            ControlGroup::NotYetTreated => "Not yet switched",
        };
        let mut facts = vec![
            ("Control group", controls.to_owned()),
            ("Covariates", settings.covariates.clone()),
            ("Units", settings.n_units.to_string()),
        ];
        if let Some(n) = settings.n_clusters {
            facts.push(("Clusters", n.to_string()));
        }
        let facts = facts.into_iter().map(|(name, value)| (name.to_owned(), value));
        facts.chain(sample_facts(&[], settings.weights.as_ref(), &self.audit.files)).collect()
    }

    fn alpha(&self) -> f64 {
        self.settings.inference.alpha
    }

    fn before_treatment(&self) -> Option<String> {
        before_treatment(&self.settings)
    }

    fn outcome(&self) -> Option<String> {
        Some(self.settings.outcome.clone())
    }

    fn remarks(&self) -> Vec<String> {
        let counted = counted_periods(self.period_length()).into_iter();
        counted.chain(texts(self.messages())).collect()
    }

    fn standard_errors(&self) -> Option<String> {
        Some(self.errors())
    }

    #[cfg(feature = "plot")]
    fn comparable_chart(&self, options: &PlotOptions) -> Result<Chart> {
        self.event_study().in_time(self.period_length()).comparable_chart(options)
    }
}

/// Counts of cells and switchers behind each effect, and whether it has an estimate.
fn counts(rows: &[SwitchingEffect]) -> [Variable; 5] {
    let status = |row: &SwitchingEffect| match row.estimate.estimate {
        Some(_) => Some("ok"),
        None => Some("no_control"),
    };
    [
        Variable::words("status", rows.iter().map(status)),
        Variable::counts("n_obs", rows.iter().map(|row| Some(row.n_obs))),
        Variable::counts("n_switchers", rows.iter().map(|row| Some(row.n_switchers))),
        Variable::numbers("n_obs_w", rows.iter().map(|row| Some(row.n_obs_weighted))),
        Variable::numbers("n_switchers_w", rows.iter().map(|row| Some(row.n_switchers_weighted))),
    ]
}
