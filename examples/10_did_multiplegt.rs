//! A treatment that comes and goes in doses: effects by the time since the first change, beside an estimate that treats the first
//! change as permanent, and `switching.svg`.

use burn_did::{
    DidMultiplegt, Result, compare,
    data::SwitchingSimulation,
    report::Comparable,
    switching::{EffectsEqual, Switchers},
};

fn main() -> Result<()> {
    let panel = SwitchingSimulation::builder().groups(2_000).missing(0.02).seed(1).build().frame();
    let config = || {
        DidMultiplegt::builder()
            .outcome("y")
            .unit("id")
            .time("period")
            .treatment("d")
            .covariates("~ x")
            .effects(4)
            .placebos(2)
            .effects_equal(EffectsEqual::All)
    };
    let fit = config().build().fit(&panel)?;
    println!("{fit}");
    fit.plot("switching.svg")?;

    let normalized = config().normalized(true).build().fit(&panel)?;
    let out = config().switchers(Switchers::Out).build().fit(&panel)?;
    let models: [(&str, &dyn Comparable); 3] =
        [("All", &fit), ("Per unit of treatment", &normalized), ("Switchers out", &out)];
    println!("{}", compare(&models));

    println!("{}", fit.event_study());
    Ok(())
}
