//! What holds of mean outcomes.

use super::CohortMeans;
use crate::base::options::{Band, Inference};
use crate::result::estimates::check::{Checked, ensure, ensure_finite};
use crate::result::saved::Consistent;
use crate::result::saved::check::check_ends;

impl Consistent for CohortMeans {
    fn check(&self) -> Checked {
        let level =
            Inference { alpha: self.alpha, band: Band::Pointwise, bootstrap: None }.validate();
        level.map_err(|error| format!("`alpha`: {error}"))?;
        ensure(self.rows_missing <= self.n_rows, "rows_missing", || "exceeds `n_rows`".into())?;
        for (index, row) in self.rows.iter().enumerate() {
            let field = format!("rows[{index}]");
            ensure(row.n > 0, &field, || "is a mean of no rows".into())?;
            let numbers = [Some(row.time), row.group, row.mean.estimate, row.mean.se, row.change];
            ensure_finite(&field, numbers.iter().flatten())?;
            check_ends(&field, &row.mean)?;
        }
        Ok(())
    }
}
