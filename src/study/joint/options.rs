//! Options of a joint study.

use crate::base::calendar::TimeGrid;
use crate::base::error::{DidError, Result};
use crate::base::options::{Band, ControlGroup, Inference, defaults};
use crate::base::words::{Words, words};
use crate::engine::backend::DidBackend;
use crate::estimator::shell::options;

words! {
    /// An estimator of a joint study.
    pub enum StudyEstimator: "estimators" {
        /// Callaway and Sant'Anna (2021), doubly robust, with a universal base period.
        CallawaySantAnna = "cs" | "att_gt" | "callaway_santanna",
        /// Sun and Abraham (2021).
        SunAbraham = "sa" | "sunab" | "sun_abraham",
        /// Borusyak, Jaravel and Spiess (2024), imputation.
        Imputation = "bjs" | "imputation" | "did_imputation",
        /// Gardner (2021), two stages.
        TwoStage = "gardner" | "two_stage" | "did2s",
        /// Wooldridge (2021), extended two-way fixed effects.
        Etwfe = "etwfe" | "wooldridge",
        /// Wing, Freedman and Hollingsworth (2024), the stack with corrective weights.
        Stacked = "stacked",
        /// Dube, Girardi, Jordà and Taylor (2025), reweighted, or by regression adjustment where there are covariates.
        LocalProjections = "lpdid" | "local_projections",
        /// De Chaisemartin and D'Haultfœuille (2024), of treatments that may switch.
        DidMultiplegt = "dcdh" | "did_multiplegt" | "did_multiplegt_dyn",
    }
}

impl StudyEstimator {
    /// The authors, as tables and pictures name it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::CallawaySantAnna => "Callaway-Sant'Anna",
            Self::SunAbraham => "Sun-Abraham",
            Self::Imputation => "Imputation",
            Self::TwoStage => "Two-stage",
            Self::Etwfe => "ETWFE",
            Self::Stacked => "Stacked",
            Self::LocalProjections => "LP-DiD",
            Self::DidMultiplegt => "dCDH",
        }
    }
}

options! {
    /// Several robust estimators of one study: effects by event time of each, their joint covariance, and tests that they agree.
    ///
    /// The data are read once, and estimators are fitted beside each other, as many at once as cores and memory allow. Each gives its effects
    /// and the influence of every cluster on them; the products of influence values, summed over clusters, are the covariance of all effects of
    /// all estimators. With it the difference of two estimators has a standard error, and a Hausman test that is right under heterogeneous
    /// effects and clusters. An estimator that cannot estimate carries its reason, and the others go on.
    ///
    /// ```
    /// use burn_did::{JointStudy, backend::Cpu, data};
    ///
    /// let config = JointStudy::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year").group("first.treat").build();
    /// let study = config.fit(&data::mpdta())?;
    /// println!("{study}");
    /// let pair = &study.agreement[0];
    /// assert!(pair.difference.estimate.unwrap().abs() < 0.01);
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    pub struct JointStudy<B: DidBackend> with [outcome, unit, time, group, frequency, sampling_weights, anticipation, missing_values, alpha, precision, backend] {
        /// Covariates: a formula, as in `"~ x1 + x2"`; each estimator adjusts for them in its own way.
        #[doc(alias = "xformla")]
        #[builder(default = defaults::COVARIATES.to_owned())]
        pub covariates: String,
        /// Cluster of all standard errors; the unit, if nothing is said.
        #[doc(alias = "clustervars")]
        pub cluster: Option<String>,
        /// Comparison units, where an estimator has the choice.
        #[builder(default = ControlGroup::NotYetTreated)]
        pub control_group: ControlGroup,
        /// The estimators, in the order of the results.
        #[builder(default = StudyEstimator::WORDS.iter().map(|entry| entry.value).collect(), with = |estimators: impl IntoIterator<Item = StudyEstimator>| estimators.into_iter().collect())]
        pub estimators: Vec<StudyEstimator>,
        /// Smallest event time. Without a window, stacks have the one that is inside the data for every cohort, and the others all event times.
        #[builder(into)]
        pub min_e: Option<f64>,
        /// Largest event time.
        #[builder(into)]
        pub max_e: Option<f64>,
        /// Intervals of the effects: pointwise, or uniform over all effects of all estimators.
        #[builder(default = Band::Pointwise)]
        pub band: Band,
    }
}

impl<B: DidBackend> JointStudy<B> {
    /// Checks the options; the first thing [`fit`](Self::fit) does.
    ///
    /// # Errors
    /// [`DidError::Config`].
    pub fn validate(&self) -> Result<()> {
        if self.estimators.is_empty() {
            return Err(DidError::config("estimators", StudyEstimator::EXPECTED, "none"));
        }
        for (index, estimator) in self.estimators.iter().enumerate() {
            if self.estimators[..index].contains(estimator) {
                let got = format!("`{estimator}` twice");
                return Err(DidError::config("estimators", "each estimator once", got));
            }
        }
        let least = self.min_e.unwrap_or(f64::NEG_INFINITY);
        let most = self.max_e.unwrap_or(f64::INFINITY);
        if !(least <= most && most >= 0.0) {
            let got = format!("{least} to {most}");
            return Err(DidError::config(
                "min_e, max_e",
                "a window with event time 0 or later",
                got,
            ));
        }
        self.inference().validate()
    }

    pub(in crate::study) fn inference(&self) -> Inference {
        Inference { alpha: self.alpha, band: self.band, bootstrap: None }
    }

    /// The column whose values are the clusters.
    pub(super) fn clustered_by(&self) -> &str {
        self.cluster.as_deref().unwrap_or(&self.unit)
    }

    /// The ends of the window that was asked for, as the steps of the grid that they mean.
    pub(super) fn ends(&self, grid: &TimeGrid) -> [Option<f64>; 2] {
        [self.min_e, self.max_e].map(|end| end.map(|end| grid.written(end)))
    }

    pub(super) fn is_in_window(&self, event_time: f64, grid: &TimeGrid) -> bool {
        let [least, most] = self.ends(grid);
        least.is_none_or(|least| least <= event_time) && most.is_none_or(|most| event_time <= most)
    }
}
