//! From estimates to what their weights do: jobs of the pass over weights, and what its sums say.

use super::moments::{Moments, normalized, ratio};
use super::scores::{ScorePart, Scores};
use super::{
    Against, CovariateBalance, CovariateShares, ScoreShares, WeightedComparison, Weighting,
};
use crate::base::error::{DidError, Result};
use crate::base::memory;
use crate::engine::cell::{CellEstimate, InfluenceTerm, Outcome, PlannedCell, Recipe};
use crate::engine::pass::{
    Bins, COVARIATE_BINS, KEPT, KeptRows, Stat, WeightingJob, WeightingPass, WeightingStat,
};
use crate::engine::source::Source;
use crate::read::panel::Sample;
use crate::result::estimates::CellStatus;
use crate::result::settings::Settings;

/// Comparisons whose rows are handed out by one pass.
const BATCH: usize = 8;

/// Bytes of a kept row, and of a unit's label.
const ROW: u128 = 25;
const LABEL: u128 = 64;

/// Standard deviations on either side of the mean within which covariates are counted.
const REACH: f64 = 3.0;

/// What is asked for besides estimates.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Asked {
    pub weighting: bool,
    pub scores: bool,
}

/// A comparison that was estimated.
pub(crate) struct Weighed<'a> {
    /// Group and period of its cell; `None` for two groups in two periods.
    pub cell: Option<[f64; 2]>,
    pub against: Option<Against>,
    pub planned: &'a PlannedCell,
    pub estimate: &'a CellEstimate,
}

impl<'a> Weighed<'a> {
    /// The comparisons that were estimated of some cells.
    pub fn of_cells(
        sample: &Sample,
        planned: &'a [PlannedCell],
        estimated: &'a [std::result::Result<CellEstimate, CellStatus>],
    ) -> Vec<Self> {
        let cell = |of: &PlannedCell| [sample.cohorts[of.cohort].group, sample.periods[of.time]];
        let comparison = |(planned, estimate): (&'a PlannedCell, &'a CellEstimate)| Self {
            cell: Some(cell(planned)),
            against: None,
            planned,
            estimate,
        };
        let estimated = planned.iter().zip(estimated);
        estimated.filter_map(|(p, e)| Some(comparison((p, e.as_ref().ok()?)))).collect()
    }
}

/// How the estimates were formed.
pub(crate) struct Made {
    pub settings: Settings,
    pub method: &'static str,
    /// Whether the estimator has a propensity score.
    pub scored: bool,
    pub trim: f64,
}

impl Made {
    /// By the method of this name.
    pub fn new(settings: &Settings, method: &'static str, recipe: &Recipe) -> Self {
        let scored = recipe.method.propensity().is_some();
        Self { settings: settings.clone(), method, scored, trim: recipe.trim }
    }
}

/// What came of it.
#[derive(Default)]
pub(crate) struct Weights {
    pub weighting: Option<Weighting>,
    pub scores: Option<Scores>,
}

impl Asked {
    /// With these options.
    pub fn with(self, weighting: bool, scores: bool) -> Self {
        Self { weighting, scores }
    }

    /// An error if anything is asked for.
    ///
    /// # Errors
    /// [`DidError::Config`], with what is `expected` in its place.
    pub fn refuse(self, expected: &'static str) -> Result<()> {
        match self {
            Self { weighting: true, .. } => Err(DidError::config("weighting", expected, "true")),
            Self { scores: true, .. } => Err(DidError::config("keep_scores", expected, "true")),
            Self { .. } => Ok(()),
        }
    }

    /// An error if scores are asked for where they cannot be had, before the work.
    ///
    /// # Errors
    /// [`DidError::Config`] on a cluster, [`DidError::Memory`].
    pub fn check<'a>(
        self,
        source: &dyn Source,
        planned: impl Iterator<Item = &'a PlannedCell>,
    ) -> Result<()> {
        if !self.scores {
            return Ok(());
        }
        if !source.is_here() {
            let expected =
                "off on a cluster, whose workers keep the rows; `weighting` has sums of them";
            return Err(DidError::config("keep_scores", expected, "true"));
        }
        let rows: usize = planned.map(|cell| cell.n_treated + cell.n_control).sum();
        let needed = ROW * rows as u128 + LABEL * source.sample().n as u128;
        let remedy = "ask for `weighting`, which has sums of them, or for fewer groups and periods";
        memory::check("the scores by unit (`keep_scores`, `--save-scores`)", needed, remedy)
    }

    /// Forms what is asked for.
    ///
    /// # Errors
    /// What the source reports, and [`DidError::Engine`] for rows that nobody asked for.
    pub fn form(self, source: &dyn Source, weighed: &[Weighed<'_>], made: Made) -> Result<Weights> {
        let _span = tracing::info_span!("weights").entered();
        let sample = source.sample();
        let scores = if self.scores { Some(scores(source, weighed, &made)?) } else { None };
        let weighting = if self.weighting {
            let comparisons = comparisons(source, weighed, &made)?;
            let remarks = remarks(sample, weighed, &made);
            let Made { settings, method, scored, trim } = made;
            let trim_level = scored.then_some(trim);
            Some(Weighting { settings, method: method.into(), trim_level, comparisons, remarks })
        } else {
            None
        };
        Ok(Weights { weighting, scores })
    }
}

/// What a reader must know before looking at numbers.
fn remarks(sample: &Sample, weighed: &[Weighed<'_>], made: &Made) -> Vec<String> {
    let mut remarks = Vec::new();
    if sample.design.is_constant() {
        remarks.push(
            "without covariates there is nothing to balance, and all units of an arm count by their sampling weights".to_owned(),
        );
    } else if made.scored && weighed.iter().any(|of| gamma(of.estimate).is_none()) {
        remarks.push("all covariates are collinear: scores do not vary".to_owned());
    }
    if !made.scored {
        remarks.push(format!("the method `{}` has no propensity score", made.method));
    }
    remarks
}

/// Rows of a comparison with their job.
struct Placed {
    comparison: usize,
    treated: bool,
    /// Position of the rows' period; `None` for changes of units.
    period: Option<usize>,
    cohort: usize,
    job: WeightingJob,
}

/// Coefficients of a comparison's propensity score.
fn gamma(estimate: &CellEstimate) -> Option<&Vec<f64>> {
    estimate.terms.iter().find_map(|term| term.gamma.as_ref())
}

/// The jobs of some comparisons, in the order of strata.
fn jobs(sample: &Sample, weighed: &[Weighed<'_>]) -> Vec<Placed> {
    let mut placed = Vec::new();
    for (comparison, of) in weighed.iter().enumerate() {
        let gamma = gamma(of.estimate);
        let weighing_terms = of.estimate.terms.iter().filter(|term| term.coefficients.weighs());
        placed.extend(weighing_terms.map(|term| {
            let key = sample.strata.keys()[term.stratum];
            let (period, post, base) = match term.outcome {
                Outcome::Change { post, base } => (None, post, Some(base)),
                Outcome::Level(column) => (Some(key.period.unwrap_or(column)), column, None),
            };
            let after = period.is_none_or(|period| period == of.planned.time);
            let job =
                job(term, gamma, (post, base), if term.treated == after { 1.0 } else { -1.0 });
            Placed { comparison, treated: term.treated, period, cohort: key.cohort, job }
        }));
    }
    placed.sort_by_key(|placed| placed.job.stratum);
    placed
}

fn job(
    term: &InfluenceTerm,
    gamma: Option<&Vec<f64>>,
    (post, base): (usize, Option<usize>),
    sign: f64,
) -> WeightingJob {
    let of = &term.coefficients;
    let silent = |by_odds: bool| of.silent.as_ref().filter(|s| s.by_odds == by_odds).map(|s| &s.v);
    let b = match (&of.b, silent(false)) {
        (Some(b), Some(more)) => Some(b.iter().zip(more).map(|(b, m)| b + m).collect()),
        (b, more) => b.as_ref().or(more).cloned(),
    };
    WeightingJob {
        stratum: term.stratum,
        x: term.x,
        w: term.w,
        control: !term.treated,
        sign,
        post,
        base,
        gamma: gamma.cloned(),
        c: of.c,
        h: of.h,
        b,
        t: silent(true).cloned(),
    }
}

/// The pass over these jobs.
fn pass(sample: &Sample, made: &Made, placed: &[Placed]) -> WeightingPass {
    WeightingPass {
        k: sample.design.k(),
        trim: made.trim,
        transform: sample.design.transform.clone(),
        bins: Vec::new(),
        keep_rows: false,
        jobs: placed.iter().map(|placed| placed.job.clone()).collect(),
    }
}

/// Balance and distributions, by two passes: where covariates are counted follows from their moments.
fn comparisons(
    source: &dyn Source,
    weighed: &[Weighed<'_>],
    made: &Made,
) -> Result<Vec<WeightedComparison>> {
    let sample = source.sample();
    let placed = jobs(sample, weighed);
    if placed.is_empty() {
        return Ok(Vec::new());
    }
    let mut pass = pass(sample, made, &placed);
    let first = sides(sample, &pass, &placed, &source.run(&pass)?)?;
    if pass.k == 1 {
        return Ok(first.iter().map(|side| side.comparison(sample, weighed)).collect());
    }
    let of = |placed: &Placed| first.iter().find(|side| side.has(placed));
    pass.bins = placed.iter().map(|p| of(p).map_or_else(Vec::new, Side::bins)).collect();
    let counted = sides(sample, &pass, &placed, &source.run(&pass)?)?;
    Ok(counted.iter().map(|side| side.comparison(sample, weighed)).collect())
}

/// Treated and comparison rows of a comparison in one period, or their changes.
struct Side {
    comparison: usize,
    period: Option<usize>,
    treated: WeightingStat,
    control: WeightingStat,
    /// Moments of the treated rows, and of the comparison rows by sampling weight and by the estimate's.
    moments: [Moments; 3],
    bins: Vec<Bins>,
}

/// The sides of all comparisons, in their order.
fn sides(
    sample: &Sample,
    pass: &WeightingPass,
    placed: &[Placed],
    stats: &[WeightingStat],
) -> Result<Vec<Side>> {
    let mut keys: Vec<(usize, Option<usize>)> =
        placed.iter().map(|p| (p.comparison, p.period)).collect();
    keys.sort_unstable();
    keys.dedup();
    let side = |(comparison, period): (usize, Option<usize>)| -> Result<Side> {
        let arm = |treated: bool| -> Result<(WeightingStat, Vec<Bins>)> {
            let mut of_arm = placed.iter().zip(stats).enumerate().filter(|(_, (p, _))| {
                (p.comparison, p.period, p.treated) == (comparison, period, treated)
            });
            let none = || DidError::Engine { problem: "an arm of a cell has no weights".into() };
            let (at, (_, first)) = of_arm.next().ok_or_else(none)?;
            let mut sum = first.clone();
            of_arm.try_for_each(|(_, (_, stat))| sum.merge(stat))?;
            Ok((sum, pass.bins.get(at).cloned().unwrap_or_default()))
        };
        let ((treated, bins), (control, _)) = (arm(true)?, arm(false)?);
        let by = |stat: &WeightingStat, own: bool| {
            let square = pass.k * pass.k;
            let zz = if own { &stat.zz[square..] } else { &stat.zz[..square] };
            Moments::new(zz, stat.rows, &sample.design)
        };
        let moments = [by(&treated, false), by(&control, false), by(&control, true)];
        Ok(Side { comparison, period, treated, control, moments, bins })
    };
    keys.into_iter().map(side).collect()
}

impl Side {
    fn has(&self, placed: &Placed) -> bool {
        (self.comparison, self.period) == (placed.comparison, placed.period)
    }

    /// Where each covariate is counted: around the mean of both arms.
    fn bins(&self) -> Vec<Bins> {
        let [treated, control, _] = &self.moments;
        let number = |of: &[Option<f64>], j: usize| of[j].unwrap_or(0.0);
        let bins = |j: usize| {
            let means = [treated, control].map(|m| number(&m.means, j));
            let variances = [treated, control].map(|m| number(&m.variances, j));
            let half = (means[0] - means[1]) / 2.0;
            let sd = (f64::midpoint(variances[0], variances[1]) + half * half).sqrt();
            let sd = if sd > 0.0 && sd.is_finite() { sd } else { 1.0 };
            let lower = f64::midpoint(means[0], means[1]) - REACH * sd;
            Bins { lower, width: 2.0 * REACH * sd / COVARIATE_BINS as f64 }
        };
        (0..treated.means.len()).map(bins).collect()
    }

    fn comparison(&self, sample: &Sample, weighed: &[Weighed<'_>]) -> WeightedComparison {
        let of = &weighed[self.comparison];
        let (treated, control) = (&self.treated, &self.control);
        let total = control.zz[control.zz.len() / 2];
        let absolute = total - 2.0 * control.negative;
        let finite = |value: f64| Some(value).filter(|value| value.is_finite());
        let scores = (!treated.scores.is_empty()).then(|| ScoreShares {
            treated: shares(&treated.scores),
            control: shares(&control.scores),
        });
        WeightedComparison {
            group: of.cell.map(|[group, _]| group),
            time: of.cell.map(|[_, time]| time),
            against: of.against,
            period: self.period.map(|period| sample.periods[period]),
            n_treated: count(treated.rows),
            n_control: count(control.rows),
            effective_control: finite(total * total / control.squares),
            negative: count(control.negative_rows),
            negative_share: finite(control.negative.abs() / absolute).unwrap_or(0.0),
            scores,
            covariates: (1..sample.design.k()).map(|j| self.covariate(sample, j)).collect(),
        }
    }

    fn covariate(&self, sample: &Sample, column: usize) -> CovariateBalance {
        let j = column - 1;
        let [treated_mean, control_mean, weighted_mean] =
            self.moments.each_ref().map(|m| m.means[j]);
        let [treated_variance, control_variance, weighted_variance] =
            self.moments.each_ref().map(|m| m.variances[j]);
        let before = treated_variance.zip(control_variance);
        let gap = |mean: Option<f64>| treated_mean.zip(mean).map(|(a, b)| a - b);
        let counted = |stat: &WeightingStat, own: bool| {
            let half = stat.covariates.len() / 2;
            let start = j * COVARIATE_BINS + if own { half } else { 0 };
            shares(&stat.covariates[start..start + COVARIATE_BINS])
        };
        let varies = before.is_some_and(|(a, b)| a > 0.0 || b > 0.0);
        let counts = self.bins.get(j).filter(|_| varies).map(|bins| CovariateShares {
            lower: bins.lower,
            width: bins.width,
            treated: counted(&self.treated, false),
            control: counted(&self.control, false),
            weighted: counted(&self.control, true),
        });
        CovariateBalance {
            variable: sample.design.names[column].clone(),
            treated_mean,
            control_mean,
            weighted_mean,
            treated_variance,
            control_variance,
            weighted_variance,
            normalized_difference: normalized(gap(control_mean), before),
            weighted_difference: normalized(gap(weighted_mean), before),
            variance_ratio: ratio(before),
            weighted_ratio: ratio(treated_variance.zip(weighted_variance)),
            shares: counts,
        }
    }
}

/// Parts of the whole; zero where there is none.
fn shares(counts: &[f64]) -> Vec<f64> {
    let total: f64 = counts.iter().sum();
    let share = |count: &f64| Some(count / total).filter(|share| share.is_finite()).unwrap_or(0.0);
    counts.iter().map(share).collect()
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count of rows")]
fn count(rows: f64) -> usize {
    rows as usize
}

/// Scores and weights by unit, a few comparisons at a time.
fn scores(source: &dyn Source, weighed: &[Weighed<'_>], made: &Made) -> Result<Scores> {
    let sample = source.sample();
    let mut scores = Scores::new(sample, made.scored);
    for batch in weighed.chunks(BATCH) {
        let placed = jobs(sample, batch);
        if placed.is_empty() {
            continue;
        }
        let pass = WeightingPass { keep_rows: true, ..pass(sample, made, &placed) };
        let mut parts: Vec<ScorePart> =
            placed.iter().map(|placed| part(sample, placed, batch, made)).collect();
        source.run_keeping(&pass, &mut |rows| keep(&rows, &mut parts))?;
        let mut parts: Vec<(usize, ScorePart)> =
            placed.iter().map(|placed| placed.comparison).zip(parts).collect();
        for (comparison, of) in batch.iter().enumerate() {
            let of_comparison = parts.extract_if(.., |(at, _)| *at == comparison);
            scores.add(of.cell, of.against, of_comparison.map(|(_, part)| part).collect());
        }
    }
    Ok(scores)
}

/// What is known of a job's rows before there are any.
fn part(sample: &Sample, placed: &Placed, batch: &[Weighed<'_>], made: &Made) -> ScorePart {
    let overlap = batch[placed.comparison].estimate.overlap;
    let constant = overlap.and_then(|overlap| overlap.largest_score_control);
    ScorePart {
        unit_group: sample.cohorts[placed.cohort].group,
        eligible: sample.cohorts[placed.cohort].eligible,
        period: placed.period.map(|period| sample.periods[period]),
        treated: placed.treated,
        constant: constant.filter(|_| made.scored && placed.job.gamma.is_none()),
        varies: placed.job.gamma.is_some(),
        ..ScorePart::default()
    }
}

/// Takes the rows with sampling weight.
fn keep(rows: &KeptRows, parts: &mut [ScorePart]) -> Result<()> {
    let n = rows.ranks.len().max(1);
    for (columns, values) in rows.columns.chunks(KEPT).zip(rows.values.chunks_exact(KEPT * n)) {
        let foreign =
            || DidError::Engine { problem: "weights of rows that were not asked for".into() };
        let part = columns.first().and_then(|column| parts.get_mut(column / KEPT));
        let part = part.ok_or_else(foreign)?;
        let (score, rest) = values.split_at(n);
        let (weight, trimmed) = rest.split_at(n);
        for (i, rank) in rows.ranks.iter().enumerate().filter(|(i, _)| !weight[*i].is_nan()) {
            part.ranks.push(*rank);
            part.weights.push(weight[i]);
            part.trimmed.push(trimmed[i] > 0.0);
            if part.varies {
                part.scores.push(score[i]);
            }
        }
    }
    Ok(())
}
