//! Averages over the event times that all estimators have, and tests that two of them agree.

use super::StudyEstimator;
use super::result::Agreement;
use super::sample::StudySample;
use crate::base::parallel;
use crate::result::inference::{Combination, Estimate, Joint, Wald};

/// Differences of estimates that are smaller than this part of their standard errors are rounding.
pub(in crate::study) const SAME: f64 = 1e-7;

/// Where the effects of an estimator stand in the joint law.
pub(super) struct Effects {
    pub estimator: StudyEstimator,
    /// Event time and position of each effect with a standard error.
    pub at: Vec<(f64, usize)>,
}

impl Effects {
    fn position(&self, event_time: f64) -> Option<usize> {
        self.at.iter().find(|(at, _)| *at == event_time).map(|(_, position)| *position)
    }

    /// Event times from 0 on, ascending.
    pub fn after(&self) -> Vec<f64> {
        self.at.iter().map(|(at, _)| *at).filter(|at| *at >= 0.0).collect()
    }

    /// The average over some event times, each of which counts alike; `None` if one of them is not there.
    fn average(&self, joint: &Joint, event_times: &[f64]) -> Option<Combination> {
        let share = 1.0 / event_times.len() as f64;
        let positions: Option<Vec<usize>> =
            event_times.iter().map(|at| self.position(*at)).collect();
        joint.combination(positions?.into_iter().map(|position| (position, share))).ok()
    }
}

/// The event times that all have, in the order of the first; without those that have less than half as many as the one with the most, so that
/// a short window of one does not cut the averages of all.
pub(in crate::study) fn common(times: &[Vec<f64>]) -> Vec<f64> {
    let most = times.iter().map(Vec::len).max().unwrap_or_default();
    let of_both = |common: Vec<f64>, other: Vec<f64>| {
        common.into_iter().filter(|at| other.contains(at)).collect()
    };
    times.iter().filter(|of| 2 * of.len() >= most).cloned().reduce(of_both).unwrap_or_default()
}

/// The average effect of each estimator over the common event times.
pub(super) fn averages(
    joint: &Joint,
    effects: &[Effects],
    event_times: &[f64],
    alpha: f64,
) -> Vec<Estimate> {
    let average = |effects: &Effects| {
        let combination =
            effects.average(joint, event_times).filter(|_| !event_times.is_empty())?;
        joint.estimate(&combination, alpha)
    };
    effects.iter().map(|effects| average(effects).unwrap_or_default()).collect()
}

/// All pairs of estimators, each on the event times that both have from 0 on. `influence` is what clusters contribute to the effects, by
/// their position in the joint law.
pub(super) fn agreement(
    sample: &StudySample,
    joint: &Joint,
    influence: &[&[f64]],
    effects: &[Effects],
    standard_errors: &[Option<f64>],
    alpha: f64,
) -> Vec<Agreement> {
    let of_sample = Compared { sample, joint, influence, standard_errors };
    let pairs = effects.iter().enumerate();
    let pairs =
        pairs.flat_map(|(index, first)| effects[index + 1..].iter().map(move |b| [first, b]));
    let pairs: Vec<[&Effects; 2]> = pairs.collect();
    parallel::map(pairs.len(), |at| of_sample.pair(pairs[at], alpha))
}

/// What differences are formed from.
struct Compared<'a> {
    sample: &'a StudySample,
    joint: &'a Joint,
    influence: &'a [&'a [f64]],
    standard_errors: &'a [Option<f64>],
}

impl Compared<'_> {
    fn pair(&self, [first, second]: [&Effects; 2], alpha: f64) -> Agreement {
        let Self { joint, standard_errors, .. } = self;
        let both = first.at.iter().filter(|(at, _)| *at >= 0.0);
        let both = both.filter_map(|(at, a)| Some((*at, *a, second.position(*at)?)));
        let both: Vec<(f64, usize, usize)> = both.collect();
        let event_times: Vec<f64> = both.iter().map(|(at, ..)| *at).collect();
        let share = 1.0 / both.len().max(1) as f64;
        let terms = both.iter().flat_map(|(_, a, b)| [(*a, share), (*b, -share)]);
        let average = joint.combination(terms).ok().filter(|_| !both.is_empty());
        let errors = both.iter().flat_map(|(_, a, b)| [standard_errors[*a], standard_errors[*b]]);
        let size = errors.flatten().fold(0.0, f64::max);
        let value = |position: usize| joint.values[position].unwrap_or(f64::NAN);
        let is_same =
            |(_, a, b): &&(f64, usize, usize)| (value(*a) - value(*b)).abs() <= SAME * size;
        // Effects that are the same say nothing of the others.
        let (equal, tested): (Vec<_>, Vec<_>) = both.iter().partition(is_same);
        let same = !equal.is_empty() && tested.is_empty();
        let value = average.as_ref().map(|of| of.value);
        let difference = match (&average, same) {
            (Some(average), false) => joint.estimate(average, alpha).unwrap_or_default(),
            // What is rounding has no standard error.
            _ => Estimate { estimate: value, ..Estimate::default() },
        };
        let wald = (!tested.is_empty()).then(|| self.wald(&tested)).flatten();
        let (first, second) = (first.estimator, second.estimator);
        Agreement { first, second, event_times, difference, wald, same }
    }

    /// That these differences are all 0, by the law of Hotelling's T²: with few clusters the chi-squared law is far off. Their covariance is
    /// that of the differences of influence: that of the effects would lose its digits, and a singular one would pass for regular.
    fn wald(&self, tested: &[&(f64, usize, usize)]) -> Option<Wald> {
        let Self { sample, joint, influence, .. } = self;
        let apart = |(_, a, b): &&(f64, usize, usize)| -> Vec<f64> {
            let (a, b) = (influence[*a], influence[*b]);
            let size = a.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
            // What is rounding is no contribution of a cluster.
            let rounded = |by: f64| if by.abs() <= SAME * size { 0.0 } else { by };
            a.iter().zip(b).map(|(a, b)| rounded(a - b)).collect()
        };
        let columns: Vec<Vec<f64>> = tested.iter().map(apart).collect();
        let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let value = |(_, a, b): &&(f64, usize, usize)| Some(joint.values[*a]? - joint.values[*b]?);
        let of_differences = sample.joint(tested.iter().map(value).collect(), &columns);
        of_differences.wald()?.of_clusters(of_differences.n_clusters?)
    }
}
