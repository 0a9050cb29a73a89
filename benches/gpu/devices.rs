//! Devices of this crate: which are there.

use burn_did::backend::DidBackend;
use burn_did::options::Precision;

use super::common::Result;
use super::common::contestant::Contestant;

/// Calls a function of a backend, whose first argument is a precision and which returns a result, for the one of a device.
macro_rules! on_device {
    ($device:expr, $function:ident($($argument:expr),*)) => {
        match $device {
            $crate::devices::Device::Cpu => {
                $function::<burn_did::backend::Cpu>(burn_did::options::Precision::F64, $($argument),*)
            }
            #[cfg(feature = "cuda")]
            $crate::devices::Device::Cuda => {
                $function::<burn_did::backend::Cuda>(burn_did::options::Precision::F64, $($argument),*)
            }
            #[cfg(feature = "wgpu")]
            $crate::devices::Device::Wgpu => {
                $function::<burn_did::backend::Wgpu>(burn_did::options::Precision::F32, $($argument),*)
            }
            #[cfg(feature = "vulkan")]
            $crate::devices::Device::Vulkan => {
                $function::<burn_did::backend::Vulkan>(burn_did::options::Precision::F64, $($argument),*)
            }
            #[cfg(not(all(feature = "cuda", feature = "vulkan")))]
            other => Err(format!("built without the feature `{}`", other.name()).into()),
        }
    };
}
pub(crate) use on_device;

/// A device of this crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Device {
    /// The processor, in double precision.
    Cpu,
    /// An NVIDIA card, in double precision.
    Cuda,
    /// A card by Vulkan, Metal or DirectX, in single precision.
    Wgpu,
    /// A card by Vulkan, in double precision.
    Vulkan,
}

impl Device {
    /// The one of this name.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "cpu" => Ok(Self::Cpu),
            "cuda" => Ok(Self::Cuda),
            "wgpu" => Ok(Self::Wgpu),
            "vulkan" => Ok(Self::Vulkan),
            _ => Err(format!("no device `{name}`; there are cuda, vulkan, wgpu and cpu").into()),
        }
    }

    /// What a task calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Cuda => "cuda",
            Self::Wgpu => "wgpu",
            Self::Vulkan => "vulkan",
        }
    }

    /// Name in the tables.
    pub fn title(self) -> &'static str {
        match self {
            Self::Cpu => "burn-did cpu",
            Self::Cuda => "burn-did cuda",
            Self::Wgpu => "burn-did wgpu",
            Self::Vulkan => "burn-did vulkan",
        }
    }

    /// This crate on the device.
    pub fn contestant(self) -> Result<Contestant> {
        Ok(Contestant::ours()?.on(self.name(), self.title()))
    }

    /// Why it cannot be used, if it cannot.
    fn probe(self) -> Result<()> {
        on_device!(self, probe())
    }
}

fn probe<B: DidBackend>(precision: Precision) -> Result<()> {
    B::probe(&B::Device::default(), precision)?;
    Ok(())
}

/// Those of the named devices that are there, in the same order; an error if CUDA was wanted and is not, since a Vulkan
/// driver alone may well be software.
pub fn available(names: &[String]) -> Result<Vec<Device>> {
    let mut found = Vec::new();
    for name in names {
        let device = Device::parse(name)?;
        match device.probe() {
            Ok(()) => found.push(device),
            Err(error) if device == Device::Cuda => {
                return Err(format!(
                    "no CUDA device to measure ({error}); `--devices wgpu,cpu` measures the others"
                )
                .into());
            }
            Err(error) => println!("left out {name}: {error}"),
        }
    }
    Ok(found)
}
