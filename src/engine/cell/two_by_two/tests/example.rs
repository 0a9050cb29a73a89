//! A few observations, as what an estimator is given of them, and what it says of each.

use super::definition::{self, Observation, z};
use crate::engine::cell::algebra::{Algebra, Moments};
use crate::engine::cell::fixtures::{self, design, rows};
use crate::engine::cell::logit::LogitFit;
use crate::engine::cell::method::{Method, Propensity, RankRule, Recipe};
use crate::engine::cell::propensity::PropensityScore;
use crate::engine::cell::sides::{Outcome, PlannedCell, Side};
use crate::engine::cell::terms::{CellEstimate, InfluenceTerm};
use crate::engine::cell::two_by_two::{self, SideMoments};
use crate::engine::pass::Weight;
use crate::result::estimates::CellStatus;

/// How observations form a cell.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The outcome change of each unit.
    Changes,
    /// Rows in two periods.
    Rows,
    /// Rows of units in both periods, of one stratum.
    UnitRows,
}

/// Observations and how they are estimated.
pub struct Example {
    pub form: Form,
    pub observations: Vec<Observation>,
    pub trim: f64,
    pub locally_efficient: bool,
}

impl Form {
    fn stratum(self, treated: bool, period: usize) -> usize {
        match self {
            Self::Changes | Self::UnitRows => usize::from(treated),
            Self::Rows => 2 * period + usize::from(treated),
        }
    }

    fn outcome(self, period: usize) -> Outcome {
        match self {
            Self::Changes => Outcome::Change { post: 1, base: 0 },
            Self::Rows => Outcome::Level(0),
            Self::UnitRows => Outcome::Level(period),
        }
    }

    /// The periods of the cell's sides.
    fn periods(self) -> &'static [usize] {
        if self == Self::Changes { &[1] } else { &[0, 1] }
    }
}

impl Example {
    pub fn new(form: Form, observations: Vec<Observation>) -> Self {
        Self { form, observations, trim: 0.995, locally_efficient: true }
    }

    /// The estimate, with a propensity score that is fitted to the observations one by one.
    pub fn estimate(&self, method: Method) -> Result<CellEstimate, CellStatus> {
        let info = design(&["x"]);
        let recipe = Recipe {
            locally_efficient: self.locally_efficient,
            trim: self.trim,
            ..Recipe::new(method)
        };
        let gamma = method.propensity().map(|propensity| match propensity {
            Propensity::Likelihood => definition::logit(&self.observations),
            Propensity::Calibrated => definition::calibrate(&self.observations),
        });
        let fit = gamma.map(|gamma| LogitFit {
            largest: [0.0; 2],
            hessian: definition::information(&self.observations, &gamma).concat(),
            gamma,
            converged: true,
            failure: None,
        });
        let score = fit.as_ref().map(|fit| PropensityScore { fit, calibration: None });
        let gamma = score.as_ref().map(PropensityScore::gamma);
        let sides: Vec<SideMoments> =
            self.form.periods().iter().map(|period| self.moments(*period, gamma)).collect();
        two_by_two::estimate(
            &Algebra::new(&info, RankRule::RawColumns),
            &recipe,
            &self.cell(),
            &sides,
            score.as_ref(),
        )
    }

    fn cell(&self) -> PlannedCell {
        let side = |period: &usize| Side {
            outcome: self.form.outcome(*period),
            treated: vec![rows(self.form.stratum(true, *period))],
            control: vec![rows(self.form.stratum(false, *period))],
        };
        let treated = self.observations.iter().filter(|o| o.treated).count();
        let sides = self.form.periods().iter().map(side).collect();
        fixtures::cell(sides, treated, self.observations.len() - treated)
    }

    fn moments(&self, period: usize, gamma: Option<&[f64]>) -> SideMoments {
        let arm = |treated: bool, weight: &dyn Fn(&Observation) -> f64| {
            let mut sum = Moments { zz: vec![0.0; 4], zd: vec![0.0; 2] };
            let own = self.observations.iter().filter(|o| o.treated == treated);
            for o in own.filter(|o| o.period == period) {
                for i in 0..2 {
                    sum.zd[i] += weight(o) * z(o)[i] * o.y;
                    for j in 0..2 {
                        sum.zz[2 * i + j] += weight(o) * z(o)[i] * z(o)[j];
                    }
                }
            }
            sum
        };
        SideMoments {
            treated: arm(true, &|o| o.w),
            control: arm(false, &|o| o.w),
            odds: gamma.map(|g| arm(false, &|o| o.w * definition::odds(o, g, self.trim))),
            calibrated: gamma.map(|g| arm(false, &|o| o.w * definition::odds(o, g, 1.0))),
        }
    }

    /// The influence `u` of every observation, term by term.
    pub fn influence(&self, estimate: &CellEstimate) -> Vec<f64> {
        let of = |o: &Observation| {
            let stratum = self.form.stratum(o.treated, o.period);
            let outcome = self.form.outcome(o.period);
            let own = estimate.terms.iter();
            let own = own.filter(|t| t.stratum == stratum && t.outcome == outcome);
            own.map(|term| self.term(term, o)).sum()
        };
        self.observations.iter().map(of).collect()
    }

    /// `u = w [ (d - z'β)(c + z'b - h q) + z'e + f + h τ q + (p - D) z'a ]`.
    fn term(&self, term: &InfluenceTerm, o: &Observation) -> f64 {
        let of = &term.coefficients;
        let dot = |v: &Option<Vec<f64>>| v.as_ref().map_or(0.0, |v| v[0] + v[1] * o.x);
        let gamma = || term.gamma.as_ref().expect("a propensity score");
        let w = match term.w {
            Weight::Ones => 1.0,
            _ => o.w,
        };
        let mut u = (o.y - dot(&of.beta)) * (of.c + dot(&of.b)) + dot(&of.e) + of.f;
        if of.h != 0.0 {
            let q = definition::odds(o, gamma(), self.trim);
            u += of.h_tau * q - (o.y - dot(&of.beta)) * of.h * q;
        }
        if of.a.is_some() {
            let d = f64::from(u8::from(term.treated));
            u += (definition::propensity(o, gamma()) - d) * dot(&of.a);
        }
        w * u
    }
}

/// Fails unless two lists are equal but for this error.
#[track_caller]
pub fn assert_near(got: &[f64], expected: &[f64], error: f64) {
    let far = |(got, expected): (&f64, &f64)| (got - expected).abs() > error;
    let any = got.len() != expected.len() || got.iter().zip(expected).any(far);
    assert!(!any, "{got:?}\n{expected:?}");
}
