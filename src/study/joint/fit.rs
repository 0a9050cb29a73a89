//! The fit: every estimator, then what they are together.

use super::agreement::{Effects, agreement, averages, common};
use super::estimators::{FittedStudy, Fitting};
use super::result::{EstimatorFailure, EstimatorOfStudy, JointStudyResult, JointStudySettings};
use super::sample::StudySample;
use super::side_by_side::KeptColumns;
use super::{JointStudy, Specification, StudyEstimator};
use crate::base::error::{DidError, DidWarning, Result};
use crate::base::memory;
use crate::base::options::Band;
use crate::engine::backend::DidBackend;
use crate::estimator::aggregate::AggregatedRow;
use crate::estimator::fitting::fits;
use crate::read::input::Data;
use crate::result::inference::{Critical, Estimate};
use crate::result::sample::SampleColumns;

fits!(<B> JointStudy<B>, device: B::Device, output: JointStudyResult);

impl<B: DidBackend> JointStudy<B> {
    /// Estimates from a data frame, a lazy frame, or the path of CSV, parquet or Stata [files](crate::Data), on the default device.
    ///
    /// # Errors
    /// Errors about a column, a file or an option; the first estimator's, if none can estimate; [`DidError::Memory`] if the influence values
    /// of all clusters do not fit into memory.
    pub fn fit<'a>(&self, data: impl Into<Data<'a>>) -> Result<JointStudyResult> {
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
    ) -> Result<JointStudyResult> {
        self.validate()?;
        let all: Vec<Specification> =
            self.estimators.iter().map(|estimator| self.specification(*estimator)).collect();
        let sample = StudySample::read(self, data.into(), &all)?;
        let kept = KeptColumns::new(
            &sample,
            "influence values of all estimators",
            "ask for fewer estimators or event times, or cluster by fewer groups",
        );
        let fitted = self.side_by_side(&sample, &all, |specification| {
            let study = Fitting::of(self, specification, &sample, device);
            kept.keep(study.as_ref().map_or(0, |study| study.influence.len()))?;
            Ok((specification.estimator, study))
        });
        let fitted = fitted.into_iter().collect::<Result<_>>()?;
        self.together(&sample, fitted)
    }

    fn together(
        &self,
        sample: &StudySample,
        mut fitted: Vec<(StudyEstimator, Result<FittedStudy>)>,
    ) -> Result<JointStudyResult> {
        if fitted.iter().all(|(_, study)| study.is_err()) {
            return Err(fitted
                .swap_remove(0)
                .1
                .err()
                .unwrap_or(DidError::Engine { problem: "a joint study has no estimator".into() }));
        }
        let studies =
            || fitted.iter().filter_map(|(name, study)| Some((*name, study.as_ref().ok()?)));
        let influence = || studies().flat_map(|(_, study)| &study.influence);
        let columns: Vec<&[f64]> = influence().map(Vec::as_slice).collect();
        memory::check(
            "the covariance of all effects",
            8 * (columns.len() as u128).pow(2),
            "ask for fewer estimators or event times",
        )?;
        let rows = || studies().flat_map(|(_, study)| &study.study.rows);
        let known = |(row, column): (&AggregatedRow, &Vec<f64>)| {
            row.estimate.estimate.filter(|_| !column.is_empty())
        };
        let joint = sample.joint(rows().zip(influence()).map(known).collect(), &columns);
        let n_clusters = joint.n_clusters.unwrap_or_default();
        let mut effects = Vec::new();
        let mut first = 0;
        for (estimator, study) in studies() {
            let positions = study.study.rows.iter().zip(first..);
            let at = positions.filter(|(_, j)| joint.values[*j].is_some());
            effects.push(Effects { estimator, at: at.map(|(row, j)| (row.at, j)).collect() });
            first += study.study.rows.len();
        }
        let mut warnings: Vec<DidWarning> = sample.missing_groups(&self.group);
        warnings.extend(DidWarning::few_clusters(n_clusters));
        let standard_errors = joint.standard_errors();
        let references: Vec<bool> = rows().map(|row| row.reference).collect();
        warnings.extend(joint.missing(&standard_errors, |row| references[row]));
        let Critical { value, band } =
            joint.critical(&self.inference(), &standard_errors, true, &mut warnings);
        let times: Vec<Vec<f64>> = effects.iter().map(Effects::after).collect();
        let event_times = common(&times);
        let mut averages = averages(&joint, &effects, &event_times, self.alpha).into_iter();
        let agreement = agreement(sample, &joint, &columns, &effects, &standard_errors, self.alpha);
        let vcov = joint.covariance.as_ref().map(|covariance| covariance.rows(joint.len()));
        let result = |(estimator, study): (StudyEstimator, Result<FittedStudy>)| match study {
            Ok(study) => study.of(estimator, averages.next().unwrap_or_default(), (value, band)),
            Err(error) => EstimatorOfStudy {
                estimator,
                event_study: None,
                average: Estimate::default(),
                failure: Some(EstimatorFailure::of(&error)),
                warnings: Vec::new(),
            },
        };
        Ok(JointStudyResult {
            settings: self.settings(sample, n_clusters),
            estimators: fitted.into_iter().map(result).collect(),
            event_times,
            vcov: vcov.unwrap_or_default(),
            agreement,
            critical_value: value,
            band,
            alpha: self.alpha,
            warnings,
        })
    }

    pub(in crate::study) fn settings(
        &self,
        sample: &StudySample,
        n_clusters: usize,
    ) -> JointStudySettings {
        let (weights, frequency) = (self.weights.as_ref(), self.frequency);
        JointStudySettings {
            columns: SampleColumns::new(&self.outcome, &self.time, weights, frequency),
            unit: self.unit.clone(),
            group: self.group.clone(),
            covariates: self.covariates.clone(),
            cluster: self.cluster.clone().filter(|cluster| *cluster != self.unit),
            control_group: self.control_group,
            anticipation: self.anticipation,
            min_e: self.min_e,
            max_e: self.max_e,
            files: sample.files.clone(),
            read_as_missing: sample.read_as_missing.clone(),
            n_rows: sample.rows.frame.height(),
            n_clusters,
        }
    }
}

impl FittedStudy {
    /// As a part of the result, with the band over all effects.
    fn of(
        mut self,
        estimator: StudyEstimator,
        average: Estimate,
        (critical, band): (f64, Band),
    ) -> EstimatorOfStudy {
        if band == Band::Uniform {
            for row in self.study.rows.iter_mut().filter(|row| !row.reference) {
                let ends = row.estimate.estimate.zip(row.estimate.se);
                row.estimate.band_lower = ends.map(|(value, se)| value - critical * se);
                row.estimate.band_upper = ends.map(|(value, se)| value + critical * se);
            }
            self.study.band = band;
        }
        EstimatorOfStudy {
            estimator,
            event_study: Some(self.study),
            average,
            failure: None,
            warnings: self.warnings,
        }
    }
}
