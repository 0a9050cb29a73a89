//! What holds of group-time effects.

use super::finish::shown_errors;
use super::{GroupTimeCell, GroupTimeResult};
use crate::result::estimates::GroupTimeEffects;
use crate::result::estimates::check::{Checked, ensure, ensure_finite, ensure_root};
use crate::result::saved::Consistent;
use crate::result::saved::check::{
    check_audit, check_critical_value, check_estimate, check_settings, check_wald,
};

impl Consistent for GroupTimeResult {
    fn check(&self) -> Checked {
        self.effects.check()?;
        let (effects, settings) = (&self.effects, &self.settings);
        let GroupTimeEffects { calendar, joint, .. } = effects;
        check_settings(settings)?;
        ensure(settings.inference == effects.inference, "settings.inference", || {
            "differs from the estimates".into()
        })?;
        ensure(settings.frequency == calendar.frequency, "settings.frequency", || {
            "differs from the estimates".into()
        })?;
        ensure(settings.n_units == joint.n, "settings.n_units", || {
            format!("is {}; the estimates have {}", settings.n_units, joint.n)
        })?;
        ensure(settings.n_clusters == joint.n_clusters, "settings.n_clusters", || {
            "differs from the estimates".into()
        })?;
        ensure(self.cells.len() == effects.cells.len(), "cells", || {
            format!("has {} cells; the estimates have {}", self.cells.len(), effects.cells.len())
        })?;
        ensure(settings.n_rows == self.audit.rows, "settings.n_rows", || {
            format!("is {}; the sample has {}", settings.n_rows, self.audit.rows)
        })?;
        if settings.weights.is_none() {
            let shares = joint.values[effects.cells.len()..].iter().flatten();
            let wrong = shares.copied().find(|share| *share > 1.0);
            ensure(wrong.is_none(), "estimates.shares", || {
                format!("has the share {} of units without weights", wrong.unwrap_or(f64::NAN))
            })?;
        }
        self.check_errors()?;
        let has_errors = joint.covariance.is_some();
        for (index, (cell, own)) in self.cells.iter().zip(&effects.cells).enumerate() {
            let field = format!("cells[{index}]");
            let GroupTimeCell { group, time, estimate, status, .. } = cell;
            let same = (*group, *time, estimate.estimate, status)
                == (own.group, own.time, effects.att(index), &own.status);
            ensure(same, &field, || format!("is not `estimates.{field}`"))?;
            check_estimate(&field, estimate, status, has_errors)?;
        }
        check_critical_value(self.critical_value)?;
        self.wald.iter().try_for_each(check_wald)?;
        for (index, c) in self.comparisons.iter().flatten().enumerate() {
            let field = format!("comparisons[{index}]");
            let known = self.cells.iter().any(|x| (x.group, x.time) == (c.group, c.time));
            ensure(known, &field, || "belongs to no cell".into())?;
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

impl GroupTimeResult {
    /// An error unless standard errors are those of the joint law of the estimates.
    fn check_errors(&self) -> Checked {
        let all: Vec<usize> = (0..self.cells.len()).collect();
        let Some(joint) = self.effects.joint.select(&all) else { return Ok(()) };
        let errors = shown_errors(&self.effects, &joint, joint.standard_errors());
        for (index, (cell, se)) in self.cells.iter().zip(errors).enumerate() {
            let known = se.unwrap_or(f64::NAN);
            ensure_root(&format!("cells[{index}]"), known, cell.estimate.se)?;
        }
        Ok(())
    }
}
