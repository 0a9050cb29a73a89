//! Regressions with fixed effects: [`FixedEffects`], and what is estimated by them.
//!
//! A sample is read without the roles of time and group (`reading`), brought into an order that depends on nothing but
//! its content (`sample`, `order`), and its columns are regressed without their fixed effects (`linear`, `likelihood`; Frisch, Waugh
//! and Lovell). All sums over rows are formed in `sums`.

mod check;
mod cohorts;
mod collinear;
mod columns;
mod covariance;
mod degrees;
mod event_study;
mod finish;
mod fit;
mod identified;
mod inference;
mod least_squares;
mod leverage;
mod likelihood;
mod linear;
mod options;
mod order;
mod patterns;
mod predict;
mod predictor;
mod problem;
mod range;
mod reading;
mod recover;
mod regressed;
mod report;
mod result;
mod sample;
mod shared_columns;
mod sums;
mod sun_abraham;
mod task;
mod unit_rows;
mod wald;
mod within;

use polars::prelude::DataFrame;
use serde::{Deserialize, Serialize};

use crate::base::error::{DidError, Result};
use crate::base::options::{Inference, Precision};
use crate::engine::backend::DidBackend;
use crate::estimator::fitting::fits;
use crate::estimator::shell::options;
use crate::read::columns::MissingValues;
use crate::read::formula::{Interaction, RegressionFormula};
use crate::read::input::Data;

pub(in crate::estimator) use cohorts::{coarse, fine};
pub(in crate::estimator) use collinear::{Basis, Before};
pub(in crate::estimator) use degrees::{Parameters, is_nested};
pub(in crate::estimator) use fit::{EstimatedRegression, RegressorsOf};
pub(in crate::estimator) use identified::{CellRows, Identified};
pub use inference::{Coefficient, FTest};
pub(in crate::estimator) use inference::{Law, combine};
pub use options::{Family, GDf, KFixef, Ssc, Vcov};
pub(in crate::estimator) use order::{SortKeys, canonical};
pub(in crate::estimator) use problem::columns as regressors;
pub(in crate::estimator) use problem::{CellIndicators, Regressor, Regressors};
pub(in crate::estimator) use range::check_range;
pub(in crate::estimator) use reading::{
    Coded, CohortColumns, RegressionColumns, RegressionRows, RowCohorts,
};
pub use recover::FactorEffects;
pub use report::etable;
pub use result::{Absorbed, RegressionAudit, RegressionResult, RegressionSettings, SolverReport};
pub(in crate::estimator) use sample::gather;
pub(in crate::estimator) use shared_columns::by_cluster;
pub(in crate::estimator) use sums::{inner, sum};
pub use sun_abraham::{SunAbraham, SunAbrahamResult};
pub(crate) use unit_rows::UnitRows;
pub(in crate::estimator) use unit_rows::{groups_of_one, single_cohorts};
pub use within::{Demean, DemeanResult};

options! {
    /// A linear, Poisson, logit or probit regression with any number of fixed effects, in the way of R `fixest`.
    ///
    /// ```text
    /// y_i = x_i'b + α_{f(i)} + γ_{g(i)} + … + e_i
    /// ```
    ///
    /// The fixed effects are projected out of the outcome and of the regressors (Frisch, Waugh and Lovell), by a solver that is chosen
    /// by the design. Coefficients, standard errors and degrees of freedom are those of `fixest`; see
    /// [comparison](crate::_documentation::comparison).
    ///
    /// ```
    /// use burn_did::{FixedEffects, backend::Cpu, data, regression::Vcov};
    ///
    /// let config = FixedEffects::<Cpu>::builder()
    ///     .formula("lemp ~ lpop:treat + i(year, treat, ref = 2003) | countyreal + year")
    ///     .vcov(Vcov::cluster(["countyreal"]))
    ///     .build();
    /// let fit = config.fit(&data::mpdta())?;
    /// println!("{fit}");
    /// assert_eq!((fit.n, fit.df_t), (2_500, 499.0));
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    pub struct FixedEffects<B: DidBackend> with [row_weights, ssc, solver, fixef_tol, likelihood, missing_values, alpha, backend] {
        /// The regression, as in `log(y) ~ x1 + i(year, treated, ref = 2005) | worker + firm^year`: outcome, regressors as in the
        /// [formulas](crate::_documentation::comparison) of covariates and with `i()`, and fixed effects. Replaces
        /// [`outcome`](Self::outcome), [`regressors`](Self::regressors) and [`absorb`](Self::absorb).
        #[doc(alias = "fml")]
        pub formula: Option<String>,
        /// Column of the outcome, instead of a formula.
        pub outcome: Option<String>,
        /// Regressors, as in `x1 + x2`, instead of a formula.
        pub regressors: Option<String>,
        /// Fixed effects, as in `["worker", "firm^year"]`, instead of a formula.
        #[builder(default, with = |factors: impl IntoIterator<Item = impl Into<String>>| factors.into_iter().map(Into::into).collect())]
        pub absorb: Vec<String>,
        /// Covariance of the coefficients.
        #[builder(default)]
        pub vcov: Vcov,
        /// Model of the regression.
        #[builder(default)]
        pub family: Family,
        /// Keeps rows that are the only ones of a level of a fixed effect.
        #[doc(alias = "fixef.rm")]
        #[builder(default)]
        pub keep_singletons: bool,
        /// Keeps the residuals.
        #[builder(default)]
        pub keep_residuals: bool,
        /// Keeps the fixed effects' levels: for [`RegressionResult::fixed_effects`] and [`RegressionResult::predict`].
        #[doc(alias = "fixef")]
        #[builder(default)]
        pub keep_fixed_effects: bool,
        /// Keeps the influence of each cluster on each coefficient, in [`RegressionResult::influence`]; needs a covariance that is clustered
        /// by one factor.
        #[builder(default)]
        pub keep_influence: bool,
        /// Floating-point type of the device. Results have the digits of double precision in both: see [`Solver`](crate::regression::Solver).
        #[builder(default)]
        pub precision: Precision,
    }
}

/// Where a regression is written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RegressionText {
    Formula(String),
    Parts { outcome: String, regressors: String, absorb: Vec<String> },
}

impl RegressionText {
    /// # Errors
    /// [`DidError::Formula`].
    pub fn formula(&self) -> Result<RegressionFormula> {
        match self {
            Self::Formula(text) => RegressionFormula::parse(text),
            Self::Parts { outcome, regressors, absorb } => {
                RegressionFormula::of(outcome, regressors, absorb)
            }
        }
    }

    /// As a formula in words.
    fn text(&self) -> String {
        match self {
            Self::Formula(text) => text.clone(),
            Self::Parts { outcome, regressors, absorb } => {
                let regressors = regressors.trim_start().trim_start_matches('~').trim();
                match absorb.as_slice() {
                    [] => format!("{outcome} ~ {regressors}"),
                    absorb => format!("{outcome} ~ {regressors} | {}", absorb.join(" + ")),
                }
            }
        }
    }
}

fits!(<B> FixedEffects<B>, device: B::Device, output: RegressionResult);

impl<B: DidBackend> FixedEffects<B> {
    /// Checks the options; the first thing [`fit`](Self::fit) does.
    ///
    /// # Errors
    /// [`DidError::Config`] or [`DidError::Formula`].
    pub fn validate(&self) -> Result<()> {
        self.source()?.formula()?;
        self.clusters()?;
        check_iterations(self.fixef_tol, self.fixef_maxiter)?;
        check_steps(self.glm_tol, self.glm_maxiter)?;
        if self.keep_influence
            && !matches!(&self.vcov, Vcov::Cluster(factors) if factors.len() == 1)
        {
            let expected =
                "a covariance that is clustered by one factor, as `Vcov::cluster([\"firm\"])`";
            return Err(DidError::config("keep_influence", expected, true));
        }
        Inference::new(self.alpha).validate()
    }

    /// Estimates from a data frame, a lazy frame, or the path of CSV, parquet or Stata [files](crate::Data), on the default device.
    ///
    /// The result is the same to the last bit for any order of the rows and any number of threads.
    ///
    /// # Errors
    /// [`DidError`] naming the option, column, token or device at fault, a regressor whose fixed effects could not be projected out,
    /// or that none of the regressors has a coefficient.
    pub fn fit<'a>(&self, data: impl Into<Data<'a>>) -> Result<RegressionResult> {
        self.fit_on(data, &B::Device::default())
    }

    /// As [`fit`](Self::fit), on this device.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn fit_on<'a>(
        &self,
        data: impl Into<Data<'a>>,
        device: &B::Device,
    ) -> Result<RegressionResult> {
        self.validate()?;
        let _span = tracing::info_span!("fit", estimator = "feols", backend = B::NAME).entered();
        fit::fit(self, data.into(), device)
    }

    /// As [`fit_on`](Self::fit_on), with other regressors: those of the formula say only what else orders the rows.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub(in crate::estimator) fn fit_regressors(
        &self,
        frame: &DataFrame,
        device: &B::Device,
        of: RegressorsOf<'_>,
    ) -> Result<EstimatedRegression> {
        self.validate()?;
        let _span = tracing::info_span!("fit", estimator = "feols", backend = B::NAME).entered();
        fit::fit_by(self, frame.into(), device, &|_, rows| of(rows))
    }

    fn source(&self) -> Result<RegressionText> {
        let given = |got: &str| {
            DidError::config(
                "formula",
                "given, or the outcome, regressors and fixed effects in its place",
                got,
            )
        };
        match (&self.formula, &self.outcome) {
            (Some(text), None) if self.regressors.is_none() && self.absorb.is_empty() => {
                Ok(RegressionText::Formula(text.clone()))
            }
            (Some(_), _) => Err(given("both")),
            (None, Some(outcome)) => Ok(RegressionText::Parts {
                outcome: outcome.clone(),
                regressors: self.regressors.clone().unwrap_or_else(|| "1".to_owned()),
                absorb: self.absorb.clone(),
            }),
            (None, None) => Err(given("neither")),
        }
    }

    fn clusters(&self) -> Result<Vec<Interaction>> {
        let Vcov::Cluster(factors) = &self.vcov else { return Ok(Vec::new()) };
        let mut all: Vec<Interaction> = Vec::new();
        for text in factors {
            for factor in Interaction::parse(text)? {
                if !all.contains(&factor) {
                    all.push(factor);
                }
            }
        }
        if all.is_empty() || all.len() > 2 {
            return Err(DidError::config("vcov", "one factor of clusters or two", all.len()));
        }
        Ok(all)
    }

    fn columns(&self, formula: RegressionFormula) -> Result<RegressionColumns> {
        let (weights, clusters) = (self.weights.clone(), self.clusters()?);
        Ok(RegressionColumns { formula, weights, clusters, cohorts: None, with_outcome: true })
    }

    fn missing(&self) -> MissingValues {
        MissingValues::new(self.missing_values.as_deref())
    }
}

/// Checks the limits of the solver that projects out fixed effects.
pub(in crate::estimator) fn check_iterations(tolerance: f64, iterations: usize) -> Result<()> {
    positive("fixef_tol", tolerance)?;
    at_least_one("fixef_maxiter", iterations)
}

/// Checks the limits of maximum likelihood.
pub(in crate::estimator) fn check_steps(tolerance: f64, steps: usize) -> Result<()> {
    positive("glm_tol", tolerance)?;
    at_least_one("glm_maxiter", steps)
}

fn positive(option: &'static str, value: f64) -> Result<()> {
    if value > 0.0 && value < 1.0 {
        return Ok(());
    }
    Err(DidError::config(option, "between 0 and 1", value))
}

fn at_least_one(option: &'static str, value: usize) -> Result<()> {
    if value > 0 {
        return Ok(());
    }
    Err(DidError::config(option, "at least 1", value))
}
