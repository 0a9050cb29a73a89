//! From estimates to a result: covariance, degrees of freedom, tests and warnings.

use super::covariance::Scores;
use super::degrees::{Parameters, components, is_nested};
use super::inference::{Coefficient, Law, f_test};
use super::leverage::fixed_leverage;
use super::likelihood::Separation;
use super::linear::{CentredRegressors, LinearFit, Quality};
use super::options::{Family, OutcomeRange};
use super::predictor::Predictor;
use super::reading::{Coded, RegressionColumns, RegressionRows};
use super::recover::{FactorEffects, normalised};
use super::result::{
    Absorbed, Indicated, RegressionAudit, RegressionResult, RegressionSettings, SolverReport,
};
use super::sample::{LevelsAtBound, RegressionSample};
use super::task::{RegressionReading, RegressionTask};
use crate::base::error::{DidError, DidWarning, Result};
use crate::base::parallel;
use crate::engine::backend::DidBackend;
use crate::engine::source::Influence;
use crate::read::formula::Indicator;
use crate::result::timings::Timings;

/// Rows that regressors separate, and these.
#[derive(Default)]
pub(super) struct Separating {
    pub rows: usize,
    pub columns: Vec<String>,
}

impl Separating {
    /// Adds what was found in a sample.
    pub fn add(&mut self, found: &Separation) {
        self.rows += found.rows.len();
        let new = found.columns.iter().filter(|column| !self.columns.contains(column));
        let new: Vec<String> = new.cloned().collect();
        self.columns.extend(new);
    }

    /// The error of a regression of which separation leaves nothing.
    pub fn error(&self) -> DidError {
        DidError::Separated { columns: self.columns.clone() }
    }
}

/// What is counted in a sample.
struct Counted {
    /// Rows.
    n: usize,
    /// Clusters by row, and how many there are.
    clusters: Vec<(Vec<u32>, usize)>,
    absorbed: Vec<Absorbed>,
    /// Parameters that the correction for small samples counts, and all of them.
    df_k: usize,
    parameters: usize,
    /// The smaller of the numbers of clusters.
    fewest: Option<usize>,
    rows_left: f64,
    df_t: f64,
}

impl Counted {
    /// Whether anything is left for standard errors.
    fn is_enough(&self) -> bool {
        self.rows_left > 0.0 && self.df_t > 0.0
    }
}

/// The covariance of the coefficients, `[k, k]`, row-major.
struct Uncertainty {
    matrix: Vec<f64>,
    rank: Option<usize>,
    /// Whether negative eigenvalues were set to zero.
    repaired: bool,
    /// Rows that determine a coefficient alone.
    full_leverage: usize,
    /// Whether the leverage of fixed effects is not in it.
    partial_leverage: bool,
    /// Whether it is one: there are degrees of freedom, and no leverage is one.
    regular: bool,
    /// Influence of the clusters on the coefficients, `[k][clusters]`; if it is kept.
    by_cluster: Vec<Vec<f64>>,
}

impl<B: DidBackend> RegressionTask<'_, B> {
    /// The result of estimates, but for the audit and for what is kept on request.
    pub(super) fn result(
        &self,
        wanted: &RegressionColumns,
        reading: &RegressionReading,
        sample: &RegressionSample,
        regressors: &CentredRegressors,
        mut estimated: LinearFit,
    ) -> Result<RegressionResult> {
        let config = self.config;
        let dropped = regressors.dropped(&estimated.kept)?;
        let counted = self.counted(wanted, sample, &estimated.kept)?;
        let uncertainty = self.uncertainty(&counted, sample, regressors, &estimated);
        let Uncertainty {
            matrix,
            rank,
            repaired,
            full_leverage,
            partial_leverage,
            regular,
            by_cluster,
        } = uncertainty;
        regressors.uncentred(&estimated.kept, &mut estimated.b, estimated.mean);
        let law = match config.family.is_linear() {
            true => Law::Student(counted.df_t.max(1.0)),
            false => Law::Normal,
        };
        let k = estimated.kept.len();
        let critical = law.critical(config.alpha);
        let coefficient = |(p, j): (usize, &usize)| {
            let (name, variance) = (regressors.names[*j].clone(), matrix[p * k + p]);
            Coefficient::new(name, estimated.b[p], variance, law, critical)
        };
        let coefficients: Vec<Coefficient> =
            estimated.kept.iter().enumerate().map(coefficient).collect();
        let names = coefficients.iter().map(|coefficient| coefficient.name.clone()).collect();
        // The constant is not tested.
        let first = usize::from(estimated.kept.first() == Some(&0) && regressors.constant);
        let tests = k - first;
        let tested: Vec<f64> =
            (first..k).flat_map(|i| matrix[i * k + first..(i + 1) * k].to_vec()).collect();
        let f = match rank {
            Some(rank) if rank < tests => None,
            _ => f_test(&estimated.b[first..], &tested, law),
        };
        let exact = regular && estimated.is_exact(config.fixef_tol);
        let without = coefficients.iter().filter(|c| regular && c.se.is_none());
        let without: Vec<String> = without.map(|c| c.name.clone()).collect();
        let singular = f.is_none() && regular && tests > 0 && self.estimator == "feols";
        let (n, df_k) = (counted.n, counted.df_k);
        let enough = counted.is_enough();
        let further = [
            counted.fewest.and_then(DidWarning::few_clusters),
            (!dropped.is_empty())
                .then(|| DidWarning::CollinearRegressors { columns: dropped.clone() }),
            // That of an exact fit is rounding.
            (repaired && !exact).then_some(DidWarning::RepairedCovariance),
            (!without.is_empty()).then_some(DidWarning::NoVariance { columns: without }),
            singular.then_some(DidWarning::NoJointTest { coefficients: tests, rank }),
            partial_leverage.then_some(DidWarning::PartialLeverage),
            (!enough).then_some(DidWarning::NoDegreesOfFreedom { rows: n, parameters: df_k }),
            (enough && full_leverage > 0)
                .then_some(DidWarning::FullLeverage { rows: full_leverage }),
            exact.then_some(DidWarning::ExactFit),
        ];
        let mut warnings = std::mem::take(&mut estimated.warnings);
        warnings.extend(further.into_iter().flatten());
        let quality = &estimated.quality;
        let within = quality.within.filter(|within| *within > 0.0);
        let clusters = wanted.clusters.iter().map(ToString::to_string);
        let report = estimated.report.take().map(|report| SolverReport {
            solver: report.solver.to_owned(),
            asked: config.solver,
            device: report.place,
            columns: report.columns,
        });
        Ok(RegressionResult {
            f,
            coefficients,
            vcov: match regular {
                true => matrix.chunks(k.max(1)).map(<[f64]>::to_vec).collect(),
                false => Vec::new(),
            },
            n,
            n_singletons: sample.singletons,
            df_k,
            df_t: counted.df_t,
            r2: r2(quality),
            r2_adjusted: r2_adjusted(quality, n, counted.parameters),
            r2_within: within.map(|within| 1.0 - quality.rss / within),
            rss: quality.rss,
            sigma: sigma(quality, n, counted.parameters),
            log_likelihood: quality.likelihood.map(|(fit, _)| fit).filter(|fit| fit.is_finite()),
            bic: quality.likelihood.and_then(|(fit, _)| bic(fit, n, counted.parameters)),
            squared_correlation: quality.squared_correlation,
            dropped,
            absorbed: counted.absorbed,
            clusters: clusters.zip(counted.clusters.iter().map(|(_, groups)| *groups)).collect(),
            solver: report,
            irls: estimated.steps,
            audit: RegressionAudit::default(),
            warnings,
            settings: self.settings(wanted),
            timings: Timings::default(),
            effects: None,
            predictor: Predictor::default(),
            indicators: Vec::new(),
            law,
            residuals: None,
            influence: config.keep_influence.then(|| influence(reading, sample, names, by_cluster)),
        })
    }

    /// Clusters, fixed effects, and the degrees of freedom that they leave.
    fn counted(
        &self,
        wanted: &RegressionColumns,
        sample: &RegressionSample,
        kept: &[usize],
    ) -> Result<Counted> {
        let ssc = &self.config.ssc;
        let n = sample.rows.len();
        let clusters = clusters(wanted, sample)?;
        let (absorbed, parameters) = absorbed(ssc.k_exact, wanted, sample, kept);
        let df_k = parameters.count(ssc);
        let all = Parameters { nested: vec![false; absorbed.len()], ..parameters };
        let fewest = clusters.iter().take(2).map(|(_, groups)| *groups).min();
        let rows_left = n as f64 - df_k as f64;
        let df_t = fewest.map_or(rows_left, |groups| groups as f64 - 1.0);
        let parameters = all.count(&Default::default());
        Ok(Counted { n, clusters, absorbed, df_k, parameters, fewest, rows_left, df_t })
    }

    /// The covariance of the coefficients; not a number where none can be estimated.
    fn uncertainty(
        &self,
        counted: &Counted,
        sample: &RegressionSample,
        regressors: &CentredRegressors,
        estimated: &LinearFit,
    ) -> Uncertainty {
        let config = self.config;
        let back = regressors.back(&estimated.kept, estimated.turn.as_deref());
        let scores = Scores {
            columns: &estimated.columns,
            residuals: &estimated.residuals,
            bread: &estimated.bread,
            back: back.as_deref(),
            rss: estimated.dispersion,
            clusters: &counted.clusters,
            error: estimated.error(config.fixef_tol),
            rounding: estimated.quality.rounding,
            fixed_leverage: fixed_leverage(&config.vcov, config.family, sample),
        };
        let partial_leverage = config.vcov.takes_leverage()
            && !sample.factors.is_empty()
            && scores.fixed_leverage.is_none();
        let covariance = scores.covariance(&config.vcov, &config.ssc, counted.df_k);
        let mut matrix = covariance.matrix;
        let regular = counted.is_enough() && covariance.full_leverage == 0;
        if !regular {
            matrix.fill(f64::NAN);
        }
        Uncertainty {
            matrix,
            rank: covariance.rank,
            repaired: covariance.repaired,
            full_leverage: covariance.full_leverage,
            partial_leverage,
            regular,
            by_cluster: match config.keep_influence && regular {
                true => scores.by_cluster(&config.ssc, counted.df_k),
                false => Vec::new(),
            },
        }
    }

    fn settings(&self, wanted: &RegressionColumns) -> RegressionSettings {
        let config = self.config;
        RegressionSettings {
            estimator: self.estimator.to_owned(),
            backend: B::NAME.to_owned(),
            precision: config.precision,
            formula: self.source.text(),
            outcome: wanted.formula.outcome_label().to_owned(),
            weights: config.weights.clone(),
            family: config.family,
            vcov: config.vcov.clone(),
            ssc: config.ssc,
            alpha: config.alpha,
        }
    }

    /// What happened to the rows, and what is kept on request.
    pub(super) fn complete(
        &self,
        fit: &mut RegressionResult,
        reading: &RegressionReading,
        sample: &RegressionSample,
        separating: &Separating,
    ) {
        let at_bounds = sample.at_bounds.iter().map(|levels| at_bound(levels, &reading.rows));
        let of_levels: usize = sample.at_bounds.iter().map(|levels| levels.rows).sum();
        let Separating { rows: separated, columns } = separating;
        fit.audit = RegressionAudit {
            rows_separated: of_levels + separated,
            rows_singleton: sample.singletons,
            rows: fit.n,
            ..reading.audit.clone()
        };
        let rounded = &reading.rows.rounded;
        let first = [
            DidWarning::dropped_rows(&fit.audit.rows_missing),
            DidWarning::weightless(fit.audit.rows_weightless),
            (*separated > 0)
                .then(|| DidWarning::Separated { rows: *separated, columns: columns.clone() }),
            (!rounded.is_empty()).then(|| DidWarning::RoundedIntegers { columns: rounded.clone() }),
        ];
        fit.warnings.splice(0..0, first.into_iter().flatten().chain(at_bounds));
    }
}

/// Influence values with the labels of the clusters, on the scale of one cluster.
fn influence(
    reading: &RegressionReading,
    sample: &RegressionSample,
    names: Vec<String>,
    mut by_cluster: Vec<Vec<f64>>,
) -> Influence {
    let units = match (sample.clusters.first(), reading.rows.clusters.first()) {
        (Some((codes, count)), Some(factor)) => {
            let mut first = vec![u32::MAX; *count];
            for (code, row) in codes.iter().zip(&sample.rows) {
                let known = &mut first[*code as usize];
                *known = (*known).min(*row);
            }
            parallel::map(*count, |cluster| factor.text(first[cluster] as usize))
        }
        _ => Vec::new(),
    };
    by_cluster.resize(names.len(), Vec::new());
    let clusters = units.len() as f64;
    by_cluster.iter_mut().flatten().for_each(|value| *value *= clusters);
    Influence { units, names, columns: by_cluster }
}

/// What a warning says of levels without other outcomes.
fn at_bound(at: &LevelsAtBound, read: &RegressionRows) -> DidWarning {
    let factor: &Coded = &read.factors[at.factor];
    DidWarning::OneOutcome {
        factor: factor.name.clone(),
        outcome: at.bound,
        levels: at.levels.values().map(|row| factor.text(*row as usize)).collect(),
        rows: at.rows,
    }
}

/// Effects of the levels, with their names.
pub(super) fn kept_effects(
    sample: &RegressionSample,
    read: &RegressionRows,
    effects: Option<&[f64]>,
) -> Vec<FactorEffects> {
    let Some(effects) = effects else { return Vec::new() };
    let all = normalised(&sample.factors, effects).into_iter();
    let named = |((effects, components), f): ((Vec<f64>, Vec<u32>), usize)| {
        let factor = &sample.factors[f];
        let mut first = vec![u32::MAX; factor.levels];
        for (code, row) in factor.codes.iter().zip(&sample.rows) {
            let known = &mut first[*code as usize];
            *known = (*known).min(*row);
        }
        let coded: &Coded = &read.factors[f];
        let levels = parallel::map(factor.levels, |level| coded.text(first[level] as usize));
        FactorEffects { name: coded.name.clone(), levels, effects, components }
    };
    all.zip(0..).map(named).collect()
}

/// Residuals by input row.
pub(super) fn residuals(
    sample: &RegressionSample,
    rows: usize,
    residuals: &[f64],
) -> Vec<Option<f64>> {
    let mut out = vec![None; rows];
    for (row, residual) in sample.rows.iter().zip(residuals) {
        out[*row as usize] = Some(*residual);
    }
    out
}

/// Levels of `i()` and their coefficients; `own` coefficients stand before the columns' coefficients.
pub(super) fn indicated(
    indicators: &[Option<Indicator>],
    kept: &[usize],
    own: usize,
) -> Vec<Indicated> {
    let with = indicators.iter().enumerate().filter_map(|(j, i)| Some((j, i.as_ref()?)));
    let of = |(column, Indicator { of, level }): (usize, &Indicator)| Indicated {
        of: of.clone(),
        level: level.clone(),
        coefficient: kept.iter().position(|j| *j == column + own),
        reference: false,
    };
    with.map(of).collect()
}

/// Clusters by factor, and of both together if there are two.
fn clusters(
    wanted: &RegressionColumns,
    sample: &RegressionSample,
) -> Result<Vec<(Vec<u32>, usize)>> {
    let mut all = sample.clusters.clone();
    for ((_, groups), factor) in all.iter().zip(&wanted.clusters) {
        if *groups < 2 {
            let (column, clusters) = (factor.to_string(), *groups);
            return Err(DidError::TooFewClusters { column, clusters });
        }
    }
    if let [(first, _), (second, width)] = all.as_slice() {
        let key = |row: usize| u64::from(first[row]) * *width as u64 + u64::from(second[row]);
        let mut keys: Vec<u64> = (0..first.len()).map(key).collect();
        let both = keys.clone();
        rayon::slice::ParallelSliceMut::par_sort_unstable(keys.as_mut_slice());
        keys.dedup();
        let code = |key: &u64| keys.partition_point(|known| known < key) as u32;
        let mut codes = vec![0; both.len()];
        parallel::chunks(&mut codes, 1 << 16, |part, codes| {
            for (out, key) in codes.iter_mut().zip(&both[part << 16..]) {
                *out = code(key);
            }
        });
        all.push((codes, keys.len()));
    }
    Ok(all)
}

fn absorbed(
    exact: bool,
    wanted: &RegressionColumns,
    sample: &RegressionSample,
    kept: &[usize],
) -> (Vec<Absorbed>, Parameters) {
    let nested = parallel::map(sample.factors.len(), |f| {
        sample.clusters.iter().any(|(codes, _)| is_nested(&sample.factors[f], codes))
    });
    let number = match sample.factors.as_slice() {
        [first, second] if exact => Some(components(first, second).0),
        _ => None,
    };
    let levels: Vec<usize> = sample.factors.iter().map(|f| f.levels).collect();
    let described = wanted.formula.absorb.iter().zip(levels.iter().zip(&nested));
    let described = described.map(|(factor, (levels, nested))| Absorbed {
        name: factor.to_string(),
        levels: *levels,
        nested: *nested,
    });
    (described.collect(), Parameters { k: kept.len(), levels, nested, components: number })
}

fn r2(quality: &Quality) -> Option<f64> {
    let r2 = match quality.likelihood {
        Some((fit, null)) => 1.0 - fit / null,
        None => 1.0 - quality.rss / quality.total,
    };
    (quality.likelihood.is_some() || quality.total > 0.0).then_some(r2).filter(|r2| r2.is_finite())
}

/// Of a regression by maximum likelihood, that by likelihoods: each parameter but the constant costs one of the log likelihood.
fn r2_adjusted(quality: &Quality, n: usize, parameters: usize) -> Option<f64> {
    let (n, parameters) = (n as f64, parameters as f64);
    let adjusted = match quality.likelihood {
        Some((fit, null)) => Some(1.0 - (fit - (parameters - 1.0)) / null),
        None => r2(quality).map(|r2| 1.0 - (1.0 - r2) * (n - 1.0) / (n - parameters)),
    };
    adjusted.filter(|r2| r2.is_finite())
}

/// Schwarz's criterion, of the logarithm of a likelihood.
fn bic(log_likelihood: f64, n: usize, parameters: usize) -> Option<f64> {
    let bic = (n as f64).ln() * parameters as f64 - 2.0 * log_likelihood;
    Some(bic).filter(|bic| bic.is_finite())
}

fn sigma(quality: &Quality, n: usize, parameters: usize) -> Option<f64> {
    let left = n as f64 - parameters as f64;
    (quality.likelihood.is_none() && left > 0.0).then(|| (quality.rss / left).sqrt())
}

/// Outcomes are in the family's range.
pub(super) fn check_outcomes(family: Family, column: &str, read: &RegressionRows) -> Result<()> {
    if family.is_linear() {
        return Ok(());
    }
    let OutcomeRange { low, high } = family.range();
    let usable = |row: &usize| read.usable.as_ref().is_none_or(|usable| usable[*row]);
    let outside = |row: &usize| read.outcome[*row] < low || read.outcome[*row] > high;
    let Some(row) = (0..read.len).filter(usable).find(outside) else { return Ok(()) };
    let (column, role, value) = (column.to_owned(), "outcome", read.outcome[row]);
    Err(match family {
        Family::Logit | Family::Probit => {
            DidError::NotProbability { column, role, value, row, line: None }
        }
        Family::Gaussian | Family::Poisson => DidError::Negative {
            column,
            role,
            value,
            row,
            line: None,
            remedy: "a Poisson regression has outcomes of zero or more".into(),
        },
    })
}
