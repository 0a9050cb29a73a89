//! The bandwidth of the memory: the floor under the time of a fit that reads its columns once.

use std::hint::black_box;
use std::time::Instant;

use serde::{Deserialize, Serialize};

/// Values that are read: half a gibibyte, which no cache holds.
const VALUES: usize = 1 << 26;

/// Passes, of which the fastest counts.
const PASSES: usize = 7;

/// Bytes a second of all cores together.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Bandwidth {
    /// Read.
    pub read: f64,
    /// Read and written by a copy.
    pub copied: f64,
}

/// Reads and copies memory on all cores.
pub fn measure() -> Bandwidth {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let part = VALUES.div_ceil(cores);
    let source = vec![1_u64; VALUES];
    let mut target = vec![2_u64; VALUES];
    let read = fastest(|| {
        std::thread::scope(|scope| {
            for values in source.chunks(part) {
                let sum = || values.iter().fold(0_u64, |sum, value| sum.wrapping_add(*value));
                scope.spawn(move || black_box(sum()));
            }
        });
    });
    let copied = fastest(|| {
        std::thread::scope(|scope| {
            for (from, to) in source.chunks(part).zip(target.chunks_mut(part)) {
                scope.spawn(move || to.copy_from_slice(from));
            }
        });
        black_box(&target);
    });
    let bytes = (VALUES * size_of::<u64>()) as f64;
    Bandwidth { read: bytes / read, copied: 2.0 * bytes / copied }
}

/// Seconds of the fastest pass.
fn fastest(mut pass: impl FnMut()) -> f64 {
    let seconds = (0..PASSES).map(|_| {
        let start = Instant::now();
        pass();
        start.elapsed().as_secs_f64()
    });
    seconds.fold(f64::INFINITY, f64::min)
}
