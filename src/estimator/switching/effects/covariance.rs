//! Covariance of estimates from influence values, which add up: it is the sum of their products.

use rayon::prelude::*;

use super::TILE;
use super::sample::SwitchingSample;

/// Influence of the clusters, `Σ_g∈c u_g`, from that of the groups.
pub(super) fn by_cluster(sample: &SwitchingSample, columns: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let Some(cluster) = &sample.cluster else { return columns };
    let sums = |column: Vec<f64>| {
        let mut sums = vec![0.0; sample.clusters()];
        column.iter().zip(cluster).for_each(|(u, c)| sums[*c as usize] += u);
        sums
    };
    columns.into_par_iter().map(sums).collect()
}

/// `Σ_c u_ci u_cj` over clusters, row-major.
pub(super) fn covariance(columns: &[Vec<f64>]) -> Vec<f64> {
    let m = columns.len();
    let rows = columns.first().map_or(0, Vec::len);
    let tile = |tile: usize| {
        let range = tile * TILE..((tile + 1) * TILE).min(rows);
        let product = |i: usize, j: usize| -> f64 {
            let pairs = columns[i][range.clone()].iter().zip(&columns[j][range.clone()]);
            pairs.map(|(a, b)| a * b).sum()
        };
        (0..m * m).map(|e| if e % m <= e / m { product(e / m, e % m) } else { 0.0 }).collect()
    };
    let tiles: Vec<Vec<f64>> = (0..rows.div_ceil(TILE)).into_par_iter().map(tile).collect();
    let mut sums = vec![0.0; m * m];
    for tile in tiles {
        sums.iter_mut().zip(tile).for_each(|(sum, more)| *sum += more);
    }
    (0..m * m).map(|e| sums[(e / m).max(e % m) * m + (e / m).min(e % m)]).collect()
}
