//! Extended two-way fixed effects in print.

mod levels;

use crate::base::calendar::{label, shown};
use crate::base::error::Message;
#[cfg(feature = "plot")]
use crate::base::error::Result;
use crate::estimator::etwfe::design::cell_label;
use crate::estimator::etwfe::levels::MOST_LEVELS;
use crate::estimator::etwfe::{EtwfeEffect, EtwfeResult, EtwfeScale, SeparatedRows};
use crate::report::compare::{
    Comparable, Term, over_treated_rows, sample_facts, texts, units_of_time,
};
use crate::report::contract::Report;
use crate::report::declare::result;
use crate::report::estimates::{Estimates, Variable};
use crate::report::number::Digits;
#[cfg(feature = "plot")]
use crate::report::plot::{Picture, PlotOptions, chart::Chart};
use crate::report::table::{Align, EstimateColumns, Section, Table, aligned, columns};
use crate::report::{facts, foot};

const TITLE: &str = "Extended Two-Way Fixed Effects";

impl Report for EtwfeResult {
    const KIND: &'static str = "etwfe";

    fn table(&self) -> Table {
        let period = |at: Option<f64>| self.period(at);
        let overall = EtwfeEffect {
            estimate: self.overall,
            n_rows: self.n_treated,
            ..EtwfeEffect::default()
        };
        let event = |of: &EtwfeEffect| of.event_time.map_or_else(String::new, label);
        let group = |of: &EtwfeEffect| period(of.group);
        let time = |of: &EtwfeEffect| period(of.time);
        let mut align = aligned(1);
        align.push(Align::Right);
        let section =
            |caption, first, name: &dyn Fn(&EtwfeEffect) -> String, of: &[EtwfeEffect]| {
                let names: Vec<String> = of.iter().map(name).collect();
                self.section(caption, first, &names, of)
            };
        let mut sections = vec![
            section("Average effect on the treated", "", &|_| String::new(), &[overall]),
            section("By time since treatment", "Event time", &event, &self.by_event_time),
            section("By cohort", "Group", &group, &self.by_group),
            section("By period", "Period", &time, &self.by_period),
        ];
        sections.extend(self.sections_by_level());
        Table {
            title: TITLE.into(),
            align,
            sections,
            notes: self.notes(),
            caption: Some(foot::caption(TITLE, &self.settings.columns.outcome)),
            label: Some("etwfe".into()),
            estimates: vec![EstimateColumns::from(1)],
            ..Table::default()
        }
    }

    fn estimates(&self) -> Vec<Estimates> {
        let overall = Estimates::single("overall", Vec::new(), self.overall)
            .with([Variable::counts("n_rows", [Some(self.n_treated)])]);
        let events =
            |of: &[EtwfeEffect]| Variable::numbers("event_time", of.iter().map(|of| of.event_time));
        let frequency = self.settings.columns.frequency;
        let groups =
            |of: &[EtwfeEffect]| facts::periods("group", frequency, of.iter().map(|of| of.group));
        let times =
            |of: &[EtwfeEffect]| facts::periods("time", frequency, of.iter().map(|of| of.time));
        let mut tables = vec![
            overall,
            estimates("event_times", vec![events(&self.by_event_time)], &self.by_event_time),
            estimates("groups", vec![groups(&self.by_group)], &self.by_group),
            estimates("periods", vec![times(&self.by_period)], &self.by_period),
            estimates("cells", vec![groups(&self.cells), times(&self.cells)], &self.cells),
        ];
        tables.extend(self.estimates_by_level());
        tables
    }

    fn about(&self) -> Vec<Variable> {
        let (settings, regression) = (&self.settings, &self.regression);
        vec![
            Variable::fact("estimator", "etwfe"),
            Variable::fact("outcome", settings.columns.outcome.as_str()),
            Variable::fact("family", settings.family.to_string()),
            Variable::fact("scale", settings.scale.to_string()),
            Variable::fact("control_group", settings.control_group.to_string()),
            Variable::fact("covariates", settings.covariates.join(", ")),
            Variable::fact("moderator", settings.moderator.clone()),
            Variable::fact("weights", settings.columns.weights.clone()),
            Variable::fact("formula", regression.settings.formula.as_str()),
            Variable::fact("vcov", regression.settings.vcov.label()),
            Variable::fact("n_rows", regression.n),
            Variable::fact("n_treated", self.n_treated),
            Variable::fact("n_coefficients", regression.coefficients.len()),
            Variable::fact("rows_missing", settings.read.rows_missing),
            Variable::fact("alpha", self.alpha),
            Variable::fact("n_warnings", self.warnings.len() + regression.warnings.len()),
        ]
    }

    fn messages(&self) -> Vec<Message> {
        let mut messages = facts::messages(&self.warnings, self.settings.columns.frequency);
        messages
            .extend(facts::messages(&self.regression.warnings, self.settings.columns.frequency));
        let lost = self.cells.iter().filter(|cell| cell.estimate.estimate.is_none());
        let (undetermined, lost): (Vec<&EtwfeEffect>, Vec<_>) =
            lost.partition(|cell| cell.undetermined && cell.separated.is_none());
        messages.extend(lost.into_iter().map(|cell| self.without_coefficient(cell)));
        messages.extend(self.undetermined(&undetermined));
        messages.extend(self.message_by_level());
        messages
    }

    #[cfg(feature = "plot")]
    fn picture(&self, options: &PlotOptions) -> Result<Picture> {
        self.event_study().picture(options)
    }
}

/// Effects with what they are by.
fn estimates(name: &'static str, keys: Vec<Variable>, of: &[EtwfeEffect]) -> Estimates {
    let status = |of: &EtwfeEffect| match (of.reference, of.estimate.estimate) {
        (true, _) => Some("reference"),
        (false, Some(_)) => Some("ok"),
        (false, None) => Some("no_estimate"),
    };
    Estimates::new(name, keys, of.iter().map(|of| of.estimate)).with([
        Variable::words("status", of.iter().map(status)),
        Variable::counts("n_rows", of.iter().map(|of| Some(of.n_rows))),
    ])
}

/// Cells that a message names.
const NAMED: usize = 4;

impl EtwfeResult {
    /// Why a cohort in a period has no coefficient.
    fn without_coefficient(&self, cell: &EtwfeEffect) -> Message {
        let [group, time] = [cell.group, cell.time].map(|at| self.period(at));
        let why = match cell.separated {
            Some(SeparatedRows::Untreated) => {
                "all untreated rows of the cohort or the period are separated, so that nothing says what it would be without treatment"
            }
            Some(SeparatedRows::Own) => {
                "all its rows are separated, so that no finite effect fits them"
            }
            None => {
                "nothing says what it would be without treatment, or it follows from other regressors"
            }
        };
        format!("cohort {group} has no effect in {time}: {why}").into()
    }

    /// Why cohorts in periods have coefficients and no effect: slopes were left out.
    fn undetermined(&self, cells: &[&EtwfeEffect]) -> Option<Message> {
        if cells.is_empty() {
            return None;
        }
        let label =
            |cell: &&EtwfeEffect| cell_label(&self.period(cell.group), &self.period(cell.time));
        let named = cells.iter().take(NAMED).map(label);
        let mut named: Vec<String> = named.collect();
        if cells.len() > NAMED {
            named.push(format!("{} more", cells.len() - NAMED));
        }
        let settings = &self.settings;
        let is_weighted = settings.columns.weights.is_some() && !settings.unweighted_averages;
        let or_else = match settings.moderator.is_some() && is_weighted {
            true => ", or take averages without weights (`unweighted_averages`)",
            false => "",
        };
        let has_slopes = !settings.covariates.is_empty() || settings.moderator.is_some();
        let slopes = if has_slopes { "a covariate or the moderator, or " } else { "" };
        Some(format!(
            "no effect of {}: it depends on {}; leave out {slopes}the cohorts or periods concerned{or_else}",
            named.join(", "), self.left_out()
        ).into())
    }

    /// What effects without a value depend on.
    fn left_out(&self) -> String {
        let settings = &self.settings;
        let columns = settings.covariates.iter().chain(&settings.moderator);
        let columns = columns.map(String::as_str).collect::<Vec<_>>().join(" or ");
        if !self.regression.separating().is_empty() {
            return "regressors that are left out, as collinear or as those of separated rows"
                .into();
        }
        match columns.is_empty() {
            true => "which of the collinear cohorts and periods are left out".into(),
            false => format!(
                "which of the collinear slopes are left out, as untreated rows do not tell slopes of {columns} apart in every period"
            ),
        }
    }

    fn period(&self, at: Option<f64>) -> String {
        at.map_or_else(String::new, |at| shown(at, self.settings.columns.frequency))
    }

    fn section(
        &self,
        caption: &str,
        first: &str,
        names: &[String],
        effects: &[EtwfeEffect],
    ) -> Section {
        let digits = Digits::of(effects.iter().map(|of| &of.estimate));
        let row = |(name, of): (&String, &EtwfeEffect)| {
            let rows = if of.n_rows == 0 { String::new() } else { of.n_rows.to_string() };
            let own = columns(&of.estimate, digits);
            std::iter::once(name.clone()).chain(own).chain([rows]).collect::<Vec<String>>()
        };
        let [lower, upper] = foot::coefficient_heads(self.alpha);
        let heads = [first, "Estimate", "Std. Error"].map(ToOwned::to_owned);
        let header = heads.into_iter().chain([lower, upper, String::new(), "Rows".to_owned()]);
        Section {
            caption: Some(format!("{caption}:")),
            header: header.collect(),
            rows: names.iter().zip(effects).map(row).collect(),
        }
    }

    fn notes(&self) -> Vec<String> {
        let (settings, regression) = (&self.settings, &self.regression);
        let controls = settings.control_group.label();
        let mut notes = vec![
            foot::SIGNIF_POINTWISE.to_owned(),
            String::new(),
            format!("Control Group: {controls}, Family: {}", settings.family),
            format!("Formula: {}", regression.settings.formula),
            format!("Rows: {}, Std. Errors: {}", regression.n, regression.settings.vcov.label()),
        ];
        let over = match (&settings.columns.weights, settings.unweighted_averages) {
            (Some(weights), false) => format!("Averages: over treated rows, weighted by {weights}"),
            _ => "Averages: over treated rows".to_owned(),
        };
        let shares = match settings.random_shares {
            true => ", with the sampling variance of shares",
            false => ", whose shares are taken as known",
        };
        notes.push(format!("{over}{shares}"));
        if let Some(name) = settings.moderator.as_ref().filter(|_| self.by_level.is_empty()) {
            notes.push(format!(
                "Averages by level of {name}: none, as it has more than {MOST_LEVELS}"
            ));
        }
        if settings.undetermined {
            notes.push(
                "Averages that depend on which collinear slopes are left out have values, too"
                    .to_owned(),
            );
        }
        if settings.scale == EtwfeScale::Link {
            notes.push("Effects: differences of the linear index".to_owned());
        }
        notes.extend(foot::reading(&settings.read.files, &settings.read_as_missing));
        notes.extend(self.messages().into_iter().map(|message| format!("Warning: {message}")));
        notes
    }
}

result!(EtwfeResult);

impl Comparable for EtwfeResult {
    fn terms(&self) -> Vec<Term> {
        self.event_study().terms()
    }

    fn facts(&self) -> Vec<(String, String)> {
        let settings = &self.settings;
        let mut facts = vec![
            ("Control group".to_owned(), settings.control_group.label().to_owned()),
            ("Family".to_owned(), settings.family.to_string()),
            ("Observations".to_owned(), self.regression.n.to_string()),
        ];
        let (covariates, weights) = (&settings.covariates, settings.columns.weights.as_ref());
        facts.extend(sample_facts(covariates, weights, &settings.read.files));
        facts
    }

    fn alpha(&self) -> f64 {
        self.alpha
    }

    fn event_times_count(&self) -> Option<&'static str> {
        Some(units_of_time(self.settings.columns.frequency))
    }

    fn overall_averages(&self) -> Option<String> {
        let Self { settings, .. } = self;
        let weights = settings.columns.weights.as_ref().filter(|_| !settings.unweighted_averages);
        Some(over_treated_rows(weights))
    }

    fn standard_errors(&self) -> Option<String> {
        Some(self.regression.settings.vcov.label())
    }

    fn remarks(&self) -> Vec<String> {
        texts(self.messages())
    }

    fn before_treatment(&self) -> Option<String> {
        self.event_study().before_treatment()
    }

    fn outcome(&self) -> Option<String> {
        Some(self.settings.columns.outcome.clone())
    }

    #[cfg(feature = "plot")]
    fn comparable_chart(&self, options: &PlotOptions) -> Result<Chart> {
        self.event_study().comparable_chart(options)
    }
}
