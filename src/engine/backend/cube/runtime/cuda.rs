//! CUDA: double precision by kernels of our own.

use std::sync::{Arc, Mutex};

use burn::backend::cuda::CudaDevice;
use cubecl::Runtime;
use cubecl::cuda::{CudaRuntime, install};
use cubecl::server::Handle;
use cudarc::driver::{CudaContext, CudaStream, DriverError, PinnedHostSlice, result};

use super::GpuRuntime;
use super::buffers::guarded;
use super::upload::PIECE_BYTES;
use crate::base::error::{DidError, Result};
use crate::base::options::Precision;
use crate::base::parallel::held;
use crate::engine::backend::Availability;

impl GpuRuntime for CudaRuntime {
    const NAME: &'static str = "cuda";

    const WRITES: bool = true;

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
    ) -> Result<()> {
        let failed =
            |problem: String| DidError::Device { device: format!("cuda {device:?}"), problem };
        let resource = Self::client(device)
            .get_resource(buffer)
            .map_err(|error| failed(format!("{bytes} bytes: {error:?}")))?;
        let sent = send(device.index, resource.resource().ptr, bytes, fill);
        sent.map_err(|e| failed(format!("sending {bytes} bytes: {e}")))
    }
}

/// Copies to `pointer` by a sender that is idle, or by a new one.
fn send(
    index: usize,
    pointer: u64,
    bytes: usize,
    fill: &mut dyn FnMut(usize, &mut [u8]),
) -> std::result::Result<(), DriverError> {
    let idle = {
        let mut idle = held(&IDLE);
        let position = idle.iter().position(|(device, _)| *device == index);
        position.map(|position| idle.swap_remove(position).1)
    };
    let mut sender = idle.map_or_else(|| Sender::new(index), Ok)?;
    sender.send(pointer, bytes, fill)?;
    held(&IDLE).push((index, sender));
    Ok(())
}

/// Senders that nobody uses now, with the numbers of their devices. They are kept, because locking pages takes longer than filling and
/// sending them.
static IDLE: Mutex<Vec<(usize, Sender)>> = Mutex::new(Vec::new());

/// A stream with two page-locked buffers.
struct Sender {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    pieces: [PinnedHostSlice<u8>; 2],
}

impl Sender {
    #[expect(unsafe_code, reason = "the buffers are not initialised")]
    fn new(index: usize) -> std::result::Result<Self, DriverError> {
        let context = CudaContext::new(index)?;
        let stream = context.new_stream()?;
        // SAFETY: a piece is filled before it is sent.
        let piece = || unsafe { context.alloc_pinned::<u8>(PIECE_BYTES) };
        let pieces = [piece()?, piece()?];
        Ok(Self { context, stream, pieces })
    }

    /// Copies to `pointer` from the two buffers in turn: one is filled while the other is sent.
    #[expect(unsafe_code, reason = "memory of the driver is written to by its address")]
    fn send(
        &mut self,
        pointer: u64,
        bytes: usize,
        fill: &mut dyn FnMut(usize, &mut [u8]),
    ) -> std::result::Result<(), DriverError> {
        self.context.bind_to_thread()?;
        let mut sent = [None, None];
        for (i, start) in (0..bytes).step_by(PIECE_BYTES).enumerate() {
            if let Some(event) = sent[i % 2].take() {
                cudarc::driver::CudaEvent::synchronize(&event)?;
            }
            let piece = &mut self.pieces[i % 2].as_mut_slice()?[..PIECE_BYTES.min(bytes - start)];
            fill(start, piece);
            let to = pointer + start as u64;
            // SAFETY: the buffer has `bytes` bytes and is held by the caller; the piece is not written to before the event has come.
            unsafe { result::memcpy_htod_async(to, piece, self.stream.cu_stream())? };
            sent[i % 2] = Some(self.stream.record_event(None)?);
        }
        self.stream.synchronize()
    }
}

/// Whether the driver's and the compiler's libraries can be loaded.
#[expect(unsafe_code, reason = "loading a library runs its initialisers")]
fn libraries() -> (bool, bool) {
    // SAFETY: the names are those of NVIDIA's driver and compiler, whose initialisers have no preconditions.
    unsafe { (cudarc::driver::sys::is_culib_present(), cudarc::nvrtc::sys::is_culib_present()) }
}
