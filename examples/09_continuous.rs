//! A continuous treatment: effects by dose and their slopes with uniform bands, event studies, other doses from a saved result, and
//! a data-driven number of splines. Draws `dose_response.svg`.

use burn_did::{
    ContDid, ContDidResult, Result,
    backend::Cpu,
    data::DoseSimulation,
    doses::{DoseGrid, DoseMethod, DoseTarget},
    options::Bootstrap,
};

fn main() -> Result<()> {
    let simulation = DoseSimulation::builder().units(6_000).seed(1).build();
    let fit = spec(DoseMethod::Parametric).fit(simulation.frame())?;
    println!("{fit}");
    let (att, acrt) = (simulation.overall_att(), simulation.overall_acrt());
    println!("True averages: ATT {att:.3}, ACRT {acrt:.3}\n");
    for target in [DoseTarget::Level, DoseTarget::Slope] {
        println!("{}", fit.event_study(target)?);
    }
    fit.plot("dose_response.svg")?;

    // A saved result has the curves, not the data.
    let path = std::env::temp_dir().join("burn-did-continuous.json");
    fit.save(&path)?;
    for row in ContDidResult::load(&path)?.at(&[0.25, 0.75])?.rows {
        let (estimate, truth) = (row.att.estimate.unwrap_or(f64::NAN), simulation.att(row.dose));
        println!("ATT({}) is {truth:.3}, estimated {estimate:.3}", row.dose);
    }

    let two = DoseSimulation::builder().units(4_000).periods(2).groups(1).cubic(-1.5).build();
    let adaptive = spec(DoseMethod::Cck).fit(two.frame())?;
    println!("\n{adaptive}");
    Ok(())
}

fn spec(method: DoseMethod) -> ContDid<Cpu> {
    ContDid::<Cpu>::builder()
        .outcome("y")
        .unit("id")
        .time("period")
        .group("group")
        .dose("dose")
        .method(method)
        .grid(DoseGrid::Quantiles { first: 0.05, last: 0.95, count: 10 })
        .bootstrap(Bootstrap::draws(2_000).seed(1))
        .build()
}
