//! What holds of descriptions.

use super::result::{Description, SampleOfDesign};
use crate::result::estimates::check::{Checked, ensure, ensure_ascending, ensure_finite};
use crate::result::saved::Consistent;

impl Consistent for Description {
    fn check(&self) -> Checked {
        let units: usize = self.cohorts.iter().map(|cohort| cohort.units).sum();
        ensure(units == self.n_units, "cohorts", || {
            format!("have {units} units together, not the {} of `n_units`", self.n_units)
        })?;
        ensure(self.n_complete <= self.n_rows, "n_complete", || "exceeds `n_rows`".into())?;
        let groups: Vec<f64> = self.cohorts.iter().filter_map(|cohort| cohort.group).collect();
        ensure_finite("cohorts", &groups)?;
        ensure_ascending("cohorts", &groups)?;
        let shares = self.cohorts.iter().flat_map(|c| [Some(c.unit_share), c.weight_share]);
        ensure(shares.flatten().all(|share| (0.0..=1.0).contains(&share)), "cohorts", || {
            "have a share that is not between 0 and 1".into()
        })?;
        let periods: Vec<f64> = self.periods.iter().map(|period| period.period).collect();
        ensure_finite("periods", &periods)?;
        ensure_ascending("periods", &periods)?;
        let known = |SampleOfDesign { periods: used, .. }: &SampleOfDesign| {
            used.iter().all(|period| periods.contains(period))
        };
        ensure(self.designs.iter().all(known), "designs", || {
            "use a period that is not there".into()
        })
    }
}
