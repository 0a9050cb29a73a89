//! From an event study to robust intervals and the breakdown value.

use super::breakdown::breakdown;
use super::confidence::{confidence_set, grid};
use super::delta::{Delta, polyhedra};
use super::dense::dot;
use super::flci::Frontier;
use super::moments::MomentTest;
use super::options::{Honest, HonestMethod};
use super::result::{HonestDid, RobustInterval};
use super::study::{EventStudy, LARGEST_VARIANCE, SMALLEST_VARIANCE};
use crate::base::error::{DidError, DidWarning, Result};
use crate::base::parallel;
use crate::base::random::standard_normals;
use crate::base::solve::semidefinite_factor;
use crate::result::inference::{Estimate, pointwise};

/// Random numbers of this analysis among those of a seed.
const STREAM: u32 = 0x686f_6e65;
/// Numbers of the default grid of `M`.
const DEFAULT_M: usize = 10;

/// An event study with a parameter, and what is common to all `M`.
pub(super) struct StudySetup<'a> {
    pub study: &'a EventStudy,
    pub options: &'a Honest,
    pub method: HonestMethod,
    /// The parameter's weights `[post]`.
    pub l: Vec<f64>,
    /// Its estimate and standard error.
    pub estimate: f64,
    pub deviation: f64,
    /// Affine estimators, where the differences in trends are smooth.
    pub frontier: Option<Frontier<'a>>,
    /// Draws of the coefficients' deviations, for the least favourable test.
    draws: Vec<Vec<f64>>,
}

/// What tests at one `M`: all polyhedra must reject.
pub(super) struct Tests(Vec<MomentTest>);

impl Tests {
    pub fn accept(&self, theta: f64) -> bool {
        self.0.iter().any(|test| !test.rejects(theta))
    }
}

/// Runs the analysis.
pub(super) fn analyse(study: &EventStudy, options: Honest) -> Result<HonestDid> {
    options.validate()?;
    let (pre, least) = (study.pre(), options.delta.least_pre());
    if pre < least {
        let problem = format!(
            "{} needs {least} periods before the reference period, and there is {pre}",
            options.delta.name(options.restriction)
        );
        return Err(DidError::EventStudy { problem });
    }
    let (l, parameter) = options.parameter(&study.event_times()[pre..], study.reference())?;
    let mut warnings = study.warnings();
    let setup = StudySetup::new(study, &options, l)?;
    if options.restriction.is_some() && setup.method == HonestMethod::FixedLength {
        warnings.push(DidWarning::RestrictionNotUsed);
    }
    let m_values = options.m.clone().unwrap_or_else(|| default_m(study, options.delta));
    let of = |i: usize| setup.interval(m_values[i]);
    let intervals: Vec<RobustInterval> = parallel::map(m_values.len(), of);
    for interval in &intervals {
        if interval.lower.is_none() {
            warnings.push(DidWarning::EmptyInterval { m: interval.m });
        } else if interval.open {
            warnings.push(DidWarning::OpenInterval { m: interval.m });
        }
    }
    let breakdown = breakdown(&setup, &m_values);
    let critical = pointwise(options.alpha);
    let original = Estimate::new(Some(setup.estimate), Some(setup.deviation), critical);
    let smooth = options.delta == Delta::Smoothness;
    let smoothness_bounds = study.smoothness_bounds(options.alpha).filter(|_| smooth);
    let method = setup.method;
    let (weights, name) = (setup.l, options.delta.name(options.restriction));
    Ok(HonestDid {
        parameter,
        weights,
        original,
        intervals,
        breakdown,
        method,
        name,
        smoothness_bounds,
        study: study.clone(),
        warnings,
        settings: None,
        options,
    })
}

/// R's default numbers.
fn default_m(study: &EventStudy, delta: Delta) -> Vec<f64> {
    let largest = if delta.is_relative() {
        2.0
    } else {
        // R takes this level whatever that of the analysis is.
        let bounds = study.smoothness_bounds(0.05);
        bounds.map_or_else(|| study.covariance().at(0, 0).sqrt(), |[_, upper]| upper.max(0.0))
    };
    (0..DEFAULT_M).map(|i| largest * i as f64 / (DEFAULT_M - 1) as f64).collect()
}

impl<'a> StudySetup<'a> {
    pub fn new(study: &'a EventStudy, options: &'a Honest, l: Vec<f64>) -> Result<Self> {
        let pre = study.pre();
        let all = [&vec![0.0; pre], &*l].concat();
        let variance = dot(&all, &study.covariance().times(&all)).max(0.0);
        if variance == 0.0 {
            let problem = "the effect has no variance, so there is no interval".into();
            return Err(DidError::EventStudy { problem });
        }
        if !(SMALLEST_VARIANCE..=LARGEST_VARIANCE).contains(&variance) {
            let problem = format!(
                "the variance of the effect is {variance:e}, beyond what double precision can work with; put the weights of the effect, or the outcome, in other units"
            );
            return Err(DidError::EventStudy { problem });
        }
        let deviation = variance.sqrt();
        let smooth = options.delta == Delta::Smoothness;
        let frontier = smooth.then(|| Frontier::new(study, &l)).flatten();
        let method = options.chosen_method();
        if frontier.is_none()
            && matches!(method, HonestMethod::FixedLength | HonestMethod::ConditionalFixedLength)
        {
            return Err(DidError::Singular { what: "fixed-length interval" });
        }
        let estimate = dot(&l, &study.coefficients()[pre..]);
        let needs_draws = method == HonestMethod::ConditionalLeastFavourable;
        let draws = if needs_draws { draws(study, options) } else { Vec::new() };
        Ok(Self { study, options, method, l, estimate, deviation, frontier, draws })
    }

    /// The tests at one `M`; for a fixed-length interval there are none.
    pub fn tests(&self, m: f64) -> Tests {
        let (study, options, l) = (self.study, self.options, &self.l);
        let (alpha, kappa) = (options.alpha, options.first_level());
        let polyhedra = polyhedra(options.delta, options.restriction, m, study.pre(), study.post());
        let of = |i: usize| {
            let test = MomentTest::new(study, &polyhedra[i], l, alpha, options.delta.is_relative());
            match (self.method, &self.frontier) {
                (HonestMethod::ConditionalLeastFavourable, _) => {
                    test.least_favourable(&self.draws, kappa)
                }
                (HonestMethod::ConditionalFixedLength, Some(frontier)) => {
                    let fixed = frontier.shortest(m, kappa);
                    let centre = fixed.centre(study.coefficients());
                    test.fixed_length(study, centre, fixed.half_length, &fixed.weights, kappa)
                }
                _ => test,
            }
        };
        Tests(parallel::map(polyhedra.len(), of))
    }

    /// The fixed-length interval at one `M`, where that is the method.
    pub fn fixed_length(&self, m: f64) -> Option<[f64; 2]> {
        let frontier = self.frontier.as_ref();
        let frontier = frontier.filter(|_| self.method == HonestMethod::FixedLength)?;
        Some(frontier.shortest(m, self.options.alpha).interval(self.study.coefficients()))
    }

    fn interval(&self, m: f64) -> RobustInterval {
        if let Some([lower, upper]) = self.fixed_length(m) {
            return RobustInterval { m, lower: Some(lower), upper: Some(upper), open: false };
        }
        let tests = self.tests(m);
        let set = confidence_set(&tests, &grid(self, m), self.options.search);
        // A fixed-length first stage ends where its own grid does.
        let is_whole =
            self.method == HonestMethod::ConditionalFixedLength && self.options.grid.is_none();
        let open = set.open && !is_whole;
        RobustInterval { m, lower: set.lower, upper: set.upper, open }
    }

    /// Whether zero is rejected at one `M`.
    pub fn is_significant(&self, m: f64) -> bool {
        match self.fixed_length(m) {
            Some([lower, upper]) => lower > 0.0 || upper < 0.0,
            None => !self.tests(m).accept(0.0),
        }
    }
}

/// Normal draws with the covariance of the coefficients, `[draws][pre + post]`.
fn draws(study: &EventStudy, options: &Honest) -> Vec<Vec<f64>> {
    let n = study.coefficients().len();
    let flat: Vec<f64> = study.covariance().rows().flatten().copied().collect();
    let (factor, rank) = semidefinite_factor(&flat, n);
    let mut normals = vec![0.0; options.draws * rank];
    standard_normals(options.seed, STREAM, &mut normals);
    let draw = |at: usize| {
        let z = &normals[at * rank..][..rank];
        (0..n).map(|i| dot(&factor[i * rank..][..rank], z)).collect()
    };
    (0..options.draws).map(draw).collect()
}
