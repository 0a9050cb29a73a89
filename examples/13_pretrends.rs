//! What would a test of pre-trends have detected, and what does passing it leave? The power of the test against linear violations, the
//! estimates expected after passing it, equivalence tests, and the picture in `pretrends.svg`.

use burn_did::{Aggregation, AttGt, Pretrends, Result, backend::Cpu, data, options::BasePeriod};

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

    // Slopes that the test detects with a power of 50 % and 80 %, and a slope of one's own.
    let pretrends = event_study.pretrends(Pretrends::new().slope(0.01).threshold(0.05))?;
    println!("{pretrends}");
    for alternative in &pretrends.alternatives {
        let first = alternative.rows.iter().find(|row| row.event_time == 0.0);
        if let Some((row, left)) = first.and_then(|row| Some((row, row.after_passing?))) {
            println!(
                "A violation detected with power {:.2} biases the first effect by {:.4}, and by {left:.4} after passing the test.",
                alternative.power, row.violation
            );
        }
    }
    pretrends.plot("pretrends.svg")?;

    // A Wald test of all coefficients before treatment instead of one test for each.
    println!("\n{}", event_study.pretrends(Pretrends::new().joint())?);
    Ok(())
}
