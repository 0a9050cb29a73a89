//! Data that are read once for all estimators.

use polars::prelude::{BooleanChunked, Column, DataFrame, NewChunkedArray};

use super::{JointStudy, SampleFilter, Specification};
use crate::base::calendar::{Frequency, named, shown};
use crate::base::error::{DidError, DidWarning, Result};
use crate::engine::backend::DidBackend;
use crate::read::columns::{
    Codes, Gaps, Kind, MISSING, MissingValues, PeriodCodes, ReadAsMissing, Table, Wanted,
    WithoutGroup,
};
use crate::read::files::FilesRead;
use crate::read::formula::Formula;
use crate::read::input::Data;
use crate::result::inference::{Joint, products};

/// The columns of a study in memory, with a code of the cluster in each row.
pub(in crate::study) struct StudySample {
    /// All rows.
    pub rows: StudyRows,
    time: PeriodCodes,
    group: PeriodCodes,
    /// Column of the codes, from 0.
    pub cluster: String,
    /// Codes that there are.
    pub n_clusters: usize,
    /// Whether they are the units.
    by_unit: bool,
    /// Root mean square of the outcome, at most 1.
    size: f64,
    /// Rows and units without a first treated period.
    without_group: WithoutGroup,
    pub files: FilesRead,
    pub read_as_missing: Vec<ReadAsMissing>,
}

/// Some or all rows of a study.
#[derive(Clone)]
pub(in crate::study) struct StudyRows {
    /// Without other values that stand for a missing one.
    pub frame: DataFrame,
    /// What a period is, if periods and groups are dates in these rows.
    pub frequency: Option<Frequency>,
    /// Periods by which groups are earlier in these rows than in the data.
    pub shift: f64,
    /// Periods, ascending.
    pub periods: Vec<f64>,
    /// First treated periods after the first period and up to the last, ascending.
    pub cohorts: Vec<f64>,
}

impl StudySample {
    /// Reads the columns.
    ///
    /// # Errors
    /// Errors about a column, a file or the formula of the covariates.
    pub fn read<'s, B: DidBackend>(
        config: &JointStudy<B>,
        data: Data<'_>,
        specifications: impl IntoIterator<Item = &'s Specification>,
    ) -> Result<Self> {
        let missing = MissingValues::new(config.missing_values.as_deref());
        let (mut covariates, mut filters) = (Vec::new(), Vec::new());
        for specification in specifications {
            covariates.extend(Formula::parse(&specification.covariates)?.variables());
            if let SampleFilter::Where(column) = &specification.sample {
                filters.push(column.clone());
            }
        }
        let wanted = Wanted::default()
            .and("outcome", Kind::Value, [&config.outcome])
            .and("unit", Kind::Label, [&config.unit])
            .and("time", Kind::Value, [&config.time])
            .and("group", Kind::Value, [&config.group])
            .and("weights", Kind::Value, &config.weights)
            .and("cluster", Kind::Label, &config.cluster)
            .and("covariate", Kind::Value, &covariates)
            .and("sample", Kind::Value, &filters);
        data.reading(&missing, |data| {
            let read = data.read(&wanted, &missing, None)?;
            let names: Vec<&str> =
                read.frame.get_column_names().iter().map(|n| n.as_str()).collect();
            wanted.find_in(&names)?;
            let column = config.clustered_by();
            let table = Table::read(&read.frame, &wanted, &missing, 0)?;
            let labels = match column == config.group {
                // The never-treated may be at infinity.
                true => table.levels(column, "cluster")?,
                false => table.labels(column, "cluster")?,
            };
            let Codes { codes, labels } = labels.codes();
            let time = table.periods(&config.time, config.frequency)?;
            let group = table.first_periods(&config.group, config.frequency)?;
            // Estimators see a frame, and could not name the line of a file.
            let weights = config.weights.as_ref().map(|name| table.weights(name)).transpose()?;
            // Covariates are not the same in all estimators.
            let mut gaps = Gaps::new(table.len());
            if let Ok(outcome) = table.numbers(&config.outcome, "outcome") {
                gaps.mark(&config.outcome, |row| outcome[row].is_finite());
            }
            if let Ok(units) = table.labels(&config.unit, "unit") {
                gaps.mark(&config.unit, |row| units.is_there(row));
            }
            time.mark_missing(&config.time, &mut gaps);
            group.mark_missing(&config.group, &mut gaps);
            gaps.mark(column, |row| codes[row] != MISSING);
            if let (Some(weights), Some(name)) = (&weights, &config.weights) {
                gaps.mark(name, |row| weights[row].is_finite());
            }
            let (of_row, complete) = (|row| group.of_row(row), gaps.complete.as_deref());
            let without_group = table.without_group(&config.group, of_row, complete, |holds| {
                table.units_with(&config.unit, holds)
            })?;
            let mut read_as_missing = read.read_as_missing;
            read_as_missing.extend(table.read_as_missing.iter().cloned());
            without_group.mark(&config.group, &mut read_as_missing);
            // Words for missing values may be numbers of clusters or treatments, which are columns that the data do not have.
            let mut frame = table.into_frame();
            // A name that formulas take as it is.
            let mut cluster = "cluster_code".to_owned();
            while frame.column(&cluster).is_ok() {
                cluster.push('_');
            }
            let code = |code: &u32| (*code != MISSING).then_some(i64::from(*code));
            let codes: Vec<Option<i64>> = codes.iter().map(code).collect();
            frame.with_column(Column::new(cluster.as_str().into(), codes))?;
            let size = size(&frame, &config.outcome);
            let files = read.files;
            let n_clusters = labels.len();
            let periods = time.finite(time.codes.iter());
            let cohorts = inside(&periods, group.finite(group.codes.iter()));
            let rows =
                StudyRows { frame, frequency: config.frequency, shift: 0.0, periods, cohorts };
            let by_unit = column == config.unit;
            Ok(Self {
                rows,
                time,
                group,
                cluster,
                n_clusters,
                by_unit,
                size,
                without_group,
                files,
                read_as_missing,
            })
        })
    }

    /// Clusters that contribute to an effect with one of these columns, which may be empty; all of them where nothing varies.
    pub fn contributing(&self, columns: &[impl AsRef<[f64]>]) -> usize {
        let contributes = |cluster: &usize| {
            let value = |column: &[f64]| column.get(*cluster).is_some_and(|value| *value != 0.0);
            columns.iter().any(|column| value(column.as_ref()))
        };
        match (0..self.n_clusters).filter(contributes).count() {
            0 => self.n_clusters,
            clusters => clusters,
        }
    }

    /// The joint law of effects, given what clusters contribute to them.
    pub fn joint(&self, values: Vec<Option<f64>>, columns: &[&[f64]]) -> Joint {
        let clusters = self.contributing(columns);
        Joint {
            values,
            covariance: Some(products(columns).into()),
            draws: None,
            n: if self.by_unit { clusters } else { self.rows.frame.height() },
            n_clusters: Some(clusters),
            unit: self.size,
            unknown: Vec::new(),
        }
    }

    /// Warnings about rows without a group, by the name of its column.
    pub fn missing_groups(&self, column: &str) -> Vec<DidWarning> {
        let groups = self.group.finite(self.group.codes.iter());
        let periods = self.rows.periods.iter().copied();
        self.without_group.warnings(column, groups.into_iter(), periods)
    }

    /// First treated periods of the data, ascending.
    pub fn cohorts(&self) -> &[f64] {
        &self.rows.cohorts
    }

    /// The rows that a specification uses; `None` if these are all, as they are.
    ///
    /// With anticipation periods count later by as much, so that units are treated from the first period on in which they may react.
    ///
    /// # Errors
    /// [`DidError::Config`] for a cohort that there is not, [`DidError::NotBinary`] for a column that says otherwise than by 0 and 1 which
    /// rows count.
    pub fn of<B: DidBackend>(
        &self,
        config: &JointStudy<B>,
        specification: &Specification,
    ) -> Result<Option<StudyRows>> {
        // Cells know of anticipation.
        let early =
            if specification.estimator.has_cells() { 0 } else { specification.anticipation };
        let shift = f64::from(early);
        let keep = self.used(config, &specification.sample)?;
        if keep.is_none() && early == 0 {
            return Ok(None);
        }
        let (mut frame, mut frequency) = (self.rows.frame.clone(), config.frequency);
        if early > 0 {
            // Missing ones are no numbers: no group stands for never treated.
            let values = |codes: &PeriodCodes, by: f64| -> Vec<f64> {
                codes.codes.iter().map(|code| codes.value(*code) + by).collect()
            };
            frame
                .with_column(Column::new(config.time.as_str().into(), values(&self.time, shift)))?;
            frame
                .with_column(Column::new(config.group.as_str().into(), values(&self.group, 0.0)))?;
            frequency = None;
        }
        let (times, groups) = (self.time.codes.iter(), self.group.codes.iter());
        let (mut periods, groups) = match &keep {
            Some(keep) => {
                let kept = |(code, keep): (_, &bool)| keep.then_some(code);
                let times = times.zip(keep).filter_map(kept);
                (self.time.finite(times), self.group.finite(groups.zip(keep).filter_map(kept)))
            }
            None => (self.time.finite(times), self.group.finite(groups)),
        };
        for period in &mut periods {
            *period += shift;
        }
        let cohorts = inside(&periods, groups);
        if let Some(keep) = keep {
            frame = frame.filter(&BooleanChunked::from_slice("sample".into(), &keep))?;
        }
        Ok(Some(StudyRows { frame, frequency, shift, periods, cohorts }))
    }

    /// Whether each row is used; `None` if all are.
    fn used<B: DidBackend>(
        &self,
        config: &JointStudy<B>,
        filter: &SampleFilter,
    ) -> Result<Option<Vec<bool>>> {
        match filter {
            SampleFilter::All => Ok(None),
            SampleFilter::Without(name) => {
                let groups = self.group.finite(self.group.codes.iter());
                let called = |name_of: fn(f64, Option<Frequency>) -> String| {
                    let mut groups = groups.clone();
                    groups.retain(|group| name_of(*group, config.frequency) == *name);
                    groups
                };
                let exactly = called(named);
                let found = if exactly.is_empty() { called(shown) } else { exactly };
                let [group] = found[..] else {
                    let expected = "`without:` with a first treated period of the data";
                    return Err(DidError::config("sample", expected, filter));
                };
                let other = |code: &u16| self.group.value(*code) != group;
                Ok(Some(self.group.codes.iter().map(other).collect()))
            }
            SampleFilter::Where(column) => {
                let codes = Table::plain(&self.rows.frame).binary(column, "sample")?;
                Ok(Some(codes.codes.iter().map(|code| codes.value(*code) == 1.0).collect()))
            }
        }
    }
}

/// Root mean square of a column, at most 1; 1 where it has none.
fn size(frame: &DataFrame, outcome: &str) -> f64 {
    let series = frame.column(outcome).ok().map(Column::as_materialized_series);
    let moments = series.and_then(|series| Some((series.mean()?, series.std(0)?)));
    let size = moments.map_or(1.0, |(mean, deviation)| mean.hypot(deviation));
    if size > 0.0 { size.min(1.0) } else { 1.0 }
}

/// Cohorts that are treated after the first of these periods and up to the last.
fn inside(periods: &[f64], mut groups: Vec<f64>) -> Vec<f64> {
    let ends = periods.first().zip(periods.last());
    groups.retain(|group| ends.is_some_and(|(first, last)| first < group && group <= last));
    groups
}
