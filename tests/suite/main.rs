//! Integration tests that run on the CPU, in one binary because linking is slow.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "tests fail by panicking, and print what they reached"
)]

#[path = "../support/mod.rs"]
mod support;

mod backends;
mod calendar;
mod callback;
#[cfg(all(feature = "cluster", feature = "cli", target_os = "linux"))]
mod cluster;
#[cfg(all(feature = "cluster", feature = "cli", target_os = "linux"))]
mod cluster_safety;
#[cfg(feature = "cuda")]
mod cuda;
mod ddd;
mod ddd_properties;
mod ddd_shares;
mod ddd_sizes;
mod departures;
mod doses;
mod doses_errors;
mod doses_properties;
mod doses_samples;
mod drdid;
mod drdid_properties;
mod errors;
mod extremes;
mod fixed_effects;
mod fixed_effects_cohorts;
mod fixed_effects_devices;
mod fixed_effects_properties;
mod fixed_effects_results;
mod fixed_effects_thresholds;
mod golden;
mod honest;
mod honest_shortest;
mod input;
mod missing;
mod multiplegt;
mod multiplegt_cells;
mod multiplegt_properties;
mod notes;
mod npiv;
mod oracle;
mod overlap;
mod parquet;
mod paths;
mod properties;
mod results;
mod saved;
mod schemas;
mod sizes;
#[cfg(all(feature = "cluster", feature = "cli", target_os = "linux"))]
mod stores;
mod threads;
mod types;
#[cfg(feature = "vulkan")]
mod vulkan;
#[cfg(feature = "wgpu")]
mod wgpu;
