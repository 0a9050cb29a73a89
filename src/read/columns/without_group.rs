//! Rows without a group, whose units count as never treated.

use serde::{Deserialize, Serialize};

use super::read_as_missing::{ReadAsMissing, add_counts};
use crate::base::error::DidWarning;

/// Rows that are never treated as their group is missing, and whether others are so by a code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WithoutGroup {
    /// Rows without a group that have what else is needed of them; not those whose group is NaN, which are left out.
    pub rows: usize,
    /// Their units; none where rows have no units.
    pub units: Option<usize>,
    /// Rows without a group, whatever else they lack.
    pub nulls: usize,
    /// Whether the group of other rows is 0 or infinite.
    pub coded: bool,
    /// Rows whose group is NaN.
    pub nan: usize,
}

impl WithoutGroup {
    /// Adds those of other units.
    pub fn add(&mut self, other: Self) {
        self.rows += other.rows;
        self.units = match (self.units, other.units) {
            (Some(units), Some(more)) => Some(units + more),
            (units, more) => units.or(more),
        };
        self.nulls += other.nulls;
        self.coded |= other.coded;
        self.nan += other.nan;
    }

    /// Warnings if groups are missing beside others that say by a code that units are never treated, as the missing may be unknown, and if
    /// groups are NaN where no unit is never treated: neither by its group nor as all `periods` of the sample are before it.
    pub fn warnings(
        &self,
        column: &str,
        mut groups: impl Iterator<Item = f64>,
        periods: impl Iterator<Item = f64>,
    ) -> Vec<DidWarning> {
        let Self { rows, units, coded, nan, .. } = *self;
        let column = || column.to_owned();
        if rows > 0 && coded {
            return vec![DidWarning::MissingGroups { column: column(), rows, units }];
        }
        if nan == 0 || rows > 0 || coded {
            return Vec::new();
        }
        let last = periods.fold(f64::NEG_INFINITY, f64::max);
        match groups.any(|group| group > last) {
            true => Vec::new(),
            false => vec![DidWarning::NanGroups { column: column(), rows: nan }],
        }
    }

    /// Says of what was read as missing in the group column that it stands for never treated, and counts rows for which no word stands,
    /// or not which of several. Words are counted in files as they are read, so that rows may be left out later.
    pub fn mark(&self, column: &str, all: &mut Vec<ReadAsMissing>) {
        let Self { rows, nulls, nan, .. } = *self;
        let stands = |entry: &ReadAsMissing| {
            // Rows whose group is not a number are left out, unless the word was named.
            let is_nan = entry.token.parse().is_ok_and(f64::is_nan);
            entry.column == column && !(is_nan && (nan > 0 || rows == 0))
        };
        let words: Vec<usize> = all.iter().filter(|e| stands(e)).map(|e| e.values).collect();
        let known: usize = words.iter().sum();
        let rest = if rows > 0 && words.len() == 1 && known >= nulls {
            all.iter_mut().filter(|entry| stands(entry)).for_each(|entry| entry.values = rows);
            0
        } else if rows == nulls && known <= rows {
            rows - known
        } else {
            all.retain(|entry| !stands(entry));
            rows
        };
        for entry in all.iter_mut().filter(|entry| stands(entry)) {
            (entry.never_treated, entry.beside_code) = (true, self.coded);
        }
        if rest > 0 {
            let column = column.to_owned();
            let (token, never_treated, beside_code) = (String::new(), true, self.coded);
            let rest = ReadAsMissing { column, token, values: rest, never_treated, beside_code };
            add_counts(all, &[rest]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn periods() -> impl Iterator<Item = f64> {
        [1.0, 2.0, 3.0].into_iter()
    }

    fn entry(column: &str, token: &str, values: usize) -> ReadAsMissing {
        let (column, token) = (column.into(), token.into());
        ReadAsMissing { column, token, values, never_treated: false, beside_code: false }
    }

    fn marked(rows: usize, all: &[ReadAsMissing]) -> Vec<(String, usize, bool)> {
        let mut all = all.to_vec();
        WithoutGroup { rows, nulls: rows, ..WithoutGroup::default() }.mark("g", &mut all);
        all.into_iter().map(|e| (e.column + &e.token, e.values, e.never_treated)).collect()
    }

    #[test]
    fn a_warning_needs_missing_groups_beside_a_code() {
        let of = |rows, coded, nan| {
            let units = (rows > 0).then_some(rows);
            WithoutGroup { rows, units, nulls: rows, coded, nan }
        };
        let found =
            |rows, coded, nan| of(rows, coded, nan).warnings("g", [2.0].into_iter(), periods());
        for (rows, coded, nan) in [(0, true, 0), (3, false, 0), (0, true, 2), (3, false, 2)] {
            assert_eq!(found(rows, coded, nan), []);
        }
        let column = || "g".to_owned();
        let beside = DidWarning::MissingGroups { column: column(), rows: 3, units: Some(3) };
        assert_eq!(found(3, true, 2), [beside]);
        assert_eq!(found(0, false, 2), [DidWarning::NanGroups { column: column(), rows: 2 }]);
        let mut whole = WithoutGroup { rows: 2, units: Some(1), nulls: 3, coded: false, nan: 1 };
        whole.add(of(0, true, 1));
        let expected = WithoutGroup { rows: 2, units: Some(1), nulls: 3, coded: true, nan: 2 };
        assert_eq!(whole, expected);
        whole.add(of(2, false, 0));
        assert_eq!((whole.rows, whole.units, whole.nulls), (4, Some(3), 5));
    }

    #[test]
    fn groups_after_the_last_period_are_never_treated() {
        let without = WithoutGroup { nan: 2, ..WithoutGroup::default() };
        let found = |group| without.warnings("g", [2.0, group].into_iter(), periods()).len();
        assert_eq!([3.0, 4.0, f64::INFINITY].map(found), [1, 0, 0]);
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
        assert_eq!(marked(2, &[entry("g", "NA", 5)]), [("gNA".into(), 2, true)]);
        assert_eq!(marked(2, &[entry("g", "NaN", 5)]), [("gNaN".into(), 2, true)]);
        // Which of several words stands in the others is not known.
        let several = [entry("g", "", 2), entry("g", "NA", 5)];
        assert_eq!(marked(4, &several), [("g".into(), 4, true)]);
        assert_eq!(marked(0, &several), []);
    }

    #[test]
    fn rows_that_lack_something_else_do_not_count() {
        let marked = |rows, nulls, words: &[(&str, usize)]| {
            let entries = words.iter().map(|(token, values)| entry("g", token, *values));
            let mut all: Vec<ReadAsMissing> = entries.collect();
            WithoutGroup { rows, nulls, ..WithoutGroup::default() }.mark("g", &mut all);
            all.into_iter().map(|e| (e.token, e.values)).collect::<Vec<(String, usize)>>()
        };
        assert_eq!(marked(3, 5, &[("NA", 5)]), [("NA".to_owned(), 3)]);
        // Some without a word, so that either may be in the rows.
        assert_eq!(marked(3, 5, &[("-99", 2)]), [(String::new(), 3)]);
        assert_eq!(marked(5, 5, &[("-99", 2)]), [("-99".to_owned(), 2), (String::new(), 3)]);
        // A word that stands for a group that is no number, beside rows that are missing.
        let nan = WithoutGroup { rows: 2, nulls: 2, nan: 4, ..WithoutGroup::default() };
        let mut all = vec![entry("g", "NaN", 4)];
        nan.mark("g", &mut all);
        let found: Vec<_> = all.iter().map(|e| (&*e.token, e.values, e.never_treated)).collect();
        assert_eq!(found, [("NaN", 4, false), ("", 2, true)]);
    }
}
