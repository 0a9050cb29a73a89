//! [`Explore`]: the columns of a study, and what can be asked of them before anything is estimated.

use crate::base::error::Result;
use crate::estimator::shell::options;
use crate::read::columns::MissingValues;
use crate::read::files::FilesRead;
use crate::read::input::Data;
use crate::read::panel::overview::{Overview, PanelColumns, Reading};

options! {
    /// A first look at the data of a study with staggered adoption: [`describe`](Self::describe) says what kind of panel it is, who is
    /// treated when, and what the estimators would use of it; [`means`](Self::means) are the mean outcomes of each cohort over time, and
    /// [`balance`](Self::balance) compares each cohort with its comparison units before treatment; [`panelview`](Self::panelview) is a
    /// picture of who is observed and treated when.
    ///
    /// Nothing is refused that can be counted: units with two rows in a period or in two groups, gaps and missing values are reported.
    /// One pass over the rows answers all questions; parquet files that are large beside the memory are read in pieces.
    ///
    /// ```
    /// use burn_did::{data, explore::Explore};
    ///
    /// let look = Explore::builder().unit("countyreal").time("year").group("first.treat").outcome("lemp").build();
    /// let description = look.describe(&data::mpdta())?;
    /// println!("{description}");
    /// assert_eq!((description.n_units, description.cohorts.len()), (500, 4));
    /// assert!(description.command.starts_with("burn-did att-gt DATA --yname lemp"));
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    pub struct Explore with [time, frequency, sampling_weights, in_pieces, missing_values, alpha] {
        /// Unit; without one, every row is a unit of its own.
        pub unit: Option<String>,
        /// First treated period; 0, infinity or null if the unit is never treated. Rows with NaN are left out.
        pub group: Option<String>,
        /// Treatment in every period, 0 if untreated: for [`panelview`](Self::panelview), in place of a group.
        pub treatment: Option<String>,
        /// Outcome.
        pub outcome: Option<String>,
        /// Covariates: names of columns of numbers or of text, as in `["x1", "region"]`, and no formula.
        #[builder(default, with = |columns: impl IntoIterator<Item = impl Into<String>>| columns.into_iter().map(Into::into).collect())]
        pub covariates: Vec<String>,
        /// Cluster.
        pub cluster: Option<String>,
        /// Periods before treatment in which units may respond to it already.
        #[builder(default)]
        pub anticipation: u32,
        /// Period that mean outcomes of the never-treated, and of cohorts without a period before treatment, are relative to; `None` for
        /// the first. Those of other cohorts are relative to the last period before treatment.
        pub base_period: Option<f64>,
        /// Whether [`panelview`](Self::panelview) has one row a cohort, in place of one a pattern of units.
        #[builder(default)]
        pub by_cohort: bool,
        /// Whether tables and pictures of means show them relative to their base period, in place of levels.
        #[builder(default)]
        pub relative: bool,
    }
}

impl Explore {
    pub(super) fn columns(&self) -> PanelColumns {
        PanelColumns {
            unit: self.unit.clone(),
            time: self.time.clone(),
            group: self.group.clone(),
            treatment: None,
            outcome: self.outcome.clone(),
            weights: self.weights.clone(),
            cluster: self.cluster.clone(),
            covariates: self.covariates.clone(),
            frequency: self.frequency,
            keeps_gaps: false,
            base: None,
            most_patterns: usize::MAX,
        }
    }

    /// What all rows show of these columns, and the files that they are from.
    ///
    /// # Errors
    /// Errors about a column or a file, and [`DidError::EmptySample`](crate::DidError::EmptySample) if no row has all values.
    pub(super) fn look(
        &self,
        columns: &PanelColumns,
        data: Data<'_>,
    ) -> Result<(Overview, FilesRead)> {
        let reading = Reading {
            columns,
            missing: MissingValues::new(self.missing_values.as_deref()),
            memory_budget: self.memory_budget,
            progress: self.progress.clone(),
        };
        reading.look(data)
    }
}
