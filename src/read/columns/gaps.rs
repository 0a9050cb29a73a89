//! Rows with a missing or non-finite value.

use crate::base::parallel;

/// Rows that one task looks at.
const PART: usize = 8_192;

/// Rows with a missing value, found column by column.
pub(crate) struct Gaps {
    rows: usize,
    /// Whether each row has all values so far; `None` if all rows have.
    pub complete: Option<Vec<bool>>,
    /// Rows under their first column without a value.
    pub missing: Vec<(String, usize)>,
}

impl Gaps {
    /// None yet among so many rows.
    pub fn new(rows: usize) -> Self {
        Self { rows, complete: None, missing: Vec::new() }
    }

    /// Marks rows in which a column is not usable.
    pub fn mark(&mut self, name: &str, usable: impl Fn(usize) -> bool + Sync) {
        let clean = |part: usize| {
            // No early exit within a part, so that the test is vectorised.
            parallel::part(part, PART, self.rows).fold(true, |clean, row| clean & usable(row))
        };
        if parallel::all(self.rows.div_ceil(PART), &clean) {
            return;
        }
        let complete = self.complete.get_or_insert_with(|| vec![true; self.rows]);
        let mut count = 0;
        for (row, complete) in complete.iter_mut().enumerate() {
            if *complete && !usable(row) {
                *complete = false;
                count += 1;
            }
        }
        if count > 0 {
            self.missing.push((name.to_owned(), count));
        }
    }

    /// Marks rows for which one of several names is to blame, which are given in the order in which they are to be listed.
    pub fn mark_by_name<'a>(&mut self, names: &[String], blame: impl Fn(usize) -> Option<&'a str>) {
        let complete = self.complete.get_or_insert_with(|| vec![true; self.rows]);
        for (row, complete) in complete.iter_mut().enumerate() {
            let Some(name) = blame(row).filter(|_| *complete) else { continue };
            *complete = false;
            match self.missing.iter_mut().find(|(known, _)| known == name) {
                Some((_, rows)) => *rows += 1,
                None => self.missing.push((name.to_owned(), 1)),
            }
        }
        // In an order that does not depend on that of the rows.
        self.missing.sort_by_key(|(name, _)| names.iter().position(|known| known == name));
    }
}
