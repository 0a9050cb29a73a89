//! Triple differences.

use super::truth::{Truth, rounded};
use super::{Parts, Simulate, check};
use crate::base::error::Result;
use crate::data::triple::TripleSimulation;

impl Simulate for TripleSimulation {
    fn estimator(&self) -> &'static str {
        "ddd"
    }

    fn validate(&self) -> Result<()> {
        let (units, rows) = self.drawn();
        check::sizes(units, rows)?;
        check::cohorts(&self.cohorts, self.periods)?;
        check::effects(&self.effects)?;
        let shares = [
            ("never_treated", self.never_treated),
            ("eligible", self.eligible),
            ("attrition", self.attrition),
        ];
        check::shares(&shares)?;
        let slopes = [
            ("selection", self.selection),
            ("trend", self.trend),
            ("drift", self.drift),
            ("heterogeneity", self.heterogeneity),
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

    /// `att` of the eligible units of each group in each period; `event_study` and `overall_dynamic` where groups have the same effects.
    fn truths(&self) -> Vec<Truth> {
        let periods = 2..=i64::from(self.periods);
        let cells = self.cohorts.iter().flat_map(|g| periods.clone().map(move |t| (*g, t)));
        let mut truths: Vec<Truth> =
            cells.map(|(g, t)| Truth::att(g, t, self.truth(g, t))).collect();
        let (Some(first), Some(last)) = (self.cohorts.iter().min(), self.cohorts.iter().max())
        else {
            return truths;
        };
        if self.heterogeneity == 0.0 {
            let events: Vec<(i64, f64)> = (2 - last..=periods.end() - first)
                .filter(|e| self.cohorts.iter().any(|g| periods.contains(&(g + e))))
                .map(|e| (e, self.truth(*first, first + e)))
                .collect();
            let named = |(e, value): &(i64, f64)| Truth::by_event("event_study", *e, *value);
            truths.extend(events.iter().map(named));
            let after: Vec<f64> = events.iter().filter(|(e, _)| *e >= 0).map(|(_, v)| *v).collect();
            let mean = after.iter().sum::<f64>() / after.len() as f64;
            truths.push(Truth::new("overall_dynamic", rounded(mean)));
        }
        truths
    }

    fn options(&self) -> Vec<String> {
        let mut words = super::common(self.repeated_cross_sections, self.weights, self.clusters);
        words.extend(["--gname", "group", "--pname", "eligible"].map(str::to_owned));
        words.extend(super::formula(self.covariates));
        words.extend(super::sampled(
            self.never_treated,
            self.repeated_cross_sections,
            self.attrition,
        ));
        words
    }

    fn notes(&self) -> Vec<String> {
        let note = "Averages of groups whose effects differ have no truth here: selection decides how large groups are.";
        (self.heterogeneity != 0.0).then(|| note.to_owned()).into_iter().collect()
    }
}
