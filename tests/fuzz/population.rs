//! Random units: cohorts that depend on covariates, trends that depend on them, and all that goes wrong with rows.

use crate::formula::Raw;
use crate::random::Random;
use crate::records::{Record, Spelling};

/// Sampling weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Weighting {
    None,
    /// The same for all.
    Constant,
    ByUnit,
    ByRow,
}

/// What the rows are drawn from.
#[derive(Clone, Debug)]
pub struct Population {
    pub units: usize,
    pub periods: Vec<f64>,
    /// Groups (+inf is never treated) and how common they are.
    pub cohorts: Vec<(f64, f64)>,
    /// How strongly cohorts depend on covariates.
    pub selection: f64,
    /// Mean and spread of the first covariate; of the outcome.
    pub covariate: (f64, f64),
    pub outcome: (f64, f64),
    /// How far levels and trends of cohorts are apart, in spreads of the outcome.
    pub apart: (f64, f64),
    pub levels: u8,
    pub weighting: Weighting,
    /// Factor of all weights, and the share of zeros.
    pub weight_scale: f64,
    pub zeros: f64,
    /// Share of rows that are absent, and of values that are missing.
    pub absent: f64,
    pub missing: f64,
    pub clusters: usize,
    pub spelling: Spelling,
}

/// A calendar of two to `longest` periods, some with gaps.
pub fn calendar(random: &mut Random, longest: usize) -> Vec<f64> {
    let mut time = random.pick(&[1.0, 1.0, 4.0, 2000.0, 1987.0]);
    let gaps = random.chance(0.25);
    let count = random.between(2, longest).max(random.between(2, longest));
    (0..count)
        .map(|_| {
            let now = time;
            time += if gaps { random.pick(&[1.0, 1.0, 2.0, 3.0]) } else { 1.0 };
            now
        })
        .collect()
}

/// One to five groups, most of them first treated inside the calendar, and mostly units that are never treated.
pub fn cohorts(random: &mut Random, periods: &[f64], never: f64) -> Vec<(f64, f64)> {
    let (first, last) = (periods[0], periods[periods.len() - 1]);
    let mut cohorts: Vec<(f64, f64)> = Vec::new();
    for _ in 0..random.between(1, 5) {
        let inside = first + 1.0 + random.below((last - first) as usize) as f64;
        let outside = random.pick(&[first, first - 1.0, last + 1.0, last + 2.0]).max(1.0);
        let group = if random.chance(0.92) { inside } else { outside };
        let common = if random.chance(0.08) { 0.03 } else { random.uniform(0.3, 1.0) };
        if cohorts.iter().all(|(known, _)| *known != group) {
            cohorts.push((group, common));
        }
    }
    if random.chance(never) || cohorts.len() == 1 {
        cohorts.push((f64::INFINITY, random.uniform(0.4, 1.5)));
    }
    cohorts
}

impl Population {
    /// Periods and cohorts are given; the rest is random.
    pub fn new(random: &mut Random, periods: Vec<f64>, cohorts: Vec<(f64, f64)>) -> Self {
        let size = random.uniform(0.0, 1.0);
        let spread = random.pick(&[1.0, 1.0, 1.0, 1e-2, 1e3, 1e6]);
        let far = random.pick(&[0.0, 0.0, 1.0, 30.0, 1e3]);
        let centre = random.pick(&[0.0, 0.0, 0.0, 1.0, 30.0, -300.0]);
        let width = random.pick(&[1.0, 1.0, 1.0, 0.1, 20.0, 1e3]);
        Self {
            units: 30 + (370.0 * size * size) as usize,
            periods,
            cohorts,
            selection: random.pick(&[0.0, 0.3, 0.3, 0.7, 0.7, 1.5, 4.0]),
            covariate: (centre * width, width),
            outcome: (far * spread, spread),
            apart: (
                random.pick(&[0.0, 0.0, 0.0, 10.0, 1e4]),
                random.pick(&[0.0, 0.0, 0.0, 10.0, 1e4]),
            ),
            levels: random.pick(&[2, 3, 3, 4]),
            weighting: random.pick(&[
                Weighting::None,
                Weighting::None,
                Weighting::Constant,
                Weighting::ByUnit,
                Weighting::ByUnit,
                Weighting::ByRow,
            ]),
            weight_scale: random.pick(&[1.0, 1.0, 1e-4, 1e5]),
            zeros: random.pick(&[0.0, 0.0, 0.0, 0.05]),
            absent: 0.0,
            missing: random.pick(&[0.0, 0.0, 0.0, 0.004]),
            clusters: random.pick(&[3, 12, 30, 80]),
            spelling: Spelling {
                never: random.below(3),
                text: random.chance(0.3),
                nan: random.chance(0.3),
                integers: random.chance(0.5),
            },
        }
    }

    /// Rows in random order.
    pub fn rows(&self, random: &mut Random) -> Vec<Record> {
        let loadings: Vec<[f64; 3]> = self
            .cohorts
            .iter()
            .map(|_| [0; 3].map(|_| self.selection * random.uniform(-1.0, 1.0)))
            .collect();
        let mut ids: Vec<i64> = (1..=self.units as i64).map(|i| 7 * i % 100_003).collect();
        random.shuffle(&mut ids);
        let mut records = Vec::new();
        for id in ids {
            self.unit(random, id, &loadings, &mut records);
        }
        random.shuffle(&mut records);
        records
    }

    fn unit(&self, random: &mut Random, id: i64, loadings: &[[f64; 3]], out: &mut Vec<Record>) {
        let [z1, z2, z3] = [0; 3].map(|_| random.normal());
        let odds: Vec<f64> = self
            .cohorts
            .iter()
            .zip(loadings)
            .map(|((_, common), [a, b, c])| common * (a * z1 + b * z2 + c * z3).exp())
            .collect();
        let cohort = random.weighted(&odds);
        let group = self.cohorts[cohort].0;
        // Groups differ in how many of their units are eligible.
        let lean = 0.8 * (2.0 * cohort as f64).cos();
        let eligible = random.chance(1.0 / (1.0 + (-0.4 * z2 - 0.2 - lean).exp()));
        let rare = [1.0, 0.9, 0.8 + 0.3 * z1.tanh(), 0.08];
        let f = random.weighted(&rare[..usize::from(self.levels)]) as u8;
        let (cluster, level) = (random.below(self.clusters) as i64, random.normal());
        let by_unit = (0.5 * random.normal()).exp();
        let mut walk = z3;
        for (at, t) in self.periods.iter().enumerate() {
            let now = at as f64;
            walk += 0.4 * random.normal();
            let treated = *t >= group && eligible;
            let effect = if treated { 1.0 + 0.3 * (t - group) + 0.3 * z1 } else { 0.0 };
            let own = (cohort as f64).sin() * (self.apart.0 + self.apart.1 * now);
            let trend = own + now * (0.2 + 0.3 * z1 - 0.2 * z2 + 0.1 * f64::from(f));
            let y =
                level + trend + 0.2 * z2 * z2 * now + 0.3 * walk + effect + 0.7 * random.normal();
            let w = match self.weighting {
                Weighting::None | Weighting::Constant => 1.0,
                Weighting::ByUnit => by_unit,
                Weighting::ByRow => by_unit * random.uniform(0.5, 1.5),
            };
            let zero = match self.weighting {
                Weighting::ByUnit => by_unit.fract() < self.zeros,
                Weighting::ByRow => random.chance(self.zeros),
                _ => false,
            };
            if random.chance(self.absent) {
                continue;
            }
            let mut given =
                |value: f64| if random.chance(self.missing) { None } else { Some(value) };
            out.push(Record {
                t: given(*t),
                g: given(group),
                y: given(self.outcome.0 + self.outcome.1 * y),
                w: given(if zero { 0.0 } else { w * self.weight_scale }),
                raw: Raw {
                    x1: given(self.covariate.0 + self.covariate.1 * z1),
                    x2: given(z2),
                    v: given(walk),
                    f: given(0.0).map(|_| f),
                },
                cluster: given(0.0).map(|_| cluster),
                eligible: given(0.0).map(|_| eligible),
                id: given(0.0).map(|_| id),
            });
        }
    }
}
