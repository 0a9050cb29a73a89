//! Group-time effects as data frames: one row a cell, or one row about the fit.

use polars::prelude::{DataFrame, df};

use crate::base::error::Result;
use crate::estimator::group_time::{GroupTimeCell, GroupTimeResult};
use crate::report::frame::{band, estimates, overlaps, settings};

impl GroupTimeResult {
    /// One row a cell: `group`, `time`, `att`, `se`, `ci_lower`, `ci_upper`, `p_value`, `statistic`, `status`,
    /// `n_treated`, `n_control`, and the fields of [`Overlap`](crate::Overlap). What does not exist is null. Groups and periods are numbers, or text such as `2007-03` with a
    /// [`Frequency`](crate::Frequency).
    ///
    /// ```
    /// # use burn_did::{AttGt, backend::Cpu, data};
    /// # let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    /// # let fit = config.group("first.treat").build().fit(&data::mpdta(), &Default::default())?;
    /// let cells = fit.to_dataframe()?;
    /// assert_eq!((cells.height(), cells.get_column_names()[2].as_str()), (12, "att"));
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    ///
    /// # Errors
    /// [`DidError::Polars`](crate::DidError::Polars) if polars cannot form the frame.
    pub fn to_dataframe(&self) -> Result<DataFrame> {
        let cells = &self.cells;
        let last = df!(
            "status" => cells.iter().map(|c| c.status.code()).collect::<Vec<_>>(),
            "n_treated" => cells.iter().map(|c| c.n_treated as u64).collect::<Vec<_>>(),
            "n_control" => cells.iter().map(|c| c.n_control as u64).collect::<Vec<_>>(),
        )?;
        let last = last.hstack(overlaps(cells.iter().map(|c| c.overlap))?.columns())?;
        let periods = |name: &str, of: fn(&GroupTimeCell) -> f64| {
            self.settings.periods(name, cells.iter().map(|c| Some(of(c))))
        };
        let first = [periods("group", |c| c.group), periods("time", |c| c.time)];
        let estimates = estimates(cells.iter().map(|c| &c.estimate))?;
        let first = DataFrame::new(cells.len(), first.into())?;
        Ok(first.hstack(estimates.columns())?.hstack(last.columns())?)
    }

    /// One row about the fit: settings, sample sizes, critical value and pre-test.
    ///
    /// ```
    /// # use burn_did::{AttGt, backend::Cpu, data};
    /// # let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    /// # let fit = config.group("first.treat").build().fit(&data::mpdta(), &Default::default())?;
    /// assert_eq!(fit.glance()?.column("n_units")?.u64()?.get(0), Some(500));
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    ///
    /// # Errors
    /// [`DidError::Polars`](crate::DidError::Polars) if polars cannot form the frame.
    pub fn glance(&self) -> Result<DataFrame> {
        let estimated = self.cells.iter().filter(|c| c.status.is_estimated()).count();
        let own = df!(
            "n_cells" => [self.cells.len() as u64],
            "n_estimated" => [estimated as u64],
            "critical_value" => [self.critical_value],
            "band" => [band(self.band)],
            "wald_stat" => [self.wald.map(|w| w.stat)],
            "wald_df" => [self.wald.map(|w| w.df as u64)],
            "wald_p_value" => [self.wald.map(|w| w.p_value)],
            "n_warnings" => [self.warnings.len() as u64],
        )?;
        Ok(settings(&self.settings)?.hstack(own.columns())?)
    }
}
