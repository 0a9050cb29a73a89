//! What estimators say of rows in which periods count later than in the data.

use crate::base::error::{DidError, DidWarning};

/// Says of a text about rows in which periods are so much later that they are.
pub(super) fn note(text: &mut String, shift: f64) {
    if shift > 0.0 {
        text.push_str(&format!(
            " (with anticipation, periods and event times in this message are {shift} larger than in the data)"
        ));
    }
}

/// A warning about such rows with the event time that it names as in the data, if it is one that can be told.
pub(super) fn warning(warning: &DidWarning, shift: f64) -> Option<DidWarning> {
    let DidWarning::ConcentratedEffects { effects, effective, example } = warning else {
        return None;
    };
    let at: f64 = example.strip_prefix(EVENT_TIME)?.parse().ok()?;
    let example = format!("{EVENT_TIME}{}", at - shift);
    Some(DidWarning::ConcentratedEffects { effects: *effects, effective: *effective, example })
}

/// What an effect by event time is called.
const EVENT_TIME: &str = "event time ";

/// Whether a warning may name periods or event times that are later than in the data.
pub(super) fn names_times(warning: &DidWarning) -> bool {
    use DidWarning::{
        ChangingCovariates, Collinear, CollinearRegressors, ConcentratedEffects, DroppedRows,
        FewClusters, FewClustersOfGroups, RoundedIntegers, RowsWithGaps, SmallGroups,
        TimeVaryingCovariates, TimeVaryingWeights, Unbalanced, UnweightedStack, WeightlessRows,
        WeightsOfStart,
    };
    let is_told = match warning {
        ConcentratedEffects { example, .. } => example.starts_with(EVENT_TIME),
        _ => false,
    };
    let has_none = matches!(
        warning,
        ChangingCovariates { .. }
            | Collinear { .. }
            | CollinearRegressors { .. }
            | DroppedRows { .. }
            | FewClusters { .. }
            | FewClustersOfGroups { .. }
            | RoundedIntegers { .. }
            | RowsWithGaps { .. }
            | SmallGroups { .. }
            | TimeVaryingCovariates { .. }
            | TimeVaryingWeights
            | Unbalanced { .. }
            | UnweightedStack
            | WeightlessRows { .. }
            | WeightsOfStart
    );
    !is_told && !has_none
}

/// An error about such rows, with the same remark where its text may name periods.
pub(super) fn error(mut error: DidError, shift: f64) -> DidError {
    if let DidError::Panel { problem: text } | DidError::EmptyWindow { what: text } = &mut error {
        note(text, shift);
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn event_times_are_those_of_the_data() {
        let rests = |example: &str| DidWarning::ConcentratedEffects {
            effects: 2,
            effective: 20.0,
            example: example.to_owned(),
        };
        assert_eq!(warning(&rests("event time 3"), 1.0), Some(rests("event time 2")));
        assert_eq!(warning(&rests("overall"), 1.0), None);
        assert!(!names_times(&rests("event time 3")) && names_times(&rests("group 2004")));
        let gaps = DidWarning::RowsWithGaps { rows: 3, columns: Vec::new() };
        for other in [DidWarning::FewClusters { clusters: 3 }, gaps, DidWarning::WeightsOfStart] {
            assert!(!names_times(&other), "{other}");
        }
    }
}
