//! Descriptions in print.

use super::result::{
    CohortDescription, CohortStatus, Description, PeriodDescription, SampleOfDesign,
};
use crate::base::calendar::{named, shown};
use crate::base::error::Message;
#[cfg(feature = "plot")]
use crate::base::error::Result;
use crate::base::options::Band;
use crate::report::compare::{Comparable, Term};
use crate::report::contract::Report;
use crate::report::declare::result;
use crate::report::estimates::{Estimates, Variable};
use crate::report::foot;
#[cfg(feature = "plot")]
use crate::report::plot::chart::{Chart, ChartWords, Facet, checked};
#[cfg(feature = "plot")]
use crate::report::plot::{Picture, PlotOptions};
#[cfg(feature = "plot")]
use crate::report::plot_data::PlotRow;
use crate::report::table::{Align, Section, Table};
use crate::result::inference::Estimate;

/// Columns of every section.
const COLUMNS: usize = 6;

impl Report for Description {
    const KIND: &'static str = "description";

    fn table(&self) -> Table {
        let mut align = vec![Align::Right; COLUMNS];
        align[0] = Align::Left;
        Table {
            title: "Description of the Data".into(),
            align,
            sections: vec![self.cohort_section(), self.period_section(), self.design_section()],
            notes: self.notes(),
            caption: Some("Description of the Data".into()),
            label: Some("description".into()),
            ..Table::default()
        }
    }

    fn estimates(&self) -> Vec<Estimates> {
        let share = |share: f64| Estimate { estimate: Some(share), ..Estimate::default() };
        let cohorts = &self.cohorts;
        let name = |cohort: &CohortDescription| match cohort.group {
            Some(group) => named(group, self.frequency),
            None => self.cohort_name(cohort),
        };
        let key = Variable::words("group", cohorts.iter().map(|c| Some(name(c))));
        let count = |name: &str, of: fn(&CohortDescription) -> usize| {
            Variable::counts(name, cohorts.iter().map(|c| Some(of(c))))
        };
        let by_cohort =
            Estimates::new("cohorts", vec![key], cohorts.iter().map(|c| share(c.unit_share))).with(
                [
                    Variable::words("status", cohorts.iter().map(|c| Some(c.status.to_string()))),
                    count("units", |c| c.units),
                    count("rows", |c| c.rows),
                    Variable::numbers("weight_share", cohorts.iter().map(|c| c.weight_share)),
                    Variable::counts("clusters", cohorts.iter().map(|c| c.clusters)),
                ],
            );
        let periods = &self.periods;
        let key =
            Variable::words("time", periods.iter().map(|p| Some(named(p.period, self.frequency))));
        let count = |name: &str, of: fn(&PeriodDescription) -> usize| {
            Variable::counts(name, periods.iter().map(|p| Some(of(p))))
        };
        let by_period =
            Estimates::new("periods", vec![key], periods.iter().map(|p| share(p.treated_share())))
                .with([
                    count("rows", |p| p.rows),
                    count("treated", |p| p.treated),
                    count("entering", |p| p.entering),
                    count("leaving", |p| p.leaving),
                ]);
        let used = |design: &SampleOfDesign| share(design.rows as f64 / self.n_rows.max(1) as f64);
        let key = Variable::words("options", self.designs.iter().map(|d| Some(d.options.clone())));
        let designs = Estimates::new("designs", vec![key], self.designs.iter().map(used)).with([
            Variable::counts("units", self.designs.iter().map(|d| Some(d.units))),
            Variable::counts("rows", self.designs.iter().map(|d| Some(d.rows))),
            Variable::words("left_out", self.designs.iter().map(|d| Some(d.left_out.join("; ")))),
            Variable::words("refused", self.designs.iter().map(|d| d.refused.clone())),
        ]);
        vec![by_cohort, by_period, designs]
    }

    fn about(&self) -> Vec<Variable> {
        vec![
            Variable::fact("layout", self.layout.word()),
            Variable::fact("n_rows", self.n_rows),
            Variable::fact("n_complete", self.n_complete),
            Variable::fact("n_units", self.n_units),
            Variable::fact("n_clusters", self.n_clusters),
            Variable::fact("units_in_all_periods", self.units_in_all_periods),
            Variable::fact("units_with_gaps", self.units_with_gaps),
            Variable::fact("units_entering_late", self.units_entering_late),
            Variable::fact("units_leaving_early", self.units_leaving_early),
            Variable::fact("units_with_duplicates", self.duplicates.units),
            Variable::fact("units_that_change_group", self.group_changes.units),
            Variable::fact("units_that_change_cluster", self.cluster_changes.units),
            Variable::fact("command", self.command.as_str()),
        ]
    }

    fn messages(&self) -> Vec<Message> {
        self.findings.iter().cloned().map(Message::from).collect()
    }

    #[cfg(feature = "plot")]
    fn picture(&self, options: &PlotOptions) -> Result<Picture> {
        let words = ChartWords { title: "Share of Units Treated", x_label: &self.time };
        let share = |period: &PeriodDescription| {
            let share = Estimate { estimate: Some(period.treated_share()), ..Estimate::default() };
            PlotRow::new(period.period, &share)
        };
        let rows = self.periods.iter().filter_map(share).collect();
        let facet = Facet::new(String::new(), checked(rows)?);
        let mut chart = Chart::new(&words, ("Share treated", &self.group), vec![facet], options);
        chart.frequency = self.frequency;
        Ok(Picture::Chart(chart))
    }
}

impl PeriodDescription {
    /// Share of the units observed that are treated.
    fn treated_share(&self) -> f64 {
        self.treated as f64 / self.rows.max(1) as f64
    }
}

impl Description {
    fn period(&self, period: f64) -> String {
        shown(period, self.frequency)
    }

    fn cohort_name(&self, cohort: &CohortDescription) -> String {
        cohort.group.map_or_else(|| "never treated".into(), |group| self.period(group))
    }

    fn cohort_section(&self) -> Section {
        let header = ["First Treated", "Units", "Share", "Rows", "Weight Share", "Clusters"];
        let row = |cohort: &CohortDescription| {
            let name = self.cohort_name(cohort);
            let remark = match cohort.status {
                CohortStatus::AlreadyTreated => " (always treated)",
                CohortStatus::TreatedAfter => " (after the last period)",
                CohortStatus::Treated | CohortStatus::NeverTreated => "",
            };
            vec![
                name + remark,
                cohort.units.to_string(),
                percent(cohort.unit_share),
                cohort.rows.to_string(),
                cohort.weight_share.map_or_else(String::new, percent),
                cohort.clusters.map_or_else(String::new, |clusters| clusters.to_string()),
            ]
        };
        section("Cohorts", header, self.cohorts.iter().map(row))
    }

    fn period_section(&self) -> Section {
        let header = ["Period", "Rows", "Treated", "Entering", "Leaving", ""];
        let row = |period: &PeriodDescription| {
            let counts = [period.rows, period.treated, period.entering, period.leaving];
            let counts = counts.map(|count| count.to_string());
            [vec![self.period(period.period)], counts.to_vec(), vec![String::new()]].concat()
        };
        section("Periods", header, self.periods.iter().map(row))
    }

    fn design_section(&self) -> Section {
        let header = ["Options", "Units", "Rows", "Periods", "Groups", ""];
        let row = |design: &SampleOfDesign| {
            let counts = [design.units, design.rows, design.periods.len(), design.groups.len()];
            let counts = match design.refused {
                None => counts.map(|count| count.to_string()),
                Some(_) => ["none", "", "", ""].map(str::to_owned),
            };
            [vec![design.options.clone()], counts.to_vec(), vec![String::new()]].concat()
        };
        section("What att-gt would use", header, self.designs.iter().map(row))
    }

    fn notes(&self) -> Vec<String> {
        let complete = match self.n_rows - self.n_complete {
            0 => String::new(),
            dropped => format!(", of which {dropped} lack a value that is needed"),
        };
        let mut notes = vec![format!("Rows: {}{complete}", self.n_rows)];
        if self.unit.is_some() {
            notes.push(format!("Units: {}, {}", self.n_units, self.layout.label()));
            let counts = [
                (self.units_in_all_periods, "observed in all periods"),
                (self.units_with_gaps, "with a gap"),
                (self.units_entering_late, "entering late"),
                (self.units_leaving_early, "leaving early"),
            ];
            let counts = counts.map(|(units, what)| format!("{what} {units}"));
            notes.push(format!("Of the units: {}", counts.join(", ")));
        }
        if !self.missing.is_empty() {
            let missing = self.missing.iter().map(|(column, rows)| format!("{column} ({rows})"));
            notes.push(format!("Rows without a value: {}", missing.collect::<Vec<_>>().join(", ")));
        }
        notes.extend(foot::reading(&self.files, &self.read_as_missing));
        for design in &self.designs {
            let said = design.left_out.iter().chain(&design.refused);
            notes.extend(said.map(|what| format!("{}: {what}", design.options)));
        }
        notes.extend(self.findings.iter().map(|finding| format!("Note: {finding}")));
        if !self.command.is_empty() {
            notes.push(format!("To estimate: {}", self.command));
        }
        notes
    }
}

fn section(
    caption: &str,
    header: [&str; COLUMNS],
    rows: impl Iterator<Item = Vec<String>>,
) -> Section {
    Section {
        caption: Some(caption.to_owned()),
        header: header.map(ToOwned::to_owned).into(),
        rows: rows.collect(),
    }
}

fn percent(share: f64) -> String {
    format!("{:.1}%", 100.0 * share)
}

result!(Description);

/// The share of units of each cohort.
impl Comparable for Description {
    fn terms(&self) -> Vec<Term> {
        let term = |cohort: &CohortDescription| {
            Term::new(
                format!("Share of cohort {}", self.cohort_name(cohort)),
                [cohort.group.unwrap_or(f64::INFINITY), 0.0, 0.0],
                Estimate { estimate: Some(cohort.unit_share), ..Estimate::default() },
                Band::Pointwise,
            )
        };
        self.cohorts.iter().map(term).collect()
    }

    fn facts(&self) -> Vec<(String, String)> {
        let facts = [
            ("Rows", self.n_rows.to_string()),
            ("Units", self.n_units.to_string()),
            ("Periods", self.periods.len().to_string()),
        ];
        facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    fn alpha(&self) -> f64 {
        crate::base::options::defaults::ALPHA
    }
}
