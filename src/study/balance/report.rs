//! Balance in print.

use super::{Balance, BalanceRow};
use crate::base::calendar::{named, shown};
use crate::base::error::Message;
#[cfg(feature = "plot")]
use crate::base::error::Result;
use crate::base::options::{Band, ControlGroup};
use crate::report::compare::{Comparable, Term};
use crate::report::contract::Report;
use crate::report::declare::result;
use crate::report::estimates::{Estimates, Variable};
use crate::report::foot;
use crate::report::number::{Digits, first_of, fixed};
#[cfg(feature = "plot")]
use crate::report::plot::chart::{
    Body, Chart, ChartWords, Dot, Facet, LARGEST, no_estimate, ranked,
};
#[cfg(feature = "plot")]
use crate::report::plot::legend::{LegendEntry, LegendKey};
#[cfg(feature = "plot")]
use crate::report::plot::scene::MUTED;
#[cfg(feature = "plot")]
use crate::report::plot::{Picture, PlotOptions};
use crate::report::table::{Align, Section, Table};
use crate::result::inference::Estimate;

const TITLE: &str = "Balance of Cohorts and Comparison Units";

/// Cohorts or variables that a note names, at most.
const NAMED: usize = 5;

/// Differences beyond this ask for attention (Imbens and Rubin 2015, chapter 14).
#[cfg(feature = "plot")]
const LARGE: f64 = 0.25;

impl Report for Balance {
    const KIND: &'static str = "balance";

    fn table(&self) -> Table {
        let header =
            ["", "Treated", "Comparison", "Norm. Diff.", "Var. Ratio", "Treated N", "Comparison N"];
        let header: Vec<String> = header.map(ToOwned::to_owned).into();
        let means = self.rows.iter().flat_map(|row| [row.treated_mean, row.control_mean]);
        let largest = means.flatten().map(f64::abs).fold(0.0, f64::max);
        let decimals = if largest >= 1e4 { 2 } else { 4 };
        let row = |row: &BalanceRow| {
            let means = [row.treated_mean, row.control_mean]
                .map(|mean| mean.map_or_else(String::new, |mean| fixed(mean, decimals)));
            let ratios = [row.normalized_difference, row.variance_ratio]
                .map(|ratio| ratio.map_or_else(String::new, |_| Digits::Fixed(3).show(ratio)));
            let counts = [row.n_treated, row.n_control].map(|n| n.to_string());
            [vec![row.name()], means.to_vec(), ratios.to_vec(), counts.to_vec()].concat()
        };
        let sections = self.rows.chunk_by(|a, b| a.group == b.group).map(|rows| Section {
            caption: rows.first().map(|first| self.cohort(first)),
            header: header.clone(),
            rows: rows.iter().map(row).collect(),
        });
        let mut align = vec![Align::Right; header.len()];
        align[0] = Align::Left;
        Table {
            title: TITLE.into(),
            align,
            sections: sections.collect(),
            notes: self.notes(),
            caption: Some(TITLE.into()),
            label: Some("balance".into()),
            ..Table::default()
        }
    }

    fn estimates(&self) -> Vec<Estimates> {
        let groups = self.rows.iter().map(|row| Some(named(row.group, self.frequency)));
        let periods = self.rows.iter().map(|row| Some(named(row.period, self.frequency)));
        let variables = self.rows.iter().map(|row| Some(row.variable.clone()));
        let keys = vec![
            Variable::words("group", groups),
            Variable::words("time", periods),
            Variable::words("variable", variables),
            Variable::flags("change", self.rows.iter().map(|row| row.change)),
        ];
        let number = |name: &str, of: fn(&BalanceRow) -> Option<f64>| {
            Variable::numbers(name, self.rows.iter().map(of))
        };
        let differences =
            Estimates::new("balance", keys, self.rows.iter().map(BalanceRow::estimate));
        vec![differences.with([
            number("treated_mean", |row| row.treated_mean),
            number("control_mean", |row| row.control_mean),
            number("treated_variance", |row| row.treated_variance),
            number("control_variance", |row| row.control_variance),
            number("variance_ratio", |row| row.variance_ratio),
            Variable::counts("n_treated", self.rows.iter().map(|row| Some(row.n_treated))),
            Variable::counts("n_control", self.rows.iter().map(|row| Some(row.n_control))),
        ])]
    }

    fn about(&self) -> Vec<Variable> {
        vec![
            Variable::fact("control_group", self.control_group.word()),
            Variable::fact("weights", self.weights.clone()),
            Variable::fact("n_rows", self.read.n_rows),
            Variable::fact("rows_missing", self.read.rows_missing),
        ]
    }

    fn messages(&self) -> Vec<Message> {
        let warnings = self.warnings.iter().map(|warning| warning.message(self.frequency));
        let text =
            self.left_out.iter().map(|name| format!("`{name}` is text and has no mean").into());
        warnings.chain(text).collect()
    }

    #[cfg(feature = "plot")]
    fn picture(&self, options: &PlotOptions) -> Result<Picture> {
        let words =
            ChartWords { title: TITLE, x_label: "Normalised difference, treated − comparison" };
        let cohorts = || self.rows.chunk_by(|a, b| a.group == b.group);
        let facets = cohorts().map(|rows| {
            let dots = rows.iter().enumerate().filter_map(|(name, row)| {
                let value = row.normalized_difference.filter(|value| value.abs() < LARGEST)?;
                Some(Dot { name, value, rank: usize::from(row.change) })
            });
            let is_empty = |row: &&BalanceRow| row.normalized_difference.is_none();
            let failed = (0..rows.len()).filter(|name| is_empty(&&rows[*name]));
            let [group, period] = [rows[0].group, rows[0].period].map(|at| self.period(at));
            Facet {
                dots: dots.collect(),
                failed: failed.map(|name| name as f64).collect(),
                ..Facet::new(format!("Group {group}, in {period}"), Vec::new())
            }
        });
        let facets: Vec<Facet> = facets.collect();
        if facets.iter().all(|facet| facet.dots.is_empty()) {
            return Err(no_estimate());
        }
        let names = cohorts().next().unwrap_or_default().iter().map(BalanceRow::name).collect();
        let mut chart = Chart::new(&words, ("", ""), facets, options);
        if options.y_label.is_none() {
            chart.y_label = String::new();
        }
        chart.body = Body::Dots(names);
        chart.bounds = vec![-LARGE, LARGE];
        if options.show_legend && self.rows.iter().any(|row| row.change) {
            chart.legend = ranked(&["Level", "Change from the period before"], false);
        }
        if options.show_legend && chart.facets.iter().any(|facet| !facet.failed.is_empty()) {
            let (key, label) = (LegendKey::Cross(MUTED), "Not defined".into());
            chart.legend.push(LegendEntry { key, label });
        }
        chart.remarks = vec![format!("Dashed: differences of {LARGE} standard deviations")];
        chart.remarks.extend(self.without_difference());
        Ok(Picture::Chart(chart))
    }
}

/// Why a row has no difference.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Missing {
    /// Changes without rows in the period before.
    Before,
    /// Too few rows for a variance.
    Rows,
    /// Rows that are all the same.
    Variance,
}

impl BalanceRow {
    /// Why it has no difference.
    fn missing(&self) -> Missing {
        match (self.treated_variance, self.control_variance) {
            _ if self.change && (self.n_treated == 0 || self.n_control == 0) => Missing::Before,
            (Some(_), Some(_)) => Missing::Variance,
            _ => Missing::Rows,
        }
    }

    fn name(&self) -> String {
        if self.change { format!("change of {}", self.variable) } else { self.variable.clone() }
    }

    fn estimate(&self) -> Estimate {
        Estimate { estimate: self.normalized_difference, ..Estimate::default() }
    }
}

impl Balance {
    fn period(&self, period: f64) -> String {
        shown(period, self.frequency)
    }

    fn cohort(&self, row: &BalanceRow) -> String {
        format!(
            "First treated in {}, observed in {}",
            self.period(row.group),
            self.period(row.period)
        )
    }

    /// Why rows have no difference, a line a reason.
    fn without_difference(&self) -> Vec<String> {
        let rows: Vec<&BalanceRow> =
            self.rows.iter().filter(|row| row.normalized_difference.is_none()).collect();
        let listed = |reason: Missing, name: &dyn Fn(&BalanceRow) -> String| {
            let of = rows.iter().filter(|row| row.missing() == reason).map(|row| name(row));
            let mut names: Vec<String> = of.collect();
            names.dedup();
            (!names.is_empty()).then(|| first_of(&names, NAMED, ", "))
        };
        let group = |row: &BalanceRow| self.period(row.group);
        let variable = |row: &BalanceRow| format!("{} (cohort {})", row.name(), group(row));
        let reasons = [
            listed(Missing::Before, &group).map(|groups| {
                format!("Not defined for changes of cohort {groups}: no units that have rows in the period before, too")
            }),
            listed(Missing::Rows, &group).map(|groups| {
                let weight = if self.weights.is_some() { " that has a weight" } else { "" };
                format!("Not defined for cohort {groups}: a cohort or comparison group of one row{weight} has no variance")
            }),
            listed(Missing::Variance, &variable)
                .map(|names| format!("Not defined, as nothing varies: {names}")),
        ];
        reasons.into_iter().flatten().collect()
    }

    fn notes(&self) -> Vec<String> {
        let units = match (self.control_group, self.last_cohort) {
            (_, Some(last)) => {
                format!("first treated in {}, as none are never treated", self.period(last))
            }
            (ControlGroup::NeverTreated, None) => "never treated".into(),
            _ => "treated later than the cohort, or never".into(),
        };
        let weights = self.weights.as_deref().unwrap_or("none");
        let mut notes = vec![
            "Norm. Diff.: difference of means over the root of the average variance".into(),
            format!("Comparison units: {units}, Weights: {weights}"),
            format!("Rows: {}", self.read.n_rows),
        ];
        notes.extend(self.read.missing_note());
        notes.extend(self.without_difference());
        notes.extend(foot::reading(&self.read.files, &[]));
        notes.extend(self.messages().into_iter().map(|message| format!("Warning: {message}")));
        notes
    }
}

result!(Balance);

/// The normalised differences.
impl Comparable for Balance {
    fn terms(&self) -> Vec<Term> {
        let term = |(number, row): (f64, &BalanceRow)| {
            Term::new(
                format!("{}, cohort {}", row.name(), self.period(row.group)),
                [row.group, number, 0.0],
                row.estimate(),
                Band::Pointwise,
            )
        };
        self.rows.iter().enumerate().map(|(number, row)| term((number as f64, row))).collect()
    }

    fn facts(&self) -> Vec<(String, String)> {
        vec![("Rows".to_owned(), self.read.n_complete().to_string())]
    }

    fn alpha(&self) -> f64 {
        crate::base::options::defaults::ALPHA
    }
}
