//! Group-time effects.

mod callback;
mod errors;
mod extremes;
mod golden;
mod many_fits;
mod oracle;
mod overlap;
mod properties;
