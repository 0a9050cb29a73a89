//! Tools that bring a panel into the shape that estimators read.
//!
//! | what | file |
//! |---|---|
//! | columns of unit and period, and how they are read | `keys.rs` |
//! | a tool, in memory or from file to file | `tool.rs` |
//! | what a tool did | `change.rs` |
//! | rows in order; what all rows show; what a tool is made of | `frame.rs`, `survey.rs`, `constant.rs`, `step.rs` |
//! | periods as steps, names by period | `steps.rs`, `pattern.rs` |
//! | the tools | `first_treated.rs`, `balance.rs`, `fill.rs`, `deduplicate.rs`, `lag.rs`, `long_difference.rs`, `wide.rs`, `long.rs` |

mod balance;
mod change;
mod constant;
mod deduplicate;
mod fill;
mod first_treated;
mod frame;
mod functions;
mod keys;
mod lag;
mod long;
mod long_difference;
mod pattern;
mod step;
mod steps;
mod survey;
mod tool;
mod wide;

pub use balance::BalanceRule;
pub use change::{CohortChange, PanelChange, PanelCount};
pub use deduplicate::Keep;
pub use fill::FillGaps;
pub use first_treated::FirstTreated;
pub use functions::{
    balance, deduplicate, difference, fill_gaps, first_treated, lag, long_difference, to_long,
    to_wide,
};
pub use keys::PanelKeys;
pub use long::ToLong;
pub use long_difference::Base;
pub use tool::PanelTool;
pub use wide::ToWide;
