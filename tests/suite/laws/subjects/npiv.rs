//! Functions by sieves.

use burn_did::{Data, Npiv, NpivResult, Result, options::Bootstrap, sieve::SieveGrid};

use crate::laws::subject::{Case, Change, Numbers, Reported, Subject};
use crate::support::panels::staggered;

impl Subject for Npiv {
    fn fit(&self, data: Data<'_>) -> Result<Numbers> {
        Ok(self.fit(data)?.into())
    }

    fn change(&mut self, change: Change<'_>) -> bool {
        match change {
            Change::Weights(column) => self.weights = Some(column.to_owned()),
            _ => return false,
        }
        true
    }

    fn copy(&self) -> Box<dyn Subject> {
        Box::new(self.clone())
    }
}

impl From<NpivResult> for Numbers {
    fn from(fit: NpivResult) -> Self {
        let estimates = fit.rows.iter().flat_map(|row| {
            let level = Reported { is_level: true, ..Reported::new("function", &row.h) };
            let slope =
                Reported { per: Some("x1"), ..Reported::new("derivative", &row.derivative) };
            [level, slope]
        });
        let critical = vec![Some(fit.critical_value), Some(fit.critical_value_derivative)];
        let coefficients = fit.coefficients.iter().copied().map(Some).collect();
        Self {
            estimates: estimates.collect(),
            rest: vec![critical, coefficients],
            influence: None,
            group_time: None,
        }
    }
}

pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, weights, instruments) in
        [("regressor", None, vec![]), ("instrument, weighted", Some("w"), vec!["x2t"])]
    {
        let config = Npiv::builder()
            .outcome("y")
            .regressors(["x1"])
            .instruments(instruments)
            .maybe_weights(weights)
            .x_segments(2)
            .w_segments(3)
            .grid(SieveGrid::Even(20))
            .bootstrap(Bootstrap::draws(50))
            .build();
        cases.push(Case {
            doses: &["x1"],
            weights,
            labels: &[],
            times: &[],
            rows_are_unique: false,
            effects_cancel: false,
            largest_origin: 1e7,
            ..Case::new(name, config, 60, staggered)
        });
    }
    cases
}
