//! Two groups in two periods: the estimators of R `DRDID` when one model or the other is wrong, for repeated cross sections,
//! and both ways to bootstrap.

use burn_did::{
    Drdid, Estimate, Result,
    backend::Cpu,
    data::TwoPeriodSimulation,
    options::{Bootstrap, DrdidMethod, Resampling},
};

fn main() -> Result<()> {
    use DrdidMethod::*;
    let simulation = || TwoPeriodSimulation::builder().units(4_000).seed(1);
    let data = |outcome: bool, propensity: bool| {
        let simulation = simulation().outcome_model_correct(outcome);
        simulation.propensity_model_correct(propensity).build().frame()
    };
    // The models of the outcome and of treatment, one of them, or neither are linear in the observed covariates.
    let panels = [data(true, true), data(true, false), data(false, true), data(false, false)];
    println!("True effect {}. Models that hold:", simulation().build().truth());
    println!("{:20} {:>16} {:>16} {:>16} {:>16}", "", "both", "outcome", "treatment", "neither");
    for method in
        [DoublyRobustImproved, DoublyRobust, OutcomeRegression, Ipw, IpwHorvitzThompson, Twfe]
    {
        print!("{:20}", format!("{method:?}"));
        for panel in &panels {
            let fit = spec(method).fit(panel)?;
            print!(" {:>16}", show(&fit.estimate));
        }
        println!();
    }

    let rows = simulation().repeated_cross_sections(true).build().frame();
    println!("\nRepeated cross sections:");
    for locally_efficient in [true, false] {
        let mut spec = spec(DoublyRobust);
        spec.repeated_cross_sections = true;
        spec.locally_efficient = locally_efficient;
        let fit = spec.fit(&rows)?;
        println!("{:20} {:>16}", fit.estimator_name(), show(&fit.estimate));
    }

    println!("\nThe default estimator, 500 draws:");
    for resampling in [Resampling::Weighted, Resampling::Multiplier] {
        let mut spec = spec(DoublyRobustImproved);
        spec.bootstrap = Some(Bootstrap::draws(500).seed(7));
        spec.resampling = resampling;
        let fit = spec.fit(&panels[0])?;
        assert_eq!(fit.calibrated, Some(true));
        println!("{:20} {:>16}", format!("{resampling:?}"), show(&fit.estimate));
    }
    Ok(())
}

fn spec(method: DrdidMethod) -> Drdid<Cpu> {
    Drdid::<Cpu>::builder()
        .outcome("y")
        .unit("id")
        .time("period")
        .treatment("treated")
        .covariates("~ x1 + x2 + x3 + x4")
        .method(method)
        .build()
}

fn show(estimate: &Estimate) -> String {
    let [att, se] = [estimate.estimate, estimate.se].map(|v| v.unwrap_or(f64::NAN));
    format!("{att:.3} ({se:.3})")
}
