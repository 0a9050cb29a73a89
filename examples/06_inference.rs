//! Clusters, the bootstrap and its laws, contrasts, joint tests, and results that are saved and read back.

use burn_did::{
    Aggregation, AttGt, AttGtResult, Band, Bootstrap, Estimate, Multiplier, Result, backend::Cpu,
    data,
};
use polars::prelude::DataFrame;

fn main() -> Result<()> {
    let counties = with_states(data::mpdta())?;
    let spec = AttGt::<Cpu>::builder()
        .outcome("lemp")
        .unit("countyreal")
        .time("year")
        .group("first.treat")
        .covariates("~ lpop")
        .cluster("state")
        .band(Band::Uniform)
        .build();

    // Analytic: sup-t from the covariance, with a t law for the few states.
    let fit = spec.fit(&counties, &Default::default())?;
    println!("analytic    critical value {:.3}", fit.critical_value);
    use Multiplier::{Gaussian, Mammen, Rademacher, Webb};
    for law in [Mammen, Rademacher, Webb, Gaussian] {
        let mut spec = spec.clone();
        spec.bootstrap = Some(Bootstrap::draws(2_000).seed(7).multiplier(law));
        let fit = spec.fit(&counties, &Default::default())?;
        println!("{:11} critical value {:.3}", format!("{law:?}"), fit.critical_value);
    }

    // Does the effect on the cohort of 2004 grow from its first to its third year?
    let growth = fit.contrast(&[((2004.0, 2006.0), 1.0), ((2004.0, 2004.0), -1.0)])?;
    show("ATT(2004, 2006) - ATT(2004, 2004)", &growth);
    let tests = [
        ("effects before treatment are zero", fit.wald.map_or(f64::NAN, |w| w.p_value)),
        ("effects of treatment are zero", fit.test_post_effects()?.p_value),
        ("cohorts have the same effect", fit.test_equal_groups()?.p_value),
    ];
    for (hypothesis, p) in tests {
        println!("{hypothesis:34} p = {p:.2e}");
    }

    // A saved result needs no data to be aggregated again.
    let file = std::env::temp_dir().join("burn-did-example.json");
    fit.save(&file)?;
    let again = AttGtResult::load(&file)?.aggregate(Aggregation::simple())?;
    show("simple ATT, read back", &again.overall);
    Ok(())
}

/// The state is the thousands of the county's code.
fn with_states(mut counties: DataFrame) -> Result<DataFrame> {
    let state = counties.column("countyreal")?.as_materialized_series() / 1000;
    counties.with_column(state.with_name("state".into()).into())?;
    Ok(counties)
}

fn show(what: &str, estimate: &Estimate) {
    let [att, se] = [estimate.att, estimate.se].map(|v| v.unwrap_or(f64::NAN));
    println!("{what:34} {att:.4} ({se:.4})");
}
