//! Effects by event time with their covariance: what every estimator with event times gives, and what tables, pictures, comparisons
//! and sensitivity analyses take.

mod aggregated;
mod report;
mod usable;

use serde::{Deserialize, Serialize};

use super::{AggregatedRow, LeftOut, UniversalBase};
use crate::base::calendar::{Frequency, label};
use crate::base::error::{DidError, DidWarning, Result};
use crate::base::options::Band;
use crate::base::options::defaults::ALPHA;
use crate::report::compare::TO_REFERENCE;
use crate::result::fit_notes::FitNotes;
use crate::result::inference::{Estimate, pointwise};
use crate::result::settings::Settings;

#[cfg(feature = "plot")]
pub(crate) use report::{EVENT_STUDY, event_study_chart};
pub(crate) use usable::{LARGEST_VARIANCE, ROUNDING, SMALLEST_VARIANCE, check_usable, wrong};

/// How far steps between event times may differ, relative to them.
const UNEVEN: f64 = 1e-6;

/// Effects by event time with their covariance, of any estimator.
///
/// Event time 0 is the first treated period, unless the event times of a regression are levels of a column that counts otherwise.
///
/// ```
/// use burn_did::{EventStudy, Honest};
///
/// // Two periods before the reference period and one after it.
/// let covariance = vec![vec![0.04, 0.01, 0.0], vec![0.01, 0.03, 0.0], vec![0.0, 0.0, 0.02]];
/// let study = EventStudy::new(vec![0.1, -0.05, 1.0], covariance, 2, 1)?;
/// assert_eq!((study.event_times(), study.rows[2].reference), (vec![-3.0, -2.0, 0.0], true));
/// let honest = study.honest(Honest::relative_magnitude().m_bar([0.5, 1.0]))?;
/// assert!(honest.intervals[1].lower < honest.intervals[0].lower);
/// println!("{study}\n{honest}");
/// # Ok::<(), burn_did::DidError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[must_use]
#[non_exhaustive]
pub struct EventStudy {
    /// Rows in ascending order of event time, with references.
    pub rows: Vec<AggregatedRow>,
    /// Covariance of the rows' estimates, `[rows][rows]`; 0 at references and where there is no estimate.
    pub vcov: Vec<Vec<f64>>,
    /// Average effect after treatment, where the estimator has one; its interval is pointwise.
    pub overall: Option<Estimate>,
    /// What the rows' intervals are.
    pub band: Band,
    /// One minus the confidence level.
    pub alpha: f64,
    /// Cells without an estimate that the rows were averaged without; `None` if nothing was left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOut>,
    /// How the effects were estimated.
    pub provenance: Provenance,
    /// What the fit said of its data.
    #[serde(default, skip_serializing_if = "FitNotes::is_empty")]
    pub fit_notes: FitNotes,
    /// The event study with the base period of all cells the same, if it varies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) universal: Option<UniversalBase>,
}

/// How the effects of an event study were estimated.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Provenance {
    /// Elsewhere: the coefficients and their covariance were given.
    #[default]
    Given,
    /// As effects of groups in periods, or of a treatment that switches.
    Effects(Box<Settings>),
    /// As coefficients of a regression.
    Regression(RegressionProvenance),
}

/// The regression whose coefficients an event study has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RegressionProvenance {
    /// The formula.
    pub formula: String,
    /// Outcome column.
    pub outcome: String,
    /// How the covariance was estimated, in words.
    pub vcov: String,
    /// Column of weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<String>,
    /// Rows of the sample.
    pub n: usize,
    /// Rows that were left out as they alone have a level of a fixed effect.
    #[serde(default)]
    pub n_singletons: usize,
    /// The column that event times are levels of, such as `year` in `i(year, treated)`; `None` if they count from the first treatment.
    pub column: Option<String>,
    /// What event times count, if periods are dates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frequency: Option<Frequency>,
    /// Whether the regression was fitted to the rows before treatment and not to those after it, so that estimates are residuals before
    /// and predictions after.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub of_untreated: bool,
}

impl Provenance {
    /// Settings of the fit, if it was not a regression.
    #[must_use]
    pub fn settings(&self) -> Option<&Settings> {
        match self {
            Self::Effects(settings) => Some(settings),
            Self::Given | Self::Regression(_) => None,
        }
    }

    /// Outcome column, if it is known.
    #[must_use]
    pub fn outcome(&self) -> Option<&str> {
        match self {
            Self::Given => None,
            Self::Effects(settings) => Some(&settings.outcome),
            Self::Regression(regression) => Some(&regression.outcome),
        }
    }

    /// With the column `from` of clusters by the name `to`.
    pub(crate) fn rename_clusters(&mut self, from: &str, to: &str) {
        match self {
            Self::Given => {}
            Self::Effects(settings) => {
                if settings.cluster.as_deref() == Some(from) {
                    settings.cluster = Some(to.to_owned());
                }
            }
            Self::Regression(regression) => {
                regression.vcov = regression.vcov.replace(from, to);
            }
        }
    }
}

impl EventStudy {
    /// With the standard errors of its covariance in place of a bootstrap's, which analyses do not take; intervals are pointwise.
    pub(crate) fn with_analytic_errors(mut self) -> Self {
        let is_drawn = |settings: &Settings| settings.inference.bootstrap.is_some();
        if self.provenance.settings().is_some_and(is_drawn) {
            let critical = pointwise(self.alpha);
            for (i, row) in self.rows.iter_mut().enumerate().filter(|(_, row)| !row.reference) {
                let variance = self.vcov.get(i).and_then(|of_row| of_row.get(i)).copied();
                let se = variance.filter(|variance| *variance > 0.0).map(f64::sqrt);
                row.estimate = Estimate::new(row.estimate.estimate, se, critical);
            }
            self.band = Band::Pointwise;
        }
        self
    }

    /// An event study of consecutive periods: `pre` periods before the reference period and `post` periods after it.
    ///
    /// `coefficients` are in order of time, `[pre + post]`, and `covariance` is theirs, `[pre + post][pre + post]`. The reference
    /// period, whose coefficient is 0, is not among them; it is at event time -1. Intervals are pointwise, at the 95% level.
    ///
    /// # Errors
    /// [`DidError::EventStudy`] if the dimensions do not fit together, there is no period before or after the reference, a number is
    /// missing, infinite or no variance, or a coefficient without a variance has a covariance.
    pub fn new(
        coefficients: Vec<f64>,
        covariance: Vec<Vec<f64>>,
        pre: usize,
        post: usize,
    ) -> Result<Self> {
        check_usable(&coefficients, &covariance, pre, post)?;
        let alpha = ALPHA;
        let critical = pointwise(alpha);
        let row = |(i, coefficient): (usize, &f64)| {
            let at = if i < pre { i as f64 - pre as f64 - 1.0 } else { (i - pre) as f64 };
            let estimate = estimate(*coefficient, covariance[i][i], critical);
            AggregatedRow { at, estimate, reference: false }
        };
        let mut rows: Vec<AggregatedRow> = coefficients.iter().enumerate().map(row).collect();
        rows.insert(pre, reference_row(-1.0));
        let mut vcov = covariance;
        for row in &mut vcov {
            row.insert(pre, 0.0);
        }
        vcov.insert(pre, vec![0.0; rows.len()]);
        let (band, provenance) = (Band::Pointwise, Provenance::Given);
        Ok(Self {
            rows,
            vcov,
            overall: None,
            band,
            alpha,
            left_out: None,
            provenance,
            fit_notes: FitNotes::default(),
            universal: None,
        })
    }

    /// With event times that count time, of some that count periods of this length; as it is if the length is not known.
    pub(crate) fn in_time(mut self, length: Option<f64>) -> Self {
        let length = length.unwrap_or(1.0);
        self.rows.iter_mut().for_each(|row| row.at *= length);
        self
    }

    /// Says at which event times the coefficients are, for tables and to find an effect by its event time: consecutive, with a gap
    /// for the reference between those before it and those after it. Treatment starts at 0.
    ///
    /// # Errors
    /// [`DidError::EventStudy`] for another number of event times, without exactly one reference, or if the event times do not ascend
    /// in equal steps around it.
    pub fn at_event_times(mut self, times: impl IntoIterator<Item = f64>) -> Result<Self> {
        let times: Vec<f64> = times.into_iter().collect();
        let reference = self.reference()?;
        let n = self.rows.len() - 1;
        let ascends = |w: &[f64]| w[0] < w[1];
        if times.len() != n
            || times.iter().any(|t| !t.is_finite())
            || !times.windows(2).all(ascends)
        {
            let count = times.len();
            return wrong(format!("{count} event times must be {n} numbers in ascending order"));
        }
        let step = |i: usize| {
            let periods = if i == reference { 2.0 } else { 1.0 };
            (times[i] - times[i - 1]) / periods
        };
        if are_uneven((1..n).map(step)) {
            let around = match reference {
                0 => String::new(),
                _ => format!(
                    ", with the reference period alone left out between {} and {}",
                    times[reference - 1],
                    times[reference.min(n - 1)]
                ),
            };
            let times: Vec<String> = times.iter().map(ToString::to_string).collect();
            let times = times.join(", ");
            return wrong(format!(
                "the event times {times} are not consecutive{around}; give a coefficient for every period, evenly spaced"
            ));
        }
        let estimated = self.rows.iter_mut().filter(|row| !row.reference);
        estimated.zip(&times).for_each(|(row, at)| row.at = *at);
        if reference > 0 && reference < n {
            self.rows[reference].at = 0.5 * (times[reference - 1] + times[reference]);
        }
        Ok(self)
    }

    /// The one row that is a reference.
    pub(crate) fn reference(&self) -> Result<usize> {
        let Some(reference) = self.rows.iter().position(|row| row.reference) else {
            return wrong(self.without_reference());
        };
        match self.rows[reference + 1..].iter().find(|row| row.reference) {
            None => Ok(reference),
            Some(other) => wrong(format!(
                "the event times {} and {} are both references; leave out one of them or, if periods are missing in between, {RANKS}",
                self.rows[reference].at, other.at
            )),
        }
    }

    /// That there is no base period, and what to do.
    fn without_reference(&self) -> &'static str {
        let from_treatment = self.column().is_none() && self.rows.iter().all(|row| row.at >= 0.0);
        match &self.provenance {
            Provenance::Regression(fit) if from_treatment && fit.of_untreated => {
                "no effect is before treatment, and there is no base period; estimate those before treatment, too (`pretrends`, `--pretrends all`)"
            }
            Provenance::Regression(_) if from_treatment => {
                "no effect is before treatment, and there is no base period; extended two-way effects have both against never-treated units (`control_group`, `--cgroup never_treated`)"
            }
            _ => {
                "no event time is the base period of all groups; choose a window that has it, or another base period, and periods on one grid"
            }
        }
    }

    /// An error if event times are not evenly spaced.
    pub(crate) fn check_spacing(&self) -> Result<()> {
        if !are_uneven(self.rows.windows(2).map(|w| w[1].at - w[0].at)) {
            return Ok(());
        }
        let times: Vec<String> = self.rows.iter().map(|row| row.at.to_string()).collect();
        let times = times.join(", ");
        wrong(format!(
            "the event times {times} are not evenly spaced; choose a window without gaps, or {RANKS}"
        ))
    }

    /// The distance of neighbouring event times, if it is the same everywhere.
    pub(crate) fn step(&self) -> Option<f64> {
        let steps = || self.rows.windows(2).map(|w| w[1].at - w[0].at);
        steps().next().filter(|_| !are_uneven(steps()))
    }

    /// Event times that are no reference.
    #[must_use]
    pub fn event_times(&self) -> Vec<f64> {
        self.estimated().map(|(_, row)| row.at).collect()
    }

    /// Effects at [`event_times`](Self::event_times).
    #[must_use]
    #[doc(alias = "betahat")]
    pub fn coefficients(&self) -> Vec<f64> {
        self.estimated().filter_map(|(_, row)| row.estimate.estimate).collect()
    }

    /// Their covariance, `[e][e]`; empty if there is none.
    #[must_use]
    #[doc(alias = "sigma")]
    pub fn covariance(&self) -> Vec<Vec<f64>> {
        if self.vcov.is_empty() {
            return Vec::new();
        }
        let row = |(i, _): (usize, _)| self.estimated().map(|(j, _)| self.vcov[i][j]).collect();
        self.estimated().map(row).collect()
    }

    /// The same event study with one base period for all effects. With a varying base period the effects before treatment are
    /// changes from the period before: they are added up, and their covariance follows. Intervals are then pointwise.
    ///
    /// ```
    /// use burn_did::{AttGt, backend::Cpu, data};
    ///
    /// let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    /// let fit = config.group("first.treat").build().fit(&data::mpdta())?;
    /// let study = fit.event_study()?;
    /// assert_eq!(study.rows[0].at, -3.0);
    /// assert_eq!(study.universal_base().event_times(), [-4.0, -3.0, -2.0, 0.0, 1.0, 2.0, 3.0]);
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    pub fn universal_base(&self) -> Self {
        let Some(UniversalBase { rows, vcov, left_out }) = &self.universal else {
            return self.clone();
        };
        let critical = pointwise(self.alpha);
        let row = |(i, (at, value, reference)): (usize, &(f64, f64, bool))| match reference {
            true => AggregatedRow { estimate: zero(*value), ..reference_row(*at) },
            false => {
                let estimate = estimate(*value, vcov[i][i], critical);
                AggregatedRow { at: *at, estimate, reference: false }
            }
        };
        Self {
            rows: rows.iter().enumerate().map(row).collect(),
            vcov: vcov.clone(),
            left_out: left_out.clone(),
            band: Band::Pointwise,
            universal: None,
            ..self.clone()
        }
    }

    /// Whether an event time is after the last reference that an effect follows on, or not before 0 where none is compared with.
    pub(crate) fn is_post(&self, at: f64) -> bool {
        let effect = self.rows.iter().rposition(|r| !r.reference).unwrap_or(0);
        let reference = |rows: &[AggregatedRow]| rows.iter().rfind(|r| r.reference).map(|r| r.at);
        let last = reference(&self.rows[..effect]).or_else(|| reference(&self.rows));
        match (self.column(), last) {
            (Some(_), Some(last)) => at > last,
            _ => at >= 0.0,
        }
    }

    /// What [`universal_base`](Self::universal_base) changes, and whether its path is no line where trends differ linearly, as warnings.
    pub(crate) fn cautions(&self) -> Vec<DidWarning> {
        match (&self.provenance, self.universal.is_some()) {
            (Provenance::Regression(_), true) => {
                vec![DidWarning::LastPeriodAsBase, DidWarning::JumpAtTreatment]
            }
            (Provenance::Regression(fit), false) if fit.of_untreated => {
                vec![DidWarning::JumpAtTreatment]
            }
            (Provenance::Given | Provenance::Effects(_), true) => {
                vec![DidWarning::ConvertedBasePeriod]
            }
            (_, false) => Vec::new(),
        }
    }

    /// What the rows are told apart by: the column's own name if it counts from no event, as years do.
    pub(crate) fn axis(&self) -> Option<&str> {
        let relative = self.rows.iter().any(|row| row.at < 0.0);
        self.column().filter(|_| !relative)
    }

    /// The column that event times are levels of, if they do not count from the first treatment.
    fn column(&self) -> Option<&str> {
        match &self.provenance {
            Provenance::Regression(regression) => regression.column.as_deref(),
            Provenance::Given | Provenance::Effects(_) => None,
        }
    }

    fn estimated(&self) -> impl Iterator<Item = (usize, &AggregatedRow)> {
        let estimated =
            |(_, row): &(usize, &AggregatedRow)| !row.reference && row.estimate.estimate.is_some();
        self.rows.iter().enumerate().filter(estimated)
    }
}

/// What stands under a comparison with event times that count periods of this length, if it is known.
pub(crate) fn counted_periods(length: Option<f64>) -> Option<String> {
    match length {
        Some(1.0) => None,
        Some(length) => Some(format!(
            "event times are times since treatment here; its own table counts periods, of a length of {}",
            label(length)
        )),
        None => Some(
            "event times count periods and not the time since treatment, as the length of a period is not known or not the same; fit it without `rank_periods`, on evenly spaced periods, to compare it with results that count time"
                .to_owned(),
        ),
    }
}

/// The row of a reference, whose effect is 0 by construction.
pub(crate) fn reference_row(at: f64) -> AggregatedRow {
    AggregatedRow { at, estimate: zero(0.0), reference: true }
}

/// What effects before treatment are relative to, by the last reference among these rows; `None` without one.
pub(crate) fn relative_to(rows: &[AggregatedRow]) -> Option<String> {
    let reference = rows.iter().rfind(|row| row.reference)?.at;
    // With anticipation there are effects between the reference and treatment.
    let is_between = |row: &AggregatedRow| !row.reference && reference < row.at && row.at < 0.0;
    Some(match rows.iter().any(is_between) {
        true => format!("relative to event time {}", label(reference)),
        false => TO_REFERENCE.to_owned(),
    })
}

fn zero(value: f64) -> Estimate {
    Estimate { estimate: Some(value), ..Estimate::default() }
}

/// A coefficient with its interval; without one if it does not vary.
fn estimate(value: f64, variance: f64, critical: f64) -> Estimate {
    match variance > 0.0 {
        true => Estimate::new(Some(value), Some(variance.sqrt()), critical),
        false => Estimate { estimate: Some(value), se: Some(0.0), ..Estimate::default() },
    }
}

/// What makes event times of periods with gaps consecutive.
const RANKS: &str = "number the observed periods 1, 2, 3 and so on, in the column of periods and in that of groups, so that event times count them";

/// Whether steps between event times differ by more than rounding.
fn are_uneven(steps: impl Iterator<Item = f64>) -> bool {
    let ends = |[least, largest]: [f64; 2], step: f64| [least.min(step), largest.max(step)];
    let [least, largest] = steps.fold([f64::INFINITY, 0.0], ends);
    largest - least > UNEVEN * largest
}
