//! What a device offers.

use burn::tensor::DType;
use burn::tensor::backend::Backend;

use crate::base::error::{DidError, Result};
use crate::base::options::Precision;

/// What a probe found out about a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Availability {
    /// Free memory in bytes, where the device tells it.
    pub free_bytes: Option<u64>,
}

/// Asks the backend whether it has this floating-point type.
pub(super) fn probe_dtype<B: Backend>(
    device: &B::Device,
    precision: Precision,
) -> Result<Availability> {
    let dtype = match precision {
        Precision::F64 => DType::F64,
        Precision::F32 => DType::F32,
    };
    if B::supports_dtype(device, dtype) {
        return Ok(Availability::default());
    }
    Err(DidError::Precision {
        device: format!("{device:?}"),
        precision: precision.word(),
        remedy: "choose `Precision::F32`, or a backend with double arithmetic".to_owned(),
    })
}
