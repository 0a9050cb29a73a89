//! Where frames go in the sample, by prefix sums of their numbers of rows in each stratum.

use serde::{Deserialize, Serialize};

use super::strata::StratumTable;

/// Where a frame's rows go. With the sample's rules and this, a frame can be placed before those that precede it, and
/// anywhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Placement {
    /// The row of each stratum at which the frame's rows start.
    pub start: Vec<usize>,
    /// By stratum, the canonical rank of a row whose rank in its frame is 0.
    pub first_rank: Vec<u64>,
    /// Whether ranks are counted stratum by stratum, as those of repeated cross sections; those of units run through all
    /// strata in the order of labels.
    by_stratum: bool,
}

impl Placement {
    /// That of the first frame of a sample with so many rows in each stratum.
    pub fn first(strata: &StratumTable, rows: &[usize]) -> Self {
        let by_stratum = strata.keys().iter().any(|key| key.period.is_some());
        let mut before = 0;
        let rank = |n: &usize| {
            let rank = if by_stratum { before } else { 0 };
            before += *n as u64;
            rank
        };
        let first_rank = rows.iter().map(rank).collect();
        Self { start: vec![0; rows.len()], first_rank, by_stratum }
    }

    /// That of the frame after this one, which has so many rows in each stratum.
    pub fn after(&self, rows: &[usize]) -> Self {
        let mut next = self.clone();
        let all: usize = rows.iter().sum();
        for ((start, rank), n) in next.start.iter_mut().zip(&mut next.first_rank).zip(rows) {
            *start += n;
            *rank += (if self.by_stratum { *n } else { all }) as u64;
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::panel::strata::Layout;

    #[test]
    fn ranks_of_units_run_through_the_strata() {
        let strata = StratumTable::new(Layout::Balanced, 3, 2);
        let first = Placement::first(&strata, &[5, 1, 4]);
        assert_eq!((&first.start, &first.first_rank), (&vec![0; 3], &vec![0; 3]));
        let second = first.after(&[2, 0, 1]);
        assert_eq!((second.start.clone(), &second.first_rank), (vec![2, 0, 1], &vec![3; 3]));
        let third = second.after(&[3, 1, 0]);
        assert_eq!((third.start, third.first_rank), (vec![5, 1, 1], vec![7; 3]));
    }

    #[test]
    fn ranks_of_rows_run_through_each_stratum() {
        let strata = StratumTable::new(Layout::RepeatedCrossSections, 2, 2);
        let first = Placement::first(&strata, &[5, 1, 4, 2]);
        assert_eq!(first.first_rank, [0, 5, 6, 10]);
        let second = first.after(&[2, 1, 0, 1]);
        assert_eq!(second.start, [2, 1, 0, 1]);
        assert_eq!(second.first_rank, [2, 6, 6, 11]);
    }
}
