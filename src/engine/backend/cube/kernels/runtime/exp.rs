//! The exponential function in double precision from additions, multiplications and a division: those are right on every
//! device, while the `exp` of some Vulkan drivers has the precision of a float.

use cubecl::prelude::*;

/// `1 / ln 2`.
const PER_LN_2: f64 = std::f64::consts::LOG2_E;

/// `ln 2` up to its 33rd bit, so that multiples of it by an integer of 11 bits are exact; and the rest.
const LN_2: [f64; 2] = [0.693_147_180_369_123_8, 1.908_214_929_270_587_7e-10];

/// Coefficients of `r² , r⁴, …` in `r (e^r + 1) / (e^r - 1) - 2`, a minimax polynomial for `|r| <= ln 2 / 2` (fdlibm, `e_exp.c`).
const MINIMAX: [f64; 5] = [
    1.666_666_666_666_660_2e-1,
    -2.777_777_777_701_559_3e-3,
    6.613_756_321_437_934e-5,
    -1.653_390_220_546_525_2e-6,
    4.138_136_797_057_238_5e-8,
];

/// `e^η` for `|η| <= 700`, within one unit in the last place.
///
/// With `η = n ln 2 + r`, `e^r = 1 + r + r c / (2 - c)` where `c` is `r` less the polynomial in `r²`.
#[cube]
pub(crate) fn exp_double<F: Float>(eta: F) -> F {
    let n = F::floor(eta * double::<F>(PER_LN_2.to_bits()) + F::new(0.5));
    let high = eta - n * double::<F>(LN_2[0].to_bits());
    let low = n * double::<F>(LN_2[1].to_bits());
    let r = high - low;
    let square = r * r;
    let mut series = double::<F>(MINIMAX[4].to_bits());
    #[unroll]
    for power in 0..4usize {
        series = series * square + double::<F>(comptime!(MINIMAX[3 - power].to_bits()));
    }
    let c = r - square * series;
    let mut value = F::new(1.0) - ((low - r * c / (F::new(2.0) - c)) - high);
    let mut exponent = i32::cast_from(n);
    let mut factor = F::new(2.0);
    if exponent < 0 {
        exponent = -exponent;
        factor = F::new(0.5);
    }
    #[unroll]
    for bit in 0..10i32 {
        if (exponent >> bit) & 1 == 1 {
            value *= factor;
        }
        factor *= factor;
    }
    value
}

/// A constant of double precision, given by its bits: literals in kernels are floats, and it takes three of them to make a double.
#[cube]
fn double<F: Float>(#[comptime] bits: u64) -> F {
    F::new(comptime!(part(bits, 0)))
        + F::new(comptime!(part(bits, 1)))
        + F::new(comptime!(part(bits, 2)))
}

/// One of the three floats that add up to a double.
#[expect(clippy::cast_possible_truncation, reason = "the next parts are what is cut off")]
fn part(bits: u64, index: usize) -> f32 {
    let mut remainder = f64::from_bits(bits);
    for _ in 0..index {
        remainder -= f64::from(remainder as f32);
    }
    remainder as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_floats_make_a_constant() {
        for constant in [PER_LN_2].into_iter().chain(LN_2).chain(MINIMAX) {
            let parts = (0..3).map(|i| f64::from(part(constant.to_bits(), i)));
            assert_eq!(parts.sum::<f64>(), constant);
        }
    }
}
