//! A specification curve in print.

use super::result::{CurveTests, SpecificationCurve, SpecificationOfCurve, VariedChoice};
use super::vary::StudyChoice;
use crate::base::error::Message;
#[cfg(feature = "plot")]
use crate::base::error::Result;
use crate::base::options::Band;
use crate::report::compare::{Comparable, Term};
use crate::report::contract::Report;
use crate::report::declare::result;
use crate::report::estimates::{Estimates, Variable};
use crate::report::foot::{self, interval_heads, p_cell, percent};
use crate::report::number::{Digits, counted, short, statistic};
#[cfg(feature = "plot")]
use crate::report::plot::{Picture, PlotOptions};
use crate::report::table::{Align, Section, Table, strings};
use crate::report::{facts, number};
use crate::study::joint::{SampleFilter, Specification, StudyEstimator};

pub(super) const TITLE: &str = "Specification Curve";

impl Report for SpecificationCurve {
    const KIND: &'static str = "specification_curve";

    fn table(&self) -> Table {
        let all = self.specifications.iter().map(|of| &of.estimate);
        let digits = Digits::of(all);
        let effects = self.effects(digits);
        let columns = effects.header.len();
        Table {
            title: TITLE.into(),
            align: [vec![Align::Left], vec![Align::Right; columns - 1]].concat(),
            sections: std::iter::once(effects).chain(self.together(digits)).collect(),
            notes: self.notes(),
            caption: Some(foot::caption(TITLE, &self.settings.columns.outcome)),
            label: Some("specification_curve".into()),
            ..Table::default()
        }
    }

    fn estimates(&self) -> Vec<Estimates> {
        let all = &self.specifications;
        let of = |of: &dyn Fn(&Specification) -> Option<String>| -> Vec<Option<String>> {
            all.iter().map(|it| of(&it.specification)).collect()
        };
        let keys = vec![
            Variable::counts("specification", (1..=all.len()).map(Some)),
            Variable::words("estimator", of(&|it| Some(it.estimator.to_string()))),
            Variable::words("covariates", of(&|it| Some(it.covariates.clone()))),
            Variable::words("control_group", of(&|it| it.control_group.map(|v| v.to_string()))),
            Variable::words("base_period", of(&|it| it.base_period.map(|v| v.to_string()))),
            Variable::words("est_method", of(&|it| it.method.map(|v| v.to_string()))),
            Variable::counts(
                "anticipation",
                all.iter().map(|it| Some(it.specification.anticipation as usize)),
            ),
            Variable::words("sample", of(&|it| Some(it.sample.to_string()))),
        ];
        let reason = |it: &SpecificationOfCurve| it.failure.as_ref().map(|f| f.message.clone());
        let extra = [
            Variable::numbers("difference", all.iter().map(|it| it.difference.estimate)),
            Variable::numbers("difference_se", all.iter().map(|it| it.difference.se)),
            Variable::numbers("difference_p_value", all.iter().map(|it| it.difference.p_value)),
            Variable::flags("same", all.iter().map(|it| it.same)),
            Variable::counts("n_rows", all.iter().map(|it| it.n_rows)),
            Variable::counts("n_clusters", all.iter().map(|it| it.n_clusters)),
            Variable::words("reason", all.iter().map(reason)),
        ];
        let estimates = all.iter().map(|it| it.estimate);
        vec![Estimates::new("specifications", keys, estimates).with(extra)]
    }

    fn about(&self) -> Vec<Variable> {
        let settings = &self.settings;
        let tests = |of: fn(&CurveTests) -> Option<f64>| self.tests.as_ref().and_then(of);
        vec![
            Variable::fact("estimator", "specification_curve"),
            Variable::fact("outcome", settings.columns.outcome.as_str()),
            Variable::fact("weights", settings.columns.weights.clone()),
            Variable::fact("cluster", settings.cluster.clone()),
            Variable::fact("n_clusters", settings.n_clusters),
            Variable::fact("rows_in", settings.n_rows),
            Variable::fact("n_combinations", self.n_combinations),
            Variable::fact("n_specifications", self.specifications.len()),
            Variable::fact("n_estimated", self.n_estimated()),
            Variable::fact("median", tests(|of| Some(of.median))),
            Variable::fact("median_p_value", tests(|of| Some(of.median_p_value))),
            Variable::fact("n_significant", self.tests.map(|of| of.n_significant)),
            Variable::fact("n_significant_p_value", tests(|of| Some(of.n_significant_p_value))),
            Variable::fact("combined", tests(|of| Some(of.combined))),
            Variable::fact("combined_p_value", tests(|of| Some(of.combined_p_value))),
            Variable::fact("largest", tests(|of| Some(of.largest))),
            Variable::fact("largest_p_value", tests(|of| Some(of.largest_p_value))),
            Variable::fact("largest_difference", tests(|of| of.difference)),
            Variable::fact("largest_difference_p_value", tests(|of| of.difference_p_value)),
            Variable::fact("critical_value", self.critical_value),
            Variable::fact("band", self.band.to_string()),
            Variable::fact("alpha", self.alpha),
            Variable::fact("n_warnings", self.messages().len()),
        ]
    }

    fn messages(&self) -> Vec<Message> {
        let own = facts::messages(&self.warnings, self.settings.columns.frequency);
        // What several specifications say is said once, with the first that says it.
        let mut said: Vec<(Message, String, usize)> = Vec::new();
        for of in &self.specifications {
            let failure =
                of.failure.iter().map(|failure| failure.as_message().about("no estimate"));
            for message in failure.chain(of.warnings.iter().cloned()) {
                match said.iter_mut().find(|(known, ..)| *known == message) {
                    Some((_, _, count)) => *count += 1,
                    None => said.push((message, self.name(&of.specification), 1)),
                }
            }
        }
        let line = |(message, first, count): (Message, String, usize)| match count {
            1 => message.about(first),
            _ => message.about(format_args!("{first}, and {} more", count - 1)),
        };
        own.into_iter().chain(said.into_iter().map(line)).collect()
    }

    #[cfg(feature = "plot")]
    fn picture(&self, _: &PlotOptions) -> Result<Picture> {
        Ok(Picture::Specifications(self.curve()))
    }
}

impl VariedChoice {
    /// The choice as people call it.
    pub(super) fn title(&self) -> String {
        match self.choice.parse() {
            Ok(StudyChoice::ControlGroup) => "Comparison units".into(),
            Ok(StudyChoice::BasePeriod) => "Base period".into(),
            Ok(StudyChoice::Method) => "Method".into(),
            Ok(StudyChoice::Anticipation) => "Anticipation".into(),
            Ok(StudyChoice::Covariates) => "Covariates".into(),
            Ok(StudyChoice::Sample) => "Sample".into(),
            Err(_) => "Estimator".into(),
        }
    }

    /// Its values as people call them.
    pub(super) fn labels(&self) -> Vec<String> {
        let label = |value: &String| match self.choice.parse::<StudyChoice>() {
            Err(_) => value.parse().map_or(value.clone(), |of: StudyEstimator| of.name().into()),
            Ok(StudyChoice::Covariates) => match value.trim().trim_start_matches('~').trim() {
                "" | "1" => "none".into(),
                terms => terms.into(),
            },
            Ok(StudyChoice::Sample) => match value.parse() {
                Ok(SampleFilter::Without(group)) => format!("without {group}"),
                Ok(SampleFilter::All) => "all rows".into(),
                _ => value.clone(),
            },
            Ok(StudyChoice::Anticipation) => value
                .parse()
                .map_or(value.clone(), |n: usize| number::counted(n, "period", "periods")),
            Ok(_) => value.replace('_', " "),
        };
        self.values.iter().map(label).collect()
    }

    /// Position of a specification's value; none if its estimator does not have the choice.
    pub(super) fn position(&self, of: &Specification) -> Option<usize> {
        let value = match self.choice.parse() {
            Ok(StudyChoice::ControlGroup) => of.control_group?.to_string(),
            Ok(StudyChoice::BasePeriod) => of.base_period?.to_string(),
            Ok(StudyChoice::Method) => of.method?.to_string(),
            Ok(StudyChoice::Anticipation) => of.anticipation.to_string(),
            Ok(StudyChoice::Covariates) => of.covariates.clone(),
            Ok(StudyChoice::Sample) => of.sample.to_string(),
            Err(_) => of.estimator.to_string(),
        };
        self.values.iter().position(|known| *known == value)
    }
}

impl SpecificationCurve {
    /// The event times that effects are averages over, as in `event times 0, 1`.
    pub(in crate::study) fn event_times_in_words(&self) -> String {
        let times: Vec<String> = self.event_times.iter().map(|at| short(*at)).collect();
        format!("event times {}", times.join(", "))
    }

    /// Specifications with an estimate.
    pub(super) fn n_estimated(&self) -> usize {
        self.specifications.iter().filter(|of| of.failure.is_none()).count()
    }

    /// Specifications with an estimate, in ascending order.
    pub(super) fn ascending(&self) -> impl Iterator<Item = &SpecificationOfCurve> {
        let mut ran: Vec<&SpecificationOfCurve> =
            self.specifications.iter().filter(|of| of.estimate.estimate.is_some()).collect();
        let value = |of: &SpecificationOfCurve| of.estimate.estimate.unwrap_or(f64::NAN);
        ran.sort_by(|a, b| value(a).total_cmp(&value(b)));
        ran.into_iter()
    }

    /// Choices with more than one value.
    fn choices(&self) -> impl Iterator<Item = &VariedChoice> {
        self.varied.iter().filter(|choice| choice.values.len() > 1)
    }

    /// The value of each choice in words.
    fn values(&self, of: &Specification) -> Vec<String> {
        let value = |choice: &VariedChoice| match choice.position(of) {
            Some(at) => choice.labels().swap_remove(at),
            None => "-".to_owned(),
        };
        self.choices().map(value).collect()
    }

    /// A specification by what it differs from others in.
    fn name(&self, of: &Specification) -> String {
        let values = self.values(of).into_iter().filter(|value| value != "-");
        let values = values.collect::<Vec<_>>().join(", ");
        if values.is_empty() { of.estimator.name().to_owned() } else { values }
    }

    /// One row a specification: those with an estimate in ascending order, then the others.
    fn effects(&self, digits: Digits) -> Section {
        let failed = self.specifications.iter().filter(|of| of.estimate.estimate.is_none());
        let main = &self.specifications[self.main];
        let row = |(index, of): (usize, &SpecificationOfCurve)| {
            let mark = if std::ptr::eq(of, main) { " (main)" } else { "" };
            let count = |count: Option<usize>| count.map_or("NA".into(), |n| n.to_string());
            let (lower, upper) = of.estimate.interval().unzip();
            let numbers = [of.estimate.estimate, of.estimate.se, lower, upper];
            std::iter::once(format!("{}{mark}", index + 1))
                .chain(numbers.map(|value| digits.show(value)))
                .chain(self.values(&of.specification))
                .chain([count(of.n_rows), count(of.n_clusters)])
                .collect()
        };
        let [from, to] = interval_heads(self.band, self.alpha);
        let header = strings(&["Rank", "ATT", "Std. Error"]).into_iter().chain([from, to]);
        let header = header.chain(self.choices().map(VariedChoice::title));
        Section {
            caption: None,
            header: header.chain(strings(&["Rows", "Clusters"])).collect(),
            rows: self.ascending().chain(failed).enumerate().map(row).collect(),
        }
    }

    /// The tests of all specifications.
    fn together(&self, digits: Digits) -> Option<Section> {
        let tests = self.tests?;
        let level = format!("Significant at {}%", number::short(100.0 * self.alpha));
        let row = |name: &str, value: String, p: f64| vec![name.to_owned(), value, p_cell(Some(p))];
        let mut rows = vec![
            row("Median ATT", digits.show(Some(tests.median)), tests.median_p_value),
            row(
                &format!("{level}, of one sign"),
                format!("{} of {}", tests.n_significant, tests.n),
                tests.n_significant_p_value,
            ),
            row("Sum of t / root n", statistic(Some(tests.combined)), tests.combined_p_value),
            row("Largest |t|", statistic(Some(tests.largest)), tests.largest_p_value),
        ];
        if let Some((t, p)) = tests.difference.zip(tests.difference_p_value) {
            rows.push(row("Largest |t| from main", statistic(Some(t)), p));
        }
        Some(Section {
            caption: Some("All specifications together:".into()),
            header: strings(&["Statistic", "Value", "p-value"]),
            rows,
        })
    }

    fn notes(&self) -> Vec<String> {
        let settings = &self.settings;
        let (run, asked) = (self.n_estimated(), self.specifications.len());
        let mut notes = vec![format!(
            "Specifications: {run} of {asked} estimated, from {}",
            counted(self.n_combinations, "combination", "combinations")
        )];
        if asked < self.n_combinations {
            notes.push(
                "Combinations that differ only in a choice that the estimator does not have are one specification"
                    .into(),
            );
        }
        let times = self.event_times_in_words();
        let estimated = if run < asked { " that are estimated" } else { "" };
        notes.push(format!(
            "ATT: average over {times}, at which all{estimated} have an effect, each counting alike"
        ));
        let alike = self.specifications.iter().filter(|of| of.same).count() - 1;
        if alike > 0 {
            notes.push(format!(
                "With the estimate of the main specification: {}",
                counted(alike, "other specification", "other specifications")
            ));
        }
        let (outcome, weights) = (&settings.columns.outcome, settings.columns.weights_note());
        let cluster = settings.cluster.as_ref().unwrap_or(&settings.unit);
        notes.push(format!(
            "Outcome: {outcome}{weights}, Std. Errors: by {cluster} ({}), Rows read: {}",
            counted(settings.n_clusters, "cluster", "clusters"),
            settings.n_rows
        ));
        if let Some(tests) = &self.tests {
            notes.push(format!(
                "p-values: shares of {} draws from the joint law of all specifications; of the differences if they estimate the same, of the others without effects",
                tests.draws
            ));
        }
        if self.band == Band::Uniform {
            notes.push(format!(
                "Bands: uniform over all specifications at {}%, critical value {}",
                percent(self.alpha),
                short(self.critical_value)
            ));
        }
        notes.extend(foot::reading(&settings.files, &settings.read_as_missing));
        notes.extend(self.messages().into_iter().map(|message| format!("Warning: {message}")));
        notes
    }
}

result!(SpecificationCurve);

impl Comparable for SpecificationCurve {
    fn terms(&self) -> Vec<Term> {
        let term = |(index, of): (usize, &SpecificationOfCurve)| {
            let name = self.name(&of.specification);
            Term::new(name, [index as f64, 0.0, 0.0], of.estimate, self.band)
        };
        self.specifications.iter().enumerate().map(term).collect()
    }

    fn facts(&self) -> Vec<(String, String)> {
        vec![
            ("Specifications".to_owned(), self.n_estimated().to_string()),
            ("Clusters".to_owned(), self.settings.n_clusters.to_string()),
            ("Rows read".to_owned(), self.settings.n_rows.to_string()),
        ]
    }

    fn alpha(&self) -> f64 {
        self.alpha
    }

    fn outcome(&self) -> Option<String> {
        Some(self.settings.columns.outcome.clone())
    }
}
