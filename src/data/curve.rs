use std::f64::consts::PI;
use std::ops::Range;

use polars::prelude::{Column, DataFrame};

use super::rows::{Parts, stacked};
use super::streams::Stream;
use crate::base::normal::upper_tail;

/// A regressor with a known curve, and an instrument for it.
///
/// With `z_1`, `z_2` and `z_3` standard normal, `s` the strength, `r` the endogeneity and `Φ` the law of the standard normal,
///
/// ```text
/// w = Φ(z_1),    x = Φ(s z_1 + √(1 − s²) z_2),    y = h(x) + noise·(r z_2 + √(1 − r²) z_3),    h(x) = amplitude·sin(frequency·π·x)
/// ```
///
/// so that `x` and `w` are uniform on (0, 1), and the error's mean is 0 given `w`, but not given `x` unless `r` is 0.
///
/// Streams of units are those of [`Simulation`](super::Simulation): the same seed gives the same data on any number of threads.
///
/// ```
/// let simulation = burn_did::data::CurveSimulation::builder().units(500).seed(7).build();
/// assert_eq!(simulation.frame().shape(), (500, 4));
/// let step = (simulation.function(0.501) - simulation.function(0.499)) / 0.002;
/// assert!((step - simulation.derivative(0.5)).abs() < 1e-4);
/// ```
#[derive(Clone, Debug, PartialEq, bon::Builder)]
#[non_exhaustive]
pub struct CurveSimulation {
    /// Units, of one row each.
    #[builder(default = 1_000)]
    pub units: usize,
    /// Height of the curve.
    #[builder(default = 1.0)]
    pub amplitude: f64,
    /// Half waves of the curve.
    #[builder(default = 1.0)]
    pub frequency: f64,
    /// Correlation of the latent normals behind instrument and regressor.
    #[builder(default = 0.9)]
    pub strength: f64,
    /// Share of the regressor's own part in the error; 0 for a regressor that is exogenous.
    #[builder(default = 0.5)]
    pub endogeneity: f64,
    /// Standard deviation of the error.
    #[builder(default = 0.5)]
    pub noise: f64,
    /// Seed of the streams.
    #[builder(default = 0)]
    pub seed: u64,
}

impl CurveSimulation {
    /// The true function.
    #[must_use]
    pub fn function(&self, x: f64) -> f64 {
        self.amplitude * (self.frequency * PI * x).sin()
    }

    /// Its derivative.
    #[must_use]
    pub fn derivative(&self, x: f64) -> f64 {
        self.amplitude * self.frequency * PI * (self.frequency * PI * x).cos()
    }

    /// One row a unit: `id`, `y`, `x`, `w`.
    #[must_use]
    pub fn frame(&self) -> DataFrame {
        self.rows_of_units()(0..self.units)
    }

    pub(super) fn rows_of_units(&self) -> Parts<'_> {
        Box::new(|units| stacked(units, |block| self.block(block)))
    }

    fn block(&self, units: Range<usize>) -> DataFrame {
        let orthogonal_share = |share: f64| (1.0 - share * share).max(0.0).sqrt();
        let rows: Vec<[f64; 3]> = units
            .clone()
            .map(|unit| {
                let mut stream = Stream::new(self.seed, unit as u64);
                let [first, second, third] = [stream.normal(), stream.normal(), stream.normal()];
                let w = upper_tail(-first);
                let x =
                    upper_tail(-(self.strength * first + orthogonal_share(self.strength) * second));
                let error = self.endogeneity * second + orthogonal_share(self.endogeneity) * third;
                [self.function(x) + self.noise * error, x, w]
            })
            .collect();
        let column = |name: &str, j: usize| {
            Column::new(name.into(), rows.iter().map(|row| row[j]).collect::<Vec<_>>())
        };
        let ids: Vec<i64> = units.map(|unit| unit as i64 + 1).collect();
        let columns =
            vec![Column::new("id".into(), ids), column("y", 0), column("x", 1), column("w", 2)];
        DataFrame::new(rows.len(), columns).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::testing::{column, mean, same_on_any_thread_count};
    use super::*;

    #[test]
    fn same_seed_same_data_on_any_thread_count() {
        let simulation = CurveSimulation::builder().units(20_000).seed(3).build();
        let frame = same_on_any_thread_count(|| simulation.frame());
        assert!(!frame.equals(&CurveSimulation { seed: 4, ..simulation.clone() }.frame()));
        let fewer = CurveSimulation { units: 50, ..simulation }.frame();
        assert!(fewer.equals(&frame.head(Some(50))));
    }

    #[test]
    fn errors_have_mean_zero_given_the_instrument_and_not_given_the_regressor() {
        let simulation = CurveSimulation::builder().units(200_000).seed(1).build();
        let df = simulation.frame();
        let [y, x, w] = ["y", "x", "w"].map(|name| column(&df, name));
        let errors: Vec<f64> = y.iter().zip(&x).map(|(y, x)| y - simulation.function(*x)).collect();
        let covariance =
            |of: &[f64]| mean(errors.iter().zip(of).map(|(error, value)| error * (value - 0.5)));
        assert!(covariance(&w).abs() < 0.001, "{}", covariance(&w));
        assert!(covariance(&x) > 0.02, "{}", covariance(&x));
        for uniform in [&x, &w] {
            let moment = |power| mean(uniform.iter().map(|u| (u - 0.5_f64).powi(power)));
            assert!(moment(1).abs() < 0.003 && (moment(2) - 1.0 / 12.0).abs() < 0.001);
        }
    }
}
