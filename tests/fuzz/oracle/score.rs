//! Propensity scores of a comparison, its guards, and the weights that they give the comparison rows.

use super::linear::{Factor, factor};
use super::logit::{Calibrated, Likelihood, Score, calibrate, likelihood};
use super::{Failure, Method, Rows, Rules};

/// A propensity score of at least this violates the overlap condition.
const OVERLAP: f64 = 0.999;

/// A propensity score beyond this is named in reports.
const EXTREME: f64 = 1.0 - 1e-6;

/// The score that a comparison uses.
pub struct Propensity {
    /// Of every row.
    pub p: Vec<f64>,
    /// `w q` of the comparison rows, 0 if trimmed, and 0 of the treated.
    pub v: Vec<f64>,
    /// `w q` of the comparison rows, none trimmed.
    pub untrimmed: Vec<f64>,
    pub information: Factor,
    pub calibrated: bool,
    /// Whether a score is nearly one.
    pub extreme: bool,
    /// Whether the likelihood has a limit instead of a maximum.
    pub limit: bool,
    pub loss: f64,
}

/// Whether there are rows, weight, overlap and full rank, in this order; the score, if the method has one.
pub fn guards(rows: &Rows, rules: &Rules) -> Result<Option<Propensity>, Failure> {
    count(rows)?;
    weights(rows, None)?;
    let score = if rules.method.has_score() { Some(propensity(rows, rules)?) } else { None };
    if rules.method.has_regression() {
        rank(rows)?;
    }
    weights(rows, score.as_ref())?;
    Ok(score)
}

fn count(rows: &Rows) -> Result<(), Failure> {
    let periods: &[Option<bool>] =
        if rows.post.is_empty() { &[None] } else { &[Some(false), Some(true)] };
    for post in periods {
        if rows.arm(true, *post).is_empty() {
            return Err(Failure::NoTreated);
        }
        if rows.arm(false, *post).is_empty() {
            return Err(Failure::NoControls);
        }
    }
    Ok(())
}

/// The unweighted cross-products of the comparison rows, of both periods together.
fn rank(rows: &Rows) -> Result<(), Failure> {
    let on = rows.arm(false, None);
    let of = |columns: &[Vec<f64>]| {
        let x: Vec<&[f64]> = on.iter().map(|i| columns[*i].as_slice()).collect();
        factor(&x, &vec![1.0; x.len()])
    };
    let columns = of(if rows.scaled_rank { &rows.x } else { &rows.raw });
    rows.judge(columns.reciprocal_condition(), columns.scaled_reciprocal_condition())
}

fn weights(rows: &Rows, score: Option<&Propensity>) -> Result<(), Failure> {
    let periods: &[Option<bool>] =
        if rows.post.is_empty() { &[None] } else { &[Some(false), Some(true)] };
    for post in periods {
        let total = |treated: bool, v: &[f64]| -> f64 {
            rows.arm(treated, *post).iter().map(|i| v[*i]).sum()
        };
        let odds = score.map_or(1.0, |s| total(false, &s.v));
        if !(total(true, &rows.w) > 0.0 && total(false, &rows.w) > 0.0 && odds > 0.0) {
            return Err(Failure::NoWeight);
        }
    }
    Ok(())
}

/// The scores, and whether they are a limit.
fn maximum(rows: &Rows, w: &[f64]) -> Result<(Score, bool), Failure> {
    match likelihood(&rows.x(), &rows.d, w) {
        Likelihood::Maximum(score) => Ok((score, false)),
        Likelihood::Limit(score) => Ok((score, true)),
        Likelihood::Separated => Err(Failure::Overlap),
        Likelihood::Singular(Some(score)) if score.highest < OVERLAP - 1e-8 => {
            Err(Failure::Singular)
        }
        Likelihood::Singular(_) => Err(Failure::SingularOrOverlap),
        Likelihood::Undecided(why) => Err(Failure::Undecided(why)),
    }
}

fn check_overlap(score: &Score) -> Result<(), Failure> {
    match score.highest {
        p if (p - OVERLAP).abs() < 1e-8 => {
            Err(Failure::Undecided("a propensity score is 0.999 but for rounding"))
        }
        p if p >= OVERLAP => Err(Failure::Overlap),
        _ => Ok(()),
    }
}

fn propensity(rows: &Rows, rules: &Rules) -> Result<Propensity, Failure> {
    if rules.guarded {
        let (guard, _) = maximum(rows, &vec![1.0; rows.len()])?;
        check_overlap(&guard)?;
    }
    // The score itself has no condition of overlap, so that separation is no reason of its own.
    let (score, limit) = maximum(rows, &rows.w).map_err(|failure| match failure {
        Failure::Overlap => Failure::Undecided("separation where overlap is no condition"),
        other => other,
    })?;
    // A program that stops on its way to a limit may stop anywhere beyond 1e-8.
    let far = if limit { 1e-8 } else { 0.0 };
    let loss = far + 1e-16 / score.information.scaled_reciprocal_condition();
    let (mut p, mut calibrated) = (score.p, true);
    let mut odds: Vec<f64> = p.iter().map(|p| p / (1.0 - p)).collect();
    if limit && rules.method == Method::Improved {
        return Err(Failure::Undecided("a calibration without finite coefficients"));
    }
    if rules.method == Method::Improved {
        match calibrate(&rows.x(), &rows.d, &rows.w, &score.gamma) {
            Calibrated::Odds(found) => {
                p = found.iter().map(|q| q / (1.0 + q)).collect();
                odds = found;
            }
            Calibrated::NoSolution => calibrated = false,
            Calibrated::Undecided => return Err(Failure::Undecided("a calibration is doubtful")),
        }
    }
    let comparison = |i: usize| !rows.d[i];
    if (0..p.len()).any(|i| comparison(i) && (p[i] - rules.trim).abs() < 1e-8) {
        return Err(Failure::Undecided("a propensity score is at the trimming level"));
    }
    let of_comparison = |keep: &dyn Fn(usize) -> bool| -> Vec<f64> {
        let v = |i: usize| if comparison(i) && keep(i) { rows.w[i] * odds[i] } else { 0.0 };
        (0..p.len()).map(v).collect()
    };
    let (v, untrimmed) = (of_comparison(&|i| p[i] < rules.trim), of_comparison(&|_| true));
    let extreme = p.iter().any(|p| *p > EXTREME);
    let information = score.information;
    Ok(Propensity { p, v, untrimmed, information, calibrated, extreme, limit, loss })
}
