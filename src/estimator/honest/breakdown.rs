//! The largest violation of parallel trends that leaves an effect significant.

use super::delta::Delta;
use super::result::Breakdown;
use super::setup::StudySetup;
use crate::base::parallel;
use crate::base::progress::tell;

/// The stage that watchers hear of. The bisection repeats its last step: how many it takes is not known before.
const STAGE: &str = "breakdown";
/// Width of the last bracket, relative to its end.
const BRACKET: f64 = 1e-4;
/// Least end that the width of a bracket is relative to, in units of the observed violations.
const SMALL: f64 = 1e-2;
/// Doublings of the largest `M` before an effect counts as significant whatever `M` is.
const DOUBLINGS: usize = 24;

/// Bisects between the numbers of the analysis. Zero is tested itself, so the value does not depend on a grid.
pub(super) fn breakdown(setup: &StudySetup<'_>, m_values: &[f64]) -> Breakdown {
    let mut tried: Vec<f64> = m_values.iter().copied().chain([0.0]).collect();
    tried.sort_unstable_by(f64::total_cmp);
    tried.dedup();
    let significant = parallel::map_telling(STAGE, tried.len(), |i| setup.is_significant(tried[i]));
    if !significant[0] {
        return Breakdown::NotSignificant;
    }
    let (mut inside, mut outside) = match significant.iter().position(|s| !s) {
        Some(first) => (tried[first - 1], tried[first]),
        None => {
            let last = tried[tried.len() - 1];
            match beyond(setup, last) {
                Some(bracket) => bracket,
                None => return Breakdown::AlwaysSignificant(largest(setup, last)),
            }
        }
    };
    let least = SMALL * unit(setup);
    let all = tried.len() as u64;
    while outside - inside > BRACKET * outside.max(least) {
        let middle = 0.5 * (inside + outside);
        if middle <= inside || middle >= outside {
            break;
        }
        tell(STAGE, all, all);
        if setup.is_significant(middle) {
            inside = middle;
        } else {
            outside = middle;
        }
    }
    Breakdown::At(inside)
}

/// What violations are measured by.
fn unit(setup: &StudySetup<'_>) -> f64 {
    if setup.options.delta == Delta::Smoothness { setup.deviation } else { 1.0 }
}

/// Where doubling starts.
fn start(setup: &StudySetup<'_>, last: f64) -> f64 {
    last.max(unit(setup))
}

fn largest(setup: &StudySetup<'_>, last: f64) -> f64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "24")]
    let power = DOUBLINGS as i32;
    start(setup, last) * 2f64.powi(power)
}

/// A number at which the effect is significant and a larger one at which it is not; `None` if there is none.
fn beyond(setup: &StudySetup<'_>, last: f64) -> Option<(f64, f64)> {
    if setup.is_significant(largest(setup, last)) {
        return None;
    }
    let (mut inside, mut m) = (last, start(setup, last) * 2.0);
    while setup.is_significant(m) {
        (inside, m) = (m, m * 2.0);
    }
    Some((inside, m))
}
