//! Items by bucket: a counting sort, or compressed sparse rows.

use std::ops::Range;

/// The items of each bucket, in the order in which they came.
#[derive(Debug, PartialEq)]
pub(crate) struct Buckets {
    /// First of each bucket's items, and one past the last.
    pub starts: Vec<u32>,
    pub items: Vec<u32>,
}

impl Buckets {
    /// Sorts pairs of bucket and item, of fewer than 2³² items; they are asked for twice.
    pub fn new<P: Iterator<Item = (u32, u32)>>(buckets: usize, pairs: impl Fn() -> P) -> Self {
        let starts = starts(buckets, pairs().map(|(bucket, _)| bucket));
        let mut next = starts.clone();
        let mut items = vec![0; starts[buckets] as usize];
        pairs().for_each(|(bucket, item)| {
            let place = &mut next[bucket as usize];
            items[*place as usize] = item;
            *place += 1;
        });
        Self { starts, items }
    }

    /// The items, from zero, that have these buckets.
    pub fn of_codes(buckets: usize, codes: &[u32]) -> Self {
        Self::new(buckets, || codes.iter().copied().zip(0..))
    }

    /// Where the items of a bucket are.
    fn range(&self, bucket: usize) -> Range<usize> {
        self.starts[bucket] as usize..self.starts[bucket + 1] as usize
    }

    /// The items of a bucket, to be put in another order.
    pub fn of_mut(&mut self, bucket: usize) -> &mut [u32] {
        let range = self.range(bucket);
        &mut self.items[range]
    }

    /// The items of a bucket.
    pub fn of(&self, bucket: usize) -> &[u32] {
        &self.items[self.range(bucket)]
    }
}

/// First of each bucket's items, and one past the last, from the bucket of each item.
pub(crate) fn starts(buckets: usize, of_items: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut starts = vec![0; buckets + 1];
    of_items.for_each(|bucket| starts[bucket as usize + 1] += 1);
    for bucket in 0..buckets {
        starts[bucket + 1] += starts[bucket];
    }
    starts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_keep_their_order() {
        let buckets = Buckets::of_codes(4, &[2, 0, 2, 3, 0]);
        assert_eq!(buckets.starts, [0, 2, 2, 4, 5]);
        assert_eq!(buckets.items, [1, 4, 0, 2, 3]);
        assert_eq!((buckets.of(2), buckets.of(1)), (&[0, 2][..], &[][..]));
        assert_eq!(buckets.range(3), 4..5);
    }
}
