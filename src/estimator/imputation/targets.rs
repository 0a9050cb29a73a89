//! Which averages of effects are formed.

use super::options::Imputation;
use crate::estimator::first_stage::{
    StageReading, StageSample, StageTerm, Target, event_times, groups,
};
use crate::estimator::fixed_effects::fine;

/// A term with its weights, or why it has none.
pub(super) struct Wanted {
    pub term: StageTerm,
    pub target: Result<Target, String>,
}

/// All averages that are asked for, in the order of the result, but for what is before treatment.
pub(super) fn wanted(
    config: &Imputation,
    reading: &StageReading,
    sample: &StageSample,
) -> Vec<Wanted> {
    let observed = event_times(sample, true);
    let horizons = horizons(config, sample, &observed);
    let mut all = vec![StageTerm::Overall];
    all.extend(config.averages.iter().cloned().map(StageTerm::Average));
    all.extend(horizons.iter().copied().map(StageTerm::EventTime));
    if config.groups {
        all.extend(groups(sample).into_iter().map(StageTerm::Group));
    }
    let balanced = config.balanced_horizons.then(|| balanced(sample, &horizons));
    let target = |term: StageTerm| {
        let target = match &term {
            StageTerm::Overall => Target::mean(sample, term.clone(), |cell| cell.is_treated()),
            StageTerm::Group(group) => {
                Target::mean(sample, term.clone(), |cell| cell.is_treated() && cell.group == *group)
            }
            StageTerm::EventTime(at) => match &balanced {
                None => {
                    Target::mean(sample, term.clone(), |cell| cell.is_treated() && cell.is_at(*at))
                }
                Some(Balanced { rows, .. }) => {
                    let weight =
                        |row: usize| f64::from(u8::from(sample.at(row).is_at(*at) && rows[row]));
                    Target::weighted(sample, term.clone(), weight, false)
                }
            },
            StageTerm::Average(name) => {
                let column = config.averages.iter().position(|known| known == name);
                column.and_then(|column| {
                    let values = &reading.averages[column];
                    let weight = |row: usize| values[sample.rows[row] as usize];
                    Target::weighted(sample, term.clone(), weight, config.sums)
                })
            }
            StageTerm::Coefficient(_) => None,
        };
        let why = |term: &StageTerm| match term {
            StageTerm::EventTime(_) if config.balanced_horizons => {
                "no unit is treated and imputed at all horizons".to_owned()
            }
            StageTerm::Average(_) => "its weights on treated rows add up to nothing".to_owned(),
            _ => "no treated row is there".to_owned(),
        };
        let changing = balanced.as_ref().is_some_and(|balanced| balanced.changing);
        let target = match &term {
            StageTerm::EventTime(_) if changing => Err(CHANGING_WEIGHTS.to_owned()),
            _ => target.ok_or_else(|| why(&term)).and_then(|target| enough(config, sample, target)),
        };
        Wanted { term, target }
    };
    all.into_iter().map(target).collect()
}

/// Event times from 0 on, ascending.
fn horizons(config: &Imputation, sample: &StageSample, observed: &[f64]) -> Vec<f64> {
    let Some(asked) = &config.horizons else { return observed.to_vec() };
    let mut asked: Vec<f64> = asked.iter().map(|at| sample.event_time(*at)).collect();
    asked.sort_by(f64::total_cmp);
    asked.dedup_by(|a, b| fine(*a) == fine(*b));
    asked
}

/// A target whose rows are enough.
fn enough(config: &Imputation, sample: &StageSample, target: Target) -> Result<Target, String> {
    let effective = target.effective(sample);
    match effective < config.min_effective {
        true => Err(format!(
            "it rests on {effective:.1} effective rows, and at least {} are asked for",
            config.min_effective
        )),
        false => Ok(target),
    }
}

/// Why horizons are not comparable though they are of the same units.
const CHANGING_WEIGHTS: &str = "weights of units change from one horizon to another, so that horizons would not be averages of the same units alike; give each unit one weight, or do without `balanced_horizons`";

/// A change of a weight up to this share of it is none.
const SAME: f64 = 1e-6;

/// Rows of units that are treated, and imputed, at all of some event times.
struct Balanced {
    /// Whether each row is one.
    rows: Vec<bool>,
    /// Whether weights of these units change over the event times.
    changing: bool,
}

fn balanced(sample: &StageSample, horizons: &[f64]) -> Balanced {
    let at_horizon = |row: usize| {
        let cell = sample.at(row);
        cell.is_treated() && horizons.iter().any(|at| cell.is_at(*at))
    };
    let mut found = vec![0usize; sample.n_units];
    let mut weights = vec![(f64::INFINITY, 0.0_f64); sample.n_units];
    for (row, unit) in sample.units.iter().enumerate().filter(|(row, _)| at_horizon(*row)) {
        found[*unit as usize] += 1;
        let (least, most) = &mut weights[*unit as usize];
        let weight = sample.design.weight(row);
        (*least, *most) = (least.min(weight), most.max(weight));
    }
    let is_kept = |unit: usize| found[unit] == horizons.len();
    let changes = |unit: usize| weights[unit].1 - weights[unit].0 > SAME * weights[unit].1;
    Balanced {
        rows: sample.units.iter().map(|unit| is_kept(*unit as usize)).collect(),
        changing: (0..sample.n_units).any(|unit| is_kept(unit) && changes(unit)),
    }
}
