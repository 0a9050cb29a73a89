//! An order of rows without units that does not depend on the data frame's: by content. Rows equal in content are
//! interchangeable.

use std::cmp::Ordering;

use rayon::slice::ParallelSliceMut;

use super::stratum::StratumData;
use crate::base::parallel;
use crate::read::columns::total_order;

/// Sorts the rows by outcome, then by their other columns; ranks stay where they are.
pub(super) fn sort_by_content(s: &mut StratumData) {
    let mut order: Vec<(i64, u32)> = s.y.iter().map(|y| total_order(*y)).zip(0..).collect();
    order.par_sort_unstable();
    let cluster = |i: u32| s.cluster.get(i as usize);
    let compare = |i: u32, j: u32| {
        let columns = |i: u32| s.w.iter().chain(&s.x).skip(i as usize).step_by(s.rows);
        let unequal = columns(i).zip(columns(j)).map(|(a, b)| a.total_cmp(b)).find(|o| o.is_ne());
        unequal.unwrap_or(Ordering::Equal).then_with(|| cluster(i).cmp(&cluster(j)))
    };
    for ties in order.chunk_by_mut(|a, b| a.0 == b.0).filter(|ties| ties.len() > 1) {
        ties.sort_unstable_by(|a, b| compare(a.1, b.1));
    }
    let rows = s.rows.max(1);
    for columns in [&mut s.y, &mut s.x, &mut s.w] {
        parallel::chunks(columns, rows, |_, column| {
            let old = column.to_vec();
            for (value, (_, from)) in column.iter_mut().zip(&order) {
                *value = old[*from as usize];
            }
        });
    }
    let old = std::mem::take(&mut s.cluster);
    s.cluster.extend(order.iter().filter_map(|(_, from)| old.get(*from as usize)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_outcomes_are_ordered_by_the_other_columns() {
        let y = vec![2.0, -1.0, 2.0, 2.0, -3.0];
        let w = vec![1.0, 1.0, 0.5, 0.5, 1.0];
        let x = vec![0.0, 0.0, 9.0, 8.0, 0.0];
        let cluster = vec![0, 1, 2, 3, 4];
        let mut s = StratumData { rows: 5, y, x, w, rank: vec![0, 1, 2, 3, 4], cluster };
        sort_by_content(&mut s);
        assert_eq!(s.y, [-3.0, -1.0, 2.0, 2.0, 2.0]);
        assert_eq!(s.w, [1.0, 1.0, 0.5, 0.5, 1.0]);
        assert_eq!(s.x, [0.0, 0.0, 8.0, 9.0, 0.0]);
        assert_eq!((s.cluster, s.rank), (vec![4, 1, 3, 2, 0], vec![0, 1, 2, 3, 4]));
    }
}
