//! Clusters, the bootstrap and its multipliers, contrasts, joint tests, and results that are saved and read back.

use burn_did::{
    Aggregation, AttGt, Estimate, GroupTimeResult, Result,
    backend::Cpu,
    data::Simulation,
    options::{Band, Bootstrap, Multiplier},
};

fn main() -> Result<()> {
    // 50 clusters that adopt treatment as a whole and have common shocks; effects grow from 1 to 2 in two periods.
    let panel = Simulation::builder().units(2_000).clusters(50).seed(3).build().frame();
    let spec = AttGt::<Cpu>::builder()
        .outcome("y")
        .unit("id")
        .time("period")
        .group("group")
        .covariates("~ x1")
        .cluster("cluster")
        .band(Band::Uniform)
        .build();

    // Analytic: sup-t from the covariance, with a t distribution because there are few clusters.
    let fit = spec.fit(&panel)?;
    println!("analytic    critical value {:.3}", fit.critical_value);
    use Multiplier::{Gaussian, Mammen, Rademacher, Webb};
    for law in [Mammen, Rademacher, Webb, Gaussian] {
        let mut spec = spec.clone();
        spec.bootstrap = Some(Bootstrap::draws(2_000).seed(7).multiplier(law));
        let fit = spec.fit(&panel)?;
        println!("{:11} critical value {:.3}", format!("{law:?}"), fit.critical_value);
    }

    let growth = fit.contrast(&[((3.0, 5.0), 1.0), ((3.0, 3.0), -1.0)])?;
    show("ATT(3, 5) - ATT(3, 3)", &growth);
    let tests = [
        ("effects before treatment are zero", fit.wald.map_or(f64::NAN, |w| w.p_value)),
        ("effects of treatment are zero", fit.test_post_effects()?.p_value),
        ("cohorts have the same effect", fit.test_equal_groups()?.p_value),
    ];
    for (hypothesis, p) in tests {
        println!("{hypothesis:34} p = {p:.2e}");
    }

    // A saved result can be aggregated again without the data.
    let file = std::path::Path::new("example.json");
    fit.save(file)?;
    let again = GroupTimeResult::load(file)?.aggregate(Aggregation::simple())?;
    show("simple ATT, read back", &again.overall);
    Ok(())
}

fn show(what: &str, estimate: &Estimate) {
    let [att, se] = [estimate.estimate, estimate.se].map(|v| v.unwrap_or(f64::NAN));
    println!("{what:34} {att:.4} ({se:.4})");
}
