//! Least squares with every dummy written out, by orthogonal projections; and covariances from the influence of every row.

/// Columns without what earlier ones explain, of length one.
#[derive(Default)]
pub struct Orthonormal(Vec<Vec<f64>>);

/// What is left of a column's sum of squares: more than the first is independent, less than the second is not.
const INDEPENDENT: f64 = 1e-7;
const DEPENDENT: f64 = 1e-18;

pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl Orthonormal {
    /// What the columns do not explain, twice, so that it is orthogonal to the last digit.
    pub fn rest(&self, column: &[f64]) -> Vec<f64> {
        let mut rest = column.to_vec();
        for q in self.0.iter().chain(&self.0) {
            let along = dot(q, &rest);
            rest.iter_mut().zip(q).for_each(|(r, q)| *r -= along * q);
        }
        rest
    }

    /// Adds what is left of a column unless it depends on earlier ones; `None` if that is a matter of rounding.
    pub fn add(&mut self, column: &[f64], size: f64) -> Option<bool> {
        let rest = self.rest(column);
        let left = dot(&rest, &rest);
        let share = if size > 0.0 { left / size } else { 0.0 };
        if share > INDEPENDENT {
            self.append(column);
            return Some(true);
        }
        (share < DEPENDENT).then_some(false)
    }

    /// Adds what is left of a column that is known not to depend on earlier ones.
    pub fn append(&mut self, column: &[f64]) {
        let rest = self.rest(column);
        let norm = dot(&rest, &rest).sqrt();
        self.0.push(rest.into_iter().map(|r| r / norm).collect());
    }

    pub fn columns(&self) -> &[Vec<f64>] {
        &self.0
    }
}

/// Regression of `y` on independent columns, all multiplied by the roots of the weights.
pub struct Regression {
    pub b: Vec<f64>,
    pub residuals: Vec<f64>,
    /// `(X'X)⁻¹`.
    pub bread: Vec<Vec<f64>>,
    /// `(X'X)⁻¹ x` of every row.
    pub influence: Vec<Vec<f64>>,
    pub leverage: Vec<f64>,
}

pub fn regress(x: &[Vec<f64>], y: &[f64]) -> Regression {
    let k = x.len();
    let mut q = Orthonormal::default();
    let mut r = vec![vec![0.0; k]; k];
    for (j, column) in x.iter().enumerate() {
        let rest = q.rest(column);
        let norm = dot(&rest, &rest).sqrt();
        for (i, q) in q.0.iter().enumerate() {
            r[i][j] = dot(q, column);
        }
        r[j][j] = norm;
        q.0.push(rest.into_iter().map(|v| v / norm).collect());
    }
    // Inverse of the triangle.
    let mut inverse = vec![vec![0.0; k]; k];
    for j in 0..k {
        inverse[j][j] = 1.0 / r[j][j];
        for i in (0..j).rev() {
            let sum: f64 = (i + 1..=j).map(|m| r[i][m] * inverse[m][j]).sum();
            inverse[i][j] = -sum / r[i][i];
        }
    }
    let times = |v: &dyn Fn(usize) -> f64| -> Vec<f64> {
        inverse.iter().map(|row| row.iter().enumerate().map(|(j, a)| a * v(j)).sum()).collect()
    };
    let along: Vec<f64> = q.0.iter().map(|q| dot(q, y)).collect();
    let n = y.len();
    Regression {
        b: times(&|j| along[j]),
        residuals: q.rest(y),
        bread: inverse.iter().map(|a| inverse.iter().map(|b| dot(a, b)).collect()).collect(),
        influence: (0..n).map(|i| times(&|j| q.0[j][i])).collect(),
        leverage: (0..n).map(|i| q.0.iter().map(|q| q[i] * q[i]).sum()).collect(),
    }
}

/// `Σ ψ ψ'` of sums of influence times residual, over rows of equal code.
pub fn clustered(influence: &[Vec<f64>], e: &[f64], codes: &[usize]) -> Vec<Vec<f64>> {
    let k = influence.first().map_or(0, Vec::len);
    let clusters = codes.iter().max().map_or(0, |m| m + 1);
    let mut sums = vec![vec![0.0; k]; clusters];
    for ((row, e), code) in influence.iter().zip(e).zip(codes) {
        sums[*code].iter_mut().zip(row).for_each(|(s, v)| *s += v * e);
    }
    let entry = |a: usize, b: usize| sums.iter().map(|s| s[a] * s[b]).sum();
    (0..k).map(|a| (0..k).map(|b| entry(a, b)).collect()).collect()
}

/// Eigenvalues and vectors (by column) of a symmetric matrix, by Jacobi's rotations.
pub fn eigen(a: &[Vec<f64>]) -> (Vec<f64>, Vec<Vec<f64>>) {
    let k = a.len();
    let mut a = a.to_vec();
    let unit = |i: usize| (0..k).map(|j| f64::from(u8::from(i == j))).collect::<Vec<_>>();
    let mut v: Vec<Vec<f64>> = (0..k).map(unit).collect();
    for _ in 0..60 {
        for p in 0..k {
            for q in p + 1..k {
                if a[p][q] == 0.0 {
                    continue;
                }
                let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
                let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
                let t = if theta == 0.0 { 1.0 } else { t };
                let c = 1.0 / (t * t + 1.0).sqrt();
                let s = t * c;
                for row in a.iter_mut().chain(&mut v) {
                    let (x, y) = (row[p], row[q]);
                    (row[p], row[q]) = (c * x - s * y, s * x + c * y);
                }
                let (above, below) = a.split_at_mut(q);
                for (x, y) in above[p].iter_mut().zip(&mut below[0]) {
                    (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
                }
            }
        }
    }
    ((0..k).map(|j| a[j][j]).collect(), v)
}

/// With its negative eigenvalues at zero, once it is divided by these variances.
pub fn positive(v: &[Vec<f64>], variances: &[f64]) -> Vec<Vec<f64>> {
    let k = v.len();
    let size: Vec<f64> = variances.iter().map(|v| v.sqrt()).collect();
    let scaled: Vec<Vec<f64>> =
        (0..k).map(|i| (0..k).map(|j| v[i][j] / size[i] / size[j]).collect()).collect();
    let (values, vectors) = eigen(&scaled);
    let entry = |i: usize, j: usize| -> f64 {
        (0..k).map(|m| vectors[i][m] * vectors[j][m] * values[m].max(0.0)).sum()
    };
    (0..k).map(|i| (0..k).map(|j| entry(i, j) * size[i] * size[j]).collect()).collect()
}
