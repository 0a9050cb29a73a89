//! Units, and their rows by period.

use std::ops::Range;

use crate::base::parallel;
use crate::base::spread::{PART, Spread, buckets, low};
use crate::read::columns::{Codes, LabelColumn, PeriodCodes, RowOrder, StridedRows};

/// Units whose rows one task looks at.
pub(super) const UNITS: usize = 16_384;

/// Most units of a bucket, whose numbers are kept in half a word.
const MAX_UNITS: usize = 65_536;

/// Units and their rows.
pub(super) struct Units {
    pub labels: LabelColumn,
    pub order: UnitOrder,
}

impl Units {
    /// Label of a unit.
    pub fn label(&self, unit: usize) -> String {
        self.labels.text(self.order.unit(unit).next().unwrap_or(0))
    }
}

/// Usable rows (unit, period and group known) grouped by unit, in ascending period within each unit.
pub(super) struct UnitOrder {
    /// Start of each unit's rows; one more entry than units.
    pub starts: Vec<u32>,
    rows: UnitRows,
}

/// Rows in the order of units.
enum UnitRows {
    /// As in the data frame.
    Natural,
    /// First row of each unit, and the distance from one of its rows to the next.
    Strided(Vec<u32>, u32),
    /// And, if they were at hand, the period and the group of each.
    Listed(Vec<u32>, Vec<(u16, u16)>),
}

impl UnitOrder {
    /// In one look at the rows if they are in a common order already, else by a counting sort; and codes of the rows' units, unless
    /// all have one.
    pub fn new(labels: &LabelColumn, time: &PeriodCodes, group: &PeriodCodes) -> (Self, Vec<u32>) {
        let usable = |row: usize| !time.is_missing(row) && !group.is_missing(row);
        let rows = time.codes.len();
        let all_usable = || time.all_there() && group.all_there();
        if let Some(known) = labels.row_order() {
            let order = match known {
                RowOrder::Ascending(starts) => Self { starts, rows: UnitRows::Natural },
                RowOrder::Strided(StridedRows { starts, first, stride }) => {
                    Self { starts, rows: UnitRows::Strided(first, stride) }
                }
            };
            return match all_usable() && order.ascending(time) {
                true => (order, Vec::new()),
                false => (order.listed(&usable, time), Vec::new()),
            };
        }
        let codes_of = |row: usize| (time.codes[row], group.codes[row]);
        if let Some(found) = labels.dense().filter(|_| all_usable()) {
            let unit = |row: usize| Some(found.place(row));
            let mut order = Self::sorted(rows, found.places(), &unit, &codes_of);
            // Places that no unit has end where they start.
            order.starts.dedup();
            return (order, Vec::new());
        }
        let Codes { codes, labels } = labels.codes();
        let unit = |row: usize| {
            let unit = codes[row] as usize;
            (unit < labels.len() && usable(row)).then_some(unit)
        };
        (Self::sorted(rows, labels.len(), &unit, &codes_of), codes)
    }

    /// Rows by unit and period, from the units of those that are wanted, in no order; `codes_of` are a row's period and group. A
    /// bucket of units after another.
    fn sorted(
        rows: usize,
        units: usize,
        unit: &(impl Fn(usize) -> Option<usize> + Sync),
        codes_of: &(impl Fn(usize) -> (u16, u16) + Sync),
    ) -> Self {
        let each = units.div_ceil(buckets(rows)).next_power_of_two().min(MAX_UNITS);
        let (shift, mask) = (each.trailing_zeros(), each as u64 - 1);
        let record = |row: usize| {
            let unit = unit(row)? as u64;
            let (period, group) = codes_of(row);
            let within = (row % PART) as u64;
            let codes = u64::from(period) << 32 | u64::from(group) << 16;
            Some((low(unit >> shift), (unit & mask) << 48 | codes | within))
        };
        let spread = Spread::new(rows, units.div_ceil(each), record);
        let mut starts = vec![0; units + 1];
        let sizes = spread.sizes();
        let wanted = sizes.iter().sum();
        let (mut rows, mut codes) = (vec![0; wanted], vec![(0, 0); wanted]);
        let (mut rows_left, mut codes_left) = (rows.as_mut_slice(), codes.as_mut_slice());
        let mut before = 0;
        let buckets = starts[1..].chunks_mut(each).zip(&sizes).map(|(ends, size)| {
            let (rows, later) = std::mem::take(&mut rows_left).split_at_mut(*size);
            rows_left = later;
            let (codes, later) = std::mem::take(&mut codes_left).split_at_mut(*size);
            codes_left = later;
            let bucket = SortedBucket { before, ends, rows, codes };
            before += u32::try_from(*size).unwrap_or(u32::MAX);
            bucket
        });
        parallel::map_items(buckets.collect(), |bucket, out| out.fill(&spread, bucket));
        Self { starts, rows: UnitRows::Listed(rows, codes) }
    }

    /// The usable rows of each unit by period.
    fn listed(&self, usable: &(impl Fn(usize) -> bool + Sync), time: &PeriodCodes) -> Self {
        let blocks = self.units().div_ceil(UNITS);
        let found = parallel::map(blocks, |block| {
            let (mut rows, mut counts): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
            for unit in parallel::part(block, UNITS, self.units()) {
                let first = rows.len();
                let usable = self.unit(unit).filter(|row| usable(*row));
                rows.extend(usable.map(|row| u32::try_from(row).unwrap_or(u32::MAX)));
                sort_by_period(&mut rows[first..], time);
                counts.push(u32::try_from(rows.len() - first).unwrap_or(u32::MAX));
            }
            (rows, counts)
        });
        let (mut starts, mut before) = (Vec::with_capacity(self.units() + 1), 0);
        starts.push(0);
        for count in found.iter().flat_map(|(_, counts)| counts) {
            before += count;
            starts.push(before);
        }
        let mut rows = Vec::with_capacity(before as usize);
        for (block, _) in found {
            rows.extend(block);
        }
        Self { starts, rows: UnitRows::Listed(rows, Vec::new()) }
    }

    fn ascending(&self, time: &PeriodCodes) -> bool {
        let units = self.units();
        let ascends = |unit: usize| match self.adjacent(unit) {
            Some(rows) => time.codes[rows].is_sorted(),
            None => self.unit(unit).is_sorted_by_key(|row| time.codes[row]),
        };
        parallel::all(units.div_ceil(UNITS), &|block| {
            parallel::part(block, UNITS, units).all(ascends)
        })
    }

    /// Rows of a unit, periods ascending.
    pub fn unit(&self, unit: usize) -> impl ExactSizeIterator<Item = usize> + Clone {
        let range = self.starts[unit] as usize..self.starts[unit + 1] as usize;
        let (first, stride, listed) = match &self.rows {
            UnitRows::Natural => (range.start, 1, &[][..]),
            UnitRows::Strided(first, stride) => (first[unit] as usize, *stride as usize, &[][..]),
            UnitRows::Listed(rows, _) => (0, 0, &rows[range.clone()]),
        };
        let row = move |at: usize| listed.get(at).map_or(first + at * stride, |row| *row as usize);
        (0..range.len()).map(row)
    }

    /// Rows of a unit, if those of each unit are one after another.
    pub fn adjacent(&self, unit: usize) -> Option<Range<usize>> {
        let rows = self.starts[unit] as usize..self.starts[unit + 1] as usize;
        matches!(self.rows, UnitRows::Natural).then_some(rows)
    }

    /// Period and group of each of a unit's rows, if they were written down in order.
    pub fn codes(&self, unit: usize) -> Option<&[(u16, u16)]> {
        match &self.rows {
            UnitRows::Listed(_, codes) if !codes.is_empty() => {
                Some(&codes[self.starts[unit] as usize..self.starts[unit + 1] as usize])
            }
            _ => None,
        }
    }

    /// Forgets what [`codes`](Self::codes) has.
    pub fn forget_codes(&mut self) {
        if let UnitRows::Listed(_, codes) = &mut self.rows {
            *codes = Vec::new();
        }
    }

    /// First row of each unit and the distance from one of its rows to the next, if that is the same for all.
    pub fn strided(&self) -> Option<(&[u32], u32)> {
        match &self.rows {
            UnitRows::Natural => Some((&self.starts, 1)),
            UnitRows::Strided(first, stride) => Some((first, *stride)),
            UnitRows::Listed(..) => None,
        }
    }

    /// Number of units.
    pub fn units(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of units with a row for which a test holds.
    pub fn with(&self, holds: &(dyn Fn(usize) -> bool + Sync)) -> usize {
        let of = |units: Range<usize>| units.filter(|u| self.unit(*u).any(holds)).count();
        self.blocks(of).into_iter().sum()
    }

    /// What `f` makes of each block of units, in order.
    pub fn blocks<T: Send>(&self, f: impl Fn(Range<usize>) -> T + Sync) -> Vec<T> {
        let units = self.units();
        parallel::map(units.div_ceil(UNITS), |block| f(parallel::part(block, UNITS, units)))
    }
}

/// What is made of a bucket of units.
struct SortedBucket<'a> {
    /// Rows of the buckets before.
    before: u32,
    /// Ends of the units' rows.
    ends: &'a mut [u32],
    /// The rows by unit and period, and their periods and groups.
    rows: &'a mut [u32],
    codes: &'a mut [(u16, u16)],
}

impl SortedBucket<'_> {
    fn fill(self, spread: &Spread, bucket: usize) {
        let Self { before, ends, rows, codes } = self;
        let unit = |record: u64| (record >> 48) as usize;
        for record in spread.bucket(bucket).flat_map(|(_, records)| records) {
            ends[unit(*record)] += 1;
        }
        let mut end = 0;
        for start in ends.iter_mut() {
            end += std::mem::replace(start, end);
        }
        // Period, row and group of each, by unit; what is the start of a unit becomes its end.
        let mut sorted = vec![0; rows.len()];
        for (first, records) in spread.bucket(bucket) {
            for record in records {
                let (period, group) =
                    (u64::from(quarter(*record, 2)), u64::from(quarter(*record, 1)));
                let row = first as u64 + u64::from(quarter(*record, 0));
                let place = &mut ends[unit(*record)];
                sorted[*place as usize] = period << 48 | row << 16 | group;
                *place += 1;
            }
        }
        let mut start = 0;
        for end in ends {
            let unit = &mut sorted[start..*end as usize];
            if !unit.is_sorted() {
                unit.sort_unstable();
            }
            start = *end as usize;
            *end += before;
        }
        for ((row, codes), record) in rows.iter_mut().zip(codes).zip(sorted) {
            *row = low(record >> 16);
            *codes = (quarter(record, 3), quarter(record, 0));
        }
    }
}

/// A quarter of a record, from the lowest.
#[expect(clippy::cast_possible_truncation, reason = "a quarter is asked for")]
fn quarter(record: u64, place: u32) -> u16 {
    (record >> (16 * place)) as u16
}

/// Sorts a unit's rows by period, rows of one period as they come.
fn sort_by_period(rows: &mut [u32], time: &PeriodCodes) {
    if !rows.is_sorted_by_key(|row| time.codes[*row as usize]) {
        rows.sort_by_key(|row| time.codes[*row as usize]);
    }
}

#[cfg(test)]
mod tests {
    use polars::prelude::*;

    use super::*;
    use crate::read::columns::Table;

    const NONE: f64 = f64::NAN;

    /// Rows of the units, in whatever order the data frame is.
    fn rows(ids: &[i64], times: &[f64]) -> Vec<Vec<usize>> {
        rows_of(Column::new("id".into(), ids), times)
    }

    fn rows_of(ids: Column, times: &[f64]) -> Vec<Vec<usize>> {
        let mut df = df!("t" => times, "g" => vec![0.0; times.len()]).unwrap();
        df.with_column(ids).unwrap();
        let table = Table::plain(&df);
        let time = table.periods("t", None).unwrap();
        let group = table.first_periods("g", None).unwrap();
        let labels = table.labels("id", "unit").unwrap();
        let (order, codes) = UnitOrder::new(&labels, &time, &group);
        assert!(codes.is_empty() || codes.len() == times.len());
        (0..order.units()).map(|unit| order.unit(unit).collect()).collect()
    }

    #[test]
    fn rows_are_by_unit_and_period_whatever_their_order() {
        let natural = rows(&[4, 4, 6, 6], &[1.0, 2.0, 1.0, 2.0]);
        assert_eq!(natural, [[0, 1], [2, 3]]);
        assert_eq!(rows(&[4, 4, 6, 6], &[2.0, 1.0, 1.0, 2.0]), [[1, 0], [2, 3]]);
        assert_eq!(rows(&[6, 6, 4, 4], &[1.0, 2.0, 1.0, 2.0]), [[2, 3], [0, 1]]);
        assert_eq!(rows(&[6, 6, 4, 4], &[1.0, 2.0, 2.0, 1.0]), [[3, 2], [0, 1]]);
        assert_eq!(rows(&[6, 4, 6, 4], &[1.0, 1.0, 2.0, 2.0]), [[1, 3], [0, 2]]);
        assert_eq!(rows(&[6, 4, 6, 4], &[2.0, 2.0, 1.0, 1.0]), [[3, 1], [2, 0]]);
        assert_eq!(rows(&[6, 4, 4, 6], &[1.0, 2.0, 1.0, 2.0]), [[2, 1], [0, 3]]);
    }

    #[test]
    fn rows_without_a_period_are_left_out_and_their_units_stay() {
        for ids in [[4, 4, 6, 6], [6, 6, 4, 4], [6, 4, 6, 4], [6, 4, 4, 6]] {
            let found = rows(&ids, &[1.0, NONE, NONE, 2.0]);
            let expected = |id| (0..4).filter(move |row| ids[*row] == id && [0, 3].contains(row));
            let expected: Vec<Vec<usize>> = [4, 6].map(|id| expected(id).collect()).to_vec();
            assert_eq!(found, expected, "{ids:?}");
        }
        assert_eq!(rows(&[6, 4, 6, 4], &[NONE, 1.0, NONE, 2.0]), [vec![1, 3], vec![]]);
    }

    #[test]
    fn many_rows_in_no_order_are_sorted_as_by_comparison() {
        let (units, periods) = (20_011_u64, 4);
        let count = units * periods;
        let place = |i: u64| i * 48_271 % count;
        let ids: Vec<i64> = (0..count).map(|i| (place(i) % units) as i64 * 3).collect();
        let times: Vec<f64> = (0..count).map(|i| (place(i) / units) as f64).collect();
        let mut order: Vec<usize> = (0..ids.len()).collect();
        order.sort_by_key(|row| (ids[*row], times[*row] as i64));
        let expected: Vec<_> = order.chunks(periods as usize).map(<[usize]>::to_vec).collect();
        assert!(rows(&ids, &times) == expected);
        for texts in [
            |id: &i64| format!("u{:05}", id / 3),
            |id: &i64| format!("unit number {id:07}"),
            |id: &i64| format!("{id:07} is the number of a unit, in so many words"),
        ] {
            let texts: Vec<String> = ids.iter().map(texts).collect();
            assert!(rows_of(Column::new("id".into(), texts), &times) == expected);
        }
    }
}
