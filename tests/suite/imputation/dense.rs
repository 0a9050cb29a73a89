//! A dense program, which shares nothing with the library: all parameters are columns of one matrix, and an orthonormal basis of these is
//! formed column by column.

use std::collections::BTreeMap;

use burn_did::Imputation;
use burn_did::imputation::{AveragedBy, PretrendTimes, StageTerm};
use polars::prelude::*;

use super::{imputation, near, of, random};
use crate::support::frames::{floats, with};
use crate::support::splitmix::SplitMix64;

/// The rows of a design.
pub(super) struct Rows {
    pub(super) n: usize,
    pub(super) y: Vec<f64>,
    pub(super) w: Vec<f64>,
    pub(super) treated: Vec<bool>,
    pub(super) group: Vec<f64>,
    pub(super) time: Vec<f64>,
    pub(super) cluster: Vec<f64>,
    pub(super) a: Vec<f64>,
    /// All parameters, by row.
    pub(super) z: Vec<Vec<f64>>,
}

/// What the columns of the regression are.
#[derive(Clone, Default)]
pub(super) struct Model {
    pub(super) factors: Vec<&'static str>,
    pub(super) trends: bool,
    pub(super) covariate: bool,
    pub(super) weights: bool,
    pub(super) cluster: &'static str,
}

/// An orthonormal basis of the untreated rows' columns, times the roots of the weights.
pub(super) struct Basis {
    kept: Vec<usize>,
    q: Vec<Vec<f64>>,
    /// `R`, column by column.
    r: Vec<Vec<f64>>,
    /// Columns that follow from earlier ones: which, and the combination of all that is zero.
    null: Vec<Vec<f64>>,
}

impl Rows {
    /// The rows that can be imputed, and the untreated ones.
    pub(super) fn new(df: &DataFrame, model: &Model) -> Self {
        let column = |name: &str| floats(df, name);
        let (time, g) = (column("t"), column("g"));
        let n = time.len();
        let mut z = vec![Vec::new(); n];
        let mut add = |value: &dyn Fn(usize) -> f64| {
            z.iter_mut().enumerate().for_each(|(row, z)| z.push(value(row)));
        };
        for factor in &model.factors {
            let values = column(factor);
            let mut levels = values.clone();
            levels.sort_by(f64::total_cmp);
            levels.dedup();
            for level in levels {
                add(&|row| f64::from(u8::from(values[row] == level)));
                if model.trends && *factor == "id" {
                    add(&|row| if values[row] == level { time[row] } else { 0.0 });
                }
            }
        }
        if model.covariate {
            let x = column("x");
            add(&|row| x[row]);
        }
        let treated = (0..n).map(|row| g[row] > 0.0 && time[row] >= g[row]).collect();
        let w = if model.weights { column("w") } else { vec![1.0; n] };
        let group = g.iter().map(|g| if *g > 0.0 { *g } else { f64::INFINITY }).collect();
        let (y, cluster, a) = (column("y"), column(model.cluster), column("a"));
        let mut rows = Self { n, y, w, treated, group, time, cluster, a, z };
        let basis = rows.basis();
        let can = |row: usize| {
            !rows.treated[row] || basis.null.iter().all(|null| dot(null, &rows.z[row]).abs() < 1e-7)
        };
        let kept: Vec<bool> = (0..n).map(can).collect();
        rows.keep(&kept);
        rows
    }

    fn keep(&mut self, kept: &[bool]) {
        fn of<T>(values: &mut Vec<T>, kept: &[bool]) {
            let mut kept = kept.iter();
            values.retain(|_| *kept.next().unwrap());
        }
        for values in [
            &mut self.y,
            &mut self.w,
            &mut self.group,
            &mut self.time,
            &mut self.cluster,
            &mut self.a,
        ] {
            of(values, kept);
        }
        of(&mut self.treated, kept);
        of(&mut self.z, kept);
        self.n = self.y.len();
    }

    pub(super) fn basis(&self) -> Basis {
        let untreated: Vec<usize> = (0..self.n).filter(|row| !self.treated[*row]).collect();
        let p = self.z[0].len();
        let mut basis = Basis { kept: vec![], q: vec![], r: vec![], null: vec![] };
        for j in 0..p {
            let own: Vec<f64> =
                untreated.iter().map(|row| self.z[*row][j] * self.w[*row].sqrt()).collect();
            let (mut left, mut r) = (own.clone(), vec![0.0; basis.q.len()]);
            // Twice is enough.
            for _ in 0..2 {
                for (k, q) in basis.q.iter().enumerate() {
                    let part = dot(q, &left);
                    r[k] += part;
                    left.iter_mut().zip(q).for_each(|(l, q)| *l -= part * q);
                }
            }
            let norm = dot(&left, &left).sqrt();
            if norm <= 1e-9 * dot(&own, &own).sqrt() || norm == 0.0 {
                let mut null = vec![0.0; p];
                null[j] = 1.0;
                for (k, b) in basis.kept.iter().zip(back(&basis.r, &r)) {
                    null[*k] = -b;
                }
                basis.null.push(null);
                continue;
            }
            r.push(norm);
            basis.q.push(left.iter().map(|l| l / norm).collect());
            basis.r.push(r);
            basis.kept.push(j);
        }
        basis
    }

    /// Outcome less what untreated rows predict.
    pub(super) fn residuals(&self, basis: &Basis) -> Vec<f64> {
        let untreated = (0..self.n).filter(|row| !self.treated[*row]);
        let y: Vec<f64> = untreated.map(|row| self.y[row] * self.w[row].sqrt()).collect();
        let mut left = y;
        let mut parts = Vec::new();
        for q in &basis.q {
            let part = dot(q, &left);
            left.iter_mut().zip(q).for_each(|(l, q)| *l -= part * q);
            parts.push(part);
        }
        let b = back(&basis.r, &parts);
        let fitted = |row: usize| -> f64 {
            basis.kept.iter().zip(&b).map(|(j, b)| self.z[row][*j] * b).sum()
        };
        (0..self.n).map(|row| self.y[row] - fitted(row)).collect()
    }

    /// The weights of outcomes in `Σ p r`.
    pub(super) fn weights(&self, basis: &Basis, p: &[f64]) -> Vec<f64> {
        let q = |j: usize| (0..self.n).map(|row| p[row] * self.z[row][j]).sum::<f64>();
        let q: Vec<f64> = basis.kept.iter().map(|j| q(*j)).collect();
        // R'u = q, and then the fitted values are Q u.
        let mut u: Vec<f64> = Vec::new();
        for (k, column) in basis.r.iter().enumerate() {
            let known: f64 = column[..k].iter().zip(&u).map(|(r, u)| r * u).sum();
            u.push((q[k] - known) / column[k]);
        }
        let mut v = p.to_vec();
        let untreated = (0..self.n).filter(|row| !self.treated[*row]);
        for (at, row) in untreated.enumerate() {
            let fitted: f64 = basis.q.iter().zip(&u).map(|(q, u)| q[at] * u).sum();
            v[row] -= self.w[row].sqrt() * fitted;
        }
        v
    }

    /// Weights of the mean of some rows.
    pub(super) fn mean(&self, is_meant: impl Fn(usize) -> bool) -> Vec<f64> {
        let own: Vec<f64> =
            (0..self.n).map(|row| if is_meant(row) { self.w[row] } else { 0.0 }).collect();
        let total: f64 = own.iter().sum();
        own.iter().map(|own| own / total).collect()
    }
}

/// Coefficients `b` with `R b = c`, of columns down to the diagonal.
fn back(r: &[Vec<f64>], c: &[f64]) -> Vec<f64> {
    let mut b = c.to_vec();
    for i in (0..b.len()).rev() {
        let known: f64 = (i + 1..b.len()).map(|j| r[j][i] * b[j]).sum();
        b[i] = (b[i] - known) / r[i][i];
    }
    b
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Sums of rows by cluster.
pub(super) fn by_cluster(rows: &Rows, values: &[f64]) -> Vec<f64> {
    let mut sums: BTreeMap<i64, f64> = BTreeMap::new();
    for (cluster, value) in rows.cluster.iter().zip(values) {
        *sums.entry(*cluster as i64).or_default() += value;
    }
    sums.into_values().collect()
}

/// The conservative influence values of a target.
fn influence(rows: &Rows, v: &[f64], r: &[f64], by: AveragedBy, leave_out: bool) -> Vec<f64> {
    let cell = |row: usize| -> (i64, i64) {
        let (group, time) = (rows.group[row] as i64, rows.time[row] as i64);
        match by {
            AveragedBy::Group => (group, 0),
            AveragedBy::Time => (time, 0),
            AveragedBy::EventTime => (time - group, 0),
            AveragedBy::All => (0, 0),
            _ => (group, time),
        }
    };
    let mut cells: BTreeMap<(i64, i64), BTreeMap<i64, Vec<usize>>> = BTreeMap::new();
    for row in (0..rows.n).filter(|row| rows.treated[*row]) {
        let clusters = cells.entry(cell(row)).or_default();
        clusters.entry(rows.cluster[row] as i64).or_default().push(row);
    }
    let mut parts: Vec<f64> =
        (0..rows.n).map(|row| if rows.treated[row] { 0.0 } else { v[row] * r[row] }).collect();
    for clusters in cells.values() {
        let a = |of: &Vec<usize>| of.iter().map(|row| v[*row]).sum::<f64>();
        let s = |of: &Vec<usize>| of.iter().map(|row| v[*row] * r[*row]).sum::<f64>();
        let all: f64 = clusters.values().map(|of| a(of).powi(2)).sum();
        if all == 0.0 {
            continue;
        }
        let average = clusters.values().map(|of| a(of) * s(of)).sum::<f64>() / all;
        for of in clusters.values() {
            let scale = if leave_out { all / (all - a(of).powi(2)) } else { 1.0 };
            for row in of {
                parts[*row] = scale * v[*row] * (r[*row] - average);
            }
        }
    }
    by_cluster(rows, &parts)
}

/// Six models, and the options that go with them.
pub(super) fn models() -> Vec<Model> {
    let plain = Model { factors: vec!["id", "t"], cluster: "id", ..Model::default() };
    vec![
        plain.clone(),
        Model { weights: true, covariate: true, ..plain.clone() },
        Model { factors: vec!["id", "t", "region"], cluster: "cl", ..plain.clone() },
        Model { factors: vec!["g", "t"], covariate: true, ..plain.clone() },
        Model { trends: true, ..plain.clone() },
        Model { trends: true, weights: true, covariate: true, cluster: "cl", ..plain },
    ]
}

pub(super) fn configured(model: &Model) -> Imputation {
    let mut config = imputation();
    config.fixed_effects = model.factors.iter().map(ToString::to_string).collect();
    config.trends = model.trends;
    config.covariates = if model.covariate { "~ x".into() } else { "~ 1".into() };
    config.weights = model.weights.then(|| "w".into());
    config.cluster = Some(model.cluster.into());
    config.pretrends = PretrendTimes::None;
    config.groups = true;
    config.averages = vec!["a".into()];
    config
}

#[test]
fn effects_are_those_of_a_dense_program() {
    let averaged = [AveragedBy::GroupTime, AveragedBy::EventTime, AveragedBy::Group];
    let mut compared = 0;
    for seed in 1..=8 {
        let df = random(seed);
        for (index, model) in models().into_iter().enumerate() {
            let rows = Rows::new(&df, &model);
            let mut config = configured(&model);
            config.averaged_by = averaged[(seed as usize + index) % 3];
            if !rows.treated.contains(&true) {
                assert!(config.fit(&df).is_err());
                continue;
            }
            let fit = config.fit(&df).unwrap();
            let own = &fit.effects;
            assert_eq!(own.audit.rows, rows.n, "seed {seed}, model {index}");
            let basis = rows.basis();
            let r = rows.residuals(&basis);
            let mut all = Vec::new();
            for effect in &own.rows {
                let p = match &effect.term {
                    StageTerm::Overall => rows.mean(|row| rows.treated[row]),
                    StageTerm::EventTime(at) => rows
                        .mean(|row| rows.treated[row] && rows.time[row] - rows.group[row] == *at),
                    StageTerm::Group(group) => {
                        rows.mean(|row| rows.treated[row] && rows.group[row] == *group)
                    }
                    _ => {
                        let own = |row: usize| match rows.treated[row] {
                            true => rows.a[row] * rows.w[row],
                            false => 0.0,
                        };
                        let total: f64 = (0..rows.n).map(own).sum();
                        (0..rows.n).map(|row| own(row) / total).collect()
                    }
                };
                let v = rows.weights(&basis, &p);
                let value = dot(&v, &rows.y);
                // What the weights are: the estimate, and orthogonal to all columns.
                near(value, dot(&p, &r), 1e-8);
                for j in 0..rows.z[0].len() {
                    let sum: f64 = (0..rows.n).map(|row| v[row] * rows.z[row][j]).sum();
                    assert!(sum.abs() < 1e-8, "seed {seed}, model {index}, column {j}: {sum}");
                }
                near(effect.estimate.estimate.unwrap(), value, 1e-9);
                let psi = influence(&rows, &v, &r, config.averaged_by, false);
                let variance = dot(&psi, &psi);
                match effect.estimate.se {
                    Some(se) => near(se, variance.sqrt(), 1e-8),
                    None => assert!(variance < 1e-20, "seed {seed}, model {index}: {variance}"),
                }
                all.push(psi);
                compared += 1;
            }
            for (i, a) in all.iter().enumerate() {
                for (j, b) in all.iter().enumerate() {
                    let size = (dot(a, a) * dot(b, b)).sqrt();
                    if own.rows[i].estimate.se.is_some() && own.rows[j].estimate.se.is_some() {
                        assert!((own.vcov[i][j] - dot(a, b)).abs() <= 1e-8 * size);
                    }
                }
            }
            config.leave_out = true;
            let left_out = config.fit(&df).unwrap().effects;
            for (effect, before) in left_out.rows.iter().zip(&own.rows) {
                assert_eq!(effect.estimate.estimate, before.estimate.estimate);
                if effect.term != StageTerm::Overall {
                    continue;
                }
                let v = rows.weights(&basis, &rows.mean(|row| rows.treated[row]));
                let psi = influence(&rows, &v, &r, config.averaged_by, true);
                let se = dot(&psi, &psi).sqrt();
                match effect.estimate.se {
                    Some(own) => near(own, se, 1e-8),
                    None => assert!(!se.is_finite() || se > 1e3, "{se}: {:?}", effect.reason),
                }
            }
        }
    }
    assert!(compared > 250, "{compared}");
}

#[test]
fn the_dense_program_finds_the_numbers_of_the_specification() {
    let df = super::written::frame();
    let a = vec![1.0; df.height()];
    let df = with(&df, "a", a);
    let model = Model { factors: vec!["id", "t"], cluster: "id", ..Model::default() };
    let rows = Rows::new(&df, &model);
    let basis = rows.basis();
    let v = rows.weights(&basis, &rows.mean(|row| rows.treated[row]));
    near(dot(&v, &rows.y), 1.272_812_035_8, 1e-10);
    let psi = influence(&rows, &v, &rows.residuals(&basis), AveragedBy::GroupTime, false);
    near(dot(&psi, &psi).sqrt(), 0.073_098_409_5, 1e-8);
    let weight = |group: f64, time: f64| {
        let row = (0..rows.n).find(|row| rows.group[*row] == group && rows.time[*row] == time);
        1e4 * v[row.unwrap()]
    };
    let expected = [76.6667, 76.6667, 36.6667, -3.3333, -53.3333, -133.3333];
    for (time, expected) in (1..).zip(expected) {
        assert!((weight(f64::INFINITY, f64::from(time)) - expected).abs() < 1e-4);
    }
    let own = of(&imputation().fit(&df).unwrap().effects, &StageTerm::Overall);
    near(own.0, dot(&v, &rows.y), 1e-10);
}

/// Beside units and periods a factor of so many levels that the equations are solved by conjugate gradients: an effect that is the same
/// everywhere is found, and trends are refused.
#[test]
fn effects_beside_many_levels_are_found() {
    let mut all = random(5);
    for copy in 1..20 {
        let more = random(100 + copy);
        let ids = floats(&more, "id").iter().map(|id| id + 1000.0 * copy as f64).collect();
        all = all.vstack(&with::<f64>(&more, "id", ids)).unwrap();
    }
    let mut r = SplitMix64(4);
    let firms: Vec<f64> = (0..all.height()).map(|_| (700.0 * r.uniform()).floor()).collect();
    let [t, g, x] = ["t", "g", "x"].map(|name| floats(&all, name));
    let y = |row: usize| {
        let effect = if g[row] > 0.0 && t[row] >= g[row] { 2.0 } else { 0.0 };
        firms[row].sin() + 0.3 * t[row] + 0.5 * x[row] + effect
    };
    let y: Vec<f64> = (0..all.height()).map(y).collect();
    let df = with(&with(&all, "firm", firms), "y", y);
    let model = Model {
        factors: vec!["id", "t", "firm"],
        cluster: "id",
        covariate: true,
        weights: true,
        ..Model::default()
    };
    let mut config = configured(&model);
    let fit = config.fit(&df).unwrap();
    for row in &fit.effects.rows {
        assert!((row.estimate.estimate.unwrap() - 2.0).abs() < 1e-9, "{row:?}");
    }
    config.trends = true;
    let error = config.fit(&df).unwrap_err().to_string();
    assert!(error.contains("`trends`") && error.contains("512 levels"), "{error}");
}
