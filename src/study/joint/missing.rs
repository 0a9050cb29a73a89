//! Effects that an estimator of a study does not have where others do, and why.

use super::StudyEstimator;
use super::result::JointStudyResult;
use crate::base::options::ControlGroup;
use crate::report::number::short;

/// Event times that a note names one by one.
const NAMED: usize = 4;

/// An event time at which an estimator of a study has no effect, although another has.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MissingEffect {
    /// The estimator.
    pub estimator: StudyEstimator,
    /// The event time.
    pub event_time: f64,
    /// Why it has none.
    pub reason: &'static str,
}

impl JointStudyResult {
    /// Event times at which an estimator that ran has no effect, although another has, by estimator and ascending.
    ///
    /// ```
    /// use burn_did::{JointStudy, backend::Cpu, data, joint_study::StudyEstimator};
    /// let config = JointStudy::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year").group("first.treat");
    /// let fit = config.estimators([StudyEstimator::CallawaySantAnna, StudyEstimator::Etwfe]).build().fit(&data::mpdta())?;
    /// let missing = fit.missing_effects();
    /// assert!(missing.iter().all(|effect| effect.estimator == StudyEstimator::Etwfe && effect.event_time < 0.0));
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    #[must_use]
    pub fn missing_effects(&self) -> Vec<MissingEffect> {
        let mut times: Vec<f64> = self.rows().map(|(_, row)| row.at).collect();
        times.sort_by(f64::total_cmp);
        times.dedup();
        let of_estimator = |estimator: StudyEstimator| {
            let has = move |at: f64| {
                self.event_study(estimator)
                    .is_some_and(|study| study.rows.iter().any(|row| row.at == at))
            };
            let missing = times.iter().copied().filter(move |at| !has(*at));
            missing.map(move |event_time| MissingEffect {
                estimator,
                event_time,
                reason: self.reason(estimator, event_time),
            })
        };
        self.ran().flat_map(|(of, _)| of_estimator(of.estimator)).collect()
    }

    /// Why cells of the table are empty: a sentence for each estimator and reason.
    pub(super) fn empty_cells(&self) -> Vec<String> {
        let missing = self.missing_effects();
        let alike = |a: &MissingEffect, b: &MissingEffect| {
            (a.estimator, a.reason) == (b.estimator, b.reason)
        };
        missing
            .chunk_by(alike)
            .map(|effects| {
                let times: Vec<String> =
                    effects.iter().map(|effect| short(effect.event_time)).collect();
                let times = match times.as_slice() {
                    [first, .., last] if times.len() > NAMED => {
                        format!("{} event times from {first} to {last}", times.len())
                    }
                    _ => times.join(", "),
                };
                let MissingEffect { estimator, reason, .. } = &effects[0];
                format!("No effect of {} at {times}: {reason}", estimator.name())
            })
            .collect()
    }

    /// Why an estimator has no effect at an event time.
    fn reason(&self, estimator: StudyEstimator, at: f64) -> &'static str {
        let not_yet = self.settings.control_group == ControlGroup::NotYetTreated;
        let first = self.event_study(estimator).and_then(|study| study.rows.first());
        let is_before_all = first.is_some_and(|row| at < row.at && row.at < 0.0);
        match estimator {
            StudyEstimator::Imputation if at < 0.0 && is_before_all => {
                "before treatment it compares the others with the earliest event time"
            }
            StudyEstimator::Etwfe if at < 0.0 && not_yet => {
                "with not-yet-treated comparison units, its effects are compared with the periods before treatment"
            }
            StudyEstimator::Etwfe if at < 0.0 => {
                "it is the reference period of its cohorts, or no cohort has an effect there that can be estimated"
            }
            StudyEstimator::Stacked => {
                "its stacks have the event times at which every cohort of them is observed"
            }
            StudyEstimator::LocalProjections => {
                "no cohort is observed there and in its base period beside clean comparison units"
            }
            StudyEstimator::DidMultiplegt if at < 0.0 => {
                "it needs units that are observed and compared for as many periods after treatment"
            }
            _ => "no cohort has an effect there that can be estimated",
        }
    }
}
