//! Periods counted in steps.

use crate::base::calendar::{FittedCalendar, Frequency};
use crate::base::error::{DidError, Result};

/// Parts of the smallest distance of two periods that are tried as a step.
const PARTS: u32 = 12;

/// How far a period may be from the steps, in steps.
const NEAR: f64 = 1e-6;

/// Periods, ascending, as numbers of steps from the first.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Steps {
    pub numbers: Vec<i64>,
    /// A step, in units of the time column.
    pub length: f64,
}

impl Steps {
    /// Counts periods in steps of the calendar, or else in the largest steps that all distances are whole numbers of.
    pub fn new(periods: &[f64], frequency: Option<Frequency>) -> Result<Self> {
        let Some(first) = periods.first() else { return Ok(Self::default()) };
        let grid = FittedCalendar::new(periods, &[]).grid;
        let elapsed: Vec<f64> = periods.iter().map(|p| grid.elapsed(*first, *p)).collect();
        let whole = elapsed.iter().all(|e| e.fract() == 0.0);
        let length = match (frequency, whole) {
            (Some(_), _) => Some(1.0),
            (None, true) => Some(elapsed.iter().fold(0.0, |a, b| divisor(a, *b))),
            (None, false) => {
                let apart = elapsed.windows(2).map(|w| w[1] - w[0]).fold(f64::INFINITY, f64::min);
                (1..=PARTS).map(|parts| apart / f64::from(parts)).find(|length| {
                    let steps = elapsed.iter().map(|e| e / length);
                    steps.into_iter().all(|s| (s - s.round()).abs() <= NEAR)
                })
            }
        };
        let Some(length) = length else {
            let expected = "periods at whole numbers of equal distances, or dates with `frequency`";
            return Err(DidError::config("time", expected, "periods at other distances"));
        };
        let length = if length == 0.0 { 1.0 } else { length };
        #[expect(
            clippy::cast_possible_truncation,
            reason = "periods are exact integers of doubles"
        )]
        let numbers = elapsed.iter().map(|e| (e / length).round() as i64).collect();
        Ok(Self { numbers, length })
    }
}

/// The greatest common divisor of two whole numbers.
fn divisor(mut a: f64, mut b: f64) -> f64 {
    while b != 0.0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(periods: &[f64]) -> (Vec<i64>, f64) {
        let Steps { numbers, length } = Steps::new(periods, None).expect("a grid");
        (numbers, length)
    }

    #[test]
    fn a_step_is_what_all_distances_are_multiples_of() {
        assert_eq!(steps(&[2003.0, 2004.0, 2007.0]), (vec![0, 1, 4], 1.0));
        assert_eq!(steps(&[2000.0, 2004.0, 2010.0]), (vec![0, 2, 5], 2.0));
        assert_eq!(steps(&[7.0]), (vec![0], 1.0));
        assert_eq!(steps(&[2004.0, 2004.25, 2005.0]).0, [0, 1, 4]);
        let months: Vec<f64> = (0..30).map(|m| 2004.0 + f64::from(m) / 12.0).collect();
        assert_eq!(steps(&months).0, (0..30).collect::<Vec<i64>>());
        let dated = Steps::new(&[24_000.0, 24_003.0], Some(Frequency::Month)).expect("months");
        assert_eq!(dated.numbers, [0, 3]);
        let error = Steps::new(&[0.0, 1.0, std::f64::consts::E, 19.3], None).unwrap_err();
        assert!(error.to_string().contains("`time`"), "{error}");
    }
}
