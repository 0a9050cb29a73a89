//! Where the tasks of a map belong.

use std::hash::{DefaultHasher, Hash, Hasher};

/// The executor of each task, as a position in `executors` (identifier and slots).
///
/// Every task ranks the executors by a hash of session, task and executor, and takes the best that has room; room is the
/// executor's share of the tasks by its slots. So the same tasks of a session stay where they were in its last map, all
/// executors have equal work, and the loss of one moves little else.
pub(super) fn homes(session: &str, tasks: usize, executors: &[(String, u32)]) -> Vec<usize> {
    let slots: u64 = executors.iter().map(|executor| u64::from(executor.1)).sum();
    if slots == 0 {
        return Vec::new();
    }
    let mut room: Vec<u64> = executors
        .iter()
        .map(|executor| (tasks as u64 * u64::from(executor.1)).div_ceil(slots))
        .collect();
    let rank = |task: usize, executor: &str| {
        let mut hasher = DefaultHasher::new();
        (session, task, executor).hash(&mut hasher);
        hasher.finish()
    };
    (0..tasks)
        .map(|task| {
            let best = (0..executors.len())
                .filter(|&executor| room[executor] > 0)
                .max_by_key(|&executor| rank(task, &executors[executor].0))
                .unwrap_or(0);
            room[best] = room[best].saturating_sub(1);
            best
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn executors(slots: &[u32]) -> Vec<(String, u32)> {
        let named = |(number, &slots): (usize, &u32)| (format!("executor {number}"), slots);
        slots.iter().enumerate().map(named).collect()
    }

    #[test]
    fn work_is_equal_for_each_slot() {
        let homes = homes("s", 12, &executors(&[1, 2, 3]));
        let count = |executor| homes.iter().filter(|&&home| home == executor).count();
        assert_eq!([count(0), count(1), count(2)], [2, 4, 6]);
    }

    #[test]
    fn the_loss_of_one_moves_little_else() {
        let before = homes("s", 300, &executors(&[1, 1, 1]));
        let after = homes("s", 300, &executors(&[1, 1]));
        let moved = before.iter().zip(&after).filter(|(old, new)| **old != 2 && old != new).count();
        assert!(moved < 40, "{moved} of 200 moved");
    }

    #[test]
    fn nobody_has_no_homes() {
        assert!(homes("s", 3, &[]).is_empty());
        assert!(homes("s", 3, &executors(&[0])).is_empty());
    }
}
