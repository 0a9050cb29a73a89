//! What holds of results, and is checked of those that are written to a file or read from one.

use super::cont_did::ContDidResult;
use super::drdid::DrdidResult;
use super::result::{GroupTimeCell, GroupTimeResult};
use super::saved::Consistent;
use crate::estimator::honest::HonestDid;
use crate::estimator::npiv::NpivResult;
use crate::read::panel::SampleAudit;
use crate::result::estimates::check::{
    Checked, ensure, ensure_ascending, ensure_finite, ensure_in_the_middle, ensure_one_multiple,
};
use crate::result::estimates::{CellStatus, GroupTimeEffects};
use crate::result::inference::{Estimate, Wald};
use crate::result::settings::Settings;

impl Consistent for GroupTimeResult {
    fn check(&self) -> Checked {
        self.effects.check()?;
        let (effects, settings) = (&self.effects, &self.settings);
        let GroupTimeEffects { calendar, joint, .. } = effects;
        check_settings(settings, &["att_gt", "ddd", "cont_did"])?;
        ensure(settings.inference == effects.inference, "settings.inference", || {
            "is not that of the estimates".into()
        })?;
        ensure(settings.frequency == calendar.frequency, "settings.frequency", || {
            "is not that of the estimates".into()
        })?;
        ensure(settings.n_units == joint.n, "settings.n_units", || {
            format!("is {}; the estimates are of {}", settings.n_units, joint.n)
        })?;
        ensure(settings.n_clusters == joint.n_clusters, "settings.n_clusters", || {
            "is not that of the estimates".into()
        })?;
        ensure(self.cells.len() == effects.cells.len(), "cells", || {
            format!("has {} cells; the estimates have {}", self.cells.len(), effects.cells.len())
        })?;
        let has_errors = joint.covariance.is_some();
        for (index, (cell, own)) in self.cells.iter().zip(&effects.cells).enumerate() {
            let field = format!("cells[{index}]");
            let GroupTimeCell { group, time, estimate, status, .. } = cell;
            let same = (*group, *time, estimate.att, status)
                == (own.group, own.time, effects.att(index), &own.status);
            ensure(same, &field, || format!("is not `estimates.{field}`"))?;
            check_estimate(&field, estimate, status, has_errors)?;
        }
        check_critical_value(self.critical_value)?;
        self.wald.iter().try_for_each(check_wald)?;
        for (index, c) in self.comparisons.iter().flatten().enumerate() {
            let field = format!("comparisons[{index}]");
            let known = self.cells.iter().any(|x| (x.group, x.time) == (c.group, c.time));
            ensure(known, &field, || "is of no cell".into())?;
            let numbers = [
                c.treated_ineligible,
                c.untreated_eligible,
                c.untreated_ineligible,
                c.att,
                c.weight,
            ];
            ensure_finite(&field, &numbers)?;
            ensure_finite(&field, &c.comparison)?;
        }
        check_audit(&self.audit)
    }
}

impl Consistent for DrdidResult {
    fn check(&self) -> Checked {
        let inference = &self.settings.inference;
        check_settings(&self.settings, &["drdid"])?;
        check_estimate("estimate", &self.estimate, &self.status, true)?;
        check_critical_value(self.critical_value)?;
        let level = self.trim_level;
        ensure(level > 0.0 && level < 1.0, "trim_level", || format!("is {level}"))?;
        let drawn = inference.bootstrap.is_some();
        ensure(self.resampling.is_some() == drawn, "resampling", || {
            "does not go with `settings.inference.bootstrap`".into()
        })?;
        let asked = inference.bootstrap.map_or(0, |b| b.draws);
        let expected = drawn && self.status.is_estimated();
        ensure(self.draws.is_some() == expected, "draws", || {
            "do not go with `settings.inference.bootstrap` and `status`".into()
        })?;
        let draws = self.draws.iter().flatten();
        ensure(draws.clone().count() <= asked, "draws", || {
            format!("has {} numbers; {asked} were asked for", draws.clone().count())
        })?;
        ensure_finite("draws", draws)?;
        check_audit(&self.audit)
    }
}

impl Consistent for ContDidResult {
    fn check(&self) -> Checked {
        self.level.check()?;
        self.slope.check()?;
        check_settings(&self.level.settings, &["cont_did"])?;
        let same = self.level.settings.inference == self.slope.settings.inference
            && self.level.effects.cells.len() == self.slope.effects.cells.len();
        ensure(same, "slope", || "does not go with `level`".into())?;
        self.curves.check(self.level.settings.inference.bootstrap)?;
        let rows = self.dose.rows.iter().flat_map(|row| [("dose", &row.att), ("dose", &row.acrt)]);
        let overall = [("overall.att", &self.overall.att), ("overall.acrt", &self.overall.acrt)];
        rows.chain(overall)
            .try_for_each(|(field, e)| check_estimate(field, e, &CellStatus::Estimated, true))?;
        ensure_one_multiple("dose", self.dose.rows.iter().map(|row| interval(&row.att)))?;
        ensure_one_multiple("dose", self.dose.rows.iter().map(|row| interval(&row.acrt)))?;
        ensure_finite("dose", self.dose.rows.iter().map(|row| &row.dose))?;
        check_critical_value(self.dose.critical_att)?;
        check_critical_value(self.dose.critical_acrt)?;
        ensure_finite("knots", self.knots.interior.iter().chain(&self.knots.percentiles))
    }
}

impl Consistent for NpivResult {
    fn check(&self) -> Checked {
        for (index, row) in self.rows.iter().enumerate() {
            let field = format!("rows[{index}]");
            ensure(row.x.len() == self.config.regressors.len(), &field, || {
                "is of other regressors".into()
            })?;
            ensure_finite(&field, &row.x)?;
            check_estimate(&field, &row.h, &CellStatus::Estimated, true)?;
            check_estimate(&field, &row.derivative, &CellStatus::Estimated, true)?;
        }
        ensure_one_multiple("rows", self.rows.iter().map(|row| interval(&row.h)))?;
        ensure_one_multiple("rows", self.rows.iter().map(|row| interval(&row.derivative)))?;
        check_critical_value(self.critical_value)?;
        check_critical_value(self.critical_value_derivative)?;
        ensure_finite("coefficients", &self.coefficients)?;
        ensure_finite("breakpoints", self.breakpoints.iter().flatten())
    }
}

impl Consistent for HonestDid {
    fn check(&self) -> Checked {
        self.options.validate().map_err(|e| format!("`options`: {e}"))?;
        check_estimate("original", &self.original, &CellStatus::Estimated, true)?;
        let after = self.study.rows.iter().rev().take_while(|row| !row.reference);
        let post = after.count();
        ensure(self.weights.len() == post, "weights", || {
            format!("has {} numbers for {post} periods", self.weights.len())
        })?;
        ensure_finite("weights", &self.weights)?;
        for (index, i) in self.intervals.iter().enumerate() {
            let field = format!("intervals[{index}]");
            let numbers = [Some(i.m), i.lower, i.upper];
            ensure_finite(&field, numbers.iter().flatten())?;
            ensure(i.lower.is_some() == i.upper.is_some(), &field, || "has one end".into())?;
            let ordered = i.lower.zip(i.upper).is_none_or(|(lower, upper)| lower <= upper);
            ensure(ordered, &field, || "ends before it starts".into())?;
        }
        Ok(())
    }
}

pub(super) fn check_settings(settings: &Settings, estimators: &[&str]) -> Checked {
    let Settings { estimator, n_units, n_clusters, .. } = settings;
    ensure(estimators.contains(&estimator.as_str()), "settings.estimator", || {
        format!("is {estimator:?}; expected {}", estimators.join(" or "))
    })?;
    ensure(*n_units > 0, "settings.n_units", || "is 0".into())?;
    ensure(n_clusters.is_none_or(|c| (1..=*n_units).contains(&c)), "settings.n_clusters", || {
        format!("is not between 1 and the {n_units} units")
    })?;
    settings.inference.validate().map_err(|e| format!("`settings.inference`: {e}"))
}

/// The standard error and the interval of an estimate.
fn interval(estimate: &Estimate) -> Option<(f64, (f64, f64))> {
    estimate.se.zip(estimate.ci_lower.zip(estimate.ci_upper))
}

/// Numbers of one estimate; a standard error needs an estimate, and all else needs both.
fn check_estimate(
    field: &str,
    estimate: &Estimate,
    status: &CellStatus,
    has_errors: bool,
) -> Checked {
    let Estimate { att, se, ci_lower, ci_upper, p_value } = *estimate;
    let numbers = [att, se, ci_lower, ci_upper, p_value];
    ensure_finite(field, numbers.iter().flatten())?;
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
    let ordered = ci_lower.zip(ci_upper).is_none_or(|(lower, upper)| lower <= upper);
    ensure(ordered, field, || "has an interval that ends before it starts".into())?;
    ensure_in_the_middle(field, att, ci_lower.zip(ci_upper))?;
    ensure(p_value.is_none_or(|p| (0.0..=1.0).contains(&p)), field, || {
        "has a p-value that is not between 0 and 1".into()
    })
}

pub(super) fn check_critical_value(value: f64) -> Checked {
    ensure(value.is_finite() && value >= 0.0, "critical_value", || format!("is {value}"))
}

pub(super) fn check_wald(wald: &Wald) -> Checked {
    let Wald { stat, df, p_value } = *wald;
    let plausible = stat.is_finite() && df > 0 && (0.0..=1.0).contains(&p_value);
    ensure(plausible, "wald", || {
        format!("has the statistic {stat}, {df} degrees of freedom and p-value {p_value}")
    })
}

fn check_audit(audit: &SampleAudit) -> Checked {
    ensure_ascending("audit.periods", &audit.periods)?;
    ensure_ascending("audit.groups", &audit.groups)?;
    ensure_finite("audit.cohorts_lost", audit.cohorts_lost.iter().map(|(group, _)| group))
}
