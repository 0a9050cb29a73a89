//! Influence values of an estimate, as a sum of terms.
//!
//! Every two-by-two estimator gives a row with weight `w`, outcome `d`, covariates `z = (1, x)`, treatment `D`, propensity
//! score `p` and trimmed odds `q = p / (1 - p)` the influence
//!
//! ```text
//! u = w [ (d - z'β)(c + z'b - h q)  +  z'e + f + h τ q  +  (p - D) z'a ]
//! ```
//!
//! An [`InfluenceTerm`] says which rows these are, and its [`Coefficients`] what the estimator does with them. The symbols are
//! those of Sant'Anna and Zhao (2020): `w D / E[w D]` and `w q (1 - D) / E[w q (1 - D)]` are their weights `w_1` and `w_0`, `z'β`
//! is the outcome regression `μ`. The estimate is linear in all coefficients but `β`, so terms of equal rows, score and `β`
//! can be added up.

use std::collections::HashMap;

use super::sides::{Outcome, StratumRows};
use crate::base::solve::add_scaled;
use crate::engine::pass::Weight;
use crate::result::estimates::Overlap;

/// What an estimator does with the rows of a term; a vector `[k]` that is `None` is zero.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Coefficients {
    /// Outcome regression: its predictions `μ = z'β` are subtracted from the outcomes.
    pub beta: Option<Vec<f64>>,
    /// Factor of a residual in the estimate, `1 / Σ w` of its arm with the arm's sign: the `w_1` of treated rows.
    pub c: f64,
    /// As `c`, with a minus, for residuals weighted by the odds: the `w_0` of comparison rows.
    pub h: f64,
    /// `h τ`, with the mean residual `τ` weighted by the odds: the influence of that mean's denominator.
    pub h_tau: f64,
    /// What is added for every row: the influence of the denominators of means weighted without odds.
    pub f: f64,
    /// Influence of the estimated `β`: the inverse of its cross-product, times the derivative of the estimate in `β`.
    pub b: Option<Vec<f64>>,
    /// Further predictions that the estimate averages over these rows, whatever their outcomes.
    pub e: Option<Vec<f64>>,
    /// Influence of the estimated propensity score: the inverse of its information, times the derivative in `γ` of minus the
    /// estimate; the score of its likelihood, `w (D - p) z`, enters with a minus too.
    pub a: Option<Vec<f64>>,
    /// How outcomes enter the estimate through a regression whose own influence vanishes in large samples, and is left out.
    pub silent: Option<Silent>,
}

/// Weight `w z'v` of a row's outcome, or `w q z'v` with the odds untrimmed, beside those that the influence has.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Silent {
    pub by_odds: bool,
    pub v: Vec<f64>,
}

impl Coefficients {
    /// Adds `scale` times the coefficients of an influence with the same `β`.
    pub fn add_scaled(&mut self, scale: f64, other: &Self) {
        self.c += scale * other.c;
        self.f += scale * other.f;
        self.h += scale * other.h;
        self.h_tau += scale * other.h_tau;
        let vectors = [(&mut self.b, &other.b), (&mut self.e, &other.e), (&mut self.a, &other.a)];
        for (sum, vector) in vectors {
            let Some(vector) = vector else { continue };
            match sum {
                Some(sum) => add_scaled(sum, scale, vector),
                None => *sum = Some(vector.iter().map(|v| scale * v).collect()),
            }
        }
    }

    /// The same influence, of outcomes that are lower by `lift`.
    pub fn lower(&mut self, lift: f64) {
        match (&mut self.beta, &self.b) {
            _ if lift == 0.0 => {}
            (Some(beta), _) => beta[0] -= lift,
            (None, None) => {
                self.f += self.c * lift;
                self.h_tau -= self.h * lift;
            }
            (None, Some(b)) => {
                let mut beta = vec![0.0; b.len()];
                beta[0] = -lift;
                self.beta = Some(beta);
            }
        }
    }

    /// Whether the rows' outcomes enter the estimate.
    pub fn weighs(&self) -> bool {
        self.c != 0.0 || self.h != 0.0 || self.b.is_some() || self.silent.is_some()
    }

    /// Whether the influence depends on the propensity score.
    fn uses_score(&self) -> bool {
        self.h != 0.0 || self.a.is_some()
    }
}

/// The influence of the rows of one stratum on an estimate.
#[derive(Clone, Debug)]
pub(crate) struct InfluenceTerm {
    pub stratum: usize,
    /// Covariate version of `z`.
    pub x: usize,
    /// `w`.
    pub w: Weight,
    /// `d`.
    pub outcome: Outcome,
    /// `D`.
    pub treated: bool,
    /// Log-odds `z'γ` of the propensity score; `None` where the influence has no `p` and no `q`.
    pub gamma: Option<Vec<f64>>,
    pub coefficients: Coefficients,
}

impl InfluenceTerm {
    /// The influence of these rows, with the propensity score `gamma` if it is needed.
    pub fn new(
        rows: &StratumRows,
        outcome: Outcome,
        treated: bool,
        gamma: Option<&[f64]>,
        coefficients: &Coefficients,
    ) -> Self {
        debug_assert!(gamma.is_some() || !coefficients.uses_score(), "influence without its score");
        let gamma = gamma.filter(|_| coefficients.uses_score()).map(<[f64]>::to_vec);
        let StratumRows { stratum, x, w, .. } = *rows;
        Self { stratum, x, w, outcome, treated, gamma, coefficients: coefficients.clone() }
    }
}

/// A cell's estimate with its influence.
#[derive(Clone, Debug, Default)]
pub(crate) struct CellEstimate {
    pub att: f64,
    pub terms: Vec<InfluenceTerm>,
    /// Coefficients of the propensity score's likelihood.
    pub gamma: Option<Vec<f64>>,
    /// The propensity score did not converge.
    pub not_converged: bool,
    /// The propensity score could not be calibrated, and its likelihood was used instead.
    pub not_calibrated: bool,
    /// How the comparison rows are weighted; `None` where nothing was estimated from rows.
    pub overlap: Option<Overlap>,
}

/// A linear combination of influences: terms that differ only in coefficients that the influence is linear in are one.
#[derive(Default)]
pub(super) struct CombinedTerms {
    terms: Vec<InfluenceTerm>,
    known: HashMap<TermKey, usize>,
}

/// What an influence is not linear in.
#[derive(PartialEq, Eq, Hash)]
struct TermKey {
    stratum: usize,
    x: usize,
    w: Weight,
    outcome: Outcome,
    treated: bool,
    gamma: Option<Vec<u64>>,
    beta: Option<Vec<u64>>,
}

impl TermKey {
    fn new(term: &InfluenceTerm) -> Self {
        let bits =
            |v: &Option<Vec<f64>>| v.as_ref().map(|v| v.iter().map(|v| v.to_bits()).collect());
        let InfluenceTerm { stratum, x, w, outcome, treated, .. } = *term;
        let (gamma, beta) = (bits(&term.gamma), bits(&term.coefficients.beta));
        Self { stratum, x, w, outcome, treated, gamma, beta }
    }
}

impl CombinedTerms {
    /// Adds `scale` times a term.
    pub fn add(&mut self, scale: f64, term: &InfluenceTerm) {
        let at = *self.known.entry(TermKey::new(term)).or_insert_with(|| {
            let beta = term.coefficients.beta.clone();
            let zero = Coefficients { beta, ..Coefficients::default() };
            self.terms.push(InfluenceTerm { coefficients: zero, ..term.clone() });
            self.terms.len() - 1
        });
        self.terms[at].coefficients.add_scaled(scale, &term.coefficients);
    }

    /// The sum, in the order in which its terms first came.
    pub fn into_terms(self) -> Vec<InfluenceTerm> {
        self.terms
    }
}

#[cfg(test)]
mod tests;
