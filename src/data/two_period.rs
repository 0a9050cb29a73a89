use polars::prelude::DataFrame;

use super::kang_schafer::{Correct, Covariates};
use super::rows::{Parts, SimulatedColumns, SimulatedRows, Unit};
use super::streams::Stream;

/// Two periods, one treated group and known effect: the designs of Sant'Anna and Zhao (2020, section 4).
///
/// Latent `X1, …, X4` are standard normal. Observed are `x1, …, x4`, the standardised
/// `exp(X1/2)`, `10 + X2/(1 + exp X1)`, `(0.6 + X1·X3/25)³` and `(20 + X2 + X4)²`
/// (Kang and Schafer 2007). Treatment `D` is Bernoulli with a logistic propensity score, and
///
/// - `f_ps(W) = 0.75 (−W1 + 0.5 W2 − 0.25 W3 − 0.1 W4)` is its index,
/// - `f_reg(W) = 210 + 27.4 W1 + 13.7 (W2 + W3 + W4)` the outcome's,
/// - `y_i1 = f_reg + v_i + ε_i1` and `y_i2 = 2 f_reg + v_i + effect·D_i + ε_i2`,
///
/// with `v_i ~ N(D_i f_reg, 1)` and `ε` standard normal. `W` is the observed covariates where a model is correct, else
/// the latent ones. Trends differ by `f_reg`, which the treated have less of: without covariates the effect is missed by
/// far, with them it is found when the model of the outcome or of treatment is correct, as the estimator needs.
///
/// Streams of units are those of [`Simulation`](super::Simulation): the same seed gives the same data on any number of
/// threads, and more units, weights or repeated cross sections leave what else is drawn as it was.
///
/// ```
/// let simulation = burn_did::data::TwoPeriodSimulation::builder().units(500).seed(7).build();
/// let panel = simulation.frame();
/// assert_eq!(panel.height(), 500 * 2);
/// assert_eq!(simulation.truth(), 10.0);
/// ```
#[derive(Clone, Debug, PartialEq, bon::Builder)]
#[non_exhaustive]
pub struct TwoPeriodSimulation {
    /// Units; rows in both periods together, for repeated cross sections.
    #[builder(default = 1_000)]
    pub units: usize,
    /// Number of covariates: the first so many of the four, in the data and in both models.
    #[builder(default = 4)]
    pub covariates: usize,
    /// Whether the outcome is linear in the observed covariates.
    #[builder(default = true)]
    pub outcome_model_correct: bool,
    /// Whether the log odds of treatment are linear in the observed covariates.
    #[builder(default = true)]
    pub propensity_model_correct: bool,
    /// Effect on every treated unit in period 2.
    #[builder(default = 10.0)]
    pub effect: f64,
    /// Adds a column `weight` of sampling weights, uniform on [0.5, 2] and independent of all else.
    #[builder(default = false)]
    pub weights: bool,
    /// Observes each unit in one of the periods.
    #[builder(default = false)]
    pub repeated_cross_sections: bool,
    /// Probability of a unit of repeated cross sections to be observed in period 2.
    #[builder(default = 0.5)]
    pub post_share: f64,
    /// Seed of the streams.
    #[builder(default = 0)]
    pub seed: u64,
}

impl TwoPeriodSimulation {
    /// The true ATT in period 2.
    #[must_use]
    pub fn truth(&self) -> f64 {
        self.effect
    }

    /// The data in long form, ordered by unit and period: `id`, `period` (1 and 2), `treated` (0 and 1), `y`, `x1`, …,
    /// and `weight` where asked for. `treated` is the same in both periods.
    #[must_use]
    pub fn frame(&self) -> DataFrame {
        self.rows_of_units()(0..self.units)
    }

    pub(super) fn rows_per_unit(&self) -> usize {
        if self.repeated_cross_sections { 1 } else { 2 }
    }

    pub(super) fn rows_of_units(&self) -> Parts<'_> {
        let layout = SimulatedColumns {
            labels: &["treated"],
            covariates: self.covariates.min(4),
            weights: self.weights,
            clusters: false,
        };
        Box::new(move |units| {
            layout.frame(units, self.rows_per_unit(), |unit, rows| {
                self.push_unit(unit, layout.covariates, rows);
            })
        })
    }

    /// Appends the rows of one unit with `k` covariates. Draws do not depend on which columns or rows are wanted.
    fn push_unit(&self, unit: usize, k: usize, rows: &mut SimulatedRows) {
        let mut stream = Stream::new(self.seed, unit as u64);
        let [treatment, time, weight] = [stream.uniform(), stream.uniform(), stream.uniform()];
        let [v, before, after] = [stream.normal(), stream.normal(), stream.normal()];
        let correct = Correct {
            outcome: self.outcome_model_correct,
            propensity: self.propensity_model_correct,
        };
        let x = Covariates::draw(&mut stream, k, correct);
        let f_reg = 210.0 + 13.7 * x.regression;
        let f_ps = 0.75 * x.propensity;
        let treated = treatment < 1.0 / (1.0 + (-f_ps).exp());
        let d = f64::from(u8::from(treated));
        let level = d * f_reg + v;
        let post = time < self.post_share;
        if !(self.repeated_cross_sections && post) {
            rows.push(1, f_reg + level + before);
        }
        if post || !self.repeated_cross_sections {
            rows.push(2, 2.0 * f_reg + level + d * self.effect + after);
        }
        rows.close(&Unit {
            id: unit as i64 + 1,
            labels: &[i64::from(treated)],
            x: &x.observed,
            weight: 0.5 + 1.5 * weight,
            cluster: 0,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::testing::{column, mean, same_on_any_thread_count};
    use super::*;

    #[test]
    fn same_seed_same_data_on_any_thread_count() {
        let simulation = TwoPeriodSimulation::builder().units(20_000).seed(3).build();
        let frame = same_on_any_thread_count(|| simulation.frame());
        let other = TwoPeriodSimulation { seed: 4, ..simulation }.frame();
        assert!(!frame.equals(&other));
    }

    #[test]
    fn more_units_fewer_covariates_and_weights_leave_values_alone() {
        let small = TwoPeriodSimulation::builder().units(50).seed(1).build();
        let large = TwoPeriodSimulation { units: 9_000, weights: true, ..small.clone() }.frame();
        let frame = small.frame();
        assert!(large.head(Some(100)).drop("weight").unwrap().equals(&frame));
        assert_eq!(
            large.get_column_names(),
            ["id", "period", "treated", "y", "x1", "x2", "x3", "x4", "weight"]
        );
        let w = column(&large, "weight");
        assert!(w.iter().all(|w| (0.5..2.0).contains(w)) && (mean(w) - 1.25).abs() < 0.02);
        let fewer = TwoPeriodSimulation { covariates: 2, ..small.clone() }.frame();
        assert_eq!(fewer.width(), 6);
        assert_eq!(column(&fewer, "x2"), column(&frame, "x2"));
        let most = TwoPeriodSimulation { covariates: 9, ..small.clone() }.frame();
        assert!(most.equals(&frame));
        let none = TwoPeriodSimulation { units: 0, covariates: 0, ..small };
        assert_eq!(none.frame().shape(), (0, 4));
    }

    #[test]
    fn repeated_cross_sections_are_rows_of_the_panel() {
        let panel = TwoPeriodSimulation::builder().units(20_000).post_share(0.3).build();
        let rows = TwoPeriodSimulation { repeated_cross_sections: true, ..panel.clone() }.frame();
        assert_eq!(rows.height(), 20_000);
        let [id, period, y] = ["id", "period", "y"].map(|name| column(&rows, name));
        assert!((mean(period.iter().copied()) - 1.3).abs() < 0.02);
        let long = column(&panel.frame(), "y");
        for ((id, period), y) in id.iter().zip(&period).zip(&y) {
            assert_eq!(*y, long[2 * (*id as usize - 1) + *period as usize - 1]);
        }
    }

    /// Mean change of `y`, less `change(index of the outcome)`, of treated less untreated units.
    fn contrast(df: &DataFrame, change: impl Fn(&[f64]) -> f64) -> f64 {
        let [treated, y] = ["treated", "y"].map(|name| column(df, name));
        let x = ["x1", "x2", "x3", "x4"].map(|name| column(df, name));
        let average = |d: f64| {
            mean((0..y.len()).step_by(2).filter(|row| treated[*row] == d).map(|row| {
                let x: Vec<f64> = x.iter().map(|x| x[row]).collect();
                y[row + 1] - y[row] - change(&x)
            }))
        };
        average(1.0) - average(0.0)
    }

    #[test]
    fn the_effect_is_found_given_the_outcome_index_only() {
        let df = TwoPeriodSimulation::builder().units(200_000).build().frame();
        let oracle = contrast(&df, |x| 210.0 + 27.4 * x[0] + 13.7 * (x[1] + x[2] + x[3]));
        assert!((oracle - 10.0).abs() < 0.05, "{oracle}");
        let naive = contrast(&df, |_| 0.0);
        assert!(naive < 0.0, "{naive}");
        let share = mean(column(&df, "treated"));
        assert!((share - 0.5).abs() < 0.02, "{share}");
        let trendless = TwoPeriodSimulation::builder().units(200_000).covariates(0).build();
        let fit = column(&trendless.frame(), "y").chunks(2).map(|y| y[1] - y[0]).sum::<f64>();
        assert!((fit / 200_000.0 - 215.0).abs() < 0.1, "half of the units have an effect of 10");
    }

    #[cfg(feature = "cpu")]
    #[test]
    fn estimators_find_the_effect_when_the_model_they_need_is_correct() {
        use super::super::rows::testing::att;
        use crate::options::EstimationMethod::{DoublyRobust, Ipw, OutcomeRegression};
        use polars::prelude::{IntoLazy, col, lit};
        let simulation = TwoPeriodSimulation::builder().units(200_000).build();
        for (outcome, propensity) in [(true, true), (true, false), (false, true), (false, false)] {
            let simulation = TwoPeriodSimulation {
                outcome_model_correct: outcome,
                propensity_model_correct: propensity,
                ..simulation.clone()
            };
            let group = (col("treated") * lit(2)).alias("group");
            let df = simulation.frame().lazy().with_column(group).collect().unwrap();
            for (method, right) in [
                (OutcomeRegression, outcome),
                (Ipw, propensity),
                (DoublyRobust, outcome || propensity),
            ] {
                let error = att(&df, "~ x1 + x2 + x3 + x4", method) - simulation.truth();
                let found = if right { error.abs() < 0.4 } else { error.abs() > 0.6 };
                assert!(found, "{method:?}, outcome {outcome}, propensity {propensity}: {error}");
            }
        }
    }

    #[test]
    #[ignore = "2 million rows, a timing"]
    fn a_million_units() {
        let start = std::time::Instant::now();
        let df = TwoPeriodSimulation::builder().units(1_000_000).build().frame();
        println!("{} rows in {:.2?}", df.height(), start.elapsed());
    }
}
