//! Averages over the event times that all estimators have, and tests that two of them agree.

use super::StudyEstimator;
use super::result::Agreement;
use crate::result::inference::{Combination, Estimate, Joint};

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

/// All pairs of estimators, each on the event times that both have from 0 on.
pub(super) fn agreement(
    joint: &Joint,
    effects: &[Effects],
    standard_errors: &[Option<f64>],
    alpha: f64,
) -> Vec<Agreement> {
    let pairs = effects.iter().enumerate();
    let pairs =
        pairs.flat_map(|(index, first)| effects[index + 1..].iter().map(move |b| (first, b)));
    pairs.map(|(first, second)| pair(joint, [first, second], standard_errors, alpha)).collect()
}

fn pair(
    joint: &Joint,
    [first, second]: [&Effects; 2],
    standard_errors: &[Option<f64>],
    alpha: f64,
) -> Agreement {
    let both = first.at.iter().filter(|(at, _)| *at >= 0.0);
    let both = both.filter_map(|(at, a)| Some((*at, *a, second.position(*at)?)));
    let both: Vec<(f64, usize, usize)> = both.collect();
    let difference =
        |(_, a, b): &(f64, usize, usize)| joint.combination([(*a, 1.0), (*b, -1.0)]).ok();
    let differences: Vec<Combination> = both.iter().filter_map(difference).collect();
    let event_times: Vec<f64> = both.iter().map(|(at, ..)| *at).collect();
    let share = 1.0 / both.len().max(1) as f64;
    let terms = both.iter().flat_map(|(_, a, b)| [(*a, share), (*b, -share)]);
    let average = joint.combination(terms).ok().filter(|_| !both.is_empty());
    let errors = both.iter().flat_map(|(_, a, b)| [standard_errors[*a], standard_errors[*b]]);
    let size = errors.flatten().fold(0.0, f64::max);
    let law = joint.combined(&differences);
    let is_same = |of: &Combination| of.value.abs() <= SAME * size;
    let same = !both.is_empty() && differences.iter().all(is_same);
    let value = average.as_ref().map(|of| of.value);
    let difference = match (&average, same) {
        (Some(average), false) => joint.estimate(average, alpha).unwrap_or_default(),
        // What is rounding has no standard error.
        _ => Estimate { estimate: value, ..Estimate::default() },
    };
    let wald = law.filter(|_| !same && !both.is_empty()).and_then(|law| law.wald());
    let (first, second) = (first.estimator, second.estimator);
    Agreement { first, second, event_times, difference, wald, same }
}
