//! Group-time effects.

mod callback;
mod errors;
mod extremes;
mod golden;
mod oracle;
mod overlap;
mod properties;
