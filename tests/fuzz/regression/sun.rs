//! `SunAbraham` against a dense regression on every pair of cohort and event time.

use std::collections::BTreeSet;

use burn_did::SunAbraham;
use burn_did::backend::Cpu;
use polars::prelude::*;

use super::dense::{Orthonormal, clustered, dot, regress};
use super::design::dense as coded;
use crate::random::Random;
use crate::run::run;
use crate::tally::{Expected, Tally};

/// A row of a panel.
struct Row {
    unit: usize,
    time: i64,
    /// First treated period; 0 for never treated.
    group: i64,
    y: f64,
    w: f64,
}

/// The sample: rows of units that are compared, and the first period of the last cohort where nobody is never treated.
fn sample(rows: Vec<Row>) -> Option<Vec<Row>> {
    let mut rows = rows;
    loop {
        let before = rows.len();
        // Units and periods with one row.
        for of in [|r: &Row| r.unit as i64, |r: &Row| r.time] {
            let keys: Vec<i64> = rows.iter().map(of).collect();
            rows.retain(|r| keys.iter().filter(|k| **k == of(r)).count() > 1);
        }
        let first = rows.iter().map(|r| r.time).min()?;
        rows.retain(|r| r.group == 0 || r.group > first);
        if !rows.iter().any(|r| r.group == 0) {
            return None;
        }
        // A cohort without a row at its reference has nothing to be compared with.
        let referenced: Vec<i64> =
            rows.iter().filter(|r| r.time == r.group - 1).map(|r| r.group).collect();
        let last = rows.iter().map(|r| r.time).max()?;
        rows.retain(|r| r.group == 0 || r.group > last + 1 || referenced.contains(&r.group));
        // Nor has what no row of the comparison ties to the never treated.
        let is_comparison = |r: &&Row| r.group == 0 || r.group > last || r.time == r.group - 1;
        let (mut groups, mut times) = (BTreeSet::from([0]), BTreeSet::new());
        loop {
            let known = groups.len() + times.len();
            for r in rows.iter().filter(is_comparison) {
                if groups.contains(&r.group) || times.contains(&r.time) {
                    groups.insert(r.group);
                    times.insert(r.time);
                }
            }
            if groups.len() + times.len() == known {
                break;
            }
        }
        rows.retain(|r| groups.contains(&r.group) && times.contains(&r.time));
        if rows.len() == before {
            return Some(rows);
        }
    }
}

fn check(seed: u64) -> Tally {
    let mut random = Random::new(seed, 43);
    let mut tally = Tally { cells: 1, ..Tally::default() };
    let (units, periods) = (random.between(8, 40), random.between(3, 7) as i64);
    let start = random.pick(&[0i64, 1, 2001]);
    let weighted = random.chance(0.3);
    let gaps = if random.chance(0.4) { random.uniform(0.0, 0.15) } else { 0.0 };
    let groups: Vec<i64> = (0..random.between(1, 3))
        .map(|_| start + random.between(1, periods as usize - 1) as i64)
        .collect();
    let mut rows = Vec::new();
    for unit in 0..units {
        let group = if random.chance(0.4) { 0 } else { random.pick(&groups) };
        let effect = random.normal();
        for t in 0..periods {
            let time = start + t;
            let treated = if group > 0 && time >= group { (time - group + 1) as f64 } else { 0.0 };
            let y = effect + 0.3 * t as f64 + treated + 0.5 * random.normal();
            let w = if weighted { random.uniform(0.2, 4.0) } else { 1.0 };
            if !random.chance(gaps) {
                rows.push(Row { unit, time, group, y, w });
            }
        }
    }
    let frame = df!(
        "y" => rows.iter().map(|r| r.y).collect::<Vec<f64>>(),
        "u" => rows.iter().map(|r| r.unit as i64).collect::<Vec<_>>(),
        "t" => rows.iter().map(|r| r.time).collect::<Vec<_>>(),
        "g" => rows.iter().map(|r| r.group).collect::<Vec<_>>(),
        "w" => rows.iter().map(|r| r.w).collect::<Vec<f64>>(),
    )
    .unwrap();
    let config = SunAbraham::<Cpu>::builder().outcome("y").unit("u").time("t").group("g");
    let fit = config.maybe_weights(weighted.then_some("w")).build().fit(&frame);
    let words = format!(
        "{units} units, {periods} periods from {start}, groups {groups:?}, weighted {weighted}, gaps {gaps:.2}"
    );
    let kept = sample(rows).filter(|rows| rows.iter().any(|r| r.group > 0));
    let (Some(rows), Ok(fit)) = (kept, &fit) else {
        // Without never-treated units the last cohort is the comparison, which `tests/suite` has.
        *tally.refused.entry("no never-treated or no treated units".to_owned()).or_default() += 1;
        return tally;
    };
    compared(&mut tally, &rows, fit);
    tally.described(&words)
}

fn compared(tally: &mut Tally, rows: &[Row], fit: &burn_did::SunAbrahamResult) {
    let n = rows.len();
    let root: Vec<f64> = rows.iter().map(|r| r.w.sqrt()).collect();
    let dummy = |is: &dyn Fn(&Row) -> bool| -> Vec<f64> {
        rows.iter().zip(&root).map(|(r, w)| if is(r) { *w } else { 0.0 }).collect()
    };
    let (units, width) = coded(&rows.iter().map(|r| r.unit).collect::<Vec<_>>());
    let mut fixed = Orthonormal::default();
    for unit in 0..width {
        let column: Vec<f64> =
            units.iter().zip(&root).map(|(u, w)| if *u == unit { *w } else { 0.0 }).collect();
        fixed.add(&column, dot(&column, &column));
    }
    let mut times: Vec<i64> = rows.iter().map(|r| r.time).collect();
    times.sort_unstable();
    times.dedup();
    for time in &times {
        let column = dummy(&|r| r.time == *time);
        fixed.add(&column, dot(&column, &column));
    }
    let last = times.last().copied().unwrap_or_default();
    let treated = |r: &&Row| r.group > 0 && r.group <= last && r.time - r.group != -1;
    let mut cells: Vec<(i64, i64)> =
        rows.iter().filter(treated).map(|r| (r.time - r.group, r.group)).collect();
    cells.sort_unstable();
    cells.dedup();
    let mut basis = Orthonormal::default();
    let (mut x, mut kept, mut shares) = (Vec::new(), Vec::new(), Vec::new());
    for (at, group) in cells {
        let is = |r: &Row| r.group == group && r.time - r.group == at;
        let column = dummy(&is);
        let rest = fixed.rest(&column);
        match basis.add(&rest, dot(&column, &column)) {
            None => return tally.skip("rank at a threshold"),
            Some(false) => continue,
            Some(true) => {}
        }
        x.push(rest);
        kept.push((at, group));
        shares.push(rows.iter().filter(|r| is(r)).map(|r| r.w).sum::<f64>());
    }
    let y: Vec<f64> = rows.iter().zip(&root).map(|(r, w)| r.y * w).collect();
    let found = regress(&x, &fixed.rest(&y));
    tally.same("rows", &fit.regression.n, &n);
    let names: Vec<String> = kept.iter().map(|(at, g)| format!("t::{at}:cohort::{g}")).collect();
    let got: Vec<String> = fit.regression.names().map(str::to_owned).collect();
    tally.same("cells", &got, &names);
    let k = kept.len();
    // Units are nested in the clusters, which are the units.
    let parameters = k + times.len() + width - 1 - width + 1;
    tally.same("parameters", &fit.regression.df_k, &parameters);
    if got != names || n <= parameters {
        return;
    }
    let g = width as f64;
    let factor = (n as f64 - 1.0) / (n as f64 - parameters as f64) * g / (g - 1.0);
    let v = clustered(&found.influence, &found.residuals, &units);
    let scale = dot(&found.residuals, &found.residuals).sqrt();
    let average =
        |tally: &mut Tally, at: &str, is: &dyn Fn(i64) -> bool, got: (Option<f64>, Option<f64>)| {
            let total: f64 =
                kept.iter().zip(&shares).filter(|((e, _), _)| is(*e)).map(|(_, s)| s).sum();
            let weight: Vec<f64> = kept
                .iter()
                .zip(&shares)
                .map(|((e, _), s)| if is(*e) { s / total } else { 0.0 })
                .collect();
            let value = dot(&weight, &found.b);
            let variance: f64 = (0..k).map(|a| weight[a] * dot(&v[a], &weight)).sum();
            tally.close(
                "effect",
                at,
                got.0,
                Expected { value: Some(value), tolerance: 1e-7 * (scale + value.abs()) },
            );
            let se = (variance * factor).sqrt();
            if variance.is_nan() || se < 1e-7 * scale {
                return tally.skip("a variance that is rounding");
            }
            tally.close(
                "standard error",
                at,
                got.1,
                Expected { value: Some(se), tolerance: 1e-6 * se },
            );
        };
    for row in fit.event_study.rows.iter().filter(|row| !row.reference) {
        let at = row.at as i64;
        average(tally, &at.to_string(), &|e| e == at, (row.estimate.estimate, row.estimate.se));
    }
    if let Some(overall) = fit.event_study.overall {
        average(tally, "overall", &|e| e >= 0, (overall.estimate, overall.se));
    }
}

#[test]
fn cohorts_by_event_time() {
    run("sun and abraham", 200, check);
}
