//! An effect under many specifications of one sample.

use burn_did::backend::Cpu;
use burn_did::joint_study::{StudyEstimator, Variation};
use burn_did::{Data, DidError, JointStudy, Result, SpecificationCurve};

use super::{COVARIATES, covariances};
use crate::laws::subject::{Case, Change, Numbers, Reported, Subject};
use crate::support::panels::staggered;

/// What is varied.
const CHOICES: &str = "control_group,covariates";

#[derive(Clone)]
struct Varied(JointStudy<Cpu>);

impl Subject for Varied {
    /// A specification without an estimate is an error here: each can be estimated.
    fn fit(&self, data: Data<'_>) -> Result<Numbers> {
        let curve = self.0.specification_curve(data, &Variation::read(CHOICES)?)?;
        match curve.specifications.iter().find_map(|of| of.failure.as_ref()) {
            Some(failure) => Err(DidError::Panel { problem: failure.message.clone() }),
            None => Ok(curve.into()),
        }
    }

    fn change(&mut self, change: Change<'_>) -> bool {
        self.0.change(change)
    }

    fn copy(&self) -> Box<dyn Subject> {
        Box::new(self.clone())
    }
}

impl From<SpecificationCurve> for Numbers {
    fn from(curve: SpecificationCurve) -> Self {
        let effects = curve.specifications.iter().flat_map(|of| {
            let name = of.specification.estimator.to_string();
            let effect = Reported {
                n: of.n_rows.into_iter().collect(),
                ..Reported::new(&*name, &of.estimate)
            };
            [
                effect.effect(true),
                Reported::new(format!("difference of {name}"), &of.difference).effect(false),
            ]
        });
        let tests = curve.tests.iter();
        let mut rest: Vec<Vec<Option<f64>>> =
            tests.map(|tests| vec![Some(tests.combined), Some(tests.largest)]).collect();
        rest.extend(covariances(&curve.vcov));
        Self { estimates: effects.collect(), rest, influence: None, group_time: None }
    }
}

pub fn cases() -> Vec<Case> {
    let study = JointStudy::<Cpu>::builder()
        .outcome("y")
        .unit("id")
        .time("t")
        .group("g")
        .covariates(COVARIATES)
        .estimators([StudyEstimator::Etwfe, StudyEstimator::LocalProjections])
        .build();
    let case = Case::new("varied", Varied(study), 120, staggered);
    vec![Case { counts_rows: true, ..case }]
}
