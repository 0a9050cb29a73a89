//! Several results side by side.
//!
//! - Lives here: `comparable` (what a result says of itself for a comparison), `options` (how a comparison looks), `rows` (which rows it has, in which
//!   order and under which names), `comparison` (the table), `notes` (the lines under it) and `document` (frames, CSV and JSON), `picture`.

mod comparable;
mod comparison;
mod document;
mod notes;
mod options;
#[cfg(feature = "plot")]
mod picture;
mod rows;

pub use comparable::{Comparable, Term};
pub use comparison::{Comparison, compare};
pub use options::{Below, Stars};

pub(crate) use comparable::{
    NOT_TO_REFERENCE, OVER_EVENT_TIMES, TO_REFERENCE, before_treatment, facts, over_treated_rows,
    rows_chosen, sample_facts, texts, units_of_time,
};
pub(crate) use comparison::starred;
