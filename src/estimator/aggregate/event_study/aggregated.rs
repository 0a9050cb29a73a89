//! Event studies of group-time effects.

use super::{EventStudy, Provenance, Result, wrong};
use crate::estimator::aggregate::{Aggregated, AggregationKind};

impl Aggregated {
    /// The event study of a dynamic aggregation.
    ///
    /// ```
    /// use burn_did::Aggregation;
    /// # use burn_did::{AttGt, backend::Cpu, data};
    /// # let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    /// # let fit = config.group("first.treat").build().fit(&data::mpdta())?;
    /// let study = fit.aggregate(Aggregation::dynamic().min_e(-2.0))?.event_study()?;
    /// assert_eq!(study.event_times(), [-2.0, -1.0, 0.0, 1.0, 2.0, 3.0]);
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    ///
    /// # Errors
    /// [`DidError::EventStudy`](crate::DidError::EventStudy) if it is another aggregation.
    pub fn event_study(&self) -> Result<EventStudy> {
        if self.aggregation.kind != AggregationKind::Dynamic {
            let kind = self.aggregation.kind.word();
            return wrong(format!("the aggregation is {kind}; aggregate by event time (dynamic)"));
        }
        let mut fit_notes = self.fit_notes.clone();
        let warning = self.without_share.as_ref().map(|w| w.warning(self.aggregation.kind));
        fit_notes.warnings.extend(warning.map(|w| w.message(self.settings.frequency)));
        Ok(EventStudy {
            rows: self.rows.clone(),
            vcov: self.vcov.clone(),
            overall: Some(self.overall).filter(|overall| overall.estimate.is_some()),
            band: self.band,
            alpha: self.alpha,
            left_out: self.left_out.clone(),
            provenance: Provenance::Effects(Box::new(self.settings.clone())),
            fit_notes,
            universal: self.universal.clone(),
        })
    }
}
