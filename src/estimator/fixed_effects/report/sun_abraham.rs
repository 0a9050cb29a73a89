//! The event study of Sun and Abraham in print, with the coefficients that it averages in its frame and document.

use crate::base::error::Message;
#[cfg(feature = "plot")]
use crate::base::error::Result;
use crate::estimator::fixed_effects::SunAbrahamResult;
use crate::report::compare::{Comparable, Term, over_treated_rows, texts};
use crate::report::contract::Report;
use crate::report::declare::result;
use crate::report::estimates::{Estimates, Variable};
#[cfg(feature = "plot")]
use crate::report::plot::{Picture, PlotOptions, chart::Chart};
use crate::report::table::Table;
use crate::report::{facts, foot};
use crate::result::estimates::check::Checked;
use crate::result::saved::Consistent;

impl Report for SunAbrahamResult {
    const KIND: &'static str = "sun_abraham";

    fn table(&self) -> Table {
        let audit = &self.regression.audit;
        let reading = foot::reading(&audit.files, &audit.read_as_missing);
        let warnings = self.messages_of_regression().into_iter();
        let warnings = warnings.map(|message| format!("Warning: {message}"));
        self.event_study.table_with(reading.into_iter().chain(warnings))
    }

    fn estimates(&self) -> Vec<Estimates> {
        let effects = Report::estimates(&self.event_study).into_iter();
        effects.chain(Report::estimates(&self.regression)).collect()
    }

    fn about(&self) -> Vec<Variable> {
        self.regression.about()
    }

    fn messages(&self) -> Vec<Message> {
        let effects = self.event_study.messages().into_iter();
        effects.chain(self.messages_of_regression()).collect()
    }

    #[cfg(feature = "plot")]
    fn picture(&self, options: &PlotOptions) -> Result<Picture> {
        self.event_study.picture(options)
    }
}

result!(SunAbrahamResult);

impl SunAbrahamResult {
    fn messages_of_regression(&self) -> Vec<Message> {
        facts::messages(&self.regression.warnings, self.event_study.frequency())
    }
}

impl Consistent for SunAbrahamResult {
    fn check(&self) -> Checked {
        self.event_study.check().map_err(|problem| format!("`event_study`: {problem}"))?;
        self.regression.check().map_err(|problem| format!("`regression`: {problem}"))
    }
}

impl Comparable for SunAbrahamResult {
    fn terms(&self) -> Vec<Term> {
        self.event_study.terms()
    }

    fn facts(&self) -> Vec<(String, String)> {
        self.regression.facts()
    }

    fn alpha(&self) -> f64 {
        self.event_study.alpha()
    }

    fn event_times_count(&self) -> Option<&'static str> {
        self.event_study.event_times_count()
    }

    fn overall_averages(&self) -> Option<String> {
        self.event_study
            .overall
            .map(|_| over_treated_rows(self.regression.settings.weights.as_ref()))
    }

    fn before_treatment(&self) -> Option<String> {
        self.event_study.before_treatment()
    }

    fn outcome(&self) -> Option<String> {
        self.event_study.outcome()
    }

    fn absorbed(&self) -> Option<Vec<String>> {
        Comparable::absorbed(&self.regression)
    }

    fn remarks(&self) -> Vec<String> {
        self.event_study.remarks().into_iter().chain(texts(self.messages())).collect()
    }

    #[cfg(feature = "plot")]
    fn comparable_chart(&self, options: &PlotOptions) -> Result<Chart> {
        self.event_study.comparable_chart(options)
    }
}
