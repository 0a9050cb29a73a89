//! Options of the two-stage estimator.

use crate::base::error::{DidError, Result};
use crate::estimator::first_stage::{StageColumns, stage_columns};
use crate::estimator::shell::options;

options! {
    /// Effects by two regressions (Gardner 2021): of untreated outcomes on fixed effects and covariates, and of what these leave of all
    /// outcomes on the treatment.
    ///
    /// ```text
    /// y_it = α_i + λ_t + x_it'γ + u_it on untreated rows,      y_it - α̂_i - λ̂_t - x_it'γ̂ = z_it'β + e_it on all rows
    /// ```
    ///
    /// The second stage has the treatment, its event times before and after it, its groups, or a formula. Its coefficients after
    /// treatment are those of [`Imputation`](crate::Imputation). Standard errors are those of both stages together (GMM).
    ///
    /// ```
    /// use burn_did::{TwoStage, data};
    ///
    /// let config = TwoStage::builder().outcome("lemp").unit("countyreal").time("year").group("first.treat").build();
    /// let fit = config.fit(&data::mpdta())?;
    /// println!("{fit}");
    /// assert!((fit.overall().unwrap().se.unwrap() - 0.0135).abs() < 1e-4);
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    #[doc(alias("did2s", "gardner"))]
    pub struct TwoStage with [outcome, unit, time, group, frequency, row_weights, missing_values, alpha] {
        /// Covariates of the first stage: a formula, as in `"~ x1 + x2"`.
        #[builder(default = crate::base::options::defaults::COVARIATES.to_owned())]
        pub covariates: String,
        /// Fixed effects of the first stage, as in `["id", "year", "region^year"]`; those of units and periods if nothing is said.
        #[doc(alias = "first_stage")]
        #[builder(default, with = |factors: impl IntoIterator<Item = impl Into<String>>| factors.into_iter().map(Into::into).collect())]
        pub fixed_effects: Vec<String>,
        /// Gives each unit a linear trend.
        #[builder(default)]
        pub trends: bool,
        /// Cluster of the standard errors; the unit if nothing is said.
        #[doc(alias = "cluster_var")]
        pub cluster: Option<String>,
        /// Event times that have no indicator in the second stage; all others have one, and their coefficients do not depend on it.
        #[doc(alias = "ref")]
        #[builder(default, with = |times: impl IntoIterator<Item = f64>| times.into_iter().collect())]
        pub references: Vec<f64>,
        /// Estimates the average effect of each group, too.
        #[builder(default)]
        pub groups: bool,
        /// Another second stage, of any columns, without a constant: as in `~ i(event_time, ref = c(-1, -1000))` or `~ treated + treated:x`.
        pub second_stage: Option<String>,
        /// Keeps influence values by cluster.
        #[builder(default)]
        pub keep_influence: bool,
    }
}

impl TwoStage {
    pub(super) fn columns(&self) -> StageColumns {
        StageColumns {
            second: self.second_stage.as_ref().map(|text| without_constant(text)),
            ..stage_columns!(self)
        }
    }

    /// Checks the options; the first thing [`fit`](Self::fit) does.
    ///
    /// # Errors
    /// [`DidError::Config`] or [`DidError::Formula`].
    pub fn validate(&self) -> Result<()> {
        self.columns().validate()?;
        match self.references.iter().find(|time| !time.is_finite()) {
            None => Ok(()),
            Some(time) => Err(DidError::config(
                "references",
                "finite event times (the never treated have none)",
                time,
            )),
        }
    }
}

/// A formula of regressors without a constant.
fn without_constant(text: &str) -> String {
    let terms = text.trim_start().trim_start_matches('~').trim();
    if terms.starts_with('0') { terms.to_owned() } else { format!("0 + {terms}") }
}
