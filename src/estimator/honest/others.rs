//! Event studies of continuous treatments, of treatments that switch, and of regressions.

use super::aggregated::{EventTimeRow, of_rows};
use super::options::Honest;
use super::result::HonestDid;
use super::study::EventStudy;
use crate::base::error::{DidError, Result};
use crate::base::options::DoseTarget;
use crate::estimator::fixed_effects::RegressionEventStudy;
use crate::estimator::{ContDidResult, MultiplegtResult};

impl MultiplegtResult {
    /// Placebos and effects with their covariance, at their event times: the first effect is at 0, as that of other estimators, and
    /// the last period before the switch, with which all are compared, at -1.
    ///
    /// # Errors
    /// [`DidError::MissingEffect`] if one has no estimate, [`DidError::EventStudy`] without placebos.
    pub fn event_study(&self) -> Result<EventStudy> {
        let all = self.event_time_estimates()?;
        let times = all.event_times.iter().map(|horizon| (horizon - 1) as f64).collect();
        let (pre, post) = (all.num_pre_periods, all.num_post_periods);
        EventStudy::new(all.betahat, all.sigma, pre, post)?.at_event_times(times)
    }

    /// Robust intervals and the breakdown value of the effects (Rambachan and Roth 2023).
    ///
    /// ```
    /// use burn_did::{DidMultiplegt, Honest, data::SwitchingSimulation};
    ///
    /// let panel = SwitchingSimulation::builder().groups(600).seed(1).build().frame();
    /// let config = DidMultiplegt::builder().outcome("y").unit("id").time("period").treatment("d");
    /// let fit = config.effects(2).placebos(2).build().fit(&panel)?;
    /// println!("{}", fit.honest(Honest::relative_magnitude().m_bar([0.5, 1.0]))?);
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    ///
    /// # Errors
    /// As [`event_study`](Self::event_study) and [`EventStudy::honest`].
    #[doc(alias = "honest_did")]
    pub fn honest(&self, options: Honest) -> Result<HonestDid> {
        let mut result = self.event_study()?.honest(options)?;
        result.settings = Some(self.settings.clone());
        Ok(result)
    }
}

impl ContDidResult {
    /// Robust intervals and the breakdown value of the average effects, or of the average slopes, by length of exposure (Rambachan
    /// and Roth 2023).
    ///
    /// ```
    /// use burn_did::{ContDid, DoseTarget, Honest, backend::Cpu, data::DoseSimulation};
    ///
    /// let data = DoseSimulation::builder().units(1_000).seed(1).build().frame();
    /// let config = ContDid::<Cpu>::builder().outcome("y").unit("id").time("period").group("group");
    /// let fit = config.dose("dose").build().fit(&data, &Default::default())?;
    /// println!("{}", fit.honest(DoseTarget::Level, Honest::relative_magnitude().m_bar([0.5, 1.0]))?);
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    ///
    /// # Errors
    /// As [`event_study`](Self::event_study) and [`Aggregated::honest`](crate::Aggregated::honest).
    #[doc(alias = "honest_did")]
    pub fn honest(&self, target: DoseTarget, options: Honest) -> Result<HonestDid> {
        self.event_study(target)?.honest(options)
    }
}

impl RegressionEventStudy {
    /// The coefficients with their covariance, without the reference period.
    ///
    /// # Errors
    /// [`DidError::EventStudy`] if there is not exactly one reference, a coefficient has no estimate, there are no periods before or
    /// after the reference, or event times are not evenly spaced.
    pub fn event_study(&self) -> Result<EventStudy> {
        let row = |row: &crate::AggregatedRow| -> Option<EventTimeRow> {
            Some((row.at, row.estimate.att?, row.reference))
        };
        let Some(rows) = self.rows.iter().map(row).collect::<Option<Vec<_>>>() else {
            return Err(DidError::EventStudy { problem: "an event time has no estimate".into() });
        };
        of_rows(&rows, &self.vcov)
    }

    /// Robust intervals and the breakdown value of the effects (Rambachan and Roth 2023).
    ///
    /// ```
    /// use burn_did::{Honest, SunAbraham, backend::Cpu, data};
    ///
    /// let config = SunAbraham::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    /// let fit = config.group("first.treat").build().fit(&data::mpdta(), &Default::default())?;
    /// println!("{}", fit.event_study.honest(Honest::relative_magnitude().m_bar([0.5, 1.0]))?);
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    ///
    /// # Errors
    /// As [`event_study`](Self::event_study) and [`EventStudy::honest`].
    #[doc(alias = "honest_did")]
    pub fn honest(&self, options: Honest) -> Result<HonestDid> {
        self.event_study()?.honest(options)
    }
}
