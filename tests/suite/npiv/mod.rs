//! Functions by sieves.

mod golden;
