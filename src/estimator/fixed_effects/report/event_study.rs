//! Event studies by regression in print.

#[cfg(feature = "plot")]
use super::plot::event_study_chart;
use super::{comparison_facts, regression_facts};
use crate::base::calendar::label;
#[cfg(feature = "plot")]
use crate::base::error::Result;
use crate::base::options::Band;
use crate::estimator::aggregate::AggregatedRow;
use crate::estimator::fixed_effects::RegressionEventStudy;
use crate::report::compare::{Comparable, Term};
use crate::report::declare::{Report, result};
use crate::report::estimates::{Estimates, Variable};
use crate::report::number::Digits;
#[cfg(feature = "plot")]
use crate::report::plot::{Picture, PlotOptions};
use crate::report::table::{EstimateColumns, Section, Table, aligned, columns};
use crate::report::{PlotRow, foot};
use crate::result::estimates::check::{Checked, ensure};
use crate::result::inference::Estimate;
use crate::result::saved::Consistent;

impl Report for RegressionEventStudy {
    const KIND: &'static str = "event_study";

    fn table(&self) -> Table {
        let all = self.rows.iter().map(|r| &r.estimate).chain(&self.overall);
        let digits = Digits::of(all);
        let cells = |e: &Estimate| columns(e, digits);
        let [lower, upper] = foot::coefficient_heads(self.settings.alpha);
        let header = |first: &str| {
            let heads = [first, "Estimate", "Std. Error", &lower, &upper, ""];
            heads.map(ToOwned::to_owned).to_vec()
        };
        let mut sections = Vec::new();
        if let Some(overall) = &self.overall {
            let row = [String::new()].into_iter().chain(cells(overall)).collect();
            let caption = Some("Average effect on the treated:".to_owned());
            sections.push(Section { caption, header: header(""), rows: vec![row] });
        }
        let row = |r: &AggregatedRow| {
            [label(r.at)].into_iter().chain(cells(&r.estimate)).collect::<Vec<String>>()
        };
        let rows = self.rows.iter().map(row).collect();
        sections.push(Section {
            caption: None,
            header: header(self.axis().unwrap_or("Event time")),
            rows,
        });
        let settings = &self.settings;
        let notes = vec![
            "Signif. codes: `*' confidence interval does not cover 0".to_owned(),
            String::new(),
            format!("Formula: {}", settings.formula),
            format!("Rows: {}, Std. Errors: {}", self.n, settings.vcov),
        ];
        let title = "Event Study by Regression";
        Table {
            title: title.into(),
            align: aligned(1),
            sections,
            notes,
            caption: Some(foot::caption(title, &settings.outcome)),
            label: Some("event-study".into()),
            estimates: vec![EstimateColumns::from(1)],
        }
    }

    fn estimates(&self) -> Vec<Estimates> {
        let overall = self.overall.map(|e| Estimates::single("overall", Vec::new(), e));
        let status = |row: &AggregatedRow| match (row.reference, row.estimate.att) {
            (true, _) => Some("reference"),
            (false, Some(_)) => Some("estimated"),
            (false, None) => Some("no_estimate"),
        };
        let at = vec![Variable::numbers("event_time", self.rows.iter().map(|row| Some(row.at)))];
        let rows = Estimates::new("rows", at, self.rows.iter().map(|row| row.estimate))
            .with([Variable::words("status", self.rows.iter().map(status))]);
        overall.into_iter().chain([rows]).collect()
    }

    fn about(&self) -> Vec<Variable> {
        let own = [
            Variable::fact("event_times_of", self.of.as_deref()),
            Variable::fact("n_rows", self.n),
        ];
        regression_facts(&self.settings).into_iter().chain(own).collect()
    }

    fn messages(&self) -> Vec<String> {
        Vec::new()
    }

    #[cfg(feature = "plot")]
    fn picture(&self, options: &PlotOptions) -> Result<Picture> {
        event_study_chart(&[(String::new(), self.clone())], options).map(Picture::Chart)
    }
}

impl RegressionEventStudy {
    /// What `plot` draws: one row an event time.
    #[must_use]
    pub fn plot_data(&self) -> Vec<PlotRow> {
        let row = |r: &AggregatedRow| {
            let Estimate { att, ci_lower, ci_upper, .. } = r.estimate;
            let finite = |v: Option<f64>| v.filter(|v| v.is_finite());
            Some(PlotRow {
                facet: None,
                at: r.at,
                att: finite(att)?,
                lower: finite(ci_lower),
                upper: finite(ci_upper),
                pointwise_lower: finite(ci_lower),
                pointwise_upper: finite(ci_upper),
                post: self.is_post(r.at),
                reference: r.reference,
            })
        };
        self.rows.iter().filter_map(row).collect()
    }
}

result!(RegressionEventStudy);

impl Consistent for RegressionEventStudy {
    fn check(&self) -> Checked {
        let k = self.rows.len();
        let square = self.vcov.len() == k && self.vcov.iter().all(|row| row.len() == k);
        ensure(square, "vcov", || format!("is not a matrix of {k} rows and columns"))
    }
}

impl Comparable for RegressionEventStudy {
    fn terms(&self) -> Vec<Term> {
        let overall = self.overall.map(|estimate| Term {
            name: "Overall ATT".into(),
            order: [0.0; 3],
            estimate,
            band: Band::Pointwise,
        });
        let of = self.axis().unwrap_or("Event time");
        let row = |r: &AggregatedRow| Term {
            name: format!("{of} {}", label(r.at)),
            order: [2.0, r.at, 0.0],
            estimate: r.estimate,
            band: Band::Pointwise,
        };
        overall.into_iter().chain(self.rows.iter().map(row)).collect()
    }

    fn facts(&self) -> Vec<(String, String)> {
        comparison_facts(&self.settings.formula, self.n)
    }

    fn alpha(&self) -> f64 {
        self.settings.alpha
    }
}
