//! What holds of the diagnostics of two-way fixed effects.

use super::result::{BaconResult, TwfeSettings, TwfeWeightsResult};
use crate::base::options::Inference;
use crate::result::estimates::CellStatus;
use crate::result::estimates::check::{Checked, ensure, ensure_finite};
use crate::result::saved::Consistent;
use crate::result::saved::check::check_estimate;

/// Sums of weights and of what they average may differ by this share of their size.
const ROUNDING: f64 = 1e-9;

impl TwfeSettings {
    fn check(&self) -> Checked {
        ensure(self.read.rows_missing < self.read.n_rows, "settings.rows_missing", || {
            "is not below `n_rows`".into()
        })?;
        ensure(self.n_units > 0, "settings.n_units", || "is 0".into())?;
        ensure(self.n_periods > 1, "settings.n_periods", || "is below 2".into())
    }
}

impl Consistent for BaconResult {
    fn check(&self) -> Checked {
        self.settings.check()?;
        let level = Inference::new(self.alpha).validate();
        level.map_err(|error| format!("`alpha`: {error}"))?;
        check_estimate("coefficient", &self.coefficient, &CellStatus::Estimated, true)?;
        ensure((1..=self.settings.n_units).contains(&self.n_clusters), "n_clusters", || {
            "is not between 1 and the units".into()
        })?;
        let (mut weights, mut sum, mut size) = (0.0, 0.0, 0.0);
        for (index, of) in self.comparisons.iter().enumerate() {
            let field = format!("comparisons[{index}]");
            ensure_finite(&field, [of.treated, of.estimate, of.weight].iter().chain(&of.control))?;
            ensure((0.0..=1.0).contains(&of.weight), &field, || {
                "has a weight that is not between 0 and 1".into()
            })?;
            weights += of.weight;
            sum += of.weight * of.estimate;
            size += of.weight * of.estimate.abs();
        }
        ensure((weights - 1.0_f64).abs() <= ROUNDING, "comparisons", || {
            format!("has weights that add up to {weights}, not 1")
        })?;
        if let Some(within) = &self.within {
            ensure((0.0..=1.0).contains(&within.weight), "within.weight", || {
                "is not between 0 and 1".into()
            })?;
            ensure_finite("within.estimate", &within.estimate)?;
            let apart = within.weight * within.estimate.unwrap_or(0.0);
            sum = (1.0 - within.weight) * sum + apart;
            size += apart.abs();
        }
        let coefficient = self.coefficient.estimate.unwrap_or(f64::NAN);
        ensure((sum - coefficient).abs() <= ROUNDING * size, "comparisons", || {
            format!("average to {sum}, and the coefficient is {coefficient}")
        })?;
        for (index, of) in self.sums.iter().enumerate() {
            ensure_finite(&format!("sums[{index}]"), [of.weight, of.estimate].iter())?;
        }
        Ok(())
    }
}

impl Consistent for TwfeWeightsResult {
    fn check(&self) -> Checked {
        self.settings.check()?;
        let numbers = [self.coefficient, self.sum_positive, self.sum_negative];
        let deviations = [self.sd_zero_average, self.sd_opposite_sign];
        ensure_finite("coefficient", numbers.iter().chain(deviations.iter().flatten()))?;
        ensure(self.sum_negative <= 0.0, "sum_negative", || "is positive".into())?;
        let all = self.sum_positive + self.sum_negative;
        let size = self.sum_positive - self.sum_negative;
        ensure((all - 1.0).abs() <= ROUNDING * size, "sum_positive", || {
            format!("and `sum_negative` add up to {all}, not 1")
        })?;
        for (index, of) in self.rows.iter().enumerate() {
            let field = format!("rows[{index}]");
            ensure_finite(&field, [of.group, of.time, of.weight, of.share].iter())?;
            ensure(of.cells > 0 && of.negative <= of.cells, &field, || {
                format!("has {} negative weights of {} cells", of.negative, of.cells)
            })?;
        }
        Ok(())
    }
}
