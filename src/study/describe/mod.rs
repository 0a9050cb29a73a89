//! What kind of panel the data are: [`Description`].

mod check;
mod command;
mod findings;
mod report;
mod result;
mod uses;

use crate::base::calendar::Calendar;
use crate::base::error::Result;
use crate::read::files::FilesRead;
use crate::read::input::Data;
use crate::read::panel::Layout;
use crate::read::panel::overview::{GroupUnits, Overview};
use crate::study::explore::Explore;

pub use result::{
    CohortDescription, CohortStatus, Description, Irregularity, PeriodDescription, SampleOfDesign,
};

impl Explore {
    /// What kind of panel the data are, when which cohorts are treated, and what estimators would use.
    ///
    /// # Errors
    /// [`DidError::ColumnNotFound`](crate::DidError::ColumnNotFound), [`DidError::ColumnType`](crate::DidError::ColumnType) and others
    /// about a column, [`DidError::Io`](crate::DidError::Io) and others about a file,
    /// [`DidError::EmptySample`](crate::DidError::EmptySample) if no row has all values.
    pub fn describe<'a>(&self, data: impl Into<Data<'a>>) -> Result<Description> {
        let data = data.into();
        let decimal = data.decimal_mark();
        let (overview, files) = self.look(&self.columns(), data)?;
        let mut description = describe(self, &overview, files);
        description.command = command::suggested(&description, self, &overview, decimal);
        Ok(description)
    }
}

/// Puts what the rows show in words.
fn describe(options: &Explore, overview: &Overview, files: FilesRead) -> Description {
    let calendar = Calendar { frequency: options.frequency, ..Calendar::default() };
    let periods = periods(overview);
    let layout = layout(overview, options.unit.is_none());
    let designs = uses::designs(options, layout, overview, &calendar);
    let mut description = Description {
        outcome: options.outcome.clone(),
        unit: options.unit.clone(),
        time: options.time.clone(),
        group: options.group.clone().unwrap_or_default(),
        weights: options.weights.clone(),
        cluster: options.cluster.clone(),
        covariates: options.covariates.clone(),
        frequency: options.frequency,
        files,
        layout,
        n_rows: overview.rows,
        n_complete: overview.rows - overview.incomplete,
        n_units: overview.found.groups.iter().map(|group| group.units).sum(),
        n_clusters: options.cluster.as_ref().map(|_| uses::clusters(overview, |_| true)),
        cohorts: cohorts(options, overview),
        periods,
        units_in_all_periods: count(overview, |observed, all| observed.len() == all.len()),
        units_with_gaps: count(overview, has_gap),
        units_entering_late: count(overview, |observed, all| observed.first() > all.first()),
        units_leaving_early: count(overview, |observed, all| observed.last() < all.last()),
        duplicates: Irregularity::new(&overview.found.duplicates),
        group_changes: Irregularity::new(&overview.found.group_changes),
        cluster_changes: Irregularity::new(&overview.found.cluster_changes),
        varying: overview.found.varying.iter().filter(|(_, units)| *units > 0).cloned().collect(),
        missing: overview.missing.clone(),
        read_as_missing: overview.marked_as_missing(options.group.as_ref()),
        designs,
        findings: Vec::new(),
        command: String::new(),
    };
    description.findings = findings::findings(&description, options, overview, &calendar);
    description
}

/// Whether a unit misses a period between its first and its last.
fn has_gap(observed: &[f64], all: &[f64]) -> bool {
    let at = |value: &f64| all.partition_point(|period| period < value);
    match (observed.first(), observed.last()) {
        (Some(first), Some(last)) => at(last) + 1 - at(first) > observed.len(),
        _ => false,
    }
}

/// Units with some rows, of which a test of their periods and all periods holds.
fn count(overview: &Overview, test: impl Fn(&[f64], &[f64]) -> bool) -> usize {
    let holds = |periods: &[f64]| !periods.is_empty() && test(periods, overview.periods());
    overview.units().filter(|(_, periods, _)| holds(periods)).map(|(_, _, units)| units).sum()
}

fn layout(overview: &Overview, by_row: bool) -> Layout {
    let balanced = count(overview, |observed, all| observed.len() < all.len()) == 0;
    match (by_row, balanced) {
        (true, _) => Layout::RepeatedCrossSections,
        (false, true) => Layout::Balanced,
        (false, false) => Layout::Unbalanced,
    }
}

fn cohorts(options: &Explore, overview: &Overview) -> Vec<CohortDescription> {
    let groups = &overview.found.groups;
    let periods = overview.periods();
    let [first, last] = [periods.first(), periods.last()].map(|p| p.copied().unwrap_or(f64::NAN));
    let (grid, early) = (overview.grid(), f64::from(options.anticipation));
    let until = |from: f64, group: f64| grid.elapsed(from, group) - early;
    let all = |of: fn(&GroupUnits) -> f64| groups.iter().map(of).sum::<f64>();
    let (units, weight) = (all(|group| group.units as f64), all(|group| group.weight.value()));
    let rows = |g: usize| (0..periods.len()).map(|t| overview.found.cells.at(g, t).rows).sum();
    let described = overview.group_values().iter().zip(groups).enumerate();
    let described = described.filter(|(_, (_, group))| group.units > 0);
    let cohort = |(g, (value, group)): (usize, (&f64, &GroupUnits))| CohortDescription {
        group: Some(*value).filter(|value| value.is_finite()),
        status: match *value {
            never if never.is_infinite() => CohortStatus::NeverTreated,
            group if until(first, group) <= 0.0 => CohortStatus::AlreadyTreated,
            group if until(last, group) > 0.0 => CohortStatus::TreatedAfter,
            _ => CohortStatus::Treated,
        },
        units: group.units,
        rows: rows(g),
        unit_share: group.units as f64 / units,
        weight_share: Some(group.weight.value() / weight)
            .filter(|share| share.is_finite() && options.weights.is_some()),
        clusters: options.cluster.as_ref().map(|_| group.clusters.len()),
    };
    described.map(cohort).collect()
}

fn periods(overview: &Overview) -> Vec<PeriodDescription> {
    let all = overview.periods();
    let cells = &overview.found.cells;
    let rows = |t: usize| (0..cells.groups.len()).map(|g| cells.at(g, t).rows).sum();
    let empty = |(t, period): (usize, &f64)| PeriodDescription {
        period: *period,
        rows: rows(t),
        treated: 0,
        entering: 0,
        leaving: 0,
    };
    let mut described: Vec<PeriodDescription> = all.iter().enumerate().map(empty).collect();
    let at = |period: &f64| all.partition_point(|known| known < period);
    for (group, observed, units) in overview.units() {
        let (Some(first), Some(last)) = (observed.first(), observed.last()) else { continue };
        described[at(first)].entering += units;
        if at(last) + 1 < all.len() {
            described[at(last)].leaving += units;
        }
        for period in observed.iter().filter(|period| group <= **period) {
            described[at(period)].treated += units;
        }
    }
    described
}
