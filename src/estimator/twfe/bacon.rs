//! The decomposition of Goodman-Bacon, step by step.

use super::cells::Cells;
use super::coefficient::{Spread, TwoWay};
use super::comparisons::{Comparison, ComparisonKind, comparisons};
use super::controlled::Controlled;
use super::means::CohortMeans;
use super::options::Bacon;
use super::result::{BaconComparison, BaconResult, BaconSum, BaconWithin, TwfeSettings};
use super::rows::StudyRows;
use super::study;
use crate::base::error::{DidError, DidWarning, Result};
use crate::base::memory;
use crate::base::options::Inference;
use crate::base::words::Words;
use crate::engine::by_unit::{ClusterSums, SQUARES, UnitSource};
use crate::estimator::fitting::fits;
use crate::read::input::Data;
use crate::read::panel::overview::{OpenedRows, Overview, PanelColumns};
use crate::result::inference::without_variance;
use crate::result::sample::{RowsRead, SampleColumns};

fits!(Bacon, output: BaconResult);

impl Bacon {
    /// Checks the options; the first thing [`fit`](Self::fit) does.
    ///
    /// # Errors
    /// [`DidError::Config`] for a level out of range.
    pub fn validate(&self) -> Result<()> {
        DidError::check_without(&self.outcome, "covariates", &self.covariates)?;
        Inference::new(self.alpha).validate()
    }

    /// Decomposes the coefficient.
    ///
    /// # Errors
    /// Errors about a column or a file; [`DidError::Panel`] for units with two rows in a period, an unbalanced panel, or a treatment that
    /// units and periods determine; [`DidError::TimeVarying`] for units whose group or cluster changes, as of a treatment that
    /// turns off; [`DidError::TooFewPeriods`], [`DidError::TooFewClusters`]; [`DidError::Config`] for a level out of range.
    pub fn fit<'a>(&self, data: impl Into<Data<'a>>) -> Result<BaconResult> {
        self.validate()?;
        let columns = self.columns();
        StudyRows::with(&self.reading(&columns), data.into(), |rows| self.decompose(rows))
    }

    /// As [`fit`](Self::fit), by the workers of a cluster, with the same bits. The path stands for parquet files that this process and all
    /// workers see under the same names. Workers form means of cohorts and sums of influence values, which are all that comes back to
    /// this process. With controls a few numbers of each row are held in memory, which is done on one machine alone.
    ///
    /// # Errors
    /// As [`fit`](Self::fit), and [`DidError::Config`] for controls; [`DidError::Worker`] for what a worker finds wrong,
    /// [`DidError::Engine`] if workers do not answer.
    #[cfg(feature = "cluster")]
    pub fn fit_cluster(
        &self,
        cluster: &crate::Cluster,
        path: impl AsRef<std::path::Path>,
    ) -> Result<BaconResult> {
        self.validate()?;
        if !self.covariates.is_empty() {
            let expected = "empty on a cluster, as controls need the rows of all units in one memory; decompose without controls, or on one machine";
            return Err(DidError::config("covariates", expected, self.covariates.join(", ")));
        }
        let columns = self.columns();
        let reading = self.reading(&columns);
        StudyRows::on_cluster(&reading, cluster, path.as_ref(), |rows| self.decompose(rows))
    }

    fn decompose(&self, rows: &StudyRows<'_>) -> Result<BaconResult> {
        let StudyRows { columns, overview, .. } = rows;
        let means = CohortMeans::new(overview, columns)?;
        let pairs = (means.cohorts.len() as u128).pow(2);
        let bytes = pairs * (size_of::<Comparison>() + size_of::<BaconComparison>()) as u128;
        memory::check("the comparisons of cohorts", bytes, "count longer periods (`frequency`)")?;
        let Decomposed { estimate, spread, dependent, within, comparisons: all } =
            match &rows.source {
                UnitSource::Here(opened) if !self.covariates.is_empty() => {
                    with_controls(opened, columns, overview, &means)?
                }
                _ => without_controls(rows, &means)?,
            };
        let controls = self.covariates.len() - dependent.len();
        let name = self.group.clone();
        let coefficient = spread.coefficient(name, estimate, &means, controls, self.alpha);
        let of_within = within.and_then(|within| within.estimate).unwrap_or_default();
        let estimates = all.iter().map(|of| of.estimate).chain([estimate, of_within]);
        if estimates.into_iter().any(|estimate| !estimate.is_finite()) {
            return Err(DidError::OutOfRange {
                problem: format!(
                    "sums of the outcome (column `{}`) overflow; rescale it so that its values are near 1",
                    self.outcome
                ),
            });
        }
        let few = DidWarning::few_clusters(spread.clusters);
        let coefficient = coefficient.as_estimate();
        let without =
            without_variance(usize::from(coefficient.se.is_none()), columns.cluster.is_some());
        let rounded = (!overview.rounded.is_empty())
            .then(|| DidWarning::RoundedIntegers { columns: overview.rounded.clone() });
        Ok(BaconResult {
            settings: TwfeSettings::new(rows),
            alpha: self.alpha,
            coefficient,
            n_clusters: spread.clusters,
            sums: sums(&all),
            comparisons: all.iter().map(|of| compared(of, &means)).collect(),
            within,
            warnings: overview
                .dropped_rows()
                .into_iter()
                .chain(overview.doubtful_groups(columns.group.as_ref()))
                .chain(rounded)
                .chain(study::left_out(&self.covariates, &dependent))
                .chain(few)
                .chain(without)
                .collect(),
        })
    }
}

/// A coefficient and what it is an average of.
struct Decomposed {
    estimate: f64,
    spread: Spread,
    /// Places of controls that were left out.
    dependent: Vec<usize>,
    within: Option<BaconWithin>,
    comparisons: Vec<Comparison>,
}

fn without_controls(rows: &StudyRows<'_>, means: &CohortMeans) -> Result<Decomposed> {
    let StudyRows { source, columns, .. } = rows;
    let regression = TwoWay::new(means).ok_or_else(|| study::no_variation(columns, &[]))?;
    let sums = source.squares(&regression.scores, columns.cluster.is_some())?;
    Ok(Decomposed {
        estimate: regression.estimate,
        spread: Spread::new(&sums, columns.cluster.as_ref())?,
        dependent: Vec::new(),
        within: None,
        comparisons: comparisons(means),
    })
}

fn with_controls(
    rows: &OpenedRows<'_>,
    columns: &PanelColumns,
    overview: &Overview,
    means: &CohortMeans,
) -> Result<Decomposed> {
    study::check_controls(overview, &columns.covariates)?;
    let cells = Cells::of_units(overview, rows, columns)?;
    let none = || study::no_variation(columns, &columns.covariates);
    let controlled = Controlled::new(&cells, means).ok_or_else(none)?;
    let (mut sums, mut before) = (ClusterSums::default(), 0);
    rows.each(SQUARES, &mut |units| {
        sums.add(units, &|unit| controlled.influence[before + unit]);
        before += units.units();
        Ok(())
    })?;
    Ok(Decomposed {
        estimate: controlled.estimate,
        spread: Spread::new(&sums, columns.cluster.as_ref())?,
        dependent: controlled.dependent,
        within: Some(controlled.within),
        comparisons: controlled.comparisons,
    })
}

impl TwfeSettings {
    /// What the rows and their columns are.
    pub(super) fn new(rows: &StudyRows<'_>) -> Self {
        let StudyRows { files, columns, overview, .. } = rows;
        Self {
            columns: SampleColumns::of(columns),
            unit: columns.unit.clone().unwrap_or_default(),
            group: columns.group.clone().unwrap_or_default(),
            cluster: columns.cluster.clone(),
            covariates: columns.covariates.clone(),
            read: RowsRead::of(overview, (*files).clone()),
            read_as_missing: overview.marked_as_missing(columns.group.as_ref()),
            n_units: overview.found.groups.iter().map(|group| group.units).sum(),
            n_periods: overview.periods().len(),
        }
    }
}

/// Weight and average by kind, of the kinds that there are.
fn sums(all: &[Comparison]) -> Vec<BaconSum> {
    let sum = |kind: ComparisonKind| {
        let of_kind = || all.iter().filter(move |of| of.kind == kind);
        let weight: f64 = of_kind().map(|of| of.weight).sum();
        let weighted: f64 = of_kind().map(|of| of.weight * of.estimate).sum();
        let comparisons = of_kind().count();
        (comparisons > 0).then(|| BaconSum {
            kind,
            comparisons,
            weight,
            estimate: weighted / weight,
        })
    };
    ComparisonKind::WORDS.iter().filter_map(|entry| sum(entry.value)).collect()
}

fn compared(of: &Comparison, means: &CohortMeans) -> BaconComparison {
    let (treated, control) = (&means.cohorts[of.treated], &means.cohorts[of.control]);
    BaconComparison {
        treated: means.periods[treated.start],
        control: means.first_treated(control),
        kind: of.kind,
        n_treated: treated.units,
        n_control: control.units,
        estimate: of.estimate,
        weight: of.weight,
    }
}
