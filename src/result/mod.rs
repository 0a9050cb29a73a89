//! What estimates are once they are there: standard errors, bands, averages, and the settings they were made with.
//!
//! - Lives here: `inference`, `estimates` (group-time effects and why some are missing), `aggregate`, `settings`.
//! - May import: `base`, `read` and `engine`.
//! - Must not import: reports or estimators. A result is the same, whoever estimated it.

pub(crate) mod estimates;
pub(crate) mod inference;
pub(crate) mod saved;
pub(crate) mod settings;
pub(crate) mod timings;
