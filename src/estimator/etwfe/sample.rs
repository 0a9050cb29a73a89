//! Rows, cohorts and periods, and what is compared with what.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeSet;

use crate::base::calendar::{FittedCalendar, TimeGrid};
use crate::base::error::{DidError, DidWarning, Result};
use crate::base::options::ControlGroup;
use crate::engine::backend::DidBackend;
use crate::estimator::fixed_effects::{
    CellRows, Identified, SortKeys, UnitRows, canonical, gather,
};
use crate::read::columns::{
    Gaps, Kind, LabelColumn, MISSING, MissingValues, PeriodCodes, ReadAsMissing, Table, Wanted,
    total_order,
};
use crate::read::files::FilesRead;
use crate::read::input::{Data, Read};
use crate::read::panel::{doubtful_times, status_as_group, zero_groups};

use super::moderator::Moderator;
use super::options::Etwfe;

/// Rows that can be used.
pub(super) struct Sample {
    pub frame: polars::prelude::DataFrame,
    /// By number in the frame, in an order that does not depend on the data's, so that no sum does.
    pub rows: Vec<u32>,
    /// Name for a column of the rows' cohorts, which no column of the frame has.
    pub cohort_column: String,
    pub weights: Option<Vec<f64>>,
    /// `[covariate][row]`, the moderator last, if there is one.
    pub covariates: Vec<Vec<f64>>,
    has_moderator: bool,
    /// Names of the moderator's categories, whose numbers are its values; none of a moderator of numbers.
    pub categories: Option<Vec<String>>,
    /// Number of each row's cohort among `cohorts`.
    cohort: Vec<u32>,
    /// Number of each row's period among `periods`.
    period: Vec<u32>,
    /// Number of each row's unit, if there are units.
    pub units: Option<Vec<u32>>,
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
    /// [`DidError::NoComparison`], [`DidError::NoValidGroups`].
    pub fn read<B: DidBackend>(
        config: &Etwfe<B>,
        data: Data<'_>,
        missing: &MissingValues,
    ) -> Result<Self> {
        let clusters: Vec<&String> = config.clusters().collect();
        let wanted = Wanted::default()
            .and("outcome", Kind::Value, [&config.outcome])
            .and("time", Kind::Value, [&config.time])
            .and("group", Kind::Value, [&config.group])
            .and("weights", Kind::Value, &config.weights)
            .and("unit", Kind::Label, &config.unit)
            .and("cluster", Kind::Label, clusters.iter().copied())
            .and("covariate", Kind::Value, config.covariates.iter().chain(&config.moderator));
        let Read { frame, files, mut read_as_missing } = data.read(&wanted, missing, None)?;
        let table = Table::read(&frame, &wanted, missing, 0)?;
        let outcome = table.numbers(&config.outcome, "outcome")?;
        let time = table.periods(&config.time, config.frequency)?;
        let group = table.first_periods(&config.group, config.frequency)?;
        let zeros = table.zero_groups(&config.group, config.frequency, time.lowest())?;
        let weights = config.weights.as_ref().map(|name| table.weights(name)).transpose()?;
        let names = config.covariates.iter();
        let mut covariates =
            names.map(|name| table.numbers(name, "covariate")).collect::<Result<Vec<_>>>()?;
        let mut categories = None;
        if let Some(name) = &config.moderator {
            let moderator = Moderator::read(&table, name)?;
            covariates.push(moderator.values);
            categories = moderator.categories;
        }
        let units = config.unit.as_ref().map(|name| table.labels(name, "unit")).transpose()?;
        let clusters: Vec<(&String, LabelColumn)> = clusters
            .iter()
            .map(|name| Ok((*name, table.labels(name, "cluster")?)))
            .collect::<Result<_>>()?;
        let len = table.len();
        let mut gaps = Gaps::new(len);
        let numbers = std::iter::once((&config.outcome, &outcome))
            .chain(config.weights.iter().zip(&weights))
            .chain(config.covariates.iter().chain(&config.moderator).zip(&covariates));
        for (name, values) in numbers {
            gaps.mark(name, |row| values[row].is_finite());
        }
        gaps.mark(&config.time, |row| !time.is_missing(row));
        gaps.mark(&config.group, |row| !group.is_missing(row));
        // The regression leaves out rows without these, and averages are over its rows.
        let used_unit = config.unit.as_ref().zip(units.as_ref()).filter(|_| config.uses_unit());
        let used = clusters.iter().map(|(name, labels)| (*name, labels)).chain(used_unit);
        for (name, labels) in used.filter(|(_, labels)| labels.has_missing()) {
            gaps.mark(name, |row| labels.is_there(row));
        }
        let is_complete = |row: &u32| gaps.complete.as_ref().is_none_or(|of| of[*row as usize]);
        let has_weight = |row: &u32| weights.as_ref().is_none_or(|w| w[*row as usize] > 0.0);
        let mut rows: Vec<u32> = (0..).take(len).filter(is_complete).collect();
        let rows_missing = len - rows.len();
        rows.retain(has_weight);
        let weightless = len - rows_missing - rows.len();
        let serves = (rows.len() < len).then(|| {
            let mut serves = vec![false; len];
            for row in &rows {
                serves[*row as usize] = true;
            }
            serves
        });
        let of_row = |row: usize| group.of_row(row);
        let without_group =
            table.without_group(&config.group, of_row, serves.as_deref(), |holds| {
                table.units_with(config.unit.as_deref()?, holds)
            })?;
        read_as_missing.extend(table.read_as_missing.iter().cloned());
        without_group.mark(&config.group, &mut read_as_missing);
        if rows.is_empty() {
            return Err(DidError::no_rows(
                "after dropping rows with missing or non-finite values and rows without weight",
                &gaps.missing,
                "check the columns for nulls and infinities, and the weights",
            ));
        }
        let unit_codes = units.as_ref().map(|labels| labels.codes().codes);
        let rows = canonical(
            rows,
            &SortKeys {
                lead: None,
                others: &|row| {
                    let row = row as usize;
                    let unit = unit_codes.as_ref().map_or(0, |codes| u64::from(codes[row]));
                    unit << 32 | u64::from(time.codes[row]) << 16 | u64::from(group.codes[row])
                },
                outcome: &|row| total_order(outcome[row as usize]),
                rest: &|a, b| {
                    let columns = weights.iter().chain(&covariates);
                    let compared = columns.map(|x| x[a as usize].total_cmp(&x[b as usize]));
                    compared.fold(Ordering::Equal, Ordering::then)
                },
            },
        );
        let times = gather(&rows, |row| time.codes[row]);
        let groups = gather(&rows, |row| group.codes[row]);
        let periods = time.finite(times.iter());
        if periods.len() < 2 {
            return Err(DidError::TooFewPeriods { periods: periods.len() });
        }
        let (first, last) = (periods[0], periods[periods.len() - 1]);
        let found = group.finite(groups.iter());
        let near: Vec<f64> =
            found.iter().copied().filter(|g| *g >= first - 1.0 && *g <= last + 1.0).collect();
        let FittedCalendar { grid, approximate } = FittedCalendar::new(&periods, &near);
        let mut warnings: Vec<DidWarning> = approximate
            .map(|per_unit| DidWarning::UnevenPeriods { per_unit })
            .into_iter()
            .collect();
        warnings.extend(doubtful_times(
            &config.group,
            found.iter().copied(),
            periods.iter().copied(),
        ));
        warnings.extend(zero_groups(&config.group, zeros, periods.iter().copied()));
        let (of_groups, of_periods) = (found.iter().copied(), periods.iter().copied());
        warnings.extend(without_group.warnings(&config.group, of_groups, of_periods));
        warnings.extend(DidWarning::dropped_rows(&gaps.missing));
        warnings.extend(DidWarning::weightless(weightless));
        let number_of = time.of_codes(times.iter(), |t| periods.partition_point(|p| *p < t) as u32);
        let mut cohort_column = ".cohort".to_owned();
        while frame.column(&cohort_column).is_ok() {
            cohort_column.push('_');
        }
        let mut sample = Self {
            cohort_column,
            weights: weights.map(|w| gather(&rows, |row| w[row])),
            covariates: covariates.iter().map(|x| gather(&rows, |row| x[row])).collect(),
            has_moderator: config.moderator.is_some(),
            categories,
            cohort: Vec::new(),
            period: times.iter().map(|code| number_of[usize::from(*code)]).collect(),
            units: None,
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
        if let (Some(labels), Some(codes)) = (&units, &unit_codes) {
            let units: Vec<u32> = gather(&sample.rows, |row| codes[row]);
            let of_units = UnitRows {
                units: &units,
                periods: &sample.period,
                group: &|at| group.value(groups[at]),
                time: &|at| sample.periods[sample.period[at] as usize],
                label: &|at| labels.text(sample.rows[at] as usize),
                column: &config.group,
                frequency: config.frequency,
            };
            let has_unit = |at: &usize| units[*at] != MISSING;
            let of_rows = || (0..groups.len()).filter(has_unit);
            let warnings = of_units.check(of_rows())?;
            let names = config.covariates.iter().chain(&config.moderator);
            let changing = of_units.changing_covariates(names.zip(&sample.covariates), of_rows());
            sample.warnings.extend(warnings.into_iter().chain(changing));
            sample.units = Some(units);
        }
        sample.form_cohorts(config, &group, &groups)?;
        sample.leave_out_uncompared(config.control_group)?;
        Ok(sample)
    }

    /// The number of the first treated period of a group; that of periods if it is never treated.
    fn start(&self, group: f64) -> u32 {
        let is_before = |period: &f64| {
            group.is_infinite() || *period < group && !self.grid.is_same(*period, group)
        };
        self.periods.iter().take_while(|period| is_before(period)).count() as u32
    }

    /// The number of the first treated period of a group, and the group: that period, if it is one of the data.
    fn first_treated(&self, group: f64) -> (usize, f64) {
        let start = self.start(group) as usize;
        let same = self.periods.get(start).filter(|period| self.grid.is_same(**period, group));
        (start, same.copied().unwrap_or(group))
    }

    /// From the codes of the rows' groups.
    fn form_cohorts<B: DidBackend>(
        &mut self,
        config: &Etwfe<B>,
        group: &PeriodCodes,
        groups: &[u16],
    ) -> Result<()> {
        let start_of = group.of_codes(groups.iter(), |group| self.start(group));
        let starts: Vec<u32> = groups.iter().map(|code| start_of[usize::from(*code)]).collect();
        let already = starts.iter().filter(|start| **start == 0).count();
        if already > 0 {
            self.warnings.push(DidWarning::AlreadyTreatedRows { rows: already });
        }
        let never = self.periods.len() as u32;
        let mut occurs = vec![false; self.periods.len() + 1];
        for start in &starts {
            occurs[*start as usize] = true;
        }
        let treated: Vec<u32> = (1..never).filter(|start| occurs[*start as usize]).collect();
        let Some(last) = treated.last().copied() else {
            let (values, periods) = (group.finite(groups.iter()), self.periods.iter().copied());
            let values = values.iter().copied();
            return Err(status_as_group(&config.group, values, periods, config.frequency)
                .unwrap_or(DidError::NoValidGroups { anticipating: String::new() }));
        };
        let reference = match (occurs[never as usize], config.control_group) {
            (true, _) => never,
            (false, ControlGroup::NeverTreated) => return Err(DidError::NoNeverTreated),
            (false, ControlGroup::NotYetTreated) => last,
        };
        // Groups between two periods are first treated in the same period and stay apart.
        let mut cohorts: Vec<Cohort> = Vec::new();
        for group in group.finite(groups.iter()) {
            let (start, group) = self.first_treated(group);
            let cohort = Cohort { group, start, reference: false };
            if (1..never as usize).contains(&start) && cohorts.last() != Some(&cohort) {
                cohorts.push(cohort);
            }
        }
        let is_reference = |cohort: &Cohort| cohort.start == reference as usize;
        let last_of_reference = cohorts.iter().rfind(|cohort| is_reference(cohort));
        let compared = last_of_reference.map_or(f64::INFINITY, |cohort| cohort.group);
        if reference == last {
            if treated.len() < 2 {
                return Err(DidError::NoComparison);
            }
            self.warnings.push(DidWarning::LastCohortAsControl { group: compared });
        }
        cohorts.retain(|cohort| !is_reference(cohort));
        cohorts.insert(0, Cohort { group: compared, start: reference as usize, reference: true });
        let number_of = group.of_codes(groups.iter(), |group| {
            let (start, group) = self.first_treated(group);
            let own = cohorts.iter().position(|of| (of.start, of.group) == (start, group));
            own.unwrap_or(0) as u32
        });
        self.cohort = groups.iter().map(|code| number_of[usize::from(*code)]).collect();
        self.cohorts = cohorts;
        // The reference has no treated row.
        let is_kept = |at: &u32| {
            let at = *at as usize;
            starts[at] > 0 && self.period[at] < reference
        };
        let kept: Vec<u32> = (0..).take(starts.len()).filter(is_kept).collect();
        if kept.len() < starts.len() {
            self.keep(&kept);
        }
        let periods = self.periods.len().min(reference as usize);
        self.periods.truncate(periods);
        match periods {
            0..2 => Err(DidError::TooFewPeriods { periods }),
            _ => Ok(()),
        }
    }

    fn keep(&mut self, kept: &[u32]) {
        self.cohort = gather(kept, |at| self.cohort[at]);
        self.period = gather(kept, |at| self.period[at]);
        self.rows = gather(kept, |at| self.rows[at]);
        self.weights = self.weights.as_ref().map(|values| gather(kept, |at| values[at]));
        self.units = self.units.as_ref().map(|units| gather(kept, |at| units[at]));
        for values in &mut self.covariates {
            *values = gather(kept, |at| values[at]);
        }
    }

    /// Whether a cohort has an effect of its own in a period.
    pub fn has_effect(&self, control_group: ControlGroup, cohort: usize, period: usize) -> bool {
        let own = self.cohorts[cohort];
        let leads = control_group == ControlGroup::NeverTreated;
        !own.reference && (period >= own.start || leads && period + 1 != own.start)
    }

    /// Rows of each cohort in each period, `[cohorts][periods]`.
    pub fn rows_of_pairs(&self) -> Vec<usize> {
        let mut rows = vec![0; self.cohorts.len() * self.periods.len()];
        for (cohort, period) in self.cohort.iter().zip(&self.period) {
            rows[*cohort as usize * self.periods.len() + *period as usize] += 1;
        }
        rows
    }

    /// Leaves out rows of cohorts and periods that no untreated row ties to the others.
    fn leave_out_uncompared(&mut self, control_group: ControlGroup) -> Result<()> {
        let width = self.periods.len();
        let rows = self.rows_of_pairs();
        let pairs: Vec<usize> = (0..rows.len()).filter(|pair| rows[*pair] > 0).collect();
        let each =
            |of: &dyn Fn(usize) -> u32| pairs.iter().map(|pair| of(*pair)).collect::<Vec<u32>>();
        let cell = |pair| match self.has_effect(control_group, pair / width, pair % width) {
            true => pair as u32,
            false => u32::MAX,
        };
        let Identified { cohorts, periods, .. } = Identified::new(&CellRows {
            cohorts: &each(&|pair| (pair / width) as u32),
            periods: &each(&|pair| (pair % width) as u32),
            cells: &each(&cell),
            stand_for: Some(&pairs.iter().map(|pair| rows[*pair]).collect::<Vec<usize>>()),
            counts: [self.cohorts.len(), width, rows.len()],
        });
        let (mut lost_cohorts, mut lost_periods) = (BTreeSet::new(), BTreeSet::new());
        for (cohort, period) in pairs.iter().map(|pair| (pair / width, pair % width)) {
            if !cohorts[cohort] {
                lost_cohorts.insert(cohort);
            } else if !periods[period] {
                lost_periods.insert(period);
            }
        }
        if lost_cohorts.is_empty() && lost_periods.is_empty() {
            return Ok(());
        }
        let is_kept = |at: &u32| {
            let at = *at as usize;
            cohorts[self.cohort_of(at)] && periods[self.period_of(at)]
        };
        let before = self.rows.len();
        let kept: Vec<u32> = (0..).take(before).filter(is_kept).collect();
        self.keep(&kept);
        self.warnings.push(DidWarning::RowsWithoutComparison {
            rows: before - kept.len(),
            cohorts: lost_cohorts.into_iter().map(|at| self.cohorts[at].group).collect(),
            periods: lost_periods.into_iter().map(|at| self.periods[at]).collect(),
        });
        self.renumber();
        match self.cohorts.len() {
            0..2 => Err(DidError::EmptySample {
                after:
                    "after leaving out cohorts and periods without an untreated row to compare with"
                        .into(),
                remedy: "keep rows before treatment, and never-treated units in all periods",
            }),
            _ => Ok(()),
        }
    }

    /// Numbers the cohorts and periods that have rows; the reference keeps its place.
    fn renumber(&mut self) {
        let (mut in_use, mut observed) =
            (vec![false; self.cohorts.len()], vec![false; self.periods.len()]);
        in_use[0] = true;
        for (cohort, period) in self.cohort.iter().zip(&self.period) {
            in_use[*cohort as usize] = true;
            observed[*period as usize] = true;
        }
        // How many are before each number, and all of them.
        let places = |occurs: &[bool]| -> Vec<u32> {
            let count = |sum: &mut u32, occurs: &bool| {
                *sum += u32::from(*occurs);
                Some(*sum)
            };
            std::iter::once(0).chain(occurs.iter().scan(0, count)).collect()
        };
        let (of_cohorts, of_periods) = (places(&in_use), places(&observed));
        self.cohort.iter_mut().for_each(|cohort| *cohort = of_cohorts[*cohort as usize]);
        self.period.iter_mut().for_each(|period| *period = of_periods[*period as usize]);
        let last = self.periods.len();
        for cohort in &mut self.cohorts {
            cohort.start = of_periods[cohort.start.min(last)] as usize;
        }
        let mut place = in_use.iter();
        self.cohorts.retain(|_| place.next().is_some_and(|occurs| *occurs));
        let mut place = observed.iter();
        self.periods.retain(|_| place.next().is_some_and(|occurs| *occurs));
    }

    /// Periods since the first treated one of a cohort.
    pub fn event_time(&self, cohort: usize, period: usize) -> f64 {
        self.grid.elapsed(self.cohorts[cohort].group, self.periods[period])
    }

    /// Number of a row's cohort among [`cohorts`](Self::cohorts).
    pub fn cohort_of(&self, at: usize) -> usize {
        self.cohort[at] as usize
    }

    /// Numbers of the rows' cohorts.
    pub fn cohorts_of_rows(&self) -> &[u32] {
        &self.cohort
    }

    /// Numbers of the rows' periods.
    pub fn periods_of_rows(&self) -> &[u32] {
        &self.period
    }

    /// Number of a row's period among [`periods`](Self::periods).
    pub fn period_of(&self, at: usize) -> usize {
        self.period[at] as usize
    }

    /// What sampling draws: the unit of each row, or the row without units.
    pub fn drawn(&self) -> Cow<'_, [u32]> {
        let rows = || (0..).take(self.rows.len()).collect();
        self.units.as_deref().map_or_else(rows, Cow::Borrowed)
    }

    /// How many slopes the moderator has, at most: of a column of categories one fewer than it has.
    pub fn moderator_terms(&self) -> usize {
        let of_categories = self.categories.as_ref().map(|names| names.len().saturating_sub(1));
        of_categories.unwrap_or(usize::from(self.has_moderator))
    }

    /// What effects may differ by, by row.
    pub fn moderator(&self) -> Option<&[f64]> {
        self.covariates.last().filter(|_| self.has_moderator).map(Vec::as_slice)
    }

    pub fn weight(&self, at: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |w| w[at])
    }
}
