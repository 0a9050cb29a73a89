//! An independent program: least squares on written-out indicators, and averages row by row.

use burn_did::extended::EtwfeAbsorb;
use burn_did::options::ControlGroup;
use burn_did::regression::{Family, Vcov};
use burn_did::{Etwfe, EtwfeResult, backend::Cpu};
use polars::prelude::DataFrame;

use super::etwfe;
use crate::by_unit::dense::Dense;
use crate::by_unit::random;
use crate::support::but;
use crate::support::frames::{filter, floats, map, with};

#[track_caller]
fn near(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance * (1e-2 + b.abs()), "{a} is not {b}");
}

/// Event times that are compared.
fn compare(df: &DataFrame, config: &Etwfe<Cpu>, fit: &EtwfeResult) -> usize {
    let column = |name: &str| floats(df, name);
    let (ids, times, groups, ys) = (column("id"), column("t"), column("g"), column("y"));
    let clusters = column("id");
    let weights = config.weights.as_ref().map(|name| column(name));
    let xs: Vec<Vec<f64>> = config.covariates.iter().map(|name| column(name)).collect();
    let last = times.iter().copied().fold(0.0, f64::max);
    let group = |i: usize| if groups[i] == 0.0 || groups[i] > last { 0.0 } else { groups[i] };
    let n = df.height();
    let leads = config.control_group == ControlGroup::NeverTreated;
    let has_effect = |i: usize| {
        let g = group(i);
        g > 0.0 && (times[i] >= g || leads && times[i] != g - 1.0)
    };
    let mut cells: Vec<(f64, f64)> =
        (0..n).filter(|i| has_effect(*i)).map(|i| (group(i), times[i])).collect();
    cells.sort_by(|a, b| a.partial_cmp(b).unwrap());
    cells.dedup();
    let mut cohorts: Vec<f64> = (0..n).map(group).collect();
    cohorts.sort_by(f64::total_cmp);
    cohorts.dedup();
    let mean = |x: &[f64], g: f64| {
        let own: Vec<f64> = (0..n).filter(|i| group(*i) == g).map(|i| x[i]).collect();
        own.iter().sum::<f64>() / own.len() as f64
    };
    let is = |holds: bool| f64::from(u8::from(holds));
    let periods: Vec<f64> = (1..=last as usize).map(|t| t as f64).collect();
    let of_row = |i: usize| {
        let own = |cell: &(f64, f64)| is(*cell == (group(i), times[i]));
        let mut row: Vec<f64> = cells.iter().map(own).collect();
        for x in &xs {
            row.extend(cells.iter().map(|cell| own(cell) * (x[i] - mean(x, cell.0))));
        }
        for x in &xs {
            row.push(x[i]);
            row.extend(cohorts[1..].iter().map(|g| is(group(i) == *g) * x[i]));
            row.extend(periods[1..].iter().map(|t| is(times[i] == *t) * x[i]));
        }
        row
    };
    let mut regression = Dense::default();
    for i in 0..n {
        let level = if config.absorb == EtwfeAbsorb::Unit { ids[i] } else { group(i) };
        let w = weights.as_ref().map_or(1.0, |w| w[i]);
        let levels = vec![level as i64, times[i] as i64];
        regression.push(of_row(i), ys[i], w, levels, clusters[i] as i64);
    }
    let dense = regression.fit();
    let k = cells.len() * (1 + xs.len());
    let mut compared = 0;
    for of in fit.by_event_time.iter().filter(|of| !of.reference) {
        let event = of.event_time.unwrap();
        let (mut total, mut mean) = (0.0, vec![0.0; k]);
        for i in (0..n).filter(|i| has_effect(*i) && times[*i] - group(*i) == event) {
            let w = weights.as_ref().map_or(1.0, |w| w[i]);
            total += w;
            mean.iter_mut().zip(of_row(i)).for_each(|(mean, x)| *mean += w * x);
        }
        for mean in &mut mean {
            *mean /= total;
        }
        let value: f64 = (0..k).map(|j| mean[j] * dense.coefficients[j]).sum();
        near(of.estimate.estimate.unwrap(), value, 1e-7);
        let pairs = (0..k).flat_map(|a| (0..k).map(move |b| (a, b)));
        let variance: f64 = pairs.map(|(a, b)| mean[a] * mean[b] * dense.covariance[a][b]).sum();
        // Units are nested in clusters: of their effects one counts.
        let parameters = fit.regression.df_k as f64;
        let factor = (n as f64 - regression.rank() as f64) / (n as f64 - parameters);
        near(of.estimate.se.unwrap(), (variance * factor).sqrt(), 1e-7);
        compared += 1;
    }
    compared
}

#[test]
fn averages_of_random_designs_are_those_of_the_dense_program() {
    let configurations = [
        etwfe(),
        but(etwfe(), |c| c.absorb = EtwfeAbsorb::Cohort),
        but(etwfe(), |c| c.weights = Some("w".into())),
        but(etwfe(), |c| c.control_group = ControlGroup::NeverTreated),
        but(etwfe(), |c| {
            c.covariates = vec!["x".into()];
            c.weights = Some("w".into());
        }),
    ];
    let (mut compared, mut fits) = (0, 0);
    for seed in 1..=10 {
        let df = random(seed);
        let [first, last] =
            [f64::min, f64::max].map(|of| floats(&df, "t").into_iter().reduce(of).unwrap());
        let df = filter(&df, "g", |g| g == 0.0 || g > first);
        let groups = floats(&df, "g");
        if !groups.iter().any(|g| *g == 0.0 || *g > last) {
            continue;
        }
        for config in &configurations {
            let config = but(config.clone(), |c| c.vcov = Some(Vcov::cluster(["id"])));
            let fit = config.fit(&df).unwrap();
            if fit.cells.iter().any(|cell| cell.estimate.estimate.is_none()) {
                continue;
            }
            compared += compare(&df, &config, &fit);
            fits += 1;
        }
    }
    assert!(fits >= 15 && compared > 60, "{fits} fits, {compared} averages");
}

/// Averages over all treated rows are those by cohort, weighted by rows.
#[test]
fn averages_by_maximum_likelihood_add_up() {
    // With units that are never treated, so that no period is left out.
    let has_never = |df: &DataFrame| floats(df, "g").contains(&0.0);
    let df = (1..).map(random).find(has_never).unwrap();
    let counts = map(&df, "y", |y| (2.0 + y).exp().floor());
    let shares = map(&df, "y", |y| f64::from(u8::from(y > 1.0)));
    for (family, df) in
        [(Family::Poisson, &counts), (Family::Logit, &shares), (Family::Probit, &shares)]
    {
        let config = but(etwfe(), |c| {
            c.family = family;
            c.weights = Some("w".into());
        });
        let Ok(fit) = config.fit(df) else { continue };
        let weights = floats(df, "w");
        let (groups, times) = (floats(df, "g"), floats(df, "t"));
        let mut sum = [0.0; 2];
        for of in &fit.by_group {
            let own = |i: &usize| Some(groups[*i]) == of.group && times[*i] >= groups[*i];
            let weight: f64 = (0..df.height()).filter(own).map(|i| weights[i]).sum();
            sum[0] += weight * of.estimate.estimate.unwrap_or(f64::NAN);
            sum[1] += weight;
        }
        let average = sum[0] / sum[1];
        if let Some(overall) = fit.overall.estimate.filter(|_| average.is_finite()) {
            near(overall, average, 1e-10);
        }
    }
}

/// Without the variance of shares, standard errors are smaller.
#[test]
fn shares_that_are_drawn_add_to_the_variance() {
    let df = random(5);
    let fixed = etwfe().fit(&df).unwrap();
    let drawn = but(etwfe(), |c| c.random_shares = true).fit(&df).unwrap();
    assert_eq!(fixed.overall.estimate, drawn.overall.estimate);
    assert!(drawn.overall.se > fixed.overall.se);
    // An effect of one cell has no shares.
    for (a, b) in fixed.cells.iter().zip(&drawn.cells) {
        let [a, b] = [a, b].map(|cell| cell.estimate.se.unwrap_or(0.0));
        near(a, b, 1e-12);
    }
    // Effects of cells average with the weights of rows.
    let ones = with(&df, "one", vec![1.0; df.height()]);
    let weighted = but(etwfe(), |c| c.weights = Some("one".into())).fit(&ones).unwrap();
    near(weighted.overall.se.unwrap(), fixed.overall.se.unwrap(), 1e-10);
}
