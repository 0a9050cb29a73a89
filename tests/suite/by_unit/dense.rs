//! An independent program: weighted least squares on written-out columns by Gaussian elimination, and sums of scores by cluster.

use std::collections::{BTreeMap, BTreeSet};

/// A regression whose columns are all written out.
#[derive(Default)]
pub struct Dense {
    /// Rows of regressors, `[n][k]`, without indicators.
    pub x: Vec<Vec<f64>>,
    pub y: Vec<f64>,
    pub w: Vec<f64>,
    /// Levels of effects, `[n][factors]`.
    pub levels: Vec<Vec<i64>>,
    pub clusters: Vec<i64>,
}

/// What a regression gives for its regressors without indicators.
pub struct Estimated {
    pub coefficients: Vec<f64>,
    /// `G / (G - 1) (N - 1) / (N - K) Σ_c s_c s_c'`.
    pub covariance: Vec<Vec<f64>>,
    pub rows: usize,
}

impl Dense {
    pub fn push(&mut self, x: Vec<f64>, y: f64, w: f64, levels: Vec<i64>, cluster: i64) {
        self.x.push(x);
        self.y.push(y);
        self.w.push(w);
        self.levels.push(levels);
        self.clusters.push(cluster);
    }

    /// Regressors with an indicator for each level, but for those that depend on others.
    fn columns(&self) -> Vec<Vec<f64>> {
        let k = self.x.first().map_or(0, Vec::len);
        let mut columns: Vec<Vec<f64>> =
            (0..k).map(|j| self.x.iter().map(|row| row[j]).collect()).collect();
        for f in 0..self.levels.first().map_or(0, Vec::len) {
            let levels: BTreeSet<i64> = self.levels.iter().map(|row| row[f]).collect();
            // The first factor has all its levels, others one less.
            for level in levels.into_iter().skip(usize::from(f > 0)) {
                let is = |row: &Vec<i64>| f64::from(u8::from(row[f] == level));
                columns.push(self.levels.iter().map(is).collect());
            }
        }
        columns
    }

    /// How many columns do not depend on others before them.
    pub fn rank(&self) -> usize {
        self.independent().len()
    }

    /// Numbers of the columns that do not depend on others before them, indicators first, by Gram and Schmidt.
    fn independent(&self) -> Vec<usize> {
        let columns = self.columns();
        let own = self.x.first().map_or(0, Vec::len);
        let (mut basis, mut kept): (Vec<Vec<f64>>, Vec<usize>) = (Vec::new(), Vec::new());
        for at in (own..columns.len()).chain(0..own) {
            let column = &columns[at];
            let mut left = column.clone();
            for _ in 0..2 {
                for b in &basis {
                    let dot: f64 = left.iter().zip(b).map(|(a, b)| a * b).sum();
                    left.iter_mut().zip(b).for_each(|(l, b)| *l -= dot * b);
                }
            }
            let [size, all] = [&left, column].map(|v| v.iter().map(|v| v * v).sum::<f64>());
            if size > 1e-12 * all {
                basis.push(left.iter().map(|v| v / size.sqrt()).collect());
                kept.push(at);
            }
        }
        kept.sort_unstable();
        kept
    }

    /// Coefficients and covariance are 0 where a regressor depends on others.
    pub fn fit(&self) -> Estimated {
        let (all, kept) = (self.columns(), self.independent());
        let columns: Vec<Vec<f64>> = kept.iter().map(|at| all[*at].clone()).collect();
        let (n, k) = (self.y.len(), columns.len());
        let dot = |a: &[f64], b: &[f64]| -> f64 { (0..n).map(|i| self.w[i] * a[i] * b[i]).sum() };
        let gram: Vec<Vec<f64>> =
            columns.iter().map(|a| columns.iter().map(|b| dot(a, b)).collect()).collect();
        let inverse = inverse(gram);
        let right: Vec<f64> = columns.iter().map(|a| dot(a, &self.y)).collect();
        let times = |m: &[Vec<f64>], v: &[f64]| -> Vec<f64> {
            m.iter().map(|row| row.iter().zip(v).map(|(a, b)| a * b).sum()).collect()
        };
        let b = times(&inverse, &right);
        let mut scores: BTreeMap<i64, Vec<f64>> = BTreeMap::new();
        for i in 0..n {
            let fitted: f64 = columns.iter().zip(&b).map(|(column, b)| column[i] * b).sum();
            let sum = scores.entry(self.clusters[i]).or_insert_with(|| vec![0.0; k]);
            for (sum, column) in sum.iter_mut().zip(&columns) {
                *sum += self.w[i] * column[i] * (self.y[i] - fitted);
            }
        }
        let g = scores.len() as f64;
        let factor = g / (g - 1.0) * (n as f64 - 1.0) / (n - k) as f64;
        let own = self.x[0].len();
        let place: Vec<Option<usize>> =
            (0..own).map(|at| kept.iter().position(|of| *of == at)).collect();
        let mut covariance = vec![vec![0.0; own]; own];
        for score in scores.values() {
            let psi = times(&inverse, score);
            for (a, i) in place.iter().enumerate() {
                for (b, j) in place.iter().enumerate() {
                    if let (Some(i), Some(j)) = (i, j) {
                        covariance[a][b] += factor * psi[*i] * psi[*j];
                    }
                }
            }
        }
        let coefficients = place.iter().map(|at| at.map_or(0.0, |at| b[at])).collect();
        Estimated { coefficients, covariance, rows: n }
    }
}

/// By Gauss and Jordan, with pivots.
pub fn inverse(mut a: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let k = a.len();
    for (i, row) in a.iter_mut().enumerate() {
        row.extend((0..k).map(|j| f64::from(u8::from(i == j))));
    }
    for p in 0..k {
        let pivot = (p..k).max_by(|i, j| a[*i][p].abs().total_cmp(&a[*j][p].abs())).unwrap();
        a.swap(p, pivot);
        let by = a[p][p];
        a[p].iter_mut().for_each(|v| *v /= by);
        let own = a[p].clone();
        for (_, row) in a.iter_mut().enumerate().filter(|(i, _)| *i != p) {
            let by = row[p];
            row.iter_mut().zip(&own).for_each(|(v, own)| *v -= by * own);
        }
    }
    a.into_iter().map(|row| row[k..].to_vec()).collect()
}
