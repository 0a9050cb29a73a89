//! Normals in the order of integration.

use super::interval::Interval;

/// Normals in the order in which the least probable interval given those before comes first (Gibson, Glasbey and Elston 1994), with
/// the factor of their correlation.
#[derive(Debug)]
pub(super) struct Ordered {
    /// Which normal stands where.
    order: Vec<usize>,
    /// Lower triangular, row after row.
    factor: Vec<Vec<f64>>,
    /// The box.
    lower: Vec<f64>,
    upper: Vec<f64>,
}

impl Ordered {
    pub fn new(correlation: &[f64], lower: &[f64], upper: &[f64]) -> Self {
        let k = lower.len();
        let mut order: Vec<usize> = (0..k).collect();
        let mut factor: Vec<Vec<f64>> = vec![vec![0.0; k]; k];
        let mut expected: Vec<f64> = Vec::with_capacity(k);
        for i in 0..k {
            let deviation = |row: &[f64]| {
                let known: f64 = row[..i].iter().map(|l| l * l).sum();
                (1.0 - known).max(f64::MIN_POSITIVE).sqrt()
            };
            let interval = |place: usize| {
                let (row, own): (&[f64], usize) = (&factor[place], order[place]);
                let known: f64 = row[..i].iter().zip(&expected).map(|(l, y)| l * y).sum();
                let deviation = deviation(row);
                Interval::new((lower[own] - known) / deviation, (upper[own] - known) / deviation)
            };
            let by_mass = |a: &usize, b: &usize| interval(*a).mass.total_cmp(&interval(*b).mass);
            let least = (i..k).min_by(by_mass).unwrap_or(i);
            let mean = interval(least).mean();
            let pivot = deviation(&factor[least]);
            order.swap(i, least);
            factor.swap(i, least);
            expected.push(mean);
            factor[i][i] = pivot;
            for below in i + 1..k {
                let known: f64 = (0..i).map(|j| factor[below][j] * factor[i][j]).sum();
                factor[below][i] = (correlation[order[below] * k + order[i]] - known) / pivot;
            }
        }
        let of = |ends: &[f64]| order.iter().map(|own| ends[*own]).collect();
        Self { lower: of(lower), upper: of(upper), order, factor }
    }

    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Ends of the interval of `Y_i` given those before it.
    pub fn ends(&self, i: usize, before: &[f64]) -> (f64, f64) {
        let row = &self.factor[i];
        let known: f64 = row[..i].iter().zip(before).map(|(l, y)| l * y).sum();
        ((self.lower[i] - known) / row[i], (self.upper[i] - known) / row[i])
    }

    /// Means of the normals, in the order in which they were given, from those of `Y`.
    pub fn means(&self, y: &[f64]) -> Vec<f64> {
        let mut means = vec![0.0; self.len()];
        for (row, own) in self.factor.iter().zip(&self.order) {
            means[*own] = row.iter().zip(y).map(|(l, y)| l * y).sum();
        }
        means
    }
}
