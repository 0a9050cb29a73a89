//! The regressors without their fixed effects, as the covariance needs them.

use super::sums;
use crate::base::parallel;

/// Clusters that one task sums.
const TASK_CLUSTERS: usize = 1 << 12;

/// The columns of a fit, multiplied by the roots of the weights.
pub(super) enum FitColumns {
    /// A value for each row.
    Rows(Vec<Vec<f64>>),
    /// Rows share their values.
    Shared(SharedColumns),
}

/// Columns whose values many rows share.
pub(super) struct SharedColumns {
    /// Which values each row has.
    pub slots: Vec<u32>,
    /// The values, without the weights, `[k][slots]`.
    pub values: Vec<Vec<f64>>,
    /// Roots of the rows' weights; ones if there are none.
    pub roots: Option<Vec<f64>>,
}

impl FitColumns {
    /// How many there are.
    pub fn count(&self) -> usize {
        match self {
            Self::Rows(columns) => columns.len(),
            Self::Shared(shared) => shared.values.len(),
        }
    }

    /// `Σ_i e_i² x_i x_i'`, `[k, k]`.
    pub fn gram(&self, e: &[f64]) -> Vec<f64> {
        match self {
            Self::Rows(columns) => sums::gram(&slices(columns), Some(e)),
            Self::Shared(shared) => {
                let mut scale = shared.by_slot(e, |score| score * score);
                for square in &mut scale {
                    *square = square.sqrt();
                }
                sums::gram(&slices(&shared.values), Some(&scale))
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
                match codes.is_sorted() {
                    true => shared.by_run(&values, e, codes, clusters),
                    false => parallel::map(values.len(), |j| {
                        let mut sums = vec![0.0; clusters];
                        for (row, (e, code)) in e.iter().zip(codes).enumerate() {
                            let x = shared.root(row) * values[j][shared.slot(row)];
                            sums[*code as usize] += x * e;
                        }
                        sums
                    }),
                }
            }
        }
    }
}

impl SharedColumns {
    fn slot(&self, row: usize) -> usize {
        self.slots[row] as usize
    }

    fn root(&self, row: usize) -> f64 {
        self.roots.as_ref().map_or(1.0, |roots| roots[row])
    }

    /// Sums of `f` of the rows' weighted `e`, by slot.
    fn by_slot(&self, e: &[f64], f: impl Fn(f64) -> f64) -> Vec<f64> {
        let mut sums = vec![0.0; self.values.first().map_or(0, Vec::len)];
        for (row, e) in e.iter().enumerate() {
            sums[self.slot(row)] += f(self.root(row) * e);
        }
        sums
    }

    /// Sums of `values` `[k][slots]` times `e` by cluster, of rows that are sorted by cluster.
    fn by_run(
        &self,
        values: &[Vec<f64>],
        e: &[f64],
        codes: &[u32],
        clusters: usize,
    ) -> Vec<Vec<f64>> {
        let k = values.len();
        let slots = values.first().map_or(0, Vec::len);
        let by_slot: Vec<f64> = (0..slots * k).map(|at| values[at % k][at / k]).collect();
        let blocks = parallel::map(clusters.div_ceil(TASK_CLUSTERS), |task| {
            let own = parallel::part(task, TASK_CLUSTERS, clusters);
            let first = |cluster: usize| codes.partition_point(|code| (*code as usize) < cluster);
            let mut sums = vec![0.0; own.len() * k];
            for row in first(own.start)..first(own.end) {
                let score = self.root(row) * e[row];
                let cluster = codes[row] as usize - own.start;
                let x = &by_slot[self.slot(row) * k..][..k];
                let sums = &mut sums[cluster * k..][..k];
                sums.iter_mut().zip(x).for_each(|(sum, x)| *sum += x * score);
            }
            sums
        });
        parallel::map(k, |j| {
            let of_block = |block: &Vec<f64>| block[j..].iter().step_by(k).copied().collect();
            blocks.iter().flat_map::<Vec<f64>, _>(of_block).collect()
        })
    }
}

fn slices(columns: &[Vec<f64>]) -> Vec<&[f64]> {
    columns.iter().map(Vec::as_slice).collect()
}

#[cfg(test)]
mod tests {
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
        let shared = FitColumns::Shared(SharedColumns { slots, values, roots: Some(roots) });
        assert_eq!((plain.count(), shared.count()), (3, 3));
        let near = |a: &[f64], b: &[f64]| {
            assert_eq!(a.len(), b.len());
            for (a, b) in a.iter().zip(b) {
                assert!((a - b).abs() <= 1e-9 * (1.0 + a.abs()), "{a} {b}");
            }
        };
        near(&plain.gram(&e), &shared.gram(&e));
        near(&plain.absolute(&e), &shared.absolute(&e));
        let a = [2.0, 0.5, 0.0, 0.5, 1.0, -0.25, 0.0, -0.25, 3.0];
        near(&plain.quadratic(&a), &shared.quadratic(&a));
        let turned = [1.0, 0.5, 0.0, 0.0, 1.0, 0.0, -2.0, 0.0, 0.3];
        for codes in [
            (0..rows).map(|row| (row / 2) as u32).collect::<Vec<u32>>(),
            (0..rows).map(|row| (row % 5) as u32).collect(),
        ] {
            let clusters = codes.iter().max().map_or(0, |most| *most as usize + 1);
            let [plain, shared] = [&plain, &shared]
                .map(|columns| columns.by_cluster(&e, &codes, clusters, &turned).concat());
            near(&plain, &shared);
        }
    }
}
