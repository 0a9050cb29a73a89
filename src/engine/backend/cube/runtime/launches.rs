//! Launches that end in one read, and whether all of them ran.
//!
//! A launch that fails, because its memory could not be had or the device is gone, may be noticed by nobody: the runtime
//! runs it in the background, and what is read is what was in the memory before. So every launch leaves a number of its own, and
//! results are believed only if all numbers are there.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};

use cubecl::bytes::Bytes;
use cubecl::prelude::CubeCount;

use super::super::kernels::TicketLaunch;
use super::GpuRuntime;
use super::buffers::{Buffer, Gpu, index};
use super::meter;
use crate::base::error::Result;

/// The number of the next launch of this process.
static NEXT: AtomicU32 = AtomicU32::new(1);

/// Cubes along the first axis of a grid, at most.
const ACROSS: usize = 65_535;

/// Launches up to a read.
pub(crate) struct Launches<'a, R: GpuRuntime> {
    pub gpu: &'a Gpu<R>,
    stamps: Buffer,
    first: u32,
    launched: Cell<u32>,
}

/// Launches a kernel that is generic over the float: `launch!(work, kernels::name, cubes, units of a cube, arguments…)`.
///
/// The kernel's first parameter is its ticket and its last one the float; both are added here. A launch is unsafe: that the kernel
/// stays within its buffers is argued where it is launched.
macro_rules! launch {
    ($work:expr, $($kernel:ident)::+, $cubes:expr, $units:expr, $($argument:expr),+ $(,)?) => {
        $($kernel)::+::launch_unchecked(
            &$work.gpu.client,
            $cubes,
            cubecl::prelude::CubeDim::new_1d($crate::engine::backend::cube::runtime::index($units)),
            $work.ticket(),
            $($argument,)+
            $work.gpu.dtype.into(),
        )
    };
}
pub(crate) use launch;

impl<'a, R: GpuRuntime> Launches<'a, R> {
    /// Room for the numbers of at most so many launches.
    pub(crate) fn new(gpu: &'a Gpu<R>, launches: usize) -> Self {
        let first = NEXT.fetch_add(index(launches), Ordering::Relaxed);
        Self { gpu, stamps: gpu.empty_indices(launches), first, launched: Cell::new(0) }
    }

    /// For the next launch.
    pub(crate) fn ticket(&self) -> TicketLaunch<R> {
        meter::note(|done| done.launches += 1);
        let slot = self.launched.replace(self.launched.get() + 1);
        TicketLaunch::new(self.stamps.arg(), slot, self.first.wrapping_add(slot))
    }

    /// Reads the results in one synchronisation.
    pub(crate) fn read(self, results: &[&Buffer]) -> Result<Vec<Vec<f64>>> {
        let gpu = self.gpu;
        let numbers = self.checked(results)?.into_iter().zip(results);
        numbers.map(|(bytes, buffer)| gpu.numbers(bytes, buffer.len())).collect()
    }

    /// As [`read`](Self::read), of one result.
    pub(crate) fn read_one(self, result: &Buffer) -> Result<Vec<f64>> {
        let gpu = self.gpu;
        let read = self.read(&[result])?.pop();
        read.ok_or_else(|| gpu.failed("fewer results than were asked for"))
    }

    /// As [`read`](Self::read), of one result in words.
    pub(crate) fn read_words(self, result: &Buffer) -> Result<Vec<u32>> {
        let read = self.checked(&[result])?;
        Ok(read.iter().flat_map(|bytes| words(bytes)).collect())
    }

    fn checked(self, results: &[&Buffer]) -> Result<Vec<Bytes>> {
        let buffers: Vec<&Buffer> = results.iter().copied().chain([&self.stamps]).collect();
        let mut read = self.gpu.read(&buffers)?;
        let stamps = read.pop().unwrap_or_else(|| Bytes::from_bytes_vec(Vec::new()));
        let launched = self.launched.get();
        let ran = (0..launched)
            .zip(words(&stamps))
            .filter(|(i, n)| *n == self.first.wrapping_add(*i))
            .count();
        if ran != launched as usize {
            let bytes: usize = results.iter().map(|b| b.len() * self.gpu.width()).sum();
            return Err(self.gpu.failed(&format!(
                "only {ran} of {launched} kernels ran, for results of {bytes} bytes; most likely the device's memory \
                 was exhausted: set a memory budget, or use another device"
            )));
        }
        Ok(read)
    }
}

fn words(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.chunks_exact(4).map(|b| u32::from_ne_bytes([b[0], b[1], b[2], b[3]]))
}

/// A grid of so many cubes or, as its rows are equally long, a few more.
pub(crate) fn grid(cubes: usize) -> CubeCount {
    let across = cubes.clamp(1, ACROSS);
    CubeCount::Static(index(across), index(cubes.div_ceil(across).max(1)), 1)
}
