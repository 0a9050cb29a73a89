//! Numbers as integers that can be sorted and compared.

/// Integers in the order of `f64::total_cmp`.
pub(crate) fn total_order(value: f64) -> i64 {
    let bits = value.to_bits().cast_signed();
    bits ^ ((bits >> 63).cast_unsigned() >> 1).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_have_the_order_of_the_numbers() {
        let values = [f64::NEG_INFINITY, -2.5, -1e-300, -0.0, 0.0, 1e-300, 3.0, f64::INFINITY];
        assert!(values.map(total_order).is_sorted_by(|a, b| a < b));
        assert!(total_order(f64::NAN) > total_order(f64::INFINITY));
    }
}
