//! An independent program: every row of every horizon written out, and regressed on indicators of base periods.

use std::collections::BTreeMap;

use burn_did::options::ControlGroup;
use burn_did::projections::{ProjectionBase, ProjectionMethod};
use burn_did::{LocalProjections, LocalProjectionsResult};
use polars::prelude::DataFrame;

use super::projections;
use crate::by_unit::dense::{Dense, inverse};
use crate::by_unit::{near, random};
use crate::support::but;
use crate::support::frames::floats;

/// A row of the panel.
struct Cell {
    group: f64,
    treated: f64,
    y: f64,
    x: Vec<f64>,
    w: f64,
    cluster: i64,
}

/// A row of a long difference.
struct Long {
    base: i64,
    start: f64,
    change: f64,
    x: Vec<f64>,
    w: f64,
    cluster: i64,
}

/// What a regression is of: outcomes at these periods after the base period, averaged.
struct Wanted {
    periods: Vec<i64>,
    name: String,
}

fn panel(df: &DataFrame, config: &LocalProjections) -> BTreeMap<(i64, i64), Cell> {
    let column = |name: &str| floats(df, name);
    let (ids, times, groups, ys) = (column("id"), column("t"), column("g"), column("y"));
    let started = |(t, group): (&f64, &f64)| f64::from(u8::from(*group > 0.0 && t >= group));
    let treated: Vec<f64> = match &config.treatment {
        Some(name) => column(name),
        None => times.iter().zip(&groups).map(started).collect(),
    };
    let covariates: Vec<Vec<f64>> = config.covariates.iter().map(|name| column(name)).collect();
    let weights = config.weights.as_ref().map(|name| column(name));
    let clusters = column(config.cluster.as_deref().unwrap_or("id"));
    let cell = |row: usize| {
        let key = (ids[row] as i64, times[row] as i64);
        let group = if groups[row] == 0.0 { f64::INFINITY } else { groups[row] };
        let cell = Cell {
            group,
            treated: treated[row],
            y: ys[row],
            x: covariates.iter().map(|x| x[row]).collect(),
            w: weights.as_ref().map_or(1.0, |w| w[row]),
            cluster: clusters[row] as i64,
        };
        (key, cell)
    };
    (0..df.height()).map(cell).collect()
}

/// All rows of a regression.
fn long(
    panel: &BTreeMap<(i64, i64), Cell>,
    config: &LocalProjections,
    wanted: &Wanted,
) -> Vec<Long> {
    let y = |unit: i64, t: i64| panel.get(&(unit, t)).map(|cell| cell.y).filter(|y| !y.is_nan());
    let d = |unit: i64, t: i64| panel.get(&(unit, t)).map(|cell| cell.treated);
    let last_period = i64::from(config.post_window);
    let horizon = *wanted.periods.iter().max().unwrap();
    let mut rows = Vec::new();
    for ((unit, t), cell) in panel {
        let (unit, t) = (*unit, *t);
        let Some(before) = d(unit, t - 1) else { continue };
        if cell.x.iter().any(|x| x.is_nan()) {
            continue;
        }
        let end = t + if config.no_composition_changes { last_period } else { horizon.max(0) };
        let never = panel.range((unit, i64::MIN)..=(unit, i64::MAX)).all(|(_, c)| c.treated == 0.0);
        let start = match config.stable_periods {
            None => {
                let control = match config.control_group {
                    ControlGroup::NeverTreated => never && cell.group.is_infinite(),
                    _ => cell.group > end as f64,
                };
                match (cell.treated - before, control) {
                    (1.0, _) => 1.0,
                    (_, true) => 0.0,
                    _ => continue,
                }
            }
            Some(stable) => {
                let back = i64::from(stable).max(-wanted.periods.iter().min().unwrap());
                let window: Option<Vec<f64>> = (t - back..=end).map(|s| d(unit, s)).collect();
                let Some(window) = window else { continue };
                let (earlier, later) = window.split_at(back as usize);
                let is = |part: &[f64], value: f64| part.iter().all(|d| *d == value);
                if is(earlier, 0.0) && is(later, 1.0) {
                    1.0
                } else if is(&window, window[0])
                    && (config.control_group == ControlGroup::NotYetTreated || never)
                {
                    0.0
                } else {
                    continue;
                }
            }
        };
        if config.no_composition_changes && (t..=t + last_period).any(|s| y(unit, s).is_none()) {
            continue;
        }
        let average = |periods: Vec<i64>| -> Option<f64> {
            let all: Option<Vec<f64>> = periods.iter().map(|s| y(unit, *s)).collect();
            all.filter(|all| !all.is_empty()).map(|all| all.iter().sum::<f64>() / all.len() as f64)
        };
        let base = match config.base {
            ProjectionBase::Mean(periods) => {
                average((1..=i64::from(periods)).map(|back| t - back).collect())
            }
            ProjectionBase::AllBefore => {
                average((0..t).filter(|s| y(unit, *s).is_some()).collect())
            }
            _ => y(unit, t - 1),
        };
        let after = average(wanted.periods.iter().map(|period| t + period).collect());
        let (Some(base), Some(after)) = (base, after) else { continue };
        let lag = |lag: i64| Some(y(unit, t - lag)? - y(unit, t - lag - 1)?);
        let lags: Option<Vec<f64>> = (1..=i64::from(config.outcome_lags)).map(lag).collect();
        let Some(lags) = lags else { continue };
        rows.push(Long {
            base: t,
            start,
            change: after - base,
            x: [cell.x.clone(), lags].concat(),
            w: cell.w,
            cluster: cell.cluster,
        });
    }
    rows
}

/// The estimate, its standard error and the number of rows; nothing if nobody is treated or no treated have controls.
fn dense(rows: &[Long], method: ProjectionMethod) -> Option<(f64, f64, usize)> {
    let weight = |base: i64, start: f64| -> f64 {
        rows.iter().filter(|row| row.base == base && row.start == start).map(|row| row.w).sum()
    };
    let both = |base: i64| weight(base, 0.0) > 0.0 && weight(base, 1.0) > 0.0;
    if !rows.iter().any(|row| both(row.base)) {
        return None;
    }
    if method == ProjectionMethod::Adjusted {
        return Some(adjusted(rows));
    }
    let mut regression = Dense::default();
    for row in rows {
        let mut w = row.w;
        if method == ProjectionMethod::Reweighted {
            if !both(row.base) {
                continue;
            }
            let treated = weight(row.base, 1.0);
            w /= 1.0 - treated / (treated + weight(row.base, 0.0));
        }
        let x = [vec![row.start], row.x.clone()].concat();
        regression.push(x, row.change, w, vec![row.base], row.cluster);
    }
    let fit = regression.fit();
    Some((fit.coefficients[0], fit.covariance[0][0].sqrt(), fit.rows))
}

/// The controls' regression on indicators of base periods and covariates, and what it leaves of the treated.
fn adjusted(rows: &[Long]) -> (f64, f64, usize) {
    let mut bases: Vec<i64> =
        rows.iter().filter(|row| row.start == 0.0).map(|row| row.base).collect();
    bases.sort_unstable();
    bases.dedup();
    let design = |row: &Long| {
        let indicators = bases.iter().map(|base| f64::from(u8::from(*base == row.base)));
        indicators.chain(row.x.iter().copied()).collect::<Vec<f64>>()
    };
    let used: Vec<&Long> = rows.iter().filter(|row| bases.contains(&row.base)).collect();
    let k = bases.len() + rows[0].x.len();
    let (mut gram, mut right) = (vec![vec![0.0; k]; k], vec![0.0; k]);
    for row in used.iter().filter(|row| row.start == 0.0) {
        let z = design(row);
        for i in 0..k {
            right[i] += row.w * z[i] * row.change;
            (0..k).for_each(|j| gram[i][j] += row.w * z[i] * z[j]);
        }
    }
    let inverse = inverse(gram);
    let times = |v: &[f64]| -> Vec<f64> {
        inverse.iter().map(|row| row.iter().zip(v).map(|(a, b)| a * b).sum()).collect()
    };
    let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    let b = times(&right);
    let residual = |row: &Long| row.change - dot(&design(row), &b);
    let treated = || used.iter().filter(|row| row.start == 1.0);
    let total: f64 = treated().map(|row| row.w).sum();
    let effect = treated().map(|row| row.w * residual(row)).sum::<f64>() / total;
    let mut mean = vec![0.0; k];
    for row in treated() {
        mean.iter_mut().zip(design(row)).for_each(|(mean, z)| *mean += row.w * z / total);
    }
    let loading = times(&mean);
    let mut scores: BTreeMap<i64, f64> = BTreeMap::new();
    for row in &used {
        *scores.entry(row.cluster).or_default() += match row.start {
            1.0 => row.w * (residual(row) - effect) / total,
            _ => -row.w * dot(&design(row), &loading) * residual(row),
        };
    }
    let variance: f64 = scores.values().map(|score| score * score).sum();
    (effect, variance.sqrt(), used.len())
}

fn targets(config: &LocalProjections) -> Vec<Wanted> {
    let (pre, post) = (i64::from(config.pre_window), i64::from(config.post_window));
    let single = |at: i64| Wanted { periods: vec![at], name: at.to_string() };
    let mut all: Vec<Wanted> = (-pre..=post).map(single).collect();
    all.push(Wanted { periods: (0..=post).collect(), name: "pooled".into() });
    if pre >= 2 {
        all.push(Wanted { periods: (-pre..=-2).collect(), name: "before".into() });
    }
    all
}

/// Compares all effects, and says how many there are.
pub fn compare(df: &DataFrame, config: &LocalProjections, fit: &LocalProjectionsResult) -> usize {
    let panel = panel(df, config);
    let mut compared = 0;
    for wanted in targets(config) {
        let effect = match wanted.name.as_str() {
            "pooled" => &fit.pooled,
            "before" => fit.pooled_before.as_ref().unwrap(),
            name => {
                let at: i64 = name.parse().unwrap();
                fit.effects.iter().find(|effect| effect.event_time == at).unwrap()
            }
        };
        if ["reference", "estimator"].contains(&effect.status.code()) {
            continue;
        }
        let rows = long(&panel, config, &wanted);
        let Some((estimate, se, n)) = dense(&rows, config.method) else {
            assert_eq!(effect.estimate.estimate, None, "{}", wanted.name);
            continue;
        };
        near(effect.estimate.estimate.unwrap(), estimate, 1e-8);
        match effect.estimate.se {
            Some(own) => near(own, se, 1e-8),
            None => assert!(!se.is_finite() || se < 1e-9, "{}: {se}", wanted.name),
        }
        assert_eq!(effect.n_rows, n, "{}", wanted.name);
        compared += 1;
    }
    compared
}

#[test]
fn effects_of_random_designs_are_those_of_the_dense_program() {
    let plain = projections(3, 2);
    let reweighted = but(plain.clone(), |c| c.method = ProjectionMethod::Reweighted);
    let adjusted = but(plain.clone(), |c| c.method = ProjectionMethod::Adjusted);
    let covariates = |c: &mut LocalProjections| c.covariates = vec!["x".into(), "z".into()];
    let weights = |c: &mut LocalProjections| {
        c.weights = Some("w".into());
        c.cluster = Some("cl".into());
    };
    let never = |c: &mut LocalProjections| c.control_group = ControlGroup::NeverTreated;
    let switching = |c: &mut LocalProjections| {
        (c.group, c.treatment, c.stable_periods) = (None, Some("s".into()), Some(1));
    };
    let configurations = [
        plain.clone(),
        reweighted.clone(),
        adjusted.clone(),
        but(plain.clone(), covariates),
        but(but(reweighted.clone(), covariates), weights),
        but(but(adjusted.clone(), covariates), weights),
        but(but(plain.clone(), weights), |c| c.base = ProjectionBase::Mean(2)),
        but(reweighted.clone(), |c| c.base = ProjectionBase::AllBefore),
        but(plain.clone(), |c| c.no_composition_changes = true),
        but(but(adjusted.clone(), weights), |c| c.no_composition_changes = true),
        but(but(plain.clone(), covariates), |c| c.outcome_lags = 1),
        but(but(adjusted.clone(), |c| c.outcome_lags = 1), weights),
        but(reweighted.clone(), never),
        but(plain.clone(), |c| (c.group, c.treatment) = (None, Some("d".into()))),
        but(plain.clone(), switching),
        but(but(reweighted, switching), covariates),
        but(but(adjusted, switching), weights),
        but(but(plain, switching), |c| c.stable_periods = Some(2)),
    ];
    let (mut compared, mut fits) = (0, 0);
    for seed in 1..=8 {
        let df = random(seed);
        for config in &configurations {
            match config.fit(&df) {
                Ok(fit) => {
                    compared += compare(&df, config, &fit);
                    fits += 1;
                }
                Err(error) => assert!(error.to_string().contains("never treated"), "{error}"),
            }
        }
    }
    assert!(fits >= 130 && compared > 700, "{fits} fits, {compared} effects");
}
