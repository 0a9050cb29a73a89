//! Local projections with clean controls: effects by horizon and pooled, in several ways, and the picture in `projections.svg`.

use burn_did::projections::{ProjectionBase, ProjectionMethod};
use burn_did::{Honest, LocalProjections, Result, compare, data};

fn main() -> Result<()> {
    let data = data::mpdta();
    let config = LocalProjections::builder().outcome("lemp").unit("countyreal").time("year");
    let mut config = config.group("first.treat").pre_window(3).post_window(2).build();
    let by_variance = config.fit(&data)?;
    println!("{by_variance}");

    config.method = ProjectionMethod::Reweighted;
    let reweighted = config.fit(&data)?;
    config.method = ProjectionMethod::Adjusted;
    config.covariates = vec!["lpop".into()];
    let adjusted = config.fit(&data)?;
    config.base = ProjectionBase::Mean(2);
    let two_periods = config.fit(&data)?;
    println!(
        "{}",
        compare(&[
            ("Variance", &by_variance),
            ("Treated units", &reweighted),
            ("Adjusted for population", &adjusted),
            ("Two periods before", &two_periods),
        ])
    );

    println!("{}", reweighted.honest(Honest::relative_magnitude().m_bar([0.5, 1.0]))?);
    reweighted.plot("projections.svg")
}
