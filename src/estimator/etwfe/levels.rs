//! Levels of the moderator, by which effects are averaged.

use super::sample::Sample;
use crate::base::calendar::{exact, label};
use crate::report::number::point;

/// Effects are averaged by level of a moderator that has at most so many.
pub(super) const MOST_LEVELS: usize = 20;

/// Decimals that a level may be written with.
const DECIMALS: usize = 8;

/// Levels of a moderator, by which effects are averaged.
pub(super) struct Levels {
    /// In print, ascending; a nameless one of all rows if effects are not averaged by level.
    pub names: Vec<String>,
    /// The number of each row's among them; none if there is one of all rows.
    of_rows: Vec<u32>,
}

impl Levels {
    /// Of the rows of a sample.
    pub fn new(sample: &Sample) -> Self {
        let all = || Self { names: vec![String::new()], of_rows: Vec::new() };
        let Some(values) = sample.moderator() else { return all() };
        let mut levels: Vec<f64> = Vec::new();
        for value in values {
            if let Err(place) = levels.binary_search_by(|level| level.total_cmp(&(value + 0.0))) {
                if levels.len() == MOST_LEVELS {
                    return all();
                }
                levels.insert(place, value + 0.0);
            }
        }
        let of_row = |value: &f64| levels.partition_point(|level| level < value) as u32;
        Self {
            names: match &sample.categories {
                Some(names) => levels.iter().map(|level| names[*level as usize].clone()).collect(),
                None => names(&levels),
            },
            of_rows: values.iter().map(of_row).collect(),
        }
    }

    /// The number of a row's level.
    fn of(&self, row: usize) -> usize {
        self.of_rows.get(row).map_or(0, |level| *level as usize)
    }

    /// The number of a row's cell and level together, of `[cells][levels]`.
    pub fn part(&self, cell: usize, row: usize) -> usize {
        cell * self.len() + self.of(row)
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether effects are averaged by level.
    pub fn are_averaged(&self) -> bool {
        !self.of_rows.is_empty()
    }
}

/// Numbers as names, as they may have been written or, with more digits than that, with six; with all where these do not tell them apart.
fn names(levels: &[f64]) -> Vec<String> {
    let name = |level: &f64| {
        let name = label(*level);
        let long = name.split_once('.').is_some_and(|(_, decimals)| decimals.len() > DECIMALS);
        if long { point(*level) } else { name }
    };
    let names: Vec<String> = levels.iter().map(name).collect();
    let are_apart = names.windows(2).all(|pair| pair[0] != pair[1]);
    if are_apart { names } else { levels.iter().map(|level| exact(*level)).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn computed_levels_have_few_digits_unless_more_tell_them_apart() {
        let tenth = 0.1_f64;
        let third = [0.3, 3.0 * tenth];
        assert_eq!(names(&[0.3 / tenth, 1e6 / 3.0, 1_234_567.0]), ["3", "333333.33333", "1234567"]);
        assert_eq!(names(&third), ["0.3", "0.30000000000000004"]);
    }
}
