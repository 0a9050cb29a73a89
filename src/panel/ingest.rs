//! From rows as read to the rows of the estimation sample, step by step in the order that decides ties.

use rayon::prelude::*;

use super::audit::SampleAudit;
use super::codes::MISSING;
use super::columns::{RawRows, Roles};
use super::order::{UnitOrder, check_units};
use crate::error::{DidError, DidWarning, Result};
use crate::options::ControlGroup;

/// What the estimator asks of the sample.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SampleOptions {
    pub control_group: ControlGroup,
    pub anticipation: u32,
    pub repeated_cross_sections: bool,
    pub allow_unbalanced: bool,
}

/// Rows that survive, with their cohorts and periods as small codes.
pub(super) struct Selection {
    pub raw: RawRows,
    /// Whether each raw row is in the sample.
    pub keep: Vec<bool>,
    /// Periods of the sample, ascending.
    pub periods: Vec<f64>,
    /// Position in `periods` of each kept row.
    pub period: Vec<u32>,
    /// Cohorts of the sample, ascending.
    pub cohorts: Vec<f64>,
    /// Position in `cohorts` of each kept row.
    pub cohort: Vec<u32>,
    /// Positions of the estimated cohorts.
    pub groups: Vec<usize>,
    /// Raw rows in the order (unit, period); `None` without units.
    pub order: Option<UnitOrder>,
    pub balanced: bool,
    pub audit: SampleAudit,
    pub warnings: Vec<DidWarning>,
}

/// Applies every rule that drops rows or recodes cohorts.
pub(super) fn select(raw: RawRows, roles: &Roles, options: &SampleOptions) -> Result<Selection> {
    let mut audit = SampleAudit { rows_in: raw.rows, ..SampleAudit::default() };
    let mut warnings = Vec::new();
    let order = check_units(&raw, roles)?;
    let mut keep = vec![true; raw.rows];
    drop_incomplete(&raw, roles, &mut keep, &mut audit, &mut warnings);
    if !keep.contains(&true) {
        return Err(DidError::EmptySample {
            after: "after dropping rows with missing or non-finite values",
            remedy: "check the columns for nulls and infinities",
        });
    }
    let delta = f64::from(options.anticipation);
    let mut cohorts = Recoded::new(&raw.g, &raw.t, &keep, delta);
    if cohorts.periods.len() < 2 {
        return Err(DidError::TooFewPeriods { periods: cohorts.periods.len() });
    }
    let original = cohorts.finite();
    let last =
        handle_no_never_treated(&raw, options, &mut cohorts, &mut keep, &mut audit, &mut warnings)?;
    let mut periods = distinct(&raw.t, &keep);
    drop_already_treated(
        &raw,
        options,
        &cohorts,
        periods[0] + delta,
        &mut keep,
        &mut audit,
        &mut warnings,
    );
    periods = distinct(&raw.t, &keep);
    if periods.len() < 2 {
        return Err(DidError::TooFewPeriods { periods: periods.len() });
    }
    let balanced = balance(&raw, order.as_ref(), options, periods.len(), &mut keep, &mut audit)?;
    if audit.units_unbalanced > 0 {
        warnings.push(DidWarning::Unbalanced { units: audit.units_unbalanced });
    }
    let kept = cohorts.kept(&raw.g, &keep);
    let first = periods[0] + delta;
    let groups: Vec<usize> = (0..kept.len())
        .filter(|c| kept[*c].is_finite() && kept[*c] > first && Some(kept[*c]) != last)
        .collect();
    record_lost_cohorts(&original, &kept, &groups, &mut audit);
    if groups.is_empty() {
        let anticipating = if options.anticipation > 0 {
            format!(" (with {} periods of anticipation)", options.anticipation)
        } else {
            String::new()
        };
        return Err(DidError::NoValidGroups { anticipating });
    }
    let period = positions(&raw.t, &keep, &periods, |t| t);
    let cohort = positions(&raw.g, &keep, &kept, |g| cohorts.effective(g));
    Ok(Selection {
        raw,
        keep,
        periods,
        period,
        cohorts: kept,
        cohort,
        groups,
        order,
        balanced,
        audit,
        warnings,
    })
}

/// Drops rows with a missing or non-finite value, counting each under its first such column.
fn drop_incomplete(
    raw: &RawRows,
    roles: &Roles,
    keep: &mut [bool],
    audit: &mut SampleAudit,
    warnings: &mut Vec<DidWarning>,
) {
    let mut drop = |name: &str, bad: &(dyn Fn(usize) -> bool + Sync)| {
        let rows: usize = keep
            .par_iter_mut()
            .enumerate()
            .map(|(i, keep)| {
                let dropped = *keep && bad(i);
                *keep &= !dropped;
                usize::from(dropped)
            })
            .sum();
        if rows > 0 {
            audit.rows_missing.push((name.to_owned(), rows));
        }
    };
    if let (Some(unit), Some(name)) = (&raw.unit, &roles.unit) {
        drop(name, &|i| unit.codes[i] == MISSING);
    }
    drop(&roles.time, &|i| !raw.t[i].is_finite());
    drop(&roles.group, &|i| raw.g[i].is_nan());
    drop(&roles.outcome, &|i| !raw.y[i].is_finite());
    if let (Some(w), Some(name)) = (&raw.w, &roles.weights) {
        drop(name, &|i| !w[i].is_finite());
    }
    if let (Some(cluster), Some(name)) = (&raw.cluster, &roles.cluster) {
        drop(name, &|i| cluster.codes[i] == MISSING);
    }
    drop_incomplete_covariates(raw, keep, audit);
    let rows = audit.rows_missing.iter().map(|(_, n)| n).sum();
    if rows > 0 {
        warnings.push(DidWarning::DroppedRows { rows });
    }
}

/// Drops rows in which a covariate or a term of the formula is missing or not finite.
fn drop_incomplete_covariates(raw: &RawRows, keep: &mut [bool], audit: &mut SampleAudit) {
    let mut missing = vec![false; raw.rows];
    raw.covariates.mark_missing(&mut missing);
    for (i, (keep, _)) in keep.iter_mut().zip(missing).enumerate().filter(|(_, (_, m))| *m) {
        if std::mem::replace(keep, false) {
            let term = raw.covariates.blame(i).unwrap_or_default();
            match audit.rows_missing.iter_mut().find(|(name, _)| name == term) {
                Some((_, rows)) => *rows += 1,
                None => audit.rows_missing.push((term.to_owned(), 1)),
            }
        }
    }
}

/// Distinct values of the kept rows, ascending.
fn distinct(values: &[f64], keep: &[bool]) -> Vec<f64> {
    let mut found: Vec<f64> = Vec::new();
    let mut last = f64::NAN;
    for (v, _) in values.iter().zip(keep).filter(|(_, k)| **k) {
        if *v != last {
            last = *v;
            let at = found.partition_point(|f| f < v);
            if found.get(at) != Some(v) {
                found.insert(at, *v);
            }
        }
    }
    found
}

/// Position of each kept row's value in `sorted`; `MISSING` for other rows.
fn positions(
    values: &[f64],
    keep: &[bool],
    sorted: &[f64],
    map: impl Fn(f64) -> f64 + Sync,
) -> Vec<u32> {
    values
        .par_iter()
        .zip(keep)
        .map(|(v, keep)| {
            let v = map(*v);
            let at = sorted.partition_point(|s| *s < v);
            if *keep { u32::try_from(at).unwrap_or(MISSING) } else { MISSING }
        })
        .collect()
}

/// Cohorts with those first treated beyond the sample recoded to never treated.
struct Recoded {
    periods: Vec<f64>,
    /// Groups above this value are never treated inside the sample.
    horizon: f64,
    /// The last cohort, if it takes the place of the never treated.
    never: Option<f64>,
    found: Vec<f64>,
}

impl Recoded {
    fn new(g: &[f64], t: &[f64], keep: &[bool], delta: f64) -> Self {
        let periods = distinct(t, keep);
        let horizon = periods.last().map_or(f64::NEG_INFINITY, |t| t + delta);
        Self { periods, horizon, never: None, found: distinct(g, keep) }
    }

    fn effective(&self, g: f64) -> f64 {
        if g > self.horizon || Some(g) == self.never { f64::INFINITY } else { g }
    }

    fn finite(&self) -> Vec<f64> {
        self.found.iter().copied().filter(|g| self.effective(*g).is_finite()).collect()
    }

    fn has_never_treated(&self) -> bool {
        self.found.iter().any(|g| self.effective(*g).is_infinite())
    }

    /// Effective cohorts of the kept rows.
    fn kept(&self, g: &[f64], keep: &[bool]) -> Vec<f64> {
        let mut kept: Vec<f64> = distinct(g, keep).into_iter().map(|g| self.effective(g)).collect();
        kept.dedup();
        kept
    }
}

/// Without never-treated units, the last cohort is the comparison up to its treatment. Returns that cohort if it stays a
/// treated cohort that is not estimated (not-yet-treated controls).
fn handle_no_never_treated(
    raw: &RawRows,
    options: &SampleOptions,
    cohorts: &mut Recoded,
    keep: &mut [bool],
    audit: &mut SampleAudit,
    warnings: &mut Vec<DidWarning>,
) -> Result<Option<f64>> {
    if cohorts.has_never_treated() {
        return Ok(None);
    }
    let Some(&last) = cohorts.found.last() else { return Ok(None) };
    let cutoff = last - f64::from(options.anticipation);
    for (keep, t) in keep.iter_mut().zip(&raw.t) {
        if *keep && *t >= cutoff {
            *keep = false;
            audit.rows_after_last_cohort += 1;
        }
    }
    let periods = cohorts.periods.iter().filter(|t| **t < cutoff).count();
    if periods < 2 {
        return Err(DidError::TooFewPeriods { periods });
    }
    warnings.push(DidWarning::LastCohortAsControl { group: last });
    match options.control_group {
        ControlGroup::NeverTreated => {
            cohorts.never = Some(last);
            Ok(None)
        }
        ControlGroup::NotYetTreated => Ok(Some(last)),
    }
}

/// Drops cohorts treated (or anticipating) in the first period already.
fn drop_already_treated(
    raw: &RawRows,
    options: &SampleOptions,
    cohorts: &Recoded,
    first: f64,
    keep: &mut [bool],
    audit: &mut SampleAudit,
    warnings: &mut Vec<DidWarning>,
) {
    let treated = |g: f64| cohorts.effective(g) <= first;
    if !cohorts.found.iter().any(|g| treated(*g)) {
        return;
    }
    let mut units = Vec::new();
    for (i, keep) in keep.iter_mut().enumerate() {
        if *keep && treated(raw.g[i]) {
            *keep = false;
            units.push(match &raw.unit {
                Some(unit) if !options.repeated_cross_sections => unit.codes[i] as usize,
                _ => i,
            });
        }
    }
    units.sort_unstable();
    units.dedup();
    audit.units_already_treated = units.len();
    if !units.is_empty() {
        warnings.push(DidWarning::AlreadyTreated {
            units: units.len(),
            anticipation: options.anticipation,
        });
    }
}

/// Drops units that are missing in some period unless that is allowed; says whether the panel is balanced.
fn balance(
    raw: &RawRows,
    order: Option<&UnitOrder>,
    options: &SampleOptions,
    periods: usize,
    keep: &mut [bool],
    audit: &mut SampleAudit,
) -> Result<bool> {
    let (Some(order), false) = (order, options.repeated_cross_sections) else { return Ok(false) };
    let observed: Vec<u32> = order.count_kept(keep);
    let complete = |n: u32| n as usize == periods;
    let units = observed.iter().filter(|n| **n > 0).count();
    let incomplete = observed.iter().filter(|n| **n > 0 && !complete(**n)).count();
    if incomplete == 0 || options.allow_unbalanced {
        return Ok(incomplete == 0);
    }
    if incomplete == units {
        return Err(DidError::EmptySample {
            after: "after balancing: no unit is observed in every period",
            remedy: "allow an unbalanced panel, or use repeated cross sections",
        });
    }
    let codes = raw.unit.as_ref().map_or(&[][..], |u| &u.codes);
    for (keep, unit) in keep.iter_mut().zip(codes) {
        *keep &= *unit != MISSING && complete(observed[*unit as usize]);
    }
    audit.units_unbalanced = incomplete;
    Ok(true)
}

fn record_lost_cohorts(original: &[f64], kept: &[f64], groups: &[usize], audit: &mut SampleAudit) {
    for g in original {
        let reason = match kept.iter().position(|k| k == g) {
            Some(c) if groups.contains(&c) => continue,
            Some(_) => "kept as a comparison only",
            None if audit.rows_after_last_cohort > 0 && original.last() == Some(g) => {
                "the comparison in place of never-treated units"
            }
            None => "already treated in the first period, or no complete unit",
        };
        audit.cohorts_lost.push((*g, reason.to_owned()));
    }
    audit.groups = groups.iter().map(|c| kept[*c]).collect();
}
