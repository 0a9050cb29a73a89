//! How much of the memory's bandwidth the kernels reach, against a copy on the device.

use std::time::Instant;

use burn::tensor::{DType, Tensor};
use burn_did::Precision;
use burn_did::backend::{Cpu, DidBackend};

use super::common::Result;
use super::common::results::{digits, table};
use super::devices::Device;
use super::passes::{milliseconds, passes};
use super::sample::Sample;

/// Design columns of the chunk.
const K: usize = 10;

/// Draws of the bootstrap's pass, which is bound by arithmetic rather than memory.
const DRAWS: usize = 500;

/// Values of the copy: half a gibibyte in double precision.
const COPIED: usize = 1 << 26;

/// A table for each device.
pub fn measure(devices: &[Device], rows: usize) -> Result<String> {
    let mut text = String::new();
    for device in devices {
        text += &match device {
            Device::Cpu => of_device::<Cpu>(device.title(), Precision::F64, rows)?,
            #[cfg(feature = "cuda")]
            Device::Cuda => {
                of_device::<burn_did::backend::Cuda>(device.title(), Precision::F64, rows)?
            }
            #[cfg(feature = "wgpu")]
            Device::Wgpu => {
                of_device::<burn_did::backend::Wgpu>(device.title(), Precision::F32, rows)?
            }
            #[cfg(feature = "vulkan")]
            Device::Vulkan => {
                of_device::<burn_did::backend::Vulkan>(device.title(), Precision::F64, rows)?
            }
            #[cfg(not(all(feature = "cuda", feature = "vulkan")))]
            _ => String::new(),
        };
    }
    Ok(text)
}

fn of_device<B: DidBackend>(title: &str, precision: Precision, rows: usize) -> Result<String> {
    let device = B::Device::default();
    let (dtype, width) = match precision {
        Precision::F64 => (DType::F64, 8),
        Precision::F32 => (DType::F32, 4),
    };
    let copy = copy_gigabytes::<B>(&device, dtype, width)?;
    let line = |name: &str, milliseconds: f64, gigabytes: f64| {
        vec![
            name.to_owned(),
            digits(milliseconds),
            digits(gigabytes),
            format!("{:.0} %", 100.0 * gigabytes / copy),
        ]
    };
    let copied = (2 * COPIED * width) as f64 / 1e9;
    let mut lines = vec![line("copy (read and write)", 1e3 * copied / copy, copy)];
    let sample = Sample::new(rows, K, 1);
    for pass in passes(&sample, sample.chunk::<B>(&device, dtype, 0..rows), DRAWS) {
        let milliseconds = milliseconds(&pass);
        let read = (pass.values * rows * width) as f64 / 1e9;
        lines.push(line(pass.name, milliseconds, read / milliseconds * 1e3));
    }
    let head = ["pass", "milliseconds", "GB/s", "of the copy"];
    Ok(format!(
        "\n{title}, {rows} rows, k = {K}, {DRAWS} draws; bytes are those that must be read once:\n\n{}",
        table(&head, &lines)
    ))
}

/// Gigabytes read and written in a second by the fastest of five copies.
fn copy_gigabytes<B: DidBackend>(device: &B::Device, dtype: DType, width: usize) -> Result<f64> {
    let source = Tensor::<B, 1>::ones([COPIED], (device, dtype));
    let mut seconds = f64::INFINITY;
    for _ in 0..6 {
        B::sync(device).map_err(|error| format!("{error:?}"))?;
        let start = Instant::now();
        let copy = source.clone().mul_scalar(1.0);
        B::sync(device).map_err(|error| format!("{error:?}"))?;
        seconds = seconds.min(start.elapsed().as_secs_f64());
        drop(copy);
    }
    Ok((2 * COPIED * width) as f64 / seconds / 1e9)
}
