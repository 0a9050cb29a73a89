//! A joint study in print.

use super::StudyEstimator;
use super::result::{Agreement, EstimatorOfStudy, JointStudyResult};
use crate::base::counted::counted;
use crate::base::error::Message;
#[cfg(feature = "plot")]
use crate::base::error::Result;
use crate::base::options::{Band, BasePeriod};
#[cfg(feature = "plot")]
use crate::estimator::aggregate::event_study_chart;
use crate::estimator::aggregate::{AggregatedRow, EventStudy};
use crate::report::compare::{Comparable, Term};
use crate::report::contract::Report;
use crate::report::declare::result;
use crate::report::estimates::{Estimates, Variable};
use crate::report::number::{Digits, short};
#[cfg(feature = "plot")]
use crate::report::plot::{Picture, PlotOptions, layers::combined};
use crate::report::table::{Align, Section, Table, strings};
use crate::report::{facts, foot};
use crate::result::inference::{Estimate, Wald};

const TITLE: &str = "Several Estimators of One Study";

impl Report for JointStudyResult {
    const KIND: &'static str = "joint_study";

    fn table(&self) -> Table {
        let all = self.rows().map(|(_, row)| &row.estimate);
        let all = all.chain(self.estimators.iter().map(|of| &of.average));
        let digits = Digits::of(all);
        let sections = vec![self.effects(digits), self.differences(digits)];
        let columns = self.ran().count();
        Table {
            title: TITLE.into(),
            align: [vec![Align::Left], vec![Align::Right; columns.max(4)]].concat(),
            sections: sections.into_iter().filter(|section| !section.rows.is_empty()).collect(),
            notes: self.notes(),
            caption: Some(foot::caption(TITLE, &self.settings.columns.outcome)),
            label: Some("joint_study".into()),
            ..Table::default()
        }
    }

    fn estimates(&self) -> Vec<Estimates> {
        let (rows, missing): (Vec<_>, _) = (self.rows().collect(), self.missing_effects());
        let estimators = rows.iter().map(|(of, _)| of.estimator);
        let estimators = estimators.chain(missing.iter().map(|effect| effect.estimator));
        let times = rows.iter().map(|(_, row)| row.at);
        let times = times.chain(missing.iter().map(|effect| effect.event_time));
        let keys = vec![
            Variable::words("estimator", estimators.map(|of| Some(of.to_string()))),
            Variable::numbers("event_time", times.map(Some)),
        ];
        let estimates = rows.iter().map(|(_, row)| row.estimate);
        let estimates = estimates.chain(missing.iter().map(|_| Estimate::default()));
        let status =
            rows.iter().map(|(_, row)| if row.reference { "reference" } else { "estimated" });
        let status = status.chain(missing.iter().map(|_| "no_estimate"));
        let reasons = rows.iter().map(|_| None);
        let reasons = reasons.chain(missing.iter().map(|effect| Some(effect.reason)));
        let effects = Estimates::new("effects", keys, estimates).with([
            Variable::words("status", status.map(Some)),
            Variable::words("reason", reasons),
        ]);
        let all = &self.estimators;
        let keys =
            vec![Variable::words("estimator", all.iter().map(|of| Some(of.estimator.to_string())))];
        let failure =
            |of: &EstimatorOfStudy| of.failure.as_ref().map(|failure| failure.message.clone());
        let averages = Estimates::new("averages", keys, all.iter().map(|of| of.average))
            .with([Variable::words("reason", all.iter().map(failure))]);
        let pairs = &self.agreement;
        let keys = vec![
            Variable::words("first", pairs.iter().map(|pair| Some(pair.first.to_string()))),
            Variable::words("second", pairs.iter().map(|pair| Some(pair.second.to_string()))),
        ];
        let wald = |of: fn(crate::Wald) -> f64| pairs.iter().map(move |pair| pair.wald.map(of));
        let agreement = Estimates::new("agreement", keys, pairs.iter().map(|pair| pair.difference))
            .with([
                Variable::counts(
                    "event_times",
                    pairs.iter().map(|pair| Some(pair.event_times.len())),
                ),
                Variable::numbers("wald_stat", wald(|wald| wald.stat)),
                Variable::counts("wald_df", pairs.iter().map(|pair| pair.wald.map(|wald| wald.df))),
                Variable::counts("wald_df2", pairs.iter().map(|pair| pair.wald?.df2)),
                Variable::numbers("wald_p_value", wald(|wald| wald.p_value)),
            ]);
        vec![effects, averages, agreement]
    }

    fn about(&self) -> Vec<Variable> {
        let settings = &self.settings;
        vec![
            Variable::fact("estimator", "joint_study"),
            Variable::fact("outcome", settings.columns.outcome.as_str()),
            Variable::fact("covariates", settings.covariates.as_str()),
            Variable::fact("control_group", settings.control_group.to_string()),
            Variable::fact("anticipation", settings.anticipation),
            Variable::fact("weights", settings.columns.weights.clone()),
            Variable::fact("cluster", settings.cluster.clone()),
            Variable::fact("n_clusters", settings.n_clusters),
            Variable::fact("rows_in", settings.n_rows),
            Variable::fact("n_estimators", self.ran().count()),
            Variable::fact("critical_value", self.critical_value),
            Variable::fact("band", self.band.to_string()),
            Variable::fact("alpha", self.alpha),
            Variable::fact("n_warnings", self.messages().len()),
        ]
    }

    fn messages(&self) -> Vec<Message> {
        let failed = self.estimators.iter().filter_map(|of| {
            let failure = of.failure.as_ref()?;
            Some(
                failure
                    .as_message()
                    .about(format_args!("{} has no estimates", of.estimator.name())),
            )
        });
        let of_estimators = self.estimators.iter().flat_map(|of| {
            of.warnings.iter().map(|warning| warning.clone().about(of.estimator.name()))
        });
        let own = facts::messages(&self.warnings, self.settings.columns.frequency);
        let of_columns = self.settings.files.warnings.iter().cloned();
        of_columns.chain(own).chain(failed).chain(of_estimators).collect()
    }

    #[cfg(feature = "plot")]
    fn picture(&self, options: &PlotOptions) -> Result<Picture> {
        let charts = self.ran().map(|(of, study)| {
            let chart = event_study_chart(&[(String::new(), study.clone())], options)?;
            Ok((of.estimator.name(), chart))
        });
        let charts: Vec<_> = charts.collect::<Result<_>>()?;
        let mut chart = combined(charts, false, options, self.alpha)?;
        chart.remarks.extend(self.before_treatment());
        Ok(Picture::Chart(chart))
    }
}

impl JointStudyResult {
    /// One column an estimator, with the standard error below each effect.
    fn effects(&self, digits: Digits) -> Section {
        let mut times: Vec<f64> = self.rows().map(|(_, row)| row.at).collect();
        times.sort_by(f64::total_cmp);
        times.dedup();
        let mut rows = Vec::with_capacity(2 * times.len() + 2);
        for at in times {
            let found = |study: &EventStudy| study.rows.iter().find(|row| row.at == at).cloned();
            let found: Vec<Option<AggregatedRow>> =
                self.ran().map(|(_, study)| found(study)).collect();
            let shown = |row: &Option<AggregatedRow>| match row {
                Some(row) if row.reference => "0 (ref.)".to_owned(),
                Some(row) => digits.show(row.estimate.estimate),
                // The notes say why the estimator has no effect there.
                None => String::new(),
            };
            let error = |row: &Option<AggregatedRow>| {
                in_brackets(digits, row.as_ref().and_then(|row| row.estimate.se))
            };
            rows.push(line(short(at), found.iter().map(shown)));
            if found.iter().flatten().any(|row| !row.reference) {
                rows.push(line(String::new(), found.iter().map(error)));
            }
        }
        if !self.event_times.is_empty() {
            let average = |show: &dyn Fn(&Estimate) -> String| {
                self.ran().map(|(of, _)| show(&of.average)).collect::<Vec<String>>()
            };
            rows.push(line("Average".into(), average(&|of| digits.show(of.estimate))));
            rows.push(line(String::new(), average(&|of| in_brackets(digits, of.se))));
        }
        let names = self.ran().map(|(of, _)| of.estimator.name().to_owned());
        Section { caption: None, header: line("Event time".into(), names), rows }
    }

    /// The tests that two estimators agree.
    fn differences(&self, digits: Digits) -> Section {
        let row = |pair: &Agreement| {
            let test = match (&pair.wald, pair.same) {
                (_, true) => "the same estimates".to_owned(),
                (Some(wald), _) => foot::p_cell(Some(wald.p_value)),
                (None, _) if pair.event_times.is_empty() => "not defined".to_owned(),
                (None, _) => "singular".to_owned(),
            };
            let df = pair.wald.map_or_else(String::new, |Wald { df, df2, .. }| {
                df2.map_or_else(|| df.to_string(), |df2| format!("{df}, {df2}"))
            });
            let names = format!("{} - {}", pair.first.name(), pair.second.name());
            let difference = digits.show(pair.difference.estimate);
            vec![names, difference, digits.show(pair.difference.se), df, test]
        };
        Section {
            caption: Some("Differences of averages over the event times from 0 on that both have, and the test that these effects are the same:".into()),
            header: strings(&["Estimators", "Difference", "Std. Error", "df", "p-value"]),
            rows: self.agreement.iter().map(row).collect(),
        }
    }

    fn notes(&self) -> Vec<String> {
        let settings = &self.settings;
        let times: Vec<String> = self.event_times.iter().map(|at| short(*at)).collect();
        let average = match times.as_slice() {
            [] => "Average: none, as at no event time from 0 on every estimator has an effect with a standard error"
                .to_owned(),
            times => {
                let without = self.ran().filter(|(of, _)| of.average.estimate.is_none());
                let without: Vec<&str> = without.map(|(of, _)| of.estimator.name()).collect();
                let not_of = match without.as_slice() {
                    [] => String::new(),
                    names => format!("; not of {}, with effects at few of them", names.join(", ")),
                };
                format!("Average: over event times {}, each counting alike{not_of}", times.join(", "))
            }
        };
        let cluster = settings.cluster.as_ref().unwrap_or(&settings.unit);
        let (outcome, weights) = (&settings.columns.outcome, settings.columns.weights_note());
        let mut notes = vec![
            average,
            format!("Outcome: {outcome}, Covariates: {}{weights}", settings.covariates),
            format!(
                "Std. Errors and tests: joint covariance by {cluster} ({}), Rows read: {}",
                counted(settings.n_clusters, "cluster", "clusters"),
                settings.n_rows
            ),
        ];
        let ran = |has: fn(StudyEstimator) -> bool| self.ran().any(|(of, _)| has(of.estimator));
        if ran(StudyEstimator::has_control_group) {
            let controls = settings.control_group.label();
            let base = match ran(StudyEstimator::has_cells) {
                true => format!(", Base Period: {}", foot::base_period(BasePeriod::Universal)),
                false => String::new(),
            };
            notes.push(format!("Control Group: {controls} (of estimators with a choice){base}"));
        }
        if settings.anticipation > 0 {
            notes.push(format!("Anticipation Periods: {}", settings.anticipation));
        }
        notes.extend(self.before_treatment());
        notes.extend(self.empty_cells());
        let untested = self.agreement.iter().filter(|pair| pair.wald.is_none() && !pair.same);
        let (apart, singular): (Vec<&Agreement>, Vec<&Agreement>) =
            untested.partition(|pair| pair.event_times.is_empty());
        if self.agreement.iter().any(|pair| pair.wald.is_some()) {
            notes.push(
                "p-value: Hotelling's T², with df the event times tested and the clusters less these"
                    .into(),
            );
        }
        if !apart.is_empty() {
            notes.push(
                "not defined: at no event time from 0 on both have an effect with a standard error"
                    .into(),
            );
        }
        if !singular.is_empty() {
            notes.push(
                "singular: differences at some event times determine the others, as with few clusters; a test needs fewer event times (min_e, max_e) or more clusters"
                    .into(),
            );
        }
        if self.band == Band::Uniform {
            notes.push(format!(
                "Bands: uniform over all effects of all estimators, critical value {}",
                short(self.critical_value)
            ));
        }
        notes.extend(foot::reading(&settings.files, &settings.read_as_missing));
        notes.extend(foot::messages(&settings.files, self.messages()));
        notes
    }
}

impl JointStudyResult {
    /// What the estimators compare before treatment, where it is not the change since one reference period.
    fn before_treatment(&self) -> Vec<String> {
        let reference = self.rows().find(|(_, row)| row.reference).map_or(-1.0, |(_, row)| row.at);
        let lead = |study: &EventStudy| {
            let leads = study.rows.iter().filter(|row| row.at < 0.0 && !row.reference);
            leads.map(|row| row.at).reduce(f64::max)
        };
        let by_imputation = [StudyEstimator::Imputation, StudyEstimator::TwoStage];
        let without = self
            .ran()
            .filter(|(of, study)| by_imputation.contains(&of.estimator) && lead(study).is_some());
        let without: Vec<&str> = without.map(|(of, _)| of.estimator.name()).collect();
        let others = if self.ran().count() > without.len() { ", as the others are" } else { "" };
        let not_relative = (!without.is_empty()).then(|| {
            format!(
                "Before treatment, effects of {} are not relative to event time {}{others}",
                without.join(" and "),
                short(reference)
            )
        });
        let switching = self.event_study(StudyEstimator::DidMultiplegt).and_then(lead);
        let of_units = switching.map(|at| {
            format!(
                "Before treatment, {} compares the units of the event time that is as far after {}: at {} those of {}",
                StudyEstimator::DidMultiplegt.name(),
                short(reference),
                short(at),
                short(2.0 * reference - at)
            )
        });
        not_relative.into_iter().chain(of_units).collect()
    }
}

fn line(first: String, cells: impl IntoIterator<Item = String>) -> Vec<String> {
    std::iter::once(first).chain(cells).collect()
}

fn in_brackets(digits: Digits, se: Option<f64>) -> String {
    se.map_or_else(String::new, |se| format!("({})", digits.show(Some(se))))
}

result!(JointStudyResult);

impl Comparable for JointStudyResult {
    fn terms(&self) -> Vec<Term> {
        let average = |(index, of): (usize, &EstimatorOfStudy)| {
            let name = format!("{}: average", of.estimator.name());
            Term::new(name, [0.0, index as f64, 0.0], of.average, Band::Pointwise)
        };
        let averages = self.estimators.iter().enumerate().map(average);
        let effect = |(of, row): (&EstimatorOfStudy, &AggregatedRow)| {
            let name = format!("{}: event time {}", of.estimator.name(), short(row.at));
            let index = self.estimators.iter().position(|other| other.estimator == of.estimator);
            let order = [1.0, index.unwrap_or_default() as f64, row.at];
            Term::new(name, order, row.estimate, self.band)
        };
        averages.chain(self.rows().map(effect)).collect()
    }

    fn facts(&self) -> Vec<(String, String)> {
        vec![
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
