//! Whether cohorts are like their comparison units: [`Balance`].

mod check;
mod report;

use serde::{Deserialize, Serialize};

use crate::base::calendar::Frequency;
use crate::base::error::{DidError, DidWarning, Result};
use crate::base::options::ControlGroup;
use crate::read::files::FilesRead;
use crate::read::input::Data;
use crate::read::panel::overview::{Overview, Sums};
use crate::result::sample::RowsRead;
use crate::study::explore::Explore;

/// How like each treated cohort is to its comparison units in its base period, the last before treatment: levels of the covariates and of
/// the outcome, and their changes from the period before. Rows count with their weights, if there are any, and nothing else: this is the
/// balance before an estimator reweights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Balance {
    /// Units that are compared with the treated ones: the never-treated, or all that are treated later than the cohort.
    pub control_group: ControlGroup,
    /// First treated period of the last cohort where it is the comparison in place of never-treated units, of which there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_cohort: Option<f64>,
    /// Weights column.
    pub weights: Option<String>,
    /// What a period is, if periods and groups are dates.
    pub frequency: Option<Frequency>,
    /// Files and rows that were read.
    #[serde(flatten)]
    pub read: RowsRead,
    /// Warnings about the data.
    #[serde(default)]
    pub warnings: Vec<DidWarning>,
    /// Cohort by cohort, levels before changes.
    pub rows: Vec<BalanceRow>,
    /// Covariates that are text, which have no mean.
    pub left_out: Vec<String>,
}

/// A variable of a cohort and of its comparison units.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BalanceRow {
    /// First treated period of the cohort.
    pub group: f64,
    /// Its base period.
    pub period: f64,
    /// Outcome or covariate.
    pub variable: String,
    /// Whether it is the change from the period before, and not the level.
    pub change: bool,
    /// Rows of the cohort.
    pub n_treated: usize,
    /// Rows of the comparison units.
    pub n_control: usize,
    /// Mean of the cohort, in units of the variable.
    pub treated_mean: Option<f64>,
    /// Mean of the comparison units.
    pub control_mean: Option<f64>,
    /// Variance of the cohort.
    pub treated_variance: Option<f64>,
    /// Variance of the comparison units.
    pub control_variance: Option<f64>,
    /// Difference of the means in units of the root of the average variance (Imbens and Rubin 2015, chapter 14).
    pub normalized_difference: Option<f64>,
    /// Variance of the cohort over that of the comparison units.
    pub variance_ratio: Option<f64>,
}

/// A cohort with its base period and comparison groups, as positions.
struct Comparison {
    group: usize,
    base: usize,
    controls: Vec<usize>,
}

impl Explore {
    /// How like each treated cohort is to its comparison units before treatment, in the covariates and, if it is given, the outcome.
    /// Where no unit is never treated, the last cohort takes the place of those, as in the estimators.
    ///
    /// # Errors
    /// As [`describe`](Self::describe), [`DidError::Weights`] for weights that are all 0, [`DidError::NoValidGroups`] without a cohort that is treated after the first period,
    /// and [`DidError::Config`] without covariates and outcome, or if no cohort has comparison units.
    pub fn balance<'a>(
        &self,
        data: impl Into<Data<'a>>,
        control_group: ControlGroup,
    ) -> Result<Balance> {
        if self.covariates.is_empty() && self.outcome.is_none() {
            return Err(DidError::config("covariates", "at least one column to compare", "none"));
        }
        let (overview, files) = self.look(&self.columns(), data.into())?;
        overview.check_weights(self.weights.as_ref())?;
        let first = overview.periods().first().copied().unwrap_or(f64::INFINITY);
        if !overview.group_values().iter().any(|group| *group > first && group.is_finite()) {
            return Err(overview
                .status_as_group(self.group.as_ref(), self.frequency)
                .unwrap_or(DidError::NoValidGroups { anticipating: String::new() }));
        }
        let balance = balance(self, control_group, &overview, files);
        if balance.rows.is_empty() {
            let expected = "one for which some cohort that is treated after the first period has comparison units and a column of numbers";
            return Err(DidError::config("control_group", expected, control_group));
        }
        Ok(balance)
    }
}

fn balance(
    options: &Explore,
    control_group: ControlGroup,
    overview: &Overview,
    files: FilesRead,
) -> Balance {
    let variables = overview.number_names();
    let early = f64::from(options.anticipation);
    let last_cohort = last_cohort(overview, control_group, early);
    let compared = comparisons(overview, control_group, last_cohort, early);
    let rows = compared.iter().flat_map(|comparison| {
        let kinds = [false, true].into_iter();
        kinds.flat_map(move |change| (0..variables.len()).map(move |v| (comparison, v, change)))
    });
    let row = |(comparison, v, change): (&Comparison, usize, bool)| {
        let number = if change { variables.len() + v } else { v };
        row(overview, comparison, number, (&variables[v], change))
    };
    let is_text = |name: &&String| !variables.contains(name);
    Balance {
        control_group,
        last_cohort,
        weights: options.weights.clone(),
        frequency: options.frequency,
        read: RowsRead::of(overview, files),
        warnings: overview.doubtful_groups(options.group.as_ref()),
        rows: rows.map(row).collect(),
        left_out: options.covariates.iter().filter(is_text).cloned().collect(),
    }
}

/// Whether a group is never treated. As in estimates, one that is treated after the last period is unless it anticipates its treatment
/// within the data.
fn is_never(overview: &Overview, group: f64, early: f64) -> bool {
    overview.periods().last().is_some_and(|last| overview.grid().elapsed(*last, group) > early)
}

/// The last cohort, where it takes the place of units that are never treated.
fn last_cohort(overview: &Overview, control_group: ControlGroup, early: f64) -> Option<f64> {
    let last = *overview.group_values().last()?;
    let replaces = control_group == ControlGroup::NeverTreated && !is_never(overview, last, early);
    replaces.then_some(last)
}

/// The cohorts that are treated after the first period and have comparison units.
fn comparisons(
    overview: &Overview,
    control_group: ControlGroup,
    last_cohort: Option<f64>,
    early: f64,
) -> Vec<Comparison> {
    let (groups, periods) = (overview.group_values(), overview.periods());
    let grid = overview.grid();
    let is_never = |group: &f64| is_never(overview, *group, early);
    let comparison = |(g, group): (usize, &f64)| {
        let is_before = |period: &f64| grid.elapsed(*period, *group) > early;
        let base = periods.partition_point(is_before).checked_sub(1)?;
        let is_control = |other: &f64| match control_group {
            ControlGroup::NeverTreated => is_never(other) || last_cohort == Some(*other),
            ControlGroup::NotYetTreated => grid.elapsed(*group, *other) > early,
        };
        let controls = (0..groups.len()).filter(|c| is_control(&groups[*c])).collect::<Vec<_>>();
        (!controls.is_empty()).then_some(Comparison { group: g, base, controls })
    };
    let is_treated = |group: &f64| !is_never(group) && last_cohort != Some(*group);
    let treated = groups.iter().enumerate().filter(|(_, group)| is_treated(group));
    treated.filter_map(comparison).collect()
}

fn row(
    overview: &Overview,
    comparison: &Comparison,
    number: usize,
    (variable, change): (&str, bool),
) -> BalanceRow {
    let cells = &overview.found.cells;
    let Comparison { group, base, controls } = comparison;
    let treated = cells.at(*group, *base).sums[number];
    let mut control = Sums::default();
    for c in controls {
        control.merge(&cells.at(*c, *base).sums[number]);
    }
    let [treated_mean, control_mean] = [treated, control].map(|sums| cells.mean(&sums, number));
    let [treated_variance, control_variance] = [treated, control].map(|sums| sums.variance());
    let finite = |value: f64| Some(value).filter(|value| value.is_finite());
    let variances = treated_variance.zip(control_variance);
    BalanceRow {
        group: overview.group_values()[*group],
        period: overview.periods()[*base],
        variable: variable.to_owned(),
        change,
        n_treated: treated.rows,
        n_control: control.rows,
        treated_mean,
        control_mean,
        treated_variance,
        control_variance,
        normalized_difference: treated_mean.zip(control_mean).zip(variances).and_then(
            |((treated, control), (a, b))| finite((treated - control) / f64::midpoint(a, b).sqrt()),
        ),
        variance_ratio: variances.and_then(|(a, b)| finite(a / b)),
    }
}
