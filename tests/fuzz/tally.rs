//! What was compared, what failed alike, what was skipped and why, and what differs.

use std::collections::BTreeMap;

/// Counts over designs.
#[derive(Debug, Default)]
pub struct Tally {
    pub designs: usize,
    /// Designs that both programs refuse, by reason.
    pub refused: BTreeMap<String, usize>,
    pub cells: usize,
    /// Cells that are skipped.
    pub undecided: usize,
    pub failed: BTreeMap<String, usize>,
    pub aggregations: usize,
    pub numbers: usize,
    /// Cells at a threshold, aggregations that contain some, and standard errors that are rounding.
    pub skipped: BTreeMap<&'static str, usize>,
    /// Largest distance of each quantity, in units of what is allowed, and where.
    pub worst: BTreeMap<&'static str, (f64, String)>,
    /// The first of each design that has some.
    pub differences: Vec<String>,
}

/// A number with how far it may be off.
#[derive(Clone, Copy, Debug)]
pub struct Expected {
    pub value: Option<f64>,
    pub tolerance: f64,
}

impl Tally {
    pub fn add(mut self, other: Self) -> Self {
        self.designs += other.designs;
        self.cells += other.cells;
        self.undecided += other.undecided;
        self.aggregations += other.aggregations;
        self.numbers += other.numbers;
        for (counts, others) in
            [(&mut self.refused, other.refused), (&mut self.failed, other.failed)]
        {
            for (key, n) in others {
                *counts.entry(key).or_default() += n;
            }
        }
        for (key, n) in other.skipped {
            *self.skipped.entry(key).or_default() += n;
        }
        for (key, found) in other.worst {
            let worst = self.worst.entry(key).or_default();
            if found.0 > worst.0 {
                *worst = found;
            }
        }
        self.differences.extend(other.differences);
        self
    }

    /// Of one design: its first difference, with the design in words.
    pub fn described(mut self, words: &str) -> Self {
        let more = self.differences.len().saturating_sub(1);
        self.differences.truncate(1);
        for first in &mut self.differences {
            *first = format!("{first} (and {more} more)\n    {words}");
        }
        self
    }

    pub fn skip(&mut self, reason: &'static str) {
        *self.skipped.entry(reason).or_default() += 1;
    }

    pub fn differ(&mut self, what: String) {
        self.differences.push(what);
    }

    /// Compares things that must be equal.
    pub fn same<T: PartialEq + std::fmt::Debug>(&mut self, what: &str, got: &T, want: &T) {
        self.numbers += 1;
        if got != want {
            self.differ(format!("{what}: {got:?}, but the oracle has {want:?}"));
        }
    }

    /// Compares numbers; `kind` is the quantity, `at` the place.
    pub fn close(&mut self, kind: &'static str, at: &str, got: Option<f64>, want: Expected) {
        self.numbers += 1;
        let (Some(a), Some(b)) = (got, want.value) else {
            if got.is_some() || want.value.is_some() {
                let want = want.value;
                self.differ(format!("{at}: {kind} {got:?}, but the oracle has {want:?}"));
            }
            return;
        };
        let distance = (a - b).abs() / want.tolerance;
        let worst = self.worst.entry(kind).or_default();
        if distance > worst.0 {
            *worst = (distance, at.to_owned());
        }
        if distance.is_nan() || distance > 1.0 {
            let allowed = want.tolerance;
            self.differ(format!(
                "{at}: {kind} {a:e}, but the oracle has {b:e} (off by {:.1e}, allowed {allowed:.1e})",
                (a - b).abs()
            ));
        }
    }

    pub fn print(&self, name: &str) {
        let listed = |counts: &BTreeMap<String, usize>| -> String {
            let each: Vec<String> = counts.iter().map(|(key, n)| format!("{key} {n}")).collect();
            if each.is_empty() { "none".into() } else { each.join(", ") }
        };
        let skipped = self.skipped.iter().map(|(key, n)| ((*key).to_owned(), *n)).collect();
        println!(
            "{name}: {} designs, {} cells, {} aggregations, {} numbers compared\n  \
             refused alike: {}\n  failed alike: {}\n  skipped: {}\n  designs with unexplained differences: {}",
            self.designs,
            self.cells,
            self.aggregations,
            self.numbers,
            listed(&self.refused),
            listed(&self.failed),
            listed(&skipped),
            self.differences.len()
        );
        for (kind, (distance, at)) in &self.worst {
            println!("  {kind}: at most {distance:.1e} of what is allowed ({at})");
        }
    }
}
