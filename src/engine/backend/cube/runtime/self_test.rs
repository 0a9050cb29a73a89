//! Whether a device's doubles are right, by values that are known.

use std::fmt;

use burn::tensor::DType;
use cubecl::prelude::CubeDim;

use super::super::kernels::known_values;
use super::GpuRuntime;
use super::buffers::{Gpu, index};
use super::launches::grid;
use crate::base::error::Result;

/// Units of a cube.
const UNITS: usize = 64;

/// What a weight `p (1 - p)` may be off whatever its size: beside others nothing is left of it. Some drivers multiply in another order than they
/// are told, and so lose what is smaller than the square root of the smallest double.
const NOTHING: f64 = 1e-100;

/// Log-odds over the whole range, and at a step of less than a float can tell.
fn log_odds() -> Vec<f64> {
    let wide = (-700..=700).map(|i| f64::from(i) + 1e-9 * f64::from(i * i % 97));
    wide.chain((0..100).map(|i| 0.3 + 1e-12 * f64::from(i))).collect()
}

/// What is wrong with the device's doubles: that it has none, or the worst of the known values. Odds are right to two units in the last
/// place, and `p (1 - p)` to four.
pub(crate) fn wrong_doubles<R: GpuRuntime>(device: &R::Device) -> Result<Option<String>> {
    let gpu = Gpu::<R>::new(device, DType::F64);
    if !gpu.client.properties().supports_type(gpu.dtype) {
        return Ok(Some("its driver has no doubles".to_owned()));
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
    if values.len() != 2 * n {
        return Ok(Some("its driver's doubles cannot be read".to_owned()));
    }
    let compared = etas.iter().zip(values.chunks_exact(2)).flat_map(|(eta, got)| {
        let odds = eta.exp();
        let variance = odds / (1.0 + odds) / (1.0 + odds);
        [
            Known::new("exp(x)", *eta, got[0], odds, 2.0),
            Known { negligible: NOTHING, ..Known::new("p (1 - p)", *eta, got[1], variance, 4.0) },
        ]
    });
    let wrong: Vec<Known> = compared.filter(|known| known.excess() > 1.0).collect();
    let worst = wrong.iter().max_by(|a, b| a.excess().total_cmp(&b.excess()));
    Ok(worst.map(|worst| {
        format!("{} of {} doubles of its driver are wrong: {worst}", wrong.len(), 2 * n)
    }))
}

/// A value that is known, and what the device makes of it.
struct Known {
    name: &'static str,
    x: f64,
    got: f64,
    exact: f64,
    /// Units in the last place that it may be off.
    allowed: f64,
    /// What it may be off besides.
    negligible: f64,
}

impl Known {
    fn new(name: &'static str, x: f64, got: f64, exact: f64, allowed: f64) -> Self {
        Self { name, x, got, exact, allowed, negligible: 0.0 }
    }

    /// How far it is off, in what is allowed; infinite for what is no number.
    fn excess(&self) -> f64 {
        let allowed = self.allowed * f64::EPSILON * self.exact + self.negligible;
        let off = (self.got - self.exact).abs() / allowed;
        if off.is_nan() { f64::INFINITY } else { off }
    }
}

impl fmt::Display for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, x, got, exact, .. } = self;
        write!(f, "at x = {x}, {name} is {got:e} in place of {exact:e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_off_in_units_of_what_is_allowed() {
        let known = |got: f64| Known::new("exp(x)", 0.0, got, 1.0, 2.0);
        assert_eq!(known(1.0 + 2.0 * f64::EPSILON).excess(), 1.0);
        assert_eq!(known(f64::NAN).excess(), f64::INFINITY);
        let lost =
            Known { negligible: NOTHING, ..Known::new("p (1 - p)", 400.0, 0.0, 1e-174, 4.0) };
        assert!(lost.excess() < 1.0 && Known { exact: 1e-99, ..lost }.excess() > 1.0);
        assert!(known(1.5).to_string().ends_with("at x = 0, exp(x) is 1.5e0 in place of 1e0"));
    }
}
