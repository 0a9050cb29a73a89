//! Triple differences: two periods; then staggered adoption against all cohorts that are not yet treated, cohort by cohort,
//! and the event study in `triple_differences.svg`.

use burn_did::{
    Aggregation, Ddd, Result,
    backend::Cpu,
    compare,
    data::TripleSimulation,
    options::{Band, BasePeriod, ControlGroup},
    report::{Comparable, PlotOptions},
};

fn main() -> Result<()> {
    let two = TripleSimulation::builder().units(4_000).seed(1).build();
    println!("True effect {}", two.truth(2, 2));
    println!("{}", spec(ControlGroup::NeverTreated).fit(two.frame())?);

    let staggered = TripleSimulation::builder()
        .units(6_000)
        .periods(6)
        .cohorts([3, 4, 5])
        .heterogeneity(0.5)
        .seed(1)
        .build();
    let panel = staggered.frame();
    let never = spec(ControlGroup::NeverTreated).fit(&panel)?;
    let not_yet = spec(ControlGroup::NotYetTreated).fit(&panel)?;
    println!("{not_yet}");
    for cell in not_yet.cells.iter().filter(|c| c.time >= c.group) {
        let truth = staggered.truth(cell.group as i64, cell.time as i64);
        let att = cell.estimate.estimate.unwrap_or(f64::NAN);
        println!("ATT({}, {}) is {truth:.1}, estimated {att:.3}", cell.group, cell.time);
    }

    // The comparisons behind the estimate of one cell. Weights may be negative.
    println!("\nATT(3, 3) against each comparison cohort:");
    for c in not_yet.comparisons.iter().flatten().filter(|c| (c.group, c.time) == (3.0, 3.0)) {
        let cohort = c.comparison.map_or("never".to_owned(), |g| g.to_string());
        println!(
            "{cohort:>5}: {:.3} + {:.3} - {:.3} = {:.3}, weight {:.3}",
            c.treated_ineligible, c.untreated_eligible, c.untreated_ineligible, c.att, c.weight
        );
    }

    let never = never.aggregate(Aggregation::dynamic())?;
    let not_yet = not_yet.aggregate(Aggregation::dynamic())?;
    let models: [(&str, &dyn Comparable); 2] = [("never", &never), ("not yet", &not_yet)];
    println!("\n{}", compare(&models));
    let options = PlotOptions::new()
        .title("Triple differences")
        .x_label("Periods since the treatment was enabled")
        .y_label("Effect on eligible units");
    not_yet.plot_with("triple_differences.svg", &options)
}

fn spec(control_group: ControlGroup) -> Ddd<Cpu> {
    Ddd::<Cpu>::builder()
        .outcome("y")
        .unit("id")
        .time("period")
        .group("group")
        .eligible("eligible")
        .covariates("~ x1 + x2 + x3 + x4")
        .control_group(control_group)
        .base_period(BasePeriod::Universal)
        .band(Band::Uniform)
        .build()
}
