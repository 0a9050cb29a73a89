//! The estimators once more, as loops over observations: from the definitions, and for any weights.

/// A row, or the change of a unit (in period 1).
#[derive(Clone, Copy)]
pub struct Observation {
    pub treated: bool,
    pub period: usize,
    pub y: f64,
    pub x: f64,
    pub w: f64,
}

/// `z = (1, x)`.
pub fn z(o: &Observation) -> [f64; 2] {
    [1.0, o.x]
}

/// `z'v`.
pub fn predict(o: &Observation, v: &[f64]) -> f64 {
    v[0] + v[1] * o.x
}

/// `σ_t`.
pub fn sign(period: usize) -> f64 {
    if period == 1 { 1.0 } else { -1.0 }
}

/// Solves `a x = b` by elimination.
pub fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let k = b.len();
    for p in 0..k {
        let largest = (p..k).max_by(|i, j| a[*i][p].abs().total_cmp(&a[*j][p].abs())).unwrap();
        a.swap(p, largest);
        b.swap(p, largest);
        for i in (0..k).filter(|i| *i != p) {
            let (factor, pivot) = (a[i][p] / a[p][p], a[p].clone());
            a[i].iter_mut().zip(pivot).for_each(|(a, pivot)| *a -= factor * pivot);
            b[i] -= factor * b[p];
        }
    }
    (0..k).map(|p| b[p] / a[p][p]).collect()
}

/// Least squares of outcomes on regressors, by observations `(weight, outcome, regressors)`.
pub fn regress(observations: impl Iterator<Item = (f64, f64, Vec<f64>)>) -> Vec<f64> {
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for (w, y, g) in observations {
        a.resize(g.len(), vec![0.0; g.len()]);
        b.resize(g.len(), 0.0);
        b.iter_mut().zip(&g).for_each(|(b, g)| *b += w * g * y);
        add_square(&mut a, w, &g);
    }
    solve(a, b)
}

/// `a += w g g'`.
fn add_square(a: &mut [Vec<f64>], w: f64, g: &[f64]) {
    for (row, gi) in a.iter_mut().zip(g) {
        row.iter_mut().zip(g).for_each(|(a, gj)| *a += w * gi * gj);
    }
}

pub fn propensity(o: &Observation, gamma: &[f64]) -> f64 {
    1.0 / (1.0 + (-predict(o, gamma)).exp())
}

/// `q`, of a comparison row; 0 from this propensity score on.
pub fn odds(o: &Observation, gamma: &[f64], trim: f64) -> f64 {
    if propensity(o, gamma) < trim { predict(o, gamma).exp() } else { 0.0 }
}

/// `Σ w p (1 - p) z z'`.
pub fn information(observations: &[Observation], gamma: &[f64]) -> Vec<Vec<f64>> {
    let mut sum = vec![vec![0.0; 2]; 2];
    for o in observations {
        let p = propensity(o, gamma);
        add_square(&mut sum, o.w * p * (1.0 - p), &z(o));
    }
    sum
}

/// Maximum likelihood of a logit, by Newton's iteration.
pub fn logit(observations: &[Observation]) -> Vec<f64> {
    let score = |gamma: &[f64]| -> Vec<f64> {
        let of = |i: usize| {
            let of = |o: &Observation| f64::from(u8::from(o.treated)) - propensity(o, gamma);
            observations.iter().map(|o| o.w * of(o) * z(o)[i]).sum()
        };
        (0..2).map(of).collect()
    };
    iterate(|gamma| solve(information(observations, gamma), score(gamma)))
}

/// `γ` with `Σ_C w e^(z'γ) z = Σ_T w z`, by Newton's iteration from the likelihood's.
pub fn calibrate(observations: &[Observation]) -> Vec<f64> {
    let step = |gamma: &[f64]| {
        let (mut a, mut b) = (vec![vec![0.0; 2]; 2], vec![0.0; 2]);
        for o in observations {
            let q = predict(o, gamma).exp();
            let w = o.w * if o.treated { 1.0 } else { -q };
            b.iter_mut().zip(z(o)).for_each(|(b, z)| *b += w * z);
            if !o.treated {
                add_square(&mut a, o.w * q, &z(o));
            }
        }
        solve(a, b)
    };
    iterate(step)
}

fn iterate(step: impl Fn(&[f64]) -> Vec<f64>) -> Vec<f64> {
    let mut gamma = vec![0.0, 0.0];
    for _ in 0..40 {
        let step = step(&gamma);
        gamma.iter_mut().zip(step).for_each(|(g, s)| *g += s);
    }
    gamma
}

/// The regression `β` of these observations, weighted.
pub fn beta<'a>(
    observations: impl Iterator<Item = &'a Observation>,
    weight: impl Fn(&Observation) -> f64,
) -> Vec<f64> {
    regress(observations.map(|o| (weight(o), o.y, z(o).to_vec())))
}

/// Weighted mean of a value over observations.
pub fn mean<'a>(
    observations: impl Iterator<Item = &'a Observation>,
    weight: impl Fn(&Observation) -> f64,
    value: impl Fn(&Observation) -> f64,
) -> f64 {
    let (mut sum, mut total) = (0.0, 0.0);
    for o in observations {
        sum += weight(o) * value(o);
        total += weight(o);
    }
    sum / total
}

/// What the estimate changes by if the log of one observation's weight does: `u`, by central differences.
pub fn derivatives(observations: &[Observation], att: impl Fn(&[Observation]) -> f64) -> Vec<f64> {
    const STEP: f64 = 1e-4;
    let at = |i: usize, change: f64| {
        let mut changed = observations.to_vec();
        changed[i].w *= change.exp();
        att(&changed)
    };
    (0..observations.len()).map(|i| (at(i, STEP) - at(i, -STEP)) / (2.0 * STEP)).collect()
}
