use std::ops::Range;

use polars::prelude::{Column, DataFrame};

use super::rows::{Parts, stacked};
use super::streams::Stream;

/// Treatments that switch on, off, up and down, with known effects.
///
/// A group has the treatment 0, 1 or 2 in the first period (`d0`). A third of the groups keep it; the others first change it in a
/// period from 3 to the last, by +1, +2 or, if it is 2, by −1 or −2. Half of these change it once more, one to three periods
/// later: back to `d0`, or by as much again. Then
///
/// ```text
/// y = v + 0.2 t + 0.3 d0 t + 0.5 x + effect + ε,    effect = (D_t - d0) + 0.5 (D_(t-1) - d0),
/// ```
///
/// with `v ~ N(d0, 1)`, `ε` standard normal and `x` a random walk. Trends are parallel among groups of the same `d0` only. Groups
/// have streams of their own, so that the same seed gives the same data on any number of threads.
///
/// ```
/// let simulation = burn_did::data::SwitchingSimulation::builder().groups(500).seed(7).build();
/// let panel = simulation.frame();
/// assert_eq!((panel.height(), panel.width()), (500 * 8, 8));
/// ```
#[derive(Clone, Debug, PartialEq, bon::Builder)]
#[non_exhaustive]
pub struct SwitchingSimulation {
    /// Groups.
    #[builder(default = 1_000)]
    pub groups: usize,
    /// Periods, at least 4.
    #[builder(default = 8)]
    pub periods: usize,
    /// Probability of a treatment to be missing.
    #[builder(default = 0.0)]
    pub missing: f64,
    /// Groups of a cluster, whose outcomes have a shock of each period in common; none for one group a cluster.
    #[builder(default = 1)]
    pub groups_per_cluster: usize,
    /// Seed of the streams.
    #[builder(default = 0)]
    pub seed: u64,
}

/// One group.
struct SimulatedGroup {
    treatment: Vec<f64>,
    outcome: Vec<f64>,
    effect: Vec<f64>,
    control: Vec<f64>,
    missing: Vec<bool>,
}

impl SwitchingSimulation {
    /// The data in long form, ordered by group and period: `id`, `period` (from 1), `d` (null where missing), `y`, `x`, `effect`,
    /// `cluster` and `region` (0 to 2).
    #[must_use]
    pub fn frame(&self) -> DataFrame {
        self.rows_of_units()(0..self.groups)
    }

    pub(super) fn rows_of_units(&self) -> Parts<'_> {
        let periods = self.periods.max(4);
        Box::new(move |groups| stacked(groups, |block| self.block(block, periods)))
    }

    fn block(&self, numbers: Range<usize>, periods: usize) -> DataFrame {
        let rows = numbers.len() * periods;
        let groups: Vec<SimulatedGroup> = numbers.clone().map(|g| self.group(g, periods)).collect();
        let column = |of: fn(&SimulatedGroup) -> &Vec<f64>| -> Vec<f64> {
            groups.iter().flat_map(|group| of(group).iter().copied()).collect()
        };
        let by_group = |value: &dyn Fn(usize) -> i64| -> Vec<i64> {
            (0..rows).map(|row| value(numbers.start + row / periods)).collect()
        };
        let treatment = groups.iter().flat_map(|group| {
            let values = group.treatment.iter().zip(&group.missing);
            values.map(|(d, missing)| (!missing).then_some(*d))
        });
        let each = self.groups_per_cluster.max(1);
        let columns = vec![
            Column::new("id".into(), by_group(&|g| g as i64 + 1)),
            Column::new(
                "period".into(),
                (0..rows).map(|r| (r % periods) as i64 + 1).collect::<Vec<_>>(),
            ),
            Column::new("d".into(), treatment.collect::<Vec<Option<f64>>>()),
            Column::new("y".into(), column(|group| &group.outcome)),
            Column::new("x".into(), column(|group| &group.control)),
            Column::new("effect".into(), column(|group| &group.effect)),
            Column::new("cluster".into(), by_group(&|g| (g / each) as i64)),
            Column::new("region".into(), by_group(&|g| (g % 3) as i64)),
        ];
        DataFrame::new(rows, columns).unwrap_or_default()
    }

    fn group(&self, g: usize, periods: usize) -> SimulatedGroup {
        let mut stream = Stream::new(self.seed, g as u64);
        let whole = |uniform: f64, of: usize| (uniform * of as f64).floor();
        let start = whole(stream.uniform(), 3);
        let never = stream.uniform() < 1.0 / 3.0;
        let first = 2.0 + whole(stream.uniform(), periods - 2);
        let size = 1.0 + whole(stream.uniform(), 2);
        let step = if start == 2.0 && stream.uniform() < 0.7 { -size } else { size };
        let [again, back] = [stream.uniform() < 0.5, stream.uniform() < 0.5];
        let second = first + 1.0 + whole(stream.uniform(), 3);
        let treatment: Vec<f64> = (0..periods)
            .map(|t| t as f64)
            .map(|t| match (never || t < first, again && t >= second, back) {
                (true, ..) => start,
                (_, true, true) => start,
                (_, true, false) => start + 2.0 * step,
                (_, false, _) => start + step,
            })
            .collect();
        let level = start + stream.normal();
        let cluster = g / self.groups_per_cluster.max(1);
        let mut shocks = Stream::new(self.seed ^ 0x5EED, cluster as u64);
        let shared = f64::from(u8::from(self.groups_per_cluster > 1));
        let mut control = 0.0;
        let mut group = SimulatedGroup {
            treatment: Vec::new(),
            outcome: Vec::new(),
            effect: Vec::new(),
            control: Vec::new(),
            missing: Vec::new(),
        };
        for (t, d) in treatment.iter().enumerate() {
            let before = if t == 0 { start } else { treatment[t - 1] };
            let effect = (d - start) + 0.5 * (before - start);
            control += stream.normal();
            let noise = stream.normal() + shared * shocks.normal();
            let trend = (0.2 + 0.3 * start) * (t + 1) as f64;
            group.outcome.push(level + trend + 0.5 * control + effect + noise);
            group.effect.push(effect);
            group.control.push(control);
            group.missing.push(stream.uniform() < self.missing);
        }
        group.treatment = treatment;
        group
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_a_sample_and_groups_do_not_depend_on_each_other() {
        let few = SwitchingSimulation::builder().groups(20).seed(3).build().frame();
        let more = SwitchingSimulation::builder().groups(40).seed(3).build().frame();
        assert!(few.equals_missing(&more.head(Some(20 * 8))));
        let other = SwitchingSimulation::builder().groups(20).seed(4).build().frame();
        assert!(!few.equals_missing(&other));
    }

    #[test]
    fn treatments_go_up_down_back_and_on() {
        let simulation = SwitchingSimulation::builder().groups(2_000).missing(0.1).seed(1).build();
        let frame = simulation.frame();
        let d = frame.column("d").unwrap().f64().unwrap();
        let missing = d.null_count() as f64 / d.len() as f64;
        assert!((missing - 0.1).abs() < 0.01, "{missing}");
        let levels: std::collections::BTreeSet<i64> =
            d.iter().flatten().map(|d| d as i64).collect();
        assert_eq!(levels.into_iter().collect::<Vec<_>>(), [-2, 0, 1, 2, 3, 4, 5, 6]);
    }
}
