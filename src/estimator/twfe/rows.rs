//! The rows of a study, here or where workers have them, with what all of them show.

use super::study;
use crate::base::error::Result;
use crate::engine::by_unit::UnitSource;
#[cfg(feature = "cluster")]
use crate::estimator::shell::remote::with_workers;
use crate::read::files::FilesRead;
use crate::read::input::Data;
use crate::read::panel::overview::{Overview, PanelColumns, Reading};

/// Rows that can be read again, which are those of a panel.
pub(super) struct StudyRows<'a> {
    pub source: UnitSource<'a>,
    pub files: &'a FilesRead,
    pub columns: &'a PanelColumns,
    pub overview: Overview,
}

impl<'a> StudyRows<'a> {
    /// Opens the data for some work.
    ///
    /// # Errors
    /// Errors about a file or a column, what [`study::check`] refuses, and those of the work.
    pub fn with<T>(
        reading: &Reading<'_>,
        data: Data<'_>,
        work: impl FnOnce(&StudyRows<'_>) -> Result<T>,
    ) -> Result<T> {
        reading.with(data, |rows| {
            let overview = rows.overview()?;
            let source = UnitSource::Here(rows);
            work(&StudyRows::new(source, &rows.files, reading.columns, overview)?)
        })
    }

    /// As [`with`](Self::with), of parquet files that the workers of a cluster read.
    ///
    /// # Errors
    /// As [`with`](Self::with), and those of workers.
    #[cfg(feature = "cluster")]
    pub fn on_cluster<T>(
        reading: &Reading<'_>,
        cluster: &crate::Cluster,
        path: &std::path::Path,
        work: impl FnOnce(&StudyRows<'_>) -> Result<T>,
    ) -> Result<T> {
        let Reading { columns, missing, progress, .. } = reading;
        let asked = (*columns, missing, progress.as_ref());
        with_workers(asked, cluster, path, |source, files, overview| {
            work(&StudyRows::new(source, files, columns, overview)?)
        })
    }

    fn new(
        source: UnitSource<'a>,
        files: &'a FilesRead,
        columns: &'a PanelColumns,
        overview: Overview,
    ) -> Result<Self> {
        study::check(&overview, columns)?;
        Ok(Self { source, files, columns, overview })
    }
}
