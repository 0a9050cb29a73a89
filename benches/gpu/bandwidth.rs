//! How much of the memory's bandwidth the kernels reach over the chunks of a fit, against a copy on the device.

use burn::tensor::{DType, Tensor};
use burn_did::backend::DidBackend;
use burn_did::options::Precision;

use super::common::Result;
use super::common::results::{digits, table};
use super::devices::{Device, on_device};
use super::latency::{fastest, float};
use super::passes::{milliseconds, passes};
use super::sample::Sample;

/// Design columns of the sample.
const K: usize = 10;

/// Draws of the bootstrap's pass, which is bound by arithmetic rather than memory.
const DRAWS: usize = 500;

/// Values of the copy for each row of the sample: half a gibibyte in double precision for four million.
const COPIED: usize = 16;

/// Head of [`lines`].
const HEAD: [&str; 4] = ["pass", "milliseconds", "GB/s", "of the copy"];

/// A table for each device.
pub fn measure(devices: &[Device], rows: usize) -> Result<String> {
    let mut text = String::new();
    for device in devices {
        text += &format!("\n{}, {}:\n\n", device.title(), describe(rows));
        text += &table(&HEAD, &lines(*device, rows)?);
    }
    Ok(text)
}

/// What is measured.
pub fn describe(rows: usize) -> String {
    format!("{rows} rows, k = {K}, {DRAWS} draws; bytes are those that must be read once")
}

/// The copy, then each pass: name, milliseconds, gigabytes a second, and their share of the copy's.
pub fn lines(device: Device, rows: usize) -> Result<Vec<Vec<String>>> {
    on_device!(device, of_device(rows))
}

fn of_device<B: DidBackend>(precision: Precision, rows: usize) -> Result<Vec<Vec<String>>> {
    let device = B::Device::default();
    let dtype = float(precision);
    let width = dtype.size();
    let copied = COPIED * rows;
    let copy = copy_gigabytes::<B>(&device, dtype, copied)?;
    let line = |name: &str, milliseconds: f64, gigabytes: f64| {
        vec![
            name.to_owned(),
            digits(milliseconds),
            digits(gigabytes),
            format!("{:.0} %", 100.0 * gigabytes / copy),
        ]
    };
    let moved = (2 * copied * width) as f64 / 1e9;
    let mut lines = vec![line("copy (read and write)", 1e3 * moved / copy, copy)];
    let sample = Sample::new(rows, K, 1);
    for pass in passes(&sample, sample.segments::<B>(&device, dtype), DRAWS) {
        let milliseconds = milliseconds(&pass);
        let read = (pass.values * rows * width) as f64 / 1e9;
        lines.push(line(pass.name, milliseconds, read / milliseconds * 1e3));
    }
    Ok(lines)
}

/// Gigabytes read and written in a second by the fastest of some copies.
fn copy_gigabytes<B: DidBackend>(device: &B::Device, dtype: DType, values: usize) -> Result<f64> {
    let source = Tensor::<B, 1>::ones([values], (device, dtype));
    let seconds = fastest::<B, _, _>(device, || (), |()| source.clone().mul_scalar(1.0))?;
    Ok((2 * values * dtype.size()) as f64 / seconds / 1e9)
}
