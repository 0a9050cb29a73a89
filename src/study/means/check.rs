//! What holds of mean outcomes.

use super::{CohortMean, CohortMeans};
use crate::base::options::Inference;
use crate::result::estimates::check::{Checked, ensure, ensure_finite};
use crate::result::saved::Consistent;
use crate::result::saved::check::check_ends;

impl Consistent for CohortMeans {
    fn check(&self) -> Checked {
        let level = Inference::new(self.alpha).validate();
        level.map_err(|error| format!("`alpha`: {error}"))?;
        self.read.check()?;
        for (index, row) in self.rows.iter().enumerate() {
            let field = format!("rows[{index}]");
            ensure(row.n > 0, &field, || "is a mean of no rows".into())?;
            let CohortMean { time, group, base, mean, relative, .. } = row;
            let places = [Some(*time), *group, *base];
            let numbers = [mean, relative].into_iter().flat_map(|e| [e.estimate, e.se]);
            ensure_finite(
                &field,
                places.into_iter().chain(numbers).flatten().collect::<Vec<_>>().iter(),
            )?;
            check_ends(&field, mean)?;
            check_ends(&field, relative)?;
        }
        Ok(())
    }
}
