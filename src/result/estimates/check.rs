//! What holds of all estimates, and is checked of those that are read from a file.

use super::{Cell, GroupTimeEffects};
use crate::base::options::Bootstrap;
use crate::result::inference::{Covariance, CovariancePart, Joint};

/// Why something read is not what was written: the field and what is wrong with it.
pub(crate) type Checked<T = ()> = std::result::Result<T, String>;

/// Symmetric entries may differ by this share of their size.
const SYMMETRIC: f64 = 1e-9;

/// A standard error may differ by this share from the root of its variance.
const ROOT: f64 = 1e-6;

/// An error that names the field unless `holds`.
pub(crate) fn ensure(holds: bool, field: &str, problem: impl FnOnce() -> String) -> Checked {
    if holds { Ok(()) } else { Err(format!("`{field}` {}", problem())) }
}

/// An error unless every number is finite.
pub(crate) fn ensure_finite<'a>(
    field: &str,
    numbers: impl IntoIterator<Item = &'a f64>,
) -> Checked {
    let wrong = numbers.into_iter().find(|v| !v.is_finite());
    wrong.map_or(Ok(()), |v| Err(format!("`{field}` has the number {v}, which no result has")))
}

/// An error unless the numbers are finite and ascend.
pub(crate) fn ensure_ascending(field: &str, numbers: &[f64]) -> Checked {
    ensure_finite(field, numbers)?;
    ensure(numbers.is_sorted_by(|a, b| a < b), field, || "is not in ascending order".into())
}

/// An error unless an interval, if there is one, has an estimate in its middle.
pub(crate) fn ensure_in_the_middle(
    field: &str,
    estimate: Option<f64>,
    interval: Option<(f64, f64)>,
) -> Checked {
    let Some((estimate, (lower, upper))) = estimate.zip(interval) else { return Ok(()) };
    let size = estimate.abs().max(lower.abs()).max(upper.abs());
    let off = (0.5 * lower + 0.5 * upper - estimate).abs();
    ensure(off <= SYMMETRIC * size, field, || {
        format!("has the estimate {estimate}, which is not in the middle of its interval")
    })
}

/// An error unless the intervals of several estimates, which are given with their standard errors, are the same multiple of them.
pub(crate) fn ensure_one_multiple(
    field: &str,
    estimates: impl IntoIterator<Item = Option<(f64, (f64, f64))>>,
) -> Checked {
    let multiple = |(se, (lower, upper)): (f64, (f64, f64))| (0.5 * upper - 0.5 * lower) / se;
    let mut known: Option<f64> = None;
    for estimate in estimates.into_iter().flatten() {
        let (found, size) = (multiple(estimate), estimate.1.0.abs().max(estimate.1.1.abs()));
        // The ends of an interval are known to the rounding of their size.
        let off = SYMMETRIC * (found.abs() + size / estimate.0);
        let first = *known.get_or_insert(found);
        ensure((found - first).abs() <= off, field, || {
            format!("has an interval of {found} standard errors, and another of {first}")
        })?;
    }
    Ok(())
}

/// An error unless a standard error, if there is one, is the root of a variance.
pub(crate) fn ensure_root(field: &str, root: f64, se: Option<f64>) -> Checked {
    ensure(se.is_none_or(|se| (root - se).abs() <= ROOT * se), field, || {
        "has a standard error that is not the root of its variance".into()
    })
}

impl GroupTimeEffects {
    /// An error that names the field at fault unless everything fits together.
    pub(crate) fn check(&self) -> Checked {
        let shares = self.joint.values[self.cells.len()..].iter().flatten();
        ensure_ascending("estimates.periods", &self.periods)?;
        ensure(self.periods.len() > 1, "estimates.periods", || {
            "has fewer than two periods".into()
        })?;
        ensure_ascending("estimates.shares", &self.groups)?;
        let wrong = shares.copied().find(|share| !(0.0..=f64::MAX).contains(share));
        ensure(wrong.is_none(), "estimates.shares", || {
            format!("has the share {}", wrong.unwrap_or(f64::NAN))
        })?;
        self.check_cells()?;
        let Joint { n, n_clusters, unit, .. } = self.joint;
        ensure(unit > 0.0 && unit <= 1.0, "estimates.unit", || format!("is {unit}"))?;
        ensure(n > 0, "estimates.n", || "is 0".into())?;
        let plausible = n_clusters.is_none_or(|c| (1..=n).contains(&c));
        ensure(plausible, "estimates.n_clusters", || {
            format!("is not between 1 and the {n} units")
        })?;
        self.inference.validate().map_err(|e| format!("`estimates.inference`: {e}"))?;
        let (cells, groups) = (self.cells.len(), self.groups.len());
        let parameters = format!("{cells} cells and {groups} groups");
        self.joint.check_covariance("estimates.covariance", &parameters)?;
        self.joint.check_draws("estimates.draws", &parameters, self.inference.bootstrap)
    }

    fn check_cells(&self) -> Checked {
        ensure(!self.cells.is_empty(), "estimates.cells", || "is empty".into())?;
        for (index, cell) in self.cells.iter().enumerate() {
            let field = || format!("estimates.cells[{index}]");
            let (Cell { group, time, status, .. }, att) = (cell, self.att(index));
            ensure(self.groups.contains(group), &field(), || {
                format!("has group {group}, which has no share")
            })?;
            ensure(self.periods.contains(time), &field(), || {
                format!("has time {time}, which is no period of the sample")
            })?;
            let elapsed = self.calendar.grid.elapsed(*group, *time);
            let forward = elapsed.is_finite() && (elapsed >= 0.0) == (time >= group);
            ensure(forward, "estimates.calendar", || {
                format!("puts time {time} {elapsed} after group {group}")
            })?;
            ensure(att.is_some() == status.is_estimated(), &field(), || {
                format!("has the status `{}` and {} estimate", status.code(), some(att))
            })?;
            ensure_finite(&field(), &att)?;
        }
        let order = |a: &Cell, b: &Cell| (a.group, a.time) < (b.group, b.time);
        ensure(self.cells.is_sorted_by(order), "estimates.cells", || {
            "is not in ascending order of group and time".into()
        })
    }
}

impl Joint {
    /// An error that names the field unless the covariance is one of so many parameters.
    pub(crate) fn check_covariance(&self, field: &str, parameters: &str) -> Checked {
        let m = self.len();
        let Some(covariance) = &self.covariance else { return Ok(()) };
        let known = self.unknown.is_sorted_by(|a, b| a < b) && self.unknown.iter().all(|j| *j < m);
        ensure(known, field, || "has unknown variances of no parameter".into())?;
        match covariance {
            Covariance::Whole(whole) => check_moments(field, whole, m, parameters),
            Covariance::Parts(parts) => {
                parts.iter().try_for_each(|part| check_part(field, part, m))
            }
        }
    }

    /// An error that names the field unless there are draws where there was a bootstrap, as many as were asked for.
    pub(crate) fn check_draws(
        &self,
        field: &str,
        parameters: &str,
        asked: Option<Bootstrap>,
    ) -> Checked {
        match (&self.draws, asked.filter(|_| self.covariance.is_some())) {
            (None, None) => Ok(()),
            (Some(_), None) => {
                Err(format!("`{field}` are there without a bootstrap and a covariance"))
            }
            (None, Some(_)) => Err(format!("`{field}` are missing, though there was a bootstrap")),
            (Some(draws), Some(bootstrap)) => {
                let (m, r) = (self.len(), bootstrap.draws);
                ensure(m.checked_mul(r) == Some(draws.len()), field, || {
                    format!("has {} numbers; {m} × {r} belong to {parameters}", draws.len())
                })?;
                ensure_finite(field, draws)
            }
        }
    }
}

/// An error unless these are the second moments of `m` values.
fn check_moments(field: &str, moments: &[f64], m: usize, of: &str) -> Checked {
    ensure(m.checked_mul(m) == Some(moments.len()), field, || {
        format!("has {} numbers; {m} × {m} belong to {of}", moments.len())
    })?;
    ensure_finite(field, moments)?;
    let variances: Vec<f64> = (0..m).map(|j| moments[j * m + j]).collect();
    if let Some(j) = variances.iter().position(|v| *v < 0.0) {
        return Err(format!("`{field}` has the negative variance {} in row {j}", variances[j]));
    }
    for i in 0..m {
        for j in 0..i {
            let (a, b) = (moments[i * m + j], moments[j * m + i]);
            let size = a.abs().max(b.abs()).max((variances[i] * variances[j]).sqrt());
            ensure((a - b).abs() <= SYMMETRIC * size, field, || {
                format!("is not symmetric: {a} in row {i}, {b} in row {j}")
            })?;
        }
    }
    Ok(())
}

/// An error unless the rows of a part are of its columns and of `m` parameters.
fn check_part(field: &str, part: &CovariancePart, m: usize) -> Checked {
    let b = part.columns();
    check_moments(field, &part.moments, b, "the columns of a part")?;
    let parameters = part.rows.iter().map(|(parameter, _)| *parameter);
    let ascending =
        parameters.clone().is_sorted_by(|a, b| a < b) && parameters.clone().all(|j| j < m);
    ensure(ascending, field, || "has a part with rows of no parameter".into())?;
    let mut terms = part.rows.iter().flat_map(|(_, terms)| terms);
    ensure(terms.all(|(column, _)| *column < b), field, || {
        "has a part with weights of no column".into()
    })?;
    ensure_finite(field, part.rows.iter().flat_map(|(_, terms)| terms).map(|(_, weight)| weight))
}

fn some(value: Option<f64>) -> &'static str {
    if value.is_some() { "an" } else { "no" }
}
