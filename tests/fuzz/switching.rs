//! `DidMultiplegt`: treatments that switch on, off, up and down; cells of one row or several, weights, controls of which some do
//! not vary within cells, trend groups, clusters, polynomials, and missing outcomes.

use burn_did::{
    DidError, DidMultiplegt, DidMultiplegtResult,
    switching::{Switchers, SwitchingEffect},
};
use polars::prelude::{Column, DataFrame};

use crate::oracle::switching::{Asked, Effect, Found, Panel, estimate};
use crate::random::Random;
use crate::run::run;
use crate::tally::{Expected, Tally};

/// Doses that no sum of which is exact.
const DOSES: [f64; 8] = [0.1, 0.3, 0.7, 5.85, 7.25, 8.05, 9.15, 11.2];

/// A row of the data.
struct Row {
    group: usize,
    t: usize,
    y: Option<f64>,
    d: f64,
    w: f64,
    /// Controls: one of the group, one of the period (and trend group), and another of the group.
    x: [f64; 3],
}

struct Design {
    rows: Vec<Row>,
    groups: usize,
    periods: usize,
    trend: Vec<usize>,
    cluster: Option<Vec<usize>>,
    weighted: bool,
    by_trend: bool,
    formula: &'static str,
    asked: Asked,
}

/// A group's treatments.
fn treatments(random: &mut Random, levels: &[f64], periods: usize, continuous: bool) -> Vec<f64> {
    let start = random.pick(levels);
    let mut path = vec![start; periods];
    if random.chance(0.35) {
        return path;
    }
    let other = |random: &mut Random, not: f64| loop {
        let d = if continuous { random.pick(&DOSES) } else { random.pick(levels) };
        if d != not {
            return d;
        }
    };
    let first = random.between(1, periods - 1);
    path[first..].fill(other(random, start));
    if random.chance(0.3) && first + 1 < periods {
        let second = random.between(first + 1, periods - 1);
        let next = other(random, path[first]);
        path[second..].fill(next);
    }
    path
}

impl Design {
    fn new(random: &mut Random) -> Self {
        let (groups, periods) = (random.between(8, 40), random.between(3, 7));
        let degree = random.weighted(&[0.75, 0.2, 0.05]);
        let few = random.below(DOSES.len() - 2);
        let levels: Vec<f64> = match random.below(4) {
            _ if degree > 0 => DOSES.to_vec(),
            0 => vec![0.0, 1.0],
            1 => vec![0.0, 1.0, 2.0],
            _ => DOSES[few..few + random.between(2, 3)].to_vec(),
        };
        let by_trend = random.chance(0.25);
        let trend: Vec<usize> =
            (0..groups).map(|_| if by_trend { random.below(2) } else { 0 }).collect();
        let cluster =
            random.chance(0.3).then(|| (0..groups).map(|_| random.below(groups / 2)).collect());
        let (weighted, micro) = (random.chance(0.4), random.chance(0.3));
        let missing = random.pick(&[0.0, 0.0, 0.04]);
        let price: Vec<Vec<f64>> =
            (0..2).map(|_| (0..periods).map(|_| random.uniform(90.0, 120.0)).collect()).collect();
        let slope = random.uniform(-1.0, 1.0);
        let mut rows = Vec::new();
        for group in 0..groups {
            let path = treatments(random, &levels, periods, degree > 0);
            let (level, drift) = (random.normal(), random.normal());
            let (mut x, mut z) = (random.normal(), random.normal());
            for (t, d) in path.iter().enumerate() {
                (x, z) = (x + random.normal(), z + random.uniform(0.0, 1.0));
                let count = if micro { random.between(1, 4) } else { 1 };
                for _ in 0..count {
                    let common = (0.3 + 0.1 * path[0] + 0.05 * drift) * t as f64;
                    let effect = 0.8 * (d - path[0]);
                    let y = level + common + effect + slope * x + 0.3 * z + 0.5 * random.normal();
                    rows.push(Row {
                        group,
                        t,
                        y: (!random.chance(missing)).then_some(y),
                        d: *d,
                        w: random.uniform(0.3, 3.0),
                        x: [x, price[trend[group]][t], z],
                    });
                }
            }
        }
        let effects = random.between(1, 3);
        let same = random.chance(0.2);
        let asked = Asked {
            effects,
            placebos: random.between(0, effects),
            normalized: random.chance(0.3),
            direction: random.pick(&[0, 0, 0, 1, -1]),
            only_never: random.chance(0.2),
            same,
            same_placebos: same && random.chance(0.5),
            degree,
            keep_bidirectional: random.chance(0.2),
            separate: random.chance(0.5),
        };
        let formula =
            random.pick(&["~ 1", "~ 1", "~ x", "~ x + price", "~ price", "~ z + price + x"]);
        Self { rows, groups, periods, trend, cluster, weighted, by_trend, formula, asked }
    }

    fn words(&self) -> String {
        let Self { groups, periods, weighted, by_trend, formula, asked, .. } = self;
        let (rows, clustered) = (self.rows.len(), self.cluster.is_some());
        format!(
            "{groups} groups, {periods} periods, {rows} rows, weights {weighted}, trends {by_trend}, clusters {clustered}, `{formula}`, {asked:?}"
        )
    }

    fn frame(&self) -> DataFrame {
        let number = |name: &str, of: &dyn Fn(&Row) -> Option<f64>| {
            Column::new(name.into(), self.rows.iter().map(of).collect::<Vec<_>>())
        };
        let code = |name: &str, of: &dyn Fn(&Row) -> usize| {
            let codes: Vec<i64> = self.rows.iter().map(|row| of(row) as i64).collect();
            Column::new(name.into(), codes)
        };
        let cluster = |g: usize| self.cluster.as_ref().map_or(g, |c| c[g]);
        let columns = vec![
            code("id", &|r| r.group),
            code("t", &|r| r.t),
            code("region", &|r| self.trend[r.group]),
            code("cl", &|r| cluster(r.group)),
            number("y", &|r| r.y),
            number("d", &|r| Some(r.d)),
            number("w", &|r| Some(r.w)),
            number("x", &|r| Some(r.x[0])),
            number("price", &|r| Some(r.x[1])),
            number("z", &|r| Some(r.x[2])),
        ];
        DataFrame::new(self.rows.len(), columns).unwrap()
    }

    fn fit(&self, df: &DataFrame) -> burn_did::Result<DidMultiplegtResult> {
        let asked = &self.asked;
        let trends: &[&str] = if self.by_trend { &["region"] } else { &[] };
        let switchers = match asked.direction {
            0 => None,
            1 => Some(Switchers::In),
            _ => Some(Switchers::Out),
        };
        DidMultiplegt::builder()
            .outcome("y")
            .unit("id")
            .time("t")
            .treatment("d")
            .effects(asked.effects)
            .placebos(asked.placebos)
            .normalized(asked.normalized)
            .maybe_switchers(switchers)
            .only_never_switchers(asked.only_never)
            .same_switchers(asked.same)
            .same_switchers_placebos(asked.same_placebos)
            .covariates(self.formula)
            .trends_nonparam(trends.iter().copied())
            .continuous(asked.degree)
            .maybe_weights(self.weighted.then_some("w"))
            .maybe_cluster(self.cluster.as_ref().map(|_| "cl"))
            .keep_bidirectional_switchers(asked.keep_bidirectional)
            .separate_control_variance(asked.separate)
            .build()
            .fit(df)
    }

    /// Cells by definition: the treatment is the same in all rows of a cell, so it is that of the cell.
    fn panel(&self) -> Panel {
        let (groups, periods) = (self.groups, self.periods);
        let rows = |g: usize, t: usize| self.rows.iter().filter(move |r| r.group == g && r.t == t);
        let w = |r: &Row| if self.weighted { r.w } else { 1.0 };
        let table = |of: &dyn Fn(usize, usize) -> f64| -> Vec<Vec<f64>> {
            (0..groups).map(|g| (0..periods).map(|t| of(g, t)).collect()).collect()
        };
        let outcome = |g: usize, t: usize| {
            let known = || rows(g, t).filter_map(|r| r.y.map(|y| (w(r), y)));
            let total: f64 = known().map(|(w, _)| w).sum();
            (total > 0.0).then(|| known().map(|(w, y)| w * y).sum::<f64>() / total)
        };
        let control = |k: usize| table(&|g, t| rows(g, t).next().unwrap().x[k]);
        let named = [("x", 0), ("z", 2)].into_iter();
        let varying = named.filter(|(name, _)| self.formula.contains(name));
        Panel {
            y: (0..groups).map(|g| (0..periods).map(|t| outcome(g, t)).collect()).collect(),
            d: table(&|g, t| rows(g, t).next().unwrap().d),
            n: table(&|g, t| rows(g, t).map(w).sum()),
            controls: varying.map(|(_, k)| control(k)).collect(),
            trend: self.trend.clone(),
            cluster: self.cluster.clone(),
        }
    }
}

/// Compares all numbers.
fn compare(fit: &DidMultiplegtResult, found: &Found, tally: &mut Tally) {
    let loss = 1e-12 / found.rcond;
    let all: Vec<&Effect> = found.effects.iter().chain(&found.placebos).collect();
    let ours: Vec<&SwitchingEffect> = fit.effects.iter().chain(&fit.placebos).collect();
    tally.same("effects", &fit.effects.len(), &found.effects.len());
    tally.same("placebos", &fit.placebos.len(), &found.placebos.len());
    if ours.len() != all.len() {
        return;
    }
    let clusters = |effect: &Effect| found.covariance(effect, effect);
    let unit = all.iter().map(|e| clusters(e).sqrt()).fold(0.1, f64::max);
    let mut one = |name: &str, got: &SwitchingEffect, want: &Effect| {
        tally.cells += 1;
        tally.same(&format!("{name}, switchers"), &got.n_switchers, &want.switchers);
        tally.same(&format!("{name}, rows"), &got.n_obs, &want.rows);
        let scale = want.estimate.map_or(1.0, f64::abs).max(unit);
        let tolerance = (1e-11 + loss) * scale;
        tally.close(
            "estimate",
            name,
            got.estimate.estimate,
            Expected { value: want.estimate, tolerance },
        );
        let se = clusters(want).sqrt();
        if se < 1e-9 * scale {
            tally.skip("standard errors that are rounding");
            return;
        }
        let value = want.estimate.map(|_| se);
        let tolerance = (1e-10 + 10.0 * loss) * scale.max(se);
        tally.close("standard error", name, got.estimate.se, Expected { value, tolerance });
    };
    for (got, want) in ours.iter().zip(&all) {
        one(&format!("event time {}", got.horizon), got, want);
    }
    if let Some(average) = &fit.average {
        // Divided by changes of the treatment that may cancel.
        if found.average.estimate.is_some_and(|a| a.abs() < 1e3) {
            one("average", average, &found.average);
        }
    }
    for (i, a) in all.iter().enumerate() {
        for (j, b) in all.iter().enumerate().take(i) {
            let (value, spread) = (found.covariance(a, b), clusters(a).max(clusters(b)));
            let Some(got) = fit.vcov[i][j] else { continue };
            let tolerance = (1e-10 + 10.0 * loss) * spread.max(unit * unit);
            let at = format!("{i}, {j}");
            tally.close("covariance", &at, Some(got), Expected { value: Some(value), tolerance });
        }
    }
}

#[test]
fn switching_treatments() {
    let check = |seed: u64| {
        let design = Design::new(&mut Random::new(seed, 5));
        let mut tally = Tally::default();
        let found = estimate(&design.panel(), &design.asked);
        match (design.fit(&design.frame()), found) {
            (Ok(fit), Some(found)) if !found.undecided => compare(&fit, &found, &mut tally),
            (Ok(_), Some(found)) => {
                tally.cells += found.effects.len();
                tally.undecided += found.effects.len();
                tally.skip("coefficients of controls that depend on each other");
            }
            (Err(DidError::NoSwitchers { .. }), None) => {
                *tally.refused.entry("no switchers".into()).or_default() += 1;
            }
            (Err(DidError::TooFewClusters { .. }), _) => {
                *tally.refused.entry("one cluster".into()).or_default() += 1;
            }
            (fit, found) => tally.differ(format!(
                "{:?}, but the oracle has effects: {}",
                fit.map(|fit| fit.effects.len()).map_err(|e| e.to_string()),
                found.is_some()
            )),
        }
        tally.described(&design.words())
    };
    let tally = run("DidMultiplegt", 300, check);
    assert!(tally.numbers > 5 * tally.designs, "too few numbers");
}
