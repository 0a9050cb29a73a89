//! Rows, cohorts and periods, and what is compared with what.

use crate::base::calendar::{FittedCalendar, TimeGrid};
use crate::base::error::{DidError, DidWarning, Result};
use crate::base::options::ControlGroup;
use crate::engine::backend::DidBackend;
use crate::read::columns::{Kind, MissingValues, ReadAsMissing, Table, Wanted};
use crate::read::files::FilesRead;
use crate::read::input::{Data, Read};
use crate::read::panel::far_groups;

use super::options::Etwfe;

/// Rows that can be used, by number in the frame.
pub(super) struct Sample {
    pub frame: polars::prelude::DataFrame,
    pub rows: Vec<usize>,
    pub weights: Option<Vec<f64>>,
    /// `[covariate][row]`, the moderator last.
    pub covariates: Vec<Vec<f64>>,
    /// Number of each row's cohort among `cohorts`.
    pub cohort: Vec<usize>,
    /// Number of each row's period among `periods`.
    pub period: Vec<usize>,
    pub cohorts: Vec<Cohort>,
    pub periods: Vec<f64>,
    grid: TimeGrid,
    pub files: FilesRead,
    pub read_as_missing: Vec<ReadAsMissing>,
    pub rows_in: usize,
    pub rows_missing: usize,
    pub warnings: Vec<DidWarning>,
}

/// Rows that are first treated in the same period.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cohort {
    /// First treated period; infinite if never treated.
    pub group: f64,
    /// Its number among the periods.
    pub start: usize,
    /// Whether others are compared with it.
    pub reference: bool,
}

impl Sample {
    /// Reads the columns of an estimator.
    ///
    /// # Errors
    /// Errors about a file or a column; [`DidError::EmptySample`], [`DidError::TooFewPeriods`], [`DidError::NoNeverTreated`],
    /// [`DidError::NoValidGroups`].
    pub fn read<B: DidBackend>(config: &Etwfe<B>, data: Data<'_>) -> Result<Self> {
        let missing = MissingValues::new(config.missing_values.as_deref());
        let clusters: Vec<&String> = config.clusters().collect();
        let wanted = Wanted::default()
            .and("outcome", Kind::Value, [&config.outcome])
            .and("time", Kind::Value, [&config.time])
            .and("group", Kind::Value, [&config.group])
            .and("weights", Kind::Value, &config.weights)
            .and("unit", Kind::Label, &config.unit)
            .and("cluster", Kind::Label, clusters)
            .and("covariate", Kind::Value, config.covariates.iter().chain(&config.moderator));
        let Read { frame, files, read_as_missing } = data.read(&wanted, &missing, None)?;
        let table = Table::read(&frame, &wanted, &missing, 0)?;
        let outcome = table.numbers(&config.outcome, "outcome")?;
        let time = table.periods(&config.time, config.frequency)?;
        let group = table.first_periods(&config.group, config.frequency)?;
        let weights = config.weights.as_ref().map(|name| table.weights(name)).transpose()?;
        let names = config.covariates.iter().chain(&config.moderator);
        let covariates =
            names.map(|name| table.numbers(name, "covariate")).collect::<Result<Vec<_>>>()?;
        let len = table.len();
        let complete = |row: &usize| {
            outcome[*row].is_finite()
                && !time.is_missing(*row)
                && !group.is_missing(*row)
                && weights.as_ref().is_none_or(|w| w[*row].is_finite())
                && covariates.iter().all(|x| x[*row].is_finite())
        };
        let has_weight = |row: &usize| weights.as_ref().is_none_or(|w| w[*row] > 0.0);
        let all: Vec<usize> = (0..len).filter(complete).collect();
        let rows_missing = len - all.len();
        let rows: Vec<usize> = all.into_iter().filter(has_weight).collect();
        if rows.is_empty() {
            return Err(DidError::EmptySample {
                after: "after dropping rows with missing or non-finite values and rows without weight",
                remedy: "check the columns for nulls and infinities, and the weights",
            });
        }
        let times: Vec<f64> = rows.iter().map(|row| time.value(time.codes[*row])).collect();
        let groups: Vec<f64> = rows.iter().map(|row| group.value(group.codes[*row])).collect();
        let distinct = |values: &[f64]| {
            let mut values = values.to_vec();
            values.sort_by(f64::total_cmp);
            values.dedup();
            values
        };
        let periods = distinct(&times);
        if periods.len() < 2 {
            return Err(DidError::TooFewPeriods { periods: periods.len() });
        }
        let (first, last) = (periods[0], periods[periods.len() - 1]);
        let found = distinct(&groups);
        let near: Vec<f64> =
            found.iter().copied().filter(|g| *g >= first - 1.0 && *g <= last + 1.0).collect();
        let FittedCalendar { grid, approximate } = FittedCalendar::new(&periods, &near);
        let mut warnings: Vec<DidWarning> = approximate
            .map(|per_unit| DidWarning::UnevenPeriods { per_unit })
            .into_iter()
            .collect();
        warnings.extend(far_groups(found.iter().copied(), periods.iter().copied()));
        if rows_missing > 0 {
            warnings.push(DidWarning::DroppedRows { rows: rows_missing });
        }
        let mut sample = Self {
            weights: weights.map(|w| rows.iter().map(|row| w[*row]).collect()),
            covariates: covariates
                .iter()
                .map(|x| rows.iter().map(|row| x[*row]).collect())
                .collect(),
            cohort: Vec::new(),
            period: times.iter().map(|t| periods.partition_point(|p| p < t)).collect(),
            cohorts: Vec::new(),
            frame,
            rows,
            periods,
            grid,
            files,
            read_as_missing,
            rows_in: len,
            rows_missing,
            warnings,
        };
        sample.form_cohorts(config, &groups)?;
        Ok(sample)
    }

    /// The number of the first treated period of a group; that of periods if it is never treated.
    fn start(&self, group: f64) -> usize {
        let is_before = |period: &f64| {
            group.is_infinite() || *period < group && !self.grid.is_same(*period, group)
        };
        self.periods.iter().take_while(|period| is_before(period)).count()
    }

    fn form_cohorts<B: DidBackend>(&mut self, config: &Etwfe<B>, groups: &[f64]) -> Result<()> {
        let starts: Vec<usize> = groups.iter().map(|group| self.start(*group)).collect();
        let already = starts.iter().filter(|start| **start == 0).count();
        if already > 0 {
            self.warnings.push(DidWarning::AlreadyTreatedRows { rows: already });
        }
        let mut distinct: Vec<usize> = starts.iter().copied().filter(|start| *start > 0).collect();
        distinct.sort_unstable();
        distinct.dedup();
        let never = self.periods.len();
        let treated: Vec<usize> = distinct.iter().copied().filter(|start| *start < never).collect();
        let Some(last) = treated.last().copied() else {
            return Err(DidError::NoValidGroups { anticipating: String::new() });
        };
        let reference = match (distinct.contains(&never), config.control_group) {
            (true, _) => never,
            (false, ControlGroup::NeverTreated) => return Err(DidError::NoNeverTreated),
            (false, ControlGroup::NotYetTreated) => last,
        };
        if reference == last {
            if treated.len() < 2 {
                return Err(DidError::NoNeverTreated);
            }
            let group = self.periods[last];
            self.warnings.push(DidWarning::LastCohortAsControl { group });
        }
        // The reference has no treated row.
        let kept = |at: &usize| starts[*at] > 0 && self.period[*at] < reference;
        let kept: Vec<usize> = (0..starts.len()).filter(kept).collect();
        let order: Vec<usize> = std::iter::once(reference)
            .chain(distinct.iter().copied().filter(|start| *start != reference))
            .collect();
        let cohort = |start: &usize| Cohort {
            group: self.periods.get(*start).copied().unwrap_or(f64::INFINITY),
            start: *start,
            reference: *start == reference,
        };
        self.cohorts = order.iter().map(cohort).collect();
        let number = |start: usize| order.iter().position(|own| *own == start).unwrap_or(0);
        self.cohort = kept.iter().map(|at| number(starts[*at])).collect();
        self.period = kept.iter().map(|at| self.period[*at]).collect();
        self.rows = kept.iter().map(|at| self.rows[*at]).collect();
        let taken = |values: &Vec<f64>| kept.iter().map(|at| values[*at]).collect();
        self.weights = self.weights.as_ref().map(taken);
        self.covariates = self.covariates.iter().map(taken).collect();
        let periods = self.periods.len().min(reference);
        self.periods.truncate(periods);
        match periods {
            0..2 => Err(DidError::TooFewPeriods { periods }),
            _ => Ok(()),
        }
    }

    /// Periods since the first treated one of a cohort.
    pub fn event_time(&self, cohort: usize, period: usize) -> f64 {
        self.grid.elapsed(self.cohorts[cohort].group, self.periods[period])
    }

    pub fn weight(&self, at: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |w| w[at])
    }
}
