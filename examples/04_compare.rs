//! Estimators and comparison groups side by side, for a paper.

use burn_did::{
    Aggregated, Aggregation, AttGt, Result,
    backend::Cpu,
    compare, data,
    options::{ControlGroup, EstimationMethod},
    report::Comparable,
};

fn main() -> Result<()> {
    use ControlGroup::{NeverTreated, NotYetTreated};
    let unconditional = fit("~ 1", EstimationMethod::DoublyRobust, NeverTreated)?;
    let regression = fit("~ lpop", EstimationMethod::OutcomeRegression, NeverTreated)?;
    let weighting = fit("~ lpop", EstimationMethod::Ipw, NeverTreated)?;
    let robust = fit("~ lpop", EstimationMethod::DoublyRobust, NeverTreated)?;
    let later = fit("~ lpop", EstimationMethod::DoublyRobust, NotYetTreated)?;

    let models: [(&str, &dyn Comparable); 5] = [
        ("(1)", &unconditional),
        ("(2)", &regression),
        ("(3)", &weighting),
        ("(4)", &robust),
        ("(5)", &later),
    ];
    let table = compare(&models);
    println!("{table}");
    println!("{}", table.to_markdown());
    println!("{}", table.to_latex());
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
