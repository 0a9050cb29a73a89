//! An event study with the parameter that is analysed, and its tests at one `M`.

use super::coefficients::EventCoefficients;
use super::delta::{Delta, polyhedra};
use super::flci::Frontier;
use super::moments::MomentTest;
use super::options::{Honest, HonestMethod};
use crate::base::error::{DidError, Result};
use crate::base::parallel;
use crate::base::random::standard_normals;
use crate::base::solve::dot;
use crate::base::solve::semidefinite_factor;
use crate::estimator::aggregate::{LARGEST_VARIANCE, SMALLEST_VARIANCE, wrong};

/// Stream of random numbers of this analysis, for a given seed.
const STREAM: u32 = 0x686f_6e65;

/// An event study with a parameter, and what is common to all `M`.
pub(super) struct StudySetup<'a> {
    pub study: &'a EventCoefficients,
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

impl<'a> StudySetup<'a> {
    pub fn new(study: &'a EventCoefficients, options: &'a Honest, l: Vec<f64>) -> Result<Self> {
        let pre = study.pre();
        let all = [&vec![0.0; pre], &*l].concat();
        let variance = dot(&all, &study.covariance().times(&all)).max(0.0);
        if variance == 0.0 {
            return wrong("the effect has no variance, so there is no interval");
        }
        if !(SMALLEST_VARIANCE..=LARGEST_VARIANCE).contains(&variance) {
            return wrong(format!(
                "the variance of the effect is {variance:e}, beyond what double precision can work with; put the weights of the effect, or the outcome, in other units"
            ));
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
        let estimate = dot(&l, &study.values()[pre..]);
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
                    let centre = fixed.centre(study.values());
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
        Some(frontier.shortest(m, self.options.alpha).interval(self.study.values()))
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
fn draws(study: &EventCoefficients, options: &Honest) -> Vec<Vec<f64>> {
    let n = study.values().len();
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
