//! The conditional test of moment inequalities, by all vertices of its dual.
//!
//! `η(y) = max λ'y` over `{ λ ≥ 0, λ'sd = 1, λ'X = 0 }`, the maximum over finitely many vertices. Where `γ` is the best of them and
//! `y` moves along `Σγ/γ'Σγ`, all are linear in `c = γ'y`, so that those `c` for which `γ` stays the best are an interval.

use statrs::distribution::{ContinuousCDF, Normal};

use super::linear::{dot, gauss};

/// `{ δ : A δ <= d }`.
pub struct Set {
    pub a: Vec<Vec<f64>>,
    pub d: Vec<f64>,
}

/// `A δ <= d` for second differences of at most `m`; `pre` periods before the reference.
pub fn smooth(m: f64, pre: usize, post: usize) -> Set {
    let rows = stencils(&[1.0, -2.0, 1.0], pre, post);
    let both = rows.iter().map(|r| scaled(r, 1.0)).chain(rows.iter().map(|r| scaled(r, -1.0)));
    let a: Vec<Vec<f64>> = both.map(|row| without(row, pre)).collect();
    Set { d: vec![m; a.len()], a }
}

/// The sets whose union is that of changes (or changes of slope) after treatment of at most `m` times the largest before.
pub fn relative(stencil: &[f64], m: f64, pre: usize, post: usize) -> Vec<Set> {
    let rows = stencils(stencil, pre, post);
    let before = rows.len() - post;
    let mut sets = Vec::new();
    for largest in 0..before {
        for sign in [1.0, -1.0] {
            let mut a = Vec::new();
            for side in [1.0, -1.0] {
                for (at, row) in rows.iter().enumerate() {
                    let factor = if at < before { sign } else { sign * m };
                    let bound = &rows[largest];
                    let row: Vec<f64> =
                        row.iter().zip(bound).map(|(r, b)| side * r - factor * b).collect();
                    if dot(&row, &row) > 1e-10 {
                        a.push(without(row, pre));
                    }
                }
            }
            sets.push(Set { d: vec![0.0; a.len()], a });
        }
    }
    sets
}

fn stencils(stencil: &[f64], pre: usize, post: usize) -> Vec<Vec<f64>> {
    let periods = pre + post + 1;
    let at = |start: usize| {
        let mut row = vec![0.0; periods];
        row[start..start + stencil.len()].copy_from_slice(stencil);
        row
    };
    (0..=periods - stencil.len()).map(at).collect()
}

fn scaled(row: &[f64], factor: f64) -> Vec<f64> {
    row.iter().map(|r| factor * r).collect()
}

/// Without the reference period.
fn without(mut row: Vec<f64>, pre: usize) -> Vec<f64> {
    row.remove(pre);
    row
}

/// A first stage, at a level of its own.
#[derive(Clone, Debug)]
pub enum First {
    None,
    /// Rejects an `η` above this.
    Largest(f64),
    /// Rejects beyond this interval around the centre with these weights.
    Interval {
        half_length: f64,
        weights: Vec<f64>,
    },
}

/// Whether a value of the parameter is rejected; `None` where rounding decides.
pub type Verdict = Option<bool>;

/// The test of one set.
pub struct Inequalities {
    /// `A β - d`.
    y: Vec<f64>,
    /// Change of that with the parameter.
    along: Vec<f64>,
    a: Vec<Vec<f64>>,
    d: Vec<f64>,
    sd: Vec<f64>,
    /// Covariance of the moments.
    sigma: Vec<Vec<f64>>,
    /// That of the coefficients.
    covariance: Vec<Vec<f64>>,
    beta: Vec<f64>,
    pub vertices: Vec<Vec<f64>>,
    single: bool,
    /// Whether a vertex could not be told from none.
    pub unsure: bool,
}

impl Inequalities {
    /// `all` tests moments without a period after treatment, too, where there is one such period alone.
    pub fn new(set: &Set, beta: &[f64], covariance: &[Vec<f64>], l: &[f64], all: bool) -> Self {
        let (pre, post) = (beta.len() - l.len(), l.len());
        let tested = |row: &&Vec<f64>| (all && post == 1) || row[pre..].iter().any(|a| *a != 0.0);
        let kept: Vec<usize> = (0..set.a.len()).filter(|i| tested(&&set.a[*i])).collect();
        let a: Vec<Vec<f64>> = kept.iter().map(|i| set.a[*i].clone()).collect();
        let d: Vec<f64> = kept.iter().map(|i| set.d[*i]).collect();
        let image = |x: &[f64]| -> Vec<f64> { covariance.iter().map(|row| dot(row, x)).collect() };
        let sigma: Vec<Vec<f64>> = a
            .iter()
            .map(|x| {
                let half = image(x);
                a.iter().map(|z| dot(&half, z)).collect()
            })
            .collect();
        let sd: Vec<f64> = (0..a.len()).map(|i| sigma[i][i].max(0.0).sqrt()).collect();
        let length = dot(l, l);
        let along = a.iter().map(|row| dot(&row[pre..], l) / length).collect();
        let nuisance: Vec<Vec<f64>> = orthogonal(l);
        let x: Vec<Vec<f64>> =
            a.iter().map(|row| nuisance.iter().map(|n| dot(&row[pre..], n)).collect()).collect();
        let y = a.iter().zip(&d).map(|(row, d)| dot(row, beta) - d).collect();
        let (vertices, unsure) = vertices(&sd, &x);
        Self {
            y,
            along,
            a,
            d,
            sd,
            sigma,
            covariance: covariance.to_vec(),
            beta: beta.to_vec(),
            vertices,
            single: post == 1,
            unsure,
        }
    }

    /// `η` of other moments, as of draws.
    pub fn largest(&self, coefficients: &[f64]) -> f64 {
        let y: Vec<f64> = self.a.iter().map(|row| dot(row, coefficients)).collect();
        self.vertices.iter().map(|v| dot(v, &y)).fold(f64::NEG_INFINITY, f64::max)
    }

    pub fn rejects(&self, theta: f64, size: f64, first: &First) -> Verdict {
        let y: Vec<f64> = self.y.iter().zip(&self.along).map(|(y, a)| y - a * theta).collect();
        let values: Vec<f64> = self.vertices.iter().map(|v| dot(v, &y)).collect();
        let (best, eta) = values
            .iter()
            .copied()
            .enumerate()
            .max_by(|a, b| a.1.total_cmp(&b.1))
            .unwrap_or((0, f64::NEG_INFINITY));
        if self.vertices.is_empty() {
            return Some(false);
        }
        let second = values.iter().enumerate().filter(|(i, _)| *i != best).map(|(_, v)| *v);
        let unit = eta.abs().max(1.0);
        if second.fold(f64::NEG_INFINITY, f64::max) > eta - 1e-9 * unit {
            return None;
        }
        let gamma = &self.vertices[best];
        let image: Vec<f64> = self.sigma.iter().map(|row| dot(row, gamma)).collect();
        let variance = dot(gamma, &image);
        if variance < 1e-9 {
            return None;
        }
        let [mut low, mut high] = [f64::NEG_INFINITY, f64::INFINITY];
        // value + (c - eta) slope <= c.
        let mut stays = |value: f64, slope: f64| {
            let limit = eta + (value - eta) / (1.0 - slope);
            if slope < 1.0 - 1e-9 {
                low = low.max(limit);
            } else if slope > 1.0 + 1e-9 {
                high = high.min(limit);
            }
        };
        for (v, value) in self.vertices.iter().zip(&values) {
            stays(*value, dot(v, &image) / variance);
        }
        match first {
            First::None => {}
            First::Largest(limit) => {
                if eta > *limit {
                    return Some(true);
                }
                if !self.single {
                    high = high.min(*limit);
                }
            }
            First::Interval { half_length, weights } => {
                let centre = dot(weights, &self.beta);
                if (centre - theta).abs() > *half_length {
                    return Some(true);
                }
                let moved: Vec<f64> = self.covariance.iter().map(|row| dot(row, weights)).collect();
                let of = |row: &Vec<f64>| dot(row, &moved);
                let slope =
                    self.a.iter().zip(gamma).map(|(row, g)| g * of(row)).sum::<f64>() / variance;
                for side in [1.0, -1.0] {
                    // side · (centre - theta + (c - eta) slope) <= half_length.
                    let room = half_length - side * (centre - theta);
                    if side * slope > 0.0 {
                        high = high.min(eta + room / (side * slope));
                    } else if side * slope < 0.0 {
                        low = low.max(eta + room / (side * slope));
                    }
                }
            }
        }
        let deviation = variance.sqrt();
        let (low, high) = (low.min(eta) / deviation, high.max(eta) / deviation);
        let quantile = truncated(1.0 - size, low, high)?;
        // Of one period after treatment, R compares with zero what bounds are added to.
        let floor = if self.single {
            let j = gamma.iter().position(|g| *g > 0.0).unwrap_or(0);
            -self.d[j] / self.sd[j]
        } else {
            0.0
        };
        let critical = (quantile * deviation).max(floor);
        ((eta - critical).abs() > 1e-7 * unit).then_some(eta > critical)
    }
}

/// Vectors that span what is orthogonal to one.
fn orthogonal(l: &[f64]) -> Vec<Vec<f64>> {
    let mut basis = vec![scaled(l, 1.0 / dot(l, l).sqrt())];
    for j in 0..l.len() {
        let mut v: Vec<f64> = (0..l.len()).map(|i| f64::from(u8::from(i == j))).collect();
        for _ in 0..2 {
            for b in &basis {
                let along = dot(&v, b);
                v.iter_mut().zip(b).for_each(|(v, b)| *v -= along * b);
            }
        }
        let norm = dot(&v, &v).sqrt();
        if norm > 1e-6 && basis.len() < l.len() {
            basis.push(scaled(&v, 1.0 / norm));
        }
    }
    basis.split_off(1)
}

/// Vertices of the dual's set, and whether one of them is a matter of rounding.
fn vertices(sd: &[f64], x: &[Vec<f64>]) -> (Vec<Vec<f64>>, bool) {
    let k = x.first().map_or(0, Vec::len) + 1;
    let mut found: Vec<Vec<f64>> = Vec::new();
    let mut unsure = false;
    let mut chosen: Vec<usize> = (0..k).collect();
    let unit: Vec<f64> = (0..k).map(|i| f64::from(u8::from(i == 0))).collect();
    if k > sd.len() {
        return (found, false);
    }
    loop {
        let system: Vec<Vec<f64>> = (0..k)
            .map(|i| chosen.iter().map(|j| if i == 0 { sd[*j] } else { x[*j][i - 1] }).collect())
            .collect();
        let (weights, rcond) = gauss(&system, &unit);
        if rcond > 1e-12 && weights.iter().all(|w| *w > -1e-11) {
            unsure |= rcond < 1e-8;
            let mut vertex = vec![0.0; sd.len()];
            chosen.iter().zip(&weights).for_each(|(j, w)| vertex[*j] = w.max(0.0));
            let same = |v: &Vec<f64>| {
                v.iter().zip(&vertex).all(|(a, b)| (a - b).abs() < 1e-9 * a.abs().max(1.0))
            };
            if !found.iter().any(same) {
                found.push(vertex);
            }
        }
        // The next choice in lexicographic order.
        let Some(at) = (0..k).rev().find(|i| chosen[*i] < sd.len() - k + i) else { break };
        chosen[at] += 1;
        for i in at + 1..k {
            chosen[i] = chosen[i - 1] + 1;
        }
    }
    (found, unsure)
}

/// Quantile of a standard normal between two numbers; `None` where its tail has too few digits.
fn truncated(p: f64, low: f64, high: f64) -> Option<f64> {
    let law = Normal::standard();
    if low > 6.0 || high < -6.0 {
        return None;
    }
    // In the tail on the side of which both lie.
    if low > 0.0 {
        return Some(-truncated(1.0 - p, -high, -low)?);
    }
    let (a, b) = (law.cdf(low), law.cdf(high));
    if b - a < 1e-12 {
        return None;
    }
    let target = a + p * (b - a);
    let (mut left, mut right) = (low.max(-40.0), high.min(40.0));
    for _ in 0..200 {
        let middle = 0.5 * (left + right);
        if law.cdf(middle) < target {
            left = middle;
        } else {
            right = middle;
        }
    }
    Some(0.5 * (left + right))
}
