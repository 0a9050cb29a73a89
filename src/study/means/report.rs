//! Mean outcomes in print.

use super::{CohortMean, CohortMeans};
use crate::base::calendar::shown;
#[cfg(feature = "plot")]
use crate::base::error::Result;
use crate::base::options::Band;
use crate::report::compare::{Comparable, Term};
use crate::report::contract::Report;
use crate::report::declare::result;
use crate::report::estimates::{Estimates, Variable};
use crate::report::foot;
use crate::report::number::Digits;
#[cfg(feature = "plot")]
use crate::report::plot::chart::{Chart, ChartWords, Facet, checked};
#[cfg(feature = "plot")]
use crate::report::plot::{Picture, PlotOptions};
#[cfg(feature = "plot")]
use crate::report::plot_data::PlotRow;
use crate::report::table::{Align, EstimateColumns, Section, Table};
use crate::result::inference::Estimate;

const TITLE: &str = "Mean Outcomes by Cohort";

impl Report for CohortMeans {
    const KIND: &'static str = "cohort_means";

    fn table(&self) -> Table {
        let digits = Digits::of(self.rows.iter().map(|row| &row.mean));
        let [lower, upper] = foot::overall_heads(self.alpha);
        let header = [&self.time, "Mean", "Std. Error", &lower, &upper, "Change", "Rows"];
        let header: Vec<String> = header.map(ToOwned::to_owned).into();
        let row = |row: &CohortMean| {
            let Estimate { estimate, se, ci_lower, ci_upper, .. } = row.mean;
            let numbers = [estimate, se, ci_lower, ci_upper, row.change];
            let numbers = numbers.map(|number| digits.show(number)).to_vec();
            [vec![self.period(row.time)], numbers, vec![row.n.to_string()]].concat()
        };
        let sections = self.rows.chunk_by(|a, b| a.group == b.group).map(|rows| Section {
            caption: rows.first().map(|first| self.cohort(first.group)),
            header: header.clone(),
            rows: rows.iter().map(row).collect(),
        });
        Table {
            title: TITLE.into(),
            align: vec![Align::Right; header.len()],
            sections: sections.collect(),
            notes: self.notes(),
            caption: Some(foot::caption(TITLE, &self.outcome)),
            label: Some("means".into()),
            estimates: vec![EstimateColumns {
                estimate: Some((1, 2)),
                interval: (3, 4),
                mark: None,
            }],
            ..Table::default()
        }
    }

    fn estimates(&self) -> Vec<Estimates> {
        let groups = self.rows.iter().map(|row| Some(self.group(row.group)));
        let times = self.rows.iter().map(|row| Some(self.period(row.time)));
        let keys = vec![Variable::words("group", groups), Variable::words("time", times)];
        let means = Estimates::new("means", keys, self.rows.iter().map(|row| row.mean)).with([
            Variable::numbers("change", self.rows.iter().map(|row| row.change)),
            Variable::counts("rows", self.rows.iter().map(|row| Some(row.n))),
        ]);
        vec![means]
    }

    fn about(&self) -> Vec<Variable> {
        vec![
            Variable::fact("outcome", self.outcome.as_str()),
            Variable::fact("weights", self.weights.clone()),
            Variable::fact("alpha", self.alpha),
            Variable::fact("n_rows", self.n_rows),
            Variable::fact("rows_missing", self.rows_missing),
        ]
    }

    fn messages(&self) -> Vec<String> {
        Vec::new()
    }

    #[cfg(feature = "plot")]
    fn picture(&self, options: &PlotOptions) -> Result<Picture> {
        let words = ChartWords { title: TITLE, x_label: &self.time };
        let facets = self.rows.chunk_by(|a, b| a.group == b.group).map(|rows| {
            let points = rows.iter().filter_map(|row| {
                let point = PlotRow::new(row.time, &row.mean)?;
                Some(PlotRow { post: row.group.is_some_and(|group| row.time >= group), ..point })
            });
            let facet = Facet::new(self.cohort(rows[0].group), checked(points.collect())?);
            let empty = rows.iter().filter(|row| row.mean.estimate.is_none());
            let facet = Facet { failed: empty.map(|row| row.time).collect(), ..facet };
            let treatment = rows[0].group.and_then(|group| facet.boundary(group));
            Ok(Facet { treatment, ..facet })
        });
        let facets: Vec<Facet> = facets.collect::<Result<_>>()?;
        let mut chart = Chart::new(&words, ("Mean", &self.outcome), facets, options);
        chart.frequency = self.frequency;
        chart.levels = true;
        chart.finish(options, Band::Pointwise, self.alpha);
        Ok(Picture::Chart(chart))
    }
}

impl CohortMeans {
    fn period(&self, period: f64) -> String {
        shown(period, self.frequency)
    }

    fn group(&self, group: Option<f64>) -> String {
        group.map_or_else(|| "never treated".into(), |group| self.period(group))
    }

    fn cohort(&self, group: Option<f64>) -> String {
        match group {
            None => "Never treated".into(),
            Some(group) => format!("First treated in {}", self.period(group)),
        }
    }

    fn notes(&self) -> Vec<String> {
        let weights = self.weights.as_deref().unwrap_or("none");
        let mut notes = vec![
            format!("Outcome: {}, Weights: {weights}", self.outcome),
            "Change: from the last period before treatment, or the first for the never-treated"
                .into(),
            format!("Rows: {}", self.n_rows),
        ];
        if self.rows_missing > 0 {
            notes.push(format!("Rows left out for a missing value: {}", self.rows_missing));
        }
        notes.extend(foot::reading(&self.files, &[]));
        notes
    }
}

result!(CohortMeans);

impl Comparable for CohortMeans {
    fn terms(&self) -> Vec<Term> {
        let term = |row: &CohortMean| {
            Term::new(
                format!("Cohort {}, {}", self.group(row.group), self.period(row.time)),
                [row.group.unwrap_or(f64::INFINITY), row.time, 0.0],
                row.mean,
                Band::Pointwise,
            )
        };
        self.rows.iter().map(term).collect()
    }

    fn facts(&self) -> Vec<(String, String)> {
        vec![
            ("Outcome".to_owned(), self.outcome.clone()),
            ("Rows".to_owned(), (self.n_rows - self.rows_missing).to_string()),
        ]
    }

    fn alpha(&self) -> f64 {
        self.alpha
    }
}
