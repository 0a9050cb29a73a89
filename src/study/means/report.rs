//! Mean outcomes in print.

use super::{CohortMean, CohortMeans};
use crate::base::calendar::named;
use crate::base::error::Message;
#[cfg(feature = "plot")]
use crate::base::error::Result;
use crate::base::options::Band;
use crate::report::compare::{Comparable, Term};
use crate::report::contract::Report;
use crate::report::declare::result;
use crate::report::estimates::{Estimates, Variable};
use crate::report::foot;
use crate::report::number::{Digits, counted};
#[cfg(feature = "plot")]
use crate::report::plot::chart::{Chart, ChartWords, Facet, checked};
#[cfg(feature = "plot")]
use crate::report::plot::layers::combined;
#[cfg(feature = "plot")]
use crate::report::plot::{Picture, PlotOptions};
#[cfg(feature = "plot")]
use crate::report::plot_data::PlotRow;
use crate::report::table::{Align, EstimateColumns, Section, Table};
use crate::result::inference::Estimate;

/// Cohorts that share a panel, at most; of more, each has its own.
#[cfg(feature = "plot")]
const TOGETHER: usize = 7;

impl Report for CohortMeans {
    const KIND: &'static str = "cohort_means";

    fn table(&self) -> Table {
        let number = |row: &CohortMean| if self.relative { row.relative } else { row.mean };
        let shown: Vec<Estimate> = self.rows.iter().map(number).collect();
        let digits = Digits::of(&shown);
        let [lower, upper] = foot::overall_heads(self.alpha);
        let header = |first: &CohortMean| {
            let base = first.base.map_or_else(|| "Base".into(), |base| self.period(base));
            let name = if self.relative { format!("Less {base}") } else { "Mean".into() };
            [&*self.columns.time, &name, "Std. Error", &lower, &upper, "Rows"]
                .map(ToOwned::to_owned)
                .into()
        };
        let row = |row: &CohortMean| {
            let Estimate { estimate, se, ci_lower, ci_upper, .. } = number(row);
            let numbers = [estimate, se, ci_lower, ci_upper].map(|number| digits.show(number));
            [vec![self.period(row.time)], numbers.to_vec(), vec![row.n.to_string()]].concat()
        };
        let sections = self.cohorts().map(|rows| Section {
            caption: rows.first().map(|first| self.cohort(first.group)),
            header: header(&rows[0]),
            rows: rows.iter().map(row).collect(),
        });
        Table {
            title: self.title().into(),
            align: vec![Align::Right; 6],
            sections: sections.collect(),
            notes: self.notes(),
            caption: Some(foot::caption(self.title(), &self.columns.outcome)),
            label: Some(if self.relative { "means-relative" } else { "means" }.into()),
            estimates: vec![EstimateColumns {
                estimate: Some((1, 2)),
                interval: (3, 4),
                mark: None,
            }],
            ..Table::default()
        }
    }

    fn estimates(&self) -> Vec<Estimates> {
        let keys = || {
            let name = |period| named(period, self.columns.frequency);
            let group = |row: &CohortMean| row.group.map_or_else(|| self.group(None), name);
            let groups = self.rows.iter().map(|row| Some(group(row)));
            let times = self.rows.iter().map(|row| Some(name(row.time)));
            vec![Variable::words("group", groups), Variable::words("time", times)]
        };
        let rows = || Variable::counts("rows", self.rows.iter().map(|row| Some(row.n)));
        let base = |row: &CohortMean| row.base.map(|base| named(base, self.columns.frequency));
        let bases = Variable::words("base", self.rows.iter().map(base));
        let relative = self.rows.iter().map(|row| row.relative);
        vec![
            Estimates::new("means", keys(), self.rows.iter().map(|row| row.mean)).with([rows()]),
            Estimates::new("relative", keys(), relative).with([bases, rows()]),
        ]
    }

    fn about(&self) -> Vec<Variable> {
        vec![
            Variable::fact("outcome", self.columns.outcome.as_str()),
            Variable::fact("weights", self.columns.weights.clone()),
            Variable::fact("alpha", self.alpha),
            Variable::fact("n_rows", self.read.n_rows),
            Variable::fact("rows_missing", self.read.rows_missing),
            Variable::fact("units_with_duplicates", self.units_with_duplicates),
            Variable::fact("anticipation", self.anticipation),
        ]
    }

    fn messages(&self) -> Vec<Message> {
        self.warnings.iter().map(|warning| warning.message(self.columns.frequency)).collect()
    }

    #[cfg(feature = "plot")]
    fn picture(&self, options: &PlotOptions) -> Result<Picture> {
        // Cohorts that are not observed in their base period have nothing relative to it.
        let drawn = self.cohorts().filter(|rows| {
            !self.relative || rows.iter().any(|row| row.relative.estimate.is_some())
        });
        let charts = drawn.map(|rows| Ok((self.cohort(rows[0].group), self.chart(rows, options)?)));
        let charts: Vec<(String, Chart)> = charts.collect::<Result<_>>()?;
        let named: Vec<(&str, Chart)> =
            charts.iter().map(|(name, chart)| (name.as_str(), chart.clone())).collect();
        let panels = named.len() > TOGETHER;
        Ok(Picture::Chart(combined(named, panels, options, self.alpha)?))
    }
}

#[cfg(feature = "plot")]
impl CohortMeans {
    /// The means of one cohort.
    fn chart(&self, rows: &[CohortMean], options: &PlotOptions) -> Result<Chart> {
        let axis = if self.relative { "Change of mean" } else { "Mean" };
        let words = ChartWords { title: self.title(), x_label: &self.columns.time };
        let shown = |row: &CohortMean| if self.relative { row.relative } else { row.mean };
        let points = rows.iter().filter_map(|row| {
            let point = PlotRow::new(row.time, &shown(row))?;
            let post = row.group.is_some_and(|group| row.time >= group);
            Some(PlotRow { post, reference: self.relative && row.base == Some(row.time), ..point })
        });
        let facet = Facet::new(String::new(), checked(points.collect())?);
        let empty = rows.iter().filter(|row| shown(row).estimate.is_none());
        let facet = Facet { failed: empty.map(|row| row.time).collect(), ..facet };
        let treatment = rows[0].group.and_then(|group| facet.boundary(group));
        let untreated = rows[0].group.is_none();
        let facets = vec![Facet { treatment, untreated, ..facet }];
        let mut chart = Chart::new(&words, (axis, &self.columns.outcome), facets, options);
        chart.frequency = self.columns.frequency;
        chart.levels = !self.relative;
        chart.joined = true;
        chart.points[1] = "Base period";
        chart.finish(options, Band::Pointwise, self.alpha);
        Ok(chart)
    }
}

impl CohortMeans {
    fn title(&self) -> &'static str {
        match self.relative {
            false => "Mean Outcomes by Cohort",
            true => "Mean Outcomes Relative to the Base Period",
        }
    }

    fn cohorts(&self) -> impl Iterator<Item = &[CohortMean]> {
        self.rows.chunk_by(|a, b| a.group == b.group)
    }

    fn period(&self, period: f64) -> String {
        self.columns.period(period)
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
        let weights = self.columns.weights.as_deref().unwrap_or("none");
        let anticipation = match self.anticipation {
            0 => String::new(),
            periods => format!(" and its anticipation of {periods}"),
        };
        let never = self.rows.iter().find(|row| row.group.is_none()).and_then(|row| row.base);
        let stated = never.map_or_else(
            || "of cohorts without one, the first or the one asked for".to_owned(),
            |base| format!("of the never-treated, {}", self.period(base)),
        );
        let mut notes = vec![format!("Outcome: {}, Weights: {weights}", self.columns.outcome)];
        if self.relative {
            notes.push(format!(
                "Less the base period: the last before treatment{anticipation}; {stated}"
            ));
        }
        notes.push(format!("Rows: {}", self.read.n_rows));
        let of_one_weight =
            |row: &CohortMean| row.n > 1 && row.mean.estimate.is_some() && row.mean.se.is_none();
        if self.columns.weights.is_some() && self.rows.iter().any(of_one_weight) {
            notes.push("No standard error where only one row has a weight".into());
        }
        notes.extend(self.read.missing_note());
        if self.units_with_duplicates > 0 {
            notes.push(format!(
                "{} several rows in a period, which count as independent in standard errors",
                counted(self.units_with_duplicates, "unit has", "units have")
            ));
        }
        notes.extend(foot::reading(&self.read.files, &[]));
        notes.extend(self.messages().into_iter().map(|message| format!("Warning: {message}")));
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
                if self.relative { row.relative } else { row.mean },
                Band::Pointwise,
            )
        };
        self.rows.iter().map(term).collect()
    }

    fn facts(&self) -> Vec<(String, String)> {
        vec![
            ("Outcome".to_owned(), self.columns.outcome.clone()),
            ("Rows".to_owned(), self.read.n_complete().to_string()),
        ]
    }

    fn alpha(&self) -> f64 {
        self.alpha
    }
}
