//! Draws of the multiplier bootstrap, and their spread.

use super::{DEGENERATE, normal_quantile};
use crate::base::options::{Bootstrap, Multiplier};
use crate::base::quantile;
use crate::base::random::Multipliers;
use crate::base::random::standard_normals;
use crate::base::solve::semidefinite_factor;

/// The pass's multipliers, unless the law needs no pass.
pub(crate) fn multipliers(bootstrap: &Bootstrap) -> Option<Multipliers> {
    let Bootstrap { draws, seed, multiplier: law } = *bootstrap;
    (law != Multiplier::Gaussian).then_some(Multipliers { law, seed, draws })
}

/// Draws `[m, R]` of a normal vector with this covariance, `[m, m]`: the exact law of Gaussian multiplier sums.
pub(crate) fn gaussian_draws(covariance: &[f64], m: usize, bootstrap: &Bootstrap) -> Vec<f64> {
    // Of the correlation, so that a large variance does not hide the small ones.
    let scale: Vec<f64> = (0..m)
        .map(|j| covariance[j * m + j].sqrt())
        .map(|sd| if sd > 0.0 && sd.is_finite() { sd } else { 0.0 })
        .collect();
    let inverse = |j: usize| if scale[j] > 0.0 { 1.0 / scale[j] } else { 0.0 };
    let correlation: Vec<f64> =
        (0..m * m).map(|e| covariance[e] * inverse(e / m) * inverse(e % m)).collect();
    let (factor, rank) = semidefinite_factor(&correlation, m);
    let mut draws = vec![0.0; m * bootstrap.draws];
    let mut normals = vec![0.0; bootstrap.draws];
    for (stream, c) in (0u32..).zip(0..rank) {
        standard_normals(bootstrap.seed, stream, &mut normals);
        for (j, out) in draws.chunks_exact_mut(bootstrap.draws).enumerate() {
            let loading = scale[j] * factor[j * rank + c];
            out.iter_mut().zip(&normals).for_each(|(o, z)| *o += loading * z);
        }
    }
    draws
}

/// Standard error of draws from their interquartile range; `None` if they do not vary. `scale` takes the draws to the
/// scale of R's `bres`, on which that is judged.
pub(super) fn spread(draws: &[f64], scale: f64) -> Option<f64> {
    let squares: f64 = draws.iter().map(|b| (scale * b).powi(2)).sum();
    if !squares.is_finite() || squares <= DEGENERATE {
        return None;
    }
    let mut sorted = draws.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let range = quantile::of_distribution(&sorted, 0.75) - quantile::of_distribution(&sorted, 0.25);
    Some(range / (normal_quantile(0.75) - normal_quantile(0.25)))
}

/// Standard error of one estimate from the interquartile range of its draws, and the quantile at `level` of their absolute
/// values divided by it, with interpolated quantiles (R `DRDID`); `None` if the draws do not vary by more than rounding of outcomes in this
/// `unit`.
pub(crate) fn spread_around(draws: &[f64], level: f64, unit: f64) -> Option<(f64, f64)> {
    let mut sorted = draws.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    if sorted.is_empty() {
        return None;
    }
    let range = quantile::interpolated(&sorted, 0.75) - quantile::interpolated(&sorted, 0.25);
    let se = range / (normal_quantile(0.75) - normal_quantile(0.25));
    if !se.is_finite() || se <= DEGENERATE * unit {
        return None;
    }
    let mut sizes: Vec<f64> = draws.iter().map(|d| (d / se).abs()).collect();
    sizes.sort_unstable_by(f64::total_cmp);
    Some((se, quantile::interpolated(&sizes, level)))
}

/// Quantile of `max_j |b_jr| / se_j` over the draws; `None` if no column varies.
pub(super) fn sup_t_quantile(columns: &[(&[f64], f64)], level: f64) -> Option<f64> {
    let draws = columns.first()?.0.len();
    let mut largest = vec![0.0f64; draws];
    for (column, se) in columns {
        largest.iter_mut().zip(*column).for_each(|(l, b)| *l = l.max((b / se).abs()));
    }
    largest.sort_unstable_by(f64::total_cmp);
    Some(quantile::of_distribution(&largest, level))
}
