//! Group-time effects and averages in print, with R `did`'s numbers.

mod compare;
mod frame;
#[cfg(feature = "plot")]
mod plot;
mod points;
mod table;
