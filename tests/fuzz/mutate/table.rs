//! Mutations of CSV files as tables.

use polars::prelude::{CsvWriter, DataFrame, SerWriter};

use super::bytes::TOKENS;
use super::dice::Dice;

/// A header and rows of text.
#[derive(Clone)]
pub struct Table(Vec<Vec<String>>);

/// Names that columns get.
const NAMES: [&str; 12] = [
    "y",
    "t",
    "",
    " y",
    "NA",
    "\u{1b}[31mhidden\u{1b}[0m",
    "a\u{7}b",
    "y,t",
    "\"y\"",
    "näme",
    "I(y)",
    "\u{202e}y",
];

impl Table {
    pub fn new(df: &DataFrame) -> Self {
        let mut bytes = Vec::new();
        CsvWriter::new(&mut bytes).finish(&mut df.clone()).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        Self(text.lines().map(|l| l.split(',').map(str::to_owned).collect()).collect())
    }

    pub fn text(&self) -> String {
        let lines: Vec<String> = self.0.iter().map(|row| row.join(",")).collect();
        lines.join("\n") + "\n"
    }

    fn columns(&self) -> usize {
        self.0.first().map_or(0, Vec::len)
    }

    /// A row below the header.
    fn row(&self, dice: &mut Dice) -> usize {
        if self.0.len() < 2 { 0 } else { dice.between(1, self.0.len() - 1) }
    }

    pub fn mutate(&mut self, dice: &mut Dice) {
        let (rows, columns) = (self.0.len(), self.columns());
        if rows < 2 || columns == 0 {
            return;
        }
        let (row, column) = (self.row(dice), dice.below(columns));
        match dice.below(13) {
            0..=2 => self.set(row, column, dice.pick(&TOKENS)),
            // The same token in several rows of a column, or all.
            3 => {
                let (token, share) = (dice.pick(&TOKENS), dice.unit());
                for row in 1..rows {
                    if dice.chance(share) {
                        self.set(row, column, token);
                    }
                }
            }
            4 => _ = self.0.remove(row),
            5 => {
                let copy = self.0[row].clone();
                self.0.insert(self.row(dice), copy);
            }
            6 => self
                .0
                .iter_mut()
                .for_each(|row| drop((column < row.len()).then(|| row.remove(column)))),
            7 => self.0.iter_mut().for_each(|row| {
                if let Some(value) = row.get(column).cloned() {
                    row.push(value);
                }
            }),
            8 => {
                let other = dice.below(columns);
                let from = usize::from(dice.chance(0.5));
                self.0[from..].iter_mut().for_each(|row| {
                    if row.len() > column.max(other) {
                        row.swap(column, other);
                    }
                });
            }
            9 => self.set(0, column, dice.pick(&NAMES)),
            10 => {
                let keep = dice.between(1, rows - 1);
                self.0.truncate(keep);
            }
            // Numbers of another size.
            11 => {
                let by = [1e-300, 1e-9, 1e9, 1e150, 1e300, -1.0, 0.0][dice.below(7)];
                for row in &mut self.0[1..] {
                    if let Some(value) = row.get_mut(column)
                        && let Ok(number) = value.parse::<f64>()
                    {
                        *value = (by * number).to_string();
                    }
                }
            }
            // Quotes, spaces or a unit around all values.
            _ => {
                let (left, right) =
                    [("\"", "\""), (" ", " "), ("'", "'"), ("", " kg"), ("v", "")][dice.below(5)];
                for row in &mut self.0[1..] {
                    if let Some(value) = row.get_mut(column) {
                        *value = format!("{left}{value}{right}");
                    }
                }
            }
        }
    }

    fn set(&mut self, row: usize, column: usize, value: &str) {
        if let Some(old) = self.0[row].get_mut(column) {
            value.clone_into(old);
        }
    }
}
