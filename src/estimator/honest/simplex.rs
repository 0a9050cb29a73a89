//! The simplex method on a dense tableau (Dantzig 1963, chapters 5 and 6).
//!
//! A linear program in standard form, `max c'x` subject to `G x = h`, `x ≥ 0`, has its optimum at a vertex: a basis `B` of as
//! many columns as rows, with `x_B = B⁻¹h` and `x = 0` elsewhere. The tableau `[B⁻¹G, B⁻¹h]` shows the vertex, and the reduced
//! costs `c_j - c_B'B⁻¹G_j` which column to bring in. The programs here are duals with the same feasible set for thousands of
//! objectives, so that set is brought to a vertex once and every objective starts from there: what is found depends on the
//! objective alone.
//!
//! The column with the largest reduced cost enters, the first of equals; after many steps without end the first with a positive
//! one, with which no cycle is possible (Bland 1977).

use super::dense::DenseMatrix;
use crate::base::solve::dot;

/// Reduced costs up to this, of objectives whose largest coefficient is 1, are zero.
const COST: f64 = 1e-11;
/// Entries of a tableau up to this are no pivots.
const PIVOT: f64 = 1e-9;
/// A sum of infeasibilities up to this is none.
const INFEASIBLE: f64 = 1e-9;
/// Steps after which the first column that improves enters.
const PATIENCE: usize = 200;

/// The set `{ x ≥ 0 : G x = h }`, at one of its vertices.
#[derive(Clone, Debug)]
pub(crate) struct Feasible {
    /// `[B⁻¹G, B⁻¹h]`, row-major, of the rows that are no combinations of others.
    tableau: Vec<f64>,
    /// Column that is basic in each row.
    basis: Vec<usize>,
    columns: usize,
}

/// An optimal vertex.
#[derive(Clone, Debug)]
pub(crate) struct Vertex {
    /// Largest value of the objective.
    pub value: f64,
    /// Where it is attained.
    pub x: Vec<f64>,
    at: Feasible,
}

impl Feasible {
    /// Brings the set to a vertex; `None` if it is empty.
    pub fn new(g: &DenseMatrix, h: &[f64]) -> Option<Self> {
        let (n, m) = (g.columns, h.len());
        // One artificial column a row, which is its basis; the rows are turned so that the right-hand side is positive.
        let mut tableau = Vec::with_capacity(m * (n + m + 1));
        for (i, h) in h.iter().enumerate() {
            let sign = if *h < 0.0 { -1.0 } else { 1.0 };
            tableau.extend(g.row(i).iter().map(|g| sign * g));
            tableau.extend((0..m).map(|j| f64::from(u8::from(i == j))));
            tableau.push(sign * h);
        }
        let basis = (n..n + m).collect();
        let mut set = Self { tableau, basis, columns: n + m };
        let mut artificial = vec![0.0; n];
        artificial.resize(n + m, -1.0);
        let total: f64 = h.iter().map(|h| h.abs()).sum();
        let value = set.climb(&artificial)?;
        (value >= -INFEASIBLE * total.max(1.0)).then(|| set.without_artificials(n))
    }

    /// Drives artificial columns out of the basis, and rows that depend on others out of the tableau.
    fn without_artificials(mut self, n: usize) -> Self {
        for row in 0..self.basis.len() {
            if self.basis[row] >= n {
                let entries = &self.row(row)[..n];
                if let Some(column) = entries.iter().position(|e| e.abs() > PIVOT) {
                    self.pivot(row, column);
                }
            }
        }
        let basic_rows: Vec<usize> = (0..self.basis.len()).filter(|i| self.basis[*i] < n).collect();
        let tableau = basic_rows.iter().flat_map(|i| {
            let row = self.row(*i);
            row[..n].iter().chain(row.last()).copied()
        });
        Self {
            tableau: tableau.collect(),
            basis: basic_rows.iter().map(|i| self.basis[*i]).collect(),
            columns: n,
        }
    }

    /// The vertex at which `c'x` is largest; `None` if it grows without bound.
    pub fn maximise(&self, c: &[f64]) -> Option<Vertex> {
        let mut at = self.clone();
        at.climb(c)?;
        let mut x = vec![0.0; at.columns];
        for (row, column) in at.basis.iter().enumerate() {
            x[*column] = at.level(row).max(0.0);
        }
        Some(Vertex { value: dot(&x, c), x, at })
    }

    /// Largest value of `c'x`; `None` if it grows without bound.
    pub fn largest(&self, c: &[f64]) -> Option<f64> {
        self.clone().climb(c)
    }

    /// Steps from vertex to vertex until no reduced cost is positive; the value there.
    fn climb(&mut self, c: &[f64]) -> Option<f64> {
        let scale = c.iter().fold(0.0_f64, |m, c| m.max(c.abs())).max(f64::MIN_POSITIVE);
        let mut costs = self.reduced_costs(c);
        for step in 0.. {
            let Some(column) = entering(&costs, scale * COST, step < PATIENCE) else { break };
            let row = self.leaving(column)?;
            self.pivot(row, column);
            let cost = costs[column];
            costs.iter_mut().zip(self.row(row)).for_each(|(c, r)| *c -= cost * r);
            // Rounding must not bring the column in again.
            costs[column] = 0.0;
            if step > 100 * PATIENCE {
                break;
            }
        }
        Some((0..self.basis.len()).map(|i| c[self.basis[i]] * self.level(i)).sum())
    }

    /// The row whose basic variable is the first to reach zero as the column's grows; of ties, the one with the first column.
    fn leaving(&self, column: usize) -> Option<usize> {
        let mut best: Option<(f64, usize)> = None;
        for (row, basic) in self.basis.iter().enumerate() {
            let entry = self.row(row)[column];
            if entry > PIVOT {
                let ratio = self.level(row).max(0.0) / entry;
                let better = best.is_none_or(|(least, other)| {
                    ratio < least || (ratio <= least && *basic < self.basis[other])
                });
                if better {
                    best = Some((ratio, row));
                }
            }
        }
        best.map(|(_, row)| row)
    }

    fn pivot(&mut self, row: usize, column: usize) {
        let width = self.columns + 1;
        let pivot = self.row(row)[column];
        self.tableau[row * width..][..width].iter_mut().for_each(|e| *e /= pivot);
        let (above, rest) = self.tableau.split_at_mut(row * width);
        let (pivot_row, below) = rest.split_at_mut(width);
        for other in above.chunks_exact_mut(width).chain(below.chunks_exact_mut(width)) {
            let factor = other[column];
            if factor != 0.0 {
                other.iter_mut().zip(&*pivot_row).for_each(|(o, p)| *o -= factor * p);
                other[column] = 0.0;
            }
        }
        self.basis[row] = column;
    }

    fn row(&self, row: usize) -> &[f64] {
        let width = self.columns + 1;
        &self.tableau[row * width..][..width]
    }

    /// Value of the row's basic variable.
    fn level(&self, row: usize) -> f64 {
        self.tableau[row * (self.columns + 1) + self.columns]
    }

    /// `c_j - c_B'B⁻¹G_j` of every column.
    fn reduced_costs(&self, c: &[f64]) -> Vec<f64> {
        let mut costs = c.to_vec();
        for (row, basic) in self.basis.iter().enumerate() {
            let cost = c[*basic];
            if cost != 0.0 {
                costs.iter_mut().zip(self.row(row)).for_each(|(c, r)| *c -= cost * r);
            }
        }
        self.basis.iter().for_each(|basic| costs[*basic] = 0.0);
        costs
    }
}

/// The column with the largest reduced cost above `least`, or the first with one above it.
fn entering(costs: &[f64], least: f64, largest: bool) -> Option<usize> {
    if !largest {
        return costs.iter().position(|c| *c > least);
    }
    let mut best = (least, None);
    for (column, cost) in costs.iter().enumerate() {
        if *cost > best.0 {
            best = (*cost, Some(column));
        }
    }
    best.1
}

impl Vertex {
    /// Whether a basic variable is zero, so that other bases show the same vertex.
    pub fn is_degenerate(&self, tolerance: f64) -> bool {
        (0..self.at.basis.len()).any(|row| self.at.level(row) <= tolerance)
    }

    /// Reduced costs of another objective at this vertex; it is optimal for it if none is positive.
    pub fn reduced_costs(&self, c: &[f64]) -> Vec<f64> {
        self.at.reduced_costs(c)
    }

    /// Whether the column is in the basis.
    pub fn is_basic(&self, column: usize) -> bool {
        self.at.basis.contains(&column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `max 3x + 5y` with `x ≤ 4`, `2y ≤ 12`, `3x + 2y ≤ 18` (Hillier and Lieberman's glass company): 36 at (2, 6).
    fn glass() -> Feasible {
        let rows = [
            vec![1.0, 0.0, 1.0, 0.0, 0.0],
            vec![0.0, 2.0, 0.0, 1.0, 0.0],
            vec![3.0, 2.0, 0.0, 0.0, 1.0],
        ];
        Feasible::new(&DenseMatrix::of(&rows, 5), &[4.0, 12.0, 18.0]).expect("a feasible set")
    }

    #[test]
    fn the_optimum_is_at_a_vertex_and_the_duals_are_reduced_costs_of_the_slacks() {
        let set = glass();
        let vertex = set.maximise(&[3.0, 5.0, 0.0, 0.0, 0.0]).expect("bounded");
        assert!((vertex.value - 36.0).abs() < 1e-12, "{}", vertex.value);
        let expected = [2.0, 6.0, 2.0, 0.0, 0.0];
        assert!(vertex.x.iter().zip(expected).all(|(x, e)| (x - e).abs() < 1e-12));
        let costs = vertex.reduced_costs(&[3.0, 5.0, 0.0, 0.0, 0.0]);
        let expected = [0.0, 0.0, 0.0, -1.5, -1.0];
        assert!(costs.iter().zip(expected).all(|(c, e)| (c - e).abs() < 1e-12), "{costs:?}");
        assert!(!vertex.is_degenerate(1e-9) && vertex.is_basic(2) && !vertex.is_basic(3));
        // The same set serves another objective, from the same start.
        assert!((set.largest(&[-1.0, 0.0, 0.0, 0.0, 0.0]).expect("bounded")).abs() < 1e-12);
    }

    #[test]
    fn empty_and_unbounded_sets_are_told_apart() {
        let one = DenseMatrix::of(&[vec![1.0, 1.0]], 2);
        assert!(Feasible::new(&one, &[-1.0]).is_none());
        let ray = DenseMatrix::of(&[vec![1.0, -1.0]], 2);
        let set = Feasible::new(&ray, &[1.0]).expect("a ray");
        assert!(set.maximise(&[1.0, 0.0]).is_none());
        assert_eq!(set.largest(&[-1.0, 0.0]), Some(-1.0));
    }

    #[test]
    fn rows_that_depend_on_others_do_no_harm() {
        let rows = [vec![1.0, 1.0, 1.0], vec![2.0, 2.0, 2.0], vec![1.0, -1.0, 0.0]];
        let set = Feasible::new(&DenseMatrix::of(&rows, 3), &[1.0, 2.0, 0.0]).expect("feasible");
        let vertex = set.maximise(&[1.0, 1.0, 0.0]).expect("bounded");
        assert!((vertex.value - 1.0).abs() < 1e-12 && (vertex.x[0] - 0.5).abs() < 1e-12);
    }

    #[test]
    fn beales_example_of_a_cycle_ends() {
        let rows = [
            vec![0.25, -60.0, -0.04, 9.0, 1.0, 0.0, 0.0],
            vec![0.5, -90.0, -0.02, 3.0, 0.0, 1.0, 0.0],
            vec![0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        ];
        let set = Feasible::new(&DenseMatrix::of(&rows, 7), &[0.0, 0.0, 1.0]).expect("feasible");
        let value = set.largest(&[0.75, -150.0, 0.02, -6.0, 0.0, 0.0, 0.0]).expect("bounded");
        assert!((value - 0.05).abs() < 1e-12, "{value}");
    }
}
