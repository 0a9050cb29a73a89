//! The estimators of effects by event time of this crate, set as a case asks.

use burn_did::backend::DidBackend;
use burn_did::imputation::{PretrendTimes, StageEffects};
use burn_did::options::Precision;
use burn_did::{
    Etwfe, EventStudy, Imputation, JointStudy, LocalProjections, Stacked, SunAbraham, TwoStage,
};
use polars::prelude::DataFrame;
use serde_json::Value;

use super::Result;
use super::case::{Estimator, Task};
use super::models::{self, Fitted};
use super::run::Cell;

/// A builder with the columns of the data.
macro_rules! of_columns {
    ($builder:expr) => {
        $builder.outcome("y").unit("id").time("period").group("group")
    };
}

/// One fit; its cells are of group 0, with event times as periods.
pub fn fit<B: DidBackend>(
    task: &Task,
    precision: Precision,
    frame: &DataFrame,
    device: &B::Device,
) -> Result<Fitted> {
    let case = &task.case;
    match case.estimator {
        Estimator::Imputation => {
            let estimator = of_columns!(Imputation::builder()).covariates(models::formula(case));
            let fit = estimator.pretrends(PretrendTimes::None).build().fit(frame)?;
            of_stages(&fit.event_study(), &fit.effects)
        }
        Estimator::TwoStage => {
            let estimator = of_columns!(TwoStage::builder()).covariates(models::formula(case));
            let fit = estimator.references([-1.0]).build().fit(frame)?;
            of_stages(&fit.event_study(), &fit.effects)
        }
        Estimator::Etwfe => {
            let estimator = of_columns!(Etwfe::<B>::builder()).covariates(case.covariate_names());
            let estimator = estimator.control_group(case.control_group).precision(precision);
            Ok(of_study(&estimator.build().fit_on(frame, device)?.event_study()))
        }
        Estimator::SunAbraham => {
            let estimator = of_columns!(SunAbraham::<B>::builder());
            let estimator = estimator.covariates(models::formula(case)).precision(precision);
            Ok(of_study(&estimator.build().fit_on(frame, device)?.event_study))
        }
        Estimator::Stacked => {
            let (before, after) = case.common_window();
            let estimator = of_columns!(Stacked::builder()).covariates(case.covariate_names());
            let estimator = estimator.control_group(case.control_group);
            let fit = estimator.pre_window(before).post_window(after).build().fit(frame)?;
            Ok(of_study(&fit.event_study()))
        }
        Estimator::LocalProjections => {
            let (before, after) = case.longest_window();
            let estimator =
                of_columns!(LocalProjections::builder()).covariates(case.covariate_names());
            let estimator = estimator.control_group(case.control_group);
            let fit = estimator.pre_window(before).post_window(after).build().fit(frame)?;
            Ok(of_study(&fit.event_study()))
        }
        Estimator::JointStudy => {
            let study = of_columns!(JointStudy::<B>::builder()).covariates(models::formula(case));
            let study = study.control_group(case.control_group).precision(precision);
            of_joint_study(&study.build().fit_on(frame, device)?)
        }
        other => Err(format!("{other:?} has no effects by event time").into()),
    }
}

fn of_stages(study: &EventStudy, effects: &StageEffects) -> Result<Fitted> {
    Ok(Fitted { timings: serde_json::to_value(effects.timings)?, ..of_study(study) })
}

fn of_study(study: &EventStudy) -> Fitted {
    Fitted { cells: cells(study, 0.0), timings: Value::Null }
}

/// The effects of all estimators, each as a group of its own.
fn of_joint_study(fit: &burn_did::JointStudyResult) -> Result<Fitted> {
    let mut all = Vec::new();
    for (number, fitted) in fit.estimators.iter().enumerate() {
        let Some(study) = &fitted.event_study else {
            return Err(format!("{}: {:?}", fitted.estimator.name(), fitted.failure).into());
        };
        all.extend(cells(study, number as f64));
    }
    Ok(Fitted { cells: all, timings: Value::Null })
}

fn cells(study: &EventStudy, group: f64) -> Vec<Cell> {
    let estimated = study.rows.iter().filter(|row| !row.reference);
    let cell = |row: &burn_did::group_time::AggregatedRow| Cell {
        group,
        time: row.at,
        att: row.estimate.estimate,
        se: row.estimate.se,
    };
    estimated.map(cell).collect()
}
