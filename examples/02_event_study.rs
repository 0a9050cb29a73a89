//! The four aggregations, a uniform band without a bootstrap, and a plot with labels and size of your choice.

use burn_did::{
    Aggregation, AttGt,
    backend::Cpu,
    data,
    options::{Band, BasePeriod},
    report::{Colour, PlotOptions},
};

fn main() -> burn_did::Result<()> {
    let fit = AttGt::<Cpu>::builder()
        .outcome("lemp")
        .unit("countyreal")
        .time("year")
        .group("first.treat")
        .covariates("~ lpop")
        .base_period(BasePeriod::Universal)
        .band(Band::Uniform)
        .build()
        .fit(data::mpdta())?;

    println!("{}", fit.aggregate(Aggregation::simple())?);
    println!("{}", fit.aggregate(Aggregation::group())?);
    println!("{}", fit.aggregate(Aggregation::calendar())?);

    // Only groups that are observed for a year after treatment, so that all event times average the same groups.
    let event_study = fit.aggregate(Aggregation::dynamic().min_e(-3.0).balance_e(1))?;
    println!("{event_study}");
    println!("{}", event_study.to_dataframe()?);

    let options = PlotOptions::new()
        .title("Minimum wage and teen employment")
        .x_label("Years since the minimum wage was raised")
        .y_label("Effect on log teen employment")
        .post(Colour(0, 90, 60))
        .size(1200, 800);
    event_study.plot_with("event_study_balanced.svg", &options)?;
    fit.plot("group_time.png")
}
