//! Several estimators of one study with the covariance between them, and the picture in `estimators.svg`.

use burn_did::backend::Cpu;
use burn_did::options::Band;
use burn_did::{JointStudy, data};

fn main() -> burn_did::Result<()> {
    let config = JointStudy::<Cpu>::builder()
        .outcome("lemp")
        .unit("countyreal")
        .time("year")
        .group("first.treat")
        .band(Band::Uniform)
        .build();
    let study = config.fit(data::mpdta())?;
    println!("{study}");

    // Each pair on the event times that both have.
    for pair in &study.agreement {
        let difference = pair.difference.estimate.unwrap_or(f64::NAN);
        println!("{} less {}: {difference:.4}", pair.first.name(), pair.second.name());
    }
    study.plot("estimators.svg")
}
