//! What holds of all estimates, and is checked of those that are read from a file.

use serde::Deserialize;

use super::{Cell, Estimates, GroupShare};
use crate::calendar::Calendar;
use crate::options::Inference;

/// Why something read is not what was written: the field and what is wrong with it.
pub(crate) type Checked<T = ()> = std::result::Result<T, String>;

/// Symmetric entries may differ by this share of their size.
const SYMMETRIC: f64 = 1e-9;

/// An error that names the field unless `holds`.
pub(crate) fn ensure(holds: bool, field: &str, problem: impl FnOnce() -> String) -> Checked {
    if holds { Ok(()) } else { Err(format!("`{field}` {}", problem())) }
}

/// An error unless every number is finite.
pub(crate) fn ensure_finite<'a>(
    field: &str,
    numbers: impl IntoIterator<Item = &'a f64>,
) -> Checked {
    let found = numbers.into_iter().find(|v| !v.is_finite());
    found.map_or(Ok(()), |v| Err(format!("`{field}` has the number {v}, which no result has")))
}

/// An error unless the numbers are finite and ascend.
pub(crate) fn ensure_ascending(field: &str, numbers: &[f64]) -> Checked {
    ensure_finite(field, numbers)?;
    ensure(numbers.is_sorted_by(|a, b| a < b), field, || "is not in ascending order".into())
}

/// Estimates as read.
#[derive(Deserialize)]
pub(super) struct Unchecked {
    cells: Vec<Cell>,
    shares: Vec<GroupShare>,
    periods: Vec<f64>,
    #[serde(default)]
    calendar: Calendar,
    n: usize,
    n_clusters: Option<usize>,
    covariance: Option<Vec<f64>>,
    draws: Option<Vec<f64>>,
    inference: Inference,
}

impl TryFrom<Unchecked> for Estimates {
    type Error = String;

    fn try_from(unchecked: Unchecked) -> Checked<Self> {
        let Unchecked {
            cells,
            shares,
            periods,
            calendar,
            n,
            n_clusters,
            covariance,
            draws,
            inference,
        } = unchecked;
        let estimates =
            Self { cells, shares, periods, calendar, n, n_clusters, covariance, draws, inference };
        estimates.check()?;
        Ok(estimates)
    }
}

impl Estimates {
    /// An error that names the field at fault unless everything fits together.
    pub(crate) fn check(&self) -> Checked {
        let groups: Vec<f64> = self.shares.iter().map(|s| s.group).collect();
        ensure_ascending("estimates.periods", &self.periods)?;
        ensure(self.periods.len() > 1, "estimates.periods", || {
            "has fewer than two periods".into()
        })?;
        ensure_ascending("estimates.shares", &groups)?;
        let wrong = self.shares.iter().find(|s| !(0.0..=f64::MAX).contains(&s.share));
        ensure(wrong.is_none(), "estimates.shares", || {
            format!("has the share {}", wrong.map_or(f64::NAN, |s| s.share))
        })?;
        self.check_cells(&groups)?;
        ensure(self.n > 0, "estimates.n", || "is 0".into())?;
        let plausible = self.n_clusters.is_none_or(|c| (1..=self.n).contains(&c));
        ensure(plausible, "estimates.n_clusters", || {
            format!("is not between 1 and the {} units", self.n)
        })?;
        self.inference.validate().map_err(|e| format!("`estimates.inference`: {e}"))?;
        self.check_covariance()?;
        self.check_draws()
    }

    fn check_cells(&self, groups: &[f64]) -> Checked {
        ensure(!self.cells.is_empty(), "estimates.cells", || "is empty".into())?;
        for (index, cell) in self.cells.iter().enumerate() {
            let field = || format!("estimates.cells[{index}]");
            let Cell { group, time, att, status, .. } = cell;
            ensure(groups.contains(group), &field(), || {
                format!("is of group {group}, which has no share")
            })?;
            ensure(self.periods.contains(time), &field(), || {
                format!("is of time {time}, which is no period of the sample")
            })?;
            let elapsed = self.calendar.grid.elapsed(*group, *time);
            let forward = elapsed.is_finite() && (elapsed >= 0.0) == (time >= group);
            ensure(forward, "estimates.calendar", || {
                format!("puts time {time} {elapsed} after group {group}")
            })?;
            ensure(att.is_some() == status.is_estimated(), &field(), || {
                format!("has the status `{}` and {} estimate", status.code(), some(*att))
            })?;
            ensure_finite(&field(), att)?;
        }
        let order = |a: &Cell, b: &Cell| (a.group, a.time) < (b.group, b.time);
        ensure(self.cells.is_sorted_by(order), "estimates.cells", || {
            "is not in ascending order of group and time".into()
        })
    }

    fn check_covariance(&self) -> Checked {
        let field = "estimates.covariance";
        let m = self.columns();
        let Some(covariance) = &self.covariance else { return Ok(()) };
        ensure(m.checked_mul(m) == Some(covariance.len()), field, || {
            self.belong(covariance.len(), &format!("{m} × {m}"))
        })?;
        ensure_finite(field, covariance)?;
        let variances: Vec<f64> = (0..m).map(|j| covariance[j * m + j]).collect();
        if let Some(j) = variances.iter().position(|v| *v < 0.0) {
            return Err(format!("`{field}` has the negative variance {} in row {j}", variances[j]));
        }
        for i in 0..m {
            for j in 0..i {
                let (a, b) = (covariance[i * m + j], covariance[j * m + i]);
                let size = a.abs().max(b.abs()).max((variances[i] * variances[j]).sqrt());
                ensure((a - b).abs() <= SYMMETRIC * size, field, || {
                    format!("is not symmetric: {a} in row {i}, {b} in row {j}")
                })?;
            }
        }
        Ok(())
    }

    fn check_draws(&self) -> Checked {
        let field = "estimates.draws";
        let bootstrap = self.inference.bootstrap.filter(|_| self.covariance.is_some());
        match (&self.draws, bootstrap) {
            (None, None) => Ok(()),
            (Some(_), None) => {
                Err(format!("`{field}` are there without a bootstrap and a covariance"))
            }
            (None, Some(_)) => Err(format!("`{field}` are missing, though there was a bootstrap")),
            (Some(draws), Some(bootstrap)) => {
                let (m, r) = (self.columns(), bootstrap.draws);
                ensure(m.checked_mul(r) == Some(draws.len()), field, || {
                    self.belong(draws.len(), &format!("{m} × {r}"))
                })?;
                ensure_finite(field, draws)
            }
        }
    }

    fn belong(&self, numbers: usize, expected: &str) -> String {
        let (cells, groups) = (self.cells.len(), self.shares.len());
        format!("has {numbers} numbers; {expected} belong to {cells} cells and {groups} groups")
    }
}

fn some(value: Option<f64>) -> &'static str {
    if value.is_some() { "an" } else { "no" }
}
