//! One surface for every result, from one declaration.

use crate::result::saved::Consistent;

use super::table::Table;

#[cfg(feature = "plot")]
use super::plot::{Picture, PlotOptions};
#[cfg(feature = "plot")]
use crate::base::error::Result;

/// What a result says of itself. [`result!`] makes its public methods from this.
pub(crate) trait Report: Consistent {
    /// The table that `Display` prints.
    fn table(&self) -> Table;

    /// The table in markdown and LaTeX.
    fn printed(&self) -> Table {
        self.table()
    }

    /// The picture that `plot` draws.
    #[cfg(feature = "plot")]
    fn picture(&self, options: &PlotOptions) -> Result<Picture>;
}

/// Gives results what every result has: tables, pictures and files.
macro_rules! result {
    ($($result:ident),+ $(,)?) => {$(
        impl $result {
            /// The table that `Display` prints.
            pub fn to_table(&self) -> $crate::Table {
                $crate::report::declare::Report::table(self)
            }

            /// The table in markdown.
            #[must_use]
            pub fn to_markdown(&self) -> String {
                $crate::report::declare::Report::printed(self).to_markdown()
            }

            /// The table in LaTeX, for the package `booktabs`.
            #[must_use]
            pub fn to_latex(&self) -> String {
                $crate::report::declare::Report::printed(self).to_latex()
            }

            /// [`Self::to_dataframe`] as CSV, with empty fields for null.
            ///
            /// # Errors
            /// As [`Self::to_dataframe`].
            pub fn to_csv(&self) -> $crate::Result<String> {
                $crate::report::frame::csv(self.to_dataframe()?)
            }

            /// Draws the result to a `.png` or `.svg` file.
            ///
            /// # Errors
            /// [`DidError::Plot`](crate::DidError::Plot) for another extension or without estimates that can be drawn,
            /// [`DidError::Io`](crate::DidError::Io) if the file cannot be written.
            #[cfg(feature = "plot")]
            pub fn plot(&self, path: impl AsRef<std::path::Path>) -> $crate::Result<()> {
                self.plot_with(path, &$crate::PlotOptions::default())
            }

            /// [`Self::plot`] with words, size and colours of choice.
            ///
            /// # Errors
            /// As [`Self::plot`], and [`DidError::Config`](crate::DidError::Config) for a size out of range.
            #[cfg(feature = "plot")]
            pub fn plot_with(
                &self,
                path: impl AsRef<std::path::Path>,
                options: &$crate::PlotOptions,
            ) -> $crate::Result<()> {
                let picture = || $crate::report::declare::Report::picture(self, options);
                $crate::report::plot::write(path.as_ref(), options, picture)
            }

            /// The plot as an SVG document.
            ///
            /// # Errors
            /// As [`Self::plot_with`], less the file.
            #[cfg(feature = "plot")]
            pub fn to_svg(&self, options: &$crate::PlotOptions) -> $crate::Result<String> {
                let picture = || $crate::report::declare::Report::picture(self, options);
                $crate::report::plot::svg(options, picture)
            }

            /// Writes the result as JSON, every number to the last bit; [`Self::load`] reads it. What is of the size of the data, such as
            /// influence values and residuals, is not saved.
            ///
            /// # Errors
            /// [`DidError::Io`](crate::DidError::Io) if the file cannot be written, [`DidError::Json`](crate::DidError::Json) if the
            /// result was changed into one that could not be loaded.
            pub fn save(&self, path: impl AsRef<std::path::Path>) -> $crate::Result<()> {
                $crate::result::saved::write(self, path.as_ref())
            }

            /// Reads a saved result.
            ///
            /// # Errors
            /// [`DidError::Io`](crate::DidError::Io), or [`DidError::Json`](crate::DidError::Json) for what is no saved result of this
            /// kind or one whose parts do not fit together.
            pub fn load(path: impl AsRef<std::path::Path>) -> $crate::Result<Self> {
                $crate::result::saved::read(path.as_ref())
            }
        }

        impl std::fmt::Display for $result {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                $crate::report::declare::Report::table(self).fmt(f)
            }
        }
    )+};
}

pub(crate) use result;
