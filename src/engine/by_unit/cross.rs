//! Counts, sums and cross-products of the variables of some rows.

use serde::{Deserialize, Serialize};

use crate::base::solve::{COLLINEAR, add_scaled};

/// What rounding may leave of a variable that does not vary.
const ROUNDING: f64 = 1e-12;

/// Of `p` variables: rows, their weight, sums `[p]` and cross-products `[p, p]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Cross {
    /// Number of rows.
    pub rows: f64,
    /// Sum of weights.
    pub weight: f64,
    /// `Σ w v`, `[p]`.
    sums: Vec<f64>,
    /// `Σ w v v'`, `[p, p]`; of the upper triangle only while rows are added.
    products: Vec<f64>,
}

impl Cross {
    pub fn new(variables: usize) -> Self {
        let (sums, products) = (vec![0.0; variables], vec![0.0; variables * variables]);
        Self { rows: 0.0, weight: 0.0, sums, products }
    }

    /// Bytes that it takes.
    pub fn bytes(variables: usize) -> u128 {
        let variables = variables as u128;
        size_of::<Self>() as u128 + 8 * variables * (variables + 1)
    }

    /// Adds a row.
    pub fn add(&mut self, weight: f64, variables: &[f64]) {
        let p = self.sums.len();
        self.rows += 1.0;
        self.weight += weight;
        for (i, v) in variables.iter().enumerate() {
            let weighted = weight * v;
            self.sums[i] += weighted;
            let products = &mut self.products[i * p..(i + 1) * p];
            for (product, other) in products[i..].iter_mut().zip(&variables[i..]) {
                *product += weighted * other;
            }
        }
    }

    pub fn merge(&mut self, other: &Self) {
        self.add_times(1.0, other);
    }

    /// Adds the sums of other rows with `factor` times their weights.
    pub fn add_times(&mut self, factor: f64, other: &Self) {
        self.rows += other.rows;
        self.weight += factor * other.weight;
        add_scaled(&mut self.sums, factor, &other.sums);
        add_scaled(&mut self.products, factor, &other.products);
    }

    /// Weighted means `[p]`; not numbers without rows.
    pub fn means(&self) -> Vec<f64> {
        self.sums.iter().map(|sum| sum / self.weight).collect()
    }

    /// `Σ w v²` of a variable.
    pub fn squares(&self, variable: usize) -> f64 {
        self.products[variable * (self.sums.len() + 1)]
    }

    /// `Σ w (v - mean)(v - mean)'`, `[p, p]`; 0 without rows.
    pub fn within(&self) -> Vec<f64> {
        let p = self.sums.len();
        if self.weight <= 0.0 {
            return vec![0.0; p * p];
        }
        let entry = |e: usize| {
            let (i, j) = ((e / p).min(e % p), (e / p).max(e % p));
            self.products[i * p + j] - self.sums[i] * self.sums[j] / self.weight
        };
        (0..p * p).map(entry).collect()
    }
}

/// Whether the effects span a variable. Its residual sum of squares, `left`, is then rounding: beside its sum of squares in the rows of the
/// regression (`own`), or beside its sum of squares about the mean in all rows (`all`), which may be far larger.
pub(crate) fn absorbed(left: f64, own: f64, all: f64) -> bool {
    left.is_nan() || left <= COLLINEAR * own || left <= ROUNDING * ROUNDING * all
}
