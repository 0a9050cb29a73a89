//! Two groups in two periods with as many splines as the data decide (Chen, Christensen and Kankanala 2025).
//!
//! Changes of the treated units, less the mean change `m` of the comparison units, are regressed on cubic splines of the dose. The
//! average slope is `θ = Σ_T w ψ̇'β / Σ_T w`, with influence `ψ̇_i'β - θ + e_i ψ_i'(Σ w ψψ')⁻ Σ w ψ̇` times `w_i / Σ_T w`.

use super::curve::{CohortCurve, Curves};
use super::effects::{effects, failures, finish};
use super::kept::{TreatedUnits, treated};
use super::law::{no_law, unit};
use super::{CUBIC, ContDid, ContDidResult, DoseKnots, GroupKnots};
use crate::base::counted::counted;
use crate::base::error::{DidError, DidWarning, Result};
use crate::base::options::{Bootstrap, DoseGrid, DoseTarget};
use crate::engine::backend::DidBackend;
use crate::engine::cell::{DoseCell, PlannedCell, TRIM, dose_cells};
use crate::estimator::group_time::finish as common;
use crate::estimator::npiv::{
    CurveQuestion, DRAWS, Derivative, FEW_OBSERVATIONS, FittedCurve, ObservationClusters,
    Observations, SieveBasis, SieveKnots, Spaces, fit, pseudo_inverse,
};
use crate::estimator::shell::kept::Kept;
use crate::estimator::shell::moments::InfluenceMoments;
use crate::estimator::shell::setup::Opened;
use crate::estimator::shell::{self, Options};
use crate::read::panel::Sample;
use crate::result::estimates::CellStatus;
use crate::result::inference::Joint;

pub(super) fn estimate<B: DidBackend>(
    config: &ContDid<B>,
    opened: Opened,
) -> Result<ContDidResult> {
    let Opened { setup, source, start, mut timings } = opened;
    if !source.is_here() {
        return Err(DidError::config(
            "method",
            "`parametric` on a cluster, whose driver holds no rows",
            "cck",
        ));
    }
    let before = start.elapsed().as_secs_f64();
    let sample = source.sample();
    let planned: Vec<PlannedCell> = config
        .plan(sample)
        .into_iter()
        .filter(|cell| cell.status != Some(CellStatus::Reference))
        .collect();
    let two = sample.periods.len() == 2 && sample.cohorts.len() == 2;
    let (true, [plan]) = (two, &planned[..]) else {
        return Err(DidError::Doses {
            problem: format!(
                "the method `cck` compares one treated group with never-treated units in two periods; the sample has {} in {}: keep two of each, or use the parametric method",
                counted(sample.cohorts.len(), "cohort", "cohorts"),
                counted(sample.periods.len(), "period", "periods")
            ),
        });
    };
    let work = crate::engine::source::Work {
        bootstrap: None,
        ..config.shared().work(1 + sample.groups.len())
    };
    source.check(&work)?;
    let cells = dose_cells(&*source, &planned, None)?;
    let cell = match &cells[0] {
        Ok(cell) => cell,
        Err(status) => {
            let reason = status.shown(sample.calendar.frequency);
            return Err(DidError::Doses {
                problem: format!("there is no effect to estimate: {reason}"),
            });
        }
    };
    let treated = treated(&*source, plan)?;
    timings.estimate = start.elapsed().as_secs_f64() - before;
    let moments = InfluenceMoments::form(&*source, std::iter::once(Some(&cell.att)), &work, TRIM)?;
    let corrected = moments.totals.first().copied().unwrap_or(0.0);
    let y_scale = sample.y_scale;
    let att = (cell.att.att + corrected) * y_scale;
    let comparison = ComparisonUnits::new(&treated, att, y_scale, moments);
    let of_estimator = config.own_settings(sample, None);
    let settings = shell::settings(config, &setup, source.backend(), sample, of_estimator);
    let few = few_observations(&treated)?;
    let fitted = comparison.curve(config, sample, treated)?;
    let timings = timings.of(&*source);
    let of = |target, value: Option<f64>, variance: f64| {
        let settings = settings.clone().with_target(target);
        let unit = unit(target, sample.y_size, fitted.knots.range);
        let status = std::iter::once(CellStatus::of_curve(value));
        let joint = one(sample, value, variance, &comparison, unit);
        let effects = effects(sample, &planned, status, joint, &settings);
        let mut warnings = sample.warnings.clone();
        warnings.extend(failures::<DoseCell>(sample, &planned, &cells));
        warnings.extend(few.clone());
        warnings.extend(fitted.warnings.iter().cloned());
        common::of_effects(effects, &sample.audit, settings, timings, warnings, start)
    };
    let level = of(DoseTarget::Level, Some(att), comparison.covariance[0]);
    let (acrt, variance) = fitted.slope.unzip();
    let slope = of(DoseTarget::Slope, acrt, variance.unwrap_or(0.0));
    finish(config, sample, fitted.curves, [level, slope], (fitted.knots, start), Kept::default())
}

/// A warning if the treated units are few.
///
/// # Errors
/// [`DidError::Doses`] if the smallest curve is not determined by their doses.
fn few_observations(treated: &TreatedUnits) -> Result<Option<DidWarning>> {
    let mut doses = treated.doses.clone();
    let observations = doses.len();
    doses.sort_unstable_by(f64::total_cmp);
    doses.dedup();
    if doses.len() <= CUBIC {
        let problem = format!(
            "the treated units have {}, and the smallest curve of the method `cck` has {} coefficients; use the parametric method with a lower degree",
            counted(doses.len(), "distinct dose", "distinct doses"),
            CUBIC + 1
        );
        return Err(DidError::Doses { problem });
    }
    Ok((observations < FEW_OBSERVATIONS).then_some(DidWarning::FewObservations { observations }))
}

/// What the treated units are compared with.
struct ComparisonUnits {
    /// Mean change of the comparison units.
    mean: f64,
    noise: Noise,
    /// Covariance of the average effect and the group's share, in units of the outcome.
    covariance: Vec<f64>,
}

/// What the comparison units' mean change adds to the level of the curve.
enum Noise {
    /// Of units that are independent of the treated: its variance.
    Independent(f64),
    /// The influence of each cluster, which may have treated units, too.
    ByCluster(Vec<f64>),
}

impl Noise {
    /// The variance of independent units and the influence of clusters, zero if they do not count.
    fn parts(&self, counts: bool) -> (f64, Vec<f64>) {
        match self {
            Self::Independent(variance) => (if counts { *variance } else { 0.0 }, Vec::new()),
            Self::ByCluster(shift) if counts => (0.0, shift.clone()),
            Self::ByCluster(shift) => (0.0, vec![0.0; shift.len()]),
        }
    }
}

impl ComparisonUnits {
    /// The average effect is the difference of the mean changes, and its influence the sum of theirs.
    fn new(treated: &TreatedUnits, att: f64, y_scale: f64, mut moments: InfluenceMoments) -> Self {
        let total: f64 = treated.weights.iter().sum();
        let weighted = treated.weights.iter().zip(&treated.changes);
        let mean = weighted.clone().map(|(w, y)| w * y).sum::<f64>() / total;
        let influence_of_treated = weighted.map(|(w, y)| w * (y - mean) / total);
        let unscaled = moments.covariance();
        let m = unscaled.len().isqrt();
        let scale = |j: usize| if j == 0 { y_scale } else { 1.0 };
        let covariance: Vec<f64> =
            unscaled.iter().enumerate().map(|(e, v)| v * scale(e / m) * scale(e % m)).collect();
        let noise = match moments.of_clusters(0) {
            None => Noise::Independent(
                (covariance[0] - influence_of_treated.map(|u| u * u).sum::<f64>()).max(0.0),
            ),
            Some(sums) => {
                let mut of_comparison: Vec<f64> = sums.iter().map(|u| u * y_scale).collect();
                for (cluster, u) in treated.clusters.iter().zip(influence_of_treated) {
                    of_comparison[*cluster as usize] -= u;
                }
                Noise::ByCluster(of_comparison)
            }
        };
        Self { mean: mean - att, noise, covariance }
    }

    fn curve<B: DidBackend>(
        &self,
        config: &ContDid<B>,
        sample: &Sample,
        treated: TreatedUnits,
    ) -> Result<Curve> {
        let TreatedUnits { mut changes, doses, weights, clusters } = treated;
        for change in &mut changes {
            *change -= self.mean;
        }
        let mut sorted = doses.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        let doses_of_sample = sample.doses.as_ref().ok_or_else(no_law)?;
        let points = |grid: &DoseGrid, quantiles: &[f64]| -> Vec<Vec<f64>> {
            grid.doses(doses_of_sample.range, quantiles).into_iter().map(|d| vec![d]).collect()
        };
        let shown = config.grid.probabilities().len().min(doses_of_sample.quantiles.len());
        let (shown, compared) = doses_of_sample.quantiles.split_at(shown);
        let (columns, sorted) = ([doses], [sorted]);
        let (noise, shift) = self.noise.parts(config.comparison_noise);
        let data = Observations {
            y: &changes,
            x: &columns,
            w: None,
            weights: Some(&weights),
            clusters: sample
                .n_clusters
                .map(|_| ObservationClusters { of: &clusters, shift: &shift }),
        };
        let spaces = Spaces {
            basis: SieveBasis::Tensor,
            knots: SieveKnots::Quantiles,
            x_degree: CUBIC,
            w_degree: CUBIC,
            x_range: (None, None),
            w_range: (None, None),
            x: &sorted,
            w: None,
        };
        let Bootstrap { draws, seed, .. } = config.bootstrap.unwrap_or(Bootstrap::draws(DRAWS));
        let question = CurveQuestion {
            segments: None,
            smooth: 0,
            damping: config.damping,
            grid: &points(&config.compare_at, compared),
            points: &points(&config.grid, shown),
            derivative: Derivative { variable: 0, order: 1 },
            shift: noise,
            alpha: config.alpha,
            draws,
            seed,
        };
        let fitted = fit(&data, &spaces, &question)?;
        let slope = average_slope(&data, &fitted)?;
        let level = &fitted.levels.levels[fitted.level];
        let splines = level.sieves.x.splines[0].clone();
        let group = sample.group(&sample.groups[0]);
        let breakpoints = splines.breakpoints();
        let segments = breakpoints.len() - 1;
        let knots = DoseKnots {
            degree: splines.degree(),
            interior: breakpoints[1..breakpoints.len() - 1].to_vec(),
            groups: vec![GroupKnots { group, breakpoints: breakpoints.to_vec() }],
            range: doses_of_sample.range,
            percentiles: doses_of_sample.percentiles.clone(),
        };
        let curves = Curves {
            joint: coefficients(sample, &fitted, noise),
            cohorts: vec![CohortCurve {
                group,
                splines,
                first: 0,
                undetermined: level.undetermined.clone(),
            }],
            shares: config.shares,
            errors: config.curve_errors,
            size: sample.y_size,
            bands: Some(fitted.critical),
        };
        let coincident = DidWarning::coincident_knots(&config.dose, fitted.segments.0, segments);
        let warnings = level.collinear().into_iter().chain(coincident).collect();
        Ok(Curve { curves, knots, slope, warnings })
    }
}

/// A curve, its knots, and the average slope with its variance, if the doses determine it.
struct Curve {
    curves: Curves,
    knots: DoseKnots,
    slope: Option<(f64, f64)>,
    warnings: Vec<DidWarning>,
}

/// Coefficients of a constant and of the splines from the second on, with the group's share: splines add up to one, so they are
/// the first coefficient and the differences of the others from it.
fn coefficients(sample: &Sample, fitted: &FittedCurve, noise: f64) -> Joint {
    let level = &fitted.levels.levels[fitted.level];
    let (j, all) = (level.len(), fitted.levels.len());
    let first = fitted.levels.first[fitted.level];
    let v = |a: usize, b: usize| fitted.levels.covariance[(first + a) * all + first + b];
    let m = j + 1;
    let mut covariance = vec![0.0; m * m];
    for a in 0..j {
        for b in 0..j {
            covariance[a * m + b] = match (a, b) {
                (0, 0) => v(0, 0) + noise,
                (0, b) => v(0, b) - v(0, 0),
                (a, 0) => v(a, 0) - v(0, 0),
                (a, b) => v(a, b) - v(a, 0) - v(0, b) + v(0, 0),
            };
        }
    }
    let value = |a: usize| if a == 0 { level.beta[0] } else { level.beta[a] - level.beta[0] };
    let share = sample.shares[sample.groups[0].clone()].iter().sum();
    let values = (0..j).map(|a| Some(value(a))).chain([Some(share)]).collect();
    let covariance = Some(covariance.into());
    let (n, n_clusters) = (sample.n, sample.n_clusters);
    Joint { values, covariance, draws: None, n, n_clusters, unit: 1.0, unknown: Vec::new() }
}

/// The mean slope at the treated units' doses, and its variance; `None` if their changes do not determine it.
fn average_slope(data: &Observations<'_>, fitted: &FittedCurve) -> Result<Option<(f64, f64)>> {
    let level = &fitted.levels.levels[fitted.level];
    let (splines, beta, j) = (&level.sieves.x.splines[0], &level.beta, level.len());
    let weights = data.weights.unwrap_or_default();
    let total: f64 = weights.iter().sum();
    let mut slopes = vec![0.0; j];
    let mut gram = vec![0.0; j * j];
    let (mut values, mut derivatives) = (vec![0.0; CUBIC + 1], vec![0.0; CUBIC + 1]);
    for (dose, weight) in data.x[0].iter().zip(weights) {
        let first = splines.nonzero(*dose, 0, &mut values);
        splines.nonzero(*dose, 1, &mut derivatives);
        for (a, (value, slope)) in (first..).zip(values.iter().zip(&derivatives)) {
            slopes[a] += weight * slope / total;
            for (b, other) in (first..).zip(&values) {
                gram[a * j + b] += weight * value * other;
            }
        }
    }
    if !level.undetermined.leaves(slopes.iter().copied().enumerate()) {
        return Ok(None);
    }
    let mean: f64 = slopes.iter().zip(beta).map(|(slope, b)| slope * b).sum();
    let direction = crate::base::solve::multiply(&pseudo_inverse(&gram, j)?, &slopes);
    let mut influence = vec![0.0; data.clusters.map_or(0, |clusters| clusters.shift.len())];
    let mut variance = 0.0;
    for (row, ((dose, weight), y)) in data.x[0].iter().zip(weights).zip(data.y).enumerate() {
        let first = splines.nonzero(*dose, 0, &mut values);
        splines.nonzero(*dose, 1, &mut derivatives);
        let at = |row: &[f64], v: &[f64]| -> f64 {
            row.iter().zip(&v[first..]).map(|(r, v)| r * v).sum()
        };
        let residual = y - at(&values, beta);
        let slope = (at(&derivatives, beta) - mean) / total;
        let influence_of_row = weight * (slope + residual * at(&values, &direction));
        match data.clusters {
            Some(clusters) => influence[clusters.of[row] as usize] += influence_of_row,
            None => variance += influence_of_row * influence_of_row,
        }
    }
    let of_clusters: f64 = influence.iter().map(|u| u * u).sum();
    Ok(Some((mean, variance + of_clusters)))
}

/// One effect, if there is one, and the group's share.
fn one(
    sample: &Sample,
    value: Option<f64>,
    variance: f64,
    comparison: &ComparisonUnits,
    unit: f64,
) -> Joint {
    let share = sample.shares[sample.groups[0].clone()].iter().sum();
    let covariance = vec![variance, 0.0, 0.0, comparison.covariance[3]];
    Joint {
        values: vec![value, Some(share)],
        covariance: Some(covariance.into()),
        draws: None,
        n: sample.n,
        n_clusters: sample.n_clusters,
        unit,
        unknown: Vec::new(),
    }
}
