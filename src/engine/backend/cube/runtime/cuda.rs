//! CUDA: double precision by kernels of our own.

use burn::backend::cuda::CudaDevice;
use cubecl::Runtime;
use cubecl::cuda::{CudaRuntime, install};
use cubecl::server::Handle;
use cudarc::driver::{CudaContext, DriverError, result};

use super::GpuRuntime;
use super::buffers::guarded;
use super::upload::PIECE_BYTES;
use crate::base::error::{DidError, Result};
use crate::base::options::Precision;
use crate::engine::backend::Availability;

impl GpuRuntime for CudaRuntime {
    const NAME: &'static str = "cuda";

    /// Both precisions. The runtime does not list doubles among its types because its matrix product has none; the
    /// kernels here do not use it.
    fn probe(device: &CudaDevice, _: Precision) -> Result<Availability> {
        let missing =
            |problem: String| DidError::Device { device: format!("cuda {device:?}"), problem };
        guarded::<Self, _>(device, || {
            let (driver, compiler) = libraries();
            if !driver {
                return Err(missing(
                    "no CUDA driver (libcuda); install the NVIDIA driver, or use the CPU backend"
                        .to_owned(),
                ));
            }
            if !compiler {
                return Err(missing(
                    "no NVRTC library; install the CUDA toolkit that matches the driver".to_owned(),
                ));
            }
            let headers = install::cuda_path().map(|p| p.join("include").join("cuda_runtime.h"));
            if !headers.as_ref().is_some_and(|h| h.exists()) {
                return Err(missing(
                    "no CUDA headers; set CUDA_PATH to the toolkit's directory, which holds \
                     include/cuda_runtime.h"
                        .to_owned(),
                ));
            }
            let count = CudaContext::device_count()
                .map_err(|e| missing(format!("the CUDA driver does not start: {e}")))?;
            if !usize::try_from(count).is_ok_and(|count| device.index < count) {
                return Err(missing(format!("no such GPU; {count} found")));
            }
            // What earlier fits gave back is the runtime's until it is asked for.
            let client = Self::client(device);
            client.memory_cleanup();
            cubecl::future::block_on(client.sync())
                .map_err(|e| missing(format!("the GPU does not answer: {e:?}")))?;
            let free = CudaContext::new(device.index)
                .and_then(|context| context.mem_get_info())
                .map_err(|e| missing(format!("the GPU does not answer: {e}")))?
                .0;
            Ok(Availability { free_bytes: u64::try_from(free).ok() })
        })
    }

    fn write(
        device: &CudaDevice,
        buffer: Handle,
        bytes: usize,
        fill: &mut dyn FnMut(usize, &mut [u8]),
    ) -> Option<Result<()>> {
        let failed =
            |problem: String| DidError::Device { device: format!("cuda {device:?}"), problem };
        let resource = match Self::client(device).get_resource(buffer) {
            Ok(resource) => resource,
            Err(error) => return Some(Err(failed(format!("{bytes} bytes: {error:?}")))),
        };
        let sent = send(device.index, resource.resource().ptr, bytes, fill);
        Some(sent.map_err(|e| failed(format!("sending {bytes} bytes: {e}"))))
    }
}

/// Copies to `pointer` from two page-locked buffers in turn: one is filled while the other is sent.
#[expect(unsafe_code, reason = "memory of the driver is written to by its address")]
fn send(
    index: usize,
    pointer: u64,
    bytes: usize,
    fill: &mut dyn FnMut(usize, &mut [u8]),
) -> std::result::Result<(), DriverError> {
    let context = CudaContext::new(index)?;
    let stream = context.new_stream()?;
    let length = PIECE_BYTES.min(bytes);
    // SAFETY: a piece is filled before it is sent.
    let mut pieces =
        unsafe { [context.alloc_pinned::<u8>(length)?, context.alloc_pinned::<u8>(length)?] };
    let mut sent = [None, None];
    for (i, start) in (0..bytes).step_by(PIECE_BYTES).enumerate() {
        if let Some(event) = sent[i % 2].take() {
            cudarc::driver::CudaEvent::synchronize(&event)?;
        }
        let piece = &mut pieces[i % 2].as_mut_slice()?[..PIECE_BYTES.min(bytes - start)];
        fill(start, piece);
        // SAFETY: the buffer has `bytes` bytes and is held by the caller; the piece is not written to before the event has come.
        unsafe { result::memcpy_htod_async(pointer + start as u64, piece, stream.cu_stream())? };
        sent[i % 2] = Some(stream.record_event(None)?);
    }
    stream.synchronize()
}

/// Whether the driver's and the compiler's libraries can be loaded.
#[expect(unsafe_code, reason = "loading a library runs its initialisers")]
fn libraries() -> (bool, bool) {
    // SAFETY: the names are those of NVIDIA's driver and compiler, whose initialisers have no preconditions.
    unsafe { (cudarc::driver::sys::is_culib_present(), cudarc::nvrtc::sys::is_culib_present()) }
}
