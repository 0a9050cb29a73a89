//! What a result has to say of itself to be shown, compared and saved.

use super::estimates::{Estimates, Variable};
#[cfg(feature = "plot")]
use super::plot::{Picture, PlotOptions};
use super::table::Table;
use crate::base::error::Message;
#[cfg(feature = "plot")]
use crate::base::error::Result;
use crate::result::saved::Consistent;

/// What a result says of itself. [`result!`] makes its public methods from this.
pub(crate) trait Report: Consistent {
    /// Names the kind of result in documents.
    const KIND: &'static str;

    /// The table that `Display` prints.
    fn table(&self) -> Table;

    /// The table in markdown and LaTeX.
    fn printed(&self) -> Table {
        self.table()
    }

    /// All estimates, table by table.
    fn estimates(&self) -> Vec<Estimates>;

    /// Facts about the fit.
    fn about(&self) -> Vec<Variable>;

    /// Warnings and remarks in words.
    fn messages(&self) -> Vec<Message>;

    /// The picture that `plot` draws.
    #[cfg(feature = "plot")]
    fn picture(&self, options: &PlotOptions) -> Result<Picture>;
}
