//! What holds of a weighting.

use super::overlap::OverlapByCell;
use super::{CovariateBalance, WeightedComparison, Weighting};
use crate::result::estimates::check::{Checked, ensure, ensure_finite};
use crate::result::saved::Consistent;
use crate::result::saved::check::check_settings;

impl Consistent for Weighting {
    fn check(&self) -> Checked {
        check_settings(&self.settings)?;
        ensure_finite("trim_level", self.trim_level.iter())?;
        for (index, comparison) in self.comparisons.iter().enumerate() {
            check(&format!("comparisons[{index}]"), comparison)?;
        }
        Ok(())
    }
}

fn check(field: &str, of: &WeightedComparison) -> Checked {
    let numbers = [of.group, of.time, of.period, of.effective_control, Some(of.negative_share)];
    ensure_finite(field, numbers.iter().flatten())?;
    ensure(of.negative <= of.n_control, field, || "has more negative weights than units".into())?;
    for ScoreSharesOf { name, shares } in shares(of) {
        ensure_finite(&format!("{field}.{name}"), shares)?;
    }
    for covariate in &of.covariates {
        let CovariateBalance { variable, .. } = covariate;
        let field = format!("{field}, `{variable}`");
        let means = [covariate.treated_mean, covariate.control_mean, covariate.weighted_mean];
        let differences = [covariate.normalized_difference, covariate.weighted_difference];
        let variances =
            [covariate.treated_variance, covariate.control_variance, covariate.weighted_variance];
        let ratios = [covariate.variance_ratio, covariate.weighted_ratio];
        let all = means.iter().chain(&differences).chain(&variances).chain(&ratios);
        ensure_finite(&field, all.flatten())?;
        ensure(variances.iter().flatten().all(|v| *v >= 0.0), &field, || {
            "has a negative variance".into()
        })?;
    }
    Ok(())
}

/// Some parts of an arm's weight.
struct ScoreSharesOf<'a> {
    name: &'static str,
    shares: &'a [f64],
}

fn shares(of: &WeightedComparison) -> impl Iterator<Item = ScoreSharesOf<'_>> {
    let scores = of.scores.iter().flat_map(|scores| {
        let named = [("scores.treated", &scores.treated), ("scores.control", &scores.control)];
        named.map(|(name, shares)| ScoreSharesOf { name, shares })
    });
    let counted = of.covariates.iter().filter_map(|covariate| covariate.shares.as_ref());
    scores.chain(counted.flat_map(|of| {
        [("treated", &of.treated), ("control", &of.control), ("weighted", &of.weighted)]
            .map(|(name, shares)| ScoreSharesOf { name, shares })
    }))
}

impl Consistent for OverlapByCell {
    fn check(&self) -> Checked {
        check_settings(&self.settings)?;
        for (index, row) in self.rows.iter().enumerate() {
            let overlap = &row.overlap;
            let numbers = [
                row.group,
                row.time,
                overlap.largest_score_treated,
                overlap.largest_score_control,
                Some(overlap.trimmed_share),
                overlap.effective_control,
                overlap.effective_control_sampling,
            ];
            ensure_finite(&format!("rows[{index}]"), numbers.iter().flatten())?;
        }
        Ok(())
    }
}
