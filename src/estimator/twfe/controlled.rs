//! The decomposition of a balanced panel with controls (Goodman-Bacon 2021, section 5.2), as R `bacondecomp` has it.
//!
//! Of `d`, what effects and controls leave of the treatment, the cohorts' means by period are one part, and what units differ from these the
//! other. The second has the share `Ω` of the variance of `d` and a coefficient of its own: differences within cohorts. The first is an
//! average over all pairs of cohorts, each compared over all periods: with `D`, `x`, `p` and `y` the difference of the pair's means of the
//! treatment, the controls, the predicted treatment and the outcome by period, less their means, and `q` what `x` explain of `D`, the
//! pair's estimate is `(D - p)'y / (|D - q|² + |q - p|²)`, and its weight is proportional to `n n'` times that denominator.

use super::cells::Cells;
use super::comparisons::{Comparison, ComparisonKind};
use super::means::{Cohort, CohortMeans};
use super::residual::Partial;
use super::result::BaconWithin;
use crate::base::solve::{COLLINEAR, add_scaled, dot};

/// The share of a variance that rounding leaves of what has none.
const ROUNDING: f64 = 1e-20;

/// The coefficient with controls, and what it is an average of.
pub(super) struct Controlled {
    pub estimate: f64,
    /// Influence of each unit on the coefficient.
    pub influence: Vec<f64>,
    /// Places of the controls that were left out because they depend on others or on the effects.
    pub dependent: Vec<usize>,
    pub within: BaconWithin,
    /// Between cohorts, by the earlier one; weights add up to 1.
    pub comparisons: Vec<Comparison>,
}

impl Controlled {
    /// Of rows of units, complete in all periods; `None` if effects and controls determine the treatment.
    pub fn new(cells: &Cells, means: &CohortMeans) -> Option<Self> {
        let periods = means.periods.len();
        let within = |values: &Vec<f64>| less_both_means(values, periods);
        let sum_of_squares = |values: &[f64]| dot(values, values);
        let controls: Vec<Vec<f64>> = cells.controls.iter().map(within).collect();
        let spreads: Vec<f64> = cells.controls.iter().map(|own| spread(own)).collect();
        let without_controls = |values: &Vec<f64>, spread: f64| Partial {
            weight: cells.weight.clone(),
            treated: within(values),
            controls: controls.clone(),
            squares: std::iter::once(spread).chain(spreads.iter().copied()).collect(),
        };
        let treated = without_controls(&cells.treated, spread(&cells.treated));
        let residual = treated.residual(&cells.outcome)?;
        let left = &residual.values;
        let squares = sum_of_squares(left);
        // However little units' levels leave of the outcome counts; a perfect fit leaves nothing.
        let outcome = without_controls(&cells.outcome, 0.0).residual(&cells.outcome);
        let outcome = outcome.map_or_else(|| vec![0.0; left.len()], |of| of.values);
        let of_row = |(d, y): (&f64, &f64)| d * (y - residual.coefficient * d) / squares;
        let influence: Vec<f64> = left.iter().zip(&outcome).map(of_row).collect();
        let cohorts: Vec<usize> =
            cells.group.chunks(periods).map(|own| means.cohort_of(own[0])).collect();
        let kept = (0..controls.len()).filter(|at| !residual.dependent.contains(at));
        let tables = Tables {
            predicted: table(means, &cohorts, &difference(&cells.treated, left)),
            controls: kept.map(|at| table(means, &cohorts, &cells.controls[at])).collect(),
        };
        let left_by_cohort = table(means, &cohorts, left);
        let of_cohort = |row: usize| left_by_cohort[cohorts[row / periods]][row % periods];
        let apart: Vec<f64> = (0..left.len()).map(|row| left[row] - of_cohort(row)).collect();
        let part = sum_of_squares(&apart);
        let has_part = part > ROUNDING * squares;
        Some(Self {
            estimate: residual.coefficient,
            influence: influence.chunks(periods).map(|own| own.iter().sum()).collect(),
            dependent: residual.dependent,
            within: BaconWithin {
                weight: if has_part { part / squares } else { 0.0 },
                estimate: has_part.then(|| dot(&apart, &within(&cells.outcome)) / part),
            },
            comparisons: tables.comparisons(means),
        })
    }
}

/// Means by cohort and period, `[cohorts][T]`.
type Table = Vec<Vec<f64>>;

/// What pairs of cohorts are compared in, besides treatments and outcomes.
struct Tables {
    /// The treatment that effects and controls predict.
    predicted: Table,
    controls: Vec<Table>,
}

impl Tables {
    fn comparisons(&self, means: &CohortMeans) -> Vec<Comparison> {
        let cohorts = &means.cohorts;
        let pairs = (0..cohorts.len()).flat_map(|a| (a + 1..cohorts.len()).map(move |b| (a, b)));
        let mut all: Vec<Comparison> = pairs.map(|(a, b)| self.comparison(means, a, b)).collect();
        let most = all.iter().fold(0.0, |most: f64, of| most.max(of.weight));
        all.retain(|of| of.weight > ROUNDING * most);
        let total: f64 = all.iter().map(|of| of.weight).sum();
        for of in &mut all {
            of.weight /= total;
        }
        all
    }

    /// Of two cohorts, the first treated before the other.
    fn comparison(&self, means: &CohortMeans, first: usize, second: usize) -> Comparison {
        let (earlier, later) = (&means.cohorts[first], &means.cohorts[second]);
        let treatment =
            |of: &Cohort| -> Vec<f64> { (0..means.periods.len()).map(|t| of.treated(t)).collect() };
        let treated = gap(&treatment(earlier), &treatment(later));
        let outcome = gap(&earlier.means, &later.means);
        let of_table = |table: &Table| gap(&table[first], &table[second]);
        let predicted = of_table(&self.predicted);
        let explained = fitted(&treated, self.controls.iter().map(of_table));
        let squares = |a: &[f64], b: &[f64]| dot(&difference(a, b), &difference(a, b));
        let size = squares(&treated, &explained) + squares(&explained, &predicted);
        let periods = means.periods.len();
        let (treated_cohort, control, kind) = match (earlier.start, later.start) {
            (0, start) if start == periods => (first, second, ComparisonKind::AlwaysVsNever),
            (_, start) if start == periods => (first, second, ComparisonKind::TreatedVsNever),
            (0, _) => (second, first, ComparisonKind::LaterVsAlways),
            _ => (first, second, ComparisonKind::BothTreated),
        };
        Comparison {
            treated: treated_cohort,
            control,
            kind,
            estimate: dot(&difference(&treated, &predicted), &outcome) / size,
            weight: earlier.units as f64 * later.units as f64 * size,
        }
    }
}

/// Rows `[units][T]` less the means of their unit and of their period, plus that of all.
fn less_both_means(values: &[f64], periods: usize) -> Vec<f64> {
    let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len() as f64;
    let by_unit: Vec<f64> = values
        .chunks(periods)
        .flat_map(|own| own.iter().map(move |value| value - mean(own)))
        .collect();
    let units = (values.len() / periods) as f64;
    let mut of_periods = vec![0.0; periods];
    for own in by_unit.chunks(periods) {
        add_scaled(&mut of_periods, 1.0 / units, own);
    }
    by_unit.iter().enumerate().map(|(row, value)| value - of_periods[row % periods]).collect()
}

/// Sum of squares around the mean.
fn spread(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter().map(|value| (value - mean).powi(2)).sum()
}

fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

/// Means of rows `[units][T]` whose units are of these cohorts.
fn table(means: &CohortMeans, cohorts: &[usize], values: &[f64]) -> Table {
    let periods = means.periods.len();
    let mut table = vec![vec![0.0; periods]; means.cohorts.len()];
    for (cohort, own) in cohorts.iter().zip(values.chunks(periods)) {
        add_scaled(&mut table[*cohort], 1.0 / means.cohorts[*cohort].units as f64, own);
    }
    table
}

/// The difference of two cohorts by period, less its mean.
fn gap(one: &[f64], other: &[f64]) -> Vec<f64> {
    let gaps = difference(one, other);
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    gaps.iter().map(|gap| gap - mean).collect()
}

/// What columns explain of a target, by Gram and Schmidt; those that depend on others explain nothing more.
fn fitted(target: &[f64], columns: impl Iterator<Item = Vec<f64>>) -> Vec<f64> {
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for column in columns {
        let mut left = column.clone();
        // Once more, as rounding leaves a part.
        for _ in 0..2 {
            for known in &basis {
                let share = dot(known, &left);
                add_scaled(&mut left, -share, known);
            }
        }
        let size = dot(&left, &left);
        if size > COLLINEAR * dot(&column, &column) {
            let length = size.sqrt();
            for value in &mut left {
                *value /= length;
            }
            basis.push(left);
        }
    }
    let mut sum = vec![0.0; target.len()];
    for known in &basis {
        add_scaled(&mut sum, dot(known, target), known);
    }
    sum
}
