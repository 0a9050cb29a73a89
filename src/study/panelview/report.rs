//! Views of a panel in print.

#[cfg(feature = "plot")]
use super::TreatmentStatus;
use super::{PanelView, TreatmentPattern};
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
use crate::report::number::counted;
#[cfg(feature = "plot")]
use crate::report::number::grouped;
#[cfg(feature = "plot")]
use crate::report::plot::mosaic::{Mosaic, MosaicBlock, MosaicRow, MosaicWords};
#[cfg(feature = "plot")]
use crate::report::plot::{Colour, Picture, PlotOptions};
use crate::report::table::{Align, Section, Table};
use crate::result::inference::Estimate;

const TITLE: &str = "Treatment Status";

/// Patterns that a table shows, at most; data frames and files have all.
const SHOWN: usize = 40;

impl TreatmentPattern {
    /// The statuses as a text of [letters](TreatmentStatus::letter), one a period.
    #[must_use]
    pub fn letters(&self) -> String {
        self.statuses.iter().map(|status| status.letter()).collect()
    }
}

#[cfg(feature = "plot")]
impl TreatmentStatus {
    /// Colours that are told apart by colour-blind readers, and by how dark they are in grey print.
    fn colour(self) -> Colour {
        match self {
            Self::Missing => Colour(255, 255, 255),
            Self::NeverTreated => Colour(226, 226, 226),
            Self::NotYetTreated => Colour(160, 203, 232),
            Self::Treated => Colour(0, 114, 178),
            Self::AlwaysTreated => Colour(18, 40, 76),
            Self::Ended => Colour(224, 142, 32),
        }
    }
}

impl Report for PanelView {
    const KIND: &'static str = "panel_view";

    fn table(&self) -> Table {
        let mut largest: Vec<usize> = self.patterns.iter().map(|pattern| pattern.units).collect();
        largest.sort_unstable_by(|a, b| b.cmp(a));
        let least = largest.get(SHOWN - 1).copied().unwrap_or(0);
        let at_least = self.patterns.iter().filter(|pattern| pattern.units >= least);
        let shown: Vec<&TreatmentPattern> = at_least.take(SHOWN).collect();
        let row = |pattern: &&TreatmentPattern| {
            let share = pattern.units as f64 / self.n_units.max(1) as f64;
            vec![
                self.first_treated(pattern),
                pattern.letters(),
                pattern.units.to_string(),
                format!("{:.1}%", 100.0 * share),
            ]
        };
        let header = ["First Treated", "Periods", "Units", "Share"].map(ToOwned::to_owned);
        let section =
            Section { header: header.into(), rows: shown.iter().map(row).collect(), caption: None };
        Table {
            title: TITLE.into(),
            align: vec![Align::Left, Align::Left, Align::Right, Align::Right],
            sections: vec![section],
            notes: self.notes(&shown),
            caption: Some(TITLE.into()),
            label: Some("panelview".into()),
            ..Table::default()
        }
    }

    fn estimates(&self) -> Vec<Estimates> {
        let patterns = || self.patterns.iter();
        let share = |pattern: &TreatmentPattern| Estimate {
            estimate: Some(pattern.units as f64 / self.n_units.max(1) as f64),
            ..Estimate::default()
        };
        let keys = vec![
            Variable::words("group", patterns().map(|pattern| Some(self.key(pattern)))),
            Variable::words("pattern", patterns().map(|pattern| Some(pattern.letters()))),
        ];
        let units = Variable::counts("units", patterns().map(|pattern| Some(pattern.units)));
        let rows = |of: fn(&TreatmentPattern) -> &Vec<usize>| {
            patterns().map(move |pattern| self.by_cohort.then(|| of(pattern).iter().sum()))
        };
        vec![Estimates::new("patterns", keys, patterns().map(share)).with([
            units,
            Variable::counts("rows", rows(|pattern| &pattern.observed)),
            Variable::counts("rows_ended", rows(|pattern| &pattern.ended)),
        ])]
    }

    fn about(&self) -> Vec<Variable> {
        let periods: Vec<String> =
            self.periods.iter().map(|period| named(*period, self.frequency)).collect();
        vec![
            Variable::fact("n_rows", self.read.n_rows),
            Variable::fact("rows_missing", self.read.rows_missing),
            Variable::fact("n_units", self.n_units),
            Variable::fact("n_patterns", self.patterns.len()),
            Variable::fact("by_cohort", self.by_cohort),
            Variable::fact("periods", periods.join(" ")),
            Variable::fact("units_with_duplicates", self.units_with_duplicates),
            Variable::fact("units_that_change_group", self.units_that_change_group),
        ]
    }

    fn messages(&self) -> Vec<Message> {
        let warnings = self.warnings.iter().map(|warning| warning.message(self.frequency));
        let mut all: Vec<Message> = warnings.collect();
        if self.units_with_duplicates > 0 {
            let units = counted(self.units_with_duplicates, "unit has", "units have");
            all.push(format!("{units} several rows in a period").into());
        }
        if self.units_that_change_group > 0 {
            let units = counted(self.units_that_change_group, "unit has", "units have");
            let message =
                format!("{units} several first treated periods; that of the first row counts");
            all.push(message.into());
        }
        all
    }

    #[cfg(feature = "plot")]
    fn picture(&self, options: &PlotOptions) -> Result<Picture> {
        let cohorts = self.patterns.chunk_by(|a, b| a.group == b.group);
        let row = |pattern: &TreatmentPattern| MosaicRow {
            size: pattern.units,
            cells: pattern.statuses.iter().map(|status| *status as usize).collect(),
        };
        let block = |patterns: &[TreatmentPattern]| {
            let units: usize = patterns.iter().map(|pattern| pattern.units).sum();
            MosaicBlock {
                label: format!("{} ({})", self.first_treated(&patterns[0]), grouped(units)),
                rows: patterns.iter().map(row).collect(),
            }
        };
        let status = |status: TreatmentStatus| (status.label(), status.colour());
        Ok(Picture::Mosaic(Mosaic {
            words: MosaicWords {
                title: match self.by_cohort {
                    true => "Treatment Status by Cohort".into(),
                    false => TITLE.into(),
                },
                x: self.time.clone(),
                y: "First treated (units)".into(),
                one: "unit",
                several: "units",
                kind: if self.by_cohort { "cohort" } else { "pattern" },
            },
            columns: self.periods.clone(),
            frequency: self.frequency,
            kinds: TreatmentStatus::all().map(status).collect(),
            blocks: cohorts.map(block).collect(),
            whole: self.by_cohort,
            remarks: self.messages().into_iter().map(|message| message.text).collect(),
            show_legend: options.show_legend,
        }))
    }
}

impl PanelView {
    fn period(&self, period: f64) -> String {
        shown(period, self.frequency)
    }

    /// The cohort in data frames.
    fn key(&self, pattern: &TreatmentPattern) -> String {
        let name = |group| named(group, self.frequency);
        pattern.group.map_or_else(|| "never treated".into(), name)
    }

    fn cohort(&self, pattern: &TreatmentPattern) -> String {
        pattern.group.map_or_else(|| "never treated".into(), |group| self.period(group))
    }

    /// The cohort in tables and pictures: units that are treated from the first period of the data on may have been treated before.
    fn first_treated(&self, pattern: &TreatmentPattern) -> String {
        let from_start = self.treatment.is_some()
            && pattern.group.is_some_and(|group| self.periods.first() == Some(&group));
        let cohort = self.cohort(pattern);
        if from_start { format!("{cohort} or before") } else { cohort }
    }

    fn notes(&self, shown: &[&TreatmentPattern]) -> Vec<String> {
        let ends = [self.periods.first(), self.periods.last()];
        let ends = ends.map(|end| end.map_or_else(String::new, |period| self.period(*period)));
        let mut notes = vec![
            format!("Units: {}, Periods: {}, {} to {}", self.n_units, self.periods.len(), ends[0], ends[1]),
            "Letters: . missing, n never treated, o not yet treated, x treated, a always treated, e treatment ended".into(),
        ];
        if self.by_cohort {
            notes.push("A cohort has the status of most of its units that are observed".into());
        }
        let left: usize = self.n_units - shown.iter().map(|pattern| pattern.units).sum::<usize>();
        if left > 0 {
            let patterns = self.patterns.len() - shown.len();
            notes.push(format!(
                "Not shown: {} of {}; `to_csv` (`--format csv`) has all",
                counted(patterns, "smaller pattern", "smaller patterns"),
                counted(left, "unit", "units")
            ));
        }
        notes.extend(self.read.missing_note());
        notes.extend(foot::reading(&self.read.files, &[]));
        notes.extend(self.messages().iter().map(|message| format!("Warning: {message}")));
        notes
    }
}

result!(PanelView);

/// The share of units of each pattern.
impl Comparable for PanelView {
    fn terms(&self) -> Vec<Term> {
        let term = |(index, pattern): (usize, &TreatmentPattern)| {
            let share = pattern.units as f64 / self.n_units.max(1) as f64;
            Term::new(
                format!("Share of {} ({})", self.cohort(pattern), pattern.letters()),
                [pattern.group.unwrap_or(f64::INFINITY), index as f64, 0.0],
                Estimate { estimate: Some(share), ..Estimate::default() },
                Band::Pointwise,
            )
        };
        self.patterns.iter().enumerate().map(term).collect()
    }

    fn facts(&self) -> Vec<(String, String)> {
        let facts =
            [("Rows", self.read.n_rows), ("Units", self.n_units), ("Periods", self.periods.len())];
        facts.map(|(name, value)| (name.to_owned(), value.to_string())).into()
    }

    fn alpha(&self) -> f64 {
        crate::base::options::defaults::ALPHA
    }
}
