//! A study under all combinations of choices, and the specification curve in `specifications.svg`.

use burn_did::backend::Cpu;
use burn_did::joint_study::{SampleFilter, StudyEstimator, Variation};
use burn_did::options::EstimationMethod;
use burn_did::{JointStudy, data};

fn main() -> burn_did::Result<()> {
    let config = JointStudy::<Cpu>::builder()
        .outcome("lemp")
        .unit("countyreal")
        .time("year")
        .group("first.treat")
        .covariates("~ lpop")
        .estimators([StudyEstimator::CallawaySantAnna, StudyEstimator::Imputation])
        .build();
    let vary = [
        // No values stand for all that there are.
        Variation::ControlGroup(Vec::new()),
        Variation::Covariates(Vec::new()),
        Variation::Method(vec![EstimationMethod::DoublyRobust, EstimationMethod::Ipw]),
        Variation::Sample(vec![SampleFilter::All, SampleFilter::Without("2004".into())]),
    ];
    let curve = config.specification_curve(data::mpdta(), &vary)?;
    println!("{curve}");

    // How far each is from the main specification, with the standard error of the difference.
    for of in curve.specifications.iter().filter(|of| !of.same) {
        let difference = of.difference;
        println!("{} {}: {:?}", of.specification.estimator, of.specification.sample, difference.se);
    }
    curve.plot("specifications.svg")
}
