//! Regressions of groups' effects on what does not change over time in them (section 1.5 of the web appendix).

use std::collections::BTreeMap;

use faer::linalg::solvers::DenseSolveCore;
use faer::{Mat, Side};

use super::options::{Direction, SwitchingOptions};
use super::sample::SwitchingSample;

/// A covariate whose sum of squares within cells is up to this part of the whole is constant in them but for rounding.
const CONSTANT: f64 = 1e-24;

/// Coefficients of one regression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Heterogeneity {
    /// Effect, or minus the placebo.
    pub effect: i64,
    /// One for each column: coefficient and standard error.
    pub coefficients: Option<Vec<(f64, f64)>>,
    /// Groups.
    pub n: usize,
    /// Degrees of freedom of the t law.
    pub df: usize,
    /// F statistic of all coefficients being zero.
    pub f: Option<f64>,
}

/// One group of a regression.
struct GroupRow {
    cell: usize,
    weight: f64,
    outcome: f64,
    covariates: Vec<f64>,
}

/// Weighted regression of signed changes of the outcome on some columns, with an intercept for each first switch, status quo
/// treatment, direction and trend group; heteroscedasticity-robust (HC1).
pub(crate) fn heterogeneity(
    sample: &SwitchingSample,
    options: &SwitchingOptions,
    columns: &[usize],
    effect: i64,
) -> Heterogeneity {
    let mut cells: BTreeMap<(usize, u32, Direction), usize> = BTreeMap::new();
    let mut rows: Vec<GroupRow> = Vec::new();
    for g in 0..sample.groups() {
        let weight = sample.start_weight[g];
        let (Some(direction), true) = (sample.direction[g], weight > 0.0) else { continue };
        let covariates: Vec<f64> =
            columns.iter().map(|c| sample.traits.value(*c, sample.start, g)).collect();
        let Some(change) = change(sample, options, g, effect) else { continue };
        if covariates.iter().any(|x| x.is_nan()) {
            continue;
        }
        let next = cells.len();
        let key = (sample.stratum[g] as usize, sample.first[g], direction);
        let cell = *cells.entry(key).or_insert(next);
        rows.push(GroupRow { cell, weight, outcome: direction.sign() * change, covariates });
    }
    let square =
        |i: usize| -> f64 { rows.iter().map(|r| r.weight * r.covariates[i].powi(2)).sum() };
    let squares: Vec<f64> = (0..columns.len()).map(square).collect();
    // Twice: the mean of many equal numbers is not quite that number.
    centre(&mut rows, cells.len());
    centre(&mut rows, cells.len());
    let (n, used) = (rows.len(), cells.len() + columns.len());
    let df = n.saturating_sub(used);
    let fitted = if df > 0 { fit(&rows, &squares, df) } else { None };
    let (coefficients, f) = fitted.map_or((None, None), |(c, f)| (Some(c), Some(f)));
    Heterogeneity { effect, coefficients, n, df, f }
}

/// Change of a group's outcome since the last period before its switch.
fn change(
    sample: &SwitchingSample,
    options: &SwitchingOptions,
    g: usize,
    effect: i64,
) -> Option<f64> {
    let length = usize::try_from(effect.unsigned_abs()).ok()?;
    if length > sample.horizons(g) {
        return None;
    }
    let row = &sample.levels[sample.row(g)];
    let base = sample.first_of(g).checked_sub(1)?;
    let t = if effect > 0 { base + length } else { base.checked_sub(length)? };
    // As in R, the trend uses periods that have a first difference.
    let before = || base.checked_sub(1).filter(|before| *before >= sample.start);
    let trend = if options.linear_trends { row[base] - row[before()?] } else { 0.0 };
    let change = row.get(t)? - row[base] - effect as f64 * trend;
    (!change.is_nan()).then_some(change)
}

/// Takes the weighted means of the cells off outcomes and covariates.
fn centre(rows: &mut [GroupRow], cells: usize) {
    let k = rows.first().map_or(0, |row| row.covariates.len());
    let mut sums = vec![0.0; cells * (k + 2)];
    for row in rows.iter() {
        let sums = &mut sums[row.cell * (k + 2)..(row.cell + 1) * (k + 2)];
        sums[0] += row.weight;
        sums[1] += row.weight * row.outcome;
        sums[2..].iter_mut().zip(&row.covariates).for_each(|(s, x)| *s += row.weight * x);
    }
    for row in rows {
        let sums = &sums[row.cell * (k + 2)..(row.cell + 1) * (k + 2)];
        row.outcome -= sums[1] / sums[0];
        row.covariates.iter_mut().zip(&sums[2..]).for_each(|(x, s)| *x -= s / sums[0]);
    }
}

/// Coefficients with standard errors, and the F statistic; `None` if covariates are constant or depend on each other within cells.
/// `squares` are the covariates' sums of squares before they were centred.
fn fit(rows: &[GroupRow], squares: &[f64], df: usize) -> Option<(Vec<(f64, f64)>, f64)> {
    let k = squares.len();
    let mut gram = Mat::<f64>::zeros(k, k);
    let mut moments = Mat::<f64>::zeros(k, 1);
    for row in rows {
        for (i, x) in row.covariates.iter().enumerate() {
            moments[(i, 0)] += row.weight * x * row.outcome;
            row.covariates.iter().enumerate().for_each(|(j, z)| gram[(i, j)] += row.weight * x * z);
        }
    }
    if (0..k).any(|i| gram[(i, i)] <= CONSTANT * squares[i]) {
        return None;
    }
    let scale: Vec<f64> = (0..k).map(|i| gram[(i, i)].sqrt().recip()).collect();
    let scaled = Mat::from_fn(k, k, |i, j| gram[(i, j)] * scale[i] * scale[j]);
    let values = scaled.self_adjoint_eigenvalues(Side::Lower).ok()?;
    if values.first().is_none_or(|smallest| *smallest < 1e-12) {
        return None;
    }
    let inverse = scaled.partial_piv_lu().inverse();
    let inverse = Mat::from_fn(k, k, |i, j| inverse[(i, j)] * scale[i] * scale[j]);
    let coefficients = &inverse * &moments;
    let mut meat = Mat::<f64>::zeros(k, k);
    for row in rows {
        let explained: f64 = (0..k).map(|i| coefficients[(i, 0)] * row.covariates[i]).sum();
        let score = row.weight * (row.outcome - explained);
        for i in 0..k {
            for j in 0..k {
                meat[(i, j)] += score * score * row.covariates[i] * row.covariates[j];
            }
        }
    }
    let correction = rows.len() as f64 / df as f64;
    let covariance = &inverse * &meat * &inverse;
    let entry = |i: usize| (coefficients[(i, 0)], (correction * covariance[(i, i)]).sqrt());
    let weights = covariance.partial_piv_lu().inverse();
    let quadratic = (coefficients.transpose() * weights * &coefficients)[(0, 0)];
    Some(((0..k).map(entry).collect(), quadratic / correction / k as f64))
}
