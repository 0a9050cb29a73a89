//! Whether a device's doubles are right, by values that are known.

use cubecl::ir::{ElemType, FloatKind};
use cubecl::prelude::*;

use super::GpuRuntime;
use super::kernels::known_values;
use crate::error::{DidError, Result};

/// Log-odds over the whole range, and at a step of less than a float can tell.
fn log_odds() -> Vec<f64> {
    let wide = (-700..=700).map(|i| f64::from(i) + 1e-9 * f64::from(i * i % 97));
    wide.chain((0..100).map(|i| 0.3 + 1e-12 * f64::from(i))).collect()
}

/// Whether the device has doubles and does the arithmetic of the kernels in them: odds to two units in the last place, and
/// `p (1 - p)` to four.
///
/// # Errors
/// [`DidError::Device`] if it does not answer.
pub(super) fn computes_doubles<R: GpuRuntime>(client: &ComputeClient<R>) -> Result<bool> {
    let double = StorageType::Scalar(ElemType::Float(FloatKind::F64));
    if !client.properties().supports_type(double) {
        return Ok(false);
    }
    let etas = log_odds();
    let n = etas.len();
    let input = client.create_from_slice(bytemuck::cast_slice(&etas));
    let out = client.empty(2 * n * size_of::<f64>());
    #[expect(unsafe_code, reason = "the lengths are those of the buffers")]
    // SAFETY: the buffers were made here with these lengths.
    let (input, result) = unsafe {
        (ArrayArg::from_raw_parts(input, n), ArrayArg::from_raw_parts(out.clone(), 2 * n))
    };
    let units = 64;
    let cubes = u32::try_from(n.div_ceil(units)).unwrap_or(u32::MAX);
    let dim = CubeDim::new_1d(64);
    known_values::launch::<R>(client, CubeCount::Static(cubes, 1, 1), dim, input, result, double);
    let problem =
        |e| DidError::Device { device: R::NAME.into(), problem: format!("known values: {e:?}") };
    let bytes = client.read_one(out).map_err(problem)?;
    let values: Vec<f64> = bytes
        .chunks_exact(size_of::<f64>())
        .map(|b| f64::from_ne_bytes([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]]))
        .collect();
    let close =
        |got: f64, exact: f64, ulps: f64| (got - exact).abs() <= ulps * f64::EPSILON * exact;
    Ok(values.len() == 2 * n
        && etas.iter().zip(values.chunks_exact(2)).all(|(eta, got)| {
            let odds = eta.exp();
            close(got[0], odds, 2.0) && close(got[1], odds / (1.0 + odds) / (1.0 + odds), 4.0)
        }))
}
