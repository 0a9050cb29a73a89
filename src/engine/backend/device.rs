//! Devices by name: a backend that is chosen when a program runs.

use std::fmt;
use std::str::FromStr;

use super::DidBackend;
use crate::base::error::{DidError, Result};
use crate::base::options::Precision;
use crate::base::words::words;
use crate::read::input::guarded;

words! {
    /// A backend, by name.
    pub enum BackendName: "backend" {
        /// The processor.
        Cpu = "cpu",
        /// A GPU by Vulkan, Metal or DirectX; single precision.
        Wgpu = "wgpu",
        /// A GPU with a Vulkan driver that has doubles.
        Vulkan = "vulkan",
        /// An NVIDIA GPU.
        Cuda = "cuda",
    }
}

impl BackendName {
    /// Whether this program was built with it, by the feature of the same name.
    #[must_use]
    pub const fn is_built(self) -> bool {
        match self {
            Self::Cpu => cfg!(feature = "cpu"),
            Self::Wgpu => cfg!(feature = "wgpu"),
            Self::Vulkan => cfg!(feature = "vulkan"),
            Self::Cuda => cfg!(feature = "cuda"),
        }
    }

    /// The floating-point type in which it computes unless another is asked for.
    #[must_use]
    pub const fn precision(self) -> Precision {
        match self {
            Self::Wgpu => Precision::F32,
            Self::Cpu | Self::Vulkan | Self::Cuda => Precision::F64,
        }
    }

    /// How many devices it has on this machine; the processor is one.
    ///
    /// # Errors
    /// [`DidError::Device`] if there is no driver or no device, [`DidError::Config`] if this program was built without it.
    pub fn count(self) -> Result<usize> {
        struct Count;
        impl OnDevices for Count {
            type Output = Result<usize>;

            fn run<B: DidBackend>(self, devices: &[B::Device], _: Precision) -> Result<usize> {
                for device in devices {
                    B::probe(device, Precision::F32)?;
                }
                // Devices of the first type are CUDA's, or the discrete ones of wgpu.
                guarded("the devices", || Ok(B::device_count(0)))
            }
        }
        match self {
            Self::Cpu => Ok(1),
            _ => Device::new(self).run(Count)?,
        }
    }
}

/// A device by name: `cpu`, `cuda`, `cuda:1`, `vulkan`, `wgpu:0`. GPUs are counted from 0; without a number it is the first, or the
/// one that the system prefers.
///
/// A backend is a type, which a program names when it is compiled. Where it is chosen later, [`run`](Self::run) calls work that is
/// written for any backend with the one that was chosen.
///
/// ```
/// use burn_did::backend::{Device, DidBackend, OnDevices};
/// use burn_did::{AttGt, GroupTimeResult, Result, data, options::Precision};
///
/// struct Effects;
///
/// impl OnDevices for Effects {
///     type Output = Result<GroupTimeResult>;
///
///     fn run<B: DidBackend>(self, devices: &[B::Device], precision: Precision) -> Self::Output {
///         let config = AttGt::<B>::builder().outcome("lemp").unit("countyreal").time("year");
///         let config = config.group("first.treat").precision(precision).build();
///         config.fit_on_devices(&data::mpdta(), devices)
///     }
/// }
///
/// let fit = Device::parse("cpu")?.run(Effects)??;
/// assert_eq!(fit.settings.n_units, 500);
/// assert!(Device::parse("tpu").is_err());
/// # Ok::<(), burn_did::DidError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Device {
    backend: BackendName,
    index: Option<usize>,
}

/// Work that can run on the devices of any backend.
pub trait OnDevices {
    /// What it gives.
    type Output;

    /// Runs on some devices of one backend; `precision` is the backend's own.
    fn run<B: DidBackend>(self, devices: &[B::Device], precision: Precision) -> Self::Output;
}

impl Device {
    /// The first device of a backend, or the one that the system prefers.
    #[must_use]
    pub const fn new(backend: BackendName) -> Self {
        Self { backend, index: None }
    }

    /// A GPU by its number, counted from 0.
    #[must_use]
    pub const fn numbered(backend: BackendName, index: usize) -> Self {
        Self { backend, index: Some(index) }
    }

    /// The device that a text names.
    ///
    /// # Errors
    /// [`DidError::Config`] if the text names none.
    pub fn parse(text: &str) -> Result<Self> {
        let text = text.trim();
        let unknown = || {
            let expected = "cpu, wgpu, vulkan or cuda, a GPU with its number as in `cuda:1`";
            DidError::config("device", expected, text)
        };
        let (backend, index) = match text.split_once(':') {
            Some((backend, index)) => (backend, Some(index.parse().map_err(|_| unknown())?)),
            None => (text, None),
        };
        Ok(Self { backend: backend.parse().map_err(|_| unknown())?, index })
    }

    /// Every device that this program can use on this machine: the processor, and the GPUs of the backends that it was built with.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let gpus = [BackendName::Cuda, BackendName::Vulkan, BackendName::Wgpu];
        let devices = gpus.into_iter().flat_map(|backend| {
            let count = if backend.is_built() { backend.count().unwrap_or(0) } else { 0 };
            (0..count).map(move |index| Self::numbered(backend, index))
        });
        let processor = BackendName::Cpu.is_built().then(|| Self::new(BackendName::Cpu));
        processor.into_iter().chain(devices).collect()
    }

    /// Its backend.
    #[must_use]
    pub const fn backend(&self) -> BackendName {
        self.backend
    }

    /// Its number among the GPUs of its backend, if it was named with one.
    #[must_use]
    pub const fn index(&self) -> Option<usize> {
        self.index
    }

    /// Runs work on this device.
    ///
    /// # Errors
    /// [`DidError::Config`] if this program was built without the backend.
    pub fn run<W: OnDevices>(&self, work: W) -> Result<W::Output> {
        Self::run_on(std::slice::from_ref(self), work)
    }

    /// Runs work on several devices of one backend.
    ///
    /// # Errors
    /// [`DidError::Config`] if the devices belong to different backends, if one is named twice, if there is none, or if this program
    /// was built without their backend.
    pub fn run_on<W: OnDevices>(devices: &[Self], work: W) -> Result<W::Output> {
        let refused = |expected| {
            let named: Vec<String> = devices.iter().map(ToString::to_string).collect();
            Err(DidError::config("device", expected, named.join(", ")))
        };
        let Some(first) = devices.first() else {
            return refused("at least one");
        };
        if devices.iter().any(|device| device.backend != first.backend) {
            return refused("devices of one backend");
        }
        if (1..devices.len()).any(|i| devices[..i].contains(&devices[i])) {
            return refused("named once each");
        }
        match first.backend {
            #[cfg(feature = "cpu")]
            BackendName::Cpu => {
                if devices.iter().any(|device| device.index.is_some_and(|index| index > 0)) {
                    return refused("`cpu`, which is one device with all cores");
                }
                Ok(work.run::<super::Cpu>(&[burn_ndarray::NdArrayDevice::Cpu], Precision::F64))
            }
            #[cfg(feature = "wgpu")]
            BackendName::Wgpu => Ok(work.run::<super::Wgpu>(&adapters(devices), Precision::F32)),
            #[cfg(feature = "vulkan")]
            BackendName::Vulkan => {
                Ok(work.run::<super::Vulkan>(&adapters(devices), Precision::F64))
            }
            #[cfg(feature = "cuda")]
            BackendName::Cuda => {
                let gpu = |device: &Self| super::CudaDevice::new(device.index.unwrap_or(0));
                let gpus: Vec<_> = devices.iter().map(gpu).collect();
                Ok(work.run::<super::Cuda>(&gpus, Precision::F64))
            }
            #[cfg(not(all(feature = "cpu", feature = "vulkan", feature = "cuda")))]
            _ => {
                drop(work);
                refused(
                    "of a backend that this program was built with, each by the feature of its name (`cpu`, which is there by default, `wgpu`, `vulkan`, `cuda`; a wheel by `maturin build --features cuda`)",
                )
            }
        }
    }
}

/// The adapters of some devices.
#[cfg(feature = "wgpu")]
fn adapters(devices: &[Device]) -> Vec<super::WgpuDevice> {
    use super::WgpuDevice::{DefaultDevice, DiscreteGpu};
    devices.iter().map(|device| device.index.map_or(DefaultDevice, DiscreteGpu)).collect()
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.index {
            Some(index) => write!(f, "{}:{index}", self.backend),
            None => self.backend.fmt(f),
        }
    }
}

impl FromStr for Device {
    type Err = DidError;

    fn from_str(text: &str) -> Result<Self> {
        Self::parse(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Names;

    impl OnDevices for Names {
        type Output = String;

        fn run<B: DidBackend>(self, devices: &[B::Device], precision: Precision) -> String {
            format!("{} {precision} {}", B::NAME, devices.len())
        }
    }

    #[test]
    fn a_text_names_a_device_and_back() {
        for text in ["cpu", "cuda", "cuda:1", "vulkan:0", "wgpu"] {
            assert_eq!(Device::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Device::parse(" CUDA:2 ").unwrap(), Device::numbered(BackendName::Cuda, 2));
        for text in ["", "tpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1:2"] {
            let error = Device::parse(text).unwrap_err().to_string();
            assert!(error.contains("cuda:1") && error.contains(text), "{error}");
        }
    }

    #[test]
    #[cfg(feature = "cpu")]
    fn work_runs_on_the_backend_that_was_named() {
        let cpu = Device::new(BackendName::Cpu);
        assert_eq!(cpu.run(Names).unwrap(), format!("{} f64 1", super::super::Cpu::NAME));
        assert_eq!(Device::all()[0], cpu);
        let cuda = |index| Device::numbered(BackendName::Cuda, index);
        for (devices, why) in [
            (vec![], "at least one"),
            (vec![cpu, cuda(0)], "devices of one backend, got cpu, cuda:0"),
            (vec![cuda(0), cuda(0)], "named once each"),
            (vec![Device::numbered(BackendName::Cpu, 1)], "one device with all cores"),
        ] {
            let error = Device::run_on(&devices, Names).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    #[cfg(not(feature = "cuda"))]
    fn a_backend_that_was_not_built_is_refused_by_its_feature() {
        let error = Device::new(BackendName::Cuda).run(Names).unwrap_err().to_string();
        assert!(error.contains("`cuda`") && error.contains("built with"), "{error}");
        assert!(BackendName::Cuda.count().is_err());
    }
}
