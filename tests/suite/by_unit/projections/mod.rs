//! Local projections.

mod dense;
mod errors;
mod gaps;
mod golden;
mod identities;
mod properties;
mod results;
mod textbook;

use burn_did::{LocalProjections, LocalProjectionsResult};

fn projections(pre: u32, post: u32) -> LocalProjections {
    LocalProjections::builder()
        .outcome("y")
        .unit("id")
        .time("t")
        .group("g")
        .pre_window(pre)
        .post_window(post)
        .build()
}

/// The estimate and standard error at an event time.
fn at(fit: &LocalProjectionsResult, event_time: i64) -> (Option<f64>, Option<f64>) {
    let effect = fit.effects.iter().find(|effect| effect.event_time == event_time);
    effect.map_or((None, None), |effect| (effect.estimate.estimate, effect.estimate.se))
}

/// All estimates and standard errors, pooled ones last.
fn numbers(fit: &LocalProjectionsResult) -> Vec<f64> {
    let all = fit.effects.iter().chain([&fit.pooled]).chain(&fit.pooled_before);
    let both = all.flat_map(|effect| [effect.estimate.estimate, effect.estimate.se]);
    let vcov = fit.vcov.iter().flatten().copied();
    both.map(|number| number.unwrap_or(0.0)).chain(vcov).collect()
}
