//! The fits of all specifications, and their joint covariance.

use super::grid::Grid;
use super::result::{SpecificationCurve, SpecificationOfCurve};
use super::together::tests;
use super::vary::Variation;
use crate::base::calendar::label;
use crate::base::error::{DidError, DidWarning, Message, Result};
use crate::engine::backend::DidBackend;
use crate::read::input::Data;
use crate::result::inference::Estimate;
use crate::study::joint::estimators::{FittedStudy, Fitting};
use crate::study::joint::sample::StudySample;
use crate::study::joint::side_by_side::KeptColumns;
use crate::study::joint::{EstimatorFailure, JointStudy, SAME, Specification, common};

/// The effects of a specification from event time 0 on.
struct Effects {
    /// Event time, effect, and the influence of the clusters on it.
    at: Vec<(f64, f64, Vec<f64>)>,
    n_rows: usize,
    n_clusters: usize,
    warnings: Vec<Message>,
}

impl<B: DidBackend> JointStudy<B> {
    /// Estimates under all combinations of choices, on the default device: the data are read once, and the effects of all specifications
    /// have a joint covariance.
    ///
    /// Every estimator of the study is combined with every value of every choice. What is not varied is as in [`fit`](Self::fit). A
    /// specification that cannot be estimated carries its reason.
    ///
    /// ```
    /// use burn_did::joint_study::{StudyEstimator, Variation};
    /// use burn_did::{JointStudy, backend::Cpu, data};
    ///
    /// let config = JointStudy::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year").group("first.treat");
    /// let config = config.covariates("~ lpop").estimators([StudyEstimator::CallawaySantAnna]).build();
    /// let curve = config.specification_curve(&data::mpdta(), &Variation::read("control_group,covariates")?)?;
    /// assert_eq!((curve.specifications.len(), curve.event_times.len()), (4, 4));
    /// println!("{curve}");
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    ///
    /// # Errors
    /// As [`fit`](Self::fit), [`DidError::Config`] about what is varied, and [`DidError::EmptyWindow`] if there is no event time from 0 on at
    /// which all specifications have an effect, but for those that have less than half as many as the one with the most: these have no estimate.
    pub fn specification_curve<'a>(
        &self,
        data: impl Into<Data<'a>>,
        vary: &[Variation],
    ) -> Result<SpecificationCurve> {
        self.specification_curve_on(data, vary, &B::Device::default())
    }

    /// As [`specification_curve`](Self::specification_curve), on this device.
    ///
    /// # Errors
    /// As [`specification_curve`](Self::specification_curve).
    pub fn specification_curve_on<'a>(
        &self,
        data: impl Into<Data<'a>>,
        vary: &[Variation],
        device: &B::Device,
    ) -> Result<SpecificationCurve> {
        self.validate()?;
        // The columns that specifications need do not depend on the cohorts.
        let columns = Grid::new(self, vary, &[])?.specifications;
        let sample = StudySample::read(self, data.into(), &columns)?;
        let grid = Grid::new(self, vary, sample.cohorts())?;
        let kept = KeptColumns::new(
            &sample,
            "influence values of all specifications",
            "vary fewer choices, set `max_e`, or cluster by fewer groups",
        );
        let fitted = self.side_by_side(&sample, &grid.specifications, |specification| {
            let effects = self.effects(&sample, specification, device);
            kept.keep(effects.as_ref().map_or(0, |effects| effects.at.len()))?;
            Ok(effects)
        });
        let fitted = fitted.into_iter().collect::<Result<_>>()?;
        self.curve(&sample, grid, fitted)
    }

    fn effects(
        &self,
        sample: &StudySample,
        specification: &Specification,
        device: &B::Device,
    ) -> Result<Effects> {
        let FittedStudy { study, influence, n_rows, warnings } =
            Fitting::of(self, specification, sample, device)?;
        let n_clusters = sample.contributing(&influence);
        let effects = study.rows.iter().zip(influence);
        let after = effects.filter(|(row, column)| row.at >= 0.0 && !column.is_empty());
        let at = after.filter_map(|(row, column)| Some((row.at, row.estimate.estimate?, column)));
        let at: Vec<_> = at.collect();
        if at.is_empty() {
            return Err(DidError::EmptyWindow {
                what: "there is no effect with a standard error from event time 0 on".into(),
            });
        }
        Ok(Effects { at, n_rows, n_clusters, warnings })
    }

    fn curve(
        &self,
        sample: &StudySample,
        grid: Grid,
        mut fitted: Vec<Result<Effects>>,
    ) -> Result<SpecificationCurve> {
        let times = |effects: &Effects| effects.at.iter().map(|effect| effect.0).collect();
        let all_times: Vec<Vec<f64>> = fitted.iter().flatten().map(times).collect();
        let event_times = common(&all_times);
        for effects in &mut fitted {
            if let Some(error) = effects.as_ref().ok().and_then(|of| too_short(of, &event_times)) {
                *effects = Err(error);
            }
        }
        let Some(main) = fitted.iter().position(Result::is_ok) else {
            let first = fitted.swap_remove(0);
            return Err(first.err().unwrap_or(DidError::Engine { problem: "no grid".into() }));
        };
        if event_times.is_empty() {
            return Err(DidError::EmptyWindow {
                what: "there is no event time from 0 on at which all specifications have an effect"
                    .into(),
            });
        }
        let columns: Vec<Vec<f64>> = fitted
            .iter()
            .map(|effects| averaged(effects, &event_times, sample.n_clusters))
            .collect();
        let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let values = fitted.iter().map(|effects| mean(effects, &event_times)).collect();
        let joint = sample.joint(values, &columns);
        let n_clusters = joint.n_clusters.unwrap_or_default();
        let mut warnings: Vec<DidWarning> = sample.missing_groups(&self.group);
        warnings.extend(DidWarning::few_clusters(n_clusters));
        warnings.extend(grid.replaced(&self.covariates));
        let errors = joint.standard_errors();
        warnings.extend(joint.missing(&errors, |_| false));
        let critical = joint.critical(&self.inference(), &errors, true, &mut warnings);
        let is_same = |j: usize| match (joint.values[j].zip(joint.values[main]), errors[j]) {
            (Some((value, other)), Some(se)) => (value - other).abs() <= SAME * se,
            _ => false,
        };
        let differing: Vec<usize> =
            (0..joint.len()).filter(|j| errors[*j].is_some() && !is_same(*j)).collect();
        let tests = tests(&joint, main, &differing, self.alpha)?;
        let difference = |j: usize| {
            let combination = joint.combination([(j, 1.0), (main, -1.0)]).ok();
            match combination {
                Some(of) if differing.contains(&j) => joint.estimate(&of, self.alpha),
                // What is rounding has no standard error.
                of => of.map(|of| Estimate { estimate: Some(of.value), ..Estimate::default() }),
            }
        };
        let of = |(j, (specification, effects)): (usize, (Specification, Result<Effects>))| {
            let (counts, failure, warnings) = match effects {
                Ok(of) => (Some((of.n_rows, of.n_clusters)), None, of.warnings),
                Err(error) => (None, Some(EstimatorFailure::of(&error)), Vec::new()),
            };
            let (n_rows, n_clusters) = counts.unzip();
            SpecificationOfCurve {
                specification,
                estimate: critical.estimate(joint.values[j], errors[j], self.alpha),
                difference: difference(j).unwrap_or_default(),
                same: j == main || is_same(j),
                n_rows,
                n_clusters,
                failure,
                warnings,
            }
        };
        let specifications = grid.specifications.into_iter().zip(fitted).enumerate().map(of);
        let vcov = joint.covariance.as_ref().map(|covariance| covariance.rows(joint.len()));
        Ok(SpecificationCurve {
            settings: self.settings(sample, n_clusters),
            varied: grid.varied,
            n_combinations: grid.combinations,
            specifications: specifications.collect(),
            main,
            event_times,
            vcov: vcov.unwrap_or_default(),
            tests,
            critical_value: critical.value,
            band: critical.band,
            alpha: self.alpha,
            warnings,
        })
    }
}

/// Why effects have no average over these event times; `None` if they have one.
fn too_short(effects: &Effects, times: &[f64]) -> Option<DidError> {
    if of_times(effects, times).count() == times.len() {
        return None;
    }
    let listed =
        |times: &mut dyn Iterator<Item = f64>| times.map(label).collect::<Vec<_>>().join(", ");
    let own = listed(&mut effects.at.iter().map(|effect| effect.0));
    let all = listed(&mut times.iter().copied());
    let what = format!(
        "there are effects at event time {own} only, and averages are over {all}; set a smaller largest event time (`max_e`) to have this one among them"
    );
    Some(DidError::EmptyWindow { what })
}

fn of_times<'e>(
    effects: &'e Effects,
    times: &'e [f64],
) -> impl Iterator<Item = &'e (f64, f64, Vec<f64>)> {
    effects.at.iter().filter(|effect| times.contains(&effect.0))
}

/// The average effect; none if the specification did not run.
fn mean(effects: &Result<Effects>, times: &[f64]) -> Option<f64> {
    let effects = effects.as_ref().ok()?;
    Some(of_times(effects, times).map(|effect| effect.1).sum::<f64>() / times.len() as f64)
}

/// The influence of the clusters on the average effect; empty if the specification did not run.
fn averaged(effects: &Result<Effects>, times: &[f64], n_clusters: usize) -> Vec<f64> {
    let Ok(effects) = effects else { return Vec::new() };
    let mut sum = vec![0.0; n_clusters];
    for (_, _, column) in of_times(effects, times) {
        sum.iter_mut().zip(column).for_each(|(sum, value)| *sum += value / times.len() as f64);
    }
    sum
}
