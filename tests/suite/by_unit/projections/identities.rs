//! Reweighted and without covariates, local projections are the event study of Callaway and Sant'Anna.

use std::collections::{BTreeMap, BTreeSet};

use burn_did::backend::Cpu;
use burn_did::options::{BasePeriod, ControlGroup};
use burn_did::projections::ProjectionMethod;
use burn_did::{Aggregation, AttGt, LocalProjections};

use super::at;
use crate::by_unit::near;
use crate::support::frames::{filter, floats, golden_data};

/// Columns of most data sets: outcome, unit, time and group.
const USUAL: [&str; 4] = ["y", "id", "t", "g"];

/// All golden data sets with groups, periods and units.
const DATA: [(&str, [&str; 4]); 14] = [
    ("stag_a", USUAL),
    ("tvw_a", USUAL),
    ("nonever_a", USUAL),
    ("antic_a", USUAL),
    ("collin_a", USUAL),
    ("scale_a", USUAL),
    ("small_a", USUAL),
    ("unbal_a", USUAL),
    ("dddlong_a", USUAL),
    ("dddmp_a", ["y", "id", "time", "group"]),
    ("cont_a", ["Y", "id", "time_period", "G"]),
    ("cont2_a", ["Y", "id", "time_period", "G"]),
    ("castle", ["l_homicide", "sid", "year", "g"]),
    ("mpdta", ["lemp", "countyreal", "year", "first.treat"]),
];

#[test]
fn reweighted_projections_are_average_effects_by_event_time() {
    let mut compared = 0;
    for (dataset, [y, id, t, g]) in DATA {
        let df = golden_data(dataset);
        let times = floats(&df, t);
        let first = times.iter().copied().fold(f64::INFINITY, f64::min);
        // Only units observed in every period are compared at all horizons alike.
        let periods = times.iter().map(|time| time.to_bits()).collect::<BTreeSet<_>>().len();
        let mut rows: BTreeMap<u64, usize> = BTreeMap::new();
        for unit in floats(&df, id) {
            *rows.entry(unit.to_bits()).or_default() += 1;
        }
        let df = filter(&df, id, |unit| rows[&unit.to_bits()] == periods);
        assert!(df.height() > 0, "{dataset}");
        // Those treated from the start are in neither; nor are outcomes after everybody is treated.
        let df = filter(&df, g, |g| g == 0.0 || g > first);
        for never in [false, true] {
            if never && !floats(&df, g).contains(&0.0) {
                continue;
            }
            let before = compared;
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
            assert!(compared > before, "{dataset}");
        }
    }
}
