//! Random designs of regressions, and the samples that are left of them.

use burn_did::regression::{Family, Vcov};
use polars::prelude::*;

use super::terms::{Piece, Table, columns, pieces, text};
use crate::random::Random;

/// A data set and the options of its fit.
pub struct Design {
    pub table: Table,
    pub y: Vec<f64>,
    /// What the outcome was multiplied by.
    pub scale: f64,
    pub weights: Option<Vec<f64>>,
    pub effects: Vec<usize>,
    pub pieces: Vec<Piece>,
    pub intercept: bool,
    pub family: Family,
    pub vcov: Covariance,
    pub keep_singletons: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Covariance {
    Iid,
    Hetero,
    Hc2,
    Hc3,
    /// Factors of clusters, by their place among the effects.
    Cluster(Vec<usize>),
}

/// What is left of the rows.
pub struct Sample {
    pub rows: Vec<usize>,
    pub singletons: usize,
    pub separated: usize,
}

/// Factors that are absorbed, or clusters.
pub const EFFECTS: [&str; 4] = ["f0", "f1", "f2", "f3"];

impl Design {
    pub fn new(random: &mut Random, family: Family) -> (Self, Vec<Vec<usize>>) {
        let n = random.between(18, 120);
        let number = |random: &mut Random| {
            let (scale, shift) =
                random.pick(&[(1.0, 0.0), (1.0, 0.0), (1.0, 3.0), (100.0, 2000.0)]);
            let scale = if family == Family::Gaussian { scale } else { 1.0 };
            (0..n).map(|_| shift + scale * random.normal()).collect::<Vec<f64>>()
        };
        let numbers = vec![("x1", number(random)), ("x2", number(random)), ("z", number(random))];
        let codes = |random: &mut Random, levels: usize| {
            (0..n).map(|_| random.below(levels)).collect::<Vec<usize>>()
        };
        let g_levels = random.between(2, 5);
        let h_levels = random.between(2, 4);
        let start = random.pick(&[-1i64, 0, 1, 2003]);
        let texts = (0..g_levels as i64).map(|l| (start + l).to_string()).collect();
        let letters = (0..h_levels).map(|l| ["a", "b", "c d", "e"][l].to_owned()).collect();
        let factors =
            vec![("g", codes(random, g_levels), texts), ("h", codes(random, h_levels), letters)];
        let levels: Vec<usize> = (0..4).map(|_| random.between(2, 12)).collect();
        let mut by_row: Vec<Vec<usize>> = levels.iter().map(|l| codes(random, *l)).collect();
        if random.chance(0.3) {
            // The fourth is coarser than the first.
            by_row[3] = by_row[0].iter().map(|code| code / 2).collect();
        }
        let table = Table { numbers, factors };
        let all: Vec<usize> = (0..n).collect();
        let chosen = pieces(random, &table, &all);
        let effects: Vec<usize> = (0..random.pick(&[0, 0, 1, 1, 2, 3])).collect();
        let weights = random.chance(0.35).then(|| {
            let size =
                if family == Family::Poisson { random.pick(&[1.0, 1e-15, 1e9]) } else { 1.0 };
            let weight = |random: &mut Random| match random.chance(0.05) {
                true => 0.0,
                false => size * random.uniform(0.1, 5.0),
            };
            (0..n).map(|_| weight(random)).collect::<Vec<f64>>()
        });
        let intercept = !effects.is_empty() || random.chance(0.75);
        let fitted = |random: &mut Random| -> Vec<f64> {
            let all = columns(&table, &chosen, &all, true);
            let b: Vec<f64> = all.iter().map(|_| 0.4 * random.normal()).collect();
            let effect: Vec<f64> = (0..12).map(|_| 0.5 * random.normal()).collect();
            let of = |i: usize| -> f64 {
                let x: f64 =
                    all.iter().zip(&b).map(|((_, x), b)| (b * x[i]).clamp(-2.0, 2.0)).sum();
                let f: f64 = effects.iter().map(|f| effect[by_row[*f][i]]).sum();
                x + f
            };
            (0..n).map(of).collect()
        };
        let eta = fitted(random);
        let (y, scale) = match family {
            Family::Gaussian => {
                let noise = random.pick(&[1.0, 1.0, 0.01]);
                (eta.iter().map(|eta| eta + noise * random.normal()).collect(), 1.0)
            }
            Family::Logit | Family::Probit => {
                let middle = random.pick(&[0.0, -0.5, 1.0]);
                let mut outcome = |eta: &f64| {
                    let chance = 1.0 / (1.0 + (-middle - eta.clamp(-2.5, 2.5)).exp());
                    f64::from(u8::from(random.chance(chance)))
                };
                (eta.iter().map(&mut outcome).collect(), 1.0)
            }
            _ => {
                let mean = random.pick(&[2.0, 10.0, 1e4, 1e8]);
                let scale = random.pick(&[1.0, 1.0, 1e-15, 1e-8, 1e-3, 1e9]);
                // Without a constant the unit of the outcome is no matter of one coefficient.
                let scale = if intercept { scale } else { 1.0 };
                let count = |eta: &f64| {
                    let mu = mean * eta.clamp(-2.5, 2.5).exp();
                    (mu + mu.sqrt() * random.normal()).round().max(0.0) * scale
                };
                (eta.iter().map(count).collect(), scale)
            }
        };
        let vcov = match random.below(8) {
            0 => Covariance::Iid,
            1 => Covariance::Hetero,
            2 if family == Family::Gaussian => Covariance::Hc2,
            3 if family == Family::Gaussian => Covariance::Hc3,
            2..=4 => Covariance::Cluster(vec![random.pick(&[0, 2, 3])]),
            _ => {
                Covariance::Cluster(random.pick(&[vec![0, 1], vec![2, 3], vec![0, 3], vec![1, 2]]))
            }
        };
        let keep_singletons = random.chance(0.2);
        let design = Self {
            table,
            y,
            scale,
            weights,
            effects,
            pieces: chosen,
            intercept,
            family,
            vcov,
            keep_singletons,
        };
        (design, by_row)
    }

    pub fn formula(&self) -> String {
        let mut right = text(&self.table, &self.pieces);
        if !self.intercept {
            right = format!("0 + {right}");
        }
        let effects: Vec<&str> = self.effects.iter().map(|f| EFFECTS[*f]).collect();
        match effects.as_slice() {
            [] => format!("y ~ {right}"),
            some => format!("y ~ {right} | {}", some.join(" + ")),
        }
    }

    pub fn vcov(&self) -> Vcov {
        match &self.vcov {
            Covariance::Iid => Vcov::Iid,
            Covariance::Hetero => Vcov::Hetero,
            Covariance::Hc2 => Vcov::Hc2,
            Covariance::Hc3 => Vcov::Hc3,
            Covariance::Cluster(factors) => Vcov::cluster(factors.iter().map(|f| EFFECTS[*f])),
        }
    }

    pub fn words(&self) -> String {
        let weighted = self.weights.is_some();
        format!(
            "`{}`, {} rows, {:?}, {:?}, weighted {weighted}, keeps singletons {}, scale {:e}",
            self.formula(),
            self.y.len(),
            self.family,
            self.vcov,
            self.keep_singletons,
            self.scale
        )
    }

    pub fn frame(&self, by_row: &[Vec<usize>]) -> DataFrame {
        let mut all = vec![Column::new("y".into(), &self.y)];
        for (name, values) in &self.table.numbers {
            all.push(Column::new((*name).into(), values));
        }
        for (name, codes, texts) in &self.table.factors {
            let text = |code: &usize| texts[*code].clone();
            let texts: Vec<String> = codes.iter().map(text).collect();
            let numbers: Option<Vec<i64>> = texts.iter().map(|t| t.parse().ok()).collect();
            all.push(match numbers {
                Some(numbers) => Column::new((*name).into(), numbers),
                None => Column::new((*name).into(), texts),
            });
        }
        for (name, codes) in EFFECTS.iter().zip(by_row) {
            let codes: Vec<i64> = codes.iter().map(|code| *code as i64).collect();
            all.push(Column::new((*name).into(), codes));
        }
        if let Some(weights) = &self.weights {
            all.push(Column::new("w".into(), weights));
        }
        DataFrame::new(self.y.len(), all).unwrap()
    }

    /// Rows with a weight, but for levels with one row or without a positive outcome (of probabilities: with one outcome), until there are none.
    pub fn sample(&self, by_row: &[Vec<usize>]) -> Sample {
        let weight = |row: &usize| self.weights.as_ref().is_none_or(|w| w[*row] > 0.0);
        let mut rows: Vec<usize> = (0..self.y.len()).filter(weight).collect();
        let all = rows.len();
        let mut separated = 0;
        loop {
            let before = rows.len();
            for factor in &self.effects {
                let codes = &by_row[*factor];
                let counted = rows.len();
                let with = |rows: &[usize], has: fn(f64) -> bool| -> Vec<usize> {
                    rows.iter().filter(|r| has(self.y[**r])).map(|r| codes[*r]).collect()
                };
                if self.family != Family::Gaussian {
                    let positive = with(&rows, |y| y > 0.0);
                    let below_one = with(&rows, |y| y < 1.0);
                    let binary = matches!(self.family, Family::Logit | Family::Probit);
                    let varies = |code| !binary || below_one.contains(code);
                    rows.retain(|r| positive.contains(&codes[*r]) && varies(&codes[*r]));
                }
                separated += counted - rows.len();
                if !self.keep_singletons {
                    let levels: Vec<usize> = rows.iter().map(|r| codes[*r]).collect();
                    rows.retain(|r| levels.iter().filter(|l| **l == codes[*r]).count() > 1);
                }
            }
            if rows.len() == before {
                return Sample { singletons: all - rows.len() - separated, separated, rows };
            }
        }
    }
}

/// Codes from 0 without gaps.
pub fn dense(codes: &[usize]) -> (Vec<usize>, usize) {
    let mut levels = codes.to_vec();
    levels.sort_unstable();
    levels.dedup();
    let code = |c: &usize| levels.binary_search(c).unwrap();
    (codes.iter().map(code).collect(), levels.len())
}
