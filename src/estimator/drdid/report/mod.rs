//! A two-period comparison in print.

use crate::base::error::Message;
#[cfg(feature = "plot")]
use crate::base::error::Result;
use crate::base::options::{Band, DrdidMethod, Resampling};
use crate::estimator::drdid::DrdidResult;
use crate::report::compare::{Comparable, Term, over_treated_rows, sample_facts, texts};
use crate::report::contract::Report;
use crate::report::declare::result;
use crate::report::estimates::{Estimates, Variable};
use crate::report::number::{Digits, statistic};
use crate::report::table::{Align, EstimateColumns, Section, Table};
#[cfg(feature = "plot")]
use crate::report::{
    PlotRow,
    plot::chart::{Chart, ChartWords, Facet, axis, checked},
    plot::{Picture, PlotOptions},
};
use crate::report::{facts, foot};

impl Report for DrdidResult {
    const KIND: &'static str = "drdid";

    fn table(&self) -> Table {
        let digits = Digits::of([&self.estimate]);
        let e = &self.estimate;
        let mut row = vec![digits.show(e.estimate), digits.show(e.se), statistic(e.statistic())];
        row.push(foot::p_cell(e.p_value));
        row.extend([digits.show(e.ci_lower), digits.show(e.ci_upper)]);
        let [lower, upper] = foot::overall_heads(self.settings.inference.alpha);
        let header = ["ATT", "Std. Error", "z value", "Pr(>|z|)", &lower, &upper];
        Table {
            title: "Average Effect on the Treated in Two Periods".into(),
            align: vec![Align::Right; header.len()],
            sections: vec![Section {
                caption: None,
                header: header.map(ToOwned::to_owned).into(),
                rows: vec![row],
            }],
            notes: self.notes(),
            caption: Some(foot::caption(
                "Average Effect on the Treated in Two Periods",
                &self.settings.outcome,
            )),
            label: Some("drdid".into()),
            estimates: vec![EstimateColumns {
                estimate: Some((0, 1)),
                interval: (4, 5),
                mark: None,
            }],
            ..Table::default()
        }
    }

    fn estimates(&self) -> Vec<Estimates> {
        let status = std::iter::once(&self.status);
        let counts = [
            Variable::fact("n_treated", self.n_treated),
            Variable::fact("n_control", self.n_control),
        ];
        let effect = Estimates::single("effect", Vec::new(), self.estimate)
            .with(facts::statuses(status, self.settings.frequency))
            .with(counts)
            .with(facts::overlaps(std::iter::once(self.overlap)));
        vec![effect]
    }

    fn about(&self) -> Vec<Variable> {
        let resampling = self.resampling.map(|r| match r {
            Resampling::Weighted => "weighted",
            Resampling::Multiplier => "multiplier",
            Resampling::Empirical => "empirical",
        });
        let facts_of_comparison = [
            Variable::fact("function", self.estimator_name()),
            Variable::fact("trim_level", self.trim_level),
            Variable::fact("calibrated", self.calibrated),
            Variable::fact("resampling", resampling),
            Variable::fact("critical_value", self.critical_value),
            Variable::fact("n_warnings", self.warnings.len()),
        ];
        let none = ["control_group", "base_period", "method", "anticipation"];
        facts::settings_without(&self.settings, &none)
            .into_iter()
            .chain(facts_of_comparison)
            .collect()
    }

    fn messages(&self) -> Vec<Message> {
        facts::messages(&self.warnings, self.settings.frequency)
    }

    #[cfg(feature = "plot")]
    fn picture(&self, options: &PlotOptions) -> Result<Picture> {
        let words =
            ChartWords { title: "Average Effect on the Treated in Two Periods", x_label: "Period" };
        let alpha = self.settings.inference.alpha;
        let after = self.audit.periods.last().copied().unwrap_or_default();
        let row = PlotRow::new(after, &self.estimate);
        let facet = Facet::new(String::new(), checked(row.into_iter().collect())?);
        let mut chart = Chart::new(&words, axis(&self.settings), vec![facet], options);
        chart.categories = true;
        chart.frequency = self.settings.frequency;
        chart.finish(options, Band::Pointwise, alpha);
        Ok(Picture::Chart(chart))
    }
}

impl DrdidResult {
    fn notes(&self) -> Vec<String> {
        let settings = &self.settings;
        let mut notes = Vec::new();
        notes.push(format!("Estimator: {} ({})", words(self.method), self.estimator_name()));
        notes.push(format!("Outcome: {}, Covariates: {}", settings.outcome, settings.covariates));
        let (treated, control) = (self.n_treated, self.n_control);
        notes
            .push(format!("{}, Treated: {treated}, Comparison: {control}", foot::sample(settings)));
        notes.push(format!("Std. Errors: {}", self.errors()));
        notes.extend(foot::data(&self.audit, settings.frequency));
        notes.extend(foot::warnings(settings, &self.warnings));
        notes
    }

    fn errors(&self) -> String {
        let bootstrap = self.settings.inference.bootstrap;
        let weighted = bootstrap.filter(|_| self.resampling == Some(Resampling::Weighted));
        foot::errors(
            &self.settings,
            weighted.map(|b| format!("weighted bootstrap ({} draws, seed {})", b.draws, b.seed)),
        )
    }
}

result!(DrdidResult);

impl Comparable for DrdidResult {
    fn terms(&self) -> Vec<Term> {
        let (name, order, band) = ("Overall ATT", [0.0; 3], Band::Pointwise);
        vec![Term::new(name, order, self.estimate, band).shown("ATT")]
    }

    fn overall_averages(&self) -> Option<String> {
        Some(over_treated_rows(self.settings.weights.as_ref()))
    }

    fn facts(&self) -> Vec<(String, String)> {
        let settings = &self.settings;
        let units = if settings.rows_are_units() { "Rows" } else { "Units" };
        let facts = [
            ("Estimator", words(self.method).to_owned()),
            ("Covariates", settings.covariates.clone()),
            (units, settings.n_units.to_string()),
        ];
        let facts = facts.into_iter().map(|(name, value)| (name.to_owned(), value));
        facts.chain(sample_facts(&[], settings.weights.as_ref(), &self.audit.files)).collect()
    }

    fn alpha(&self) -> f64 {
        self.settings.inference.alpha
    }

    fn standard_errors(&self) -> Option<String> {
        Some(self.errors())
    }

    fn remarks(&self) -> Vec<String> {
        texts(self.messages())
    }

    fn outcome(&self) -> Option<String> {
        Some(self.settings.outcome.clone())
    }
}

fn words(method: DrdidMethod) -> &'static str {
    match method {
        DrdidMethod::DoublyRobustImproved => "Improved Doubly Robust",
        DrdidMethod::DoublyRobust => "Doubly Robust",
        DrdidMethod::OutcomeRegression => "Outcome Regression",
        DrdidMethod::Ipw => "Inverse Probability Weighting",
        DrdidMethod::IpwHorvitzThompson => "Horvitz-Thompson Weighting",
        DrdidMethod::Twfe => "Two-Way Fixed Effects",
    }
}

#[cfg(test)]
mod tests;
