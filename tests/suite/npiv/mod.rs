//! Functions by sieves.

mod discrete;
mod golden;
