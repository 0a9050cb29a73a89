//! Devices of this crate: which are there.

use burn_did::Precision;
use burn_did::backend::{Cpu, DidBackend};

use super::common::Result;
use super::common::contestant::Contestant;

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
    fn parse(name: &str) -> Result<Self> {
        match name {
            "cpu" => Ok(Self::Cpu),
            "cuda" => Ok(Self::Cuda),
            "wgpu" => Ok(Self::Wgpu),
            "vulkan" => Ok(Self::Vulkan),
            _ => Err(format!("no device `{name}`; there are cuda, vulkan, wgpu and cpu").into()),
        }
    }

    /// What a task calls it.
    fn name(self) -> &'static str {
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
        match self {
            Self::Cpu => probe::<Cpu>(Precision::F64),
            #[cfg(feature = "cuda")]
            Self::Cuda => probe::<burn_did::backend::Cuda>(Precision::F64),
            #[cfg(feature = "wgpu")]
            Self::Wgpu => probe::<burn_did::backend::Wgpu>(Precision::F32),
            #[cfg(feature = "vulkan")]
            Self::Vulkan => probe::<burn_did::backend::Vulkan>(Precision::F64),
            #[cfg(not(all(feature = "cuda", feature = "vulkan")))]
            _ => Err(format!("built without the feature `{}`", self.name()).into()),
        }
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
