//! Whether two contestants computed the same thing.

use super::case::{Case, Estimator};
use super::contestant::WHEEL;
use super::run::{Cell, Run};

/// How far estimates may be apart: effects relative to the larger of effect and standard error, standard errors
/// relatively.
#[derive(Clone, Copy, Debug)]
pub struct Tolerance {
    /// For effects.
    pub att: f64,
    /// For standard errors.
    pub se: f64,
    /// Why more than rounding is allowed, empty if it is not.
    pub convention: &'static str,
}

/// Largest distances found.
#[derive(Clone, Copy, Debug)]
pub struct Agreement {
    /// Of effects.
    pub att: f64,
    /// Of standard errors.
    pub se: f64,
    /// Cells that only one has.
    pub unmatched: usize,
    /// What is allowed.
    pub tolerance: Tolerance,
}

impl Agreement {
    /// Whether the runs may be compared in speed.
    pub fn holds(&self) -> bool {
        self.unmatched == 0 && self.att <= self.tolerance.att && self.se <= self.tolerance.se
    }

    /// Whether they agree, in words.
    pub fn verdict(&self) -> String {
        match (self.holds(), self.tolerance.convention) {
            (true, "") => "agrees".into(),
            (true, convention) => format!("agrees but for a convention: {convention}"),
            (false, _) => format!(
                "DISAGREES: allowed {:.1e} and {:.1e}, {} cells without counterpart",
                self.tolerance.att, self.tolerance.se, self.unmatched
            ),
        }
    }
}

/// The same code on the same columns.
const SAME: Tolerance = Tolerance { att: 0.0, se: 0.0, convention: "" };

/// Logits stop at a relative change of the deviance of 1e-8 there; ours are solved to rounding.
const EXACT: Tolerance = Tolerance { att: 1e-6, se: 1e-4, convention: "" };

/// A backend in single precision.
const SINGLE: Tolerance =
    Tolerance { att: 1e-3, se: 1e-3, convention: "single precision on this device" };

/// diff-diff sums the reweighted comparison residuals over the number of treated units, R `did` over the sum of the
/// weights. Both are doubly robust; they differ by much less than a standard error. With the latter in its source,
/// diff-diff's numbers are ours to 1e-11.
const UNNORMALISED: Tolerance = Tolerance {
    att: 1e-2,
    se: 1e-3,
    convention: "comparison weights are divided by the number of treated units, not by their sum",
};

/// R `did` has the sign of DRDID up to 1.2.3 in the influence of the base period's regressions.
const BASE_PERIOD_SIGN: Tolerance = Tolerance {
    att: 1e-6,
    se: 0.15,
    convention: "sign of the base period's regressions in the influence function, as in DRDID before 1.4.0",
};

/// pyfixest finds the fixed effects of the first stage by an iteration that ends at a change of 1e-6. diff-diff, which solves for them, and R
/// `did2s` have this crate's effects.
const STOPPED: Tolerance = Tolerance {
    att: 1e-3,
    se: 1e-4,
    convention: "the iteration for the first stage's fixed effects ends at a change of 1e-6",
};

/// What is allowed for a peer in a case, apart from simulation error.
fn analytic(ours: &Run, peer: &Run, case: &Case) -> Tolerance {
    let single = |run: &Run| run.settings.contains("f32");
    match (peer.contestant.as_str(), case.panel, case.covariates > 0) {
        ("pyfixest", ..) if case.estimator == Estimator::TwoStage => STOPPED,
        ("diff-diff", true, true) => UNNORMALISED,
        ("did", false, true) => BASE_PERIOD_SIGN,
        _ if single(ours) || single(peer) => SINGLE,
        _ => EXACT,
    }
}

/// Adds the simulation error of two bootstrapped standard errors: five of its standard deviations, that of an
/// interquartile range being 1.17 / sqrt(draws) of the standard error.
fn tolerance(ours: &Run, peer: &Run, case: &Case) -> Tolerance {
    if peer.contestant == WHEEL {
        return SAME;
    }
    let analytic = analytic(ours, peer, case);
    if case.draws == 0 {
        return analytic;
    }
    let simulation = 5.0 * std::f64::consts::SQRT_2 * 1.17 / (case.draws as f64).sqrt();
    Tolerance { se: analytic.se + simulation, ..analytic }
}

/// Compares a peer's estimates with ours.
pub fn compare(ours: &Run, peer: &Run, case: &Case) -> Agreement {
    let mut found =
        Agreement { att: 0.0, se: 0.0, unmatched: 0, tolerance: tolerance(ours, peer, case) };
    for cell in &ours.cells {
        let Some(other) = peer.cells.iter().find(|c| same_cell(c, cell)) else {
            found.unmatched += 1;
            continue;
        };
        let size = cell.att.unwrap_or_default().abs().max(cell.se.unwrap_or_default());
        let att = distance(cell.att, other.att, size);
        let se = distance(cell.se, other.se, cell.se.unwrap_or_default());
        match att.zip(se) {
            Some((att, se)) => (found.att, found.se) = (found.att.max(att), found.se.max(se)),
            None => found.unmatched += 1,
        }
    }
    let extra = peer.cells.iter().filter(|c| !ours.cells.iter().any(|cell| same_cell(c, cell)));
    found.unmatched += extra.count();
    found
}

/// How far two numbers are apart in units of a size, 0 if both are missing; none if only one is there, or if they cannot be compared.
fn distance(own: Option<f64>, other: Option<f64>, size: f64) -> Option<f64> {
    match (own, other) {
        (None, None) => Some(0.0),
        (Some(own), Some(other)) if own == other => Some(0.0),
        (Some(own), Some(other)) => {
            Some((own - other).abs() / size).filter(|distance| !distance.is_nan())
        }
        _ => None,
    }
}

fn same_cell(a: &Cell, b: &Cell) -> bool {
    (a.group - b.group).abs() < 0.5 && (a.time - b.time).abs() < 0.5
}
