//! What the integration tests share: golden cases, their comparison, and data.
#![allow(dead_code, reason = "each test binary uses its own part")]

pub mod compare;
pub mod dataset;
pub mod ddd;
pub mod departures;
pub mod doses;
pub mod drdid;
pub mod frames;
pub mod golden;
pub mod multiplegt;
pub mod panels;
pub mod spec;
pub mod splitmix;
pub mod threads;
pub mod tolerance;

/// A configuration with some options changed.
pub fn but<T>(mut config: T, change: impl FnOnce(&mut T)) -> T {
    change(&mut config);
    config
}
