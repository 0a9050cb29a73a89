//! Options of the diagnostics of two-way fixed effects.

use crate::base::calendar::Frequency;
use crate::base::progress::Progress;
use crate::base::words::words;
use crate::estimator::shell::options;
use crate::read::columns::MissingValues;
use crate::read::panel::overview::{PanelColumns, Reading};

words! {
    /// The regression whose coefficient is an average of effects, and what is assumed of these.
    #[derive(Default)]
    pub enum TwfeRegression: "regression" {
        /// The outcome on the treatment with effects of groups and periods; trends are parallel.
        #[default]
        FeTr = "fe_tr" | "fetr",
        /// The same; trends are parallel and the effect of a cell does not change with time.
        FeS = "fe_s" | "fes",
        /// The change of the outcome on that of the treatment with effects of periods; trends are parallel.
        FdTr = "fd_tr" | "fdtr",
        /// The same; trends are parallel and the effect of a cell does not change with time.
        FdS = "fd_s" | "fds",
        /// Regression and assumptions of the second, with the weights that R prints (feS of 2.0.4), which miss the average of stable effects.
        FeSOfR = "fe_s_of_r",
    }
}

words! {
    /// Of what the cells of the regression are.
    #[derive(Default)]
    pub enum TwfeCells: "cells" {
        /// Of cohorts and periods: the regression has effects of cohorts, and the data can be of any size.
        #[default]
        Cohort = "cohort" | "group",
        /// Of units and periods: the regression has effects of units. A few numbers of each row are held in memory.
        Unit = "unit" | "id",
    }
}

options! {
    /// The decomposition of Goodman-Bacon (2021): the coefficient of a two-way fixed-effects regression as the weighted average of all
    /// two-by-two differences in differences, by which cohort is compared with which.
    ///
    /// The panel must be balanced, in which case the decomposition is exact. It comes from the mean outcomes of each cohort in each
    /// period; the standard error of the coefficient takes one more reading. Parquet files that are large beside the memory are
    /// read in pieces.
    ///
    /// ```
    /// use burn_did::{Bacon, data};
    ///
    /// let config = Bacon::builder().outcome("lemp").unit("countyreal").time("year").group("first.treat").build();
    /// let fit = config.fit(&data::mpdta())?;
    /// println!("{fit}");
    /// let sum: f64 = fit.comparisons.iter().map(|of| of.weight * of.estimate).sum();
    /// assert!((sum - fit.coefficient.estimate.unwrap()).abs() < 1e-12);
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    #[doc(alias = "bacondecomp")]
    pub struct Bacon with [outcome, unit, time, group, frequency, in_pieces, missing_values, alpha] {
        /// Controls: names of columns of numbers, as in `["x1", "x2"]`, and no formula. With them cohorts are compared in pairs over all
        /// periods, and differences within cohorts have a weight of their own; a few numbers of each row are held in memory.
        #[builder(default, with = |columns: impl IntoIterator<Item = impl Into<String>>| columns.into_iter().map(Into::into).collect())]
        pub covariates: Vec<String>,
        /// Cluster of the standard error of the coefficient, beyond the unit.
        #[doc(alias = "clustervars")]
        pub cluster: Option<String>,
    }
}

options! {
    /// The weights that the coefficient of a two-way regression gives to the effects by group and period (de Chaisemartin and
    /// D'Haultfœuille 2020), how many are negative, and how heterogeneous effects must be for the coefficient to mislead.
    ///
    /// ```
    /// use burn_did::{TwfeWeights, data};
    ///
    /// let config = TwfeWeights::builder().outcome("lemp").unit("countyreal").time("year").group("first.treat");
    /// let fit = config.build().fit(&data::mpdta())?;
    /// println!("{fit}");
    /// assert_eq!((fit.n_positive, fit.n_negative), (6, 1));
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    #[doc(alias = "twowayfeweights")]
    pub struct TwfeWeights with [unit, frequency, sampling_weights, in_pieces, missing_values] {
        /// Outcome.
        #[doc(alias = "Y")]
        pub outcome: String,
        /// Period.
        #[doc(alias = "T")]
        pub time: String,
        /// First treated period; 0, infinity or null if the unit is never treated. Rows with NaN are left out.
        #[doc(alias = "G")]
        pub group: String,
        /// The regression, and what is assumed.
        #[builder(default)]
        #[doc(alias = "type")]
        pub regression: TwfeRegression,
        /// Of what the cells of the regression are.
        #[builder(default)]
        pub cells: TwfeCells,
        /// Controls: names of columns of numbers, as in `["x1", "x2"]`, and no formula. Their mean in a cell counts; regressions of changes
        /// have their changes.
        #[doc(alias = "controls")]
        #[builder(default, with = |columns: impl IntoIterator<Item = impl Into<String>>| columns.into_iter().map(Into::into).collect())]
        pub covariates: Vec<String>,
    }
}

impl TwfeRegression {
    /// Whether the regression is one of changes.
    pub(super) fn is_of_changes(self) -> bool {
        matches!(self, Self::FdTr | Self::FdS)
    }

    /// Whether the effect of a cell is assumed not to change with time.
    pub(super) fn is_of_stable_effects(self) -> bool {
        matches!(self, Self::FeS | Self::FdS | Self::FeSOfR)
    }
}

/// The columns that both diagnostics read.
fn of_panel(
    [unit, time, group, outcome]: [&String; 4],
    frequency: Option<Frequency>,
) -> PanelColumns {
    PanelColumns {
        unit: Some(unit.clone()),
        time: time.clone(),
        group: Some(group.clone()),
        treatment: None,
        outcome: Some(outcome.clone()),
        weights: None,
        cluster: None,
        covariates: Vec::new(),
        frequency,
        keeps_gaps: false,
        base: None,
        most_patterns: usize::MAX,
    }
}

/// How both diagnostics read them.
fn reading<'a>(
    columns: &'a PanelColumns,
    missing_values: Option<&[String]>,
    memory_budget: Option<u64>,
    progress: Option<&Progress>,
) -> Reading<'a> {
    let missing = MissingValues::new(missing_values);
    Reading { columns, missing, memory_budget, progress: progress.cloned() }
}

impl Bacon {
    pub(super) fn columns(&self) -> PanelColumns {
        let panel = of_panel([&self.unit, &self.time, &self.group, &self.outcome], self.frequency);
        let (cluster, covariates) = (self.cluster.clone(), self.covariates.clone());
        PanelColumns { cluster, covariates, ..panel }
    }

    pub(super) fn reading<'a>(&self, columns: &'a PanelColumns) -> Reading<'a> {
        let (missing, progress) = (self.missing_values.as_deref(), self.progress.as_ref());
        reading(columns, missing, self.memory_budget, progress)
    }
}

impl TwfeWeights {
    pub(super) fn columns(&self) -> PanelColumns {
        let panel = of_panel([&self.unit, &self.time, &self.group, &self.outcome], self.frequency);
        let (weights, covariates) = (self.weights.clone(), self.covariates.clone());
        PanelColumns { weights, covariates, ..panel }
    }

    pub(super) fn reading<'a>(&self, columns: &'a PanelColumns) -> Reading<'a> {
        let (missing, progress) = (self.missing_values.as_deref(), self.progress.as_ref());
        reading(columns, missing, self.memory_budget, progress)
    }
}
