//! Levels of a factor whose rows are alike: the units of a cohort that are seen in the same periods.

use std::collections::HashMap;

/// One level stands for others where that leaves at most one in so many rows.
const WORTHWHILE: usize = 4;

/// The rows of one level for each pattern, which stand for the rows of all levels with it.
pub(crate) struct Patterns {
    /// The slot of each row: the row of a pattern that stands for it.
    pub slots: Vec<u32>,
    /// A row of each slot.
    pub examples: Vec<u32>,
    /// Sums of the weights of a slot's rows.
    pub weights: Vec<f64>,
    /// The pattern of each slot, ascending, and how many there are.
    pub of_slots: Vec<u32>,
    pub count: usize,
    /// The pattern of each level.
    pub of_levels: Vec<u32>,
}

/// Rows of a level that are alike.
struct Run {
    first: usize,
    weight: f64,
}

/// A hash with one more code.
fn mixed(hash: u64, code: u32) -> u64 {
    (hash.rotate_left(5) ^ u64::from(code)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl Patterns {
    /// Of levels whose rows follow on each other, from 0 on: they are alike if their rows are, one after the other, and if the weights of
    /// each are the same for all its rows. Rows are alike if their `keys` are. None if that leaves too many.
    pub fn find(levels: &[u32], keys: &[&[u32]], weights: Option<&[f64]>) -> Option<Self> {
        let same = |a: usize, b: usize| keys.iter().all(|codes| codes[a] == codes[b]);
        let weight = |row: usize| weights.map_or(1.0, |w| w[row]);
        let n = levels.len();
        let mut all = Self {
            slots: Vec::with_capacity(n),
            examples: Vec::new(),
            weights: Vec::new(),
            of_slots: Vec::new(),
            count: 0,
            of_levels: Vec::new(),
        };
        // First slot of each pattern, and their number.
        let mut starts = vec![0];
        let mut known: HashMap<u64, Vec<u32>> = HashMap::new();
        let mut runs: Vec<Run> = Vec::new();
        let mut start = 0;
        while start < n {
            runs.clear();
            let mut end = start;
            while end < n && levels[end] == levels[start] {
                match runs.last_mut() {
                    Some(run) if same(run.first, end) => run.weight += weight(end),
                    _ => runs.push(Run { first: end, weight: weight(end) }),
                }
                all.slots.push(runs.len() as u32 - 1);
                end += 1;
            }
            // A weight that differs within the level is a pattern of its own.
            let even = runs.iter().all(|run| run.weight == runs[0].weight);
            let mut hash = 0;
            for run in &runs {
                hash = keys.iter().fold(hash, |hash, codes| mixed(hash, codes[run.first]));
            }
            let alike = known.entry(hash).or_default();
            let is_same = |pattern: &&u32| {
                let pattern = **pattern as usize;
                let own = &all.examples[starts[pattern]..starts[pattern + 1]];
                own.len() == runs.len()
                    && own.iter().zip(&runs).all(|(row, run)| same(*row as usize, run.first))
            };
            let pattern = match alike.iter().find(is_same).filter(|_| even) {
                Some(pattern) => *pattern,
                None => {
                    let new = starts.len() as u32 - 1;
                    all.examples.extend(runs.iter().map(|run| run.first as u32));
                    all.weights.resize(all.examples.len(), 0.0);
                    all.of_slots.resize(all.examples.len(), new);
                    starts.push(all.examples.len());
                    if even {
                        alike.push(new);
                    }
                    new
                }
            };
            if all.examples.len() * WORTHWHILE > n {
                return None;
            }
            let first = starts[pattern as usize];
            all.weights[first..].iter_mut().zip(&runs).for_each(|(sum, run)| *sum += run.weight);
            all.slots[start..].iter_mut().for_each(|slot| *slot += first as u32);
            all.of_levels.push(pattern);
            start = end;
        }
        all.count = starts.len() - 1;
        Some(all)
    }

    /// Codes of the slots, of codes that rows with the same slot share.
    pub fn codes(&self, of_rows: &[u32]) -> Vec<u32> {
        self.examples.iter().map(|row| of_rows[*row as usize]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Units in three periods, of which even ones are treated in the last and every third has no second one: unit, period and cell.
    fn rows(units: u32) -> [Vec<u32>; 3] {
        let rows = (0..units).flat_map(|unit| (0..3).map(move |time| (unit, time)));
        let rows: Vec<(u32, u32)> =
            rows.filter(|(unit, time)| *time != 1 || unit % 3 != 0).collect();
        let cell = |(unit, time): &(u32, u32)| match unit % 2 == 0 && *time == 2 {
            true => 0,
            false => u32::MAX,
        };
        [
            rows.iter().map(|row| row.0).collect(),
            rows.iter().map(|row| row.1).collect(),
            rows.iter().map(cell).collect(),
        ]
    }

    #[test]
    fn units_with_the_same_rows_have_one_pattern() {
        let [units, times, cells] = rows(60);
        let weights: Vec<f64> = units.iter().map(|unit| f64::from(1 + unit % 4)).collect();
        let all = Patterns::find(&units, &[&times, &cells], Some(&weights)).unwrap();
        // Treated or not, with a gap or without.
        assert_eq!((all.count, all.weights.len()), (4, 10));
        assert_eq!(all.of_levels[..6], [0, 1, 2, 3, 2, 1]);
        assert_eq!(all.of_slots, [0, 0, 1, 1, 1, 2, 2, 2, 3, 3]);
        let mut sums = vec![0.0; 10];
        for (row, slot) in all.slots.iter().enumerate() {
            let example = all.examples[*slot as usize] as usize;
            assert_eq!((times[row], cells[row]), (times[example], cells[example]));
            sums[*slot as usize] += weights[row];
        }
        assert_eq!(sums, all.weights);
    }

    #[test]
    fn rows_that_are_alike_within_a_level_are_one() {
        let levels = [[0; 8], [1; 8]].concat();
        let keys = [[7, 7, 7, 7, 8, 8, 8, 8], [7, 7, 7, 7, 7, 7, 8, 8]].concat();
        let all = Patterns::find(&levels, &[&keys], None).unwrap();
        // The second has weights that differ: it stands for itself.
        assert_eq!((all.count, all.weights.as_slice()), (2, &[4.0, 4.0, 6.0, 2.0][..]));
    }

    #[test]
    fn patterns_are_not_used_where_few_units_share_one() {
        let [units, times, cells] = rows(6);
        assert!(Patterns::find(&units, &[&times, &cells], None).is_none());
        let [units, times, cells] = rows(60);
        let own: Vec<f64> =
            units.iter().zip(&times).map(|(u, t)| f64::from(1 + u + 100 * t)).collect();
        assert!(Patterns::find(&units, &[&times, &cells], Some(&own)).is_none());
    }
}
