//! Curves, with instruments.

use super::truth::{Truth, rounded};
use super::{Parts, Simulate, check};
use crate::base::error::{DidError, Result};
use crate::data::curve::CurveSimulation;

impl Simulate for CurveSimulation {
    fn estimator(&self) -> &'static str {
        "npiv"
    }

    fn validate(&self) -> Result<()> {
        check::sizes(self.units, 1)?;
        check::finite(&[("amplitude", self.amplitude), ("frequency", self.frequency)])?;
        check::deviations(&[("noise", self.noise)])?;
        check::shares(&[("endogeneity", self.endogeneity)])?;
        if !(self.strength > 0.0 && self.strength <= 1.0) {
            return Err(DidError::config("strength", "above 0 and at most 1", self.strength));
        }
        Ok(())
    }

    fn drawn(&self) -> (usize, usize) {
        (self.units, 1)
    }

    fn parts(&self) -> Parts<'_> {
        self.rows_of_units()
    }

    /// `function` and `derivative` at 0.1, 0.2, …, 0.9.
    fn truths(&self) -> Vec<Truth> {
        let points = (1..=9).map(|i| rounded(f64::from(i) * 0.1));
        let function = points.clone().map(|x| Truth::at("function", x, rounded(self.function(x))));
        let derivative = points.map(|x| Truth::at("derivative", x, rounded(self.derivative(x))));
        function.chain(derivative).collect()
    }

    fn options(&self) -> Vec<String> {
        let mut words = vec!["--yname", "y", "--xname", "x"];
        if self.endogeneity > 0.0 {
            words.extend(["--wname", "w"]);
        }
        words.extend(match self.endogeneity > 0.0 {
            true => &["--j-x-segments", "4", "--k-w-segments", "8"][..],
            false => &["--j-x-segments", "8"],
        });
        words.extend(["--x-eval", "0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9"]);
        words.into_iter().map(str::to_owned).collect()
    }

    fn notes(&self) -> Vec<String> {
        let note = "Splines approximate the curve: what they leave is no part of pointwise standard errors, and more where the data choose few segments.";
        vec![note.to_owned()]
    }
}
