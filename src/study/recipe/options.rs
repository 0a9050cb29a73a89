//! What is asked of a study.

use std::path::PathBuf;

use crate::base::error::Result;
use crate::base::options::{Band, BasePeriod, Bootstrap, ControlGroup, EstimationMethod};
use crate::base::progress::Progress;
use crate::estimator::aggregate::Aggregation;
use crate::estimator::honest::Honest;
use crate::estimator::pretrends::Pretrends;
use crate::estimator::shell::options;
use crate::read::formula::Formula;
use crate::read::input::DataFiles;
use crate::study::curve::Variation;
use crate::study::joint::StudyEstimator;

options! {
    /// A whole study with staggered adoption, from the first look at the data to the sensitivity of the results, in the order of the recipe of
    /// Baker, Callaway, Cunningham, Goodman-Bacon and Sant'Anna (*A Practitioner's Guide*). [`report`](Self::report) goes through the steps,
    /// and [`StudyReport::write`](crate::StudyReport::write) writes a page of HTML that needs no other file, and beside it the same as
    /// markdown, LaTeX tables and pictures. Every step has the command line that gives the same numbers.
    ///
    /// ```
    /// use burn_did::{Study, backend::Cpu, options::EstimationMethod, recipe::Variant};
    ///
    /// let folder = std::env::temp_dir().join("burn-did-study-example");
    /// let study = Study::builder()
    ///     .title("Minimum wages and teen employment")
    ///     .data(concat!(env!("CARGO_MANIFEST_DIR"), "/src/data/mpdta.csv"))
    ///     .folder(&folder)
    ///     .outcome("lemp")
    ///     .unit("countyreal")
    ///     .time("year")
    ///     .group("first.treat")
    ///     .covariates("~ lpop")
    ///     .variants([
    ///         Variant::new("Doubly robust"),
    ///         Variant::new("Regression").method(EstimationMethod::OutcomeRegression),
    ///     ])
    ///     .sensitivity([])
    ///     .build();
    /// let report = study.report::<Cpu>()?;
    /// assert!(report.failures().is_empty());
    /// report.write()?;
    /// # std::fs::remove_dir_all(folder).unwrap();
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    pub struct Study with [time, group, frequency, sampling_weights, anticipation, repeated_cross_sections, missing_values, alpha, precision] {
        /// Title of the page.
        pub title: Option<String>,
        /// The data: CSV, parquet or Stata files, as the estimators read them. The commands of the report name them so.
        #[builder(into)]
        pub data: DataFiles,
        /// Folder that the report is written to, and that its commands name.
        #[builder(into)]
        pub folder: PathBuf,
        /// Outcome.
        pub outcome: String,
        /// Unit; needed unless rows are repeated cross sections.
        pub unit: Option<String>,
        /// Formula of the covariates. Its columns are described and their balance is shown.
        #[builder(default = crate::base::options::defaults::COVARIATES.to_owned())]
        pub covariates: String,
        /// Cluster of standard errors.
        pub cluster: Option<String>,
        /// Base period of the variants that name none.
        #[builder(default)]
        pub base_period: BasePeriod,
        /// Keeps units that are missing in some periods.
        #[builder(default)]
        pub allow_unbalanced_panel: bool,
        /// Multiplier bootstrap; analytic standard errors without it.
        pub bootstrap: Option<Bootstrap>,
        /// Uniform bands or pointwise intervals.
        pub band: Option<Band>,
        /// The estimates that stand side by side. The first is the main one, whose averages and event study are analysed.
        #[builder(default = vec![Variant::new("Doubly robust")], with = FromIterator::from_iter)]
        pub variants: Vec<Variant>,
        /// Averages of the effects. The first dynamic one is the event study that is analysed, and its window is that of the other
        /// estimators, too; without one, all event times are.
        #[builder(
            default = vec![Aggregation::simple(), Aggregation::group(), Aggregation::calendar(), Aggregation::dynamic()],
            with = FromIterator::from_iter
        )]
        pub aggregations: Vec<Aggregation>,
        /// Estimators of a joint study beside the variants, with tests that they agree; none without them.
        #[builder(default, with = FromIterator::from_iter)]
        pub estimators: Vec<StudyEstimator>,
        /// Choices of a specification curve over these estimators, or over Callaway and Sant'Anna's if there are none; none without them.
        #[builder(default, with = FromIterator::from_iter)]
        pub vary: Vec<Variation>,
        /// Whether the decomposition of a two-way regression and its weights are shown, for comparison.
        #[builder(default)]
        pub two_way: bool,
        /// What is asked of pre-trends.
        #[builder(default)]
        pub pretrends: Pretrends,
        /// Sensitivity analyses, at the level of the study.
        #[builder(default = vec![Honest::relative_magnitude(), Honest::smoothness()], with = FromIterator::from_iter)]
        pub sensitivity: Vec<Honest>,
        /// The command that makes the report, to be printed in it.
        pub command: Option<String>,
        /// Options of the command line for another device, which the commands of estimates repeat, as in `--backend cuda`.
        pub device_options: Option<String>,
        /// A date to print in the report, which otherwise has none.
        pub date: Option<String>,
        /// Bytes of unit data that may be in memory or on the device at once.
        pub memory_budget: Option<u64>,
        /// Hears how far the work has come: chapters, and what estimators report within them.
        pub progress: Option<Progress>,
    }
}

/// One way to estimate the group-time effects of a study.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Variant {
    /// What the column of comparisons is called; letters and digits of it name files.
    pub name: String,
    /// Two-by-two estimator.
    pub method: EstimationMethod,
    /// Comparison units.
    pub control_group: ControlGroup,
    /// Base period, if it is not that of the study.
    pub base_period: Option<BasePeriod>,
    /// Formula of the covariates, if it is not that of the study.
    pub covariates: Option<String>,
}

impl Variant {
    /// Doubly robust estimates with the never-treated as comparison units.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            method: EstimationMethod::default(),
            control_group: ControlGroup::default(),
            base_period: None,
            covariates: None,
        }
    }

    /// Sets the two-by-two estimator.
    #[must_use]
    pub fn method(mut self, method: EstimationMethod) -> Self {
        self.method = method;
        self
    }

    /// Sets the comparison units.
    #[must_use]
    pub fn control_group(mut self, control_group: ControlGroup) -> Self {
        self.control_group = control_group;
        self
    }

    /// Sets the base period.
    #[must_use]
    pub fn base_period(mut self, base_period: BasePeriod) -> Self {
        self.base_period = Some(base_period);
        self
    }

    /// Sets the covariates.
    #[must_use]
    pub fn covariates(mut self, formula: impl Into<String>) -> Self {
        self.covariates = Some(formula.into());
        self
    }

    /// The name with letters and digits alone, and hyphens between words.
    pub(super) fn file_name(&self) -> String {
        file_name(&self.name)
    }
}

/// Letters and digits of a text in lower case, and hyphens between them.
pub(super) fn file_name(text: &str) -> String {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join("-")
}

impl Study {
    /// Columns of the formulas, in the order in which they are named.
    pub(super) fn columns_of_covariates(&self) -> Result<Vec<String>> {
        let of_variants = self.variants.iter().filter_map(|variant| variant.covariates.as_deref());
        let mut columns = Vec::new();
        for formula in std::iter::once(self.covariates.as_str()).chain(of_variants) {
            for column in Formula::parse(formula)?.variables() {
                if !columns.contains(&column) {
                    columns.push(column);
                }
            }
        }
        Ok(columns)
    }

    /// Whether the report shows what a variant's weighting does: it is the main one, and has covariates.
    pub(super) fn weighs(&self, variant: &Variant) -> bool {
        let covariates = variant.covariates.as_ref().unwrap_or(&self.covariates);
        let has_covariates = Formula::parse(covariates).is_ok_and(|f| !f.variables().is_empty());
        self.variants.first() == Some(variant) && has_covariates
    }

    /// The event study that is analysed.
    pub(super) fn event_study(&self) -> Aggregation {
        use crate::estimator::aggregate::AggregationKind::Dynamic;
        let first = self.aggregations.iter().find(|aggregation| aggregation.kind == Dynamic);
        first.copied().unwrap_or_else(Aggregation::dynamic)
    }
}
