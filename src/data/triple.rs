use polars::prelude::DataFrame;

use super::kang_schafer::{Correct, Covariates, lengths};
use super::rows::{Parts, SimulatedColumns, SimulatedRows, Unit};
use super::sampled::sampled;
use super::simulate::effect;
use super::streams::Stream;

sampled! {
    /// Triple differences with known effects: groups that enable treatment at different times, and units eligible for it or
    /// not, after the Monte Carlo designs of Ortiz-Villavicencio and Sant'Anna (2025), on a smaller scale.
    ///
    /// Covariates are those of [`TwoPeriodSimulation`](super::TwoPeriodSimulation): `W` are the observed where a model is
    /// correct, else the latent ones. With `h_i ∝ 2 W1 + W2 + W3 + W4` and `f_i ∝ −W1 + 0.5 W2 − 0.25 W3 − 0.1 W4`, slopes
    /// of length 1, and `r = j/C` for the `j`-th of `C` cohorts, 0 for never treated:
    ///
    /// - group `g` and eligibility `q` are drawn together with probability proportional to
    ///   `share_g · share_q · exp(selection·(2q − 1)·r·(f_i − 1))`,
    /// - `y_it = a_i + (1+r+q)·h_i + t/5 + t·{drift·(r+q) + trend·(1+r+q)·h_i} + s_{c(i),q,t} + q·ATT(g, t) + noise·ε_it`,
    ///
    /// with `a_i`, `ε_it` standard normal and shocks `s_cqt` shared by a cluster's units of one eligibility. Given
    /// covariates, trends of eligible and other units differ by the same in every group, and the log odds between any two
    /// subgroups are linear. Hence a triple difference against any group `c` not yet treated is unbiased for ATT(g, t) when
    /// its three comparisons are averaged over the covariates of the eligible units of `g`. What is biased: the difference in
    /// differences of any two subgroups, triple differences without covariates, the estimate for eligible units less that
    /// for others, and groups `c` pooled.
    ///
    /// Streams of units are those of [`Simulation`](super::Simulation): the same seed gives the same data on any number of
    /// threads, and more units, weights or attrition leave the other values as they were.
    ///
    /// ```
    /// use burn_did::data::TripleSimulation;
    ///
    /// let two_periods = TripleSimulation::builder().units(200).seed(7).build();
    /// assert_eq!(two_periods.frame().height(), 200 * 2);
    /// assert_eq!(two_periods.truth(2, 2), 2.0);
    ///
    /// let staggered = TripleSimulation::builder().periods(5).cohorts([3, 4]).heterogeneity(0.5).build();
    /// assert_eq!(staggered.truth(3, 2), 0.0);
    /// assert_eq!(staggered.truth(4, 5), 3.5);
    /// ```
    pub struct TripleSimulation {
        /// Units; rows in each period, for repeated cross sections.
        #[builder(default = 1_000)]
        pub units: usize,
        /// Periods, numbered from 1.
        #[builder(default = 2)]
        pub periods: u32,
        /// First treated period of each cohort's eligible units, ascending; of equal expected size before selection.
        #[builder(default = vec![2], with = |cohorts: impl IntoIterator<Item = i64>| cohorts.into_iter().collect())]
        pub cohorts: Vec<i64>,
        /// Share of units in the group that never enables treatment (group 0), before selection.
        #[builder(default = 0.4)]
        pub never_treated: f64,
        /// Share of eligible units, before selection.
        #[builder(default = 0.5)]
        pub eligible: f64,
        /// Number of covariates `k`, named `x1`, `x2`, …; after each four, slopes repeat on four new ones.
        #[builder(default = 4)]
        pub covariates: usize,
        /// Whether outcomes are linear in the observed covariates.
        #[builder(default = true)]
        pub outcome_model_correct: bool,
        /// Whether the log odds between subgroups are linear in the observed covariates.
        #[builder(default = true)]
        pub propensity_model_correct: bool,
        /// Slope in `f` of the log odds of the last cohort's eligible units against those of the never-treated group; as
        /// much makes eligibility rarer in that cohort.
        #[builder(default = 0.5)]
        pub selection: f64,
        /// Slope in `h` of the outcome's trend, of ineligible units of the never-treated group.
        #[builder(default = 1.0)]
        pub trend: f64,
        /// Distance in trend between the last cohort and the never-treated group, and between eligible and other units.
        #[builder(default = 1.0)]
        pub drift: f64,
        /// Effect by event time 0, 1, …; the last value holds from there on.
        #[builder(default = vec![2.0, 3.0, 4.0], with = |effects: impl IntoIterator<Item = f64>| effects.into_iter().collect())]
        pub effects: Vec<f64>,
        /// What each later cohort's effect has on top of the one before.
        #[builder(default = 0.0)]
        pub heterogeneity: f64,
        /// Standard deviation of `ε`.
        #[builder(default = 1.0)]
        pub noise: f64,
        /// Number of clusters, dealt to the groups in turn; with any, there is a column `cluster`. At least one for each
        /// group, or else groups share them.
        #[builder(default = 0)]
        pub clusters: usize,
    }
}

/// Units of one group and eligibility.
struct Subgroup {
    group: i64,
    /// Place of the group: 0 for never treated, then the cohorts.
    place: usize,
    eligible: bool,
    /// `r`.
    rank: f64,
    log_share: f64,
}

impl TripleSimulation {
    /// Effect in period `time` on the eligible units of cohort `group`: the true ATT(g, t).
    #[must_use]
    pub fn truth(&self, group: i64, time: i64) -> f64 {
        effect(&self.cohorts, &self.effects, self.heterogeneity, group, time)
    }

    /// The data in long form, ordered by unit and period: `id`, `period`, `group` (0 for never treated), `eligible` (0
    /// and 1), `y`, `x1`, …, and `weight` and `cluster` where asked for.
    #[must_use]
    pub fn frame(&self) -> DataFrame {
        self.rows_of_units()(0..self.drawn().0)
    }

    pub(super) fn rows_of_units(&self) -> Parts<'_> {
        let rows_per_unit = self.drawn().1;
        let layout = SimulatedColumns {
            labels: &["group", "eligible"],
            covariates: self.covariates,
            weights: self.weights,
            clusters: self.clusters > 0,
        };
        let subgroups = self.subgroups();
        let shocks = self.cluster_shocks();
        let lengths = lengths(self.covariates);
        Box::new(move |units| {
            layout.frame(units, rows_per_unit, |unit, rows| {
                self.push_unit(unit, &subgroups, lengths, &shocks, rows);
            })
        })
    }

    fn subgroups(&self) -> Vec<Subgroup> {
        let cohorts = self.cohorts.len() as f64;
        let never = if self.cohorts.is_empty() { 1.0 } else { self.never_treated };
        let groups = std::iter::once((0, never))
            .chain(self.cohorts.iter().map(|g| (*g, (1.0 - never) / cohorts)));
        groups
            .enumerate()
            .flat_map(|(place, (group, share))| {
                [(false, 1.0 - self.eligible), (true, self.eligible)].map(|(eligible, of_group)| {
                    Subgroup {
                        group,
                        place,
                        eligible,
                        rank: place as f64 / cohorts.max(1.0),
                        log_share: share.ln() + of_group.ln(),
                    }
                })
            })
            .collect()
    }

    /// Subgroup of a uniform draw, by the multinomial logit in the propensity index `f`.
    fn subgroup<'a>(&self, subgroups: &'a [Subgroup], f: f64, uniform: f64) -> &'a Subgroup {
        let mut total = 0.0;
        let sums: Vec<f64> = subgroups
            .iter()
            .map(|s| {
                let q = f64::from(u8::from(s.eligible));
                let loading = self.selection * s.rank * (2.0 * q - 1.0);
                total += (s.log_share + loading * (f - 1.0)).exp();
                total
            })
            .collect();
        let index = sums.partition_point(|sum| *sum <= uniform * total);
        &subgroups[index.min(subgroups.len() - 1)]
    }

    /// Shocks of each cluster in every period, to ineligible and to eligible units.
    fn cluster_shocks(&self) -> Vec<Vec<[f64; 2]>> {
        let draw = |c: usize| {
            let mut stream = Stream::new(!self.seed, c as u64);
            let mut shock = || self.cluster_sd * stream.normal();
            (0..self.periods).map(|_| [shock(), shock()]).collect()
        };
        (0..self.clusters).map(draw).collect()
    }

    /// Cluster of a uniform draw: with `P` groups, the group at `place` has clusters `place`, `place + P`, ….
    fn cluster(&self, place: usize, uniform: f64) -> usize {
        let groups = self.cohorts.len() + 1;
        let clusters_of_cohort = self.clusters.saturating_sub(place).div_ceil(groups);
        let cluster = place + groups * (uniform * clusters_of_cohort as f64) as usize;
        cluster % self.clusters.max(1)
    }

    /// Appends the rows of one unit. Draws do not depend on which columns or rows are wanted.
    fn push_unit(
        &self,
        unit: usize,
        subgroups: &[Subgroup],
        [length_h, length_f]: [f64; 2],
        shocks: &[Vec<[f64; 2]>],
        rows: &mut SimulatedRows,
    ) {
        let mut stream = Stream::new(self.seed, unit as u64);
        let [subgroup, cluster, weight] = [stream.uniform(), stream.uniform(), stream.uniform()];
        let a = stream.normal();
        let correct = Correct {
            outcome: self.outcome_model_correct,
            propensity: self.propensity_model_correct,
        };
        let x = Covariates::draw(&mut stream, self.covariates, correct);
        let (h, f) = (x.regression / length_h, x.propensity / length_f);
        let cohort = self.subgroup(subgroups, f, subgroup);
        let q = f64::from(u8::from(cohort.eligible));
        let cluster = self.cluster(cohort.place, cluster);
        let differential = cohort.rank + q;
        let level = a + (1.0 + differential) * h;
        let slope = 0.2 + self.drift * differential + self.trend * (1.0 + differential) * h;
        for t in self.periods_of(unit) {
            let (missing, error) = (stream.uniform(), stream.normal());
            if missing < self.attrition {
                continue;
            }
            let shock = shocks
                .get(cluster)
                .map_or(0.0, |by_period| by_period[t as usize - 1][usize::from(cohort.eligible)]);
            let effect = q * self.truth(cohort.group, i64::from(t));
            rows.push(
                i64::from(t),
                level + slope * f64::from(t) + shock + effect + self.noise * error,
            );
        }
        rows.close(&Unit {
            id: unit as i64 + 1,
            labels: &[cohort.group, i64::from(cohort.eligible)],
            x: &x.observed,
            weight: 0.5 + 1.5 * weight,
            cluster: cluster as i64 + 1,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::testing::{column, mean, same_on_any_thread_count};
    use super::*;

    fn staggered() -> TripleSimulation {
        TripleSimulation::builder().periods(4).cohorts([3, 4]).heterogeneity(0.5).build()
    }

    #[test]
    fn same_seed_same_data_on_any_thread_count() {
        let simulation = TripleSimulation { units: 20_000, clusters: 30, ..staggered() };
        let frame = same_on_any_thread_count(|| simulation.frame());
        let other = TripleSimulation { seed: 4, ..simulation }.frame();
        assert!(!frame.equals(&other));
    }

    #[test]
    fn more_units_and_weights_leave_values_alone() {
        let small = TripleSimulation { units: 50, covariates: 6, ..staggered() };
        let large = TripleSimulation { units: 9_000, weights: true, ..small.clone() }.frame();
        assert!(large.head(Some(200)).drop("weight").unwrap().equals(&small.frame()));
        assert_eq!(
            large.get_column_names(),
            [
                "id", "period", "group", "eligible", "y", "x1", "x2", "x3", "x4", "x5", "x6",
                "weight"
            ]
        );
        let w = column(&large, "weight");
        assert!(w.iter().all(|w| (0.5..2.0).contains(w)) && (mean(w) - 1.25).abs() < 0.02);
    }

    #[test]
    fn shares_are_as_asked_without_selection() {
        let simulation =
            TripleSimulation { units: 60_000, selection: 0.0, eligible: 0.7, ..staggered() };
        let df = simulation.frame();
        let (group, eligible) = (column(&df, "group"), column(&df, "eligible"));
        for (g, q, share) in
            [(0.0, 0.0, 0.12), (0.0, 1.0, 0.28), (3.0, 0.0, 0.09), (4.0, 1.0, 0.21)]
        {
            let own = group.iter().zip(&eligible).map(|(s, e)| *s == g && *e == q);
            let observed = mean(own.map(|own| f64::from(u8::from(own))));
            assert!((observed - share).abs() < 0.01, "({g}, {q}): {observed}");
        }
    }

    #[test]
    fn truth_by_event_time() {
        let simulation = staggered();
        assert_eq!([2, 3, 4, 6].map(|t| simulation.truth(3, t)), [0.0, 2.0, 3.0, 4.0]);
        assert_eq!([3, 4].map(|t| simulation.truth(4, t)), [0.0, 2.5]);
        assert_eq!(simulation.truth(0, 4), 0.0);
    }

    /// Triple difference of mean changes from period `base` to `t`, less `change(subgroup's r + q, h)`.
    fn triple(
        df: &DataFrame,
        periods: usize,
        [base, t]: [usize; 2],
        [g, c]: [f64; 2],
        change: impl Fn(f64, f64) -> f64,
    ) -> f64 {
        let [group, eligible, y] = ["group", "eligible", "y"].map(|name| column(df, name));
        let x = ["x1", "x2", "x3", "x4"].map(|name| column(df, name));
        let average = |s: f64, q: f64| {
            let rank = [0.0, 3.0, 4.0].iter().position(|group| *group == s).unwrap() as f64 / 2.0;
            let own =
                (0..y.len()).step_by(periods).filter(|row| group[*row] == s && eligible[*row] == q);
            mean(own.map(|row| {
                let h = (2.0 * x[0][row] + x[1][row] + x[2][row] + x[3][row]) / 7f64.sqrt();
                y[row + t - 1] - y[row + base - 1] - change(rank + q, h)
            }))
        };
        average(g, 1.0) - average(g, 0.0) - average(c, 1.0) + average(c, 0.0)
    }

    #[test]
    fn effects_are_found_given_the_trends_in_the_covariates_only() {
        let simulation = TripleSimulation { units: 200_000, ..staggered() };
        let df = simulation.frame();
        for [g, t, c] in [[3, 3, 0], [3, 3, 4], [3, 4, 0], [4, 4, 0], [4, 2, 3]] {
            let base = if t < g { t - 1 } else { g - 1 };
            let length = (t - base) as f64;
            let (at, pair) = ([base as usize, t as usize], [g as f64, c as f64]);
            let oracle = triple(&df, 4, at, pair, |b, h| length * (1.0 + b) * h);
            let truth = simulation.truth(g, t);
            assert!((oracle - truth).abs() < 0.06, "({g}, {t}) against {c}: {oracle}");
            let naive = triple(&df, 4, at, pair, |_, _| 0.0);
            assert!((naive - truth).abs() > 0.15, "({g}, {t}) against {c}: {naive}");
        }
    }

    #[test]
    fn clusters_attrition_and_repeated_cross_sections() {
        let panel = TripleSimulation { units: 5_000, clusters: 40, attrition: 0.2, ..staggered() };
        let df = panel.frame();
        assert!((df.height() as f64 / 20_000.0 - 0.8).abs() < 0.01);
        let (group, cluster) = (column(&df, "group"), column(&df, "cluster"));
        let mut adoption: Vec<_> = cluster.iter().zip(&group).map(|(c, g)| (*c, *g)).collect();
        adoption.sort_by(|a, b| a.partial_cmp(b).unwrap());
        adoption.dedup();
        assert_eq!(adoption.len(), 40, "each cluster has one group");
        let few = TripleSimulation { clusters: 2, ..panel.clone() }.frame();
        assert!(column(&few, "cluster").iter().all(|c| [1.0, 2.0].contains(c)));

        let rows =
            TripleSimulation { repeated_cross_sections: true, attrition: 0.0, ..panel }.frame();
        assert_eq!(rows.height(), 20_000);
        assert_eq!(rows.column("id").unwrap().n_unique().unwrap(), 20_000);
        assert_eq!(mean(column(&rows, "period")), 2.5);
    }

    #[test]
    fn degenerate_sizes_give_empty_or_untreated_data() {
        let empty = TripleSimulation { units: 0, ..staggered() };
        assert_eq!(empty.frame().shape(), (0, 9));
        let none =
            TripleSimulation { repeated_cross_sections: true, periods: 0, units: 3, ..empty };
        assert_eq!(none.frame().height(), 0);
        for never in [
            TripleSimulation::builder().units(50).never_treated(1.0).build(),
            TripleSimulation::builder().units(50).cohorts([]).covariates(0).build(),
        ] {
            assert!(column(&never.frame(), "group").iter().all(|g| *g == 0.0));
        }
        let all = TripleSimulation { units: 50, eligible: 1.0, never_treated: 0.0, ..staggered() };
        let df = all.frame();
        assert_eq!(mean(column(&df, "eligible")), 1.0);
        assert!(column(&df, "group").iter().all(|g| *g > 0.0));
    }

    /// ATT in period `t` of the subgroup `own`, of a group first treated in `g`, compared with `others` since `g − 1`.
    #[cfg(feature = "cpu")]
    fn comparison(
        df: &DataFrame,
        [g, t]: [i64; 2],
        own: (i64, i64),
        others: &[(i64, i64)],
        method: crate::options::EstimationMethod,
    ) -> f64 {
        use polars::prelude::{DataType, IntoLazy, col, lit};
        let of = |(s, q): (i64, i64)| col("group").eq(lit(s)).and(col("eligible").eq(lit(q)));
        let units = others.iter().fold(of(own), |units, other| units.or(of(*other)));
        let periods = col("period").eq(lit(t)).or(col("period").eq(lit(g - 1)));
        let label = (of(own).cast(DataType::Int64) * lit(t)).alias("group");
        let pair =
            df.clone().lazy().filter(units.and(periods)).with_column(label).collect().unwrap();
        super::super::rows::testing::att(&pair, "~ x1 + x2 + x3 + x4", method)
    }

    #[cfg(feature = "cpu")]
    #[test]
    fn estimators_find_effects_when_the_models_they_need_are_correct() {
        use crate::options::EstimationMethod::{DoublyRobust, Ipw, OutcomeRegression};
        let simulation = TripleSimulation { units: 200_000, ..staggered() };
        for (outcome, propensity) in [(true, true), (true, false), (false, true), (false, false)] {
            let simulation = TripleSimulation {
                outcome_model_correct: outcome,
                propensity_model_correct: propensity,
                ..simulation.clone()
            };
            let df = simulation.frame();
            for (method, right) in [
                (OutcomeRegression, outcome),
                (Ipw, propensity),
                (DoublyRobust, outcome || propensity),
            ] {
                for (g, t, c) in [(3, 3, 4), (3, 4, 0), (4, 4, 0)] {
                    let against = |other| comparison(&df, [g, t], (g, 1), &[other], method);
                    let estimate = against((g, 0)) + against((c, 1)) - against((c, 0));
                    let error = estimate - simulation.truth(g, t);
                    // Weights alone are off by less than their noise at this size where only they are wrong.
                    let found = match (right, outcome || propensity, g) {
                        (true, ..) => error.abs() < 0.1,
                        (_, false, _) => error.abs() > 0.1,
                        (_, _, 4) if !outcome => error.abs() > 0.1,
                        _ => true,
                    };
                    assert!(
                        found,
                        "{method:?} ({g}, {t}) against {c}: {outcome} {propensity} {error}"
                    );
                }
            }
        }
    }

    #[cfg(feature = "cpu")]
    #[test]
    fn shortcuts_are_biased_where_both_models_are_correct() {
        let simulation = TripleSimulation { units: 200_000, ..staggered() };
        let df = simulation.frame();
        let dr = |own, others: &[_]| {
            comparison(&df, [3, 3], own, others, crate::options::EstimationMethod::DoublyRobust)
        };
        let shortcuts = [
            ("eligible and other units of the group", dr((3, 1), &[(3, 0)])),
            ("eligible units of two groups", dr((3, 1), &[(0, 1)])),
            ("a difference of two estimates", dr((3, 1), &[(0, 1)]) - dr((3, 0), &[(0, 0)])),
            (
                "comparison groups pooled",
                dr((3, 1), &[(3, 0)]) + dr((3, 1), &[(0, 1), (4, 1)])
                    - dr((3, 1), &[(0, 0), (4, 0)]),
            ),
        ];
        for (name, estimate) in shortcuts {
            let error = estimate - simulation.truth(3, 3);
            assert!(error.abs() > 0.1, "{name}: {error}");
        }
    }

    #[test]
    #[ignore = "2 million rows, a timing"]
    fn a_million_units() {
        let start = std::time::Instant::now();
        let df = TripleSimulation::builder().units(1_000_000).build().frame();
        println!("{} rows in {:.2?}", df.height(), start.elapsed());
    }
}
