//! Comparison of a fit with expected numbers, collecting every failure and the largest deviation by quantity.

use std::collections::{BTreeMap, HashMap};

use burn_did::{Aggregated, Aggregation, Estimate, GroupTimeResult};

use super::tolerance::{AttUnit, Tolerance};

/// Numbers that a fit should give.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    pub n: usize,
    pub cells: Vec<ExpectedRow>,
    pub wald: Option<f64>,
    /// Degrees of freedom of the Wald test, where known.
    pub wald_df: Option<usize>,
    pub crit: Option<f64>,
    /// Upper triangle by rows.
    pub vcov: Option<Vec<Vec<Option<f64>>>>,
    pub influence: Option<ExpectedInfluence>,
    pub aggregates: Vec<ExpectedAggregate>,
}

/// A cell or a row of an aggregation.
#[derive(Clone, Debug)]
pub struct ExpectedRow {
    /// Group and time, or event time, group or period.
    pub at: Vec<f64>,
    pub att: Option<f64>,
    pub se: Option<f64>,
}

/// Influence values by cell, in the order of the units.
#[derive(Clone, Debug)]
pub struct ExpectedInfluence {
    pub units: Vec<String>,
    pub columns: Vec<Vec<f64>>,
}

/// An aggregation and its numbers, or `None` where it must be refused.
#[derive(Clone, Debug)]
pub struct ExpectedAggregate {
    pub aggregation: Aggregation,
    pub numbers: Option<ExpectedNumbers>,
}

/// Numbers of an aggregation; rows are not compared where `None`.
#[derive(Clone, Debug)]
pub struct ExpectedNumbers {
    pub att: Option<f64>,
    pub se: Option<f64>,
    pub crit: Option<f64>,
    pub rows: Option<Vec<ExpectedRow>>,
}

impl Expected {
    /// What a fit gave, to hold another against it.
    pub fn of(fit: &GroupTimeResult, aggregations: &[Aggregation]) -> Self {
        let row = |at: Vec<f64>, e: &Estimate| ExpectedRow { at, att: e.estimate, se: e.se };
        Self {
            n: fit.settings.n_units,
            cells: fit.cells.iter().map(|c| row(vec![c.group, c.time], &c.estimate)).collect(),
            wald: fit.wald.map(|w| w.stat),
            wald_df: fit.wald.map(|w| w.df),
            aggregates: aggregations
                .iter()
                .map(|aggregation| ExpectedAggregate {
                    aggregation: *aggregation,
                    numbers: fit.aggregate(*aggregation).ok().map(|a| ExpectedNumbers {
                        att: a.overall.estimate,
                        se: a.overall.se,
                        crit: None,
                        rows: Some(a.rows.iter().map(|r| row(vec![r.at], &r.estimate)).collect()),
                    }),
                })
                .collect(),
            ..Self::default()
        }
    }
}

/// Asserts that two fits have cells of the same status, and numbers within `tolerance` standard errors.
#[track_caller]
pub fn assert_close(what: &str, a: &GroupTimeResult, b: &GroupTimeResult, tolerance: f64) {
    assert_eq!(a.cells.len(), b.cells.len(), "{what}");
    for (a, b) in a.cells.iter().zip(&b.cells) {
        let at = format!("{what}: ({}, {})", a.group, a.time);
        assert_eq!((a.group, a.time, &a.status), (b.group, b.time, &b.status), "{at}");
        let pairs = [(a.estimate.estimate, b.estimate.estimate), (a.estimate.se, b.estimate.se)];
        for (x, y) in pairs {
            let off = x.zip(y).map(|(x, y)| (x - y).abs());
            let limit = tolerance * a.estimate.se.unwrap_or(1.0);
            assert!(off.is_none_or(|off| off <= limit), "{at}: {x:?} and {y:?}");
            assert_eq!(x.is_some(), y.is_some(), "{at}");
        }
    }
}

/// Failures and deviations of a set of cases.
#[derive(Debug, Default)]
pub struct Report {
    name: String,
    failures: Vec<String>,
    deviations: BTreeMap<&'static str, Vec<f64>>,
    worst: HashMap<&'static str, (f64, String)>,
}

impl Report {
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    /// Compares everything that is expected.
    pub fn compare(
        &mut self,
        id: &str,
        fit: &GroupTimeResult,
        expected: &Expected,
        tol: &Tolerance,
    ) {
        self.same(id, "n", fit.settings.n_units, expected.n);
        self.invariants(id, fit);
        let got: Vec<_> = fit.cells.iter().map(|c| (vec![c.group, c.time], c.estimate)).collect();
        let scale = self.rows(id, ["att", "se"], &got, &expected.cells, 0.0, tol);
        match (fit.wald, expected.wald) {
            _ if tol.wald.is_infinite() => {}
            (Some(got), Some(want)) => {
                self.number(
                    id,
                    "wald",
                    Some(got.stat),
                    Some(want),
                    got.stat.abs().max(want.abs()),
                    tol.wald,
                );
                if let Some(df) = expected.wald_df {
                    self.same(id, "wald df", got.df, df);
                }
            }
            (None, Some(want)) => self.fail(format!("{id}: wald is missing, expected {want}")),
            (Some(got), None) if tol.missing_wald_matters => {
                self.fail(format!("{id}: wald is {}, expected none", got.stat));
            }
            _ => {}
        }
        self.critical(id, "crit", fit.critical_value, expected.crit, tol);
        self.vcov(id, fit, expected, tol);
        if let Some(influence) = &expected.influence {
            self.influence(id, fit, influence, tol);
        }
        for aggregate in &expected.aggregates {
            self.aggregate(id, fit, aggregate, scale, tol);
        }
    }

    /// Compares one number, relative to its size.
    pub fn close(
        &mut self,
        id: &str,
        quantity: &'static str,
        got: Option<f64>,
        want: f64,
        tolerance: f64,
    ) {
        let unit = got.unwrap_or(0.0).abs().max(want.abs());
        self.number(id, quantity, got, Some(want), unit, tolerance);
    }

    /// Notes a failure that is not a number.
    pub fn fail(&mut self, what: String) {
        self.failures.push(what);
    }

    /// Share of the deviations of a quantity within a limit; 1 where there are none.
    pub fn share_within(&self, quantity: &str, limit: f64) -> f64 {
        self.deviations.get(quantity).map_or(1.0, |all| {
            all.iter().filter(|d| **d <= limit).count() as f64 / all.len() as f64
        })
    }

    /// Prints the largest deviations and panics with all failures, if any.
    pub fn finish(self) {
        Self::finish_all([self]);
    }

    /// [`Self::finish`] for several at once.
    pub fn finish_all(reports: impl IntoIterator<Item = Self>) {
        let mut failures = Vec::new();
        for report in reports {
            for (quantity, all) in &report.deviations {
                let (worst, id) = &report.worst[quantity];
                println!(
                    "{:14} {quantity:14} {:6} numbers, largest deviation {worst:.1e} ({id})",
                    report.name,
                    all.len()
                );
            }
            failures.extend(report.failures);
        }
        assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
    }

    fn same<T: PartialEq + std::fmt::Debug>(&mut self, id: &str, what: &str, got: T, want: T) {
        if got != want {
            self.fail(format!("{id}: {what} is {got:?}, expected {want:?}"));
        }
    }

    /// Records `|got - want| / unit`; both missing agree, one missing fails.
    fn number(
        &mut self,
        id: &str,
        quantity: &'static str,
        got: Option<f64>,
        want: Option<f64>,
        unit: f64,
        tolerance: f64,
    ) {
        let (Some(a), Some(b)) = (got, want) else {
            if got.is_some() != want.is_some() {
                self.fail(format!("{id}: {quantity} is {got:?}, expected {want:?}"));
            }
            return;
        };
        let deviation = if a == b { 0.0 } else { (a - b).abs() / unit };
        self.deviations.entry(quantity).or_default().push(deviation);
        let worst = self.worst.entry(quantity).or_insert((0.0, String::new()));
        if worst.1.is_empty() || deviation > worst.0 || deviation.is_nan() {
            *worst = (deviation, id.to_owned());
        }
        if deviation > tolerance || deviation.is_nan() {
            self.fail(format!(
                "{id}: {quantity} is {a}, expected {b}: deviation {deviation:.2e}, allowed {tolerance:.0e}"
            ));
        }
    }

    fn critical(
        &mut self,
        id: &str,
        q: &'static str,
        got: f64,
        want: Option<f64>,
        tol: &Tolerance,
    ) {
        if let Some(want) = want {
            self.number(id, q, Some(got), Some(want), got.abs().max(want.abs()), tol.crit);
        }
    }

    /// Compares rows by position and label; returns the largest expected effect.
    fn rows(
        &mut self,
        id: &str,
        [att, se]: [&'static str; 2],
        got: &[(Vec<f64>, Estimate)],
        want: &[ExpectedRow],
        scale: f64,
        tol: &Tolerance,
    ) -> f64 {
        let labels: Vec<_> = got.iter().map(|(at, _)| at).collect();
        let wanted: Vec<_> = want.iter().map(|row| &row.at).collect();
        if labels != wanted {
            self.fail(format!("{id}: rows of {att} are {labels:?}, expected {wanted:?}"));
            return scale;
        }
        let largest = want.iter().filter_map(|row| row.att).fold(scale, |m, v| m.max(v.abs()));
        for ((at, got), want) in got.iter().zip(want) {
            let id = format!("{id} {at:?}");
            self.estimate(&id, [att, se], *got, (want.att, want.se), largest, tol);
        }
        largest
    }

    fn estimate(
        &mut self,
        id: &str,
        [att, se]: [&'static str; 2],
        got: Estimate,
        want: (Option<f64>, Option<f64>),
        largest: f64,
        tol: &Tolerance,
    ) {
        if want.0.is_none() && !tol.missing_matters {
            return;
        }
        let size =
            |a: Option<f64>, b: Option<f64>| a.unwrap_or(0.0).abs().max(b.unwrap_or(0.0).abs());
        let unit = match (tol.att_unit, want.1) {
            (AttUnit::StandardError, Some(se)) => se,
            _ => size(got.estimate, want.0).max(1e-3 * largest),
        };
        self.number(id, att, got.estimate, want.0, unit, tol.att);
        if tol.se.is_finite() {
            self.number(id, se, got.se, want.1, size(got.se, want.1), tol.se);
        }
    }

    /// What holds in every fit: statuses match numbers, and what is reported is finite.
    fn invariants(&mut self, id: &str, fit: &GroupTimeResult) {
        for cell in &fit.cells {
            let e = cell.estimate;
            let at = format!("{id} ({}, {})", cell.group, cell.time);
            self.same(&at, "having an estimate", e.estimate.is_some(), cell.status.is_estimated());
            self.same(&at, "having an interval", e.ci_lower.is_some(), e.se.is_some());
            let ends = [e.ci_lower, e.ci_upper, e.band_lower, e.band_upper];
            let numbers = [e.estimate, e.se, e.p_value].into_iter().chain(ends);
            if numbers.flatten().any(|v| !v.is_finite()) || e.se.is_some_and(|se| se <= 0.0) {
                self.fail(format!("{at}: {e:?}"));
            }
        }
    }

    fn vcov(&mut self, id: &str, fit: &GroupTimeResult, expected: &Expected, tol: &Tolerance) {
        let Some(want) = &expected.vcov else { return };
        let got = fit.vcov().unwrap();
        if got.len() != want.len() {
            self.fail(format!("{id}: vcov has {} rows, expected {}", got.len(), want.len()));
            return;
        }
        for (i, row) in want.iter().enumerate() {
            for (offset, value) in row.iter().enumerate() {
                let j = i + offset;
                let variances = want[i][0].zip(want[j][0]).map_or(0.0, |(a, b)| a * b);
                if variances > 0.0 {
                    let id = format!("{id} [{i}, {j}]");
                    self.number(&id, "vcov", got[i][j], *value, variances.sqrt(), tol.vcov);
                    self.number(&id, "vcov", got[j][i], *value, variances.sqrt(), tol.vcov);
                }
            }
        }
    }

    fn influence(
        &mut self,
        id: &str,
        fit: &GroupTimeResult,
        expected: &ExpectedInfluence,
        tol: &Tolerance,
    ) {
        let Some(got) = &fit.influence else {
            self.fail(format!("{id}: influence values were not kept"));
            return;
        };
        let place: HashMap<&str, usize> =
            got.units.iter().enumerate().map(|(row, unit)| (unit.as_str(), row)).collect();
        self.same(id, "units with influence values", place.len(), expected.units.len());
        for (cell, (got, want)) in got.columns.iter().zip(&expected.columns).enumerate() {
            let largest = want.iter().fold(0.0f64, |m, v| m.max(v.abs()));
            for (unit, want) in expected.units.iter().zip(want) {
                let value = place.get(unit.as_str()).and_then(|row| got.get(*row)).copied();
                let id = format!("{id} cell {cell}, unit {unit}");
                self.number(&id, "influence", value, Some(*want), largest, tol.influence);
            }
        }
    }

    fn aggregate(
        &mut self,
        id: &str,
        fit: &GroupTimeResult,
        expected: &ExpectedAggregate,
        scale: f64,
        tol: &Tolerance,
    ) {
        let a = expected.aggregation;
        let mut id = format!("{id} {}", a.kind);
        for (name, value) in
            [("min_e", a.min_e), ("max_e", a.max_e), ("balance_e", a.balance_e.map(f64::from))]
        {
            if let Some(value) = value {
                id += &format!(" {name}={value}");
            }
        }
        if a.na_rm {
            id += " na_rm";
        }
        match (fit.aggregate(a), &expected.numbers) {
            (Ok(got), Some(want)) => self.aggregated(&id, &got, want, scale, tol),
            (Ok(_), None) if tol.missing_matters => {
                self.fail(format!("{id}: gave numbers, expected an error"));
            }
            (Err(error), Some(_)) => self.fail(format!("{id}: {error}")),
            _ => {}
        }
    }

    fn aggregated(
        &mut self,
        id: &str,
        got: &Aggregated,
        want: &ExpectedNumbers,
        scale: f64,
        tol: &Tolerance,
    ) {
        let overall = ["overall att", "overall se"];
        self.estimate(id, overall, got.overall, (want.att, want.se), scale, tol);
        self.critical(id, "aggregate crit", got.critical_value, want.crit, tol);
        if let Some(rows) = &want.rows {
            let got: Vec<_> = got.rows.iter().map(|r| (vec![r.at], r.estimate)).collect();
            self.rows(id, ["aggregate att", "aggregate se"], &got, rows, scale, tol);
        }
    }
}
