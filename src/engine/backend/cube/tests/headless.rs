//! A runtime that compiles like CUDA for `sm_90` but runs nothing: it keeps the source of each kernel launched on it, and
//! reads give zeros. It needs no GPU, driver or toolkit.

use std::any::Any;
use std::sync::{Arc, Mutex};

use cubecl::bytes::Bytes;
use cubecl::client::ComputeClient;
use cubecl::device::{Device, DeviceId, DeviceService};
use cubecl::future::DynFut;
use cubecl::ir::features::Plane;
use cubecl::ir::{
    ContiguousElements, DeviceProperties, HardwareProperties, MatrixLayout, MemoryDeviceProperties,
    MmaProperties, TargetProperties, VectorSize,
};
use cubecl::prelude::{CubeCount, ExecutionMode};
use cubecl::profile::{ProfileDuration, TimingMethod};
use cubecl::server::{
    Binding, ComputeServer, CopyDescriptor, Handle, IoError, KernelArguments, ProfileError,
    ProfilingToken, ServerCommunication, ServerError, ServerUtilities,
};
use cubecl::stream_id::StreamId;
use cubecl::zspace::striding::has_pitched_row_major_strides;
use cubecl::zspace::{Shape, Strides};
use cubecl::{CubeTask, MemoryAllocationMode, MemoryUsage, Runtime};
use cubecl_cpp::cuda::CudaDialect;
use cubecl_cpp::cuda::mma::{CudaWmmaCompiler, contiguous_elements_cuda};
use cubecl_cpp::register_supported_types;
use cubecl_cpp::shared::{CompilationOptions, CppCompiler, CppSupportedFeatures};
use cubecl_runtime::allocator::PitchedMemoryLayoutPolicy;
use cubecl_runtime::id::KernelId;
use cubecl_runtime::logging::ServerLogger;
use cubecl_runtime::memory_management::ManagedMemoryHandle;
use cubecl_runtime::storage::{ComputeStorage, ManagedResource, StorageHandle, StorageId};
use cubecl_runtime::validation::{validate_cube_dim, validate_units};

use crate::base::error::Result;
use crate::base::options::Precision;
use crate::engine::backend::{Availability, GpuRuntime};

/// A kernel as the CUDA runtime would hand it to NVRTC.
#[derive(Clone, Debug)]
pub(super) struct Source {
    /// What tells it from others.
    pub id: KernelId,
    /// Name of the entry point.
    pub entry: String,
    /// CUDA C++.
    pub code: String,
    /// Bytes of static shared memory.
    pub shared_bytes: usize,
}

static SOURCES: Mutex<Vec<Source>> = Mutex::new(Vec::new());

/// The distinct kernels launched since the last call, in order.
pub(super) fn take_sources() -> Vec<Source> {
    Headless::client(&NoDevice).flush().expect("the runtime does nothing");
    std::mem::take(&mut SOURCES.lock().expect("no test panics while it holds the lock"))
}

#[derive(Clone, Debug, Default, Hash, PartialEq, Eq)]
pub(super) struct NoDevice;

impl Device for NoDevice {
    fn from_id(_: DeviceId) -> Self {
        Self
    }

    fn to_id(&self) -> DeviceId {
        DeviceId { type_id: 0, index_id: 0 }
    }
}

impl burn::tensor::backend::DeviceOps for NoDevice {}

/// Memory that is never asked for.
pub(super) struct NoStorage;

impl ComputeStorage for NoStorage {
    type Resource = ();

    fn alignment(&self) -> usize {
        512
    }

    fn get(&mut self, _: &StorageHandle) {}

    fn alloc(&mut self, _: u64) -> std::result::Result<StorageHandle, IoError> {
        unreachable!("nothing runs")
    }

    fn dealloc(&mut self, _: StorageId) {}

    fn flush(&mut self) {}
}

#[derive(Debug)]
pub(super) struct Capture {
    utilities: Arc<ServerUtilities<Self>>,
}

impl DeviceService for Capture {
    fn init(_: DeviceId) -> Self {
        let hardware = HardwareProperties {
            load_width: 128,
            plane_size_min: 32,
            plane_size_max: 32,
            max_bindings: 1024,
            max_shared_memory_size: 232_448,
            max_cube_count: (i32::MAX.unsigned_abs(), 65_535, 65_535),
            max_units_per_cube: 1024,
            max_cube_dim: (1024, 1024, 64),
            num_streaming_multiprocessors: Some(132),
            num_tensor_cores: Some(4),
            min_tensor_cores_dim: Some(8),
            num_cpu_cores: None,
            max_vector_size: VectorSize::MAX,
        };
        let memory = MemoryDeviceProperties { max_page_size: 20 << 30, alignment: 512 };
        let mut properties =
            DeviceProperties::new(Default::default(), memory, hardware, TimingMethod::System);
        register_supported_types(&mut properties);
        properties.features.memory_reinterpret = true;
        properties.features.alignment = true;
        for feature in [Plane::Sync, Plane::Ops, Plane::NonUniformControlFlow] {
            properties.features.plane.insert(feature);
        }
        let logger = Arc::new(ServerLogger::default());
        let policy = PitchedMemoryLayoutPolicy::new(512);
        Self { utilities: Arc::new(ServerUtilities::new(properties, logger, (), policy)) }
    }

    fn utilities(&self) -> Arc<dyn Any + Send + Sync> {
        self.utilities.clone()
    }
}

impl ServerCommunication for Capture {
    const SERVER_COMM_ENABLED: bool = false;
}

impl ComputeServer for Capture {
    type Kernel = Box<dyn CubeTask<Compiler>>;
    type Storage = NoStorage;
    type MemoryLayoutPolicy = PitchedMemoryLayoutPolicy;
    type Info = ();

    fn logger(&self) -> Arc<ServerLogger> {
        self.utilities.logger.clone()
    }

    fn utilities(&self) -> Arc<ServerUtilities<Self>> {
        self.utilities.clone()
    }

    fn initialize_memory(&mut self, _: ManagedMemoryHandle, _: u64, _: StreamId) {}

    fn read(
        &mut self,
        descriptors: Vec<CopyDescriptor>,
        _: StreamId,
    ) -> DynFut<std::result::Result<Vec<Bytes>, ServerError>> {
        let zeros = descriptors
            .iter()
            .map(|d| vec![0; d.shape.iter().product::<usize>() * d.elem_size])
            .map(Bytes::from_bytes_vec)
            .collect();
        Box::pin(async move { Ok(zeros) })
    }

    fn write(&mut self, _: Vec<(CopyDescriptor, Bytes)>, _: StreamId) {}

    fn sync(&mut self, _: StreamId) -> DynFut<std::result::Result<(), ServerError>> {
        Box::pin(async { Ok(()) })
    }

    fn get_resource(
        &mut self,
        binding: Binding,
        _: StreamId,
    ) -> std::result::Result<ManagedResource<()>, ServerError> {
        Ok(ManagedResource::new(binding.memory, ()))
    }

    /// Compiles as the CUDA runtime does and keeps the source.
    #[expect(unsafe_code, reason = "the trait's signature; nothing is launched")]
    unsafe fn launch(
        &mut self,
        kernel: Self::Kernel,
        _: CubeCount,
        _: KernelArguments,
        mode: ExecutionMode,
        _: StreamId,
    ) {
        let id = kernel.id();
        validate_cube_dim(&self.utilities.properties, &id).expect("a cube that fits");
        validate_units(&self.utilities.properties, &id).expect("a cube that fits");
        let options = CompilationOptions {
            warp_size: 32,
            supports_features: CppSupportedFeatures {
                fast_math: true,
                grid_constants: true,
                fast_tanh: true,
                clusters: true,
                elect_sync: true,
            },
        };
        let compiled = kernel
            .compile(&mut Default::default(), &options, mode, kernel.address_type())
            .expect("CUDA C++");
        let shared_bytes = compiled.repr.map_or(0, |r| r.shared_memory_size());
        let mut sources = SOURCES.lock().expect("no test panics while it holds the lock");
        if sources.iter().all(|s| s.id != id) {
            let (entry, code) = (compiled.entrypoint_name, compiled.source);
            sources.push(Source { id, entry, code, shared_bytes });
        }
    }

    fn flush(&mut self, _: StreamId) -> std::result::Result<(), ServerError> {
        Ok(())
    }

    fn memory_usage(&mut self, _: StreamId) -> std::result::Result<MemoryUsage, ServerError> {
        unreachable!("nothing runs")
    }

    fn memory_cleanup(&mut self, _: StreamId) {}

    fn start_profile(&mut self, _: StreamId) -> std::result::Result<ProfilingToken, ServerError> {
        unreachable!("nothing runs")
    }

    fn end_profile(
        &mut self,
        _: StreamId,
        _: ProfilingToken,
    ) -> std::result::Result<ProfileDuration, ProfileError> {
        unreachable!("nothing runs")
    }

    fn allocation_mode(&mut self, _: MemoryAllocationMode, _: StreamId) {}
}

/// The CUDA runtime's compiler.
type Compiler = CppCompiler<CudaDialect<CudaWmmaCompiler>>;

#[derive(Clone, Debug)]
pub(super) struct Headless;

impl Runtime for Headless {
    type Compiler = Compiler;
    type Server = Capture;
    type Device = NoDevice;

    fn client(device: &NoDevice) -> ComputeClient<Self> {
        ComputeClient::load(device)
    }

    fn name(_: &ComputeClient<Self>) -> &'static str {
        "cuda"
    }

    fn require_array_lengths() -> bool {
        true
    }

    fn max_cube_count() -> (u32, u32, u32) {
        (i32::MAX.unsigned_abs(), 65_535, 65_535)
    }

    fn can_read_tensor(shape: &Shape, strides: &Strides) -> bool {
        has_pitched_row_major_strides(shape, strides)
    }

    fn target_properties() -> TargetProperties {
        TargetProperties {
            mma: MmaProperties {
                register_size_bits: 32,
                const_plane_size: 32,
                register_layout_a: MatrixLayout::RowMajor,
                register_layout_b: MatrixLayout::ColMajor,
                register_layout_acc: MatrixLayout::RowMajor,
                register_duplication_a: 1,
                register_duplication_b: 1,
                register_duplication_acc: 1,
                contiguous_elements: ContiguousElements::new(contiguous_elements_cuda),
            },
        }
    }

    fn enumerate_devices(_: u16, (): &()) -> Vec<DeviceId> {
        vec![NoDevice.to_id()]
    }
}

impl GpuRuntime for Headless {
    const NAME: &'static str = "headless";

    const WRITES: bool = true;

    fn probe(_: &NoDevice, _: Precision) -> Result<Availability> {
        Ok(Availability::default())
    }

    fn write(
        _: &NoDevice,
        _: Handle,
        bytes: usize,
        fill: &mut dyn FnMut(usize, &mut [u8]),
    ) -> Result<()> {
        fill(0, bytemuck::cast_slice_mut(&mut vec![0u64; bytes / size_of::<u64>()]));
        Ok(())
    }
}
