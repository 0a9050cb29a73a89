//! The slope of a linear violation that a test detects with given power.

use super::law::TestLaw;
use super::normals::Effort;

/// Steps of the search at most.
const STEPS: usize = 60;

/// Share of the slope at which the search ends.
const PRECISE: f64 = 1e-10;

/// The slope with which violations `slope · trend` are detected with this power; `None` if the test rejects as often without any.
///
/// The probability of passing falls as the slope grows, because the region in which the test passes is convex and symmetric
/// (Anderson 1955).
pub(super) fn slope_for_power(law: &TestLaw<'_>, trend: &[f64], power: f64) -> Option<f64> {
    let excess = |slope: f64| {
        let violations: Vec<f64> = trend.iter().map(|t| slope * t).collect();
        law.passing(&violations, Effort::Little).probability - (1.0 - power)
    };
    let mut low = (0.0, excess(0.0));
    if low.1 <= 0.0 {
        return None;
    }
    // The slope at which the largest statistic is expected to be 1.
    let statistics = trend.iter().zip(law.deviations()).map(|(t, se)| t.abs() / se);
    let mut slope = statistics.fold(0.0, f64::max).recip();
    let mut high = loop {
        let end = (slope, excess(slope));
        if end.1 <= 0.0 || !slope.is_finite() {
            break end;
        }
        low = end;
        slope *= 2.0;
    };
    // Regula falsi; an end that stays counts half as much each time (Dowell and Jarratt 1971).
    let mut side = 0;
    for _ in 0..STEPS {
        if high.0 - low.0 <= PRECISE * high.0 || high.1 == 0.0 {
            break;
        }
        let middle = high.0 - high.1 * (high.0 - low.0) / (high.1 - low.1);
        let point = (middle, excess(middle));
        if point.1.abs() <= PRECISE {
            return Some(middle);
        }
        if point.1 > 0.0 {
            low = point;
            if side == 1 {
                high.1 *= 0.5;
            }
            side = 1;
        } else {
            high = point;
            if side == -1 {
                low.1 *= 0.5;
            }
            side = -1;
        }
    }
    Some(high.0)
}
