//! Columns read, what is refused, and what is said of the sample.

#[cfg(feature = "cluster")]
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::base::calendar::label;
use crate::base::counted::counted;
use crate::base::error::{DidError, DidWarning, Result};
use crate::base::progress::Progress;
#[cfg(feature = "cluster")]
use crate::cluster::Cluster;
use crate::engine::by_unit::{Timeline, UnitSource};
#[cfg(feature = "cluster")]
use crate::estimator::shell::remote::with_workers;
use crate::estimator::twfe::check_panel;
use crate::read::columns::{MissingValues, ReadAsMissing};
use crate::read::files::FilesRead;
use crate::read::input::Data;
use crate::read::panel::overview::{Overview, PanelColumns, Reading, Sums};
use crate::read::panel::{dates_in_digits, smallest_cohort};
use crate::report::compare::sample_facts;
use crate::report::estimates::Variable;
use crate::report::foot;
use crate::result::estimates::check::{Checked, ensure};
use crate::result::sample::{RowsRead, SampleColumns};

/// Steps of a centre in a standard deviation, at least.
const COARSE: f64 = 64.0;

/// The columns of a regression by units, and the rows that it had.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PanelSample {
    /// Outcome, period column, weights column, and what a period is.
    #[serde(flatten)]
    pub columns: SampleColumns,
    /// Unit column.
    pub unit: String,
    /// Group column; none if the treatment has a column.
    pub group: Option<String>,
    /// Treatment column; none if the first treated period has one.
    pub treatment: Option<String>,
    /// Cluster column; none if clusters are the units.
    pub cluster: Option<String>,
    /// Covariates.
    pub covariates: Vec<String>,
    /// Files and rows that were read.
    #[serde(flatten)]
    pub read: RowsRead,
    /// What was read as missing.
    pub read_as_missing: Vec<ReadAsMissing>,
    /// Rows left out because their weight is 0.
    pub rows_without_weight: usize,
    /// Rows without the outcome or a covariate that stay, and serve where these are not needed.
    #[serde(default)]
    pub rows_with_gaps: usize,
    /// Units with an outcome.
    pub n_units: usize,
    /// Periods with an outcome.
    pub n_periods: usize,
    /// Time between two of the periods that event times count; none if these are not evenly spaced.
    pub period_length: Option<f64>,
}

/// What is to be read, and how.
pub(in crate::estimator) struct Asked<'a> {
    pub columns: PanelColumns,
    pub missing_values: Option<&'a [String]>,
    pub memory_budget: Option<u64>,
    pub progress: Option<&'a Progress>,
}

/// What is to be read for an estimator's options, of a column of groups or one of treatment.
macro_rules! asked {
    ($options:expr, group: $group:expr, treatment: $treatment:expr, keeps_gaps: $keeps:expr, changes: $changes:expr) => {
        $crate::estimator::by_unit::Asked {
            columns: $crate::read::panel::overview::PanelColumns {
                unit: Some($options.unit.clone()),
                time: $options.time.clone(),
                group: $group,
                treatment: $treatment,
                outcome: Some($options.outcome.clone()),
                weights: $options.weights.clone(),
                cluster: $options.cluster.clone(),
                covariates: $options.covariates.clone(),
                frequency: $options.frequency,
                keeps_gaps: $keeps,
                base: None,
                most_patterns: 0,
                moments: $crate::read::panel::overview::Moments::Variances,
                changes: $changes,
            },
            missing_values: $options.missing_values.as_deref(),
            memory_budget: $options.memory_budget,
            progress: $options.progress.as_ref(),
        }
    };
}

pub(in crate::estimator) use asked;

/// Rows that can be read again, with what all of them show.
pub(in crate::estimator) struct Opened<'a> {
    pub source: UnitSource<'a>,
    files: &'a FilesRead,
    pub columns: &'a PanelColumns,
    pub overview: Overview,
}

impl Asked<'_> {
    /// Opens the data for some work.
    ///
    /// # Errors
    /// Errors about a file or a column, those of `work`, and those of panels with two rows of a unit in a period, changing groups or
    /// clusters, covariates that are no numbers, and weights that are all 0.
    pub fn with<T>(
        &self,
        data: Data<'_>,
        work: impl FnOnce(&Opened<'_>) -> Result<T>,
    ) -> Result<T> {
        let reading = Reading {
            columns: &self.columns,
            missing: MissingValues::new(self.missing_values),
            memory_budget: self.memory_budget,
            progress: self.progress.cloned(),
        };
        reading.with(data, |rows| {
            let overview = rows.overview()?;
            work(&self.opened(UnitSource::Here(rows), &rows.files, overview)?)
        })
    }

    /// As [`with`](Self::with), of parquet files that the workers of a cluster read.
    ///
    /// # Errors
    /// As [`with`](Self::with), and those of workers.
    #[cfg(feature = "cluster")]
    pub fn on_cluster<T>(
        &self,
        cluster: &Cluster,
        path: &Path,
        work: impl FnOnce(&Opened<'_>) -> Result<T>,
    ) -> Result<T> {
        let missing = MissingValues::new(self.missing_values);
        let asked = (&self.columns, &missing, self.progress);
        with_workers(asked, cluster, path, |source, files, overview| {
            work(&self.opened(source, files, overview)?)
        })
    }

    /// An error for what is refused of the rows.
    fn opened<'a>(
        &'a self,
        source: UnitSource<'a>,
        files: &'a FilesRead,
        overview: Overview,
    ) -> Result<Opened<'a>> {
        check_panel(&overview, &self.columns)?;
        check_columns(&overview, &self.columns)?;
        Ok(Opened { source, files, columns: &self.columns, overview })
    }
}

/// An error for a covariate that is no number, or weights that are all 0.
fn check_columns(overview: &Overview, columns: &PanelColumns) -> Result<()> {
    let numbers = overview.number_names();
    if let Some(column) = columns.covariates.iter().find(|name| !numbers.contains(name)) {
        return Err(DidError::ColumnType {
            column: column.clone(),
            role: "covariate",
            expected: "numbers; make an indicator for each text",
            got: "text".into(),
        });
    }
    overview.check_weights(columns.weights.as_ref())
}

impl Opened<'_> {
    /// Units with a complete row.
    pub fn units(&self) -> usize {
        self.overview.found.groups.iter().map(|group| group.units).sum()
    }

    /// About the mean of a number in a period of the data, over all groups: so coarse that the order of sums does not matter.
    pub fn centre(&self, number: usize, period: usize) -> f64 {
        let cells = &self.overview.found.cells;
        let mut sums = cells.at(0, period).sums[number].clone();
        (1..cells.groups.len()).for_each(|g| sums.merge(&cells.at(g, period).sums[number]));
        self.coarse(number, cells.mean(&sums, number).unwrap_or(0.0))
    }

    /// About the mean of a number over all rows, as coarse.
    pub fn centre_of_all(&self, number: usize) -> f64 {
        let sums = self.sums(number);
        let mean = sums.and_then(|sums| self.overview.found.cells.mean(&sums, number));
        self.coarse(number, mean.unwrap_or(0.0))
    }

    fn coarse(&self, number: usize, mean: f64) -> f64 {
        let step = (self.variance(number).sqrt() / COARSE).log2().floor().exp2();
        let coarse = (mean / step).round() * step;
        if coarse.is_finite() { coarse } else { mean }
    }

    /// The variance of a number over all rows.
    pub fn variance(&self, number: usize) -> f64 {
        self.sums(number).and_then(|sums| sums.variance()).unwrap_or(0.0)
    }

    /// The mean outcome of all rows.
    pub fn level(&self) -> f64 {
        let mean = self.sums(0).and_then(|sums| self.overview.found.cells.mean(&sums, 0));
        mean.unwrap_or(0.0)
    }

    fn sums(&self, number: usize) -> Option<Sums> {
        let cells = &self.overview.found.cells;
        let (groups, periods) = (cells.groups.len(), cells.periods.len());
        let places = (0..groups).flat_map(|g| (0..periods).map(move |t| (g, t)));
        let all = places.map(|(g, t)| cells.at(g, t).sums[number].clone());
        all.reduce(|mut sums, more| {
            sums.merge(&more);
            sums
        })
    }

    /// What the sample is, of which so many units have rows, and so many rows no weight.
    pub fn sample(
        &self,
        timeline: &Timeline,
        n_units: usize,
        rows_without_weight: usize,
    ) -> PanelSample {
        let (columns, overview) = (self.columns, &self.overview);
        PanelSample {
            columns: SampleColumns::of(columns),
            unit: columns.unit.clone().unwrap_or_default(),
            group: columns.group.clone(),
            treatment: columns.treatment.clone(),
            cluster: columns.cluster.clone(),
            covariates: columns.covariates.clone(),
            read: RowsRead::of(overview, self.files.clone()),
            read_as_missing: overview.marked_as_missing(columns.group.as_ref()),
            rows_without_weight,
            rows_with_gaps: overview.gaps.rows,
            n_units,
            n_periods: match columns.keeps_gaps {
                true => overview.periods_with_outcomes().len(),
                false => overview.periods().len(),
            },
            period_length: timeline.step.filter(|step| step.is_finite()),
        }
    }

    /// A warning if few units are treated in the cohorts with effects, whose groups `is_treated` says, or in the effect with the `most` of them.
    pub fn few_treated(&self, is_treated: &dyn Fn(f64) -> bool, most: usize) -> Option<DidWarning> {
        let (values, found) = (self.overview.group_values(), &self.overview.found.groups);
        let cohorts = values.iter().zip(found).map(|(group, of)| (*group, of.units));
        let cohorts: Vec<(f64, usize)> =
            cohorts.filter(|(group, units)| *units > 0 && is_treated(*group)).collect();
        let units: usize = cohorts.iter().map(|(_, units)| units).sum();
        let units = units.min(most);
        let of_one = cohorts.iter().filter(|(_, units)| *units == 1);
        (!cohorts.is_empty() && units < smallest_cohort(self.columns.covariates.len())).then(|| {
            DidWarning::SmallGroups {
                groups: cohorts.iter().map(|(group, _)| *group).collect(),
                single: of_one.map(|(group, _)| *group).collect(),
            }
        })
    }

    /// The end of an error about too little to compare: what rows lack, if they do, and periods that are dates in digits.
    pub fn also(&self) -> String {
        let (lost, gaps) = (&self.overview.missing, &self.overview.gaps.columns);
        let columns = lost.iter().chain(gaps).map(|(name, rows)| format!("{rows} of `{name}`"));
        let columns: Vec<String> = columns.collect();
        let missing = (!columns.is_empty())
            .then(|| format!("; values are missing, too: {}", columns.join(", ")));
        let dates = dates_in_digits(self.overview.periods().iter().copied());
        let dates = dates.map(|warning| format!("; {warning}"));
        missing.into_iter().chain(dates).collect()
    }

    /// What should be known of the rows.
    pub fn warnings(&self) -> Vec<DidWarning> {
        let overview = &self.overview;
        let mut warnings: Vec<DidWarning> = overview.dropped_rows().into_iter().collect();
        warnings.extend(DidWarning::with_gaps(overview.gaps.rows, overview.gaps.columns.clone()));
        if !overview.rounded.is_empty() {
            warnings.push(DidWarning::RoundedIntegers { columns: overview.rounded.clone() });
        }
        if let Some(column) = &self.columns.group {
            warnings.extend(overview.doubtful_groups(Some(column)));
        }
        warnings
    }
}

impl PanelSample {
    /// Rows with what is needed of them and a weight.
    #[must_use]
    pub fn n_used(&self) -> usize {
        self.read.n_complete() - self.rows_without_weight
    }

    /// What the columns are, and which rows were read, for the foot of tables.
    pub(in crate::estimator) fn notes(&self) -> Vec<String> {
        let Self { columns, n_units, n_periods, rows_without_weight, .. } = self;
        let covariates = match self.covariates.is_empty() {
            true => String::new(),
            false => format!(", Covariates: {}", self.covariates.join(", ")),
        };
        let (outcome, weights) = (&columns.outcome, columns.weights_note());
        let rows = self.n_used();
        let mut notes = vec![
            format!("Outcome: {outcome}{covariates}{weights}"),
            format!("Units: {n_units}, Periods: {n_periods}, Rows: {rows}"),
        ];
        if *rows_without_weight > 0 {
            let rows = counted(*rows_without_weight, "row", "rows");
            notes.push(format!("Left out: {rows} with a weight of 0"));
        }
        if let Some(length) = self.period_length.filter(|length| *length != 1.0) {
            notes.push(format!("Event times count periods, of a length of {}", label(length)));
        }
        notes.extend(foot::reading(&self.read.files, &self.read_as_missing));
        notes
    }

    /// What is known of the sample, as facts.
    pub(in crate::estimator) fn facts(&self, n_clusters: usize) -> Vec<Variable> {
        vec![
            Variable::fact("outcome", self.columns.outcome.as_str()),
            Variable::fact("covariates", self.covariates.join(", ")),
            Variable::fact("weights", self.columns.weights.clone()),
            Variable::fact("cluster", self.cluster.clone()),
            Variable::fact("n_clusters", n_clusters),
            Variable::fact("n_units", self.n_units),
            Variable::fact("n_periods", self.n_periods),
            Variable::fact("n_rows", self.n_used()),
            Variable::fact("rows_missing", self.read.rows_missing),
            Variable::fact("rows_without_weight", self.rows_without_weight),
            Variable::fact("rows_with_gaps", self.rows_with_gaps),
        ]
    }

    /// What comparisons say of the sample.
    pub(in crate::estimator) fn compared(&self, n_clusters: usize) -> Vec<(String, String)> {
        let counts = [("Units", self.n_units), ("Clusters", n_clusters)];
        let counts = counts.map(|(name, count)| (name.to_owned(), count.to_string()));
        let facts = sample_facts(&self.covariates, self.columns.weights.as_ref(), &self.read.files);
        counts.into_iter().chain(facts).collect()
    }

    /// What holds of the sample.
    pub(in crate::estimator) fn check(&self) -> Checked {
        let lost = self.read.rows_missing.saturating_add(self.rows_without_weight);
        ensure(lost < self.read.n_rows, "sample.rows_missing", || "is not below `n_rows`".into())?;
        ensure(self.n_units > 0, "sample.n_units", || "is 0".into())?;
        ensure(self.n_periods > 1, "sample.n_periods", || "is below 2".into())?;
        let is_length = self.period_length.is_none_or(|length| length > 0.0 && length.is_finite());
        ensure(is_length, "sample.period_length", || "is no length of time".into())
    }

    /// The column whose values are the clusters.
    pub(in crate::estimator) fn clustered_by(&self) -> &str {
        self.cluster.as_deref().unwrap_or(&self.unit)
    }
}

/// The error of sums that overflow.
pub(in crate::estimator) fn overflow(outcome: &str) -> DidError {
    DidError::OutOfRange {
        problem: format!(
            "sums of the outcome (column `{outcome}`) or of covariates overflow; rescale them so that their values are near 1"
        ),
    }
}
