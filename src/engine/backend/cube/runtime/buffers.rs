//! Buffers on a device: tables in, sums out.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use burn::tensor::{DType, Shape, TensorData};
use burn_cubecl::tensor::CubeTensor;
use cubecl::bytes::Bytes;
use cubecl::client::ComputeClient;
use cubecl::prelude::ArrayArg;
use cubecl::server::Handle;
use cubecl::stream_id::StreamId;

use super::GpuRuntime;
use super::meter;
use crate::base::error::{DidError, Result};

/// The queue of a device that all work here goes through, whatever the thread: every queue has memory of its own.
const QUEUE: StreamId = StreamId { value: 0xD1D };

/// Bytes from which an upload is written without the runtime's copies, which send 0.7 GB a second to an H200; all work before it has to
/// end first.
const LARGE: usize = 1 << 20;

/// A device and the float that a sample is held in.
pub(crate) struct Gpu<R: GpuRuntime> {
    pub client: ComputeClient<R>,
    device: R::Device,
    pub dtype: DType,
}

/// Entries of one type on a device.
pub(crate) struct Buffer {
    handle: Handle,
    len: usize,
}

impl Buffer {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The same memory as words of 32 bits, of entries that have so many bytes.
    pub(crate) fn words(&self, width: usize) -> Self {
        Self { handle: self.handle.clone(), len: self.len * (width / size_of::<u32>()) }
    }

    /// As the argument of a kernel.
    #[expect(unsafe_code, reason = "the length is that of the buffer")]
    pub(crate) fn arg<R: GpuRuntime>(&self) -> ArrayArg<R> {
        // SAFETY: `handle` was made with room for `len` entries.
        unsafe { ArrayArg::from_raw_parts(self.handle.clone(), self.len) }
    }
}

impl<R: GpuRuntime> Gpu<R> {
    pub(crate) fn new(device: &R::Device, dtype: DType) -> Self {
        Self { client: R::client(device), device: device.clone(), dtype }
    }

    pub(crate) fn of(tensor: &CubeTensor<R>) -> Self {
        Self { client: tensor.client.clone(), device: tensor.device.clone(), dtype: tensor.dtype }
    }

    /// Whether numbers are doubles.
    pub(crate) fn doubles(&self) -> bool {
        self.dtype == DType::F64
    }

    /// Numbers that a sum over many rows is stored as: one double, or two singles.
    pub(crate) fn numbers_of_a_sum(&self) -> usize {
        if self.doubles() { 1 } else { 2 }
    }

    /// Uploads sums to start from.
    pub(crate) fn sums(&self, sums: &[f64]) -> Buffer {
        if self.doubles() {
            return self.floats(sums.to_vec());
        }
        #[expect(clippy::cast_possible_truncation, reason = "the second number is what is lost")]
        let single = |sum: f64| f64::from(sum as f32);
        self.floats(sums.iter().flat_map(|sum| [single(*sum), sum - single(*sum)]).collect())
    }

    /// Sums from the numbers that they are stored as.
    pub(crate) fn whole_sums(&self, numbers: &[f64]) -> Vec<f64> {
        numbers.chunks_exact(self.numbers_of_a_sum()).map(|sum| sum.iter().sum()).collect()
    }

    /// Bytes of a number.
    pub(crate) fn width(&self) -> usize {
        self.dtype.size()
    }

    /// Entries of the largest buffer: the kernels' indices have 32 bits, even those of words, whatever the device could allocate.
    pub(crate) fn largest(&self) -> usize {
        let bytes = self.client.properties().memory.max_page_size;
        (usize::try_from(bytes).unwrap_or(usize::MAX) / self.width()).min(1 << 31)
    }

    /// Uploads entries given by their bytes, which the caller counts.
    pub(crate) fn sent(&self, bytes: &[u8], len: usize) -> Buffer {
        Buffer { handle: self.client.create_from_slice(bytes), len }
    }

    fn upload(&self, bytes: &[u8], len: usize) -> Buffer {
        meter::note(|done| done.bytes_up += bytes.len() as u64);
        let is_large = R::WRITES && bytes.len() >= LARGE;
        // What cannot be written the runtime may still send, or says why not.
        let written = is_large.then(|| self.written(bytes, len).ok()).flatten();
        written.unwrap_or_else(|| self.sent(bytes, len))
    }

    fn written(&self, bytes: &[u8], len: usize) -> Result<Buffer> {
        let buffer = Buffer { handle: self.client.empty(bytes.len()), len };
        self.check(&buffer)?;
        self.wait()?;
        let mut fill = |first: usize, piece: &mut [u8]| {
            piece.copy_from_slice(&bytes[first..first + piece.len()]);
        };
        self.write(&buffer, bytes.len(), &mut fill)?;
        Ok(buffer)
    }

    /// Fills a buffer that no work uses without the runtime's copies; `false` if this runtime has no way to.
    pub(crate) fn write(
        &self,
        buffer: &Buffer,
        bytes: usize,
        fill: &mut dyn FnMut(usize, &mut [u8]),
    ) -> Result<bool> {
        if R::WRITES {
            R::write(&self.device, buffer.handle.clone(), bytes, fill)?;
        }
        Ok(R::WRITES)
    }

    /// Uploads numbers in the sample's precision; never none, since a kernel may not bind an empty buffer.
    pub(crate) fn floats(&self, mut values: Vec<f64>) -> Buffer {
        if values.is_empty() {
            values.push(0.0);
        }
        let len = values.len();
        let data = TensorData::new(values, [len]).convert_dtype(self.dtype);
        self.upload(data.as_bytes(), len)
    }

    /// Uploads words of 64 bits one part after another, each as its low and its high half; never none.
    pub(crate) fn word_halves(&self, parts: &[&[u64]]) -> Buffer {
        let mut words =
            Vec::with_capacity(parts.iter().map(|part| part.len()).sum::<usize>().max(1));
        for part in parts {
            words.extend(part.iter().map(|word| word.to_le()));
        }
        if words.is_empty() {
            words.push(0u64);
        }
        self.upload(bytemuck::cast_slice(&words), 2 * words.len())
    }

    /// Uploads indices; never none.
    pub(crate) fn indices(&self, mut values: Vec<u32>) -> Buffer {
        if values.is_empty() {
            values.push(0);
        }
        self.upload(bytemuck::cast_slice(&values), values.len())
    }

    /// Room for numbers, not initialised.
    pub(crate) fn empty(&self, len: usize) -> Buffer {
        let len = len.max(1);
        Buffer { handle: self.client.empty(len * self.width()), len }
    }

    /// Room for indices, not initialised.
    pub(crate) fn empty_indices(&self, len: usize) -> Buffer {
        Buffer { handle: self.client.empty(len * size_of::<u32>()), len }
    }

    /// A tensor's memory, which has to be contiguous.
    pub(crate) fn buffer(tensor: &CubeTensor<R>) -> Buffer {
        Buffer { handle: tensor.handle.clone(), len: tensor.meta.shape().num_elements() }
    }

    /// A matrix of the entries from `first` on.
    pub(crate) fn matrix(
        &self,
        buffer: &Buffer,
        first: usize,
        [rows, columns]: [usize; 2],
    ) -> CubeTensor<R> {
        let bytes = |entries: usize| (entries * self.width()) as u64;
        let behind = buffer.len - first - rows * columns;
        let handle = buffer.handle.clone().offset_start(bytes(first)).offset_end(bytes(behind));
        let shape = Shape::new([rows, columns]);
        CubeTensor::new_contiguous(
            self.client.clone(),
            self.device.clone(),
            shape,
            handle,
            self.dtype,
        )
    }

    /// An error unless the buffer has memory. A failed allocation is noticed nowhere else before the buffer is read.
    pub(crate) fn check(&self, buffer: &Buffer) -> Result<()> {
        match self.client.get_resource(buffer.handle.clone()) {
            Ok(_) => Ok(()),
            Err(error) => {
                let bytes = buffer.handle.size();
                Err(self.failed(&format!("{bytes} bytes could not be allocated: {error:?}")))
            }
        }
    }

    /// Waits until everything asked for so far is done.
    pub(crate) fn wait(&self) -> Result<()> {
        cubecl::future::block_on(self.client.sync())
            .map_err(|e| self.failed(&format!("waiting for the device: {e:?}")))
    }

    /// An error of this device.
    pub(crate) fn failed(&self, problem: &str) -> DidError {
        failed::<R>(&self.device, problem)
    }

    /// Reads several buffers in one synchronisation.
    pub(crate) fn read(&self, buffers: &[&Buffer]) -> Result<Vec<Bytes>> {
        let handles = buffers.iter().map(|b| b.handle.clone()).collect();
        let read = cubecl::future::block_on(self.client.read_async(handles))
            .map_err(|e| self.failed(&format!("reading results: {e:?}")))?;
        meter::note(|done| {
            done.reads += 1;
            done.bytes_down += read.iter().map(|b| b.len() as u64).sum::<u64>();
        });
        if read.len() != buffers.len() {
            let problem = format!("{} results came of {} asked for", read.len(), buffers.len());
            return Err(self.failed(&problem));
        }
        Ok(read)
    }

    /// Numbers from bytes.
    pub(crate) fn numbers(&self, bytes: Bytes, len: usize) -> Result<Vec<f64>> {
        let data = TensorData::from_bytes(bytes, [len], self.dtype).convert_dtype(DType::F64);
        data.into_vec().map_err(|e| self.failed(&format!("reading results: {e:?}")))
    }
}

/// Runs work on a device and turns the runtime's panics, which report lost devices and exhausted memory, into errors.
pub(crate) fn guarded<R: GpuRuntime, T>(
    device: &R::Device,
    work: impl FnOnce() -> Result<T>,
) -> Result<T> {
    catch_unwind(AssertUnwindSafe(|| QUEUE.executes(work)))
        .unwrap_or_else(|panic| Err(failed::<R>(device, &message(panic.as_ref()))))
}

fn failed<R: GpuRuntime>(device: &R::Device, problem: &str) -> DidError {
    DidError::Device { device: format!("{} {device:?}", R::NAME), problem: problem.to_owned() }
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("the runtime failed without a message")
        .to_owned()
}

/// A count of rows, columns or cubes as kernels take it.
#[expect(clippy::cast_possible_truncation, reason = "no device has so many rows")]
pub(crate) fn index(i: usize) -> u32 {
    debug_assert!(u32::try_from(i).is_ok(), "{i} does not fit an index");
    i as u32
}
