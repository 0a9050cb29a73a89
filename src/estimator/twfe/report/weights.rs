//! The weights of a two-way coefficient in print.

use super::bacon::weight;
use crate::base::error::Message;
#[cfg(feature = "plot")]
use crate::base::error::Result;
use crate::base::options::Band;
use crate::base::options::defaults::ALPHA;
use crate::estimator::twfe::{TwfeCells, TwfeRegression, TwfeWeightRow, TwfeWeightsResult};
use crate::report::compare::{Comparable, Term};
use crate::report::contract::Report;
use crate::report::declare::result;
use crate::report::estimates::{Estimates, Variable};
use crate::report::number::{counted, short};
#[cfg(feature = "plot")]
use crate::report::plot::{Picture, PlotOptions};
use crate::report::table::{Align, Section, Table, strings};
use crate::report::{facts, foot};
use crate::result::inference::Estimate;

pub(super) const TITLE: &str = "Weights of the Two-Way Coefficient on Effects";

impl Report for TwfeWeightsResult {
    const KIND: &'static str = "twfe_weights";

    fn table(&self) -> Table {
        let row = |of: &TwfeWeightRow| {
            let numbers = [weight(of.weight), weight(of.share)];
            let [own, share] = numbers;
            let counts = [of.cells, of.negative].map(|count| count.to_string());
            let [cells, negative] = counts;
            let [group, time] = [of.group, of.time].map(|at| self.settings.columns.period(at));
            vec![group, time, own, share, cells, negative]
        };
        Table {
            title: TITLE.into(),
            align: vec![Align::Right; 6],
            sections: vec![Section {
                caption: None,
                header: strings(&["Group", "Period", "Weight", "Share", "Cells", "Negative"]),
                rows: self.rows.iter().map(row).collect(),
            }],
            notes: self.notes(),
            caption: Some(foot::caption(TITLE, &self.settings.columns.outcome)),
            label: Some("twfe-weights".into()),
            ..Table::default()
        }
    }

    fn estimates(&self) -> Vec<Estimates> {
        let rows = &self.rows;
        let keys = vec![Variable::fact("term", self.settings.group.as_str())];
        let coefficient = Estimates::single("coefficient", keys, self.estimate());
        let period = |at: f64| Some(self.settings.key(at));
        let keys = vec![
            Variable::words("group", rows.iter().map(|of| period(of.group))),
            Variable::words("time", rows.iter().map(|of| period(of.time))),
        ];
        let none = rows.iter().map(|_| Estimate::default());
        let weights = Estimates::new("weights", keys, none).with([
            Variable::numbers("weight", rows.iter().map(|of| Some(of.weight))),
            Variable::numbers("share", rows.iter().map(|of| Some(of.share))),
            Variable::counts("cells", rows.iter().map(|of| Some(of.cells))),
            Variable::counts("negative", rows.iter().map(|of| Some(of.negative))),
        ]);
        vec![coefficient, weights]
    }

    fn about(&self) -> Vec<Variable> {
        let settings = &self.settings;
        vec![
            Variable::fact("estimator", "twfe_weights"),
            Variable::fact("outcome", settings.columns.outcome.as_str()),
            Variable::fact("regression", self.regression.to_string()),
            Variable::fact("cells", self.cells.to_string()),
            Variable::fact("covariates", settings.covariates.join(", ")),
            Variable::fact("weights", settings.columns.weights.clone()),
            Variable::fact("n_positive", self.n_positive),
            Variable::fact("n_negative", self.n_negative),
            Variable::fact("sum_positive", self.sum_positive),
            Variable::fact("sum_negative", self.sum_negative),
            Variable::fact("sd_zero_average", self.sd_zero_average),
            Variable::fact("sd_opposite_sign", self.sd_opposite_sign),
            Variable::fact("n_units", settings.n_units),
            Variable::fact("n_periods", settings.n_periods),
            Variable::fact("n_rows", settings.read.n_complete()),
            Variable::fact("rows_missing", settings.read.rows_missing),
            Variable::fact("n_warnings", self.warnings.len()),
        ]
    }

    fn messages(&self) -> Vec<Message> {
        facts::messages_with(
            &self.settings.read.files,
            &self.warnings,
            self.settings.columns.frequency,
        )
    }

    #[cfg(feature = "plot")]
    fn picture(&self, _: &PlotOptions) -> Result<Picture> {
        Ok(Picture::Scatter(self.scatter()))
    }
}

impl TwfeRegression {
    fn name(self) -> &'static str {
        match self {
            Self::FeTr => "fixed effects, under parallel trends",
            Self::FeS => "fixed effects, under parallel trends and effects that are stable in time",
            Self::FeSOfR => {
                "fixed effects, under parallel trends and effects that are stable in time, as R TwoWayFEWeights 2.0.4 weighs"
            }
            Self::FdTr => "changes, under parallel trends",
            Self::FdS => "changes, under parallel trends and effects that are stable in time",
        }
    }
}

/// How many weights have a sign, and their sum.
fn added(count: usize, sign: &str, sum: f64) -> String {
    match count {
        0 => format!("none is {sign}"),
        1 => format!("one is {sign}, {}", weight(sum)),
        _ => format!("{count} are {sign} and add up to {}", weight(sum)),
    }
}

impl TwfeWeightsResult {
    fn estimate(&self) -> Estimate {
        Estimate { estimate: Some(self.coefficient), ..Estimate::default() }
    }

    fn notes(&self) -> Vec<String> {
        let of = match self.cells {
            TwfeCells::Cohort => "cohorts",
            TwfeCells::Unit => "units",
        };
        let cells = self.n_positive + self.n_negative;
        let mut notes = vec![
            format!("Regression: {}; cells of {of}", self.regression.name()),
            format!("Coefficient: {}", short(self.coefficient)),
            format!(
                "Weights: of {}, {}; {}",
                counted(cells, "cell", "cells"),
                added(self.n_negative, "negative", self.sum_negative),
                added(self.n_positive, "positive", self.sum_positive)
            ),
        ];
        notes.push(match self.sd_zero_average {
            Some(sd) => format!(
                "The average effect may be zero if effects have a standard deviation of {} or more",
                short(sd)
            ),
            None => "All weights are alike: the coefficient is the average effect".into(),
        });
        notes.extend(self.sd_opposite_sign.map(|sd| {
            format!(
                "All effects may have another sign than the coefficient if their standard deviation is {} or more",
                short(sd)
            )
        }));
        notes.extend(self.settings.notes());
        notes.extend(foot::messages(&self.settings.read.files, self.messages()));
        notes
    }
}

result!(TwfeWeightsResult);

impl Comparable for TwfeWeightsResult {
    fn terms(&self) -> Vec<Term> {
        vec![Term::new("Two-way coefficient", [0.0; 3], self.estimate(), Band::Pointwise)]
    }

    fn facts(&self) -> Vec<(String, String)> {
        let deviation = |name: &str, sd: Option<f64>| Some((name.to_owned(), short(sd?)));
        let facts = [
            Some(("Negative weights".to_owned(), self.n_negative.to_string())),
            Some(("Sum of negative weights".to_owned(), weight(self.sum_negative))),
            deviation("Deviation for a zero average", self.sd_zero_average),
            deviation("Deviation for another sign", self.sd_opposite_sign),
            Some(("Units".to_owned(), self.settings.n_units.to_string())),
        ];
        facts.into_iter().flatten().collect()
    }

    fn alpha(&self) -> f64 {
        ALPHA
    }

    fn outcome(&self) -> Option<String> {
        Some(self.settings.columns.outcome.clone())
    }
}
