//! What if trends are not parallel? From an event study to robust intervals, the breakdown value and the picture in
//! `sensitivity.svg`; then the same analysis of coefficients from another program.

use burn_did::{
    Aggregation, AttGt, EventStudy, Honest, Result, backend::Cpu, data, options::BasePeriod,
    sensitivity::Restriction,
};

fn main() -> Result<()> {
    let fit = AttGt::<Cpu>::builder()
        .outcome("lemp")
        .unit("countyreal")
        .time("year")
        .group("first.treat")
        .base_period(BasePeriod::Universal)
        .build()
        .fit(data::mpdta())?;
    let event_study = fit.aggregate(Aggregation::dynamic())?;
    println!("{event_study}");

    // Violations after treatment are at most M̄ times the largest before it.
    let average = Honest::relative_magnitude().average().m_bar([0.0, 0.25, 0.5, 0.75, 1.0]);
    let honest = event_study.honest(average)?;
    println!("{honest}");
    if let Some(value) = honest.breakdown.value() {
        println!(
            "The average effect is significant for violations up to {value:.2} of those before treatment.\n"
        );
    }
    honest.plot("sensitivity.svg")?;

    // The slope of the difference in trends changes by at most M per year, and the bias is not negative.
    let smooth = Honest::smoothness().at(1.0).restriction(Restriction::PositiveBias);
    println!("{}", event_study.honest(smooth.m([0.0, 0.01, 0.02]))?);

    // Any event study: two periods before the reference and two after it.
    let variances = [0.04, 0.03, 0.05, 0.08];
    let covariance =
        (0..4).map(|i| (0..4).map(|j| if i == j { variances[i] } else { 0.01 }).collect());
    let study = EventStudy::new(vec![0.1, -0.05, 0.9, 1.2], covariance.collect(), 2, 2)?;
    println!("{}", study.honest(Honest::relative_magnitude().m_bar([1.0, 2.0]))?);
    Ok(())
}
