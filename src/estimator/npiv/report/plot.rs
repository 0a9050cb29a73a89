//! The plot of a function of one regressor and of its derivative, with their bands.

use crate::base::error::{DidError, Result};
use crate::base::options::Band;
use crate::estimator::npiv::{NpivResult, NpivRow};
use crate::report::plot::curves::{CurvePoint, CurveWords, Curves};

impl NpivResult {
    pub(super) fn curves(&self) -> Result<Curves> {
        let [regressor] = &self.settings.regressors[..] else {
            return Err(DidError::Plot(
                "a function of several regressors has no one picture".into(),
            ));
        };
        let point = |row: &NpivRow| CurvePoint { at: row.x[0], estimates: [row.h, row.derivative] };
        Ok(Curves {
            points: self.rows.iter().map(point).collect(),
            bands: [Band::Uniform; 2],
            alpha: self.settings.alpha,
            marks: self.breakpoints.concat(),
            overall: [None; 2],
            words: CurveWords {
                title: "Function by Sieves".into(),
                x: regressor.clone(),
                y: [format!("h ({})", self.settings.outcome), "Derivative".into()],
                marks: "Knots",
            },
        })
    }
}
