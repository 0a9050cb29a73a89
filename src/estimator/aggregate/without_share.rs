//! Groups that have effects and no weight in any average.

use serde::{Deserialize, Serialize};

use super::weights::{LinearAggregation, linear};
use super::{Aggregation, AggregationKind};
use crate::base::error::DidWarning;
use crate::result::estimates::GroupTimeEffects;
use crate::result::inference::Joint;

/// Groups whose effects belong to an average and have no weight in it: their units have a weight of 0 where shares are measured, as in the
/// first period of a panel whose weights change.
///
/// ```
/// use burn_did::group_time::WithoutShare;
/// let text = r#"{"groups": [3.0], "rows": [2.0]}"#;
/// let without: WithoutShare = serde_json::from_str(text).expect("as a saved result has it");
/// assert_eq!((without.groups, without.rows), (vec![3.0], vec![2.0]));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WithoutShare {
    /// First treated periods of the groups, ascending.
    pub groups: Vec<f64>,
    /// Event times or periods at which no other group has an effect, ascending: they have no estimate.
    pub rows: Vec<f64>,
}

impl WithoutShare {
    /// The warning that these groups have no weight in an average of this kind.
    pub(super) fn warning(&self, kind: AggregationKind) -> DidWarning {
        let (mut event_times, mut periods) = (Vec::new(), Vec::new());
        match kind {
            AggregationKind::Calendar => periods.clone_from(&self.rows),
            _ => event_times.clone_from(&self.rows),
        }
        DidWarning::GroupsWithoutShare { groups: self.groups.clone(), event_times, periods }
    }
}

/// The groups without a share, and the rows of the average asked for that are not among those that `formed` has; `None` if all groups
/// with effects in it have a share.
pub(super) fn without_share(
    effects: &GroupTimeEffects,
    options: &Aggregation,
    formed: Option<&LinearAggregation>,
) -> Option<WithoutShare> {
    let has_none = |group: &f64| {
        let share = effects.share_of(*group).and_then(|share| effects.joint.values[share]);
        share.is_some_and(|share| share <= 0.0)
    };
    let mut groups: Vec<f64> = effects.groups.iter().copied().filter(has_none).collect();
    if groups.is_empty() {
        return None;
    }
    let counted = linear(&counted(effects, &groups), options, &mut Vec::new()).ok()?;
    let averages = || counted.rows.iter().map(|r| &r.combination).chain(&counted.overall);
    let weighs = |j: usize| averages().any(|c| c.weights[j] != 0.0);
    let cells = || effects.cells.iter().enumerate();
    groups.retain(|group| cells().any(|(j, cell)| cell.group == *group && weighs(j)));
    let there = |at: f64| formed.is_some_and(|formed| formed.rows.iter().any(|row| row.at == at));
    let rows = counted.rows.iter().map(|row| row.at).filter(|at| !there(*at)).collect();
    (!groups.is_empty()).then_some(WithoutShare { groups, rows })
}

/// The effects as if these groups had a share.
fn counted(effects: &GroupTimeEffects, groups: &[f64]) -> GroupTimeEffects {
    let mut values = effects.joint.values.clone();
    for share in groups.iter().filter_map(|group| effects.share_of(*group)) {
        values[share] = Some(1.0);
    }
    let unknown = effects.joint.unknown.clone();
    let joint = Joint { values, covariance: None, draws: None, unknown, ..effects.joint };
    let (cells, groups, periods) =
        (effects.cells.clone(), effects.groups.clone(), effects.periods.clone());
    GroupTimeEffects { cells, groups, periods, joint, ..*effects }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimator::aggregate::weights::tests::effects;

    /// Group 2 is alone in period 2 and at event time 1.
    #[test]
    fn what_a_group_without_a_share_takes_along_is_known() {
        let mut effects = effects();
        let of = |effects: &GroupTimeEffects, options: Aggregation| {
            let formed = linear(effects, &options, &mut Vec::new());
            without_share(effects, &options, formed.as_ref().ok())
        };
        assert_eq!(of(&effects, Aggregation::dynamic()), None);
        let share = effects.share_of(2.0).expect("group 2");
        effects.joint.values[share] = Some(0.0);
        let found = |options| of(&effects, options).expect("group 2 has no share");
        for (options, rows) in [
            (Aggregation::simple(), vec![]),
            (Aggregation::group(), vec![]),
            (Aggregation::dynamic(), vec![1.0]),
            (Aggregation::calendar(), vec![2.0]),
        ] {
            let expected = WithoutShare { groups: vec![2.0], rows };
            assert_eq!(found(options), expected, "{options:?}");
        }
        // Before treatment there is group 3 alone.
        assert_eq!(of(&effects, Aggregation::dynamic().max_e(-1.0)), None);
        let said = found(Aggregation::calendar()).warning(AggregationKind::Calendar).to_string();
        assert!(said.contains("group 2 ") && said.contains("period 2"), "{said}");
    }
}
