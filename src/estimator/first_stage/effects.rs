//! Effects with their covariance, and how they were estimated: what results of both estimators have.

use serde::{Deserialize, Serialize};

use super::audit::StageAudit;
use super::columns::StageColumns;
use super::fit::FirstStage;
use super::influence::Influences;
use super::reading::StageReading;
use crate::base::calendar::{Frequency, exact, label, named, shown};
use crate::base::error::DidWarning;
use crate::estimator::aggregate::UniversalBase;
use crate::estimator::fixed_effects::{Coefficient, Law};
use crate::read::panel::{doubtful_times, zero_groups};
use crate::result::inference::{Estimate, pointwise, rounding_between};
use crate::result::sample::SampleColumns;
use crate::result::timings::Timings;

/// What an effect is of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StageTerm {
    /// All treated rows that can be imputed.
    Overall,
    /// Treated rows with this weight: a column.
    Average(String),
    /// Rows so many periods after the first treated one; before it, if negative.
    EventTime(f64),
    /// Treated rows of the group that is first treated in this period.
    Group(f64),
    /// The coefficient of a second stage's regressor.
    Coefficient(String),
}

/// An effect.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StageEffect {
    /// What it is of.
    pub term: StageTerm,
    /// The estimate, with a pointwise interval.
    pub estimate: Estimate,
    /// Rows that it averages.
    pub rows: usize,
    /// Why there is no estimate or no standard error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What was read, and as what.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StageSettings {
    /// Outcome, period column, weights column, and what a period is.
    #[serde(flatten)]
    pub columns: SampleColumns,
    /// Unit column.
    pub unit: String,
    /// Group column.
    pub group: String,
    /// Covariates of the first stage.
    pub covariates: String,
    /// Fixed effects of the first stage.
    pub fixed_effects: Vec<String>,
    /// Whether each unit has a linear trend.
    pub trends: bool,
    /// The first stage in words of a formula.
    pub formula: String,
    /// Cluster column; the units if it is their column.
    pub cluster: String,
    /// One minus the confidence level.
    pub alpha: f64,
    /// Units with a row in the sample.
    pub n_units: usize,
    /// Clusters.
    pub n_clusters: usize,
    /// Untreated rows, of which the first stage is a regression.
    pub n_untreated: usize,
    /// Treated rows that were imputed.
    pub n_treated: usize,
}

/// Effects with their covariance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StageEffects {
    /// The effects: overall, weighted averages, by event time, by group.
    pub rows: Vec<StageEffect>,
    /// Their covariance, `[rows][rows]`; 0 where there is no standard error.
    pub vcov: Vec<Vec<f64>>,
    /// Event times that were asked to be references.
    #[serde(default)]
    pub references: Vec<f64>,
    /// What was read.
    pub settings: StageSettings,
    /// What happened to the rows.
    pub audit: StageAudit,
    /// Warnings about the sample and the estimates.
    pub warnings: Vec<DidWarning>,
    /// Seconds by stage.
    pub timings: Timings,
    /// Effects by event time with those of the last period before treatment as zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) base: Option<UniversalBase>,
}

/// An estimate on its way to a result.
pub(in crate::estimator) struct Estimated {
    pub term: StageTerm,
    /// Why there is none, otherwise.
    pub value: std::result::Result<f64, String>,
    pub rows: usize,
    /// Why there is no standard error.
    pub unknown: Option<String>,
    /// Its place among the influence values.
    pub influence: Option<usize>,
}

impl StageTerm {
    /// What kind it is, in frames.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Overall => "overall",
            Self::Average(_) => "average",
            Self::EventTime(_) => "event_time",
            Self::Group(_) => "group",
            Self::Coefficient(_) => "coefficient",
        }
    }

    /// What it is called in messages.
    pub(crate) fn label(&self, frequency: Option<Frequency>) -> String {
        let name = self.name(frequency);
        match self {
            Self::EventTime(_) => format!("event time {name}"),
            Self::Group(_) => format!("group {name}"),
            Self::Overall | Self::Average(_) | Self::Coefficient(_) => name,
        }
    }

    /// What it is called in frames and keys.
    pub(crate) fn key(&self, frequency: Option<Frequency>) -> String {
        match self {
            Self::EventTime(at) => exact(*at),
            Self::Group(group) => named(*group, frequency),
            Self::Overall | Self::Average(_) | Self::Coefficient(_) => self.name(frequency),
        }
    }

    /// What it is called in tables.
    pub(crate) fn name(&self, frequency: Option<Frequency>) -> String {
        match self {
            Self::Overall => "overall".into(),
            Self::Average(name) | Self::Coefficient(name) => name.clone(),
            Self::EventTime(at) => label(*at),
            Self::Group(group) => shown(*group, frequency),
        }
    }
}

impl StageSettings {
    pub(in crate::estimator) fn new(columns: &StageColumns, stage: &FirstStage<'_>) -> Self {
        let (sample, design) = (stage.sample, stage.design());
        let n_treated = design.treated.iter().filter(|treated| **treated).count();
        let (weights, frequency) = (columns.weights.as_ref(), columns.frequency);
        Self {
            columns: SampleColumns::new(&columns.outcome, &columns.time, weights, frequency),
            unit: columns.unit.clone(),
            group: columns.group.clone(),
            covariates: columns.covariates.clone(),
            fixed_effects: columns.effects(),
            trends: columns.trends,
            formula: columns.text(),
            cluster: columns.cluster.clone().unwrap_or_else(|| columns.unit.clone()),
            alpha: columns.alpha,
            n_units: sample.n_units,
            n_clusters: sample.n_clusters,
            n_untreated: design.rows() - n_treated,
            n_treated,
        }
    }
}

impl StageEffects {
    /// The effect of a term.
    #[must_use]
    pub fn get(&self, term: &StageTerm) -> Option<&StageEffect> {
        self.rows.iter().find(|row| row.term == *term)
    }
}

/// Estimates with intervals, and their covariance `[rows][rows]`.
pub(super) fn assembled(
    estimates: Vec<Estimated>,
    influences: &Influences,
    stage: &FirstStage<'_>,
    alpha: f64,
) -> (Vec<StageEffect>, Vec<Vec<f64>>) {
    let k = influences.psi.len();
    let covariance = influences.covariance();
    let outcome = &stage.sample.outcome;
    let ends = (f64::INFINITY, f64::NEG_INFINITY);
    let (low, high) = outcome.iter().fold(ends, |(low, high), y| (low.min(*y), high.max(*y)));
    let nothing = rounding_between(low, high);
    let place = |of: &Estimated| {
        let place = of.influence.filter(|_| of.unknown.is_none() && of.value.is_ok())?;
        let se = covariance[place * k + place].sqrt();
        (se.is_finite() && se > nothing).then_some(place)
    };
    let places: Vec<Option<usize>> = estimates.iter().map(place).collect();
    let entry = |a: &Option<usize>, b: &Option<usize>| {
        a.zip(*b).map_or(0.0, |(a, b)| covariance[a * k + b])
    };
    let vcov = places.iter().map(|a| places.iter().map(|b| entry(a, b)).collect()).collect();
    let critical = pointwise(alpha);
    let row = |(of, place): (Estimated, &Option<usize>)| {
        let Estimated { term, value, rows, unknown, .. } = of;
        let (estimate, reason) = match value {
            Err(reason) => (Estimate::default(), Some(reason)),
            Ok(value) => {
                // What fixed effects fit exactly is zero, and not what rounding leaves of it.
                let is_zero = place.is_none() && unknown.is_none() && value.abs() <= nothing;
                let value = if is_zero { 0.0 } else { value };
                let variance = place.map_or(0.0, |at| covariance[at * k + at]);
                let made = Coefficient::new(String::new(), value, variance, Law::Normal, critical);
                let constant = || "the estimate does not vary".to_owned();
                let none = place.is_none().then(|| unknown.unwrap_or_else(constant));
                (made.as_estimate(), none)
            }
        };
        StageEffect { term, estimate, rows, reason }
    };
    (estimates.into_iter().zip(&places).map(row).collect(), vcov)
}

/// Completes what is known of the rows, and the warnings about them.
pub(super) fn finished(effects: &mut StageEffects, reading: &StageReading, stage: &FirstStage<'_>) {
    let sample = stage.sample;
    let lost = sample.warnings.iter().map(|warning| match warning {
        DidWarning::NotImputed { rows, .. } | DidWarning::NotConnected { rows, .. } => *rows,
        _ => 0,
    });
    effects.audit.rows_not_imputed = lost.sum();
    effects.audit.rows = sample.rows.len();
    let rounded = &reading.rows.rounded;
    let own = [
        DidWarning::dropped_rows(&effects.audit.rows_missing),
        (!rounded.is_empty()).then(|| DidWarning::RoundedIntegers { columns: rounded.clone() }),
        DidWarning::few_clusters(sample.n_clusters),
    ];
    effects.warnings.extend(own.into_iter().flatten());
    effects.warnings.extend(sample.warnings.iter().chain(&stage.warnings).cloned());
    let group = &effects.settings.group;
    let doubtful = reading.rows.cohorts.as_ref().map(|cohorts| {
        let periods = || sample.cells.iter().map(|cell| cell.time);
        let is_usable =
            |row: &usize| reading.rows.usable.as_ref().is_none_or(|usable| usable[*row]);
        let rows = || (0..reading.rows.len).filter(is_usable);
        let [groups, times] =
            [&cohorts.cohort, &cohorts.time].map(|column| rows().map(|row| column[row]));
        // A code is the least or the largest group.
        let finite = groups.clone().filter(|group| group.is_finite());
        let ends = finite.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], group| {
            [low.min(group), high.max(group)]
        });
        let of_cells = sample.cells.iter().map(|cell| cell.group);
        let far = doubtful_times(group, ends.into_iter().chain(of_cells), periods());
        let zeros = zero_groups(group, cohorts.zero_groups, periods());
        let missing = cohorts.missing_groups(groups, times);
        cohorts.moved_groups().into_iter().chain(far).chain(zeros).chain(missing).collect()
    });
    let doubtful: Vec<DidWarning> = doubtful.unwrap_or_default();
    for warning in doubtful {
        if !effects.warnings.contains(&warning) {
            effects.warnings.push(warning);
        }
    }
}
