//! Columns of strata on their way to a device.

use std::sync::atomic::{AtomicU32, Ordering};

use cubecl::prelude::CubeDim;

use super::super::kernels::{self, CHECKED, CHECKED_BY, COPY_UNITS, weighted};
use super::GpuRuntime;
use super::buffers::{Buffer, Gpu, index};
use super::launches::{Launches, grid, launch};
use super::meter;
use crate::base::error::Result;
use crate::base::parallel;
use crate::engine::backend::HostRows;

/// Bytes sent at a time.
pub(crate) const PIECE_BYTES: usize = 1 << 24;

/// Entries that a thread fills at a time.
const PART: usize = 1 << 16;

/// Copies a buffer behind `pieces` pieces of `size` entries.
#[expect(unsafe_code, reason = "launches are unchecked")]
pub(crate) fn copy<R: GpuRuntime>(
    work: &Launches<'_, R>,
    from: &Buffer,
    to: &Buffer,
    pieces: usize,
    size: usize,
) {
    debug_assert!(pieces * size + from.len() <= to.len(), "a piece goes beyond its slab");
    // SAFETY: as many entries are written as are read, and `to` has them.
    unsafe {
        launch!(
            work,
            kernels::copy_piece,
            grid(from.len().div_ceil(COPY_UNITS)),
            COPY_UNITS,
            from.arg(),
            to.arg(),
            index(pieces),
            index(size)
        );
    }
}

/// The columns of the rows one after another, `[columns, stride]`: in pieces that are filled by all threads, and checked when all
/// are there.
pub(crate) fn upload<R: GpuRuntime>(
    gpu: &Gpu<R>,
    rows: &[HostRows<'_>],
    columns: usize,
    stride: usize,
) -> Result<Buffer> {
    let source = UploadColumns::new(rows, stride);
    let total = columns * stride;
    let data = gpu.empty(total);
    gpu.check(&data)?;
    gpu.wait()?;
    let sent = AtomicU32::new(0);
    let mut fill = |first_byte: usize, bytes: &mut [u8]| {
        meter::note(|done| done.bytes_up += bytes.len() as u64);
        let first = first_byte / gpu.width();
        let sum = if gpu.doubles() {
            source.fill::<f64>(first, bytemuck::cast_slice_mut(bytes))
        } else {
            source.fill::<f32>(first, bytemuck::cast_slice_mut(bytes))
        };
        sent.fetch_add(sum, Ordering::Relaxed);
    };
    if !gpu.write(&data, total * gpu.width(), &mut fill)? {
        by_copies(gpu, &data, &mut fill)?;
    }
    let arrived = checksum(gpu, &data)?;
    if arrived != sent.into_inner() {
        let problem = format!("of {} bytes sent to it, others arrived", total * gpu.width());
        return Err(gpu.failed(&problem));
    }
    meter::note(|done| done.resident_bytes += (total * gpu.width()) as u64);
    Ok(data)
}

/// Sends pieces as buffers of their own, which a kernel copies to their places.
fn by_copies<R: GpuRuntime>(
    gpu: &Gpu<R>,
    data: &Buffer,
    fill: &mut dyn FnMut(usize, &mut [u8]),
) -> Result<()> {
    let piece = PIECE_BYTES / gpu.width();
    let pieces = data.len().div_ceil(piece);
    let work = Launches::new(gpu, pieces);
    for i in 0..pieces {
        let entries = piece.min(data.len() - i * piece);
        // Whole words, so that the bytes are aligned as numbers are.
        let mut words = vec![0u64; (entries * gpu.width()).div_ceil(size_of::<u64>())];
        let bytes = &mut bytemuck::cast_slice_mut(&mut words)[..entries * gpu.width()];
        fill(i * PIECE_BYTES, bytes);
        copy(&work, &gpu.sent(bytes, entries), data, i, piece);
    }
    work.read(&[])?;
    Ok(())
}

/// The checksum of the words of a buffer.
#[expect(unsafe_code, reason = "launches are unchecked")]
fn checksum<R: GpuRuntime>(gpu: &Gpu<R>, data: &Buffer) -> Result<u32> {
    let words = data.words(gpu.width());
    let cubes = words.len().div_ceil(CHECKED);
    let out = gpu.empty_indices(cubes);
    let work = Launches::new(gpu, 1);
    // SAFETY: words are read up to the length of the buffer, and each cube has a place in `out`.
    unsafe {
        kernels::add_words::launch_unchecked(
            &gpu.client,
            grid(cubes),
            CubeDim::new_1d(index(CHECKED_BY)),
            work.ticket(),
            words.arg(),
            out.arg(),
            index(cubes),
        );
    }
    Ok(work.read_words(&out)?.into_iter().fold(0, u32::wrapping_add))
}

/// A number in the device's precision.
trait Number: Copy + Send + 'static {
    fn of(value: f64) -> Self;

    /// Its words' checksum, where it is the `i`-th.
    fn checksum(self, i: usize) -> u32;
}

impl Number for f64 {
    fn of(value: f64) -> Self {
        value
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "the two words of a double; positions are below 2³²"
    )]
    fn checksum(self, i: usize) -> u32 {
        let [low, high] = crate::base::random::halves(self.to_bits());
        weighted(2 * i as u32, low).wrapping_add(weighted(2 * i as u32 + 1, high))
    }
}

impl Number for f32 {
    #[expect(clippy::cast_possible_truncation, reason = "this is single precision")]
    fn of(value: f64) -> Self {
        value as Self
    }

    #[expect(clippy::cast_possible_truncation, reason = "positions are below 2³²")]
    fn checksum(self, i: usize) -> u32 {
        weighted(i as u32, self.to_bits())
    }
}

/// The columns of parts of strata.
struct UploadColumns<'a> {
    /// Of each part its columns.
    parts: Vec<Vec<&'a [f64]>>,
    /// First row of each part.
    starts: Vec<usize>,
    /// Entries from a column to the next; what is behind the rows is zero.
    stride: usize,
}

impl<'a> UploadColumns<'a> {
    fn new(rows: &[HostRows<'a>], stride: usize) -> Self {
        let next =
            |at: &mut usize, r: &HostRows<'_>| Some(std::mem::replace(at, *at + r.range.len()));
        Self {
            parts: rows.iter().map(|r| r.columns().collect()).collect(),
            starts: rows.iter().scan(0, next).collect(),
            stride,
        }
    }

    /// Writes the entries from `first` on; returns the checksum of their words.
    fn fill<T: Number>(&self, first: usize, out: &mut [T]) -> u32 {
        let sum = AtomicU32::new(0);
        parallel::chunks(out, PART, |i, out| {
            sum.fetch_add(self.fill_part(first + i * PART, out), Ordering::Relaxed);
        });
        sum.into_inner()
    }

    fn fill_part<T: Number>(&self, first: usize, out: &mut [T]) -> u32 {
        let (end, stride) = (first + out.len(), self.stride);
        out.fill(T::of(0.0));
        let mut sum = 0u32;
        for column in first / stride..end.div_ceil(stride) {
            for (part, start) in self.parts.iter().zip(&self.starts) {
                let values = part[column];
                let at = column * stride + start;
                let (a, b) = (at.max(first), (at + values.len()).min(end));
                if a < b {
                    let out = &mut out[a - first..b - first];
                    for ((i, out), value) in (a..).zip(out).zip(&values[a - at..b - at]) {
                        *out = T::of(*value);
                        sum = sum.wrapping_add(out.checksum(i));
                    }
                }
            }
        }
        sum
    }
}
