//! From an event study to robust intervals and the breakdown value.

use super::bounds;
use super::breakdown::breakdown;
use super::coefficients::EventCoefficients;
use super::confidence::{confidence_set, grid};
use super::delta::Delta;
use super::options::{Honest, HonestMethod};
use super::result::{HonestResult, RobustInterval};
use super::setup::StudySetup;
use crate::base::counted::counted;
use crate::base::error::{DidWarning, Result};
use crate::base::parallel;
use crate::estimator::aggregate::{Aggregated, EventStudy, wrong};
use crate::result::inference::{Estimate, pointwise};

/// Numbers of the default grid of `M`.
const DEFAULT_M: usize = 10;

impl EventStudy {
    /// Robust intervals and the breakdown value of the effects (Rambachan and Roth 2023). Effects whose base period varies are
    /// [converted](Self::universal_base).
    ///
    /// ```
    /// use burn_did::{Honest, SunAbraham, backend::Cpu, data};
    ///
    /// let config = SunAbraham::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    /// let fit = config.group("first.treat").build().fit(&data::mpdta())?;
    /// println!("{}", fit.event_study.honest(Honest::relative_magnitude().m_bar([0.5, 1.0]))?);
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    ///
    /// # Errors
    /// [`DidError::EventStudy`](crate::DidError::EventStudy) if there is not exactly one reference, a coefficient has no estimate or
    /// no standard error, there are no periods before or after the reference, or event times are not evenly spaced;
    /// [`DidError::Config`](crate::DidError::Config) for options that do not fit each other or the event study.
    #[doc(alias = "honest_did")]
    pub fn honest(&self, options: Honest) -> Result<HonestResult> {
        let mut result = analyse(self.universal_base(), options)?;
        result.warnings.extend(self.cautions());
        Ok(result)
    }

    /// The `M` of `Δ^SD(M)` that the periods before treatment are consistent with, each at the level `1 - alpha`: a lower bound
    /// by a conditional test, and an upper bound of the largest change of slope. `None` with one period before the reference, or
    /// where there is no [analysis](Self::honest).
    ///
    /// The lower bound is infinite if no `M` up to three of the largest standard errors is accepted.
    #[must_use]
    #[doc(alias = "DeltaSD_lowerBound_Mpre")]
    #[doc(alias = "DeltaSD_upperBound_Mpre")]
    pub fn smoothness_bounds(&self, alpha: f64) -> Option<[f64; 2]> {
        smoothness_bounds(&EventCoefficients::of(&self.universal_base()).ok()?, alpha)
    }
}

impl Aggregated {
    /// Robust intervals and the breakdown value of the [event study](Self::event_study) (Rambachan and Roth 2023).
    ///
    /// ```
    /// use burn_did::{Aggregation, Honest};
    /// # use burn_did::{AttGt, backend::Cpu, data};
    /// # let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    /// # let fit = config.group("first.treat").build().fit(&data::mpdta())?;
    /// let event_study = fit.aggregate(Aggregation::dynamic())?;
    /// let honest = event_study.honest(Honest::smoothness().average())?;
    /// println!("significant up to M = {:?}\n{honest}", honest.breakdown.value());
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    ///
    /// # Errors
    /// As [`event_study`](Self::event_study) and [`EventStudy::honest`].
    #[doc(alias = "honest_did")]
    pub fn honest(&self, options: Honest) -> Result<HonestResult> {
        self.event_study()?.honest(options)
    }
}

fn smoothness_bounds(study: &EventCoefficients, alpha: f64) -> Option<[f64; 2]> {
    let inside = alpha > 0.0 && alpha < 1.0;
    (study.pre() > 1 && inside).then(|| [bounds::lower(study, alpha), bounds::upper(study, alpha)])
}

/// Runs the analysis.
fn analyse(event_study: EventStudy, options: Honest) -> Result<HonestResult> {
    options.validate()?;
    let study = &EventCoefficients::of(&event_study)?;
    let (pre, least) = (study.pre(), options.delta.least_pre());
    if pre < least {
        return wrong(format!(
            "{} needs {} before the reference period, and there {} {pre}",
            options.delta.name(options.restriction),
            counted(least, "period", "periods"),
            if pre == 1 { "is" } else { "are" }
        ));
    }
    let (l, parameter) = options.parameter(&study.event_times()[pre..], study.reference())?;
    let left_out = event_study.left_out.as_ref().map(|left_out| left_out.warning());
    let mut warnings: Vec<DidWarning> = left_out.into_iter().chain(study.warnings()).collect();
    let setup = StudySetup::new(study, &options, l)?;
    if options.restriction.is_some() && setup.method == HonestMethod::FixedLength {
        warnings.push(DidWarning::RestrictionNotUsed);
    }
    let m_values = options.m.clone().unwrap_or_else(|| default_m(study, options.delta));
    let of = |i: usize| interval(&setup, m_values[i]);
    let intervals: Vec<RobustInterval> = parallel::map_telling("intervals", m_values.len(), of);
    for interval in &intervals {
        if interval.lower.is_none() {
            warnings.push(DidWarning::EmptyInterval { m: interval.m });
        } else if interval.is_open() {
            warnings.push(DidWarning::OpenInterval { m: interval.m });
        }
    }
    let breakdown = breakdown(&setup, &m_values);
    let critical = pointwise(options.alpha);
    let original = Estimate::new(Some(setup.estimate), Some(setup.deviation), critical);
    let smooth = options.delta == Delta::Smoothness;
    let smoothness_bounds = smoothness_bounds(study, options.alpha).filter(|_| smooth);
    let method = setup.method;
    let (weights, name) = (setup.l, options.delta.name(options.restriction));
    Ok(HonestResult {
        parameter,
        weights,
        original,
        intervals,
        breakdown,
        method,
        name,
        smoothness_bounds,
        study: event_study,
        warnings,
        options,
    })
}

/// R's default numbers.
fn default_m(study: &EventCoefficients, delta: Delta) -> Vec<f64> {
    let largest = if delta.is_relative() {
        2.0
    } else {
        // R uses this level whatever the level of the analysis.
        let bounds = smoothness_bounds(study, 0.05);
        bounds.map_or_else(|| study.covariance().at(0, 0).sqrt(), |[_, upper]| upper.max(0.0))
    };
    (0..DEFAULT_M).map(|i| largest * i as f64 / (DEFAULT_M - 1) as f64).collect()
}

/// The robust interval at one `M`.
fn interval(setup: &StudySetup<'_>, m: f64) -> RobustInterval {
    if let Some([lower, upper]) = setup.fixed_length(m) {
        return RobustInterval { m, lower: Some(lower), upper: Some(upper), open: [false; 2] };
    }
    let tests = setup.tests(m);
    let set = confidence_set(&tests, &grid(setup, m), setup.options.search);
    // A fixed-length first stage ends where its own grid does.
    let is_whole =
        setup.method == HonestMethod::ConditionalFixedLength && setup.options.grid.is_none();
    let open = set.open.map(|open| open && !is_whole);
    RobustInterval { m, lower: set.lower, upper: set.upper, open }
}
