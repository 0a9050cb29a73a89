//! One surface for every result, from one declaration.

use std::fmt::Display;
use std::path::Path;

use polars::prelude::DataFrame;

use super::compare::Comparable;
use super::estimates::Estimates;
#[cfg(feature = "plot")]
use super::plot::PlotOptions;
use super::table::Table;
use crate::base::error::{Message, Result};

/// The methods that the results of all estimators share.
///
/// ```
/// use burn_did::{AttGt, backend::Cpu, data, report::Reportable};
///
/// fn summary(result: &dyn Reportable) -> String {
///     format!("{}: {} warnings", result.kind(), result.messages().len())
/// }
///
/// let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
/// let fit = config.group("first.treat").build().fit(&data::mpdta())?;
/// assert!(summary(&fit).starts_with("group_time: "));
/// # Ok::<(), burn_did::DidError>(())
/// ```
pub trait Reportable: Comparable + Display {
    /// The kind of result, as in saved files: `group_time`, `aggregated`, `drdid`, …
    fn kind(&self) -> &'static str;

    /// The table that `Display` prints.
    fn to_table(&self) -> Table;

    /// The table in markdown.
    fn to_markdown(&self) -> String;

    /// The table in LaTeX, for the package `booktabs`.
    fn to_latex(&self) -> String;

    /// One row an estimate.
    ///
    /// # Errors
    /// [`DidError::Polars`](crate::DidError::Polars) if polars cannot form the frame.
    fn to_dataframe(&self) -> Result<DataFrame>;

    /// One row about the fit.
    ///
    /// # Errors
    /// [`DidError::Polars`](crate::DidError::Polars) if polars cannot form the frame.
    fn glance(&self) -> Result<DataFrame>;

    /// The result as JSON: what [`save`](Self::save) writes.
    ///
    /// # Errors
    /// [`DidError::Json`](crate::DidError::Json) if it cannot be formed.
    fn to_json(&self) -> Result<String>;

    /// Warnings and remarks of the fit, with periods as people read them.
    fn messages(&self) -> Vec<Message>;

    /// Writes the result as JSON.
    ///
    /// # Errors
    /// [`DidError::Io`](crate::DidError::Io) if the file cannot be written, [`DidError::Json`](crate::DidError::Json) if the result was
    /// changed into one that could not be loaded.
    fn save(&self, path: &Path) -> Result<()>;

    /// Draws the result to a `.png`, `.svg` or `.pdf` file.
    ///
    /// # Errors
    /// [`DidError::Plot`](crate::DidError::Plot) for what cannot be drawn, [`DidError::Io`](crate::DidError::Io) if the file cannot be
    /// written.
    #[cfg(feature = "plot")]
    fn plot_with(&self, path: &Path, options: &PlotOptions) -> Result<()>;

    /// The plot as an SVG document.
    ///
    /// # Errors
    /// As [`plot_with`](Self::plot_with), less the file.
    #[cfg(feature = "plot")]
    fn to_svg(&self, options: &PlotOptions) -> Result<String>;

    /// All estimates, table by table.
    #[doc(hidden)]
    fn estimates(&self) -> Vec<Estimates>;
}

/// Estimates of several results as CSV, below each other. The first column, `table`, says which rows belong together; a column that a
/// table does not have is empty there.
///
/// ```
/// use burn_did::{Aggregation, AttGt, backend::Cpu, data, report::csv};
///
/// let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
/// let fit = config.group("first.treat").build().fit(&data::mpdta())?;
/// let event_study = fit.aggregate(Aggregation::dynamic())?;
/// let text = csv(&[&fit, &event_study])?;
/// assert!(text.starts_with("table,group,time,estimate,se,ci_lower,ci_upper,"));
/// # Ok::<(), burn_did::DidError>(())
/// ```
///
/// # Errors
/// [`DidError::Polars`](crate::DidError::Polars) if polars cannot form the frame.
pub fn csv(results: &[&dyn Reportable]) -> Result<String> {
    let tables: Vec<Estimates> = results.iter().flat_map(|result| result.estimates()).collect();
    super::estimates::csv(super::estimates::frame(&tables)?)
}

/// Gives results what every result has: tables, pictures and files.
macro_rules! result {
    ($($result:ident),+ $(,)?) => {$(
        impl $result {
            /// The table that `Display` prints.
            pub fn to_table(&self) -> $crate::report::Table {
                $crate::report::contract::Report::table(self)
            }

            /// The table in markdown.
            #[must_use]
            pub fn to_markdown(&self) -> String {
                $crate::report::contract::Report::printed(self).to_markdown()
            }

            /// The table in LaTeX, for the package `booktabs`.
            #[must_use]
            pub fn to_latex(&self) -> String {
                $crate::report::contract::Report::printed(self).to_latex()
            }

            /// One row an estimate, under the column names that all results share: its keys (such as `group`, `time`, `event_time`, `dose`
            /// or `term`), `estimate`, `se`, `ci_lower` and `ci_upper`, `band_lower` and `band_upper` if there is a uniform band,
            /// `p_value` and `statistic`, and what else is known of it. What does not exist is null, and `status` says why. If the
            /// result has several tables, the first column, `table`, names them. Groups and periods are numbers, or text such as
            /// `2007-03` with a [`Frequency`](crate::options::Frequency).
            ///
            /// # Errors
            /// [`DidError::Polars`](crate::DidError::Polars) if polars cannot form the frame.
            pub fn to_dataframe(&self) -> $crate::Result<polars::prelude::DataFrame> {
                $crate::report::estimates::frame(&$crate::report::contract::Report::estimates(self))
            }

            /// One row about the fit: how it was made, sample sizes and critical values.
            ///
            /// # Errors
            /// [`DidError::Polars`](crate::DidError::Polars) if polars cannot form the frame.
            pub fn glance(&self) -> $crate::Result<polars::prelude::DataFrame> {
                $crate::report::estimates::row($crate::report::contract::Report::about(self))
            }

            /// [`Self::to_dataframe`] as CSV, with empty fields for null.
            ///
            /// # Errors
            /// As [`Self::to_dataframe`].
            pub fn to_csv(&self) -> $crate::Result<String> {
                $crate::report::estimates::csv(self.to_dataframe()?)
            }

            /// The result as JSON: its `kind`, the number of the `format`, facts `about` the fit, every table of estimates in the words
            /// of [`Self::to_dataframe`], `notes`, which are the lines at the foot of a printed table, `warnings` in words, and the whole
            /// `result`, which [`Self::load`] reads.
            ///
            /// # Errors
            /// [`DidError::Json`](crate::DidError::Json) if it cannot be formed.
            pub fn to_json(&self) -> $crate::Result<String> {
                $crate::report::json::text(&$crate::report::json::document(self))
            }

            /// Draws the result to a `.png`, `.svg` or `.pdf` file.
            ///
            /// # Errors
            /// [`DidError::Plot`](crate::DidError::Plot) for another extension or without estimates that can be drawn,
            /// [`DidError::Io`](crate::DidError::Io) if the file cannot be written.
            #[cfg(feature = "plot")]
            pub fn plot(&self, path: impl AsRef<std::path::Path>) -> $crate::Result<()> {
                self.plot_with(path, &$crate::report::PlotOptions::default())
            }

            /// [`Self::plot`] with words, size, style and colours of choice.
            ///
            /// # Errors
            /// As [`Self::plot`], and [`DidError::Config`](crate::DidError::Config) for options out of range.
            #[cfg(feature = "plot")]
            pub fn plot_with(
                &self,
                path: impl AsRef<std::path::Path>,
                options: &$crate::report::PlotOptions,
            ) -> $crate::Result<()> {
                let picture = || $crate::report::contract::Report::picture(self, options);
                $crate::report::plot::write(path.as_ref(), options, picture)
            }

            /// The plot as an SVG document.
            ///
            /// # Errors
            /// As [`Self::plot_with`], less the file.
            #[cfg(feature = "plot")]
            pub fn to_svg(&self, options: &$crate::report::PlotOptions) -> $crate::Result<String> {
                let picture = || $crate::report::contract::Report::picture(self, options);
                $crate::report::plot::svg(options, picture)
            }

            /// Writes [`Self::to_json`] to a file, every number to the last bit; [`Self::load`] reads it. Influence values
            /// and residuals, which grow with the data, are not saved.
            ///
            /// # Errors
            /// [`DidError::Io`](crate::DidError::Io) if the file cannot be written, [`DidError::Json`](crate::DidError::Json) if the
            /// result was changed into one that could not be loaded.
            pub fn save(&self, path: impl AsRef<std::path::Path>) -> $crate::Result<()> {
                $crate::result::saved::write(self, &self.to_json()?, path.as_ref())
            }

            /// Reads a saved result.
            ///
            /// # Errors
            /// [`DidError::Io`](crate::DidError::Io), or [`DidError::Json`](crate::DidError::Json) for what is no saved result of this
            /// kind or one whose parts do not fit together.
            pub fn load(path: impl AsRef<std::path::Path>) -> $crate::Result<Self> {
                let kind = <Self as $crate::report::contract::Report>::KIND;
                $crate::result::saved::read(path.as_ref(), kind)
            }
        }

        impl $crate::report::Reportable for $result {
            fn kind(&self) -> &'static str {
                <Self as $crate::report::contract::Report>::KIND
            }

            fn to_table(&self) -> $crate::report::Table {
                self.to_table()
            }

            fn to_markdown(&self) -> String {
                self.to_markdown()
            }

            fn to_latex(&self) -> String {
                self.to_latex()
            }

            fn to_dataframe(&self) -> $crate::Result<polars::prelude::DataFrame> {
                self.to_dataframe()
            }

            fn glance(&self) -> $crate::Result<polars::prelude::DataFrame> {
                self.glance()
            }

            fn to_json(&self) -> $crate::Result<String> {
                self.to_json()
            }

            fn messages(&self) -> Vec<$crate::report::Message> {
                $crate::report::contract::Report::messages(self)
            }

            fn save(&self, path: &std::path::Path) -> $crate::Result<()> {
                self.save(path)
            }

            #[cfg(feature = "plot")]
            fn plot_with(
                &self,
                path: &std::path::Path,
                options: &$crate::report::PlotOptions,
            ) -> $crate::Result<()> {
                self.plot_with(path, options)
            }

            #[cfg(feature = "plot")]
            fn to_svg(&self, options: &$crate::report::PlotOptions) -> $crate::Result<String> {
                self.to_svg(options)
            }

            fn estimates(&self) -> Vec<$crate::report::estimates::Estimates> {
                $crate::report::contract::Report::estimates(self)
            }
        }

        impl std::fmt::Display for $result {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                $crate::report::contract::Report::table(self).fmt(f)
            }
        }
    )+};
}

pub(crate) use result;
