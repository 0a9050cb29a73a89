//! From the coefficients of the regression to averages of effects with their covariance.

use super::averages::{Average, RandomShares, covariance};
use super::levels::Levels;
use super::options::Etwfe;
use super::result::{EtwfeEffect, EtwfeLevel, EtwfeResult, EtwfeSettings};
use super::sample::Sample;
use super::wanted::{Averages, Parts, Wanted};
use crate::base::error::DidWarning;
use crate::engine::backend::DidBackend;
use crate::engine::source::Influence;
use crate::estimator::fixed_effects::{
    Coefficient, Law, RegressionResult, groups_of_one, single_cohorts,
};
use crate::read::columns::MISSING;
use crate::result::inference::Estimate;
use crate::result::sample::{RowsRead, SampleColumns};

/// Averages in a list, and their covariance.
struct Estimated {
    effects: Vec<EtwfeEffect>,
    /// 0 for an average without a value, and at the reference.
    vcov: Vec<Vec<f64>>,
}

/// As R's and ModernDiD's averages have it; the coefficients of a linear regression have the t law of `fixest`.
const LAW: Law = Law::Normal;

impl<B: DidBackend> Etwfe<B> {
    /// The result of a regression: averages of its effects.
    pub(super) fn result(
        &self,
        parts: &Parts<'_>,
        levels: &Levels,
        regression: RegressionResult,
    ) -> EtwfeResult {
        let &Parts { sample, design, margins, .. } = parts;
        let of_all = parts.averages(None);
        let numbers = (0..levels.len()).filter(|_| levels.are_averaged());
        let of_levels: Vec<(usize, Averages<Wanted>)> = numbers
            .map(|level| (level, parts.averages(Some(level))))
            .filter(|(_, of)| of.overall.average.as_ref().is_some_and(|average| average.rows > 0))
            .collect();
        let influence = regression.influence.as_ref().map(|of_coefficients| {
            let column = |wanted: &Wanted| {
                wanted.average.as_ref().map_or_else(Vec::new, |of| of.influence(of_coefficients))
            };
            let name = |row: &Wanted| Some(row.key.event_time?.to_string());
            Influence {
                units: of_coefficients.units.clone(),
                names: of_all.by_event_time.iter().filter_map(name).collect(),
                columns: of_all.by_event_time.iter().map(column).collect(),
            }
        });
        let counts = of_all.counts();
        let counts_of_levels: Vec<(usize, [usize; 3])> =
            of_levels.iter().map(|(level, of)| (*level, of.counts())).collect();
        let mut list: Vec<Wanted> = of_all.into_list().collect();
        list.extend(of_levels.into_iter().flat_map(|(_, of)| of.into_list()));
        list.extend(parts.cells());
        let estimated = self.estimated(parts, levels, &regression, &list);
        let vcov_of = |first: usize, events: usize| -> Vec<Vec<f64>> {
            let own = first + 1..first + 1 + events;
            estimated.vcov[own.clone()].iter().map(|row| row[own.clone()].to_vec()).collect()
        };
        let mut rest = estimated.effects.iter().cloned();
        let mut next = |counts| Averages::next(counts, &mut rest);
        let of_all = next(counts);
        let mut first = 1 + counts.iter().sum::<usize>();
        let base = first;
        let mut by_level = Vec::new();
        for (level, counts) in counts_of_levels {
            let own = next(counts);
            by_level.push(EtwfeLevel {
                level: levels.names[level].clone(),
                n_treated: own.overall.n_rows,
                overall: own.overall.estimate,
                difference: (first > base).then(|| self.difference(&estimated, first, base)),
                by_event_time: own.by_event_time,
                vcov: vcov_of(first, counts[0]),
                by_group: own.by_group,
                by_period: own.by_period,
            });
            first += 1 + counts.iter().sum::<usize>();
        }
        let cells = rest.collect();
        let treated = design.cells.iter().enumerate().filter(|(_, cell)| cell.treated);
        EtwfeResult {
            n_treated: treated.map(|(cell, _)| margins.rows_of(cell)).sum(),
            settings: self.settings(sample),
            alpha: self.alpha,
            overall: of_all.overall.estimate,
            by_event_time: of_all.by_event_time,
            vcov: vcov_of(0, counts[0]),
            by_group: of_all.by_group,
            by_period: of_all.by_period,
            by_level,
            cells,
            regression,
            warnings: {
                let of_sample = sample.warnings.iter().cloned();
                of_sample.chain(single_units(sample)).chain(self.moderator_levels()).collect()
            },
            influence,
        }
    }

    /// A warning unless effects of units take up the levels of a moderator.
    fn moderator_levels(&self) -> Option<DidWarning> {
        let moderator = self.moderator.clone()?;
        let by_unit = self.unit.is_some() && self.absorbs_units();
        (!by_unit).then_some(DidWarning::ModeratorLevels { moderator })
    }

    /// The averages of a list with their standard errors.
    fn estimated(
        &self,
        parts: &Parts<'_>,
        levels: &Levels,
        regression: &RegressionResult,
        list: &[Wanted],
    ) -> Estimated {
        let &Parts { sample, design, margins, .. } = parts;
        let k = regression.coefficients.len();
        let coefficients = match regression.vcov.is_empty() {
            true => vec![f64::NAN; k * k],
            false => regression.vcov.concat(),
        };
        let clusters = self.random_shares.then(|| sample.drawn());
        let weights = |row: usize| self.weight_in_averages(sample, row);
        let shares = clusters.as_ref().map(|clusters| RandomShares {
            clusters,
            design,
            levels,
            weights: &weights,
        });
        let averages: Vec<&Average> = list.iter().filter_map(|w| w.average.as_ref()).collect();
        let covariance = covariance(&averages, &coefficients, margins, shares.as_ref());
        let m = averages.len();
        let place: Vec<Option<usize>> = list
            .iter()
            .scan(0, |next, wanted| {
                let own = wanted.average.as_ref().map(|_| *next);
                *next += usize::from(own.is_some());
                Some(own)
            })
            .collect();
        let known = |a: usize| averages[a].value.is_some();
        let entry = |a: &Option<usize>, b: &Option<usize>| match (a, b) {
            (Some(a), Some(b)) if known(*a) && known(*b) => {
                let value = covariance[a * m + b];
                if value.is_finite() { value } else { 0.0 }
            }
            _ => 0.0,
        };
        let vcov = place.iter().map(|a| place.iter().map(|b| entry(a, b)).collect()).collect();
        let effect = |(wanted, place): (&Wanted, &Option<usize>)| {
            let Some(average) = &wanted.average else { return wanted.key.clone() };
            let estimate = average.value.map_or_else(Estimate::default, |value| {
                let variance = place.map_or(f64::NAN, |at| covariance[at * m + at]);
                self.estimate(value, variance)
            });
            EtwfeEffect { estimate, n_rows: average.rows, ..wanted.key.clone() }
        };
        Estimated { effects: list.iter().zip(&place).map(effect).collect(), vcov }
    }

    fn estimate(&self, value: f64, variance: f64) -> Estimate {
        Coefficient::new(String::new(), value, variance, LAW, LAW.critical(self.alpha))
            .as_estimate()
    }

    /// One average less another.
    fn difference(&self, of: &Estimated, one: usize, other: usize) -> Estimate {
        let [a, b] = [one, other].map(|at| of.effects[at].estimate);
        let Some((value, less)) = a.estimate.zip(b.estimate) else { return Estimate::default() };
        let variance = match a.se.and(b.se) {
            Some(_) => of.vcov[one][one] + of.vcov[other][other] - 2.0 * of.vcov[one][other],
            None => f64::NAN,
        };
        self.estimate(value - less, variance)
    }

    fn settings(&self, sample: &Sample) -> EtwfeSettings {
        let (weights, frequency) = (self.weights.as_ref(), self.frequency);
        EtwfeSettings {
            columns: SampleColumns::new(&self.outcome, &self.time, weights, frequency),
            unit: self.unit.clone(),
            group: self.group.clone(),
            covariates: self.covariates.clone(),
            moderator: self.moderator.clone(),
            control_group: self.control_group,
            family: self.family,
            scale: self.scale,
            absorb: self.absorb,
            unweighted_averages: self.unweighted_averages,
            undetermined: self.undetermined,
            random_shares: self.random_shares,
            read: RowsRead {
                files: sample.files.clone(),
                n_rows: sample.rows_in,
                rows_missing: sample.rows_missing,
            },
            read_as_missing: sample.read_as_missing.clone(),
        }
    }
}

/// A warning of cohorts with effects that are those of a single unit, where there is a column of units.
fn single_units(sample: &Sample) -> Option<DidWarning> {
    let units = sample.units.as_ref()?.iter().enumerate().filter(|(_, unit)| **unit != MISSING);
    let rows = units.map(|(row, unit)| (sample.cohort_of(row), *unit));
    let single = groups_of_one(sample.cohorts.len(), rows);
    let single = single.into_iter().map(|cohort| sample.cohorts[cohort]);
    let treated = single.filter(|cohort| cohort.group.is_finite() && !cohort.reference);
    single_cohorts(treated.map(|cohort| cohort.group).collect())
}
