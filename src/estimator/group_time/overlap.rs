//! What is said of the weights of comparison units.

use crate::base::error::DidWarning;
use crate::result::estimates::Overlap;

/// Effective sample size that the propensity score must leave of the comparison group, or else there is a warning.
const EFFECTIVE_SHARE: f64 = 0.1;

/// Warnings of comparisons, each with its cell unless there is only one comparison: that units were trimmed, and that few units
/// carry a comparison.
pub(crate) fn overlap_warnings(
    comparisons: impl IntoIterator<Item = (Option<(f64, f64)>, Overlap)>,
) -> Vec<DidWarning> {
    let comparisons: Vec<_> = comparisons.into_iter().collect();
    let mut warnings = Vec::new();
    let trimmed: Vec<_> = comparisons.iter().filter(|(_, overlap)| overlap.trimmed > 0).collect();
    // The first of several that lose alike.
    let most = trimmed.iter().rev().max_by(|(_, a), (_, b)| {
        let key = |overlap: &Overlap| (overlap.trimmed_share, overlap.trimmed);
        key(a).partial_cmp(&key(b)).unwrap_or(std::cmp::Ordering::Equal)
    });
    if let Some((worst, overlap)) = most {
        let Overlap { trimmed: units, trimmed_share: share, .. } = *overlap;
        warnings.push(DidWarning::TrimmedControls {
            cells: trimmed.len(),
            worst: *worst,
            units,
            share,
        });
    }
    let low = |overlap: &Overlap| overlap.effective_share().filter(|left| *left < EFFECTIVE_SHARE);
    let few: Vec<_> = comparisons
        .iter()
        .filter_map(|(cell, overlap)| Some((cell, overlap, low(overlap)?)))
        .collect();
    let least = few.iter().min_by(|(_, _, a), (_, _, b)| a.total_cmp(b));
    if let Some((worst, overlap, _)) = least {
        warnings.push(DidWarning::FewEffectiveControls {
            cells: few.len(),
            worst: **worst,
            effective: overlap.effective_control.unwrap_or(f64::NAN),
            sampling: overlap.effective_control_sampling.unwrap_or(f64::NAN),
        });
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overlap(trimmed: usize, effective: f64) -> Overlap {
        Overlap {
            trimmed,
            trimmed_share: trimmed as f64 / 1e3,
            effective_control: Some(effective),
            effective_control_sampling: Some(100.0),
            ..Overlap::default()
        }
    }

    #[test]
    fn one_warning_names_the_cell_that_loses_most() {
        let cells = [((4.0, 5.0), overlap(2, 50.0)), ((4.0, 6.0), overlap(3, 9.0))];
        let third = ((5.0, 6.0), overlap(0, 4.0));
        let all = cells.into_iter().chain([third]).map(|(cell, overlap)| (Some(cell), overlap));
        let expected = [
            DidWarning::TrimmedControls {
                cells: 2,
                worst: Some((4.0, 6.0)),
                units: 3,
                share: 0.003,
            },
            DidWarning::FewEffectiveControls {
                cells: 2,
                worst: Some((5.0, 6.0)),
                effective: 4.0,
                sampling: 100.0,
            },
        ];
        assert_eq!(overlap_warnings(all), expected);
    }

    #[test]
    fn weights_that_lose_little_are_no_reason_to_warn() {
        assert!(overlap_warnings([(None, overlap(0, 10.0))]).is_empty());
    }
}
