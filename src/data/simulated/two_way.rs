//! Regressions with fixed effects.

use super::truth::Truth;
use super::{Parts, Simulate, check};
use crate::base::error::Result;
use crate::data::two_way::TwoWaySimulation;

impl Simulate for TwoWaySimulation {
    fn estimator(&self) -> &'static str {
        "feols"
    }

    fn validate(&self) -> Result<()> {
        check::sizes(self.units, self.periods as usize)?;
        check::at_least("periods", 2, self.periods as usize)?;
        check::finite(&[("effect", self.effect)])?;
        self.slopes.iter().try_for_each(|slope| check::finite(&[("slopes", *slope)]))?;
        check::deviations(&[("noise", self.noise), ("cluster_sd", self.cluster_sd)])?;
        check::shares(&[("attrition", self.attrition)])
    }

    fn drawn(&self) -> (usize, usize) {
        (self.units, self.periods as usize)
    }

    fn parts(&self) -> Parts<'_> {
        self.rows_of_units()
    }

    /// The coefficients of `d`, `x1`, ….
    fn truths(&self) -> Vec<Truth> {
        let effect = Truth::coefficient("d", self.effect);
        let slopes = self.slopes.iter().enumerate();
        let slopes = slopes.map(|(j, slope)| Truth::coefficient(&format!("x{}", j + 1), *slope));
        std::iter::once(effect).chain(slopes).collect()
    }

    fn options(&self) -> Vec<String> {
        let names: Vec<String> = self.truths().into_iter().filter_map(|truth| truth.term).collect();
        let mut words = vec![format!("y ~ {} | id + period", names.join(" + "))];
        if self.counts {
            words.extend(["--family", "poisson"].map(str::to_owned));
        }
        let cluster = if self.clusters > 0 { "cluster:cluster" } else { "cluster:id" };
        words.extend(["--vcov", cluster].map(str::to_owned));
        words
    }
}
