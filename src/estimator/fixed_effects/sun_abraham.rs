//! The interaction-weighted estimator of Sun and Abraham (2021).

use std::collections::BTreeMap;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::FixedEffects;
use super::cohorts::{CohortCells, coarse, fine};
use super::event_study::{combined, estimate};
use super::fit::{EstimatedRegression, read};
use super::inference::combine;
use super::options::Vcov;
use super::problem::{CohortCell, Regressors, columns};
use super::reading::{Coded, CohortColumns, RegressionRows, RowCohorts};
use super::result::RegressionResult;
use super::task::{RegressionReading, RegressionTask};
use super::unit_rows::{UnitRows, groups_of_one, single_cohorts};
use crate::base::error::{DidError, DidWarning, Result};
use crate::engine::backend::DidBackend;
use crate::engine::source::Influence;
use crate::estimator::aggregate::{EventStudy, Provenance};
use crate::estimator::analysed::analysed;
use crate::estimator::fitting::fits;
use crate::estimator::shell::options;
use crate::read::formula::name_label;
use crate::read::input::Data;
use crate::read::panel::{doubtful_times, status_as_group, zero_groups};
use crate::result::fit_notes::FitNotes;
use crate::result::inference::Estimate;

options! {
    /// The event study of Sun and Abraham (2021): a regression on all pairs of cohort and event time, with fixed effects of units and
    /// periods, averaged by event time with the cohorts' shares.
    ///
    /// ```text
    /// y_it = α_i + λ_t + Σ_g Σ_{e ≠ -1} δ_{g,e} 1{G_i = g} 1{t - g = e} + u_it,      ATT(e) = Σ_g share(g | e) δ_{g,e}
    /// ```
    ///
    /// Cohorts that are never treated in the sample are the comparison; without one, it is the last cohort, up to its treatment.
    /// Shares are shares of the sample's rows, and are taken as known, as R `fixest`'s `sunab` does.
    ///
    /// ```
    /// use burn_did::{SunAbraham, backend::Cpu, data};
    ///
    /// let config = SunAbraham::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    /// let fit = config.group("first.treat").build().fit(&data::mpdta())?;
    /// println!("{}", fit.event_study);
    /// assert!(fit.event_study.overall.is_some_and(|att| att.excludes_zero()));
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    pub struct SunAbraham<B: DidBackend> with [outcome, time, group, frequency, row_weights, ssc, solver, fixef_tol, missing_values, alpha, precision, backend] {
        /// Unit, whose fixed effects are projected out.
        #[doc(alias = "idname")]
        pub unit: String,
        /// Further regressors: a formula, as in `"~ x1 + x2"`.
        #[builder(default = crate::base::options::defaults::COVARIATES.to_owned())]
        pub covariates: String,
        /// Further fixed effects.
        #[builder(default, with = |factors: impl IntoIterator<Item = impl Into<String>>| factors.into_iter().map(Into::into).collect())]
        pub absorb: Vec<String>,
        /// Event times that all others are compared with.
        #[doc(alias = "ref.p")]
        #[builder(default = vec![-1.0], with = |times: impl IntoIterator<Item = f64>| times.into_iter().collect())]
        pub reference: Vec<f64>,
        /// Covariance of the coefficients; clustered by unit if nothing is said.
        pub vcov: Option<Vcov>,
        /// Keeps the influence of each cluster on each effect, in [`SunAbrahamResult::influence`]; needs a covariance that is clustered
        /// by one factor.
        #[builder(default)]
        pub keep_influence: bool,
    }
}

/// Result of [`SunAbraham`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[must_use]
#[non_exhaustive]
pub struct SunAbrahamResult {
    /// Effects by event time, with the average effect on the treated rows.
    pub event_study: EventStudy,
    /// The regression, whose coefficients are the effects of cohorts by event time: `year::2:cohort::2004`.
    pub regression: RegressionResult,
    /// Influence of the clusters on the effects by event time, if kept: its `units` are the clusters, its `names` the event times.
    #[serde(skip)]
    pub influence: Option<Influence>,
}

fits!(<B> SunAbraham<B>, device: B::Device, output: SunAbrahamResult);
analysed!(SunAbrahamResult);

impl SunAbrahamResult {
    /// The effects by event time: a copy of the field, as the results of other estimators give it.
    pub fn event_study(&self) -> EventStudy {
        self.event_study.clone()
    }
}

impl<B: DidBackend> SunAbraham<B> {
    /// Checks the options; the first thing [`fit`](Self::fit) does.
    ///
    /// # Errors
    /// [`DidError::Config`] or [`DidError::Formula`].
    pub fn validate(&self) -> Result<()> {
        self.regression().validate()
    }

    /// Estimates from a data frame, a lazy frame, or the path of CSV, parquet or Stata [files](crate::Data), on the default device.
    ///
    /// # Errors
    /// As [`FixedEffects::fit`]; [`DidError::NoValidGroups`] if no cohort is first treated inside the sample.
    pub fn fit<'a>(&self, data: impl Into<Data<'a>>) -> Result<SunAbrahamResult> {
        self.fit_on(data, &B::Device::default())
    }

    /// As [`fit`](Self::fit), on this device.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn fit_on<'a>(
        &self,
        data: impl Into<Data<'a>>,
        device: &B::Device,
    ) -> Result<SunAbrahamResult> {
        let start = Instant::now();
        let config = self.regression();
        config.validate()?;
        B::probe(device, self.precision)?;
        let source = config.source()?;
        let mut wanted = config.columns(source.formula()?)?;
        wanted.cohorts = Some(CohortColumns {
            cohort: self.group.clone(),
            time: self.time.clone(),
            unit: self.unit.clone(),
            frequency: self.frequency,
        });
        let reading = read(data.into(), &wanted, config.family, &config.missing(), start)?;
        let task =
            RegressionTask { config: &config, device, source, estimator: "sun_abraham", start };
        self.estimate(&task, &wanted, &reading)
    }

    /// The regression without the effects of cohorts.
    fn regression(&self) -> FixedEffects<B> {
        let mut absorb = vec![name_label(&self.unit), name_label(&self.time)];
        absorb.extend(self.absorb.iter().cloned());
        let vcov = self.vcov.clone().unwrap_or_else(|| Vcov::cluster([name_label(&self.unit)]));
        FixedEffects::<B>::builder()
            .outcome(&*self.outcome)
            .regressors(&*self.covariates)
            .absorb(absorb)
            .maybe_weights(self.weights.clone())
            .vcov(vcov)
            .ssc(self.ssc)
            .solver(self.solver)
            .fixef_tol(self.fixef_tol)
            .fixef_maxiter(self.fixef_maxiter)
            .keep_influence(self.keep_influence)
            .maybe_missing_values(self.missing_values.clone())
            .alpha(self.alpha)
            .precision(self.precision)
            .build()
    }

    fn estimate(
        &self,
        task: &RegressionTask<'_, B>,
        wanted: &super::reading::RegressionColumns,
        reading: &RegressionReading,
    ) -> Result<SunAbrahamResult> {
        let read = &reading.rows;
        let Some(cohorts) = &read.cohorts else {
            return Err(DidError::NoValidGroups { anticipating: String::new() });
        };
        let of_units = wanted.cohorts.as_ref().map(|columns| unit_warnings(read, cohorts, columns));
        let of_units = of_units.transpose()?.unwrap_or_default();
        let cells = CohortCells::new(read, cohorts, task.rules(), &self.reference)
            .map_err(|error| self.explained(error, cohorts))?;
        let shares = std::cell::RefCell::new(Vec::new());
        let design = |rows: &[u32]| {
            let present = read.regressors.present(rows);
            let columns = columns(&read.regressors.design(&present)?, rows)?;
            let weight = |row: u32| read.weights.as_ref().map_or(1.0, |w| w[row as usize]);
            let mut sums = vec![0.0; cells.cells.len()];
            for row in rows {
                if let Some(sum) = sums.get_mut(cells.codes[*row as usize] as usize) {
                    *sum += weight(*row);
                }
            }
            shares.replace(sums);
            Ok(Regressors::new(cells.indicators(&self.time, rows), columns))
        };
        let EstimatedRegression { result: mut regression, cells: of_coefficients, .. } =
            task.estimate(wanted, reading, cells.without.clone(), &design)?;
        let dynamic =
            format!("{} + cohorts by event time", self.covariates.trim_start_matches('~').trim());
        let absorbed = wanted.formula.absorb.iter().map(ToString::to_string);
        let absorbed: Vec<String> = absorbed.collect();
        regression.settings.formula =
            format!("{} ~ {dynamic} | {}", self.outcome, absorbed.join(" + "));
        let always = cells.always;
        let is_known = |at: &f64| cells.references.contains(&fine(cohorts.grid.written(*at)));
        let unknown = self.reference.iter().copied().filter(|at| !is_known(at));
        let warnings = [
            (always > 0).then_some(DidWarning::AlreadyTreatedRows { rows: always }),
            cells.last.map(|group| DidWarning::LastCohortAsControl { group }),
            (!cells.unreferenced.is_empty()).then(|| DidWarning::CohortsWithoutReference {
                cohorts: cells.unreferenced.clone(),
            }),
            cells.uncompared.warning(),
            single_units(&read.factors[0].codes, &cells),
            DidWarning::unknown_references("reference", unknown),
        ];
        let far = doubtful_times(&self.group, cells.groups().into_iter(), cells.periods());
        let zeros = zero_groups(&self.group, cohorts.zero_groups, cells.periods());
        let warnings = warnings
            .into_iter()
            .flatten()
            .chain(of_units)
            .chain(cohorts.moved_groups())
            .chain(far)
            .chain(zeros)
            .chain(cohorts.missing_groups(cells.groups().into_iter(), cells.periods()));
        regression.warnings.splice(0..0, warnings);
        let shares = cells.cells.iter().copied().zip(shares.into_inner()).collect();
        let references = cells.references.iter().copied();
        let (mut event_study, weights) =
            averaged(&regression, &of_coefficients, &shares, references);
        if let Provenance::Regression(provenance) = &mut event_study.provenance {
            provenance.frequency = self.frequency;
        }
        let (files, warnings) = (&regression.audit.files, &regression.warnings);
        event_study.fit_notes = FitNotes::new(files, warnings, self.frequency);
        let influence = regression.influence.as_ref().map(|of_coefficients| Influence {
            units: of_coefficients.units.clone(),
            names: event_study.rows.iter().map(|row| row.at.to_string()).collect(),
            columns: weights.iter().map(|weights| of_coefficients.combined(weights)).collect(),
        });
        Ok(SunAbrahamResult { event_study, regression, influence })
    }

    /// An error about groups that are 0 and 1 says so.
    fn explained(&self, error: DidError, cohorts: &RowCohorts) -> DidError {
        let (groups, periods) = (cohorts.cohort.iter().copied(), cohorts.time.iter().copied());
        let known = |values: &f64| !values.is_nan();
        let (groups, periods) = (groups.filter(known), periods.filter(known));
        match error {
            DidError::NoValidGroups { .. } => {
                status_as_group(&self.group, groups, periods, self.frequency).unwrap_or(error)
            }
            error => error,
        }
    }
}

/// Effects by event time: averages of the cohorts' effects, weighted by their rows. An effect without a coefficient was left out
/// as collinear; the regression warns about it. Beside them the weights of the coefficients in each row, none for a reference.
fn averaged(
    fit: &RegressionResult,
    of_coefficients: &[Option<CohortCell>],
    shares: &BTreeMap<CohortCell, f64>,
    references: impl Iterator<Item = i128>,
) -> (EventStudy, Vec<Vec<f64>>) {
    let k = fit.coefficients.len();
    let mut times: BTreeMap<i128, Vec<f64>> = BTreeMap::new();
    let mut overall = vec![0.0; k];
    for (j, cell) in of_coefficients.iter().enumerate() {
        let Some(cell) = cell else { continue };
        let share = shares[cell];
        times.entry(cell.at).or_insert_with(|| vec![0.0; k])[j] = share;
        if cell.at >= 0 {
            overall[j] = share;
        }
    }
    let averaged = |mut weights: Vec<f64>| {
        let total: f64 = weights.iter().sum();
        for weight in &mut weights {
            *weight /= total;
        }
        weights
    };
    let any = overall.iter().any(|w| *w > 0.0);
    let overall: Option<Estimate> = any.then(|| {
        let (b, covariance) = fit.joint();
        let (value, variance) = combine(&[averaged(overall)], &b, &covariance);
        estimate(value[0], variance[0], fit.law, fit.law.critical(fit.settings.alpha))
    });
    let references = references.map(|at| (coarse(at), None));
    let times = times.into_iter().map(|(at, weights)| (coarse(at), Some(averaged(weights))));
    let mut times: Vec<(f64, Option<Vec<f64>>)> = times.chain(references).collect();
    times.sort_by(|a, b| a.0.total_cmp(&b.0));
    let weights = times.iter().map(|(_, weights)| weights.clone().unwrap_or_default()).collect();
    (combined(fit, None, times, overall), weights)
}

/// A warning of cohorts whose effects are those of a single unit, by the codes of units of all rows.
fn single_units(units: &[u32], cells: &CohortCells) -> Option<DidWarning> {
    let mut cohorts: Vec<i128> = cells.cells.iter().map(|cell| cell.cohort).collect();
    cohorts.sort_unstable();
    cohorts.dedup();
    let number = |cell: &CohortCell| cohorts.partition_point(|cohort| *cohort < cell.cohort);
    let numbers: Vec<usize> = cells.cells.iter().map(number).collect();
    let rows = cells.codes.iter().zip(units);
    let rows = rows.filter_map(|(code, unit)| Some((*numbers.get(*code as usize)?, *unit)));
    let single = groups_of_one(cohorts.len(), rows);
    single_cohorts(single.into_iter().map(|cohort| coarse(cohorts[cohort])).collect())
}

/// What is to be said of the units, which are the first factor; the second is the period.
fn unit_warnings(
    read: &RegressionRows,
    cohorts: &RowCohorts,
    columns: &CohortColumns,
) -> Result<Vec<DidWarning>> {
    let [units, periods] = read.factors.first_chunk().map_or([&[][..]; 2], |factors| {
        factors.each_ref().map(|factor: &Coded| factor.codes.as_slice())
    });
    let of_units = UnitRows {
        units,
        periods,
        group: &|row| cohorts.cohort[row],
        time: &|row| cohorts.time[row],
        label: &|row| read.factors[0].text(row),
        column: &columns.cohort,
        frequency: columns.frequency,
    };
    let usable = |row: &usize| read.usable.as_ref().is_none_or(|usable| usable[*row]);
    of_units.check((0..units.len()).filter(usable))
}
