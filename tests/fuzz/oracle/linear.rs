//! Weighted least squares by Householder reflections: nothing here forms normal equations.

/// Triangular factor of `Σ w x x'`, columns scaled to norm one: `S R'R S`.
pub struct Factor {
    r: Vec<Vec<f64>>,
    scale: Vec<f64>,
    /// Columns that take part, and how many there are.
    kept: Vec<usize>,
    width: usize,
}

/// Coefficients of a regression and the factor of its cross-products.
pub struct Regression {
    pub beta: Vec<f64>,
    pub factor: Factor,
}

pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Regression of `y` on the rows `x` with weights `w`.
pub fn regress(x: &[&[f64]], w: &[f64], y: &[f64]) -> Regression {
    let root: Vec<f64> = w.iter().map(|w| w.sqrt()).collect();
    let target: Vec<f64> = y.iter().zip(&root).map(|(y, r)| y * r).collect();
    let (factor, rotated) = reflect(x, &root, target);
    let scaled = factor.back(&rotated);
    let beta = scaled.iter().zip(&factor.scale).map(|(b, s)| b / s).collect();
    Regression { beta, factor }
}

/// Factor of `Σ w x x'`.
pub fn factor(x: &[&[f64]], w: &[f64]) -> Factor {
    let root: Vec<f64> = w.iter().map(|w| w.sqrt()).collect();
    let zeros = vec![0.0; x.len()];
    reflect(x, &root, zeros).0
}

/// Reflects the weighted rows to triangular form, and the target with them.
fn reflect(x: &[&[f64]], root: &[f64], mut target: Vec<f64>) -> (Factor, Vec<f64>) {
    let k = x.first().map_or(0, |row| row.len());
    let rows = x.len().max(k);
    target.resize(rows, 0.0);
    let mut columns: Vec<Vec<f64>> = (0..k)
        .map(|j| {
            let mut column: Vec<f64> = x.iter().zip(root).map(|(x, r)| x[j] * r).collect();
            column.resize(rows, 0.0);
            column
        })
        .collect();
    let mut scale = vec![1.0; k];
    for (column, scale) in columns.iter_mut().zip(&mut scale) {
        let norm = dot(column, column).sqrt();
        if norm > 0.0 {
            *scale = norm;
            for v in &mut *column {
                *v /= norm;
            }
        }
    }
    for j in 0..k {
        let norm = dot(&columns[j][j..], &columns[j][j..]).sqrt();
        if norm == 0.0 {
            continue;
        }
        let head = if columns[j][j] > 0.0 { -norm } else { norm };
        let mut v = columns[j][j..].to_vec();
        v[0] -= head;
        let length = dot(&v, &v);
        let mirror = |column: &mut [f64]| {
            let factor = 2.0 * dot(&v, column) / length;
            column.iter_mut().zip(&v).for_each(|(c, v)| *c -= factor * v);
        };
        columns[j..].iter_mut().for_each(|column| mirror(&mut column[j..]));
        mirror(&mut target[j..]);
    }
    let r = (0..k).map(|i| (0..k).map(|j| if j < i { 0.0 } else { columns[j][i] }).collect());
    target.truncate(k);
    (Factor { r: r.collect(), scale, kept: (0..k).collect(), width: k }, target)
}

impl Factor {
    fn k(&self) -> usize {
        self.scale.len()
    }

    /// `R⁻¹ b`.
    fn back(&self, b: &[f64]) -> Vec<f64> {
        let mut z = b.to_vec();
        for i in (0..self.k()).rev() {
            let known: f64 = (i + 1..self.k()).map(|j| self.r[i][j] * z[j]).sum();
            z[i] = (z[i] - known) / self.r[i][i];
        }
        z
    }

    /// `R'⁻¹ b`.
    fn forward(&self, b: &[f64]) -> Vec<f64> {
        let mut z = b.to_vec();
        for i in 0..self.k() {
            let known: f64 = (0..i).map(|j| self.r[j][i] * z[j]).sum();
            z[i] = (z[i] - known) / self.r[i][i];
        }
        z
    }

    /// The same as a factor among `width` columns, of which these are `kept`.
    pub fn among(self, kept: Vec<usize>, width: usize) -> Self {
        Self { kept, width, ..self }
    }

    /// `(Σ w x x')⁻¹ b`, zero for columns that take no part.
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
        let scaled: Vec<f64> = self.kept.iter().zip(&self.scale).map(|(j, s)| b[*j] / s).collect();
        let z = self.back(&self.forward(&scaled));
        let mut all = vec![0.0; self.width];
        self.kept.iter().zip(z.iter().zip(&self.scale)).for_each(|(j, (z, s))| all[*j] = z / s);
        all
    }

    /// `1 / (‖K‖₁ ‖K⁻¹‖₁)` of `K = Σ w x x'` in the units of the columns; 0 if it is singular.
    pub fn reciprocal_condition(&self) -> f64 {
        self.condition_of(&self.scale)
    }

    /// The same with columns of norm one.
    pub fn scaled_reciprocal_condition(&self) -> f64 {
        self.condition_of(&vec![1.0; self.k()])
    }

    fn condition_of(&self, scale: &[f64]) -> f64 {
        let k = self.k();
        let unit = |j: usize| (0..k).map(|i| f64::from(u8::from(i == j))).collect::<Vec<_>>();
        let (mut norm, mut inverse_norm) = (0.0f64, 0.0f64);
        for j in 0..k {
            let product = |i: usize| (0..k).map(|m| self.r[m][i] * self.r[m][j]).sum::<f64>();
            let column: f64 = (0..k).map(|i| (product(i) * scale[i] * scale[j]).abs()).sum();
            let inverse = self.back(&self.forward(&unit(j)));
            let inverse: f64 = (0..k).map(|i| (inverse[i] / scale[i] / scale[j]).abs()).sum();
            norm = norm.max(column);
            inverse_norm = if inverse.is_nan() { f64::NAN } else { inverse_norm.max(inverse) };
        }
        let rcond = 1.0 / (norm * inverse_norm);
        if rcond.is_finite() { rcond } else { 0.0 }
    }
}

/// Columns that are no combination of the ones before them; `None` if that is a matter of rounding. What is left of a column is
/// judged by its size, less a constant's part in it if the first column is one.
pub fn independent(x: &[&[f64]], constant: bool) -> Option<Vec<usize>> {
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let mut kept = Vec::new();
    for j in 0..x.first().map_or(0, |x| x.len()) {
        let mut column: Vec<f64> = x.iter().map(|x| x[j]).collect();
        let size = dot(&column, &column);
        let mut of_itself = size;
        // Twice, so that the rest is orthogonal to the last digit.
        for at in (0..basis.len()).chain(0..basis.len()) {
            let along = dot(&column, &basis[at]);
            column.iter_mut().zip(&basis[at]).for_each(|(c, b)| *c -= along * b);
            if at == 0 && constant {
                of_itself = of_itself.min(dot(&column, &column));
            }
        }
        let rest = dot(&column, &column);
        let share = if of_itself > 1e-24 * size { rest / of_itself } else { 0.0 };
        if size > 0.0 && (1e-17..1e-8).contains(&share) {
            return None;
        }
        if size > 0.0 && share >= 1e-8 {
            kept.push(j);
            for c in &mut *column {
                *c /= rest.sqrt();
            }
            basis.push(column);
        }
    }
    Some(kept)
}

/// Solution of `a x = b` by Gauss with pivoting, and `1 / (‖a‖₁ ‖a⁻¹‖₁)`.
pub fn gauss(a: &[Vec<f64>], b: &[f64]) -> (Vec<f64>, f64) {
    let n = b.len();
    let mut rows: Vec<Vec<f64>> = (0..n)
        .map(|i| {
            let unit = (0..n).map(|j| f64::from(u8::from(i == j)));
            a[i].iter().copied().chain([b[i]]).chain(unit).collect()
        })
        .collect();
    for p in 0..n {
        let best = (p..n).max_by(|i, j| rows[*i][p].abs().total_cmp(&rows[*j][p].abs()));
        rows.swap(p, best.unwrap_or(p));
        let pivot = rows[p].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(i, _)| *i != p) {
            let factor = row[p] / pivot[p];
            row.iter_mut().zip(&pivot).for_each(|(r, v)| *r -= factor * v);
        }
    }
    for (p, row) in rows.iter_mut().enumerate() {
        let pivot = row[p];
        for v in &mut *row {
            *v /= pivot;
        }
    }
    let norm = |entry: &dyn Fn(usize, usize) -> f64| {
        (0..n).map(|j| (0..n).map(|i| entry(i, j).abs()).sum::<f64>()).fold(0.0, f64::max)
    };
    let rcond = 1.0 / (norm(&|i, j| a[i][j]) * norm(&|i, j| rows[i][n + 1 + j]));
    let solution = rows.iter().map(|row| row[n]).collect();
    (solution, if rcond.is_finite() { rcond } else { 0.0 })
}
