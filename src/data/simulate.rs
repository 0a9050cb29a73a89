use polars::prelude::DataFrame;

use super::rows::{Parts, SimulatedColumns, SimulatedRows, Unit};
use super::sampled::sampled;
use super::streams::Stream;

sampled! {
    /// Staggered-adoption data with known effects.
    ///
    /// Unit `i` of cohort `g` has, in period `t = 1, …, T`,
    /// `y_it = a_i + t/5 + (trend·t/√k) Σ_j x_ij + violation·t·1{treated} + s_{c(i),t} + ATT(g, t) + noise·ε_it`,
    /// with `a_i`, `ε_it` standard normal, covariates `x_ij ~ N(selection·1{treated}/√k, 1)` and shocks `s_ct` shared by a
    /// cluster. Trends differ by covariates and covariates by cohort, so that effects are recovered only when covariates
    /// are adjusted for; against never-treated units the propensity score is exactly logistic.
    ///
    /// Every unit draws from its own xoshiro256++ stream (Blackman and Vigna 2021), keyed by seed and unit: the same seed
    /// gives the same data on any number of threads, and more units, weights or attrition leave the other values as they
    /// were.
    ///
    /// ```
    /// let simulation = burn_did::data::Simulation::builder().units(200).covariates(2).seed(7).build();
    /// let panel = simulation.frame();
    /// assert_eq!(panel.height(), 200 * 6);
    /// assert_eq!(simulation.truth(3, 2), 0.0);
    /// assert_eq!(simulation.truth(3, 4), 1.5);
    /// ```
    pub struct Simulation {
        /// Units; rows in each period, for repeated cross sections.
        #[builder(default = 1_000)]
        pub units: usize,
        /// Periods, numbered from 1.
        #[builder(default = 6)]
        pub periods: u32,
        /// First treated period of each cohort, ascending, of equal expected size. Small periods leave few pre-periods to test.
        #[builder(default = vec![3, 4, 5], with = |cohorts: impl IntoIterator<Item = i64>| cohorts.into_iter().collect())]
        pub cohorts: Vec<i64>,
        /// Share of units that are never treated (group 0).
        #[builder(default = 0.4)]
        pub never_treated: f64,
        /// Number of covariates `k`, named `x1`, `x2`, ….
        #[builder(default = 1)]
        pub covariates: usize,
        /// Distance between the covariate means of treated and never-treated units, in standard deviations.
        #[builder(default = 0.5)]
        pub selection: f64,
        /// Slope of the outcome's trend in the covariates.
        #[builder(default = 0.3)]
        pub trend: f64,
        /// Effect by event time 0, 1, …; the last value holds from there on.
        #[builder(default = vec![1.0, 1.5, 2.0], with = |effects: impl IntoIterator<Item = f64>| effects.into_iter().collect())]
        pub effects: Vec<f64>,
        /// What each later cohort's effect has on top of the one before.
        #[builder(default = 0.0)]
        pub heterogeneity: f64,
        /// Slope of a trend that treated units have on top of others': a violation of parallel trends. Since the period before treatment
        /// it adds `(e + 1)·violation` at event time `e` to what is estimated.
        #[builder(default = 0.0)]
        pub violation: f64,
        /// Standard deviation of `ε`.
        #[builder(default = 1.0)]
        pub noise: f64,
        /// Number of clusters; with any, whole clusters adopt treatment together and there is a column `cluster`.
        #[builder(default = 0)]
        pub clusters: usize,
    }
}

impl Simulation {
    /// Effect on cohort `group` in period `time`: the true ATT(g, t).
    #[must_use]
    pub fn truth(&self, group: i64, time: i64) -> f64 {
        effect(&self.cohorts, &self.effects, self.heterogeneity, group, time)
    }

    /// True effect at each event time that periods 2 to `T` show, weighted by the cohorts' expected sizes.
    #[must_use]
    pub fn event_study(&self) -> Vec<(i64, f64)> {
        self.event_study_from(2)
    }

    /// [`Self::event_study`] of the periods from this one on.
    pub(super) fn event_study_from(&self, first: i64) -> Vec<(i64, f64)> {
        let periods = first..=i64::from(self.periods);
        let (Some(first), Some(last)) = (self.cohorts.iter().min(), self.cohorts.iter().max())
        else {
            return Vec::new();
        };
        (periods.start() - last..=periods.end() - first)
            .filter_map(|e| {
                let observed: Vec<f64> = self
                    .cohorts
                    .iter()
                    .filter(|g| periods.contains(&(**g + e)))
                    .map(|g| self.truth(*g, g + e))
                    .collect();
                let mean = observed.iter().sum::<f64>() / observed.len() as f64;
                (!observed.is_empty()).then_some((e, mean))
            })
            .collect()
    }

    /// The data in long form, ordered by unit and period: `id`, `period`, `group` (0 for never treated), `y`, `x1`, …,
    /// and `weight` and `cluster` where asked for.
    #[must_use]
    pub fn frame(&self) -> DataFrame {
        self.rows_of_units()(0..self.drawn().0)
    }

    pub(super) fn rows_of_units(&self) -> Parts<'_> {
        let rows_per_unit = self.drawn().1;
        let layout = SimulatedColumns {
            labels: &["group"],
            covariates: self.covariates,
            weights: self.weights,
            clusters: self.clusters > 0,
        };
        let shocks = self.cluster_shocks();
        Box::new(move |units| {
            layout.frame(units, rows_per_unit, |unit, rows| self.push_unit(unit, &shocks, rows))
        })
    }

    /// Cohort of a uniform draw: 0 with the never-treated share, else each cohort with equal probability.
    fn cohort(&self, uniform: f64) -> i64 {
        let treated = (uniform - self.never_treated) / (1.0 - self.never_treated);
        if uniform < self.never_treated || self.cohorts.is_empty() {
            return 0;
        }
        let index = (treated * self.cohorts.len() as f64) as usize;
        self.cohorts[index.min(self.cohorts.len() - 1)]
    }

    /// Each cluster's cohort and its shock in every period.
    fn cluster_shocks(&self) -> Vec<(i64, Vec<f64>)> {
        let draw = |c: usize| {
            let mut stream = Stream::new(!self.seed, c as u64);
            let group = self.cohort(stream.uniform());
            (group, (0..self.periods).map(|_| self.cluster_sd * stream.normal()).collect())
        };
        (0..self.clusters).map(draw).collect()
    }

    /// Appends the rows of one unit. Draws do not depend on which columns or rows are wanted.
    fn push_unit(&self, unit: usize, shocks: &[(i64, Vec<f64>)], rows: &mut SimulatedRows) {
        let mut stream = Stream::new(self.seed, unit as u64);
        let [cohort, cluster, weight] = [stream.uniform(), stream.uniform(), stream.uniform()];
        let cluster = (cluster * self.clusters as f64) as usize;
        let shock = shocks.get(cluster);
        let group = shock.map_or_else(|| self.cohort(cohort), |(group, _)| *group);
        let root = (self.covariates.max(1) as f64).sqrt();
        let mean = if group > 0 { self.selection / root } else { 0.0 };
        let departure = if group > 0 { self.violation } else { 0.0 };
        let level = stream.normal();
        let mut slope = 0.0;
        let first_x: Vec<f64> = (0..self.covariates)
            .map(|_| {
                let x = mean + stream.normal();
                slope += self.trend * x / root;
                x
            })
            .collect();
        for t in self.periods_of(unit) {
            let (missing, error) = (stream.uniform(), stream.normal());
            if missing < self.attrition {
                continue;
            }
            let shared = shock.map_or(0.0, |(_, by_period)| by_period[t as usize - 1]);
            let time = f64::from(t);
            rows.push(
                i64::from(t),
                level
                    + time / 5.0
                    + slope * time
                    + shared
                    + departure * time
                    + self.truth(group, i64::from(t))
                    + self.noise * error,
            );
        }
        rows.close(&Unit {
            id: unit as i64 + 1,
            labels: &[group],
            x: &first_x,
            weight: 0.5 + 1.5 * weight,
            cluster: cluster as i64 + 1,
        });
    }
}

/// Effect in period `time` on the cohort first treated in `group`: `effects` by event time, the last of which holds
/// from there on, and `heterogeneity` more for each later cohort.
pub(super) fn effect(
    cohorts: &[i64],
    effects: &[f64],
    heterogeneity: f64,
    group: i64,
    time: i64,
) -> f64 {
    let cohort = cohorts.iter().position(|g| *g == group);
    match (cohort, effects.last()) {
        (Some(cohort), Some(last)) if time >= group => {
            let e = usize::try_from(time - group).unwrap_or(usize::MAX);
            effects.get(e).unwrap_or(last) + heterogeneity * cohort as f64
        }
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::testing::{column, mean, same_on_any_thread_count};
    use super::*;

    #[test]
    fn same_seed_same_data_on_any_thread_count() {
        let simulation = Simulation::builder().units(20_000).covariates(2).seed(3).build();
        let frame = same_on_any_thread_count(|| simulation.frame());
        let other = Simulation { seed: 4, ..simulation }.frame();
        assert!(!frame.equals(&other));
    }

    #[test]
    fn more_units_and_more_columns_leave_values_alone() {
        let small = Simulation::builder().units(50).seed(1).build();
        let large = Simulation { units: 9_000, weights: true, ..small.clone() };
        let (small, large) = (small.frame(), large.frame());
        let head = large.head(Some(small.height())).drop("weight").unwrap();
        assert!(small.equals(&head));
    }

    #[test]
    fn shares_selection_and_weights_are_as_asked() {
        let simulation = Simulation::builder().units(40_000).periods(1).weights(true).build();
        let df = simulation.frame();
        let (group, x, w) = (column(&df, "group"), column(&df, "x1"), column(&df, "weight"));
        let share = |g: f64| mean(group.iter().map(|v| f64::from(u8::from(*v == g))));
        assert!((share(0.0) - 0.4).abs() < 0.01 && (share(4.0) - 0.2).abs() < 0.01);
        let mean_x = |treated: bool| {
            mean(group.iter().zip(&x).filter(|(g, _)| (**g > 0.0) == treated).map(|(_, x)| *x))
        };
        assert!((mean_x(true) - 0.5).abs() < 0.03 && mean_x(false).abs() < 0.03);
        assert!(w.iter().all(|w| (0.5..2.0).contains(w)) && (mean(w) - 1.25).abs() < 0.01);
    }

    #[test]
    fn outcomes_carry_the_true_effect() {
        let simulation = Simulation::builder()
            .units(50_000)
            .covariates(0)
            .heterogeneity(0.5)
            .cohorts(vec![3, 5])
            .build();
        let df = simulation.frame();
        let [group, period, y] = ["group", "period", "y"].map(|name| column(&df, name));
        let change = |g: f64, t: usize, base: usize| {
            mean(
                (0..y.len())
                    .step_by(6)
                    .filter(|row| group[*row] == g)
                    .map(|row| y[row + t - 1] - y[row + base - 1]),
            )
        };
        assert_eq!(period[..6], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        for (g, t) in [(3, 2), (3, 3), (3, 6), (5, 4), (5, 5), (5, 6)] {
            let did = change(g as f64, t, 1) - change(0.0, t, 1);
            assert!((did - simulation.truth(g, t as i64)).abs() < 0.05, "({g}, {t}): {did}");
        }
    }

    #[test]
    fn event_study_averages_the_cohorts_that_show_an_event_time() {
        let simulation =
            Simulation::builder().cohorts(vec![3, 5]).heterogeneity(1.0).effects(vec![1.0]).build();
        let expected = [(-3, 0.0), (-2, 0.0), (-1, 0.0), (0, 1.5), (1, 1.5), (2, 1.0), (3, 1.0)];
        assert_eq!(simulation.event_study(), expected);
        assert_eq!(simulation.truth(7, 9), 0.0);
        assert_eq!(Simulation::builder().cohorts(vec![]).build().event_study(), []);
    }

    #[test]
    fn attrition_clusters_and_repeated_cross_sections() {
        let panel = Simulation::builder().units(5_000).attrition(0.2).clusters(40).build();
        let df = panel.frame();
        assert!((df.height() as f64 / 30_000.0 - 0.8).abs() < 0.01);
        let (group, cluster) = (column(&df, "group"), column(&df, "cluster"));
        let mut adoption: Vec<_> = cluster.iter().zip(&group).map(|(c, g)| (*c, *g)).collect();
        adoption.sort_by(|a, b| a.partial_cmp(b).unwrap());
        adoption.dedup();
        assert_eq!(adoption.len(), 40, "each cluster has one cohort");

        let rows = Simulation { repeated_cross_sections: true, attrition: 0.0, ..panel }.frame();
        assert_eq!(rows.height(), 30_000);
        assert_eq!(rows.column("id").unwrap().n_unique().unwrap(), 30_000);
        assert_eq!(mean(column(&rows, "period")), 3.5);
    }

    #[test]
    fn degenerate_sizes_give_empty_or_untreated_data() {
        let empty = Simulation::builder().units(0).build();
        assert_eq!(empty.frame().shape(), (0, 5));
        let none = Simulation { repeated_cross_sections: true, periods: 0, units: 3, ..empty };
        assert_eq!(none.frame().height(), 0);
        let never = Simulation::builder().units(5).never_treated(1.0).build().frame();
        assert!(column(&never, "group").iter().all(|g| *g == 0.0));
    }

    #[test]
    #[ignore = "10 million rows, a timing"]
    fn ten_million_rows() {
        let start = std::time::Instant::now();
        let df = Simulation::builder().units(1_000_000).periods(10).covariates(2).build().frame();
        println!("{} rows in {:.2?}", df.height(), start.elapsed());
    }
}
