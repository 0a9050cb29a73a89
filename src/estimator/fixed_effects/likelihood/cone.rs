//! Whether a combination of columns is nowhere negative without being zero, by a finite number of steps on a dense matrix.
//!
//! With an orthonormal basis `Q` of the combinations, these are `Qγ ≥ 0`. The projection of a vector of ones onto them is zero if there
//! is none but zero, and its largest entry is one or more otherwise, as the projection's square is its sum. It is `Q'(1 + w)` in
//! coordinates, with multipliers `w ≥ 0` of rows where it is zero, which an active set finds (Lawson and Hanson 1974, chapter 23).
//! Either answer is proved by what it comes with: the combination itself, or weights `1 + w` with which every combination sums to zero.

use crate::base::solve::dot;

/// Parameters, rows, and rows times the square of parameters, of which this takes a fraction of a second.
const PARAMETERS: usize = 1000;
const ROWS: usize = 1 << 16;
const PRODUCTS: usize = 1 << 26;

/// A column is a combination of others if less than this part of it is left.
const DEPENDENT: f64 = 1e-9;

/// As [`DEPENDENT`], of the rows in which combinations are zero, in lengths of the longest.
const ZERO_ROW: f64 = 1e-7;

/// An entry this far below zero is negative, in roots of the number of rows.
const NEGATIVE: f64 = 1e-10;

/// An entry up to this is zero, where the largest is one or more.
const ZERO: f64 = 1e-6;

/// What is left of sums that prove that there is no combination, beside the one that an entry of one would add.
const PROOF: f64 = 1e-3;

/// Whether so many rows and columns are few enough.
pub(super) fn is_small(rows: usize, columns: usize) -> bool {
    columns <= PARAMETERS && rows <= ROWS && rows * columns * columns <= PRODUCTS
}

/// A combination of the columns that is zero in rows without a side, and nowhere below zero when multiplied by the side of the row: all zeros
/// if there is no other. `None` if rounding leaves that open.
pub(super) fn combination(columns: Vec<Vec<f64>>, sides: &[f64]) -> Option<Vec<f64>> {
    let basis = independent(columns, |_, length| DEPENDENT * length);
    let rows: Vec<Vec<f64>> =
        (0..sides.len()).map(|row| basis.iter().map(|column| column[row]).collect()).collect();
    let still = rows.iter().zip(sides).filter(|(_, side)| **side == 0.0);
    let coordinates = without(basis.len(), still.map(|(row, _)| row.clone()).collect());
    let sided: Vec<usize> = (0..sides.len()).filter(|row| sides[*row] != 0.0).collect();
    let turned = |row: &usize| -> Vec<f64> {
        coordinates.iter().map(|coordinate| sides[*row] * dot(coordinate, &rows[*row])).collect()
    };
    let turned: Vec<Vec<f64>> = sided.iter().map(turned).collect();
    let projection = Projection::new(&turned, coordinates.len())?;
    let mut found = vec![0.0; sides.len()];
    for (row, value) in sided.into_iter().zip(projection.verdict()?) {
        found[row] = sides[row] * value;
    }
    Some(found)
}

/// An orthonormal basis of the coordinates `[k]` in which combinations are zero in these rows.
fn without(k: usize, rows: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let longest = rows.iter().map(|row| length(row)).fold(0.0, f64::max);
    let taken = independent(rows, |_, _| ZERO_ROW * longest);
    let count = taken.len();
    let units = (0..k).map(|j| (0..k).map(|i| f64::from(u8::from(i == j))).collect());
    // Of each unit vector, the part that is left has the length of what the others leave of it.
    let all = taken.into_iter().chain(units).collect();
    independent(all, |at, _| if at < count { 0.0 } else { ZERO_ROW }).split_off(count)
}

/// An orthonormal basis of the vectors, in their order; of each, a part up to `least` of its position and length is nothing.
fn independent(vectors: Vec<Vec<f64>>, least: impl Fn(usize, f64) -> f64) -> Vec<Vec<f64>> {
    let mut basis = Vec::new();
    for (at, mut vector) in vectors.into_iter().enumerate() {
        let before = length(&vector);
        take_out(&basis, &mut vector);
        let left = length(&vector);
        if left > least(at, before) {
            divide(&mut vector, left);
            basis.push(vector);
        }
    }
    basis
}

/// Subtracts what a basis spans of the vector, and says by which coefficients; twice, so that rounding leaves nothing of it.
fn take_out(basis: &[Vec<f64>], vector: &mut [f64]) -> Vec<f64> {
    let mut all = vec![0.0; basis.len()];
    for _ in 0..2 {
        for (sum, unit) in all.iter_mut().zip(basis) {
            let coefficient = dot(unit, vector);
            vector.iter_mut().zip(unit).for_each(|(value, unit)| *value -= coefficient * unit);
            *sum += coefficient;
        }
    }
    all
}

fn divide(vector: &mut [f64], by: f64) {
    for value in vector {
        *value /= by;
    }
}

fn length(vector: &[f64]) -> f64 {
    dot(vector, vector).sqrt()
}

/// The projection of ones onto the combinations of which no entry is negative.
struct Projection<'a> {
    /// The combinations' basis, by row.
    rows: &'a [Vec<f64>],
    /// Sums of the rows: the ones' coordinates.
    ones: Vec<f64>,
    /// Coordinates of the projection.
    at: Vec<f64>,
    active: Active,
    /// Multipliers of the active rows.
    multipliers: Vec<f64>,
}

impl<'a> Projection<'a> {
    /// `None` if it is not found in many steps.
    fn new(rows: &'a [Vec<f64>], k: usize) -> Option<Self> {
        let mut ones = vec![0.0; k];
        for row in rows {
            ones.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
        }
        let at = ones.clone();
        let mut projection =
            Self { rows, ones, at, active: Active::default(), multipliers: Vec::new() };
        // Rows that take no part, for rounding, since the last that did.
        let mut refused = Vec::new();
        for _ in 0..10 * (k + 10) {
            let Some(row) = projection.lowest(&refused) else { return Some(projection) };
            match projection.activate(row) {
                true => refused.clear(),
                false => refused.push(row),
            }
        }
        None
    }

    /// The most negative entry.
    fn lowest(&self, refused: &[usize]) -> Option<usize> {
        let negative = -NEGATIVE * (self.rows.len() as f64).sqrt();
        let values = self.rows.iter().map(|row| dot(row, &self.at)).enumerate();
        let open = values.filter(|(row, value)| {
            *value < negative && !self.active.rows.contains(row) && !refused.contains(row)
        });
        open.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(row, _)| row)
    }

    /// Holds the entry of a row at zero, and lets go of those that it would make positive; whether that is possible.
    fn activate(&mut self, row: usize) -> bool {
        self.active.push(row, &self.rows[row]);
        self.multipliers.push(0.0);
        loop {
            let next = self.active.multipliers(&self.ones);
            let is_new = self.multipliers.last() == Some(&0.0);
            if is_new && next.last().is_none_or(|last| *last <= 0.0) {
                self.active.pop();
                self.multipliers.pop();
                return false;
            }
            let pairs = || self.multipliers.iter().zip(&next);
            let share =
                pairs().filter(|(_, next)| **next <= 0.0).map(|(now, next)| now / (now - next));
            let Some(share) = share.min_by(f64::total_cmp) else {
                self.multipliers = next;
                break;
            };
            let moved: Vec<f64> = pairs().map(|(now, next)| now + share * (next - now)).collect();
            // The first to reach zero does so but for rounding.
            let stays: Vec<bool> = pairs()
                .zip(&moved)
                .map(|((now, next), moved)| {
                    *moved > 0.0 && (*next > 0.0 || now / (now - next) > share)
                })
                .collect();
            let kept = |at: &usize| stays[*at];
            self.multipliers = (0..moved.len()).filter(kept).map(|at| moved[at]).collect();
            let rows: Vec<usize> =
                (0..moved.len()).filter(kept).map(|at| self.active.rows[at]).collect();
            self.active = Active::default();
            for row in rows {
                self.active.push(row, &self.rows[row]);
            }
        }
        self.at.clone_from(&self.ones);
        take_out(&self.active.basis, &mut self.at);
        true
    }

    /// The entries of the projection; `None` if it is neither shown to be zero nor one without negative entries.
    fn verdict(&self) -> Option<Vec<f64>> {
        let mut values: Vec<f64> = self.rows.iter().map(|row| dot(row, &self.at)).collect();
        let largest = values.iter().copied().fold(0.0, f64::max);
        if largest > 0.5 {
            let is_positive = values.iter().all(|value| *value >= -ZERO);
            values.iter_mut().filter(|value| **value <= ZERO).for_each(|value| *value = 0.0);
            return is_positive.then_some(values);
        }
        let mut sums = self.ones.clone();
        for (row, multiplier) in self.active.rows.iter().zip(&self.multipliers) {
            sums.iter_mut()
                .zip(&self.rows[*row])
                .for_each(|(sum, value)| *sum += multiplier * value);
        }
        let is_proof = length(&sums) * (self.rows.len() as f64).sqrt() < PROOF;
        is_proof.then(|| vec![0.0; self.rows.len()])
    }
}

/// Rows whose entries are held at zero, in the triangular decomposition of their coordinates.
#[derive(Default)]
struct Active {
    rows: Vec<usize>,
    basis: Vec<Vec<f64>>,
    /// By row, its coefficients on the basis up to its own.
    triangle: Vec<Vec<f64>>,
}

impl Active {
    fn push(&mut self, row: usize, coordinates: &[f64]) {
        let mut left = coordinates.to_vec();
        let mut coefficients = take_out(&self.basis, &mut left);
        let own = length(&left);
        divide(&mut left, own);
        coefficients.push(own);
        self.rows.push(row);
        self.basis.push(left);
        self.triangle.push(coefficients);
    }

    fn pop(&mut self) {
        self.rows.pop();
        self.basis.pop();
        self.triangle.pop();
    }

    /// The multipliers with which the rows leave least of a vector that they are added to.
    fn multipliers(&self, vector: &[f64]) -> Vec<f64> {
        let mut all: Vec<f64> = self.basis.iter().map(|unit| -dot(unit, vector)).collect();
        for j in (0..all.len()).rev() {
            let later: f64 = (j + 1..all.len()).map(|i| self.triangle[i][j] * all[i]).sum();
            all[j] = (all[j] - later) / self.triangle[j][j];
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Indicators of levels.
    fn levels(codes: &[usize]) -> impl Iterator<Item = Vec<f64>> + '_ {
        let count = codes.iter().max().map_or(0, |last| last + 1);
        (0..count)
            .map(|level| codes.iter().map(|code| f64::from(u8::from(*code == level))).collect())
    }

    #[test]
    fn ones_and_zeros_apart_are_separated() {
        let columns = vec![vec![1.0; 4], vec![1.0, 2.0, 3.0, 4.0]];
        let apart = combination(columns.clone(), &[1.0, 1.0, -1.0, -1.0]).unwrap();
        assert!(apart[0] > 0.0 && apart[3] < 0.0, "{apart:?}");
        let mixed = combination(columns.clone(), &[1.0, -1.0, 1.0, -1.0]).unwrap();
        assert_eq!(mixed, vec![0.0; 4]);
        // The rows on the border may stay: the others are separated.
        let tied =
            combination(vec![vec![1.0; 4], vec![1.0, 2.0, 2.0, 4.0]], &[1.0, 1.0, -1.0, -1.0]);
        let tied = tied.unwrap();
        assert!(tied[0] > 0.5 && tied[1] == 0.0 && tied[2] == 0.0 && tied[3] < -0.5, "{tied:?}");
    }

    #[test]
    fn combinations_are_zero_in_rows_without_a_side() {
        let columns = |x: f64| vec![vec![1.0; 4], vec![0.0, 0.0, x, 1.0]];
        let sides = [0.0, 0.0, 0.0, 1.0];
        assert!(combination(columns(0.0), &sides).unwrap()[3] > 0.5);
        assert_eq!(combination(columns(0.1), &sides).unwrap(), vec![0.0; 4]);
        // There is no combination at all.
        assert_eq!(combination(vec![vec![1.0; 2]], &[0.0, 1.0]).unwrap(), vec![0.0; 2]);
    }

    /// Whatever is found has entries of the right sign, and is a combination of the columns.
    #[test]
    fn what_levels_of_two_factors_separate_is_theirs() {
        let (mut separated, mut not) = (0, 0);
        for seed in 0..200_usize {
            let draw = |row: usize, salt: usize| {
                (((row * 7919 + seed * 104_729 + salt * 611_953) as f64).sin() * 43_758.547)
                    .fract()
                    .abs()
            };
            let of = |salt: usize, count: usize| -> Vec<usize> {
                (0..30).map(|row| (draw(row, salt) * count as f64) as usize).collect()
            };
            let (a, b) = (of(1, 5), of(2, 6));
            let sides: Vec<f64> =
                (0..30).map(|row| if draw(row, 3) < 0.5 { 1.0 } else { -1.0 }).collect();
            let mut columns: Vec<Vec<f64>> = levels(&a).chain(levels(&b)).collect();
            columns.push((0..30).map(|row| 1e-7 * draw(row, 4)).collect());
            let found = combination(columns.clone(), &sides).expect("a verdict");
            assert!(found.iter().zip(&sides).all(|(found, side)| found * side >= 0.0));
            match found.iter().any(|value| *value != 0.0) {
                true => separated += 1,
                false => not += 1,
            }
            let basis = independent(columns, |_, length| DEPENDENT * length);
            let mut left = found.clone();
            take_out(&basis, &mut left);
            assert!(length(&left) < 1e-5, "{}", length(&left));
        }
        assert!(separated > 20 && not > 20, "{separated} {not}");
    }
}
