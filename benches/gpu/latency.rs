//! What every launch and every transfer costs, however little it does, and what large transfers reach.

use std::time::Instant;

use burn::tensor::{DType, Tensor, TensorData};
use burn_did::backend::DidBackend;
use burn_did::options::Precision;

use super::common::Result;
use super::common::results::digits;
use super::devices::{Device, on_device};

/// Launches in a row, so that the wait at their end does not count.
const LAUNCHES: usize = 1_000;

/// Values of a large transfer: 64 MiB in double precision.
const LARGE: usize = 1 << 23;

/// Runs, of which the fastest counts.
const RUNS: usize = 10;

/// A line for each.
pub fn lines(device: Device) -> Result<Vec<String>> {
    on_device!(device, of_device())
}

fn of_device<B: DidBackend>(precision: Precision) -> Result<Vec<String>> {
    let device = &B::Device::default();
    let dtype = float(precision);
    let one = Tensor::<B, 1>::ones([1], (device, dtype));
    // The least that a launch can do: one number, into memory that is taken and given back.
    let launch = || one.clone().mul_scalar(1.0);
    let in_a_row = |()| {
        for _ in 1..LAUNCHES {
            drop(launch());
        }
        launch()
    };
    let row = fastest::<B, _, _>(device, || (), in_a_row)?;
    let alone = fastest::<B, _, _>(device, || (), |()| launch())?;
    let mut lines = vec![
        format!(
            "{LAUNCHES} launches on one number: {} µs each",
            microseconds(row / LAUNCHES as f64)
        ),
        format!("one launch and its end: {} µs", microseconds(alone)),
    ];
    for values in [1, LARGE] {
        let (read, upload) = transfers::<B>(device, dtype, values)?;
        let bytes = values * dtype.size();
        for (name, seconds) in [("read", read), ("upload", upload)] {
            lines.push(format!(
                "{name} of {bytes} bytes: {} µs, {} GB/s",
                microseconds(seconds),
                digits(bytes as f64 / seconds / 1e9)
            ));
        }
    }
    Ok(lines)
}

/// Seconds of a read and of an upload.
fn transfers<B: DidBackend>(device: &B::Device, dtype: DType, values: usize) -> Result<(f64, f64)> {
    let data = TensorData::new(vec![1.0; values], [values]).convert_dtype(dtype);
    let upload = |data: TensorData| Tensor::<B, 1>::from_data(data, (device, dtype));
    let there = upload(data.clone());
    let read = fastest::<B, _, _>(device, || there.clone(), Tensor::into_data)?;
    Ok((read, fastest::<B, _, _>(device, || data.clone(), upload)?))
}

/// Seconds that work on what is prepared takes until the device has finished, in the fastest of some runs.
pub fn fastest<B: DidBackend, T, U>(
    device: &B::Device,
    prepare: impl Fn() -> T,
    mut work: impl FnMut(T) -> U,
) -> Result<f64> {
    let finished = || B::sync(device).map_err(|error| format!("{error:?}"));
    let mut seconds = f64::INFINITY;
    for _ in 0..RUNS {
        let prepared = prepare();
        finished()?;
        let start = Instant::now();
        let done = work(prepared);
        finished()?;
        seconds = seconds.min(start.elapsed().as_secs_f64());
        drop(done);
    }
    Ok(seconds)
}

/// The type of numbers of a precision.
pub fn float(precision: Precision) -> DType {
    match precision {
        Precision::F32 => DType::F32,
        _ => DType::F64,
    }
}

fn microseconds(seconds: f64) -> String {
    digits(seconds * 1e6)
}
