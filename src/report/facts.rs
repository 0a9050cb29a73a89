//! What is known of fits and cells, as columns.

use std::collections::HashMap;

use super::estimates::Variable;
use super::foot;
use crate::base::calendar::{Frequency, shown};
use crate::base::error::{DidWarning, Message};
use crate::base::options::{FixWeights, SharesOf};
use crate::result::estimates::{CellStatus, Overlap};
use crate::result::settings::Settings;

/// How comparison units are weighted.
pub(crate) fn overlaps(of: impl Iterator<Item = Option<Overlap>>) -> Vec<Variable> {
    let of: Vec<Option<Overlap>> = of.collect();
    let numbers = |name: &str, value: fn(Overlap) -> Option<f64>| {
        Variable::numbers(name, of.iter().map(|overlap| overlap.and_then(value)))
    };
    let trimmed = of.iter().map(|overlap| overlap.map(|overlap| overlap.trimmed));
    vec![
        numbers("largest_score_treated", |overlap| overlap.largest_score_treated),
        numbers("largest_score_control", |overlap| overlap.largest_score_control),
        Variable::counts("trimmed", trimmed),
        numbers("trimmed_share", |overlap| Some(overlap.trimmed_share)),
        numbers("effective_control", |overlap| overlap.effective_control),
        numbers("effective_control_sampling", |overlap| overlap.effective_control_sampling),
    ]
}

/// Why there is or is not an estimate: a code, and for those that are missing the reason in words.
pub(crate) fn statuses<'a>(
    of: impl Iterator<Item = &'a CellStatus> + Clone,
    frequency: Option<Frequency>,
) -> [Variable; 2] {
    let reason =
        move |status: &CellStatus| (!status.is_estimated()).then(|| status.shown(frequency));
    [
        Variable::words("status", of.clone().map(|status| Some(status.code()))),
        Variable::words("reason", of.map(reason)),
    ]
}

/// These columns for the estimates of a curve, if the data do not determine it at some of its points.
pub(crate) fn curve_statuses(estimates: impl Iterator<Item = Option<f64>>) -> Vec<Variable> {
    let of: Vec<CellStatus> = estimates.map(CellStatus::of_curve).collect();
    match of.iter().all(CellStatus::is_estimated) {
        true => Vec::new(),
        false => statuses(of.iter(), None).into(),
    }
}

/// Warnings in words: cells without an estimate for one reason are named together.
pub(crate) fn messages(warnings: &[DidWarning], frequency: Option<Frequency>) -> Vec<Message> {
    let mut failed: HashMap<&str, Vec<(f64, f64)>> = HashMap::new();
    for warning in warnings {
        if let DidWarning::FailedCell { group, time, reason } = warning {
            failed.entry(reason).or_default().push((*group, *time));
        }
    }
    let message = |warning: &DidWarning| {
        let message = warning.message(frequency);
        let DidWarning::FailedCell { reason, .. } = warning else { return Some(message) };
        // All are said where the first stands.
        let cells = failed.remove(reason.as_str())?;
        Some(match cells.as_slice() {
            [_] => message,
            cells => Message { text: failed_cells(cells, reason, frequency), ..message },
        })
    };
    warnings.iter().filter_map(message).collect()
}

/// Says of cells that they have no estimate, group by group.
fn failed_cells(cells: &[(f64, f64)], reason: &str, frequency: Option<Frequency>) -> String {
    let name = |period: f64| shown(period, frequency);
    let of_group = |cells: &[(f64, f64)]| {
        let times: Vec<String> = cells.iter().map(|(_, time)| name(*time)).collect();
        format!("group {}: {}", name(cells[0].0), some_times(&times, ""))
    };
    let groups: Vec<String> = cells.chunk_by(|a, b| a.0 == b.0).map(of_group).collect();
    format!("{} cells have no estimate ({}): {reason}", cells.len(), groups.join("; "))
}

/// Times one by one behind a word, or if there are many their number and the first and last of them.
pub(crate) fn some_times(times: &[String], word: &str) -> String {
    const LISTED: usize = 4;
    match times {
        few if few.len() <= LISTED => format!("{word}{}", few.join(", ")),
        many => format!("{} times from {} to {}", many.len(), many[0], many[many.len() - 1]),
    }
}

impl Settings {
    /// A column of periods or groups: numbers, or text if they are dates.
    pub(crate) fn periods(
        &self,
        name: &str,
        periods: impl Iterator<Item = Option<f64>>,
    ) -> Variable {
        self::periods(name, self.frequency, periods)
    }
}

/// A column of periods or groups: numbers, or text if they are dates.
pub(crate) fn periods(
    name: &str,
    frequency: Option<Frequency>,
    periods: impl Iterator<Item = Option<f64>>,
) -> Variable {
    match frequency {
        None => Variable::numbers(name, periods),
        Some(_) => Variable::words(name, periods.map(|period| Some(shown(period?, frequency)))),
    }
}

/// How a fit was made.
pub(crate) fn settings(s: &Settings) -> Vec<Variable> {
    let bootstrap = s.inference.bootstrap;
    vec![
        Variable::fact("estimator", s.estimator.name()),
        Variable::fact("outcome", s.outcome.as_str()),
        Variable::fact("covariates", s.covariates.as_str()),
        Variable::fact("weights", s.weights.as_deref()),
        Variable::fact("fix_weights", s.fix_weights().map(FixWeights::word)),
        Variable::fact("cluster", s.cluster.as_deref()),
        Variable::fact("eligible", s.eligible()),
        Variable::fact("control_group", s.comparison_units()),
        Variable::fact("group_shares", s.shares_of().map(SharesOf::word)),
        Variable::fact("base_period", s.base_period().map(foot::base_period)),
        Variable::fact("method", foot::method(s)),
        Variable::fact("anticipation", s.anticipation()),
        Variable::fact("frequency", s.frequency.map(Frequency::word)),
        Variable::fact("layout", s.layout.word()),
        Variable::fact("n_units", s.n_units),
        Variable::fact("n_rows", s.n_rows),
        Variable::fact("n_clusters", s.n_clusters),
        Variable::fact("alpha", s.inference.alpha),
        Variable::fact("bootstrap_draws", bootstrap.map(|b| b.draws)),
        Variable::fact("bootstrap_seed", bootstrap.map(|b| b.seed)),
        Variable::fact("bootstrap_multiplier", bootstrap.map(|b| b.multiplier.word())),
        Variable::fact("backend", s.backend.as_str()),
        Variable::fact("precision", s.precision.word()),
    ]
}

/// [`settings`] without those of these names, which an estimator does not have.
pub(crate) fn settings_without(s: &Settings, names: &[&str]) -> Vec<Variable> {
    let mut facts = settings(s);
    facts.retain(|fact| !names.contains(&fact.name()));
    facts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_that_fail_alike_are_named_together() {
        let failed = |group: f64, time: f64, reason: &str| DidWarning::FailedCell {
            group,
            time,
            reason: reason.to_owned(),
        };
        let alone = failed(2004.0, 2004.0, "no controls");
        assert_eq!(messages(std::slice::from_ref(&alone), None), [alone.message(None)]);
        let few = |time: f64| failed(2004.0, time, "collinear");
        let many = |time: f64| failed(2006.0, time, "collinear");
        let all: Vec<DidWarning> = [few(2003.0), few(2004.0), alone.clone()]
            .into_iter()
            .chain((2003..2009).map(f64::from).map(many))
            .collect();
        let said = messages(&all, None);
        assert_eq!(
            said[0].text,
            "8 cells have no estimate (group 2004: 2003, 2004; group 2006: 6 times from 2003 to 2008): collinear"
        );
        assert_eq!((said[0].code(), &said[1..]), (Some("failed_cell"), &[alone.message(None)][..]));
    }
}
