//! From an event study to the power of its test of pre-trends.

use super::equivalence::equivalence;
use super::law::TestLaw;
use super::normals::Effort;
use super::options::Pretrends;
use super::result::{Hypothesis, PretrendsAlternative, PretrendsResult, PretrendsRow};
use super::slope::slope_for_power;
use crate::base::error::{DidError, DidWarning, Result};
use crate::base::progress::tell;
use crate::estimator::aggregate::{Aggregated, EventStudy};
use crate::estimator::honest::EventCoefficients;

impl EventStudy {
    /// Power of the test of pre-trends, the estimates to be expected after passing it (Roth 2022), and equivalence tests (Dette and
    /// Schumann 2024). Effects whose base period varies are [converted](Self::universal_base).
    ///
    /// ```
    /// use burn_did::{Pretrends, SunAbraham, backend::Cpu, data};
    ///
    /// let config = SunAbraham::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    /// let fit = config.group("first.treat").build().fit(&data::mpdta())?;
    /// println!("{}", fit.event_study.pretrends(Pretrends::new().joint())?);
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    ///
    /// # Errors
    /// [`DidError::EventStudy`] if there is not exactly one reference, a coefficient has no estimate or no standard error, there are
    /// no periods before or after the reference, event times are not evenly spaced, or the covariance before the reference is
    /// singular; [`DidError::Config`] for options out of range, or violations that do not fit the event times.
    pub fn pretrends(&self, options: Pretrends) -> Result<PretrendsResult> {
        let mut result = analyse(self.universal_base(), options)?;
        result.warnings.extend(self.cautions());
        Ok(result)
    }
}

impl Aggregated {
    /// Power of the test of pre-trends of the [event study](Self::event_study), the estimates to be expected after passing it (Roth
    /// 2022), and equivalence tests (Dette and Schumann 2024).
    ///
    /// ```
    /// use burn_did::{Aggregation, Pretrends};
    /// # use burn_did::{AttGt, backend::Cpu, data};
    /// # let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    /// # let fit = config.group("first.treat").build().fit(&data::mpdta())?;
    /// let event_study = fit.aggregate(Aggregation::dynamic())?;
    /// println!("{}", event_study.pretrends(Pretrends::new().target_power([0.8]))?);
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    ///
    /// # Errors
    /// As [`event_study`](Self::event_study) and [`EventStudy::pretrends`].
    pub fn pretrends(&self, options: Pretrends) -> Result<PretrendsResult> {
        self.event_study()?.pretrends(options)
    }
}

/// Runs the analysis.
fn analyse(event_study: EventStudy, options: Pretrends) -> Result<PretrendsResult> {
    options.validate()?;
    let study = &EventCoefficients::of(&event_study)?;
    check_violations(study, &options)?;
    let law = TestLaw::new(study, &options)?;
    let left_out = event_study.left_out.as_ref().map(|left_out| left_out.warning());
    let mut warnings: Vec<DidWarning> = left_out.into_iter().chain(study.warnings()).collect();
    let trend: Vec<f64> = study.event_times().iter().map(|t| t - study.reference()).collect();
    let linear = |slope: f64| trend.iter().map(|t| slope * t).collect::<Vec<f64>>();
    let without = law.passing(&linear(0.0), Effort::Full).probability;
    let mut violations: Vec<(Hypothesis, Option<f64>, Vec<f64>)> = Vec::new();
    for power in &options.power {
        match slope_for_power(&law, &trend, *power) {
            Some(slope) => {
                violations.push((Hypothesis::Power(*power), Some(slope), linear(slope)));
            }
            None => {
                let size = 1.0 - without;
                warnings.push(DidWarning::PowerBelowSize { power: *power, size });
            }
        }
    }
    let slopes = options.slopes.iter();
    violations.extend(slopes.map(|slope| (Hypothesis::Slope, Some(*slope), linear(*slope))));
    let given = options.violations.iter();
    violations.extend(given.map(|given| (Hypothesis::Violations, None, given.clone())));
    let count = violations.len() as u64;
    let of = |(at, (hypothesis, slope, violations)): (u64, (Hypothesis, Option<f64>, Vec<f64>))| {
        tell("alternatives", at, count);
        let passing = law.passing(&violations, Effort::Full);
        PretrendsAlternative {
            hypothesis,
            slope,
            power: 1.0 - passing.probability,
            bayes_factor: passing.probability / without,
            likelihood_ratio: law.likelihood_ratio(&violations),
            rows: rows(study, &violations, passing.mean.as_deref()),
            error: passing.error,
        }
    };
    Ok(PretrendsResult {
        size: 1.0 - without,
        passed: law.is_passed(),
        alternatives: (0..).zip(violations).map(of).collect(),
        equivalence: equivalence(study, &options),
        study: event_study.with_analytic_errors(),
        options,
        warnings,
    })
}

/// An error if violations are given that are not one an event time.
fn check_violations(study: &EventCoefficients, options: &Pretrends) -> Result<()> {
    let times = study.event_times();
    match &options.violations {
        Some(violations) if violations.len() != times.len() => {
            let times: Vec<String> = times.iter().map(f64::to_string).collect();
            let got = format!("{}; the event times are {}", violations.len(), times.join(", "));
            Err(DidError::config("violations", "one number per event time but the reference", got))
        }
        _ => Ok(()),
    }
}

/// Violations and expectations by event time, with the reference between those before and after it.
fn rows(study: &EventCoefficients, violations: &[f64], mean: Option<&[f64]>) -> Vec<PretrendsRow> {
    let row = |i: usize| PretrendsRow {
        event_time: study.event_times()[i],
        violation: violations[i],
        after_passing: mean.map(|mean| mean[i]),
    };
    let mut rows: Vec<PretrendsRow> = (0..violations.len()).map(row).collect();
    let after_passing = mean.map(|_| 0.0);
    let reference = PretrendsRow { event_time: study.reference(), violation: 0.0, after_passing };
    rows.insert(study.pre(), reference);
    rows
}
