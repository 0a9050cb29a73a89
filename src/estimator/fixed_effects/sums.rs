//! Sums over the rows, in tiles and tasks of a fixed order, whatever the number of threads.

use std::sync::Mutex;

use crate::base::parallel;
use crate::base::progress::tell;
use crate::engine::backend::host::products::STAGE;
pub(super) use crate::engine::backend::host::products::cross_products as gram;
use crate::engine::pass::TILE;

/// Rows that one task sums.
const TASK_ROWS: usize = 16 * TILE;

/// Whether sums over so many rows are long enough to tell of them: several tasks.
pub(super) fn are_long(rows: usize) -> bool {
    rows > TASK_ROWS
}

/// `Σ_i x_i e_i` of columns, `[k]`.
pub(super) fn cross(columns: &[&[f64]], e: &[f64]) -> Vec<f64> {
    let sums = parallel::map(e.len().div_ceil(TASK_ROWS), |task| {
        let rows = parallel::part(task, TASK_ROWS, e.len());
        columns.iter().map(|column| dot(&column[rows.clone()], &e[rows.clone()])).collect()
    });
    add(sums, columns.len())
}

/// `Σ_i f(i)`.
pub(in crate::estimator) fn sum(rows: usize, f: impl Fn(usize) -> f64 + Sync) -> f64 {
    let [sum] = sum_each(rows, |row| [f(row)]);
    sum
}

/// As [`sum`], of several values in one walk.
pub(super) fn sum_each<const K: usize>(
    rows: usize,
    f: impl Fn(usize) -> [f64; K] + Sync,
) -> [f64; K] {
    total(parallel::map(rows.div_ceil(TASK_ROWS), |task| {
        let rows = parallel::part(task, TASK_ROWS, rows);
        let tiles = rows.clone().step_by(TILE);
        total(tiles.map(|start| total((start..(start + TILE).min(rows.end)).map(&f))))
    }))
}

fn total<const K: usize>(parts: impl IntoIterator<Item = [f64; K]>) -> [f64; K] {
    let mut total = [0.0; K];
    for part in parts {
        total.iter_mut().zip(part).for_each(|(total, part)| *total += part);
    }
    total
}

/// `f` of every row.
pub(super) fn of_rows(rows: usize, f: impl Fn(usize) -> f64 + Sync) -> Vec<f64> {
    let mut values = vec![0.0; rows];
    update(&mut values, |row, _| f(row));
    values
}

/// `Σ_i a_i b_i`, of the whole columns.
pub(in crate::estimator) fn inner(a: &[f64], b: &[f64]) -> f64 {
    cross(&[a], b).pop().unwrap_or(0.0)
}

/// Replaces every value by `f` of its row and itself.
pub(super) fn update(values: &mut [f64], f: impl Fn(usize, f64) -> f64 + Sync) {
    parallel::chunks(values, TASK_ROWS, |task, values| {
        for (row, value) in (task * TASK_ROWS..).zip(values) {
            *value = f(row, *value);
        }
    });
}

/// Replaces every value by the first of what `f` says of its row; the sums of the others.
pub(super) fn update_and_sum<const K: usize>(
    values: &mut [f64],
    f: impl Fn(usize) -> (f64, [f64; K]) + Sync,
) -> [f64; K] {
    let tasks: Vec<Mutex<&mut [f64]>> = values.chunks_mut(TASK_ROWS).map(Mutex::new).collect();
    total(parallel::map(tasks.len(), |task| {
        let mut values = parallel::held(&tasks[task]);
        total(values.chunks_mut(TILE).enumerate().map(|(tile, values)| {
            let first = task * TASK_ROWS + tile * TILE;
            total(values.iter_mut().zip(first..).map(|(value, row)| {
                let (now, terms) = f(row);
                *value = now;
                terms
            }))
        }))
    }))
}

/// `y - Σ_j b_j x_j`.
pub(super) fn less_fitted(y: &[f64], columns: &[&[f64]], b: &[f64]) -> Vec<f64> {
    let mut out = y.to_vec();
    parallel::chunks(&mut out, TASK_ROWS, |task, out| {
        let rows = parallel::part(task, TASK_ROWS, y.len());
        for start in (0..out.len()).step_by(TILE) {
            let end = (start + TILE).min(out.len());
            for (column, b) in columns.iter().zip(b) {
                let column = &column[rows.start + start..rows.start + end];
                out[start..end].iter_mut().zip(column).for_each(|(e, x)| *e -= b * x);
            }
        }
    });
    out
}

/// Columns times a matrix `[k, k]`; zero entries are skipped. With many rows, this thread's watcher hears of each column.
pub(super) fn combined(columns: &[&[f64]], a: &[f64]) -> Vec<Vec<f64>> {
    let k = columns.len();
    let rows = columns.first().map_or(0, |c| c.len());
    let mut out = vec![vec![0.0; rows]; k];
    for (j, out) in out.iter_mut().enumerate() {
        if are_long(rows) {
            tell(STAGE, j as u64, k as u64);
        }
        parallel::chunks(out, TASK_ROWS, |task, out| {
            let first = task * TASK_ROWS;
            for start in (0..out.len()).step_by(TILE) {
                let end = (start + TILE).min(out.len());
                for (i, column) in columns.iter().enumerate() {
                    let column = &column[first + start..first + end];
                    let a = a[i * k + j];
                    if a == 0.0 {
                        continue;
                    }
                    out[start..end].iter_mut().zip(column).for_each(|(o, x)| *o += a * x);
                }
            }
        });
    }
    out
}

/// `x_i' a x_i` of every row, of a symmetric `[k, k]`.
pub(super) fn quadratic(columns: &[&[f64]], a: &[f64]) -> Vec<f64> {
    let k = columns.len();
    let rows = columns.first().map_or(0, |c| c.len());
    let parts = parallel::map_telling_of_several(STAGE, rows.div_ceil(TASK_ROWS), |task| {
        let first = task * TASK_ROWS;
        let mut out = vec![0.0; parallel::part(task, TASK_ROWS, rows).len()];
        let mut product = vec![0.0; TILE];
        for start in (0..out.len()).step_by(TILE) {
            let end = (start + TILE).min(out.len());
            let of = |j: usize| &columns[j][first + start..first + end];
            for i in 0..k {
                let product = &mut product[..end - start];
                product.fill(0.0);
                for j in 0..k {
                    let a = a[i * k + j];
                    product.iter_mut().zip(of(j)).for_each(|(p, x)| *p += a * x);
                }
                let pairs = product.iter().zip(of(i));
                out[start..end].iter_mut().zip(pairs).for_each(|(o, (p, x))| *o += p * x);
            }
        }
        out
    });
    parts.concat()
}

/// `Σ x_i e_i` by cluster: for each column, the sums `[clusters]`.
pub(super) fn by_cluster(
    columns: &[&[f64]],
    e: &[f64],
    codes: &[u32],
    clusters: usize,
) -> Vec<Vec<f64>> {
    let of_column = |j: usize| {
        let mut sums = vec![0.0; clusters];
        for ((x, e), code) in columns[j].iter().zip(e).zip(codes) {
            sums[*code as usize] += x * e;
        }
        sums
    };
    match are_long(e.len()) {
        true => parallel::map_telling(STAGE, columns.len(), of_column),
        false => parallel::map(columns.len(), of_column),
    }
}

fn add(sums: Vec<Vec<f64>>, length: usize) -> Vec<f64> {
    let mut total = vec![0.0; length];
    for sum in sums {
        total.iter_mut().zip(sum).for_each(|(total, sum)| *total += sum);
    }
    total
}

/// `a'b` in lanes.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut total = 0.0;
    for (a, b) in a.chunks(TILE).zip(b.chunks(TILE)) {
        let mut lanes = [0.0; 8];
        let (whole_a, whole_b) = (a.chunks_exact(8), b.chunks_exact(8));
        let tail: f64 =
            whole_a.remainder().iter().zip(whole_b.remainder()).map(|(a, b)| a * b).sum();
        for (a, b) in whole_a.zip(whole_b) {
            for lane in 0..8 {
                lanes[lane] += a[lane] * b[lane];
            }
        }
        let [a, b, c, d, e, f, g, h] = lanes;
        total += ((a + e) + (b + f)) + ((c + g) + (d + h)) + tail;
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(k: usize, rows: usize) -> Vec<Vec<f64>> {
        (0..k).map(|j| (0..rows).map(|i| ((i * (j + 3)) as f64 * 0.37).sin()).collect()).collect()
    }

    #[test]
    fn sums_are_those_of_the_definition() {
        let rows = TASK_ROWS + TILE + 7;
        let columns = columns(3, rows);
        let x: Vec<&[f64]> = columns[..2].iter().map(Vec::as_slice).collect();
        let e = &columns[2];
        let exact = |f: &dyn Fn(usize) -> f64| (0..rows).map(f).sum::<f64>();
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-9 * rows as f64, "{a} {b}");
        let scaled = gram(&x, Some(e));
        near(gram(&x, None)[1], exact(&|i| x[0][i] * x[1][i]));
        near(scaled[2], exact(&|i| x[0][i] * x[1][i] * e[i] * e[i]));
        assert_eq!(scaled[1].to_bits(), scaled[2].to_bits());
        near(cross(&x, e)[1], exact(&|i| x[1][i] * e[i]));
        near(sum(rows, |i| e[i]), exact(&|i| e[i]));
        let bits = |sums: [f64; 2]| sums.map(f64::to_bits);
        let apart = [sum(rows, |i| e[i]), sum(rows, |i| x[0][i] * e[i])];
        assert_eq!(bits(sum_each(rows, |i| [e[i], x[0][i] * e[i]])), bits(apart));
        let mut values = vec![f64::NAN; rows];
        let sums = update_and_sum(&mut values, |i| (2.0 * e[i], [e[i], x[0][i] * e[i]]));
        assert_eq!(bits(sums), bits(apart));
        assert_eq!(values, of_rows(rows, |i| 2.0 * e[i]));
        let residual = less_fitted(e, &x, &[2.0, -1.0]);
        assert!(
            (residual[rows - 1] - (e[rows - 1] - 2.0 * x[0][rows - 1] + x[1][rows - 1])).abs()
                < 1e-14
        );
        let turned = combined(&x, &[2.0, -1.0, 0.0, 0.5]);
        assert_eq!(turned[0][rows - 1], 2.0 * x[0][rows - 1]);
        assert!((turned[1][TILE] - (0.5 * x[1][TILE] - x[0][TILE])).abs() < 1e-15);
        let leverage = quadratic(&x, &[2.0, 0.5, 0.5, 1.0]);
        let (a, b) = (x[0][TILE + 1], x[1][TILE + 1]);
        assert!((leverage[TILE + 1] - (2.0 * a * a + a * b + b * b)).abs() < 1e-13);
        let codes: Vec<u32> = (0..rows).map(|i| (i % 3) as u32).collect();
        let sums = by_cluster(&x, e, &codes, 3);
        near(sums[1].iter().sum(), cross(&x, e)[1]);
    }
}
