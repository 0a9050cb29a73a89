//! Estimates on sieves of several dimensions, with their joint covariance.

use super::level::{Observations, SieveLevel, point, product, product_transposed, summed};

/// Estimates of several dimensions with their joint covariance.
pub(crate) struct SieveLevels {
    pub levels: Vec<SieveLevel>,
    /// First coefficient of each level among all.
    pub first: Vec<usize>,
    /// Covariance of all coefficients, `[m, m]`.
    pub covariance: Vec<f64>,
}

/// Residuals from which a covariance is formed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Residuals {
    /// As they are (HC0).
    Plain,
    /// Of each observation from the curve of the others, `u / (1 - h)` with its leverage `h` (HC3): they are not the smaller, the more
    /// functions there are.
    LeftOut,
}

/// A leverage is taken as this at most: what an observation alone determines has no other to compare with.
const MOST_LEVERAGE: f64 = 1.0 - 1e-3;

impl SieveLevels {
    /// With the covariance of the coefficients of all levels, from their residuals.
    pub fn new(data: &Observations<'_>, levels: Vec<SieveLevel>, residuals: Residuals) -> Self {
        let mut first = vec![0];
        let mut starts = vec![0];
        for level in &levels {
            first.push(first[first.len() - 1] + level.len());
            starts.push(starts[starts.len() - 1] + level.sieves.instruments().len());
        }
        let m = first[levels.len()];
        let (meat, size) = meat(data, &levels, &starts, residuals);
        // Of what moves the curve with the scores of a level, and of itself.
        let shift = |level: &SieveLevel, start: usize| -> Vec<f64> {
            let k = level.sieves.instruments().len();
            let last = &meat[(size - 1) * size..];
            product(&level.map, &last[start..start + k], level.len(), k, 1)
        };
        let shifts: Option<Vec<Vec<f64>>> =
            data.clusters.map(|_| levels.iter().zip(&starts).map(|(l, s)| shift(l, *s)).collect());
        let mut covariance = vec![0.0; m * m];
        for (a, one) in levels.iter().enumerate() {
            for (b, other) in levels.iter().enumerate() {
                let (ka, kb) = (starts[a + 1] - starts[a], starts[b + 1] - starts[b]);
                let block: Vec<f64> = (0..ka * kb)
                    .map(|e| meat[(starts[a] + e / kb) * size + starts[b] + e % kb])
                    .collect();
                let half = product(&one.map, &block, one.len(), ka, kb);
                let block_product =
                    product_transposed(&half, &other.map, one.len(), kb, other.len());
                for (e, value) in block_product.iter().enumerate() {
                    let (i, j) = (e / other.len(), e % other.len());
                    let moved =
                        shifts.as_ref().map_or(0.0, |s| s[a][i] + s[b][j] + meat[size * size - 1]);
                    covariance[(first[a] + i) * m + first[b] + j] = value + moved;
                }
            }
        }
        Self { levels, first, covariance }
    }

    /// Number of coefficients of all levels.
    pub fn len(&self) -> usize {
        self.first[self.levels.len()]
    }

    /// What rounding may leave of the curve of a level at a row of its sieve, at least the smallest normal number.
    pub fn rounding(&self, level: usize, row: &[(usize, f64)]) -> f64 {
        let beta = &self.levels[level].beta;
        let size: f64 = row.iter().map(|(j, v)| (v * beta[*j]).abs()).sum();
        (f64::EPSILON * size).max(f64::MIN_POSITIVE)
    }

    /// `r_a' V r_b` for rows of the sieves of two levels.
    pub fn quadratic(
        &self,
        a: usize,
        b: usize,
        one: &[(usize, f64)],
        other: &[(usize, f64)],
    ) -> f64 {
        let m = self.len();
        let row = |i: usize| {
            let of = |(j, v): &(usize, f64)| v * self.covariance[i * m + self.first[b] + j];
            other.iter().map(of).sum::<f64>()
        };
        one.iter().map(|(i, v)| v * row(self.first[a] + i)).sum()
    }
}

/// Sums of the products of scores of all levels, which start at `starts`, and how many scores there are. With clusters these are
/// sums of their observations, and the last is what moves the curve.
fn meat(
    data: &Observations<'_>,
    levels: &[SieveLevel],
    starts: &[usize],
    residuals: Residuals,
) -> (Vec<f64>, usize) {
    let all = starts[levels.len()];
    let scores = |row: usize, at: &mut Vec<f64>, row_of: &mut Vec<_>, out: &mut Vec<_>| {
        out.clear();
        for (level, start) in levels.iter().zip(starts) {
            point(data.x, row, at);
            level.sieves.x.row(at, None, row_of);
            let fitted: f64 = row_of.iter().map(|(j, v)| v * level.beta[*j]).sum();
            let mut residual = data.weight(row) * (data.y[row] - fitted);
            let row_of_x = (residuals == Residuals::LeftOut).then(|| row_of.clone());
            if let (Some(w), Some(sieve)) = (data.w, &level.sieves.w) {
                point(w, row, at);
                sieve.row(at, None, row_of);
            }
            if let Some(row_of_x) = row_of_x {
                let leverage = data.weight(row) * level.bilinear(&row_of_x, row_of);
                residual /= 1.0 - leverage.min(MOST_LEVERAGE);
            }
            out.extend(row_of.iter().map(|(j, v)| (start + j, residual * v)));
        }
    };
    let Some(clusters) = data.clusters else {
        let sums = summed(data.len(), all * all, |rows, out| {
            let (mut at, mut row_of, mut own) = (Vec::new(), Vec::new(), Vec::new());
            for row in rows {
                scores(row, &mut at, &mut row_of, &mut own);
                for (c, vc) in &own {
                    for (d, vd) in &own {
                        out[c * all + d] += vc * vd;
                    }
                }
            }
        });
        return (sums, all);
    };
    let size = all + 1;
    let members = clusters.members();
    let sums = summed(clusters.shift.len(), size * size, |range, out| {
        let (mut at, mut row_of, mut own) = (Vec::new(), Vec::new(), Vec::new());
        for cluster in range {
            let mut sum = vec![0.0; size];
            sum[all] = clusters.shift[cluster];
            for row in members.of(cluster) {
                scores(*row as usize, &mut at, &mut row_of, &mut own);
                for (c, v) in &own {
                    sum[*c] += v;
                }
            }
            for (c, vc) in sum.iter().enumerate().filter(|(_, v)| **v != 0.0) {
                for (out, vd) in out[c * size..].iter_mut().zip(&sum) {
                    *out += vc * vd;
                }
            }
        }
    });
    (sums, size)
}

#[cfg(test)]
mod tests {
    use super::super::level::{ObservationClusters, Sieves};
    use super::super::sieve::{Sieve, SieveBasis};
    use super::*;
    use crate::base::splines::Splines;

    /// The sum over clusters of the products of what their observations, and their shift, make of the coefficients.
    #[test]
    fn clusters_are_summed_before_they_are_squared() {
        let n = 60;
        let of: Vec<u32> = (0..n).map(|i| (7 * i) % 11).collect();
        // The last cluster has no observation.
        let shift: Vec<f64> = (0..12).map(|g| 0.01 * f64::from(g) - 0.05).collect();
        let x: Vec<f64> = (0..n).map(|i| f64::from(i) / f64::from(n - 1)).collect();
        let y: Vec<f64> = (0..n).map(|i| f64::from(i * i % 17)).collect();
        let weights: Vec<f64> = (0..n).map(|i| 1.0 + f64::from(i % 3)).collect();
        let x = [x];
        let clusters = Some(ObservationClusters { of: &of, shift: &shift });
        let data = Observations { y: &y, x: &x, w: None, weights: Some(&weights), clusters };
        let level = |points: &[f64]| {
            let splines = vec![Splines::new(2, points).unwrap()];
            let x = Sieve { basis: SieveBasis::Tensor, splines };
            SieveLevel::new(&data, Sieves { x, w: None }).unwrap()
        };
        let levels = SieveLevels::new(
            &data,
            vec![level(&[0.0, 1.0]), level(&[0.0, 0.4, 1.0])],
            Residuals::Plain,
        );
        let m = levels.len();
        let mut influence = vec![vec![0.0; m]; shift.len()];
        for (sum, shift) in influence.iter_mut().zip(&shift) {
            sum.fill(*shift);
        }
        for (level, first) in levels.levels.iter().zip(&levels.first) {
            let j = level.len();
            for (row, cluster) in of.iter().enumerate() {
                let psi = level.sieves.x.splines[0].row(x[0][row], 0);
                let fitted: f64 = psi.iter().zip(&level.beta).map(|(p, b)| p * b).sum();
                for a in 0..j {
                    let direction: f64 = (0..j).map(|b| level.map[a * j + b] * psi[b]).sum();
                    influence[*cluster as usize][first + a] +=
                        direction * weights[row] * (y[row] - fitted);
                }
            }
        }
        for a in 0..m {
            for b in 0..m {
                let expected: f64 = influence.iter().map(|sum| sum[a] * sum[b]).sum();
                let found = levels.covariance[a * m + b];
                assert!((found - expected).abs() < 1e-10, "{a}, {b}: {found}, {expected}");
            }
        }
    }
}
