use polars::prelude::{Column, DataFrame};

use super::rows::{Parts, SimulatedColumns, SimulatedRows, Unit};
use super::streams::Stream;

/// A panel with a continuous treatment whose dose-response curve is known.
///
/// A share of 0.3 of the units is never treated; the others are first treated in period 2, 3, …, `groups + 1`, with equal
/// probabilities. Their dose is uniform on [0.1, 1.1], and in the `e`-th period after treatment began its effect is
///
/// `(linear·d + quadratic·d² + cubic·d³) · (1 + growth·e)`,
///
/// on top of `a_i + 0.2 t + 0.3 G_i + ε_it` with `a_i` and `ε_it` standard normal. With clusters, units `i, i + C, …` of `C`
/// clusters share a shock to every period, and a part of their dose.
///
/// Streams of units are those of [`Simulation`](super::Simulation): the same seed gives the same data on any number of threads.
///
/// ```
/// let simulation = burn_did::data::DoseSimulation::builder().units(500).seed(7).build();
/// assert_eq!(simulation.frame().height(), 500 * 4);
/// // Slopes are those of the curve.
/// let step = (simulation.att(0.501) - simulation.att(0.499)) / 0.002;
/// assert!((step - simulation.acrt(0.5)).abs() < 1e-6);
/// ```
#[derive(Clone, Debug, PartialEq, bon::Builder)]
#[non_exhaustive]
pub struct DoseSimulation {
    /// Units.
    #[builder(default = 1_000)]
    pub units: usize,
    /// Periods, at least 2.
    #[builder(default = 4)]
    pub periods: usize,
    /// Treated groups, fewer than periods.
    #[builder(default = 3)]
    pub groups: usize,
    /// Coefficient of the dose.
    #[builder(default = 0.5)]
    pub linear: f64,
    /// Coefficient of its square.
    #[builder(default = 1.0)]
    pub quadratic: f64,
    /// Coefficient of its cube.
    #[builder(default = 0.0)]
    pub cubic: f64,
    /// By how much effects grow from period to period.
    #[builder(default = 0.2)]
    pub growth: f64,
    /// Whether the dose is 0 before treatment; it is the same in all periods without.
    #[builder(default = false)]
    pub dose_begins_with_treatment: bool,
    /// Adds a column `weight` of sampling weights, uniform on [0.5, 2] and independent of all else.
    #[builder(default = false)]
    pub weights: bool,
    /// Number of clusters; 0 for none.
    #[builder(default = 0)]
    pub clusters: usize,
    /// Seed of the streams.
    #[builder(default = 0)]
    pub seed: u64,
}

impl DoseSimulation {
    /// Effect of a dose `e` periods after treatment began.
    #[must_use]
    pub fn effect(&self, dose: f64, e: f64) -> f64 {
        let curve = dose * (self.linear + dose * (self.quadratic + dose * self.cubic));
        curve * (1.0 + self.growth * e)
    }

    /// The true `ATT(d)`: the mean over the periods of a group, and over groups.
    #[must_use]
    pub fn att(&self, dose: f64) -> f64 {
        self.effect(dose, self.mean_exposure())
    }

    /// The true `ACRT(d)`.
    #[must_use]
    pub fn acrt(&self, dose: f64) -> f64 {
        let slope = self.linear + dose * (2.0 * self.quadratic + 3.0 * dose * self.cubic);
        slope * (1.0 + self.growth * self.mean_exposure())
    }

    /// The mean of `ATT(d)` over the doses.
    #[must_use]
    pub fn overall_att(&self) -> f64 {
        self.mean(|d| self.att(d))
    }

    /// The mean of `ACRT(d)` over the doses.
    #[must_use]
    pub fn overall_acrt(&self) -> f64 {
        self.mean(|d| self.acrt(d))
    }

    /// The mean over the doses of the effect `e` periods after treatment began.
    #[must_use]
    pub fn event_att(&self, e: f64) -> f64 {
        self.mean(|d| self.effect(d, e))
    }

    /// Mean over the doses by Simpson's rule, which is exact for cubics.
    fn mean(&self, f: impl Fn(f64) -> f64) -> f64 {
        (f(LOWEST) + 4.0 * f(LOWEST + 0.5) + f(LOWEST + 1.0)) / 6.0
    }

    /// Mean over groups of the mean number of periods since treatment began.
    fn mean_exposure(&self) -> f64 {
        let last = |group: usize| (self.periods - group) as f64 / 2.0;
        (2..2 + self.groups).map(last).sum::<f64>() / self.groups as f64
    }

    /// The data in long form, ordered by unit and period: `id`, `period`, `group` (0 if never treated), `y`, `dose`, and
    /// `weight` and `cluster` where asked for.
    #[must_use]
    pub fn frame(&self) -> DataFrame {
        self.rows_of_units()(0..self.units)
    }

    pub(super) fn rows_of_units(&self) -> Parts<'_> {
        let layout = SimulatedColumns {
            labels: &["group"],
            covariates: 1,
            weights: self.weights,
            clusters: self.clusters > 0,
        };
        Box::new(move |units| {
            let frame = layout.frame(units, self.periods, |unit, rows| self.push_unit(unit, rows));
            let mut columns = frame.columns().to_vec();
            for column in columns.iter_mut().filter(|column| column.name() == "x1") {
                *column = self.dose(&frame, column);
            }
            DataFrame::new(frame.height(), columns).unwrap_or(frame)
        })
    }

    /// The column of the dose, which may begin with treatment.
    fn dose(&self, frame: &DataFrame, constant: &Column) -> Column {
        let named = constant.clone().with_name("dose".into());
        let integers = |name| frame.column(name).ok().and_then(|c| c.i64().ok());
        let (Some(group), Some(period), true) =
            (integers("group"), integers("period"), self.dose_begins_with_treatment)
        else {
            return named;
        };
        let Ok(doses) = constant.f64() else { return named };
        let rows = group.iter().zip(period.iter()).zip(doses.iter());
        let doses_when_treated =
            rows.map(|((g, t), d)| if g <= t { d.unwrap_or(0.0) } else { 0.0 });
        Column::new("dose".into(), doses_when_treated.collect::<Vec<f64>>())
    }

    fn push_unit(&self, unit: usize, rows: &mut SimulatedRows) {
        let mut stream = Stream::new(self.seed, unit as u64);
        let [group, mut dose, weight] = [stream.uniform(), stream.uniform(), stream.uniform()];
        let level = stream.normal();
        let cluster = if self.clusters > 0 { unit % self.clusters } else { 0 };
        let mut shocks = Stream::new(self.seed ^ 0x5eed_c105, cluster as u64);
        if self.clusters > 0 {
            dose = (dose + shocks.uniform()).fract();
        }
        let treated = ((group - NEVER) / (1.0 - NEVER) * self.groups as f64).floor();
        #[expect(clippy::cast_possible_truncation, reason = "a group")]
        let group = if group < NEVER { 0 } else { 2 + treated as i64 };
        let dose = if group == 0 { 0.0 } else { LOWEST + dose };
        for period in 1..=self.periods as i64 {
            let e = (period - group) as f64;
            let effect = if group > 0 && e >= 0.0 { self.effect(dose, e) } else { 0.0 };
            let shock = if self.clusters > 0 { 0.5 * shocks.normal() } else { 0.0 };
            let y = level + 0.2 * period as f64 + 0.3 * group as f64 + stream.normal() + shock;
            rows.push(period, y + effect);
        }
        rows.close(&Unit {
            id: unit as i64 + 1,
            labels: &[group],
            x: &[dose],
            weight: 0.5 + 1.5 * weight,
            cluster: cluster as i64,
        });
    }
}

/// Share of never-treated units.
const NEVER: f64 = 0.3;

/// Smallest dose.
const LOWEST: f64 = 0.1;

#[cfg(test)]
mod tests {
    use super::super::rows::testing::{column, same_on_any_thread_count};
    use super::*;

    #[test]
    fn same_seed_same_data_on_any_thread_count() {
        let simulation = DoseSimulation::builder().units(20_000).seed(3).build();
        let frame = same_on_any_thread_count(|| simulation.frame());
        let other = DoseSimulation { seed: 4, ..simulation }.frame();
        assert!(!frame.equals(&other));
        assert_eq!(frame.get_column_names(), ["id", "period", "group", "y", "dose"]);
    }

    #[test]
    fn doses_are_of_treated_units_and_may_begin_with_treatment() {
        let simulation = DoseSimulation::builder().units(500).clusters(9).weights(true).build();
        let frame = simulation.frame();
        let (group, dose) = (column(&frame, "group"), column(&frame, "dose"));
        assert!(group.iter().zip(&dose).all(|(g, d)| (*g > 0.0) == (*d >= LOWEST) && *d < 1.1));
        let later = DoseSimulation { dose_begins_with_treatment: true, ..simulation }.frame();
        let (period, own) = (column(&later, "period"), column(&later, "dose"));
        for i in 0..own.len() {
            let treated = group[i] > 0.0 && period[i] >= group[i];
            assert_eq!(own[i], if treated { dose[i] } else { 0.0 });
        }
        assert_eq!(column(&later, "y"), column(&frame, "y"));
    }

    #[test]
    fn means_are_those_of_the_curve() {
        let simulation = DoseSimulation::builder().cubic(-0.4).build();
        let step = 1e-4;
        let doses = (0..10_000).map(|i| LOWEST + (f64::from(i) + 0.5) * step);
        let sum: f64 = doses.map(|d| simulation.att(d) * step).sum();
        assert!((sum - simulation.overall_att()).abs() < 1e-7);
        // Exposures 0..2, 0..1 and 0, averaged within and then over groups.
        let mean = 1.0 + 0.2 * (1.0 + 0.5 + 0.0) / 3.0;
        assert!((simulation.att(1.0) - 1.1 * mean).abs() < 1e-12);
    }
}
