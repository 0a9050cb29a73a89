//! What holds of the parts that results have in common.

use crate::read::panel::SampleAudit;
use crate::result::estimates::CellStatus;
use crate::result::estimates::check::{
    Checked, ensure, ensure_ascending, ensure_finite, ensure_in_the_middle, ensure_one_multiple,
};
use crate::result::inference::{Estimate, Wald};
use crate::result::settings::Settings;

/// An error unless the estimator is the one whose result this is.
pub(crate) fn check_estimator(settings: &Settings, estimator: &str) -> Checked {
    let name = settings.estimator.name();
    ensure(name == estimator, "settings.estimator", || format!("is {name}; expected {estimator}"))
}

pub(crate) fn check_settings(settings: &Settings) -> Checked {
    let Settings { n_units, n_clusters, .. } = settings;
    ensure(*n_units > 0, "settings.n_units", || "is 0".into())?;
    ensure(n_clusters.is_none_or(|c| (1..=*n_units).contains(&c)), "settings.n_clusters", || {
        format!("is not between 1 and the {n_units} units")
    })?;
    settings.inference.validate().map_err(|e| format!("`settings.inference`: {e}"))
}

/// An error unless the intervals of some estimates are one multiple of their standard errors, and so are their bands.
pub(crate) fn check_multiples<'a>(
    field: &str,
    estimates: impl Iterator<Item = &'a Estimate> + Clone,
) -> Checked {
    let interval = |e: &Estimate| e.se.zip(e.ci_lower.zip(e.ci_upper));
    let band = |e: &Estimate| e.se.zip(e.band_lower.zip(e.band_upper));
    ensure_one_multiple(field, estimates.clone().map(interval))?;
    ensure_one_multiple(field, estimates.map(band))
}

/// The interval and the band of an estimate, if there is one, are around it.
pub(crate) fn check_ends(field: &str, estimate: &Estimate) -> Checked {
    let Estimate { ci_lower, ci_upper, band_lower, band_upper, .. } = *estimate;
    ensure_finite(field, [ci_lower, ci_upper, band_lower, band_upper].iter().flatten())?;
    ensure(band_lower.is_some() == band_upper.is_some(), field, || {
        "has one end of a band without the other".into()
    })?;
    for (lower, upper) in [(ci_lower, ci_upper), (band_lower, band_upper)] {
        let ordered = lower.zip(upper).is_none_or(|(lower, upper)| lower <= upper);
        ensure(ordered, field, || "has an interval that ends before it starts".into())?;
        ensure_in_the_middle(field, estimate.estimate, lower.zip(upper))?;
    }
    Ok(())
}

/// Numbers of one estimate; a standard error needs an estimate, and all else needs both.
pub(crate) fn check_estimate(
    field: &str,
    estimate: &Estimate,
    status: &CellStatus,
    has_errors: bool,
) -> Checked {
    let Estimate { estimate: att, se, ci_lower, ci_upper, p_value, .. } = *estimate;
    ensure_finite(field, [att, se, p_value].iter().flatten())?;
    check_ends(field, estimate)?;
    ensure(att.is_some() == status.is_estimated(), field, || {
        format!("has an estimate that does not go with the status `{}`", status.code())
    })?;
    ensure(se.is_none() || att.is_some() && has_errors, field, || {
        "has a standard error without an estimate or a covariance".into()
    })?;
    ensure(se.is_none_or(|se| se > 0.0), field, || {
        "has a standard error that is not positive".into()
    })?;
    let all = [ci_lower, ci_upper, p_value].iter().all(|v| v.is_some() == se.is_some());
    ensure(all, field, || {
        "has an interval or p-value without the standard error, or not all".into()
    })?;
    ensure(estimate.band_lower.is_none() || se.is_some(), field, || {
        "has a band without a standard error".into()
    })?;
    ensure(p_value.is_none_or(|p| (0.0..=1.0).contains(&p)), field, || {
        "has a p-value that is not between 0 and 1".into()
    })
}

pub(crate) fn check_critical_value(value: f64) -> Checked {
    ensure(value.is_finite() && value >= 0.0, "critical_value", || format!("is {value}"))
}

pub(crate) fn check_wald(wald: &Wald) -> Checked {
    let Wald { stat, df, df2, p_value } = *wald;
    let plausible = stat.is_finite() && df > 0 && df2 != Some(0) && (0.0..=1.0).contains(&p_value);
    ensure(plausible, "wald", || {
        format!("has the statistic {stat}, {df} degrees of freedom and p-value {p_value}")
    })
}

pub(crate) fn check_audit(audit: &SampleAudit) -> Checked {
    ensure_ascending("audit.periods", &audit.periods)?;
    ensure_ascending("audit.groups", &audit.groups)?;
    ensure_finite("audit.cohorts_lost", audit.cohorts_lost.iter().map(|(group, _)| group))
}
