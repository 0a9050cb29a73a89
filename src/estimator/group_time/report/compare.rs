//! Group-time effects as a column of a comparison.

#[cfg(feature = "plot")]
use crate::base::error::Result;
use crate::estimator::group_time::{GroupTimeCell, GroupTimeResult};
use crate::report::compare::{Comparable, Term, before_treatment, facts, rows_chosen, texts};
use crate::report::contract::Report;
use crate::report::foot;
#[cfg(feature = "plot")]
use crate::report::plot::{PlotOptions, chart::Chart};

impl Comparable for GroupTimeResult {
    fn terms(&self) -> Vec<Term> {
        let term = |c: &GroupTimeCell| {
            Term::new(
                format!(
                    "{}({}, {})",
                    self.settings.parameter(),
                    self.settings.period(c.group),
                    self.settings.period(c.time)
                ),
                [5.0, c.group, c.time],
                c.estimate,
                self.band,
            )
        };
        self.cells.iter().map(term).collect()
    }

    fn facts(&self) -> Vec<(String, String)> {
        let mut facts = facts(&self.settings);
        facts.extend(rows_chosen(self.audit.files.chosen.as_ref()));
        if let Some(wald) = &self.wald {
            facts.push(("Pre-test p-value".into(), foot::p_value(wald.p_value)));
        }
        facts
    }

    fn alpha(&self) -> f64 {
        self.settings.inference.alpha
    }

    fn before_treatment(&self) -> Option<String> {
        before_treatment(&self.settings)
    }

    fn standard_errors(&self) -> Option<String> {
        Some(foot::errors(&self.settings, None))
    }

    fn remarks(&self) -> Vec<String> {
        texts(self.messages())
    }

    fn outcome(&self) -> Option<String> {
        Some(self.settings.outcome.clone())
    }

    #[cfg(feature = "plot")]
    fn comparable_chart(&self, options: &PlotOptions) -> Result<Chart> {
        self.chart(options)
    }
}
