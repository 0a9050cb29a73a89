//! Covariance of the coefficients.

use faer::MatRef;

use super::columns::FitColumns;
use super::options::{GDf, Ssc, Vcov};
use super::sums;
use crate::base::spectrum::{Spectrum, row_major};

/// What a covariance is made of. Columns and residuals are multiplied by the roots of the weights.
pub(super) struct Scores<'a> {
    pub columns: &'a FitColumns,
    pub residuals: &'a [f64],
    /// Inverse of their cross-products, `[k, k]`.
    pub bread: &'a [f64],
    /// Matrix `[k, k]` that turns coefficients of the columns into coefficients of the regressors; `None` if they are the same.
    pub back: Option<&'a [f64]>,
    /// Residual sum of squares, or the dispersion times `n - 1` where the bread is the inverse information.
    pub rss: f64,
    /// Clusters by row, and how many there are: none, of one factor, or of both and of the two together.
    pub clusters: &'a [(Vec<u32>, usize)],
    /// What the computation may leave of scores whose sum in a cluster is zero, as a part of their absolute values.
    pub error: f64,
    /// What rounding may leave of residuals that are zero: the length of all.
    pub rounding: f64,
    /// Leverage of fixed effects by row, which that of the columns adds to; `None` if there are none or it is not known.
    pub fixed_leverage: Option<Vec<f64>>,
}

/// A covariance `[k, k]`, and whether it had to be made positive.
pub(super) struct Covariance {
    pub matrix: Vec<f64>,
    pub repaired: bool,
    /// Rows with a leverage of one, with which there is no covariance by leverage.
    pub full_leverage: usize,
    /// What its rank cannot exceed, if that is less than the number of rows: sums over clusters add up to zero.
    pub rank: Option<usize>,
}

/// What rounding may leave of one minus a leverage of one.
const FULL: f64 = 1e-10;

/// A variance that a repair reduces to less than this share of itself counts as zero.
const LEFT: f64 = 1e-9;

/// How much more than estimated rounding may leave of residuals.
const ROUNDINGS: f64 = 16.0;

/// What rounding may leave of a difference of variances, as a part of these: at least and at most.
const ROUNDING: f64 = 1e-12;
const ROUNDED: f64 = 1e-6;

impl Scores<'_> {
    /// The covariance with its corrections for small samples; `k` counts the parameters.
    pub fn covariance(&self, vcov: &Vcov, ssc: &Ssc, k: usize) -> Covariance {
        let n = self.residuals.len() as f64;
        let parameters = if ssc.k_adj { (n - 1.0) / (n - k as f64) } else { 1.0 };
        // Rows are no clusters, so that `g_adj` says nothing of them.
        let rows = if ssc.k_adj { n / (n - k as f64) } else { 1.0 };
        let (mut repaired, mut full_leverage, mut rank) = (false, 0, None);
        let matrix = match vcov {
            Vcov::Iid => {
                scaled(&self.of_regressors(self.bread.to_vec()), parameters * self.rss / (n - 1.0))
            }
            Vcov::Hetero => scaled(&self.by_rows(self.residuals), rows),
            Vcov::Hc2 | Vcov::Hc3 => {
                let mut e = self.columns.quadratic(self.bread);
                if let Some(fixed) = &self.fixed_leverage {
                    sums::update(&mut e, |row, leverage| leverage + fixed[row]);
                }
                // A whole leverage corrects for small samples by itself, as in R `fixest`.
                let rows = if self.fixed_leverage.is_some() { 1.0 } else { rows };
                let half = *vcov == Vcov::Hc2;
                // A row that fixed effects fit alone says nothing of the coefficients, as if it were not there.
                let is_fitted = |row: usize| {
                    self.fixed_leverage.as_ref().is_some_and(|fixed| 1.0 - fixed[row] < FULL)
                };
                let is_full =
                    |(row, leverage): &(usize, &f64)| 1.0 - **leverage < FULL && !is_fitted(*row);
                full_leverage = e.iter().enumerate().filter(is_full).count();
                sums::update(&mut e, |row, leverage| match is_fitted(row) {
                    true => 0.0,
                    false => {
                        let left = 1.0 - leverage;
                        self.residuals[row] / if half { left.sqrt() } else { left }
                    }
                });
                scaled(&self.by_rows(&e), rows)
            }
            Vcov::Cluster(_) => {
                let (matrix, is_repaired) = self.clustered(ssc);
                repaired = is_repaired;
                rank = Some(self.clusters.iter().map(|(_, count)| count - 1).sum());
                scaled(&matrix, parameters)
            }
        };
        Covariance { matrix, repaired, full_leverage, rank }
    }

    /// `Σ_i h_i h_i'` of each row's influence `h_i` on the coefficients, with residuals `e`: what [`clustered`](Self::clustered) is with a
    /// cluster for each row.
    fn by_rows(&self, e: &[f64]) -> Vec<f64> {
        let influence = self.influence();
        let mut total = self.columns.row_products(e, &influence);
        let rounding = self.rounding_of_variances(e, &influence);
        without_rounding(&mut total, &rounding);
        total
    }

    /// `V₁ + V₂ - V₁₂`, or of one factor `V₁`; and whether it had to be made positive.
    ///
    /// It is formed of the clusters' influence on the coefficients, so that it is a sum of squares for each factor. What rounding
    /// leaves of a variance of zero is zero, and is never taken for a negative variance.
    fn clustered(&self, ssc: &Ssc) -> (Vec<f64>, bool) {
        let k = self.columns.count();
        let smallest = self.clusters.iter().map(|c| c.1).min().unwrap_or(0);
        let influence = self.influence();
        let (mut total, mut parts) = (vec![0.0; k * k], vec![0.0; k]);
        for (index, (codes, count)) in self.clusters.iter().enumerate() {
            let g = if ssc.g_df == GDf::Min { smallest } else { *count } as f64;
            let adjusted = if ssc.g_adj { g / (g - 1.0) } else { 1.0 };
            let sign = if index == 2 { -adjusted } else { adjusted };
            let part = self.columns.cluster_products(self.residuals, codes, *count, &influence);
            parts.iter_mut().enumerate().for_each(|(j, p)| *p += adjusted * part[j * k + j]);
            total.iter_mut().zip(part).for_each(|(t, v)| *t += sign * v);
        }
        let mut rounding = self.rounding_of_variances(self.residuals, &influence);
        if self.clusters.len() > 1 {
            let length = sums::inner(self.residuals, self.residuals).sqrt();
            let of_parts = (ROUNDINGS * self.rounding / length).clamp(ROUNDING, ROUNDED);
            rounding
                .iter_mut()
                .zip(&parts)
                .for_each(|(rounding, part)| *rounding += of_parts * part);
        }
        without_rounding(&mut total, &rounding);
        match positive(&total, &parts) {
            Some(fixed) => (fixed, true),
            None => (total, false),
        }
    }

    /// What rounding and the projection of fixed effects may leave of variances of zero, `[k]`: of influence that adds up to zero in a
    /// row or cluster, and of residuals `e` that are zero where a coefficient is decided.
    fn rounding_of_variances(&self, e: &[f64], influence: &[f64]) -> Vec<f64> {
        let k = self.columns.count();
        let absolute = self.columns.absolute(e);
        let by_coefficient = self.of_regressors(self.bread.to_vec());
        let mean_square = sums::inner(e, e) / e.len() as f64;
        let of_residuals = ROUNDINGS * self.rounding + self.error * mean_square.sqrt();
        let variance = |j: usize| {
            let sums: f64 = (0..k).map(|i| influence[i * k + j].abs() * absolute[i]).sum();
            (self.error * sums).powi(2) + of_residuals.powi(2) * by_coefficient[j * k + j]
        };
        (0..k).map(variance).collect()
    }

    /// What each cluster of the first factor adds to the coefficients, `[k][clusters]`: their products are the covariance by that
    /// factor alone, with its corrections for small samples.
    pub fn by_cluster(&self, ssc: &Ssc, k: usize) -> Vec<Vec<f64>> {
        let Some((codes, count)) = self.clusters.first() else { return Vec::new() };
        let (n, g) = (self.residuals.len() as f64, *count as f64);
        let parameters = if ssc.k_adj { (n - 1.0) / (n - k as f64) } else { 1.0 };
        let adjusted = if ssc.g_adj { g / (g - 1.0) } else { 1.0 };
        let mut influence =
            self.columns.by_cluster(self.residuals, codes, *count, &self.influence());
        let scale = (parameters * adjusted).sqrt();
        influence.iter_mut().flatten().for_each(|value| *value *= scale);
        influence
    }

    /// What a score adds to the coefficients of the regressors, `[k, k]`: one coefficient a column.
    fn influence(&self) -> Vec<f64> {
        let k = self.columns.count();
        let Some(back) = self.back else { return self.bread.to_vec() };
        let product = MatRef::from_row_major_slice(self.bread, k, k)
            * MatRef::from_row_major_slice(back, k, k).transpose();
        row_major(product.as_ref())
    }

    /// The covariance of the regressors' coefficients, from the covariance of the columns' coefficients.
    fn of_regressors(&self, matrix: Vec<f64>) -> Vec<f64> {
        let k = self.columns.count();
        let Some(back) = self.back else { return symmetric(&matrix, k) };
        let back = MatRef::from_row_major_slice(back, k, k);
        let product = back * MatRef::from_row_major_slice(&matrix, k, k) * back.transpose();
        symmetric(&row_major(product.as_ref()), k)
    }
}

/// Sets variances that are no more than rounding to zero, with their covariances.
fn without_rounding(matrix: &mut [f64], rounding: &[f64]) {
    let k = rounding.len();
    let is_zero: Vec<bool> = (0..k).map(|j| matrix[j * k + j].abs() <= rounding[j]).collect();
    for (e, value) in matrix.iter_mut().enumerate() {
        if is_zero[e / k] || is_zero[e % k] {
            *value = 0.0;
        }
    }
}

/// The mean of the two halves, which differ by rounding.
fn symmetric(matrix: &[f64], k: usize) -> Vec<f64> {
    (0..k * k).map(|e| 0.5 * (matrix[e] + matrix[e % k * k + e / k])).collect()
}

fn scaled(matrix: &[f64], scale: f64) -> Vec<f64> {
    matrix.iter().map(|v| v * scale).collect()
}

/// The matrix with its negative eigenvalues at zero, if a variance is negative (Cameron, Gelbach and Miller 2011).
///
/// Differs from R `fixest`, whose least eigenvalue is 1e-10: here the matrix is divided by the variances that its own are sums and
/// differences of first, so that the units of the regressors do not matter; by those that are left it would grow without bound as one of
/// them comes near to zero from below. A variance that the repair leaves at zero is none rather than a tiny one.
fn positive(matrix: &[f64], parts: &[f64]) -> Option<Vec<f64>> {
    let k = parts.len();
    if !(0..k).any(|j| matrix[j * k + j] < 0.0) {
        return None;
    }
    let scale: Vec<f64> = parts.iter().map(|part| part.sqrt()).collect();
    let over = |e: usize| scale[e / k] * scale[e % k];
    let scaled: Vec<f64> =
        (0..k * k).map(|e| if over(e) > 0.0 { matrix[e] / over(e) } else { 0.0 }).collect();
    let spectrum = Spectrum::new(&scaled, k)?;
    let all: Vec<usize> = (0..k).collect();
    let entry = |e: usize| spectrum.entry(&all, (e / k, e % k), |uu, value| uu * value.max(0.0));
    let is_left: Vec<bool> = (0..k).map(|j| entry(j * k + j) > LEFT).collect();
    let repaired =
        |e: usize| if is_left[e / k] && is_left[e % k] { entry(e) * over(e) } else { 0.0 };
    Some((0..k * k).map(repaired).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn covariances_of_a_mean_are_known() {
        // One column of ones: the estimate is a mean of four residuals.
        let (ones, e) = ([1.0; 4], [1.0, -1.0, 2.0, -2.0]);
        let columns = FitColumns::Rows(vec![ones.to_vec()]);
        let clusters = [(vec![0, 0, 1, 1], 2)];
        let scores = Scores {
            columns: &columns,
            residuals: &e,
            bread: &[0.25],
            back: None,
            rss: 10.0,
            clusters: &clusters,
            error: 1e-12,
            rounding: 1e-16,
            fixed_leverage: None,
        };
        let of = |vcov: &Vcov, ssc: &Ssc| scores.covariance(vcov, ssc, 1).matrix[0];
        let ssc = Ssc::default();
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-15, "{a} {b}");
        near(of(&Vcov::Iid, &ssc), 10.0 / 3.0 / 4.0);
        near(of(&Vcov::Hetero, &ssc), 10.0 / 16.0 * 4.0 / 3.0);
        // Every leverage is a quarter.
        near(of(&Vcov::Hc2, &ssc), 10.0 / 16.0 / 0.75 * 4.0 / 3.0);
        near(of(&Vcov::Hc3, &ssc), 10.0 / 16.0 / 0.5625 * 4.0 / 3.0);
        near(of(&Vcov::Cluster(vec![]), &ssc), 0.0);
        let one = FitColumns::Rows(vec![vec![1.0, 0.0, 0.0, 0.0]]);
        let plain = Ssc { k_adj: false, g_adj: false, ..ssc };
        near(of(&Vcov::Hetero, &plain), 10.0 / 16.0);
        near(of(&Vcov::Iid, &plain), 10.0 / 3.0 / 4.0);
        let fixed = Scores { fixed_leverage: Some(vec![0.25; 4]), ..scores };
        near(fixed.covariance(&Vcov::Hc3, &ssc, 1).matrix[0], 10.0 / 16.0 / 0.25);
        let alone = Scores { columns: &one, bread: &[1.0], fixed_leverage: None, ..fixed };
        assert_eq!(alone.covariance(&Vcov::Hc3, &ssc, 1).full_leverage, 1);
    }

    #[test]
    fn negative_variances_are_repaired() {
        let fixed = positive(&[-1.0, 0.0, 0.0, 4.0], &[3.0, 5.0]).unwrap();
        assert!(fixed[0] == 0.0 && (fixed[3] - 4.0).abs() < 1e-14);
        assert!(positive(&[1.0], &[1.0]).is_none());
        // In any units.
        let matrix = [-0.5, 0.3, -0.2, 0.3, 2.0, 0.1, -0.2, 0.1, 1.5];
        let units = [1e-9, 1.0, 1e9];
        let scaled: Vec<f64> = (0..9).map(|e| matrix[e] * units[e / 3] * units[e % 3]).collect();
        let parts = [0.7, 2.0, 1.6];
        let parts_scaled: Vec<f64> = (0..3).map(|j| parts[j] * units[j].powi(2)).collect();
        let plain = positive(&matrix, &parts).unwrap();
        let scaled = positive(&scaled, &parts_scaled).unwrap();
        for e in 0..9 {
            assert!((scaled[e] / (units[e / 3] * units[e % 3]) - plain[e]).abs() < 1e-13);
        }
        assert!(plain[0] > 0.0 && plain[4] > 2.0);
        // However near to zero the negative variance is, the others stay as they are but for what it takes.
        for negative in [1e-2, 1e-5, 1e-9] {
            let fixed = positive(&[-negative, 0.5, 0.5, 1.0], &[1.0, 1.0]).unwrap();
            assert!(fixed[3] > 1.0 && fixed[3] < 1.3, "{negative} {}", fixed[3]);
        }
    }
}
