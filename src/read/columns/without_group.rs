//! Rows without a group, whose units count as never treated.

use serde::{Deserialize, Serialize};

use super::missing::{ReadAsMissing, add_counts};
use crate::base::error::DidWarning;

/// Rows that are never treated as their group is missing, and whether others are so by a code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WithoutGroup {
    /// Rows whose group is missing; not those whose group is NaN, which are left out.
    pub rows: usize,
    /// Their units; rows, where rows have no units.
    pub units: usize,
    /// Whether the group of other rows is 0 or infinite.
    pub coded: bool,
    /// Rows whose group is NaN.
    pub nan: usize,
}

impl WithoutGroup {
    /// Adds those of other units.
    pub fn add(&mut self, other: Self) {
        self.rows += other.rows;
        self.units += other.units;
        self.coded |= other.coded;
        self.nan += other.nan;
    }

    /// Warnings if groups are missing beside others that say by a code that units are never treated, as the missing may be unknown, and if
    /// groups are NaN where no unit is never treated.
    pub fn warnings(&self, column: &str) -> impl Iterator<Item = DidWarning> + use<> {
        let Self { rows, units, coded, nan } = *self;
        let column = || column.to_owned();
        let beside = rows > 0 && coded;
        let missing = beside.then(|| DidWarning::MissingGroups { column: column(), rows, units });
        let lost = nan > 0 && rows == 0 && !coded;
        let nan = lost.then(|| DidWarning::NanGroups { column: column(), rows: nan });
        missing.into_iter().chain(nan)
    }

    /// Says of what was read as missing in the group column that it stands for never treated, and counts nulls among it, for which no
    /// word stands. Words are counted in files as they are read, so that rows may be left out later.
    pub fn mark(&self, column: &str, all: &mut Vec<ReadAsMissing>) {
        let is_nan = |token: &str| token.parse().is_ok_and(f64::is_nan);
        let mut left = self.rows;
        for entry in all.iter_mut().filter(|entry| entry.column == column) {
            // Rows whose group is not a number are left out, unless the word was named.
            entry.never_treated = !is_nan(&entry.token) || entry.values <= left;
            left = left.saturating_sub(if entry.never_treated { entry.values } else { 0 });
        }
        let is_mark = |entry: &ReadAsMissing| entry.column == column && entry.never_treated;
        let words: usize = all.iter().filter(|e| is_mark(e)).map(|e| e.values).sum();
        let nulls = if words > self.rows {
            all.retain(|entry| !is_mark(entry));
            self.rows
        } else {
            self.rows - words
        };
        if nulls > 0 {
            let (token, never_treated) = (String::new(), true);
            let nulls =
                ReadAsMissing { column: column.to_owned(), token, values: nulls, never_treated };
            add_counts(all, &[nulls]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(column: &str, token: &str, values: usize) -> ReadAsMissing {
        ReadAsMissing { column: column.into(), token: token.into(), values, never_treated: false }
    }

    fn marked(rows: usize, all: &[ReadAsMissing]) -> Vec<(String, usize, bool)> {
        let mut all = all.to_vec();
        WithoutGroup { rows, ..WithoutGroup::default() }.mark("g", &mut all);
        all.into_iter().map(|e| (e.column + &e.token, e.values, e.never_treated)).collect()
    }

    #[test]
    fn a_warning_needs_missing_groups_beside_a_code() {
        let of = |rows, coded, nan| WithoutGroup { rows, units: rows, coded, nan };
        let found =
            |rows, coded, nan| of(rows, coded, nan).warnings("g").collect::<Vec<DidWarning>>();
        for (rows, coded, nan) in [(0, true, 0), (3, false, 0), (0, true, 2), (3, false, 2)] {
            assert_eq!(found(rows, coded, nan), []);
        }
        let column = || "g".to_owned();
        let beside = DidWarning::MissingGroups { column: column(), rows: 3, units: 3 };
        assert_eq!(found(3, true, 2), [beside]);
        assert_eq!(found(0, false, 2), [DidWarning::NanGroups { column: column(), rows: 2 }]);
        let mut whole = WithoutGroup { rows: 2, units: 1, coded: false, nan: 1 };
        whole.add(of(0, true, 1));
        assert_eq!(whole, WithoutGroup { rows: 2, units: 1, coded: true, nan: 2 });
    }

    #[test]
    fn words_and_nulls_say_what_they_stand_for() {
        let other = ("yNA".to_owned(), 7, false);
        assert_eq!(
            marked(5, &[entry("y", "NA", 7), entry("g", "NA", 5)]),
            [other.clone(), ("gNA".into(), 5, true)]
        );
        assert_eq!(marked(5, &[entry("y", "NA", 7)]), [other, ("g".into(), 5, true)]);
        assert_eq!(
            marked(5, &[entry("g", "", 2), entry("g", "NA", 1)]),
            [("g".into(), 4, true), ("gNA".into(), 1, true)]
        );
        // Without a number the row is left out, unless the word was named as a missing one.
        assert_eq!(marked(0, &[entry("g", "NaN", 5)]), [("gNaN".into(), 5, false)]);
        assert_eq!(marked(5, &[entry("g", "NaN", 5)]), [("gNaN".into(), 5, true)]);
    }

    #[test]
    fn words_in_rows_that_were_left_out_do_not_count() {
        assert_eq!(marked(0, &[entry("g", "", 5)]), []);
        assert_eq!(marked(2, &[entry("g", "NA", 5)]), [("g".into(), 2, true)]);
    }
}
