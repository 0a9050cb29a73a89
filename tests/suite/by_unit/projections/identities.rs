//! Reweighted and without covariates, local projections are the event study of Callaway and Sant'Anna.

use burn_did::backend::Cpu;
use burn_did::options::{BasePeriod, ControlGroup};
use burn_did::projections::ProjectionMethod;
use burn_did::{Aggregation, AttGt, LocalProjections};

use super::at;
use crate::by_unit::near;
use crate::support::frames::{filter, floats, golden_data};

/// Balanced data sets with groups, periods and units: outcome, unit, time and group.
const DATA: [(&str, [&str; 4]); 4] = [
    ("stag_a", ["y", "id", "t", "g"]),
    ("tvw_a", ["y", "id", "t", "g"]),
    ("nonever_a", ["y", "id", "t", "g"]),
    ("mpdta", ["lemp", "countyreal", "year", "first.treat"]),
];

#[test]
fn reweighted_projections_are_average_effects_by_event_time() {
    let mut compared = 0;
    for (dataset, [y, id, t, g]) in DATA {
        let df = golden_data(dataset);
        // Only units observed in every period are compared at all horizons alike.
        let (ids, times) = (floats(&df, id), floats(&df, t));
        let first = times.iter().copied().fold(f64::INFINITY, f64::min);
        let last = times.iter().copied().fold(0.0, f64::max);
        assert!(ids.len() as f64 % (last - first + 1.0) == 0.0, "{dataset}");
        // Those treated from the start are in neither; nor are outcomes after everybody is treated.
        let df = filter(&df, g, |g| g == 0.0 || g > first);
        for never in [false, true] {
            if never && !floats(&df, g).contains(&0.0) {
                continue;
            }
            let mut config = LocalProjections::builder()
                .outcome(y)
                .unit(id)
                .time(t)
                .group(g)
                .pre_window(3)
                .post_window(3)
                .method(ProjectionMethod::Reweighted)
                .build();
            let group =
                if never { ControlGroup::NeverTreated } else { ControlGroup::NotYetTreated };
            config.control_group = group;
            let own = config.fit(&df).unwrap();
            let effects = AttGt::<Cpu>::builder().outcome(y).unit(id).time(t).group(g);
            let effects = effects.control_group(group).base_period(BasePeriod::Universal).build();
            let average = effects.fit(&df).unwrap().aggregate(Aggregation::dynamic().na_rm(true));
            for row in average.unwrap().rows.iter().filter(|row| row.at.abs() <= 3.0) {
                let (estimate, _) = at(&own, row.at as i64);
                let Some(expected) = row.estimate.estimate else { continue };
                near(estimate.unwrap(), expected, 1e-9);
                compared += 1;
            }
        }
    }
    assert!(compared >= 30, "{compared}");
}
