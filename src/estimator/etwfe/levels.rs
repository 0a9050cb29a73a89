//! Levels of the moderator, by which effects are averaged.

use super::sample::Sample;
use crate::base::calendar::label;

/// Effects are averaged by level of a moderator that has at most so many.
pub(super) const MOST_LEVELS: usize = 20;

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
        let name = |level: &f64| match &sample.categories {
            Some(names) => names[*level as usize].clone(),
            None => label(*level),
        };
        Self {
            names: levels.iter().map(name).collect(),
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
