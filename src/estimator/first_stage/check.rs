//! What holds of effects that are read from a file.

use super::effects::{StageEffects, StageTerm};
use crate::base::options::Inference;
use crate::result::estimates::CellStatus;
use crate::result::estimates::check::{Checked, ensure, ensure_finite};
use crate::result::saved::check::{check_estimate, check_multiples};

/// A variance may differ by this share from the square of its standard error.
const ROUNDING: f64 = 1e-9;

impl StageEffects {
    pub(in crate::estimator) fn check(&self) -> Checked {
        let alpha = self.settings.alpha;
        let level = Inference::new(alpha).validate();
        level.map_err(|error| format!("`settings.alpha`: {error}"))?;
        let k = self.rows.len();
        ensure(self.vcov.len() == k && self.vcov.iter().all(|row| row.len() == k), "vcov", || {
            format!("is not a matrix of {k} rows and columns")
        })?;
        ensure_finite("vcov", self.vcov.iter().flatten())?;
        ensure_finite("references", &self.references)?;
        for (index, effect) in self.rows.iter().enumerate() {
            let field = format!("rows[{index}]");
            if let StageTerm::EventTime(at) | StageTerm::Group(at) = effect.term {
                ensure_finite(&field, [at].iter())?;
            }
            let status = match effect.estimate.estimate {
                Some(_) => CellStatus::Estimated,
                None => CellStatus::NoTreatedWeight,
            };
            check_estimate(&field, &effect.estimate, &status, true)?;
            let variance = effect.estimate.se.map_or(0.0, |se| se * se);
            let off = (self.vcov[index][index] - variance).abs();
            ensure(off <= ROUNDING * variance, &field, || {
                "has a standard error that is not the root of its variance".into()
            })?;
        }
        check_multiples("rows", self.rows.iter().map(|effect| &effect.estimate))?;
        let known = self.settings.n_untreated + self.settings.n_treated;
        ensure(known == self.audit.rows, "audit.rows", || {
            format!("is not the {known} untreated and treated rows")
        })?;
        ensure((1..=known).contains(&self.settings.n_clusters), "settings.n_clusters", || {
            "is not between 1 and the rows".into()
        })?;
        let Some(base) = &self.base else { return Ok(()) };
        let k = base.rows.len();
        ensure(base.vcov.len() == k && base.vcov.iter().all(|row| row.len() == k), "base", || {
            "has a covariance of another size".into()
        })?;
        ensure_finite("base", base.vcov.iter().flatten())
    }
}
