//! How heterogeneous effects must be for a coefficient to mislead (de Chaisemartin and D'Haultfœuille 2020, corollary 1).

use super::weights::Weighted;

/// The least standard deviation of effects over the cells, for which the coefficient is compatible with an average effect of zero:
/// `|β| / σ(w)`. The deviation of the weights has the factor `M / (M - 1)` of `M` cells. `None` for weights that are all alike.
pub(super) fn zero_average(coefficient: f64, weights: &[Weighted]) -> Option<f64> {
    let cells = weights.len() as f64;
    let mean: f64 = weights.iter().map(|of| of.share * of.ratio).sum();
    let squares: f64 = weights.iter().map(|of| of.share * (of.ratio - mean).powi(2)).sum();
    let deviation = (cells / (cells - 1.0) * squares).sqrt();
    let rounding = 1e-10 * mean.abs();
    (deviation > rounding).then(|| coefficient.abs() / deviation).filter(|sd| sd.is_finite())
}

/// The least standard deviation of effects for which the coefficient may have another sign than the effects of all cells; `None` if
/// no weight is negative.
pub(super) fn opposite_sign(coefficient: f64, weights: &[Weighted]) -> Option<f64> {
    let mut sorted: Vec<&Weighted> = weights.iter().filter(|of| of.weight != 0.0).collect();
    sorted.sort_by(|a, b| a.ratio.total_cmp(&b.ratio));
    let (mut share, mut sum, mut squares) = (0.0, 0.0, 0.0);
    let mut last = None;
    for of in sorted {
        share += of.share;
        sum += of.weight;
        squares += of.share * of.ratio * of.ratio;
        if share >= 1.0 || of.ratio >= -sum / (1.0 - share) {
            break;
        }
        last = Some(squares + sum * sum / (1.0 - share));
    }
    last.map(|squares| coefficient.abs() / squares.sqrt()).filter(|sd| sd.is_finite())
}
