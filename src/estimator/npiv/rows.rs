//! What is done with the rows of a frame before a function is estimated from them.

/// Puts rows, which have no labels, in the order of what is in them: the result does not depend on how they came.
pub(super) fn sort_by_content(columns: &mut [Vec<f64>]) {
    let mut order: Vec<usize> = (0..columns[0].len()).collect();
    order.sort_unstable_by(|a, b| {
        let compared = columns.iter().map(|column| column[*a].total_cmp(&column[*b]));
        compared.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
    });
    for column in columns {
        *column = order.iter().map(|row| column[*row]).collect();
    }
}

/// Drops rows whose weight, the last column, is zero: they are no observations. Returns their number.
pub(super) fn drop_weightless(columns: &mut [Vec<f64>]) -> usize {
    let Some(weights) = columns.last() else { return 0 };
    let weighted: Vec<bool> = weights.iter().map(|weight| *weight > 0.0).collect();
    let dropped = weighted.iter().filter(|kept| !**kept).count();
    if dropped > 0 {
        for column in columns {
            let of_kept_rows =
                column.iter().zip(&weighted).filter(|(_, of_kept_rows)| **of_kept_rows);
            *column = of_kept_rows.map(|(value, _)| *value).collect();
        }
    }
    dropped
}

/// Divides outcomes of less than 1 by the power of two of the largest, so that their squares are numbers, and returns it: a power of
/// two rounds nothing.
pub(super) fn to_unit_size(y: &mut [f64]) -> f64 {
    let largest = y.iter().fold(0.0f64, |largest, y| largest.max(y.abs()));
    if largest == 0.0 || largest >= 1.0 {
        return 1.0;
    }
    let scale = largest.log2().floor().max(-1022.0).exp2();
    for y in y {
        *y /= scale;
    }
    scale
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_without_weight_are_dropped() {
        let mut columns = [vec![1.0, 2.0, 3.0], vec![0.5, 0.0, 2.0]];
        assert_eq!(drop_weightless(&mut columns), 1);
        assert_eq!(columns, [vec![1.0, 3.0], vec![0.5, 2.0]]);
        assert_eq!(drop_weightless(&mut columns), 0);
    }

    #[test]
    fn small_outcomes_are_divided_by_a_power_of_two() {
        let mut y = [3e-160, -5e-161];
        let scale = to_unit_size(&mut y);
        assert!((1.0..2.0).contains(&y[0]) && y.map(|y| y * scale) == [3e-160, -5e-161]);
        let mut large = [3.0, 1e-9];
        assert_eq!((to_unit_size(&mut large), large), (1.0, [3.0, 1e-9]));
        assert_eq!(to_unit_size(&mut [0.0]), 1.0);
    }
}
