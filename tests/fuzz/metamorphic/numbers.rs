//! Comparison of numbers, collecting what differs.

use super::case::{Cell, Numbers};

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
    differences: Vec<String>,
}

impl Report {
    pub fn fail(&mut self, what: impl Into<String>) {
        self.differences.push(what.into());
    }

    /// Notes unless `holds`.
    pub fn check(&mut self, holds: bool, what: impl FnOnce() -> String) {
        self.compared += 1;
        if !holds {
            self.fail(what());
        }
    }

    /// Cells, labels of groups and periods aside.
    pub fn same(&mut self, what: &str, a: &Numbers, b: &Numbers, within: Within) {
        if a.cells.len() != b.cells.len() {
            return self.fail(format!("{what}: {} and {} cells", a.cells.len(), b.cells.len()));
        }
        for (x, y) in a.cells.iter().zip(&b.cells) {
            self.cell(what, x, y, within);
        }
        if matches!(within, Within::Bits) {
            self.check(bits(&a.rest) == bits(&b.rest), || {
                format!("{what}: covariances, draws or aggregates differ")
            });
        }
    }

    /// Numbers, status and counts of a cell.
    pub fn cell(&mut self, what: &str, a: &Cell, b: &Cell, within: Within) {
        let at = || format!("{what}: ({}, {})", a.group, a.time);
        let kind = std::mem::discriminant;
        self.check(kind(&a.status) == kind(&b.status) && a.n == b.n, || {
            format!("{}: {} {:?} and {} {:?}", at(), a.status, a.n, b.status, b.n)
        });
        self.numbers(what, a, b, [1.0, 1.0], within);
    }

    /// Numbers of a cell, those of the second multiplied.
    pub fn numbers(&mut self, what: &str, a: &Cell, b: &Cell, by: [f64; 2], within: Within) {
        let unit = a.se.or(a.att).map_or(1.0, |v| v.abs().max(f64::MIN_POSITIVE));
        let pairs = [("att", a.att, b.att, by[0]), ("se", a.se, b.se, by[1])];
        for (name, x, y, by) in pairs {
            let same = match (x, y, within) {
                (Some(x), Some(y), Within::Bits) => x.to_bits() == y.to_bits(),
                (Some(x), Some(y), Within::Errors(limit)) => (x - by * y).abs() <= limit * unit,
                (None, None, _) => true,
                _ => false,
            };
            self.check(same, || {
                let (group, time) = (a.group, a.time);
                format!("{what}: ({group}, {time}): {name} {x:?} and {y:?} (times {by})")
            });
        }
    }

    /// Fails with what was found: for every comparison that failed, how often and the first difference.
    #[track_caller]
    pub fn finish(self) {
        let found = self.differences.len();
        assert!(self.compared + found > 0, "nothing was compared");
        let mut shown: Vec<(&str, usize, &str)> = Vec::new();
        for difference in &self.differences {
            // What differs is told after the name of the case and of what was done to it.
            let name = difference.rfind(": (").map_or(difference.as_str(), |at| &difference[..at]);
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

fn bits(rows: &[Vec<Option<f64>>]) -> Vec<Vec<Option<u64>>> {
    rows.iter().map(|row| row.iter().map(|v| v.map(f64::to_bits)).collect()).collect()
}
