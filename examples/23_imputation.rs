//! Effects by a regression of untreated outcomes, by imputation and in two stages, with the picture in `imputation.svg`.

use burn_did::{
    Honest, Imputation, Result, TwoStage, compare, data,
    imputation::{PretrendTimes, StageTerm},
};

fn main() -> Result<()> {
    let data = data::mpdta();
    let config = Imputation::builder().outcome("lemp").unit("countyreal").time("year");
    let mut config = config.group("first.treat").groups(true).build();
    let imputation = config.fit(&data)?;
    println!("{imputation}");
    imputation.plot("imputation.svg")?;
    println!(
        "{}",
        imputation.event_study().honest(Honest::relative_magnitude().m_bar([0.5, 1.0]))?
    );

    // Clusters left out of the averages that they deviate from, and a covariate.
    config.leave_out = true;
    config.covariates = "~ lpop:year".into();
    config.pretrends = PretrendTimes::At(vec![-2.0, -1.0]);
    let adjusted = config.fit(&data)?;
    if let Some(effect) = adjusted.effects.get(&StageTerm::EventTime(0.0)) {
        println!("On impact: {:?}", effect.estimate.interval());
    }

    let config = TwoStage::builder().outcome("lemp").unit("countyreal").time("year");
    let two_stages = config.group("first.treat").references([-1.0]).build().fit(&data)?;
    println!("{two_stages}");
    let names = [("Imputation", &imputation as _), ("Two stages", &two_stages as _)];
    println!("{}", compare(&names));
    Ok(())
}
