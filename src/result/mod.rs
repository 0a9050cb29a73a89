//! What estimates are once they are there: standard errors, bands, the settings they were made with, and how they are saved.
//!
//! - Lives here: `inference`, `estimates` (group-time effects and why some are missing), `settings`, `sample` (members that the settings of several results have), `fit_notes`, `timings`, `saved`.
//! - May import: `base`, `read` and `engine`.
//! - Must not import: reports or estimators. A result is the same for every estimator.

pub(crate) mod estimates;
pub(crate) mod fit_notes;
pub(crate) mod inference;
pub(crate) mod sample;
pub(crate) mod saved;
pub(crate) mod settings;
pub(crate) mod timings;
