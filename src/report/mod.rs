//! Tables and plots of results.

mod compare;
mod display;
mod dose;
mod event_study;
#[cfg(test)]
pub(crate) mod fixtures;
mod foot;
mod frame;
mod honest;
mod left_out;
mod npiv;
mod number;
#[cfg(feature = "plot")]
mod plot;
mod plot_data;
mod regression;
mod switching;
mod table;
mod two_periods;

pub use compare::{Comparable, Term, compare};
#[cfg(feature = "plot")]
pub use plot::{Colour, PlotOptions};
pub use plot_data::PlotRow;
pub use regression::etable;
pub use table::{Align, EstimateColumns, Section, Table};
