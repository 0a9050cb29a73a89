//! A fit of the library held against the oracle's.
//!
//! Estimates may differ by `1e-9` of the largest of themselves, their standard error and 1e-5 of the largest outcome (what
//! rounding of the outcomes leaves), standard errors by `1e-9` relative; where cross-products are ill conditioned, by as much
//! as double precision leaves in a program that forms them.

use burn_did::{
    Aggregated, Aggregation, DidError, Estimate, GroupTimeResult,
    group_time::{AggregationKind, CellStatus, GroupTimeCell, Overlap},
};

use crate::oracle::aggregate::{self, Average};
use crate::oracle::cells::{Cell, Fit, Outcome};
use crate::oracle::sample::Refusal;
use crate::oracle::{DEGENERATE, Did, Failure};
use crate::random::Random;
use crate::tally::{Expected, Tally};

/// Relative distance of two programs in double precision.
const RELATIVE: f64 = 1e-9;

/// Relative to the largest outcome, a standard error below this is rounding.
const ROUNDING: f64 = 1e-9;

/// Limits of one fit.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Largest outcome.
    pub size: f64,
}

impl Limits {
    pub fn estimate(&self, value: f64, spread: f64, loss: f64) -> Expected {
        let unit = value.abs().max(spread).max(1e-5 * self.size);
        Expected { value: Some(value), tolerance: unit * relative(loss) }
    }

    /// The standard error that is to be reported; `None` if it is rounding or at the threshold.
    pub fn standard_error(&self, spread: f64, precision: f64) -> Option<Expected> {
        if self.is_rounding(spread) || (spread / DEGENERATE - 1.0).abs() < 1e-6 {
            return None;
        }
        let value = Some(spread).filter(|s| *s > DEGENERATE);
        Some(Expected { value, tolerance: spread * precision })
    }

    pub fn is_rounding(&self, spread: f64) -> bool {
        spread > 0.0 && spread < ROUNDING * self.size
    }
}

pub fn relative(loss: f64) -> f64 {
    RELATIVE + 300.0 * loss
}

/// Kind of a refusal, if it is one that the oracle knows.
pub fn refusal(error: &DidError) -> Option<Refusal> {
    Some(match error {
        DidError::EmptySample { .. } => Refusal::Empty,
        DidError::TooFewPeriods { .. } => Refusal::TooFewPeriods,
        DidError::NoNeverTreated => Refusal::NoNeverTreated,
        DidError::NoComparison => Refusal::NoComparison,
        DidError::NoValidGroups { .. } | DidError::NobodyTreated { .. } => Refusal::NoGroups,
        DidError::SmallNeverTreated { .. } => Refusal::SmallNeverTreated,
        DidError::SmallGroup { .. } => Refusal::SmallGroup,
        _ => return None,
    })
}

/// Both refuse, or one of them does.
pub fn refused(tally: &mut Tally, error: &DidError, want: Option<Refusal>) {
    let got = refusal(error);
    match want {
        Some(want) if got == Some(want) => {
            *tally.refused.entry(format!("{want:?}")).or_default() += 1;
        }
        want => tally.differ(format!("error `{error}`, but the oracle has {want:?}")),
    }
}

/// Whether a status says what the oracle found.
pub fn agrees(status: &CellStatus, failure: Failure) -> bool {
    let overlap = matches!(status, CellStatus::Overlap { .. });
    let singular =
        matches!(status, CellStatus::SingularDesign { .. } | CellStatus::SingularInformation);
    match failure {
        Failure::NoTreated => matches!(status, CellStatus::NoTreated { .. }),
        Failure::NoControls => matches!(status, CellStatus::NoControls { .. }),
        Failure::Overlap => overlap,
        Failure::Singular => singular,
        Failure::SingularOrOverlap => singular || overlap,
        Failure::NoWeight => {
            matches!(status, CellStatus::NoTreatedWeight | CellStatus::NoControlWeight)
        }
        Failure::Undecided(_) => true,
    }
}

/// Compares a failure; the cell is skipped if it is at a threshold.
pub fn failed(tally: &mut Tally, at: &str, status: &CellStatus, failure: Failure) {
    match failure {
        Failure::Undecided(reason) => {
            tally.undecided += 1;
            tally.skip(reason);
        }
        failure if agrees(status, failure) => {
            *tally.failed.entry(format!("{failure:?}")).or_default() += 1;
        }
        // Rounding decides whether the information matrix of collinear columns can be factorised.
        Failure::Singular if matches!(status, CellStatus::Overlap { .. }) => {
            *tally.failed.entry("Singular, reported as overlap".into()).or_default() += 1;
        }
        failure => tally.differ(format!("{at}: {status:?}, but the oracle has {failure:?}")),
    }
}

/// Cells that are not compared: those at a threshold.
pub fn skipped(want: &Fit) -> Vec<bool> {
    want.cells.iter().map(Cell::is_undecided).collect()
}

/// Compares everything that a fit of cells reports.
pub fn compare(
    tally: &mut Tally,
    got: &GroupTimeResult,
    want: &Fit,
    limits: &Limits,
    random: &mut Random,
) {
    tally.same("units", &got.audit.units, &want.n());
    tally.same("rows", &got.audit.rows, &want.sample.rows());
    let labels =
        |cells: &[GroupTimeCell]| cells.iter().map(|c| (c.group, c.time)).collect::<Vec<_>>();
    let wanted: Vec<_> = want.cells.iter().map(|c| (c.group, c.time)).collect();
    tally.same("cells", &labels(&got.cells), &wanted);
    if got.cells.len() != want.cells.len() {
        return;
    }
    let skipped = skipped(want);
    for ((a, b), skipped) in got.cells.iter().zip(&want.cells).zip(&skipped) {
        cell(tally, a, b, *skipped, want, limits);
    }
    covariance(tally, got, want, &skipped, limits);
    pre_test(tally, got, want, &skipped, limits);
    if skipped.contains(&true) {
        tally.skip("aggregations of a fit with a skipped cell");
        return;
    }
    for options in aggregations(random) {
        aggregation(tally, got, want, options, limits);
    }
}

fn cell(
    tally: &mut Tally,
    got: &GroupTimeCell,
    want: &Cell,
    skipped: bool,
    all: &Fit,
    limits: &Limits,
) {
    tally.cells += 1;
    let at = format!("cell ({}, {})", got.group, got.time);
    if !skipped {
        let counts = (want.n_treated, want.n_control);
        tally.same(&format!("{at}: rows"), &(got.n_treated, got.n_control), &counts);
    }
    let did = match &want.outcome {
        Outcome::Failed(failure) => return failed(tally, &at, &got.status, *failure),
        Outcome::Reference => {
            tally.same(&format!("{at}: status"), &got.status, &CellStatus::Reference);
            let none = (Some(0.0), None);
            return tally.same(&at, &(got.estimate.estimate, got.estimate.se), &none);
        }
        Outcome::Estimated(did) => did,
    };
    if got.status != CellStatus::Estimated {
        let (status, att) = (&got.status, did.att);
        return tally.differ(format!("{at}: {status:?}, but the oracle has {att:e}"));
    }
    let spread = all.spread(&did.u) * want.factor;
    let extreme = if did.extreme { " (a propensity score of nearly one)" } else { "" };
    estimate(tally, &format!("{at}{extreme}"), &got.estimate, did, did.att, spread, limits);
    overlap(tally, &at, got.overlap, did);
}

/// Compares what is said of the comparison rows' weights.
pub fn overlap(tally: &mut Tally, at: &str, got: Option<Overlap>, did: &Did) {
    let Some(want) = &did.overlap else { return };
    if did.extreme || did.limit {
        return tally.skip("weights of comparison rows by scores of nearly zero or one");
    }
    let Some(got) = got else { return tally.differ(format!("{at}: nothing about its weights")) };
    tally.same(&format!("{at}: trimmed"), &got.trimmed, &want.trimmed);
    let tolerance = 1e3 * relative(did.loss);
    let near = |value: f64| Expected { value: Some(value), tolerance: value * tolerance };
    let sizes = [
        (got.effective_control, want.effective),
        (got.effective_control_sampling, want.sampling),
        (Some(got.trimmed_share), want.share),
    ];
    for (got, want) in sizes.into_iter().filter(|(_, want)| *want > 0.0) {
        tally.close("weights of comparison rows", at, got, near(want));
    }
    let scores = [got.largest_score_treated, got.largest_score_control];
    for (got, want) in scores.into_iter().zip(want.largest.into_iter().flatten()) {
        tally.close("largest propensity score", at, got, near(want));
    }
}

/// Compares an estimate and its standard error, which are as precise as those of `like`.
pub fn estimate(
    tally: &mut Tally,
    at: &str,
    got: &Estimate,
    like: &Did,
    att: f64,
    spread: f64,
    limits: &Limits,
) {
    tally.close("estimate", at, got.estimate, limits.estimate(att, spread, like.loss));
    match limits.standard_error(spread, like.precision()) {
        Some(want) => tally.close("standard error", at, got.se, want),
        None => tally.skip("a standard error that is rounding"),
    }
}

fn covariance(
    tally: &mut Tally,
    got: &GroupTimeResult,
    want: &Fit,
    skipped: &[bool],
    limits: &Limits,
) {
    let vcov = got.vcov().unwrap();
    let influence: Vec<Option<Vec<f64>>> =
        want.cells.iter().map(|c| c.influence(want.n())).collect();
    for (i, a) in influence.iter().enumerate() {
        for (j, b) in influence.iter().enumerate().take(i + 1) {
            let (Some(a), Some(b)) = (a, b) else { continue };
            if skipped[i] || skipped[j] || vcov[i][j].is_none() {
                continue;
            }
            let scale = want.spread(a) * want.spread(b);
            if limits.is_rounding(want.spread(a)) || limits.is_rounding(want.spread(b)) {
                continue;
            }
            let precision = want.cells[i].precision().max(want.cells[j].precision());
            // A variance that is zero but for rounding is no variance: standard errors below 1.49e-7 do not exist.
            let tolerance = (scale * precision).max(DEGENERATE * DEGENERATE);
            let value = Some(want.covariance(a, b));
            let at = format!("cells {i} and {j}");
            tally.close("covariance", &at, vcov[i][j], Expected { value, tolerance });
        }
    }
}

fn pre_test(
    tally: &mut Tally,
    got: &GroupTimeResult,
    want: &Fit,
    skipped: &[bool],
    limits: &Limits,
) {
    let pre = || want.cells.iter().filter(|c| c.group > c.time);
    if want.cells.iter().zip(skipped).any(|(c, skipped)| *skipped && c.group > c.time) {
        return tally.skip("pre-test of a skipped cell");
    }
    let spreads = || pre().filter_map(|c| c.influence(want.n())).map(|u| want.spread(&u));
    if spreads().any(|s| limits.standard_error(s, 0.0).is_none()) {
        return tally.skip("pre-test with a standard error that is rounding");
    }
    // Influence adds up to zero over all clusters, so that their sums have one dimension less.
    let clusters = want.grouped(&vec![0.0; want.n()]).len();
    if spreads().filter(|s| *s > DEGENERATE).count() >= clusters {
        return tally.same("pre-test of more cells than clusters", &got.wald, &None);
    }
    let Some(wald) = want.pre_test() else {
        return tally.same("no pre-test", &got.wald, &None);
    };
    let positive = || spreads().filter(|s| *s > DEGENERATE);
    let (low, high) = (positive().fold(f64::MAX, f64::min), positive().fold(0.0, f64::max));
    if wald.rcond * (low / high).powi(2) < 1e-12 {
        return tally.skip("pre-test with a nearly singular covariance");
    }
    let precision = pre().map(Cell::precision).fold(1e-9, f64::max);
    let tolerance = (wald.stat + wald.df as f64) * precision * (1.0 + 0.1 / wald.rcond);
    let stat = got.wald.map(|w| w.stat);
    tally.close("pre-test", "all cells", stat, Expected { value: Some(wald.stat), tolerance });
    tally.same("degrees of freedom", &got.wald.map(|w| w.df), &Some(wald.df));
}

/// The four aggregations, and each with a random window.
fn aggregations(random: &mut Random) -> Vec<Aggregation> {
    use AggregationKind::{Calendar, Dynamic, Group, Simple};
    let mut all = [Simple, Dynamic, Group, Calendar].map(Aggregation::new).to_vec();
    let windowed = |kind| {
        let mut window = Aggregation::new(kind);
        window.max_e = random.chance(0.8).then(|| random.below(4) as f64);
        window.min_e = (kind == Dynamic && random.chance(0.5)).then(|| -(random.below(4) as f64));
        window.balance_e = (kind == Dynamic && random.chance(0.5)).then(|| random.below(3) as u32);
        window
    };
    all.extend([Simple, Dynamic, Group].map(windowed));
    all
}

fn aggregation(
    tally: &mut Tally,
    got: &GroupTimeResult,
    want: &Fit,
    options: Aggregation,
    limits: &Limits,
) {
    for na_rm in [false, true] {
        let options = options.na_rm(na_rm);
        let at = format!("{options:?}");
        match (got.aggregate(options), aggregate::aggregate(want, options)) {
            (Ok(got), Ok(expected)) => {
                tally.aggregations += 1;
                left_out(tally, &at, &got, aggregate::left_out(want, options));
                return averages(tally, &at, &got, &expected, want, limits);
            }
            (Err(error), Err(refusal)) => {
                let same = match refusal {
                    aggregate::Refusal::MissingCells => {
                        matches!(error, DidError::MissingCells { .. })
                    }
                    aggregate::Refusal::EmptyWindow => {
                        matches!(error, DidError::EmptyWindow { .. })
                    }
                };
                tally.same(&format!("{at}: {error}, {refusal:?}"), &same, &true);
            }
            (Err(error), Ok(_)) => tally.differ(format!("{at}: {error}")),
            (Ok(_), Err(refusal)) => {
                tally.differ(format!("{at}: a result, but the oracle has {refusal:?}"));
            }
        }
    }
}

/// What an average leaves out, against the shares of the oracle.
fn left_out(tally: &mut Tally, at: &str, got: &Aggregated, want: Option<aggregate::Aggregated>) {
    const ROUNDING: f64 = 1e-9;
    let Some(want) = want else { return tally.differ(format!("{at}: nothing was asked for")) };
    let of = |average: &Option<Average>| average.as_ref().map_or(0.0, |a| a.value);
    let mut same = |what: &str, got: f64, want: f64| {
        let same = (got - want).abs() <= ROUNDING;
        tally.same(&format!("{at}: {what} left out, {got} or {want}"), &same, &true);
    };
    same("overall", got.left_out.as_ref().map_or(0.0, |l| l.share), of(&want.overall));
    for row in &want.rows {
        same(&format!("at {}", row.at), got.left_out_at(row.at), row.average.value);
    }
}

fn averages(
    tally: &mut Tally,
    at: &str,
    got: &Aggregated,
    want: &aggregate::Aggregated,
    fit: &Fit,
    limits: &Limits,
) {
    // As imprecise as the least precise cell.
    let mut like = Did::default();
    for did in fit.cells.iter().filter_map(Cell::did) {
        (like.scored, like.loss) = (like.scored || did.scored, like.loss.max(did.loss));
    }
    let mut one = |at: &str, got: &Estimate, want: &Average| {
        estimate(tally, at, got, &like, want.value, fit.spread(&want.u), limits);
    };
    if let Some(overall) = &want.overall {
        one(&format!("{at}: overall"), &got.overall, overall);
    }
    for (a, b) in got.rows.iter().zip(&want.rows) {
        one(&format!("{at}: row {}", b.at), &a.estimate, &b.average);
    }
    tally.same(&format!("{at}: overall"), &got.overall.estimate.is_some(), &want.overall.is_some());
    let labels: Vec<_> = got.rows.iter().map(|r| (r.at, r.reference)).collect();
    let wanted: Vec<_> = want.rows.iter().map(|r| (r.at, r.reference)).collect();
    tally.same(&format!("{at}: rows"), &labels, &wanted);
}
