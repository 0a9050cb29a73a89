//! What holds of local projections.

use super::result::LocalProjectionsResult;
use crate::base::options::Inference;
use crate::estimator::by_unit::checked;
use crate::result::estimates::check::{Checked, ensure};
use crate::result::saved::Consistent;
use crate::result::saved::check::check_estimate;

impl Consistent for LocalProjectionsResult {
    fn check(&self) -> Checked {
        let level = Inference::new(self.alpha).validate();
        level.map_err(|error| format!("`alpha`: {error}"))?;
        self.sample.check()?;
        ensure(self.n_clusters <= self.sample.n_units, "n_clusters", || {
            "is more than the units".into()
        })?;
        checked(&self.effects, &self.vcov)?;
        for (field, effect) in
            [("pooled", Some(&self.pooled)), ("pooled_before", self.pooled_before.as_ref())]
        {
            let Some(effect) = effect else { continue };
            check_estimate(field, &effect.estimate, &effect.status, true)?;
        }
        Ok(())
    }
}
