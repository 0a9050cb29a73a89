//! `ContDid` with parametric curves: levels, slopes, curves, event studies and their standard errors.

use burn_did::backend::Cpu;
use burn_did::{
    ContDid, ContDidResult, Estimate,
    doses::{CurveErrors, DoseGrid, DoseTarget},
    options::{BasePeriod, CohortShares, ControlGroup},
};
use polars::prelude::*;

use crate::oracle::dose::{Curve, DoseCell, Fit, Options, Units, Value, fit};
use crate::random::Random;
use crate::run::run;
use crate::tally::{Expected, Tally};

/// Reciprocal condition (columns of norm one) below which a curve is at the threshold of rank.
const THRESHOLD: f64 = 1e-6;

/// A panel, with rows and units that the estimator must leave out, and the options of a fit.
struct Design {
    units: Units,
    /// Units that are left out: their position, and whether an outcome is missing or they are treated too early.
    lost: Vec<(usize, bool)>,
    /// Chance that a row without treatment has no dose.
    missing_doses: f64,
    options: Options,
    weighted: bool,
    clustered: bool,
    estimated: bool,
    doses: Vec<f64>,
    size: f64,
}

impl Design {
    fn new(random: &mut Random) -> Self {
        let periods = random.between(2, 6);
        let first = random.pick(&[1.0, 10.0, 2001.0]);
        let periods: Vec<f64> = (0..periods).map(|t| first + t as f64).collect();
        let anticipation = random.pick(&[0, 0, 0, 0, 1]).min(periods.len() - 2);
        let early = periods[anticipation];
        let n = random.between(30, 180);
        let groups = random.between(1, 4);
        let groups: Vec<f64> = (0..groups)
            .map(|_| periods[random.between(anticipation + 1, periods.len() - 1)])
            .collect();
        let lumpy = random.chance(0.15);
        let unit = random.pick(&[1.0, 1.0, 1e-3, 250.0]);
        let size = random.pick(&[1.0, 1.0, 1.0, 1e-6, 1e4]);
        let level = random.pick(&[0.0, 1.0, 50.0]);
        let slopes: Vec<f64> = groups.iter().map(|_| random.normal()).collect();
        let weighting = random.chance(0.4);
        let clusters = random.between(8, 60);
        let mut units = Units {
            periods: periods.clone(),
            y: Vec::new(),
            g: Vec::new(),
            d: Vec::new(),
            w: Vec::new(),
            cluster: Vec::new(),
        };
        let mut lost = Vec::new();
        for i in 0..n {
            let at = random.below(groups.len());
            let treated = i >= 4 && random.chance(0.65);
            let g = if treated { groups[at] } else { f64::INFINITY };
            let own = random.uniform(0.05, 1.0) * (1.0 + 0.3 * at as f64);
            let d = unit * if lumpy { (own * 4.0).ceil() / 4.0 } else { own };
            let (effect, start) = (level * random.normal(), random.normal());
            let y = periods.iter().map(|t| {
                let dosed = if *t >= g { slopes[at] * d / unit + (d / unit).powi(2) } else { 0.0 };
                size * (effect + 0.3 * start * (t - first) + dosed + random.normal())
            });
            units.y.push(y.collect());
            units.g.push(g);
            units.d.push(if treated { d } else { 0.0 });
            units.w.push(if weighting { random.uniform(0.2, 3.0) } else { 1.0 });
            units.cluster.push(random.below(clusters));
            if i >= 4 && random.chance(0.04) {
                let too_early = random.chance(0.5);
                units.g[i] = if too_early { early } else { g };
                lost.push((i, too_early));
            }
        }
        let options = Options {
            degree: random.between(1, 4),
            knots: random.pick(&[0, 0, 1, 2, 3]),
            never: random.chance(0.5),
            universal: random.chance(0.4),
            anticipation,
            hc1: random.chance(0.4),
        };
        let doses = (0..random.between(1, 5)).map(|_| unit * random.uniform(0.0, 1.4)).collect();
        Self {
            units,
            lost,
            missing_doses: random.pick(&[0.0, 0.0, 0.2]),
            options,
            weighted: weighting,
            clustered: random.chance(0.4),
            estimated: random.chance(0.6),
            doses,
            size,
        }
    }

    /// The panel in long form, rows in any order.
    fn frame(&self, random: &mut Random) -> DataFrame {
        let Units { periods, y, g, d, w, cluster } = &self.units;
        let mut rows: Vec<(usize, usize)> =
            (0..g.len()).flat_map(|i| (0..periods.len()).map(move |t| (i, t))).collect();
        random.shuffle(&mut rows);
        let is_lost = |i: usize| self.lost.iter().any(|(lost, early)| *lost == i && !early);
        let outcome = |(i, t): &(usize, usize)| (!(is_lost(*i) && t % 2 == 0)).then_some(y[*i][*t]);
        let mut dose = |(i, t): &(usize, usize)| {
            let treated = periods[*t] >= g[*i];
            let missing = !treated && random.chance(self.missing_doses);
            // Which number an untreated row has does not matter.
            let own = if treated { d[*i] } else { 0.4 };
            (!missing).then_some(own)
        };
        let doses: Vec<Option<f64>> = rows.iter().map(&mut dose).collect();
        df!(
            "id" => rows.iter().map(|(i, _)| *i as i64).collect::<Vec<_>>(),
            "t" => rows.iter().map(|(_, t)| periods[*t]).collect::<Vec<_>>(),
            "y" => rows.iter().map(outcome).collect::<Vec<_>>(),
            "g" => rows.iter().map(|(i, _)| if g[*i].is_finite() { g[*i] } else { 0.0 }).collect::<Vec<_>>(),
            "d" => doses,
            "w" => rows.iter().map(|(i, _)| w[*i]).collect::<Vec<_>>(),
            "cl" => rows.iter().map(|(i, _)| cluster[*i] as i64).collect::<Vec<_>>(),
        )
        .unwrap()
    }

    fn config(&self) -> ContDid<Cpu> {
        let Options { degree, knots, never, universal, anticipation, hc1 } = self.options;
        ContDid::builder()
            .outcome("y")
            .unit("id")
            .time("t")
            .group("g")
            .dose("d")
            .degree(degree)
            .knots(knots)
            .grid(DoseGrid::Values(self.doses.clone()))
            .maybe_weights(self.weighted.then_some("w"))
            .maybe_cluster(self.clustered.then_some("cl"))
            .control_group(if never {
                ControlGroup::NeverTreated
            } else {
                ControlGroup::NotYetTreated
            })
            .base_period(if universal { BasePeriod::Universal } else { BasePeriod::Varying })
            .anticipation(anticipation as u32)
            .shares(if self.estimated { CohortShares::Estimated } else { CohortShares::Fixed })
            .curve_errors(if hc1 { CurveErrors::Hc1 } else { CurveErrors::Hc0 })
            .build()
    }

    /// The units of the sample.
    fn sample(&self) -> Units {
        let kept: Vec<usize> =
            (0..self.units.g.len()).filter(|i| self.lost.iter().all(|(l, _)| l != i)).collect();
        let pick = |v: &[f64]| kept.iter().map(|i| v[*i]).collect::<Vec<f64>>();
        let w = pick(&self.units.w);
        let mean = w.iter().sum::<f64>() / w.len() as f64;
        let cluster = |(new, i): (usize, &usize)| {
            if self.clustered { self.units.cluster[*i] } else { new }
        };
        Units {
            periods: self.units.periods.clone(),
            y: kept.iter().map(|i| self.units.y[*i].clone()).collect(),
            g: pick(&self.units.g),
            d: pick(&self.units.d),
            w: w.iter().map(|w| w / mean).collect(),
            cluster: kept.iter().enumerate().map(cluster).collect(),
        }
    }

    fn words(&self) -> String {
        format!(
            "{} units, {} periods, {:?}, weighted {}, clustered {}, shares estimated {}, doses {:?}, size {:e}",
            self.units.g.len(),
            self.units.periods.len(),
            self.options,
            self.weighted,
            self.clustered,
            self.estimated,
            self.doses,
            self.size,
        )
    }
}

/// Compares an estimate with the oracle's.
struct Judge<'a> {
    tally: &'a mut Tally,
    cluster: &'a [usize],
    /// Share of a number that rounding may change.
    precision: f64,
    /// Standard errors up to this may be rounding.
    least: f64,
}

impl Judge<'_> {
    fn close(&mut self, kind: &'static str, at: &str, got: &Estimate, want: &Value) {
        let se = want.se(self.cluster);
        let scale = want.value.abs() + se.unwrap_or(0.0) + self.least;
        let tolerance = self.precision * scale + 1e-3 * self.least;
        self.tally.close(kind, at, got.estimate, Expected { value: Some(want.value), tolerance });
        if se.is_some_and(|se| se < self.least) {
            return self.tally.skip("standard errors that are rounding");
        }
        self.tally.close("standard error", at, got.se, Expected { value: se, tolerance });
    }
}

/// The level of a cell.
fn level(cell: &DoseCell) -> Option<&Value> {
    Some(&cell.level)
}

/// The slope of a cell, which is zero where the level is.
fn slope(cell: &DoseCell) -> Option<&Value> {
    let own = cell.curve.as_ref().map(|curve| &curve.slope);
    if cell.reference { Some(&cell.level) } else { own }
}

fn compare(design: &Design, got: &ContDidResult, want: &Fit, judge: &mut Judge<'_>) {
    judge.tally.same("number of cells", &got.level.cells.len(), &want.cells.len());
    for ((a, b), cell) in got.level.cells.iter().zip(&got.slope.cells).zip(&want.cells) {
        let at = format!("cell ({}, {})", cell.group, cell.time);
        judge.tally.cells += 1;
        judge.tally.same(&at, &(a.group, a.time), &(cell.group, cell.time));
        judge.close("level", &at, &a.estimate, &cell.level);
        match slope(cell) {
            Some(slope) => judge.close("slope", &at, &b.estimate, slope),
            None => judge.tally.same(&at, &b.estimate.estimate, &None),
        }
    }
    for (target, of) in
        [(DoseTarget::Level, level as fn(&DoseCell) -> Option<&Value>), (DoseTarget::Slope, slope)]
    {
        let (rows, overall) = want.event_study(of);
        if let Some(overall) = overall {
            judge.tally.aggregations += 1;
            let study = got.event_study(target).unwrap();
            judge.tally.same("event times", &study.rows.len(), &rows.len());
            for (a, (e, b)) in study.rows.iter().zip(&rows) {
                judge.tally.same("event time", &a.at, e);
                judge.close("event study", &format!("{target:?} at {e}"), &a.estimate, b);
            }
            judge.close(
                "event study",
                &format!("{target:?} overall"),
                &study.overall.unwrap(),
                &overall,
            );
        }
    }
    if let Some(att) = want.overall(level, true) {
        judge.close("overall", "ATT", &got.overall.att, &att);
    }
    if let Some(acrt) = want.overall(|c| c.curve.as_ref().map(|c| &c.slope), design.estimated) {
        judge.close("overall", "ACRT", &got.overall.acrt, &acrt);
    }
    judge.tally.same("doses", &got.dose.rows.len(), &design.doses.len());
    for (j, row) in got.dose.rows.iter().enumerate() {
        for (name, own, of) in [
            ("ATT(d)", &row.att, (|c: &Curve, j| &c.levels[j]) as fn(&Curve, usize) -> &Value),
            ("ACRT(d)", &row.acrt, |c, j| &c.slopes[j]),
        ] {
            let value = want.overall(|c| c.curve.as_ref().map(|c| of(c, j)), design.estimated);
            let value = value.expect("a curve");
            judge.close("curve", &format!("{name} at {}", row.dose), own, &value);
        }
    }
    for (a, b) in got.knots.interior.iter().zip(&want.interior) {
        let tolerance = 1e-14 * b.abs();
        judge.tally.close("knot", "knots", Some(*a), Expected { value: Some(*b), tolerance });
    }
}

fn check(seed: u64) -> Tally {
    let mut random = Random::new(seed, 4);
    let design = Design::new(&mut random);
    let mut tally = Tally::default();
    let got = design.config().fit(design.frame(&mut random));
    let sample = design.sample();
    let want = fit(&sample, &design.options, &design.doses);
    let has_curve = want.cells.iter().any(|c| c.curve.is_some() && c.time >= c.group);
    match got {
        _ if want.condition < THRESHOLD => tally.skip("curves at the threshold of rank"),
        Err(error) if !has_curve => {
            let reason = error.to_string();
            let reason = reason.split(':').next().unwrap_or_default().to_owned();
            *tally.refused.entry(reason).or_default() += 1;
        }
        Err(error) => tally.differ(format!("{error}; the oracle has a fit")),
        Ok(_) if !has_curve => tally.differ("a fit, but the oracle has no curve".into()),
        Ok(got) => {
            let largest = sample.y.iter().flatten().fold(0.0f64, |m, y| m.max(y.abs()));
            let mut judge = Judge {
                tally: &mut tally,
                cluster: &sample.cluster,
                precision: 1e-9 + 1e-13 / want.condition,
                least: 1e-9 * largest.max(f64::MIN_POSITIVE),
            };
            compare(&design, &got, &want, &mut judge);
        }
    }
    tally.described(&design.words())
}

#[test]
fn doses() {
    run("doses", 300, check);
}
