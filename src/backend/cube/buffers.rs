//! Buffers on a device: tables in, sums out.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use burn::tensor::{DType, Shape, Tensor, TensorData};
use burn_cubecl::tensor::CubeTensor;
use burn_cubecl::{BoolElement, CubeBackend, FloatElement, IntElement};
use cubecl::client::ComputeClient;
use cubecl::ir::AddressType;

use super::GpuRuntime;
use crate::error::{DidError, Result};
use crate::pass::Chunk;

/// A device and the float that a chunk is held in.
pub(super) struct Gpu<R: GpuRuntime> {
    pub client: ComputeClient<R>,
    device: R::Device,
    pub dtype: DType,
}

impl<R: GpuRuntime> Gpu<R> {
    pub(super) fn of(tensor: &CubeTensor<R>) -> Self {
        Self { client: tensor.client.clone(), device: tensor.device.clone(), dtype: tensor.dtype }
    }

    fn tensor(&self, data: &TensorData) -> CubeTensor<R> {
        CubeTensor::new_contiguous(
            self.client.clone(),
            self.device.clone(),
            data.shape.clone(),
            self.client.create_from_slice(data.as_bytes()),
            data.dtype,
        )
    }

    /// A table of numbers in the chunk's precision.
    pub(super) fn floats(&self, values: Vec<f64>) -> CubeTensor<R> {
        let len = values.len();
        self.tensor(&TensorData::new(values, [len]).convert_dtype(self.dtype))
    }

    /// A table of indices; never empty, since a kernel may not bind an empty buffer.
    pub(super) fn indices(&self, mut values: Vec<u32>) -> CubeTensor<R> {
        if values.is_empty() {
            values.push(0);
        }
        let len = values.len();
        self.tensor(&TensorData::new(values, [len]))
    }

    /// Room for numbers, not initialised.
    pub(super) fn empty<const D: usize>(&self, shape: [usize; D]) -> CubeTensor<R> {
        let bytes = shape.iter().product::<usize>() * self.dtype.size();
        CubeTensor::new_contiguous(
            self.client.clone(),
            self.device.clone(),
            Shape::new(shape),
            self.client.empty(bytes),
            self.dtype,
        )
    }

    /// The device does not do what it should.
    pub(super) fn failed(&self, problem: &str) -> DidError {
        failed::<R>(&self.device, problem)
    }

    /// Reads several buffers in one synchronisation.
    pub(super) fn read(&self, tensors: Vec<CubeTensor<R>>) -> Result<Vec<Vec<f64>>> {
        let shapes: Vec<Shape> = tensors.iter().map(|t| t.meta.shape().clone()).collect();
        let handles = tensors.into_iter().map(|t| t.handle).collect();
        let bytes = cubecl::future::block_on(self.client.read_async(handles))
            .map_err(|e| self.failed(&format!("reading results: {e:?}")))?;
        if bytes.len() != shapes.len() {
            let problem = format!("{} results came of {} asked for", bytes.len(), shapes.len());
            return Err(self.failed(&problem));
        }
        let read = bytes.into_iter().zip(shapes);
        read.map(|(bytes, shape)| {
            let data = TensorData::from_bytes(bytes, shape, self.dtype).convert_dtype(DType::F64);
            data.into_vec().map_err(|e| self.failed(&format!("reading results: {e:?}")))
        })
        .collect()
    }
}

/// A chunk's matrices; absent ones are a single number that no kernel reads.
pub(super) struct Matrices<R: GpuRuntime> {
    pub y: CubeTensor<R>,
    pub x: CubeTensor<R>,
    pub w: CubeTensor<R>,
}

impl<R: GpuRuntime> Matrices<R> {
    pub(super) fn of<F: FloatElement, I: IntElement, BT: BoolElement>(
        chunk: &Chunk<CubeBackend<R, F, I, BT>>,
    ) -> (Gpu<R>, Self) {
        let primitive =
            |t: &Tensor<CubeBackend<R, F, I, BT>, 2>| t.clone().into_primitive().tensor();
        let y = primitive(&chunk.y);
        let gpu = Gpu::of(&y);
        let or_none = |t: &Option<_>| t.as_ref().map_or_else(|| gpu.empty([1, 1]), primitive);
        let (x, w) = (or_none(&chunk.x), or_none(&chunk.w));
        (gpu, Self { y, x, w })
    }

    /// Matrices of which only `y` is read.
    pub(super) fn only(gpu: &Gpu<R>, y: CubeTensor<R>) -> Self {
        Self { y, x: gpu.empty([1, 1]), w: gpu.empty([1, 1]) }
    }
}

/// The width of indices that reach every entry of the tensors.
pub(super) fn address<R: GpuRuntime>(tensors: &[&CubeTensor<R>]) -> AddressType {
    tensors.iter().map(|t| t.required_address_type()).max().unwrap_or_default()
}

/// Runs work on a device and turns the runtime's panics, which report lost devices and exhausted memory, into errors.
pub(super) fn guarded<R: GpuRuntime, T>(
    device: &R::Device,
    work: impl FnOnce() -> Result<T>,
) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work))
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
