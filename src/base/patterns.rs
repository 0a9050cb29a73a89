//! Levels of a factor whose rows are alike: the units of a cohort that are seen in the same periods.

use std::collections::HashMap;
use std::ops::Range;

use super::parallel;

/// Rows of the levels that one task looks at, at least.
const PART: usize = 1 << 16;

/// Parts whose patterns are held before they are put together.
const HELD: usize = 64;

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

/// Patterns of some levels.
struct Found<'a> {
    keys: &'a [&'a [u32]],
    /// Slots, at most.
    most: usize,
    examples: Vec<u32>,
    weights: Vec<f64>,
    /// First slot of each pattern, and their number.
    starts: Vec<usize>,
    /// A hash of each pattern's keys; none if it stands for one level alone.
    hashes: Vec<Option<u64>>,
    alike: HashMap<u64, Vec<u32>>,
}

/// The patterns of the levels that one task looks at.
struct Part<'a> {
    found: Found<'a>,
    /// The slot of each row, and the pattern of each level, among those of this part.
    slots: Vec<u32>,
    of_levels: Vec<u32>,
}

/// A hash with one more code.
fn mixed(hash: u64, code: u32) -> u64 {
    (hash.rotate_left(5) ^ u64::from(code)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl Patterns {
    /// Of levels whose rows follow on each other, from 0 on: they are alike if their rows are, one after the other, and if the weights of
    /// each are the same for all its rows. Rows are alike if their `keys` are. None if that leaves too many.
    pub fn find(levels: &[u32], keys: &[&[u32]], weights: Option<&[f64]>) -> Option<Self> {
        let most = levels.len() / WORTHWHILE;
        let mut all = Found::new(keys, most);
        let (mut slots, mut of_levels) = (Vec::new(), Vec::new());
        for parts in parts(levels).chunks(HELD) {
            let found = parallel::map_all(parts.len(), |part| {
                Part::find(parts[part].clone(), levels, weights, Found::new(keys, most))
            })?;
            for part in found {
                let number: Vec<u32> = part
                    .found
                    .patterns()
                    .map(|(hash, runs)| all.add(hash, &runs))
                    .collect::<Option<_>>()?;
                let starts = number.iter().map(|pattern| all.starts[*pattern as usize]);
                let own = part.found.starts.windows(2).map(|own| own[1] - own[0]);
                // What a slot of this part is among all.
                let moved: Vec<usize> =
                    starts.zip(own).flat_map(|(start, slots)| start..start + slots).collect();
                of_levels.extend(part.of_levels.iter().map(|own| number[*own as usize]));
                slots.push((part.slots, moved));
            }
        }
        let slots = parallel::map_items(slots, |_, (mut slots, moved)| {
            for slot in &mut slots {
                *slot = moved[*slot as usize] as u32;
            }
            slots
        });
        let count = all.hashes.len();
        let of_slots = (0..count).flat_map(|pattern| {
            let slots = all.starts[pattern + 1] - all.starts[pattern];
            std::iter::repeat_n(pattern as u32, slots)
        });
        Some(Self {
            slots: slots.concat(),
            of_slots: of_slots.collect(),
            count,
            of_levels,
            examples: all.examples,
            weights: all.weights,
        })
    }

    /// Codes of the slots, of codes that rows with the same slot share.
    pub fn codes(&self, of_rows: &[u32]) -> Vec<u32> {
        self.examples.iter().map(|row| of_rows[*row as usize]).collect()
    }
}

/// The rows of parts of whole levels.
fn parts(levels: &[u32]) -> Vec<Range<usize>> {
    let (mut parts, mut start) = (Vec::new(), 0);
    while start < levels.len() {
        let least = (start + PART).min(levels.len());
        let last = levels[least - 1];
        let end = least + levels[least..].iter().take_while(|level| **level == last).count();
        parts.push(start..end);
        start = end;
    }
    parts
}

impl<'a> Part<'a> {
    fn find(
        rows: Range<usize>,
        levels: &[u32],
        weights: Option<&[f64]>,
        mut found: Found<'a>,
    ) -> Option<Self> {
        let weight = |row: usize| weights.map_or(1.0, |w| w[row]);
        let (mut slots, mut of_levels) = (Vec::with_capacity(rows.len()), Vec::new());
        let mut runs: Vec<Run> = Vec::new();
        let mut start = rows.start;
        for level in levels[rows].chunk_by(|a, b| a == b) {
            runs.clear();
            let first = slots.len();
            for row in start..start + level.len() {
                match runs.last_mut() {
                    Some(run) if found.same(run.first, row) => run.weight += weight(row),
                    _ => runs.push(Run { first: row, weight: weight(row) }),
                }
                slots.push(runs.len() as u32 - 1);
            }
            start += level.len();
            // A weight that differs within the level is a pattern of its own.
            let even = runs.iter().all(|run| run.weight == runs[0].weight);
            let pattern = found.add(even.then(|| found.hash(&runs)), &runs)?;
            let before = found.starts[pattern as usize] as u32;
            slots[first..].iter_mut().for_each(|slot| *slot += before);
            of_levels.push(pattern);
        }
        Some(Self { found, slots, of_levels })
    }
}

impl<'a> Found<'a> {
    fn new(keys: &'a [&'a [u32]], most: usize) -> Self {
        Self {
            keys,
            most,
            examples: Vec::new(),
            weights: Vec::new(),
            starts: vec![0],
            hashes: Vec::new(),
            alike: HashMap::new(),
        }
    }

    fn same(&self, a: usize, b: usize) -> bool {
        self.keys.iter().all(|codes| codes[a] == codes[b])
    }

    fn hash(&self, runs: &[Run]) -> u64 {
        let of_run = |hash, run: &Run| {
            self.keys.iter().fold(hash, |hash, codes| mixed(hash, codes[run.first]))
        };
        runs.iter().fold(0, of_run)
    }

    /// Hash and rows of each pattern.
    fn patterns(&self) -> impl Iterator<Item = (Option<u64>, Vec<Run>)> {
        self.hashes.iter().zip(self.starts.windows(2)).map(|(hash, slots)| {
            let slots = slots[0]..slots[1];
            let runs = self.examples[slots.clone()].iter().zip(&self.weights[slots]);
            let run = |(row, weight): (&u32, &f64)| Run { first: *row as usize, weight: *weight };
            (*hash, runs.map(run).collect())
        })
    }

    /// Adds a pattern, and gives its number: that of one with the same rows, if it has a hash. None if there are too many.
    fn add(&mut self, hash: Option<u64>, runs: &[Run]) -> Option<u32> {
        let is_same = |pattern: &&u32| {
            let pattern = **pattern as usize;
            let own = &self.examples[self.starts[pattern]..self.starts[pattern + 1]];
            own.len() == runs.len()
                && own.iter().zip(runs).all(|(row, run)| self.same(*row as usize, run.first))
        };
        let alike = hash.and_then(|hash| self.alike.get(&hash));
        let known = alike.and_then(|alike| alike.iter().find(is_same)).copied();
        let pattern = known.unwrap_or_else(|| {
            let new = self.hashes.len() as u32;
            self.examples.extend(runs.iter().map(|run| run.first as u32));
            self.weights.resize(self.examples.len(), 0.0);
            self.starts.push(self.examples.len());
            self.hashes.push(hash);
            if let Some(hash) = hash {
                self.alike.entry(hash).or_default().push(new);
            }
            new
        });
        let first = self.starts[pattern as usize];
        self.weights[first..].iter_mut().zip(runs).for_each(|(sum, run)| *sum += run.weight);
        (self.examples.len() <= self.most).then_some(pattern)
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

    /// Rows of so many units in several parts or in one, each with the pattern of its unit.
    fn check_units(number: u32) {
        let [units, times, cells] = rows(number);
        let weights: Vec<f64> = units.iter().map(|unit| f64::from(1 + unit % 4)).collect();
        let all = Patterns::find(&units, &[&times, &cells], Some(&weights)).unwrap();
        // Treated or not, with a gap or without.
        assert_eq!((all.count, all.weights.len()), (4, 10));
        assert_eq!(all.of_levels[..6], [0, 1, 2, 3, 2, 1]);
        assert_eq!(all.of_levels.len(), number as usize);
        assert_eq!(all.of_slots, [0, 0, 1, 1, 1, 2, 2, 2, 3, 3]);
        let mut sums = vec![0.0; 10];
        for (row, slot) in all.slots.iter().enumerate() {
            let example = all.examples[*slot as usize] as usize;
            assert_eq!((times[row], cells[row]), (times[example], cells[example]));
            assert_eq!(all.of_slots[*slot as usize], all.of_levels[units[row] as usize]);
            sums[*slot as usize] += weights[row];
        }
        assert_eq!((sums, all.slots.len()), (all.weights, units.len()));
    }

    #[test]
    fn units_with_the_same_rows_have_one_pattern() {
        check_units(60);
        check_units(PART as u32);
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
