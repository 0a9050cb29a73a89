//! Options of a fit as plain data, so that a test states only what it is about.

use burn_did::backend::{Cpu, DidBackend};
use burn_did::{
    AttGt, GroupTimeResult, Result,
    options::{Band, BasePeriod, Bootstrap, ControlGroup, EstimationMethod, FixWeights, Precision},
};
use polars::prelude::DataFrame;

/// Options of [`AttGt`]; the columns default to those of [`super::splitmix::panel`].
#[derive(Clone, Debug)]
pub struct Spec {
    pub outcome: String,
    pub time: String,
    pub unit: Option<String>,
    pub group: String,
    pub covariates: Option<String>,
    pub weights: Option<String>,
    pub fix_weights: Option<FixWeights>,
    pub cluster: Option<String>,
    pub control_group: ControlGroup,
    pub base_period: BasePeriod,
    pub anticipation: u32,
    pub method: EstimationMethod,
    pub repeated_cross_sections: bool,
    pub allow_unbalanced_panel: bool,
    pub alpha: f64,
    pub bootstrap: Option<Bootstrap>,
    pub band: Band,
    pub keep_influence: bool,
    pub chunk_rows: Option<usize>,
}

impl Default for Spec {
    fn default() -> Self {
        Self {
            outcome: "y".into(),
            time: "t".into(),
            unit: Some("id".into()),
            group: "g".into(),
            covariates: None,
            weights: None,
            fix_weights: None,
            cluster: None,
            control_group: ControlGroup::default(),
            base_period: BasePeriod::default(),
            anticipation: 0,
            method: EstimationMethod::default(),
            repeated_cross_sections: false,
            allow_unbalanced_panel: false,
            alpha: 0.05,
            bootstrap: None,
            band: Band::Pointwise,
            keep_influence: false,
            chunk_rows: None,
        }
    }
}

impl Spec {
    /// The columns of [`burn_did::data::Simulation`].
    pub fn simulated() -> Self {
        Self { time: "period".into(), group: "group".into(), ..Self::default() }
    }

    pub fn covariates(mut self, formula: &str) -> Self {
        self.covariates = Some(formula.into());
        self
    }

    pub fn weights(mut self, column: &str) -> Self {
        self.weights = Some(column.into());
        self
    }

    pub fn cluster(mut self, column: &str) -> Self {
        self.cluster = Some(column.into());
        self
    }

    /// The estimator on a backend.
    pub fn estimator<B: DidBackend>(&self, precision: Precision) -> AttGt<B> {
        AttGt::<B>::builder()
            .outcome(self.outcome.as_str())
            .time(self.time.as_str())
            .group(self.group.as_str())
            .maybe_unit(self.unit.as_deref())
            .maybe_covariates(self.covariates.as_deref())
            .maybe_weights(self.weights.as_deref())
            .maybe_fix_weights(self.fix_weights)
            .maybe_cluster(self.cluster.as_deref())
            .control_group(self.control_group)
            .base_period(self.base_period)
            .anticipation(self.anticipation)
            .method(self.method)
            .repeated_cross_sections(self.repeated_cross_sections)
            .allow_unbalanced_panel(self.allow_unbalanced_panel)
            .alpha(self.alpha)
            .maybe_bootstrap(self.bootstrap)
            .band(self.band)
            .precision(precision)
            .keep_influence(self.keep_influence)
            .maybe_chunk_rows(self.chunk_rows)
            .build()
    }

    /// Fits on the default device of a backend.
    pub fn fit_on<B: DidBackend>(
        &self,
        df: &DataFrame,
        precision: Precision,
    ) -> Result<GroupTimeResult> {
        self.estimator::<B>(precision).fit_on(df, &B::Device::default())
    }

    /// Fits on the CPU in double precision.
    pub fn try_fit(&self, df: &DataFrame) -> Result<GroupTimeResult> {
        self.fit_on::<Cpu>(df, Precision::F64)
    }

    /// Fits on the CPU in double precision.
    #[track_caller]
    pub fn fit(&self, df: &DataFrame) -> GroupTimeResult {
        self.try_fit(df).unwrap_or_else(|error| panic!("{self:?}: {error}"))
    }
}
