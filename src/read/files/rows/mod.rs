//! Rows of files that are chosen by conditions on their columns.
//!
//! | step | file |
//! |---|---|
//! | a condition, and how it is written | `condition.rs`, `parse.rs` |
//! | which rows of a column meet it | `meets.rs` |
//! | rows chosen by all conditions, counted | `choice.rs` |

mod choice;
mod condition;
mod meets;
mod parse;
#[cfg(test)]
mod tests;

pub(crate) use choice::Choice;
pub use condition::RowCondition;
