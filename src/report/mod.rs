//! Tables, frames, pictures and documents of results: what all of them share. What a result says of itself stands beside it, in its
//! estimator's folder.
//!
//! - Lives here: `contract` (the trait `Report`), `declare` (the macro that makes the public methods of a result from it), `estimates` (tables of
//!   estimates, from which frames, CSV and JSON are made), `json`, `table`, `plot`, `compare`, and the words of `foot` and `facts`.
//! - May import: `base`, `read`, `engine` and `result`.
//! - Must not import: estimators.

pub(crate) mod compare;
pub(crate) mod contract;
pub(crate) mod declare;
pub(crate) mod estimates;
pub(crate) mod facts;
pub(crate) mod foot;
pub(crate) mod json;
pub(crate) mod number;
#[cfg(feature = "plot")]
pub(crate) mod plot;
pub(crate) mod plot_data;
pub(crate) mod table;

pub use crate::base::error::Message;
pub use compare::{Below, Comparable, Comparison, Stars, Term, compare};
pub use declare::{Reportable, csv};
#[cfg(feature = "plot")]
pub use plot::{Colour, PlotGrid, PlotOptions, PlotStyle, missing_letters};
pub use plot_data::PlotRow;
pub use table::{Align, EstimateColumns, Section, Table};
