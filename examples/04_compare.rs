//! Estimators and comparison groups side by side, for a paper.

use burn_did::{
    Aggregated, Aggregation, AttGt, Result, SunAbraham,
    backend::Cpu,
    data,
    options::{ControlGroup, EstimationMethod},
    report::{Comparable, Comparison, Stars},
};

fn main() -> Result<()> {
    use ControlGroup::{NeverTreated, NotYetTreated};
    let unconditional = fit("~ 1", EstimationMethod::DoublyRobust, NeverTreated)?;
    let regression = fit("~ lpop", EstimationMethod::OutcomeRegression, NeverTreated)?;
    let weighting = fit("~ lpop", EstimationMethod::Ipw, NeverTreated)?;
    let robust = fit("~ lpop", EstimationMethod::DoublyRobust, NeverTreated)?;
    let later = fit("~ lpop", EstimationMethod::DoublyRobust, NotYetTreated)?;
    let config = SunAbraham::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    let sun_abraham = config.group("first.treat").build().fit(data::mpdta())?;

    let models: [(&str, &dyn Comparable); 6] = [
        ("(1)", &unconditional),
        ("(2)", &regression),
        ("(3)", &weighting),
        ("(4)", &robust),
        ("(5)", &later),
        ("(6)", &sun_abraham),
    ];
    let comparison = Comparison::new(&models)?
        .keep(["Event time ?", "Overall ATT"])
        .label("Event time 0", "On impact")
        .label("lemp", "Log employment")
        .stars(Stars::Levels)
        .caption("Minimum wages and teen employment")
        .reference("main_results");
    let table = comparison.table()?;
    println!("{table}");
    println!("{}", table.to_markdown());
    println!("{}", table.siunitx(true).to_latex());
    Ok(())
}

fn fit(covariates: &str, method: EstimationMethod, control: ControlGroup) -> Result<Aggregated> {
    AttGt::<Cpu>::builder()
        .outcome("lemp")
        .unit("countyreal")
        .time("year")
        .group("first.treat")
        .covariates(covariates)
        .method(method)
        .control_group(control)
        .build()
        .fit(data::mpdta())?
        .aggregate(Aggregation::dynamic())
}
