//! Stacked difference-in-differences.

mod dense;
mod errors;
mod golden;
mod properties;
mod results;
mod textbook;

use burn_did::{Stacked, StackedResult};

fn stacked(pre: u32, post: u32) -> Stacked {
    Stacked::builder()
        .outcome("y")
        .unit("id")
        .time("t")
        .group("g")
        .pre_window(pre)
        .post_window(post)
        .build()
}

/// The estimate and standard error at an event time.
fn at(fit: &StackedResult, event_time: i64) -> (Option<f64>, Option<f64>) {
    let effect = fit.effects.iter().find(|effect| effect.event_time == event_time);
    effect.map_or((None, None), |effect| (effect.estimate.estimate, effect.estimate.se))
}

/// All estimates and standard errors, that of the average, and covariances.
fn numbers(fit: &StackedResult) -> Vec<f64> {
    let all = fit.effects.iter().map(|effect| &effect.estimate).chain([&fit.overall]);
    let both = all.flat_map(|estimate| [estimate.estimate, estimate.se]);
    let vcov = fit.vcov.iter().flatten().copied();
    both.map(|number| number.unwrap_or(0.0)).chain(vcov).collect()
}
