//! Data that are read once for all estimators.

use polars::prelude::{Column, DataFrame};

use super::JointStudy;
use crate::base::error::Result;
use crate::engine::backend::DidBackend;
use crate::read::columns::{Codes, Kind, MISSING, MissingValues, ReadAsMissing, Table, Wanted};
use crate::read::files::FilesRead;
use crate::read::formula::Formula;
use crate::read::input::Data;

/// The columns of a study in memory, with a code of the cluster in each row.
pub(super) struct StudySample {
    pub frame: DataFrame,
    /// Column of the codes, from 0.
    pub cluster: String,
    /// Codes that there are.
    pub n_clusters: usize,
    /// Periods, ascending.
    pub periods: Vec<f64>,
    /// First treated periods after the first period and up to the last, ascending.
    pub cohorts: Vec<f64>,
    pub files: FilesRead,
    pub read_as_missing: Vec<ReadAsMissing>,
}

impl StudySample {
    /// Reads the columns.
    ///
    /// # Errors
    /// Errors about a column, a file or the formula of the covariates.
    pub fn read<B: DidBackend>(config: &JointStudy<B>, data: Data<'_>) -> Result<Self> {
        let missing = MissingValues::new(config.missing_values.as_deref());
        let covariates = Formula::parse(&config.covariates)?.variables();
        let wanted = Wanted::default()
            .and("outcome", Kind::Value, [&config.outcome])
            .and("unit", Kind::Label, [&config.unit])
            .and("time", Kind::Value, [&config.time])
            .and("group", Kind::Value, [&config.group])
            .and("weights", Kind::Value, &config.weights)
            .and("cluster", Kind::Label, &config.cluster)
            .and("covariate", Kind::Value, &covariates);
        data.reading(|data| {
            let read = data.read(&wanted, &missing, None)?;
            let names: Vec<&str> =
                read.frame.get_column_names().iter().map(|n| n.as_str()).collect();
            wanted.find_in(&names)?;
            let mut frame = read.frame;
            let column = config.cluster.as_ref().unwrap_or(&config.unit);
            let table = Table::read(&frame, &wanted, &missing, 0)?;
            let labels = match *column == config.group {
                // The never-treated may be at infinity.
                true => table.levels(column, "cluster")?,
                false => table.labels(column, "cluster")?,
            };
            let Codes { codes, labels } = labels.codes();
            let time = table.periods(&config.time, config.frequency)?;
            let periods = time.finite(time.codes.iter());
            let group = table.first_periods(&config.group, config.frequency)?;
            let mut cohorts = group.finite(group.codes.iter());
            let inside = |group: &f64| {
                periods.first().is_some_and(|first| first < group)
                    && periods.last().is_some_and(|last| group <= last)
            };
            cohorts.retain(inside);
            drop(table);
            // A name that formulas take as it is.
            let mut cluster = "cluster_code".to_owned();
            while frame.column(&cluster).is_ok() {
                cluster.push('_');
            }
            let code = |code: &u32| (*code != MISSING).then_some(i64::from(*code));
            let codes: Vec<Option<i64>> = codes.iter().map(code).collect();
            frame.with_column(Column::new(cluster.as_str().into(), codes))?;
            let (files, read_as_missing) = (read.files, read.read_as_missing);
            let n_clusters = labels.len();
            Ok(Self { frame, cluster, n_clusters, periods, cohorts, files, read_as_missing })
        })
    }
}
