//! Result of [`FixedEffects`](crate::FixedEffects).

use serde::{Deserialize, Serialize};

use super::inference::{Coefficient, FTest, Law};
use super::options::{Family, Ssc, Vcov};
use super::predictor::Predictor;
use super::recover::FactorEffects;
use crate::base::error::DidWarning;
use crate::base::options::Precision;
use crate::engine::demean::{ColumnReport, Solver};
use crate::engine::source::Influence;
use crate::read::columns::ReadAsMissing;
use crate::read::files::FilesRead;
use crate::read::formula::Indicator;
use crate::result::timings::Timings;

/// A regression with fixed effects. Carries no backend and no row of the data unless residuals were kept.
///
/// ```
/// use burn_did::{FixedEffects, backend::Cpu, data, regression::Vcov};
///
/// let config = FixedEffects::<Cpu>::builder().formula("lemp ~ i(year, treat, ref = 2003) | countyreal + year");
/// let fit = config.vcov(Vcov::cluster(["countyreal"])).build().fit(&data::mpdta())?;
/// let names: Vec<&str> = fit.coefficients.iter().map(|c| c.name.as_str()).collect();
/// assert_eq!(names[0], "year::2004:treat");
/// println!("{fit}");
/// # Ok::<(), burn_did::DidError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[must_use]
#[non_exhaustive]
pub struct RegressionResult {
    /// Coefficients, in the order of the formula.
    pub coefficients: Vec<Coefficient>,
    /// Their covariance, `[k][k]`; empty if nothing is left for standard errors.
    pub vcov: Vec<Vec<f64>>,
    /// Rows of the sample.
    pub n: usize,
    /// Rows left out because they are the only ones of a level of a fixed effect.
    pub n_singletons: usize,
    /// Parameters that the small-sample correction counts.
    pub df_k: usize,
    /// Degrees of freedom of t statistics: `n - df_k`, or the fewest clusters less one.
    pub df_t: f64,
    /// R²; by maximum likelihood (all [families](Family) but the first) the pseudo R², one minus the ratio of the log-likelihoods of the fit and of a
    /// constant mean.
    pub r2: Option<f64>,
    /// R² adjusted for the number of parameters.
    pub r2_adjusted: Option<f64>,
    /// R² of what the fixed effects leave of the outcome; none without fixed effects.
    pub r2_within: Option<f64>,
    /// Weighted residual sum of squares; the deviance of a regression by maximum likelihood.
    pub rss: f64,
    /// Standard deviation of the errors: the root of `rss` over `n` less all parameters. None by maximum likelihood.
    pub sigma: Option<f64>,
    /// Logarithm of the likelihood, of a regression by maximum likelihood.
    pub log_likelihood: Option<f64>,
    /// Schwarz's criterion (BIC), of a regression by maximum likelihood: `ln n` for each parameter, levels of fixed effects included, less
    /// twice the logarithm of the likelihood.
    #[serde(default)]
    pub bic: Option<f64>,
    /// The square of the correlation of outcomes and fitted means, of a regression by maximum likelihood.
    #[serde(default)]
    pub squared_correlation: Option<f64>,
    /// Test that all coefficients except the constant are zero.
    pub f: Option<FTest>,
    /// Regressors left out because they follow from earlier ones or from the fixed effects.
    pub dropped: Vec<String>,
    /// Fixed effects.
    pub absorbed: Vec<Absorbed>,
    /// Numbers of clusters, by factor.
    pub clusters: Vec<(String, usize)>,
    /// How fixed effects were projected out; none if there are none.
    pub solver: Option<SolverReport>,
    /// Steps of iterated least squares, of a regression by maximum likelihood.
    pub irls: Option<usize>,
    /// What happened to the rows on the way in.
    pub audit: RegressionAudit,
    /// Warnings about the sample, the estimates and the options.
    pub warnings: Vec<DidWarning>,
    /// How the fit was made.
    pub settings: RegressionSettings,
    /// Seconds by stage.
    pub timings: Timings,
    /// The fixed effects' levels, if kept.
    pub(super) effects: Option<Vec<FactorEffects>>,
    /// What predictions need.
    pub(super) predictor: Predictor,
    /// Coefficients of `i()`.
    pub(super) indicators: Vec<Indicated>,
    pub(super) law: Law,
    /// Residuals by input row, `None` for rows that are not in the sample; if kept.
    #[serde(skip)]
    pub residuals: Option<Vec<Option<f64>>>,
    /// Influence of the clusters on the coefficients, with the correction for small samples; if kept. Its `units` are the clusters.
    #[serde(skip)]
    pub influence: Option<Influence>,
}

/// A factor whose effects were projected out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Absorbed {
    /// Its column, or its columns as in `firm^year`.
    pub name: String,
    /// Levels in the sample.
    pub levels: usize,
    /// Whether every level lies in one cluster.
    pub nested: bool,
}

/// How fixed effects were projected out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SolverReport {
    /// The solver that ran.
    pub solver: String,
    /// The solver that was asked for.
    pub asked: Solver,
    /// Where the iteration ran: `host`, or the backend's name and its device.
    #[serde(default = "host")]
    pub device: String,
    /// The outcome and the regressors, in their order; of the last step of iterated least squares.
    pub columns: Vec<ColumnReport>,
}

fn host() -> String {
    super::problem::HOST.to_owned()
}

/// What happened to the rows between the data and the sample, in the order of the steps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RegressionAudit {
    /// Files read; none if the data were in memory.
    pub files: FilesRead,
    /// Values read as missing because of a word that stands there, or because the field of a CSV file is empty.
    pub read_as_missing: Vec<ReadAsMissing>,
    /// Rows read.
    pub rows_in: usize,
    /// Rows dropped for a missing or non-finite value, by column (a row counts for its first such column).
    pub rows_missing: Vec<(String, usize)>,
    /// Rows dropped for a weight of zero.
    pub rows_weightless: usize,
    /// Rows dropped because a mean at the bound of its range fits them exactly: zero, or one for [`Family::Logit`] and
    /// [`Family::Probit`].
    pub rows_separated: usize,
    /// Rows dropped because they are the only ones of a level of a fixed effect.
    pub rows_singleton: usize,
    /// Rows in the sample.
    pub rows: usize,
}

/// How a regression was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RegressionSettings {
    /// Estimator: `feols`, or `sun_abraham`.
    pub estimator: String,
    /// Backend's name.
    pub backend: String,
    /// Floating-point type of the device.
    pub precision: Precision,
    /// The regression in words of the formula.
    pub formula: String,
    /// Outcome as written.
    pub outcome: String,
    /// Weights column.
    pub weights: Option<String>,
    /// Model of the regression.
    pub family: Family,
    /// Covariance of the coefficients.
    pub vcov: Vcov,
    /// Corrections for small samples.
    pub ssc: Ssc,
    /// One minus the confidence level.
    pub alpha: f64,
}

/// A coefficient of `i()`, or a level without one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Indicated {
    pub of: String,
    pub level: String,
    /// `None` if the level was left out.
    pub coefficient: Option<usize>,
    /// Whether the level is one that the others are compared with.
    pub reference: bool,
}

impl Indicated {
    pub fn reference(indicator: &Indicator) -> Self {
        let Indicator { of, level } = indicator.clone();
        Self { of, level, coefficient: None, reference: true }
    }
}

impl RegressionResult {
    /// Regressors that separate rows of a Poisson, logit or probit regression.
    pub(in crate::estimator) fn separating(&self) -> Vec<&str> {
        let separated = self.warnings.iter().filter_map(|warning| match warning {
            DidWarning::Separated { columns, .. } => Some(columns),
            _ => None,
        });
        separated.flatten().map(String::as_str).collect()
    }

    /// Names of the coefficients in print: `year = 2005 × treated` for `year::2005:treated`.
    pub(crate) fn printed_names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.names().map(ToOwned::to_owned).collect();
        for indicated in &self.indicators {
            let Some(name) = indicated.coefficient.and_then(|j| names.get_mut(j)) else { continue };
            let (column, factor) = indicated.of.split_once(':').unwrap_or((&indicated.of, ""));
            let factor = match factor.rsplit_once("::") {
                Some((factor, level)) => format!(" × {factor} = {level}"),
                None if factor.is_empty() => String::new(),
                None => format!(" × {factor}"),
            };
            *name = format!("{column} = {}{factor}", indicated.level);
        }
        names
    }

    /// Names of the coefficients.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.coefficients.iter().map(|c| c.name.as_str())
    }

    /// The coefficient of a name.
    #[must_use]
    pub fn coefficient(&self, name: &str) -> Option<&Coefficient> {
        self.coefficients.iter().find(|c| c.name == name)
    }

    /// The estimates and their covariance `[k, k]`, row-major; empty if it is unknown.
    pub(super) fn joint(&self) -> (Vec<f64>, Vec<f64>) {
        let k = self.coefficients.len();
        let covariance = match self.vcov.is_empty() {
            true => vec![f64::NAN; k * k],
            false => self.vcov.concat(),
        };
        (self.coefficients.iter().map(|c| c.estimate).collect(), covariance)
    }
}
