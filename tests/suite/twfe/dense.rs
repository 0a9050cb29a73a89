//! An independent program: regressions on written-out indicators by Gaussian elimination, and comparisons row by row.

use std::collections::{BTreeMap, BTreeSet};

use burn_did::FixedEffects;
use burn_did::backend::Cpu;
use burn_did::regression::Vcov;
use burn_did::twfe::{TwfeCells, TwfeRegression};

use super::{Design, bacon, near, random, weights};
use crate::support::frames::{floats, with};

/// What the columns leave of `x`, with weights: by Gram and Schmidt, twice.
fn residual(x: &[f64], columns: &[Vec<f64>], w: &[f64]) -> Vec<f64> {
    let product = |a: &[f64], b: &[f64]| -> f64 {
        w.iter().zip(a.iter().zip(b)).map(|(w, (a, b))| w * a * b).sum()
    };
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let left = |x: &[f64], basis: &[Vec<f64>]| {
        let mut out = x.to_vec();
        for _ in 0..2 {
            for b in basis {
                let slope = product(&out, b) / product(b, b);
                out.iter_mut().zip(b).for_each(|(o, b)| *o -= slope * b);
            }
        }
        out
    };
    for column in columns {
        let new = left(column, &basis);
        if product(&new, &new) > 1e-10 * product(column, column) {
            basis.push(new);
        }
    }
    left(x, &basis)
}

/// Indicators of the values.
fn indicators(values: &[usize]) -> Vec<Vec<f64>> {
    let levels: BTreeSet<usize> = values.iter().copied().collect();
    let of = |level: usize| values.iter().map(|v| f64::from(u8::from(*v == level))).collect();
    levels.into_iter().map(of).collect()
}

/// A row of a regression: level, period, weight, treatment, outcome, control, and its treated cell.
struct Row {
    level: usize,
    time: usize,
    weight: f64,
    treated: f64,
    outcome: f64,
    control: f64,
}

/// Rows of a design as cells of units or cohorts.
fn cells(design: &Design, unbalanced: bool, weighted: bool, of_units: bool) -> Vec<Row> {
    let mut sums: BTreeMap<(usize, usize), [f64; 4]> = BTreeMap::new();
    for u in 0..design.units {
        for t in (1..=design.periods).filter(|t| !unbalanced || design.kept[design.row(u, *t)]) {
            let row = design.row(u, t);
            let cohort = design.groups[u].min(1e6) as usize;
            let w = if weighted { design.w[row] } else { 1.0 };
            let sum = sums.entry((if of_units { u } else { cohort }, t)).or_default();
            let values = [1.0, design.treated(u, t), design.y[row], design.x[row]];
            sum.iter_mut().zip(values).for_each(|(sum, value)| *sum += w * value);
        }
    }
    let row = |((level, time), [weight, d, y, x]): ((usize, usize), [f64; 4])| Row {
        level,
        time,
        weight,
        treated: d / weight,
        outcome: y / weight,
        control: x / weight,
    };
    sums.into_iter().map(row).collect()
}

#[test]
fn comparisons_of_random_designs_average_to_the_dense_coefficient() {
    let (mut always, mut no_never) = (0, 0);
    for seed in 1..=12 {
        let design = random(seed);
        always += usize::from(design.groups.contains(&1.0));
        no_never += usize::from(!design.groups.contains(&f64::INFINITY));
        let rows = cells(&design, false, false, true);
        let column = |of: &dyn Fn(&Row) -> f64| rows.iter().map(of).collect::<Vec<f64>>();
        let codes = |of: &dyn Fn(&Row) -> usize| rows.iter().map(of).collect::<Vec<usize>>();
        let mut effects = indicators(&codes(&|row| row.level));
        effects.extend(indicators(&codes(&|row| row.time)));
        let d = residual(&column(&|row| row.treated), &effects, &vec![1.0; rows.len()]);
        let squares: f64 = d.iter().map(|d| d * d).sum();
        let y = column(&|row| row.outcome);
        let coefficient = d.iter().zip(&y).map(|(d, y)| d * y).sum::<f64>() / squares;

        let fit = bacon().fit(design.frame()).unwrap();
        near(fit.coefficient.estimate.unwrap(), coefficient, 1e-12);
        let sum: f64 = fit.comparisons.iter().map(|of| of.weight * of.estimate).sum();
        near(sum, coefficient, 1e-12);
        near(fit.comparisons.iter().map(|of| of.weight).sum(), 1.0, 1e-12);
        near(fit.sums.iter().map(|of| of.weight * of.estimate).sum(), coefficient, 1e-12);
        for of in &fit.comparisons {
            let (estimate, units) = by_rows(&design, of.treated, of.control);
            near(of.estimate, estimate, 1e-12);
            assert_eq!([of.n_treated, of.n_control], units);
        }
    }
    assert!(always > 0 && no_never > 0);
}

/// A comparison by the means of its rows.
fn by_rows(design: &Design, treated: f64, control: Option<f64>) -> (f64, [usize; 2]) {
    let control = control.unwrap_or(f64::INFINITY);
    let mut sums = [[(0.0, 0.0); 2]; 2];
    let mut units = [0; 2];
    for u in 0..design.units {
        let group = design.groups[u];
        let Some(side) = [treated, control].iter().position(|own| *own == group) else { continue };
        units[side] += 1;
        for t in 1..=design.periods {
            let within = if control > treated { (t as f64) < control } else { t as f64 >= control };
            if within {
                let (sum, n) = &mut sums[side][usize::from(t as f64 >= treated)];
                *sum += design.y[design.row(u, t)];
                *n += 1.0;
            }
        }
    }
    let change = |side: usize| {
        let [before, after] = sums[side].map(|(sum, n)| sum / n);
        after - before
    };
    (change(0) - change(1), units)
}

#[test]
fn standard_errors_are_those_of_the_regression() {
    let controls: [(&str, &[&str]); 3] =
        [("d", &[]), ("d + x", &["x"]), ("d + x + w", &["x", "w"])];
    for (seed, (regressors, covariates)) in (1..=8).flat_map(|seed| controls.map(|of| (seed, of))) {
        let frame = random(seed).frame();
        for cluster in ["id", "cl"] {
            let config =
                FixedEffects::<Cpu>::builder().formula(format!("y ~ {regressors} | id + t"));
            let config = config.vcov(Vcov::cluster([cluster])).fixef_tol(1e-12);
            let regression = config.build().fit(&frame).unwrap();
            let d = &regression.coefficients[0];
            let mut config = bacon();
            config.cluster = (cluster != "id").then(|| cluster.to_owned());
            config.covariates = covariates.iter().map(|name| (*name).to_owned()).collect();
            let fit = config.fit(&frame).unwrap().coefficient;
            near(fit.estimate.unwrap(), d.estimate, 1e-10);
            near(fit.se.unwrap(), d.se.unwrap(), 1e-10);
            near(fit.ci_upper.unwrap(), d.ci_upper.unwrap(), 1e-10);
            near(fit.p_value.unwrap(), d.p_value.unwrap(), 1e-10);
        }
    }
}

/// With controls, of rows and their indicators: a regression for the treatment, one for each pair, and differences within cohorts.
#[test]
fn comparisons_with_controls_are_those_of_the_dense_program() {
    let mut compared = 0;
    for seed in 1..=12 {
        let design = random(seed);
        let rows = cells(&design, false, false, true);
        let ones = |n: usize| vec![1.0; n];
        let effects = |rows: &[&Row], level: &dyn Fn(&Row) -> usize| {
            let codes =
                |of: &dyn Fn(&Row) -> usize| rows.iter().map(|row| of(row)).collect::<Vec<_>>();
            let mut effects = indicators(&codes(level));
            effects.extend(indicators(&codes(&|row| row.time)));
            effects
        };
        let all: Vec<&Row> = rows.iter().collect();
        let column = |of: &dyn Fn(&Row) -> f64| rows.iter().map(of).collect::<Vec<f64>>();
        let mut regressors = effects(&all, &|row| row.level);
        regressors.extend([column(&|row| row.control), column(&|row| row.control.powi(2))]);
        let left = residual(&column(&|row| row.treated), &regressors, &ones(rows.len()));
        let cohort = |row: &Row| design.groups[row.level].min(1e6) as usize;
        let mean = |of: &[f64], at: &Row| {
            let own = rows
                .iter()
                .zip(of)
                .filter(|(row, _)| cohort(row) == cohort(at) && row.time == at.time);
            let (n, sum) = own.fold((0.0, 0.0), |(n, sum), (_, value)| (n + 1.0, sum + value));
            sum / n
        };
        let squares: f64 = left.iter().map(|d| d * d).sum();
        let apart: Vec<f64> = rows.iter().zip(&left).map(|(row, d)| d - mean(&left, row)).collect();
        let part: f64 = apart.iter().map(|d| d * d).sum();
        let of_apart = rows.iter().zip(&apart).map(|(row, d)| row.outcome * d).sum::<f64>() / part;
        let mut config = bacon();
        config.covariates = vec!["x".into(), "x2".into()];
        let x2: Vec<f64> = floats(&design.frame(), "x").iter().map(|x| x * x).collect();
        let frame = with(&design.frame(), "x2", x2);
        if squares < 1e-8 {
            assert!(config.fit(&frame).is_err());
            continue;
        }
        let fit = config.fit(&frame).unwrap();
        let within = fit.within.unwrap();
        near(within.weight, part / squares, 1e-10);
        near(within.estimate.unwrap(), of_apart, 1e-8);
        let predicted: Vec<f64> = rows.iter().zip(&left).map(|(row, d)| row.treated - d).collect();
        let controls = [column(&|row| row.control), column(&|row| row.control.powi(2))];
        let mut sum = 0.0;
        let mut weights = Vec::new();
        for of in &fit.comparisons {
            let pair = [of.treated, of.control.unwrap_or(1e6)].map(|group| group as usize);
            let own: Vec<&Row> = rows.iter().filter(|row| pair.contains(&cohort(row))).collect();
            let effects = effects(&own, &|row| row.level);
            let w = ones(own.len());
            let of_own = |value: &dyn Fn(&Row) -> f64| {
                let values: Vec<f64> = own.iter().map(|row| value(row)).collect();
                residual(&values, &effects, &w)
            };
            let treated = of_own(&|row| row.treated);
            let predicted = of_own(&|row| mean(&predicted, row));
            let outcome = of_own(&|row| row.outcome);
            let means: Vec<Vec<f64>> =
                controls.iter().map(|x| of_own(&|row| mean(x, row))).collect();
            let unexplained = residual(&treated, &means, &w);
            let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            let explained: Vec<f64> =
                treated.iter().zip(&unexplained).map(|(d, e)| d - e).collect();
            let gap: Vec<f64> = explained.iter().zip(&predicted).map(|(q, p)| q - p).collect();
            let size = dot(&unexplained, &unexplained) + dot(&gap, &gap);
            near(of.estimate, (dot(&unexplained, &outcome) + dot(&gap, &outcome)) / size, 1e-7);
            weights.push(own.len() as f64 * size);
            sum += of.weight * of.estimate;
            compared += 1;
        }
        let total: f64 = weights.iter().sum();
        fit.comparisons.iter().zip(weights).for_each(|(of, w)| near(of.weight, w / total, 1e-9));
        let average = within.weight * of_apart + (1.0 - within.weight) * sum;
        near(fit.coefficient.estimate.unwrap(), average, 1e-9);
    }
    assert!(compared > 40, "{compared}");
}

#[test]
fn weights_of_random_designs_are_those_of_the_dense_program() {
    let mut cases = 0;
    for seed in 1..=12 {
        let design = random(seed);
        let options = [
            (false, false, false, TwfeCells::Unit),
            (true, true, false, TwfeCells::Unit),
            (true, true, true, TwfeCells::Unit),
            (true, false, true, TwfeCells::Cohort),
            (true, true, false, TwfeCells::Cohort),
        ];
        for (unbalanced, weighted, control, cells_of) in options {
            let rows = cells(&design, unbalanced, weighted, cells_of == TwfeCells::Unit);
            let column = |of: &dyn Fn(&Row) -> f64| rows.iter().map(of).collect::<Vec<f64>>();
            let codes = |of: &dyn Fn(&Row) -> usize| rows.iter().map(of).collect::<Vec<usize>>();
            let mut effects = indicators(&codes(&|row| row.level));
            effects.extend(indicators(&codes(&|row| row.time)));
            if control {
                effects.push(column(&|row| row.control));
            }
            let w = column(&|row| row.weight);
            let d = residual(&column(&|row| row.treated), &effects, &w);
            let total: f64 = rows.iter().zip(&d).map(|(row, d)| row.weight * d * row.treated).sum();
            let size: f64 = rows.iter().map(|row| row.weight * row.treated).sum();
            let mut config = weights();
            config.cells = cells_of;
            config.weights = weighted.then(|| "w".to_owned());
            config.covariates = control.then(|| "x".to_owned()).into_iter().collect();
            let frame = if unbalanced { design.unbalanced() } else { design.frame() };
            if total < 1e-8 * size {
                assert!(config.fit(&frame).is_err());
                continue;
            }
            let fit = config.fit(&frame).unwrap();
            let sum = rows.iter().zip(&d).map(|(row, d)| row.weight * d * row.outcome).sum::<f64>();
            near(fit.coefficient, sum / total, 1e-9);
            let mut expected: BTreeMap<(usize, usize), f64> = BTreeMap::new();
            for (row, d) in rows.iter().zip(&d).filter(|(row, _)| row.treated > 0.0) {
                let group = match cells_of {
                    TwfeCells::Unit => design.groups[row.level] as usize,
                    _ => row.level,
                };
                *expected.entry((group, row.time)).or_default() += row.weight * d / total;
            }
            assert_eq!(fit.rows.len(), expected.len());
            for row in &fit.rows {
                near(row.weight, expected[&(row.group as usize, row.time as usize)], 1e-9);
            }
            cases += 1;
        }
    }
    assert!(cases > 50, "{cases}");
}

/// Without noise, the coefficient is the weighted average of the effects that a design has: by period, or stable ones.
#[test]
fn weights_average_effects_to_the_coefficient() {
    let regressions =
        [TwfeRegression::FeTr, TwfeRegression::FeS, TwfeRegression::FdTr, TwfeRegression::FdS];
    for seed in 1..=12 {
        for regression in regressions {
            for (unbalanced, cells_of) in
                [(false, TwfeCells::Cohort), (false, TwfeCells::Unit), (true, TwfeCells::Unit)]
            {
                let mut design = random(seed);
                let stable = matches!(regression, TwfeRegression::FeS | TwfeRegression::FdS);
                let effect = |group: f64, time: usize| match stable {
                    true => (1.7 * group).sin(),
                    false => (1.7 * group + 2.3 * time as f64).sin(),
                };
                for u in 0..design.units {
                    for t in 1..=design.periods {
                        let row = design.row(u, t);
                        let trend = u as f64 + (t as f64).powi(2);
                        let own = design.treated(u, t) * effect(design.groups[u].min(1e6), t);
                        design.y[row] = trend + own;
                    }
                }
                let mut config = weights();
                config.regression = regression;
                config.cells = cells_of;
                let frame = if unbalanced { design.unbalanced() } else { design.frame() };
                let Ok(fit) = config.fit(&frame) else {
                    assert!(unbalanced);
                    continue;
                };
                let average: f64 = fit
                    .rows
                    .iter()
                    .map(|row| row.weight * effect(row.group, row.time as usize))
                    .sum();
                near(average, fit.coefficient, 1e-9);
            }
        }
    }
}
