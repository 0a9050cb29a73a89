//! The minimum wage and teen employment: group-time effects, and the event study in `event_study.png`.

use burn_did::{Aggregation, AttGt, backend::Cpu, data};

fn main() -> burn_did::Result<()> {
    let fit = AttGt::<Cpu>::builder()
        .outcome("lemp")
        .unit("countyreal")
        .time("year")
        .group("first.treat")
        .covariates("~ lpop")
        .build()
        .fit(data::mpdta())?;
    println!("{fit}");

    let event_study = fit.aggregate(Aggregation::dynamic())?;
    println!("{event_study}");
    event_study.plot("event_study.png")
}
