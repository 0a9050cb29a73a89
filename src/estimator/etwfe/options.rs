//! Options of extended two-way fixed effects.

use crate::base::error::{DidError, Result};
use crate::base::options::{ControlGroup, Inference};
use crate::base::words::words;
use crate::engine::backend::DidBackend;
use crate::estimator::fixed_effects::{Family, Vcov, check_iterations, check_steps};
use crate::estimator::shell::options;

words! {
    /// Which effects a linear regression projects out.
    #[derive(Default)]
    pub enum EtwfeAbsorb: "absorb" {
        /// Of units where there is a column of units, else of cohorts; and of periods.
        #[default]
        Unit = "unit",
        /// Of cohorts and of periods.
        Cohort = "cohort",
    }
}

words! {
    /// What the effects of Poisson, logit and probit regressions are differences of.
    #[derive(Default)]
    pub enum EtwfeScale: "scale" {
        /// Of means.
        #[default]
        Response = "response",
        /// Of the linear index: of the logarithm of the mean, of log-odds, of normal quantiles.
        Link = "link",
    }
}

options! {
    /// Extended two-way fixed effects (Wooldridge 2021, 2023).
    ///
    /// ```text
    /// y_it = Σ_{g, t ≥ g} D_gt (τ_gt + (x_i - x̄_g)'ρ_gt) + α + λ_t + x_i'β + x_i'β_g + x_i'β_t + u_it
    /// ```
    ///
    /// The effects `τ_gt` of cohorts in periods are averaged over treated rows: over all, by cohort, by period and by event time. With
    /// [`family`](Self::family) the left side is the linear index of a Poisson, logit or probit regression, and averages are of the
    /// differences of means that treatment makes, or of the index with [`scale`](Self::scale).
    ///
    /// ```
    /// use burn_did::{Etwfe, backend::Cpu, data};
    ///
    /// let config = Etwfe::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year").group("first.treat");
    /// let fit = config.covariates(["lpop"]).build().fit(&data::mpdta())?;
    /// println!("{fit}");
    /// assert_eq!((fit.cells.len(), fit.by_event_time.len()), (7, 4));
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    pub struct Etwfe<B: DidBackend> with [outcome, frequency, row_weights, ssc, solver, likelihood, missing_values, alpha, precision, backend] {
        /// Unit; without one, effects of cohorts take the place of those of units.
        #[doc(alias = "ivar")]
        pub unit: Option<String>,
        /// Period.
        #[doc(alias = "tvar")]
        pub time: String,
        /// First treated period; 0, infinity or null if the unit is never treated. Rows with NaN are left out.
        #[doc(alias = "gvar")]
        pub group: String,
        /// Covariates: names of columns of numbers, as in `["x1", "x2"]`, and no formula. Effects of treatment, cohorts and periods have slopes
        /// of them.
        #[builder(default, with = |columns: impl IntoIterator<Item = impl Into<String>>| columns.into_iter().map(Into::into).collect())]
        pub covariates: Vec<String>,
        /// A column of numbers or of categories that effects may differ by, less its mean in the cohort and period. With at most 20 levels,
        /// effects are averaged by level, too: [`EtwfeResult::by_level`](crate::EtwfeResult::by_level).
        #[doc(alias = "xvar", alias = "by_xvar")]
        pub moderator: Option<String>,
        /// Cohorts are compared with rows not yet treated, or with the never treated only: then leads are estimated, too.
        #[doc(alias = "cgroup")]
        #[builder(default = ControlGroup::NotYetTreated)]
        pub control_group: ControlGroup,
        /// Model of the regression. All but the first have indicators of cohorts and periods as regressors, and no effects of units.
        #[builder(default)]
        pub family: Family,
        /// Whether effects are differences of means, or of the linear index; the same in a linear regression.
        #[doc(alias = "predict")]
        #[builder(default)]
        pub scale: EtwfeScale,
        /// Which effects a linear regression projects out.
        #[doc(alias = "fe")]
        #[builder(default)]
        pub absorb: EtwfeAbsorb,
        /// Covariance of the coefficients; clustered by unit if nothing is said, and robust to heteroskedasticity without a unit.
        pub vcov: Option<Vcov>,
        /// Relative tolerance of the solver: smaller than that of other regressions, as averages add up the errors of many columns.
        #[doc(alias = "fixef.tol")]
        #[builder(default = 1e-10)]
        pub fixef_tol: f64,
        /// Takes averages over rows without their weights.
        #[builder(default)]
        pub unweighted_averages: bool,
        /// Has values of averages that depend on which of the collinear slopes are left out, too, as R has.
        #[builder(default)]
        pub undetermined: bool,
        /// Treats the shares of cohorts and periods, and the covariates, as estimates, and adds their sampling variance, by unit, or by row
        /// without a unit.
        #[builder(default)]
        pub random_shares: bool,
        /// Keeps the influence of each cluster on the averages by event time, in [`EtwfeResult::influence`](crate::EtwfeResult::influence);
        /// needs a covariance that is clustered by one factor, as it is by units.
        #[builder(default)]
        pub keep_influence: bool,
    }
}

impl<B: DidBackend> Etwfe<B> {
    /// Checks the options; the first thing [`fit`](Self::fit) does.
    ///
    /// # Errors
    /// [`DidError::Config`].
    pub fn validate(&self) -> Result<()> {
        Inference::new(self.alpha).validate()?;
        check_iterations(self.fixef_tol, self.fixef_maxiter)?;
        check_steps(self.glm_tol, self.glm_maxiter)?;
        DidError::check_without(&self.outcome, "covariates", &self.covariates)?;
        DidError::check_without(&self.outcome, "moderator", &self.moderator)?;
        let twice = self.moderator.as_ref().filter(|name| self.covariates.contains(name));
        match twice {
            Some(name) => Err(DidError::config(
                "moderator",
                "another column than the covariates, whose slopes effects have already",
                name.clone(),
            )),
            None => Ok(()),
        }
    }
}
