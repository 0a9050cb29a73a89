//! Rows spread over buckets, so that what belongs together is in one place: the first step of a radix sort, on all cores.
//!
//! Every part of the rows is spread by itself, over as many places as a core's caches follow at once; a bucket is then what all parts
//! have of it, in order.

use super::parallel;

/// Rows that one task spreads, which have numbers of half a word within it.
pub(crate) const PART: usize = 32_768;

/// Rows that a bucket should have, so that work on it stays in a core's cache.
const BUCKET: usize = 16_384;

/// Most buckets that are asked for.
const BUCKETS: usize = 1_024;

/// Buckets for so many rows: a power of two.
pub(crate) fn buckets(rows: usize) -> usize {
    (rows / BUCKET).next_power_of_two().min(BUCKETS)
}

/// Records of rows, part by part and within each by bucket.
pub(crate) struct Spread {
    records: Vec<u64>,
    /// Where the buckets of each part end, from its start.
    ends: Vec<Vec<u32>>,
}

impl Spread {
    /// The bucket and the record of each row that has them.
    pub fn new(
        rows: usize,
        buckets: usize,
        record: impl Fn(usize) -> Option<(u32, u64)> + Sync,
    ) -> Self {
        let mut records = vec![0; rows];
        let parts: Vec<&mut [u64]> = records.chunks_mut(PART).collect();
        let ends = parallel::map_items(parts, |part, out| {
            let rows = parallel::part(part, PART, rows);
            let mut ends = vec![0_u32; buckets + 1];
            let mut found: Vec<(u32, u64)> = Vec::with_capacity(rows.len());
            for (bucket, record) in rows.filter_map(&record) {
                ends[bucket as usize + 1] += 1;
                found.push((bucket, record));
            }
            for bucket in 0..buckets {
                ends[bucket + 1] += ends[bucket];
            }
            // What is the start of a bucket becomes its end.
            for (bucket, record) in found {
                let place = &mut ends[bucket as usize];
                out[*place as usize] = record;
                *place += 1;
            }
            ends.pop();
            ends
        });
        Self { records, ends }
    }

    /// Records of each bucket.
    pub fn sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.ends.first().map_or(0, Vec::len)];
        for ends in &self.ends {
            let mut start = 0;
            for (size, end) in sizes.iter_mut().zip(ends) {
                *size += (end - start) as usize;
                start = *end;
            }
        }
        sizes
    }

    /// The records of a bucket, part by part, and the first row of each part.
    pub fn bucket(&self, bucket: usize) -> impl Iterator<Item = (usize, &[u64])> {
        let parts = self.records.chunks(PART).zip(&self.ends).enumerate();
        parts.map(move |(part, (records, ends))| {
            let start = if bucket == 0 { 0 } else { ends[bucket - 1] };
            (part * PART, &records[start as usize..ends[bucket] as usize])
        })
    }

    /// `f` of the records of each bucket, which it may change.
    pub fn map<T: Send>(&mut self, f: impl Fn(&mut [&mut [u64]]) -> T + Sync) -> Vec<T> {
        let buckets = self.ends.first().map_or(0, Vec::len);
        let mut all: Vec<Vec<&mut [u64]>> =
            (0..buckets).map(|_| Vec::with_capacity(self.ends.len())).collect();
        for (mut records, ends) in self.records.chunks_mut(PART).zip(&self.ends) {
            let mut start = 0;
            for (bucket, end) in all.iter_mut().zip(ends) {
                let (own, later) = records.split_at_mut((end - start) as usize);
                bucket.push(own);
                (records, start) = (later, *end);
            }
        }
        parallel::map_items(all, |_, mut bucket| f(&mut bucket))
    }

    /// For each row that has a record, `value` of its bucket and its record, whose lower half is the row's number; `none` for the
    /// others.
    pub fn by_row(
        &self,
        rows: usize,
        none: u32,
        value: impl Fn(usize, u64) -> u32 + Sync,
    ) -> Vec<u32> {
        let mut values = vec![0; rows];
        parallel::chunks(&mut values, PART, |part, values| {
            values.fill(none);
            let records = &self.records[parallel::part(part, PART, rows)];
            let mut start = 0;
            for (bucket, end) in self.ends[part].iter().enumerate() {
                for record in &records[start..*end as usize] {
                    values[low(*record) as usize - part * PART] = value(bucket, *record);
                }
                start = *end as usize;
            }
        });
        values
    }
}

/// The lower half of a record.
#[expect(clippy::cast_possible_truncation, reason = "the lower half is asked for")]
pub(crate) fn low(record: u64) -> u32 {
    record as u32
}

/// The upper half of a record.
pub(crate) fn high(record: u64) -> u32 {
    low(record >> 32)
}

/// A record of two halves.
pub(crate) fn halves(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Records of three parts, without every seventh row.
    fn spread(rows: usize, buckets: usize) -> Spread {
        Spread::new(rows, buckets, |row| {
            let row32 = u32::try_from(row).unwrap();
            (row % 7 != 3).then(|| ((row * 31 % buckets) as u32, halves(9, row32)))
        })
    }

    #[test]
    fn buckets_have_their_rows_in_order() {
        let (rows, buckets) = (2 * PART + 100, 5);
        let mut found = spread(rows, buckets);
        let expected = |bucket: usize| -> Vec<u32> {
            (0..rows)
                .filter(|row| row % 7 != 3 && row * 31 % buckets == bucket)
                .map(|row| row as u32)
                .collect()
        };
        for bucket in 0..buckets {
            let parts = found.bucket(bucket);
            let rows = parts.inspect(|(first, part)| {
                assert!(part.iter().all(|record| low(*record) as usize / PART == first / PART));
            });
            let rows: Vec<u32> = rows.flat_map(|(_, part)| part).map(|r| low(*r)).collect();
            assert_eq!(rows, expected(bucket));
            assert_eq!(found.sizes()[bucket], rows.len());
        }
        let firsts = found.map(|parts| {
            let first = low(parts[0][0]);
            parts.iter_mut().flat_map(|part| part.iter_mut()).for_each(|r| *r += 1 << 32);
            first
        });
        assert!(firsts.iter().enumerate().all(|(bucket, first)| *first == expected(bucket)[0]));
        let values = found.by_row(rows, 77, |bucket, record| high(record) * 100 + bucket as u32);
        for (row, value) in values.into_iter().enumerate() {
            let expected = if row % 7 == 3 { 77 } else { 1_000 + (row * 31 % buckets) as u32 };
            assert_eq!(value, expected, "{row}");
        }
    }

    #[test]
    fn nothing_and_few_rows_are_spread() {
        assert_eq!((buckets(0), buckets(20_000), buckets(1 << 40)), (1, 1, BUCKETS));
        let mut nothing = spread(0, 4);
        assert!(nothing.sizes().is_empty() && nothing.map(|_| 1).is_empty());
        let one = spread(1, 1);
        assert_eq!((one.sizes(), halves(1, 2)), (vec![1], 0x1_0000_0002));
    }
}
