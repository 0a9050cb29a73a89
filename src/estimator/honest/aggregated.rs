//! Event studies of group-time effects.

use super::options::Honest;
use super::result::HonestDid;
use super::study::{EventStudy, are_uneven};
use crate::base::error::{DidError, DidWarning, Result};
use crate::estimator::aggregate::{Aggregated, AggregatedRow, AggregationKind};

/// Event time, effect, and whether it is the reference.
pub(super) type EventTimeRow = (f64, f64, bool);

fn wrong<T>(problem: String) -> Result<T> {
    Err(DidError::EventStudy { problem })
}

/// Effects by event time with the covariance of all of them, without the reference period.
pub(super) fn of_rows(rows: &[EventTimeRow], vcov: &[Vec<f64>]) -> Result<EventStudy> {
    let Some(reference) = rows.iter().position(|r| r.2) else {
        return wrong(
            "no event time is the base period of all groups; sensitivity needs it within the window, and periods on one grid"
                .into(),
        );
    };
    if let Some(other) = rows.iter().skip(reference + 1).find(|r| r.2) {
        return wrong(format!(
            "the event times {} and {} are both references; leave out one of them",
            rows[reference].0, other.0
        ));
    }
    if are_uneven(rows.windows(2).map(|w| w[1].0 - w[0].0)) {
        let times: Vec<String> = rows.iter().map(|r| r.0.to_string()).collect();
        let times = times.join(", ");
        return wrong(format!(
            "the event times {times} are not evenly spaced; choose a window without gaps"
        ));
    }
    let kept: Vec<usize> = (0..rows.len()).filter(|i| *i != reference).collect();
    let covariance = kept.iter().map(|i| kept.iter().map(|j| vcov[*i][*j]).collect()).collect();
    let coefficients = kept.iter().map(|i| rows[*i].1).collect();
    let study = EventStudy::new(coefficients, covariance, reference, kept.len() - reference)?;
    study.at_event_times(kept.iter().map(|i| rows[*i].0).collect())
}

impl Aggregated {
    /// The coefficients of a dynamic aggregation with their covariance, without the reference period. If the base period of the
    /// fit varies, they are those of a universal base: the effects before treatment are added up, and their covariance follows.
    ///
    /// ```
    /// use burn_did::Aggregation;
    /// # use burn_did::{AttGt, backend::Cpu, data};
    /// # let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    /// # let fit = config.group("first.treat").build().fit(&data::mpdta(), &Default::default())?;
    /// let study = fit.aggregate(Aggregation::dynamic())?.event_study()?;
    /// assert_eq!(study.event_times(), [-4.0, -3.0, -2.0, 0.0, 1.0, 2.0, 3.0]);
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    ///
    /// # Errors
    /// [`DidError::EventStudy`] if it is no dynamic aggregation, has no reference period, lacks periods before or after it, or has
    /// event times that are not evenly spaced.
    pub fn event_study(&self) -> Result<EventStudy> {
        if self.aggregation.kind != AggregationKind::Dynamic {
            let kind = self.aggregation.kind.name();
            return wrong(format!("the aggregation is {kind}; aggregate by event time (dynamic)"));
        }
        let (rows, vcov, left_out) = match &self.universal {
            Some(universal) => (universal.rows.clone(), &universal.vcov, &universal.left_out),
            None => {
                let rows = self.rows.iter();
                let row = rows.map(|r| Some((r.at, r.estimate.att?, r.reference)));
                let Some(rows) = row.collect::<Option<Vec<_>>>() else {
                    return wrong("an event time has no estimate".into());
                };
                let unknown = |r: &&AggregatedRow| r.estimate.se.is_none() && !r.reference;
                if let Some(row) = self.rows.iter().find(unknown) {
                    return wrong(format!("event time {} has no standard error", row.at));
                }
                (rows, &self.vcov, &self.left_out)
            }
        };
        Ok(of_rows(&rows, vcov)?.with_left_out(left_out.clone()))
    }

    /// Robust intervals and the breakdown value of the event study (Rambachan and Roth 2023).
    ///
    /// ```
    /// use burn_did::{Aggregation, Honest};
    /// # use burn_did::{AttGt, backend::Cpu, data};
    /// # let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    /// # let fit = config.group("first.treat").build().fit(&data::mpdta(), &Default::default())?;
    /// let event_study = fit.aggregate(Aggregation::dynamic())?;
    /// let honest = event_study.honest(Honest::smoothness().average())?;
    /// println!("significant up to M = {:?}\n{honest}", honest.breakdown.value());
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    ///
    /// # Errors
    /// As [`event_study`](Self::event_study) and [`EventStudy::honest`].
    #[doc(alias = "honest_did")]
    pub fn honest(&self, options: Honest) -> Result<HonestDid> {
        let mut result = self.event_study()?.honest(options)?;
        if self.universal.is_some() {
            result.warnings.push(DidWarning::ConvertedBasePeriod);
        }
        result.settings = Some(self.settings.clone());
        Ok(result)
    }
}
