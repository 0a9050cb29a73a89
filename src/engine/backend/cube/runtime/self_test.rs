//! Whether a device's doubles are right, by values that are known.

use burn::tensor::DType;
use cubecl::prelude::CubeDim;

use super::super::kernels::known_values;
use super::GpuRuntime;
use super::buffers::{Gpu, index};
use super::launches::grid;
use crate::base::error::Result;

/// Units of a cube.
const UNITS: usize = 64;

/// Log-odds over the whole range, and at a step of less than a float can tell.
fn log_odds() -> Vec<f64> {
    let wide = (-700..=700).map(|i| f64::from(i) + 1e-9 * f64::from(i * i % 97));
    wide.chain((0..100).map(|i| 0.3 + 1e-12 * f64::from(i))).collect()
}

/// Whether the device has doubles and does the arithmetic of the kernels in them: odds to two units in the last place, and
/// `p (1 - p)` to four.
pub(crate) fn computes_doubles<R: GpuRuntime>(device: &R::Device) -> Result<bool> {
    let gpu = Gpu::<R>::new(device, DType::F64);
    if !gpu.client.properties().supports_type(gpu.dtype) {
        return Ok(false);
    }
    let etas = log_odds();
    let n = etas.len();
    let input = gpu.floats(etas.clone());
    let out = gpu.empty(2 * n);
    known_values::launch::<R>(
        &gpu.client,
        grid(n.div_ceil(UNITS)),
        CubeDim::new_1d(index(UNITS)),
        input.arg(),
        out.arg(),
        gpu.dtype.into(),
    );
    let mut values = Vec::new();
    for bytes in gpu.read(&[&out])? {
        values.extend(gpu.numbers(bytes, out.len())?);
    }
    let close =
        |got: f64, exact: f64, ulps: f64| (got - exact).abs() <= ulps * f64::EPSILON * exact;
    Ok(values.len() == 2 * n
        && etas.iter().zip(values.chunks_exact(2)).all(|(eta, got)| {
            let odds = eta.exp();
            close(got[0], odds, 2.0) && close(got[1], odds / (1.0 + odds) / (1.0 + odds), 4.0)
        }))
}
