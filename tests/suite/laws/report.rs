//! Comparison of numbers, collecting what differs.

use super::subject::{Numbers, Reported};

/// How close numbers must be.
#[derive(Clone, Copy, Debug)]
pub enum Within {
    /// To the last bit, covariances, draws and aggregates included.
    Bits,
    /// Estimates and standard errors, in standard errors.
    Errors(f64),
}

/// Differences found, so that a test tells all of them.
#[derive(Debug, Default)]
pub struct Report {
    compared: usize,
    /// Cases that a law says nothing about.
    skipped: usize,
    differences: Vec<String>,
}

impl Report {
    pub fn fail(&mut self, what: impl Into<String>) {
        self.differences.push(what.into());
    }

    /// Notes a case without what the law is about.
    pub fn skip(&mut self) {
        self.skipped += 1;
    }

    /// Notes unless `holds`.
    pub fn check(&mut self, holds: bool, what: impl FnOnce() -> String) {
        self.compared += 1;
        if !holds {
            self.fail(what());
        }
    }

    /// Everything but names.
    pub fn same(&mut self, what: &str, a: &Numbers, b: &Numbers, within: Within) {
        self.estimates(what, a, b, within);
        if matches!(within, Within::Bits) {
            self.check(bits(&a.rest) == bits(&b.rest), || {
                format!("{what}: covariances, draws or aggregates differ")
            });
        }
    }

    /// As [`Self::same`], of a fit that may have failed.
    pub fn same_as(
        &mut self,
        what: &str,
        a: &Numbers,
        b: burn_did::Result<Numbers>,
        within: Within,
    ) {
        match b {
            Ok(b) => self.same(what, a, &b, within),
            Err(error) => self.fail(format!("{what}: {error}")),
        }
    }

    /// As [`Self::same`], of two fits that may fail, but only together.
    pub fn alike(
        &mut self,
        what: &str,
        a: &burn_did::Result<Numbers>,
        b: &burn_did::Result<Numbers>,
        within: Within,
    ) {
        match (a, b) {
            (Ok(a), Ok(b)) => self.same(what, a, b, within),
            (a, b) => self.check(a.is_err() && b.is_err(), || {
                format!("{what}: {:?} and {:?}", a.as_ref().err(), b.as_ref().err())
            }),
        }
    }

    fn estimates(&mut self, what: &str, a: &Numbers, b: &Numbers, within: Within) {
        for (a, b) in self.pairs(what, a, b) {
            self.estimate(what, a, b, within);
        }
    }

    /// The estimates of two fits side by side; none if their numbers differ.
    pub fn pairs<'a>(
        &mut self,
        what: &str,
        a: &'a Numbers,
        b: &'a Numbers,
    ) -> Vec<(&'a Reported, &'a Reported)> {
        let [left, right] = [a, b].map(|fit| fit.estimates.len());
        if left != right {
            self.fail(format!("{what}: {left} and {right} estimates"));
            return vec![];
        }
        a.estimates.iter().zip(&b.estimates).collect()
    }

    /// Numbers, status and counts of an estimate.
    pub fn estimate(&mut self, what: &str, a: &Reported, b: &Reported, within: Within) {
        self.check(same_kind(a, b) && a.n == b.n, || {
            format!("{what}: {}: {:?} {:?} and {:?} {:?}", a.name, a.status, a.n, b.status, b.n)
        });
        self.numbers(what, a, b, 1.0, within);
    }

    /// Estimate and standard error, those of the second multiplied.
    pub fn numbers(&mut self, what: &str, a: &Reported, b: &Reported, by: f64, within: Within) {
        let unit = a.se.or(a.value).map_or(1.0, |v| v.abs().max(f64::MIN_POSITIVE));
        let pairs = [("estimate", a.value, b.value, by), ("se", a.se, b.se, by.abs())];
        for (quantity, x, y, by) in pairs {
            let same = match (x, y, within) {
                (Some(x), Some(y), Within::Bits) => x.to_bits() == y.to_bits(),
                (Some(x), Some(y), Within::Errors(limit)) => (x - by * y).abs() <= limit * unit,
                (None, None, _) => true,
                _ => false,
            };
            self.check(same, || {
                format!("{what}: {}: {quantity} {x:?} and {y:?} (times {by})", a.name)
            });
        }
    }

    /// Fails with what was found: for every comparison that failed, how often and the first difference.
    #[track_caller]
    pub fn finish(self) {
        let found = self.differences.len();
        assert!(self.compared + self.skipped + found > 0, "nothing was compared");
        let mut shown: Vec<(&str, usize, &str)> = Vec::new();
        for difference in &self.differences {
            // The case and what was done to it come before what differs.
            let name = difference.match_indices(": ").nth(1);
            let name = name.map_or(difference.as_str(), |(at, _)| &difference[..at]);
            match shown.iter_mut().find(|(known, ..)| *known == name) {
                Some((_, count, _)) => *count += 1,
                None => shown.push((name, 1, difference)),
            }
        }
        let lines: Vec<String> =
            shown.iter().take(60).map(|(_, count, first)| format!("{count} x {first}")).collect();
        assert!(
            found == 0,
            "{found} differences in {} comparisons of {}:\n{}",
            shown.len(),
            self.compared,
            lines.join("\n")
        );
    }
}

/// Whether two estimates have a status of one kind.
pub fn same_kind(a: &Reported, b: &Reported) -> bool {
    let kind = |reported: &Reported| reported.status.as_ref().map(std::mem::discriminant);
    kind(a) == kind(b)
}

fn bits(rows: &[Vec<Option<f64>>]) -> Vec<Vec<Option<u64>>> {
    rows.iter().map(|row| row.iter().map(|v| v.map(f64::to_bits)).collect()).collect()
}
