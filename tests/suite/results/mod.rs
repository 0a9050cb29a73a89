//! What can be done with a result.

mod inference;
mod notes;
mod saved;
mod surface;
mod verbs;
