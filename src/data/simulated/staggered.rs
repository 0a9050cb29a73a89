//! Staggered adoption, with and without a violation of parallel trends.

use super::truth::{Truth, rounded};
use super::{Parts, Simulate, check};
use crate::base::error::Result;
use crate::data::simulate::Simulation;

impl Simulate for Simulation {
    fn estimator(&self) -> &'static str {
        "att-gt"
    }

    fn validate(&self) -> Result<()> {
        let (units, rows) = self.drawn();
        check::sizes(units, rows)?;
        check::cohorts(&self.cohorts, self.periods)?;
        check::effects(&self.effects)?;
        check::shares(&[("never_treated", self.never_treated), ("attrition", self.attrition)])?;
        let slopes = [
            ("selection", self.selection),
            ("trend", self.trend),
            ("heterogeneity", self.heterogeneity),
            ("violation", self.violation),
        ];
        check::finite(&slopes)?;
        check::deviations(&[("noise", self.noise), ("cluster_sd", self.cluster_sd)])
    }

    fn drawn(&self) -> (usize, usize) {
        Self::drawn(self)
    }

    fn parts(&self) -> Parts<'_> {
        self.rows_of_units()
    }

    /// `att` of each cohort and period, `event_study`, `overall_dynamic`, `overall_simple`, `group` and `overall_group`, `calendar` and
    /// `overall_calendar`, with cohorts weighted by their expected sizes; and `violation`, which parallel trends leave in event studies
    /// with a universal base period.
    fn truths(&self) -> Vec<Truth> {
        // The first period has effects of its own where the base period is universal.
        let first_period = if self.violation == 0.0 { 2 } else { 1 };
        let periods = first_period..=i64::from(self.periods);
        let cells = || {
            let times = periods.clone();
            self.cohorts.iter().flat_map(move |g| times.clone().map(move |t| (*g, t)))
        };
        let mut truths: Vec<Truth> =
            cells().map(|(g, t)| Truth::att(g, t, self.truth(g, t))).collect();
        let events = self.event_study_from(first_period);
        truths.extend(events.iter().map(|(e, value)| Truth::by_event("event_study", *e, *value)));
        let after = |of: &dyn Fn(i64, i64) -> bool| {
            mean(cells().filter(|(g, t)| t >= g && of(*g, *t)).map(|(g, t)| self.truth(g, t)))
        };
        let dynamic = mean(events.iter().filter(|(e, _)| *e >= 0).map(|(_, value)| *value));
        let groups: Vec<(i64, f64)> =
            self.cohorts.iter().map(|g| (*g, after(&|cohort, _| cohort == *g))).collect();
        let first = self.cohorts.iter().copied().min().unwrap_or(i64::MAX);
        let treated = periods.clone().filter(|t| *t >= first);
        let calendar: Vec<(i64, f64)> = treated.map(|t| (t, after(&|_, time| time == t))).collect();
        truths.push(Truth::new("overall_dynamic", dynamic));
        truths.push(Truth::new("overall_simple", after(&|_, _| true)));
        truths.extend(
            groups
                .iter()
                .map(|(g, value)| Truth { group: Some(*g), ..Truth::new("group", *value) }),
        );
        truths.push(Truth::new("overall_group", mean(groups.iter().map(|(_, value)| *value))));
        truths.extend(
            calendar
                .iter()
                .map(|(t, value)| Truth { time: Some(*t), ..Truth::new("calendar", *value) }),
        );
        truths.push(Truth::new("overall_calendar", mean(calendar.iter().map(|(_, v)| *v))));
        if self.violation != 0.0 {
            truths.extend(events.iter().map(|(e, _)| {
                Truth::by_event("violation", *e, rounded((*e + 1) as f64 * self.violation))
            }));
        }
        truths
    }

    fn options(&self) -> Vec<String> {
        let mut words = super::common(self.repeated_cross_sections, self.weights, self.clusters);
        words.extend(["--gname".to_owned(), "group".to_owned()]);
        words.extend(super::formula(self.covariates));
        words.extend(super::sampled(
            self.never_treated,
            self.repeated_cross_sections,
            self.attrition,
        ));
        if self.violation != 0.0 {
            words.extend(["--base-period".to_owned(), "universal".to_owned()]);
        }
        words.extend(["--aggregate".to_owned(), "dynamic".to_owned()]);
        words
    }

    fn notes(&self) -> Vec<String> {
        let note = "Parallel trends do not hold: estimates are off by `violation`, and an analysis of sensitivity has to allow for it.";
        (self.violation != 0.0).then(|| note.to_owned()).into_iter().collect()
    }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    rounded(sum / count)
}
