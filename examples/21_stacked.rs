//! Stacked difference-in-differences: windows around each cohort's treatment, with and without corrective weights, beside local projections
//! with the same treated and controls, and the picture in `stacked.svg`.

use burn_did::projections::ProjectionMethod;
use burn_did::stacks::StackWeights;
use burn_did::{LocalProjections, Result, Stacked, compare, data};

fn main() -> Result<()> {
    let data = data::mpdta();
    let config = Stacked::builder().outcome("lemp").unit("countyreal").time("year");
    let mut config = config.group("first.treat").pre_window(1).post_window(1).build();
    let stacked = config.fit(&data)?;
    println!("{stacked}");
    for sub in &stacked.sub_experiments {
        println!("{}: controls weighted by {:?}", sub.cohort, sub.control_weights);
    }

    config.stack_weights = StackWeights::Unweighted;
    let unweighted = config.fit(&data)?;
    let config = LocalProjections::builder().outcome("lemp").unit("countyreal").time("year");
    let config = config.group("first.treat").pre_window(0).post_window(1);
    let projections = config.method(ProjectionMethod::Reweighted).build().fit(&data)?;
    println!(
        "{}",
        compare(&[
            ("Stacked", &stacked),
            ("Unweighted", &unweighted),
            ("Local projections", &projections),
        ])
    );
    stacked.plot("stacked.svg")
}
