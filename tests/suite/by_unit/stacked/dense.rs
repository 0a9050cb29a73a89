//! An independent program: the stack written out row by row, and regressed on all indicators.

use std::collections::BTreeMap;

use burn_did::options::ControlGroup;
use burn_did::stacks::{StackEffects, StackWeights};
use burn_did::{Stacked, StackedResult};
use polars::prelude::DataFrame;

use super::{at, stacked};
use crate::by_unit::dense::Dense;
use crate::by_unit::{near, random};
use crate::support::but;
use crate::support::frames::{floats, map};

/// A row of the stack.
struct Copy {
    cohort: i64,
    event_time: i64,
    treated: bool,
    y: f64,
    x: Vec<f64>,
    w: f64,
    unit: i64,
    cluster: i64,
}

fn stack(df: &DataFrame, config: &Stacked) -> Vec<Copy> {
    let column = |name: &str| floats(df, name);
    let (ids, times, groups, ys) = (column("id"), column("t"), column("g"), column("y"));
    let covariates: Vec<Vec<f64>> = config.covariates.iter().map(|name| column(name)).collect();
    let weights = config.weights.as_ref().map(|name| column(name));
    let clusters = column(config.cluster.as_deref().unwrap_or("id"));
    let first = times.iter().copied().fold(f64::INFINITY, f64::min);
    let last = times.iter().copied().fold(0.0, f64::max);
    let (pre, post) = (f64::from(config.pre_window), f64::from(config.post_window));
    let mut cohorts: Vec<i64> =
        groups.iter().filter(|g| **g > first && **g <= last).map(|g| *g as i64).collect();
    cohorts.sort_unstable();
    cohorts.dedup();
    let mut rows = Vec::new();
    for cohort in cohorts {
        let start = cohort as f64;
        if start - pre < first || start + post > last {
            continue;
        }
        for row in 0..df.height() {
            let event_time = times[row] - start;
            if event_time < -pre || event_time > post {
                continue;
            }
            let group =
                if groups[row] == 0.0 || groups[row] > last { f64::INFINITY } else { groups[row] };
            let control = match config.control_group {
                ControlGroup::NeverTreated => group.is_infinite(),
                _ => group > start + post,
            };
            if group == start || control {
                rows.push(Copy {
                    cohort,
                    event_time: event_time as i64,
                    treated: group == start,
                    y: ys[row],
                    x: covariates.iter().map(|x| x[row]).collect(),
                    w: weights.as_ref().map_or(1.0, |w| w[row]),
                    unit: ids[row] as i64,
                    cluster: clusters[row] as i64,
                });
            }
        }
    }
    rows
}

/// Leaves out sub-experiments without controls, and weights the controls.
fn weighted(rows: Vec<Copy>, config: &Stacked) -> Vec<Copy> {
    type Totals = BTreeMap<(i64, i64), [f64; 2]>;
    let sums = |rows: &[Copy]| -> Totals {
        let mut sums = Totals::new();
        for row in rows {
            let sum = sums.entry((row.cohort, row.event_time)).or_default();
            sum[usize::from(row.treated)] += row.w;
        }
        sums
    };
    let cells = sums(&rows);
    let bad = |cohort: i64| {
        let own = || cells.iter().filter(move |((of, _), _)| *of == cohort);
        own().any(|(_, [c, t])| *t > 0.0 && *c == 0.0) || own().all(|(_, [_, t])| *t == 0.0)
    };
    let rows: Vec<Copy> = rows.into_iter().filter(|row| !bad(row.cohort)).collect();
    if config.stack_weights == StackWeights::Unweighted {
        return rows;
    }
    let cells = sums(&rows);
    let total = |event_time: i64, arm: usize| -> f64 {
        cells.iter().filter(|((_, at), _)| *at == event_time).map(|(_, sums)| sums[arm]).sum()
    };
    let rows = rows.into_iter().map(|mut row| {
        if !row.treated {
            let [c, t] = cells[&(row.cohort, row.event_time)];
            row.w *= (t / total(row.event_time, 1)) / (c / total(row.event_time, 0));
        }
        row
    });
    rows.filter(|row| row.w > 0.0).collect()
}

fn compare(df: &DataFrame, config: &Stacked, fit: &StackedResult) -> usize {
    let rows = weighted(stack(df, config), config);
    let (pre, post) = (i64::from(config.pre_window), i64::from(config.post_window));
    let times: Vec<i64> = (-pre..=post).filter(|at| *at != -1).collect();
    let mut regression = Dense::default();
    for row in &rows {
        let is = |at: &i64| f64::from(u8::from(row.treated && row.event_time == *at));
        let x: Vec<f64> = times.iter().map(is).chain(row.x.iter().copied()).collect();
        let arm = i64::from(row.treated);
        let levels = match config.effects {
            StackEffects::Pooled => vec![row.event_time, arm],
            // Indicators of event times in each sub-experiment, and of its treated units.
            _ => vec![100 * row.cohort + row.event_time, if row.treated { row.cohort } else { 0 }],
        };
        let cluster =
            if config.independent_copies { 1000 * row.cohort + row.unit } else { row.cluster };
        regression.push(x, row.y, row.w, levels, cluster);
    }
    let dense = regression.fit();
    assert_eq!(fit.n_stacked, dense.rows);
    let sub = config.effects == StackEffects::SubExperiment;
    // R counts the effects of both factors but for one, also where each sub-experiment has one that follows from the others.
    let parameters = |redundant: usize| (dense.rows as f64 - 1.0) / (dense.rows - redundant) as f64;
    let mut cohorts: Vec<i64> = rows.iter().map(|row| row.cohort).collect();
    cohorts.dedup();
    let own = regression.rank();
    let counted = own + if sub { cohorts.len() - 1 } else { 0 };
    let factor = parameters(counted) / parameters(own);
    for (i, event_time) in times.iter().enumerate() {
        let (estimate, se) = at(fit, *event_time);
        near(estimate.unwrap(), dense.coefficients[i], 1e-8);
        near(se.unwrap(), (factor * dense.covariance[i][i]).sqrt(), 1e-8);
    }
    let after: Vec<usize> = (0..times.len()).filter(|i| times[*i] >= 0).collect();
    let share = 1.0 / after.len() as f64;
    let mean: f64 = after.iter().map(|i| share * dense.coefficients[*i]).sum();
    near(fit.overall.estimate.unwrap(), mean, 1e-8);
    let pairs = after.iter().flat_map(|i| after.iter().map(move |j| (*i, *j)));
    let variance: f64 = pairs.map(|(i, j)| share * share * dense.covariance[i][j]).sum();
    near(fit.overall.se.unwrap(), (factor * variance).sqrt(), 1e-8);
    times.len()
}

#[test]
fn effects_of_random_designs_are_those_of_the_dense_program() {
    let plain = stacked(2, 1);
    let covariates = |c: &mut Stacked| c.covariates = vec!["x".into(), "z".into()];
    let weights = |c: &mut Stacked| {
        c.weights = Some("w".into());
        c.cluster = Some("cl".into());
    };
    let sub = |c: &mut Stacked| c.effects = StackEffects::SubExperiment;
    let configurations = [
        plain.clone(),
        stacked(1, 0),
        stacked(1, 2),
        but(plain.clone(), covariates),
        but(but(plain.clone(), covariates), weights),
        but(plain.clone(), sub),
        but(but(but(plain.clone(), sub), covariates), weights),
        but(plain.clone(), |c| c.stack_weights = StackWeights::Unweighted),
        but(plain.clone(), |c| c.independent_copies = true),
        but(but(plain, covariates), |c| c.control_group = ControlGroup::NeverTreated),
    ];
    let (mut compared, mut fits) = (0, 0);
    for seed in 1..=10 {
        let df = map(&random(seed), "g", |g| g);
        for config in &configurations {
            match config.fit(&df) {
                Ok(fit) => {
                    compared += compare(&df, config, &fit);
                    fits += 1;
                }
                Err(error) => assert!(error.to_string().contains("no cohort"), "{error}"),
            }
        }
    }
    assert!(fits > 70 && compared > 150, "{fits} fits, {compared} effects");
}
