//! Event studies in print, as frames, as columns of comparisons, and drawn.

#[cfg(feature = "plot")]
mod plot;

use super::{EventStudy, Provenance, RegressionProvenance, relative_to};
use crate::base::calendar::{Frequency, label};
#[cfg(feature = "plot")]
use crate::base::error::Result;
use crate::base::error::{DidWarning, Message};
use crate::base::options::Band;
use crate::estimator::aggregate::AggregatedRow;
use crate::estimator::aggregate::report::left_out;
use crate::report::compare::{
    self, Comparable, NOT_TO_REFERENCE, OVER_EVENT_TIMES, TO_REFERENCE, Term, units_of_time,
};
use crate::report::contract::Report;
use crate::report::declare::result;
use crate::report::estimates::{Estimates, Variable};
use crate::report::number::Digits;
#[cfg(feature = "plot")]
use crate::report::plot::{Picture, PlotOptions, chart::Chart};
use crate::report::table::{EstimateColumns, Section, Table, aligned, columns};
use crate::report::{PlotRow, facts, foot};
use crate::result::estimates::check::{Checked, ensure, ensure_ascending, ensure_finite};
use crate::result::inference::Estimate;
use crate::result::sample::weights_note;
use crate::result::saved::Consistent;
use crate::result::settings::{EstimatorSettings, Settings};

#[cfg(feature = "plot")]
pub(crate) use plot::{EVENT_STUDY, event_study_chart};

impl Report for EventStudy {
    const KIND: &'static str = "event_study";

    fn table(&self) -> Table {
        self.table_with(foot::of_fit(&self.fit_notes))
    }

    fn estimates(&self) -> Vec<Estimates> {
        let overall = self.overall.map(|e| Estimates::single("overall", Vec::new(), e));
        let status = |row: &AggregatedRow| match (row.reference, row.estimate.estimate) {
            (true, _) => Some("reference"),
            (false, Some(_)) => Some("ok"),
            (false, None) => Some("no_estimate"),
        };
        let at = vec![Variable::numbers("event_time", self.rows.iter().map(|row| Some(row.at)))];
        let rows = Estimates::new("rows", at, self.rows.iter().map(|row| row.estimate))
            .with([Variable::words("status", self.rows.iter().map(status))]);
        std::iter::once(rows).chain(overall).collect()
    }

    fn about(&self) -> Vec<Variable> {
        let facts_of_study = vec![
            Variable::fact("alpha", self.alpha),
            Variable::fact("band", self.band.word()),
            Variable::fact("left_out", self.left_out.as_ref().map_or(0.0, |l| l.share)),
        ];
        let of_fit = match &self.provenance {
            Provenance::Given => Vec::new(),
            Provenance::Effects(settings) => facts::settings_without(settings, &["alpha"]),
            Provenance::Regression(fit) => vec![
                Variable::fact("outcome", fit.outcome.as_str()),
                Variable::fact("formula", fit.formula.as_str()),
                Variable::fact("weights", fit.weights.as_deref()),
                Variable::fact("vcov", fit.vcov.as_str()),
                Variable::fact("n_rows", fit.n),
                Variable::fact("event_times_of", fit.column.as_deref()),
            ],
        };
        facts_of_study.into_iter().chain(of_fit).collect()
    }

    fn messages(&self) -> Vec<Message> {
        let frequency = self.provenance.settings().and_then(|settings| settings.frequency);
        let left_out = self.left_out.as_ref().map(|left_out| left_out.warning());
        left_out.map(|warning| warning.message(frequency)).into_iter().collect()
    }

    #[cfg(feature = "plot")]
    fn picture(&self, options: &PlotOptions) -> Result<Picture> {
        event_study_chart(&[(String::new(), self.clone())], options).map(Picture::Chart)
    }
}

impl RegressionProvenance {
    /// The regression, for the foot of tables.
    fn notes(&self) -> [String; 2] {
        let rows = foot::rows_of_regression(self.n, self.n_singletons);
        let weights = weights_note(self.weights.as_deref());
        [
            format!("Formula: {}", self.formula),
            format!("{rows}{weights}, Std. Errors: {}", self.vcov),
        ]
    }
}

impl EventStudy {
    /// The table, with what the fit says at its foot.
    pub(crate) fn table_with(&self, of_fit: impl IntoIterator<Item = String>) -> Table {
        let all = self.rows.iter().map(|r| &r.estimate).chain(&self.overall);
        let digits = Digits::of(all);
        let cells = |e: &Estimate| columns(e, digits);
        let header = |first: &str, [lower, upper]: [String; 2]| {
            let names = [first, "Estimate", "Std. Error"].map(ToOwned::to_owned);
            names.into_iter().chain([lower, upper, String::new()]).collect::<Vec<String>>()
        };
        let mut sections = Vec::new();
        if let Some(overall) = &self.overall {
            let row = [String::new()].into_iter().chain(cells(overall)).collect();
            let caption = Some("Average effect on the treated:".to_owned());
            let header = header("", foot::coefficient_heads(self.alpha));
            sections.push(Section { caption, header, rows: vec![row] });
        }
        let row = |r: &AggregatedRow| {
            [label(r.at)].into_iter().chain(cells(&r.estimate)).collect::<Vec<String>>()
        };
        let heads = match self.band {
            Band::Pointwise => foot::coefficient_heads(self.alpha),
            Band::Uniform => foot::interval_heads(self.band, self.alpha),
        };
        sections.push(Section {
            caption: None,
            header: header(self.axis().unwrap_or("Event time"), heads),
            rows: self.rows.iter().map(row).collect(),
        });
        let title = match self.provenance {
            Provenance::Regression(_) => "Event Study by Regression",
            Provenance::Given | Provenance::Effects(_) => "Event Study",
        };
        Table {
            title: title.into(),
            align: aligned(1),
            sections,
            notes: self.notes().into_iter().chain(of_fit).collect(),
            caption: self.provenance.outcome().map(|outcome| foot::caption(title, outcome)),
            label: Some("event-study".into()),
            estimates: vec![EstimateColumns::from(1)],
            ..Table::default()
        }
    }

    /// What is left out, line by line: for the foot of tables.
    pub(crate) fn left_out_notes(&self) -> Vec<String> {
        let settings = self.provenance.settings();
        self.left_out.as_ref().map_or_else(Vec::new, |l| left_out::of_study(l, settings))
    }

    /// The event times that an analysis of the study takes, the fit that it goes back to, and the analysis's warnings but for those
    /// that [`left_out_notes`](Self::left_out_notes) say: for the foot of its table.
    pub(crate) fn analysed(&self, warnings: &[DidWarning]) -> Vec<String> {
        let mut notes: Vec<String> = self.event_times_in_words().into_iter().collect();
        if let Provenance::Regression(fit) = &self.provenance {
            notes.extend(fit.notes());
        }
        if let Some(settings) = self.provenance.settings() {
            let (outcome, covariates) = (&settings.outcome, &settings.covariates);
            notes.push(format!("Outcome: {outcome}, Covariates: {covariates}"));
            notes.push(foot::sample(settings));
            if settings.inference.bootstrap.is_some() {
                notes.push(
                    "Std. Errors: analytic, from influence values, not those of the bootstrap"
                        .into(),
                );
            }
        }
        notes.extend(foot::of_fit(&self.fit_notes));
        let said = |w: &&DidWarning| !matches!(w, DidWarning::CellsLeftOut { .. });
        let warnings = warnings.iter().filter(said);
        notes.extend(warnings.map(|w| format!("Warning: {}", w.shown(self.frequency()))));
        notes
    }

    /// The event times on both sides of the reference, which analyses depend on.
    fn event_times_in_words(&self) -> Option<String> {
        let reference = self.rows.iter().find(|row| row.reference)?.at;
        let (before, after): (Vec<f64>, Vec<f64>) =
            self.event_times().into_iter().partition(|at| *at < reference);
        let range = |times: &[f64]| match times {
            [one] => Some(label(*one)),
            [first, .., last] => Some(format!("{} to {}", label(*first), label(*last))),
            [] => None,
        };
        let is_usual = self.axis().is_none() && after.first().is_some_and(|at| *at >= 0.0);
        let [left, right] = match is_usual {
            true => ["before treatment", "after"],
            false => ["before the reference", "after it"],
        };
        let of = self.axis().unwrap_or("Event times");
        let steps = match self.step() {
            Some(step) if step != 1.0 => format!(", {} apart", label(step)),
            _ => String::new(),
        };
        Some(format!("{of}: {} {left}, {} {right}{steps}", range(&before)?, range(&after)?))
    }

    /// What periods are, if they are dates.
    pub(crate) fn frequency(&self) -> Option<Frequency> {
        match &self.provenance {
            Provenance::Given => None,
            Provenance::Effects(settings) => settings.frequency,
            Provenance::Regression(regression) => regression.frequency,
        }
    }

    /// Whether event times count the periods of the data, as those of treatments that switch do.
    fn counts_periods(&self) -> bool {
        let is_switching = |settings: &Settings| {
            matches!(settings.estimator, EstimatorSettings::DidMultiplegt { .. })
        };
        self.provenance.settings().is_some_and(is_switching)
    }

    /// The periods of the calendar that event times count, if they do.
    fn calendar(&self) -> Option<Frequency> {
        self.frequency().filter(|_| !self.counts_periods())
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = self.left_out_notes();
        notes.extend([foot::SIGNIF_POINTWISE.to_owned(), String::new()]);
        match &self.provenance {
            Provenance::Given => {}
            Provenance::Regression(fit) => notes.extend(fit.notes()),
            Provenance::Effects(settings) => notes.extend([
                format!("Outcome: {}, Covariates: {}", settings.outcome, settings.covariates),
                foot::sample(settings),
            ]),
        }
        notes
    }

    /// What `plot` draws: one row an event time that has an estimate; none if there are only references.
    #[must_use]
    pub fn plot_data(&self) -> Vec<PlotRow> {
        let row = |r: &AggregatedRow| {
            let (post, reference) = (self.is_post(r.at), r.reference);
            Some(PlotRow { post, reference, ..PlotRow::new(r.at, &r.estimate)? })
        };
        let rows: Vec<PlotRow> = self.rows.iter().filter_map(row).collect();
        if rows.iter().all(|row| row.reference) { Vec::new() } else { rows }
    }

    /// Event times without an estimate, ascending.
    #[cfg(feature = "plot")]
    pub(crate) fn failed(&self) -> Vec<f64> {
        let missing = self.rows.iter().filter(|r| r.estimate.estimate.is_none()).map(|r| r.at);
        let empty = self.left_out.iter().flat_map(|l| &l.rows).filter(|r| r.is_empty());
        let mut failed: Vec<f64> = missing.chain(empty.map(|r| r.at)).collect();
        failed.sort_by(f64::total_cmp);
        failed
    }
}

result!(EventStudy);

impl Consistent for EventStudy {
    fn check(&self) -> Checked {
        let at: Vec<f64> = self.rows.iter().map(|row| row.at).collect();
        ensure_ascending("rows", &at)?;
        let k = self.rows.len();
        let square = self.vcov.len() == k && self.vcov.iter().all(|row| row.len() == k);
        ensure(square || self.vcov.is_empty(), "vcov", || {
            format!("is not a matrix of {k} rows and columns")
        })?;
        ensure_finite("vcov", self.vcov.iter().flatten())
    }
}

impl Comparable for EventStudy {
    fn terms(&self) -> Vec<Term> {
        let settings = self.provenance.settings();
        let is_slope = settings.is_some_and(Settings::is_of_slopes);
        let parameter = settings.map_or("ATT", Settings::parameter);
        let overall = self.overall.map(|estimate| {
            Term::new(
                format!("Overall {parameter}"),
                [0.0, f64::from(u8::from(is_slope)), 0.0],
                estimate,
                Band::Pointwise,
            )
        });
        let of = self.axis().unwrap_or("Event time");
        let row = |r: &AggregatedRow| {
            Term::new(format!("{of} {}", label(r.at)), [2.0, r.at, 0.0], r.estimate, self.band)
        };
        overall.into_iter().chain(self.rows.iter().map(row)).collect()
    }

    fn facts(&self) -> Vec<(String, String)> {
        match &self.provenance {
            Provenance::Given => Vec::new(),
            Provenance::Effects(settings) => {
                let rows = compare::rows_chosen(self.fit_notes.rows.as_ref());
                compare::facts(settings).into_iter().chain(rows).collect()
            }
            Provenance::Regression(fit) => vec![
                ("Formula".to_owned(), fit.formula.clone()),
                ("Observations".to_owned(), fit.n.to_string()),
            ],
        }
    }

    fn alpha(&self) -> f64 {
        self.alpha
    }

    fn overall_averages(&self) -> Option<String> {
        // An average of a regression has the weights of its estimator, which says them itself.
        let averaged = self.overall.and(self.provenance.settings());
        averaged.map(|_| OVER_EVENT_TIMES.to_owned())
    }

    fn before_treatment(&self) -> Option<String> {
        match (&self.provenance, relative_to(&self.rows)) {
            // Only imputation has another event study, with a base.
            (Provenance::Regression(_), _) if self.universal.is_some() => {
                Some(NOT_TO_REFERENCE.into())
            }
            (Provenance::Effects(settings), None) => compare::before_treatment(settings),
            (_, words) => Some(words.unwrap_or_else(|| TO_REFERENCE.to_owned())),
        }
    }

    fn outcome(&self) -> Option<String> {
        self.provenance.outcome().map(ToOwned::to_owned)
    }

    fn event_times_count(&self) -> Option<&'static str> {
        let is_known = self.provenance != Provenance::Given && !self.counts_periods();
        (is_known && self.axis().is_none()).then(|| units_of_time(self.calendar()))
    }

    fn remarks(&self) -> Vec<String> {
        compare::texts(self.messages().into_iter().chain(self.fit_notes.warnings.iter().cloned()))
    }

    fn standard_errors(&self) -> Option<String> {
        match &self.provenance {
            Provenance::Given => None,
            Provenance::Effects(settings) => Some(foot::errors(settings, None)),
            Provenance::Regression(fit) => Some(fit.vcov.clone()),
        }
    }

    #[cfg(feature = "plot")]
    fn comparable_chart(&self, options: &PlotOptions) -> Result<Chart> {
        event_study_chart(&[(String::new(), self.clone())], options)
    }
}
