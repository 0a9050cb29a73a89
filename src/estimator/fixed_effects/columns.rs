//! The regressors without their fixed effects, as the covariance needs them.

use super::shared_columns::SharedColumns;
use super::sums;
use crate::base::parallel;

/// Rows whose products are held at once.
const PART_ROWS: usize = 1 << 20;

/// The columns of a fit, multiplied by the roots of the weights.
pub(super) enum FitColumns {
    /// A value for each row.
    Rows(Vec<Vec<f64>>),
    /// Rows share their values.
    Shared(SharedColumns),
}

impl FitColumns {
    /// How many there are.
    pub fn count(&self) -> usize {
        match self {
            Self::Rows(columns) => columns.len(),
            Self::Shared(shared) => shared.values.len(),
        }
    }

    /// Cross-products over rows of `x_i e_i` times a matrix `[k, k]`: `Σ_i e_i² (a'x_i) (a'x_i)'`.
    ///
    /// The product of each row is formed first, so that large ones of other rows, which add up to nothing, cost the sum no digits.
    pub fn row_products(&self, e: &[f64], a: &[f64]) -> Vec<f64> {
        match self {
            Self::Rows(columns) => {
                let mut total = vec![0.0; a.len()];
                for part in 0..e.len().div_ceil(PART_ROWS) {
                    let rows = parallel::part(part, PART_ROWS, e.len());
                    let part: Vec<&[f64]> = columns.iter().map(|x| &x[rows.clone()]).collect();
                    let products = sums::gram(&slices(&sums::combined(&part, a)), Some(&e[rows]));
                    total.iter_mut().zip(products).for_each(|(total, product)| *total += product);
                }
                total
            }
            Self::Shared(shared) => {
                let mut scale = shared.by_slot(e, |score| score * score);
                for square in &mut scale {
                    *square = square.sqrt();
                }
                sums::gram(&slices(&sums::combined(&slices(&shared.values), a)), Some(&scale))
            }
        }
    }

    /// `x_i' a x_i` of every row, of a symmetric `[k, k]`.
    pub fn quadratic(&self, a: &[f64]) -> Vec<f64> {
        match self {
            Self::Rows(columns) => sums::quadratic(&slices(columns), a),
            Self::Shared(shared) => {
                let of_slots = sums::quadratic(&slices(&shared.values), a);
                let of_row = |row: usize| shared.root(row).powi(2) * of_slots[shared.slot(row)];
                (0..shared.slots.len()).map(of_row).collect()
            }
        }
    }

    /// `Σ_i |x_i e_i|`, `[k]`.
    pub fn absolute(&self, e: &[f64]) -> Vec<f64> {
        match self {
            Self::Rows(columns) => {
                let sum = |x: &Vec<f64>| sums::sum(x.len(), |row| (x[row] * e[row]).abs());
                columns.iter().map(sum).collect()
            }
            Self::Shared(shared) => {
                let sizes = shared.by_slot(e, f64::abs);
                let sum = |x: &Vec<f64>| x.iter().zip(&sizes).map(|(x, size)| x.abs() * size).sum();
                shared.values.iter().map(sum).collect()
            }
        }
    }

    /// Cross-products over clusters of [`by_cluster`](Self::by_cluster), `[k, k]`.
    pub fn cluster_products(
        &self,
        e: &[f64],
        codes: &[u32],
        clusters: usize,
        a: &[f64],
    ) -> Vec<f64> {
        if let Self::Shared(shared) = self {
            let values = sums::combined(&slices(&shared.values), a);
            if let Some(products) = shared.products_by_pattern(&values, e, codes) {
                return products;
            }
        }
        sums::gram(&slices(&self.by_cluster(e, codes, clusters, a)), None)
    }

    /// `Σ x_i e_i` by cluster, times a matrix `[k, k]`: `[k][clusters]`.
    pub fn by_cluster(
        &self,
        e: &[f64],
        codes: &[u32],
        clusters: usize,
        a: &[f64],
    ) -> Vec<Vec<f64>> {
        match self {
            Self::Rows(columns) => {
                let sums = sums::by_cluster(&slices(columns), e, codes, clusters);
                sums::combined(&slices(&sums), a)
            }
            Self::Shared(shared) => {
                let values = sums::combined(&slices(&shared.values), a);
                shared.by_cluster(&values, e, codes, clusters)
            }
        }
    }
}

fn slices(columns: &[Vec<f64>]) -> Vec<&[f64]> {
    columns.iter().map(Vec::as_slice).collect()
}

#[cfg(test)]
mod tests {
    use super::super::shared_columns::TASK_CLUSTERS;
    use super::*;

    /// Sums over shared values are those over the rows that have them, with clusters in any order.
    #[test]
    fn shared_values_are_those_of_rows() {
        let rows = 3 * TASK_CLUSTERS + 5;
        let wave = |at: usize, speed: f64| (at as f64 * speed).sin();
        let slots: Vec<u32> = (0..rows).map(|row| (row * 7 % 11) as u32).collect();
        let values: Vec<Vec<f64>> =
            (1..4).map(|j| (0..11).map(|slot| wave(slot, f64::from(j))).collect()).collect();
        let weights: Vec<f64> = (0..rows).map(|row| 1.5 + wave(row, 0.3)).collect();
        let roots: Vec<f64> = weights.iter().map(|w| w.sqrt()).collect();
        let e: Vec<f64> = (0..rows).map(|row| wave(row, 0.7)).collect();
        let of_rows = |x: &Vec<f64>| -> Vec<f64> {
            slots.iter().zip(&roots).map(|(slot, root)| x[*slot as usize] * root).collect()
        };
        let plain = FitColumns::Rows(values.iter().map(of_rows).collect());
        let shared = SharedColumns { slots, patterns: vec![0; 11], values, roots: Some(roots) };
        let shared = FitColumns::Shared(shared);
        assert_eq!((plain.count(), shared.count()), (3, 3));
        let near = |a: &[f64], b: &[f64]| {
            assert_eq!(a.len(), b.len());
            for (a, b) in a.iter().zip(b) {
                assert!((a - b).abs() <= 1e-9 * (1.0 + a.abs()), "{a} {b}");
            }
        };
        near(&plain.absolute(&e), &shared.absolute(&e));
        let a = [2.0, 0.5, 0.0, 0.5, 1.0, -0.25, 0.0, -0.25, 3.0];
        near(&plain.quadratic(&a), &shared.quadratic(&a));
        let turned = [1.0, 0.5, 0.0, 0.0, 1.0, 0.0, -2.0, 0.0, 0.3];
        near(&plain.row_products(&e, &turned), &shared.row_products(&e, &turned));
        for codes in [
            (0..rows).map(|row| (row / 2) as u32).collect::<Vec<u32>>(),
            (0..rows).map(|row| (row % 5) as u32).collect(),
        ] {
            let clusters = codes.iter().max().map_or(0, |most| *most as usize + 1);
            let both = [&plain, &shared];
            let [sums, of_shared] =
                both.map(|columns| columns.by_cluster(&e, &codes, clusters, &turned).concat());
            near(&sums, &of_shared);
            let [products, of_shared] =
                both.map(|columns| columns.cluster_products(&e, &codes, clusters, &turned));
            near(&products, &of_shared);
        }
    }
}
