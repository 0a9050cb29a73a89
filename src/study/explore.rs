//! [`Explore`]: the columns of a study, and what can be asked of them before anything is estimated.

use super::balance::{Balance, balance};
use super::describe::{Description, describe};
use super::look::Reading;
use super::means::{CohortMeans, means};
use crate::base::calendar::Frequency;
use crate::base::error::{DidError, Result};
use crate::base::options::{Band, ControlGroup, Inference};
use crate::base::progress::Progress;
use crate::estimator::shell::options;
use crate::read::columns::MissingValues;
use crate::read::input::Data;
use crate::read::panel::overview::{Overview, PanelColumns};

options! {
    /// A first look at the data of a study with staggered adoption: [`describe`](Self::describe) says what kind of panel it is, who is
    /// treated when, and what the estimators would use of it; [`means`](Self::means) are the mean outcomes of each cohort over time, and
    /// [`balance`](Self::balance) compares each cohort with its comparison units before treatment.
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
    pub struct Explore with [missing_values, alpha] {
        /// Unit; without one, every row is a unit of its own.
        pub unit: Option<String>,
        /// Period.
        pub time: String,
        /// First treated period; 0, infinity or a missing value if the unit is never treated.
        pub group: String,
        /// Outcome.
        pub outcome: Option<String>,
        /// Covariates: columns of numbers or of text.
        #[builder(default, with = |columns: impl IntoIterator<Item = impl Into<String>>| columns.into_iter().map(Into::into).collect())]
        pub covariates: Vec<String>,
        /// Sampling weights.
        pub weights: Option<String>,
        /// Cluster.
        pub cluster: Option<String>,
        /// What a period is, if periods and groups are dates.
        pub frequency: Option<Frequency>,
        /// Periods before treatment in which units may respond to it already.
        #[builder(default)]
        pub anticipation: u32,
        /// Bytes of unit data that may be in memory where parquet files are read [in pieces](crate::Data::in_pieces).
        pub memory_budget: Option<u64>,
        /// Hears how far the work has come.
        pub progress: Option<Progress>,
    }
}

impl Explore {
    /// What kind of panel the data are, when which cohorts are treated, and what estimators would use.
    ///
    /// # Errors
    /// [`DidError::ColumnNotFound`], [`DidError::ColumnType`] and other errors about a column, [`DidError::Io`] and others about a file,
    /// [`DidError::EmptySample`] if no row has all values.
    pub fn describe<'a>(&self, data: impl Into<Data<'a>>) -> Result<Description> {
        let (overview, files) = self.reading(&self.columns()).look(data.into())?;
        some_rows(&overview)?;
        Ok(describe(self, &overview, files))
    }

    /// The mean outcomes of each cohort in each period, weighted if there are weights, with pointwise intervals.
    ///
    /// # Errors
    /// As [`describe`](Self::describe), and [`DidError::Config`] without an outcome or for a level out of range.
    pub fn means<'a>(&self, data: impl Into<Data<'a>>) -> Result<CohortMeans> {
        Inference { alpha: self.alpha, band: Band::Pointwise, bootstrap: None }.validate()?;
        let Some(outcome) = &self.outcome else {
            return Err(DidError::config("outcome", "a column, for its means", "none"));
        };
        let columns = PanelColumns { covariates: Vec::new(), ..self.columns() };
        let (overview, files) = self.reading(&columns).look(data.into())?;
        some_rows(&overview)?;
        Ok(means(self, outcome, &overview, files))
    }

    /// How like each treated cohort is to its comparison units before treatment, in the covariates and, if it is given, the outcome.
    ///
    /// # Errors
    /// As [`describe`](Self::describe), and [`DidError::Config`] without covariates and outcome, or if no cohort has comparison units.
    pub fn balance<'a>(
        &self,
        data: impl Into<Data<'a>>,
        control_group: ControlGroup,
    ) -> Result<Balance> {
        if self.covariates.is_empty() && self.outcome.is_none() {
            return Err(DidError::config("covariates", "at least one column to compare", "none"));
        }
        let (overview, files) = self.reading(&self.columns()).look(data.into())?;
        some_rows(&overview)?;
        let balance = balance(self, control_group, &overview, files);
        if balance.rows.is_empty() {
            let expected = "one for which some cohort that is treated after the first period has comparison units and a column of numbers";
            return Err(DidError::config("control_group", expected, control_group));
        }
        Ok(balance)
    }

    fn columns(&self) -> PanelColumns {
        PanelColumns {
            unit: self.unit.clone(),
            time: self.time.clone(),
            group: self.group.clone(),
            outcome: self.outcome.clone(),
            weights: self.weights.clone(),
            cluster: self.cluster.clone(),
            covariates: self.covariates.clone(),
            frequency: self.frequency,
        }
    }

    fn reading<'a>(&self, columns: &'a PanelColumns) -> Reading<'a> {
        Reading {
            columns,
            missing: MissingValues::new(self.missing_values.as_deref()),
            memory_budget: self.memory_budget,
            progress: self.progress.clone(),
        }
    }
}

fn some_rows(overview: &Overview) -> Result<()> {
    if overview.periods().is_empty() {
        return Err(DidError::EmptySample {
            after: "after dropping rows with missing or non-finite values",
            remedy: "check the columns for nulls and infinities",
        });
    }
    Ok(())
}
