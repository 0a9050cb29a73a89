//! The formulas against their definitions, on a handful of rows.

mod by_hand;
mod definition;
mod example;
mod panel;
mod repeated;
mod twfe;
